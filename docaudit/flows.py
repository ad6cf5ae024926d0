"""Orders in which lines may continue: next line, next column, same cell below, next page, next piece of a row.

A flow is a sequence of pieces (lines or altered readings of lines) with a separator before each. The stream holds
every line once, in line_num order; further flows hold only those neighbourhoods that the stream lacks, with context
on both sides, so that a plain document costs little more than one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from docaudit.layout import (
    BLOCK_ROW_GAP,
    ROW_GAP,
    TOUCHING,
    Boxes,
    gap_in_heights,
    is_simple,
    neighbours_below,
    turned,
    visual_rows,
)
from docaudit.location import PAGE_SOURCES, Direction, LineType, MatchKind
from docaudit.pagelines import PageLines
from docaudit.scripts import LINE, MAYBE, PAGE, SPACE, WALL

CONTEXT_LINES, CONTEXT_CHARS = 3, 160
"""Context on each side of a new neighbourhood: at least so many lines, and lines until so many characters."""

_ASIDE = frozenset({LineType.HEADER, LineType.FOOTER, LineType.FOOTNOTE, LineType.CAPTION, LineType.TABLE})
_MARGINS = frozenset({LineType.HEADER, LineType.FOOTER})


class FlowKind(StrEnum):
    """Why two lines of a flow are taken to continue each other."""

    STREAM = "stream"
    COLUMN = "column"
    ROW = "row"
    BODY = "body"
    ALTERED = "altered"
    PART = "part"


@dataclass(frozen=True)
class Piece:
    """A line, or an altered reading of a line, in a flow.

    Attributes:
        row: Position of the line in line_df.
        text: Searchable text.
        before: Separator between the piece before and this one (docaudit.scripts).
        source: For each character of text its index in the line; None if text is the plain searchable text.
        floor: The plainest match kind that a match touching this piece can have.
    """

    row: int
    text: str
    before: str
    source: tuple[int, ...] | None = None
    floor: MatchKind = MatchKind.EXACT


@dataclass(frozen=True)
class Flow:
    """Pieces that continue each other."""

    kind: FlowKind
    pieces: list[Piece]


Order = list[tuple[int, str]]
"""Rows in order, each with the separator before it."""


def build_flows(lines: PageLines) -> list[Flow]:
    """All flows of a document: the streams first, then what they lack."""
    flows: list[Flow] = []
    for source in sorted(PAGE_SOURCES, key=lambda name: name != "text_layer"):
        rows = lines.in_order(source)
        if rows:
            flows += _source_flows(lines, rows)
    return flows + list(_other_sources(lines))


def _source_flows(lines: PageLines, rows: list[int]) -> Iterator[Flow]:
    seen = set(zip(rows, rows[1:], strict=False))
    yield _flow(lines, FlowKind.STREAM, _stream_order(lines, rows))
    for skipped in (_MARGINS, _ASIDE):
        body = [row for row in rows if lines.line_type[row] not in skipped]
        yield from _novel(lines, FlowKind.BODY, _stream_order(lines, body), seen)
    for _, group in groupby(rows, key=lines.page.__getitem__):
        yield from _page_flows(lines, list(group), seen)


def _stream_order(lines: PageLines, rows: Sequence[int]) -> Order:
    pages = [lines.page[row] for row in rows]
    return [
        (row, LINE if index and pages[index - 1] == pages[index] else PAGE if index else WALL)
        for index, row in enumerate(rows)
    ]


def _page_flows(lines: PageLines, rows: list[int], seen: set[tuple[int, int]]) -> Iterator[Flow]:
    """Flows of the lines of one source on one page, each direction on its own."""
    boxed = [row for row in rows if lines.has_box[row]]
    for direction in sorted({lines.direction[row] for row in boxed}):
        chosen = [row for row in boxed if lines.direction[row] == direction]
        if len(chosen) < 2 or direction == Direction.SLANTED:
            continue
        box = turned(lines, chosen, direction)
        if len(chosen) == len(rows) and is_simple(box):
            continue
        down, up = neighbours_below(box)
        for order in _column_orders(down, up, box):
            named = [(chosen[index], before) for index, before in order]
            yield from _novel(lines, FlowKind.COLUMN, named, seen)
        for order in _row_orders(lines, chosen, box):
            named = [(chosen[index], before) for index, before in order]
            yield from _novel(lines, FlowKind.ROW, named, seen)


def _column_orders(down: list[int], up: list[int], box: Boxes) -> Iterator[Order]:
    """Chains of lines under each other; then links that only the upward view knows; then column to next column."""
    heads = sorted(set(range(len(down))) - set(down))
    chains = [_chain(start, down) for start in heads]
    for chain in chains:
        yield _with(chain, LINE)
    for index, above in enumerate(up):
        if above >= 0 and down[above] != index:
            yield _with([*reversed(_chain(above, up)[:8]), *_chain(index, down)[:8]], LINE)
    columns = sorted((chain for chain in chains if len(chain) >= 3), key=lambda chain: float(box[chain[0], 0]))
    for left, right in zip(columns, columns[1:], strict=False):
        if box[left[-1], 2] <= box[right[0], 2]:
            yield _with([*left[-8:], *right[:8]], LINE)


def _chain(start: int, following: list[int]) -> list[int]:
    chain = [start]
    known = {start}
    while (after := following[chain[-1]]) >= 0 and after not in known:
        chain.append(after)
        known.add(after)
    return chain


def _with(rows: Sequence[int], separator: str) -> Order:
    return [(row, separator if index else WALL) for index, row in enumerate(rows)]


def _row_orders(lines: PageLines, chosen: list[int], box: Boxes) -> Iterator[Order]:
    """Visual rows from top to bottom, cut where a gap is too wide to be one line."""
    order: Order = []
    for row in visual_rows(box):
        for position, index in enumerate(row):
            if not position:
                order.append((index, LINE if order else WALL))
                continue
            left = row[position - 1]
            gap = gap_in_heights(box, left, index)
            same_block = lines.block[chosen[left]] == lines.block[chosen[index]] != 0
            if gap > (BLOCK_ROW_GAP if same_block else ROW_GAP):
                yield order
                order = [(index, WALL)]
            else:
                order.append((index, MAYBE if gap < TOUCHING else SPACE))
    yield order
    for row in visual_rows(box):  # right to left, for scripts that run so
        if len(row) > 1 and any(_is_rtl(lines.search[chosen[index]]) for index in row):
            yield _with(row[::-1], SPACE)


def _is_rtl(text: str) -> bool:
    return any("\u0590" <= char <= "\u08ff" for char in text)


def _novel(lines: PageLines, kind: FlowKind, order: Order, seen: set[tuple[int, int]]) -> Iterator[Flow]:
    """The parts of an order around neighbourhoods that were not seen before; they are seen from now on."""
    new = [
        index
        for index in range(1, len(order))
        if order[index][1] != WALL and (order[index - 1][0], order[index][0]) not in seen
    ]
    done = -1
    for index in new:
        pair = (order[index - 1][0], order[index][0])
        if index <= done or pair in seen:
            seen.add(pair)
            continue
        start = _reach(lines, order, index - 1, -1)
        done = _reach(lines, order, index, 1)
        while True:  # lengthen over further new neighbourhoods, so that they share their context
            more = [other for other in new if index < other <= done + 1]
            last = max(more, default=index)
            reach = _reach(lines, order, last, 1)
            if reach <= done:
                break
            index, done = last, reach
        seen.add(pair)
        yield _flow(lines, kind, order[start : done + 1])


def _reach(lines: PageLines, order: Order, index: int, step: int) -> int:
    """Index of the outermost line of context, from index on in the direction of step."""
    count = chars = 0
    while True:
        count += 1
        chars += len(lines.search[order[index][0]])
        after = index + step
        enough = count >= CONTEXT_LINES and chars >= CONTEXT_CHARS
        if enough or count >= 60 or not 0 <= after < len(order):
            return index
        index = after


def _flow(lines: PageLines, kind: FlowKind, order: Order) -> Flow:
    pieces = [
        Piece(row, lines.search[row], before if index else WALL) for index, (row, before) in enumerate(order)
    ]
    return Flow(kind, pieces)


def _other_sources(lines: PageLines) -> Iterator[Flow]:
    """Text beside the page (annotations, bookmarks, ...): lines of one source, page and block continue each other."""
    rows = [row for row, name in enumerate(lines.source) if name not in PAGE_SOURCES and lines.search[row]]
    rows.sort(key=lambda row: (lines.source[row], lines.page[row], lines.number[row]))
    for key, group in groupby(rows, key=lambda row: (lines.source[row], lines.page[row], lines.block[row])):
        members = list(group)
        parts = [members] if key[2] else [[row] for row in members]
        for part in parts:
            yield _flow(lines, FlowKind.PART, _with(part, LINE))
