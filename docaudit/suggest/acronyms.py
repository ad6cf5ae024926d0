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
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CJK_RUN = re.compile(rf"[{HAN}{KATAKANA}{HIRAGANA}ー・]+")
_CJK_NAME_BEFORE = re.compile(rf"(?:[{HAN}]|[{KATAKANA}ー・])+$")
_STOPS = re.compile(r"[.;:!?。；：！？、|•]\s|[。；！？、]|[()（）\[\]]|\s[-–—]\s")
_SMALL = frozenset(
    """and of the for in on to by with a an at or de la et und der des""".split()  # noqa: SIM905
)
_MAX_SHORT = 14


class Pair(NamedTuple):
    """A short form and its long form, with the first character of the definition in the text."""

    short: str
    long: str
    start: int


def acronyms_in(text: str) -> Iterator[Pair]:
    """Pairs that a text defines, in the order of their brackets."""
    for bracket in _BRACKETS.finditer(text):
        before = text[max(0, bracket.start() - 200) : bracket.start()].rstrip()
        inside = bracket[1]
        pair = _short_inside(before, inside) or _long_inside(before, inside)
        if pair is not None:
            yield Pair(*pair, start=max(0, bracket.start() - len(pair[1])))


def _short_inside(before: str, inside: str) -> tuple[str, str] | None:
    """Long form before the brackets, short form in them, perhaps with others: ("GAAP" or "U.S. GAAP")."""
    for part in re.split(r"\s+(?:or|and)\s+|[;,、]", inside):
        short = _DEFINING.sub("", part.strip().strip(_QUOTES)).strip(_QUOTES + " ,")
        if not _is_short(short):
            continue
        long = _cjk_before(before) or _long_before(short, before)
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


def _cjk_before(before: str) -> str:
    """The run of Chinese signs or katakana before the brackets, if the text before is Japanese or Chinese."""
    run = _CJK_NAME_BEFORE.search(before)
    return run[0] if run and len(run[0]) >= 2 else ""


def _long_before(short: str, before: str) -> str:
    """The words at the end of a text that the short form stands for; empty if there are none."""
    clause = before[max((match.end() for match in _STOPS.finditer(before)), default=0) :]
    key = [char.lower() for char in short if char.isalnum()]
    plural = len(key) > 2 and short[-1] == "s" and short[:-1].isupper()
    for letters in (key, key[:-1]) if plural else (key,):
        spans = [match.span() for match in _WORDS.finditer(clause)]
        spans = spans[-min(len(letters) + 5, len(letters) * 2) :]
        # "accelerated share repurchase agreement (ASR)": the last word may belong to no letter.
        for match, words in ((_by_initials, spans), (_by_initials, spans[:-1]), (_by_letters, spans)):
            start = match(clause, words, letters)
            if start >= 0:
                long = " ".join(clause[start : words[-1][1]].strip(_QUOTES + " ,").split())
                return long if _is_long(short, long) else ""
    return ""


def _by_initials(clause: str, spans: list[tuple[int, int]], letters: list[str]) -> int:
    """Where the words begin whose initials the short form is; small words may be passed over. -1 if nowhere."""
    at = len(letters) - 1
    if len(letters) < 2:
        return -1
    for start, end in reversed(spans):
        word = clause[start:end].lower()
        if word[0] == letters[at]:
            at -= 1
            if at < 0:
                return start
        elif word not in _SMALL:
            return -1
    return -1


def _by_letters(clause: str, spans: list[tuple[int, int]], letters: list[str]) -> int:
    """Schwartz and Hearst's matching from right to left: the first letter must begin a word. -1 if nowhere."""
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
    passed = [
        clause[slice(*span)].lower() for span in spans if span[0] > at and used.isdisjoint(range(*span))
    ]
    # "generally accepted in the United States of America (GAAP)": letters by chance, with whole words left over.
    return at + 1 if all(word in _SMALL for word in passed) else -1


def _is_long(short: str, long: str) -> bool:
    """Whether matched letters are a name: longer than the short form, not it again, no words of grammar at its ends."""
    cut = _WORDS.findall(long)
    if not cut or len(long) <= len(short) or short in cut:
        return False
    if cut[0].lower() in STOP_WORDS or cut[-1].lower() in STOP_WORDS:
        return False
    # One word for many letters is a chance match ("internationally (IT)") unless they are its parts (kilowatt-hour).
    return len(cut) > 1 or len(short) <= 3
