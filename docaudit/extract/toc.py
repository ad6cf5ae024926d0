"""toc_df: the outline of the file and the contents printed on its pages, each entry checked against its page."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from docaudit.codes import PAGE_SOURCES
from docaudit.coverage import Run, printed_runs
from docaudit.extract.protocol import OutlineFact
from docaudit.extract.text_layer import letters_of
from docaudit.tables import TOC_DF

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
_FRONT = 0.15
_MIN_ENTRIES = 3
_MOSTLY = 0.6
_ENOUGH = 28
"""Letters of a title that must stand on its page: contents often word the end of a long title in another way."""
_LONG_WORD, _MANY_WORDS, _MOST_WORDS = 3, 4, 0.8
"""A title of at least four words of three letters is found where at least four in five of them are: headings of
statements are worded in another order.
"""


class _Row(NamedTuple):
    """One visual row of a page: its text, where it begins, and the numbers of its lines."""

    page: int
    text: str
    x0: float
    lines: tuple[int, ...]


class Printed(NamedTuple):
    """One entry of the printed contents: title, page as printed, indent, and its lines (page, line)."""

    title: str
    label: str
    indent: float
    lines: tuple[tuple[int, int], ...]


def toc_table(
    outline: list[OutlineFact], printed: list[Printed], line_df: pd.DataFrame, page_df: pd.DataFrame
) -> pd.DataFrame:
    """TOC_DF: entries of the outline, then those of the printed contents."""
    letters = _letters_by_page(line_df)
    rows: list[dict[str, object]] = []
    parents: dict[int, int] = {}
    for number, entry in enumerate(outline, 1):
        parents[entry.level] = number
        rows.append(
            _row(number, entry.level, parents.get(entry.level - 1, 0), entry.title, entry.page_num, "outline")
        )
    physical = _physical_pages(printed, page_df, letters, printed_runs(line_df, page_df))
    levels = _levels(printed)
    parents = {}
    for offset, (line, level, page) in enumerate(zip(printed, levels, physical, strict=True), 1):
        number = len(outline) + offset
        parents[level] = number
        rows.append(_row(number, level, parents.get(level - 1, 0), line.title, page, "printed"))
    for row in rows:
        row["found_on_page"] = _stands_on(str(row["title"]), letters.get(int(str(row["page_num"])), ""))
    return TOC_DF.build(rows)


def _stands_on(title: str, page: str) -> bool:
    """The title is on the page, with or without its number ("Item 9.", "a)", "3.1"), which headings often leave out."""
    bare = _ENUMERATOR.sub("", title)
    for written in (title, _NUMBERED.sub("", title), bare, _ASIDE.sub("", bare)):
        wanted = letters_of(written)[:_ENOUGH]
        if wanted and wanted in page:
            return True
    words = [word for part in bare.split() if len(word := letters_of(part)) >= _LONG_WORD]
    return len(words) >= _MANY_WORDS and sum(word in page for word in words) >= _MOST_WORDS * len(words)


def _row(number: int, level: int, parent: int, title: str, page: int, source: str) -> dict[str, object]:
    return {
        "toc_num": number,
        "level": level,
        "parent_num": parent,
        "title": title,
        "page_num": page,
        "source": source,
    }


def _letters_by_page(line_df: pd.DataFrame) -> dict[int, str]:
    sources = {source.value for source in PAGE_SOURCES}
    parts: dict[int, list[str]] = defaultdict(list)
    for page, text, source in zip(line_df["page_num"], line_df["text"], line_df["source"], strict=True):
        if source in sources:
            parts[page].append(text)
    return {page: letters_of("".join(texts)) for page, texts in parts.items()}


def printed_contents(line_df: pd.DataFrame, pages_total: int) -> list[Printed]:
    """Entries of the contents pages: those under a heading "Contents", and following pages of the same shape."""
    rows = _visual_rows(line_df, max(12, round(pages_total * _FRONT)))
    entries: list[Printed] = []
    for page in sorted(rows):
        starts = any(_HEADING.match(row.text) for row in rows[page])
        if not (starts or entries):
            continue
        found = _entries(rows[page])
        mostly = sum(len(entry.lines) for entry in found) >= _MOSTLY * sum(
            len(row.lines) for row in rows[page]
        )
        begins = starts and len(found) >= _MIN_ENTRIES and _ascending(found)
        goes_on = bool(entries and found and mostly and _ascending([entries[-1], *found]))
        if entries and not goes_on and not (begins and mostly):
            break  # "Contents" at the top of later pages is a link back, and the rows below it are tables
        if begins or goes_on:
            entries += found
    return entries if len(entries) >= _MIN_ENTRIES else []


def _entries(rows: list[_Row]) -> list[Printed]:
    """Rows that end in a page number; a title that goes on in a second row is joined to it."""
    found: list[Printed] = []
    carried: _Row | None = None
    for row in rows:
        matches = list(_LEADERS.finditer(row.text)) or [match for match in [_ENTRY.match(row.text)] if match]
        if matches:
            found += [_printed(match["title"], match["page"], row) for match in matches]
            carried = None
            continue
        alone = _PAGE.match(row.text)
        if alone is not None and carried is not None:
            found.append(_printed(carried.text, alone["page"], row, carried))
            carried = None
        else:
            carried = None if _HEADING.match(row.text) else row
    return [entry for entry in found if letters_of(entry.title)]


def _printed(title: str, page: str, *rows: _Row) -> Printed:
    lines = tuple((row.page, line) for row in rows for line in row.lines)
    return Printed(_LEADER.sub("", title).strip(), page, min(row.x0 for row in rows), lines)


def _ascending(entries: list[Printed]) -> bool:
    """Page numbers of a contents page hardly ever go down; the numbers of a table do."""
    numbers = [int(entry.label) for entry in entries if entry.label.isdigit()]
    steps = [later >= earlier for earlier, later in itertools.pairwise(numbers)]
    return not steps or sum(steps) >= 0.8 * len(steps)


_Cell = tuple[float, float, float, str, int]


def _visual_rows(line_df: pd.DataFrame, front: int) -> dict[int, list[_Row]]:
    """The lines of the front pages, joined where they stand on one baseline."""
    sources = {source.value for source in PAGE_SOURCES}
    head = line_df[(line_df["page_num"] <= front) & line_df["source"].isin(sources) & line_df["y0"].notna()]
    by_page: dict[int, list[_Cell]] = defaultdict(list)
    wanted = ["page_num", "y0", "y1", "x0", "text", "line_num"]
    for page, *cell in zip(*(head[name].tolist() for name in wanted), strict=True):
        by_page[page].append((cell[0], cell[1], cell[2], cell[3], cell[4]))
    return {page: list(_rows_of(page, cells)) for page, cells in by_page.items()}


def _rows_of(page: int, cells: list[_Cell]) -> Iterator[_Row]:
    group: list[_Cell] = []
    for cell in sorted(cells, key=lambda cell: cell[0] + cell[1]):
        if group and (cell[0] + cell[1]) / 2 > group[0][1]:
            yield _joined(page, group)
            group = []
        group.append(cell)
    if group:
        yield _joined(page, group)


def _joined(page: int, group: list[_Cell]) -> _Row:
    ordered = sorted(group, key=lambda cell: cell[2])
    text = _INVISIBLE.sub("", "   ".join(cell[3].strip() for cell in ordered))
    return _Row(page, text, ordered[0][2], tuple(cell[4] for cell in ordered))


def _physical_pages(
    printed: list[Printed], page_df: pd.DataFrame, letters: dict[int, str], runs: list[Run]
) -> list[int]:
    """Physical pages of printed page numbers: by page labels and by the numbers printed on the pages, else by the
    offset that finds most titles. Of several pages with one number that with the title on it is meant.
    """
    numbered: dict[str, list[int]] = defaultdict(list)
    for page, label in zip(page_df["page_num"], page_df["page_label"], strict=True):
        numbered[str(label).lower()].append(int(page))
    numbered.pop("", None)
    for run in runs:
        for step in range(run.last_page - run.first_page + 1):
            numbered[str(run.first_number + step)].append(run.first_page + step)
    if numbered:
        return [_meant(entry, numbered, runs, letters, len(page_df)) for entry in printed]
    offsets: Counter[int] = Counter()
    for entry in printed:
        wanted = letters_of(entry.title)
        if entry.label.isdigit() and len(wanted) > 3:
            near = range(max(1, int(entry.label) - 2), int(entry.label) + 30)
            offsets.update(page - int(entry.label) for page in near if wanted in letters.get(page, ""))
    offset = offsets.most_common(1)[0][0] if offsets else 0
    last = len(page_df)
    pages = [int(entry.label) + offset if entry.label.isdigit() else 0 for entry in printed]
    return [page if 1 <= page <= last else 0 for page in pages]


def _meant(
    entry: Printed, numbered: dict[str, list[int]], runs: list[Run], letters: dict[int, str], last: int
) -> int:
    """The page with this number and title, else the first with this number, else where it would be in the run."""
    pages = list(numbered.get(entry.label.lower(), []))
    if not pages and runs and entry.label.isdigit():
        number = int(entry.label)
        near = min(runs, key=lambda run: min(abs(number - run.first_number), abs(number - run.last_number)))
        pages = [near.first_page + number - near.first_number]
    with_title = (page for page in pages if _stands_on(entry.title, letters.get(page, "")))
    page = next(with_title, pages[0] if pages else 0)
    return page if 1 <= page <= last else 0


def _levels(printed: list[Printed]) -> list[int]:
    """Levels by section number where there is one, else by indent."""
    indents = sorted({round(entry.indent / 6) for entry in printed})
    rank = {indent: position for position, indent in enumerate(indents, 1)}
    levels = []
    for entry in printed:
        number = _NUMBERED.match(entry.title)
        levels.append(number[1].count(".") + 1 if number else min(rank[round(entry.indent / 6)], 4))
    return levels
