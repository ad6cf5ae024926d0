"""What becomes of unexplained ink: OCR reads it, or it is listed as a blind spot with the reason.

After OCR the ink is accounted for once more: only what the words that were read with confidence cover is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pymupdf

from docaudit.extract.boxes import area, centre_in, overlap
from docaudit.extract.differing import engines_may_differ
from docaudit.extract.facts import Box, ImageFact, LineFact, SpotFact
from docaudit.extract.images import note_reading
from docaudit.extract.ink import InkRegion, PageInk
from docaudit.extract.ink_groups import grown, joined, joined_into_one
from docaudit.extract.ocr import OcrReader, RegionReading
from docaudit.extract.second_look import SecondLook, look_again
from docaudit.extract.shapes import TINY_ROW
from docaudit.extract.text_finder import TextFinder
from docaudit.location import TextLikely, Visibility
from docaudit.reasons import BlindSpotKind

_MANY_REGIONS = 10
_WHOLE_PAGE = 0.5
_CRUMB_PT = 6.0
_A_WORD = 24
"""Pixels of ink that two small letters have."""


@dataclass(frozen=True)
class Settled:
    """The outcome for one page: lines that OCR read, what stays unread, and the ink of both in pixels."""

    lines: list[LineFact]
    spots: list[SpotFact]
    ink_read: int
    ink_unread: int

    def __add__(self, other: Settled) -> Settled:
        return Settled(
            self.lines + other.lines,
            self.spots + other.spots,
            self.ink_read + other.ink_read,
            self.ink_unread + other.ink_unread,
        )


def settle(
    page: pymupdf.Page,
    ink: PageInk,
    lines: list[LineFact],
    images: list[ImageFact],
    ocr: OcrReader | None,
    finder: TextFinder,
) -> Settled:
    """Read or list everything that no text explains; notes in each image what became of it.

    Args:
        page: The page.
        ink: Its ink, against the boxes of the text that was read.
        lines: All lines of the text layer, also hidden ones.
        images: Its images.
        ocr: The reader, or None if nothing is to be read by OCR.
        finder: Looks again at what OCR does not read.
    """
    regions = joined([region for region in ink.regions() if region.likely is not TextLikely.NO])
    regions = joined([*regions, *_pictures(ink, images, regions)])
    page_area = max(page.rect.width * page.rect.height, 1.0)
    apart: list[SpotFact] = []
    if engines_may_differ(page):
        first, second = ink.of_one_engine()
        regions = joined([*regions, *first])
        apart = [_drawn_by_one(region, page_area) for region in second]
    image_only = not any(line.visibility == Visibility.VISIBLE.value for line in lines)
    if image_only and len(regions) > 1:
        regions = [joined_into_one(regions)]
    if ocr is None or not regions:
        _note_images(images, regions, [], "not_run" if ocr is None else "no_text")
        spots = [_unread(region, images, lines, page_area) for region in regions]
        return Settled([], spots + apart, 0, sum(region.ink for region in regions))
    outcome = Settled([], apart, 0, 0)
    for region in _portions(regions, page.rect):
        outcome += _read(page, region, ink, images, ocr, finder)
    for image in images:
        if image.ocr_state == "not_run":
            image.ocr_state = "no_text"  # all its ink lies under text that was read, or cannot be letters
    return outcome


def _drawn_by_one(region: InkRegion, page_area: float) -> SpotFact:
    detail = "ink that only the second engine draws, so that OCR does not see it"
    return _spot(BlindSpotKind.VECTOR_NOT_READ, region.likely, region.box, page_area, detail)


def _read(
    page: pymupdf.Page,
    region: InkRegion,
    ink: PageInk,
    images: list[ImageFact],
    ocr: OcrReader,
    finder: TextFinder,
) -> Settled:
    """OCR of one region, and a second look at what it leaves."""
    page_area = max(page.rect.width * page.rect.height, 1.0)
    reading = ocr.read_region(page, grown(region.box, page.rect), ink.boxes)
    if reading.state == "failed":
        _note_images(images, [region], [], "failed")
        return Settled(
            [],
            [_spot(BlindSpotKind.OCR_FAILED, TextLikely.UNKNOWN, region.box, page_area, reading.detail)],
            0,
            region.ink,
        )
    unsure = reading.state == "uncertain"
    words = [] if unsure else [_padded(box) for box in reading.word_boxes]
    left = _left_over(region, words, ink)
    if (
        not left and not words
    ):  # ink at the limit of what counts as a piece, or drawn by the first engine alone
        left = [region if ink.undrawn(region.box) else replace(region, likely=TextLikely.UNKNOWN)]
    around = [InkRegion(grown(part.box, page.rect), part.ink, part.likely) for part in left]
    look = look_again(ink, around, words, finder, ocr.enough)
    lines = _believed(reading, look) + look.lines
    spots = [
        _spot(BlindSpotKind.OCR_UNCERTAIN, TextLikely.YES, part.box, page_area, detail)
        for part, detail in look.doubtful
    ]
    spots += [
        _spot(
            BlindSpotKind.OCR_FAILED if look.failed else BlindSpotKind.OCR_NO_WORDS,
            TextLikely.UNKNOWN,
            part.box,
            page_area,
            detail,
        )
        for part, detail in look.unread
    ]
    nothing = "OCR and a text finder see no words in it"
    spots += [
        _spot(BlindSpotKind.OCR_NO_WORDS, TextLikely.NO, part.box, page_area, nothing) for part in look.empty
    ]
    unread = min(region.ink, sum(part.ink for part, _ in look.doubtful + look.unread))
    state = "uncertain" if look.doubtful or (unsure and look.unread) else "read" if lines else "no_text"
    _note_images(images, [region], lines, state)
    return Settled(lines, spots, region.ink - unread, unread)


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


def _pictures(ink: PageInk, images: list[ImageFact], regions: list[InkRegion]) -> list[InkRegion]:
    """Images that only one of the engines can draw: what the other shows was not accounted for. Where text lies under
    such an image or over it, the two cannot be told apart, and the image counts as not read.
    """
    return [
        InkRegion(image.box, _A_WORD, TextLikely.YES if _touched(image.box, ink) else TextLikely.UNKNOWN)
        for image in images
        if not any(overlap(region.box, image.box) > 0 for region in regions) and ink.undrawn(image.box)
    ]


def _touched(box: Box, ink: PageInk) -> bool:
    return any(overlap(box, other) > 0 for other in ink.boxes)


def _portions(regions: list[InkRegion], rect: pymupdf.Rect) -> list[InkRegion]:
    """The regions one by one; on a page with many of them, or covered by them, the whole page at once."""
    covered = sum(area(region.box) for region in regions)
    if len(regions) > _MANY_REGIONS or covered > _WHOLE_PAGE * rect.width * rect.height:
        likely = TextLikely.YES if any(r.likely is TextLikely.YES for r in regions) else TextLikely.UNKNOWN
        box = (rect.x0, rect.y0, rect.x1, rect.y1)
        return [InkRegion(box, sum(region.ink for region in regions), likely)]
    return regions


def _left_over(region: InkRegion, words: list[Box], ink: PageInk) -> list[InkRegion]:
    """Ink that lies under no word that OCR read; of what is left beside words, crumbs of them are not counted."""
    parts = [part for part in ink.regions(words, TINY_ROW, region.box) if overlap(part.box, region.box) > 0.5]
    return [
        part
        for part in joined([part for part in parts if part.likely is not TextLikely.NO])
        if not words
        or part.likely is TextLikely.YES
        or max(part.box[2] - part.box[0], part.box[3] - part.box[1]) >= _CRUMB_PT
    ]


def _unread(region: InkRegion, images: list[ImageFact], lines: list[LineFact], page_area: float) -> SpotFact:
    hidden = any(
        line.visibility == Visibility.INVISIBLE.value and line.box and centre_in(line.box, region.box)
        for line in lines
    )
    image_only = not any(line.visibility == Visibility.VISIBLE.value for line in lines)
    kind = BlindSpotKind.IMAGE_ONLY_PAGE if image_only else _kind(region.box, images)
    detail = "ink that no text explains"
    detail += "; the hidden text over it was not compared with what the page shows" if hidden else ""
    return _spot(kind, region.likely, region.box, page_area, detail)


def _kind(box: Box, images: list[ImageFact]) -> BlindSpotKind:
    in_image = any(overlap(box, image.box) > 0.5 for image in images)
    return BlindSpotKind.IMAGE_NOT_READ if in_image else BlindSpotKind.VECTOR_NOT_READ


def _spot(kind: BlindSpotKind, likely: TextLikely, box: Box, page_area: float, detail: str) -> SpotFact:
    share = min(1.0, area(box) / page_area)
    return SpotFact(kind=kind.value, text_likely=likely.value, detail=detail, box=box, area_share=share)


def _note_images(
    images: list[ImageFact], regions: list[InkRegion], lines: list[LineFact], state: str
) -> None:
    for image in images:
        if any(overlap(region.box, image.box) > 0 for region in regions):
            note_reading(image, state, lines)


def _padded(box: Box) -> Box:
    pad = 0.15 * (box[3] - box[1])
    return box[0] - pad, box[1] - pad, box[2] + pad, box[3] + pad
