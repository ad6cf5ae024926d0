"""The page about the tables: names, dtypes and meanings of all columns."""

from __future__ import annotations

from enum import StrEnum

from docaudit import codes, justification
from docaudit.tables import TABLES
from reference_pages.markdown import page, row, table

HEAD = """# Tables

pandas DataFrames with fixed columns, in this order, typed also when empty. `docaudit parse` keeps those of a document
as Parquet files of the same names. Pages are 1-based physical pages, and 0 means the document as a whole. Boxes are
`x0, y0, x1, y1` in points from the top left corner of the page as displayed.

Where a meaning says "a PageState" and the like, the values stand at the end of this page.

This page is written by docs/generate.py from docaudit/tables.py.
"""


def tables_text() -> str:
    """The reference page of the tables."""
    lines = [HEAD]
    said = []
    for contract in TABLES.values():
        lines += [
            f"## {contract.name}",
            "",
            f"One row is {contract.row}.",
            "",
            *table("column", "dtype", "meaning"),
        ]
        for column in contract.fields:
            lines.append(row(f"`{column.name}`", column.dtype, column.meaning))
            said.append(column.meaning)
        lines.append("")
    lines += ["## Values", "", *table("kind", "values")]
    lines += [
        row(f"`{one.__name__}`", ", ".join(f"`{value.value}`" for value in one)) for one in named_in(said)
    ]
    return page(lines)


def named_in(meanings: list[str]) -> list[type[StrEnum]]:
    """The vocabularies that meanings speak of, by name."""
    words = {word.strip(".,;:()") for meaning in meanings for word in meaning.split()}
    found = {}
    for module in (codes, justification):
        for name, value in vars(module).items():
            if name in words and isinstance(value, type) and issubclass(value, StrEnum):
                found[name] = value
    return [found[name] for name in sorted(found)]
