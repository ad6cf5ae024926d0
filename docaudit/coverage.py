"""From tables to ParseCoverage: what could and could not be read, in numbers, and the gaps that numbering shows.

What numbers say about missing pages: page labels, the numbers printed on the pages, and both against each other.

A finding is made only where the numbering is sure: neighbours that count up, not one stray number.

How much of a document a program can read: what `docaudit coverage` shows, with a denominator for every number.

The models are frozen and are saved as JSON. render/ shows them without the document.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from docaudit.codes import (
    DOCUMENT_PAGE,
    PAGE_SOURCES,
    BBox,
    BlindSpotKind,
    Direction,
    PageState,
    TextLikely,
    TextSource,
)
from docaudit.document import ParsedDocument, blind_spots
from docaudit.justification import BlindSpot, DocumentIdentity, Model, ParseCoverage
from docaudit.options import AuditOptions

_LABEL = re.compile(r"(\D*)(\d+)")
_ROMAN = re.compile(r"(?=[ivxlc])(?:xc|xl|l?x{0,3})?c{0,3}(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_AT_EDGE = re.compile(r"^\D{0,12}?(\d{1,4})(?!\d)|(?<!\d)(\d{1,4})\D{0,12}?$")
_WHOLE = re.compile(r"^\D{0,40}?(\d{1,4})\s*(?:/|of|von|de|sur)\s*\d{1,4}\D{0,3}$", re.IGNORECASE)
_ALONE = re.compile(r"^\D{0,4}(\d{1,4})\D{0,4}$")
_YEARS = range(1900, 2100)
_MARGIN = 0.12
_WANTED = ("page_num", "y0", "y1", "text")
_RUN, _SURE = 3, 5
"""Pages in a row whose numbers count up: fewer are no run (numbers of tables, chapters), or not sure enough for a
finding about what lies between two runs."""


class _Label(NamedTuple):
    style: str
    number: int


class Run(NamedTuple):
    """Neighbouring pages whose numbers count up by one."""

    first_page: int
    last_page: int
    first_number: int

    @property
    def last_number(self) -> int:
        """Number of the last page."""
        return self.first_number + self.last_page - self.first_page


def label_findings(labels: Sequence[str]) -> tuple[str, ...]:
    """Steps between neighbouring page labels that leave numbers out, and labels that come twice.

    A numbering that begins again at its first number repeats labels and is none: volumes and annexes do that.

    >>> label_findings(["i", "ii", "1", "2", "5"])
    ('page 5: label 5 follows 2',)
    >>> label_findings(["1", "2", "2", "3"])
    ('page 3: label 2 is also that of page 2',)
    """
    read = [_read_label(label) for label in labels]
    findings: list[str] = []
    pages: dict[_Label, int] = {}
    repeats = False
    for page, (before, label) in enumerate(zip([None, *read], read, strict=False), 1):
        if label is None:
            continue
        follows = before is not None and before.style == label.style
        if follows and before is not None and label.number > before.number + 1:
            findings.append(f"page {page}: label {labels[page - 1]} follows {labels[page - 2]}")
        if not follows or before is None or label.number != before.number + 1:
            repeats = label.number != 1  # a numbering begins here; from 1 it may use the same labels again
        if repeats and label in pages:
            findings.append(f"page {page}: label {labels[page - 1]} is also that of page {pages[label]}")
        pages.setdefault(label, page)
    return tuple(findings)


def _read_label(label: str) -> _Label | None:
    """Style (prefix, or roman) and number of a label; None if it has no number at its end.

    >>> _read_label("A-12"), _read_label("xiv"), _read_label("Cover")
    (_Label(style='A-', number=12), _Label(style='roman', number=14), None)
    """
    found = _LABEL.fullmatch(label)
    if found:
        return _Label(found[1], int(found[2]))
    if label and _ROMAN.fullmatch(label) and (label.islower() or label.isupper()):
        values = [_ROMAN_VALUES[char] for char in label.lower()]
        signed = (
            -value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True)
        )
        return _Label("roman" if label.islower() else "ROMAN", sum(signed))
    return None


def printed_runs(line_df: pd.DataFrame, page_df: pd.DataFrame) -> list[Run]:
    """Runs of pages with a number printed in the margin that counts up, each of at least three pages."""
    numbers = _margin_numbers(line_df, page_df)
    runs: list[Run] = []
    open_runs: dict[int, Run] = {}
    for page in sorted(numbers):
        going: dict[int, Run] = {}
        for number in numbers[page]:
            run = open_runs.get(number - 1)
            continues = run is not None and run.last_page == page - 1
            going[number] = run._replace(last_page=page) if run and continues else Run(page, page, number)
        runs += [run for number, run in open_runs.items() if number + 1 not in going]
        open_runs = going
    runs += open_runs.values()
    return _without_overlap(run for run in runs if run.last_page - run.first_page + 1 >= _RUN)


def _without_overlap(runs: Iterable[Run]) -> list[Run]:
    """Where two numberings stand on the same pages (page and sheet), the longer one counts."""
    kept: list[Run] = []
    for run in sorted(runs, key=lambda run: (run.first_page - run.last_page, run.first_page)):
        if all(run.last_page < other.first_page or run.first_page > other.last_page for other in kept):
            kept.append(run)
    return sorted(kept)


def _margin_numbers(line_df: pd.DataFrame, page_df: pd.DataFrame) -> dict[int, set[int]]:
    """Numbers at the edge of a line in the margins of each page, and numbers that are its first or last line."""
    heights = dict(zip(page_df["page_num"], page_df["height_pt"], strict=True))
    sources = {source.value for source in PAGE_SOURCES}
    kept = line_df["source"].isin(sources) & (line_df["direction"] == Direction.HORIZONTAL.value)
    lines: dict[int, list[tuple[float, float, str]]] = defaultdict(list)
    rows = line_df[kept & line_df["page_num"].isin(heights.keys())]
    for page, y0, y1, text in zip(*(rows[name].tolist() for name in _WANTED), strict=True):
        lines[page].append((y0, y1, text.strip()))
    return {page: set(_numbers(found, heights[page])) for page, found in lines.items()}


def _numbers(lines: list[tuple[float, float, str]], height: float) -> Iterator[int]:
    top, bottom = min(lines)[2], max(lines, key=lambda line: line[1])[2]
    for y0, y1, text in lines:
        if text in (top, bottom) and (alone := _ALONE.match(text)):
            yield int(alone[1])
        if y1 <= height * _MARGIN or y0 >= height * (1 - _MARGIN):
            whole = _WHOLE.match(text)
            found = [whole[1]] if whole else [a or b for a, b in _AT_EDGE.findall(text)]
            yield from (int(number) for number in found if int(number) not in _YEARS)


def printed_findings(runs: Sequence[Run]) -> tuple[str, ...]:
    """Printed page numbers that are left out between pages that follow each other.

    Pages without a number between two runs may have any of the numbers that are left out.
    """
    findings = []
    sure = [run for run in runs if run.last_page - run.first_page + 1 >= _SURE]
    for before, after in itertools.pairwise(sure):
        between = after.first_page - before.last_page - 1
        if after.first_number > before.last_number + between + 1:
            findings.append(
                f"page {after.first_page}: printed page number {after.first_number} follows {before.last_number}"
                + (f", {between} {'page' if between == 1 else 'pages'} between them" if between else "")
            )
    return tuple(findings)


def label_mismatches(labels: Sequence[str], runs: Sequence[Run]) -> tuple[str, ...]:
    """Runs of pages whose printed number is another than their label, where the label is a plain number."""
    findings = []
    for run in runs:
        pages = range(run.first_page, run.last_page + 1)
        declared = [labels[page - 1] for page in pages]
        if not all(label.isdecimal() for label in declared):
            continue
        if any(int(label) != run.first_number + step for step, label in enumerate(declared)):
            findings.append(
                f"pages {run.first_page}–{run.last_page}: labels {declared[0]}–{declared[-1]}, "
                f"printed {run.first_number}–{run.last_number}"
            )
    return tuple(findings)


class PageReadability(Model):
    """One page of the page tree.

    Attributes:
        page_num: 1-based physical page.
        label: Page label of the document; empty if none.
        width_pt: Width as displayed, points; 0 if the page could not be opened.
        height_pt: Height as displayed, points.
        state: The one state of the page.
        read_in_full: The page was opened and rendered, and no blind spot of it may hold text: the text layer or
            OCR read all that may be text.
        ink_read_share: Ink under text that was read, of all ink of the page; None if it was not measured or is none.
        warnings: What the engine complained about, as it said it.
    """

    page_num: int = Field(ge=1)
    label: str
    width_pt: float
    height_pt: float
    state: PageState
    read_in_full: bool
    ink_read_share: float | None
    warnings: str


class KindSummary(Model):
    """All blind spots of one kind that may hold text, or all of one kind that hold none.

    Attributes:
        kind: The code.
        may_hold_text: Whether these are the ones that may hold text; only they lower the share.
        meaning: What the code means, as one sentence.
        remedy: What a person can do about it; empty where there is nothing to find.
        count: Blind spots.
        pages: Their pages; 0 stands for the document as a whole.
        details: What exactly was not read, with how often, most frequent first.
    """

    kind: BlindSpotKind
    may_hold_text: bool
    meaning: str
    remedy: str
    count: int
    pages: tuple[int, ...]
    details: Mapping[str, int]


class Readability(Model):
    """How much of one document a program can read.

    Attributes:
        document: Which document, read by what.
        options: The options it was read with.
        readable_share: pages_read_in_full of coverage.pages_total, 0 to 1.
        pages_read_in_full: Pages that were opened and rendered and have no blind spot that may hold text.
        pages_not_read_in_full: The other pages.
        parts_not_read_outside_pages: Parts of the document as a whole that were not read and may hold text
            (attachments, forms); they are in no page.
        kinds: Blind spots by kind, those that may hold text first.
        blind_spots: All of them.
        pages: All pages of the page tree.
        coverage: All other numbers.
    """

    document: DocumentIdentity
    options: AuditOptions
    readable_share: float = Field(ge=0, le=1)
    pages_read_in_full: int
    pages_not_read_in_full: tuple[int, ...]
    parts_not_read_outside_pages: int
    kinds: tuple[KindSummary, ...]
    blind_spots: tuple[BlindSpot, ...]
    pages: tuple[PageReadability, ...]
    coverage: ParseCoverage

    @property
    def complete(self) -> bool:
        """Nothing that may hold text is left unread, on pages or beside them."""
        return not self.pages_not_read_in_full and not self.parts_not_read_outside_pages

    def pages_with(self, kinds: Iterable[BlindSpotKind]) -> dict[BlindSpotKind, tuple[int, ...]]:
        """Pages (0: the document as a whole) of those of the kinds that occur and may hold text."""
        wanted = set(kinds)
        return {item.kind: item.pages for item in self.kinds if item.may_hold_text and item.kind in wanted}


class UnreadableDocument(Model):
    """A document that could not be opened at all."""

    name: str
    error: str


class KindTotal(Model):
    """One kind of blind spot in all documents, those that may hold text.

    Attributes:
        kind: The code.
        documents: Documents with it.
        pages: Pages with it; parts beside the pages are not counted here.
        count: Blind spots.
    """

    kind: BlindSpotKind
    documents: int
    pages: int
    count: int


class CorpusReadability(Model):
    """Several documents: each of them, and their sums.

    Attributes:
        documents: Those that could be opened.
        unreadable: Those that could not.
        documents_total: Both together.
        documents_complete: Documents without anything unread that may hold text.
        pages_total: Pages of all documents that could be opened.
        pages_read_in_full: Of these, pages read in full.
        readable_share: pages_read_in_full of pages_total; None if no document could be opened.
        kinds: Each kind that may hold text, most pages first.
    """

    kind: Literal["coverage"] = "coverage"
    schema_version: Literal["1"] = "1"
    documents: tuple[Readability, ...]
    unreadable: tuple[UnreadableDocument, ...]
    documents_total: int
    documents_complete: int
    pages_total: int
    pages_read_in_full: int
    readable_share: float | None
    kinds: tuple[KindTotal, ...]

    @classmethod
    def of(
        cls, documents: Iterable[Readability], unreadable: Iterable[UnreadableDocument] = ()
    ) -> CorpusReadability:
        """Add the documents up."""
        read, lost = tuple(documents), tuple(unreadable)
        total = sum(one.coverage.pages_total for one in read)
        full = sum(one.pages_read_in_full for one in read)
        return cls(
            documents=read,
            unreadable=lost,
            documents_total=len(read) + len(lost),
            documents_complete=sum(one.complete for one in read),
            pages_total=total,
            pages_read_in_full=full,
            readable_share=full / total if total else None,
            kinds=_totals(read),
        )


def _totals(documents: tuple[Readability, ...]) -> tuple[KindTotal, ...]:
    totals = []
    for kind in BlindSpotKind:
        found = [item for one in documents for item in one.kinds if item.kind is kind and item.may_hold_text]
        if found:
            pages = sum(len([page for page in item.pages if page]) for item in found)
            count = sum(item.count for item in found)
            totals.append(KindTotal(kind=kind, documents=len(found), pages=pages, count=count))
    return tuple(sorted(totals, key=lambda total: (-total.pages, -total.count)))


class Thumbnail(Model):
    """A small picture of one page for the page map.

    Attributes:
        page_num: 1-based physical page.
        jpeg: The picture; None if the page could not be drawn.
        problem: Why it could not be drawn.
    """

    page_num: int = Field(ge=1)
    jpeg: bytes | None = None
    problem: str = ""


class RegionPicture(Model):
    """A picture of one region that was not read, for the report.

    Attributes:
        page_num: 1-based physical page.
        bbox: The region; None for the whole page.
        jpeg: The picture; None if it could not be drawn.
        problem: Why it could not be drawn.
    """

    page_num: int = Field(ge=1)
    bbox: BBox | None = None
    jpeg: bytes | None = None
    problem: str = ""


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
