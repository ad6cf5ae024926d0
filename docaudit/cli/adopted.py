"""What `gate adopt` and `gate diff` do: read, call one function, print the result, give the exit code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from docaudit.abstention.adoption import FollowUp, diff_bundles, load_bundle, need_first_use
from docaudit.abstention.adoption import adopt as make
from docaudit.abstention.gate import written
from docaudit.abstention.splits import load_split, take_held_out
from docaudit.cli.flags import print_json
from docaudit.cli.gates import read_results
from docaudit.errors import OutputError
from docaudit.files import write_text
from docaudit.render.language import one_line


@dataclass(frozen=True)
class Wanted:
    """What is to be adopted, and on which terms."""

    threshold: float
    false_pass: float
    over_hold: float
    follow_up: FollowUp
    unverified: Any


def adopt(frozen: Path, parts: Path, wanted: Wanted, out: Path, *, as_json: bool) -> int:
    """Count the look, check the threshold, write the bundle."""
    if out.exists():
        raise OutputError("there is such a file already", file=str(out), remedy="name another")
    need_first_use(len(load_split(parts).uses) + 1)  # a look that cannot adopt is not taken, and not counted
    held_out = take_held_out(read_results(frozen), parts, f"adoption of {written(wanted.threshold)}")
    bundle = make(
        held_out,
        wanted.threshold,
        wanted.follow_up,
        accepted_false_pass=wanted.false_pass,
        accepted_over_hold=wanted.over_hold,
        unverified=wanted.unverified,
    )
    write_text(out, bundle.model_dump_json(indent=1) + "\n")
    if as_json:
        print_json(bundle.model_dump(mode="json"))
        return 0
    click.echo(f"{out}: {bundle.counts.rule} is adopted")
    for name, ratio in (("false pass", bundle.counts.false_pass), ("over-hold", bundle.counts.over_hold)):
        click.echo(f"  {name}: {ratio}")
    for limit in bundle.limits:
        click.echo(f"  · {limit}")
    return 0


def diff(before: Path, after: Path, *, as_json: bool) -> int:
    """Compare two bundles; 1 if anything changed."""
    changes = diff_bundles(load_bundle(before), load_bundle(after))
    if as_json:
        print_json({"changes": [one.model_dump(mode="json") for one in changes]})
        return int(bool(changes))
    if not changes:
        click.echo("Nothing changed.")
    for one in changes:
        again = "evaluate again" if one.effect == "evaluate_again" else "for the record"
        click.echo(one_line(f"{one.field}: {one.old} -> {one.new} ({again})"))
    return int(bool(changes))
