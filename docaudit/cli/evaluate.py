"""The command that evaluates a ledger of runs."""

from __future__ import annotations

from pathlib import Path

import click

from docaudit.cli.flags import debug_flag, json_flag, print_json
from docaudit.errors import OutputError
from docaudit.files import write_text

_DIFFERENCES_SHOWN = 20


@click.command(short_help="May a tool be released, by the ledger of its runs?")
@click.argument("ledgers", metavar="LEDGER...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--diff", "as_diff", is_flag=True, help="Compare two ledgers: which ratios moved, by which rows."
)
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the report into this file; not with --diff or --verify.",
)
@click.option(
    "--verify",
    "saved",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="Recompute what --json printed before, and list every number that differs.",
)
@json_flag
@debug_flag
def evaluate(
    ledgers: tuple[Path, ...], as_diff: bool, html: Path | None, saved: Path | None, as_json: bool
) -> int:
    """Evaluate the runs of a question-answering tool: ratios, vetoes, and whether it may be released.

    LEDGER is a folder with contract.json, documents.jsonl, cases.jsonl, runs.jsonl and claims.jsonl; docs/ledger.md
    describes them. Exit code: 0 released, 1 not released, 2 error. With --diff: 0 nothing moved, 1 something did. With
    --verify: 0 every number is the same, 1 one differs.
    """
    if len(ledgers) != (2 if as_diff else 1):
        context = click.get_current_context()
        raise click.UsageError("--diff takes two ledgers, and without it there is one", context)
    if (as_diff and (html or saved)) or (html and saved):
        raise click.UsageError("--diff, --html and --verify exclude each other", click.get_current_context())
    from docaudit.abstention.ledger.evaluate import evaluate_ledger
    from docaudit.abstention.ledger.read import FILES, load_ledger
    from docaudit.abstention.ledger.results import ReleaseDecision

    if as_diff:
        return _diff(*ledgers, as_json=as_json)
    if saved:
        return _verify(ledgers[0], saved, as_json=as_json)
    ledger = load_ledger(ledgers[0])
    named = [*FILES, *(absence.path for run in ledger.runs for absence in run.absence)]
    if html is not None and html.resolve() in {(ledgers[0] / name).resolve() for name in named}:
        raise OutputError("is a file of the ledger", file=str(html), remedy="name another file")
    result = evaluate_ledger(ledger)
    if html is not None:
        from docaudit.abstention.render import to_html

        write_text(html, to_html(result))
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        from docaudit.abstention.render import print_evaluation

        print_evaluation(result)
        if html is not None:
            click.echo(f"\nWrote {html}")
    return int(result.decision is not ReleaseDecision.RELEASED)


def _diff(before: Path, after: Path, *, as_json: bool) -> int:
    """1 if anything moved."""
    from docaudit.abstention.ledger.evaluate import diff_ledgers, evaluate_ledger
    from docaudit.abstention.ledger.read import load_ledger
    from docaudit.abstention.render import print_diff

    moved = diff_ledgers(evaluate_ledger(load_ledger(before)), evaluate_ledger(load_ledger(after)))
    if as_json:
        print_json(moved.model_dump(mode="json"))
    else:
        print_diff(moved)
    return int(not moved.same)


def _verify(ledger: Path, saved: Path, *, as_json: bool) -> int:
    """1 if any field of a printed evaluation is not what the rows give."""
    from docaudit.abstention.ledger.evaluate import evaluate_ledger, load_evaluation, verify_evaluation
    from docaudit.abstention.ledger.read import load_ledger
    from docaudit.render.language import one_line

    differing = verify_evaluation(load_evaluation(saved), evaluate_ledger(load_ledger(ledger)))
    if as_json:
        fields = [difference.model_dump(mode="json") for difference in differing]
        print_json({"verified": not differing, "differences": fields})
        return int(bool(differing))
    click.echo("NOT VERIFIED" if differing else "VERIFIED: every number is what the rows give")
    for difference in differing[:_DIFFERENCES_SHOWN]:
        click.echo(f"  {one_line(str(difference))}")
    if len(differing) > _DIFFERENCES_SHOWN:
        click.echo(f"  and {len(differing) - _DIFFERENCES_SHOWN} more: --json lists all")
    return int(bool(differing))
