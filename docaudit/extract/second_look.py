"""A second look at ink in which the OCR engine read no words: text is found and read there, or listed, or ruled out.

Outcomes for each part of the ink: lines that were read with confidence; text that was found and cannot be read; ink
that looks like letters though nothing was found in it; and ink in which neither OCR nor the text finder sees any text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from docaudit.errors import OcrError
from docaudit.extract.facts import Box, LineFact
from docaudit.extract.images import overlap
from docaudit.extract.ink import InkRegion, PageInk
from docaudit.extract.text_finder import FoundText, TextFinder
from docaudit.location import TextLikely, TextSource

_ZOOM, _CLOSEST, _MOST_PX, _FEWEST_PX = 2.0, 3.5, 2200.0, 320.0
_TILE_PT = 1000.0
_MARGIN_PT = 6.0
_FAINT = 35.0
"""Confidence below which a reading is noise of the reading network, not letters."""


@dataclass
class SecondLook:
    """What was read, what text was found unread, what still may be text, and what holds none."""

    lines: list[LineFact] = field(default_factory=list)
    unread: list[tuple[InkRegion, str]] = field(default_factory=list)
    empty: list[InkRegion] = field(default_factory=list)
    failed: str = ""


def look_again(
    ink: PageInk, parts: list[InkRegion], words: list[Box], finder: TextFinder, enough: float
) -> SecondLook:
    """Look for text in parts of a page's ink.

    Args:
        ink: The ink of the page.
        parts: Ink that no word explains, grouped.
        words: Boxes of the words that OCR read, points.
        finder: The networks.
        enough: Confidence (0 to 100) from which a line counts as read.
    """
    outcome = SecondLook()
    for part in parts:
        try:
            found = [text for tile in _tiles(part.box) for text in _find(ink, tile, words, finder)]
        except OcrError as error:
            outcome.failed = str(error)
            outcome.unread.append((part, str(error)))
            continue
        _judge(part, found, enough, outcome)
    return outcome


def _judge(part: InkRegion, found: list[FoundText], enough: float, outcome: SecondLook) -> None:
    sure = [text for text in found if text.confidence >= enough and _letters(text.text)]
    doubtful = [text for text in found if _FAINT <= text.confidence < enough and _letters(text.text) > 1]
    new = [
        text
        for text in sure
        if not any(overlap(text.box, line.box) > 0.5 for line in outcome.lines if line.box)
    ]
    outcome.lines += [_line(text, number) for number, text in enumerate(new, len(outcome.lines) + 1)]
    for text in doubtful:
        region = InkRegion(text.box, max(1, round(part.ink / len(found))), TextLikely.YES)
        outcome.unread.append(
            (region, f"letters that cannot be read with confidence ({text.confidence:.0f} of 100)")
        )
    if sure or doubtful:
        return
    if part.likely is TextLikely.YES:
        outcome.unread.append((part, "ink that looks like letters, in which OCR reads no words"))
    else:
        outcome.empty.append(part)


def _find(ink: PageInk, box: Box, words: list[Box], finder: TextFinder) -> list[FoundText]:
    longest = max(box[2] - box[0], box[3] - box[1], 1.0)
    zoom = min(_MOST_PX / longest, _CLOSEST, max(_ZOOM, _FEWEST_PX / longest))
    near = [word for word in words if overlap(word, box) > 0]
    found = finder.find(ink.remainder(box, zoom, near))
    return [
        FoundText(
            (
                box[0] + text.box[0] / zoom,
                box[1] + text.box[1] / zoom,
                box[0] + text.box[2] / zoom,
                box[1] + text.box[3] / zoom,
            ),
            text.text,
            text.confidence,
        )
        for text in found
    ]


def _tiles(box: Box) -> list[Box]:
    """A part of a very large page in pieces that can be looked at closely; they overlap, so that no line is cut."""
    if max(box[2] - box[0], box[3] - box[1]) <= _TILE_PT * 1.1:
        return [box]
    step = 0.9 * _TILE_PT
    across = range(int((box[2] - box[0]) // step) + 1)
    down = range(int((box[3] - box[1]) // step) + 1)
    return [
        (
            box[0] + step * column,
            box[1] + step * row,
            min(box[2], box[0] + step * column + _TILE_PT),
            min(box[3], box[1] + step * row + _TILE_PT),
        )
        for row in down
        for column in across
    ]


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)


def _line(text: FoundText, number: int) -> LineFact:
    return LineFact(
        text=text.text.strip(),
        box=text.box,
        block=number,
        source=TextSource.OCR.value,
        size=text.box[3] - text.box[1],
        confidence=text.confidence,
    )
