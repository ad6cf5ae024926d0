"""What the characters that a file claims for its glyphs let one expect to see: nothing, a letter, or anything."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_NO_CHARACTER = frozenset({"Cn", "Co", "Cs"})
"""Unassigned and noncharacters, private use of all planes, surrogates."""
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters without ink that Unicode counts as letters, marks or symbols."""
_LATIN_NAME = re.compile(r"LATIN (?:SMALL |CAPITAL |LETTER )+(?:[A-Z]+ )*?([A-Z])(?: WITH .*)?")
_LIGATURES = {unicodedata.normalize("NFKD", char): char for char in map(chr, range(0xFB00, 0xFB07))}
_UNREADABLE = re.compile("\ufffd{2,}|(?<=\\w)\ufffd|\ufffd(?=\\w)")
"""Unknown glyphs in a row, or beside a letter. One alone between spaces is a bullet or a symbol, not a word."""


@lru_cache(maxsize=4096)
def is_unknown(char: str) -> bool:
    """Whether a character says nothing about what a glyph shows: private, unassigned, a control or U+FFFD."""
    category = unicodedata.category(char)
    return char == "\ufffd" or category in _NO_CHARACTER or (category == "Cc" and not char.isspace())


def unknown_glyphs(text: str) -> int:
    """How many characters of a text, not mere bullets, have no known Unicode value."""
    if text.isascii() and text.isprintable():
        return 0
    unknown = {ord(char): "\ufffd" for char in set(text) if is_unknown(char)}
    return sum(len(part) for part in _UNREADABLE.findall(text.translate(unknown)))


@lru_cache(maxsize=4096)
def draws_nothing(char: str) -> bool:
    """Whether a character is a space or a format character (soft hyphen, zero width)."""
    return char.isspace() or unicodedata.category(char) == "Cf" or _FILLERS.match(char) is not None


def forms_of(claim: str) -> frozenset[str]:
    """Characters of which a glyph with this claim may have the shape: itself, without accents or style, its capital.

    >>> sorted(forms_of("é"))
    ['E', 'e', 'É', 'é']
    """
    plain = unicodedata.normalize("NFKD", claim)
    named = _LATIN_NAME.fullmatch(unicodedata.name(claim, "")) if len(claim) == 1 else None
    shapes = {claim, *plain, *((named[1],) if named else ())}
    if len(claim) > 1:
        shapes.update(_LIGATURES.get(plain, ""))
    cases = {form for shape in shapes for form in (shape, shape.swapcase()) if len(form) == 1}
    return frozenset(form for form in cases if not unicodedata.combining(form) or form == claim)
