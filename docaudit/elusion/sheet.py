"""The filled-in sheet of a sample, as people save it: CSV in any separator and encoding of Excel, or a workbook."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from docaudit.concept_table.text import decode
from docaudit.errors import ConceptTableError, SampleError

COLUMNS = ("sample_id", "page_num", "stratum", "found", "what", "note", "reviewer", "date")
NEEDED = ("sample_id", "page_num", "found")
_SEPARATORS = ",;\t"
_MOST_BYTES = 64 << 20
_MOST_CELLS = 2_000_000
_REMEDY = "fill in the sheet that docaudit sample wrote, and save it as CSV (UTF-8) or XLSX"


@dataclass(frozen=True)
class SheetRow:
    """One row as it was filled in; `number` counts as spreadsheets do."""

    number: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


def read_rows(path: Path) -> list[SheetRow]:
    """The rows under the head, empty ones left out; raises SampleError if the file is no such sheet."""
    file = str(path)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise SampleError("is larger than any sheet of a sample", file=file, remedy=_REMEDY)
        data = path.read_bytes()
    except OSError as error:
        raise SampleError(
            f"cannot be read: {error.strerror or error}", file=file, remedy="name the filled-in sheet"
        ) from error
    lines = _workbook(data, file) if path.suffix.lower() in (".xlsx", ".xlsm") else _separated(data, file)
    filled = [(number, cells) for number, cells in lines if any(cells)]
    if not filled:
        raise SampleError("is empty", file=file, remedy=_REMEDY)
    return _rows(filled, file)


def _rows(filled: Sequence[tuple[int, list[str]]], file: str) -> list[SheetRow]:
    head = [_name(cell) for cell in filled[0][1]]
    problems = [f"column {name} is missing" for name in NEEDED if name not in head]
    problems += [f"column {name} stands there twice" for name in COLUMNS if head.count(name) > 1]
    problems += [
        f"row {number} has {len(cells)} cells, the head {len(head)}: quote a cell that holds the separator"
        for number, cells in filled[1:]
        if any(cells[len(head) :])
    ]
    if problems:
        raise SampleError(
            "is not a sheet of a sample",
            file=file,
            problems=tuple(problems),
            remedy=f"columns are {', '.join(COLUMNS)}",
        )
    return [SheetRow(number, dict(zip(head, cells, strict=False))) for number, cells in filled[1:]]


def _name(cell: str) -> str:
    return unicodedata.normalize("NFKC", cell).strip().casefold()


def _separated(data: bytes, file: str) -> list[tuple[int, list[str]]]:
    try:
        text = decode(data, file)
    except ConceptTableError as error:
        raise SampleError(error.cause, file=file, remedy=_REMEDY) from error
    text = text.removeprefix("\ufeff")
    skipped = 0
    if text[:4].casefold() == "sep=":  # Excel's own line that names the separator
        text, skipped = text.partition("\n")[2], 1
    head = text.lstrip().partition("\n")[0]
    separator = max(
        _SEPARATORS, key=lambda mark: sum(_name(c.strip('" \r')) in COLUMNS for c in head.split(mark))
    )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = [[cell.strip() for cell in cells] for cells in reader]
    except csv.Error as error:
        row = reader.line_num + skipped
        raise SampleError(f"line {row} is not CSV: {error}", file=file, remedy=_REMEDY) from error
    return list(enumerate(rows, 1 + skipped))


def _workbook(data: bytes, file: str) -> list[tuple[int, list[str]]]:
    from openpyxl import load_workbook

    try:
        sheet = load_workbook(io.BytesIO(data), data_only=True).worksheets[0]
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            raise ValueError(f"it goes to row {sheet.max_row:,} and column {sheet.max_column:,}")
        rows = [[_shown(cell) for cell in row] for row in sheet.values]
    except Exception as error:
        raise SampleError(f"is no workbook that can be read: {error}", file=file, remedy=_REMEDY) from error
    return list(enumerate(rows, 1))


def _shown(cell: Any) -> str:
    """A cell as a person reads it: 12 and not 12.0, and a day without its hours."""
    if cell is None:
        return ""
    if isinstance(cell, datetime | date):
        return cell.strftime("%Y-%m-%d")
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()
