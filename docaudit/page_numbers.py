"""What numbers say about missing pages: page labels, the numbers printed on the pages, and both against each other.

A finding is made only where the numbering is sure: neighbours that count up, not one stray number.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from docaudit.location import PAGE_SOURCES, Direction

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
