"""What each command does: read its inputs, call one function, print the result, give the exit code."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from docaudit.audit import require_table
from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bar
from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument
from docaudit.errors import DocauditError, ExitCode, OptionError
from docaudit.options import AuditOptions
from docaudit.render.language import one_line, plural

if TYPE_CHECKING:
    from docaudit.justification import AbsenceJustification
    from docaudit.render.language import Language


class Look(NamedTuple):
    """How a report is to look.

    Attributes:
        doc: The document, for pictures and the annotated copy.
        redact: Without the text of the document.
        language: Language of the reports; None is that of the explanation.
        password: Password of the document.
    """

    doc: Path | None = None
    redact: bool = False
    language: Language | None = None
    password: str | None = None


def audit(
    doc: Path,
    concepts: Path,
    question: str | None,
    options: AuditOptions,
    *,
    retrieved: Path | None,
    out: Path | None,
    redact: bool,
    as_json: bool,
) -> int:
    """Audit one document; the exit code is that of its finding."""
    import docaudit
    from docaudit.render.terminal import print_report
    from docaudit.saved import dump

    if options.explain_with == "model":
        _say_sent(options)
    table = ConceptTable.load(concepts)
    chunks = None if retrieved is None else docaudit.load_chunks(retrieved)
    with progress_bar(doc.name) as progress:
        finding = docaudit.audit(
            doc, table, question=question, retrieved=chunks, options=options, progress=progress
        )
    finding = docaudit.redact(finding) if redact else finding
    look = Look(doc if doc.is_file() else None, redact, None, options.password)
    written, problems = _write(finding, out, look, searched_on=dt.date.today())
    if as_json:
        click.echo(dump(finding), nl=False)
    else:
        print_report(finding, listed_in=str(out / "justification.json") if out else "the output of --json")
    say_written(written, problems, err=as_json)
    return int(finding.finding.exit_code)


def sweep(docs: Sequence[Path], concepts: Path, options: AuditOptions, *, form: str) -> int:
    """Print every hit in each document; exit codes as DESIGN section 5 has them."""
    from docaudit.audit import find_hits
    from docaudit.cli.swept import Swept, print_swept

    table = ConceptTable.load(concepts)
    require_table(table)

    def one(doc: Path) -> Swept:
        parsed = read_parsed(doc, options)
        return Swept.of(doc.name, parsed, *find_hits(parsed, table, options))

    failed: list[Path] = []
    found, searchable = False, True
    for swept in print_swept(_each(docs, one, failed), form, several=len(docs) > 1):
        found, searchable = found or swept.found, searchable and swept.searchable
    if failed:
        return int(ExitCode.ERROR)
    if found:
        return int(ExitCode.MENTIONED)
    return int(ExitCode.ABSENT if searchable else ExitCode.NOT_ESTABLISHED)


def parse(doc: Path, out: Path, options: AuditOptions, *, as_json: bool) -> int:
    """Parse one document and keep its tables."""
    parsed = read_parsed(doc, options)
    folder = parsed.save(out)
    pages = parsed.identity.pages_total
    lines, spots = len(parsed.line_df), len(parsed.blind_spot_df)
    if as_json:
        print_json({"folder": str(folder), "pages": pages, "lines": lines, "blind_spots": spots})
        return 0
    counts = plural(pages, "page"), plural(lines, "line"), plural(spots, "blind spot")
    click.echo(f"{folder}: {', '.join(counts)}")
    return 0


def report(saved: Path, look: Look, *, html: Path | None, out: Path | None, as_json: bool) -> int:
    """Show a saved justification on the terminal, or write it again."""
    import docaudit
    from docaudit import files as atomic
    from docaudit.render.language import Translator
    from docaudit.render.terminal import print_report
    from docaudit.render.view import headline
    from docaudit.report import html_report
    from docaudit.saved import dump, load_justification

    justification = load_justification(saved)
    if look.redact and not justification.redacted:
        justification = docaudit.redact(justification)
    written, problems = _write(justification, out, look)
    if html is not None:
        page = html_report(
            justification, look.doc, redact=look.redact, language=look.language, password=look.password
        )
        atomic.write_text(html, page)
        written.append(html)
    if as_json:
        click.echo(dump(justification), nl=False)
    elif written:
        click.echo(
            headline(justification, Translator(look.language or justification.options.language)).upper()
        )
    else:
        print_report(justification, listed_in=str(saved), language=look.language)
    say_written(written, problems, err=as_json)
    return 0


def read_parsed(doc: Path, options: AuditOptions) -> ParsedDocument:
    """The saved parse in this folder, or a parse of the PDF.

    Raises OptionError if the saved parse was read with other options than those given.
    """
    import docaudit
    from docaudit.audit import open_parsed

    saved = open_parsed(doc)
    if saved is not None:
        try:
            options.read_with(saved.options)
        except OptionError as error:
            raise OptionError(error.cause, file=str(doc), remedy=error.remedy) from error
        return saved
    with progress_bar(doc.name) as progress:
        return docaudit.parse(doc, options=options, progress=progress)


Done = TypeVar("Done")


def _each(docs: Iterable[Path], work: Callable[[Path], Done], failed: list[Path]) -> Iterator[Done]:
    """The work done for each document; one that fails is named on stderr and does not stop the others."""
    for doc in docs:
        try:
            done = work(doc)
        except DocauditError as error:
            failed.append(doc)
            click.echo(f"docaudit: {one_line(str(error))}", err=True)
        else:
            yield done


def _write(
    justification: AbsenceJustification, out: Path | None, look: Look, *, searched_on: dt.date | None = None
) -> tuple[list[Path], tuple[str, ...]]:
    """Write a report into a folder, if one is named: the files, and what could not be made."""
    from docaudit.report import write_report

    if out is None:
        return [], ()
    done = write_report(
        justification,
        out,
        look.doc,
        redact=look.redact,
        language=look.language,
        searched_on=searched_on,
        password=look.password,
    )
    return done.files, done.problems


def _say_sent(options: AuditOptions) -> None:
    """Say where text goes before it does; raises OptionError if no model is configured."""
    from docaudit.wording.model import Endpoint

    host = Endpoint.from_environment(options.explain_seconds).host
    click.echo(f"docaudit: question, counts and snippets of the document will be sent to {host}", err=True)


def say_written(paths: list[Path], problems: Sequence[str] = (), *, err: bool = False) -> None:
    """Name the files that were written, and on stderr what could not be made."""
    if paths:
        click.echo("\nwritten: " + "  ".join(str(path) for path in paths), err=err)
    for problem in problems:
        click.echo(f"docaudit: {one_line(problem)}", err=True)
