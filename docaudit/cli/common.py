"""Flags and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class State:
    """What the flags that every command has were set to."""

    debug: bool = False


def _set_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(State).debug = True


debug_flag = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_set_debug,
    # Before all others, so that it also covers what the others' own checks raise.
    is_eager=True,
    help="Show the traceback of an unexpected error.",
)
json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
concepts_flag = click.option(
    "--concepts",
    required=True,
    metavar="TABLE",
    type=click.Path(path_type=Path),
    help="Concept table: CSV, TSV, JSON, YAML or XLSX.",
)
retrieved_flag = click.option(
    "--retrieved",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Chunks that a retriever gave for the question (JSON list or JSON Lines: text, page or pages, id, score): "
    "did it miss what the sweep found?",
)


def documents(nargs: int = 1) -> Callable[[Command], Command]:
    """The argument DOC: a PDF, or a folder that `docaudit parse` wrote."""
    name, label = ("doc", "DOC") if nargs == 1 else ("docs", "DOC...")
    return click.argument(name, metavar=label, nargs=nargs, required=True, type=click.Path(path_type=Path))


def table_argument(name: str = "table") -> Callable[[Command], Command]:
    """An argument that is the file of a concept table."""
    return click.argument(name, metavar=name.upper(), type=click.Path(path_type=Path))
