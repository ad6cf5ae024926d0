"""Acronyms and what they stand for, as the text itself defines them: "artificial intelligence (AI)", "AI（人工知能）".

The letters of the short form are looked up in the long form from right to left, the first of them at the beginning of
a word: Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text", Pacific
Symposium on Biocomputing 8 (2003), 451-462. Added here: the pair in the other order ("AI (artificial intelligence)"),
quotes and words of defining in the brackets, word initials before mere letters, and Japanese brackets.

>>> [(pair.short, pair.long) for pair in acronyms_in("Artificial intelligence (AI), LLM (large language model)")]
[('AI', 'Artificial intelligence'), ('LLM', 'large language model')]
>>> [(pair.short, pair.long) for pair in acronyms_in("AI（人工知能）を使う。")]
[('AI', '人工知能')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docaudit.question_words import STOP_WORDS
from docaudit.wordforms import CJK, HAN, HIRAGANA, KATAKANA

_BRACKETS = re.compile(r"[(（\[［]\s*([^()（）\[\]［］]{2,80}?)\s*[)）\]］]")
_QUOTES = "\"'“”‘’„«»「」『』"
_DEFINING = re.compile(
    r"^(?:(?:together|collectively|hereinafter|hereafter|herein|each|i\.e\.|the|or|an?|also|known|called|referred|to|as|"
    r"abbreviated|short|for|以下|略称|略して|通称)[\s,:、]+)+|^(?:以下[、,]?|略称[:：]?)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"[A-Z0-9a-z][A-Za-z0-9&/.\-]{0,13}[A-Za-z0-9.]|[A-Z]&[A-Z]")
_WORDS = re.compile(rf"[^\W_{HAN}{KATAKANA}{HIRAGANA}]+(?:['’][^\W_{HAN}{KATAKANA}{HIRAGANA}]+)*")
_CJK_RUN = re.compile(rf"[{HAN}{KATAKANA}{HIRAGANA}ー・]+")
# Kana that end the stem of a verb in a name (バグ潰し, 読み取り) are not particles.
_CJK_NAME_BEFORE = re.compile(rf"(?:[A-Za-z]+ )?(?:[{HAN}][しりきみちけめれえ]?|[{KATAKANA}ー・])+$")
_STOPS_BUT_DASHES = re.compile(r"[.;:!?。；：！？、|•]\s|[。；！？、]|[()（）\[\]]")
_STOPS = re.compile(_STOPS_BUT_DASHES.pattern + r"|\s[-–—]\s")
_YEAR = re.compile(r"\s+(?:19|20)\d\d$")
_MARK_OR_BRACKET = re.compile(r"(?:\s+\d{1,2}|\s*\([^()]{1,40}\))$")
_SMALL = frozenset(
    """and of the for in on to by with a an at or de la et und der des""".split()  # noqa: SIM905
)
_MAX_SHORT = 14

Spans = list[tuple[int, int]]
"""First and last + 1 character of words, in order."""


class Pair(NamedTuple):
    """A short form and its long form, with the first character of the definition in the text."""

    short: str
    long: str
    start: int


def acronyms_in(text: str) -> Iterator[Pair]:
    """Pairs that a text defines, in the order of their brackets."""
    for bracket in _BRACKETS.finditer(text):
        before = text[max(0, bracket.start() - 200) : bracket.start()].rstrip()
        # The mark of a note, or another pair of brackets, may stand between: "in-context learning 2 (ICL)".
        before = _MARK_OR_BRACKET.sub("", before)
        inside = bracket[1]
        pair = _short_inside(before, inside) or _long_inside(before, inside)
        if pair is not None:
            yield Pair(*pair, start=max(0, bracket.start() - len(pair[1])))


def _short_inside(before: str, inside: str) -> tuple[str, str] | None:
    """Long form before the brackets, short form in them, perhaps with others: ("GAAP" or "U.S. GAAP")."""
    for part in re.split(r"\s+(?:or|and)\s+|[;,、]", inside):
        short = _YEAR.sub("", _DEFINING.sub("", part.strip().strip(_QUOTES)).strip(_QUOTES + " ,"))
        if not _is_short(short):
            continue
        long = _cjk_before(short, before) or _long_before(short, before)
        if long:
            return short, long
    return None


def _long_inside(before: str, inside: str) -> tuple[str, str] | None:
    """Short form before the brackets, long form in them."""
    word = re.search(r"[A-Za-z0-9&/.\-]+[\"'”’]?$", before)
    short = word[0].strip(_QUOTES) if word else ""
    long = _DEFINING.sub("", inside.strip(_QUOTES + " ")).strip(_QUOTES + " ")
    if not _is_short(short) or len(long) <= len(short):
        return None
    if CJK.search(long):
        return (short, long) if _CJK_RUN.fullmatch(long) else None
    return (short, long) if _long_before(short, long) == long else None


def _is_short(text: str) -> bool:
    """Whether a text looks like a short form: letters, two capitals or more (one of them first or in its middle)."""
    letters = [char for char in text if char.isalpha()]
    capitals = sum(char.isupper() for char in letters)
    return (
        2 <= len(text) <= _MAX_SHORT
        and _SHORT.fullmatch(text) is not None
        and len(letters) >= 2
        and capitals >= 2
        and capitals * 2 >= len(letters)
    )


def _cjk_before(short: str, before: str) -> str:
    """The run of Chinese signs or katakana before the brackets, if the text before is Japanese or Chinese."""
    run = _CJK_NAME_BEFORE.search(before)
    if run is None or len(run[0]) < 2:
        return ""
    latin, _, name = run[0].rpartition(" ")
    # "Debian フリーソフトウェアガイドライン (DFSG)": a word before belongs to it if the letters say so.
    return run[0] if latin and latin[0].lower() == short[0].lower() else name


def _long_before(short: str, before: str) -> str:
    """The words at the end of a text that the short form stands for; empty if there are none."""
    stops = _STOPS if "-" not in short else _STOPS_BUT_DASHES
    clause = before[max((match.end() for match in stops.finditer(before)), default=0) :]
    key = [char.lower() for char in short if char.isalnum()]
    plural = len(key) > 2 and short[-1] == "s" and short[:-1].isupper()
    for letters in (key, key[:-1]) if plural else (key,):
        spans = [match.span() for match in _WORDS.finditer(clause)]
        for match in (_by_initials, _by_letters):
            for words in _ends(clause, spans, len(letters)):
                start = match(clause, words, letters)
                long = clause[start : words[-1][1]] if start >= 0 else ""
                if long and _is_long(short, long):
                    return " ".join(long.split())
    return ""


def _ends(clause: str, spans: Spans, letters: int) -> Iterator[Spans]:
    """The last words of a clause, and the same without what belongs to no letter: one word ("share repurchase
    agreement (ASR)"), words from a small one on ("of Monterey County"), an apposition after a comma.
    """
    most = min(letters + 5, letters * 2)
    yield spans[-most:]
    if letters < 3:
        return
    yield spans[-most - 1 : -1]
    for n in range(len(spans) - 2, max(len(spans) - 8, 0), -1):
        gap = clause[spans[n - 1][1] : spans[n][0]]
        if clause[slice(*spans[n])].lower() in _SMALL or "," in gap:
            yield spans[max(n - most, 0) : n]
            if "," in gap:  # "American Industrial Water LLC, a wholly owned subsidiary"
                yield spans[max(n - 1 - most, 0) : n - 1]


def _by_initials(clause: str, spans: Spans, letters: list[str]) -> int:
    """Where the words begin whose initials the short form is; -1 if nowhere.

    Small words may be passed over, and one other word where there are three letters or more.
    """
    at, spare = len(letters) - 1, int(len(letters) > 2)
    if at < 1:
        return -1
    for start, end in reversed(spans):
        word = clause[start:end].lower()
        if word[0] == letters[at] and not (at == 0 and word in _SMALL and clause[start].islower()):
            at -= 1
            if at < 0:
                return start
        elif word not in _SMALL:
            spare -= 1
            if spare < 0 or (start, end) == spans[-1]:
                return -1
    return -1


def _by_letters(clause: str, spans: Spans, letters: list[str]) -> int:
    """Schwartz and Hearst's matching from right to left; -1 if nowhere.

    Other than theirs, each word that is not small must give its first letter: whole words left over, or letters from
    the middle of a word alone, are chance ("perfluorinated compounds (PFOS)").
    """
    if not spans:
        return -1
    first, at = spans[0][0], spans[-1][1] - 1
    begins = {start for start, _ in spans}
    used: set[int] = set()
    for number in range(len(letters) - 1, -1, -1):
        while at >= first and (clause[at].lower() != letters[number] or (number == 0 and at not in begins)):
            at -= 1
        if at < first:
            return -1
        used.add(at)
        at -= 1
    start = at + 1
    passed = [clause[slice(*span)].lower() for span in spans if span[0] >= start and span[0] not in used]
    return start if all(word in _SMALL for word in passed) else -1


def _is_long(short: str, long: str) -> bool:
    """Whether matched letters are a name: longer than the short form, not it again, no words of grammar at its ends."""
    cut = _WORDS.findall(long)
    if not cut or len(long) <= len(short) or short in cut:
        return False
    # "in-context learning" and "In Progress" are names all the same.
    named = long[0].isupper() or "-" in long.split()[0]
    if (cut[0].lower() in STOP_WORDS and not named) or cut[-1].lower() in STOP_WORDS:
        return False
    # One word for many letters is a chance match ("internationally (IT)") unless they are its parts (kilowatt-hour).
    return len(cut) > 1 or len(short) <= 3
