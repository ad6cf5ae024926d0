"""Controls: words known to stand in the document, which the sweep must find by the path that the variants take.

They were seen by a witness (witness_df: a second reader, or OCR) and are split plainly, and so do not depend on how the
sweep folds, joins and matches. A sweep that does not find them has not shown that it can find anything.

Runs the controls of an audit: the sweep must find words that stand in the document, and phrases planted into a copy.

A layout in which nothing could be tried is a group of its own, with why: silence would look like success.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import pandas as pd

from docaudit.codes import PAGE_SOURCES, POSSIBLE_KINDS
from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument
from docaudit.justification import ControlGroup, MissedControl
from docaudit.options import AuditOptions
from docaudit.search import sweep_lines

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
    columns = (witness_df[name].tolist() for name in ("word", "page_num", "layout", "witness"))
    return tuple(
        Control(word, page_num, layout, cast("Witness", witness))
        for word, page_num, layout, witness in zip(*columns, strict=True)
    )


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
    counted = hit_df[~hit_df["match_kind"].isin(POSSIBLE_KINDS)]
    hits = set(zip(counted["variant"], counted["page_num"], strict=True))
    groups: Mapping[tuple[Witness, str], list[Control]] = defaultdict(list)
    for control in controls:
        groups[control.witness, control.layout].append(control)
    return tuple(_group(kind, *key, groups[key], hits) for key in sorted(groups))


def untried_group(kind: Literal["positive", "canary"], layout: str, why: str) -> ControlGroup:
    """A group for a layout in which nothing could be looked for, and why."""
    witness: Witness = "planted" if kind == "canary" else "text_layer"
    return ControlGroup(kind=kind, witness=witness, layout=layout, tried=0, found=0, untried=why)


def _group(
    kind: Literal["positive", "canary"],
    witness: Witness,
    layout: str,
    controls: list[Control],
    hits: set[tuple[str, int]],
) -> ControlGroup:
    missed = [control for control in controls if (control.word, control.page_num) not in hits]
    return ControlGroup(
        kind=kind,
        witness=witness,
        layout=layout,
        tried=len(controls),
        found=len(controls) - len(missed),
        missed=tuple(MissedControl(word=one.word, page_num=one.page_num) for one in missed),
    )


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
    from docaudit.extract.controls import plan_canaries
    from docaudit.extract.tasks import planted_copy

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
