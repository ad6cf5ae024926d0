"""Rows of a concept table, whatever file they came from, to checked values: every problem found, none repaired.

A wrong table is the most silent way to a false absence: a keyword that cannot match is never found. So a table with
a problem is refused as a whole, with all its problems at once, each naming row and column, what is wrong and what to
write instead.

One cell of a concept table: its text, and what is wrong with it.

What no single row of a concept table shows: ids and variants that stand twice, concepts that rows tell apart.

Expert regular expressions, compiled only if that ends in reasonable time.

The regex module writes counted repetitions out when it compiles them, so that `(x{5000}){5000}` takes half a minute
before anything is searched. How often the smallest part is repeated is counted first.

The file of a concept table, both ways: cells -> rows -> the table of docaudit.concepts.model, and back.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal, get_args

import regex

from docaudit.text.words import fold

MAX_REPEATED = 100_000
"""Counted repetitions inside each other may repeat their smallest part so many times."""

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
    highest = last = 1
    """Of the group that is open: the most repeated part so far, and the part that a count would repeat."""
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
JOINER = " + "
"""Joins the names of concepts that meet, in cooccurrence_df and nearest_df; no concept may have it in its name."""


def cell_text(where: str, column: str, cell: Any, problems: list[str]) -> str:
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


_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?:[T ]00:00(:00)?)?"),
    re.compile(r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日"),
    # With full stops the day comes first; with slashes it depends on the country.
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
)


def date_text(where: str, column: str, cell: Any, problems: list[str]) -> str:
    """A day as YYYY-MM-DD: from a date cell, or from a text that can be read in one way only."""
    if isinstance(cell, dt.date) and not _is_missing(cell):
        return (cell.date() if isinstance(cell, dt.datetime) else cell).isoformat()
    text = cell_text(where, column, cell, problems).strip()
    for pattern in _DATES:
        found = pattern.fullmatch(text)
        if found:
            try:
                return dt.date(int(found["y"]), int(found["m"]), int(found["d"])).isoformat()
            except ValueError:
                break  # no such day
    if text and text != NO_TEXT:
        problems.append(f"{where}, column {column}: '{text}' is no clear day: write it as 2026-01-31")
    return ""


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and math.isnan(cell)


def text_problems(column: str, text: str, match: str) -> list[str]:
    """What is wrong with a concept or a variant, each with what to write instead."""
    if not text.strip():
        return [f"is empty: write the {column}, in every row"]
    if lone_surrogate(text):
        return ["holds half a character (a lone surrogate): write the text again"]
    if not fold(text):
        return ["holds only invisible characters: write letters, digits or signs"]
    if len(text) > MAX_CHARS:
        return [f"has {len(text):,} characters, more than {MAX_CHARS:,}: write the words that are searched"]
    if column == "concept" and JOINER in text:
        return [f"the name holds '{JOINER}', which joins concepts in reports: write 'and'"]
    if column == "variant" and match == "regex":
        return _regex_problems(text)
    if "\n" in text or "\r" in text:
        return ["holds a line break: write one variant in each row"]
    control = [char for char in text if unicodedata.category(char) == "Cc" and char != "\t"]
    return [f"holds the control character U+{ord(control[0]):04X}: delete it"] if control else []


def _regex_problems(pattern: str) -> list[str]:
    try:
        compiled = compile_expression(pattern)
    except regex.error as error:
        at = getattr(error, "pos", None)
        position = "" if at is None else f" at position {at + 1}"
        return [
            f"is not a regular expression: {getattr(error, 'msg', error)}{position}: correct it, or set match to word"
        ]
    if compiled.match("") is not None:
        return ["the regular expression matches the empty text: make it require at least one character"]
    return []


def lone_surrogate(text: str) -> bool:
    """Whether a text holds half a character, which no file can hold."""
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


Found = tuple[str, dict[str, str]]
"""Where a row stands, and its checked cells."""


def repeated_ids(found: list[Found]) -> list[str]:
    """Ids that stand in two rows."""
    first: dict[str, str] = {}
    problems = []
    for where, row in found:
        if row["id"] and first.setdefault(row["id"], where) != where:
            there = first[row["id"]]
            problems.append(
                f"{where}, column id: '{row['id']}' stands in {there} already: delete it here, a new one is made"
            )
    return problems


def concept_info(found: list[Found], problems: list[str]) -> list[dict[str, str]]:
    """Role and description of each concept that has any; every row may give them, and no two may differ."""
    info: dict[str, dict[str, str]] = {}
    first: dict[tuple[str, str], str] = {}
    for where, row in found:
        about = info.setdefault(row["concept"], {"name": row["concept"]})
        for column in ("role", "description"):
            given = row[column]
            there = first.setdefault((row["concept"], column), where) if given else where
            if given and about.setdefault(column, given) != given:
                problems.append(
                    f"{where}, column {column}: '{given}' is not what {there} says of concept"
                    f" '{row['concept']}': write it in one row only"
                )
    plain = {"role": "required", "description": ""}
    return [
        about for about in info.values() if any(about.get(key, plain[key]) != plain[key] for key in plain)
    ]


def repeated(found: list[Found], may_share: bool) -> list[str]:
    """The same variant twice in a concept, or in two concepts that are both searched or waiting."""
    problems: list[str] = []
    in_concept: dict[tuple[str, str], str] = {}
    in_any: dict[tuple[str, str], tuple[str, str]] = {}
    for where, row in found:
        if not row["variant"].strip() or not row["concept"] or NO_TEXT in (row["variant"], row["concept"]):
            continue  # reported already
        same = (row["concept"], row["variant"])
        if same in in_concept:
            problems.append(
                f"{where}, column variant: '{row['variant']}' stands in concept '{row['concept']}' already"
                f" ({in_concept[same]}): delete one of the two"
            )
            continue
        in_concept[same] = where
        if row["status"] == "rejected":
            continue  # a record of a decision: the same word may belong to another concept
        first, concept = in_any.setdefault(_key(row), (where, row["concept"]))
        if concept != row["concept"] and not may_share:
            problems.append(
                f"{where}, column variant: '{row['variant']}' stands in concept '{concept}' too ({first}):"
                " leave it in the one that it means"
            )
    return problems


def _key(row: Mapping[str, str]) -> tuple[str, str]:
    """Variants with the same key match the same text; IT and it differ where case counts."""
    text = row["variant"]
    if row["match"] == "regex":
        return "regex", text
    if row["case"] == "sensitive" or (row["case"] == "auto" and is_acronym(text)):
        return "sensitive", unicodedata.normalize("NFKC", text)
    return "folded", fold(text)


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
