"""Where on the displayed page the characters stand that the second engine (PDFium) read."""

from __future__ import annotations

from ctypes import c_int

import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium

from docaudit.extract.facts import Box

_SCALE = 1000
"""Device units to the point: PDFium gives places on the displayed page as whole numbers."""


class PlacedText:
    """The text of a page as the second engine has it, with the places of its characters on the displayed page."""

    def __init__(
        self, peer: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, rect: pymupdf.Rect, text: str
    ) -> None:
        self._text_page = text_page
        self.text = text
        self.rect = rect
        self._matrix = _display_matrix(peer, rect)

    def box(self, start: int, end: int) -> Box | None:
        """The box of some characters, points; None if none of them has a place."""
        boxes = []
        for at in range(start, end):
            index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._text_page, at)
            if index >= 0 and not self.text[at].isspace():
                boxes.append(self._text_page.get_charbox(index))
        if not boxes:
            return None
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        shown = pymupdf.Rect(min(lefts), min(bottoms), max(rights), max(tops)) * self._matrix
        return shown.x0, shown.y0, shown.x1, shown.y1


def _display_matrix(peer: pypdfium2.PdfPage, rect: pymupdf.Rect) -> pymupdf.Matrix:
    """From the coordinates of the file to points on the displayed page, told by three points."""

    def shown(x: float, y: float) -> tuple[float, float]:
        across, down = c_int(), c_int()
        size = int(rect.width * _SCALE), int(rect.height * _SCALE)
        pdfium.FPDF_PageToDevice(peer, 0, 0, *size, 0, x, y, across, down)
        return across.value / _SCALE, down.value / _SCALE

    x, y = shown(0, 0)
    right, up = shown(1000, 0), shown(0, 1000)
    return pymupdf.Matrix(
        (right[0] - x) / 1000, (right[1] - y) / 1000, (up[0] - x) / 1000, (up[1] - y) / 1000, x, y
    )
