"""Ink accounting: what a page shows beside the text that was read.

Ink of text is what vanishes when the text objects are taken away (docaudit.extract.ink); all other ink is local
contrast, whatever colour it has. What remains after rules, frames, fills and specks are taken away is unexplained: a
scan, a picture with words, letters turned into outlines, glyphs without a Unicode value, handwriting. No rule for any
one of them is needed. The other way round, text without ink of its own is text that nobody sees.

Unexplained ink that belongs together, as one region.

Two pictures of a page: as a person sees it, and with its text taken away. What differs is the ink of text.

No box decides what a text explains: an image over it, a fill, dots and underscores beside it keep their own ink.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray
from scipy import ndimage

from docaudit.codes import TextLikely
from docaudit.extract.images import apart, clipped, union
from docaudit.extract.protocol import Box
from docaudit.extract.shapes import ANY_ROW, Mask, Region, Row, count_letters, find_regions

Picture = NDArray[np.uint8]
"""Height x width x 4: blue, green, red, and a byte without meaning."""

_DEEPEST = 28
"""Levels of form objects in each other; text still deeper stays in the second picture, unexplained."""


class PagePictures(Protocol):
    """The two pictures of one page, at any zoom (pixels for each point), cut to a box in points as displayed."""

    def shown(self, box: Box, zoom: float) -> Picture:
        """What a person sees."""
        ...

    def bare(self, box: Box, zoom: float) -> Picture:
        """The same without the text."""
        ...


class PdfiumPictures:
    """Pictures by the second engine; the text objects of the page are made invisible after the first one."""

    def __init__(self, page: pypdfium2.PdfPage, rect: pymupdf.Rect) -> None:
        self._page = page
        self._rect = rect
        self._unit = page.get_width() / max(rect.width, 1e-6)
        self._hidden = False

    def shown(self, box: Box, zoom: float) -> Picture:
        """What a person sees, annotations included; only before the first picture without text."""
        assert not self._hidden, "the text of the page is taken away already"
        return self._render(box, zoom, annotations=True)

    def bare(self, box: Box, zoom: float) -> Picture:
        """The page without its text and annotations."""
        if not self._hidden:
            _hide_text(self._page)
            self._hidden = True
        return self._render(box, zoom, annotations=False)

    def _render(self, box: Box, zoom: float, *, annotations: bool) -> Picture:
        unit, rect = self._unit, self._rect
        crop = (
            max(0.0, box[0] - rect.x0) * unit,
            max(0.0, rect.y1 - box[3]) * unit,
            max(0.0, rect.x1 - box[2]) * unit,
            max(0.0, box[1] - rect.y0) * unit,
        )
        bitmap = self._page.render(
            scale=zoom / unit,
            crop=crop,
            prefer_bgrx=True,
            draw_annots=annotations,
            may_draw_forms=annotations,
            limit_image_cache=True,
        )
        return np.asarray(bitmap.to_numpy())  # keeps the memory of the bitmap, which is its own


class BoxPictures:
    """Pictures by the first engine alone: where text was read, the boxes are painted over. For pages that the second
    engine cannot draw.
    """

    def __init__(self, page: pymupdf.Page, boxes: list[Box]) -> None:
        self._page = page
        self._boxes = boxes

    def shown(self, box: Box, zoom: float) -> Picture:
        """What a person sees."""
        return engine_picture(self._page, box, zoom)

    def bare(self, box: Box, zoom: float) -> Picture:
        """The same with every box painted over."""
        picture = engine_picture(self._page, box, zoom)
        for other in self._boxes:
            paint_over(picture, slices(other, box, zoom, picture.shape))
        return picture


def engine_picture(page: pymupdf.Page, box: Box, zoom: float) -> Picture:
    """What the first engine shows of a box."""
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=pymupdf.Rect(box), alpha=False)
    samples = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width, 3)
    picture = np.full((pixmap.height, pixmap.width, 4), 255, dtype=np.uint8)
    picture[:, :, :3] = samples[:, :, ::-1]
    return picture


def paint_over(picture: Picture, part: tuple[slice, slice]) -> None:
    """Give a part of a picture the middle colour of its edge."""
    inside = picture[part]
    if inside.size:
        edge = np.concatenate((inside[0], inside[-1], inside[:, 0], inside[:, -1]))
        inside[:] = np.median(edge, axis=0).astype(np.uint8)


def slices(box: Box, frame: Box, zoom: float, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Rows and columns of a box (points) in a picture of the frame, a pixel wider on each side."""
    x0, y0 = (box[0] - frame[0]) * zoom, (box[1] - frame[1]) * zoom
    x1, y1 = (box[2] - frame[0]) * zoom, (box[3] - frame[1]) * zoom
    rows = slice(_within(y0 - 1, shape[0]), _within(y1 + 2, shape[0]))
    return rows, slice(_within(x0 - 1, shape[1]), _within(x1 + 2, shape[1]))


