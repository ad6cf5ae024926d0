"""A justification as a folder: JSON to keep, HTML to read, CSV for spreadsheets."""

from __future__ import annotations

from pathlib import Path

from docaudit import atomic
from docaudit.justification import AbsenceJustification
from docaudit.render import html, tables
from docaudit.saved import dump

# Excel takes a CSV without this mark for its own code page, and shows Japanese as garbage.
BYTE_ORDER_MARK = "\ufeff"


def write_folder(justification: AbsenceJustification, folder: Path) -> list[Path]:
    """Write justification.json, report.html, hits.csv and blind_spots.csv; raises OutputError.

    Everything is rendered before the first file is written, and the files appear together or not at all.
    """
    texts = {
        "justification.json": dump(justification),
        "report.html": html.to_html(justification),
        "hits.csv": BYTE_ORDER_MARK + tables.hits_csv(justification.hits),
        "blind_spots.csv": BYTE_ORDER_MARK + tables.blind_spots_csv(justification),
    }
    return atomic.write_texts(folder, texts)
