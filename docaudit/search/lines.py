"""line_df in, `PageLines` out: its columns as lists and arrays, with the searchable text of every line.

Searchable text is what the sweep compares: folded characters (docaudit.text.folding), no blanks at either end, runs of
blanks reduced to one blank, or to two where the page has two or more (a wide gap may part letter-spaced words). A map
leads from every searchable character back to the character of the line.

>>> fold("Ｐｅｒｓｏｎａｌ\u00a0ＤＡＴＡ")
'personal data'
>>> searchable("  of\ufb01ce   hours ")
'office  hours'
>>> searchable_map("  of\ufb01ce ")
('office', [2, 3, 4, 4, 5, 6])

Every searchable character has a class, which decides on word boundaries and on what may stand between two characters.
Scripts that write words with spaces between them (Latin, Greek, Cyrillic, Arabic, ...) have word boundaries;
ideographs, kana, Hangul, Thai and their neighbours do not: there a variant matches anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import regex

from docaudit.codes import Direction, LineType, TextSource, Visibility
from docaudit.text.folding import FOLD, fold
from docaudit.text.folding import HYPHEN as FOLDED_HYPHEN

__all__ = ["LINE_END_HYPHENS", "fold", "fold_map", "searchable", "searchable_map"]

LINE_END_HYPHENS = "\u00ad\u0002\ufffe\u2010\u00ac"
"""What engines give for a hyphen that exists only because the line ends: soft hyphen, the signs of PDFium,
a not sign."""

_WIDE = re.compile("   +")
_END = re.compile(f"[{LINE_END_HYPHENS}](?=[\\s\u200b]*$)")


def fold_map(text: str) -> tuple[str, list[int]]:
    """The result of `fold` and, for each of its characters, the index of the character of text it comes from."""
    folded = text.translate(FOLD)
    if FOLD.is_even(text) and (folded.isascii() or unicodedata.is_normalized("NFD", folded)):
        return folded, list(range(len(text)))
    pairs = [(char, index) for index, source in enumerate(text) for char in FOLD[ord(source)]]
    # Canonical order: each run of combining marks sorted by class. Then no dot right after i: capital i with dot is i.
    if not any(unicodedata.combining(char) for char, _ in pairs):
        return "".join(char for char, _ in pairs), [index for _, index in pairs]
    ordered: list[tuple[str, int]] = []
    for _, run in groupby(pairs, key=lambda pair: unicodedata.combining(pair[0]) > 0):
        ordered += sorted(run, key=lambda pair: unicodedata.combining(pair[0]))
    before = ["", *(char for char, _ in ordered)]
    kept = [pair for pair, last in zip(ordered, before, strict=False) if (last, pair[0]) != ("i", "\u0307")]
    return "".join(char for char, _ in kept), [index for _, index in kept]


def _with_line_end_hyphen(text: str) -> str:
    """The same text, a soft hyphen (or its like) at its end replaced by a hyphen; the length stays the same."""
    return text if text.isascii() and "\x02" not in text else _END.sub(FOLDED_HYPHEN, text)


def searchable(text: str) -> str:
    """Searchable text of one line or variant."""
    folded = fold(_with_line_end_hyphen(text)).strip(" ")
    return _WIDE.sub("  ", folded) if "   " in folded else folded


def searchable_map(text: str) -> tuple[str, list[int]]:
    """The result of `searchable` and the index in text of each of its characters."""
    folded, source = fold_map(_with_line_end_hyphen(text))
    if "   " not in folded and folded[:1] != " " and folded[-1:] != " ":
        return folded, source
    start = len(folded) - len(folded.lstrip(" "))
    end = len(folded.rstrip(" "))
    keep = [
        place
        for place in range(start, end)
        if not (folded[place] == " " and folded[max(place - 2, 0) : place] == "  " and place - 2 >= start)
    ]
    return "".join(folded[place] for place in keep), [source[place] for place in keep]


_SURROGATE = re.compile("[\ud800-\udfff]")

Floats = npt.NDArray[np.float64]

_FILL: dict[str, object] = {
    "line_type": LineType.BODY.value,
    "source": TextSource.TEXT_LAYER.value,
    "visibility": Visibility.UNKNOWN.value,
    "direction": Direction.HORIZONTAL.value,
    "text": "",
    "page_num": 0,
    "line_num": 0,
    "block_num": 0,
    "part": "",
    "part_page": 0,
}


def encodable(text: str) -> str:
    """Text with U+FFFD for lone surrogates, which no table or file can hold; the length stays the same."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


