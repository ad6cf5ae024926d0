"""The commands about gates: gate run, split, sweep, topk, adopt, diff."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from docaudit.cli.flags import Command, debug_flag, json_flag, print_json
from docaudit.errors import GateError, OutputError
from docaudit.files import write_text

if TYPE_CHECKING:
    from docaudit.abstention.results import Frozen
    from docaudit.abstention.threshold_sweep import ThresholdSweep

_PATH = click.Path(path_type=Path)
_SHARE = click.FloatRange(0, 1)
_OPEN_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


def _file(name: str, text: str) -> Callable[[Command], Command]:
    return click.option(name, required=True, metavar="FILE", type=_PATH, help=text)


def _numbers(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    """Numbers joined by commas."""
    try:
        if value is not None and not re.fullmatch(r"[-+.,eE0-9 ]+|.*(?:nan|inf).*", value, re.ASCII):
            raise ValueError(value)  # float() also takes 1_0 and full-width digits
        return None if value is None else tuple(map(float, value.split(",")))
    except ValueError as error:
        raise click.BadParameter(f"'{value}' is not a list of numbers such as 0.4,0.7") from error


def _whole_numbers(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, ...]:
    """Whole numbers joined by commas."""
    try:
        return tuple(map(int, value.split(",")))
    except ValueError as error:
        raise click.BadParameter(f"'{value}' is not a list of whole numbers such as 1,3,10") from error


_results_argument = click.argument("frozen", metavar="RESULTS", type=_PATH)
_plot_flag = click.option(
    "--plot",
    metavar="FILE",
    type=_PATH,
    help="Draw the trade-off into this PNG or SVG file (needs the extra evaluate).",
)


def _unverified_flag(text: str) -> Callable[[Command], Command]:
    return click.option(
        "--unverified",
        type=click.Choice(["refuse", "apart"]),
        default="refuse",
        show_default=True,
        help=text,
    )


def _read_results(path: Path) -> Frozen:
    """Frozen results, as a person wrote them or as `gate run` did."""
    from docaudit.abstention.experiment import frozen_results, is_results
    from docaudit.abstention.results import read_frozen, read_json

    content, sha256 = read_json(path)
    return (frozen_results if is_results(content) else read_frozen)(content, sha256, str(path))


def _require_place(plot: Path | None) -> None:
    if plot is not None:
        from docaudit.abstention.plot import require_place

        require_place(plot)


def _draw(sweep: ThresholdSweep, plot: Path | None) -> None:
    if plot is not None:
        from docaudit.abstention.plot import write_plot

        write_plot(sweep, plot)


def _require_new(path: Path) -> None:
    if path.exists():
        raise OutputError("there is such a file already", file=str(path), remedy="name another")


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
    from docaudit.abstention.experiment import read_inputs, run_experiment
    from docaudit.abstention.render import print_sweep

    _require_place(plot)
    if out.resolve() in [path.resolve() for path in (config, documents, queries)]:
        raise OutputError("is one of the input files", file=str(out), remedy="name another file")
    done = run_experiment(read_inputs(config, documents, queries))
    write_text(out, done.text)
    _draw(done.sweep, plot)
    if as_json:
        about = {"results": str(out), "sha256": done.sha256, "notes": done.notes}
        print_json({**about, **done.sweep.model_dump(mode="json")})
        return 0
    click.echo(f"{out}: sha256 {done.sha256}")
    print_sweep(done.sweep)
    for note in done.notes:
        click.echo(f"note: {note}")
    return 0


@gate.command(short_help="Split RESULTS: one part to choose on, one to check on.")
@_results_argument
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
    from docaudit.abstention.splits import split as split_results
    from docaudit.text.numbers import plural

    _require_new(out)
    parts = split_results(_read_results(frozen), held_out=held_out, seed=seed, alike=alike)
    write_text(out, parts.model_dump_json(indent=1) + "\n")
    if as_json:
        print_json(parts.model_dump(mode="json"))
        return 0
    sizes = f"{len(parts.tuning)} for tuning, {plural(len(parts.held_out), 'question')} held out"
    click.echo(f"{out}: {sizes}")
    click.echo(
        "note: its looks are counted from 0; who looked at these questions through another split has looked"
    )
    for earlier, later in parts.joined:
        click.echo(f"note: {earlier} and {later} are written almost alike and stay together")
    return 0


@gate.command(short_help="Show what each threshold does to RESULTS.")
@_results_argument
@click.option(
    "--thresholds",
    callback=_numbers,
    metavar="N,N,...",
    help="Thresholds to show. [default: those that make a difference; 20 at most in the table, 100 with --json]",
)
@_unverified_flag("What becomes of questions whose evidence nobody verified; they never count as absent.")
@click.option("--split", "parts", metavar="FILE", type=_PATH, help="A split of these results.")
@click.option(
    "--part",
    type=click.Choice(["tuning", "held_out"]),
    help="Which part of the split; each look at held_out is counted in its file, and needs --thresholds.",
)
@click.option(
    "--guarantee",
    type=_OPEN_SHARE,
    metavar="SHARE",
    help="Which of the thresholds lets through at most this share of the questions without evidence, with "
    "confidence? (needs the extra evaluate)",
)
@click.option("--confidence", type=_OPEN_SHARE, default=0.9, show_default=True, help="Of the guarantee.")
@_plot_flag
@json_flag
@debug_flag
def sweep(
    frozen: Path,
    thresholds: tuple[float, ...] | None,
    unverified: Literal["refuse", "apart"],
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
    if (parts is None) != (part is None):
        raise click.UsageError("--split and --part go together", click.get_current_context())
    if guarantee is not None and thresholds is None:
        raise click.UsageError(
            "--guarantee needs --thresholds that were fixed beforehand", click.get_current_context()
        )
    from docaudit.abstention.gate import written
    from docaudit.abstention.render import print_sweep
    from docaudit.abstention.splits import load_split, take_held_out, take_part
    from docaudit.abstention.threshold_sweep import lenient_first, sweep_thresholds

    _require_place(plot)
    results = _read_results(frozen)
    if parts is not None and part == "tuning":
        results = take_part(results, load_split(parts), "tuning")
    elif parts is not None:
        if thresholds is None:
            raise GateError(
                "every value of the held-out part would be shown, and choosing among them is tuning",
                remedy="name the one threshold that was chosen before: --thresholds 0.7",
            )
        lenient_first(results, thresholds)  # what is refused is no look
        results = take_held_out(results, parts, f"sweep of {','.join(map(written, thresholds))}")
    swept = sweep_thresholds(results, thresholds, unverified=unverified)
    promise = None
    if guarantee is not None:
        from docaudit.abstention.calibration import guaranteed_threshold

        promise = guaranteed_threshold(
            results,
            thresholds or (),
            max_false_pass=guarantee,
            confidence=confidence,
            unverified=unverified,
        )
    _draw(swept, plot)
    if as_json:
        promised = None if promise is None else {**promise.model_dump(mode="json"), "text": promise.statement}
        print_json({**swept.model_dump(mode="json"), "guarantee": promised})
    else:
        print_sweep(swept, promise)
    return 0


@gate.command(short_help="Show how many hits to take: each k and threshold.")
@_results_argument
@click.option(
    "--unit",
    type=click.Choice(["chunk", "document"]),
    required=True,
    help="What an id of RESULTS stands for.",
)
@click.option(
    "--k",
    "ks",
    callback=_whole_numbers,
    default="1,3,10",
    show_default=True,
    metavar="N,N,...",
    help="Hits at most.",
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
    from docaudit.abstention.render import print_grid
    from docaudit.abstention.topk import Unit, stage_logs, topk_grid

    results, counted = _read_results(frozen), Unit(unit)
    cuts = thresholds or (None,)
    grid = topk_grid(results, unit=counted, ks=ks, thresholds=cuts)
    logs = stage_logs(results, unit=counted, k=ks[0], threshold=cuts[0]) if stages else ()
    if as_json:
        shown: dict[str, Any] = grid.model_dump(mode="json")
        if stages:
            shown["stages"] = [log.model_dump(mode="json") for log in logs]
        print_json(shown)
    else:
        print_grid(grid, logs)
    return 0


@gate.command()
@_results_argument
@click.option(
    "--split",
    "parts",
    required=True,
    metavar="FILE",
    type=_PATH,
    help="A split of these results; its held-out part must not have been looked at.",
)
@click.option("--threshold", required=True, type=float, help="The one that was chosen on the tuning part.")
@click.option(
    "--accept-false-pass",
    required=True,
    type=_SHARE,
    metavar="SHARE",
    help="Greatest share of false passes, agreed on before.",
)
@click.option(
    "--accept-over-hold",
    required=True,
    type=_SHARE,
    metavar="SHARE",
    help="Greatest share of over-holds, agreed on before.",
)
@click.option("--handled-by", required=True, metavar="WHO", help="Who takes held questions on.")
@click.option("--within", required=True, metavar="TIME", help="How soon.")
@click.option("--message-checked", is_flag=True, help="The words that users get were checked.")
@_unverified_flag("What becomes of questions whose evidence nobody verified.")
@_file("--out", "Write the bundle here.")
@json_flag
@debug_flag
def adopt(
    frozen: Path,
    parts: Path,
    threshold: float,
    accept_false_pass: float,
    accept_over_hold: float,
    handled_by: str,
    within: str,
    message_checked: bool,
    unverified: Literal["refuse", "apart"],
    out: Path,
    as_json: bool,
) -> int:
    """Check one threshold on the held-out part, once, and keep it with all that it means anything with.

    The look is counted in the file of the split, also if the threshold is not adopted. Exit code: 0 adopted, 2 not.
    """
    from docaudit.abstention.adoption import FollowUp, require_first_use
    from docaudit.abstention.adoption import adopt as make_bundle
    from docaudit.abstention.gate import written
    from docaudit.abstention.splits import load_split, take_held_out

    follow_up = FollowUp(handled_by=handled_by, within=within, message_checked=message_checked)
    _require_new(out)
    require_first_use(
        len(load_split(parts).uses) + 1
    )  # a look that cannot adopt is not taken, and not counted
    bundle = make_bundle(
        take_held_out(_read_results(frozen), parts, f"adoption of {written(threshold)}"),
        threshold,
        follow_up,
        accepted_false_pass=accept_false_pass,
        accepted_over_hold=accept_over_hold,
        unverified=unverified,
    )
    write_text(out, bundle.model_dump_json(indent=1) + "\n")
    if as_json:
        print_json(bundle.model_dump(mode="json"))
        return 0
    click.echo(f"{out}: {bundle.counts.rule} is adopted")
    click.echo(f"  false pass: {bundle.counts.false_pass}")
    click.echo(f"  over-hold: {bundle.counts.over_hold}")
    for limit in bundle.limits:
        click.echo(f"  · {limit}")
    return 0


@gate.command()
@click.argument("before", metavar="BEFORE", type=_PATH)
@click.argument("after", metavar="AFTER", type=_PATH)
@json_flag
@debug_flag
def diff(before: Path, after: Path, as_json: bool) -> int:
    """Compare two bundles of `docaudit gate adopt`: what changed, and whether to evaluate again.

    Exit code: 0 nothing changed, 1 something did, 2 error.
    """
    from docaudit.abstention.adoption import diff_bundles, load_bundle
    from docaudit.render.language import one_line

    changes = diff_bundles(load_bundle(before), load_bundle(after))
    if as_json:
        print_json({"changes": [change.model_dump(mode="json") for change in changes]})
        return int(bool(changes))
    if not changes:
        click.echo("Nothing changed.")
    for change in changes:
        again = "evaluate again" if change.effect == "evaluate_again" else "for the record"
        click.echo(one_line(f"{change.field}: {change.old} -> {change.new} ({again})"))
    return int(bool(changes))
