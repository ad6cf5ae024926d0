"""Concept tables as files, both ways: CSV, TSV, JSON, YAML and XLSX. What the rows mean is checked elsewhere.

Readers take every scalar as the text that a person wrote: YAML's NO stays NO, a JSON 10.30 stays 10.30, and a key
that stands twice is a problem, not the loss of the first. Writers replace a file whole or not at all, in the form in
which the table stands there already.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from docaudit.concepts.check import COLUMNS, DEFAULTS, RawTable, known_name
from docaudit.concepts.grid import (
    TableForm,
    UniqueKeys,
    decode,
    grid,
    layout,
    nested_rows,
    read_sheet,
    write_sheet,
)
from docaudit.errors import ConceptTableError, OutputError
from docaudit.files import write_bytes

_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}
_SUFFIXES = (".csv", ".tsv", ".json", ".yaml", ".yml", ".xlsx")


def read(path: Path) -> RawTable:
    """The rows of a file, by its suffix; raises ConceptTableError where there is no table to read."""
    suffix, file = path.suffix.lower(), str(path)
    if suffix not in _SUFFIXES:
        raise ConceptTableError(
            f"is not a concept table by its suffix '{path.suffix}'",
            file=file,
            remedy=f"name it {', '.join(_SUFFIXES)}",
        )
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise ConceptTableError("there is no such file", file=file, remedy="check the name") from error
    except IsADirectoryError as error:
        raise ConceptTableError("is a directory", file=file, remedy="name the file in it") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConceptTableError(f"cannot be read: {reason}", file=file, remedy="check the file") from error
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise ConceptTableError("is empty", file=file, remedy="write concept,variant and one row at least")
    if suffix == ".xlsx":
        return read_sheet(data, file)
    if suffix in _SEPARATORS:
        return _read_separated(data, file, _SEPARATORS[suffix])
    return nested_rows(_parse(data, file), file)


def _read_separated(data: bytes, file: str, separators: str) -> RawTable:
    text, separator, skipped = _separator(decode(data, file), separators)
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


def _separator(text: str, separators: str) -> tuple[str, str, int]:
    """The text without Excel's line sep=;, the separator that fits the head best, and how many lines were left out."""
    first, _, rest = text.partition("\n")
    declared = first.strip()
    if declared.lower().startswith("sep=") and len(declared) == len("sep=") + 1:
        return rest, declared[-1], 1
    head = next((line for line in text.splitlines() if line.strip()), "")

    def known_columns(separator: str) -> int:
        names = {name.strip().strip('"').casefold() for name in head.split(separator)}
        return len(names & {*COLUMNS, "variants"})

    return text, max(separators, key=known_columns), 0


class _TextLoader(yaml.BaseLoader):
    """Loads every scalar as the text that was written."""


_TextLoader.add_constructor(
    yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG,
    lambda loader, node: UniqueKeys(loader.construct_pairs(node, deep=True)),
)


def _parse(data: bytes, file: str) -> Any:
    """What a JSON or YAML file holds; raises ConceptTableError."""
    text = decode(data, file)
    form = "JSON" if file.lower().endswith(".json") else "YAML"
    cause: Exception
    try:
        if form == "JSON":
            return json.loads(text, object_pairs_hook=UniqueKeys, parse_float=str, parse_int=str)
        return yaml.load(text, Loader=_TextLoader)
    except json.JSONDecodeError as error:
        problem, cause = f"{error.msg} at line {error.lineno}", error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f" at line {mark.line + 1}"
        problem, cause = f"{getattr(error, 'problem', None) or 'it cannot be parsed'}{place}", error
    except RecursionError as error:
        problem, cause = "it is nested too deeply", error
    except (ValueError, TypeError) as error:
        problem, cause = str(error), error
    raise ConceptTableError(f"is not {form}: {problem}", file=file, remedy="correct it there") from cause


Rows = Sequence[Mapping[str, str]]
_OF_CONCEPT = ("role", "description")


def write(path: Path, rows: Rows) -> None:
    """Write rows by the suffix of the name; raises OutputError."""
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise OutputError(
            f"cannot save a concept table with the suffix '{path.suffix}'",
            file=str(path),
            remedy=f"name it {', '.join(_SUFFIXES)}",
        )
    if suffix == ".xlsx":
        data = write_sheet(path, rows)
    elif suffix in _SEPARATORS:
        data = _separated(path, rows)
    elif suffix == ".json":
        data = (json.dumps(_nested(path, rows), ensure_ascii=False, indent=1) + "\n").encode()
    else:
        data = yaml.safe_dump(_nested(path, rows), allow_unicode=True, sort_keys=False, width=10**6).encode()
    write_bytes(path, data)


def _separated(path: Path, rows: Rows) -> bytes:
    """CSV or TSV, with the columns and the separator of the table that stands under this name."""
    separators = _SEPARATORS[path.suffix.lower()]
    form = TableForm((), separators[0])
    try:
        text, separator, _ = _separator(decode(path.read_bytes(), str(path)), separators)
        head = next(csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=separator), [])
        columns = tuple(name.strip() for name in head if name.strip())
        if "concept" in map(known_name, columns):
            form = TableForm(columns, separator)
    except (OSError, ConceptTableError, csv.Error):
        pass  # nothing is there to be kept
    written = layout(form, rows)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=form.separator, lineterminator="\r\n")
    writer.writerow(name for name, _ in written)
    writer.writerows([row.get(name, "") for _, name in written] for row in rows)
    # With its mark, as Excel otherwise takes UTF-8 for an old encoding.
    return stream.getvalue().encode("utf-8-sig")


def _nested(path: Path, rows: Rows) -> Any:
    """A list of rows, or a mapping of concepts where the file holds one."""
    try:
        existing = _parse(path.read_bytes(), str(path))
        nested_rows(existing, str(path))
    except (OSError, ConceptTableError):
        existing = None  # nothing is there to be kept
    if not isinstance(existing, dict):
        return [dict(row) for row in rows]
    concepts: dict[str, dict[str, Any]] = {}
    for row in rows:
        concept = concepts.setdefault(row["concept"], {})
        concept.update({key: row[key] for key in _OF_CONCEPT if row[key] != DEFAULTS[key]})
        variant = {
            key: cell
            for key, cell in row.items()
            if key not in ("concept", *_OF_CONCEPT) and cell != DEFAULTS.get(key, "")
        }
        concept.setdefault("variants", []).append(variant)
    return concepts
