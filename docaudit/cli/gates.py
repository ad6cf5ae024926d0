"""What the commands about gates do: read, call one function, print the result, give the exit code."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from docaudit.abstention.frozen import Frozen
from docaudit.abstention.reading import read_frozen, read_json
from docaudit.abstention.records import written
from docaudit.abstention.splits import Split, take_part
from docaudit.abstention.threshold_sweep import Sweep, sweep_thresholds
from docaudit.atomic import write_text
from docaudit.cli.gate_tables import print_sweep
from docaudit.cli.printing import print_json
from docaudit.errors import GateError, OutputError
from docaudit.render.words import plural


@dataclass(frozen=True)
class Look:
    """Which results are looked at, and how."""

    frozen: Path
    thresholds: tuple[float, ...] | None
    unverified: Any
    split: Path | None
    part: Any


def run(config: Path, documents: Path, queries: Path, out: Path, *, plot: Path | None, as_json: bool) -> int:
    """Run the reference experiment and write its results."""
    from docaudit.abstention.experiment import run_experiment
    from docaudit.abstention.experiment_files import read_inputs

    done = run_experiment(read_inputs(config, documents, queries))
    write_text(out, done.text)
    _draw(done.sweep, plot)
    if as_json:
        print_json(
            {
                "results": str(out),
                "sha256": done.sha256,
                "notes": done.notes,
                **done.sweep.model_dump(mode="json"),
            }
        )
        return 0
    click.echo(f"{out}: sha256 {done.sha256}")
    print_sweep(done.sweep)
    for note in done.notes:
        click.echo(f"note: {note}")
    return 0


def split(frozen: Path, out: Path, *, held_out: float, seed: int, as_json: bool) -> int:
    """Write a split; one that exists is never overwritten, as it counts its uses."""
    from docaudit.abstention.splits import split as make

    if out.exists():
        raise OutputError("there is such a file already", file=str(out), remedy="name another")
    parts = make(read_results(frozen), held_out=held_out, seed=seed)
    write_text(out, parts.model_dump_json(indent=1) + "\n")
    if as_json:
        print_json(parts.model_dump(mode="json"))
        return 0
    sizes = f"{len(parts.tuning)} for tuning, {plural(len(parts.held_out), 'question')} held out"
    click.echo(f"{out}: {sizes}")
    for one, other in parts.joined:
        click.echo(f"note: {one} and {other} are written almost alike and stay together")
    return 0


def sweep(look: Look, *, guarantee: float | None, confidence: float, plot: Path | None, as_json: bool) -> int:
    """Show what each threshold does."""
    frozen = _looked_at(look)
    found = sweep_thresholds(frozen, look.thresholds, unverified=look.unverified)
    promise = None
    if guarantee is not None:
        from docaudit.abstention.guarantee import guaranteed_threshold

        promise = guaranteed_threshold(
            frozen,
            look.thresholds or (),
            max_false_pass=guarantee,
            confidence=confidence,
            unverified=look.unverified,
        )
    _draw(found, plot)
    if as_json:
        promised = None if promise is None else {**promise.model_dump(mode="json"), "text": promise.statement}
        print_json({**found.model_dump(mode="json"), "guarantee": promised})
        return 0
    print_sweep(found, promise)
    return 0


def read_results(path: Path) -> Frozen:
    """Frozen results, as a person wrote them or as `gate run` did."""
    from docaudit.abstention.experiment import frozen_results, is_results

    content, sha256 = read_json(path)
    return (frozen_results if is_results(content) else read_frozen)(content, sha256, str(path))


def _looked_at(look: Look) -> Frozen:
    frozen = read_results(look.frozen)
    if look.split is None:
        return frozen
    content, _ = read_json(look.split)
    try:
        parts = Split.model_validate(content)
    except ValueError as error:
        raise GateError(
            "is not a split of results", file=str(look.split), remedy="make one: docaudit gate split"
        ) from error
    if look.part == "tuning":
        return take_part(frozen, parts, "tuning")
    shown = "every value" if look.thresholds is None else ",".join(written(one) for one in look.thresholds)
    parts = parts.used(f"sweep of {shown}", dt.date.today().isoformat())
    chosen = take_part(frozen, parts, "held_out")
    # Counted before anything is shown: a look that cannot be counted does not take place.
    write_text(look.split, parts.model_dump_json(indent=1) + "\n")
    return chosen


def _draw(found: Sweep, plot: Path | None) -> None:
    if plot is not None:
        from docaudit.abstention.plot import write_plot

        write_plot(found, plot)
