"""The work of `docaudit corpus show`: the matrix of a store on the terminal, or written in other forms."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from docaudit import files as atomic
from docaudit.cli.actions import say_written
from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bars
from docaudit.corpus.matrix import CorpusMatrix, load_matrix, matrix_csv, print_matrix
from docaudit.corpus.pages import MOST_REPORTS, write_pages
from docaudit.render.language import Language, plural
from docaudit.render.tables import BYTE_ORDER_MARK

_STDOUT = Path("-")


class Wanted(NamedTuple):
    """What of the store is shown."""

    tables: tuple[str, ...]
    findings: tuple[str, ...]
    document: str | None
    gone: bool = False


class Pages(NamedTuple):
    """Where HTML pages go, and how."""

    folder: Path
    reports: bool | None
    language: Language


def show(
    store: Path, wanted: Wanted, *, limit: int, pages: Pages | None, csv: Path | None, as_json: bool
) -> int:
    """Show or write the matrix."""
    tables, findings, document, gone = wanted
    matrix = load_matrix(store, tables=tables, findings=findings, document=document, gone=gone)
    written: list[Path] = []
    if csv == _STDOUT:
        click.echo(matrix_csv(matrix).removeprefix(BYTE_ORDER_MARK), nl=False)
    elif csv is not None:
        atomic.write_text(csv, matrix_csv(matrix))
        written.append(csv)
    if pages is not None:
        written.append(_write(matrix, store, pages))
    if as_json:
        print_json(matrix.model_dump(mode="json"))
    elif not written and csv != _STDOUT:
        print_matrix(matrix, limit=limit)
    say_written(written, err=as_json or csv == _STDOUT)
    return 0


def _write(matrix: CorpusMatrix, store: Path, pages: Pages) -> Path:
    folder, reports, language = pages
    with progress_bars("reports/min") as bar:
        told = None if bar is None else lambda done, total: bar("reports", done, total)
        made = write_pages(matrix, store, folder, reports=reports, language=language, progress=told)
    if not made and reports is None and any(sheet.entries for sheet in matrix.sheets):
        total = sum(bool(entry.justification) for sheet in matrix.sheets for entry in sheet.entries)
        if total > MOST_REPORTS:
            click.echo(
                f"docaudit: no report was made of {plural(total, 'audit')}: cells lead to the justifications in the "
                "store (--reports makes them; --table, --finding and --doc choose)",
                err=True,
            )
    return folder / "index.html"
