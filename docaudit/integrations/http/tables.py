"""The concept tables of the operator: one folder, chosen by file name and in no other way."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from docaudit.errors import OptionError
from docaudit.integrations.http.problems import refused

_SUFFIXES = frozenset({".csv", ".tsv", ".json", ".yaml", ".yml", ".xlsx"})


def table_names(folder: Path | None) -> tuple[str, ...]:
    """The tables in the folder now, in order; raises OptionError if it cannot be listed."""
    if folder is None:
        return ()
    try:
        return tuple(
            sorted(
                file.name for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES and file.is_file()
            )
        )
    except OSError as error:
        raise OptionError(
            f"the folder of tables cannot be listed: {error.strerror or error}",
            file=str(folder),
            remedy="name a folder of concept tables with --tables",
        ) from error


def named_table(folder: Path | None, name: str) -> Path:
    """The table with this name; raises RefusedError if none of those listed has it."""
    if folder is not None and name in table_names(folder):
        return folder / name
    raise refused(
        HTTPStatus.NOT_FOUND,
        "no_such_table",
        "the server has no concept table of this name",
        "/v1/offer lists its tables",
    )
