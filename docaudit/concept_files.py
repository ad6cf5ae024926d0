"""Concept tables as files: CSV, TSV, JSON, YAML and XLSX to raw rows and back. What the rows mean is checked elsewhere.

Readers take every scalar as the text that a person wrote: YAML's NO stays NO, a JSON 10.30 stays 10.30, and a key
that stands twice is a problem, not the loss of the first.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from docaudit.atomic import write_bytes
from docaudit.concept_rows import COLUMNS, RawRow, RawTable
from docaudit.concept_text import decode
from docaudit.concept_trees import Doubled, tree_rows
from docaudit.errors import ConceptTableError, OutputError

Rows = Sequence[Mapping[str, str]]
Writer = Callable[[Rows, str], bytes]
"""Rows and the name of the file, for errors -> its bytes."""


def read(path: Path) -> RawTable:
    """The rows of a file, by its suffix; raises ConceptTableError where there is no table to read."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ConceptTableError(
            f"is not a concept table by its suffix '{path.suffix}'",
            file=str(path),
            remedy=f"name it {', '.join(_READERS)}",
        )
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise ConceptTableError("there is no such file", file=str(path), remedy="check the name") from error
    except IsADirectoryError as error:
        raise ConceptTableError("is a directory", file=str(path), remedy="name the file in it") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConceptTableError(
            f"cannot be read: {reason}", file=str(path), remedy="check the file"
        ) from error
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise ConceptTableError(
            "is empty", file=str(path), remedy="write concept,variant and one row at least"
        )
    return reader(data, str(path))


