"""Pieces of Markdown, and what the docstring of a model says of its fields."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence

import griffe
from pydantic import BaseModel

from reference_pages.field_types import type_of


def page(lines: Sequence[str]) -> str:
    """The text of a page: never two empty lines in a row, one line end at the end."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def table(*heads: str) -> list[str]:
    """The head of a table."""
    return [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]


def row(*cells: str) -> str:
    """A row of a table; a bar inside a cell would end it."""
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


def sections(text: str) -> Sequence[griffe.DocstringSection]:
    """The sections of a docstring."""
    # Types stand in signatures; that a docstring does not repeat them is no fault.
    return griffe.parse_google(griffe.Docstring(text), warnings=False)


def meanings(model: type[BaseModel]) -> tuple[str, dict[str, str]]:
    """The first line of a model's docstring, and what it says of each field."""
    text = inspect.getdoc(model) or ""
    fields = {
        one.name: " ".join(one.description.split())
        for section in sections(text)
        if section.kind is griffe.DocstringSectionKind.attributes
        for one in section.value
    }
    return text.splitlines()[0], fields


def fields_of(model: type[BaseModel], *, needed: bool = True) -> list[str]:
    """The fields of a model with the meanings that its docstring gives; needed: also types, and which must be given."""
    summary, said = meanings(model)
    lines = [f"`{model.__name__}`: {summary}", ""]
    lines += table("field", "type", "needed", "meaning") if needed else table("field", "meaning")
    for name, field in model.model_fields.items():
        must = (type_of(field.annotation), "yes" if field.is_required() else "no") if needed else ()
        lines.append(row(f"`{name}`", *must, said.get(name, "")))
    return [*lines, ""]
