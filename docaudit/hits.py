"""Matches -> rows of hit_df: verbatim text, place, box, how the match was reached, and what marks it (negated, nested).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import regex

from docaudit.flows import FlowKind
from docaudit.gaps import Gap
from docaudit.location import BBox, Direction, LineType, MatchKind, TextSource
from docaudit.matching import Corpus, Match, gaps_of
from docaudit.pagelines import PageLines
from docaudit.patterns import Pattern

SNIPPET_CHARS = 160
RANK = {kind: rank for rank, kind in enumerate(MatchKind)}
"""Kinds of match from the plainest to the least plain."""

_NEGATION_BEFORE = regex.compile(
    r"(?:\b(?:no|not|never|without|nor|neither|none|cannot|lacks?|absence of|free of|excluding|except)\b|n['\u2019]t\b)"
    r"(?:[^\p{L}\p{N}.!?;]+[\p{L}\p{N}'\u2019\-]+){0,4}[^\p{L}\p{N}.!?;]*$",
    regex.IGNORECASE,
)
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]")
_CUE = re.compile(r"(?i)n[o'\u2019e]|without|lack|absence|free|exc")
_NEGATION_AFTER = regex.compile(r"^[^。！？\n]{0,25}?(?:ない|なく|なかった|ません|ず(?=[、。に])|ぬ(?=[、。])|なし|無し|無い)")
_JAPANESE = regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Han}]")


@dataclass(frozen=True, slots=True)
class Found:
    """A match with its lines: (row, first character, last character + 1) in order of reading."""

    pattern: int
    kind: MatchKind
    parts: tuple[tuple[int, int, int], ...]

    @property
    def place(self) -> tuple[int, int, int, int, int]:
        """What makes two findings one: variant, and where it begins and ends."""
        return (self.pattern, *self.parts[0][:2], self.parts[-1][0], self.parts[-1][2])


def locate(corpus: Corpus, patterns: Sequence[Pattern], matches: Sequence[Match]) -> list[Found]:
    """Where each match lies in the lines, and how it was reached."""
    if not matches:
        return []
    starts = np.fromiter((match.start for match in matches), dtype=np.int64, count=len(matches))
    ends = np.fromiter((match.end for match in matches), dtype=np.int64, count=len(matches))
    first = corpus.starts.searchsorted(starts, side="right") - 1
    last = corpus.starts.searchsorted(ends - 1, side="right") - 1
    offsets = corpus.starts[first].tolist()
    return [
        _in_line(corpus, patterns, match, number, offset) if number == end else _found(corpus, patterns, match)
        for match, number, end, offset in zip(matches, first.tolist(), last.tolist(), offsets, strict=True)
    ]


def _in_line(corpus: Corpus, patterns: Sequence[Pattern], match: Match, number: int, offset: int) -> Found:
    """A match inside one piece; the common case, kept short."""
    piece = corpus.pieces[number]
    source = corpus.source_map(number)
    begin, end = match.start - offset, match.end - offset
    if isinstance(source, range):
        first, last = begin, end
    else:
        covered = source[begin:end]
        first, last = min(covered), max(covered) + 1
    pattern = patterns[match.pattern]
    shown = corpus.lines.text[piece.row][first:last]
    if shown == pattern.variant.text:
        kind = piece.floor
    elif piece.text[begin:end] == pattern.forms[match.form].literal:
        kind = max(MatchKind.FOLDED, piece.floor, key=RANK.__getitem__)
    else:
        kind = _kind(corpus, pattern, match, [(number, first, last)])
    return Found(match.pattern, kind, ((piece.row, first, last),))


def _found(corpus: Corpus, patterns: Sequence[Pattern], match: Match) -> Found:
    parts = corpus.parts(match.start, match.end)
    rows: list[tuple[int, int, int]] = []
    for number, first, last in parts:
        row = corpus.pieces[number].row
        if rows and rows[-1][0] == row:  # two pieces of one line
            rows[-1] = (row, min(rows[-1][1], first), max(rows[-1][2], last))
        else:
            rows.append((row, first, last))
    return Found(match.pattern, _kind(corpus, patterns[match.pattern], match, parts), tuple(rows))


def _kind(corpus: Corpus, pattern: Pattern, match: Match, parts: list[tuple[int, int, int]]) -> MatchKind:
    pieces = [corpus.pieces[number] for number, _, _ in parts]
    pages = {corpus.lines.page[piece.row] for piece in pieces}
    if len(pages) > 1:
        return MatchKind.ACROSS_PAGES  # whatever else happened on the way, a reader must look at two pages
    kinds = [piece.floor for piece in pieces]
    if len(parts) == 1:
        shown = corpus.lines.text[pieces[0].row][parts[0][1] : parts[0][2]]
        if shown == pattern.variant.text:
            return kinds[0]
        kinds.append(MatchKind.FOLDED)
    elif len({piece.row for piece in pieces}) > 1:
        kinds.append(_between_lines(corpus, parts))
    for gap, between, _ in gaps_of(corpus, pattern.forms[match.form], match):
        if gap == Gap.WORD and "-" in between:
            kinds.append(MatchKind.DEHYPHENATED)
        elif (gap == Gap.WORD and between != "\x1c") or (gap == Gap.COMPOUND and not between):
            kinds.append(MatchKind.SQUEEZED)
    return max(kinds, key=RANK.__getitem__)


def _between_lines(corpus: Corpus, parts: list[tuple[int, int, int]]) -> MatchKind:
    rows = [corpus.pieces[number].row for number, _, _ in parts]
    lines = corpus.lines
    apart = len({lines.block[row] for row in rows}) > 1 or any(lines.line_type[row] == LineType.TABLE for row in rows)
    beside = corpus.kinds[parts[0][0]] in (FlowKind.COLUMN, FlowKind.ROW)
    return MatchKind.ACROSS_CELLS if apart and beside else MatchKind.ACROSS_LINES


def plainest(found: Sequence[Found]) -> list[Found]:
    """Each place once, with the plainest way in which it was reached."""
    best: dict[tuple[int, int, int, int, int], Found] = {}
    for one in found:
        known = best.get(one.place)
        if known is None or RANK[one.kind] < RANK[known.kind]:
            best[one.place] = one
    return list(best.values())


def box_of(lines: PageLines, row: int, first: int, last: int) -> BBox:
    """Box of characters first to last - 1 of a line, by their share of its length; NaN if the line has no box."""
    x0, y0, x1, y1 = (float(side[row]) for side in (lines.x0, lines.y0, lines.x1, lines.y1))
    count = max(len(lines.text[row]), 1)
    begin, end = first / count, last / count
    direction = lines.direction[row]
    if direction in (Direction.VERTICAL, Direction.ROTATED_RIGHT):
        return (x0, y0 + (y1 - y0) * begin, x1, y0 + (y1 - y0) * end)
    if direction == Direction.ROTATED_LEFT:
        return (x0, y1 - (y1 - y0) * end, x1, y1 - (y1 - y0) * begin)
    if direction == Direction.UPSIDE_DOWN or (direction == Direction.HORIZONTAL and _runs_left(lines.text[row])):
        return (x1 - (x1 - x0) * end, y0, x1 - (x1 - x0) * begin, y1)
    if direction == Direction.SLANTED:
        return (x0, y0, x1, y1)
    return (x0 + (x1 - x0) * begin, y0, x0 + (x1 - x0) * end, y1)


def _runs_left(text: str) -> bool:
    return not text.isascii() and len(_RTL.findall(text)) * 2 > len(text)


def snippet_of(lines: PageLines, parts: Sequence[tuple[int, int, int]]) -> str:
    """Verbatim text around a finding: a window of each of its lines, about SNIPPET_CHARS in all."""
    out = []
    share = SNIPPET_CHARS // len(parts)
    for row, first, last in parts:
        text = lines.text[row]
        spare = max(share - (last - first), 0)
        start = max(min(first - spare // 2, len(text) - share), 0)
        out.append(text[start : max(start + share, last)] if len(text) > share else text)
    return "\n".join(out)


def is_negated(lines: PageLines, parts: Sequence[tuple[int, int, int]]) -> bool:
    """Whether a cue of negation stands close: in English before, within five words; in Japanese after."""
    row, first, _ = parts[0]
    before = lines.text[row][max(first - 80, 0) : first]
    if first < 40 and row and lines.page[row - 1] == lines.page[row]:
        before = lines.text[row - 1][-80:] + " " + before
    if _CUE.search(before) and _NEGATION_BEFORE.search(before):
        return True
    end_row, _, last = parts[-1]
    if lines.text[end_row].isascii():
        return False
    after = lines.text[end_row][last : last + 30]
    if len(after) < 30 and end_row + 1 < len(lines) and lines.page[end_row + 1] == lines.page[end_row]:
        after += lines.text[end_row + 1][:30]
    return bool(_JAPANESE.search(after) and _NEGATION_AFTER.search(after))


def mark_nested(found: Sequence[Found], concepts: Sequence[str], order: Sequence[int]) -> list[bool]:
    """For each finding whether it lies inside a longer one of the same concept.

    Args:
        found: The findings.
        concepts: Concept of each pattern.
        order: Place of each row in the order of reading.
    """
    groups: dict[str, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for number, one in enumerate(found):
        (row, first, _), (end_row, _, last) = one.parts[0], one.parts[-1]
        groups[concepts[one.pattern]].append((order[row], first, order[end_row], last, number))
    nested = [False] * len(found)
    for spans in groups.values():
        spans.sort(key=lambda span: (span[0], span[1], -span[2], -span[3]))
        widest = (-1, -1)
        opened = (-1, -1)
        for row, first, end_row, last, number in spans:
            if (end_row, last) <= widest and (opened != (row, first) or (end_row, last) != widest):
                nested[number] = True
            elif (end_row, last) > widest:
                widest, opened = (end_row, last), (row, first)
    return nested


def without_echoes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without those of a second reader or OCR that show the same place as a row of a better source."""
    trust = [TextSource.TEXT_LAYER, TextSource.SECOND_READER, TextSource.OCR]
    if all(row["source"] not in trust[1:] for row in rows):
        return rows
    kept: list[dict[str, Any]] = []
    by_place: dict[tuple[str, str, int], list[dict[str, Any]]] = defaultdict(list)
    rank = {source.value: place for place, source in enumerate(trust)}
    for row in sorted(rows, key=lambda row: rank.get(row["source"], -1)):
        others = by_place[(row["concept"], row["variant"], row["page_num"])]
        echo = any(rank.get(other["source"], -1) != rank[row["source"]] and _overlap(other, row) for other in others) if row["source"] in rank else False
        if not echo:
            kept.append(row)
            if row["source"] in rank:
                others.append(row)
    return kept


