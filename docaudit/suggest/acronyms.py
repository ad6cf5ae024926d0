"""Acronyms and what they stand for, as the text itself defines them: "artificial intelligence (AI)", "AI（人工知能）".

Either may stand in the brackets, in quotes, with words of defining ("hereinafter"), or both ("(API, application
programming interface)").

>>> [(pair.short, pair.long) for pair in acronyms_in("Artificial intelligence (AI), LLM (large language model)")]
[('AI', 'Artificial intelligence'), ('LLM', 'large language model')]
>>> [(pair.short, pair.long) for pair in acronyms_in("AI（人工知能）を使う。")]
[('AI', '人工知能')]

Letters are looked up from right to left: Schwartz and Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text", Pacific Symposium on Biocomputing 8 (2003), 451-462. Other than theirs, each word that
is not small must give its first letter: words passed over, or letters from the middle of a word alone, are chance
("perfluorinated compounds (PFOS)"). Word initials go before mere letters, and a name turned round is found as well
("accounting principles generally accepted", GAAP).

>>> words_for("DFSG", "the Debian Free Software Guidelines")
'Debian Free Software Guidelines'
>>> words_for("C2M", "a Command, Control and Management"), words_for("COVID-19", "coronavirus disease")
('Command, Control and Management', 'coronavirus disease')

A Japanese name beside the brackets is a run of kanji and kana, which letters cannot prove. What can be told is what is
no name: units ("容量 (MB)"), examples ("媒体 (CD、DVD など)"), remarks ("NTFS (読み込み専用)") and katakana that begin
with another sound than the short form ("ミラーリング (RAID1)").

>>> name_before("DMA", "これは「ダイレクトメモリアクセス」"), name_before("RAID1", "ミラーリング")
('ダイレクトメモリアクセス', '')
>>> is_name_inside("QA", "品質保証"), is_name_inside("NTFS", "読み込み専用")
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from docaudit.text.words import CJK, HAN, HIRAGANA, KATAKANA, STOP_WORDS

# Kana that end the stem of a verb in a name (バグ潰し, 読み取り) are not particles.
_NAME = rf"(?:[{HAN}][しりきみちけめれえ]?|[{KATAKANA}ー・])"
_NAME_BEFORE = re.compile(rf"(?:[A-Za-z]+ |第\d+ ?)?(?:{_NAME}|(?<![A-Za-z])[A-Z]{{2,}} ?)+$")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_NAME_INSIDE = re.compile(rf"[{HAN}{KATAKANA}{HIRAGANA}ー・]+\d*")
_UNIT = re.compile(r"[KMGTP]i?B|[KMGTP](?:bps|Hz)")
_REMARK = re.compile(
    r"(?:専用|推奨|必須|任意|以上|以下|未満|のみ|など|等|込み|済み|含む|除く|参照|デフォルト)$"
)
_SOUNDS = {
    "a": "アエオハ", "b": "バビブベボ", "c": "カキクケコサシスセソチ", "d": "ダヂヅデドジ", "e": "エイユア",
    "f": "フ", "g": "ガギグゲゴジゼ", "h": "ハヒフヘホ", "i": "イア", "j": "ジヤユハ", "k": "カキクケコナニノ",
    "l": "ラリルレロ", "m": "マミムメモ", "n": "ナニヌネノ", "o": "オワア", "p": "パピプペポフサシ", "q": "クキ",
    "r": "ラリルレロ", "s": "サシスセソザ", "t": "タチツテトザセシ", "u": "ユアウ", "v": "バビブベボヴ",
    "w": "ワウホラ", "x": "エクゼ", "y": "ヤユヨイ", "z": "ザジズゼゾ",
}  # fmt: skip
"""Letter to the katakana with which loan words that begin with it begin: エージェント (a), サード (t), ナレッジ (k)."""


def name_before(short: str, before: str) -> str:
    """The name in kanji and kana at the end of a text, if the short form in the brackets after it may stand for it.

    A Latin word belongs to it if the letters say so: "Debian フリーソフトウェアガイドライン (DFSG)",
    "パラレルラインIP (PLIP)".
    """
    run = _NAME_BEFORE.search(before.rstrip('」』”" '))
    if run is None or _UNIT.fullmatch(short) or re.search(r"\w\w/\w\w", short):
        return ""
    latin, _, name = run[0].strip().rpartition(" ") if run[0][0].isascii() else ("", "", run[0].strip())
    # Capitals in the middle are those of the short form, or not part of its name.
    foreign = [match.end() for match in _CAPITALS.finditer(name) if match[0] not in short]
    if foreign:
        name = name[foreign[-1] :].strip()
    elif latin and latin[0].lower() == short[0].lower():
        name = f"{latin} {name}"
    return name if len(name) >= 2 and CJK.search(name) and _sounds_like(short, name) else ""


def is_name_inside(short: str, inside: str) -> bool:
    """Whether the text in brackets after a short form is a name in kanji and kana."""
    return (
        _NAME_INSIDE.fullmatch(inside) is not None
        and _REMARK.search(inside) is None
        and _sounds_like(short, inside)
    )


def _sounds_like(short: str, name: str) -> bool:
    """Whether a name in katakana alone begins with the sound of the short form; True of all other names."""
    if re.fullmatch(rf"[{KATAKANA}ー・]+", name) is None:
        return True
    return name[0] in _SOUNDS.get(short[0].lower(), name[0])


_WORDS = re.compile(rf"[^\W_{HAN}{KATAKANA}{HIRAGANA}]+(?:['’][^\W_{HAN}{KATAKANA}{HIRAGANA}]+)*")
# A point ends a clause, but not the one of an initial: "U.S. Consumer Services".
_STOPS_BUT_DASHES = re.compile(r"(?:(?<![\s.(][A-Z])\.|[;:!?。；：！？、|•])\s|[。；！？、]|[()（）\[\]]")
_STOPS = re.compile(_STOPS_BUT_DASHES.pattern + r"|\s[-–—]\s")
_LETTERS = re.compile(r"\d+|[^\W\d_]")
_COUNTED = re.compile(r"([a-z])([2-9])(?=[a-z])")
_SMALL = frozenset(
    """and of the for in on to by with a an at or de la et und der des""".split()  # noqa: SIM905
)


class _AcronymWord(NamedTuple):
    """A word with the first character and the one after the last in its clause."""

    text: str
    start: int
    end: int
    small: bool
    """Whether it is a word of grammar that a short form may leave out; not so in "in-context" or "first-out"."""
    joined: bool
    """Whether a hyphen joins it to the word before: "time" in "full-time"."""

    @classmethod
    def of(cls, clause: str, match: re.Match[str]) -> _AcronymWord:
        joined = clause[max(match.start() - 1, 0) : match.start()] == "-"
        small = match[0].lower() in _SMALL and not joined and clause[match.end() : match.end() + 1] != "-"
        return cls(match[0], *match.span(), small, joined)

    def begins_with(self, letter: str) -> bool:
        """X stands for "ex" too (extensible, execution), the last digits of a year for the year (COVID-19)."""
        low = self.text.lower()
        year = (
            letter.isdigit() and len(letter) == 2 and len(low) == 4 and low.isdigit() and low.endswith(letter)
        )
        return low.startswith(letter) or (letter == "x" and low.startswith("ex")) or year


_Letters = tuple[str, ...]
"""Letters of a short form in lower case; a number is one of them."""


def words_for(short: str, before: str) -> str:
    """The words at the end of a text that the short form stands for; empty if there are none."""
    for stops in (_STOPS, _STOPS_BUT_DASHES) if re.search(r"[-\d]", short) else (_STOPS,):
        clause = before[max((match.end() for match in stops.finditer(before)), default=0) :]
        words = [_AcronymWord.of(clause, match) for match in _WORDS.finditer(clause)]
        for letters in _keys(short):
            for match in (_by_initials, _turned_round, _by_letters):
                for end in _ends(clause, words, len(letters), match is not _by_letters):
                    first = match(end, letters)
                    long = clause[end[first].start : end[-1].end] if first >= 0 else ""
                    if long and _is_name(short, letters, long):
                        return " ".join(long.split())
    return ""


def _keys(short: str) -> Iterator[_Letters]:
    """The letters of a short form that words must give, likely ones first."""
    low = short.lower()
    key = tuple(_LETTERS.findall(low))
    if len(key) > 2 and short[-1] == "s" and short[:-1].isupper():
        yield key[:-1]
    yield key
    # C2BMC: command, control, ...; COVID-19: the number need not be spelt out.
    counted = _COUNTED.sub(lambda match: match[1] * int(match[2]), low)
    if counted != low:
        yield tuple(_LETTERS.findall(counted))
    if len(key) > 3 and key[-1].isdigit() and len(key[-1]) > 1:
        yield key[:-1]


def _ends(
    clause: str, words: list[_AcronymWord], letters: int, drop_one: bool
) -> Iterator[list[_AcronymWord]]:
    """The last words of a clause, and the same without what belongs to no letter: one word ("share repurchase
    agreement (ASR)"), words from a small one on ("of Monterey County"), an apposition after a comma.
    """
    most = min(letters + 5, letters * 2)
    yield _last(words, most)
    if letters < 3:
        return
    if drop_one:
        yield _last(words[:-1], most)
    for n in range(len(words) - 1, max(len(words) - 8, 0), -1):
        comma = "," in clause[words[n - 1].end : words[n].start]
        if words[n].small or comma:
            yield _last(words[:n], most)
        if comma:  # "American Industrial Water LLC, a wholly owned subsidiary"
            yield _last(words[: n - 1], most)


def _last(words: list[_AcronymWord], most: int) -> list[_AcronymWord]:
    """The last words, small ones not counted."""
    count = 0
    for number in range(len(words) - 1, -1, -1):
        count += not words[number].small
        if count == most:
            return words[number:]
    return words


def _by_initials(words: list[_AcronymWord], letters: _Letters) -> int:
    """Small words may be passed over, and other ones: one for three letters or more, two for six or more."""
    return _initials_but(words, letters, min(len(letters) // 3, 2))


def _initials_but(words: list[_AcronymWord], letters: _Letters, spare: int) -> int:
    at = len(letters) - 1
    if at < 1:
        return -1
    for number in range(len(words) - 1, -1, -1):
        word = words[number]
        if word.begins_with(letters[at]) and not (at == 0 and word.small and word.text.islower()):
            at -= 1
            if at < 0:
                return number
        elif not word.small:
            spare -= not word.joined
            if spare < 0 or number == len(words) - 1:
                return -1
    return -1


def _turned_round(words: list[_AcronymWord], letters: _Letters) -> int:
    """Initials in the order of "principles generally accepted", where the short form begins with the last of them."""
    if len(letters) < 3:
        return -1
    places = [number for number, word in enumerate(words) if not word.small]
    named = [words[number] for number in places]
    turned = (letters[cut:] + letters[:cut] for cut in range(1, len(letters)))
    first = max((_initials_but(named, other, int(len(letters) > 3)) for other in turned), default=-1)
    # Three letters are chance ("approach the Office of Students", OSA) unless the words are a name.
    if first < 0 or (
        len(letters) == 3 and any(word.text.islower() and not word.joined for word in named[first:])
    ):
        return -1
    return places[first]


def _by_letters(words: list[_AcronymWord], letters: _Letters) -> int:
    """Initials and letters after them, of which no more than half may be without an initial or the letter before."""

    @cache
    def first(last: int, left: int, balance: int) -> int:
        """Number of the first word if words up to a last one give the letters that are left."""
        if not left:
            return last + 1 if balance >= 0 and not _lower_small(words[last + 1]) else -1
        if last < 0:
            return -1
        for count in range(1, left + 1):
            gain = _taken(words[last], letters[left - count : left])
            if gain is not None and (found := first(last - 1, left - count, balance + gain)) >= 0:
                return found
        return first(last - 1, left, balance) if words[last].small else -1

    return first(len(words) - 1, len(letters), 0)


def _lower_small(word: _AcronymWord) -> bool:
    return word.small and word.text.islower()


def _taken(word: _AcronymWord, letters: _Letters) -> int | None:
    """Letters that a word gives surely (its beginning, capitals) less the others; None if it gives not all of them."""
    if not word.begins_with(letters[0]):
        return None
    low, at, sure, beginning = word.text.lower(), 1, 1, True
    for letter in letters[1:]:
        place = low.find(letter, at)
        if place < 0:
            return None
        beginning = beginning and place == at
        sure += 1 if beginning or word.text[place].isupper() else -1
        at = place + 1
    return sure


def _is_name(short: str, letters: _Letters, long: str) -> bool:
    """Whether matched letters are a name: longer than the short form, not it again, no words of grammar at its ends."""
    cut = _WORDS.findall(long)
    if not cut or len(long) <= len(short) or short in cut or "".join(cut).lower() == "".join(letters):
        return False
    exact = len(letters) > 2 and tuple(word[0].lower() for word in cut) == letters
    # "in-context learning", "In Progress" and "other comprehensive income" (OCI) are names all the same.
    named = long[0].isupper() or "-" in long.split()[0] or exact
    # So is a last word that begins with a capital ("Inside Out", "coenzyme A"), or whose initial counts ("first-out").
    if (cut[0].lower() in STOP_WORDS and not named) or (cut[-1] in STOP_WORDS and not exact):
        return False
    # One word for many letters is a chance match ("internationally (ITNL)").
    return len(cut) > 1 or len(short) <= 3


_BRACKETS = re.compile(r"[(（\[［]\s*([^()（）\[\]［］]{2,80}?)\s*[)）\]］]")
_QUOTES = "\"'“”‘’„«»「」『』"
_DEFINING = re.compile(
    r"^(?:(?:together|collectively|hereinafter|hereafter|herein|each|i\.e\.|the|or|an?|also|known|called|referred|to|as|"
    r"abbreviated|short|for|以下|略称|略して|通称)[\s,:、]+)+|^(?:以下[、,]?|略称[:：]?)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s+(?:or|and)\s+|[;,、]")
_SHORT = re.compile(r"[A-Z0-9a-z][A-Za-z0-9&/.\-]{0,13}[A-Za-z0-9.]|[A-Z]&[A-Z]")
_YEAR = re.compile(r"\s+(?:19|20)\d\d$")
_MARK_OR_BRACKET = re.compile(r"(?:\s+\d{1,2}|\s*\([^()]{1,40}\))$")
_MAX_SHORT = 14
_MAX_SHORT_WORDS = 3
_MAX_LONG = 200


class AcronymPair(NamedTuple):
    """A short form and its long form, with the first character of the definition in the text."""

    short: str
    long: str
    start: int


def acronyms_in(text: str) -> Iterator[AcronymPair]:
    """Pairs that a text defines, in the order of their brackets."""
    for bracket in _BRACKETS.finditer(text):
        before = text[max(0, bracket.start() - _MAX_LONG) : bracket.start()].rstrip()
        for short, long in dict.fromkeys(_pairs(before, bracket[1])):
            yield AcronymPair(short, long, start=max(0, bracket.start() - len(long)))


def _pairs(before: str, inside: str) -> Iterator[tuple[str, str]]:
    both = _both_inside(inside)
    if both is not None:
        yield both
        inside = both[0]
    pair = _short_inside(before, inside) or _long_inside(before, inside)
    if pair is not None:
        yield pair


def _both_inside(inside: str) -> tuple[str, str] | None:
    """Short and long form in the same brackets: (API, application programming interface), (say, basis points or BP)."""
    for gap in _PARTS.finditer(inside):
        first, second = _bare(inside[: gap.start()]), _bare(inside[gap.end() :])
        if _is_short(second) and (long := words_for(second, first)):
            return second, long
        if _is_short(first) and _stands_for(first, second):
            return first, second
    return None


def _short_inside(before: str, inside: str) -> tuple[str, str] | None:
    """Long form before the brackets, short form in them, perhaps with others: ("GAAP" or "U.S. GAAP")."""
    parts = [_YEAR.sub("", bare) for part in _PARTS.split(inside) if (bare := _bare(part))]
    # The mark of a note, or other brackets, may stand between: "in-context learning 2 (ICL)"; but "kinase 2 (TYK2)".
    for place in dict.fromkeys((before, _MARK_OR_BRACKET.sub("", before))):
        for number, short in enumerate(parts):
            long = _words_before(short, place)
            # Of several parts in Japanese all but the first are examples: "媒体 (写真、MP3、動画)".
            if not long and number == 0 and _is_short(short) and not inside.endswith(("など", "等")):
                long = name_before(short, place)
            if long:
                return short, long
    return None


def _words_before(short: str, before: str) -> str:
    """Words at the end of a text for a short form of one word or of several: SOF GLSS, CARES Act."""
    words = short.split()
    if len(words) <= 1:
        return words_for(short, before) if _is_short(short) else ""
    if len(words) > _MAX_SHORT_WORDS or not any(_is_short(word) for word in words):
        return ""
    if len(words) == 2 and _is_short(words[0]):
        # "Bank Act of 1956, as amended (BA Act)": up to its last "Act".
        upto = re.match(rf"(.*\s){re.escape(words[1])}\b", before, re.IGNORECASE | re.DOTALL)
        long = words_for(words[0], upto[1].rstrip()) if upto else ""
        if upto and long and " ".join(upto[1].split()).endswith(long):
            return f"{long} {upto[0][upto.end(1) :]}"
    return words_for("".join(words), before) if not any(word[0].islower() for word in words) else ""


def _long_inside(before: str, inside: str) -> tuple[str, str] | None:
    """Short form before the brackets, long form in them."""
    word = re.search(r"[A-Za-z0-9&/.\-]+[\"'”’]?$", before)
    short, long = (word[0].strip(_QUOTES) if word else ""), _bare(inside)
    if not _is_short(short) or len(long) <= len(short):
        return None
    if CJK.search(long):
        return (short, long) if is_name_inside(short, long) else None
    return (short, long) if _stands_for(short, long) else None


def _stands_for(short: str, long: str) -> bool:
    """Whether a short form stands for all of a text."""
    return words_for(short, long).rstrip(".") == long.rstrip(".") != ""


def _bare(part: str) -> str:
    """A part of what brackets hold without quotes, words of defining and doubled blanks."""
    return " ".join(_DEFINING.sub("", part.strip(_QUOTES + " ")).strip(_QUOTES + " ,").split())


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
