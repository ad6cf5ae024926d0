"""The commands about concept tables: init, accept, reject, lint, diff."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docaudit.cli.audit import read_parsed
from docaudit.cli.flags import (
    SectionedCommand,
    chosen_options,
    debug_flag,
    json_flag,
    option_flags,
    print_json,
    table_argument,
)
from docaudit.errors import ConceptTableError, OptionError, OutputError
from docaudit.options import READING_OPTIONS

if TYPE_CHECKING:
    from docaudit.concepts.model import ConceptTable
    from docaudit.concepts.variant import Variant

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


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
    from docaudit.concepts.change import first_table
    from docaudit.render.language import one_line, plural

    try:
        exists = table.exists()
    except OSError:
        exists = False  # a name that cannot be: writing says what is wrong with it
    if exists:
        raise OutputError(
            "there is such a file already", file=str(table), remedy="name another, or delete this one"
        )
    first = first_table(question)
    first.save(table)
    if as_json:
        print_json({"table": str(table), "concepts": list(first.concepts)})
        return 0
    named = ", ".join(one_line(name) for name in first.concepts)
    click.echo(f"{table}: {plural(len(first.concepts), 'concept')} proposed: {named}")
    click.echo(
        f"Accept them, and what else means the same: docaudit accept {table} CONCEPT VARIANT... --reviewer LABEL"
    )
    return 0


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
    from docaudit.concepts.variant import Variant
    from docaudit.render.language import plural
    from docaudit.text.words import CJK

    decided = _load_for_decision(table, concept, reviewer, new_concept=new_concept)
    rows_before = len(decided.variants)
    for text in variants:
        row = _row(decided, concept, text)
        if row is None:
            mode = match or ("substring" if CJK.search(text) else "word")
            decided = decided.add(
                [Variant(concept=concept, text=text, match=mode, status="proposed", source="expert")]
            )
            row = decided.variants[-1]
        decided = decided.decide(
            row.id, "accepted", reviewer=reviewer, note=note or "", reference=reference or None
        )
    decided.save(table)
    new = len(decided.variants) - rows_before
    done = f"{plural(len(variants), 'variant')} accepted, {new} of them new"
    return _print_decision(table, concept, {"accepted": len(variants), "new": new}, done, as_json=as_json)


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
    from docaudit.render.language import plural

    decided = _load_for_decision(table, concept, reviewer)
    for text in variants:
        row = _row(decided, concept, text)
        if row is None:
            raise ConceptTableError(
                f"'{concept}' has no variant '{text}'",
                file=str(table),
                remedy="only rows of the table can be rejected",
            )
        decided = decided.decide(row.id, "rejected", reviewer=reviewer, note=note or "")
    decided.save(table)
    done = f"{plural(len(variants), 'variant')} rejected"
    return _print_decision(table, concept, {"rejected": len(variants)}, done, as_json=as_json)


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
    from docaudit.concepts.lint import lint as lint_table
    from docaudit.concepts.model import ConceptTable
    from docaudit.lint_document import lint_with_document
    from docaudit.render.language import one_line, plural

    checked = ConceptTable.load(table)
    if doc is None:
        findings = lint_table(checked)
    else:
        findings = lint_with_document(checked, read_parsed(doc, chosen_options(flags)))
    if as_json:
        print_json([finding.model_dump(mode="json") for finding in findings])
        return int(any(finding.severity != "info" for finding in findings))
    for finding in findings:
        place = ": ".join(one_line(part) for part in (finding.concept, finding.variant) if part)
        message = f"{one_line(finding.message)} {one_line(finding.remedy)}"
        click.echo(
            f"{finding.severity}: row {finding.row} ({finding.row_id}): {place}: {message} [{finding.code}]"
        )
    if not findings:
        counts = plural(len(checked.concepts), "concept"), plural(len(checked.variants), "variant")
        click.echo(f"{table}: {', '.join(counts)}, nothing to say")
    return int(any(finding.severity != "info" for finding in findings))


@click.command(short_help="Show what changed from one table to another.")
@table_argument("old")
@table_argument("new")
@json_flag
@debug_flag
def diff(old: Path, new: Path, as_json: bool) -> int:
    """Show what changed from one concept table to another, row by row.

    The order of rows is no difference. Exit code: 0 no difference, 1 differences, 2 a table cannot be read.
    """
    from docaudit.concepts.change import diff_tables
    from docaudit.concepts.model import ConceptTable
    from docaudit.render.language import one_line, plural

    difference = diff_tables(ConceptTable.load(old), ConceptTable.load(new))
    if as_json:
        print_json({**difference.model_dump(mode="json"), "same_search": difference.same_search})
        return int(bool(difference.changes))

    def value(text: str) -> str:
        return f"'{one_line(text)}'" if text else "nothing"

    for change in difference.changes:
        place = ": ".join(one_line(part) for part in (change.concept, change.variant) if part)
        fields = "; ".join(
            f"{field.field} {value(field.old)} -> {value(field.new)}" for field in change.fields
        )
        line = f"{_SIGNS[change.kind]} {place} [{one_line(change.row)}] {fields or change.status}"
        click.echo(line.replace(" [] ", " "))
    if difference.changes:
        same = "search the same" if difference.same_search else "do not search the same"
        click.echo(f"{plural(len(difference.changes), 'difference')}; the tables {same}")
    else:
        click.echo("no difference")
    return int(bool(difference.changes))


def _load_for_decision(path: Path, concept: str, reviewer: str, *, new_concept: bool = False) -> ConceptTable:
    from docaudit.concepts.model import ConceptTable

    if not reviewer.strip():
        raise OptionError(
            "a decision needs a reviewer", remedy="name who decides: --reviewer, or DOCAUDIT_REVIEWER"
        )
    table = ConceptTable.load(path)
    if concept not in table.concepts and not new_concept:
        raise ConceptTableError(
            f"there is no concept '{concept}'",
            file=str(path),
            remedy=f"take one of {', '.join(table.concepts)}; docaudit accept --new-concept makes another",
        )
    return table


def _row(table: ConceptTable, concept: str, text: str) -> Variant | None:
    """The row of a concept with this text or id."""
    return next(
        (row for row in table.variants if row.concept == concept and text in (row.text, row.id)), None
    )


def _print_decision(path: Path, concept: str, counts: dict[str, int], done: str, *, as_json: bool) -> int:
    from docaudit.render.language import one_line

    if as_json:
        print_json({"table": str(path), **counts})
    else:
        click.echo(f"{path}: {one_line(concept)}: {done}")
    return 0
