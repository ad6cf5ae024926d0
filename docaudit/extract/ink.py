"""Ink accounting: render the page, take away what lies under text that was read, and look at what remains.

Ink is local contrast, whatever colour it has. What remains after text, rules, frames and specks are taken away is
unexplained: a scan, a picture with words, letters turned into outlines, glyphs without a Unicode value, handwriting.
No rule for any one of them is needed. The other way round, text under which there is no ink is text that nobody sees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pymupdf
from numpy.typing import NDArray
from scipy import ndimage

from docaudit.extract.facts import Box
from docaudit.location import TextLikely

Mask = NDArray[np.bool_]

_MAX_SIDE_PX = 1400
_CONTRAST = 32
_RULE_LENGTH, _RULE_THICKNESS = 31, 5
_CROSSED = 0.5
_EDGE = 4
_SPECK = 8
_REACH_X, _REACH_Y = 9, 5
_LETTER_LOW, _LETTER_HIGH = 5, 60
_MANY = 40
_WORD_SHAPE = 2.5
_LETTERS_IN_A_ROW = 3
_CLOSER, _MAX_CLOSE_PX = 3.0, 4200


@dataclass(frozen=True)
class InkRegion:
    """Unexplained ink that belongs together: its box in points, its amount in pixels, and whether it may be text."""

    box: Box
    ink: int
    likely: TextLikely


class PageInk:
    """The ink of one page against the boxes (points) of the text that was read on it.

    A page on which something remains is looked at a second time, larger: what seemed a row of letters may be a double
    rule or the edge of a fill.

    Attributes:
        boxes: The boxes of the text that was read.
        total: Pixels of ink on the page.
        read: Of these, pixels under the boxes.
    """

    def __init__(self, page: pymupdf.Page, boxes: list[Box]) -> None:
        self._page = page
        self.boxes = boxes
        self._rect = page.rect
        self._zoom = _zoom(page.rect)
        self._grey = _render(page, self._zoom)
        self._ink = _ink(self._grey)
        self._closer: tuple[float, Mask] | None = None
        self.total = int(np.count_nonzero(self._ink))
        self.read = int(np.count_nonzero(self._ink & self._under(boxes, self._zoom, self._ink)))

    def regions(self, more: list[Box] | None = None, row: int = _LETTERS_IN_A_ROW) -> list[InkRegion]:
        """What the boxes, and any further ones, do not explain; regions that cannot hold text included.

        `row` is how many shapes of letter height in a row make text likely.
        """
        boxes = [*self.boxes, *(more or [])]
        rest = self._ink & ~self._under(boxes, self._zoom, self._ink)
        regions = _regions(rest, self._rect, self._zoom, 1, row)
        if all(region.likely is TextLikely.NO for region in regions):
            return regions
        scale, ink = self._look_closer()
        zoom = self._zoom * scale
        return _regions(ink & ~self._under(boxes, zoom, ink), self._rect, zoom, scale, row)

    def unexplained(self, box: Box) -> int:
        """Pixels of ink in a box, but for its edge, that lie under no text that was read."""
        rows, columns = _slices(box, self._rect, self._zoom, self._ink.shape)
        inside = (
            slice(rows.start + _EDGE, rows.stop - _EDGE),
            slice(columns.start + _EDGE, columns.stop - _EDGE),
        )
        if inside[0].start >= inside[0].stop or inside[1].start >= inside[1].stop:
            return 0
        read = self._under(self.boxes, self._zoom, self._ink)
        return int(np.count_nonzero(self._ink[inside] & ~read[inside]))

    def bare(self, boxes: list[Box]) -> bool:
        """There is no ink under any of the boxes: nobody sees the text in them."""
        return not any(
            self._ink[_slices(box, self._rect, self._zoom, self._ink.shape)].any() for box in boxes
        )

    def shade_differs(self, box: Box) -> bool:
        """The area of a box has another shade than what surrounds it: something lies over it."""
        rows, columns = _slices(box, self._rect, self._zoom, self._grey.shape)
        margin = 6
        around = self._grey[
            max(0, rows.start - margin) : rows.stop + margin,
            max(0, columns.start - margin) : columns.stop + margin,
        ]
        inside = self._grey[rows, columns]
        return bool(
            (inside.size and abs(float(np.median(inside)) - float(np.median(around))) > _CONTRAST / 2)
            or _dark(inside)
        )

    def _look_closer(self) -> tuple[float, Mask]:
        if self._closer is None:
            longest = max(self._rect.width, self._rect.height) * self._zoom
            scale = max(1.0, min(_CLOSER, _MAX_CLOSE_PX / longest))
            self._closer = scale, _ink(_render(self._page, self._zoom * scale))
        return self._closer

    def _under(self, boxes: list[Box], zoom: float, ink: Mask) -> Mask:
        read = np.zeros_like(ink)
        for box in boxes:
            read[_slices(box, self._rect, zoom, ink.shape)] = True
        return read


def _dark(inside: NDArray[np.uint8]) -> bool:
    return bool(inside.size and float(np.median(inside)) < 64)


def _zoom(rect: pymupdf.Rect) -> float:
    """One pixel for each point, less for large pages, more for small ones."""
    longest = max(rect.width, rect.height, 1.0)
    return float(min(2.0 if longest < 300 else 1.0, _MAX_SIDE_PX / longest))


def _render(page: pymupdf.Page, zoom: float) -> NDArray[np.uint8]:
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
    rows = np.frombuffer(pixmap.samples_mv, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    return rows[:, : pixmap.width].copy()  # a view would outlive the memory of the pixmap


def _ink(grey: NDArray[np.uint8]) -> Mask:
    """Pixels whose neighbourhood of 3 x 3 is not of one shade."""
    return np.asarray(_spread(np.maximum, grey) - _spread(np.minimum, grey) >= _CONTRAST)


def _spread(pick: np.ufunc, grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    wide = grey.copy()
    pick(wide[:, 1:], grey[:, :-1], out=wide[:, 1:])
    pick(wide[:, :-1], grey[:, 1:], out=wide[:, :-1])
    tall = wide.copy()
    pick(tall[1:], wide[:-1], out=tall[1:])
    pick(tall[:-1], wide[1:], out=tall[:-1])
    return tall


def _slices(box: Box, rect: pymupdf.Rect, zoom: float, shape: tuple[int, ...]) -> tuple[slice, slice]:
    x0, y0 = (box[0] - rect.x0) * zoom, (box[1] - rect.y0) * zoom
    x1, y1 = (box[2] - rect.x0) * zoom, (box[3] - rect.y0) * zoom
    rows = slice(_within(math.floor(y0) - 1, shape[0]), _within(math.ceil(y1) + 1, shape[0]))
    return rows, slice(_within(math.floor(x0) - 1, shape[1]), _within(math.ceil(x1) + 1, shape[1]))


def _within(value: int, limit: int) -> int:
    return max(0, min(value, limit))


def _regions(rest: Mask, rect: pymupdf.Rect, zoom: float, scale: float, row: int) -> list[InkRegion]:
    """Group what remains; `scale` is how many times larger than the first look the picture is."""
    if np.count_nonzero(rest) < _SPECK:
        return []
    rest = rest & ~_rules(rest, 1, scale) & ~_rules(rest, 0, scale)
    kept, dense = _pieces(rest, scale)
    if not kept:
        return []
    area = np.zeros_like(rest)
    reach_y, reach_x = round(_REACH_Y * scale), round(_REACH_X * scale)
    for rows, columns in kept:
        area[
            max(0, rows.start - reach_y) : rows.stop + reach_y,
            max(0, columns.start - reach_x) : columns.stop + reach_x,
        ] = True
    labels, count = ndimage.label(area)
    members: list[list[Piece]] = [[] for _ in range(count + 1)]
    for piece in kept:
        members[labels[piece[0].start, piece[1].start]].append(piece)
    regions = [_region(group, rest, dense, rect, zoom, scale, row) for group in members if group]
    return sorted(regions, key=lambda region: (region.box[1], region.box[0]))


def _rules(rest: Mask, axis: int, scale: float) -> Mask:
    """Long straight strokes that are thin: rules, axes, grid lines, the sides of frames and fills.

    In a coarse picture the letters of a word touch each other, and the row of their middles is long and thin as well;
    but along half of it and more there is ink above or below.
    """
    thickness = round(_RULE_THICKNESS + 2 * (scale - 1)) + 1
    long = _opened(rest, round(_RULE_LENGTH * scale**0.5), axis)
    thin = long & ~_opened(long, thickness, 1 - axis)
    if not thin.any():
        return thin
    tall = _opened(rest, thickness, 1 - axis)
    labels, count = ndimage.label(thin, structure=np.ones((3, 3), dtype=np.int8))
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    crossed = np.bincount(labels[tall], minlength=count + 1)
    straight: Mask = np.asarray(crossed <= _CROSSED * sizes)[labels]
    return np.asarray(thin & straight)


def _opened(mask: Mask, length: int, axis: int) -> Mask:
    thin = ndimage.minimum_filter1d(mask.view(np.uint8), length, axis=axis, mode="constant")
    return np.asarray(ndimage.maximum_filter1d(thin, length, axis=axis, mode="constant")).view(np.bool_)


Piece = tuple[slice, slice]


def _pieces(rest: Mask, scale: float) -> tuple[list[Piece], set[tuple[int, int]]]:
    """Connected pieces of ink that could be letters, words or texture; and which of them are texture.

    Left out: specks, thin strokes, solid bars, and large thin shapes (curves, outlines) that hold no letters.
    """
    labels, count = ndimage.label(rest, structure=np.ones((3, 3), dtype=np.int8))
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    low, high = _low(scale), _LETTER_HIGH * scale
    kept: list[Piece] = []
    dense: set[tuple[int, int]] = set()
    for number, piece in enumerate(ndimage.find_objects(labels), 1):
        height, width = piece[0].stop - piece[0].start, piece[1].stop - piece[1].start
        size = int(sizes[number])
        if size < _SPECK * scale or min(height, width) < low:
            continue
        density = size / (height * width)
        # From afar a word of small letters is as solid as a bar; the closer look tells them apart.
        bar = scale > 1 and density > 0.9 and max(height, width) > 3 * min(height, width)
        if bar or (max(height, width) > high and density < 0.2):
            continue
        if min(height, width) > high:
            dense.add((piece[0].start, piece[1].start))
        kept.append(piece)
    return kept, dense


def _low(scale: float) -> int:
    """The height of the smallest letter, in pixels: strokes grow with the scale, the blur around them does not."""
    return round((_LETTER_LOW - 2) * scale + 2)


def _region(
    pieces: list[Piece],
    rest: Mask,
    dense: set[tuple[int, int]],
    rect: pymupdf.Rect,
    zoom: float,
    scale: float,
    row: int,
) -> InkRegion:
    top, bottom = min(rows.start for rows, _ in pieces), max(rows.stop for rows, _ in pieces)
    left, right = min(columns.start for _, columns in pieces), max(columns.stop for _, columns in pieces)
    box = (rect.x0 + left / zoom, rect.y0 + top / zoom, rect.x0 + right / zoom, rect.y0 + bottom / zoom)
    ink = round(int(np.count_nonzero(rest[top:bottom, left:right])) / scale)
    return InkRegion(box, ink, _likely(pieces, dense, scale, row))


def _likely(pieces: list[Piece], dense: set[tuple[int, int]], scale: float, row: int) -> TextLikely:
    """Text is likely where pieces of letter height stand in a row, unlikely where a small piece stands alone."""
    if any((rows.start, columns.start) in dense for rows, columns in pieces):
        return TextLikely.UNKNOWN
    if any(_in_a_row(piece, pieces, scale, row) for piece in pieces[:_MANY]):
        return TextLikely.YES
    if (
        len(pieces) == 1
        and _square(pieces[0])
        and pieces[0][0].stop - pieces[0][0].start <= _LETTER_HIGH * scale
    ):
        return TextLikely.NO
    return TextLikely.UNKNOWN


def _in_a_row(piece: Piece, pieces: list[Piece], scale: float, row: int) -> bool:
    """The piece has the height of a letter and at least two like it beside it, or, from afar, the shape of a word."""
    rows, columns = piece
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if not _low(scale) <= height <= _LETTER_HIGH * scale:
        return False
    if scale == 1 and width >= _WORD_SHAPE * height:
        return True
    beside = sum(
        abs(other.start - rows.start) <= height / 2
        and abs(other.stop - rows.stop) <= height / 2
        and across.stop - across.start <= _WORD_SHAPE * height
        for other, across in pieces
    )
    return bool(width <= _WORD_SHAPE * height and beside >= row)


def _square(piece: Piece) -> bool:
    height, width = piece[0].stop - piece[0].start, piece[1].stop - piece[1].start
    return bool(0.5 <= width / height <= 1.8)
