"""From the words that readers saw to witness_df: a few of every page and of every layout on it.

The witness of a page is the second engine; where it did not read the page, or confirms no word of it, the text layer
itself, by plain splitting.
What OCR read has OCR as its witness.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

import pandas as pd

from docaudit.extract.facts import Box, PageFact
from docaudit.extract.witness_words import witness_words
from docaudit.frames import WITNESS_DF
from docaudit.location import PAGE_SOURCES, Direction, LineType, TextSource, Visibility

_OF_PAGE = 4
"""Words of a page; more if it has more layouts: at least one of each."""
_LETTERS = re.compile(r"[^\W\d_]+")
_TURNED = {
    Direction.VERTICAL.value: "vertical",
    Direction.ROTATED_LEFT.value: "rotated",
    Direction.ROTATED_RIGHT.value: "rotated",
    Direction.UPSIDE_DOWN.value: "rotated",
    Direction.SLANTED.value: "slanted",
}
_OCR = TextSource.OCR.value


class PageLine(NamedTuple):
    """A line that a person sees on a page; fields as in LINE_DF."""

    page_num: int
    text: str
    line_type: str
    block_num: int
    x0: float
    y0: float
    x1: float
    y1: float
    source: str
    visibility: str
    direction: str
    font_size: float


class _Word(NamedTuple):
    word: str
    layout: str
    witness: str


def witness_table(line_df: pd.DataFrame, pages: Iterable[PageFact]) -> pd.DataFrame:
    """WITNESS_DF.

    Args:
        line_df: LINE_DF, with the types of the lines.
        pages: The pages, with the words that the second engine saw.
    """
    lines = lines_by_page(line_df)
    words = {page.page_num: list(_words_of(page, lines.get(page.page_num, []))) for page in pages}
    known = Counter(
        word for page in lines.values() for line in page for word in _LETTERS.findall(line.text.casefold())
    )
    return WITNESS_DF.build(
        {"page_num": page_num, **word._asdict()}
        for page_num, found in words.items()
        for word in _chosen(found, known)
    )


def lines_by_page(line_df: pd.DataFrame) -> dict[int, list[PageLine]]:
    """The lines that a person sees, by page."""
    sources = {source.value for source in PAGE_SOURCES}
    lines: dict[int, list[PageLine]] = defaultdict(list)
    for row in zip(*(line_df[name].tolist() for name in PageLine._fields), strict=True):
        line = PageLine._make(row)
        if line.source in sources and line.visibility == Visibility.VISIBLE.value:
            lines[line.page_num].append(line)
    return lines


def _words_of(page: PageFact, lines: list[PageLine]) -> Iterator[_Word]:
    seen_twice = [
        _Word(fact.word, layout_of(line, lines), TextSource.SECOND_READER.value)
        for fact in page.witnesses
        if (line := _line_at(fact.box, lines)) is not None
    ]
    yield from seen_twice
    for word, _ in _plain_words([line for line in lines if line.source == _OCR]):
        yield _Word(word, "ocr", _OCR)
    if not seen_twice:
        for word, line in _plain_words([line for line in lines if line.source != _OCR]):
            yield _Word(word, layout_of(line, lines), TextSource.TEXT_LAYER.value)


def _plain_words(lines: list[PageLine]) -> Iterator[tuple[str, PageLine]]:
    """Words of lines that follow each other, so that the rest of a word that a line end divides is none."""
    text = "\n".join(line.text for line in lines)
    starts = list(accumulate((len(line.text) + 1 for line in lines), initial=0))
    for start, end in witness_words(text):
        yield text[start:end], lines[bisect_right(starts, start) - 1]


def _line_at(box: Box | None, lines: list[PageLine]) -> PageLine | None:
    """The line in which the middle of a box lies; none if no text in sight was read there."""
    if box is None:
        return None
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return next((line for line in lines if line.x0 <= x <= line.x1 and line.y0 <= y <= line.y1), None)


def layout_of(line: PageLine, lines: list[PageLine]) -> str:
    """The layout in which a line stands among the lines of its page, as in WITNESS_DF."""
    turned = _TURNED.get(line.direction)
    if turned is not None:
        return turned
    return (
        "column" if line.line_type == LineType.BODY.value and _has_neighbour(line, lines) else line.line_type
    )


def _has_neighbour(line: PageLine, lines: list[PageLine]) -> bool:
    """Another line of the body stands beside it: the page is set in columns there."""
    middle = (line.y0 + line.y1) / 2
    return any(
        other.y0 < middle < other.y1 and (other.x0 >= line.x1 or other.x1 <= line.x0)
        for other in lines
        if other.line_type == LineType.BODY.value
    )


def _chosen(found: list[_Word], known: Counter[str]) -> list[_Word]:
    """A few words of a page: of each layout in turn, those first that are rare in the document.

    A word that stands on its page once is lost with one hit, and a sweep for rare words takes no time.
    """
    layouts: dict[tuple[str, str], list[_Word]] = defaultdict(list)
    for word in dict.fromkeys(found):
        layouts[word.layout, word.witness].append(word)
    for words in layouts.values():
        words.sort(
            key=lambda one: (known[one.word.casefold()], zlib.crc32(one.word.encode("utf-8", "replace")))
        )
    chosen: dict[str, _Word] = {}
    rounds = max(map(len, layouts.values()), default=0)
    for number in range(rounds):
        for words in layouts.values():
            if number < len(words) and (number == 0 or len(chosen) < _OF_PAGE):
                chosen.setdefault(words[number].word, words[number])
    return list(chosen.values())
