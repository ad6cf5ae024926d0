"""Classes of searchable characters that decide on word boundaries and on what may stand between two
characters.

Scripts that write words with spaces between them (Latin, Greek, Cyrillic, Arabic, ...) have word boundaries;
ideographs, kana, Hangul, Thai and their neighbours do not: there a variant matches anywhere.
"""

from __future__ import annotations

import unicodedata
from enum import IntEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex

NO_SPACE = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
    r"\u3005\u3007\u30fc\u3099\u309a"
)
"""Body of a character class (regex V1): scripts without spaces between words, with their shared marks."""

WORD = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{NO_SPACE}]]"
"""Letters, digits and marks of scripts that separate words by spaces."""

TAIL = r"[\p{M}\u1160-\u11ff]"
"""What belongs to the character before it: combining marks, vowel and final jamo. No match ends before
one."""

SPACE, LINE, PAGE, MAYBE, HYPHEN, DASH, WALL = " ", "\n", "\f", "\x1c", "-", "\u2014", "\x00"
"""Separators of flow text: blank, line break, page break, no visible gap but perhaps a boundary, hyphens,
long dash. WALL parts flows: no match goes over it. Source text cannot hold the control characters: folding
makes them blanks."""

SEPARATORS = SPACE + LINE + PAGE + MAYBE + HYPHEN + DASH

TRADEMARKS = "\u2122\u00ae\u00a9\u2120"
MIDDLE_DOT = "\u30fb"
OPENING, CLOSING = "\"'([\u300c\u300e\u3010\u3008\u300a\u3014", "\"')]\u300d\u300f\u3011\u3009\u300b\u3015"
SIGNS = "".join(sorted(set(OPENING + CLOSING + TRADEMARKS + MIDDLE_DOT)))
"""Signs that set a word off or mark it, and part no phrase: a reader takes Acme\u00ae Cloud and "machine" learning for
mentions of Acme Cloud and machine learning. Commas, full stops and slashes do part."""

PASSED_OVER = SEPARATORS + SIGNS
"""What candidates are searched without."""

_NO_SPACE = regex.compile(rf"[{NO_SPACE}]", regex.V1)


class CharClass(IntEnum):
    """Class of one searchable character."""

    OTHER = 0
    LETTER = 1
    DIGIT = 2
    MARK = 3
    FREE_LETTER = 4
    FREE_MARK = 5
    SEPARATOR = 6
    MAYBE = 7
    SIGN = 8
    UNKNOWN = 255


@lru_cache(maxsize=100_000)
def char_class(char: str) -> CharClass:
    """The class of one searchable character; FREE classes are those of scripts without spaces between
    words.
    """
    if char == MAYBE:
        return CharClass.MAYBE
    if char in SEPARATORS:
        return CharClass.SEPARATOR
    if char in SIGNS:
        return CharClass.SIGN
    category = unicodedata.category(char)
    free = bool(_NO_SPACE.match(char))
    if category[0] == "M" or "\u1160" <= char <= "\u11ff":
        return CharClass.FREE_MARK if free else CharClass.MARK
    if free:
        return CharClass.FREE_LETTER
    if category[0] == "N":
        return CharClass.DIGIT
    return CharClass.LETTER if category[0] == "L" else CharClass.OTHER


_CLASSES = np.full(0x110000, CharClass.UNKNOWN, dtype=np.uint8)


def codes_of(text: str) -> npt.NDArray[np.uint32]:
    """Code points of text."""
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def classes_of(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """Classes of code points; each code point is looked up once for the life of the process."""
    classes = _CLASSES[codes]
    missing = classes == CharClass.UNKNOWN
    if missing.any():
        for code in np.unique(codes[missing]):
            _CLASSES[code] = char_class(chr(code))
        classes = _CLASSES[codes]
    return classes


def is_free(char: str) -> bool:
    """Whether a character belongs to a script without spaces between words."""
    return char_class(char) in (CharClass.FREE_LETTER, CharClass.FREE_MARK)
