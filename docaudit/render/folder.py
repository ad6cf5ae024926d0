"""A justification as a folder: JSON to keep, HTML and Markdown to read, tables for spreadsheets, a record for files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from docaudit import atomic
from docaudit.justification import AbsenceJustification
from docaudit.readability import RegionPicture
from docaudit.render import html, markdown, search_record, search_terms, tables
from docaudit.render.tongue import Language
from docaudit.render.workbook import workbook
from docaudit.saved import dump

# Excel takes a CSV without this mark for its own code page, and shows Japanese as garbage.
BYTE_ORDER_MARK = "\ufeff"
ANNOTATED = "annotated.pdf"
JSON = "justification.json"


def write_folder(
    justification: AbsenceJustification,
    folder: Path,
    *,
    language: Language | None = None,
    searched_on: dt.date | None = None,
    pictures: Sequence[RegionPicture] = (),
    annotated: Path | None = None,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Write every form of a justification; raises OutputError.

    Everything is rendered before the first file is written, and the files appear together or not at all. An annotated
    PDF that an earlier report left there is removed where none is made: it may show another audit.

    Args:
        justification: What is reported.
        folder: Where to; made if it is not there.
        language: Language of report and record; that of the explanation if None.
        searched_on: Day of the search, for the record.
        pictures: Pictures of regions that were not read.
        annotated: The annotated copy of the document, to be copied into the folder.
        notes: What the reader must know of this report itself.
    """
    j = justification
    files: dict[str, atomic.Content] = {
        JSON: dump(j),
        "report.html": html.to_html(j, language, pictures=pictures, notes=notes),
        "report.md": markdown.to_markdown(j, language),
        "search-record.md": search_record.to_search_record(j, language, searched_on=searched_on),
        "search-terms.xlsx": workbook(search_terms.sheets(j)),
        "search-terms.csv": BYTE_ORDER_MARK + search_terms.search_terms_csv(j),
        "hits.csv": BYTE_ORDER_MARK + tables.hits_csv(j.hits),
        "blind_spots.csv": BYTE_ORDER_MARK + tables.blind_spots_csv(j),
    }
    if annotated is not None:
        files[ANNOTATED] = annotated
    written = atomic.write_files(folder, files)
    if annotated is None:
        atomic.remove(folder / ANNOTATED)
    return written
