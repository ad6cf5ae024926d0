"""A justification as one HTML file: no script, nothing loaded from elsewhere, and every string escaped."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from docaudit.evidence import ParseCoverage
from docaudit.justification import AbsenceJustification, Finding, ObligationState
from docaudit.render import view, words
from docaudit.render.clean import one_line, shown
from docaudit.render.kwic import split_snippet
from docaudit.render.pages import page_ranges, page_words
from docaudit.render.text import likely_words

STATE_ORDER = (
    ObligationState.UNMET,
    ObligationState.WAIVED,
    ObligationState.NOT_RUN,
    ObligationState.MET,
)
CELL_WORDS = {
    view.CellState.READ: "read",
    view.CellState.UNLIKELY: "read but for parts that hold no text",
    view.CellState.PARTLY: "a part was not read",
    view.CellState.UNREAD: "not read",
}
Facts = list[tuple[str, str]]


def to_html(justification: AbsenceJustification) -> str:
    """The whole report as one HTML document."""
    template = environment().get_template("report.html.j2")
    return template.render(_context(justification))


@cache
def environment() -> Environment:
    """The templates of docaudit: everything escaped, no name undefined."""
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
        "heading": view.heading,
        "one_line": one_line,
        "page_ranges": page_ranges,
        "page_words": page_words,
        "split": split_snippet,
        "likely": likely_words,
        "plural": words.plural,
        "percent": words.percent,
    }
    made.filters.update(filters)
    # `safe` would switch escaping off; no template of ours may.
    del made.filters["safe"]
    return made


def _context(justification: AbsenceJustification) -> dict[str, Any]:
    j = justification
    return {
        "j": j,
        "document": j.document,
        "coverage": j.coverage,
        "headline": words.headline(j),
        "verdict": words.verdict(j),
        "strength": words.strength(j),
        "tone": {Finding.MENTIONED: "mentioned", Finding.ABSENT: "absent"}.get(j.finding, "open"),
        "w": words,
        "concepts": view.concept_rows(j),
        "obligations": sorted(j.obligations, key=lambda check: STATE_ORDER.index(check.state)),
        "obligation_counts": _counts(j),
        "cells": view.page_cells(j),
        "cell_words": CELL_WORDS,
        "groups": view.spot_groups(j),
        "headings": view.headings(j),
        "to_read": view.passages_to_read(j),
        "variants": j.concept_table.variants if j.concept_table else (),
        "described": j.concept_table.info if j.concept_table else (),
        "coverage_facts": _coverage_facts(j),
        "coverage_lists": _coverage_lists(j),
        "option_facts": _option_facts(j),
    }


def _counts(justification: AbsenceJustification) -> str:
    states = [check.state for check in justification.obligations]
    return ", ".join(
        f"{states.count(state)} {words.OBLIGATION_STATES[state]}" for state in STATE_ORDER if state in states
    )


def _coverage_facts(justification: AbsenceJustification) -> Facts:
    c = justification.coverage
    if c is None:
        return []
    states = ", ".join(f"{n:,} {words.PAGE_STATES[state]}" for state, n in c.pages_by_state.items() if n)
    return [
        ("Pages", f"{c.pages_total:,}, of which {c.pages_with_text:,} with a text layer{_by_ocr(c)}"),
        ("Pages by state", states),
        ("Ink under text that was read", _share(c.ink_read_share)),
        (
            "Images",
            (
                f"{c.images_total:,} placed: {c.images_read:,} read by OCR, "
                f"{c.images_without_text:,} without text, {c.images_unread:,} unread"
            ),
        ),
        ("Contents entries", f"{c.toc_entries:,}"),
        ("Cross-references", f"{c.cross_refs_total:,}"),
        ("Named objects (figures, tables, annexes)", f"{c.objects_registered:,}"),
        ("Words that only the second reader saw", _number(c.words_second_reader_only)),
        ("Words that the second reader did not see", _number(c.words_first_reader_only)),
    ]


def _coverage_lists(justification: AbsenceJustification) -> Facts:
    c = justification.coverage
    if c is None:
        return []
    return [
        ("Unresolved cross-references", _listed(c.unresolved_cross_refs)),
        ("References to other documents", _listed(c.external_refs)),
        ("Gaps in page labels", _listed(c.page_label_gaps)),
        ("Gaps in numbers of figures, tables and the like", _listed(c.number_gaps)),
        ("Contents entries not on their page", _listed(c.contents_not_found)),
        ("Pages with warnings of the engine", page_ranges(c.pages_with_warnings) or "none"),
    ]


def _option_facts(justification: AbsenceJustification) -> Facts:
    options = justification.options.model_dump(mode="json")
    return [(name, _option(value)) for name, value in options.items()]


def _option(value: object) -> str:
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text}" for key, text in value.items())
    return str(value)


def _listed(values: tuple[str, ...]) -> str:
    return "; ".join(values) or "none"


def _share(value: float | None) -> str:
    return "not measured" if value is None else f"{value * 100:.1f} %"


def _area(value: float) -> str:
    return f"{value * 100:.1f} %" if value >= 0.001 else "under 0.1 %"


def _by_ocr(coverage: ParseCoverage) -> str:
    alone = coverage.pages_by_ocr_alone
    return "" if alone is None else f" and {alone:,} read by OCR alone"


def _number(value: int | None) -> str:
    return "not measured" if value is None else f"{value:,}"
