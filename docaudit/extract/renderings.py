"""Two renderings of a page: as a person sees it, and with its text taken away. What differs is the ink of text.

No box decides what a text explains: an image over it, a fill, dots and underscores beside it keep their own ink.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from docaudit.extract.protocol import Box

Pixels = NDArray[np.uint8]
"""Height x width x 4: blue, green, red, and a byte without meaning."""

_DEEPEST = 28
"""Levels of form objects in each other; text still deeper stays in the second rendering, unexplained."""


class PageRenderings(Protocol):
    """The two renderings of one page, at any zoom (pixels for each point), cut to a box in points as displayed."""

    def shown(self, box: Box, zoom: float) -> Pixels:
        """What a person sees."""
        ...

    def without_text(self, box: Box, zoom: float) -> Pixels:
        """The same without the text."""
        ...


class PdfiumRenderings:
    """Renderings by the second engine; the text objects of the page are made invisible after the first one."""

    def __init__(self, page: pypdfium2.PdfPage, rect: pymupdf.Rect) -> None:
        self._page = page
        self._rect = rect
        self._unit = page.get_width() / max(rect.width, 1e-6)
        self._hidden = False

    def shown(self, box: Box, zoom: float) -> Pixels:
        """What a person sees, annotations included; only before the first rendering without text."""
        assert not self._hidden, "the text of the page is taken away already"
        return self._render(box, zoom, annotations=True)

    def without_text(self, box: Box, zoom: float) -> Pixels:
        """The page without its text and annotations; an image that text only clips is drawn all the same."""
        if not self._hidden:
            page = ctypes.cast(self._page.raw, ctypes.c_void_p).value
            forms = _hide_text(page, _count_on_page, _object_on_page)
            for _ in range(_DEEPEST):
                forms = [
                    form for parent in forms for form in _hide_text(parent, _count_in_form, _object_in_form)
                ]
            self._hidden = True
        return self._render(box, zoom, annotations=False)

    def _render(self, box: Box, zoom: float, *, annotations: bool) -> Pixels:
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


class BoxRenderings:
    """Renderings by the first engine alone: where text was read, the boxes are painted over. For pages that the second
    engine cannot draw.
    """

    def __init__(self, page: pymupdf.Page, boxes: list[Box]) -> None:
        self._page = page
        self._boxes = boxes

    def shown(self, box: Box, zoom: float) -> Pixels:
        """What a person sees."""
        return first_engine_rendering(self._page, box, zoom)

    def without_text(self, box: Box, zoom: float) -> Pixels:
        """The same with every box painted over."""
        return painted_over(self.shown(box, zoom), self._boxes, box, zoom)


def first_engine_rendering(page: pymupdf.Page, box: Box, zoom: float) -> Pixels:
    """What the first engine shows of a box."""
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=pymupdf.Rect(box), alpha=False)
    samples = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width, 3)
    pixels = np.full((pixmap.height, pixmap.width, 4), 255, dtype=np.uint8)
    pixels[:, :, :3] = samples[:, :, ::-1]
    return pixels


def painted_over(pixels: Pixels, boxes: list[Box], frame: Box, zoom: float) -> Pixels:
    """The rendering of a frame in which each box has the middle colour of its edge; it is changed in place."""
    for box in boxes:
        inside = pixels[slices(box, frame, zoom, pixels.shape)]
        if inside.size:
            edge = np.concatenate((inside[0], inside[-1], inside[:, 0], inside[:, -1]))
            inside[:] = np.median(edge, axis=0).astype(np.uint8)
    return pixels


def slices(box: Box, frame: Box, zoom: float, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Rows and columns of a box (points) in a rendering of the frame, a pixel wider on each side."""
    x0, y0 = (box[0] - frame[0]) * zoom, (box[1] - frame[1]) * zoom
    x1, y1 = (box[2] - frame[0]) * zoom, (box[3] - frame[1]) * zoom

    def within(start: float, stop: float, limit: int) -> slice:
        return slice(int(max(0, min(start, limit))), int(max(0, min(stop, limit))))

    return within(y0 - 1, y1 + 2, shape[0]), within(x0 - 1, x1 + 2, shape[1])


def _function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function of the second engine that takes and gives plain numbers: pages have thousands of objects, and the
    binding's own pointers are slow.
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


def _hide_text(parent: int | None, count: Callable[..., int], object_of: Callable[..., int]) -> list[int]:
    """Make the text objects of a page or form invisible; returns the forms in it."""
    forms = []
    for index in range(count(parent)):
        item = object_of(parent, index)
        kind = _kind_of(item)
        if kind == _TEXT:
            _set_mode(item, pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE)
        elif kind == _FORM:
            forms.append(item)
    return forms
