"""From tables to ParseCoverage: what could and could not be read, in numbers, and the gaps that numbering shows.

What numbers say about missing pages: page labels, the numbers printed on the pages, and both against each other. A
finding is made only where the numbering is sure: neighbours that count up, not one stray number.

`Readability` says how much of a document a program can read (`docaudit coverage`), with a denominator for every number.
The models are frozen and are saved as JSON; render/ shows them without the document.
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
from docaudit.tables import Line, lines_of, rows_of

_LABEL = re.compile(r"(\D*)(\d+)")
_ROMAN = re.compile(r"(?=[ivxlc])(?:xc|xl|l?x{0,3})?c{0,3}(?:ix|iv|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_AT_EDGE = re.compile(r"^\D{0,12}?(\d{1,4})(?!\d)|(?<!\d)(\d{1,4})\D{0,12}?$")
_WHOLE = re.compile(r"^\D{0,40}?(\d{1,4})\s*(?:/|of|von|de|sur)\s*\d{1,4}\D{0,3}$", re.IGNORECASE)
_ALONE = re.compile(r"^\D{0,4}(\d{1,4})\D{0,4}$")
_OBJECT_NUMBER = re.compile(r"((?:[A-Z]|\d+[.\-])?)(\d+)(?:\.[A-Z])?")
_YEARS = range(1900, 2100)
_MARGIN = 0.12
"""Share of the page's height in which page numbers are printed; chosen, not measured."""
_RUN, _SURE = 3, 5
"""Pages in a row whose numbers count up: fewer are no run (numbers of tables, chapters), or not sure enough for a
finding about what lies between two runs. Chosen, not measured."""
_MISSED_WORDS, _MISSED_SHARE = 3, 0.1
"""On real pages the first reader misses a word or two in a sum sign, a slanted or overprinted label: at most 6 %."""
_NUMBERED_TYPES = ("figure", "table", "box", "chart", "図", "表", "別紙", "条")
READABLE_STATES = frozenset({PageState.TEXT, PageState.MIXED, PageState.IMAGE_ONLY, PageState.BLANK})
"""States of pages on which nothing but blind spots can be left unread: of a scan, what OCR did not read is one."""


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
        chosen = set(kinds)
        return {
            summary.kind: summary.pages
            for summary in self.kinds
            if summary.may_hold_text and summary.kind in chosen
        }


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
        pages_total = sum(document.coverage.pages_total for document in read)
        in_full = sum(document.pages_read_in_full for document in read)
        totals = []
        for kind in BlindSpotKind:
            summaries = [
                summary
                for document in read
                for summary in document.kinds
                if summary.kind is kind and summary.may_hold_text
            ]
            if summaries:
                pages = sum(page != DOCUMENT_PAGE for summary in summaries for page in summary.pages)
                count = sum(summary.count for summary in summaries)
                totals.append(KindTotal(kind=kind, documents=len(summaries), pages=pages, count=count))
        return cls(
            documents=read,
            unreadable=lost,
            documents_total=len(read) + len(lost),
            documents_complete=sum(document.complete for document in read),
            pages_total=pages_total,
            pages_read_in_full=in_full,
            readable_share=in_full / pages_total if pages_total else None,
            kinds=tuple(sorted(totals, key=lambda total: (-total.pages, -total.count))),
        )


class Thumbnail(Model):
    """A small image of one page for the page map.

    Attributes:
        page_num: 1-based physical page.
        jpeg: The image; None if the page could not be drawn.
        problem: Why it could not be drawn.
    """

    page_num: int = Field(ge=1)
    jpeg: bytes | None = None
    problem: str = ""


class RegionPicture(Model):
    """An image of one region that was not read, for the report.

    Attributes:
        page_num: 1-based physical page.
        bbox: The region; None for the whole page.
        jpeg: The image; None if it could not be drawn.
        problem: Why it could not be drawn.
    """

    page_num: int = Field(ge=1)
    bbox: BBox | None = None
    jpeg: bytes | None = None
    problem: str = ""


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
    read, without_text = int(ocr.get("read", 0)), int(ocr.get("no_text", 0))
    internal = cross_ref_df[cross_ref_df["scope"] == "internal"]
    external = cross_ref_df[cross_ref_df["scope"] == "external"]
    labels, runs = page_df["page_label"].tolist(), printed_runs(line_df, page_df)
    layer, by_ocr = (
        set(line_df.loc[line_df["source"] == source, "page_num"].tolist())
        for source in (TextSource.TEXT_LAYER, TextSource.OCR)
    )
    ink_total = float(page_df["ink_total"].sum())
    return ParseCoverage(
        pages_total=len(page_df),
        pages_with_text=len(layer),
        pages_by_ocr_alone=len(by_ocr - layer),
        images_total=len(image_df),
        toc_entries=len(toc_df),
        cross_refs_total=len(cross_ref_df),
        objects_registered=len(object_registry),
        pages_by_state={state: int(states.get(state.value, 0)) for state in PageState},
        ink_read_share=float(page_df["ink_read"].sum()) / ink_total if ink_total > 0 else None,
        images_read=read,
        images_without_text=without_text,
        images_unread=len(image_df) - read - without_text,
        unresolved_cross_refs=_named(internal[~internal["resolved"]]),
        external_refs=_named(external),
        page_label_gaps=label_findings(labels) + printed_findings(runs),
        page_label_mismatches=label_mismatches(labels, runs),
        number_gaps=number_gaps(object_registry),
        contents_not_found=tuple(
            f"{title} (page {page})" if page else title
            for title, page, on_page in rows_of(toc_df, "title", "page_num", "found_on_page")
            if not on_page
        ),
        pages_with_warnings=tuple(page_df.loc[page_df["warnings"] != "", "page_num"].tolist()),
        **_second_reader(page_df, line_df),
    )


