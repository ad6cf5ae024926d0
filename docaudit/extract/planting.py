"""Plants phrases into a copy of a document, in the child process: each takes the place of a line that is there.

Which lines can be imitated, and which phrases would wipe each other out, is docaudit.extract.canary_plan's.
"""

from __future__ import annotations

import pymupdf

from docaudit.extract.boxes import without_edges
from docaudit.extract.facts import Box, PlantFact
from docaudit.location import Direction

_FONT = "helv"
_SMALLEST, _LARGEST = 4.0, 24.0
_DESCENT = 0.25
"""Share of a line's height that lies below its baseline."""
_DPI = 300
_KEEP = 0
"""PDF_REDACT_IMAGE_NONE, PDF_REDACT_LINE_ART_NONE: only text gives way."""
_ANGLES = {
    Direction.HORIZONTAL.value: 0,
    Direction.ROTATED_LEFT.value: 90,
    Direction.UPSIDE_DOWN.value: 180,
    Direction.ROTATED_RIGHT.value: 270,
    Direction.VERTICAL.value: 270,  # as words in Latin letters stand in vertical text
}


def plant(page: pymupdf.Page, fact: PlantFact) -> str:
    """Write the phrase over white in place of its lines; returns why that cannot be done, or nothing."""
    angle = _ANGLES[fact.direction]
    sizes = [
        _size(text, box, fact.size, upright=angle in (90, 270))
        for text, box in zip(fact.texts, fact.boxes, strict=True)
    ]
    if min(sizes) < _SMALLEST:
        return "there is no room for it"
    for box in fact.boxes:
        inner = pymupdf.Rect(without_edges(box))
        page.add_redact_annot(inner * page.derotation_matrix, fill=(1, 1, 1), cross_out=False)
    page.apply_redactions(images=_KEEP, graphics=_KEEP)
    for text, box in zip(fact.texts, fact.boxes, strict=True):
        if fact.picture:
            _draw(page, text, box, min(sizes))
        else:
            _write(page, text, box, min(sizes), angle)
    return ""


def _size(text: str, box: Box, size: float, *, upright: bool) -> float:
    """Size of the letters, points: that of the line, or less where the phrase would be longer than it."""
    across, down = box[2] - box[0], box[3] - box[1]
    length, height = (down, across) if upright else (across, down)
    wanted = min(size or height / 1.3, _LARGEST)
    return float(min(wanted, length / pymupdf.get_text_length(text, _FONT, 1)))


def _write(page: pymupdf.Page, text: str, box: Box, size: float, angle: int) -> None:
    x0, y0, x1, y1 = box
    below = _DESCENT * min(x1 - x0, y1 - y0)
    start = {0: (x0, y1 - below), 90: (x1 - below, y1), 180: (x1, y0 + below), 270: (x0 + below, y0)}[angle]
    turned = (angle + page.rotation) % 360
    point = pymupdf.Point(start) * page.derotation_matrix
    page.insert_text(point, text, fontsize=size, fontname=_FONT, rotate=turned)


def _draw(page: pymupdf.Page, text: str, box: Box, size: float) -> None:
    """The same as a picture, which only OCR can read."""
    width = pymupdf.get_text_length(text, _FONT, size)
    with pymupdf.open() as paper:
        sheet = paper.new_page(width=width, height=1.3 * size)
        sheet.insert_text((0, size), text, fontsize=size, fontname=_FONT)
        png = sheet.get_pixmap(dpi=_DPI).tobytes("png")
    place = pymupdf.Rect(box[0], box[3] - 1.3 * size, box[0] + width, box[3])
    page.insert_image(place * page.derotation_matrix, stream=png, rotate=-page.rotation % 360)
