"""Tables as rows of cells under a head (CSV, TSV, sheets): to raw rows, and the columns to write them back in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docaudit.concept_table.rows import ALIASES, COLUMNS, DEFAULTS, OWN, RawRow, RawTable
from docaudit.errors import ConceptTableError
from docaudit.wordforms import fold


@dataclass(frozen=True)
class RawGrid:
    """The form in which a table stands in a file: names of its columns as written, and the separator."""

    columns: tuple[str, ...] = ()
    separator: str = ""


def grid(rows: Iterable[tuple[int, Sequence[Any]]], file: str) -> RawTable:
    """Rows of cells under a head -> raw rows; blank rows hold nothing and are left out."""
    filled = [(number, list(cells)) for number, cells in rows if any(not blank(cell) for cell in cells)]
    if not filled:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    head = ["" if blank(cell) else str(cell).strip() for cell in filled[0][1]]
    table = RawTable(tuple(name for name in head if name), [])
    table.problems += _late_head(filled)
    for number, cells in filled[1:]:
        where = f"row {number}"
        cells += [None] * (len(head) - len(cells))
        if any(not blank(cell) for cell in cells[len(head) :]):
            extra = len(cells) - len(head)
            table.problems.append(
                f"{where}: {extra} cells more than the head has: quote a cell that holds a comma"
            )
        for name, cell in zip(head, cells, strict=False):
            if not name and not blank(cell):
                table.problems.append(
                    f"{where}: '{cell}' stands in a column without a name: name it or delete it"
                )
        table.rows.append(RawRow(where, {n: c for n, c in zip(head, cells, strict=False) if n}))
    return table


def blank(cell: Any) -> bool:
    """Whether nothing is seen in a cell."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def known_name(written: str) -> str:
    """The column of the contract that a head means; an own or unknown one as it is written."""
    name = fold(written)
    return written.strip() if name.startswith(OWN) else ALIASES.get(name, name)


def layout(form: RawGrid, rows: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Columns to write, as (head as written, column): those of the file in their order, then what else says something.

    The id is always written: a row that is edited later keeps it. A new file has all columns.
    """
    kept: list[tuple[str, str]] = []
    for written in form.columns if _is_ours(form) else ():
        name = known_name(written)
        kept.append(("variant", "variant") if name == "variants" else (written, name))
    have = {name for _, name in kept}
    new = not kept
    every = dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)])
    plain = {**DEFAULTS, "role": "required"}
    for name in every:
        says = new or name == "id" or any(row.get(name, "") != plain.get(name, "") for row in rows)
        if name not in have and says:
            kept.append((name, name))
    return kept


def _is_ours(form: RawGrid) -> bool:
    """Whether the table that stands there could be read; columns that no table may have are not kept."""
    names = [known_name(written) for written in form.columns if written]
    known = all(name in (*COLUMNS, "variants") or name.startswith(OWN) for name in names)
    return known and len(set(names)) == len(names)


def _late_head(filled: Sequence[tuple[int, list[Any]]]) -> list[str]:
    """A title above the head is a habit; its rows would be taken for the head and the keywords."""
    for at, (number, cells) in enumerate(filled[:10]):
        names = {known_name(str(cell)) for cell in cells if not blank(cell)}
        if "concept" in names and names & {"variant", "variants"}:
            return [f"row {number}: is the head of the table: delete what stands above it"] if at else []
    return []