def _named(refs: pd.DataFrame) -> tuple[str, ...]:
    """Each mention as "figure 3.D (page 12)", once for each page."""
    names = rows_of(refs, "ref_type", "ref_id", "page_num")
    return tuple(dict.fromkeys(f"{sort} {number} (page {page})" for sort, number, page in names))


def _second_reader(page_df: pd.DataFrame, line_df: pd.DataFrame) -> dict[str, Any]:
    """What the second reader says; nothing at all if no page was compared."""
    compared = page_df["words_second_only"].notna()
    if not compared.any():
        return {}
    layer = line_df[line_df["source"] == TextSource.TEXT_LAYER]
    disagree = []
    for page_num, missed in rows_of(page_df, "page_num", "words_second_only"):
        # A good part of a page must be missed; a word or two on a full page cast no doubt on the rest.
        if missed >= _MISSED_WORDS:
            words = sum(len(text.split()) for text in layer.loc[layer["page_num"] == page_num, "text"])
            if missed >= _MISSED_SHARE * (words + missed):
                disagree.append(page_num)
    return {
        "words_second_reader_only": int(page_df["words_second_only"].sum()),
        "words_first_reader_only": int(page_df["words_first_only"].sum()),
        "pages_not_compared": tuple(page_df.loc[~compared, "page_num"].tolist()),
        "pages_readers_disagree": tuple(disagree),
    }


def measure_readability(parsed: ParsedDocument) -> Readability:
    """Readability of a parsed document: its pages, its blind spots by kind, and the share that was read in full."""
    spots = blind_spots(parsed.blind_spot_df)
    open_pages = {spot.page_num for spot in spots if spot.text_likely is not TextLikely.NO}
    pages = tuple(
        PageReadability(
            page_num=page_num,
            label=label,
            width_pt=width,
            height_pt=height,
            state=state,
            read_in_full=state in READABLE_STATES and page_num not in open_pages,
            ink_read_share=ink_read / ink_total if ink_total > 0 else None,
            warnings=warnings,
        )
        for page_num, label, width, height, state, ink_read, ink_total, warnings in rows_of(
            parsed.page_df,
            *(
                "page_num",
                "page_label",
                "width_pt",
                "height_pt",
                "state",
                "ink_read",
                "ink_total",
                "warnings",
            ),
        )
    )
    in_full = sum(page.read_in_full for page in pages)
    return Readability(
        document=parsed.identity,
        options=parsed.options,
        readable_share=in_full / len(pages),
        pages_read_in_full=in_full,
        pages_not_read_in_full=tuple(page.page_num for page in pages if not page.read_in_full),
        parts_not_read_outside_pages=sum(
            spot.page_num == DOCUMENT_PAGE and spot.text_likely is not TextLikely.NO for spot in spots
        ),
        kinds=tuple(_kind_summaries(spots, ocr=parsed.options.ocr != "off")),
        blind_spots=spots,
        pages=pages,
        coverage=parsed.coverage,
    )


def _kind_summaries(spots: tuple[BlindSpot, ...], *, ocr: bool) -> Iterator[KindSummary]:
    """Blind spots by kind, in the order of the codes; those that may hold text first."""
    grouped: dict[tuple[bool, BlindSpotKind], list[BlindSpot]] = defaultdict(list)
    for spot in spots:
        grouped[spot.text_likely is not TextLikely.NO, spot.kind].append(spot)
    for may_hold_text, kind in itertools.product((True, False), BlindSpotKind):
        group = grouped.get((may_hold_text, kind))
        if group:
            yield KindSummary(
                kind=kind,
                may_hold_text=may_hold_text,
                meaning=kind.meaning,
                remedy=kind.remedy_after(ocr=ocr) if may_hold_text else "",
                count=len(group),
                pages=tuple(sorted({spot.page_num for spot in group})),
                details=dict(Counter(spot.detail for spot in group if spot.detail).most_common()),
            )


