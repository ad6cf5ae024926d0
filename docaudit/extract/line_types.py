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

The numbers were set on the reports that the tests are made after; none was measured on many documents.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from docaudit.codes import PAGE_SOURCES, Direction, LineType
from docaudit.tables import Line, lines_of

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
_ARTICLE = re.compile(r"^第[\d０-９一二三四五六七八九十百]+[章節条編]\s*\S")
_NUMERIC = re.compile(r"^[\s$€£¥(+\-–—]*[\d.,%()\s–—-]+[)%]*\s*$")
_DIGITS = re.compile(r"[\d０-９]+|\b[ivxlc]+\b")
_MARGIN = 0.1
"""Share of the page's height that is its top or bottom margin."""
_LONG = 140
"""Characters from which a line is no heading."""
_SMALL, _LARGE = 0.92, 1.15
"""Size of footnotes at most, and of headings at least, as a multiple of the size of the body."""

MarginKey = tuple[LineType, str]
"""What must repeat for a running header or footer: the margin, and the words without numbers."""


def mark_line_types(line_df: pd.DataFrame, page_df: pd.DataFrame) -> pd.DataFrame:
    """The table with column line_type filled for lines of the page itself; marginalia stay body."""
    heights = dict(zip(page_df["page_num"], page_df["height_pt"], strict=True))
    pages: dict[int, list[tuple[int, Line]]] = defaultdict(list)
    sizes: Counter[float] = Counter()
    margins: dict[MarginKey, set[int]] = defaultdict(set)
    for row, line in enumerate(lines_of(line_df)):
        if line.source not in PAGE_SOURCES or line.x0 != line.x0:
            continue
        pages[line.page_num].append((row, line))
        if line.font_size == line.font_size:
            sizes[round(line.font_size * 2) / 2] += len(line.text)
        key = _margin_key(line, heights[line.page_num])
        if key is not None:
            margins[key].add(line.page_num)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    repeated = {key for key, on_pages in margins.items() if len(on_pages) > 1}
    types: list[Any] = line_df["line_type"].tolist()
    for page_num, numbered in pages.items():
        page = _Page([line for _, line in numbered], heights[page_num], body, repeated)
        for row, line in numbered:
            types[row] = page.type_of(line)
    return line_df.assign(line_type=pd.Series(types, index=line_df.index, dtype="str"))


def _margin_key(line: Line, height: float) -> MarginKey | None:
    if line.y1 <= height * _MARGIN:
        margin = LineType.HEADER
    elif line.y0 >= height * (1 - _MARGIN):
        margin = LineType.FOOTER
    else:
        return None
    return margin, _DIGITS.sub("#", line.text.strip().lower())


@dataclass
class _Page:
    """The lines of one page, and what tells their types: its height, the size of the body, running headers."""

    lines: Sequence[Line]
    height: float
    body: float
    repeated: set[MarginKey]

    def __post_init__(self) -> None:
        self._cells = _table_cells(self.lines)
        self._notes = self._note_blocks()
        firsts: dict[int, int] = {}
        for line in self.lines:
            firsts.setdefault(line.block_num, line.line_num)
        self._firsts = frozenset(firsts.values())

    def type_of(self, line: Line) -> LineType:
        """The first rule that fits."""
        text, first = line.text, line.line_num in self._firsts
        key = _margin_key(line, self.height)
        if key is not None and (key in self.repeated or _PAGE_NUMBER.match(text)):
            return key[0]
        if (first or line.bold) and CAPTION.match(text):
            return LineType.CAPTION
        if line.line_num in self._cells:
            return LineType.TABLE
        if _LIST.match(text):
            return LineType.LIST
        if line.block_num in self._notes:
            return LineType.FOOTNOTE
        if len(text) <= _LONG:
            ends_sentence = text.rstrip().endswith((".", "。", ",", "、", ";"))
            marked = first and not ends_sentence and (line.bold or _ARTICLE.match(text))
            if marked or line.font_size >= self.body * _LARGE:
                return LineType.HEADING
        return LineType.BODY

    def _note_blocks(self) -> set[int]:
        """Blocks of small type in the lower part of the page, from the first that begins with a note mark."""
        blocks: dict[int, list[Line]] = defaultdict(list)
        for line in self.lines:
            blocks[line.block_num].append(line)
        started = False
        notes = set()
        for block, members in sorted(blocks.items(), key=lambda item: item[1][0].y0):
            small = max(member.font_size for member in members) <= self.body * _SMALL
            low = members[0].y0 > self.height * 0.5
            started = small and low and (started or bool(_NOTE_MARK.match(members[0].text)))
            if started:
                notes.add(block)
        return notes


def _table_cells(lines: Sequence[Line]) -> set[int]:
    """Numbers of the lines that stand beside others on one baseline, as cells do."""
    level = (line for line in lines if line.direction == Direction.HORIZONTAL)
    cells: set[int] = set()
    group: list[Line] = []
    for line in [*sorted(level, key=lambda line: line.y0 + line.y1), None]:
        if line is not None and group:
            before, middle = group[-1], (line.y0 + line.y1) / 2
            beside = line.x0 >= before.x1 - 1 or line.x1 <= before.x0 + 1
            if beside and before.y0 + 1 < middle < before.y1 - 1:
                group.append(line)
                continue
        if len(group) >= 3 or (len(group) == 2 and _NUMERIC.match(max(group, key=lambda cell: cell.x0).text)):
            cells |= {cell.line_num for cell in group}
        group = [] if line is None else [line]
    return cells
