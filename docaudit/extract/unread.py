"""What becomes of unexplained ink: OCR reads it, or it is listed as a blind spot with the reason.

After OCR the ink is accounted for once more: only what the words that were read with confidence cover is read.

A second look at ink in which the OCR engine read no words: text is found and read there, or listed, or ruled out.

Outcomes for each part of the ink: lines that were read with confidence; text that was found and cannot be read; ink
that looks like letters though nothing was found in it; and ink in which neither OCR nor the text finder sees any text.

Text that nobody sees: same colour as the page, covered, or outside it; told by the ink, not by the drawing order.

Pages that engines may draw differently: standards leave room in annotations, layers and deep forms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import pymupdf

from docaudit.codes import BlindSpotKind, TextLikely, TextSource, Visibility
from docaudit.errors import OcrError
from docaudit.extract.fonts import has_unknown_glyphs
from docaudit.extract.images import area, centre_in, longest_side, note_reading, overlap, union
from docaudit.extract.ink import InkRegion, PageInk, grown, joined, joined_into_one
from docaudit.extract.ocr import OcrReader, RegionReading
from docaudit.extract.ocr_engines import FoundText, TextFinder
from docaudit.extract.pdf_objects import get, is_dict, is_null, items, name_of, object_of
from docaudit.extract.protocol import Box, ImageFact, LineFact, SpotFact
from docaudit.extract.shapes import TINY_ROW
from docaudit.extract.text_layer import TextLayer

_ZOOM, _CLOSEST, _MOST_PX, _FEWEST_PX = 2.0, 3.5, 1800.0, 320.0
_APART = 6.0
"""Zoom from which letters that stand close do not touch."""
_WIDEST = 2.0
"""From letter to letter, as a multiple of their height."""
_HARDLY, _A_LINE = 0.7, 0.85
"""Score below which a shape is hardly a line; and from which one connected shape is: some scripts leave no gap."""
_TILE_PT, _SEAM_PT = 700.0, 60.0
_MANY = 8
_SHARED, _SAME = 0.3, 0.6
_CURVE_PT, _LARGE_PT, _PHRASE = 12.0, 36.0, 6
_FAINT, _CLEAR, _SURE, _CERTAIN = 45.0, 60.0, 85.0, 90.0
"""Confidence below which a reading is noise of the reading network, also of something large; below which a line may be
of a script that it does not know; and from which nothing is doubted.
"""
_UP_AND_DOWN = frozenset("MWVNUAXmwvnux一二|lI1")


@dataclass
class SecondLook:
    """What was read, what was found and cannot be read with confidence, what still may be text, what holds none."""

    lines: list[LineFact] = field(default_factory=list)
    doubtful: list[tuple[InkRegion, str]] = field(default_factory=list)
    unread: list[tuple[InkRegion, str]] = field(default_factory=list)
    empty: list[InkRegion] = field(default_factory=list)
    failed: str = ""


def look_again(
    ink: PageInk, parts: list[InkRegion], words: list[Box], finder: TextFinder, enough: float
) -> SecondLook:
    """Look for text in parts of a page's ink.

    Args:
        ink: The ink of the page.
        parts: Ink that no word explains, grouped.
        words: Boxes of the words that OCR read, points.
        finder: The networks.
        enough: Confidence (0 to 100) from which a line counts as read.
    """
    outcome = SecondLook()
    found: list[FoundText] = []
    for frame in _frames(parts):
        try:
            found += _find(ink, frame, words, finder)
        except OcrError as error:
            outcome.failed = str(error)
    sure, doubtful = _weighed(
        [text for text in found if not _residue(text, words)], ink, words, finder, enough
    )
    outcome.lines = [_line(text, number) for number, text in enumerate(sure, 1)]
    for text in doubtful:
        outcome.doubtful.append((InkRegion(text.box, 1, TextLikely.YES), _doubt(text)))
    for part in parts:
        if outcome.failed:
            outcome.unread.append((part, outcome.failed))
        elif any(overlap(text.box, part.box) > _SHARED for text in [*sure, *doubtful]):
            continue
        elif part.likely is TextLikely.YES:
            outcome.unread.append((part, "ink that looks like letters, in which OCR reads no words"))
        else:
            outcome.empty.append(part)
    return outcome


def _weighed(
    found: list[FoundText], ink: PageInk, words: list[Box], finder: TextFinder, enough: float
) -> tuple[list[FoundText], list[FoundText]]:
    """Lines that were read; and what may be a line and was not read with confidence.

    A line can be both: it is searched, and it is listed.
    """
    sure, doubtful = [], []
    certain = max(_SURE, enough)
    for text in _once(found):
        letters, curve = _letters(text.text), _curve(text)
        if letters and text.confidence >= certain and not curve:
            sure.append(text)
            continue
        read = bool(letters) and text.confidence >= enough
        if not read and not _may_be_a_line(text, ink, words):
            continue
        closer = _closer(ink, text, words, finder, certain) if letters else []
        if closer:
            sure += closer
        elif not curve and not _stroke(text, ink, words):
            sure += [text] if read else []
            doubtful.append(text)
    return _once(sure), doubtful


def _frames(parts: list[InkRegion]) -> list[Box]:
    """The parts one by one; of many, all that lies between them, at once."""
    if len(parts) <= _MANY:
        return [tile for part in parts for tile in _tiles(part.box)]
    return _tiles(union([part.box for part in parts]))


def _once(found: list[FoundText]) -> list[FoundText]:
    """Without what was found again where frames overlap."""
    kept: list[FoundText] = []
    for text in found:
        if not any(overlap(text.box, other.box) > _SAME for other in kept):
            kept.append(text)
    return kept


def _closer(
    ink: PageInk, text: FoundText, words: list[Box], finder: TextFinder, certain: float
) -> list[FoundText]:
    """What a line that could not be read with confidence says when it is looked at larger."""
    x0, y0, x1, y1 = text.box
    pad = 0.4 * min(x1 - x0, y1 - y0)
    try:
        found = _find(ink, (x0 - pad, y0 - pad, x1 + pad, y1 + pad), words, finder, _CLOSEST, 2 * _CLOSEST)
    except OcrError:
        return []  # it stays doubtful
    return [near for near in found if near.confidence >= certain and _letters(near.text)]


def _doubt(text: FoundText) -> str:
    if not _letters(text.text):
        return "a line of letters that cannot be read"
    return f"letters that cannot be read with confidence ({text.confidence:.0f} of 100)"


def _find(
    ink: PageInk,
    box: Box,
    words: list[Box],
    finder: TextFinder,
    zoom: float = _ZOOM,
    closest: float = _CLOSEST,
) -> list[FoundText]:
    longest = max(longest_side(box), 1.0)
    zoom = min(_MOST_PX / longest, closest, max(zoom, _FEWEST_PX / longest))
    near = [word for word in words if overlap(word, box) > 0]
    found = finder.find(ink.remainder(box, zoom, near))
    return [
        FoundText(
            (
                box[0] + text.box[0] / zoom,
                box[1] + text.box[1] / zoom,
                box[0] + text.box[2] / zoom,
                box[1] + text.box[3] / zoom,
            ),
            text.length / zoom,
            text.height / zoom,
            text.score,
            text.text,
            text.confidence,
        )
        for text in found
    ]


def _tiles(box: Box) -> list[Box]:
    """A large box in pieces that can be looked at closely in little memory; they overlap, so that no line is cut."""
    across, down = _spans(box[0], box[2]), _spans(box[1], box[3])
    return [(x0, y0, x1, y1) for y0, y1 in down for x0, x1 in across]


def _spans(start: float, stop: float) -> list[tuple[float, float]]:
    count = max(1, math.ceil((stop - start - _SEAM_PT) / (_TILE_PT - _SEAM_PT)))
    step = (stop - start - _SEAM_PT) / count
    return [(start + step * number, start + step * (number + 1) + _SEAM_PT) for number in range(count)]


def _residue(text: FoundText, words: list[Box]) -> bool:
    """What is left of a word that OCR did read and that was painted over."""
    return any(overlap(text.box, word) > _SHARED for word in words)


def _may_be_a_line(text: FoundText, ink: PageInk, words: list[Box]) -> bool:
    """Letters were made out; or it has the size of a line, and pieces like letters: few scripts can be read."""
    letters = _letters(text.text)
    if letters > 1 and text.confidence >= _FAINT:
        clear = text.height <= _LARGE_PT or text.confidence >= _CLEAR or letters >= _PHRASE
        return clear and longest_side(text.box) >= _CRUMB_PT
    pieces = ink.letters(text.box, _APART, words) if text.height >= _CRUMB_PT else 0
    return (pieces > 1 and text.height <= _LARGE_PT) or (pieces > 0 and text.score >= _A_LINE)


def _curve(text: FoundText) -> bool:
    """A curve that goes up and down, which the reading network takes for "MWwm". Words of such letters are read with
    more confidence, or are narrower, or smaller.
    """
    letters = [char for char in text.text if char.isalnum()]
    if not letters or text.confidence >= _CERTAIN or text.height <= _CURVE_PT:
        return False
    wide = text.length / len(letters) > 1.5 * text.height
    return sum(char in _UP_AND_DOWN for char in letters) >= 0.7 * len(letters) and (len(letters) > 2 or wide)


def _stroke(text: FoundText, ink: PageInk, words: list[Box]) -> bool:
    """Far too long for the letters that were made out, and hardly a line or no more pieces than these: a drawing."""
    letters = _letters(text.text)
    if not letters or text.length / letters <= _WIDEST * text.height:
        return False
    return text.score < _HARDLY or ink.letters(text.box, _APART, words) <= letters


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)


def _line(text: FoundText, number: int) -> LineFact:
    return LineFact(
        text=text.text.strip(),
        box=text.box,
        block=number,
        source=TextSource.OCR.value,
        size=text.box[3] - text.box[1],
        confidence=text.confidence,
    )


_NEVER_DRAWN = frozenset({"Link", "Popup"})


def engines_may_differ(page: pymupdf.Page) -> bool:
    """The page has annotations with something to draw, forms within it, or a document with layers."""
    doc = page.parent
    for annotation in items(get(object_of(doc, page.xref), "Annots")):
        if is_dict(get(annotation, "AP")) or name_of(get(annotation, "Subtype")) not in _NEVER_DRAWN:
            return True
    if not is_null(get(object_of(doc, doc.pdf_catalog()), "OCProperties")):
        return True
    return bool(page.get_xobjects())


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


_SHOWN = frozenset({TextSource.SECOND_READER.value})


def read_boxes(text: TextLayer, beside: list[LineFact]) -> list[Box]:
    """Boxes of all text that was read and is drawn on the page; lines with unknown glyphs were not read.

    What the second reader alone saw was read as well. Of annotations only those that show their text count (it is
    marked visible): the rectangle of any other may lie over a picture. What a form field shows is in the text layer.
    """
    boxes = [
        box
        for line, spans in zip(text.lines, text.spans, strict=True)
        if line.visibility == Visibility.VISIBLE.value and not has_unknown_glyphs(line.text)
        for box in spans
    ]
    shown = (line for line in beside if line.source in _SHOWN)
    return boxes + [line.box for line in shown if line.box and line.visibility == Visibility.VISIBLE.value]


def mark_visibility(text: TextLayer, ink: PageInk) -> None:
    """Set the visibility of lines without any ink of their own."""
    for line, spans in zip(text.lines, text.spans, strict=True):
        if (
            line.visibility == Visibility.VISIBLE.value
            and line.box is not None
            and ink.bare(spans or [line.box])
        ):
            if ink.shade_differs(line.box):
                line.visibility = Visibility.COVERED.value
            elif not any(ink.undrawn(box) for box in spans or [line.box]):
                line.visibility = Visibility.SAME_COLOUR.value
