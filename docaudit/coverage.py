"""From tables to ParseCoverage: what could and could not be read, in numbers, and the gaps that numbering shows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pandas as pd

from docaudit.evidence import BlindSpot, ParseCoverage
from docaudit.location import DOCUMENT_PAGE, PageState, TextLikely, TextSource
from docaudit.page_numbers import label_findings, label_mismatches, printed_findings, printed_runs
from docaudit.parsed import ParsedDocument
from docaudit.readability import KindSummary, PageReadability, Readability
from docaudit.reasons import BlindSpotKind
from docaudit.records import blind_spots

READABLE_STATES = frozenset({PageState.TEXT, PageState.MIXED, PageState.IMAGE_ONLY, PageState.BLANK})
"""States of pages on which nothing but blind spots can be left unread: of a scan, what OCR did not read is one."""

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
    labels, runs = page_df["page_label"].tolist(), printed_runs(line_df, page_df)
    layer, by_ocr = _pages_from(line_df, TextSource.TEXT_LAYER), _pages_from(line_df, TextSource.OCR)
    return ParseCoverage(
        pages_total=len(page_df),
        pages_with_text=len(layer),
        pages_by_ocr_alone=len(by_ocr - layer),
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
        page_label_gaps=label_findings(labels) + printed_findings(runs),
        page_label_mismatches=label_mismatches(labels, runs),
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


def measure_readability(parsed: ParsedDocument) -> Readability:
    """Readability of a parsed document: its pages, its blind spots by kind, and the share that was read in full."""
    spots = blind_spots(parsed.blind_spot_df)
    open_pages = {spot.page_num for spot in spots if spot.text_likely is not TextLikely.NO}
    pages = tuple(_page(row, open_pages) for row in parsed.page_df.itertuples())
    full = sum(page.read_in_full for page in pages)
    return Readability(
        document=parsed.identity,
        options=parsed.options,
        readable_share=full / len(pages),
        pages_read_in_full=full,
        pages_not_read_in_full=tuple(page.page_num for page in pages if not page.read_in_full),
        parts_not_read_outside_pages=sum(
            spot.page_num == DOCUMENT_PAGE and spot.text_likely is not TextLikely.NO for spot in spots
        ),
        kinds=_kinds(spots, ocr=parsed.options.ocr != "off"),
        blind_spots=spots,
        pages=pages,
        coverage=parsed.coverage,
    )


def _page(row: Any, open_pages: set[int]) -> PageReadability:
    state = PageState(row.state)
    return PageReadability(
        page_num=int(row.page_num),
        label=row.page_label,
        width_pt=float(row.width_pt),
        height_pt=float(row.height_pt),
        state=state,
        read_in_full=state in READABLE_STATES and row.page_num not in open_pages,
        ink_read_share=float(row.ink_read / row.ink_total) if row.ink_total > 0 else None,
        warnings=row.warnings,
    )


def _kinds(spots: tuple[BlindSpot, ...], *, ocr: bool) -> tuple[KindSummary, ...]:
    """Blind spots by kind, in the order of the codes; those that may hold text first."""
    grouped: dict[tuple[bool, BlindSpotKind], list[BlindSpot]] = defaultdict(list)
    for spot in spots:
        grouped[spot.text_likely is not TextLikely.NO, spot.kind].append(spot)
    return tuple(
        KindSummary(
            kind=kind,
            may_hold_text=may_hold_text,
            meaning=kind.meaning,
            remedy=kind.remedy_after(ocr=ocr) if may_hold_text else "",
            count=len(found),
            pages=tuple(sorted({spot.page_num for spot in found})),
            details=dict(Counter(spot.detail for spot in found if spot.detail).most_common()),
        )
        for may_hold_text in (True, False)
        for kind in BlindSpotKind
        if (found := grouped.get((may_hold_text, kind)))
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


def _pages_from(line_df: pd.DataFrame, source: TextSource) -> set[int]:
    """Pages with at least one line from this source."""
    return {int(page) for page in line_df.loc[line_df["source"] == source.value, "page_num"]}


def _ink_share(page_df: pd.DataFrame) -> float | None:
    total = float(page_df["ink_total"].sum())
    return float(page_df["ink_read"].sum()) / total if total > 0 else None


def _named(refs: pd.DataFrame) -> tuple[str, ...]:
    """Each mention as "figure 3.D (page 12)", once for each page."""
    return tuple(
        dict.fromkeys(f"{row.ref_type} {row.ref_id} (page {row.page_num})" for row in refs.itertuples())
    )


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
