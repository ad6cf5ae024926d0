"""line_df and a concept table in, hit_df and ledger_df out: the sweep of every accepted variant over every line.

The order of work is `_sweep`, below. Each module stands on those before it:

lines             line_df -> PageLines: lists and arrays, and the searchable text of every line
layout            boxes of lines -> which line lies under which, and beside which
readings          lines -> alternative readings of them (letter-spaced, without blanks, ...)
continuations     lines -> where text goes on over a gutter, a page break or single glyphs
reading_orders    lines -> Segments: all orders in which they may be read
search_text       Segments -> SearchText: one text, and the way back from it to lines
patterns          variant -> Pattern (`compile_variant`): forms, boundaries, case and gaps
matching          SearchText, patterns -> findings
possible          the same -> findings that only may be hits: other accents, misreadings of OCR
expert            regular expressions of the expert -> matches
hits              findings -> hit_df and ledger_df

`article.sweep_for_absence` is the function of the method's article.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from time import monotonic

import pandas as pd

from docaudit.codes import LedgerState
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.search.expert import sweep_expression
from docaudit.search.hits import hit_table, ledger_table, without_echoes
from docaudit.search.matching import LocatedMatch, fast_matches, locate, mark_nested, plainest
from docaudit.search.patterns import Pattern, compile_variant
from docaudit.search.possible import misreadings, other_accents
from docaudit.search.search_text import search_text_of


def sweep_lines(
    line_df: pd.DataFrame,
    table: ConceptTable,
    *,
    pages_total: int,
    regex_seconds: float = 1.0,
    sweep_seconds: float = 600.0,
    toc_df: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """hit_df and ledger_df of a sweep of all accepted variants over all lines.

    Args:
        line_df: Lines of the document (tables.LINE_DF).
        table: The concept table.
        pages_total: Pages of the document, with or without text.
        regex_seconds: Time limit for one expert regular expression on one page, seconds.
        sweep_seconds: Time limit for all of them together; pages that were not searched in time stand in the ledger.
        toc_df: Contents, for the column section.

    Returns:
        Every hit, and a row for every variant, which also counts what is not there (tables.HIT_DF, tables.LEDGER_DF).
    """
    with no_collector():
        return _sweep(line_df, table, pages_total, regex_seconds, monotonic() + sweep_seconds, toc_df)


def _sweep(
    line_df: pd.DataFrame,
    table: ConceptTable,
    pages_total: int,
    regex_seconds: float,
    deadline: float,
    toc_df: pd.DataFrame | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    text = search_text_of(line_df)  # lines in all their reading orders
    lines = text.lines
    patterns = _compiled(table.active)  # variants as patterns
    findings = locate(text, patterns, fast_matches(text, patterns))
    failed = dict(_not_searchable(patterns))
    for number, pattern in enumerate(patterns):
        if pattern.variant.match == "regex":
            matches, state, detail = sweep_expression(lines, pattern.variant, regex_seconds, deadline)
            findings += [LocatedMatch(number, kind, parts) for kind, parts in matches]
            failed[number] = (state, detail)
    findings += other_accents(text, patterns, findings)
    findings += misreadings(lines, patterns, findings)
    findings = without_echoes(lines, plainest(findings))
    rows = sorted(range(len(lines)), key=lambda row: (lines.page[row], lines.number[row], lines.source[row]))
    order = [0] * len(rows)
    for place, row in enumerate(rows):
        order[row] = place
    findings.sort(key=lambda finding: (order[finding.parts[0][0]], finding.parts[0][1], finding.pattern))
    nested = mark_nested(findings, [pattern.variant.concept for pattern in patterns], order)
    ledger_df = ledger_table(lines, patterns, findings, nested, failed, pages_total)
    return hit_table(lines, patterns, findings, nested, toc_df), ledger_df


def _not_searchable(patterns: list[Pattern]) -> Iterator[tuple[int, tuple[LedgerState, str]]]:
    """Patterns that no page can match, with why."""
    for number, pattern in enumerate(patterns):
        if not pattern.forms:
            yield number, (LedgerState.FAILED, "the variant holds no letter, digit or sign to search for")
        elif "\ufffd" in pattern.forms[0].literal:
            # Where the table was damaged nobody knows what to look for: no hit would be no evidence.
            yield number, (LedgerState.FAILED, "the variant holds a lost character (U+FFFD): write it anew")


@lru_cache(maxsize=4)
def _compiled(variants: tuple[Variant, ...]) -> list[Pattern]:
    """The patterns of a table; kept, as one table is often swept over many documents. Not to be changed."""
    return [compile_variant(variant) for variant in variants]


@contextmanager
def no_collector() -> Iterator[None]:
    """Without the garbage collector: a sweep, and all around it, makes very many small objects and hardly a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
