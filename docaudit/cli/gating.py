"""The commands about gates: gate run, split, sweep, topk. What they do is in docaudit.cli.gates and cli.topk."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import click

from docaudit.cli.adopting import adopt, diff
from docaudit.cli.flags import Command, debug_flag, json_flag

_plot_flag = click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Draw the trade-off into this PNG or SVG file (needs the extra evaluate).",
)


def _file(name: str, text: str) -> Callable[[Command], Command]:
    return click.option(name, required=True, metavar="FILE", type=click.Path(path_type=Path), help=text)


def _numbers(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    """Numbers joined by commas."""
    try:
        if value is not None and not re.fullmatch(r"[-+.,eE0-9 ]+|.*(?:nan|inf).*", value, re.ASCII):
            raise ValueError(value)  # float() also takes 1_0 and full-width digits
        return None if value is None else tuple(float(one) for one in value.split(","))
    except ValueError as error:
        raise click.BadParameter(f"'{value}' is not a list of numbers such as 0.4,0.7") from error


@click.group(short_help="Choose the search score below which a tool holds back.")
@debug_flag
def gate() -> None:
    """Choose and check the score below which a question-answering tool holds its answer back."""


@gate.command(short_help="Run a small experiment with the reference retriever.")
@_file(
    "--config",
    "JSON: method, k1, b, top_k, thresholds, comparison, experiment_date_jst, corpus_scope (docs/gate.md).",
)
@_file("--documents", "JSON: a list of id, title, text.")
@_file(
    "--queries",
    "JSON: a list of id, query, required_doc_ids, answerable_in_collection, label_reason; with group, to split.",
)
@_file("--out", "Write the results here, with the same bytes for the same files.")
@_plot_flag
@json_flag
@debug_flag
def run(config: Path, documents: Path, queries: Path, out: Path, plot: Path | None, as_json: bool) -> int:
    """Search a small collection with the reference retriever (BM25) and decide each question at each threshold.

    Exit code: 0 written, 2 error.
    """
    from docaudit.cli import gates

    return gates.run(config, documents, queries, out, plot=plot, as_json=as_json)


@gate.command(short_help="Split RESULTS: one part to choose on, one to check on.")
@click.argument("frozen", metavar="RESULTS", type=click.Path(path_type=Path))
@_file("--out", "Write the split here. A file that exists is kept: it counts the uses of its held-out part.")
@click.option("--held-out", type=float, default=0.3, show_default=True, help="Share of the groups held out.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random choice.")
@click.option(
    "--alike",
    type=float,
    default=90,
    show_default=True,
    help="From this similarity (0 to 100: edits in proportion to length) questions count as written almost alike.",
)
@json_flag
@debug_flag
def split(frozen: Path, out: Path, held_out: float, seed: int, alike: float, as_json: bool) -> int:
    """Split RESULTS into a part to choose a threshold on and a part to check it on.

    Questions of one group, and those written almost alike, stay together. Exit code: 0 written, 2 error.
    """
    from docaudit.cli import gates

    return gates.split(frozen, out, held_out=held_out, seed=seed, alike=alike, as_json=as_json)


@gate.command(short_help="Show what each threshold does to RESULTS.")
@click.argument("frozen", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option(
    "--thresholds",
    callback=_numbers,
    metavar="N,N,...",
    help="Thresholds to show. [default: those that make a difference; 20 at most in the table, 100 with --json]",
)
@click.option(
    "--unverified",
    type=click.Choice(["refuse", "apart"]),
    default="refuse",
    show_default=True,
    help="What becomes of questions whose evidence nobody verified; they never count as absent.",
)
@click.option(
    "--split", "parts", metavar="FILE", type=click.Path(path_type=Path), help="A split of these results."
)
@click.option(
    "--part",
    type=click.Choice(["tuning", "held_out"]),
    help="Which part of the split; each look at held_out is counted in its file, and needs --thresholds.",
)
@click.option(
    "--guarantee",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Which of the thresholds lets through at most this share of the questions without evidence, with "
    "confidence? (needs the extra evaluate)",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="Of the guarantee.",
)
@_plot_flag
@json_flag
@debug_flag
def sweep(
    frozen: Path,
    thresholds: tuple[float, ...] | None,
    unverified: str,
    parts: Path | None,
    part: str | None,
    guarantee: float | None,
    confidence: float,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Show what each threshold does to RESULTS: nothing is searched again.

    RESULTS is the results.json of `docaudit gate run`, or JSON with operating, questions and rows. Exit code: 0 shown,
    2 error.
    """
    from docaudit.cli import gates

    if (parts is None) != (part is None):
        raise click.UsageError("--split and --part go together", click.get_current_context())
    if guarantee is not None and thresholds is None:
        raise click.UsageError(
            "--guarantee needs --thresholds that were fixed beforehand", click.get_current_context()
        )
    look = gates.Look(frozen, thresholds, unverified, parts, part)
    return gates.sweep(look, guarantee=guarantee, confidence=confidence, plot=plot, as_json=as_json)


def _ks(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, ...]:
    """Whole numbers joined by commas."""
    try:
        return tuple(int(one) for one in value.split(","))
    except ValueError as error:
        raise click.BadParameter(f"'{value}' is not a list of whole numbers such as 1,3,10") from error


@gate.command(short_help="Show how many hits to take: each k and threshold.")
@click.argument("frozen", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option(
    "--unit",
    type=click.Choice(["chunk", "document"]),
    required=True,
    help="What an id of RESULTS stands for.",
)
@click.option(
    "--k", "ks", callback=_ks, default="1,3,10", show_default=True, metavar="N,N,...", help="Hits at most."
)
@click.option(
    "--thresholds",
    callback=_numbers,
    metavar="N,N,...",
    help="From which score on a hit is taken. [default: by rank alone]",
)
@click.option(
    "--stages", is_flag=True, help="Also say, for the first k and threshold, which stage is to blame."
)
@json_flag
@debug_flag
def topk(
    frozen: Path,
    unit: str,
    ks: tuple[int, ...],
    thresholds: tuple[float, ...] | None,
    stages: bool,
    as_json: bool,
) -> int:
    """Show what each k and threshold takes of what RESULTS require, and how much besides (needs the extra evaluate).

    RESULTS is as for `docaudit gate sweep`; required_doc_ids of its rows are what is relevant. Exit code: 0 shown,
    2 error.
    """
    from docaudit.cli import topk as action

    return action.topk(frozen, unit, ks, thresholds, stages=stages, as_json=as_json)


for _command in (adopt, diff):
    gate.add_command(_command)
COMMANDS = (gate,)
