"""Controls: words known to stand in the document, which the sweep must find by the path that the variants take.

They were seen by a witness (witness_df: a second reader, or OCR) and are split plainly, and so do not depend on how the
sweep folds, joins and matches. A sweep that does not find them has not shown that it can find anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, cast

import pandas as pd

from docaudit.concepts import ConceptTable
from docaudit.evidence import ControlGroup, MissedControl
from docaudit.location import POSSIBLE_KINDS

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
