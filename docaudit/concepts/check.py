"""Rows of a concept table, whatever file they came from, to checked values: every problem found, none repaired.

A wrong table is the most silent way to a false absence: a keyword that cannot match is never found. So a table with
a problem is refused as a whole, with all its problems at once, each naming row and column, what is wrong and what to
write instead. Expert regular expressions are compiled only if that ends in reasonable time.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal, get_args

import regex

from docaudit.text.words import fold

MAX_REPEATED = 100_000
"""Counted repetitions inside each other may repeat their smallest part so many times: the regex module writes them out
when it compiles, so that `(x{5000}){5000}` takes half a minute before anything is searched."""

_TOKEN = regex.compile(r"\\.|\[(?:\\.|[^\]\\])+\]|\{(\d*)(,?)(\d*)\}[?+]?|[()]|[^\\()]", regex.DOTALL)


@lru_cache(maxsize=1000)
def compile_expression(text: str, flags: int = 0) -> Any:
    """The compiled expression; raises regex.error, with the position where it is known, if it cannot be used."""
    repeated = repetitions(text)
    if repeated > MAX_REPEATED:
        raise regex.error(f"repeats a part {repeated:,} times, more than {MAX_REPEATED:,}: repeat it less")
    try:
        return regex.compile(text, flags)
    except (OverflowError, RecursionError, ValueError) as error:
        raise regex.error(f"{error}: make it simpler") from error


def repetitions(text: str) -> int:
    """How often the smallest part of an expression is repeated by counts inside counts.

    >>> repetitions("(x{50}y){20}"), repetitions("a{3}b{4}"), repetitions("[{9}]+"), repetitions("(?:ab)c")
    (1000, 4, 1, 1)
    """
    opened: list[int] = []
    # Of the group that is open: the most repeated part so far, and the part that a count would repeat.
    highest = last = 1
    for token in _TOKEN.finditer(text):
        if token[0] == "(":
            opened.append(highest)
            highest = last = 1
        elif token[0] == ")" and opened:
            last, highest = highest, max(highest, opened.pop())
        elif token[1] is not None and (token[1] or token[3]):
            last *= max(int(token[3] or 0), int(token[1] or 0), 1)
            highest = max(highest, last)
        else:
            last = 1
    return max([highest, *opened])


NO_TEXT = "\ufffd?"
"""Stands for a cell whose problem is reported already, so that it brings no other."""
MAX_CHARS = 10_000
"""Characters of a variant: more is a text that was pasted by mistake; chosen, not measured."""
JOINER = " + "
"""Joins the names of concepts that meet, in cooccurrence_df and nearest_df; no concept may have it in its name."""
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
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?:[T ]00:00(:00)?)?"),
    re.compile(r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日"),
    # With full stops the day comes first; with slashes it depends on the country.
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
)
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


CheckedRow = tuple[str, dict[str, str]]
"""Where a row stands, and its cells as text by the columns of the contract."""


def check_rows(table: RawTable) -> tuple[list[dict[str, Any]], list[dict[str, str]], tuple[str, ...]]:
    """Fields of Variant, fields of ConceptInfo, and all problems at once; the fields count only without a problem."""
    names, problems = _column_names(table.columns)
    problems = [*table.problems, *problems]
    if {"variant", "variants"}.isdisjoint(names.values()) or "concept" not in names.values():
        return [], [], tuple(dict.fromkeys(problems))
    rows = [
        (where, _checked(where, cells, problems))
        for row in table.rows
        for where, cells in _long_form(row, names, problems)
    ]
    _check_repeated(rows, table.may_share, problems)
    info = _concept_info(rows, problems)
    if not problems and not rows:
        problems.append("the table has no row: write at least one concept with one variant")
    variants: list[dict[str, Any]] = []
    for _, cells in rows:
        fields: dict[str, Any] = {
            name: cells[name] for name in COLUMNS if name not in ("role", "description")
        }
        fields["text"] = fields.pop("variant")
        fields["own"] = tuple((name, cell) for name, cell in cells.items() if name.startswith(OWN) and cell)
        variants.append(fields)

    def row_number(problem: str) -> int:
        match = re.match(r"row (\d+)", problem)
        return int(match[1]) if match else 0

    # By row, after those of the table as a whole; in JSON and YAML they stay in the order of reading.
    return variants, info, tuple(sorted(dict.fromkeys(problems), key=row_number))


def known_name(written: str) -> str:
    """The column of the contract that a head means; an own or unknown one as it is written."""
    name = fold(written)
    return written.strip() if name.startswith(OWN) else ALIASES.get(name, name)


def _column_names(columns: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Columns as written -> names of the contract, and what is wrong with them."""
    names: dict[str, str] = {}
    problems: list[str] = []
    for column in columns:
        name = known_name(str(column))
        if name not in (*COLUMNS, "variants") and not name.startswith(OWN):
            near = _nearest(name, (*COLUMNS, "variants"))
            problems.append(f"column '{column}' is unknown: {near}; a column of your own begins with {OWN}")
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


