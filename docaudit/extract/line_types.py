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

From what the child process reported to the first tables: page_df, line_df, image_df and the raw blind spots.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import pandas as pd

from docaudit.codes import DOCUMENT_PAGE, PAGE_SOURCES, Direction, LineType
from docaudit.extract.protocol import Box, DocumentFact, LineFact, PageFact, SpotFact
from docaudit.tables import BLIND_SPOT_DF, IMAGE_DF, LINE_DF, PAGE_DF

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


_SCRIPTS = {
    "LATIN": "latin",
    "CJK": "cjk",
    "HIRAGANA": "cjk",
    "KATAKANA": "cjk",
    "HANGUL": "cjk",
    "CYRILLIC": "cyrillic",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "HEBREW": "hebrew",
}
_SAMPLE = 400
_PAGES_AT_ONCE = 500
"""Rows of so many pages become a table at a time: as rows they take many times the room."""


def page_table(pages: list[PageFact]) -> pd.DataFrame:
    """PAGE_DF: one row for each page, whatever became of it."""
    nan = math.nan
    return PAGE_DF.build(
        {
            "page_num": page.page_num,
            "page_label": page.label,
            "width_pt": page.width,
            "height_pt": page.height,
            "rotation": page.rotation,
            "state": page.state,
            "n_lines": len(page.lines),
            "n_chars": sum(len(line.text) - line.text.count(" ") for line in page.lines),
            "n_images": len(page.images),
            "ink_total": nan if page.ink_total is None else page.ink_total,
            "ink_read": nan if page.ink_read is None else page.ink_read,
            "ink_unread": nan if page.ink_unread is None else page.ink_unread,
            "script": script_of("".join(line.text for line in page.lines[:20])),
            "warnings": page.warnings,
            "words_first_only": nan if page.words_first_only is None else page.words_first_only,
            "words_second_only": nan if page.words_second_only is None else page.words_second_only,
        }
        for page in pages
    )


def line_table(document: DocumentFact, pages: list[PageFact]) -> pd.DataFrame:
    """LINE_DF with every line still of type body: lines of the document first (page 0), then page after page."""
    beside: dict[int, list[LineFact]] = defaultdict(list)
    for page_num, line in document.lines:
        beside[page_num].append(line)
    parts = [LINE_DF.build(_lines(DOCUMENT_PAGE, beside[DOCUMENT_PAGE]))]
    for some in (pages[at : at + _PAGES_AT_ONCE] for at in range(0, len(pages), _PAGES_AT_ONCE)):
        parts.append(
            LINE_DF.build(
                row for page in some for row in _lines(page.page_num, page.lines + beside[page.page_num])
            )
        )
    return pd.concat(parts, ignore_index=True)


def image_table(pages: list[PageFact]) -> pd.DataFrame:
    """IMAGE_DF of all pages."""
    return IMAGE_DF.build(
        {
            "page_num": page.page_num,
            "image_num": number,
            **_sides(image.box),
            "width_px": image.width_px,
            "height_px": image.height_px,
            "image_hash": image.image_hash,
            "area_share": image.area_share,
            "ocr_state": image.ocr_state,
            "ocr_text": image.ocr_text,
            "ocr_confidence": math.nan if image.ocr_confidence is None else image.ocr_confidence,
        }
        for page in pages
        for number, image in enumerate(page.images, 1)
    )


def spot_table(document: DocumentFact, pages: list[PageFact]) -> pd.DataFrame:
    """BLIND_SPOT_DF: those of the document first, then page after page."""
    found = list(document.spots)
    found += [(page.page_num, spot) for page in pages for spot in page.spots]
    return BLIND_SPOT_DF.build(_spot(page_num, spot) for page_num, spot in found)


def script_of(text: str) -> str:
    """The script of most letters of a text; "none" without any."""
    scripts: Counter[str] = Counter()
    for letter, count in Counter(islice(filter(str.isalpha, text), _SAMPLE)).items():
        scripts[_script_of_letter(letter)] += count
    return scripts.most_common(1)[0][0] if scripts else "none"


@cache
def _script_of_letter(letter: str) -> str:
    return _SCRIPTS.get(unicodedata.name(letter, "OTHER").split()[0].split("-")[0], "other")


def _lines(page_num: int, lines: list[LineFact]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        yield {
            "page_num": page_num,
            "line_num": number,
            "text": line.text,
            "line_type": LineType.BODY.value,
            "block_num": line.block,
            **_sides(line.box),
            "source": line.source,
            "visibility": line.visibility,
            "part": line.part,
            "part_page": line.part_page,
            "direction": line.direction,
            "font_size": line.size or math.nan,
            "bold": line.bold,
            "confidence": line.confidence,
        }


def _spot(page_num: int, spot: SpotFact) -> dict[str, Any]:
    return {
        "page_num": page_num,
        **_sides(spot.box),
        "kind": spot.kind,
        "area_share": math.nan if spot.area_share is None else spot.area_share,
        "text_likely": spot.text_likely,
        "detail": spot.detail,
    }


def _sides(box: Box | None) -> dict[str, float]:
    return dict(zip(("x0", "y0", "x1", "y1"), box or (math.nan,) * 4, strict=True))
