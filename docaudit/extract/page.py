"""Opens a document in the child process and reads it page by page: the order of work inside the child."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import pymupdf
from pypdfium2 import PdfPage

from docaudit.codes import PageState
from docaudit.extract.annotations import page_marginalia, without_drawn
from docaudit.extract.draw import draw_thumbnail, plant
from docaudit.extract.fonts import Doubt, FontCheck, damage_spot, font_spots, page_state, without_reread
from docaudit.extract.hidden import HiddenContent
from docaudit.extract.images import oversized, read_images
from docaudit.extract.ink import BoxPictures, PageInk, PdfiumPictures
from docaudit.extract.ocr import OcrReader, compare_pixels
from docaudit.extract.ocr_engines import TextFinder, make_engine
from docaudit.extract.parts import document_parts
from docaudit.extract.pdf_objects import ENGINE_ERRORS, PageTree, StreamTooLargeError, key_of, warnings_of
from docaudit.extract.protocol import (
    Annotated,
    AnnotateRequest,
    Box,
    DocumentFact,
    Extracted,
    ExtractRequest,
    LineFact,
    OpenRequest,
    PageFact,
    Planted,
    PlantRequest,
)
from docaudit.extract.second_reader import SecondEngine, SecondReading, read_second, without_found
from docaudit.extract.text_layer import TextLayer, other_lines, page_dict, read_lines
from docaudit.extract.unread import Settled, mark_visibility, read_boxes, settle

_NOT_ENCRYPTED = 1
"""PDF_ENCRYPT_NONE."""


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
        pymupdf.TOOLS.set_subset_fontnames(True)  # two subsets of a font on one page are two fonts
        pymupdf.TOOLS.reset_mupdf_warnings()
        self._doc = _open(request)
        self._password = request.password
        try:
            self._tree = PageTree(self._doc)
        except ENGINE_ERRORS as error:
            raise DocumentRefusedError("damaged", f"its page tree cannot be read: {error}") from error
        if not self._tree.pages_total:
            raise DocumentRefusedError("no_pages", "no page can be reached in it")
        self._fonts = FontCheck(self._doc)
        self._second = SecondEngine(request.path, request.password)
        labelled = key_of(self._doc, self._doc.pdf_catalog(), "PageLabels")[0] != "null"
        self._labels = self._second.labels() if labelled else []
        self._ink = request.ink
        self._compare = request.second_reader
        self._ocr: OcrReader | None = None
        if request.ocr != "off":
            engine = make_engine(request.ocr_engine)
            self._ocr = OcrReader(engine, request.ocr_lang, request.ocr_confidence, working)
        self._reread = request.ocr == "full"
        self._finder = TextFinder(working)
        self._request = request
        self._hidden = HiddenContent(self._doc, lambda: _open(request), self._ocr, self._finder)

    def describe(self, full: bool) -> DocumentFact:
        """What belongs to the document as a whole; only the number of pages unless `full`."""
        versions = {name: version(name) for name in ("pymupdf", "pypdfium2")}
        if self._ocr is not None:
            versions |= {engine.name: engine.version for engine in (self._ocr.engine, self._finder)}
        if not full:
            return DocumentFact(self._tree.pages_total, [], [], [], versions)
        parts = document_parts(self._doc, self._tree, self._password)
        return DocumentFact(
            self._tree.pages_total,
            parts.outline,
            parts.lines,
            parts.spots,
            versions,
            parts.attachments,
            parts.revisions,
        )

    def extract(self, request: ExtractRequest) -> Extracted:
        """Unpack an embedded file; raises StreamTooLargeError, PageRefusedError, or MemoryError."""
        from docaudit.extract.embedded import extract_file

        try:
            return extract_file(self._doc, request.stream, request.name, request.limit)
        except StreamTooLargeError:
            raise
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error

    def read(self, page_num: int, render: bool) -> PageFact:
        """Read one page (1-based); raises PageRefusedError, or MemoryError."""
        pymupdf.TOOLS.reset_mupdf_warnings()
        try:
            fact = self._read(self._tree.load(page_num), page_num, render)
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error
        if fact.warnings:
            # A font is complained about when it is loaded: kept, the complaint would be that of the first page.
            pymupdf.TOOLS.store_shrink(100)
        return fact

    def thumbnail(self, page_num: int, width: int, clip: Box | None = None) -> bytes:
        """A small JPEG of one page (1-based) or of a region of it.

        Raises UnreachablePageError, PageRefusedError, or MemoryError.
        """
        try:
            return draw_thumbnail(self._tree.load(page_num), width, clip)
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error

    def annotate(self, request: AnnotateRequest) -> Annotated:
        """Save an annotated copy; the document is changed by it, so nothing else may be asked of this reader after."""
        from docaudit.extract.draw import annotate  # needed once, by one kind of child

        try:
            return Annotated(annotate(self._doc, self._tree, request))
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error

    def plant(self, request: PlantRequest) -> Planted:
        """Write a copy with phrases in it, whole but for what was damaged; raises PageRefusedError, or MemoryError."""
        try:
            copy = _open(self._request)
            tree = PageTree(copy)
            problems = [
                (number, plant(tree.load(one.page_num), one)) for number, one in enumerate(request.plants)
            ]
            copy.save(request.target, encryption=_NOT_ENCRYPTED)
            copy.close()
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error
        return Planted([(number, why) for number, why in problems if why])

    def second_text(self, page_num: int) -> str | None:
        """The text of one page (1-based) by the second engine alone; None if it cannot read the page."""
        return self._second.text(page_num, self._tree.pages_total)

    def _read(self, page: pymupdf.Page, page_num: int, render: bool) -> PageFact:
        content = page_dict(page)
        text = read_lines(content, page.rect)
        images = read_images(content, page.rect)
        beside, spots = page_marginalia(page)
        beside = other_lines(page, text.lines) + beside
        fact = PageFact(
            page_num=page_num,
            label=self._labels[page_num - 1] if page_num <= len(self._labels) else "",
            width=page.rect.width,
            height=page.rect.height,
            rotation=page.rotation,
            state=PageState.NOT_RENDERED.value,
            lines=text.lines + beside,
            images=images,
            spots=spots + oversized(content),
            warnings=warnings_of(),
        )
        picture = render and self._ink
        fact.spots += font_spots(text, self._doubted(page) if picture else {}, page.rect)
        if picture:
            self._account(page, text, beside, fact)
        elif render and self._compare:
            self._compare_text(page, fact)
        hidden, unread = self._hidden.read(page, fact, picture)
        fact.lines = without_found(without_drawn(fact.lines), hidden) + hidden
        fact.spots += unread
        fact.warnings = "\n".join(filter(None, (fact.warnings, warnings_of())))
        fact.spots += damage_spot(fact.warnings, fact.state == PageState.BLANK.value)
        return fact

    def _doubted(self, page: pymupdf.Page) -> dict[str, Doubt]:
        """Fonts of the page not to be believed; what the engine says while it draws them alone is not the page's."""
        found = self._fonts.doubted(page)
        pymupdf.TOOLS.reset_mupdf_warnings()
        return found

    def _account(self, page: pymupdf.Page, text: TextLayer, beside: list[LineFact], fact: PageFact) -> None:
        """Compare what was read with what the page shows; OCR what is left."""
        second = self._peer(page, fact)
        reading = self._compared(second, page, fact)
        boxes = read_boxes(text, beside + reading.lines)
        pictures = BoxPictures(page, boxes) if second is None else PdfiumPictures(second, page.rect)
        ink = PageInk(page, pictures, boxes)
        mark_visibility(text, ink)
        mark_visibility(reading.layer(), ink)
        ink.boxes = read_boxes(text, beside + reading.lines)  # of these, what a person sees
        settled = settle(page, ink, text.lines, fact.images, self._ocr, self._finder)
        if self._reread and self._ocr is not None:
            self._compare_pixels(page, text, settled, self._ocr)
        fact.lines = text.lines + reading.lines + settled.lines + beside
        fact.spots = without_reread(fact.spots, settled.lines) + settled.spots
        fact.ink_total, fact.ink_read = ink.total, min(ink.total, ink.read + settled.ink_read)
        fact.ink_unread = settled.ink_unread
        fact.state = page_state(fact.lines, ink.total, fact.spots).value
        if fact.words_first_only is not None:
            fact.words_second_only = reading.second_only

    def _compare_text(self, page: pymupdf.Page, fact: PageFact) -> None:
        """What the second engine adds, where no picture tells whether a person can see it."""
        reading = self._compared(self._peer(page, fact), page, fact)
        fact.lines = fact.lines + reading.lines
        if fact.words_first_only is not None:
            fact.words_second_only = reading.second_only

    def _peer(self, page: pymupdf.Page, fact: PageFact) -> PdfPage | None:
        """The same page in the second engine; none where the page tree is not what it says: it may count otherwise."""
        if self._tree.flattened:
            return None
        return self._second.page(fact.page_num, page.rect, self._tree.pages_total)

    def _compared(self, peer: PdfPage | None, page: pymupdf.Page, fact: PageFact) -> SecondReading:
        """What the second engine reads on the page; nothing if it was not asked or cannot tell."""
        reading = read_second(peer, page.rect, fact.lines) if peer is not None and self._compare else None
        fact.words_first_only = None if reading is None else reading.first_only
        fact.witnesses = [] if reading is None else reading.witnesses
        return SecondReading() if reading is None else reading

    def _compare_pixels(self, page: pymupdf.Page, text: TextLayer, settled: Settled, ocr: OcrReader) -> None:
        """Read the whole page by OCR and add what the text layer does not say."""
        whole = ocr.read_region(page, tuple(page.rect), [])
        found = compare_pixels(whole, text.lines, settled.lines, page.rect)
        settled.lines.extend(found.lines)
        settled.spots.extend(found.spots)


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
