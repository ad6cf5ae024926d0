"""Small evidence tables, made by the contracts of docaudit.tables, for the tests of everything that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from docaudit.codes import PageState
from docaudit.concepts.model import ConceptTable
from docaudit.cooccurrence import find_meetings
from docaudit.document import PARSED_TABLES, ParsedDocument, SweepResult
from docaudit.evidence import Evidence
from docaudit.justification import (
    AbsenceJustification,
    ControlGroup,
    DocumentIdentity,
    MissedControl,
    ParseCoverage,
)
from docaudit.justify import justify_absence
from docaudit.nearest import closest
from docaudit.options import AuditOptions
from docaudit.tables import BLIND_SPOT_DF, HIT_DF, LEDGER_DF, LINE_DF, PAGE_DF, TABLES

NAN = float("nan")
Line = tuple[int, int, str]


def lines(*texts: Line | str, **same: Any) -> pd.DataFrame:
    """line_df of (page, line, text); a bare text is the next line of page 1. Each line is its own block."""
    rows = []
    for number, given in enumerate(texts, start=1):
        page, line, text = (1, number, given) if isinstance(given, str) else given
        rows.append(
            {
                "page_num": page,
                "line_num": line,
                "text": text,
                "block_num": line,
                "line_type": "body",
                "source": "text_layer",
                "visibility": "visible",
                "direction": "horizontal",
                **same,
            }
        )
    return LINE_DF.build(rows)


def hit(concept: str, page: int, line: int, start: int, text: str, **fields: Any) -> dict[str, Any]:
    return {
        "concept": concept,
        "variant": text,
        "match_text": text,
        "match_kind": "exact",
        "page_num": page,
        "line_num": line,
        "char_start": start,
        "page_end": page,
        "line_end": line,
        "char_end": start + len(text),
        "snippet": text,
        "source": "text_layer",
        "visibility": "visible",
        **dict.fromkeys(("x0", "y0", "x1", "y1"), NAN),
        **fields,
    }


def hits_in(line_df: pd.DataFrame, table: ConceptTable) -> pd.DataFrame:
    """Hits of all variants by plain search, so that these tests do not lean on the sweep."""
    rows = []
    for page, line, text in zip(line_df["page_num"], line_df["line_num"], line_df["text"], strict=True):
        for variant in table.active:
            at = text.find(variant.text)
            while at >= 0:
                rows.append({**hit(variant.concept, page, line, at, variant.text), "snippet": text})
                at = text.find(variant.text, at + 1)
    return HIT_DF.build(rows)


def ledger(table: ConceptTable, pages: int, **fields: Any) -> pd.DataFrame:
    return LEDGER_DF.build(
        {
            "concept": v.concept,
            "variant": v.text,
            "pattern": v.text,
            "state": "searched",
            "pages_searched": pages,
            **fields,
        }
        for v in table.active
    )


def pages(count: int, **states: str) -> pd.DataFrame:
    """page_df; page_3="failed" sets the state of one page."""
    return PAGE_DF.build(
        {"page_num": n, "state": states.get(f"page_{n}", "text"), "ink_total": 1.0, "ink_read": 1.0}
        for n in range(1, count + 1)
    )


def spots(*rows: tuple[int, str, str]) -> pd.DataFrame:
    """blind_spot_df of (page, kind, text_likely)."""
    return BLIND_SPOT_DF.build(
        {"page_num": page, "kind": kind, "text_likely": likely, "detail": kind, "area_share": NAN}
        for page, kind, likely in rows
    )


def coverage(total: int, **fields: Any) -> ParseCoverage:
    given: dict[str, Any] = {
        "pages_total": total,
        "pages_with_text": total,
        "images_total": 0,
        "toc_entries": 0,
        "cross_refs_total": 0,
        "objects_registered": 0,
        "pages_by_state": {PageState.TEXT: total},
        "images_read": 0,
        "images_without_text": 0,
        "images_unread": 0,
        "unresolved_cross_refs": (),
        "external_refs": (),
        "page_label_gaps": (),
        "number_gaps": (),
        "contents_not_found": (),
        "pages_with_warnings": (),
        "words_second_reader_only": 0,
    }
    return ParseCoverage(**{**given, **fields})


def control_group(*missed: tuple[str, int], tried: int = 9, **fields: Any) -> ControlGroup:
    """A group of controls of which these words, on these pages, were not found."""
    lost = tuple(MissedControl(word=word, page_num=page) for word, page in missed)
    given = {"kind": "positive", "witness": "second_reader", "layout": "body", **fields}
    return ControlGroup(tried=tried, found=tried - len(lost), missed=lost, **given)


def identity(total: int) -> DocumentIdentity:
    return DocumentIdentity(
        name="report.pdf", sha256="0" * 64, size_bytes=1, pages_total=total, versions={"docaudit": "0"}
    )


def evidence(
    line_df: pd.DataFrame, table: ConceptTable, options: AuditOptions | None = None, total: int = 3
) -> dict[str, Any]:
    """The parts of the evidence on a document that was read in full."""
    options = options or AuditOptions()
    hit_df = hits_in(line_df, table)
    meetings = find_meetings(
        hit_df,
        line_df,
        table,
        scope=options.scope,
        window_words=options.window_words,
        required=options.required,
    )
    return {
        "identity": identity(total),
        "coverage": coverage(total),
        "page_df": pages(total),
        "blind_spot_df": spots(),
        "table": table,
        "hit_df": hit_df,
        "ledger_df": ledger(table, total),
        "cooccurrence_df": meetings,
        "nearest_df": closest(hit_df, line_df, table, meetings, limit=options.closest),
        "question": None,
        "options": options,
        "controls": (control_group(),),
    }


def justified(
    texts: Sequence[Line | str],
    concepts: Mapping[str, Sequence[str]],
    *,
    options: AuditOptions | None = None,
    **changed: Any,
) -> AbsenceJustification:
    table = ConceptTable.from_variants(concepts)
    return justify_absence(bundle(**{**evidence(lines(*texts), table, options), **changed}))


def bundle(*, table: ConceptTable, question: str | None, options: AuditOptions, **parts: Any) -> Evidence:
    """The evidence of which these are the parts; tables of the document that no check weighs are empty."""
    controls = parts.pop("controls")
    swept = {name: parts.pop(name) for name in ("hit_df", "ledger_df", "cooccurrence_df", "nearest_df")}
    empty = {name: TABLES[name].empty() for name in PARSED_TABLES}
    parsed = ParsedDocument(options=options, **{**empty, **parts})
    return Evidence(parsed, table, SweepResult(**swept), question, options, controls)
