"""What `docaudit evaluate` does: load, call one function, print the result, give the exit code."""

from __future__ import annotations

from pathlib import Path

import click

from docaudit.abstention.ledger.evaluate import (
    diff_ledgers,
    evaluate_ledger,
    load_evaluation,
    verify_evaluation,
)
from docaudit.abstention.ledger.read import FILES, load_ledger
from docaudit.abstention.ledger.results import Decision, Evaluation
from docaudit.cli.flags import print_json
from docaudit.errors import OutputError
from docaudit.files import write_text
from docaudit.render import ledger_text
from docaudit.render.language import one_line
from docaudit.render.terminal import ConsoleWriter, new_console

_SHOWN = 20


def evaluate(ledger: Path, *, html: Path | None, as_json: bool) -> int:
    """Evaluate a ledger; 0 if it may be released, 1 if not."""
    loaded = load_ledger(ledger)
    named = [*FILES, *(absence.path for run in loaded.runs for absence in run.absence)]
    if html is not None and html.resolve() in {(ledger / name).resolve() for name in named}:
        raise OutputError("is a file of the ledger", file=str(html), remedy="name another file")
    result = evaluate_ledger(loaded)
    if html is not None:
        from docaudit.render.ledger_html import to_html

        write_text(html, to_html(result))
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        ledger_text.print_evaluation(result, ConsoleWriter(new_console()))
        if html is not None:
            click.echo(f"\nWrote {html}")
    return int(result.decision is not Decision.RELEASED)


def diff(before: Path, after: Path, *, as_json: bool) -> int:
    """Compare two ledgers; 1 if anything moved."""
    found = diff_ledgers(_evaluated(before), _evaluated(after))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        ledger_text.print_diff(found, ConsoleWriter(new_console()))
    return int(not found.same)


def verify(ledger: Path, told: Path, *, as_json: bool) -> int:
    """Recompute a printed evaluation; 1 if any field of it is not what the rows give."""
    found = verify_evaluation(load_evaluation(told), _evaluated(ledger))
    if as_json:
        print_json({"verified": not found, "differences": [one.model_dump(mode="json") for one in found]})
        return int(bool(found))
    click.echo("NOT VERIFIED" if found else "VERIFIED: every number is what the rows give")
    for one in found[:_SHOWN]:
        click.echo(f"  {one_line(str(one))}")
    if len(found) > _SHOWN:
        click.echo(f"  and {len(found) - _SHOWN} more: --json lists all")
    return int(bool(found))


def _evaluated(ledger: Path) -> Evaluation:
    return evaluate_ledger(load_ledger(ledger))
