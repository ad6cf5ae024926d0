"""What `docaudit corpus run` does."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import click

from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bars
from docaudit.concepts.model import ConceptTable
from docaudit.corpus import CorpusRun
from docaudit.corpus import run as run_corpus
from docaudit.corpus.sources import shown
from docaudit.errors import OptionError
from docaudit.options import AuditOptions
from docaudit.render.language import one_line, plural

_NAMED = 5


class Request(NamedTuple):
    """What is to be audited with what."""

    sources: tuple[Path, ...]
    concepts: tuple[Path, ...]
    question: str | None
    options: AuditOptions
    retry_failed: bool


def run(request: Request, out: Path, *, jobs: int | None, scheduler: str | None, as_json: bool) -> int:
    """Fill the store; 0 if every document has its row. Ctrl-C: the tables hold what is done."""
    tables = named_tables(request.concepts)
    at = [0, 0]
    try:
        with progress_bars("a minute") as bar:

            def progress(stage: str, done: int, total: int) -> None:
                if stage == "documents":
                    at[:] = done, total
                if bar is not None:
                    bar(stage, done, total)

            ended = run_corpus(
                request.sources,
                tables,
                out,
                question=request.question,
                options=request.options,
                jobs=jobs,
                scheduler=scheduler,
                progress=progress,
                retry_failed=request.retry_failed,
            )
    except KeyboardInterrupt:
        done, total = at
        click.echo(
            f"docaudit: {done} of {total} documents are done; the same command goes on from there", err=True
        )
        raise
    for line in _problems(ended):
        click.echo(f"docaudit: {one_line(line)}", err=True)
    if as_json:
        print_json(ended.model_dump(mode="json"))
    else:
        click.echo(_told(ended))
        click.echo(f"look at it: docaudit corpus show {shlex.quote(shown(out))}")
    return 0


def _told(ended: CorpusRun) -> str:
    counts = f"{ended.read:,} read now, {ended.unchanged:,} done before, {len(ended.failed):,} failed"
    made = f"{plural(ended.audited, 'audit')} made in {ended.seconds:,.1f} s"
    return f"{plural(ended.documents, 'document')}: {counts}; {made}"


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


def _problems(ended: CorpusRun) -> Iterable[str]:
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
