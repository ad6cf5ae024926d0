"""Concept tables in Excel workbooks: what a person sees in the cells is what is meant, or it is named as a problem.

Merged cells count for every row that they span. A formula counts with the value that Excel computed; one without is a
problem, as its row would otherwise be lost. A number that is shown in another form than it is stored (007, 50 %) is a
problem where keywords stand: which of the two is meant, only a person knows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from docaudit.concept_table.grid import RawGrid, blank, grid, layout
from docaudit.concept_table.rows import RawTable
from docaudit.errors import ConceptTableError, OutputError

_PLAIN_FORMATS = frozenset({"General", "@", "0", "GENERAL", "Standard"})
_EXACT_DIGITS = 15
_MOST_CELLS = 5_000_000
"""One cell far away makes a sheet of billions of empty ones, and each would be looked at."""


def read_sheet(data: bytes, file: str) -> RawTable:
    """The rows of the sheet that holds the table; raises ConceptTableError where there is none."""
    book, written = _books(data, file)
    sheets = [sheet for sheet in written.worksheets if any(cell for row in sheet.values for cell in row)]
    if not sheets:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    tables = [sheet for sheet in sheets if _has_head(sheet)] or sheets
    problems: list[str] = []
    rows = _rows(book[tables[0].title], tables[0], problems)
    table = grid(enumerate(rows, start=1), file)
    for sheet in tables[1:] if _has_head(tables[0]) else []:
        problems.append(f"sheet '{sheet.title}' is a table too: keep all rows in one sheet")
    table.problems += problems
    return table


def _books(data: bytes, file: str) -> tuple[Any, Any]:
    """The workbook with the values that Excel computed, and the one with formulas as they were written."""
    from openpyxl import load_workbook  # most tables are CSV, and it takes a tenth of a second

    try:
        written = load_workbook(io.BytesIO(data))
        _check_sizes(written, file)
        formulas = any(cell.data_type == "f" for sheet in written.worksheets for row in sheet for cell in row)
        return load_workbook(io.BytesIO(data), data_only=True) if formulas else written, written
    except ConceptTableError:
        raise
    except Exception as error:  # openpyxl lets through whatever zipfile and its XML parsers raise
        raise ConceptTableError(
            f"is not an Excel workbook: {error}", file=file, remedy="save it as .xlsx or as CSV"
        ) from error


def _check_sizes(book: Any, file: str) -> None:
    for sheet in book.worksheets:
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            raise ConceptTableError(
                f"sheet '{sheet.title}' goes to row {sheet.max_row:,} and column {sheet.max_column:,}",
                file=file,
                remedy="delete the empty rows and columns in Excel, or save the table as CSV",
            )


def _rows(values: Any, written: Any, problems: list[str]) -> list[list[Any]]:
    """The cells of a sheet as they are meant, row by row, and what cannot be known of them."""
    rows = [list(cells) for cells in values.values]
    head = next((number for number, cells in enumerate(rows) if not all(map(blank, cells))), 0)
    keywords = {
        at
        for at, name in enumerate(rows[head] if rows else [])
        if str(name).strip().casefold() in ("concept", "variant", "variants", "text")
    }
    for row in written.iter_rows():
        for cell in row:
            problem = _problem(cell, rows[cell.row - 1][cell.column - 1], cell.column - 1 in keywords)
            if problem:
                problems.append(f"row {cell.row}, cell {cell.coordinate}: {problem}")
    for area in written.merged_cells.ranges:
        if area.min_col != area.max_col:
            problems.append(f"row {area.min_row}, cells {area.coord}: are merged over columns: unmerge them")
            continue
        for number in range(area.min_row, area.max_row):
            rows[number][area.min_col - 1] = rows[area.min_row - 1][area.min_col - 1]
    return rows


def _problem(cell: Any, value: Any, keyword: bool) -> str:
    if cell.data_type == "f" and value is None:
        return "holds a formula that was never computed: open and save it in Excel, or write the text"
    if isinstance(value, str) and value.startswith("#") and (cell.data_type == "e" or cell.data_type == "f"):
        return f"holds the error {value}"
    if not keyword or isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    if len(str(abs(int(value)))) > _EXACT_DIGITS:
        return (
            "holds a number of more than 15 digits, which Excel rounds: format it as text and write it again"
        )
    if cell.number_format not in _PLAIN_FORMATS and not cell.is_date:
        return f"holds {value}, shown in the format {cell.number_format}: format it as text and write what is meant"
    return ""


def _has_head(sheet: Any) -> bool:
    filled = (row for row in sheet.values if any(not blank(cell) for cell in row))
    return "concept" in {str(cell).strip().casefold() for cell in next(filled, ())}


def write_sheet(path: Path, rows: Sequence[Mapping[str, str]]) -> bytes:
    """A workbook with these rows: the one under this name with its other sheets and its widths, or a new one."""
    from openpyxl.utils.exceptions import IllegalCharacterError

    book, sheet, head = _sheet_of(path)
    written = [cell.value for cell in sheet[head]] if head else []
    form = layout(RawGrid(tuple("" if blank(name) else str(name) for name in written)), rows)
    for area in list(sheet.merged_cells.ranges):
        sheet.unmerge_cells(area.coord)
    first = head or 1
    try:
        for number, cells in enumerate(_cells(form, rows), start=first):
            for column, value in enumerate(cells, start=1):
                cell = sheet.cell(number, column)
                cell.value = value or None
                if value:
                    cell.data_type = "s"  # a variant that begins with = is text, not a formula
    except IllegalCharacterError as error:
        raise OutputError(
            "a workbook cannot hold a control character of a variant",
            file=str(path),
            remedy="save as CSV or JSON",
        ) from error
    for row in sheet.iter_rows(min_row=first, min_col=len(form) + 1):
        for cell in row:
            cell.value = None
    if sheet.max_row > first + len(rows):
        sheet.delete_rows(first + len(rows) + 1, sheet.max_row - first - len(rows))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _cells(form: Sequence[tuple[str, str]], rows: Sequence[Mapping[str, str]]) -> Iterator[list[str]]:
    yield [written for written, _ in form]
    for row in rows:
        yield [row.get(column, "") for _, column in form]


def _sheet_of(path: Path) -> tuple[Any, Any, int]:
    """Workbook, sheet and row of the head; a new workbook with head 0 where no table stands under this name."""
    from openpyxl import Workbook

    try:
        _, book = _books(path.read_bytes(), str(path))
    except (OSError, ConceptTableError):
        book = None  # nothing is there to be kept
    for sheet in book.worksheets if book else []:
        if _has_head(sheet):
            filled = (n for n, cells in enumerate(sheet.values, 1) if not all(map(blank, cells)))
            return book, sheet, next(filled)
    new = Workbook()
    made = new.active
    assert made is not None, "a new workbook has one sheet"
    made.title = "concepts"
    return new, made, 0
