"""What may stand between two characters of a variant on the page: one small regular expression for each
kind of gap.

Flow text is normalised (by normalize and flows), so a gap is a short run of separators. The same
strings make up the variant's whole pattern and check the gaps of a candidate one by one: both ways agree.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

import regex

from docaudit.search.scripts import (
    CLOSING,
    DASH,
    HYPHEN,
    MIDDLE_DOT,
    OPENING,
    PASSED_OVER,
    SIGNS,
    TRADEMARKS,
    CharClass,
    char_class,
)

_BREAK = r"[\n\f]"
_BLANK = r"[ \n\f\x1c]"
_DASH = rf"[{HYPHEN}{DASH}]"
_MARK = f"[{TRADEMARKS}]"
_OPEN, _CLOSE = f"[{regex.escape(OPENING)}]", f"[{regex.escape(CLOSING)}{TRADEMARKS}]"
_OPTIONAL = TRADEMARKS + MIDDLE_DOT
"""Signs of a variant that the page may lack."""


class Gap(StrEnum):
    """Kinds of gap between consecutive characters; the value is what may stand there, as a regular
    expression.

    Quotes and brackets around a word of a phrase, and trade mark signs, part no phrase: a closing sign may stand
    before the blank or an opening one after it, not both (they enclose two things then).
    """

    NONE = ""
    """Nothing: before a combining mark."""
    CHAR = r"\x1c?"
    """Nothing, or the invisible seam between two pieces of a line."""
    WORD = rf"(?:-{_BREAK}?|{_BLANK})?"
    """Inside a word: a hyphen, at a line end or not (e-mail, a soft hyphen that is drawn); a stray blank or break,
    which must not part two words (docaudit.search.matching)."""
    WORD_STRICT = rf"(?:-{_BREAK}|{_BLANK})?"
    """The same where compounds are off: a hyphen only at a line end."""
    MIXED = rf"{_BLANK}?"
    """Between a letter and a digit of one word: H2O drawn with a lowered 2 of its own."""
    PUNCTUATION = rf"{_BLANK}{{0,2}}"
    """Beside a punctuation mark: blanks and breaks mean nothing."""
    FREE = rf"(?:{_CLOSE}{{1,2}}{_BLANK}{{0,2}}|{MIDDLE_DOT}|{_BLANK}{{0,2}}{_OPEN}{{0,2}})"
    """Beside an ideograph, kana or Thai letter: the same, and signs; a middle dot joins the parts of a word."""
    NUMBERS = rf"{_BLANK}{{1,2}}"
    """A blank of the variant between two digits."""
    BLANK = rf"(?:{_CLOSE}{{1,3}}{_BLANK}{{1,2}}|{_MARK}?{_BLANK}{{1,2}}{_OPEN}{{0,2}})"
    """A blank of the variant, strictly."""
    COMPOUND = (
        rf"(?:{_CLOSE}{{1,3}}{_BLANK}{{0,2}}|{_MARK}?{_BLANK}{{0,2}}{_OPEN}{{0,2}}"
        rf"|{_CLOSE}{{0,2}}-{_BREAK}?{_OPEN}{{0,2}})"
    )
    """A blank of the variant, as compounds vary: blank, hyphen or joined."""
    HYPHEN = rf"(?:{_CLOSE}{{0,2}}{_BLANK}?{_DASH}{{1,2}}{_BLANK}?{_OPEN}{{0,2}})"
    """A hyphen of the variant, strictly; a line may end after it."""
    HYPHEN_COMPOUND = rf"(?:{_CLOSE}{{0,2}}{_BLANK}?{_DASH}{{1,2}}{_BLANK}?{_OPEN}{{0,2}}|{_BLANK}{{1,2}})?"
    """A hyphen of the variant, as compounds vary."""
    DASH = rf"{_BLANK}{{0,2}}{_DASH}{{1,3}}{_BLANK}{{0,2}}"
    """A dash between blanks, or a long dash."""


_PASSED = re.compile(f"([{re.escape(PASSED_OVER)}]+)")


@lru_cache(maxsize=100_000)
def fits(gap: str, between: str) -> bool:
    """Whether the separators that stand on the page fit this kind of gap."""
    return regex.fullmatch(gap, between) is not None


@lru_cache(maxsize=100_000)
def gap_between(left: str, between: str, right: str, inflect: bool) -> str:
    """The kind of gap of a variant between two of its characters that are not separators.

    Args:
        left: Character before.
        between: Separators and signs that the variant has there; mostly none.
        right: Character after.
        inflect: Whether compounds may be written apart, hyphenated or joined.
    """
    must = needed(between)
    gap = _gap(left, must, right, inflect, marked=must != between)
    return gap if must == between else rf"(?:{regex.escape(between)}|{gap})"


def _gap(left: str, must: str, right: str, inflect: bool, *, marked: bool) -> str:
    kinds = {char_class(left), char_class(right)}
    digits = kinds == {CharClass.DIGIT}
    free = bool(kinds & {CharClass.FREE_LETTER, CharClass.FREE_MARK})
    if any(char in SIGNS for char in must):
        return _with_signs(must)
    if DASH in must or (HYPHEN in must and " " in must):
        return Gap.DASH
    if HYPHEN in must:
        return Gap.HYPHEN if digits or not inflect else Gap.HYPHEN_COMPOUND
    if free and char_class(right) != CharClass.FREE_MARK:
        return Gap.FREE
    if not must:
        return Gap.COMPOUND if marked else _inside(kinds, left, right, inflect)
    if digits:
        return Gap.NUMBERS
    return Gap.COMPOUND if inflect else Gap.BLANK


_WITHOUT_OPTIONAL = {ord(sign): "" for sign in _OPTIONAL}


def needed(between: str) -> str:
    """What of a variant's separators and signs must stand on the page as well: all but trade marks and middle dots."""
    return between.translate(_WITHOUT_OPTIONAL)


def _with_signs(must: str) -> str:
    """Each sign and hyphen of the variant must stand on the page; blanks around them mean nothing."""
    signs = [_DASH if char in (HYPHEN, DASH) else regex.escape(char) for char in must if char != " "]
    return Gap.PUNCTUATION + "".join(sign + Gap.PUNCTUATION for sign in signs)


def _inside(kinds: set[CharClass], left: str, right: str, inflect: bool) -> Gap:
    if char_class(right) in (CharClass.MARK, CharClass.FREE_MARK):
        return Gap.NONE
    if CharClass.OTHER in kinds:
        near_number = CharClass.DIGIT in kinds and (left in ".,:" or right in ".,:")
        return Gap.CHAR if near_number else Gap.PUNCTUATION
    if kinds == {CharClass.DIGIT}:
        return Gap.CHAR
    if CharClass.DIGIT in kinds:
        return Gap.MIXED if inflect else Gap.CHAR
    return Gap.WORD if inflect else Gap.WORD_STRICT


def squeezed(text: str) -> tuple[str, list[str]]:
    """Searchable text without separators and signs, and what was left out before each remaining character and
    after the last.
    """
    pieces = _PASSED.split(text)  # letters, separators, letters, ...
    between = [""]
    for place, piece in enumerate(pieces):
        if place % 2:
            between[-1] = piece
        else:
            between += [""] * len(piece)
    return "".join(pieces[::2]), between
