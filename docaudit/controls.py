"""Positive controls: words known to stand in the document, which the sweep must find by the same path.

They are taken from the text as the parser gave it, by plain splitting, and so do not depend on how the sweep folds,
joins and matches. A sweep that does not find them has not shown that it can find anything.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pandas as pd

from docaudit.location import PAGE_SOURCES, TextSource, Visibility

_WORD = re.compile(
    r"(?<![\w+/=])[A-Za-z]{6,20}(?![\w+/=])|[\u4e00-\u9fff\u30a0-\u30ff]{3,6}|(?<![\w+/=])[^\W\d_]{6,20}(?![\w+/=])"
)
"""Whole words only: a piece of a key or an address is no word that a sweep for whole words must find."""
_LINES_LOOKED_AT = 400


class Control(NamedTuple):
    """A word and the page on which it is known to stand."""

    word: str
    page_num: int


def positive_controls(line_df: pd.DataFrame, limit: int = 5) -> tuple[Control, ...]:
    """Up to `limit` words, spread over the pages of the document; empty if it has no text at all."""
    sources = {source.value for source in PAGE_SOURCES}
    shown = line_df[line_df["source"].isin(sources) & (line_df["visibility"] == Visibility.VISIBLE.value)]
    if not len(shown):
        return ()
    layer = shown[shown["source"] != TextSource.OCR.value]
    shown = layer if len(layer) else shown  # OCR may have read noise; a word of it is a poor witness
    found: list[Control] = []
    for part in range(limit):
        start = part * len(shown) // limit
        for page, text in zip(
            shown["page_num"].iloc[start : start + _LINES_LOOKED_AT],
            shown["text"].iloc[start : start + _LINES_LOOKED_AT],
            strict=True,
        ):
            known = {control.word for control in found}
            word = next((word[0] for word in _WORD.finditer(text) if word[0] not in known), None)
            if word is not None:
                found.append(Control(word, int(page)))
                break
    return tuple(found)


def controls_found(controls: tuple[Control, ...], hit_df: pd.DataFrame) -> tuple[tuple[str, bool], ...]:
    """Each control with whether a sweep for it has a hit on its page."""
    hits = set(zip(hit_df["variant"], hit_df["page_num"], strict=True))
    return tuple((control.word, (control.word, control.page_num) in hits) for control in controls)
