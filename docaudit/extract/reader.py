"""Opens a document in the child process and reads it page by page: the order of work inside the child."""

from __future__ import annotations

from importlib.metadata import version

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, warnings_of
from docaudit.extract.facts import DocumentFact, OpenRequest, PageFact
from docaudit.extract.images import read_images
from docaudit.extract.labels import page_labels
from docaudit.extract.lines import page_dict, read_lines
from docaudit.extract.marginalia import page_marginalia
from docaudit.extract.ocr import OcrReader
from docaudit.extract.page_tree import PageTree
from docaudit.extract.parts import document_parts
from docaudit.extract.spots import damage_spot, glyph_spots, page_state, vector_spot


class DocumentRefusedError(Exception):
    """The document cannot be opened; `reason` as in facts.Refused."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageRefusedError(Exception):
    """The engine gave up on a page."""


class DocumentReader:
    """One open document."""

    def __init__(self, request: OpenRequest) -> None:
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        pymupdf.TOOLS.reset_mupdf_warnings()
        self._doc = _open(request)
        self._tree = PageTree(self._doc)
        if not self._tree.pages_total:
            raise DocumentRefusedError("no_pages", "no page can be reached in it")
        self._labels = page_labels(self._doc, request.path, request.password)
        self._ocr = OcrReader(request.ocr_lang, request.ocr_confidence) if request.ocr != "off" else None

    def describe(self, full: bool) -> DocumentFact:
        """What belongs to the document as a whole; only the number of pages unless `full`."""
        versions = {"pymupdf": version("pymupdf")}
        if self._ocr is not None:
            versions[self._ocr.engine.name] = self._ocr.engine.version
        if not full:
            return DocumentFact(self._tree.pages_total, [], [], [], versions)
        parts = document_parts(self._doc, self._tree)
        return DocumentFact(self._tree.pages_total, parts.outline, parts.lines, parts.spots, versions)

    def read(self, page_num: int) -> PageFact:
        """Read one page (1-based); raises PageRefusedError, or MemoryError."""
        pymupdf.TOOLS.reset_mupdf_warnings()
        try:
            return self._read(self._tree.load(page_num), page_num)
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error

    def _read(self, page: pymupdf.Page, page_num: int) -> PageFact:
        content = page_dict(page)
        lines = read_lines(content, page.rect)
        images, spots, ocr_lines = read_images(page, content, lines, self._ocr)
        spots += glyph_spots(lines, page.rect)
        beside, beside_spots = page_marginalia(page)
        spots += beside_spots + vector_spot(page, lines, images)
        warnings = warnings_of()
        spots += damage_spot(warnings)
        return PageFact(
            page_num=page_num,
            label=self._labels[page_num - 1] if page_num <= len(self._labels) else "",
            width=page.rect.width,
            height=page.rect.height,
            rotation=page.rotation,
            state=page_state(lines, images, spots).value,
            lines=lines + ocr_lines + beside,
            images=images,
            spots=spots,
            warnings=warnings,
        )


def _open(request: OpenRequest) -> pymupdf.Document:
    try:
        doc = pymupdf.open(request.path, filetype="pdf")
    except ENGINE_ERRORS as error:
        raise DocumentRefusedError("damaged", f"the engine cannot open it: {error}") from error
    if not doc.is_pdf:
        raise DocumentRefusedError("not_a_pdf", "not a PDF")
    if doc.needs_pass and not doc.authenticate(request.password or ""):
        wrong = "the password is wrong" if request.password else "it is encrypted and needs a password"
        raise DocumentRefusedError("password", wrong)
    return doc
