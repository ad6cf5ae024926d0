"""From the words that readers saw to witness_df: a few of every page and of every layout on it.

The witness of a page is the second engine; where it did not read the page, or confirms no word of it, the text layer
itself, by plain splitting.
What OCR read has OCR as its witness.

Where a canary is planted: a made-up phrase for each layout of the document, in place of a line of that layout.
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
from docaudit.extract.boxes import touch, without_edges
from docaudit.extract.protocol import Box, PageFact, PlantFact
from docaudit.extract.second_reader import control_words
from docaudit.tables import WITNESS_DF

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
    for start, end in control_words(text):
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


_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3
_IMITATED = frozenset(direction.value for direction in Direction) - {Direction.SLANTED.value}
_WRAPPED, _HYPHENATED, _OCR_CANARY_PLAN = "wrapped", "hyphenated", "ocr"
_SLANTED = "slanted lines are not imitated"
_TAKEN = "another phrase took the place of its lines"


def plan_canaries(line_df: pd.DataFrame, seed: str, *, ocr: bool) -> tuple[list[PlantFact], dict[str, str]]:
    """One phrase for each layout present; the same document always gets the same phrases in the same places.

    Body text gets two more, over two lines: parted at a blank, and inside a word at a hyphen. With OCR one more is
    planted as a picture.

    Args:
        line_df: LINE_DF.
        seed: What the phrases are made from: the hash of the document.
        ocr: What only pictures show is read.

    Returns:
        What is to be planted, and the layouts of the document that get no phrase, each with why.
    """
    lines = lines_by_page(line_df)
    phrases = _phrases(seed)
    free = _by_layout(lines)
    pairs = _pairs(lines)
    present = [_WRAPPED, _HYPHENATED] if pairs else []
    plants: list[PlantFact] = []
    left: dict[str, str] = {}
    for layout in sorted(free):
        able = [line for line in free[layout] if line.direction in _IMITATED]
        picture = layout == _OCR_CANARY_PLAN
        if picture and not ocr:
            left[layout] = "pictures are not read"
        elif able:
            best = max(able, key=_room)
            plants.append(_plant(layout, next(phrases), [best], picture=picture))
            _take(best, free, pairs)
        else:
            left[layout] = _SLANTED if free[layout] else _TAKEN
    if ocr and _OCR_CANARY_PLAN not in free:
        flat = [one for some in free.values() for one in some if one.direction == Direction.HORIZONTAL.value]
        if flat:
            best = max(flat, key=_room)
            plants.append(_plant(_OCR_CANARY_PLAN, next(phrases), [best], picture=True))
            _take(best, free, pairs)
    for layout in present:
        if pairs:
            pair = max(pairs, key=lambda two: min(map(_room, two)))
            plants.append(_plant(layout, next(phrases), list(pair)))
            for line in pair:
                _take(line, free, pairs)
        else:
            left[layout] = _TAKEN
    return plants, left


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


def _by_layout(lines: dict[int, list[PageLine]]) -> dict[str, list[PageLine]]:
    found: dict[str, list[PageLine]] = defaultdict(list)
    for page in lines.values():
        for line in page:
            picture = line.source == TextSource.OCR.value
            found[_OCR_CANARY_PLAN if picture else layout_of(line, page)].append(line)
    return found


def _pairs(lines: dict[int, list[PageLine]]) -> list[tuple[PageLine, PageLine]]:
    """Lines of the body that follow each other in one block, one under the other."""
    return [
        (one, other)
        for page in lines.values()
        for one, other in pairwise(page)
        if one.line_type == other.line_type == LineType.BODY.value
        and one.block_num == other.block_num
        and one.source == other.source == TextSource.TEXT_LAYER.value
        and one.direction == other.direction == Direction.HORIZONTAL.value
        and one.y0 < other.y0
        and abs(one.x0 - other.x0) < one.y1 - one.y0
    ]


def _take(line: PageLine, free: dict[str, list[PageLine]], pairs: list[tuple[PageLine, PageLine]]) -> None:
    """A line that gives its place to a phrase is there for no other, and neither is one that lies over it.

    Lines are printed twice for a bold look or a shadow: to plant in the second would wipe out what is in the first.
    """
    for some in free.values():
        some[:] = [one for one in some if not _overlap(one, line)]
    pairs[:] = [pair for pair in pairs if not any(_overlap(one, line) for one in pair)]


def _overlap(one: PageLine, other: PageLine) -> bool:
    """To empty the place of one line would touch the letters of the other."""
    if one.page_num != other.page_num or one is other:
        return one is other
    return touch(without_edges(_box(one)), _box(other)) or touch(_box(one), without_edges(_box(other)))


def _box(line: PageLine) -> Box:
    return line.x0, line.y0, line.x1, line.y1


def _room(line: PageLine) -> float:
    return max(line.x1 - line.x0, line.y1 - line.y0)


def _plant(layout: str, phrase: str, lines: list[PageLine], *, picture: bool = False) -> PlantFact:
    first, second = phrase.split()
    half = len(second) // 2
    texts = {_WRAPPED: [first, second], _HYPHENATED: [f"{first} {second[:half]}-", second[half:]]}
    return PlantFact(
        layout=layout,
        phrase=phrase,
        page_num=lines[0].page_num,
        texts=texts.get(layout, [phrase]),
        boxes=[_box(line) for line in lines],
        direction=lines[0].direction,
        size=0.0 if lines[0].font_size != lines[0].font_size else lines[0].font_size,
        picture=picture,
    )
