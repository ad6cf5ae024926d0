"""Concept tables to files, whole or not at all, in the form in which the table stands there already."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from docaudit.atomic import write_bytes
from docaudit.concept_table.files import form_of, tree_of
from docaudit.concept_table.grid import layout
from docaudit.concept_table.rows import DEFAULTS
from docaudit.concept_table.sheets import write_sheet
from docaudit.errors import OutputError

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
