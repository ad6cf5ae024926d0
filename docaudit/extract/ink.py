"""Ink accounting: what a page shows beside the text that was read.

Ink of text is what vanishes when the text objects are taken away (docaudit.extract.pictures); all other ink is local
contrast, whatever colour it has. What remains after rules, frames, fills and specks are taken away is unexplained: a
scan, a picture with words, letters turned into outlines, glyphs without a Unicode value, handwriting. No rule for any
one of them is needed. The other way round, text without ink of its own is text that nobody sees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pymupdf
from numpy.typing import NDArray
from scipy import ndimage

from docaudit.extract.boxes import apart, clipped
from docaudit.extract.facts import Box
from docaudit.extract.pictures import PagePictures, Picture, engine_picture, paint_over, slices
from docaudit.extract.shapes import ANY_ROW, Region, Row, count_letters, find_regions
from docaudit.extract.strokes import Mask
from docaudit.location import TextLikely

_LOOK, _LEAST_PX, _MOST_PIXELS = 1.5, 1200.0, 16e6
_CLOSER = 4.0
_COARSE = 0.7
_CONTRAST = 20
_COLOUR, _HIGH_BITS = np.uint32(0x00FFFFFF), np.uint32(0x00F0F0F0)
_APART_PT = 6.0
_MARGIN_PT = 40.0
"""More than the shortest rule: what goes on outside a frame is long enough in it to be told."""


@dataclass(frozen=True)
class InkRegion:
    """Unexplained ink that belongs together: its box in points, its amount in pixels, and whether it may be text."""

    box: Box
    ink: int
    likely: TextLikely


class PageInk:
    """The ink of one page against the boxes (points) of the text that was read on it.

    What remains unexplained is looked at a second time, larger: what seemed a row of letters may be a double rule or
    the edge of a fill.

    Attributes:
        boxes: The boxes of the text that was read.
        total: Pixels of ink on the page.
        read: Of these, pixels of text that was read.
    """

    def __init__(self, page: pymupdf.Page, pictures: PagePictures, boxes: list[Box]) -> None:
        self._page = page
        self._pictures = pictures
        self._frame: Box = (page.rect.x0, page.rect.y0, page.rect.x1, page.rect.y1)
        self._zoom = _zoom(page.rect.width, page.rect.height)
        self._shown = pictures.shown(self._frame, self._zoom)
        bare = pictures.bare(self._frame, self._zoom)
        self.boxes = boxes
        self._text = _differs(self._shown, bare)
        self._other = contrast(bare)
        unread = self._text & ~self._under(boxes)
        self._unread_text = unread if unread.any() else None
        self.total = int(np.count_nonzero(self._text | self._other))
        self.read = int(np.count_nonzero(self._text)) - int(np.count_nonzero(unread))

    def regions(
        self, more: list[Box] | None = None, row: Row = ANY_ROW, within: Box | None = None
    ) -> list[InkRegion]:
        """What the text does not explain, nor any further boxes; regions that cannot hold text included.

        `row` is from when on shapes beside each other make text likely. Without `within` it is the whole page.
        """
        rest = self._other if self._unread_text is None else self._other | self._unread_text
        if more:
            rest = rest & ~self._under(more)
        found = find_regions(rest, self._zoom, row)
        if within is not None:
            rows, columns = slices(within, self._frame, self._zoom, rest.shape)
            found = [
                region for region in found if _meet(region.rows, rows) and _meet(region.columns, columns)
            ]
        if not found:
            return []
        if self._zoom < _COARSE:
            return [self._on_page(region, self._frame, self._zoom, TextLikely.UNKNOWN) for region in found]
        frames = apart([self._frame_of(region) for region in found])
        return [region for frame in frames for region in self._closer(frame, more or [], row)]

    def _closer(self, frame: Box, more: list[Box], row: Row) -> list[InkRegion]:
        zoom = min(_CLOSER, math.sqrt(_MOST_PIXELS / ((frame[2] - frame[0]) * (frame[3] - frame[1]))))
        bare = self._pictures.bare(frame, zoom)
        rest = contrast(bare)
        if self._unread_text is not None:
            text = self._unread_text_in(frame, zoom, rest.shape)
            rest = rest | text
        for box in more:
            rest[slices(box, frame, zoom, rest.shape)] = False
        regions = find_regions(rest, zoom, row, bare)
        return [self._on_page(region, frame, zoom, region.likely) for region in regions]

    def _unread_text_in(self, frame: Box, zoom: float, shape: tuple[int, ...]) -> Mask:
        """Ink of text objects that nobody read, as the first engine draws it."""
        assert self._unread_text is not None
        drawn = contrast(engine_picture(self._page, frame, zoom))
        mask = np.zeros(shape, dtype=bool)
        rows = np.arange(shape[0]) / zoom + frame[1] - self._frame[1]
        columns = np.arange(shape[1]) / zoom + frame[0] - self._frame[0]
        where = np.ix_(
            np.minimum((rows * self._zoom).astype(int), self._unread_text.shape[0] - 1),
            np.minimum((columns * self._zoom).astype(int), self._unread_text.shape[1] - 1),
        )
        height, width = min(shape[0], drawn.shape[0]), min(shape[1], drawn.shape[1])
        mask[:height, :width] = drawn[:height, :width]
        return np.asarray(mask & self._unread_text[where])

    def _frame_of(self, region: Region) -> Box:
        """The part of the page that holds a region, and a margin."""
        box = _box_of(region, self._frame, self._zoom)
        around = box[0] - _MARGIN_PT, box[1] - _MARGIN_PT, box[2] + _MARGIN_PT, box[3] + _MARGIN_PT
        return clipped(around, self._frame)

    def _on_page(self, region: Region, frame: Box, zoom: float, likely: TextLikely) -> InkRegion:
        return InkRegion(_box_of(region, frame, zoom), round(region.ink * self._zoom / zoom), likely)

    def remainder(self, box: Box, zoom: float, more: list[Box]) -> Picture:
        """A picture of what neither the text that was read nor further boxes explain: those are painted over.

        By the second engine where it draws all there is, else by the first.
        """
        here = slices(box, self._frame, self._zoom, self._text.shape)
        if (self._unread_text is None or not self._unread_text[here].any()) and not self.undrawn(box):
            picture, over = self._pictures.bare(box, zoom), more
        else:
            picture, over = engine_picture(self._page, box, zoom), [*self.boxes, *more]
        for other in over:
            paint_over(picture, slices(other, box, zoom, picture.shape))
        return picture

    def letters(self, box: Box, zoom: float, more: list[Box]) -> int:
        """Pieces in a box, without those that the text or further boxes explain, that have no plain shape."""
        picture = self.remainder(box, zoom, more)
        return count_letters(contrast(picture), zoom, picture)

    def undrawn(self, box: Box) -> bool:
        """The first engine draws something in a box in which the second draws nothing."""
        if self._other[slices(box, self._frame, self._zoom, self._other.shape)].any():
            return False
        return bool(contrast(engine_picture(self._page, box, self._zoom)).any())

    def of_one_engine(self) -> tuple[list[InkRegion], list[InkRegion]]:
        """Ink that only the first engine draws, and ink beside the text that was read that only the second draws.

        Looked for at half the zoom first, as nearly all pages have none.
        """
        shown = self._text | self._other
        unread = np.zeros_like(shown) if self._unread_text is None else self._unread_text
        found = self._compared(_halved(shown), _halved(unread), self._zoom / 2)
        return self._compared(shown, unread, self._zoom) if any(found) else found

    def _compared(self, shown: Mask, unread: Mask, zoom: float) -> tuple[list[InkRegion], list[InkRegion]]:
        first = contrast(engine_picture(self._page, self._frame, zoom))
        height, width = (min(sides) for sides in zip(first.shape, shown.shape, strict=True))
        first, second = first[:height, :width], shown[:height, :width]
        reach = 2 * round(_APART_PT * zoom) + 1
        alone, other = first & ~_widened(second, reach), unread[:height, :width]
        if other.any():
            other = other & ~_widened(first, reach)
        return self._found(alone, zoom), self._found(other, zoom)

    def _found(self, rest: Mask, zoom: float) -> list[InkRegion]:
        if not rest.any():
            return []
        regions = find_regions(rest, zoom, ANY_ROW)
        return [self._on_page(region, self._frame, zoom, region.likely) for region in regions]

    def bare(self, boxes: list[Box]) -> bool:
        """No text has ink in any of the boxes: nobody sees the text in them."""
        return not any(
            self._text[slices(box, self._frame, self._zoom, self._text.shape)].any() for box in boxes
        )

    def shade_differs(self, box: Box) -> bool:
        """The area of a box has another shade than what surrounds it: something lies over it."""
        grey = self._shown[:, :, 1]
        rows, columns = slices(box, self._frame, self._zoom, grey.shape)
        margin = round(6 * self._zoom)
        around = grey[
            max(0, rows.start - margin) : rows.stop + margin,
            max(0, columns.start - margin) : columns.stop + margin,
        ]
        inside = grey[rows, columns]
        if not inside.size:
            return False
        shade = float(np.median(inside))
        return abs(shade - float(np.median(around))) > _CONTRAST / 2 or shade < 64

    def _under(self, boxes: list[Box]) -> Mask:
        read = np.zeros(self._text.shape, dtype=bool)
        for box in boxes:
            read[slices(box, self._frame, self._zoom, read.shape)] = True
        return read


def _halved(mask: Mask) -> Mask:
    """At half the size: ink where any of four pixels is."""
    even = np.pad(mask, ((0, mask.shape[0] % 2), (0, mask.shape[1] % 2)))
    rows = even[::2] | even[1::2]
    return rows[:, ::2] | rows[:, 1::2]


def _widened(mask: Mask, size: int) -> Mask:
    return np.asarray(ndimage.maximum_filter(mask.view(np.uint8), size)).view(np.bool_)


def _box_of(region: Region, frame: Box, zoom: float) -> Box:
    return (
        frame[0] + region.columns.start / zoom,
        frame[1] + region.rows.start / zoom,
        frame[0] + region.columns.stop / zoom,
        frame[1] + region.rows.stop / zoom,
    )


def _meet(one: slice, other: slice) -> bool:
    return bool(one.start < other.stop and other.start < one.stop)


def contrast(picture: Picture) -> Mask:
    """Pixels whose neighbourhood of 3 x 3 is not of one colour.

    Rows of one colour from side to side are left out: between two of them lies the edge of a fill, no letter.
    """
    ink = np.zeros(picture.shape[:2], dtype=bool)
    pixels = _pixels(picture)
    for start, stop in _runs(np.asarray(((pixels ^ pixels[:, :1]) & _COLOUR).any(axis=1))):
        top, bottom = max(0, start - 1), min(len(pixels), stop + 1)
        band = picture[top:bottom]
        strong = _spread(np.maximum, band) - _spread(np.minimum, band) >= _CONTRAST
        ink[top:bottom] |= strong[:, :, 0] | strong[:, :, 1] | strong[:, :, 2]
    return ink


def _runs(busy: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and stop of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], busy.view(np.int8), [0]))))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]


def _differs(one: Picture, other: Picture) -> Mask:
    """Pixels whose colours differ so much that a person can see it: all that differ by 16 levels, few that differ by
    less.
    """
    return np.asarray(((_pixels(one) ^ _pixels(other)) & _HIGH_BITS) != 0)


def _pixels(picture: Picture) -> NDArray[np.uint32]:
    return np.ascontiguousarray(picture).view(np.uint32)[:, :, 0]


def _spread(pick: np.ufunc, picture: Picture) -> Picture:
    wide = picture.copy()
    pick(wide[:, 1:], picture[:, :-1], out=wide[:, 1:])
    pick(wide[:, :-1], picture[:, 1:], out=wide[:, :-1])
    tall = wide.copy()
    pick(tall[1:], wide[:-1], out=tall[1:])
    pick(tall[:-1], wide[1:], out=tall[:-1])
    return tall


def _zoom(width: float, height: float) -> float:
    """Pixels for each point: enough for type of 5 pt on a letter page, more for small pages, less for huge ones."""
    longest = max(width, height, 1.0)
    return min(max(_LOOK, _LEAST_PX / longest), math.sqrt(_MOST_PIXELS / max(width * height, 1.0)))
