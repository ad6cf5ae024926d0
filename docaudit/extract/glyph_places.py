"""Where the letters of a text stand on a page: the engine's own quads, glyph by glyph.

A line of line_df has one box, and which part of it a word covers is an estimate there. Here the page is at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pymupdf

from docaudit.extract.lines import LETTER_FLAGS


@dataclass(frozen=True)
class Place:
    """One occurrence of a text: a quad for each line of the engine that holds a part of it.

    `upright` tells that the text runs along the x axis, on the page as it is before it is turned.
    """

    quads: tuple[pymupdf.Quad, ...]
    upright: bool

    def distance(self, box: pymupdf.Rect) -> float | None:
        """How far the middle is from that of a box, in points along the line; None if it stands in another line."""
        rect = self.quads[0].rect
        one, other = (rect.y0, rect.y1), (box.y0, box.y1)
        along, whole = (rect.x0 + rect.x1) / 2, (box.x0 + box.x1) / 2
        if not self.upright:
            one, other = (rect.x0, rect.x1), (box.x0, box.x1)
            along, whole = (rect.y0 + rect.y1) / 2, (box.y0 + box.y1) / 2
        common = min(one[1], other[1]) - max(one[0], other[0])
        smaller = min(one[1] - one[0], other[1] - other[0])
        return abs(along - whole) if common > 0.5 * smaller else None


@dataclass(frozen=True)
class _Line:
    """A line of the engine, with the place of its first character in the text of the page."""

    start: int
    quads: list[pymupdf.Quad]
    upright: bool


class PageGlyphs:
    """All characters of a page, in the order and with the letters in which its lines were read."""

    def __init__(self, page: pymupdf.Page) -> None:
        """Read the page; raises one of the engine's errors."""
        content = page.get_text("rawdict", flags=LETTER_FLAGS)
        self._lines: list[_Line] = []
        self._text = ""
        pieces: list[str] = []
        start = 0
        for line in (line for block in content["blocks"] for line in block.get("lines", [])):
            letters = [(span, char) for span in line["spans"] for char in span["chars"]]
            text = "".join(char["c"] for _, char in letters)
            if len(text) != len(letters):  # a lone half of a character: no letter can be told by its number
                continue
            # Vertical writing comes glyph by glyph, and was read as one line.
            text += "" if line["wmode"] == 1 else "\n"
            quads = [_quad(line, span, char) for span, char in letters]
            self._lines.append(_Line(start, quads, abs(line["dir"][0]) > abs(line["dir"][1])))
            pieces.append(text)
            start += len(text)
        self._text = "".join(pieces)

    def places(self, text: str) -> list[Place]:
        """Every occurrence of a text, letter by letter as it was read."""
        found = []
        first = self._text.find(text) if text else -1
        while first >= 0:
            found.append(self._place(first, first + len(text)))
            first = self._text.find(text, first + 1)
        return found

    def _place(self, first: int, last: int) -> Place:
        parts = []
        for line in self._lines:
            inside = line.quads[max(first - line.start, 0) : max(last - line.start, 0)]
            if inside:
                parts.append((_hull(inside), line.upright))
        return Place(tuple(quad for quad, _ in parts), parts[0][1])


def _quad(line: dict[str, Any], span: dict[str, Any], char: dict[str, Any]) -> pymupdf.Quad:
    x, y = line["dir"]
    if line["wmode"] == 1 or abs(x) > 0.99 or abs(y) > 0.99:
        x0, y0, x1, y1 = char["bbox"]
        return pymupdf.Quad((x0, y0), (x1, y0), (x0, y1), (x1, y1))
    quad: pymupdf.Quad = pymupdf.recover_char_quad(line["dir"], span, char)
    return quad


def _hull(quads: Sequence[pymupdf.Quad]) -> pymupdf.Quad:
    """One quad over those of neighbours in a line."""
    if len(quads) == 1:
        return quads[0]
    if all(quad.is_rectangular and quad.ul.y == quad.ur.y for quad in quads):
        boxes = [quad.rect for quad in quads]
        left, top = min(box.x0 for box in boxes), min(box.y0 for box in boxes)
        right, bottom = max(box.x1 for box in boxes), max(box.y1 for box in boxes)
        return pymupdf.Quad((left, top), (right, top), (left, bottom), (right, bottom))
    return pymupdf.Quad(quads[0].ul, quads[-1].ur, quads[0].ll, quads[-1].lr)
