"""The command that evaluates a ledger of runs. What it does is in docaudit.cli.evaluated."""

from __future__ import annotations

from pathlib import Path

import click

from docaudit.cli.flags import debug_flag, json_flag


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
    "told",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="Recompute what --json printed before, and list every number that differs.",
)
@json_flag
@debug_flag
def evaluate(
    ledgers: tuple[Path, ...], as_diff: bool, html: Path | None, told: Path | None, as_json: bool
) -> int:
    """Evaluate the runs of a question-answering tool: ratios, vetoes, and whether it may be released.

    LEDGER is a folder with contract.json, documents.jsonl, cases.jsonl, runs.jsonl and claims.jsonl; docs/ledger.md
    describes them. Exit code: 0 released, 1 not released, 2 error. With --diff: 0 nothing moved, 1 something did. With
    --verify: 0 every number is the same, 1 one differs.
    """
    from docaudit.cli import evaluated

    wanted = 2 if as_diff else 1
    if len(ledgers) != wanted:
        context = click.get_current_context()
        raise click.UsageError("--diff takes two ledgers, and without it there is one", context)
    if (as_diff and (html or told)) or (html and told):
        raise click.UsageError("--diff, --html and --verify exclude each other", click.get_current_context())
    if as_diff:
        return evaluated.diff(ledgers[0], ledgers[1], as_json=as_json)
    if told:
        return evaluated.verify(ledgers[0], told, as_json=as_json)
    return evaluated.evaluate(ledgers[0], html=html, as_json=as_json)


COMMANDS = (evaluate,)
