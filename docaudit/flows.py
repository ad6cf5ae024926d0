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
from docaudit.normalize import searchable_map
from docaudit.pagelines import PageLines
from docaudit.readings import Reading, readings_of
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
    order = _stream_order(lines, rows)
    for table in readings_of(lines, rows):
        yield from _altered(lines, order, table)
    yield from glyph_flows(lines, rows)


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
    rows = visual_rows(box)
    for row in rows:
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
    for row in rows:  # right to left, for scripts that run so
        if len(row) > 1 and any(_is_rtl(lines.search[chosen[index]]) for index in row):
            yield _with(row[::-1], SPACE)


def _is_rtl(text: str) -> bool:
    return not text.isascii() and any("\u0590" <= char <= "\u08ff" for char in text)


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


def _altered(lines: PageLines, order: Order, table: dict[int, Reading]) -> Iterator[Flow]:
    """The neighbourhoods of altered lines, with their readings in place of the lines."""
    changed = [index for index, (row, _) in enumerate(order) if row in table]
    done = -1
    for position, index in enumerate(changed):
        if index <= done:
            continue
        start, done = _reach(lines, order, index, -1), _reach(lines, order, index, 1)
        for other in changed[position + 1 :]:
            if other > done + 1:
                break
            done = max(done, _reach(lines, order, other, 1))
        pieces = []
        for place, (row, before) in enumerate(order[start : done + 1]):
            text, source, floor = table.get(row, (lines.search[row], None, MatchKind.EXACT))
            pieces.append(Piece(row, text, before if place else WALL, source, floor))
        yield Flow(FlowKind.ALTERED, pieces)


def glyph_flows(lines: PageLines, rows: list[int]) -> Iterator[Flow]:
    """Words whose letters are lines of their own: stacked or slanted letters, large initials, glyphs drawn backwards."""
    for run in _single_letter_runs(lines, rows):
        pieces = [
            Piece(row, lines.search[row], MAYBE if place else WALL, None, MatchKind.LETTER_SPACED)
            for place, row in enumerate(run)
        ]
        yield Flow(FlowKind.ALTERED, pieces)
    for _, group in groupby(rows, key=lines.page.__getitem__):
        on_page = list(group)
        yield from _initials(lines, on_page)
        yield from _backwards(lines, on_page)


def _single_letter_runs(lines: PageLines, rows: list[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for row in [*rows, -1]:
        single = row >= 0 and len(lines.search[row]) == 1 and lines.search[row].isalpha()
        if single and (not run or lines.page[run[-1]] == lines.page[row]):
            run.append(row)
            continue
        if len(run) >= 3:
            yield run
        run = [row] if single else []


def _initials(lines: PageLines, rows: list[int]) -> Iterator[Flow]:
    """A large single letter and the first line beside it, without a gap."""
    for position, row in enumerate(rows):
        if not (len(lines.search[row]) == 1 and lines.search[row].isalpha() and lines.has_box[row]):
            continue
        size = float(lines.font_size[row])
        beside = [
            other
            for other in rows
            if other != row
            and size >= 1.4 * float(lines.font_size[other])
            and -2.0 <= float(lines.x0[other] - lines.x1[row]) <= size
            and float(lines.y0[other]) < float(lines.y1[row])
            and float(lines.y1[other]) > float(lines.y0[row])
        ]
        if beside:
            first = min(beside, key=lambda other: float(lines.y0[other]))
            place = rows.index(first)
            after = [other for other in rows[place : place + CONTEXT_LINES + 1] if other != row]
            pieces = [Piece(row, lines.search[row], WALL)]
            pieces += [Piece(other, lines.search[other], LINE if i else "") for i, other in enumerate(after)]
            yield Flow(FlowKind.ALTERED, pieces)


def _backwards(lines: PageLines, rows: list[int]) -> Iterator[Flow]:
    """A visual row whose short pieces were drawn from right to left: the glyphs in each run backwards as well."""
    run: list[int] = []
    for row in [*rows, -1]:
        leftwards = (
            row >= 0
            and len(lines.search[row]) <= 6
            and lines.direction[row] == Direction.HORIZONTAL
            and bool(lines.has_box[row])
            and (not run or (lines.x1[row] <= lines.x0[run[-1]] + 1 and lines.y0[row] < lines.y1[run[-1]] and lines.y1[row] > lines.y0[run[-1]]))
        )
        if leftwards:
            run.append(row)
            continue
        if len(run) >= 4:
            yield _mirrored(lines, run[::-1])
        run = [row] if row >= 0 and len(lines.search[row]) <= 6 and lines.has_box[row] else []


def _mirrored(lines: PageLines, run: list[int]) -> Flow:
    pieces = []
    for place, row in enumerate(run):
        text, source = searchable_map(lines.text[row])
        before = WALL
        if place:
            height = max(float(lines.y1[row] - lines.y0[row]), 0.1)
            near = float(lines.x0[row] - lines.x1[run[place - 1]]) < TOUCHING * height
            before = "" if near else SPACE
        pieces.append(Piece(row, text[::-1], before, tuple(source[::-1]), MatchKind.SQUEEZED))
    return Flow(FlowKind.ALTERED, pieces)


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
