"""Images placed on one page: which are there, which were read by OCR, which remain unread."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import pymupdf

from docaudit.extract.facts import Box, ImageFact, LineFact, SpotFact
from docaudit.extract.ocr import OcrReader, RegionReading
from docaudit.location import TextLikely, Visibility
from docaudit.reasons import BlindSpotKind

_MIN_LETTER_PX = 6
_MIN_LETTER_PT = 4.0
_TOUCH_PT = 1.5
_WHOLE_PAGE = 0.6

Readings = tuple[list[ImageFact], list[SpotFact], list[LineFact]]


@dataclass
class _Region:
    """Images that touch each other: scans are often cut into strips or tiles, which no letter respects."""

    box: Box
    members: list[int]


def read_images(
    page: pymupdf.Page, content: dict[str, Any], lines: list[LineFact], ocr: OcrReader | None
) -> Readings:
    """Facts, blind spots and OCR lines of all images of the page; without `ocr`, every image stays a blind spot."""
    rect = page.rect
    blocks = [block for block in content["blocks"] if block["type"] == 1]
    images = [_image(block, rect) for block in blocks]
    spots: list[SpotFact] = []
    ocr_lines: list[LineFact] = []
    for region in _regions(images, rect):
        share = _area(region.box) / max(rect.width * rect.height, 1.0)
        if ocr is None:
            spots.append(_unread(region, share, lines))
            continue
        reading = ocr.read_region(page, region.box, lines, key=_region_key(images, region))
        _note(images, region, reading)
        ocr_lines += reading.lines
        spots += _remaining(region, share, reading)
    return images, spots, ocr_lines


def _image(block: dict[str, Any], rect: pymupdf.Rect) -> ImageFact:
    box = pymupdf.Rect(block["bbox"]) & rect
    shown: Box = (box.x0, box.y0, box.x1, box.y1) if not box.is_empty else tuple(block["bbox"])
    return ImageFact(
        box=shown,
        width_px=int(block["width"]),
        height_px=int(block["height"]),
        image_hash=hashlib.blake2b(block["image"], digest_size=16).hexdigest(),
        area_share=0.0 if box.is_empty else min(1.0, _area(shown) / max(rect.width * rect.height, 1.0)),
    )


def _can_show_letters(image: ImageFact) -> bool:
    width, height = image.box[2] - image.box[0], image.box[3] - image.box[1]
    return (
        image.area_share > 0
        and min(image.width_px, image.height_px) >= _MIN_LETTER_PX
        and min(width, height) >= _MIN_LETTER_PT
    )


def _regions(images: list[ImageFact], rect: pymupdf.Rect) -> list[_Region]:
    """Images that touch, joined; what is too small to show a letter and touches nothing is left out."""
    regions: list[_Region] = []
    for index, image in enumerate(images):
        if image.area_share == 0:
            continue
        region = _Region(image.box, [index])
        touching = [other for other in regions if _touch(other.box, region.box)]
        for other in touching:
            region = _Region(_union(region.box, other.box), other.members + region.members)
            regions.remove(other)
        regions.append(region)
    kept = []
    for region in regions:
        whole = len(region.members) > 1 and min(_sides(region.box)) >= _MIN_LETTER_PT * 2
        if whole or any(_can_show_letters(images[index]) for index in region.members):
            kept.append(region)
    return kept


def _region_key(images: list[ImageFact], region: _Region) -> str:
    """Equal for regions that show the same images in the same size, so that a logo is read once."""
    sides = ",".join(f"{side:.0f}" for side in _sides(region.box))
    return sides + "|" + "|".join(images[index].image_hash for index in region.members)


def _note(images: list[ImageFact], region: _Region, reading: RegionReading) -> None:
    for index in region.members:
        image = images[index]
        image.ocr_state = reading.state
        image.ocr_text = "\n".join(line.text for line in reading.lines if _inside(line, image.box))
        image.ocr_confidence = reading.confidence


def _unread(region: _Region, share: float, lines: list[LineFact]) -> SpotFact:
    hidden = any(line.visibility == Visibility.INVISIBLE.value and _inside(line, region.box) for line in lines)
    whole_page = share >= _WHOLE_PAGE
    detail = f"{len(region.members)} image(s) covering {share:.0%} of the page"
    detail += "; the hidden text over it was not compared with the image" if hidden else ""
    kind = BlindSpotKind.IMAGE_ONLY_PAGE if whole_page and not lines else BlindSpotKind.IMAGE_NOT_READ
    likely = TextLikely.YES if whole_page else TextLikely.UNKNOWN
    return _spot(kind, likely, region.box, share, detail)


def _remaining(region: _Region, share: float, reading: RegionReading) -> list[SpotFact]:
    """What stays a blind spot after OCR."""
    if reading.state == "failed":
        return [_spot(BlindSpotKind.OCR_FAILED, TextLikely.UNKNOWN, region.box, share, reading.detail)]
    if reading.state == "uncertain":
        return [_spot(BlindSpotKind.OCR_UNCERTAIN, TextLikely.YES, region.box, share, reading.detail)]
    return []


def _spot(kind: BlindSpotKind, likely: TextLikely, box: Box, share: float, detail: str) -> SpotFact:
    return SpotFact(kind=kind.value, text_likely=likely.value, detail=detail, box=box, area_share=min(1.0, share))


def _inside(line: LineFact, box: Box) -> bool:
    if line.box is None:
        return False
    x, y = (line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _touch(one: Box, other: Box) -> bool:
    return (
        one[0] <= other[2] + _TOUCH_PT
        and other[0] <= one[2] + _TOUCH_PT
        and one[1] <= other[3] + _TOUCH_PT
        and other[1] <= one[3] + _TOUCH_PT
    )


def _union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _sides(box: Box) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _area(box: Box) -> float:
    width, height = _sides(box)
    return max(0.0, width) * max(0.0, height)
