"""Matches -> findings: where each lies in the lines, how it was reached, each place once, which lie inside
others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from docaudit.location import POSSIBLE_KINDS, LineType, MatchKind
from docaudit.search.flows import FlowKind
from docaudit.search.gaps import Gap
from docaudit.search.matching import Match, gaps_of
from docaudit.search.patterns import Pattern
from docaudit.search.scripts import SIGNS, CharClass
from docaudit.search.searchable import Corpus

RANK = {kind: rank for rank, kind in enumerate(MatchKind)}
"""Kinds of match from the plainest to the least plain."""


class Found(NamedTuple):
    """A match with its lines: (row, first character, last character + 1) in order of reading."""

    pattern: int
    kind: MatchKind
    parts: tuple[tuple[int, int, int], ...]

    @property
    def place(self) -> tuple[int, int, int, int, int]:
        """What makes two findings one: variant, and where it begins and ends."""
        row, first, _ = self.parts[0]
        end_row, _, last = self.parts[-1]
        return (self.pattern, row, first, end_row, last)


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
        _in_line(corpus, patterns, match, number, offset)
        if number == end
        else _found(corpus, patterns, match)
        for match, number, end, offset in zip(matches, first.tolist(), last.tolist(), offsets, strict=True)
    ]


def _in_line(corpus: Corpus, patterns: Sequence[Pattern], match: Match, number: int, offset: int) -> Found:
    """A match inside one piece; the common case, kept short."""
    row = corpus.rows[number]
    source = corpus.source_map(number)
    begin, end = match.start - offset, match.end - offset
    if isinstance(source, range):
        first, last = begin, end
    else:
        covered = source[begin:end]
        first, last = min(covered), max(covered) + 1
    pattern = patterns[match.pattern]
    shown = corpus.lines.text[row][first:last]
    floor = corpus.floor(number)
    if pattern.forms[match.form].is_long and CharClass.LETTER in corpus.classes[[match.start - 1, match.end]]:
        kind = MatchKind.SQUEEZED  # glued to a word that lost its blank
    elif shown == pattern.variant.text:
        kind = floor
    elif corpus.texts[number][begin:end] == pattern.forms[match.form].literal:
        kind = MatchKind.FOLDED if floor is MatchKind.EXACT else floor
    else:
        kind = _kind(corpus, pattern, match, [(number, first, last)])
    return Found(match.pattern, kind, ((row, first, last),))


def _found(corpus: Corpus, patterns: Sequence[Pattern], match: Match) -> Found:
    parts = corpus.parts(match.start, match.end)
    rows: list[tuple[int, int, int]] = []
    for number, first, last in parts:
        row = corpus.rows[number]
        if rows and rows[-1][0] == row:  # two pieces of one line
            rows[-1] = (row, min(rows[-1][1], first), max(rows[-1][2], last))
        else:
            rows.append((row, first, last))
    return Found(match.pattern, _kind(corpus, patterns[match.pattern], match, parts), tuple(rows))


def _kind(corpus: Corpus, pattern: Pattern, match: Match, parts: list[tuple[int, int, int]]) -> MatchKind:
    rows = [corpus.rows[number] for number, _, _ in parts]
    pages = {corpus.lines.sheet[row] for row in rows}
    if len(pages) > 1:
        return MatchKind.ACROSS_PAGES  # whatever else happened on the way, a reader must look at two pages
    kinds = [corpus.floor(number) for number, _, _ in parts]
    if len(parts) == 1:
        shown = corpus.lines.text[rows[0]][parts[0][1] : parts[0][2]]
        if shown == pattern.variant.text:
            return kinds[0]
        kinds.append(MatchKind.FOLDED)
    elif len(set(rows)) > 1:
        kinds.append(_between_lines(corpus, parts))
    for gap, between, _ in gaps_of(corpus, pattern.forms[match.form], match):
        inside = gap in (Gap.WORD, Gap.WORD_STRICT)
        if inside and "-" in between:
            kinds.append(MatchKind.DEHYPHENATED)
        elif any(sign in between for sign in SIGNS) and not gap.endswith(Gap.PUNCTUATION):
            kinds.append(MatchKind.ACROSS_SIGNS)
        elif (inside and between != "\x1c") or (gap == Gap.COMPOUND and not between):
            kinds.append(MatchKind.SQUEEZED)
    return max(kinds, key=RANK.__getitem__)


def _between_lines(corpus: Corpus, parts: list[tuple[int, int, int]]) -> MatchKind:
    rows = [corpus.rows[number] for number, _, _ in parts]
    lines = corpus.lines
    apart = len({lines.block[row] for row in rows}) > 1 or any(
        lines.line_type[row] == LineType.TABLE for row in rows
    )
    beside = corpus.kinds[parts[0][0]] in (FlowKind.COLUMN, FlowKind.ROW)
    return MatchKind.ACROSS_CELLS if apart and beside else MatchKind.ACROSS_LINES


def plainest(found: Sequence[Found]) -> list[Found]:
    """Each place once, with the plainest way in which it was reached."""
    best: dict[tuple[int, int, int, int, int], Found] = {}
    for one in found:
        place = one.place
        known = best.setdefault(place, one)
        if known is not one and RANK[one.kind] < RANK[known.kind]:
            best[place] = one
    return list(best.values())


def mark_nested(found: Sequence[Found], concepts: Sequence[str], order: Sequence[int]) -> list[bool]:
    """For each finding whether it lies inside a longer one of the same concept.

    Args:
        found: The findings.
        concepts: Concept of each pattern.
        order: Place of each row in the order of reading.
    """
    groups: dict[str, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for number, one in enumerate(found):
        if one.kind in POSSIBLE_KINDS:  # what only may be a hit takes nothing away from a hit
            continue
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
