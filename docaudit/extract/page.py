"""Opens a document in the child process and reads it page by page: the order of work inside the child."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version

import pymupdf
from pypdfium2 import PdfPage

from docaudit.codes import BlindSpotKind, PageState, TextLikely, TextSource, Visibility
from docaudit.extract.alternate_text import alternate_lines
from docaudit.extract.annotations import page_marginalia, without_drawn
from docaudit.extract.draw import draw_thumbnail, plant
from docaudit.extract.fonts import FontCheck, font_spots, without_reread
from docaudit.extract.hidden import HiddenContent
from docaudit.extract.images import oversized, read_images
from docaudit.extract.ink import PageInk
from docaudit.extract.ocr import OcrReader
from docaudit.extract.ocr_against_text import compare_with_ocr
from docaudit.extract.ocr_engines import TextFinder, make_engine
from docaudit.extract.page_tree import PageTree
from docaudit.extract.parts import document_parts
from docaudit.extract.pdf_objects import ENGINE_ERRORS, StreamTooLargeError, key_of, warnings_of
from docaudit.extract.protocol import (
    Annotated,
    AnnotateRequest,
    Box,
    DocumentFact,
    Extracted,
    ExtractRequest,
    LineFact,
    OpenRequest,
    PageReading,
    Planted,
    PlantRequest,
    SpotFact,
)
from docaudit.extract.renderings import BoxRenderings, PdfiumRenderings
from docaudit.extract.second_reader import SecondEngine, SecondReading, read_second, without_found_later
from docaudit.extract.text_layer import TextLine, page_dict, read_lines
from docaudit.extract.unread import UnreadInk, mark_visibility, read_boxes

_NOT_ENCRYPTED = 1
"""PDF_ENCRYPT_NONE."""
_DAMAGE = re.compile(
    r"zlib error|read error|cannot (?:draw|decode|find|load)|syntax error|unexpected|invalid|corrupt|ignoring|"
    r"format error|unknown keyword|premature|truncated|missing|not a ",
    re.IGNORECASE,
)
"""Complaints of the engine after which something of a page may be missing."""


class DocumentRefusedError(Exception):
    """The document cannot be opened; `reason` as in protocol.Refused."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class PageRefusedError(Exception):
    """The engine gave up on a page."""


