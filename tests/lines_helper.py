"""Small tables of lines for tests."""

from __future__ import annotations

from typing import Any

import pandas as pd

from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.search import sweep_lines
from docaudit.tables import LINE_DF

NAN = float("nan")


def page_of(*texts: str, page: int = 1, start: int = 1, **same: Any) -> list[dict[str, Any]]:
    """Lines of one page, one under the other."""
    return [
        {
            "page_num": page,
            "line_num": start + place,
            "text": text,
            "line_type": "body",
            "block_num": 1,
            "x0": 72.0,
            "x1": 72.0 + 6.0 * len(text),
            "y0": 72.0 + 14 * place,
            "y1": 84.0 + 14 * place,
            "source": "text_layer",
            "visibility": "visible",
            "direction": "horizontal",
            "font_size": 11.0,
            "confidence": 100.0,
            **same,
        }
        for place, text in enumerate(texts)
    ]


def boxed(*cells: tuple[str, float, float, float], page: int = 1, **same: Any) -> list[dict[str, Any]]:
    """Lines at given places: text, x0, y0, width; in this order of reading, each its own block."""
    rows = []
    for place, (text, x0, y0, width) in enumerate(cells):
        row = page_of(text, page=page, start=place + 1)[0]
        rows.append(
            {**row, "x0": x0, "x1": x0 + width, "y0": y0, "y1": y0 + 12, "block_num": place + 1, **same}
        )
    return rows


def table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """line_df of these rows."""
    return LINE_DF.build(rows)


def hits(rows: list[dict[str, Any]] | pd.DataFrame, *variants: str, **how: Any) -> pd.DataFrame:
    """hit_df of these variants, each its own concept."""
    line_df = rows if isinstance(rows, pd.DataFrame) else table(rows)
    concepts = ConceptTable(
        variants=tuple(Variant(concept=text or "empty", text=text, **how) for text in variants)
    )
    pages = int(line_df["page_num"].max()) if len(line_df) else 0
    return sweep_lines(line_df, concepts, pages_total=pages)[0]


def kinds(rows: list[dict[str, Any]], variant: str, **how: Any) -> list[str]:
    """match_kind of each hit."""
    return hits(rows, variant, **how)["match_kind"].tolist()


def found(text: str, variant: str, **how: Any) -> list[str]:
    """match_text of each hit in a single line."""
    return hits(page_of(text), variant, **how)["match_text"].tolist()
