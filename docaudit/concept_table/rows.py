"""Rows of a concept table, whatever file they came from, to checked values: every problem found, none repaired.

A wrong table is the most silent way to a false absence: a keyword that cannot match is never found. So a table with
a problem is refused as a whole, with all its problems at once, each naming row and column, what is wrong and what to
write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, get_args

from docaudit.concept_table.cells import cell_text, date_text, lone_surrogate, text_problems
from docaudit.concept_table.repeats import Found, concept_info, repeated, repeated_ids
from docaudit.wordforms import fold

MatchMode = Literal["word", "prefix", "substring", "regex"]
CaseMode = Literal["auto", "sensitive", "insensitive"]
InflectMode = Literal["auto", "off"]
Status = Literal["accepted", "proposed", "rejected"]
Role = Literal["required", "context"]

COLUMNS = (
    *("concept", "variant", "match", "case", "inflect", "status"),
    *("source", "reference", "reviewer", "date", "note", "role", "description", "id"),
)
"""Columns of the long form, in the order in which they are written."""
OWN = "x_"
"""Names of columns that are the user's own begin so: any other unknown name may be a slip that hides keywords."""
CHOICES: dict[str, tuple[str, ...]] = {
    "match": get_args(MatchMode),
    "case": get_args(CaseMode),
    "inflect": get_args(InflectMode),
    "status": get_args(Status),
    "role": get_args(Role),
}
DEFAULTS = {name: "" for name in COLUMNS if name not in ("concept", "variant")} | {
    "match": "word",
    "case": "auto",
    "inflect": "auto",
    "status": "accepted",
}
ALIASES = {"text": "variant"}
_ROW = re.compile(r"row (\d+)")
_BAR = re.compile(r"((?:\\.|[^\\|])*)(?:\||$)", re.DOTALL)


@dataclass(frozen=True)
class RawRow:
    """One row as it was read: `where` names it for a person ("row 3"), cells by column as written."""

    where: str
    cells: Mapping[str, Any]


@dataclass
class RawTable:
    """All rows as they were read, with the columns of the head and the problems that reading itself met.

    `may_share`: one variant may stand in two concepts, as in a table that a program makes of many questions.
    """

    columns: tuple[str, ...]
    rows: list[RawRow]
    problems: list[str] = field(default_factory=list)
    may_share: bool = False


@dataclass(frozen=True)
class Checked:
    """What came of the rows: fields of Variant and of ConceptInfo, which count only if there is no problem."""

    variants: list[dict[str, Any]]
    info: list[dict[str, str]]
    problems: tuple[str, ...]


def check_rows(table: RawTable) -> Checked:
    """Checked rows and concepts, and all problems at once."""
    names, problems = _column_names(table.columns)
    problems = [*table.problems, *problems]
    if {"variant", "variants"}.isdisjoint(names.values()) or "concept" not in names.values():
        return Checked([], [], tuple(dict.fromkeys(problems)))
    found: list[Found] = []
    for row in table.rows:
        for where, cells in _long_form(row, names, problems):
            found.append((where, _checked(where, cells, problems)))
    problems += repeated(found, table.may_share)
    problems += repeated_ids(found)
    info = concept_info(found, problems)
    if not problems and not found:
        problems.append("the table has no row: write at least one concept with one variant")
    listed = tuple(sorted(dict.fromkeys(problems), key=_row_number))
    return Checked([_fields(cells) for _, cells in found], info, listed)


def _row_number(problem: str) -> int:
    """Problems are listed by row, after those of the table as a whole; in trees they stay in the order of reading."""
    found = _ROW.match(problem)
    return int(found[1]) if found else 0


