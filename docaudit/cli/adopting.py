"""The commands that adopt a threshold and compare what was adopted. They belong to docaudit.cli.gating."""

from __future__ import annotations

from pathlib import Path

import click

from docaudit.cli.flags import debug_flag, json_flag

_share = click.FloatRange(0, 1)


@click.command()
@click.argument("frozen", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option(
    "--split",
    "parts",
    required=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A split of these results; its held-out part must not have been looked at.",
)
@click.option("--threshold", required=True, type=float, help="The one that was chosen on the tuning part.")
@click.option(
    "--accept-false-pass",
    required=True,
    type=_share,
    metavar="SHARE",
    help="Greatest share of false passes, agreed on before.",
)
@click.option(
    "--accept-over-hold",
    required=True,
    type=_share,
    metavar="SHARE",
    help="Greatest share of over-holds, agreed on before.",
)
@click.option("--handled-by", required=True, metavar="WHO", help="Who takes held questions on.")
@click.option("--within", required=True, metavar="TIME", help="How soon.")
@click.option("--message-checked", is_flag=True, help="The words that users get were checked.")
@click.option(
    "--unverified",
    type=click.Choice(["refuse", "apart"]),
    default="refuse",
    show_default=True,
    help="What becomes of questions whose evidence nobody verified.",
)
@click.option(
    "--out", required=True, metavar="FILE", type=click.Path(path_type=Path), help="Write the bundle here."
)
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
    unverified: str,
    out: Path,
    *,
    message_checked: bool,
    as_json: bool,
) -> int:
    """Check one threshold on the held-out part, once, and keep it with all that it means anything with.

    The look is counted in the file of the split, also if the threshold is not adopted. Exit code: 0 adopted, 2 not.
    """
    from docaudit.abstention.adoption import FollowUp
    from docaudit.cli import adopted

    follow_up = FollowUp(handled_by=handled_by, within=within, message_checked=message_checked)
    wanted = adopted.Wanted(threshold, accept_false_pass, accept_over_hold, follow_up, unverified)
    return adopted.adopt(frozen, parts, wanted, out, as_json=as_json)


@click.command()
@click.argument("before", metavar="BEFORE", type=click.Path(path_type=Path))
@click.argument("after", metavar="AFTER", type=click.Path(path_type=Path))
@json_flag
@debug_flag
def diff(before: Path, after: Path, as_json: bool) -> int:
    """Compare two bundles of `docaudit gate adopt`: what changed, and whether to evaluate again.

    Exit code: 0 nothing changed, 1 something did, 2 error.
    """
    from docaudit.cli import adopted

    return adopted.diff(before, after, as_json=as_json)
