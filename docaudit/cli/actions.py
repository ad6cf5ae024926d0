"""What each command does: read its inputs, call one function, print the result, give the exit code."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from docaudit.cli.progress import progress_bar
from docaudit.concepts import ConceptTable
from docaudit.errors import DocauditError, ExitCode
from docaudit.options import AuditOptions
from docaudit.parsed import ParsedDocument
from docaudit.render.clean import one_line


def audit(
    doc: Path,
    concepts: Path,
    question: str | None,
    options: AuditOptions,
    *,
    out: Path | None,
    as_json: bool,
) -> int:
    """Audit one document; the exit code is that of its finding."""
    import docaudit
    from docaudit.render import json as json_form
    from docaudit.render.text import print_report

    table = ConceptTable.load(concepts)
    source = _source(doc)
    with progress_bar(doc.name) as progress:
        finding = docaudit.audit(source, table, question=question, options=options, progress=progress)
    written = _write(finding, out)
    if as_json:
        click.echo(json_form.dump(finding), nl=False)
    else:
        print_report(finding, listed_in=str(out / "justification.json") if out else "the output of --json")
    _say_written(written, err=as_json)
    return int(finding.finding.exit_code)


def coverage(docs: Iterable[Path], options: AuditOptions, *, fail_under: float | None, as_json: bool) -> int:
    """Show what could be read of each document."""
    from docaudit.cli.coverage import Readability, print_coverage

    read, failed = _each(docs, lambda doc: Readability.of(doc.name, _parsed(doc, options)))
    if as_json:
        _print_json([one.as_dict() for one in read])
    else:
        print_coverage(read, fail_under)
    if failed:
        return int(ExitCode.ERROR)
    return int(fail_under is not None and any(one.share < fail_under for one in read))


def sweep(docs: Iterable[Path], concepts: Path, options: AuditOptions, *, form: str) -> int:
    """Print every hit in each document; exit codes as DESIGN section 5 has them."""
    import docaudit
    from docaudit.cli.swept import Swept, print_swept

    table = ConceptTable.load(concepts)

    def one(doc: Path) -> Swept:
        parsed = _parsed(doc, options)
        return Swept.of(doc.name, parsed, docaudit.sweep(parsed, table, options=options))

    swept, failed = _each(docs, one)
    print_swept(swept, form)
    if failed:
        return int(ExitCode.ERROR)
    if any(item.found for item in swept):
        return int(ExitCode.MENTIONED)
    return int(ExitCode.ABSENT if all(item.searchable for item in swept) else ExitCode.NOT_ESTABLISHED)


def parse(doc: Path, out: Path, options: AuditOptions) -> int:
    """Parse one document and keep its tables."""
    parsed = _parsed(doc, options)
    folder = parsed.save(out)
    pages = parsed.identity.pages_total
    lines, spots = len(parsed.line_df), len(parsed.blind_spot_df)
    click.echo(f"{folder}: {pages:,} pages, {lines:,} lines, {spots:,} blind spots")
    return 0


def lint(path: Path, *, as_json: bool) -> int:
    """Print what is wrong with a concept table; 1 if there is more than remarks."""
    from docaudit.concept_lint import lint as find

    table = ConceptTable.load(path)
    findings = find(table)
    if as_json:
        _print_json([finding.model_dump(mode="json") for finding in findings])
    else:
        for finding in findings:
            place = ": ".join(one_line(part) for part in (finding.concept, finding.variant) if part)
            click.echo(f"{finding.severity}: {place}: {one_line(finding.message)} [{finding.code}]")
        if not findings:
            click.echo(
                f"{path}: {len(table.concepts)} concepts, {len(table.variants)} variants, nothing to say"
            )
    return int(any(finding.severity != "info" for finding in findings))


def report(saved: Path, *, html: Path | None, out: Path | None) -> int:
    """Show a saved justification on the terminal, or write it again."""
    from docaudit import atomic
    from docaudit.render import json as json_form
    from docaudit.render.html import to_html
    from docaudit.render.text import print_report

    justification = json_form.read(saved)
    written = _write(justification, out)
    if html is not None:
        atomic.write_text(html, to_html(justification))
        written.append(html)
    if not written:
        print_report(justification, listed_in=str(saved))
    _say_written(written)
    return 0


def _source(doc: Path) -> Path | ParsedDocument:
    """A saved parse, or the path as it is: what is wrong with a path, the parser says best."""
    return ParsedDocument.load(doc) if (doc / "document.json").is_file() else doc


def _parsed(doc: Path, options: AuditOptions) -> ParsedDocument:
    import docaudit

    source = _source(doc)
    if isinstance(source, ParsedDocument):
        return source
    with progress_bar(doc.name) as progress:
        return docaudit.parse(source, options=options, progress=progress)


def _each(docs: Iterable[Path], work: Any) -> tuple[list[Any], bool]:
    """Do the work for every document; one that fails is named on stderr and does not stop the others."""
    done = []
    failed = False
    for doc in docs:
        try:
            done.append(work(doc))
        except DocauditError as error:
            failed = True
            click.echo(f"docaudit: {one_line(str(error))}", err=True)
    return done, failed


def _write(justification: Any, out: Path | None) -> list[Path]:
    from docaudit.render.folder import write_folder

    return write_folder(justification, out) if out is not None else []


def _say_written(paths: list[Path], *, err: bool = False) -> None:
    if paths:
        click.echo("\nwritten: " + "  ".join(str(path) for path in paths), err=err)


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))
