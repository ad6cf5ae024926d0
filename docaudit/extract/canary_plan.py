"""Where a canary is planted: a made-up phrase for each layout of the document, in place of a line of that layout."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import pandas as pd

from docaudit.extract.boxes import touch, without_edges
from docaudit.extract.facts import Box, PlantFact
from docaudit.extract.witness_table import PageLine, layout_of, lines_by_page
from docaudit.location import Direction, LineType, TextSource

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3
_IMITATED = frozenset(direction.value for direction in Direction) - {Direction.SLANTED.value}
_WRAPPED, _HYPHENATED, _OCR = "wrapped", "hyphenated", "ocr"
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
        picture = layout == _OCR
        if picture and not ocr:
            left[layout] = "pictures are not read"
        elif able:
            best = max(able, key=_room)
            plants.append(_plant(layout, next(phrases), [best], picture=picture))
            _take(best, free, pairs)
        else:
            left[layout] = _SLANTED if free[layout] else _TAKEN
    if ocr and _OCR not in free:
        flat = [one for some in free.values() for one in some if one.direction == Direction.HORIZONTAL.value]
        if flat:
            best = max(flat, key=_room)
            plants.append(_plant(_OCR, next(phrases), [best], picture=True))
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
            found[_OCR if picture else layout_of(line, page)].append(line)
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
