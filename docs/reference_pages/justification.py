"""The page about the saved justification: its fields, those of its parts, and their values."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel

from docaudit import tables
from docaudit.codes import AbsenceReason, ChunkPlace, Finding, ObligationState, RetrievalVerdict, Strength
from docaudit.justification import (
    AbsenceJustification,
    BlindSpot,
    ChunkFact,
    ControlGroup,
    DocumentIdentity,
    ExplanationRecord,
    Hit,
    LedgerRow,
    Meeting,
    Mention,
    MissedControl,
    MissedHit,
    ObligationCheck,
    PageFact,
    ParseCoverage,
    RetrievalCheck,
)
from reference_pages.markdown import meanings, page, row, table
from reference_pages.source import annotations

HEAD = """# Fields of a justification

What `docaudit audit --json` prints and `justification.json` holds, as JSON; in a program the same fields of the frozen
model `docaudit.AbsenceJustification`. The JSON Schema is schemas/absence_justification.schema.json.
How to read it, with an example: [read-a-justification.md](../read-a-justification.md).

This page is written by docs/generate.py from docaudit/justification.py.
"""
# The parts, in the order in which a reader meets them, each with the table that describes columns of the same names.
PARTS: tuple[tuple[type[BaseModel], tables.TableContract | None], ...] = (
    (AbsenceJustification, None),
    (ObligationCheck, None),
    (ExplanationRecord, None),
    (DocumentIdentity, None),
    (ParseCoverage, None),
    (PageFact, tables.PAGE_DF),
    (BlindSpot, tables.BLIND_SPOT_DF),
    (Hit, tables.HIT_DF),
    (Meeting, tables.COOCCURRENCE_DF),
    (Mention, tables.NEAREST_DF),
    (LedgerRow, tables.LEDGER_DF),
    (ControlGroup, None),
    (MissedControl, tables.WITNESS_DF),
    (RetrievalCheck, None),
    (MissedHit, tables.HIT_DF),
    (ChunkFact, None),
)
VALUES: tuple[type[StrEnum], ...] = (
    Finding,
    AbsenceReason,
    Strength,
    ObligationState,
    RetrievalVerdict,
    ChunkPlace,
)


def justification_text() -> str:
    """The reference page of the saved justification."""
    lines = [HEAD]
    for model, contract in PARTS:
        summary, said = meanings(model)
        columns = {column.name: column.meaning for column in contract.fields} if contract else {}
        lines += [f"## {model.__name__}", "", summary, "", *table("field", "type", "meaning")]
        types = annotations(model)
        for name in model.model_fields:
            meaning = said.get(name) or columns.get(name) or SHARED.get(name, "")
            lines.append(row(f"`{name}`", f"`{types[name]}`", meaning))
        lines.append("")
    lines += ["## Values", "", *table("kind", "values")]
    lines += [row(f"`{one.__name__}`", ", ".join(f"`{value.value}`" for value in one)) for one in VALUES]
    return page(lines)


SHARED = {
    "bbox": "left, top, right and bottom, in points from the top left corner of the page; null if there is none"
}
