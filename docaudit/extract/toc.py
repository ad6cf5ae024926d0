"""toc_df: the outline of the file and the contents printed on its pages, each entry checked against its page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import NamedTuple

import pandas as pd

from docaudit.extract.facts import OutlineFact
from docaudit.extract.letters import letters_of
from docaudit.frames import TOC_DF
from docaudit.location import PAGE_SOURCES

_HEADING = re.compile(r"^\s*(?:table\s+of\s+contents|contents|index|目\s*次|inhalt(?:sverzeichnis)?|índice|obsah|содержание|目录|目錄)\s*$", re.I)
_ENTRY = re.compile(r"^(?P<title>.*?\S)(?:[\s.·…‥・⋯_]{3,}|\s{2,}|[.…]\s*|\t)(?P<page>\d{1,4}|[ivxlc]{1,7})\s*$", re.I)
_PAGE = re.compile(r"^[\s.·…‥・_]*(?P<page>\d{1,4}|[ivxlc]{1,7})\s*$", re.I)
_LEADER = re.compile(r"[\s.·…‥・⋯_]+$")
_NUMBERED = re.compile(r"^\s*(\d+(?:\.\d+)*)")
_FRONT = 0.15
_MIN_ENTRIES = 3


class _Row(NamedTuple):
    """One visual row of a page: its text and where it begins."""

    page: int
    text: str
    x0: float


class Printed(NamedTuple):
    """One entry of the printed contents: title, page as printed, indent."""

    title: str
    label: str
    indent: float


def toc_table(outline: list[OutlineFact], line_df: pd.DataFrame, page_df: pd.DataFrame) -> pd.DataFrame:
    """TOC_DF: entries of the outline, then those of the printed contents."""
    letters = _letters_by_page(line_df)
    rows: list[dict[str, object]] = []
    parents: dict[int, int] = {}
    for number, entry in enumerate(outline, 1):
        parents[entry.level] = number
        rows.append(_row(number, entry.level, parents.get(entry.level - 1, 0), entry.title, entry.page_num, "outline"))
    printed = printed_contents(line_df, len(page_df))
    physical = _physical_pages(printed, page_df, letters)
    levels = _levels(printed)
    parents = {}
    for offset, (entry, level, page) in enumerate(zip(printed, levels, physical, strict=True), 1):
        number = len(outline) + offset
        parents[level] = number
        rows.append(_row(number, level, parents.get(level - 1, 0), entry.title, page, "printed"))
    for row in rows:
        wanted = letters_of(str(row["title"]))
        row["found_on_page"] = bool(wanted) and wanted in letters.get(int(str(row["page_num"])), "")
    return TOC_DF.build(rows)


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
    going = False
    for page in sorted(rows):
        starts = any(_HEADING.match(row.text) for row in rows[page])
        if not (starts or going):
            continue
        found = _entries(rows[page])
        going = len(found) >= _MIN_ENTRIES and _ascending(found)
        if going or starts:
            entries += found
    return entries if len(entries) >= _MIN_ENTRIES else []


def _entries(rows: list[_Row]) -> list[Printed]:
    """Rows that end in a page number; a title that goes on in a second row is joined to it."""
    found: list[Printed] = []
    carried = ""
    for row in rows:
        match = _ENTRY.match(row.text)
        if match is None:
            alone = _PAGE.match(row.text)
            if alone is not None and carried and not _HEADING.match(carried):
                found.append(Printed(_LEADER.sub("", carried), alone["page"], row.x0))
                carried = ""
            else:
                carried = row.text.strip()
            continue
        found.append(Printed(_LEADER.sub("", match["title"]).strip(), match["page"], row.x0))
        carried = ""
    return [entry for entry in found if letters_of(entry.title)]


def _ascending(entries: list[Printed]) -> bool:
    """Page numbers of a contents page hardly ever go down; the numbers of a table do."""
    numbers = [int(entry.label) for entry in entries if entry.label.isdigit()]
    steps = [later >= earlier for earlier, later in zip(numbers, numbers[1:], strict=False)]
    return not steps or sum(steps) >= 0.8 * len(steps)


def _visual_rows(line_df: pd.DataFrame, front: int) -> dict[int, list[_Row]]:
    """The lines of the front pages, joined where they stand on one baseline."""
    sources = {source.value for source in PAGE_SOURCES}
    head = line_df[(line_df["page_num"] <= front) & line_df["source"].isin(sources) & line_df["y0"].notna()]
    rows: dict[int, list[_Row]] = defaultdict(list)
    for page, lines in head.groupby("page_num"):
        ordered = sorted(
            zip(lines["y0"], lines["y1"], lines["x0"], lines["text"], strict=True), key=lambda line: line[0] + line[1]
        )
        group: list[tuple[float, float, float, str]] = []
        for line in ordered:
            if group and (line[0] + line[1]) / 2 > group[0][1]:
                rows[int(str(page))].append(_joined(int(str(page)), group))
                group = []
            group.append(line)
        if group:
            rows[int(str(page))].append(_joined(int(str(page)), group))
    return rows


def _joined(page: int, group: list[tuple[float, float, float, str]]) -> _Row:
    ordered = sorted(group, key=lambda line: line[2])
    return _Row(page, "   ".join(line[3].strip() for line in ordered), ordered[0][2])


def _physical_pages(printed: list[Printed], page_df: pd.DataFrame, letters: dict[int, str]) -> list[int]:
    """Physical pages of printed page numbers: by the page labels, else by the offset that finds most titles."""
    labels: dict[str, int] = {}
    for page, label in zip(page_df["page_num"], page_df["page_label"], strict=True):
        if label:
            labels.setdefault(str(label).lower(), int(page))
    if labels:
        return [labels.get(entry.label.lower(), 0) for entry in printed]
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


def _levels(printed: list[Printed]) -> list[int]:
    """Levels by section number where there is one, else by indent."""
    indents = sorted({round(entry.indent / 6) for entry in printed})
    rank = {indent: position for position, indent in enumerate(indents, 1)}
    levels = []
    for entry in printed:
        number = _NUMBERED.match(entry.title)
        levels.append(number[1].count(".") + 1 if number else min(rank[round(entry.indent / 6)], 4))
    return levels
