"""Opens a document in the child process and reads it page by page: the order of work inside the child."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, key_of, warnings_of
from docaudit.extract.facts import DocumentFact, LineFact, OpenRequest, PageFact
from docaudit.extract.images import read_images
from docaudit.extract.ink import PageInk
from docaudit.extract.lines import TextLayer, page_dict, read_lines
from docaudit.extract.marginalia import page_marginalia
from docaudit.extract.ocr import OcrReader
from docaudit.extract.other_text import other_lines
from docaudit.extract.page_tree import PageTree
from docaudit.extract.parts import document_parts, layers_off
from docaudit.extract.pictures import BoxPictures, PdfiumPictures
from docaudit.extract.second_engine import SecondEngine
from docaudit.extract.spots import damage_spot, glyph_spots, page_state, without_reread
from docaudit.extract.unread import settle
from docaudit.extract.visibility import mark_visibility, read_boxes
from docaudit.location import PageState


class DocumentRefusedError(Exception):
    """The document cannot be opened; `reason` as in facts.Refused."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageRefusedError(Exception):
    """The engine gave up on a page."""


class DocumentReader:
    """One open document; `working` is called when a page goes on to a part that takes long."""

    def __init__(self, request: OpenRequest, working: Callable[[], None]) -> None:
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        pymupdf.TOOLS.reset_mupdf_warnings()
        self._doc = _open(request)
        try:
            self._tree = PageTree(self._doc)
        except ENGINE_ERRORS as error:
            raise DocumentRefusedError("damaged", f"its page tree cannot be read: {error}") from error
        if not self._tree.pages_total:
            raise DocumentRefusedError("no_pages", "no page can be reached in it")
        try:
            self._layers_off = layers_off(self._doc)
        except ENGINE_ERRORS:
            self._layers_off = []  # document_parts meets the same error, and lists it as a blind spot
        self._second = SecondEngine(request.path, request.password)
        labelled = key_of(self._doc, self._doc.pdf_catalog(), "PageLabels")[0] != "null"
        self._labels = self._second.labels() if labelled else []
        self._ocr = (
            OcrReader(request.ocr_lang, request.ocr_confidence, working) if request.ocr != "off" else None
        )

    def describe(self, full: bool) -> DocumentFact:
        """What belongs to the document as a whole; only the number of pages unless `full`."""
        versions = {"pymupdf": version("pymupdf")}
        if self._ocr is not None:
            versions[self._ocr.engine.name] = self._ocr.engine.version
        if not full:
            return DocumentFact(self._tree.pages_total, [], [], [], versions)
        parts = document_parts(self._doc, self._tree)
        return DocumentFact(self._tree.pages_total, parts.outline, parts.lines, parts.spots, versions)

    def read(self, page_num: int, render: bool) -> PageFact:
        """Read one page (1-based); raises PageRefusedError, or MemoryError."""
        pymupdf.TOOLS.reset_mupdf_warnings()
        try:
            return self._read(self._tree.load(page_num), page_num, render)
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error

    def _read(self, page: pymupdf.Page, page_num: int, render: bool) -> PageFact:
        content = page_dict(page)
        text = read_lines(content, page.rect)
        images = read_images(content, page.rect)
        beside, spots = page_marginalia(page)
        beside = other_lines(page, text.lines, self._layers_off) + beside
        fact = PageFact(
            page_num=page_num,
            label=self._labels[page_num - 1] if page_num <= len(self._labels) else "",
            width=page.rect.width,
            height=page.rect.height,
            rotation=page.rotation,
            state=PageState.NOT_RENDERED.value,
            lines=text.lines + beside,
            images=images,
            spots=spots + glyph_spots(text.lines, page.rect),
            warnings="",
        )
        if render:
            self._account(page, text, beside, fact)
        fact.warnings = warnings_of()
        fact.spots += damage_spot(fact.warnings)
        return fact

    def _account(self, page: pymupdf.Page, text: TextLayer, beside: list[LineFact], fact: PageFact) -> None:
        """Compare what was read with what the page shows; OCR what is left."""
        boxes = read_boxes(text, beside)
        # Where the tree is not what it says, the engines may count its pages differently.
        second = (
            None
            if self._tree.flattened
            else self._second.page(fact.page_num, page.rect, self._tree.pages_total)
        )
        pictures = BoxPictures(page, boxes) if second is None else PdfiumPictures(second, page.rect)
        ink = PageInk(page, pictures, boxes)
        mark_visibility(text, ink)
        settled = settle(page, ink, text.lines, fact.images, self._ocr)
        fact.lines = text.lines + settled.lines + beside
        fact.spots = without_reread(fact.spots, settled.lines) + settled.spots
        fact.ink_total, fact.ink_read = ink.total, min(ink.total, ink.read + settled.ink_read)
        fact.ink_unread = settled.ink_unread
        fact.state = page_state(fact.lines, ink.total, fact.spots).value


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
