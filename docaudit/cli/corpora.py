"""The commands about many documents: corpus run. What they do is in docaudit.cli.corpus_run."""

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


@click.group()
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

    LIST is a text file with one path on each line (or parted by zero bytes, as find -print0 writes them). Without DIR
    and LIST, the documents that are in the store already are audited. Each document is read once, by the hash of its
    bytes; a run that was ended goes on where it stood when it is started again. Exit code: 0 if every document has its
    row in the store, also those that failed; 2 error.
    """
    from docaudit.cli import corpus_run

    request = corpus_run.Request(sources, concepts, question, chosen_options(flags), retry_failed)
    return corpus_run.run(request, out, jobs=jobs, scheduler=scheduler, as_json=as_json)


COMMANDS = (corpus,)