def _within(value: float, limit: int) -> int:
    return int(max(0, min(value, limit)))


def _function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of the engine that takes and gives plain numbers: pages have thousands of objects, and the binding's
    own pointers are slow.
    """
    address = ctypes.cast(getattr(pdfium_c, name), ctypes.c_void_p).value
    assert address is not None
    return ctypes.CFUNCTYPE(result, *arguments)(address)


_pointer, _int = ctypes.c_void_p, ctypes.c_int
_kind_of = _function("FPDFPageObj_GetType", _int, _pointer)
_count_on_page = _function("FPDFPage_CountObjects", _int, _pointer)
_object_on_page = _function("FPDFPage_GetObject", _pointer, _pointer, _int)
_count_in_form = _function("FPDFFormObj_CountObjects", _int, _pointer)
_object_in_form = _function("FPDFFormObj_GetObject", _pointer, _pointer, ctypes.c_ulong)
_set_mode = _function("FPDFTextObj_SetTextRenderMode", _int, _pointer, _int)
_TEXT, _FORM = pdfium_c.FPDF_PAGEOBJ_TEXT, pdfium_c.FPDF_PAGEOBJ_FORM


def _hide_text(page: pypdfium2.PdfPage) -> None:
    """Make all text objects invisible. Where text only clips a picture, the picture is drawn all the same."""
    raw = ctypes.cast(page.raw, _pointer).value
    forms = _hide_in(raw, _count_on_page, _object_on_page)
    for _ in range(_DEEPEST):
        forms = [inner for form in forms for inner in _hide_in(form, _count_in_form, _object_in_form)]


def _hide_in(parent: int | None, count: Callable[..., int], item_of: Callable[..., int]) -> list[int]:
    """Make the text objects of a page or form invisible; returns the forms in it."""
    forms = []
    for index in range(count(parent)):
        item = item_of(parent, index)
        kind = _kind_of(item)
        if kind == _TEXT:
            _set_mode(item, pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE)
        elif kind == _FORM:
            forms.append(item)
    return forms


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


_NEAR_PT = 14.0
_MARGIN_PT_INK_GROUPS = 5.0
_WORD_GAP, _LARGE_LETTER_PT = 1.6, 40.0


def joined(regions: Sequence[InkRegion]) -> list[InkRegion]:
    """Regions that lie close together, as one."""
    groups: list[InkRegion] = []
    for region in regions:
        current = region
        while near := [other for other in groups if _near(other.box, current.box)]:
            for other in near:
                groups.remove(other)
                current = joined_into_one((current, other))
        groups.append(current)
    return sorted(groups, key=lambda region: (region.box[1], region.box[0]))


def joined_into_one(regions: Sequence[InkRegion]) -> InkRegion:
    """The region around one or more regions: text is likely in it if it is in any of them."""
    likely = TextLikely.YES if any(r.likely is TextLikely.YES for r in regions) else TextLikely.UNKNOWN
    return InkRegion(union([r.box for r in regions]), sum(r.ink for r in regions), likely)


def _near(one: Box, other: Box) -> bool:
    """Close enough for words of one line, whose gaps grow with the size of the letters, or for lines of one text."""
    beside = max(_NEAR_PT, _WORD_GAP * min(one[3] - one[1], other[3] - other[1], _LARGE_LETTER_PT))
    return (
        one[0] - beside <= other[2]
        and other[0] - beside <= one[2]
        and one[1] - _NEAR_PT <= other[3]
        and other[1] - _NEAR_PT <= one[3]
    )


def grown(box: Box, rect: pymupdf.Rect) -> Box:
    """The box with a margin in which a thin letter (l, i, 1) at its edge fits, as it may not count as a shape."""
    across = max(_MARGIN_PT_INK_GROUPS, 0.6 * min(box[3] - box[1], _LARGE_LETTER_PT))
    return (
        max(rect.x0, box[0] - across),
        max(rect.y0, box[1] - _MARGIN_PT_INK_GROUPS),
        min(rect.x1, box[2] + across),
        min(rect.y1, box[3] + _MARGIN_PT_INK_GROUPS),
    )
