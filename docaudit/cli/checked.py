"""What `docaudit verify` and `docaudit compare` do: load, call one function, print the result, give the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from docaudit.cli.actions import read_parsed
from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bar
from docaudit.compare import Comparison, Fate
from docaudit.document import ParsedDocument
from docaudit.errors import ExitCode
from docaudit.options import READING_OPTIONS
from docaudit.render.language import one_line, page_words, plural
from docaudit.retrieval import load_chunks
from docaudit.saved import load_justification

_SIGNS = {"confirmed": "✓", "differs": "✗", "not_run": "–"}
_SHOWN = 20
_FATES = {
    Fate.HOLDS: "HOLDS: still absent within the stated coverage",
    Fate.VOIDED: "VOIDED: the new edition mentions it",
    Fate.NOT_ESTABLISHED: "NOT ESTABLISHED ANY MORE",
    Fate.WAS_NOT_ABSENT: "the old audit established no absence",
    Fate.NOW_ABSENT: "ABSENT NOW: the old audit established no absence, this one does",
}


def verify(saved: Path, doc: Path, password: str | None, retrieved: Path | None, *, as_json: bool) -> int:
    """Replay a saved justification; 1 if anything differs."""
    import docaudit

    justification = load_justification(saved)
    chunks = None if retrieved is None else load_chunks(retrieved)
    with progress_bar(doc.name) as progress:
        result = docaudit.verify(justification, doc, password=password, retrieved=chunks, progress=progress)
    if as_json:
        print_json({**result.model_dump(mode="json"), "verified": result.verified})
        return int(not result.verified)
    click.echo("VERIFIED" if result.verified else "NOT VERIFIED")
    click.echo(f"{saved} against {doc}\n")
    for check in result.checks:
        click.echo(
            f"  {_SIGNS[check.state]} {check.step.value.replace('_', ' '):14} {one_line(check.evidence)}"
        )
        for one in check.differences[:_SHOWN]:
            click.echo(f"      {one_line(str(one))}")
        if len(check.differences) > _SHOWN:
            click.echo(f"      and {len(check.differences) - _SHOWN} more: --json lists all")
    return int(not result.verified)


def compare(saved: Sequence[Path], doc: Path, password: str | None, *, as_json: bool) -> int:
    """Audit a new edition once for each old justification; the document is read once for each way of reading."""
    import docaudit

    olds = [load_justification(path) for path in saved]
    read: dict[str, ParsedDocument] = {}
    results = []
    for old in olds:
        options = old.options.model_copy(update={"password": password})
        key = repr([getattr(options, name) for name in READING_OPTIONS])
        if key not in read:
            read[key] = read_parsed(doc, options)
        results.append(docaudit.compare(old, read[key], password=password))
    if as_json:
        print_json([result.model_dump(mode="json") for result in results])
    else:
        for path, result in zip(saved, results, strict=True):
            _show(path, result)
    fates = {result.fate for result in results}
    if Fate.VOIDED in fates:
        return int(ExitCode.MENTIONED)
    return int(ExitCode.NOT_ESTABLISHED if Fate.NOT_ESTABLISHED in fates else ExitCode.ABSENT)


def _show(path: Path, result: Comparison) -> None:
    click.echo(f"{path}: {_FATES[result.fate]}")
    if result.question:
        click.echo(f"  question  {one_line(result.question)}")
    same = " (the same file)" if result.same_document else ""
    click.echo(f"  before    {one_line(result.before.name)}, {plural(result.before.pages_total, 'page')}")
    click.echo(f"  now       {one_line(result.now.name)}, {plural(result.now.pages_total, 'page')}{same}")
    for one in result.concepts:
        pages = f" on {page_words(one.pages_now)}" if one.pages_now else ""
        counts = f"{plural(one.hits_before, 'hit')} before, {one.hits_now} now{pages}"
        click.echo(f"  {one_line(one.concept)}: {one.fate.value.replace('_', ' ')} ({counts})")
    for check in result.unmet:
        click.echo(f"  unmet     {check.obligation.value}: {one_line(check.evidence)}")
