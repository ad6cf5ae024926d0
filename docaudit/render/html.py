"""A justification as one HTML file: no script, nothing loaded from elsewhere, and every string escaped.

The templates of docaudit: everything escaped, no name undefined, in the language of a report.

A justification as JSON, text on a terminal, HTML and tables; needs nothing but the justification itself.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from docaudit.codes import Finding
from docaudit.concepts.variant import Variant
from docaudit.coverage import RegionPicture
from docaudit.justification import AbsenceJustification, Hit, LedgerRow
from docaudit.render import language as words
from docaudit.render import view
from docaudit.render import view as facts
from docaudit.render.language import Language, Tongue, one_line, shown
from docaudit.render.terminal import Split, split_snippet
from docaudit.render.view import (
    STATE_ORDER,
    colour,
    headline,
    meeting_groups,
    missed_by_concept,
    obligation_counts,
    page_shapes,
    pair_matrix,
    retrieval_notes,
    retrieval_verdict,
    strength,
    verdict,
)
from docaudit.text.numbers import cautious_percent
from docaudit.text.words import with_ellipses


@cache
def environment(t: Tongue) -> Environment:
    """The templates with the filters of this language."""
    made = Environment(
        loader=PackageLoader("docaudit.render"),
        # Unconditional: the choice by file ending would not escape in a template named .j2.
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "shown": shown,
        "share": _area,
        "heading": lambda hit: view.heading(hit, t),
        "one_line": one_line,
        "page_ranges": t.ranges,
        "page_words": t.pages,
        "snippet": _snippet,
        "likely": t.likely,
        "plural": t.count,
        "percent": cautious_percent,
        "page": t.page,
        "data": t.data,
        "pictured": view.pictured,
        "other_words": view.says_otherwise,
    }
    made.filters.update(filters)
    made.globals.update(_=t, w=words)
    # `safe` would switch escaping off; no template of ours may.
    del made.filters["safe"]
    return made


def _snippet(text: str, match: str) -> Split:
    """The shown text of a snippet, cut at its match."""
    return split_snippet(shown(with_ellipses(text, match)), shown(match))


def _area(value: float) -> str:
    return f"{value * 100:.1f} %" if value >= 0.001 else "under 0.1 %"


OPEN_HITS = 60
"""Hits of a concept that are shown without unfolding."""


@dataclass(frozen=True)
class HitGroup:
    """All hits of one concept: runs of hits under one heading (section, or part of the file)."""

    concept: str
    number: int
    hits: int
    runs: tuple[tuple[str, tuple[Hit, ...]], ...]


def to_html(
    justification: AbsenceJustification,
    language: Language | None = None,
    *,
    pictures: Sequence[RegionPicture] = (),
    notes: Sequence[str] = (),
) -> str:
    """The whole report as one HTML document.

    Args:
        justification: What is reported.
        language: Language of the report; that of the explanation if None.
        pictures: Pictures of regions that were not read, or why there is none; without any the report says so.
        notes: What the reader must know of this report itself, in English (why it has no annotated copy, say).
    """
    t = Tongue(language or justification.options.language)
    template = environment(t).get_template("report.html.j2")
    return template.render(_context(justification, t), notes=notes, **_pictures(justification, pictures))


def _context(j: AbsenceJustification, t: Tongue) -> dict[str, Any]:
    rows = view.concept_rows(j)
    numbers = {row.name: number for number, row in enumerate(rows)}
    return {
        "j": j,
        "language": t.language,
        "document": j.document,
        "coverage": j.coverage,
        "headline": headline(j, t),
        "verdict": verdict(j, t),
        "strength": strength(j, t),
        "tone": {Finding.MENTIONED: "mentioned", Finding.ABSENT: "absent"}.get(j.finding, "open"),
        "concepts": rows,
        "colours": [colour(number) for number in range(len(rows))],
        "numbers": numbers,
        "matrix": pair_matrix(j, [row.name for row in rows]),
        "meetings": meeting_groups(j),
        "obligations": sorted(j.obligations, key=lambda check: STATE_ORDER.index(check.state)),
        "obligation_counts": obligation_counts(j, t),
        "shapes": page_shapes(j, numbers),
        "cell_words": {state: t(said) for state, said in view.CELL_WORDS.items()},
        "groups": view.spot_groups(j),
        "headings": view.headings(j, t),
        "to_read": view.passages_to_read(j),
        "hit_groups": hit_groups(j, numbers, t),
        "open_hits": OPEN_HITS,
        "keywords": _keywords(j),
        "described": j.concept_table.info if j.concept_table else (),
        "coverage_facts": facts.coverage_facts(j.coverage, t),
        "coverage_lists": facts.coverage_lists(j.coverage, t),
        "option_facts": facts.option_facts(j, t),
        "steps": facts.steps_to_check(j, t),
        "worded_by": facts.worded_by(j, t),
        "remark_label": facts.remark_label(j, t),
        "retrieval": _retrieval(j, t),
    }


def _retrieval(j: AbsenceJustification, t: Tongue) -> dict[str, Any] | None:
    if j.retrieval is None:
        return None
    return {
        "verdict": retrieval_verdict(j.retrieval, t),
        "notes": retrieval_notes(j.retrieval, t),
        "missed": missed_by_concept(j.retrieval),
    }


def _keywords(j: AbsenceJustification) -> list[tuple[str, list[tuple[Variant, LedgerRow | None]]]]:
    """The rows of the keyword table by concept, each with what became of it (None: it was not searched)."""
    ledger = {(row.concept, row.variant): row for row in j.ledger}
    concepts = j.concept_table.by_concept if j.concept_table else ()
    return [
        (concept.name, [(v, ledger.get((v.concept, v.text))) for v in concept.variants])
        for concept in concepts
    ]


def hit_groups(j: AbsenceJustification, numbers: dict[str, int], t: Tongue) -> list[HitGroup]:
    """Hits by concept in the order of the table, each with its hits by heading in the order of the pages."""
    found: dict[str, list[Hit]] = {}
    for hit in j.hits:
        found.setdefault(hit.concept, []).append(hit)
    return [
        HitGroup(
            name,
            number,
            len(found[name]),
            tuple(
                (heading, tuple(run))
                for heading, run in groupby(found[name], lambda hit: view.heading(hit, t))
            ),
        )
        for name, number in numbers.items()
        if name in found
    ]


def _pictures(j: AbsenceJustification, pictures: Sequence[RegionPicture]) -> dict[str, Any]:
    """Pictures by page and box, as text for the page, and how many regions have none."""
    drawn = {
        (picture.page_num, picture.bbox): base64.b64encode(picture.jpeg).decode("ascii")
        for picture in pictures
        if picture.jpeg
    }
    wanted = {(spot.page_num, spot.bbox) for spot in j.blind_spots if view.has_region(spot)}
    return {
        "with_document": bool(pictures),
        "pictures": drawn,
        "without_picture": len(wanted - drawn.keys()),
        "regions": len(wanted),
    }
