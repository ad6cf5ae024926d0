"""What `docaudit strength` does: print what a table would have missed without some of its variants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from docaudit.audit import require_table
from docaudit.cli.actions import read_parsed
from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bar
from docaudit.concepts.model import ConceptTable
from docaudit.options import AuditOptions
from docaudit.render.language import one_line, plural
from docaudit.suggest.neighbours import Method, Prepared
from docaudit.suggest.strength import ConceptStrength, table_strength


def strength(
    docs: Sequence[Path],
    concepts: Path,
    options: AuditOptions,
    *,
    top: int,
    method: Method,
    model: str | None,
    max_terms: int,
    cache: bool,
    as_json: bool,
) -> int:
    """Print the strength of each concept."""
    table = ConceptTable.load(concepts)
    require_table(table)
    parsed = [read_parsed(doc, options) for doc in docs]
    with progress_bar("comparing", unit="terms") as progress:
        prepared = Prepared(
            parsed, method=method, model=model, max_terms=max_terms, cache=cache, progress=progress
        )
        found = table_strength(parsed, table, prepared, top=top)
    if as_json:
        print_json(found.model_dump(mode="json"))
        return 0
    for concept in found.concepts:
        _show(concept, found.draws)
    for note in found.notes:
        click.echo(f"note: {note}")
    return 0


def _show(concept: ConceptStrength, draws: int) -> None:
    name = one_line(concept.concept)
    if not concept.places:
        click.echo(f"{name}: no hit, so nothing can be said of its variants")
        return
    click.echo(f"{name}: {plural(concept.places, 'place')}")
    click.echo(f"  all are found by: {_listed(concept.carriers)}")
    needed = [f"{one_line(v.variant)} ({v.own})" for v in concept.variants if v.own]
    click.echo(f"  places that only one variant finds: {', '.join(needed) or 'none'}")
    click.echo(
        f"  find nothing that others do not find: {_listed(v.variant for v in concept.variants if v.redundant)}"
    )
    click.echo(f"  without a hit here: {_listed(v.variant for v in concept.variants if not v.places)}")
    if concept.half_missed is None:
        click.echo("  only one variant has hits: no half can be left out")
        return
    again = (
        ""
        if concept.half_found_again is None
        else (f"; suggestions would have found {concept.half_found_again:.0%} of that again")
    )
    click.echo(
        f"  half of these variants would have missed {concept.half_missed:.0%} ({draws} random halves){again}"
    )


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(one_line(text) for text in texts) or "none"