@dataclass(frozen=True)
class PageLines:
    """The lines of a document, one list or array for each column; rows are positions in line_df."""

    page: list[int]
    number: list[int]
    block: list[int]
    text: list[str]
    search: list[str]
    source: list[str]
    line_type: list[str]
    direction: list[str]
    visibility: list[str]
    part: list[str]
    part_page: list[int]
    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    font_size: Floats

    @classmethod
    def of(cls, line_df: pd.DataFrame, search: list[str] | None = None) -> PageLines:
        """Arrays of line_df, which may lack columns and cells: each then takes the value that claims least.

        A missing box is NaN (the line then takes part in the stream of lines only), a missing text is empty.

        Args:
            line_df: The lines.
            search: The searchable text of the same lines, if it was made before.
        """

        def column(name: str) -> list[Any]:
            if name not in line_df.columns:
                return [_FILL[name]] * len(line_df)
            series = line_df[name]
            if series.hasnans:
                series = series.astype(object).where(series.notna(), _FILL[name])
            return list(series.tolist())

        def floats(name: str) -> Floats:
            if name not in line_df.columns:
                return np.full(len(line_df), np.nan)
            return np.asarray(line_df[name].to_numpy(dtype=np.float64, na_value=np.nan))

        text = [encodable(value if isinstance(value, str) else str(value)) for value in column("text")]
        return cls(
            page=list(map(int, column("page_num"))),
            number=list(map(int, column("line_num"))),
            block=list(map(int, column("block_num"))),
            text=text,
            search=[searchable(line) for line in text] if search is None else search,
            source=list(map(str, column("source"))),
            line_type=list(map(str, column("line_type"))),
            direction=list(map(str, column("direction"))),
            visibility=list(map(str, column("visibility"))),
            part=list(map(str, column("part"))),
            part_page=list(map(int, column("part_page"))),
            x0=floats("x0"),
            y0=floats("y0"),
            x1=floats("x1"),
            y1=floats("y1"),
            font_size=floats("font_size"),
        )

    def __len__(self) -> int:
        return len(self.page)

    @cached_property
    def sheet(self) -> list[int]:
        """The page on which a line stands; each page of an attachment or earlier revision has a number of its own.

        Pages of one part that follow each other have numbers that do; no two parts meet.
        """
        if not any(self.part):
            return self.page
        names = {name: place for place, name in enumerate(dict.fromkeys(["", *self.part]))}
        room = max(*self.page, *self.part_page) + 2
        return [
            names[part] * room + inner if part else page
            for page, part, inner in zip(self.page, self.part, self.part_page, strict=True)
        ]

    @cached_property
    def has_box(self) -> npt.NDArray[np.bool_]:
        """Whether a line has a usable box."""
        finite = np.isfinite(self.x0) & np.isfinite(self.y0) & np.isfinite(self.x1) & np.isfinite(self.y1)
        return np.asarray(finite & (self.x1 >= self.x0) & (self.y1 >= self.y0))

    @cached_property
    def boxes(self) -> list[tuple[float, float, float, float]]:
        """x0, y0, x1, y1 of each line as plain numbers: single numbers of an array are slow to read."""
        sides = (side.tolist() for side in (self.x0, self.y0, self.x1, self.y1))
        return list(zip(*sides, strict=True))

    @cached_property
    def sizes(self) -> list[float]:
        """font_size as plain numbers."""
        return list(self.font_size.tolist())

    def in_order(self, source: str) -> list[int]:
        """Rows of one source that hold text, page after page, in line_num order."""
        rows = [row for row, name in enumerate(self.source) if name == source and self.search[row]]
        return sorted(rows, key=lambda row: (self.page[row], self.number[row]))


NO_SPACE = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
    r"\u3005\u3007\u30fc\u3099\u309a"
)
"""Body of a character class (regex V1): scripts without spaces between words, with their shared marks."""

WORD = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{NO_SPACE}]]"
"""Letters, digits and marks of scripts that separate words by spaces."""

TAIL = r"[\p{M}\u1160-\u11ff]"
"""What belongs to the character before it: combining marks, vowel and final jamo. No match ends before one."""

SPACE, LINE, PAGE, MAYBE, HYPHEN, DASH, WALL = " ", "\n", "\f", "\x1c", "-", "\u2014", "\x00"
"""Separators of search text: blank, line break, page break, no visible gap but perhaps a boundary, hyphens, long dash.
WALL parts reading orders: no match goes over it. Source text cannot hold the control characters: folding makes them
blanks."""

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
    """The class of one searchable character; FREE classes are those of scripts without spaces between words."""
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
