"""Positive controls: words that an audit must find (witness_df), and phrases that are planted into a copy (canaries).

The witness of a page is the second engine; where it did not read the page, or confirms no word of it, the text layer
itself, by plain splitting. What OCR read has OCR as its witness. A canary is a made-up phrase for each layout of the
document, in place of a line of that layout.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

import pandas as pd

from docaudit.codes import PAGE_SOURCES, Direction, LineType, TextSource, Visibility
from docaudit.extract.boxes import centre, longest_side, touch, without_edges
from docaudit.extract.protocol import Box, PageReading, PlantFact
from docaudit.extract.second_reader import control_words
from docaudit.tables import WITNESS_DF, Line, lines_of

_OF_PAGE = 4
"""Words of a page; more if it has more layouts: at least one of each."""
_LETTERS = re.compile(r"[^\W\d_]+")
_TURNED: dict[str, str] = {
    Direction.VERTICAL: "vertical",
    Direction.ROTATED_LEFT: "rotated",
    Direction.ROTATED_RIGHT: "rotated",
    Direction.UPSIDE_DOWN: "rotated",
    Direction.SLANTED: "slanted",
}
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3
_WRAPPED, _HYPHENATED, _OCR = "wrapped", "hyphenated", "ocr"
_SLANTED = "slanted lines are not imitated"
_TAKEN = "another phrase took the place of its lines"

Pages = dict[int, list[Line]]


class _Word(NamedTuple):
    word: str
    layout: str
    witness: TextSource


def witness_table(line_df: pd.DataFrame, pages: Iterable[PageReading]) -> pd.DataFrame:
    """WITNESS_DF: a few words of every page and of every layout on it.

    Args:
        line_df: LINE_DF, with the types of the lines.
        pages: The pages, with the words that the second engine saw.
    """
    lines = _visible_lines(line_df)
    words = {page.page_num: list(_words_of(page, lines.get(page.page_num, []))) for page in pages}
    frequency = Counter(
        word for page in lines.values() for line in page for word in _LETTERS.findall(line.text.casefold())
    )
    return WITNESS_DF.build(
        {"page_num": page_num, **word._asdict()}
        for page_num, candidates in words.items()
        for word in _chosen(candidates, frequency)
    )


def _visible_lines(line_df: pd.DataFrame) -> Pages:
    """The lines that a person sees, by page."""
    pages: Pages = defaultdict(list)
    for line in lines_of(line_df):
        if line.source in PAGE_SOURCES and line.visibility == Visibility.VISIBLE:
            pages[line.page_num].append(line)
    return pages


def _words_of(page: PageReading, lines: list[Line]) -> Iterator[_Word]:
    confirmed = False
    for fact in page.witnesses:
        # The line in which the middle of the word lies; none if no text in sight was read there.
        x, y = centre(fact.box) if fact.box else (-1.0, -1.0)
        at = (line for line in lines if line.x0 <= x <= line.x1 and line.y0 <= y <= line.y1)
        line = next(at, None) if fact.box else None
        if line is not None:
            confirmed = True
            yield _Word(fact.word, layout_of(line, lines), TextSource.SECOND_READER)
    for word, _ in _plain_words([line for line in lines if line.source == TextSource.OCR]):
        yield _Word(word, _OCR, TextSource.OCR)
    if not confirmed:
        for word, line in _plain_words([line for line in lines if line.source != TextSource.OCR]):
            yield _Word(word, layout_of(line, lines), TextSource.TEXT_LAYER)


def _plain_words(lines: list[Line]) -> Iterator[tuple[str, Line]]:
    """Words of lines that follow each other, so that the rest of a word that a line end divides is none."""
    text = "\n".join(line.text for line in lines)
    starts = list(accumulate((len(line.text) + 1 for line in lines), initial=0))
    for start, end in control_words(text):
        yield text[start:end], lines[bisect_right(starts, start) - 1]


def layout_of(line: Line, lines: list[Line]) -> str:
    """The layout in which a line stands among the lines of its page, as in WITNESS_DF."""
    if line.direction in _TURNED:
        return _TURNED[line.direction]
    if line.line_type == LineType.BODY:
        # Where another line of the body stands beside it, the page is set in columns.
        middle = (line.y0 + line.y1) / 2
        for other in lines:
            beside = other.x0 >= line.x1 or other.x1 <= line.x0
            if other.line_type == LineType.BODY and other.y0 < middle < other.y1 and beside:
                return "column"
    return line.line_type


def _chosen(words: list[_Word], frequency: Counter[str]) -> list[_Word]:
    """A few words of a page: of each layout in turn, those first that are rare in the document.

    A word that stands on its page once is lost with one hit, and a sweep for rare words takes no time.
    """
    layouts: dict[tuple[str, str], list[_Word]] = defaultdict(list)
    for word in dict.fromkeys(words):
        layouts[word.layout, word.witness].append(word)
    for group in layouts.values():
        group.sort(
            key=lambda word: (
                frequency[word.word.casefold()],
                zlib.crc32(word.word.encode("utf-8", "replace")),
            )
        )
    chosen: dict[str, _Word] = {}
    for turn in range(max(map(len, layouts.values()), default=0)):
        for group in layouts.values():
            if turn < len(group) and (turn == 0 or len(chosen) < _OF_PAGE):
                chosen.setdefault(group[turn].word, group[turn])
    return list(chosen.values())


def plan_canaries(line_df: pd.DataFrame, seed: str, *, ocr: bool) -> tuple[list[PlantFact], dict[str, str]]:
    """One phrase for each layout present; the same document always gets the same phrases in the same places.

    Body text gets two more, over two lines: parted at a space, and inside a word at a hyphen. With OCR one more is
    planted as an image.

    Args:
        line_df: LINE_DF.
        seed: What the phrases are made from: the hash of the document.
        ocr: What only images show is read.

    Returns:
        What is to be planted, and the layouts of the document that get no phrase, each with why.
    """
    places = _FreePlaces(_visible_lines(line_df))
    free, pairs = places.by_layout, places.pairs
    present = [_WRAPPED, _HYPHENATED] if pairs else []
    phrases = _phrases(seed)
    plants: list[PlantFact] = []
    left: dict[str, str] = {}

    def plant(layout: str, lines: list[Line]) -> None:
        phrase, size = next(phrases), lines[0].font_size
        first, second = phrase.split()
        half = len(second) // 2
        texts = {_WRAPPED: [first, second], _HYPHENATED: [f"{first} {second[:half]}-", second[half:]]}
        plants.append(
            PlantFact(
                layout=layout,
                phrase=phrase,
                page_num=lines[0].page_num,
                texts=texts.get(layout, [phrase]),
                boxes=[_box(line) for line in lines],
                direction=lines[0].direction,
                size=0.0 if size != size else size,
                picture=layout == _OCR,
            )
        )
        places.take(lines)

    for layout in sorted(free):
        able = [line for line in free[layout] if line.direction != Direction.SLANTED]
        if layout == _OCR and not ocr:
            left[layout] = "pictures are not read"
        elif able:
            plant(layout, [max(able, key=_room)])
        else:
            left[layout] = _SLANTED if free[layout] else _TAKEN
    if ocr and _OCR not in free:
        level = [line for lines in free.values() for line in lines if line.direction == Direction.HORIZONTAL]
        if level:
            plant(_OCR, [max(level, key=_room)])
    for layout in present:
        if pairs:
            plant(layout, list(max(pairs, key=lambda pair: min(map(_room, pair)))))
        else:
            left[layout] = _TAKEN
    return plants, left


class _FreePlaces:
    """Lines that can give their place to a phrase, by layout, and pairs of lines of the body, one under the other."""

    def __init__(self, pages: Pages) -> None:
        self.by_layout: dict[str, list[Line]] = defaultdict(list)
        for lines in pages.values():
            for line in lines:
                layout = _OCR if line.source == TextSource.OCR else layout_of(line, lines)
                self.by_layout[layout].append(line)
        self.pairs = [
            (line, following)
            for lines in pages.values()
            for line, following in pairwise(lines)
            if line.line_type == following.line_type == LineType.BODY
            and line.block_num == following.block_num
            and line.source == following.source == TextSource.TEXT_LAYER
            and line.direction == following.direction == Direction.HORIZONTAL
            and line.y0 < following.y0
            and abs(line.x0 - following.x0) < line.y1 - line.y0
        ]

    def take(self, taken: list[Line]) -> None:
        """A line that gives its place to a phrase is there for no other, and neither is one that lies over it.

        Lines are printed twice for a bold look or a shadow: to plant in the second would wipe out what is in the first.
        """
        for line in taken:
            for lines in self.by_layout.values():
                lines[:] = [other for other in lines if not _overlap(other, line)]
            self.pairs[:] = [pair for pair in self.pairs if not any(_overlap(other, line) for other in pair)]


def _overlap(line: Line, other: Line) -> bool:
    """To empty the place of one line would touch the letters of the other."""
    if line.page_num != other.page_num or line is other:
        return line is other
    box, other_box = _box(line), _box(other)
    return touch(without_edges(box), other_box) or touch(box, without_edges(other_box))


def _box(line: Line) -> Box:
    return line.x0, line.y0, line.x1, line.y1


def _room(line: Line) -> float:
    return longest_side(_box(line))


def _phrases(seed: str) -> Iterator[str]:
    """Phrases of two words that no language has."""
    number = 0
    while True:
        number += 1
        digest = hashlib.sha256(f"{seed} {number}".encode()).digest()
        sounds = [
            _CONSONANTS[digest[at] % len(_CONSONANTS)] + _VOWELS[digest[at + 1] % len(_VOWELS)]
            for at in range(0, 4 * _SYLLABLES, 2)
        ]
        yield f"{''.join(sounds[:_SYLLABLES])} {''.join(sounds[_SYLLABLES:])}"
