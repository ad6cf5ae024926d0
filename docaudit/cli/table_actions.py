"""What the commands about concept tables do: read, call one function, print the result, give the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from docaudit.cli.printing import print_json
from docaudit.concepts.check import MatchMode
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import ConceptTableError, OptionError, OutputError
from docaudit.options import AuditOptions
from docaudit.render.language import one_line, plural
from docaudit.text.words import CJK

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def init(path: Path, question: str, *, as_json: bool) -> int:
    """Write a first table; one that exists already is never overwritten."""
    from docaudit.concepts.change import first_table

    if _is_there(path):
        raise OutputError(
            "there is such a file already", file=str(path), remedy="name another, or delete this one"
        )
    table = first_table(question)
    table.save(path)
    if as_json:
        print_json({"table": str(path), "concepts": list(table.concepts)})
        return 0
    named = ", ".join(one_line(name) for name in table.concepts)
    click.echo(f"{path}: {plural(len(table.concepts), 'concept')} proposed: {named}")
    click.echo(
        f"Accept them, and what else means the same: docaudit accept {path} CONCEPT VARIANT... --reviewer LABEL"
    )
    return 0


def accept(
    path: Path,
    concept: str,
    texts: Sequence[str],
    *,
    reviewer: str,
    note: str | None,
    reference: str,
    match: MatchMode | None,
    new_concept: bool,
    as_json: bool,
) -> int:
    """Accept rows whatever their status was, and terms that the table does not have yet; write all or none."""
    table = _for_decision(path, reviewer)
    if concept not in table.concepts and not new_concept:
        raise _no_such_concept(path, concept, table)
    old = len(table.variants)
    for text in texts:
        row = _row(table, concept, text)
        if row is None:
            mode = match or ("substring" if CJK.search(text) else "word")
            table = table.add(
                [Variant(concept=concept, text=text, match=mode, status="proposed", source="expert")]
            )
            row = table.variants[-1]
        table = table.decide(
            row.id, "accepted", reviewer=reviewer, note=note or "", reference=reference or None
        )
    new = len(table.variants) - old
    table.save(path)
    said = f"{plural(len(texts), 'variant')} accepted, {new} of them new"
    return _say(path, concept, {"accepted": len(texts), "new": new}, said, as_json=as_json)


def reject(
    path: Path, concept: str, texts: Sequence[str], *, reviewer: str, note: str | None, as_json: bool
) -> int:
    """Reject rows whatever their status was; write all or none."""
    table = _for_decision(path, reviewer)
    if concept not in table.concepts:
        raise _no_such_concept(path, concept, table)
    for text in texts:
        row = _row(table, concept, text)
        if row is None:
            raise ConceptTableError(
                f"'{concept}' has no variant '{text}'",
                file=str(path),
                remedy="only rows of the table can be rejected",
            )
        table = table.decide(row.id, "rejected", reviewer=reviewer, note=note or "")
    table.save(path)
    return _say(
        path,
        concept,
        {"rejected": len(texts)},
        f"{plural(len(texts), 'variant')} rejected",
        as_json=as_json,
    )


def _for_decision(path: Path, reviewer: str) -> ConceptTable:
    if not reviewer.strip():
        raise OptionError(
            "a decision needs a reviewer", remedy="name who decides: --reviewer, or DOCAUDIT_REVIEWER"
        )
    return ConceptTable.load(path)


def _no_such_concept(path: Path, concept: str, table: ConceptTable) -> ConceptTableError:
    return ConceptTableError(
        f"there is no concept '{concept}'",
        file=str(path),
        remedy=f"take one of {', '.join(table.concepts)}; docaudit accept --new-concept makes another",
    )


def _row(table: ConceptTable, concept: str, text: str) -> Variant | None:
    """The row of a concept with this text or id."""
    return next(
        (row for row in table.variants if row.concept == concept and text in (row.text, row.id)), None
    )


def _say(path: Path, concept: str, counts: dict[str, int], said: str, *, as_json: bool) -> int:
    if as_json:
        print_json({"table": str(path), **counts})
    else:
        click.echo(f"{path}: {one_line(concept)}: {said}")
    return 0


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # a name that cannot be: writing says what is wrong with it


def lint(path: Path, doc: Path | None, options: AuditOptions, *, as_json: bool) -> int:
    """Print what is odd in a concept table; 1 if there is more than remarks."""
    from docaudit.concepts.lint import lint as find

    table = ConceptTable.load(path)
    findings = find(table)
    if doc is not None:
        from docaudit.cli.actions import read_parsed
        from docaudit.lint_document import lint_with_document

        findings = lint_with_document(table, read_parsed(doc, options))
    if as_json:
        print_json([finding.model_dump(mode="json") for finding in findings])
    else:
        for finding in findings:
            place = ": ".join(one_line(part) for part in (finding.concept, finding.variant) if part)
            said = f"{one_line(finding.message)} {one_line(finding.remedy)}"
            click.echo(
                f"{finding.severity}: row {finding.row} ({finding.row_id}): {place}: {said} [{finding.code}]"
            )
        if not findings:
            counts = plural(len(table.concepts), "concept"), plural(len(table.variants), "variant")
            click.echo(f"{path}: {', '.join(counts)}, nothing to say")
    return int(any(finding.severity != "info" for finding in findings))


def diff(old: Path, new: Path, *, as_json: bool) -> int:
    """Print the differences of two tables; 1 if there are any."""
    from docaudit.concepts.change import diff_tables

    found = diff_tables(ConceptTable.load(old), ConceptTable.load(new))
    if as_json:
        print_json({**found.model_dump(mode="json"), "same_search": found.same_search})
        return int(bool(found.changes))
    for change in found.changes:
        place = ": ".join(one_line(part) for part in (change.concept, change.variant) if part)
        fields = "; ".join(f"{one.field} {_shown(one.old)} -> {_shown(one.new)}" for one in change.fields)
        said = fields or change.status
        click.echo(f"{_SIGNS[change.kind]} {place} [{one_line(change.row)}] {said}".replace(" [] ", " "))
    if found.changes:
        same = "search the same" if found.same_search else "do not search the same"
        click.echo(f"{plural(len(found.changes), 'difference')}; the tables {same}")
    else:
        click.echo("no difference")
    return int(bool(found.changes))


def _shown(text: str) -> str:
    return f"'{one_line(text)}'" if text else "nothing"
