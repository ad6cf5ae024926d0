"""What `docaudit corpus run` does."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import click

from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bar
from docaudit.concepts import ConceptTable
from docaudit.corpus.run import CorpusRun
from docaudit.corpus.run import run as run_corpus
from docaudit.errors import OptionError
from docaudit.options import AuditOptions
from docaudit.render.clean import one_line
from docaudit.render.words import plural

_NAMED = 5


class Request(NamedTuple):
    """What is to be audited with what."""

    sources: tuple[Path, ...]
    concepts: tuple[Path, ...]
    question: str | None
    options: AuditOptions
    retry_failed: bool


def run(request: Request, out: Path, *, jobs: int | None, scheduler: str | None, as_json: bool) -> int:
    """Fill the store; 0 if every document has its row."""
    tables = named_tables(request.concepts)
    with progress_bar("documents", "documents") as progress:
        done = run_corpus(
            request.sources,
            tables,
            out,
            question=request.question,
            options=request.options,
            progress=progress,
            retry_failed=request.retry_failed,
        )
    for line in _problems(done):
        click.echo(f"docaudit: {one_line(line)}", err=True)
    if as_json:
        print_json(done.model_dump(mode="json"))
    else:
        click.echo(f"{out}: {plural(done.documents, 'document')}")
    return 0


def named_tables(paths: Iterable[Path]) -> dict[str, ConceptTable]:
    """The tables by the names of their files; raises OptionError if two have the same name."""
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


def _problems(done: CorpusRun) -> Iterable[str]:
    listed = list(done.failed.values())
    for failure in listed[:_NAMED]:
        yield f"{failure.name}: {failure.detail} ({failure.remedy})"
    if len(listed) > _NAMED:
        yield f"and {len(listed) - _NAMED} more failed"
