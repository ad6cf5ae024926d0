"""The parts of a justification as CSV, for spreadsheets: hits and blind spots."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from docaudit.evidence import BlindSpot, Hit
from docaudit.justification import AbsenceJustification
from docaudit.location import BBox, TextLikely
from docaudit.render.clean import csv_cell
from docaudit.snippets import with_ellipses

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
        writer.writerow(["" if cell is None else _cell(cell) for cell in row])
    return out.getvalue()


def _cell(value: object) -> object:
    return csv_cell(value) if isinstance(value, str) else value


def hit_row(hit: Hit) -> tuple[object, ...]:
    """The values of a hit in the order of HIT_COLUMNS."""
    fields = hit.model_dump(mode="json")
    fields["snippet"] = with_ellipses(hit.snippet, hit.match_text)
    return tuple((_side(hit.bbox, BOX.index(name)) if name in BOX else fields[name]) for name in HIT_COLUMNS)


def blind_spot_rows(spots: Iterable[BlindSpot], *, ocr: bool) -> Iterator[tuple[object, ...]]:
    """The values of each blind spot in the order of BLIND_SPOT_COLUMNS; `ocr` tells whether OCR was run."""
    return (_spot_row(spot, ocr) for spot in spots)


def _spot_row(spot: BlindSpot, ocr: bool) -> tuple[object, ...]:
    return (
        spot.page_num,
        *(_side(spot.bbox, side) for side in range(4)),
        spot.kind.value,
        spot.kind.meaning,
        spot.area_share,
        spot.text_likely.value,
        spot.detail,
        spot.kind.remedy_after(ocr=ocr) if spot.text_likely is not TextLikely.NO else "",
    )


def _side(box: BBox | None, side: int) -> float | None:
    return None if box is None else round(box[side], 2)