def number_gaps(object_registry: pd.DataFrame) -> tuple[str, ...]:
    """Numbers that are missing between the first and the last of a kind: Figure 3 after Figure 1.

    Chapter numbers count apart: 2.1 and 2.3 without 2.2 are a gap, 1.4 and 2.1 are not.
    """
    numbers: dict[tuple[str, str], set[int]] = defaultdict(set)
    for kind, object_id in rows_of(object_registry, "object_type", "object_id"):
        match = _OBJECT_NUMBER.fullmatch(object_id)
        if kind in _NUMBERED_TYPES and match is not None:
            numbers[kind, match[1]].add(int(match[2]))
    return tuple(
        f"{kind} {chapter}{number}"
        for (kind, chapter), present in sorted(numbers.items())
        for number in range(1, min(max(present), 1000))
        if number not in present
    )


class _Label(NamedTuple):
    style: str
    number: int


class NumberRun(NamedTuple):
    """Neighbouring pages whose numbers count up by one."""

    first_page: int
    last_page: int
    first_number: int

    @property
    def last_number(self) -> int:
        """Number of the last page."""
        return self.first_number + self.length - 1

    @property
    def length(self) -> int:
        """Pages of the run."""
        return self.last_page - self.first_page + 1


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
        step = label.number - before.number if before is not None and before.style == label.style else None
        if step is not None and step > 1:
            findings.append(f"page {page}: label {labels[page - 1]} follows {labels[page - 2]}")
        if step != 1:
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
    match = _LABEL.fullmatch(label)
    if match:
        return _Label(match[1], int(match[2]))
    if label and _ROMAN.fullmatch(label) and (label.islower() or label.isupper()):
        values = [_ROMAN_VALUES[char] for char in label.lower()]
        signed = (
            -value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True)
        )
        return _Label("roman" if label.islower() else "ROMAN", sum(signed))
    return None


def printed_runs(line_df: pd.DataFrame, page_df: pd.DataFrame) -> list[NumberRun]:
    """Runs of pages with a number printed in the margin that counts up, each of at least three pages.

    Where two numberings stand on the same pages (page and sheet), the longer one counts.
    """
    heights = dict(rows_of(page_df, "page_num", "height_pt"))
    lines: dict[int, list[Line]] = defaultdict(list)
    for line in lines_of(line_df):
        if (
            line.source in PAGE_SOURCES
            and line.direction == Direction.HORIZONTAL
            and line.page_num in heights
        ):
            lines[line.page_num].append(line)
    runs: list[NumberRun] = []
    open_runs: dict[int, NumberRun] = {}
    for page in sorted(lines):
        going: dict[int, NumberRun] = {}
        for number in set(_margin_numbers(lines[page], heights[page])):
            run = open_runs.get(number - 1)
            continues = run is not None and run.last_page == page - 1
            going[number] = (
                run._replace(last_page=page) if run and continues else NumberRun(page, page, number)
            )
        runs += [run for number, run in open_runs.items() if number + 1 not in going]
        open_runs = going
    runs += open_runs.values()
    kept: list[NumberRun] = []
    for run in sorted(runs, key=lambda run: (-run.length, run.first_page)):
        apart = all(run.last_page < other.first_page or run.first_page > other.last_page for other in kept)
        if run.length >= _RUN and apart:
            kept.append(run)
    return sorted(kept)


def _margin_numbers(lines: list[Line], height: float) -> Iterator[int]:
    """Numbers at the edge of a line in the margins of a page, and numbers that are its first or last line."""
    first = min(lines, key=lambda line: (line.y0, line.y1, line.text.strip())).text.strip()
    last = max(lines, key=lambda line: line.y1).text.strip()
    for line in lines:
        text = line.text.strip()
        if text in (first, last) and (alone := _ALONE.match(text)):
            yield int(alone[1])
        if line.y1 <= height * _MARGIN or line.y0 >= height * (1 - _MARGIN):
            whole = _WHOLE.match(text)
            numbers = [whole[1]] if whole else [start or end for start, end in _AT_EDGE.findall(text)]
            yield from (int(number) for number in numbers if int(number) not in _YEARS)


def printed_findings(runs: Sequence[NumberRun]) -> tuple[str, ...]:
    """Printed page numbers that are left out between pages that follow each other.

    Pages without a number between two runs may have any of the numbers that are left out.
    """
    findings = []
    for before, after in itertools.pairwise(run for run in runs if run.length >= _SURE):
        between = after.first_page - before.last_page - 1
        if after.first_number > before.last_number + between + 1:
            findings.append(
                f"page {after.first_page}: printed page number {after.first_number} follows {before.last_number}"
                + (f", {between} {'page' if between == 1 else 'pages'} between them" if between else "")
            )
    return tuple(findings)


def label_mismatches(labels: Sequence[str], runs: Sequence[NumberRun]) -> tuple[str, ...]:
    """Runs of pages whose printed number is another than their label, where the label is a plain number."""
    findings = []
    for run in runs:
        declared = labels[run.first_page - 1 : run.last_page]
        plain = all(label.isdecimal() for label in declared)
        if plain and any(int(label) != run.first_number + step for step, label in enumerate(declared)):
            findings.append(
                f"pages {run.first_page}–{run.last_page}: labels {declared[0]}–{declared[-1]}, "
                f"printed {run.first_number}–{run.last_number}"
            )
    return tuple(findings)
