"""Orders in which lines may continue: next line, next column, same cell below, next page, next piece of a
row.

A flow is a sequence of pieces (lines or altered readings of lines) with a separator before each. The
stream holds every line once, in line_num order; further flows hold only those neighbourhoods that the
stream lacks, with context on both sides, so that a plain document costs little more than one pass.

Flows one behind the other, as flat lists: what the search text of a document is joined from, and what is kept of it.

A document has many thousand flows of a few lines each; an object for each of them takes longer to make than a sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby, pairwise
from operator import eq, itemgetter

from docaudit.codes import PAGE_SOURCES, Direction, LineType
from docaudit.search.layout import (
    BLOCK_ROW_GAP,
    ROW_GAP,
    TOUCHING,
    Boxes,
    gap_in_heights,
    goes_back,
    is_rtl,
    is_simple,
    neighbours_below,
    turned,
    visual_rows,
)
from docaudit.search.lines import LINE, MAYBE, PAGE, SPACE, WALL, PageLines
from docaudit.search.orders import cut_orders, glyph_orders, has_letters, insertions, page_breaks
from docaudit.search.readings import Reading, readings_of

CONTEXT_LINES, CONTEXT_CHARS, MOST_LINES = 3, 160, 20
"""Context on each side of a new neighbourhood: at least so many lines, and lines until so many characters or
lines."""

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
class Flow:
    """Lines that continue each other, as parallel lists: a document has many lines, so there is no object
    for each.

    Attributes:
        kind: Why they are taken to continue each other.
        rows: Positions of the lines in line_df.
        before: For each line the separator between it and the line before (docaudit.search.lines); WALL for the
            first.
        altered: Readings that stand in place of a line, by its index in rows.
    """

    kind: FlowKind
    rows: list[int]
    before: list[str]
    altered: dict[int, Reading] = field(default_factory=dict)


Order = tuple[list[int], list[str]]
"""Rows in order, and the separator before each."""


def build_flows(lines: PageLines) -> list[Flow]:
    """All flows of a document: the streams first, then what they lack."""
    flows: list[Flow] = []
    for source in sorted(PAGE_SOURCES, key=lambda name: name != "text_layer"):
        rows = lines.in_order(source)
        if rows:
            flows += _source_flows(lines, rows)
    return flows + list(_parts(lines)) + list(_other_sources(lines))


def _source_flows(lines: PageLines, rows: list[int]) -> Iterator[Flow]:
    stream = stream_order(lines, rows)
    seen = _joined_pairs(stream)
    yield Flow(FlowKind.STREAM, *stream)
    for skipped in (_MARGINS, _ASIDE):
        body = [row for row in rows if lines.line_type[row] not in skipped]
        if len(body) < len(rows):
            yield from _novel(lines, FlowKind.BODY, stream_order(lines, body), seen)
    pages = [list(group) for _, group in groupby(rows, key=lines.page.__getitem__)]
    for page in pages:
        yield from _page_flows(lines, page, seen)
    for before, after in pairwise([*pages, []]):
        for pair in page_breaks(lines, before, after):
            yield from _novel(lines, FlowKind.BODY, (list(pair), [WALL, PAGE]), seen)
        for pair in insertions(lines, before):
            yield from _novel(lines, FlowKind.BODY, (list(pair), [WALL, LINE]), seen)
    for table in readings_of(lines, rows):
        yield from around(lines, stream, table)
    for glyphs, separators, made in glyph_orders(lines, rows):
        yield Flow(FlowKind.ALTERED, glyphs, separators, made)


def stream_order(lines: PageLines, rows: Sequence[int]) -> Order:
    """Lines in order, each after the one before it, pages parted by a page break; what goes back in a row is parted."""
    if not rows:
        return [], []
    pages = [lines.page[row] for row in rows]
    same = map(eq, pages, pages[1:])
    pairs = zip(same, goes_back(lines, rows), strict=True)
    return list(rows), [WALL, *(PAGE if not one else WALL if back else LINE for one, back in pairs)]


def _joined_pairs(order: Order) -> set[tuple[int, int]]:
    """Neighbours that an order takes to continue each other."""
    rows, before = order
    return {pair for pair, separator in zip(pairwise(rows), before[1:], strict=True) if separator != WALL}


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
        for cut in cut_orders(lines, chosen, box, down, up):
            yield Flow(FlowKind.ALTERED, *cut)
        for kind, orders in (
            (FlowKind.COLUMN, _column_orders(down, up, box)),
            (FlowKind.ROW, _row_orders(lines, chosen, box)),
        ):
            for indexes, before in orders:
                yield from _novel(lines, kind, ([chosen[index] for index in indexes], before), seen)


def _column_orders(down: list[int], up: list[int], box: Boxes) -> Iterator[Order]:
    """Chains of lines under each other; then links that only the upward view knows; then column to next
    column.
    """
    heads = sorted(set(range(len(down))) - set(down))
    chains = [_chain(start, down) for start in heads]
    for chain in chains:
        yield _with(chain, LINE)
    for index, above in enumerate(up):
        if above >= 0 and down[above] != index:
            yield _with([*reversed(_chain(above, up)[:8]), *_chain(index, down)[:8]], LINE)
    columns = sorted(
        (chain for chain in chains if len(chain) >= 3), key=lambda chain: float(box[chain[0], 0])
    )
    for left, right in pairwise(columns):
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
    return list(rows), [WALL, *[separator] * (len(rows) - 1)][: len(rows)]


def _row_orders(lines: PageLines, chosen: list[int], box: Boxes) -> Iterator[Order]:
    """Visual rows from top to bottom, cut where a gap is too wide to be one line."""
    order: list[int] = []
    separators: list[str] = []
    rows = visual_rows(box)
    for row in rows:
        for position, index in enumerate(row):
            separator = LINE if order else WALL
            if position:
                left = row[position - 1]
                gap = gap_in_heights(box, left, index)
                same_block = lines.block[chosen[left]] == lines.block[chosen[index]] != 0
                separator = MAYBE if gap < TOUCHING else SPACE
                leftward = is_rtl(lines.search[chosen[left]]) and is_rtl(lines.search[chosen[index]])
                if leftward or gap > (BLOCK_ROW_GAP if same_block else ROW_GAP):
                    yield order, separators
                    order, separators, separator = [], [], WALL
            order.append(index)
            separators.append(separator)
    yield order, separators
    yield from _right_to_left(lines, chosen, rows)


def _right_to_left(lines: PageLines, chosen: list[int], rows: list[list[int]]) -> Iterator[Order]:
    """The same for scripts that run so: runs of rows of which one at least has several pieces."""
    runs_left = [any(is_rtl(lines.search[chosen[index]]) for index in row) for row in rows]
    for rtl, run in groupby(zip(runs_left, rows, strict=True), key=itemgetter(0)):
        members = [row for _, row in run]
        if rtl and any(len(row) > 1 for row in members):
            order = [index for row in members for index in reversed(row)]
            separators = [SPACE if place else LINE for row in members for place in range(len(row))]
            yield order, [WALL, *separators[1:]]


def _novel(lines: PageLines, kind: FlowKind, order: Order, seen: set[tuple[int, int]]) -> Iterator[Flow]:
    """The parts of an order around neighbourhoods that were not seen before; they are seen from now on."""
    rows, before = order
    pairs = list(pairwise(rows))
    new = [
        index
        for index, pair in enumerate(pairs, 1)
        if pair not in seen and before[index] != WALL and _may_hold_a_phrase(lines, *pair)
    ]
    seen |= _joined_pairs(order)
    done = -1
    for position, index in enumerate(new):
        if index <= done:
            continue
        start, done = _reach(lines, rows, index - 1, -1), _reach(lines, rows, index, 1)
        for other in new[position + 1 :]:  # lengthen over further new ones, so that they share their context
            if other > done + 1:
                break
            done = max(done, _reach(lines, rows, other, 1))
        yield Flow(kind, rows[start : done + 1], [WALL, *before[start + 1 : done + 1]])


def _may_hold_a_phrase(lines: PageLines, one: int, other: int) -> bool:
    """Two cells of numbers make no phrase."""
    return has_letters(lines.search[one]) or has_letters(lines.search[other])


def _reach(lines: PageLines, rows: list[int], index: int, step: int) -> int:
    """Index of the outermost line of context, from index on in the direction of step."""
    count = chars = 0
    while True:
        count += 1
        chars += len(lines.search[rows[index]])
        after = index + step
        enough = count >= CONTEXT_LINES and chars >= CONTEXT_CHARS
        if enough or count >= MOST_LINES or not 0 <= after < len(rows):
            return index
        index = after


def _parts(lines: PageLines) -> Iterator[Flow]:
    """Pages of attachments and earlier revisions, each part by itself: its lines go on as those of a document do."""
    if not any(lines.part):
        return
    rows = [row for row, part in enumerate(lines.part) if part and lines.has_box[row] and lines.search[row]]
    rows.sort(key=lambda row: (lines.part[row], lines.part_page[row], lines.page[row], lines.number[row]))
    on_sheets = replace(lines, page=lines.sheet)
    for _, group in groupby(rows, key=lines.part.__getitem__):
        yield from _source_flows(on_sheets, list(group))


def _other_sources(lines: PageLines) -> Iterator[Flow]:
    """Text beside the page (annotations, bookmarks, ...): lines of one source, page and block continue
    each other.
    """
    rows = [
        row
        for row, name in enumerate(lines.source)
        if name not in PAGE_SOURCES and lines.search[row] and not (lines.part[row] and lines.has_box[row])
    ]

    def block_of(row: int) -> tuple[str, int, str, int]:
        return lines.source[row], lines.sheet[row], lines.part[row], lines.block[row]

    rows.sort(key=lambda row: (*block_of(row)[:3], lines.number[row]))
    for key, group in groupby(rows, key=block_of):
        members = list(group)
        for part in [members] if key[3] else [[row] for row in members]:
            yield Flow(FlowKind.PART, *_with(part, LINE))


def around(lines: PageLines, order: Order, table: dict[int, Reading]) -> Iterator[Flow]:
    """The neighbourhoods of altered lines, with their readings in place of the lines."""
    rows, before = order
    changed = [index for index, row in enumerate(rows) if row in table]
    done = -1
    for position, index in enumerate(changed):
        if index <= done:
            continue
        start, done = _reach(lines, rows, index, -1), _reach(lines, rows, index, 1)
        for other in changed[position + 1 :]:
            if other > done + 1:
                break
            done = max(done, _reach(lines, rows, other, 1))
        chosen = rows[start : done + 1]
        readings = {place: table[row] for place, row in enumerate(chosen) if row in table}
        yield Flow(FlowKind.ALTERED, chosen, [WALL, *before[start + 1 : done + 1]], readings)


@dataclass(frozen=True)
class Pieces:
    """The lines of flows, or their readings; a piece is known by its position.

    Attributes:
        rows: For each piece its line, as position in line_df.
        before: For each piece the separator between it and the piece before.
        kinds: Kinds of the flows, each with the number of pieces that follow each other in it.
        altered: Readings that stand in place of lines, by piece.
    """

    rows: list[int]
    before: list[str]
    kinds: list[tuple[FlowKind, int]]
    altered: dict[int, Reading]

    @classmethod
    def of(cls, flows: Iterable[Flow]) -> Pieces:
        """The flows in their order."""
        pieces = cls([], [], [], {})
        for flow in flows:
            pieces._add(flow)
        return pieces

    def _add(self, flow: Flow) -> None:
        self.altered.update((len(self.rows) + place, reading) for place, reading in flow.altered.items())
        self.rows.extend(flow.rows)
        self.before.extend(flow.before)
        count = len(flow.rows)
        if self.kinds and self.kinds[-1][0] is flow.kind:
            count += self.kinds.pop()[1]
        self.kinds.append((flow.kind, count))
