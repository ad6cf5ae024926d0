"""What may stand between two characters of a variant on the page: one small regular expression for each
kind of gap.

Flow text is normalised (by normalize and flows), so a gap is a short run of separators. The same
strings make up the variant's whole pattern and check the gaps of a candidate one by one: both ways agree.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import regex

from docaudit.search.scripts import DASH, HYPHEN, SEPARATORS, CharClass, char_class

_BREAK = r"[\n\f]"
_BLANK = r"[ \n\f\x1c]"
_DASH = rf"[{HYPHEN}{DASH}]"


class Gap(StrEnum):
    """Kinds of gap between consecutive characters; the value is what may stand there, as a regular
    expression.
    """

    NONE = ""
    """Nothing: between digits, before a plural ending, inside a number."""
    CHAR = r"\x1c?"
    """Nothing, or the invisible seam between two pieces of a line."""
    WORD = rf"(?:-{_BREAK}|{_BLANK})?"
    """Inside a word: a hyphen at a line end; a stray blank or break, which StrayRule must allow."""
    MIXED = rf"{_BLANK}?"
    """Between a letter and a digit of one word: H2O drawn with a lowered 2 of its own."""
    FREE = rf"{_BLANK}{{0,2}}"
    """Beside an ideograph, kana, Thai or a punctuation mark: blanks and breaks mean nothing."""
    BLANK = rf"{_BLANK}{{1,2}}"
    """A blank of the variant, strictly."""
    COMPOUND = rf"(?:{_BLANK}{{1,2}}|-{_BREAK}?)?"
    """A blank of the variant, as compounds vary: blank, hyphen or joined."""
    HYPHEN = rf"(?:{_BLANK}?{_DASH}{{1,2}}{_BLANK}?)"
    """A hyphen of the variant, strictly; a line may end after it."""
    HYPHEN_COMPOUND = rf"(?:{_BLANK}?{_DASH}{{1,2}}{_BLANK}?|{_BLANK}{{1,2}})?"
    """A hyphen of the variant, as compounds vary."""
    DASH = rf"{_BLANK}{{0,2}}{_DASH}{{1,3}}{_BLANK}{{0,2}}"
    """A dash between blanks, or a long dash."""


@lru_cache(maxsize=100_000)
def fits(gap: Gap, between: str) -> bool:
    """Whether the separators that stand on the page fit this kind of gap."""
    return regex.fullmatch(gap.value, between) is not None


@lru_cache(maxsize=100_000)
def gap_between(left: str, between: str, right: str, inflect: bool) -> Gap:
    """The kind of gap of a variant between two of its characters that are not separators.

    Args:
        left: Character before.
        between: Separators that the variant has there; mostly none.
        right: Character after.
        inflect: Whether compounds may be written apart, hyphenated or joined.
    """
    kinds = {char_class(left), char_class(right)}
    digits = kinds == {CharClass.DIGIT}
    if not between:
        return _inside(kinds, left, right, inflect)
    if DASH in between or (HYPHEN in between and " " in between):
        return Gap.DASH
    if HYPHEN in between:
        return Gap.HYPHEN if digits or not inflect else Gap.HYPHEN_COMPOUND
    if kinds & {CharClass.FREE_LETTER, CharClass.FREE_MARK}:
        return Gap.FREE
    return Gap.BLANK if digits or not inflect else Gap.COMPOUND


def _inside(kinds: set[CharClass], left: str, right: str, inflect: bool) -> Gap:
    if char_class(right) in (CharClass.MARK, CharClass.FREE_MARK):
        return Gap.NONE
    if kinds & {CharClass.FREE_LETTER, CharClass.FREE_MARK}:
        return Gap.FREE
    if CharClass.OTHER in kinds:
        return Gap.CHAR if CharClass.DIGIT in kinds and (left in ".,:" or right in ".,:") else Gap.FREE
    if kinds == {CharClass.DIGIT}:
        return Gap.CHAR
    if CharClass.DIGIT in kinds:
        return Gap.MIXED if inflect else Gap.CHAR
    return Gap.WORD


def squeezed(text: str) -> tuple[str, list[str]]:
    """Searchable text without separators, and the separators before each remaining character and after the
    last.
    """
    kept: list[str] = []
    between = [""]
    for char in text:
        if char in SEPARATORS:
            between[-1] += char
        else:
            kept.append(char)
            between.append("")
    return "".join(kept), between