def _nearest(value: str, choices: Sequence[str]) -> str:
    near = get_close_matches(value, choices, n=1, cutoff=0.5)
    meant = f"write '{near[0]}' if that is meant; " if near else ""
    return f"{meant}known are {', '.join(choices)}"


def _long_form(
    row: RawRow, names: Mapping[str, str], problems: list[str]
) -> list[tuple[str, dict[str, Any]]]:
    """One row for each variant of a short-form row; a long-form row as it is."""
    cells = {names[column]: cell for column, cell in row.cells.items() if column in names}
    if "variants" not in cells:
        return [(row.where, cells)]
    variants = cells.pop("variants")
    if hasattr(variants, "tolist"):
        variants = variants.tolist()
    if not isinstance(variants, (list, tuple)):
        text = _cell_text(row.where, "variants", variants, problems)
        variants = split_variants(text) if text.strip() else []
    if not variants:
        problems.append(f"{row.where}, column variants: is empty: write at least one variant")
    rows: list[tuple[str, dict[str, Any]]] = []
    for number, text in enumerate(variants, start=1):
        of_variant = {**cells, "variant": text}
        if len(variants) > 1 and cells.get("id"):
            of_variant["id"] = f"{_cell_text(row.where, 'id', cells['id'], problems)}-{number}"
        rows.append((f"{row.where}, variant {number}", of_variant))
    return rows


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


def _checked(where: str, cells: Mapping[str, Any], problems: list[str]) -> dict[str, str]:
    """The cells of a row as text, column by column."""
    values: dict[str, str] = {}
    for column in (*COLUMNS, *(name for name in cells if name.startswith(OWN))):
        text = _date_text if column == "date" else _cell_text
        values[column] = text(where, column, cells.get(column), problems)
    for column, default in DEFAULTS.items():
        values[column] = values[column].strip() or default
    values["concept"] = values["concept"].strip()
    if values["match"].casefold() != "regex":
        values["variant"] = values["variant"].strip()
    for column, choices in CHOICES.items():
        written, values[column] = values[column], values[column].casefold()
        if values[column] not in choices and (written or column != "role"):
            near = _nearest(values[column], choices)
            problems.append(f"{where}, column {column}: '{written}' is unknown: {near}")
    for column in ("concept", "variant"):
        if problem := _text_problem(column, values[column], values["match"]):
            problems.append(f"{where}, column {column}: {problem}")
    for column, value in values.items():
        if column not in ("concept", "variant", *CHOICES) and _has_lone_surrogate(value):
            problems.append(
                f"{where}, column {column}: holds half a character (a lone surrogate): write it again"
            )
    return values


def _cell_text(where: str, column: str, cell: Any, problems: list[str]) -> str:
    """A cell as text; numbers become what a person sees in the cell, anything else but text is a problem."""
    if isinstance(cell, str):
        return cell
    if _is_missing(cell):
        return ""
    if isinstance(cell, bool) or type(cell).__name__ == "bool_":
        return str(cell).upper()
    if isinstance(cell, (dt.date, dt.time, dt.timedelta)):
        problems.append(
            f"{where}, column {column}: holds a date, not text: format the cell as text and write it again"
        )
    elif isinstance(cell, (int, float)) or hasattr(cell, "is_integer"):
        return str(int(cell)) if float(cell).is_integer() else repr(float(cell))
    else:
        kind = type(cell).__name__
        problems.append(f"{where}, column {column}: holds a {kind}, not text: write one text per variant")
    return NO_TEXT


def _date_text(where: str, column: str, cell: Any, problems: list[str]) -> str:
    """A day as YYYY-MM-DD: from a date cell, or from a text that can be read in one way only."""
    if isinstance(cell, dt.date) and not _is_missing(cell):
        return (cell.date() if isinstance(cell, dt.datetime) else cell).isoformat()
    text = _cell_text(where, column, cell, problems).strip()
    for pattern in _DATES:
        if date := pattern.fullmatch(text):
            try:
                return dt.date(int(date["y"]), int(date["m"]), int(date["d"])).isoformat()
            except ValueError:
                break  # no such day
    if text and text != NO_TEXT:
        problems.append(f"{where}, column {column}: '{text}' is no clear day: write it as 2026-01-31")
    return ""


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and math.isnan(cell)


