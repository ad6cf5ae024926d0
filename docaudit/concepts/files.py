"""Concept tables as files: CSV, TSV, JSON, YAML and XLSX to raw rows. What the rows mean is checked elsewhere.

Readers take every scalar as the text that a person wrote: YAML's NO stays NO, a JSON 10.30 stays 10.30, and a key
that stands twice is a problem, not the loss of the first.

Concept tables to files, whole or not at all, in the form in which the table stands there already.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from docaudit.concepts.check import COLUMNS, DEFAULTS, RawTable
from docaudit.concepts.grid import (
    Doubled,
    RawGrid,
    decode,
    grid,
    known_name,
    layout,
    read_sheet,
    tree_rows,
    write_sheet,
)
from docaudit.errors import ConceptTableError, OutputError
from docaudit.files import write_bytes

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


Rows = Sequence[Mapping[str, str]]
_OF_CONCEPT = ("role", "description")


def write(path: Path, rows: Rows) -> None:
    """Write rows by the suffix of the name; raises OutputError."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise OutputError(
            f"cannot save a concept table with the suffix '{path.suffix}'",
            file=str(path),
            remedy=f"name it {', '.join(_WRITERS)}",
        )
    write_bytes(path, writer(path, rows))


def _separated(separator: str) -> Callable[[Path, Rows], bytes]:
    def writer(path: Path, rows: Rows) -> bytes:
        form = form_of(path)
        columns = layout(form, rows)
        stream = io.StringIO(newline="")
        lines = csv.writer(stream, delimiter=form.separator or separator, lineterminator="\r\n")
        lines.writerow(written for written, _ in columns)
        lines.writerows([row.get(name, "") for _, name in columns] for row in rows)
        # With its mark, as Excel otherwise takes UTF-8 for an old encoding.
        return stream.getvalue().encode("utf-8-sig")

    return writer


def _json(path: Path, rows: Rows) -> bytes:
    return (json.dumps(_tree(path, rows), ensure_ascii=False, indent=1) + "\n").encode()


def _yaml(path: Path, rows: Rows) -> bytes:
    return yaml.safe_dump(_tree(path, rows), allow_unicode=True, sort_keys=False, width=10**6).encode()


def _tree(path: Path, rows: Rows) -> Any:
    """A list of rows, or a mapping of concepts where the file holds one."""
    if not isinstance(tree_of(path), dict):
        return [dict(row) for row in rows]
    concepts: dict[str, dict[str, Any]] = {}
    for row in rows:
        concept = concepts.setdefault(row["concept"], {})
        concept.update({key: row[key] for key in _OF_CONCEPT if row[key] != DEFAULTS[key]})
        says = {
            key: cell
            for key, cell in row.items()
            if key not in ("concept", *_OF_CONCEPT) and cell != DEFAULTS.get(key, "")
        }
        concept.setdefault("variants", []).append(says)
    return concepts


_WRITERS: dict[str, Callable[[Path, Rows], bytes]] = {
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
    ".xlsx": write_sheet,
}
