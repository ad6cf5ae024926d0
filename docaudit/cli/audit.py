"""The commands about one justification: audit, parse, report, verify, compare."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from docaudit.cli.flags import (
    SectionedCommand,
    chosen_options,
    concepts_flag,
    debug_flag,
    documents,
    json_flag,
    option_flags,
    password_flag,
    print_json,
    progress_bar,
    retrieved_flag,
)
from docaudit.errors import DocauditError, ExitCode, OptionError
from docaudit.options import READING_OPTIONS, AuditOptions

if TYPE_CHECKING:
    from docaudit.compare import Comparison
    from docaudit.document import ParsedDocument
    from docaudit.justification import AbsenceJustification
    from docaudit.render.language import Language

Done = TypeVar("Done")
_STATE_SIGNS = {"confirmed": "✓", "differs": "✗", "not_run": "–"}
_DIFFERENCES_SHOWN = 20
_FATES = {
    "holds": "HOLDS: still absent within the stated coverage",
    "voided": "VOIDED: the new edition mentions it",
    "not_established": "NOT ESTABLISHED ANY MORE",
    "was_not_absent": "the old audit established no absence",
    "now_absent": "ABSENT NOW: the old audit established no absence, this one does",
}

out_flag = click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also write the report in all its forms into this folder: justification.json, report.html, report.md, "
    "search-record.md, search-terms.xlsx and .csv, hits.csv, blind_spots.csv, and of a PDF annotated.pdf.",
)
redact_flag = click.option(
    "--redact",
    is_flag=True,
    help="Leave the text of the document out of everything that is printed or written.",
)


class Look(NamedTuple):
    """How a report is to look.

    Attributes:
        doc: The document, for images of its pages and the annotated copy.
        redact: Without the text of the document.
        language: Language of the reports; None is that of the explanation.
        password: Password of the document.
    """

    doc: Path | None = None
    redact: bool = False
    language: Language | None = None
    password: str | None = None


@click.command(cls=SectionedCommand)
@documents()
@concepts_flag
@click.option("--question", metavar="TEXT", help="The question that the document is asked.")
@retrieved_flag
@out_flag
@redact_flag
@json_flag
@option_flags()
@debug_flag
def audit(
    doc: Path,
    concepts: Path,
    question: str | None,
    retrieved: Path | None,
    out: Path | None,
    redact: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Audit DOC: is what the concept table describes absent from it?

    DOC is a PDF, or a folder that `docaudit parse` wrote. Exit code: 0 absent within the stated coverage,
    1 mentioned, 3 not established, 2 error.
    """
    import docaudit
    from docaudit.render.terminal import print_report
    from docaudit.saved import dump

    options = chosen_options(flags)
    if options.explain_with == "model":
        _announce_endpoint(options)
    table = docaudit.ConceptTable.load(concepts)
    chunks = None if retrieved is None else docaudit.load_chunks(retrieved)
    with progress_bar(doc.name) as progress:
        finding = docaudit.audit(
            doc, table, question=question, retrieved=chunks, options=options, progress=progress
        )
    finding = docaudit.redact(finding) if redact else finding
    look = Look(doc if doc.is_file() else None, redact, None, options.password)
    written, problems = _write_report(finding, out, look, searched_on=dt.date.today())
    if as_json:
        click.echo(dump(finding), nl=False)
    else:
        print_report(finding, listed_in=str(out / "justification.json") if out else "the output of --json")
    name_written(written, problems, err=as_json)
    return int(finding.finding.exit_code)


@click.command(cls=SectionedCommand, short_help="Read DOC once and keep its tables for later commands.")
@documents()
@click.option(
    "--out", required=True, metavar="FOLDER", type=click.Path(path_type=Path), help="Folder to write to."
)
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def parse(doc: Path, out: Path, as_json: bool, **flags: Any) -> int:
    """Read DOC into tables and keep them as Parquet, so that later audits of it need not read it again.

    Exit code: 0 written, 2 error.
    """
    from docaudit.render.language import plural

    parsed = read_parsed(doc, chosen_options(flags))
    folder = parsed.save(out)
    pages = parsed.identity.pages_total
    lines, blind_spots = len(parsed.line_df), len(parsed.blind_spot_df)
    if as_json:
        print_json({"folder": str(folder), "pages": pages, "lines": lines, "blind_spots": blind_spots})
        return 0
    counts = plural(pages, "page"), plural(lines, "line"), plural(blind_spots, "blind spot")
    click.echo(f"{folder}: {', '.join(counts)}")
    return 0


