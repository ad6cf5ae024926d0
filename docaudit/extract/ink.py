"""Ink accounting: what a page shows beside the text that was read.

Ink of text is what vanishes when the text objects are taken away (renderings.py); all other ink is local contrast,
whatever colour it has. What remains after rules, frames, fills and specks are taken away (shapes.py) is unexplained: a
scan, an image with words, letters turned into outlines, glyphs without a Unicode value, handwriting. No rule for any
one of them is needed. The other way round, text without ink of its own is text that nobody sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pymupdf
from numpy.typing import NDArray
from scipy import ndimage

from docaudit.codes import TextLikely
from docaudit.extract.boxes import grown, merged, union
from docaudit.extract.protocol import Box
from docaudit.extract.renderings import PageRenderings, Pixels, first_engine_rendering, painted_over, slices
from docaudit.extract.shapes import ANY_ROW, Mask, Region, Row, count_letters, find_regions

_LOOK, _LEAST_PX, _MOST_PIXELS = 1.5, 1200.0, 16e6
"""Zoom of the first look, at which type of 5 pt shows on a letter page; pixels that the longer side of a smaller page
has at least; and pixels of a rendering at most. Chosen for memory and time, not measured."""
_CLOSER = 4.0
_COARSE = 0.7
"""Zoom below which a page (a poster) shows too little to tell text from drawings."""
_CONTRAST = 20
"""Levels of 256 from which a difference counts as ink: what differs from its ground by less than 8 % is passed over,
as docs/limits.md says. Chosen, not measured."""
_COLOUR, _HIGH_BITS = np.uint32(0x00FFFFFF), np.uint32(0x00F0F0F0)
_SHIFT_PT = 6.0
"""How far the same ink may lie apart in the two engines; chosen, not measured."""
_FRAME_MARGIN_PT = 40.0
"""More than the shortest rule: what goes on outside a frame is long enough in it to be told."""

# Unexplained ink is one region where it lies as close as two lines of a text, or as two words of a line, whose gap
# grows with the size of the letters. Chosen, not measured.
_NEAR_PT, _WORD_GAP, _LARGE_LETTER_PT = 14.0, 1.6, 40.0
_MARGIN_PT = 5.0


@dataclass(frozen=True)
class InkRegion:
    """Unexplained ink that belongs together: its box in points, its amount in pixels, and whether it may be text."""

    box: Box
    ink: int
    likely: TextLikely

    def is_near(self, other: InkRegion) -> bool:
        """Close enough for words of one line, or for lines of one text."""
        (x0, y0, x1, y1), (left, top, right, bottom) = self.box, other.box
        beside = max(_NEAR_PT, _WORD_GAP * min(y1 - y0, bottom - top, _LARGE_LETTER_PT))
        return (
            x0 - beside <= right and left - beside <= x1 and y0 - _NEAR_PT <= bottom and top - _NEAR_PT <= y1
        )


class PageInk:
    """The ink of one page against the boxes (points) of the text that was read on it.

    What remains unexplained is looked at a second time, larger: what seemed a row of letters may be a double rule or
    the edge of a fill.

    Attributes:
        boxes: The boxes of the text that was read.
        total: Pixels of ink on the page.
        read: Of these, pixels of text that was read.
    """

    def __init__(self, page: pymupdf.Page, renderings: PageRenderings, boxes: list[Box]) -> None:
        self._page = page
        self._renderings = renderings
        width, height = page.rect.width, page.rect.height
        self._frame: Box = tuple(page.rect)
        zoom = max(_LOOK, _LEAST_PX / max(width, height, 1.0))
        self._zoom = min(zoom, math.sqrt(_MOST_PIXELS / max(width * height, 1.0)))
        self._shown = renderings.shown(self._frame, self._zoom)
        without_text = renderings.without_text(self._frame, self._zoom)
        self.boxes = boxes
        # Text is what differs so much that a person sees it: all that does by 16 levels, few that do by less.
        self._text: Mask = ((_words(self._shown) ^ _words(without_text)) & _HIGH_BITS) != 0
        self._other = contrast(without_text)
        unread = self._text & ~self._under(boxes)
        self._unread_text = unread if unread.any() else None
        self.total = int(np.count_nonzero(self._text | self._other))
        self.read = int(np.count_nonzero(self._text)) - int(np.count_nonzero(unread))

    def regions(
        self, more: Sequence[Box] = (), row: Row = ANY_ROW, within: Box | None = None
    ) -> list[InkRegion]:
        """What the text does not explain, nor any further boxes; regions that cannot hold text included.

        `row` is from when on shapes beside each other make text likely. Without `within` it is the whole page.
        """
        rest = self._other if self._unread_text is None else self._other | self._unread_text
        if more:
            rest = rest & ~self._under(more)
        regions = find_regions(rest, self._zoom, row)
        if within is not None:
            rows, columns = self._slices(within)
            regions = [
                region for region in regions if _meet(region.rows, rows) and _meet(region.columns, columns)
            ]
        if self._zoom < _COARSE:
            return [self._on_page(region, self._frame, self._zoom, TextLikely.UNKNOWN) for region in regions]
        boxes = [_box_of(region, self._frame, self._zoom) for region in regions]
        frames = merged([grown(box, _FRAME_MARGIN_PT, _FRAME_MARGIN_PT, self._frame) for box in boxes])
        return [region for frame in frames for region in self._closer(frame, more, row)]

    def _closer(self, frame: Box, more: Sequence[Box], row: Row) -> list[InkRegion]:
        """Regions of a part of the page as they are in a large rendering of it."""
        zoom = min(_CLOSER, math.sqrt(_MOST_PIXELS / ((frame[2] - frame[0]) * (frame[3] - frame[1]))))
        without_text = self._renderings.without_text(frame, zoom)
        rest = contrast(without_text)
        if self._unread_text is not None:
            rest = rest | self._unread_text_in(self._unread_text, frame, zoom, rest.shape)
        for box in more:
            rest[slices(box, frame, zoom, rest.shape)] = False
        regions = find_regions(rest, zoom, row, without_text)
        return [self._on_page(region, frame, zoom, region.likely) for region in regions]

    def _unread_text_in(self, unread: Mask, frame: Box, zoom: float, shape: tuple[int, ...]) -> Mask:
        """Ink of text objects that nobody read, as the first engine draws it."""
        drawn = contrast(first_engine_rendering(self._page, frame, zoom))
        mask = np.zeros(shape, dtype=bool)
        rows = np.arange(shape[0]) / zoom + frame[1] - self._frame[1]
        columns = np.arange(shape[1]) / zoom + frame[0] - self._frame[0]
        coarse = np.ix_(
            np.minimum((rows * self._zoom).astype(int), unread.shape[0] - 1),
            np.minimum((columns * self._zoom).astype(int), unread.shape[1] - 1),
        )
        height, width = min(shape[0], drawn.shape[0]), min(shape[1], drawn.shape[1])
        mask[:height, :width] = drawn[:height, :width]
        return np.asarray(mask & unread[coarse])

    def _on_page(self, region: Region, frame: Box, zoom: float, likely: TextLikely) -> InkRegion:
        return InkRegion(_box_of(region, frame, zoom), round(region.ink * self._zoom / zoom), likely)

    def remainder(self, box: Box, zoom: float, more: list[Box]) -> Pixels:
        """A rendering of what neither the text that was read nor further boxes explain: those are painted over.

        By the second engine where it draws all there is, else by the first.
        """
        unread = self._unread_text is not None and self._unread_text[self._slices(box)].any()
        if unread or self.undrawn(box):
            pixels, explained = first_engine_rendering(self._page, box, zoom), [*self.boxes, *more]
        else:
            pixels, explained = self._renderings.without_text(box, zoom), more
        return painted_over(pixels, explained, box, zoom)

    def letters(self, box: Box, zoom: float, more: list[Box]) -> int:
        """Pieces in a box, without those that the text or further boxes explain, that may be letters by their shape."""
        pixels = self.remainder(box, zoom, more)
        return count_letters(contrast(pixels), zoom, pixels)

    def undrawn(self, box: Box) -> bool:
        """The first engine draws something in a box in which the second draws nothing."""
        if self._other[self._slices(box)].any():
            return False
        return bool(contrast(first_engine_rendering(self._page, box, self._zoom)).any())

    def of_one_engine(self) -> tuple[list[InkRegion], list[InkRegion]]:
        """Ink that only the first engine draws, and ink beside the text that was read that only the second draws.

        Looked for at half the zoom first, as nearly all pages have none.
        """
        shown = self._text | self._other
        unread = np.zeros_like(shown) if self._unread_text is None else self._unread_text
        coarse = self._drawn_by_one(_halved(shown), _halved(unread), self._zoom / 2)
        return self._drawn_by_one(shown, unread, self._zoom) if any(coarse) else coarse

    def _drawn_by_one(
        self, shown: Mask, unread: Mask, zoom: float
    ) -> tuple[list[InkRegion], list[InkRegion]]:
        first = contrast(first_engine_rendering(self._page, self._frame, zoom))
        height, width = (min(sides) for sides in zip(first.shape, shown.shape, strict=True))
        first, second = first[:height, :width], shown[:height, :width]
        reach = 2 * round(_SHIFT_PT * zoom) + 1
        by_first, by_second = first & ~_widened(second, reach), unread[:height, :width]
        if by_second.any():
            by_second = by_second & ~_widened(first, reach)
        only_first, only_second = (
            [
                self._on_page(region, self._frame, zoom, region.likely)
                for region in (find_regions(rest, zoom, ANY_ROW) if rest.any() else ())
            ]
            for rest in (by_first, by_second)
        )
        return only_first, only_second

    def has_no_text(self, boxes: list[Box]) -> bool:
        """No text has ink in any of the boxes: nobody sees the text in them."""
        return not any(self._text[self._slices(box)].any() for box in boxes)

    def shade_differs(self, box: Box) -> bool:
        """The area of a box has another shade than what surrounds it: something lies over it."""
        grey = self._shown[:, :, 1]
        rows, columns = self._slices(box)
        margin = round(6 * self._zoom)
        around = grey[
            max(0, rows.start - margin) : rows.stop + margin,
            max(0, columns.start - margin) : columns.stop + margin,
        ]
        inside = grey[rows, columns]
        if not inside.size:
            return False
        shade = float(np.median(inside))
        # A dark area hides text whatever surrounds it. Both numbers are chosen, not measured.
        return abs(shade - float(np.median(around))) > _CONTRAST / 2 or shade < 64

    def _slices(self, box: Box) -> tuple[slice, slice]:
        return slices(box, self._frame, self._zoom, self._text.shape)

    def _under(self, boxes: Iterable[Box]) -> Mask:
        mask = np.zeros(self._text.shape, dtype=bool)
        for box in boxes:
            mask[self._slices(box)] = True
        return mask


def contrast(pixels: Pixels) -> Mask:
    """Pixels whose neighbourhood of 3 x 3 is not of one colour.

    Rows of one colour from side to side are left out: between two of them lies the edge of a fill, no letter.
    """
    ink = np.zeros(pixels.shape[:2], dtype=bool)
    words = _words(pixels)
    busy = ((words ^ words[:, :1]) & _COLOUR).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], busy.view(np.int8), [0]))))
    for start, stop in edges.reshape(-1, 2).tolist():
        top, bottom = max(0, start - 1), min(len(words), stop + 1)
        band = pixels[top:bottom]
        strong = _spread(np.maximum, band) - _spread(np.minimum, band) >= _CONTRAST
        ink[top:bottom] |= strong[:, :, 0] | strong[:, :, 1] | strong[:, :, 2]
    return ink


def _words(pixels: Pixels) -> NDArray[np.uint32]:
    """The four bytes of each pixel as one number."""
    return np.ascontiguousarray(pixels).view(np.uint32)[:, :, 0]


def _spread(pick: np.ufunc, pixels: Pixels) -> Pixels:
    """The greatest (or least) value in the neighbourhood of each pixel."""
    wide = pixels.copy()
    pick(wide[:, 1:], pixels[:, :-1], out=wide[:, 1:])
    pick(wide[:, :-1], pixels[:, 1:], out=wide[:, :-1])
    tall = wide.copy()
    pick(tall[1:], wide[:-1], out=tall[1:])
    pick(tall[:-1], wide[1:], out=tall[:-1])
    return tall


def _halved(mask: Mask) -> Mask:
    """At half the size: ink where any of four pixels is."""
    even = np.pad(mask, ((0, mask.shape[0] % 2), (0, mask.shape[1] % 2)))
    rows = even[::2] | even[1::2]
    return rows[:, ::2] | rows[:, 1::2]


def _widened(mask: Mask, size: int) -> Mask:
    return np.asarray(ndimage.maximum_filter(mask.view(np.uint8), size)).view(np.bool_)


def _box_of(region: Region, frame: Box, zoom: float) -> Box:
    rows, columns = region.rows, region.columns
    return (
        frame[0] + columns.start / zoom,
        frame[1] + rows.start / zoom,
        frame[0] + columns.stop / zoom,
        frame[1] + rows.stop / zoom,
    )


def _meet(part: slice, other: slice) -> bool:
    return bool(part.start < other.stop and other.start < part.stop)


def merged_regions(regions: Iterable[InkRegion]) -> list[InkRegion]:
    """Regions that lie close together, as one."""
    groups: list[InkRegion] = []
    for region in regions:
        group = region
        while near := [member for member in groups if member.is_near(group)]:
            for member in near:
                groups.remove(member)
                group = one_region((group, member))
        groups.append(group)
    return sorted(groups, key=lambda region: (region.box[1], region.box[0]))


def one_region(regions: Sequence[InkRegion], box: Box | None = None) -> InkRegion:
    """The region around one or more regions, or with this box: text is likely in it if it is in any of them."""
    likely = TextLikely.YES if any(r.likely is TextLikely.YES for r in regions) else TextLikely.UNKNOWN
    return InkRegion(box or union([r.box for r in regions]), sum(r.ink for r in regions), likely)


def with_margin(box: Box, page_box: Box) -> Box:
    """The box with a margin in which a thin letter (l, i, 1) at its edge fits, as it may not count as a shape."""
    across = max(_MARGIN_PT, 0.6 * min(box[3] - box[1], _LARGE_LETTER_PT))
    return grown(box, across, _MARGIN_PT, page_box)
