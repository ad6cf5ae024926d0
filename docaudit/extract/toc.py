"""toc_df: the outline of the file and the contents printed on its pages, each entry checked against its page."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from docaudit.codes import PAGE_SOURCES
from docaudit.coverage import NumberRun, printed_runs
from docaudit.extract.protocol import OutlineFact
from docaudit.extract.text_layer import letters_of
from docaudit.tables import TOC_DF, Line, lines_of, rows_of

_HEADING = re.compile(
    r"^\s*(?:table\s+of\s+contents|contents|index|i\s+n\s+d\s+e\s+x|目\s*次|inhalt(?:sverzeichnis)?|índice|obsah|содержание|目录|目錄)\s*$",
    re.I,
)
_ENTRY = re.compile(
    r"^(?P<title>.*?\S)(?:[\s.·…‥・⋯_]{3,}|\s{2,}|[.…]\s*|\t)(?P<page>\d{1,4}|[ivxlc]{1,7})\s*$", re.I
)
_LEADERS = re.compile(
    r"(?P<title>\S.*?)\s*(?:[.·…‥・⋯_]\s?){4,}\s*(?P<page>\d{1,4}|[ivxlc]{1,7})(?=\s{3}|\s*$)", re.I
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_PAGE = re.compile(r"^[\s.·…‥・_]*(?P<page>\d{1,4}|[ivxlc]{1,7})\s*$", re.I)
_LEADER = re.compile(r"[\s.·…‥・⋯_]+$")
_NUMBERED = re.compile(r"^\s*(\d+(?:\.\d+)*)")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")
_ENUMERATOR = re.compile(
    r"^\s*(?:(?:items?|parts?|notes?|chapters?|sections?|appendix|annex)\s+(?:\d+[a-z]?|[ivx]+|[a-z])\b\s*[.:–—-]*"
    r"|\(?[a-z0-9]{1,2}\)|[a-z]\.|第[\d０-９一二三四五六七八九十百]+[章節条編部])\s*",
    re.I,
)
# Share of the document, and pages at least, in whose front the contents stand; entries at least; and share of the lines
# of a page that goes on with them. Chosen, not measured.
_FRONT, _FRONT_PAGES = 0.15, 12
_MIN_ENTRIES = 3
_MOSTLY = 0.6
_ENOUGH = 28
"""Letters of a title that must stand on its page: contents often word the end of a long title in another way."""
_LONG_WORD, _MANY_WORDS, _MOST_WORDS = 3, 4, 0.8
"""A title of at least four words of three letters is found where at least four in five of them are: headings of
statements are worded in another order. Chosen, not measured."""


class Printed(NamedTuple):
    """One entry of the printed contents: title, page as printed, indent, and its lines (page, line)."""

    title: str
    label: str
    indent: float
    lines: tuple[tuple[int, int], ...]


class _Row(NamedTuple):
    """One visual row of a page: its text, where it begins, and the numbers of its lines."""

    page: int
    text: str
    x0: float
    lines: tuple[int, ...]


def toc_table(
    outline: list[OutlineFact], printed: list[Printed], line_df: pd.DataFrame, page_df: pd.DataFrame
) -> pd.DataFrame:
    """TOC_DF: entries of the outline, then those of the printed contents."""
    texts: dict[int, list[str]] = defaultdict(list)
    for page, text, source in rows_of(line_df, "page_num", "text", "source"):
        if source in PAGE_SOURCES:
            texts[page].append(text)
    letters = {page: letters_of("".join(parts)) for page, parts in texts.items()}
    physical = _physical_pages(printed, page_df, letters, printed_runs(line_df, page_df))
    rows: list[dict[str, object]] = []

    def add(source: str, entries: Iterator[tuple[int, str, int]]) -> None:
        parents: dict[int, int] = {}
        for level, title, page in entries:
            number = parents[level] = len(rows) + 1
            rows.append(
                {
                    "toc_num": number,
                    "level": level,
                    "parent_num": parents.get(level - 1, 0),
                    "title": title,
                    "page_num": page,
                    "source": source,
                    "found_on_page": _stands_on(title, letters.get(page, "")),
                }
            )

    add("outline", ((entry.level, entry.title, entry.page_num) for entry in outline))
    # Levels by section number where there is one, else by indent.
    indents = sorted({round(entry.indent / 6) for entry in printed})
    levels = []
    for entry in printed:
        number = _NUMBERED.match(entry.title)
        indent = indents.index(round(entry.indent / 6)) + 1
        levels.append(number[1].count(".") + 1 if number else min(indent, 4))
    titles = (entry.title for entry in printed)
    add("printed", zip(levels, titles, physical, strict=True))
    return TOC_DF.build(rows)


def _stands_on(title: str, page: str) -> bool:
    """The title is on the page, with or without its number ("Item 9.", "a)", "3.1"), which headings often leave out."""
    bare = _ENUMERATOR.sub("", title)
    for form in (title, _NUMBERED.sub("", title), bare, _ASIDE.sub("", bare)):
        letters = letters_of(form)[:_ENOUGH]
        if letters and letters in page:
            return True
    words = [word for part in bare.split() if len(word := letters_of(part)) >= _LONG_WORD]
    return len(words) >= _MANY_WORDS and sum(word in page for word in words) >= _MOST_WORDS * len(words)


def printed_contents(line_df: pd.DataFrame, pages_total: int) -> list[Printed]:
    """Entries of the contents pages: those under a heading "Contents", and following pages of the same shape."""
    rows = _visual_rows(line_df, max(_FRONT_PAGES, round(pages_total * _FRONT)))
    entries: list[Printed] = []
    for page in sorted(rows):
        starts = any(_HEADING.match(row.text) for row in rows[page])
        if not (starts or entries):
            continue
        new = _entries(rows[page])
        lines_total = sum(len(row.lines) for row in rows[page])
        mostly = sum(len(entry.lines) for entry in new) >= _MOSTLY * lines_total
        begins = starts and len(new) >= _MIN_ENTRIES and _ascending(new)
        goes_on = bool(entries and new and mostly and _ascending([entries[-1], *new]))
        if entries and not goes_on and not (begins and mostly):
            break  # "Contents" at the top of later pages is a link back, and the rows below it are tables
        if begins or goes_on:
            entries += new
    return entries if len(entries) >= _MIN_ENTRIES else []


def _visual_rows(line_df: pd.DataFrame, front: int) -> dict[int, list[_Row]]:
    """The lines of the front pages, joined where they stand on one baseline."""
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in lines_of(line_df[line_df["page_num"] <= front]):
        if line.source in PAGE_SOURCES and line.y0 == line.y0:
            pages[line.page_num].append(line)
    rows: dict[int, list[_Row]] = {}
    for page, lines in pages.items():
        groups: list[list[Line]] = []
        for line in sorted(lines, key=lambda line: line.y0 + line.y1):
            if groups and (line.y0 + line.y1) / 2 <= groups[-1][0].y1:
                groups[-1].append(line)
            else:
                groups.append([line])
        rows[page] = []
        for group in groups:
            group.sort(key=lambda line: line.x0)
            text = _INVISIBLE.sub("", "   ".join(line.text.strip() for line in group))
            rows[page].append(_Row(page, text, group[0].x0, tuple(line.line_num for line in group)))
    return rows


def _entries(rows: list[_Row]) -> list[Printed]:
    """Rows that end in a page number; a title that goes on in a second row is joined to it."""
    entries: list[Printed] = []

    def add(title: str, page: str, *of_rows: _Row) -> None:
        lines = tuple((row.page, line) for row in of_rows for line in row.lines)
        entries.append(Printed(_LEADER.sub("", title).strip(), page, min(row.x0 for row in of_rows), lines))

    carried: _Row | None = None
    for row in rows:
        matches = list(_LEADERS.finditer(row.text)) or [match for match in [_ENTRY.match(row.text)] if match]
        alone = _PAGE.match(row.text)
        if matches:
            for match in matches:
                add(match["title"], match["page"], row)
            carried = None
        elif alone is not None and carried is not None:
            add(carried.text, alone["page"], row, carried)
            carried = None
        else:
            carried = None if _HEADING.match(row.text) else row
    return [entry for entry in entries if letters_of(entry.title)]


def _ascending(entries: list[Printed]) -> bool:
    """Page numbers of a contents page hardly ever go down; the numbers of a table do."""
    numbers = [int(entry.label) for entry in entries if entry.label.isdigit()]
    steps = [later >= earlier for earlier, later in itertools.pairwise(numbers)]
    return not steps or sum(steps) >= 0.8 * len(steps)


def _physical_pages(
    printed: list[Printed], page_df: pd.DataFrame, letters: dict[int, str], runs: list[NumberRun]
) -> list[int]:
    """Physical pages of printed page numbers: by page labels and by the numbers printed on the pages, else by the
    offset that finds most titles. Of several pages with one number that with the title on it is meant.
    """
    numbered: dict[str, list[int]] = defaultdict(list)
    for page, label in rows_of(page_df, "page_num", "page_label"):
        numbered[label.lower()].append(page)
    numbered.pop("", None)
    for run in runs:
        for step in range(run.last_page - run.first_page + 1):
            numbered[str(run.first_number + step)].append(run.first_page + step)
    if numbered:
        pages = [_numbered_page(entry, numbered, runs, letters) for entry in printed]
    else:
        offsets: Counter[int] = Counter()
        for entry in printed:
            title = letters_of(entry.title)
            if entry.label.isdigit() and len(title) > 3:
                number = int(entry.label)
                near = range(max(1, number - 2), number + 30)
                offsets.update(page - number for page in near if title in letters.get(page, ""))
        offset = offsets.most_common(1)[0][0] if offsets else 0
        pages = [int(entry.label) + offset if entry.label.isdigit() else 0 for entry in printed]
    return [page if 1 <= page <= len(page_df) else 0 for page in pages]


def _numbered_page(
    entry: Printed, numbered: dict[str, list[int]], runs: list[NumberRun], letters: dict[int, str]
) -> int:
    """The page with this number and title, else the first with this number, else where it would be in the run."""
    pages = numbered.get(entry.label.lower(), [])
    if not pages and runs and entry.label.isdigit():
        number = int(entry.label)
        near = min(runs, key=lambda run: min(abs(number - run.first_number), abs(number - run.last_number)))
        pages = [near.first_page + number - near.first_number]
    with_title = (page for page in pages if _stands_on(entry.title, letters.get(page, "")))
    return next(with_title, pages[0] if pages else 0)
