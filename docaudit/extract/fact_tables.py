"""From what the child process reported to the first tables: page_df, line_df, image_df and blind_spot_df."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pandas as pd

from docaudit.codes import DOCUMENT_PAGE, LineType
from docaudit.extract.protocol import Box, DocumentFact, LineFact, PageReading
from docaudit.tables import BLIND_SPOT_DF, IMAGE_DF, LINE_DF, PAGE_DF

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
_SAMPLE_LINES, _SAMPLE_LETTERS = 20, 400
"""What of a page tells its script; chosen for time."""
_PAGES_AT_ONCE = 500
"""Rows of so many pages become a table at a time: as rows they take many times the memory."""


def page_table(pages: list[PageReading]) -> pd.DataFrame:
    """PAGE_DF: one row for each page, whatever became of it."""
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
            "ink_total": _number(page.ink_total),
            "ink_read": _number(page.ink_read),
            "ink_unread": _number(page.ink_unread),
            "script": script_of("".join(line.text for line in page.lines[:_SAMPLE_LINES])),
            "warnings": page.warnings,
            "words_first_only": _number(page.words_first_only),
            "words_second_only": _number(page.words_second_only),
        }
        for page in pages
    )


def line_table(document: DocumentFact, pages: list[PageReading]) -> pd.DataFrame:
    """LINE_DF with every line still of type body: lines of the document first (page 0), then page after page."""
    beside: dict[int, list[LineFact]] = defaultdict(list)
    for page_num, line in document.lines:
        beside[page_num].append(line)
    parts = [LINE_DF.build(_line_rows(DOCUMENT_PAGE, beside[DOCUMENT_PAGE]))]
    for start in range(0, len(pages), _PAGES_AT_ONCE):
        rows = (
            row
            for page in pages[start : start + _PAGES_AT_ONCE]
            for row in _line_rows(page.page_num, page.lines + beside[page.page_num])
        )
        parts.append(LINE_DF.build(rows))
    return pd.concat(parts, ignore_index=True)


def _line_rows(page_num: int, lines: list[LineFact]) -> Iterator[dict[str, Any]]:
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


def image_table(pages: list[PageReading]) -> pd.DataFrame:
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
            "ocr_confidence": _number(image.ocr_confidence),
        }
        for page in pages
        for number, image in enumerate(page.images, 1)
    )


def spot_table(document: DocumentFact, pages: list[PageReading]) -> pd.DataFrame:
    """BLIND_SPOT_DF: those of the document first, then page after page."""
    spots = [*document.spots, *((page.page_num, spot) for page in pages for spot in page.spots)]
    return BLIND_SPOT_DF.build(
        {
            "page_num": page_num,
            **_sides(spot.box),
            "kind": spot.kind,
            "area_share": _number(spot.area_share),
            "text_likely": spot.text_likely,
            "detail": spot.detail,
        }
        for page_num, spot in spots
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _sides(box: Box | None) -> dict[str, float]:
    return dict(zip(("x0", "y0", "x1", "y1"), box or (math.nan,) * 4, strict=True))


def script_of(text: str) -> str:
    """The script of most letters of a text; "none" without any."""
    scripts: Counter[str] = Counter()
    for letter, count in Counter(islice(filter(str.isalpha, text), _SAMPLE_LETTERS)).items():
        scripts[_script_of_letter(letter)] += count
    return scripts.most_common(1)[0][0] if scripts else "none"


@cache
def _script_of_letter(letter: str) -> str:
    return _SCRIPTS.get(unicodedata.name(letter, "OTHER").split()[0].split("-")[0], "other")
