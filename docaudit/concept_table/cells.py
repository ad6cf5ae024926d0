"""One cell of a concept table: its text, and what is wrong with it."""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from typing import Any

import regex

from docaudit.expressions import compile_expression
from docaudit.wordforms import fold

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
