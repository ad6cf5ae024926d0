"""Words that OCR read, from the picture to the page: turned back, in points, as lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pymupdf
from numpy.typing import NDArray

from docaudit.extract.boxes import union
from docaudit.extract.facts import Box, LineFact
from docaudit.extract.ocr_engines import OcrWord
from docaudit.location import TextSource


def packed(pixmap: pymupdf.Pixmap) -> NDArray[np.uint8]:
    """The samples of a grey pixmap without padding between its rows, in memory of their own."""
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    return np.ascontiguousarray(rows[:, : pixmap.width])


def turned_back(word: OcrWord, turn: int, width: int, height: int) -> OcrWord:
    """A word of a picture that was turned `turn` quarters to the left, in the picture of this width and height."""
    x0, y0, x1, y1 = word.box
    if turn == 1:
        box: Box = (width - y1, x0, width - y0, x1)
    elif turn == 3:
        box = (y0, height - x1, y1, height - x0)
    else:
        box = word.box
    return OcrWord(word.text, box, word.confidence, word.line)


def word_in_points(word: OcrWord, clip: pymupdf.Rect, dpi: int) -> OcrWord:
    """A word of a picture of a part of the page, on the page."""
    zoom = 72 / dpi
    x0, y0, x1, y1 = (value * zoom for value in word.box)
    return OcrWord(
        word.text, (clip.x0 + x0, clip.y0 + y0, clip.x0 + x1, clip.y0 + y1), word.confidence, word.line
    )


def explained(box: Box, known: Sequence[Box]) -> bool:
    """The middle of a box lies in one of those that are known."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(other[0] <= x <= other[2] and other[1] <= y <= other[3] for other in known)


def lines_of(words: list[OcrWord]) -> list[LineFact]:
    """The words (boxes in points) as lines of text."""
    by_line: dict[int, list[OcrWord]] = {}
    for word in words:
        by_line.setdefault(word.line, []).append(word)
    return [_line(row, number) for number, row in enumerate(by_line.values(), 1)]


def _line(words: list[OcrWord], number: int) -> LineFact:
    box = union([word.box for word in words])
    return LineFact(
        text=" ".join(word.text for word in words),
        box=box,
        block=number,
        source=TextSource.OCR.value,
        size=box[3] - box[1],
        confidence=mean_confidence(words),
    )


def mean_confidence(words: Sequence[OcrWord]) -> float:
    """Confidence weighted by length; 0 without words."""
    total = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / total if total else 0.0


def weight(words: Sequence[OcrWord]) -> float:
    """How much was read with more than an even chance to be right: tells the better of two readings."""
    return sum(max(0.0, word.confidence - 50.0) * len(word.text) for word in words)
