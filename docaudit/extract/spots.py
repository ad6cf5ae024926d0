"""What of one page was not read, as far as text and drawings themselves show it; and the page's one state."""

from __future__ import annotations

import re

import pymupdf

from docaudit.extract.facts import Box, ImageFact, LineFact, SpotFact
from docaudit.location import PageState, TextLikely, Visibility
from docaudit.reasons import BlindSpotKind

_UNKNOWN = "\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\ue000-\uf8ff"
_UNREADABLE = re.compile(rf"[{_UNKNOWN}]{{2,}}|(?<=\w)[{_UNKNOWN}]|[{_UNKNOWN}](?=\w)")
"""Unknown glyphs in a row, or beside a letter. One alone between spaces is a bullet or a symbol, not a word."""

_DAMAGE = re.compile(
    r"zlib error|read error|cannot (?:draw|decode|find|load)|syntax error|unexpected|invalid|corrupt|ignoring|"
    r"format error|unknown keyword|premature|truncated|missing",
    re.IGNORECASE,
)
_LOOK_DPI = 36


def glyph_spots(lines: list[LineFact], page_rect: pymupdf.Rect) -> list[SpotFact]:
    """One blind spot for each line with glyphs whose Unicode value is not known."""
    area = max(page_rect.width * page_rect.height, 1.0)
    spots = []
    for line in lines:
        if line.text.isascii() and line.text.isprintable():
            continue
        found = _UNREADABLE.findall(line.text)
        if found:
            count = sum(len(part) for part in found)
            spots.append(
                SpotFact(
                    kind=BlindSpotKind.UNKNOWN_GLYPHS.value,
                    text_likely=TextLikely.YES.value,
                    detail=f"{count} of {len(line.text)} characters of a line have no known Unicode value",
                    box=line.box,
                    area_share=None if line.box is None else _area(line.box) / area,
                )
            )
    return spots


def vector_spot(page: pymupdf.Page, lines: list[LineFact], images: list[ImageFact]) -> list[SpotFact]:
    """A blind spot if the page has neither text nor image and yet is not white."""
    if lines or images:
        return []
    scale = min(1.0, 2000 / max(page.rect.width, page.rect.height, 1.0))
    zoom = _LOOK_DPI / 72 * scale
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY)
    if pixmap.is_unicolor:
        return []
    return [
        SpotFact(
            kind=BlindSpotKind.VECTOR_NOT_READ.value,
            text_likely=TextLikely.UNKNOWN.value,
            detail="the page shows drawings and no text",
            box=(page.rect.x0, page.rect.y0, page.rect.x1, page.rect.y1),
            area_share=1.0,
        )
    ]


def damage_spot(warnings: str) -> list[SpotFact]:
    """A blind spot for the page if the engine complained of damage while it read the page."""
    complaints = [row for row in warnings.splitlines() if _DAMAGE.search(row)]
    if not complaints:
        return []
    return [
        SpotFact(
            kind=BlindSpotKind.PAGE_DAMAGED.value,
            text_likely=TextLikely.UNKNOWN.value,
            detail="; ".join(dict.fromkeys(complaints)),
        )
    ]


def page_state(lines: list[LineFact], images: list[ImageFact], spots: list[SpotFact]) -> PageState:
    """The one state of the page.

    text: text, and nothing that may hold more; mixed: text, and images or regions that the text does not cover;
    image_only: images or drawings without any text layer (also if OCR read them); blank: nothing at all.
    """
    shown = [line for line in lines if line.visibility != Visibility.INVISIBLE.value]
    open_spots = any(spot.text_likely != TextLikely.NO.value and spot.box is not None for spot in spots)
    read_images = any(image.ocr_state in {"read", "uncertain", "failed"} for image in images)
    if shown:
        return PageState.MIXED if open_spots or read_images else PageState.TEXT
    if lines and not images:
        return PageState.TEXT
    if images or open_spots:
        return PageState.IMAGE_ONLY
    return PageState.BLANK


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])
