"""The document in a second, independent engine: its pages where both engines agree on them, and its page labels."""

from __future__ import annotations

import pymupdf
import pypdfium2

from docaudit.extract.engine import clean

_SAME_SHAPE = 0.02


class SecondEngine:
    """PDFium beside the first engine. A document that it cannot open is one that it says nothing about: its pages
    count as not compared.
    """

    def __init__(self, path: str, password: str | None) -> None:
        self._doc: pypdfium2.PdfDocument | None = None
        try:
            self._doc = pypdfium2.PdfDocument(path, password=password)
            if self._doc.get_formtype():
                self._doc.init_forms()
        except pypdfium2.PdfiumError:
            self._doc = None

    def labels(self) -> list[str]:
        """One label for each of its pages ("" for none). PyMuPDF takes "/Type /PageLabel" for a prefix."""
        if self._doc is None:
            return []
        return [clean(self._doc.get_page_label(index)) for index in range(len(self._doc))]

    def text(self, page_num: int, pages_total: int) -> str | None:
        """The text of a page (1-based) in the order of the file, or None if this engine cannot read it."""
        if self._doc is None or len(self._doc) != pages_total:
            return None
        try:
            text_page = self._doc[page_num - 1].get_textpage()
        except pypdfium2.PdfiumError:
            return None
        try:
            return clean(text_page.get_text_range())
        finally:
            text_page.close()

    def page(self, page_num: int, rect: pymupdf.Rect, pages_total: int) -> pypdfium2.PdfPage | None:
        """The page (1-based), or None if the engines may not mean the same one: another count, or another shape."""
        if self._doc is None or len(self._doc) != pages_total:
            return None
        try:
            page = self._doc[page_num - 1]
        except pypdfium2.PdfiumError:
            return None
        width, height = page.get_width(), page.get_height()
        if width <= 0 or height <= 0 or rect.is_empty:
            return None
        ratio = rect.width / rect.height
        return page if abs(width / height - ratio) <= _SAME_SHAPE * ratio else None
