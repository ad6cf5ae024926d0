"""From tables to ParseCoverage: what could and could not be read, in numbers, and the gaps that numbering shows."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pandas as pd

from docaudit.justification import ParseCoverage
from docaudit.location import PageState, TextSource

_MISSED_WORDS, _MISSED_SHARE = 3, 0.1
"""On real pages the first reader misses a word or two in a sum sign, a slanted or overprinted label: at most 6 %."""
_NUMBERED_TYPES = ("figure", "table", "box", "chart", "図", "表", "別紙", "条")


def measure_coverage(
    page_df: pd.DataFrame,
    line_df: pd.DataFrame,
    image_df: pd.DataFrame,
    toc_df: pd.DataFrame,
    cross_ref_df: pd.DataFrame,
    object_registry: pd.DataFrame,
) -> ParseCoverage:
    """ParseCoverage of one document; every page of page_df is counted in exactly one state."""
    states = page_df["state"].value_counts()
    ocr = image_df["ocr_state"].value_counts()
    internal = cross_ref_df[cross_ref_df["scope"] == "internal"]
    external = cross_ref_df[cross_ref_df["scope"] == "external"]
    on_pages = line_df.loc[line_df["source"] == TextSource.TEXT_LAYER.value, "page_num"]
    return ParseCoverage(
        pages_total=len(page_df),
        pages_with_text=int(on_pages.nunique()),
        images_total=len(image_df),
        toc_entries=len(toc_df),
        cross_refs_total=len(cross_ref_df),
        objects_registered=len(object_registry),
        pages_by_state={state: int(states.get(state.value, 0)) for state in PageState},
        ink_read_share=_ink_share(page_df),
        images_read=int(ocr.get("read", 0)),
        images_without_text=int(ocr.get("no_text", 0)),
        images_unread=int(len(image_df) - ocr.get("read", 0) - ocr.get("no_text", 0)),
        unresolved_cross_refs=_named(internal[~internal["resolved"]]),
        external_refs=_named(external),
        page_label_gaps=label_gaps(page_df["page_label"].tolist()),
        number_gaps=number_gaps(object_registry),
        contents_not_found=tuple(
            f"{title} (page {page})" if page else str(title)
            for title, page, found in zip(
                toc_df["title"], toc_df["page_num"], toc_df["found_on_page"], strict=True
            )
            if not found
        ),
        pages_with_warnings=tuple(int(num) for num in page_df.loc[page_df["warnings"] != "", "page_num"]),
        **_readers(page_df, line_df),
    )


def _readers(page_df: pd.DataFrame, line_df: pd.DataFrame) -> dict[str, Any]:
    """What the second reader says; nothing at all if no page was compared."""
    compared = page_df["words_second_only"].notna()
    if not compared.any():
        return {}
    return {
        "words_second_reader_only": int(page_df["words_second_only"].sum()),
        "words_first_reader_only": int(page_df["words_first_only"].sum()),
        "pages_not_compared": tuple(int(num) for num in page_df.loc[~compared, "page_num"]),
        "pages_readers_disagree": tuple(_disagreeing(page_df, line_df)),
    }


def _disagreeing(page_df: pd.DataFrame, line_df: pd.DataFrame) -> Iterator[int]:
    """Pages of which the first reader missed a good part; a word or two on a full page cast no doubt on the rest."""
    layer = line_df[line_df["source"] == TextSource.TEXT_LAYER.value]
    for page_num, missed in zip(page_df["page_num"], page_df["words_second_only"], strict=True):
        if missed >= _MISSED_WORDS:
            words = sum(len(str(text).split()) for text in layer.loc[layer["page_num"] == page_num, "text"])
            if missed >= _MISSED_SHARE * (words + missed):
                yield int(page_num)


def _ink_share(page_df: pd.DataFrame) -> float | None:
    total = float(page_df["ink_total"].sum())
    return float(page_df["ink_read"].sum()) / total if total > 0 else None


def _named(refs: pd.DataFrame) -> tuple[str, ...]:
    """Each mention as "figure 3.D (page 12)", once for each page."""
    return tuple(
        dict.fromkeys(f"{row.ref_type} {row.ref_id} (page {row.page_num})" for row in refs.itertuples())
    )


def label_gaps(labels: list[str]) -> tuple[str, ...]:
    """Steps between neighbouring page labels that leave numbers out.

    >>> label_gaps(["i", "ii", "1", "2", "5"])
    ('page 5: label 5 follows 2',)
    """
    gaps = []
    for page, (before, label) in enumerate(itertools.pairwise(labels), 2):
        old, new = re.fullmatch(r"(\D*)(\d+)", before), re.fullmatch(r"(\D*)(\d+)", label)
        if old and new and old[1] == new[1] and int(new[2]) > int(old[2]) + 1:
            gaps.append(f"page {page}: label {label} follows {before}")
    return tuple(gaps)


def number_gaps(object_registry: pd.DataFrame) -> tuple[str, ...]:
    """Numbers that are missing between the first and the last of a kind: Figure 3 after Figure 1.

    Chapter numbers count apart: 2.1 and 2.3 without 2.2 are a gap, 1.4 and 2.1 are not.
    """
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for kind, written in zip(object_registry["object_type"], object_registry["object_id"], strict=True):
        match = re.fullmatch(r"((?:[A-Z]|\d+[.\-])?)(\d+)(?:\.[A-Z])?", str(written))
        if kind in _NUMBERED_TYPES and match is not None:
            found[kind, match[1]].add(int(match[2]))
    return tuple(
        f"{kind} {chapter}{number}"
        for (kind, chapter), numbers in sorted(found.items())
        for number in range(1, min(max(numbers), 1000))
        if number not in numbers
    )
