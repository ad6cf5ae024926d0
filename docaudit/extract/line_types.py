"""What each line is on its page: heading, body, caption, header, footer, footnote, list or table.

The rules are plain and stand in this order; the first that fits decides:

1. header, footer: in the top or bottom margin of the page, and the same words (numbers apart) stand there on
   another page too, or the line is only a page number;
2. caption: begins with the name and number of a figure, table or box ("Figure 3.D", "表１"), and opens its block;
3. table: at least three lines, or a text and a number to its right, side by side on one baseline;
4. list: begins with a bullet, a dash, or a number or letter in brackets;
5. footnote: smaller than the body, in the lower part of the page, in a block that begins with a note mark;
6. heading: larger than the body, or bold, or numbered as a section, and short;
7. body: everything else.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import pandas as pd

from docaudit.location import PAGE_SOURCES, Direction, LineType

CAPTION = re.compile(
    r"^\s*(?:(?:FIGURE|Figure|FIG|Fig|TABLE|Table|BOX|Box|CHART|Chart|MAP|Map|EXHIBIT|Exhibit|Abbildung|Tabelle)"
    r"\.?\s+(?:[A-Z]\.?)?\d+(?:[.\-–]\d+)*(?:\.?[A-Za-z])?\s*(?:[.:|–—-]|$|(?=\s*[A-Z\d(“\"']))"
    r"|(?:図表?|表|写真|Ｆｉｇ)\s*[\d０-９]+(?:[.．\-－][\d０-９]+)*"
    r"(?:\s*[:：.．　]|\s+|$|(?=[^\s\d、。にのはがをとで及並やもへよか])))"
)
_LIST = re.compile(
    r"^\s*(?:[•●○◦▪■□–—‣∙·・※◆◇▶➢✓*\-]\s+|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\)\s+|[・●■◆※]|（\d{1,2}）|[①-⑳])"
)
_NOTE_MARK = re.compile(r"^\s*(?:\d{1,3}|[*†‡§¹²³⁴-⁹]+|\(\d{1,2}\)|注\d*|※)")
_PAGE_NUMBER = re.compile(
    r"^[\s\-–—|]*(?:page|p\.)?\s*(?:[A-Z]{0,3}-?\d{1,5}|[ivxlc]{1,7})(?:\s*(?:of|/)\s*\d+)?[\s\-–—|]*$", re.I
)
_SECTION = re.compile(
    r"^\s*(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[IVX]{1,5}\.|第[\d０-９一二三四五六七八九十百]+[章節条編])\s*\S"
)
_NUMERIC = re.compile(r"^[\s$€£¥(+\-–—]*[\d.,%()\s–—-]+[)%]*\s*$")
_DIGITS = re.compile(r"[\d０-９]+|\b[ivxlc]+\b")
_MARGIN = 0.1
_LONG = 140


class _Line(NamedTuple):
    """One line as the rules see it, with its position in the table."""

    row: int
    page: int
    text: str
    block: int
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    horizontal: bool


def mark_line_types(line_df: pd.DataFrame, page_df: pd.DataFrame) -> pd.DataFrame:
    """The table with column line_type filled for lines of the page itself; marginalia stay body."""
    heights = dict(zip(page_df["page_num"], page_df["height_pt"], strict=True))
    lines = _page_lines(line_df)
    body = _body_size(lines)
    by_page: dict[int, list[_Line]] = defaultdict(list)
    for line in lines:
        by_page[line.page].append(line)
    repeated = _repeated(by_page, heights)
    types: list[Any] = line_df["line_type"].tolist()
    for page, listed in by_page.items():
        rows = _table_rows(listed)
        notes = _note_blocks(listed, body, heights[page])
        firsts = _first_of_blocks(listed)
        for line in listed:
            types[line.row] = _type(line, body, heights[page], repeated, rows, notes, firsts).value
    return line_df.assign(line_type=pd.Series(types, index=line_df.index, dtype="str"))


def _page_lines(line_df: pd.DataFrame) -> list[_Line]:
    sources = {source.value for source in PAGE_SOURCES}
    wanted = [
        "page_num",
        "text",
        "block_num",
        "x0",
        "y0",
        "x1",
        "y1",
        "font_size",
        "bold",
        "direction",
        "source",
    ]
    rows = zip(*(line_df[name].tolist() for name in wanted), strict=True)
    return [
        _Line._make((index, *row[:9], row[9] == Direction.HORIZONTAL.value))
        for index, row in enumerate(rows)
        if row[10] in sources and row[3] == row[3]
    ]


def _body_size(lines: list[_Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        if line.size == line.size:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _margin_key(line: _Line, height: float) -> tuple[str, str] | None:
    """What must repeat for a running header or footer: its words without numbers, and the margin."""
    where = "top" if line.y1 <= height * _MARGIN else "bottom" if line.y0 >= height * (1 - _MARGIN) else ""
    return (where, _DIGITS.sub("#", line.text.strip().lower())) if where else None


def _repeated(by_page: dict[int, list[_Line]], heights: dict[int, float]) -> set[tuple[str, str]]:
    pages: dict[tuple[str, str], set[int]] = defaultdict(set)
    for page, lines in by_page.items():
        for line in lines:
            key = _margin_key(line, heights[page])
            if key is not None:
                pages[key].add(page)
    return {key for key, found in pages.items() if len(found) > 1}


def _table_rows(lines: list[_Line]) -> set[int]:
    """Rows of the table whose line stands beside others on one baseline, as cells do."""
    found: set[int] = set()
    ordered = sorted((line for line in lines if line.horizontal), key=lambda line: line.y0 + line.y1)
    group: list[_Line] = []
    for line in [*ordered, None]:
        if line is not None and group and _same_row(group[-1], line):
            group.append(line)
            continue
        last = max(group, key=lambda member: member.x0, default=None)
        if len(group) >= 3 or (len(group) == 2 and last is not None and _NUMERIC.match(last.text)):
            found |= {member.row for member in group}
        group = [] if line is None else [line]
    return found


def _same_row(one: _Line, other: _Line) -> bool:
    middle = (other.y0 + other.y1) / 2
    return one.y0 + 1 < middle < one.y1 - 1 and (other.x0 >= one.x1 - 1 or other.x1 <= one.x0 + 1)


def _note_blocks(lines: list[_Line], body: float, height: float) -> set[int]:
    """Blocks of small type in the lower part of the page, from the first that begins with a note mark."""
    blocks: dict[int, list[_Line]] = defaultdict(list)
    for line in lines:
        blocks[line.block].append(line)
    started = False
    found = set()
    for block, members in sorted(blocks.items(), key=lambda item: item[1][0].y0):
        small = max(member.size for member in members) <= body * 0.92
        low = members[0].y0 > height * 0.5
        started = small and low and (started or bool(_NOTE_MARK.match(members[0].text)))
        if started:
            found.add(block)
    return found


def _first_of_blocks(lines: list[_Line]) -> set[int]:
    firsts: dict[int, int] = {}
    for line in lines:
        firsts.setdefault(line.block, line.row)
    return set(firsts.values())


def _type(
    line: _Line,
    body: float,
    height: float,
    repeated: set[tuple[str, str]],
    rows: set[int],
    notes: set[int],
    firsts: set[int],
) -> LineType:
    key = _margin_key(line, height)
    if key is not None and (key in repeated or _PAGE_NUMBER.match(line.text)):
        return LineType.HEADER if key[0] == "top" else LineType.FOOTER
    if (line.row in firsts or line.bold) and CAPTION.match(line.text):
        return LineType.CAPTION
    if line.row in rows:
        return LineType.TABLE
    if _LIST.match(line.text):
        return LineType.LIST
    if line.block in notes:
        return LineType.FOOTNOTE
    short = len(line.text) <= _LONG
    if short and (line.size >= body * 1.15 or _is_marked_heading(line, firsts)):
        return LineType.HEADING
    return LineType.BODY


def _is_marked_heading(line: _Line, firsts: set[int]) -> bool:
    ends_sentence = line.text.rstrip().endswith((".", "。", ",", "、", ";"))
    if line.row not in firsts or ends_sentence:
        return False
    return line.bold or (bool(_SECTION.match(line.text)) and line.text[:1] == "第")
