"""Tables as one Excel file (extra xlsx). The same tables give the same bytes, and no cell is run as a formula."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterable
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from docaudit.render.language import safe
from docaudit.render.tables import Sheet

# Limits of XLSX.
_LONGEST_CELL = 32_767
_MOST_ROWS = 1_048_576
_WIDEST = 60
"""Characters of a column before its text wraps (chosen, not measured)."""
_FIRST_DAY = dt.datetime(1980, 1, 1)
_BOLD, _PLAIN, _WRAPPED = (
    Font(bold=True),
    Alignment(vertical="top"),
    Alignment(vertical="top", wrap_text=True),
)
_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*")


def workbook(tables: Iterable[Sheet]) -> bytes:
    """An XLSX file with one sheet for each table: header in bold and always in sight, columns as wide as their text."""
    book = Workbook(write_only=True)
    book.properties.creator = "docaudit"
    book.properties.created = _FIRST_DAY
    for table in tables:
        _add(book.create_sheet(table.name), table)
    out = io.BytesIO()
    book.save(out)
    return _without_the_time(out.getvalue())


def _add(sheet: Any, table: Sheet) -> None:
    sheet.freeze_panes = "A2"
    for number, column in enumerate(table.columns):
        longest = max((len(_text(row[number])) for row in table.rows), default=0)
        width = min(max(longest, len(column)) + 2, _WIDEST)
        sheet.column_dimensions[get_column_letter(number + 1)].width = width
    kept = table.rows[: _MOST_ROWS - 2]
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(table.columns))}{len(kept) + 1}"
    sheet.append([_cell(sheet, name, bold=True) for name in table.columns])
    for row in kept:
        sheet.append([_cell(sheet, value) for value in row])
    if len(kept) < len(table.rows):
        left = len(table.rows) - len(kept)
        sheet.append(
            [_cell(sheet, f"{left:,} more rows do not fit into a sheet: justification.json has them all")]
        )


def _cell(sheet: Any, value: object, *, bold: bool = False) -> Any:
    """A cell; text is text, whatever it begins with, and is not turned into a formula when someone edits it."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return WriteOnlyCell(sheet, value=value)
    text = _text(value)
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    cell.quotePrefix = text[:1] in tuple("=+-@\t\r")
    cell.alignment = _WRAPPED if len(text) > _WIDEST else _PLAIN
    if bold:
        cell.font = _BOLD
    return cell


def _text(value: object) -> str:
    text = "" if value is None else safe(str(value))
    if len(text) <= _LONGEST_CELL:
        return text
    note = f" … ({len(text):,} characters in all: see justification.json)"
    return text[: _LONGEST_CELL - len(note)] + note


def _without_the_time(data: bytes) -> bytes:
    """The same file without the time at which it was written."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        # Readers that look at the first bytes expect the list of contents there.
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            content = old.read(name)
            if name == "docProps/core.xml":
                day = _FIRST_DAY.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
                content = _MODIFIED.sub(rb"\g<1>" + day, content)
            member = zipfile.ZipInfo(name, _FIRST_DAY.timetuple()[:6])
            member.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(member, content)
    return out.getvalue()