def _fields(cells: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {name: cells[name] for name in COLUMNS if name not in ("role", "description")}
    fields["text"] = fields.pop("variant")
    fields["own"] = tuple((name, cell) for name, cell in cells.items() if name.startswith(OWN) and cell)
    return fields


def split_variants(cell: str) -> list[str]:
    r"""Variants of a short-form cell: separated by a bar; a bar that belongs to a variant is written with a backslash.

    >>> split_variants(r"AI | a\|b |deep learning")
    ['AI', 'a|b', 'deep learning']
    """
    parts = [match.group(1) for match in _BAR.finditer(cell)]
    # The pattern also matches the empty end of a text that does not end with a bar.
    if len(parts) > 1 and parts[-1] == "" and not re.search(r"(?<!\\)\|$", cell):
        parts.pop()
    return [part.replace(r"\|", "|").strip() for part in parts]


def _column_names(columns: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Columns as written -> names of the contract, and what is wrong with them."""
    names: dict[str, str] = {}
    problems: list[str] = []
    known = (*COLUMNS, "variants")
    for column in columns:
        name = fold(str(column))
        name = str(column).strip() if name.startswith(OWN) else ALIASES.get(name, name)
        if name not in known and not name.startswith(OWN):
            own = f"a column of your own begins with {OWN}"
            problems.append(f"column '{column}' is unknown: {_suggest(name, known)}; {own}")
        elif name in names.values():
            problems.append(f"column '{column}' stands twice: keep one of them")
        else:
            names[column] = name
    if "concept" not in names.values():
        problems.append("column 'concept' is missing: name it in the first row")
    if "variant" not in names.values() and "variants" not in names.values():
        problems.append(
            "column 'variant' (or 'variants', with bars between them) is missing: name it in the first row"
        )
    if {"variant", "variants"} <= set(names.values()):
        problems.append("columns 'variant' and 'variants' stand side by side: keep one of them")
    return names, problems


def _suggest(value: str, known: Iterable[str]) -> str:
    listed = list(known)
    near = get_close_matches(value, listed, n=1, cutoff=0.5)
    meant = f"write '{near[0]}' if that is meant; " if near else ""
    return f"{meant}known are {', '.join(listed)}"


def _long_form(
    row: RawRow, names: Mapping[str, str], problems: list[str]
) -> list[tuple[str, dict[str, Any]]]:
    """One row for each variant of a short-form row; a long-form row as it is."""
    cells = {names[column]: cell for column, cell in row.cells.items() if column in names}
    if "variants" not in cells:
        return [(row.where, cells)]
    given = cells.pop("variants")
    if hasattr(given, "tolist"):
        given = given.tolist()
    if isinstance(given, (list, tuple)):
        texts = list(given)
    else:
        text = cell_text(row.where, "variants", given, problems)
        if not text.strip():
            problems.append(f"{row.where}, column variants: is empty: write at least one variant")
            return []
        texts = list(split_variants(text))
    if not texts:
        problems.append(f"{row.where}, column variants: is empty: write at least one variant")
    listed = []
    for number, text in enumerate(texts, start=1):
        own = {**cells, "variant": text}
        if len(texts) > 1 and cells.get("id"):
            own["id"] = f"{cell_text(row.where, 'id', cells['id'], problems)}-{number}"
        listed.append((f"{row.where}, variant {number}", own))
    return listed


def _checked(where: str, cells: Mapping[str, Any], problems: list[str]) -> dict[str, str]:
    columns = (*COLUMNS, *(name for name in cells if name.startswith(OWN)))
    values = {
        column: (date_text if column == "date" else cell_text)(where, column, cells.get(column), problems)
        for column in columns
    }
    for column, default in DEFAULTS.items():
        values[column] = values[column].strip() or default
    for column, choices in CHOICES.items():
        value = values[column].casefold()
        if value not in choices and (value or column != "role"):
            problems.append(
                f"{where}, column {column}: '{values[column]}' is unknown: {_suggest(value, choices)}"
            )
        values[column] = value
    values["concept"] = values["concept"].strip()
    if values["match"] != "regex":
        values["variant"] = values["variant"].strip()
    for column in ("concept", "variant"):
        problems += [
            f"{where}, column {column}: {problem}"
            for problem in text_problems(column, values[column], values["match"])
        ]
    for column in columns[len(CHOICES) :]:
        if column in ("concept", "variant", *CHOICES):
            continue
        if lone_surrogate(values[column]):
            problems.append(
                f"{where}, column {column}: holds half a character (a lone surrogate): write it again"
            )
    return values
