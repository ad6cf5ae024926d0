"""A parsed document in, groups of controls out: what is known to stand there, which the sweep must find like a variant.

Positive controls are words that something else saw (control words: a second reader, or OCR). They are split plainly,
and so do not depend on how the sweep folds, joins and matches. Canaries are phrases planted into a copy. A sweep that
does not find them has not shown that it can find anything. A layout in which nothing could be tried is a group of its
own, with why: silence would look like success.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

import pandas as pd

from docaudit.codes import PAGE_SOURCES
from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument
from docaudit.justification import ControlGroup, MissedControl
from docaudit.options import AuditOptions
from docaudit.search import sweep_lines
from docaudit.tables import is_counted, rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from docaudit.extract.source import Source


Witness = Literal["second_reader", "ocr", "text_layer", "planted"]


class Control(NamedTuple):
    """A word or phrase that is known to stand on a page, with where it stands there and who saw it."""

    word: str
    page_num: int
    layout: str
    witness: Witness


def positive_controls(witness_df: pd.DataFrame) -> tuple[Control, ...]:
    """All words that were kept as witnesses: some of every page and layout; empty if the document has no word."""
    return tuple(map(Control._make, rows_of(witness_df, *Control._fields)))


def control_table(controls: Iterable[Control]) -> ConceptTable:
    """The table to sweep with: each word once."""
    return ConceptTable.from_variants({control.word: [control.word] for control in controls})


def control_groups(
    kind: Literal["positive", "canary"], controls: Iterable[Control], hit_df: pd.DataFrame
) -> tuple[ControlGroup, ...]:
    """The controls by witness and layout, each found if it has a hit that counts on its page.

    Args:
        kind: positive, or canary.
        controls: What was looked for.
        hit_df: HIT_DF of a sweep with `control_table`.
    """
    hits = set(rows_of(hit_df[is_counted(hit_df)], "variant", "page_num"))
    groups: dict[tuple[Witness, str], list[Control]] = defaultdict(list)
    for control in controls:
        groups[control.witness, control.layout].append(control)
    made = []
    for (witness, layout), tried in sorted(groups.items()):
        missed = [control for control in tried if (control.word, control.page_num) not in hits]
        made.append(
            ControlGroup(
                kind=kind,
                witness=witness,
                layout=layout,
                tried=len(tried),
                found=len(tried) - len(missed),
                missed=tuple(
                    MissedControl(word=control.word, page_num=control.page_num) for control in missed
                ),
            )
        )
    return tuple(made)


def untried_group(kind: Literal["positive", "canary"], layout: str, why: str) -> ControlGroup:
    """A group for a layout in which nothing could be looked for, and why."""
    witness: Witness = "planted" if kind == "canary" else "text_layer"
    return ControlGroup(kind=kind, witness=witness, layout=layout, tried=0, found=0, untried=why)


_LETTER = re.compile("[^\\W\\d_]|[\ufffd\ue000-\uf8ff]")
"""A letter, or a character of which nobody knows what it is."""
_NO_CONTROL = (
    "none of the words on its pages can be taken as a control (parts of words, hidden, or without blanks)"
)


def run_controls(parsed: ParsedDocument) -> tuple[ControlGroup, ...]:
    """Sweep for words that are known to be there; empty only if the pages have no word."""
    controls = positive_controls(parsed.witness_df)
    if controls:
        return control_groups("positive", controls, _hits(parsed, controls))
    sources = {source.value for source in PAGE_SOURCES}
    on_pages = parsed.line_df[parsed.line_df["source"].isin(sources)]
    has_words = any(_LETTER.search(text) for text in on_pages["text"])
    return (untried_group("positive", "all", _NO_CONTROL),) if has_words else ()


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
    from docaudit.extract.controls import plan_canaries
    from docaudit.extract.tasks import planted_copy

    sha256 = parsed.identity.sha256
    plants, left = plan_canaries(parsed.line_df, sha256, ocr=chosen.ocr != "off" and chosen.ink)
    found: tuple[ControlGroup, ...] = ()
    if plants:
        with planted_copy(source, sha256, chosen, plants) as (copy, problems):
            left = {**left, **problems}
            controls = tuple(
                Control(plant.phrase, plant.page_num, plant.layout, "planted")
                for plant in plants
                if plant.layout not in problems
            )
            if controls:
                found = control_groups("canary", controls, _hits(read(copy), controls))
    elif not left:
        left = {"any layout": "its pages have no line of text in sight"}
    return found + tuple(untried_group("canary", layout, why) for layout, why in sorted(left.items()))


def _hits(parsed: ParsedDocument, controls: tuple[Control, ...]) -> pd.DataFrame:
    hit_df, _ = sweep_lines(parsed.line_df, control_table(controls), pages_total=len(parsed.page_df))
    return hit_df
