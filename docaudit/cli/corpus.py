"""The commands about many documents: corpus run, show, query."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docaudit.cli.audit import name_written
from docaudit.cli.flags import (
    SectionedCommand,
    chosen_options,
    debug_flag,
    json_flag,
    one_form,
    option_flags,
    print_json,
    progress_bars,
)
from docaudit.errors import OptionError
from docaudit.options import AuditOptions

if TYPE_CHECKING:
    from docaudit.concepts.model import ConceptTable
    from docaudit.corpus import CorpusRun
    from docaudit.corpus.matrix import CorpusMatrix
    from docaudit.render.language import Language

_NAMED = 5
_ALONE = ("canary", "explain_with", "explain_seconds")
"""Options that are for single documents."""


@click.group(short_help="Audit many documents with many tables, into one store.")
@debug_flag
def corpus() -> None:
    """Audit many documents with many concept tables, and keep everything in a store."""


@corpus.command(cls=SectionedCommand, short_help="Audit every PDF of a folder or list into a store.")
@click.argument("sources", metavar="[DIR|LIST|PDF]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--concepts",
    required=True,
    multiple=True,
    metavar="TABLE",
    type=click.Path(path_type=Path),
    help="Concept table: CSV, TSV, JSON, YAML or XLSX. Can be repeated.",
)
@click.option(
    "--out",
    required=True,
    metavar="STORE",
    type=click.Path(path_type=Path),
    help="Folder of the store. One that is there is gone on with: what it holds is not done again.",
)
@click.option("--question", metavar="TEXT", help="The question that every document is asked.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Documents that are worked on at the same time, each in a process of its own. [default: one for each core]",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Do the work on this Dask cluster (tcp://host:port; needs the extra dask). Documents and store must be "
    "reachable there under the same paths.",
)
@click.option("--retry-failed", is_flag=True, help="Try documents again that failed in an earlier run.")
@json_flag
@option_flags(name for name in AuditOptions.model_fields if name not in _ALONE)
@debug_flag
def run(
    sources: tuple[Path, ...],
    concepts: tuple[Path, ...],
    out: Path,
    question: str | None,
    jobs: int | None,
    scheduler: str | None,
    retry_failed: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Audit every PDF below DIR or named in LIST with every TABLE, and keep parses and findings in STORE.

    LIST is a text file with one path on each line, and # before comments (or parted by zero bytes, as find -print0
    writes them). Without DIR and LIST, the documents that are in the store already are audited. Each document is read
    once, by the hash of its bytes; a run that was ended goes on where it stood when it is started again. Exit code: 0
    if every document has its row in the store, also those that failed; 2 error, also if there is no document; 130
    Ctrl-C.
    """
    from docaudit.corpus import run as run_corpus
    from docaudit.corpus.sources import printable
    from docaudit.render.language import one_line, plural

    tables = _tables_by_name(concepts)
    documents = [0, 0]
    try:
        with progress_bars("a minute") as bar:

            def progress(stage: str, done: int, total: int) -> None:
                if stage == "documents":
                    documents[:] = done, total
                if bar is not None:
                    bar(stage, done, total)

            ended = run_corpus(
                sources,
                tables,
                out,
                question=question,
                options=chosen_options(flags),
                jobs=jobs,
                scheduler=scheduler,
                progress=progress,
                retry_failed=retry_failed,
            )
    except KeyboardInterrupt:
        done, total = documents
        click.echo(
            f"docaudit: {done} of {total} documents are done; the same command goes on from there", err=True
        )
        raise
    for line in _problems(ended):
        click.echo(f"docaudit: {one_line(line)}", err=True)
    if as_json:
        print_json(ended.model_dump(mode="json"))
        return 0
    counts = f"{ended.read:,} read now, {ended.unchanged:,} done before, {len(ended.failed):,} failed"
    made = f"{plural(ended.audited, 'audit')} made in {ended.seconds:,.1f} s"
    click.echo(f"{plural(ended.documents, 'document')}: {counts}; {made}")
    click.echo(f"look at it: docaudit corpus show {shlex.quote(printable(out))}")
    return 0


def _tables_by_name(paths: Iterable[Path]) -> dict[str, ConceptTable]:
    """The tables by the names of their files; raises OptionError if two have the same name."""
    from docaudit.concepts.model import ConceptTable

    tables: dict[str, ConceptTable] = {}
    of: dict[str, Path] = {}
    for path in paths:
        if path.stem in of and of[path.stem].resolve() != path.resolve():
            raise OptionError(
                f"two concept tables are called '{path.stem}': {of[path.stem]} and {path}",
                remedy="rename one: results are listed by the name of the table",
            )
        of[path.stem] = path
        tables[path.stem] = ConceptTable.load(path)
    return tables


def _problems(ended: CorpusRun) -> Iterable[str]:
    from docaudit.render.language import plural

    listed = list(ended.failed.values())
    for failure in listed[:_NAMED]:
        yield f"{failure.name}: {failure.detail} ({failure.remedy})"
    if len(listed) > _NAMED:
        yield f"and {len(listed) - _NAMED:,} more failed; the table documents has each with its reason"
    for path, reason in list(ended.not_readable.items())[:_NAMED]:
        yield f"{path}: {reason}"
    if len(ended.not_readable) > _NAMED:
        yield f"and {len(ended.not_readable) - _NAMED:,} more paths cannot be read; the table paths has each"
    others = ended.not_documents - len(ended.not_readable)
    if others:
        yield f"{plural(others, 'path')} in the sources: no document; the table paths has each with its reason"


_store = click.argument("store", metavar="STORE", type=click.Path(path_type=Path))