def write(path: Path, rows: Rows) -> None:
    """Write rows in the long form, whole or not at all, by the suffix; raises OutputError."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise OutputError(
            f"cannot save a concept table with the suffix '{path.suffix}'",
            file=str(path),
            remedy=f"name it {', '.join(_WRITERS)}",
        )
    write_bytes(path, writer(rows, str(path)))


def grid(rows: Iterable[tuple[int, Sequence[Any]]], file: str) -> RawTable:
    """Rows of cells under a head -> raw rows; blank rows hold nothing and are left out."""
    filled = [(number, list(cells)) for number, cells in rows if any(not _blank(cell) for cell in cells)]
    if not filled:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    head = ["" if _blank(cell) else str(cell).strip() for cell in filled[0][1]]
    table = RawTable(tuple(name for name in head if name), [])
    for number, cells in filled[1:]:
        where = f"row {number}"
        cells += [None] * (len(head) - len(cells))
        if any(not _blank(cell) for cell in cells[len(head) :]):
            extra = len(cells) - len(head)
            table.problems.append(
                f"{where}: {extra} cells more than the head has: quote a cell that holds a comma"
            )
        for name, cell in zip(head, cells, strict=False):
            if not name and not _blank(cell):
                table.problems.append(
                    f"{where}: '{cell}' stands in a column without a name: name it or delete it"
                )
        table.rows.append(RawRow(where, {n: c for n, c in zip(head, cells, strict=False) if n}))
    return table


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _read_separated(data: bytes, file: str, separators: str) -> RawTable:
    text = decode(data, file)
    first, _, rest = text.partition("\n")
    skipped = 0
    if first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=") + 1:
        separators, text, skipped = first.strip()[-1], rest, 1
    separator = max(separators, key=lambda mark: _known_names(text, mark))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for number, cells in enumerate(reader, start=1 + skipped):
            rows.append((number, cells))
    except csv.Error as error:
        raise ConceptTableError(
            "the concept table has a problem",
            file=file,
            problems=(f"row {len(rows) + 1 + skipped} (line {reader.line_num}): {error}: check its quotes",),
        ) from error
    return grid(rows, file)


def _known_names(text: str, separator: str) -> int:
    head = next((line for line in text.splitlines() if line.strip()), "")
    names = {name.strip().strip('"').casefold() for name in head.split(separator)}
    return len(names & {*COLUMNS, "variants"})


def _read_xlsx(data: bytes, file: str) -> RawTable:
    from openpyxl import (
        load_workbook,
    )  # here and below: most tables are CSV, and it takes a tenth of a second

    try:
        # Values, not formulas: what a person sees in the cell is what is meant.
        book = load_workbook(io.BytesIO(data), data_only=True)
    except Exception as error:  # openpyxl lets through whatever zipfile and its XML parsers raise
        raise ConceptTableError(
            f"is not an Excel workbook: {error}", file=file, remedy="save it as .xlsx or as CSV"
        ) from error
    sheets = [sheet for sheet in book.worksheets if any(cell for row in sheet.values for cell in row)]
    if not sheets:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    tables = [sheet for sheet in sheets if _has_head(sheet)] or sheets
    table = grid(enumerate(tables[0].values, start=1), file)
    for sheet in tables[1:] if _has_head(tables[0]) else []:
        table.problems.append(f"sheet '{sheet.title}' is a table too: keep all rows in one sheet")
    for row in tables[0].iter_rows():
        for cell in row:
            if cell.data_type == "e":
                table.problems.append(f"row {cell.row}, cell {cell.coordinate}: holds the error {cell.value}")
    return table


def _has_head(sheet: Any) -> bool:
    filled = (row for row in sheet.values if any(not _blank(cell) for cell in row))
    return "concept" in {str(cell).strip().casefold() for cell in next(filled, ())}


def _read_json(data: bytes, file: str) -> RawTable:
    text = decode(data, file)
    try:
        tree = json.loads(text, object_pairs_hook=Doubled, parse_float=str, parse_int=str)
    except json.JSONDecodeError as error:
        raise _not_readable("JSON", f"{error.msg} at line {error.lineno}", file) from error
    except RecursionError as error:
        raise _not_readable("JSON", "it is nested too deeply", file) from error
    return tree_rows(tree, file)


class _TextLoader(yaml.BaseLoader):
    """Loads every scalar as the text that was written."""


def _mapping(loader: _TextLoader, node: yaml.MappingNode) -> Doubled:
    return Doubled(loader.construct_pairs(node, deep=True))


_TextLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _read_yaml(data: bytes, file: str) -> RawTable:
    text = decode(data, file)
    try:
        tree = yaml.load(text, Loader=_TextLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f" at line {mark.line + 1}"
        what = getattr(error, "problem", None) or "it cannot be parsed"
        raise _not_readable("YAML", f"{what}{place}", file) from error
    except (RecursionError, ValueError, TypeError) as error:
        raise _not_readable("YAML", str(error) or "it is nested too deeply", file) from error
    return tree_rows(tree, file)


def _not_readable(what: str, why: str, file: str) -> ConceptTableError:
    return ConceptTableError(f"is not {what}: {why}", file=file, remedy="correct it there")


def _write_separated(separator: str) -> Writer:
    def write_rows(rows: Rows, _file: str) -> bytes:
        stream = io.StringIO(newline="")
        writer = csv.writer(stream, delimiter=separator, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        writer.writerows([row[column] for column in COLUMNS] for row in rows)
        # With its mark, as Excel otherwise takes UTF-8 for an old encoding.
        return stream.getvalue().encode("utf-8-sig")

    return write_rows


def _write_json(rows: Rows, _file: str) -> bytes:
    return (json.dumps([dict(row) for row in rows], ensure_ascii=False, indent=1) + "\n").encode()


def _write_yaml(rows: Rows, _file: str) -> bytes:
    listed = [dict(row) for row in rows]
    return yaml.safe_dump(listed, allow_unicode=True, sort_keys=False, width=10**6).encode()


def _write_xlsx(rows: Rows, file: str) -> bytes:
    from openpyxl import Workbook
    from openpyxl.utils.exceptions import IllegalCharacterError

    book = Workbook()
    sheet = book.active
    assert sheet is not None, "a new workbook has one sheet"
    sheet.title = "concepts"
    for number, values in enumerate([COLUMNS, *([row[name] for name in COLUMNS] for row in rows)], start=1):
        for column, value in enumerate(values, start=1):
            if value:
                try:
                    cell = sheet.cell(number, column, value)
                except IllegalCharacterError as error:
                    raise OutputError(
                        "a workbook cannot hold a control character of a variant",
                        file=file,
                        remedy="save as CSV or JSON",
                    ) from error
                cell.data_type = "s"  # a variant that begins with = is text, not a formula
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


_READERS: dict[str, Callable[[bytes, str], RawTable]] = {
    ".csv": lambda data, file: _read_separated(data, file, ",;\t|"),
    ".tsv": lambda data, file: _read_separated(data, file, "\t"),
    ".json": _read_json,
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
    ".xlsx": _read_xlsx,
}
_WRITERS: dict[str, Writer] = {
    ".csv": _write_separated(","),
    ".tsv": _write_separated("\t"),
    ".json": _write_json,
    ".yaml": _write_yaml,
    ".yml": _write_yaml,
    ".xlsx": _write_xlsx,
}