def _overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(
        min(one["x1"], other["x1"]) > max(one["x0"], other["x0"])
        and min(one["y1"], other["y1"]) > max(one["y0"], other["y0"])
    )


def sections_of(toc_df: pd.DataFrame | None) -> tuple[list[int], list[str]]:
    """Pages and titles of the contents entries that point somewhere, in order of page."""
    if toc_df is None or not len(toc_df):
        return [], []
    entries = toc_df[toc_df["page_num"] > 0].sort_values("page_num", kind="stable")
    return entries["page_num"].astype(int).tolist(), entries["title"].astype(str).tolist()


def hit_rows(
    lines: PageLines, patterns: Sequence[Pattern], found: Sequence[Found], toc_df: pd.DataFrame | None
) -> list[dict[str, Any]]:
    """Rows of hit_df, without the column nested."""
    pages, titles = sections_of(toc_df)
    out = []
    for one in found:
        variant = patterns[one.pattern].variant
        (row, first, last), (end_row, _, end) = one.parts[0], one.parts[-1]
        x0, y0, x1, y1 = box_of(lines, row, first, last)
        page = lines.page[row]
        entry = int(np.searchsorted(pages, page, side="right")) if pages else 0
        out.append(
            {
                "concept": variant.concept,
                "variant": variant.text,
                "match_text": "\n".join(lines.text[r][a:b] for r, a, b in one.parts),
                "match_kind": one.kind.value,
                "page_num": page,
                "line_num": lines.number[row],
                "char_start": first,
                "page_end": lines.page[end_row],
                "line_end": lines.number[end_row],
                "char_end": end,
                "x0": x0,
                "y0": y0,
                "x1": x1,
                "y1": y1,
                "snippet": snippet_of(lines, one.parts),
                "source": lines.source[row],
                "visibility": lines.visibility[row],
                "section": titles[entry - 1] if entry else "",
                "negated": is_negated(lines, one.parts),
            }
        )
    return out