@click.command(short_help="Show or write a saved justification again.")
@click.argument("saved", metavar="JSON", type=click.Path(path_type=Path))
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write the HTML report here.")
@out_flag
@click.option(
    "--doc",
    metavar="DOC",
    type=click.Path(path_type=Path),
    help="The PDF that was audited: for pictures of what was not read, and annotated.pdf.",
)
@redact_flag
@click.option(
    "--language",
    type=click.Choice(["en", "ja"]),
    help="Language of the reports; that of the explanation if not given.",
)
@click.option(
    "--password",
    envvar="DOCAUDIT_PASSWORD",
    help="Password of DOC. Better through the environment: DOCAUDIT_PASSWORD.",
)
@json_flag
@debug_flag
def report(
    saved: Path,
    html: Path | None,
    out: Path | None,
    doc: Path | None,
    redact: bool,
    language: Any,
    password: str | None,
    as_json: bool,
) -> int:
    """Show a saved justification again, or write it in all its forms.

    The document is not needed. Exit code: 0, or 2 if the file cannot be read, DOC is another document, or nothing can
    be written.
    """
    import docaudit
    from docaudit.files import write_text
    from docaudit.render.language import Translator
    from docaudit.render.terminal import print_report
    from docaudit.render.view import headline
    from docaudit.report import html_report
    from docaudit.saved import dump, load_justification

    justification = load_justification(saved)
    if redact and not justification.redacted:
        justification = docaudit.redact(justification)
    written, problems = _write_report(justification, out, Look(doc, redact, language, password))
    if html is not None:
        write_text(html, html_report(justification, doc, redact=redact, language=language, password=password))
        written.append(html)
    if as_json:
        click.echo(dump(justification), nl=False)
    elif written:
        click.echo(headline(justification, Translator(language or justification.options.language)).upper())
    else:
        print_report(justification, listed_in=str(saved), language=language)
    name_written(written, problems, err=as_json)
    return 0


@click.command(short_help="Was a saved justification changed? Is it repeated?")
@click.argument("saved", metavar="JSON", type=click.Path(path_type=Path))
@click.argument("doc", metavar="DOC", type=click.Path(path_type=Path))
@password_flag
@retrieved_flag
@json_flag
@debug_flag
def verify(saved: Path, doc: Path, password: str | None, retrieved: Path | None, as_json: bool) -> int:
    """Check a saved justification against its document: was it changed, and does the audit give the same again?

    DOC is the PDF; a folder that `docaudit parse` wrote is searched again but not read again. Exit code: 0 verified, 1
    something differs, 2 error.
    """
    import docaudit
    from docaudit.render.language import one_line

    justification = docaudit.load_justification(saved)
    chunks = None if retrieved is None else docaudit.load_chunks(retrieved)
    with progress_bar(doc.name) as progress:
        result = docaudit.verify(justification, doc, password=password, retrieved=chunks, progress=progress)
    if as_json:
        print_json({**result.model_dump(mode="json"), "verified": result.verified})
        return int(not result.verified)
    click.echo("VERIFIED" if result.verified else "NOT VERIFIED")
    click.echo(f"{saved} against {doc}\n")
    for check in result.checks:
        step = check.step.value.replace("_", " ")
        click.echo(f"  {_STATE_SIGNS[check.state]} {step:14} {one_line(check.evidence)}")
        for difference in check.differences[:_DIFFERENCES_SHOWN]:
            click.echo(f"      {one_line(str(difference))}")
        if len(check.differences) > _DIFFERENCES_SHOWN:
            click.echo(f"      and {len(check.differences) - _DIFFERENCES_SHOWN} more: --json lists all")
    return int(not result.verified)


