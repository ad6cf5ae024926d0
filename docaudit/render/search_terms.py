"""The search-terms report: what became of every row of the concept table, as CSV and as a workbook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docaudit.justification import AbsenceJustification
from docaudit.render import view
from docaudit.render.tables import BLIND_SPOT_COLUMNS, blind_spot_rows, table_csv

TERM_COLUMNS = (
    *("concept", "variant", "match", "case", "inflect", "hits", "pages_with_hits", "unique_hits"),
    *("state", "detail", "pages_searched", "pages_not_searchable", "status"),
    *("source", "reference", "reviewer", "date", "note", "pattern"),
)
NOT_SEARCHED = "not_searched"
"""State of a row that is not accepted, and so was not looked for."""


class Sheet(NamedTuple):
    """One table of the workbook: name, columns, rows."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


def search_terms_csv(justification: AbsenceJustification) -> str:
    """One row for each variant of the concept table, found or not, searched or not."""
    return table_csv(TERM_COLUMNS, term_rows(justification))


def term_rows(justification: AbsenceJustification) -> Iterator[tuple[object, ...]]:
    """The values of each variant in the order of TERM_COLUMNS; counts are None where nothing was counted."""
    ledger = {(row.concept, row.variant): row for row in justification.ledger}
    table = justification.concept_table
    for variant in table.variants if table else ():
        row = ledger.get((variant.concept, variant.text))
        how = (variant.concept, variant.text, variant.match, variant.case, variant.inflect)
        who = (variant.source, variant.reference, variant.reviewer, variant.date, variant.note)
        if row is None:
            yield (*how, None, None, None, NOT_SEARCHED, "", None, None, variant.status, *who, "")
            continue
        yield (
            *how,
            *(row.hits, row.pages_with_hits, row.unique_hits, row.state.value, row.detail),
            *(row.pages_searched, row.pages_not_searchable, variant.status),
            *who,
            row.pattern,
        )


def sheets(justification: AbsenceJustification) -> list[Sheet]:
    """The tables of the workbook: terms, concepts, obligations, blind spots, document."""
    j = justification
    concepts = [
        (row.name, row.hits, ", ".join(map(str, row.pages)), row.uncertain, "yes" if row.required else "no")
        for row in view.concept_rows(j)
    ]
    obligations = [
        (
            *(check.obligation.value, check.state.value, check.evidence, ", ".join(map(str, check.pages))),
            *(check.remedy, check.waived_because or ""),
        )
        for check in j.obligations
    ]
    return [
        Sheet("terms", TERM_COLUMNS, list(term_rows(j))),
        Sheet("concepts", ("concept", "hits", "pages", "possible_hits", "required"), concepts),
        Sheet(
            "obligations",
            ("obligation", "state", "evidence", "pages", "remedy", "waived_because"),
            obligations,
        ),
        Sheet(
            "blind spots",
            BLIND_SPOT_COLUMNS,
            list(blind_spot_rows(j.blind_spots, ocr=j.options.ocr != "off")),
        ),
        Sheet("document", ("name", "value"), list(_document(j))),
    ]


def _document(j: AbsenceJustification) -> Iterator[tuple[str, object]]:
    yield "question", j.question or ""
    yield "finding", j.finding.value
    yield "reason", j.reason.value if j.reason else ""
    yield "strength", j.strength.value
    yield "explanation", j.absence_explanation
    if j.document is not None:
        yield "document", j.document.name
        yield "sha256", j.document.sha256
        yield "size_bytes", j.document.size_bytes
    if j.coverage is not None:
        yield from j.coverage.six_keys().items()
    yield "concept_table_fingerprint", j.concept_table_fingerprint
    yield "digest", j.digest
    yield "redacted", "yes" if j.redacted else "no"
    if j.document is not None:
        yield from ((f"version of {name}", version) for name, version in sorted(j.document.versions.items()))
    options = j.options.model_dump(mode="json")
    yield from ((f"option {name}", "" if value is None else str(value)) for name, value in options.items())
