"""Concept tables as files: CSV, TSV, JSON, YAML and XLSX to raw rows. What the rows mean is checked elsewhere.

Readers take every scalar as the text that a person wrote: YAML's NO stays NO, a JSON 10.30 stays 10.30, and a key
that stands twice is a problem, not the loss of the first.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from docaudit.concept_table.grid import RawGrid, grid, known_name
from docaudit.concept_table.rows import COLUMNS, RawTable
from docaudit.concept_table.sheets import read_sheet
from docaudit.concept_table.text import decode
from docaudit.concept_table.trees import Doubled, tree_rows
from docaudit.errors import ConceptTableError

_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}


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
    skipped = 0
    if first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=") + 1:
        separators, text, skipped = first.strip()[-1], rest, 1
    return text, max(separators, key=lambda mark: _known_names(text, mark)), skipped


def form_of(path: Path) -> RawGrid:
    """The columns and the separator of a CSV or TSV file, or nothing where no table stands under this name."""
    separators = _SEPARATORS.get(path.suffix.lower(), "")
    try:
        text, separator, _ = _separator(decode(path.read_bytes(), str(path)), separators)
        head = next(csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=separator), [])
    except (OSError, ConceptTableError, csv.Error):
        return RawGrid()
    columns = tuple(name.strip() for name in head if name.strip())
    return RawGrid(columns, separator) if "concept" in map(known_name, columns) else RawGrid()


def tree_of(path: Path) -> Any:
    """What a JSON or YAML file holds, or None where no table stands under this name."""
    parse = _parse_json if path.suffix.lower() == ".json" else _parse_yaml
    try:
        tree = parse(path.read_bytes(), str(path))
        tree_rows(tree, str(path))
    except (OSError, ConceptTableError):
        return None
    return tree


def _known_names(text: str, separator: str) -> int:
    head = next((line for line in text.splitlines() if line.strip()), "")
    names = {name.strip().strip('"').casefold() for name in head.split(separator)}
    return len(names & {*COLUMNS, "variants"})


def _parse_json(data: bytes, file: str) -> Any:
    text = decode(data, file)
    try:
        return json.loads(text, object_pairs_hook=Doubled, parse_float=str, parse_int=str)
    except json.JSONDecodeError as error:
        raise _not_readable("JSON", f"{error.msg} at line {error.lineno}", file) from error
    except RecursionError as error:
        raise _not_readable("JSON", "it is nested too deeply", file) from error


class _TextLoader(yaml.BaseLoader):
    """Loads every scalar as the text that was written."""


def _mapping(loader: _TextLoader, node: yaml.MappingNode) -> Doubled:
    return Doubled(loader.construct_pairs(node, deep=True))


_TextLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _parse_yaml(data: bytes, file: str) -> Any:
    text = decode(data, file)
    try:
        return yaml.load(text, Loader=_TextLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f" at line {mark.line + 1}"
        what = getattr(error, "problem", None) or "it cannot be parsed"
        raise _not_readable("YAML", f"{what}{place}", file) from error
    except (RecursionError, ValueError, TypeError) as error:
        raise _not_readable("YAML", str(error) or "it is nested too deeply", file) from error


def _not_readable(what: str, why: str, file: str) -> ConceptTableError:
    return ConceptTableError(f"is not {what}: {why}", file=file, remedy="correct it there")


_READERS: dict[str, Callable[[bytes, str], RawTable]] = {
    ".csv": lambda data, file: _read_separated(data, file, _SEPARATORS[".csv"]),
    ".tsv": lambda data, file: _read_separated(data, file, _SEPARATORS[".tsv"]),
    ".json": lambda data, file: tree_rows(_parse_json(data, file), file),
    ".yaml": lambda data, file: tree_rows(_parse_yaml(data, file), file),
    ".yml": lambda data, file: tree_rows(_parse_yaml(data, file), file),
    ".xlsx": read_sheet,
}
