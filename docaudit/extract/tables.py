"""From what the child process reported to the first tables: page_df, line_df, image_df and the raw blind spots."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pandas as pd

from docaudit.extract.facts import Box, DocumentFact, LineFact, PageFact, SpotFact
from docaudit.frames import BLIND_SPOT_DF, IMAGE_DF, LINE_DF, PAGE_DF
from docaudit.location import DOCUMENT_PAGE, LineType

_SCRIPTS = {
    "LATIN": "latin",
    "CJK": "cjk",
    "HIRAGANA": "cjk",
    "KATAKANA": "cjk",
    "HANGUL": "cjk",
    "CYRILLIC": "cyrillic",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "HEBREW": "hebrew",
}
_SAMPLE = 400
_PAGES_AT_ONCE = 500
"""Rows of so many pages become a table at a time: as rows they take many times the room."""


def page_table(pages: list[PageFact]) -> pd.DataFrame:
    """PAGE_DF: one row for each page, whatever became of it."""
    nan = math.nan
    return PAGE_DF.build(
        {
            "page_num": page.page_num,
            "page_label": page.label,
            "width_pt": page.width,
            "height_pt": page.height,
            "rotation": page.rotation,
            "state": page.state,
            "n_lines": len(page.lines),
            "n_chars": sum(len(line.text) - line.text.count(" ") for line in page.lines),
            "n_images": len(page.images),
            "ink_total": nan if page.ink_total is None else page.ink_total,
            "ink_read": nan if page.ink_read is None else page.ink_read,
            "ink_unread": nan if page.ink_unread is None else page.ink_unread,
            "script": script_of("".join(line.text for line in page.lines[:20])),
            "warnings": page.warnings,
            "words_first_only": nan if page.words_first_only is None else page.words_first_only,
            "words_second_only": nan if page.words_second_only is None else page.words_second_only,
        }
        for page in pages
    )


def line_table(document: DocumentFact, pages: list[PageFact]) -> pd.DataFrame:
    """LINE_DF with every line still of type body: lines of the document first (page 0), then page after page."""
    beside: dict[int, list[LineFact]] = defaultdict(list)
    for page_num, line in document.lines:
        beside[page_num].append(line)
    parts = [LINE_DF.build(_lines(DOCUMENT_PAGE, beside[DOCUMENT_PAGE]))]
    for some in (pages[at : at + _PAGES_AT_ONCE] for at in range(0, len(pages), _PAGES_AT_ONCE)):
        parts.append(
            LINE_DF.build(
                row for page in some for row in _lines(page.page_num, page.lines + beside[page.page_num])
            )
        )
    return pd.concat(parts, ignore_index=True)


def image_table(pages: list[PageFact]) -> pd.DataFrame:
    """IMAGE_DF of all pages."""
    return IMAGE_DF.build(
        {
            "page_num": page.page_num,
            "image_num": number,
            **_sides(image.box),
            "width_px": image.width_px,
            "height_px": image.height_px,
            "image_hash": image.image_hash,
            "area_share": image.area_share,
            "ocr_state": image.ocr_state,
            "ocr_text": image.ocr_text,
            "ocr_confidence": math.nan if image.ocr_confidence is None else image.ocr_confidence,
        }
        for page in pages
        for number, image in enumerate(page.images, 1)
    )


def spot_table(document: DocumentFact, pages: list[PageFact]) -> pd.DataFrame:
    """BLIND_SPOT_DF: those of the document first, then page after page."""
    found = list(document.spots)
    found += [(page.page_num, spot) for page in pages for spot in page.spots]
    return BLIND_SPOT_DF.build(_spot(page_num, spot) for page_num, spot in found)


def script_of(text: str) -> str:
    """The script of most letters of a text; "none" without any."""
    scripts: Counter[str] = Counter()
    for letter, count in Counter(islice(filter(str.isalpha, text), _SAMPLE)).items():
        scripts[_script_of_letter(letter)] += count
    return scripts.most_common(1)[0][0] if scripts else "none"


@cache
def _script_of_letter(letter: str) -> str:
    return _SCRIPTS.get(unicodedata.name(letter, "OTHER").split()[0].split("-")[0], "other")


def _lines(page_num: int, lines: list[LineFact]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        yield {
            "page_num": page_num,
            "line_num": number,
            "text": line.text,
            "line_type": LineType.BODY.value,
            "block_num": line.block,
            **_sides(line.box),
            "source": line.source,
            "visibility": line.visibility,
            "part": line.part,
            "part_page": line.part_page,
            "direction": line.direction,
            "font_size": line.size or math.nan,
            "bold": line.bold,
            "confidence": line.confidence,
        }


def _spot(page_num: int, spot: SpotFact) -> dict[str, Any]:
    return {
        "page_num": page_num,
        **_sides(spot.box),
        "kind": spot.kind,
        "area_share": math.nan if spot.area_share is None else spot.area_share,
        "text_likely": spot.text_likely,
        "detail": spot.detail,
    }


def _sides(box: Box | None) -> dict[str, float]:
    return dict(zip(("x0", "y0", "x1", "y1"), box or (math.nan,) * 4, strict=True))