@corpus.command()
@_store
@click.option(
    "--table", "tables", multiple=True, metavar="NAME", help="Only this concept table. Can be repeated."
)
@click.option(
    "--finding",
    "findings",
    multiple=True,
    type=click.Choice(["mentioned", "absent", "not_established", "error", "not_run"]),
    help="Only documents with this finding of the table. Can be repeated.",
)
@click.option(
    "--doc",
    "document",
    metavar="PATTERN",
    help="Only documents one of whose file names has this text in it, or matches it if it has * or ? in it; with a / "
    "in it, one of whose paths.",
)
@click.option(
    "--gone",
    is_flag=True,
    help="Also show and count documents that are in no source any more, marked as such.",
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=40,
    metavar="N",
    help="Documents of a table that the terminal lists at most, 0 for all.  [default: 40]",
)
@click.option(
    "--html",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write pages into this folder: index.html, one for each table, and a report for each cell.",
)
@click.option(
    "--reports/--no-reports",
    "reports",
    default=None,
    help="With --html: whether a report is made of each document and table; else cells lead to the justifications in "
    "the store.  [default: up to 1,000 of them]",
)
@click.option("--language", type=click.Choice(["en", "ja"]), default="en", help="Language of the pages.")
@click.option(
    "--csv",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write one row for each document, table and concept into this file; - prints them and nothing else.",
)
@json_flag
@debug_flag
def show(
    store: Path,
    tables: tuple[str, ...],
    findings: tuple[str, ...],
    document: str | None,
    gone: bool,
    limit: int,
    html: Path | None,
    reports: bool | None,
    language: Any,
    csv: Path | None,
    as_json: bool,
) -> int:
    """Show what was found in each document of STORE: documents by concepts, a block for each concept table.

    Shown is the latest audit with each table and question. Documents that could not be read are listed with their
    reason, every count is that of all documents, and those that are in no source any more are left out and counted.
    Exit code: 0, 2 error.
    """
    from docaudit.corpus.matrix import load_matrix, matrix_csv, print_matrix
    from docaudit.files import write_text
    from docaudit.render.tables import BYTE_ORDER_MARK

    to_stdout = csv == Path("-")
    if to_stdout and as_json:
        raise click.UsageError("--csv - and --json exclude each other", click.get_current_context())
    named = tuple("absent_within_coverage" if finding == "absent" else finding for finding in findings)
    matrix = load_matrix(store, tables=tables, findings=named, document=document, gone=gone)
    written: list[Path] = []
    if to_stdout:
        click.echo(matrix_csv(matrix).removeprefix(BYTE_ORDER_MARK), nl=False)
    elif csv is not None:
        write_text(csv, matrix_csv(matrix))
        written.append(csv)
    if html is not None:
        _write_pages(matrix, store, html, reports=reports, language=language)
        written.append(html / "index.html")
    if as_json:
        print_json(matrix.model_dump(mode="json"))
    elif not written and not to_stdout:
        print_matrix(matrix, limit=limit)
    name_written(written, err=as_json or to_stdout)
    return 0


def _write_pages(
    matrix: CorpusMatrix, store: Path, folder: Path, *, reports: bool | None, language: Language
) -> None:
    from docaudit.corpus.pages import MOST_REPORTS, write_pages
    from docaudit.render.language import plural

    with progress_bars("reports/min") as bar:
        progress = None if bar is None else lambda done, total: bar("reports", done, total)
        made = write_pages(matrix, store, folder, reports=reports, language=language, progress=progress)
    if not made and reports is None and any(sheet.entries for sheet in matrix.sheets):
        total = sum(bool(entry.justification) for sheet in matrix.sheets for entry in sheet.entries)
        if total > MOST_REPORTS:
            click.echo(
                f"docaudit: no report was made of {plural(total, 'audit')}: cells lead to the justifications in the "
                "store (--reports makes them; --table, --finding and --doc choose)",
                err=True,
            )


@corpus.command()
@_store
@click.argument("sql", required=False)
@click.option("--columns", is_flag=True, help="List the tables and what their columns mean, and ask nothing.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV and nothing else.")
@json_flag
@click.option(
    "--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object for each row and nothing else."
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    metavar="N",
    help="Rows that the terminal shows at most, 0 for all; other forms have all.  [default: 100]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="How long it may take.  [default: no limit]",
)
@click.option(
    "--memory-mb",
    type=click.IntRange(16),
    default=1024,
    metavar="N",
    help="Memory that it may take, in megabytes.  [default: 1024]",
)
@debug_flag
def query(
    store: Path,
    sql: str | None,
    columns: bool,
    as_csv: bool,
    as_json: bool,
    as_jsonl: bool,
    limit: int,
    seconds: float | None,
    memory_mb: int,
) -> int:
    """Ask STORE with one SELECT of DuckDB's SQL (needs the extra corpus).

    Tables: documents, paths, audits, findings, cells, hits, pages, blind_spots; of audits that are not current, also
    all_findings, all_cells, all_hits. A query can read these and nothing else, and change nothing. Exit code: 0,
    2 error.
    """
    from docaudit.cli import query_rows
    from docaudit.corpus.sql import answering

    if columns:
        return query_rows.print_columns(as_json=as_json)
    if sql is None:
        raise click.UsageError("a SELECT is needed, or --columns", click.get_current_context())
    form = one_form(csv=as_csv, json=as_json, jsonl=as_jsonl)
    with answering(store, sql, seconds=seconds, memory_mb=memory_mb) as answer:
        query_rows.print_answer(answer, form, limit)
    return 0
