"""Commands about concept tables: init, accept, reject, lint, diff. What they do is in docaudit.cli.table_actions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docaudit.cli.common import debug_flag, json_flag, table_argument
from docaudit.cli.flags import chosen_options, option_flags
from docaudit.cli.sections import SectionedCommand
from docaudit.options import READING_OPTIONS


@click.command(short_help="Write a first TABLE from the words of a question.")
@table_argument()
@click.option("--question", required=True, metavar="TEXT", help="The question that documents will be asked.")
@json_flag
@debug_flag
def init(table: Path, question: str, as_json: bool) -> int:
    """Write a first TABLE from the words of a question, for an expert to complete.

    Every row is proposed: nothing is searched before someone accepts it. TABLE must not exist yet; its suffix says
    CSV, TSV, JSON, YAML or XLSX. Exit code: 0 written, 2 error.
    """
    from docaudit.cli import table_actions

    return table_actions.init(table, question, as_json=as_json)


@click.command(short_help="Accept variants of a concept into TABLE, or add your own.")
@table_argument()
@click.argument("concept", metavar="CONCEPT")
@click.argument("variants", metavar="VARIANT...", nargs=-1, required=True)
@click.option(
    "--reviewer", metavar="LABEL", default="", envvar="DOCAUDIT_REVIEWER", help="Who decides (needed)."
)
@click.option("--note", metavar="TEXT", help="Why; kept in the table.")
@click.option(
    "--reference",
    metavar="TEXT",
    default="",
    help="Where the terms stand: a statute, a standard, a glossary.",
)
@click.option(
    "--match",
    type=click.Choice(["word", "prefix", "substring", "regex"]),
    help="How new rows are matched. [default: word; substring for Japanese and Chinese]",
)
@click.option("--new-concept", is_flag=True, help="CONCEPT may be one that the table does not have yet.")
@json_flag
@debug_flag
def accept(
    table: Path,
    concept: str,
    variants: tuple[str, ...],
    reviewer: str,
    note: str | None,
    reference: str,
    match: Any,
    new_concept: bool,
    as_json: bool,
) -> int:
    """Accept each VARIANT of CONCEPT into TABLE: a row that it has, or a term of your own, which becomes a new row.

    All are written or none. Exit code: 0 written, 2 error.
    """
    from docaudit.cli import table_actions

    return table_actions.accept(
        table,
        concept,
        variants,
        reviewer=reviewer,
        note=note,
        reference=reference,
        match=match,
        new_concept=new_concept,
        as_json=as_json,
    )


@click.command(short_help="Reject variants: kept as a record, never searched.")
@table_argument()
@click.argument("concept", metavar="CONCEPT")
@click.argument("variants", metavar="VARIANT...", nargs=-1, required=True)
@click.option(
    "--reviewer", metavar="LABEL", default="", envvar="DOCAUDIT_REVIEWER", help="Who decides (needed)."
)
@click.option("--note", metavar="TEXT", help="Why; kept in the table.")
@json_flag
@debug_flag
def reject(
    table: Path, concept: str, variants: tuple[str, ...], reviewer: str, note: str | None, as_json: bool
) -> int:
    """Reject each VARIANT of CONCEPT in TABLE: it stays as a record, is not searched, and is not suggested again.

    A word of the question that is no subject of it is rejected like this. All are written or none. Exit code: 0
    written, 2 error.
    """
    from docaudit.cli import table_actions

    return table_actions.reject(table, concept, variants, reviewer=reviewer, note=note, as_json=as_json)


@click.command(cls=SectionedCommand)
@table_argument()
@click.option(
    "--doc",
    metavar="DOC",
    type=click.Path(path_type=Path),
    help="Also count the variants in this document (a PDF, or a folder that docaudit parse wrote): which are too "
    "common to mean anything, and what another case setting would change.",
)
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def lint(table: Path, doc: Path | None, as_json: bool, **flags: Any) -> int:
    """Check a concept table: is anything in it probably not meant?

    Each finding has a code, a row and a remedy; docs/lint.md explains the codes. Exit code: 0 clean or only remarks,
    1 findings, 2 the table or the document cannot be read.
    """
    from docaudit.cli import table_actions

    return table_actions.lint(table, doc, chosen_options(flags), as_json=as_json)


@click.command(short_help="Show what changed from one table to another.")
@table_argument("old")
@table_argument("new")
@json_flag
@debug_flag
def diff(old: Path, new: Path, as_json: bool) -> int:
    """Show what changed from one concept table to another, row by row.

    The order of rows is no difference. Exit code: 0 no difference, 1 differences, 2 a table cannot be read.
    """
    from docaudit.cli import table_actions

    return table_actions.diff(old, new, as_json=as_json)


COMMANDS = (init, accept, reject, lint, diff)
