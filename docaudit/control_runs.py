"""Runs the controls of an audit: the sweep must find words that stand in the document, and phrases planted into a copy.

A layout in which nothing could be tried is a group of its own, with why: silence would look like success.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from docaudit.controls import Control, control_groups, control_table, positive_controls, untried_group
from docaudit.evidence import ControlGroup
from docaudit.location import PAGE_SOURCES
from docaudit.options import AuditOptions
from docaudit.parsed import ParsedDocument
from docaudit.sweep import sweep_lines

if TYPE_CHECKING:
    from pathlib import Path

    from docaudit.extract import Source

_LETTER = re.compile("[^\\W\\d_]|[\ufffd\ue000-\uf8ff]")
"""A letter, or a character of which nobody knows what it is."""
_NO_CONTROL = (
    "none of the words on its pages can be taken as a control (parts of words, hidden, or without blanks)"
)


def run_controls(parsed: ParsedDocument) -> tuple[ControlGroup, ...]:
    """Sweep for words that are known to be there; empty only if the pages have no word."""
    controls = positive_controls(parsed.witness_df)
    if not controls:
        return (untried_group("positive", "all", _NO_CONTROL),) if _has_words(parsed) else ()
    return control_groups("positive", controls, _hits(parsed, controls))


def run_canaries(
    source: Source, parsed: ParsedDocument, chosen: AuditOptions, read: Callable[[Path], ParsedDocument]
) -> tuple[ControlGroup, ...]:
    """Plant a phrase for each layout into a copy, read it in the same way, and sweep it for them.

    Args:
        source: The document, not yet as tables.
        parsed: The document as it was read.
        chosen: Options of the audit.
        read: Reads the copy as the document was read.

    Returns:
        A group for each layout, also for those that got no phrase; never empty.
    """
    # engines load only where a document is read
    from docaudit.extract.canary_plan import plan_canaries
    from docaudit.extract.canary_run import planted_copy

    sha256 = parsed.identity.sha256
    plants, left = plan_canaries(parsed.line_df, sha256, ocr=chosen.ocr != "off" and chosen.ink)
    found: tuple[ControlGroup, ...] = ()
    if plants:
        with planted_copy(source, sha256, chosen, plants) as (copy, problems):
            left = {**left, **problems}
            controls = tuple(
                Control(one.phrase, one.page_num, one.layout, "planted")
                for one in plants
                if one.layout not in problems
            )
            if controls:
                found = control_groups("canary", controls, _hits(read(copy), controls))
    elif not left:
        left = {"any layout": "its pages have no line of text in sight"}
    return found + tuple(untried_group("canary", layout, why) for layout, why in sorted(left.items()))


def _hits(parsed: ParsedDocument, controls: tuple[Control, ...]) -> pd.DataFrame:
    hit_df, _ = sweep_lines(parsed.line_df, control_table(controls), pages_total=len(parsed.page_df))
    return hit_df


def _has_words(parsed: ParsedDocument) -> bool:
    """The pages have a letter, in sight or not."""
    sources = {source.value for source in PAGE_SOURCES}
    on_pages = parsed.line_df[parsed.line_df["source"].isin(sources)]
    return any(_LETTER.search(text) for text in on_pages["text"])
