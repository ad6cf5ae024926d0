"""The command `docaudit sample` with its arguments. What it does is in sampled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docaudit.cli.common import debug_flag, json_flag
from docaudit.cli.flags import chosen_options, option_flags
from docaudit.cli.sections import SectionedCommand
from docaudit.options import READING_OPTIONS

FLAGS = (*READING_OPTIONS, "required", "regex_seconds", "sweep_seconds", "language")


@click.command(cls=SectionedCommand, short_help="Draw pages for a person: what did the search miss?")
@click.argument("doc", metavar="[DOC]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--concepts",
    metavar="TABLE",
    type=click.Path(path_type=Path),
    help="Concept table: DOC is audited with it first.",
)
@click.option(
    "--justification",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="Instead of --concepts: the justification.json of an audit of DOC, which is then not read again.",
)
@click.option("--question", metavar="TEXT", help="The question, as the reader of the sheet sees it.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="New folder for review.html (the pages), sheet.xlsx, sheet.csv (one of them to fill in) and draw.json.",
)
@click.option(
    "--size",
    type=int,
    metavar="N",
    help="Pages to draw in all, shared out in proportion to the strata: pages read from the text layer, by OCR, and "
    "not in full.",
)
@click.option("--per-stratum", type=int, metavar="N", help="Pages to draw of each stratum instead.")
@click.option(
    "--at-most",
    type=float,
    metavar="SHARE",
    help="Instead of a size: the share of missed pages that a sample without any find rules out. [default: 0.05]",
)
@click.option("--confidence", type=float, metavar="LEVEL", help="Level of the bounds. [default: 0.95]")
@click.option(
    "--seed", type=int, metavar="N", help="The same seed draws the same pages on every machine. [default: 0]"
)
@click.option(
    "--unit",
    type=click.Choice(["page", "region"]),
    help="region: draw from the regions that were not read and may hold text. [default: page]",
)
@click.option(
    "--read",
    metavar="SHEET",
    type=click.Path(path_type=Path),
    help="Read a filled-in sheet back; DOC, if named, must be the document that was drawn from.",
)
@click.option(
    "--draw",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="With --read: the draw.json, if not beside SHEET.",
)
@json_flag
@option_flags(FLAGS)
@debug_flag
def sample(doc: Path | None, read: Path | None, draw: Path | None, as_json: bool, **given: Any) -> int:
    """Test by a sample what the search of DOC missed: draw pages without a hit for a person to read.

    Draw with DOC, --concepts (or --justification) and --out; read the filled-in sheet back with --read. Exit code of
    drawing: 0, 2 error. Of --read: 0 nothing was missed on the pages read, 1 something was (or may have been),
    3 answers are missing, 2 error.
    """
    from docaudit.cli import sampled

    named = {name: value for name, value in given.items() if value not in (None, ())}
    if read is not None:
        if named:
            flag = f"--{next(iter(named)).replace('_', '-')}"
            raise click.UsageError(f"{flag} is for drawing, not for --read", click.get_current_context())
        return sampled.read(read, doc, draw, as_json=as_json)
    if doc is None or draw is not None or given["out"] is None:
        raise click.UsageError(
            "name DOC, --concepts and --out to draw, or --read SHEET", click.get_current_context()
        )
    if (given["concepts"] is None) == (given["justification"] is None):
        raise click.UsageError("name either --concepts or --justification", click.get_current_context())
    return sampled.draw(doc, named, chosen_options(given), as_json=as_json)


COMMANDS = (sample,)