@click.command(short_help="Which absences still hold in a new edition?")
@click.argument("saved", metavar="OLD_JSON...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.argument("doc", metavar="NEW_DOC", type=click.Path(path_type=Path))
@password_flag
@json_flag
@debug_flag
def compare(saved: tuple[Path, ...], doc: Path, password: str | None, as_json: bool) -> int:
    """Audit a new edition as older ones were audited: which absences still hold, and which are voided?

    Exit code: 0 every absence holds, 1 one is voided, 3 one cannot be established any more, 2 error.
    """
    import docaudit
    from docaudit.compare import Fate

    parsed_by_options: dict[str, ParsedDocument] = {}
    results = []
    for old in [docaudit.load_justification(path) for path in saved]:
        options = old.options.model_copy(update={"password": password})
        key = repr([getattr(options, name) for name in READING_OPTIONS])
        if key not in parsed_by_options:
            parsed_by_options[key] = read_parsed(doc, options)
        results.append(docaudit.compare(old, parsed_by_options[key], password=password))
    if as_json:
        print_json([result.model_dump(mode="json") for result in results])
    else:
        for path, result in zip(saved, results, strict=True):
            _show_comparison(path, result)
    fates = {result.fate for result in results}
    if Fate.VOIDED in fates:
        return int(ExitCode.MENTIONED)
    return int(ExitCode.NOT_ESTABLISHED if Fate.NOT_ESTABLISHED in fates else ExitCode.ABSENT)


def _show_comparison(path: Path, result: Comparison) -> None:
    from docaudit.render.language import one_line, page_words, plural

    click.echo(f"{path}: {_FATES[result.fate.value]}")
    if result.question:
        click.echo(f"  question  {one_line(result.question)}")
    same = " (the same file)" if result.same_document else ""
    click.echo(f"  before    {one_line(result.before.name)}, {plural(result.before.pages_total, 'page')}")
    click.echo(f"  now       {one_line(result.now.name)}, {plural(result.now.pages_total, 'page')}{same}")
    for concept in result.concepts:
        pages = f" on {page_words(concept.pages_now)}" if concept.pages_now else ""
        counts = f"{plural(concept.hits_before, 'hit')} before, {concept.hits_now} now{pages}"
        click.echo(f"  {one_line(concept.concept)}: {concept.fate.value.replace('_', ' ')} ({counts})")
    for check in result.unmet:
        click.echo(f"  unmet     {check.obligation.value}: {one_line(check.evidence)}")


def read_parsed(doc: Path, options: AuditOptions) -> ParsedDocument:
    """The saved parse in this folder, or a parse of the PDF.

    Raises:
        OptionError: The saved parse was read with other options than those given.
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


def for_each(docs: Iterable[Path], work: Callable[[Path], Done], failed: list[Path]) -> Iterator[Done]:
    """The work done for each document; one that fails is named on stderr and does not stop the others."""
    from docaudit.render.language import one_line

    for doc in docs:
        try:
            done = work(doc)
        except DocauditError as error:
            failed.append(doc)
            click.echo(f"docaudit: {one_line(str(error))}", err=True)
        else:
            yield done


def name_written(paths: list[Path], problems: Sequence[str] = (), *, err: bool = False) -> None:
    """Name the files that were written, and on stderr what could not be made."""
    from docaudit.render.language import one_line

    if paths:
        click.echo("\nwritten: " + "  ".join(str(path) for path in paths), err=err)
    for problem in problems:
        click.echo(f"docaudit: {one_line(problem)}", err=True)


def _write_report(
    justification: AbsenceJustification, out: Path | None, look: Look, *, searched_on: dt.date | None = None
) -> tuple[list[Path], tuple[str, ...]]:
    """Write a report into a folder, if one is named: the files, and what could not be made."""
    if out is None:
        return [], ()
    from docaudit.report import write_report

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


def _announce_endpoint(options: AuditOptions) -> None:
    """Say where text goes before it does; raises OptionError if no model is configured."""
    from docaudit.wording.model import Endpoint

    host = Endpoint.from_environment(options.explain_seconds).host
    click.echo(f"docaudit: question, counts and snippets of the document will be sent to {host}", err=True)
