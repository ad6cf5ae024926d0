"""The commands about many documents. What they do is in docaudit.cli.corpus_run, corpus_show and corpus_query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docaudit.cli.common import debug_flag, json_flag
from docaudit.cli.flags import chosen_options, option_flags
from docaudit.cli.sections import SectionedCommand
from docaudit.options import AuditOptions

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
    from docaudit.cli import corpus_run

    request = corpus_run.Request(sources, concepts, question, chosen_options(flags), retry_failed)
    return corpus_run.run(request, out, jobs=jobs, scheduler=scheduler, as_json=as_json)


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
    from docaudit.cli import corpus_show

    named = tuple("absent_within_coverage" if one == "absent" else one for one in findings)
    pages = None if html is None else corpus_show.Pages(html, reports, language)
    wanted = corpus_show.Wanted(tables, named, document, gone)
    if csv == Path("-") and as_json:
        raise click.UsageError("--csv - and --json exclude each other", click.get_current_context())
    return corpus_show.show(store, wanted, limit=limit, pages=pages, csv=csv, as_json=as_json)


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
    from docaudit.cli import corpus_query

    given = {"csv": as_csv, "json": as_json, "jsonl": as_jsonl}
    chosen = [name for name, wanted in given.items() if wanted]
    context = click.get_current_context()
    if columns:
        return corpus_query.columns(as_json=as_json)
    if sql is None:
        raise click.UsageError("a SELECT is needed, or --columns", context)
    if len(chosen) > 1:
        raise click.UsageError(f"{' and '.join(f'--{name}' for name in chosen)} exclude each other", context)
    form = chosen[0] if chosen else "text"
    return corpus_query.query(store, sql, seconds=seconds, memory_mb=memory_mb, form=form, limit=limit)


COMMANDS = (corpus,)
