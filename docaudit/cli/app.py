"""The commands with their arguments. What they do is in docaudit.cli.actions, imported when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import docaudit
from docaudit.cli import (
    assisting,
    checking,
    corpora,
    evaluating,
    gating,
    sampling,
    serving,
    suggesting,
    tables,
)
from docaudit.cli.common import concepts_flag, debug_flag, documents, json_flag, retrieved_flag
from docaudit.cli.flags import chosen_options, option_flags
from docaudit.cli.sections import SectionedCommand, TaskGroup
from docaudit.options import READING_OPTIONS

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


# \b keeps click from filling the lines.
EXIT_CODES = """\b
Exit codes (of other commands: docaudit COMMAND --help):
  audit     0 absent within the coverage, 1 mentioned, 3 not established
  sweep     0 no hit and all was read, 1 a hit, 3 no hit but not all was read
  coverage  0 shown, 1 if --fail-under or --fail-on says so
  all       2 error: one line on stderr says what happened and what to do
"""


@click.group(
    cls=TaskGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES,
)
@click.version_option(docaudit.__version__, prog_name="docaudit")
@debug_flag
def app() -> None:
    """Audit PDFs for absence: show that something is not in a document, or say exactly why that cannot be shown."""


@app.command(cls=SectionedCommand)
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
    from docaudit.cli import actions

    return actions.audit(
        doc,
        concepts,
        question,
        chosen_options(flags),
        retrieved=retrieved,
        out=out,
        redact=redact,
        as_json=as_json,
    )


@app.command(cls=SectionedCommand)
@documents(-1)
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Exit with 1 if, in any document, fewer than this share of the pages (0 to 1) could be read in full.",
)
@click.option(
    "--fail-on",
    multiple=True,
    metavar="KIND",
    help="Exit with 1 if any document has a blind spot of this kind that may hold text; 'any' for every kind. "
    "Can be repeated, or list kinds joined by commas; docaudit explain lists them.",
)
@click.option(
    "--html", metavar="FILE", type=click.Path(path_type=Path), help="Write a map of all pages into this file."
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write coverage.json, page_map.html, pages.csv and blind_spots.csv into this folder.",
)
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def coverage(
    docs: tuple[Path, ...],
    fail_under: float | None,
    fail_on: tuple[str, ...],
    html: Path | None,
    out: Path | None,
    as_json: bool,
    **flags: Any,
) -> int:
    """Show what a program can and cannot read in each DOC.

    DOC is a PDF, or a folder that `docaudit parse` wrote (its page map has no pictures). Exit code: 0, 1 if
    --fail-under is not reached or --fail-on is met (one line on stderr says by which document), 2 error.
    """
    from docaudit.cli import coverage as work

    gate = work.Gate.of(fail_under, fail_on)
    return work.coverage(docs, chosen_options(flags), gate, html=html, out=out, as_json=as_json)


@app.command(short_help="Say what a code in the output means and asks for.")
@click.argument("codes", metavar="[CODE]...", nargs=-1)
@json_flag
@debug_flag
def explain(codes: tuple[str, ...], as_json: bool) -> int:
    """Say what a code in the output means and what can be done about it; all codes if none is named.

    Exit code: 0, or 2 if there is no such code.
    """
    from docaudit.cli import coverage as work

    return work.explain(codes, as_json=as_json)


@app.command(cls=SectionedCommand, short_help="Find every occurrence of every variant in each DOC.")
@documents(-1)
@concepts_flag
@json_flag
@click.option(
    "--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object for each hit and nothing else."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print one CSV row for each hit and nothing else.")
@click.option(
    "--lines",
    "as_lines",
    is_flag=True,
    help="Print one line for each hit, as grep does: PAGE:LINE:CONCEPT:MATCH_KIND:SNIPPET, with DOC: before it if "
    "there are several.",
)
@option_flags((*READING_OPTIONS, "regex_seconds", "sweep_seconds"))
@debug_flag
def sweep(
    docs: tuple[Path, ...],
    concepts: Path,
    as_json: bool,
    as_jsonl: bool,
    as_csv: bool,
    as_lines: bool,
    **flags: Any,
) -> int:
    """Find every occurrence of every variant in each DOC, with its context.

    DOC is a PDF, or a folder that `docaudit parse` wrote. With --csv, --jsonl and --lines, what was not read is said on
    stderr. Exit code: 0 no hit and everything could be searched, 1 any hit, 3 no hit but something was not read, 2
    error.
    """
    from docaudit.cli import actions

    given = {"json": as_json, "jsonl": as_jsonl, "csv": as_csv, "lines": as_lines}
    chosen = [name for name, wanted in given.items() if wanted]
    if len(chosen) > 1:
        named = " and ".join(f"--{name}" for name in chosen)
        raise click.UsageError(f"{named} exclude each other", click.get_current_context())
    return actions.sweep(docs, concepts, chosen_options(flags), form=chosen[0] if chosen else "text")


@app.command(cls=SectionedCommand, short_help="Read DOC once and keep its tables for later commands.")
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
    from docaudit.cli import actions

    return actions.parse(doc, out, chosen_options(flags), as_json=as_json)


@app.command(short_help="Show or write a saved justification again.")
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
    from docaudit.cli import actions

    look = actions.Look(doc, redact, language, password)
    return actions.report(saved, look, html=html, out=out, as_json=as_json)


_MODULES = (tables, suggesting, checking, sampling, corpora, gating, evaluating, assisting, serving)
for command in (one for module in _MODULES for one in module.COMMANDS):
    app.add_command(command)
