"""Acronyms and what they stand for, as the text itself defines them: "artificial intelligence (AI)", "AI（人工知能）".

Either may stand in the brackets, in quotes, with words of defining ("hereinafter"), or both ("(API, application
programming interface)").

>>> [(pair.short, pair.long) for pair in acronyms_in("Artificial intelligence (AI), LLM (large language model)")]
[('AI', 'Artificial intelligence'), ('LLM', 'large language model')]
>>> [(pair.short, pair.long) for pair in acronyms_in("AI（人工知能）を使う。")]
[('AI', '人工知能')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docaudit.suggest.acronyms_ja import is_name_inside, name_before
from docaudit.suggest.letters import words_for
from docaudit.wordforms import CJK

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


class Pair(NamedTuple):
    """A short form and its long form, with the first character of the definition in the text."""

    short: str
    long: str
    start: int


def acronyms_in(text: str) -> Iterator[Pair]:
    """Pairs that a text defines, in the order of their brackets."""
    for bracket in _BRACKETS.finditer(text):
        before = text[max(0, bracket.start() - _MAX_LONG) : bracket.start()].rstrip()
        for short, long in dict.fromkeys(_pairs(before, bracket[1])):
            yield Pair(short, long, start=max(0, bracket.start() - len(long)))


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
