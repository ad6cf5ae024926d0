"""What the commands about gates do: read, call one function, print the result, give the exit code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from docaudit.abstention.gate import written
from docaudit.abstention.results import Frozen, read_frozen, read_json
from docaudit.abstention.splits import load_split, take_held_out, take_part
from docaudit.abstention.threshold_sweep import Sweep, lenient_first, sweep_thresholds
from docaudit.cli.flags import print_json
from docaudit.cli.gate_tables import print_sweep
from docaudit.errors import GateError, OutputError
from docaudit.files import write_text
from docaudit.render.language import plural


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
    from docaudit.abstention.experiment import read_inputs, run_experiment

    _need_place(plot)
    _need_apart(out, config, documents, queries)
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


def split(frozen: Path, out: Path, *, held_out: float, seed: int, alike: float, as_json: bool) -> int:
    """Write a split; one that exists is never overwritten, as it counts its uses."""
    from docaudit.abstention.splits import split as make

    if out.exists():
        raise OutputError("there is such a file already", file=str(out), remedy="name another")
    parts = make(read_results(frozen), held_out=held_out, seed=seed, alike=alike)
    write_text(out, parts.model_dump_json(indent=1) + "\n")
    if as_json:
        print_json(parts.model_dump(mode="json"))
        return 0
    sizes = f"{len(parts.tuning)} for tuning, {plural(len(parts.held_out), 'question')} held out"
    click.echo(f"{out}: {sizes}")
    click.echo(
        "note: its looks are counted from 0; who looked at these questions through another split has looked"
    )
    for one, other in parts.joined:
        click.echo(f"note: {one} and {other} are written almost alike and stay together")
    return 0


def sweep(look: Look, *, guarantee: float | None, confidence: float, plot: Path | None, as_json: bool) -> int:
    """Show what each threshold does."""
    _need_place(plot)
    frozen = _looked_at(look)
    found = sweep_thresholds(frozen, look.thresholds, unverified=look.unverified)
    promise = None
    if guarantee is not None:
        from docaudit.abstention.calibration import guaranteed_threshold

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
    if look.part == "tuning":
        return take_part(frozen, load_split(look.split), "tuning")
    if look.thresholds is None:
        raise GateError(
            "every value of the held-out part would be shown, and choosing among them is tuning",
            remedy="name the one threshold that was chosen before: --thresholds 0.7",
        )
    lenient_first(frozen, look.thresholds)  # what is refused is no look
    shown = ",".join(written(one) for one in look.thresholds)
    return take_held_out(frozen, look.split, f"sweep of {shown}")


def _need_place(plot: Path | None) -> None:
    if plot is not None:
        from docaudit.abstention.plot import need_place

        need_place(plot)


def _need_apart(out: Path, *inputs: Path) -> None:
    """Raise OutputError if the results would be written over a file that they are made of."""
    if out.resolve() in [one.resolve() for one in inputs]:
        raise OutputError("is one of the input files", file=str(out), remedy="name another file")


def _draw(found: Sweep, plot: Path | None) -> None:
    if plot is not None:
        from docaudit.abstention.plot import write_plot

        write_plot(found, plot)
