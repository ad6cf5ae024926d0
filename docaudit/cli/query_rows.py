"""Rows of `docaudit corpus query` as a table on the terminal, or in a form for programs."""

from __future__ import annotations

import base64
import csv
import datetime as dt
import json
import math
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

import click
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from docaudit.corpus.audits import ALL, QUERY_TABLES
from docaudit.corpus.sql import QueryAnswer
from docaudit.render.language import csv_cell, one_line, plural
from docaudit.render.terminal import ConsoleWriter, new_console

_GAP, _NARROWEST = 2, 12
_NULL = "NULL"


def print_answer(answer: QueryAnswer, form: str, limit: int) -> None:
    """Print the rows as text (at most limit of them, 0 for all), csv, json or jsonl."""
    if form == "text":
        _print(answer, limit)
    elif form == "csv":
        _csv(answer)
    else:
        _json(answer, lines=form == "jsonl")


def print_columns(*, as_json: bool) -> int:
    """List the tables with what a row of each is, and what each column means."""
    if as_json:
        listed = {
            name: {
                "row": contract.row,
                "columns": [{"name": f.name, "type": f.dtype, "meaning": f.meaning} for f in contract.fields],
            }
            for name, contract in QUERY_TABLES.items()
        }
        click.echo(json.dumps(listed, ensure_ascii=False, indent=1))
        return 0
    paper = ConsoleWriter(new_console())
    for name, contract in QUERY_TABLES.items():
        if name.startswith(ALL):
            paper.heading(name, f"as {name.removeprefix(ALL)}, also of audits that are not current")
            continue
        only = "; current audits only" if f"{ALL}{name}" in QUERY_TABLES else ""
        paper.heading(name, f"one row is {contract.row}{only}")
        wide = max(len(column) for column in contract.columns)
        for field in contract.fields:
            paper.row([field.name, field.dtype, field.meaning], [wide, 7])
    return 0


def _print(answer: QueryAnswer, limit: int) -> None:
    rows = answer.rows()
    shown = [[_shown(value) for value in row] for row in (islice(rows, limit) if limit else rows)]
    more = sum(1 for _ in rows)
    paper = ConsoleWriter(new_console())
    if shown:
        _table(paper, answer.columns, shown) if _fits(paper, answer.columns, shown) else _records(
            paper, answer.columns, shown
        )
    count = plural(len(shown) + more, "row")
    paper.say((count if not more else f"{count}, {limit:,} of them shown: --limit 0 shows all", "dim"))


def _fits(paper: ConsoleWriter, names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether every column can be as wide as its longest cell, or at least wide enough to be folded."""
    wide = [
        min(max(cell_len(cell) for cell in column), _NARROWEST) for column in zip(names, *rows, strict=True)
    ]
    heads = [cell_len(name) for name in names]
    return sum(map(max, wide, heads)) + _GAP * len(names) <= paper.width


def _table(paper: ConsoleWriter, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, padding=(0, _GAP, 0, 0), show_edge=False, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(Text(one_line(name)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, "dim" if cell == _NULL else "") for cell in row))
    paper.table(table, indent=0)


def _records(paper: ConsoleWriter, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """One column under the other, where they do not fit side by side."""
    wide = min(max(cell_len(name) for name in names), paper.width // 2)
    for number, row in enumerate(rows, 1):
        paper.say((f"row {number:,}", "bold"))
        for name, cell in zip(names, row, strict=True):
            paper.row([one_line(name), cell], [wide])


def _csv(answer: QueryAnswer) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([csv_cell(name) for name in answer.columns])
    for row in answer.rows():
        writer.writerow(["" if value is None else _in_csv(value) for value in row])


def _in_csv(value: object) -> object:
    plain = _plain(value)
    if isinstance(plain, str):
        return csv_cell(plain)
    if isinstance(plain, list | dict):
        return csv_cell(json.dumps(plain, ensure_ascii=False))
    return plain


def _json(answer: QueryAnswer, *, lines: bool) -> None:
    """Objects one by one, so that memory does not grow with the rows."""
    objects = _objects(answer)
    if lines:
        for text in objects:
            click.echo(text)
        return
    click.echo("[", nl=False)
    for number, text in enumerate(objects):
        click.echo(f"{',' if number else ''}\n {text}", nl=False)
    click.echo("\n]")


def _objects(answer: QueryAnswer) -> Iterator[str]:
    for row in answer.rows():
        values = {name: _plain(value) for name, value in zip(answer.columns, row, strict=True)}
        yield json.dumps(values, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """A value as JSON has it: what JSON has no form for as text, and what is no number (NaN, infinite) as null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def _shown(value: object) -> str:
    if value is None:
        return _NULL
    if isinstance(value, float):
        return f"{value:.6g}"
    plain = _plain(value)
    return one_line(plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False))