def _text_problem(column: str, text: str, match: str) -> str:
    """What is wrong with a concept or a variant, and what to write instead; empty if nothing."""
    if not text.strip():
        return f"is empty: write the {column}, in every row"
    if _has_lone_surrogate(text):
        return "holds half a character (a lone surrogate): write the text again"
    if not fold(text):
        return "holds only invisible characters: write letters, digits or signs"
    if len(text) > MAX_CHARS:
        return f"has {len(text):,} characters, more than {MAX_CHARS:,}: write the words that are searched"
    if column == "concept" and JOINER in text:
        return f"the name holds '{JOINER}', which joins concepts in reports: write 'and'"
    if column == "variant" and match == "regex":
        try:
            compiled = compile_expression(text)
        except regex.error as error:
            at = getattr(error, "pos", None)
            position = "" if at is None else f" at position {at + 1}"
            message = getattr(error, "msg", error)
            return f"is not a regular expression: {message}{position}: correct it, or set match to word"
        if compiled.match("") is not None:
            return "the regular expression matches the empty text: make it require at least one character"
        return ""
    if "\n" in text or "\r" in text:
        return "holds a line break: write one variant in each row"
    control = [char for char in text if unicodedata.category(char) == "Cc" and char != "\t"]
    return f"holds the control character U+{ord(control[0]):04X}: delete it" if control else ""


def _has_lone_surrogate(text: str) -> bool:
    """Whether a text holds half of a character, which no file can hold."""
    return any("\ud800" <= char <= "\udfff" for char in text)


def is_acronym(text: str) -> bool:
    """Whether `case` auto takes a variant case-sensitively: one word, all capitals, at most five letters.

    The sweep decides by it too (Variant.case_sensitive).

    >>> [is_acronym(word) for word in ("IT", "R&D", "GenAI", "A", "U.S.", "AI Act", "CO2", "COVID-19")]
    [True, True, False, True, True, False, True, False]
    """
    letters = [char for char in text if char.isalpha()]
    single = len(text.split()) == 1 and "-" not in text
    short = 2 <= len(letters) <= 5 or (len(letters) == 1 and len(text.strip()) == 1)
    return single and short and all(char.isupper() for char in letters)


def _check_repeated(rows: Sequence[CheckedRow], may_share: bool, problems: list[str]) -> None:
    """Ids in two rows; the same variant twice in a concept, or in two that are both searched or waiting."""
    row_of_id: dict[str, str] = {}
    in_concept: dict[tuple[str, str], str] = {}
    in_any: dict[tuple[str, str], tuple[str, str]] = {}
    repeated_ids: list[str] = []
    for where, row in rows:
        concept, text = row["concept"], row["variant"]
        if row["id"] and (first := row_of_id.setdefault(row["id"], where)) != where:
            repeated_ids.append(
                f"{where}, column id: '{row['id']}' stands in {first} already: delete it here, a new one is made"
            )
        if not text.strip() or not concept or NO_TEXT in (text, concept):
            continue  # reported already
        if (concept, text) in in_concept:
            problems.append(
                f"{where}, column variant: '{text}' stands in concept '{concept}' already"
                f" ({in_concept[concept, text]}): delete one of the two"
            )
            continue
        in_concept[concept, text] = where
        if row["status"] == "rejected":
            continue  # a record of a decision: the same word may belong to another concept
        # Variants with the same key match the same text; IT and it differ where case counts.
        if row["match"] == "regex":
            key = ("regex", text)
        elif row["case"] == "sensitive" or (row["case"] == "auto" and is_acronym(text)):
            key = ("sensitive", unicodedata.normalize("NFKC", text))
        else:
            key = ("folded", fold(text))
        first, first_concept = in_any.setdefault(key, (where, concept))
        if first_concept != concept and not may_share:
            problems.append(
                f"{where}, column variant: '{text}' stands in concept '{first_concept}' too ({first}):"
                " leave it in the one that it means"
            )
    problems += repeated_ids


def _concept_info(rows: Sequence[CheckedRow], problems: list[str]) -> list[dict[str, str]]:
    """Role and description of each concept that has any; every row may give them, and no two may differ."""
    info: dict[str, dict[str, str]] = {}
    first: dict[tuple[str, str], str] = {}
    for where, row in rows:
        about = info.setdefault(row["concept"], {"name": row["concept"]})
        for column in ("role", "description"):
            value = row[column]
            if value and about.setdefault(column, value) != value:
                problems.append(
                    f"{where}, column {column}: '{value}' is not what {first[row['concept'], column]} says of concept"
                    f" '{row['concept']}': write it in one row only"
                )
            elif value:
                first.setdefault((row["concept"], column), where)
    plain = {"role": "required", "description": ""}
    return [
        about for about in info.values() if any(about.get(key, plain[key]) != plain[key] for key in plain)
    ]
