"""What becomes of unexplained ink: OCR reads it, or it is listed as a blind spot with the reason.

After OCR the ink is accounted for once more: only what the words that were read with confidence cover is read. Text
that nobody sees (same colour as the page, covered) is told by the ink as well, not by the drawing order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pymupdf

from docaudit.codes import BlindSpotKind, TextLikely, TextSource, Visibility
from docaudit.extract import pdf_objects as pdf
from docaudit.extract.boxes import area, centre_in, grown, longest_side, overlap, page_share
from docaudit.extract.images import note_reading
from docaudit.extract.ink import InkRegion, PageInk, merged_regions, one_region, with_margin
from docaudit.extract.ocr import OcrReader, RegionReading
from docaudit.extract.ocr_engines import TextFinder
from docaudit.extract.protocol import Box, ImageFact, LineFact, SpotFact
from docaudit.extract.second_look import CRUMB_PT, SecondLook, look_again
from docaudit.extract.shapes import TINY_ROW
from docaudit.extract.text_layer import TextLine
from docaudit.extract.unicode_claims import unknown_glyphs

_NEVER_DRAWN = frozenset({"Link", "Popup"})
_MANY_REGIONS, _WHOLE_PAGE = 10, 0.5
"""Regions, and share of the page under them, from which OCR reads the whole page at once; chosen for time."""
_A_WORD = 24
"""Pixels of ink that two small letters have."""


@dataclass
class Settled:
    """The outcome for one page: lines that OCR read, what stays unread, and the ink of both in pixels."""

    lines: list[LineFact] = field(default_factory=list)
    spots: list[SpotFact] = field(default_factory=list)
    ink_read: int = 0
    ink_unread: int = 0


def read_boxes(lines: list[TextLine], beside: list[LineFact]) -> list[Box]:
    """Boxes of all text that was read and is drawn on the page; lines with unknown glyphs were not read.

    What the second reader alone saw was read as well. Other lines beside the text layer do not count: the rectangle of
    an annotation may lie over an image, and what a form field shows is in the text layer.
    """
    boxes = [
        span.box
        for line in lines
        if line.fact.visibility == Visibility.VISIBLE and not unknown_glyphs(line.fact.text)
        for span in line.spans
    ]
    return boxes + [
        line.box
        for line in beside
        if line.source == TextSource.SECOND_READER and line.visibility == Visibility.VISIBLE and line.box
    ]


def mark_visibility(lines: list[TextLine], ink: PageInk) -> None:
    """Set the visibility of lines without any ink of their own."""
    for line in lines:
        fact, boxes = line.fact, line.boxes
        if fact.visibility == Visibility.VISIBLE and fact.box is not None and ink.has_no_text(boxes):
            if ink.shade_differs(fact.box):
                fact.visibility = Visibility.COVERED
            elif not any(ink.undrawn(box) for box in boxes):
                fact.visibility = Visibility.SAME_COLOUR


class UnreadInk:
    """Reads or lists everything on a page that no text explains; notes in each image what became of it.

    Args:
        page: The page.
        ink: Its ink, against the boxes of the text that was read.
        lines: All lines of the text layer, also hidden ones.
        images: Its images.
    """

    def __init__(
        self, page: pymupdf.Page, ink: PageInk, lines: list[LineFact], images: list[ImageFact]
    ) -> None:
        self._page = page
        self._box: Box = tuple(page.rect)
        self._ink = ink
        self._images = images
        self._image_only = not any(line.visibility == Visibility.VISIBLE for line in lines)
        self._hidden = [line.box for line in lines if line.box and line.visibility == Visibility.INVISIBLE]
        self._settled = Settled()

    def settle(self, ocr: OcrReader | None, finder: TextFinder) -> Settled:
        """The outcome; without `ocr` nothing is read, and everything is listed.

        Args:
            ocr: The reader, or None.
            finder: Looks again at what OCR does not read.
        """
        settled, ink = self._settled, self._ink
        regions = merged_regions(region for region in ink.regions() if region.likely is not TextLikely.NO)
        regions = merged_regions([*regions, *self._undrawn_images(regions)])
        if engines_may_differ(self._page):
            first, second = ink.of_one_engine()
            regions = merged_regions([*regions, *first])
            detail = "ink that only the second engine draws, so that OCR does not see it"
            for region in second:
                self._list(BlindSpotKind.VECTOR_NOT_READ, region, region.likely, detail)
        if self._image_only and len(regions) > 1:
            regions = [one_region(regions)]
        if ocr is None or not regions:
            self._note_images(regions, [], "not_run" if ocr is None else "no_text")
            apart, settled.spots = settled.spots, []
            self._list_unread(regions)
            settled.spots += apart
            settled.ink_unread = sum(region.ink for region in regions)
            return settled
        covered = sum(area(region.box) for region in regions)
        if len(regions) > _MANY_REGIONS or covered > _WHOLE_PAGE * area(self._box):
            regions = [one_region(regions, self._box)]
        for region in regions:
            self._read(region, ocr, finder)
        for image in self._images:
            if image.ocr_state == "not_run":
                image.ocr_state = "no_text"  # all its ink lies under text that was read, or cannot be letters
        return settled

    def _undrawn_images(self, regions: list[InkRegion]) -> list[InkRegion]:
        """Images that only one of the engines can draw: what the other shows was not accounted for. Where text lies
        under such an image or over it, the two cannot be told apart, and the image counts as not read.
        """
        undrawn = []
        for box in (image.box for image in self._images):
            if not any(overlap(region.box, box) > 0 for region in regions) and self._ink.undrawn(box):
                over_text = any(overlap(box, text) > 0 for text in self._ink.boxes)
                undrawn.append(InkRegion(box, _A_WORD, TextLikely.YES if over_text else TextLikely.UNKNOWN))
        return undrawn

    def _list(self, kind: BlindSpotKind, region: InkRegion, likely: TextLikely, detail: str) -> None:
        share = page_share(region.box, self._box)
        self._settled.spots.append(SpotFact(kind, likely, detail, region.box, share))

    def _list_unread(self, regions: list[InkRegion]) -> None:
        """List regions that OCR was not asked to read."""
        for region in regions:
            detail = "ink that no text explains"
            if any(centre_in(box, region.box) for box in self._hidden):
                detail += "; the hidden text over it was not compared with what the page shows"
            kind = BlindSpotKind.VECTOR_NOT_READ
            if self._image_only:
                kind = BlindSpotKind.IMAGE_ONLY_PAGE
            elif any(overlap(region.box, image.box) > 0.5 for image in self._images):
                kind = BlindSpotKind.IMAGE_NOT_READ
            self._list(kind, region, region.likely, detail)

    def _note_images(self, regions: list[InkRegion], lines: list[LineFact], state: str) -> None:
        for image in self._images:
            if any(overlap(region.box, image.box) > 0 for region in regions):
                note_reading(image, state, lines)

    def _read(self, region: InkRegion, ocr: OcrReader, finder: TextFinder) -> None:
        """OCR of one region, and a second look at what it leaves."""
        settled, ink = self._settled, self._ink
        reading = ocr.read_region(self._page, with_margin(region.box, self._box), ink.boxes)
        if reading.state == "failed":
            self._note_images([region], [], "failed")
            self._list(BlindSpotKind.OCR_FAILED, region, TextLikely.UNKNOWN, reading.detail)
            settled.ink_unread += region.ink
            return
        unsure = reading.state == "uncertain"
        boxes = [] if unsure else [word.box for word in reading.words]
        pads = [
            0.15 * (box[3] - box[1]) for box in boxes
        ]  # as OCR cuts its boxes close; chosen, not measured
        words = [grown(box, pad, pad) for box, pad in zip(boxes, pads, strict=True)]
        left = self._left_over(region, words)
        if not left and not words:
            # Ink at the limit of what counts as a piece, or drawn by the first engine alone.
            left = [region if ink.undrawn(region.box) else replace(region, likely=TextLikely.UNKNOWN)]
        around = [replace(part, box=with_margin(part.box, self._box)) for part in left]
        look = look_again(ink, around, words, finder, ocr.enough)
        lines = _believed(reading, look) + look.lines
        settled.lines += lines
        for part, detail in look.doubtful:
            self._list(BlindSpotKind.OCR_UNCERTAIN, part, TextLikely.YES, detail)
        for part, detail in look.unread:
            kind = BlindSpotKind.OCR_FAILED if look.failed else BlindSpotKind.OCR_NO_WORDS
            self._list(kind, part, TextLikely.UNKNOWN, detail)
        for part in look.empty:
            nothing = "OCR and a text finder see no words in it"
            self._list(BlindSpotKind.OCR_NO_WORDS, part, TextLikely.NO, nothing)
        unread = min(region.ink, sum(part.ink for part, _ in look.doubtful + look.unread))
        settled.ink_read += region.ink - unread
        settled.ink_unread += unread
        uncertain = look.doubtful or (unsure and look.unread)
        self._note_images([region], lines, "uncertain" if uncertain else "read" if lines else "no_text")

    def _left_over(self, region: InkRegion, words: list[Box]) -> list[InkRegion]:
        """Ink that lies under no word that OCR read; of what is left beside words, crumbs of them are not counted."""
        parts = merged_regions(
            part
            for part in self._ink.regions(words, TINY_ROW, region.box)
            if part.likely is not TextLikely.NO and overlap(part.box, region.box) > 0.5
        )
        return [
            part
            for part in parts
            if not words or part.likely is TextLikely.YES or longest_side(part.box) >= CRUMB_PT
        ]


def _believed(reading: RegionReading, look: SecondLook) -> list[LineFact]:
    """What OCR read; where it was not sure as a whole, only what the text finder does not read or rule out."""
    if reading.state != "uncertain" or look.failed:
        return reading.lines
    if not (look.lines or look.doubtful or look.unread):
        return []  # texture that OCR took for letters
    return [
        line
        for line in reading.lines
        if line.box and not any(other.box and overlap(line.box, other.box) > 0.5 for other in look.lines)
    ]


def engines_may_differ(page: pymupdf.Page) -> bool:
    """Whether engines may draw the page differently: annotations with something to draw, forms within it, layers."""
    doc = page.parent
    for annotation in pdf.items(pdf.get(pdf.object_of(doc, page.xref), "Annots")):
        if (
            pdf.is_dict(pdf.get(annotation, "AP"))
            or pdf.name_of(pdf.get(annotation, "Subtype")) not in _NEVER_DRAWN
        ):
            return True
    if not pdf.is_null(pdf.get(pdf.object_of(doc, doc.pdf_catalog()), "OCProperties")):
        return True
    return bool(page.get_xobjects())
