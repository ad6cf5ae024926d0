"""Findings in, hit_df and ledger_df out: the report of a sweep, and all its counts.

Boxes of hits are estimated from usual widths of letters: no table of lines keeps the places of glyphs. The widths are
those of common fonts for running text (half way between Helvetica and Times, in 1/20 of the font size); of a monospaced
line, and of one in another script, each letter gets its share.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd
import regex

from docaudit.codes import PAGE_SOURCES, POSSIBLE_KINDS, BBox, Direction, LedgerState, TextSource, Visibility
from docaudit.search.lines import PageLines, encodable
from docaudit.search.matching import LocatedMatch
from docaudit.search.patterns import Pattern
from docaudit.search.search_text import Part
from docaudit.tables import HIT_DF, LEDGER_DF
from docaudit.text.words import SNIPPET_CHARS, window

_CLASSES = {
    4: "'", 5: "ijl,.| ", 6: "ftI!/:;[\\]’‘", 7: "r()-`", 8: '"{}“”', 9: "cszJ*^", 10: "aekvxy?",
    11: "0123456789bdghnopqu#$+<=>_~–•", 12: "FLPSTZ", 13: "BE", 14: "wACDHKNRUVXY&", 15: "GOQ", 16: "m", 17: "M%",
    19: "W@", 20: "—…",
}  # fmt: skip
_BY_LETTER = {letter: width for width, letters in _CLASSES.items() for letter in letters}
_SQUARE, _USUAL = 20, 11
_WIDE = frozenset("WF")
_FILLING = re.compile(r"(?:[.·_] ?){4,}| {3,}")
_PITCH = (0.594, 0.606)
"""Width of a letter of Courier and its like as a share of the font size."""


class _Widths(dict[str, int]):
    """Widths by letter; one that is not there is worked out once: this is asked for every letter of every line."""

    def __missing__(self, letter: str) -> int:
        if unicodedata.combining(letter):
            width = 0
        elif unicodedata.east_asian_width(letter) in _WIDE:
            width = _SQUARE
        else:  # an accent makes no letter wider
            width = _BY_LETTER.get(unicodedata.normalize("NFKD", letter)[0], _USUAL)
        self[letter] = width
        return width


_WIDTHS = _Widths(_BY_LETTER)


def share(text: str, first: int, last: int, width: float, size: float) -> tuple[float, float]:
    """Begin and end of letters first to last - 1, as shares of the line's length (`width`, and font size, in points).

    >>> share("iiWW", 2, 4, 10.0, 10.0), share("iiWW", 2, 4, 24.0, 10.0)
    ((0.208..., 1.0), (0.5, 1.0))
    """
    count = max(len(text), 1)
    if _PITCH[0] * size * count <= width <= _PITCH[1] * size * count:
        return first / count, last / count
    before = _widths_before(text, width, size)
    whole = before[-1] or 1
    return before[first] / whole, before[last] / whole


@lru_cache(maxsize=1000)
def _widths_before(text: str, width: float, size: float) -> Sequence[float]:
    """The width of the line before each letter, and before its end."""
    widths: list[float] = [*map(_WIDTHS.__getitem__, text)]
    filling = [place for run in _FILLING.finditer(text) for place in range(*run.span())]
    if filling and width > 0 and size > 0:
        # Leaders and gaps take what the text leaves them: how wide they are says no font.
        rest = sum(widths) - sum(widths[place] for place in filling)
        room = max(width / size * _SQUARE - rest, len(filling)) / len(filling)
        for place in filling:
            widths[place] = room
    return tuple(accumulate(widths, initial=0.0))


_NEGATION_BEFORE = regex.compile(
    r"(?:\b(?:no|not|never|without|nor|neither|none|cannot|lacks?|absence of|free of|excluding|except)\b"
    r"|n['\u2019]t\b)"
    r"(?:[^\p{L}\p{N}.!?;]+[\p{L}\p{N}'\u2019\-]+){0,4}[^\p{L}\p{N}.!?;]*$",
    regex.IGNORECASE,
)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]")
_CUE = re.compile(r"(?i)n[o'\u2019e]|without|lack|absence|free|exc")
_NEGATION_AFTER = regex.compile(
    r"^[^。！？\n]{0,25}?(?:ない|なく|なかった|ません|ず(?=[、。に])|ぬ(?=[、。])|なし|無し|無い)"
)
_JAPANESE = regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Han}]")


_ALONG_Y = (Direction.VERTICAL, Direction.ROTATED_RIGHT, Direction.ROTATED_LEFT)


def box_of(lines: PageLines, row: int, first: int, last: int) -> BBox:
    """Box of characters first to last - 1 of a line, by the usual widths of letters; NaN if the line has no box."""
    x0, y0, x1, y1 = lines.boxes[row]
    direction = lines.direction[row]
    length = y1 - y0 if direction in _ALONG_Y else x1 - x0
    begin, end = share(lines.text[row], first, last, length, lines.sizes[row])
    if direction in (Direction.VERTICAL, Direction.ROTATED_RIGHT):
        return (x0, y0 + (y1 - y0) * begin, x1, y0 + (y1 - y0) * end)
    if direction == Direction.ROTATED_LEFT:
        return (x0, y1 - (y1 - y0) * end, x1, y1 - (y1 - y0) * begin)
    if direction == Direction.UPSIDE_DOWN or (
        direction == Direction.HORIZONTAL and _runs_left(lines.text[row])
    ):
        return (x1 - (x1 - x0) * end, y0, x1 - (x1 - x0) * begin, y1)
    if direction == Direction.SLANTED:
        return (x0, y0, x1, y1)
    return (x0 + (x1 - x0) * begin, y0, x0 + (x1 - x0) * end, y1)


@lru_cache(maxsize=1000)
def _runs_left(text: str) -> bool:
    return not text.isascii() and len(_RTL.findall(text)) * 2 > len(text)


def snippet_of(lines: PageLines, parts: Sequence[Part]) -> str:
    """Verbatim text around a finding: a window of each of its lines, about SNIPPET_CHARS in all."""
    size = SNIPPET_CHARS // len(parts)
    return "\n".join([window(lines.text[row], first, last, size) for row, first, last in parts])


def is_negated(lines: PageLines, parts: Sequence[Part]) -> bool:
    """Whether a cue of negation stands close: in English before, within five words; in Japanese after."""
    row, first, _ = parts[0]
    goes_back = first < 40 and row > 0 and lines.sheet[row - 1] == lines.sheet[row]
    if _has_cue(lines.text[row]) or (goes_back and _has_cue(lines.text[row - 1])):
        before = lines.text[row][max(first - 80, 0) : first]
        if goes_back:
            before = lines.text[row - 1][-80:] + " " + before
        if _NEGATION_BEFORE.search(before):
            return True
    end_row, _, last = parts[-1]
    if lines.text[end_row].isascii():
        return False
    after = lines.text[end_row][last : last + 30]
    if len(after) < 30 and end_row + 1 < len(lines) and lines.sheet[end_row + 1] == lines.sheet[end_row]:
        after += lines.text[end_row + 1][:30]
    return bool(_JAPANESE.search(after) and _NEGATION_AFTER.search(after))


@lru_cache(maxsize=50_000)
def _has_cue(text: str) -> bool:
    """Whether a line may hold an English cue of negation; asked once for each line, however many hits it has."""
    return _CUE.search(text) is not None


_TRUST = {TextSource.TEXT_LAYER: 0, TextSource.SECOND_READER: 1, TextSource.OCR: 2}


def without_echoes(lines: PageLines, findings: Sequence[LocatedMatch]) -> list[LocatedMatch]:
    """Findings without those of a second reader or OCR that show the same place as one of a better source, and
    without those of an earlier revision on a line that stands on the page to this day.
    """
    kept = []
    for finding in findings:
        row = finding.parts[0][0]
        old = lines.source[row] == TextSource.EARLIER_REVISION and len(finding.parts) == 1
        if not old or lines.visibility[row] == Visibility.REPLACED:
            kept.append(finding)
    trust = [_TRUST.get(TextSource(lines.source[finding.parts[0][0]]), -1) for finding in kept]
    if max(trust, default=0) <= 0:
        return kept
    dropped: set[int] = set()
    by_page: dict[tuple[int, int], list[tuple[int, BBox]]] = defaultdict(list)
    for number in sorted(range(len(kept)), key=trust.__getitem__):
        if trust[number] < 0:
            continue
        finding = kept[number]
        x0, y0, x1, y1 = box = box_of(lines, *finding.parts[0])
        on_page = by_page[(finding.pattern, lines.page[finding.parts[0][0]])]
        if any(
            rank < trust[number] and min(right, x1) > max(left, x0) and min(bottom, y1) > max(top, y0)
            for rank, (left, top, right, bottom) in on_page
        ):
            dropped.add(number)
        else:
            on_page.append((trust[number], box))
    return [finding for number, finding in enumerate(kept) if number not in dropped]


def hit_table(
    lines: PageLines,
    patterns: Sequence[Pattern],
    findings: Sequence[LocatedMatch],
    nested: Sequence[bool],
    toc_df: pd.DataFrame | None,
) -> pd.DataFrame:
    """hit_df of the findings, in their order; made column by column, as there may be very many."""
    firsts = [finding.parts[0] for finding in findings]
    lasts = [finding.parts[-1] for finding in findings]
    rows = [part[0] for part in firsts]
    ends = [part[0] for part in lasts]
    boxes = [box_of(lines, *part) for part in firsts]
    sections = [""] * len(rows)
    if toc_df is not None and len(toc_df):  # the title of the last contents entry at or before the page
        entries = toc_df[toc_df["page_num"] > 0].sort_values("page_num", kind="stable")
        starts = entries["page_num"].to_numpy(dtype=np.int64)
        titles = ["", *entries["title"].astype(str).tolist()]
        pages = np.array([0 if lines.part[row] else lines.page[row] for row in rows], dtype=np.int64)
        sections = [titles[place] for place in starts.searchsorted(pages, side="right").tolist()]
    data: dict[str, list[Any]] = {
        "concept": [encodable(patterns[finding.pattern].variant.concept) for finding in findings],
        "variant": [encodable(patterns[finding.pattern].variant.text) for finding in findings],
        "match_text": [
            "\n".join([lines.text[row][first:last] for row, first, last in finding.parts])
            for finding in findings
        ],
        "match_kind": [finding.kind.value for finding in findings],
        "page_num": [lines.page[row] for row in rows],
        "line_num": [lines.number[row] for row in rows],
        "char_start": [part[1] for part in firsts],
        "page_end": [lines.page[row] for row in ends],
        "line_end": [lines.number[row] for row in ends],
        "char_end": [part[2] for part in lasts],
        **{name: [box[side] for box in boxes] for side, name in enumerate(("x0", "y0", "x1", "y1"))},
        "snippet": [snippet_of(lines, finding.parts) for finding in findings],
        "source": [lines.source[row] for row in rows],
        "visibility": [lines.visibility[row] for row in rows],
        "part": [lines.part[row] for row in rows],
        "part_page": [lines.part_page[row] for row in rows],
        "section": sections,
        "negated": [is_negated(lines, finding.parts) for finding in findings],
        "nested": list(nested),
    }
    return pd.DataFrame(
        {field.name: pd.Series(data[field.name], dtype=field.dtype) for field in HIT_DF.fields}
    )


def ledger_table(
    lines: PageLines,
    patterns: Sequence[Pattern],
    findings: Sequence[LocatedMatch],
    nested: Sequence[bool],
    failed: Mapping[int, tuple[LedgerState, str]],
    pages_total: int,
) -> pd.DataFrame:
    """ledger_df: one row for each pattern, also for those without a hit.

    Args:
        lines: The document.
        patterns: One for each active variant.
        findings: Findings of all patterns.
        nested: For each finding whether it lies in a longer one of the same concept.
        failed: State and detail of each pattern, by number, that was not simply searched.
        pages_total: Pages of the document, with or without text.
    """
    on_pages = zip(lines.page, lines.source, strict=True)
    searched = len({page for page, source in on_pages if page > 0 and source in PAGE_SOURCES})
    hits: Counter[int] = Counter()
    unique: Counter[int] = Counter()
    pages: dict[int, set[int]] = defaultdict(set)
    for finding, inside in zip(findings, nested, strict=True):
        if finding.kind not in POSSIBLE_KINDS:
            hits[finding.pattern] += 1
            unique[finding.pattern] += not inside
            pages[finding.pattern].add(lines.page[finding.parts[0][0]])
    rows = []
    for number, pattern in enumerate(patterns):
        state, detail = failed.get(number, (LedgerState.SEARCHED, ""))
        rows.append(
            {
                "concept": encodable(pattern.variant.concept),
                "variant": encodable(pattern.variant.text),
                "pattern": encodable(pattern.shown),
                "state": state.value,
                "pages_searched": searched,
                "pages_not_searchable": max(pages_total - searched, 0),
                "hits": hits[number],
                "pages_with_hits": len(pages.get(number, ())),
                "unique_hits": unique[number],
                "detail": detail,
            }
        )
    return LEDGER_DF.build(rows)
