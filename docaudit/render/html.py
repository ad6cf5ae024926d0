"""A justification as one HTML file: no script, nothing loaded from elsewhere, and every string escaped."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from docaudit.codes import (
    BBox,
    Finding,
)
from docaudit.coverage import RegionPicture
from docaudit.justification import (
    AbsenceJustification,
    BlindSpot,
    Hit,
)
from docaudit.render import view
from docaudit.render.language import Language, Translator, one_line, shown
from docaudit.render.terminal import split_snippet
from docaudit.text.numbers import cautious_percent, percent, plural
from docaudit.text.words import with_ellipses

OPEN_HITS = 60
"""Hits of a concept that are shown without unfolding (chosen, not measured)."""


@cache
def environment(t: Translator) -> Environment:
    """The HTML templates in one language: everything escaped, no name undefined."""
    templates = Environment(
        loader=PackageLoader("docaudit.render"),
        # Unconditional: the choice by file ending would not escape in a template named .j2.
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    filters: dict[str, Callable[..., Any]] = {
        "shown": shown,
        "share": lambda value: percent(value) if value >= 0.001 else "under 0.1 %",
        "heading": lambda hit: view.heading(hit, t),
        "one_line": one_line,
        "page_ranges": t.ranges,
        "page_words": t.pages,
        "snippet": lambda text, match: split_snippet(shown(with_ellipses(text, match)), shown(match)),
        "likely": t.likely,
        "plural": plural,
        "percent": cautious_percent,
        "page": t.page,
        "data": t.data,
        "pictured": pictured,
        "other_words": view.says_otherwise,
    }
    templates.filters.update(filters)
    templates.globals.update(gettext=t, ngettext=t.ngettext, pgettext=t.pgettext)
    # `safe` would switch escaping off; no template of ours may.
    del templates.filters["safe"]
    return templates


def pictured(spots: Sequence[BlindSpot], pictures: Mapping[tuple[int, BBox | None], str]) -> list[BlindSpot]:
    """The blind spots of which there is a picture, each place once."""
    places = {(spot.page_num, spot.bbox): spot for spot in spots}
    return [spot for place, spot in places.items() if place in pictures]


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
    j, t = justification, Translator(language or justification.options.language)
    rows = view.concept_rows(j)
    numbers = {row.name: number for number, row in enumerate(rows)}
    ledger = {(row.concept, row.variant): row for row in j.ledger}
    concepts = j.concept_table.by_concept if j.concept_table else ()
    drawn = {
        (picture.page_num, picture.bbox): base64.b64encode(picture.jpeg).decode("ascii")
        for picture in pictures
        if picture.jpeg
    }
    regions = {(spot.page_num, spot.bbox) for spot in j.blind_spots if view.has_region(spot)}
    retrieval = j.retrieval and {
        "verdict": view.retrieval_verdict(j.retrieval, t),
        "notes": view.retrieval_notes(j.retrieval, t),
        "missed": list(view.by_concept(j.retrieval.missed).items()),
    }
    return (
        environment(t)
        .get_template("report.html.j2")
        .render(
            j=j,
            language=t.language,
            document=j.document,
            notes=notes,
            headline=view.headline(j, t),
            verdict=view.verdict(j, t),
            strength=view.strength(j, t),
            tone={Finding.MENTIONED: "mentioned", Finding.ABSENT: "absent"}.get(j.finding, "open"),
            worded_by=view.worded_by(j, t),
            remark_label=view.remark_label(j, t),
            concepts=rows,
            colours=[view.colour(number) for number in range(len(rows))],
            numbers=numbers,
            matrix=view.pair_matrix(j, [row.name for row in rows]),
            meetings=view.meeting_groups(j),
            retrieval=retrieval,
            obligations=view.obligations(j),
            obligation_counts=view.obligation_counts(j, t),
            marks=view.OBLIGATION_MARKS,
            shapes=view.page_shapes(j, numbers),
            cell_states=list(view.CellState),
            groups=view.spot_groups(j),
            with_document=bool(pictures),
            pictures=drawn,
            without_picture=len(regions - drawn.keys()),
            regions=len(regions),
            headings=view.headings(j, t),
            to_read=view.passages_to_read(j),
            hit_groups=hit_groups(j, numbers, t),
            open_hits=OPEN_HITS,
            # Each variant with what became of it; None: it was not searched.
            keywords=[
                (concept.name, [(v, ledger.get((v.concept, v.text))) for v in concept.variants])
                for concept in concepts
            ],
            described=j.concept_table.info if j.concept_table else (),
            t=t,
            coverage=j.coverage,
            option_facts=view.option_facts(j, t),
            steps=view.steps_to_check(j, t),
        )
    )


def hit_groups(j: AbsenceJustification, numbers: Mapping[str, int], t: Translator) -> list[HitGroup]:
    """Hits by concept in the order of the table, each with its hits by heading in the order of the pages."""
    hits = view.by_concept(j.hits)
    return [
        HitGroup(
            name,
            number,
            len(hits[name]),
            tuple(
                (heading, tuple(run))
                for heading, run in groupby(hits[name], lambda hit: view.heading(hit, t))
            ),
        )
        for name, number in numbers.items()
        if name in hits
    ]
