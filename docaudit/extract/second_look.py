"""A second look at ink in which the OCR engine read no words: text is found and read there, or listed, or ruled out.

Outcomes for each part of the ink: lines that were read with confidence; text that was found and cannot be read; ink
that looks like letters though nothing was found in it; and ink in which neither OCR nor the text finder sees any text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from docaudit.codes import TextLikely, TextSource
from docaudit.errors import OcrError
from docaudit.extract.boxes import grown, longest_side, overlap, union
from docaudit.extract.ink import InkRegion, PageInk
from docaudit.extract.ocr_engines import FoundText, TextFinder
from docaudit.extract.protocol import Box, LineFact

# All numbers here were chosen on the cases of tests/test_unread_ink.py; none was measured on many documents.
_ZOOM, _CLOSEST, _MOST_PX, _FEWEST_PX = 2.0, 3.5, 1800.0, 320.0
_SINGLE_LETTERS = 6.0
"""Zoom from which letters that stand close do not touch."""
_WIDEST = 2.0
"""From letter to letter, as a multiple of their height."""
_HARDLY, _A_LINE = 0.7, 0.85
"""Score below which a shape is hardly a line; and from which one connected shape is: some scripts leave no gap."""
_TILE_PT, _SEAM_PT = 700.0, 60.0
_MANY = 8
_SHARED, _SAME = 0.3, 0.6
"""Share of a box under another from which it holds the same text: of a part, and of a line."""
_CURVE_PT, _LARGE_PT, _PHRASE = 12.0, 36.0, 6
_FAINT, _CLEAR, _SURE, _CERTAIN = 45.0, 60.0, 85.0, 90.0
"""Confidence below which a reading is noise of the reading network, also of something large; below which a line may be
of a script that it does not know; and from which nothing is doubted."""
_UP_AND_DOWN = frozenset("MWVNUAXmwvnux一二|lI1")
CRUMB_PT = 6.0
"""Longest side of what is left of a word that was read."""


@dataclass
class SecondLook:
    """What was read, what was found and cannot be read with confidence, what still may be text, what holds none."""

    lines: list[LineFact] = field(default_factory=list)
    doubtful: list[tuple[InkRegion, str]] = field(default_factory=list)
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
    texts: list[FoundText] = []
    # The parts one by one; of many, all that lies between them, at once.
    frames = [part.box for part in parts] if len(parts) <= _MANY else [union([part.box for part in parts])]
    for tile in (tile for frame in frames for tile in _tiles(frame)):
        try:
            texts += _find(ink, tile, words, finder)
        except OcrError as error:
            outcome.failed = str(error)
    # What is left of a word that OCR did read and that was painted over is no text of its own.
    texts = [text for text in texts if not any(overlap(text.box, word) > _SHARED for word in words)]
    sure, doubtful = _weighed(texts, ink, words, finder, enough)
    outcome.lines = [
        LineFact(
            text=text.text.strip(),
            box=text.box,
            block=number,
            source=TextSource.OCR,
            size=text.box[3] - text.box[1],
            confidence=text.confidence,
        )
        for number, text in enumerate(sure, 1)
    ]
    for text in doubtful:
        detail = "a line of letters that cannot be read"
        if _letters(text):
            detail = f"letters that cannot be read with confidence ({text.confidence:.0f} of 100)"
        outcome.doubtful.append((InkRegion(text.box, 1, TextLikely.YES), detail))
    for part in parts:
        if outcome.failed:
            outcome.unread.append((part, outcome.failed))
        elif any(overlap(text.box, part.box) > _SHARED for text in [*sure, *doubtful]):
            continue
        elif part.likely is TextLikely.YES:
            outcome.unread.append((part, "ink that looks like letters, in which OCR reads no words"))
        else:
            outcome.empty.append(part)
    return outcome


def _tiles(box: Box) -> list[Box]:
    """A large box in pieces that can be looked at closely in little memory; they overlap, so that no line is cut."""

    def spans(start: float, stop: float) -> list[tuple[float, float]]:
        count = max(1, math.ceil((stop - start - _SEAM_PT) / (_TILE_PT - _SEAM_PT)))
        step = (stop - start - _SEAM_PT) / count
        return [(start + step * number, start + step * (number + 1) + _SEAM_PT) for number in range(count)]

    return [(x0, y0, x1, y1) for y0, y1 in spans(box[1], box[3]) for x0, x1 in spans(box[0], box[2])]


def _find(
    ink: PageInk,
    box: Box,
    words: list[Box],
    finder: TextFinder,
    zoom: float = _ZOOM,
    closest: float = _CLOSEST,
) -> list[FoundText]:
    """Lines of text in a box of the page, in points."""
    longest = max(longest_side(box), 1.0)
    zoom = min(_MOST_PX / longest, closest, max(zoom, _FEWEST_PX / longest))
    near = [word for word in words if overlap(word, box) > 0]
    return [
        replace(
            text,
            box=(
                box[0] + text.box[0] / zoom,
                box[1] + text.box[1] / zoom,
                box[0] + text.box[2] / zoom,
                box[1] + text.box[3] / zoom,
            ),
            length=text.length / zoom,
            height=text.height / zoom,
        )
        for text in finder.find(ink.remainder(box, zoom, near))
    ]


def _weighed(
    texts: list[FoundText], ink: PageInk, words: list[Box], finder: TextFinder, enough: float
) -> tuple[list[FoundText], list[FoundText]]:
    """Lines that were read; and what may be a line and was not read with confidence.

    A line can be both: it is searched, and it is listed.
    """
    sure, doubtful = [], []
    certain = max(_SURE, enough)
    for text in _once(texts):
        letters, curve = _letters(text), _is_curve(text)
        if letters and text.confidence >= certain and not curve:
            sure.append(text)
            continue
        read = bool(letters) and text.confidence >= enough
        if not read and not _may_be_a_line(text, ink, words):
            continue
        closer = _closer(ink, text, words, finder, certain) if letters else []
        if closer:
            sure += closer
        elif not curve and not _is_stroke(text, ink, words):
            sure += [text] if read else []
            doubtful.append(text)
    return _once(sure), doubtful


def _once(texts: Sequence[FoundText]) -> list[FoundText]:
    """Without what was found again where frames overlap."""
    kept: list[FoundText] = []
    for text in texts:
        if not any(overlap(text.box, other.box) > _SAME for other in kept):
            kept.append(text)
    return kept


def _closer(
    ink: PageInk, text: FoundText, words: list[Box], finder: TextFinder, certain: float
) -> list[FoundText]:
    """What a line that could not be read with confidence says when it is looked at larger."""
    x0, y0, x1, y1 = text.box
    pad = 0.4 * min(x1 - x0, y1 - y0)
    try:
        texts = _find(ink, grown(text.box, pad, pad), words, finder, _CLOSEST, 2 * _CLOSEST)
    except OcrError:
        return []  # it stays doubtful
    return [near for near in texts if near.confidence >= certain and _letters(near)]


def _may_be_a_line(text: FoundText, ink: PageInk, words: list[Box]) -> bool:
    """Letters were made out; or it has the size of a line, and pieces like letters: few scripts can be read."""
    letters = _letters(text)
    if letters > 1 and text.confidence >= _FAINT:
        clear = text.height <= _LARGE_PT or text.confidence >= _CLEAR or letters >= _PHRASE
        return clear and longest_side(text.box) >= CRUMB_PT
    pieces = ink.letters(text.box, _SINGLE_LETTERS, words) if text.height >= CRUMB_PT else 0
    return (pieces > 1 and text.height <= _LARGE_PT) or (pieces > 0 and text.score >= _A_LINE)


def _is_curve(text: FoundText) -> bool:
    """A curve that goes up and down, which the reading network takes for "MWwm". Words of such letters are read with
    more confidence, or are narrower, or smaller.
    """
    letters = [char for char in text.text if char.isalnum()]
    if not letters or text.confidence >= _CERTAIN or text.height <= _CURVE_PT:
        return False
    wide = text.length / len(letters) > 1.5 * text.height
    return sum(char in _UP_AND_DOWN for char in letters) >= 0.7 * len(letters) and (len(letters) > 2 or wide)


def _is_stroke(text: FoundText, ink: PageInk, words: list[Box]) -> bool:
    """Far too long for the letters that were made out, and hardly a line or no more pieces than these: a drawing."""
    letters = _letters(text)
    if not letters or text.length / letters <= _WIDEST * text.height:
        return False
    return text.score < _HARDLY or ink.letters(text.box, _SINGLE_LETTERS, words) <= letters


def _letters(text: FoundText) -> int:
    return sum(char.isalnum() for char in text.text)