class DocumentReader:
    """One open document; `working` is called when a page goes on to a part that takes long.

    What is asked of it about pages raises PageRefusedError where the engine gives up, or MemoryError.
    """

    def __init__(self, request: OpenRequest, working: Callable[[], None]) -> None:
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        pymupdf.TOOLS.set_subset_fontnames(True)  # two subsets of a font on one page are two fonts
        pymupdf.TOOLS.reset_mupdf_warnings()
        self._request = request
        self._doc = _open(request)
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
        self._ocr: OcrReader | None = None
        if request.ocr != "off":
            engine = make_engine(request.ocr_engine)
            self._ocr = OcrReader(engine, request.ocr_lang, request.ocr_confidence, working)
        self._finder = TextFinder(working)
        self._hidden = HiddenContent(self._doc, lambda: _open(request), self._ocr, self._finder)

    def describe(self, full: bool) -> DocumentFact:
        """What belongs to the document as a whole; only the number of pages unless `full`."""
        versions = {name: version(name) for name in ("pymupdf", "pypdfium2")}
        if self._ocr is not None:
            versions |= {engine.name: engine.version for engine in (self._ocr.engine, self._finder)}
        document = DocumentFact(self._tree.pages_total, [], [], [], versions)
        if full:
            document_parts(document, self._doc, self._tree, self._request.password)
        return document

    def extract(self, request: ExtractRequest) -> Extracted:
        """Unpack an embedded file; raises StreamTooLargeError as well."""
        from docaudit.extract.embedded import extract_file  # few documents need its libraries

        try:
            return extract_file(self._doc, request.stream, request.name, request.limit)
        except StreamTooLargeError:
            raise
        except ENGINE_ERRORS as error:
            raise PageRefusedError(f"{type(error).__name__}: {error}") from error

    def read(self, page_num: int, render: bool) -> PageReading:
        """Read one page (1-based)."""
        pymupdf.TOOLS.reset_mupdf_warnings()
        with _refusing():
            fact = self._read(self._tree.load(page_num), page_num, render)
        if fact.warnings:
            # A font is complained about when it is loaded: kept, the complaint would be that of the first page.
            pymupdf.TOOLS.store_shrink(100)
        return fact

    def thumbnail(self, page_num: int, width: int, clip: Box | None = None) -> bytes:
        """A small JPEG of one page (1-based) or of a region of it; raises UnreachablePageError as well."""
        with _refusing():
            return draw_thumbnail(self._tree.load(page_num), width, clip)

    def annotate(self, request: AnnotateRequest) -> Annotated:
        """Save an annotated copy; the document is changed by it, so nothing else may be asked of this reader after."""
        from docaudit.extract.draw import annotate  # needed once, by one kind of child

        with _refusing():
            return Annotated(annotate(self._doc, self._tree, request))

    def plant(self, request: PlantRequest) -> Planted:
        """Write a copy with phrases in it, whole but for what was damaged."""
        with _refusing():
            copy = _open(self._request)
            tree = PageTree(copy)
            problems = [
                (number, plant(tree.load(phrase.page_num), phrase))
                for number, phrase in enumerate(request.plants)
            ]
            copy.save(request.target, encryption=_NOT_ENCRYPTED)
            copy.close()
        return Planted([(number, why) for number, why in problems if why])

    def second_text(self, page_num: int) -> str | None:
        """The text of one page (1-based) by the second engine alone; None if it cannot read the page."""
        return self._second.text(page_num, self._tree.pages_total)

    def _read(self, page: pymupdf.Page, page_num: int, render: bool) -> PageReading:
        """One page: text layer, what stands beside it, fonts, the second engine, ink and OCR, what is hidden."""
        content = page_dict(page)
        text = read_lines(content, page.rect)
        marginalia, spots = page_marginalia(page)
        beside = alternate_lines(page, [line.fact for line in text]) + marginalia
        fact = PageReading(
            page_num=page_num,
            label=self._labels[page_num - 1] if page_num <= len(self._labels) else "",
            width=page.rect.width,
            height=page.rect.height,
            rotation=page.rotation,
            state=PageState.NOT_RENDERED,
            lines=[line.fact for line in text] + beside,
            images=read_images(content, page.rect),
            spots=spots + oversized(content),
            warnings=warnings_of(),
        )
        with_ink = render and self._request.ink
        doubted = self._fonts.doubted(page) if with_ink else {}
        if with_ink:
            pymupdf.TOOLS.reset_mupdf_warnings()  # what was said of fonts drawn alone is not the page's
        fact.spots += font_spots(text, doubted, tuple(page.rect))
        if render:
            second, reading = self._read_second(page, fact)
            if with_ink:
                self._account_for_ink(second, page, text, beside, reading, fact)
            else:
                fact.lines = fact.lines + reading.lines
            if fact.words_first_only is not None:
                fact.words_second_only = reading.second_only
        hidden, unread = self._hidden.read(page, fact, with_ink)
        fact.lines = without_found_later(without_drawn(fact.lines), hidden) + hidden
        fact.spots += unread
        fact.warnings = "\n".join(filter(None, (fact.warnings, warnings_of())))
        fact.spots += _damage_spots(fact.warnings, blank=fact.state == PageState.BLANK)
        return fact

    def _read_second(self, page: pymupdf.Page, fact: PageReading) -> tuple[PdfPage | None, SecondReading]:
        """The page in the second engine, and what that adds to the lines of the first; none where it cannot tell."""
        if self._tree.flattened or not (self._request.ink or self._request.second_reader):
            return None, SecondReading()  # a tree that is not what it says may be counted in another way
        second = self._second.page(fact.page_num, page.rect, self._tree.pages_total)
        if second is None or not self._request.second_reader:
            return second, SecondReading()
        reading = read_second(second, page.rect, fact.lines)
        if reading is None:
            return second, SecondReading()
        fact.words_first_only, fact.witnesses = reading.first_only, reading.witnesses
        return second, reading

    def _account_for_ink(
        self,
        second: PdfPage | None,
        page: pymupdf.Page,
        text: list[TextLine],
        beside: list[LineFact],
        reading: SecondReading,
        fact: PageReading,
    ) -> None:
        """Compare what was read with what the page shows; OCR what is left."""
        boxes = read_boxes(text, beside + reading.lines)
        renderings = BoxRenderings(page, boxes) if second is None else PdfiumRenderings(second, page.rect)
        ink = PageInk(page, renderings, boxes)
        mark_visibility(text, ink)
        mark_visibility(reading.text_lines(), ink)
        ink.boxes = read_boxes(text, beside + reading.lines)  # of these, what a person sees
        lines = [line.fact for line in text]
        settled = UnreadInk(page, ink, lines, fact.images).settle(self._ocr, self._finder)
        if self._request.ocr == "full" and self._ocr is not None:
            whole = self._ocr.read_region(page, tuple(page.rect), [])
            new_lines, new_spots = compare_with_ocr(whole, lines, settled.lines, tuple(page.rect))
            settled.lines += new_lines
            settled.spots += new_spots
        fact.lines = lines + reading.lines + settled.lines + beside
        fact.spots = without_reread(fact.spots, settled.lines) + settled.spots
        fact.ink_total, fact.ink_read = ink.total, min(ink.total, ink.read + settled.ink_read)
        fact.ink_unread = settled.ink_unread
        fact.state = _page_state(fact.lines, ink.total, fact.spots)


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


@contextmanager
def _refusing() -> Iterator[None]:
    """Errors of the engine become PageRefusedError."""
    try:
        yield
    except ENGINE_ERRORS as error:
        raise PageRefusedError(f"{type(error).__name__}: {error}") from error


def _page_state(lines: list[LineFact], ink_total: int, spots: list[SpotFact]) -> PageState:
    """The one state of the page.

    text: text, and nothing that may hold more; mixed: text, and regions that OCR read or that remain unread;
    image_only: ink without any visible text layer (also if OCR read it); blank: no ink and no text at all.
    """
    layer = [line for line in lines if line.source == TextSource.TEXT_LAYER]
    more = any(line.source == TextSource.OCR for line in lines) or any(
        spot.text_likely != TextLikely.NO and spot.box is not None for spot in spots
    )
    if any(line.visibility != Visibility.INVISIBLE for line in layer):
        return PageState.MIXED if more else PageState.TEXT
    if more or (ink_total and not layer):
        return PageState.IMAGE_ONLY
    return PageState.TEXT if layer else PageState.BLANK


def _damage_spots(warnings: str, *, blank: bool) -> list[SpotFact]:
    """A blind spot for the page if the engine complained of damage, or of anything on a page where it found nothing."""
    complaints = [row for row in warnings.splitlines() if blank or _DAMAGE.search(row)]
    if not complaints:
        return []
    detail = "; ".join(dict.fromkeys(complaints))
    return [SpotFact(BlindSpotKind.PAGE_DAMAGED, TextLikely.UNKNOWN, detail)]
