"""The parts of a justification as tables for spreadsheets: CSV, and the sheets of one workbook.

The same tables give the same bytes, and no cell is run as a formula. What became of every row of the concept table
stands in the table of search terms, in both forms.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from docaudit.codes import BBox, TextLikely
from docaudit.justification import AbsenceJustification, BlindSpot, Hit
from docaudit.render import view
from docaudit.render.language import csv_cell
from docaudit.text.words import with_ellipses

# Excel takes a CSV without this mark for its own code page, and shows Japanese as garbage.
BYTE_ORDER_MARK = "\ufeff"
BOX = ("x0", "y0", "x1", "y1")
HIT_COLUMNS = (
    "concept",
    "variant",
    "match_text",
    "match_kind",
    "page_num",
    "line_num",
    "page_end",
    "line_end",
    *BOX,
    "snippet",
    "source",
    "visibility",
    "part",
    "part_page",
    "section",
    "negated",
    "nested",
)
BLIND_SPOT_COLUMNS = ("page_num", *BOX, "kind", "meaning", "area_share", "text_likely", "detail", "remedy")


def hits_csv(hits: Iterable[Hit]) -> str:
    """One row for each hit, also when there is none: then the header says so."""
    return table_csv(HIT_COLUMNS, (hit_row(hit) for hit in hits))


def blind_spots_csv(justification: AbsenceJustification) -> str:
    """One row for each blind spot, with what its kind means and what would settle it."""
    return table_csv(
        BLIND_SPOT_COLUMNS, blind_spot_rows(justification.blind_spots, ocr=justification.options.ocr != "off")
    )


def table_csv(columns: Sequence[str] | None, rows: Iterable[Sequence[object]]) -> str:
    """CSV (RFC 4180, but newlines as this system writes them) that a spreadsheet cannot run as formulas.

    Without columns there is no header: rows to be added to a table that has one.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if columns is not None:
        writer.writerow(columns)
    for row in rows:
        cells = ["" if cell is None else cell for cell in row]
        writer.writerow([csv_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    return out.getvalue()


def hit_row(hit: Hit) -> tuple[object, ...]:
    """The values of a hit in the order of HIT_COLUMNS."""
    fields = hit.model_dump(mode="json")
    fields["snippet"] = with_ellipses(hit.snippet, hit.match_text)
    fields |= dict(zip(BOX, _sides(hit.bbox), strict=True))
    return tuple(fields[name] for name in HIT_COLUMNS)


def blind_spot_rows(spots: Iterable[BlindSpot], *, ocr: bool) -> Iterator[tuple[object, ...]]:
    """The values of each blind spot in the order of BLIND_SPOT_COLUMNS; `ocr` tells whether OCR was run."""
    for spot in spots:
        yield (
            spot.page_num,
            *_sides(spot.bbox),
            spot.kind.value,
            spot.kind.meaning,
            spot.area_share,
            spot.text_likely.value,
            spot.detail,
            spot.kind.remedy_after(ocr=ocr) if spot.text_likely is not TextLikely.NO else "",
        )


def _sides(box: BBox | None) -> tuple[float | None, ...]:
    return (None,) * 4 if box is None else tuple(round(side, 2) for side in box)


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
    if j.model_remark:
        yield "model_remark", j.model_remark
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
