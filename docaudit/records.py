"""Rows of the evidence tables as parts of a justification: none capped, unknown numbers as null."""

from __future__ import annotations

import math
from collections.abc import Set
from typing import Any

import pandas as pd

from docaudit.concept_table.cells import JOINER
from docaudit.evidence import BlindSpot, Hit, LedgerRow, Meeting, Mention, PageFact
from docaudit.location import BBox

_Part = type[PageFact] | type[Hit] | type[LedgerRow] | type[BlindSpot] | type[Mention] | type[Meeting]


def hits(hit_df: pd.DataFrame) -> tuple[Hit, ...]:
    """HIT_DF as hits, possible misreadings of OCR included."""
    return tuple(Hit.model_validate(_with_box(row, Hit)) for row in _rows(hit_df))


def blind_spots(blind_spot_df: pd.DataFrame) -> tuple[BlindSpot, ...]:
    """BLIND_SPOT_DF as blind spots."""
    return tuple(BlindSpot.model_validate(_with_box(row, BlindSpot)) for row in _rows(blind_spot_df))


def page_facts(page_df: pd.DataFrame) -> tuple[PageFact, ...]:
    """PAGE_DF as the pages of a justification."""
    return tuple(PageFact.model_validate(_only(row, PageFact)) for row in _rows(page_df))


def ledger_rows(ledger_df: pd.DataFrame) -> tuple[LedgerRow, ...]:
    """LEDGER_DF as rows of the ledger."""
    return tuple(LedgerRow.model_validate(_only(row, LedgerRow)) for row in _rows(ledger_df))


def meetings(cooccurrence_df: pd.DataFrame) -> tuple[Meeting, ...]:
    """COOCCURRENCE_DF as meetings, their concepts apart again."""
    return tuple(
        Meeting.model_validate({**_only(row, Meeting), "concepts": tuple(row["concepts"].split(JOINER))})
        for row in _rows(cooccurrence_df)
    )


def mentions(nearest_df: pd.DataFrame, kinds: Set[str]) -> tuple[Mention, ...]:
    """The rows of NEAREST_DF of these kinds as mentions."""
    return tuple(
        Mention.model_validate(_only(row, Mention)) for row in _rows(nearest_df) if row["kind"] in kinds
    )


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    # As to_dict("records") gives them, which takes its time with every cell.
    names = [str(name) for name in table.columns]
    cells = zip(*(table[name].tolist() for name in table.columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in cells]


def _only(row: dict[str, Any], part: _Part) -> dict[str, Any]:
    """The columns that the part has; NaN is null, as JSON knows no NaN."""
    known = {key: value for key, value in row.items() if key in part.model_fields}
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value for key, value in known.items()
    }


def _with_box(row: dict[str, Any], part: _Part) -> dict[str, Any]:
    sides = [float(row[name]) for name in ("x0", "y0", "x1", "y1")]
    box: BBox | None = (
        None if any(math.isnan(side) for side in sides) else (sides[0], sides[1], sides[2], sides[3])
    )
    return {**_only(row, part), "bbox": box}
