"""PageLines in, `Segments` out: all orders in which the lines of a document may be read, one behind the other.

Next line, next column, same cell below, next page, next piece of a row. The stream holds every line once, in line_num
order; further orders hold only those neighbourhoods that the stream lacks, with context on both sides, so that a plain
document costs little more than one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby, pairwise
from operator import eq, itemgetter

from docaudit.codes import PAGE_SOURCES, Direction, LineType
from docaudit.search.continuations import cut_orders, glyph_orders, has_letters, insertions, page_breaks
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
from docaudit.search.readings import Reading, readings_of

CONTEXT_LINES, CONTEXT_CHARS, MOST_LINES = 3, 160, 20
"""Context on each side of a new neighbourhood: at least so many lines, and lines until so many characters or
lines. Chosen for phrases of up to a line or two, not measured."""

_ASIDE = frozenset({LineType.HEADER, LineType.FOOTER, LineType.FOOTNOTE, LineType.CAPTION, LineType.TABLE})
_MARGINS = frozenset({LineType.HEADER, LineType.FOOTER})


class OrderKind(StrEnum):
    """Why two lines of a reading order are taken to continue each other."""

    STREAM = "stream"
    COLUMN = "column"
    ROW = "row"
    BODY = "body"
    ALTERED = "altered"
    PART = "part"


@dataclass(frozen=True)
class ReadingOrder:
    """Lines that continue each other, as parallel lists: a document has many lines, so there is no object for each.

    Attributes:
        kind: Why they are taken to continue each other.
        rows: Positions of the lines in line_df.
        before: For each line the separator between it and the line before (docaudit.search.lines); WALL for the
            first.
        altered: Alternative readings that stand in place of a line, by its index in rows.
    """

    kind: OrderKind
    rows: list[int]
    before: list[str]
    altered: dict[int, Reading] = field(default_factory=dict)


@dataclass(frozen=True)
class Segments:
    """Reading orders one behind the other, as flat lists: a segment is a line, or a reading of it, at its place.

    A document has many thousand orders of a few lines each; an object for each of them takes longer to make than a
    sweep.

    Attributes:
        rows: For each segment its line, as position in line_df.
        before: For each segment the separator between it and the segment before.
        kinds: Kinds of the orders, each with the number of segments that follow each other in it.
        altered: Alternative readings that stand in place of lines, by segment.
    """

    rows: list[int]
    before: list[str]
    kinds: list[tuple[OrderKind, int]]
    altered: dict[int, Reading]

    @classmethod
    def of(cls, orders: Iterable[ReadingOrder]) -> Segments:
        """The orders in their order."""
        made = cls([], [], [], {})
        for order in orders:
            made.altered.update((len(made.rows) + place, reading) for place, reading in order.altered.items())
            made.rows.extend(order.rows)
            made.before.extend(order.before)
            count = len(order.rows)
            if made.kinds and made.kinds[-1][0] is order.kind:
                count += made.kinds.pop()[1]
            made.kinds.append((order.kind, count))
        return made


Order = tuple[list[int], list[str]]
"""Rows in order, and the separator before each."""


def reading_orders(lines: PageLines) -> list[ReadingOrder]:
    """Reading orders of a document: the streams first, then what they lack."""
    orders: list[ReadingOrder] = []
    for source in sorted(PAGE_SOURCES, key=lambda name: name != "text_layer"):
        rows = lines.in_order(source)
        if rows:
            orders += _orders_of_source(lines, rows)
    # Pages of attachments and earlier revisions, each part by itself: their lines go on as those of a document do.
    rows = [row for row, part in enumerate(lines.part) if part and lines.has_box[row] and lines.search[row]]
    if rows:
        rows.sort(key=lambda row: (lines.part[row], lines.part_page[row], lines.page[row], lines.number[row]))
        on_sheets = replace(lines, page=lines.sheet)
        for _, group in groupby(rows, key=lines.part.__getitem__):
            orders += _orders_of_source(on_sheets, list(group))

    # Text beside the page (annotations, bookmarks, ...): lines of one source, page and block continue each other.
    def block_of(row: int) -> tuple[str, int, str, int]:
        return lines.source[row], lines.sheet[row], lines.part[row], lines.block[row]

    rows = [
        row
        for row, name in enumerate(lines.source)
        if name not in PAGE_SOURCES and lines.search[row] and not (lines.part[row] and lines.has_box[row])
    ]
    rows.sort(key=lambda row: (*block_of(row)[:3], lines.number[row]))
    for key, group in groupby(rows, key=block_of):
        members = list(group)
        for block in [members] if key[3] else [[row] for row in members]:
            orders.append(ReadingOrder(OrderKind.PART, *_with(block, LINE)))
    return orders


def _orders_of_source(lines: PageLines, rows: list[int]) -> Iterator[ReadingOrder]:
    stream = stream_order(lines, rows)
    seen = _joined_pairs(stream)
    yield ReadingOrder(OrderKind.STREAM, *stream)
    for skipped in (_MARGINS, _ASIDE):
        body = [row for row in rows if lines.line_type[row] not in skipped]
        if len(body) < len(rows):
            yield from _novel(lines, OrderKind.BODY, stream_order(lines, body), seen)
    pages = [list(group) for _, group in groupby(rows, key=lines.page.__getitem__)]
    for page in pages:
        yield from _orders_of_page(lines, page, seen)
    for before, after in pairwise([*pages, []]):
        for pair in page_breaks(lines, before, after):
            yield from _novel(lines, OrderKind.BODY, (list(pair), [WALL, PAGE]), seen)
        for pair in insertions(lines, before):
            yield from _novel(lines, OrderKind.BODY, (list(pair), [WALL, LINE]), seen)
    for readings in readings_of(lines, rows):
        yield from around(lines, stream, readings)
    for glyph_order in glyph_orders(lines, rows):
        yield ReadingOrder(OrderKind.ALTERED, *glyph_order)


def stream_order(lines: PageLines, rows: Sequence[int]) -> Order:
    """Lines in order, each after the one before it, pages parted by a page break; what goes back in a row is parted."""
    if not rows:
        return [], []
    pages = [lines.page[row] for row in rows]
    pairs = zip(map(eq, pages, pages[1:]), goes_back(lines, rows), strict=True)
    return list(rows), [WALL, *(PAGE if not same else WALL if back else LINE for same, back in pairs)]


def _joined_pairs(order: Order) -> set[tuple[int, int]]:
    """Neighbours that an order takes to continue each other."""
    rows, before = order
    return {pair for pair, separator in zip(pairwise(rows), before[1:], strict=True) if separator != WALL}


def _orders_of_page(lines: PageLines, rows: list[int], seen: set[tuple[int, int]]) -> Iterator[ReadingOrder]:
    """Orders of the lines of one source on one page, each direction on its own."""
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
            yield ReadingOrder(OrderKind.ALTERED, *cut)
        for kind, orders in (
            (OrderKind.COLUMN, _column_orders(down, up, box)),
            (OrderKind.ROW, _row_orders(lines, chosen, box)),
        ):
            for indexes, before in orders:
                yield from _novel(lines, kind, ([chosen[index] for index in indexes], before), seen)


def _column_orders(down: list[int], up: list[int], box: Boxes) -> Iterator[Order]:
    """Chains of lines under each other; then links that only the upward view knows; then column to next column."""
    heads = sorted(set(range(len(down))) - set(down))
    chains = [_chain(start, down) for start in heads]
    for chain in chains:
        yield _with(chain, LINE)
    for index, above in enumerate(up):
        if above >= 0 and down[above] != index:
            yield _with([*reversed(_chain(above, up)[:8]), *_chain(index, down)[:8]], LINE)
    long_chains = (chain for chain in chains if len(chain) >= 3)
    columns = sorted(long_chains, key=lambda chain: float(box[chain[0], 0]))
    for left, right in pairwise(columns):
        if box[left[-1], 2] <= box[right[0], 2]:
            yield _with([*left[-8:], *right[:8]], LINE)


def _chain(start: int, following: list[int]) -> list[int]:
    chain = {start: None}
    index = start
    while (index := following[index]) >= 0 and index not in chain:
        chain[index] = None
    return list(chain)


def _with(rows: Sequence[int], separator: str) -> Order:
    return list(rows), [WALL, *[separator] * (len(rows) - 1)][: len(rows)]


def _row_orders(lines: PageLines, chosen: list[int], box: Boxes) -> Iterator[Order]:
    """Visual rows from top to bottom, cut where a gap is too wide to be one line; then those that run to the left."""
    order: list[int] = []
    separators: list[str] = []
    rtl = [is_rtl(lines.search[row]) for row in chosen]
    rows = visual_rows(box)
    for row in rows:
        for position, index in enumerate(row):
            separator = LINE if order else WALL
            if position:
                left = row[position - 1]
                gap = gap_in_heights(box, left, index)
                same_block = lines.block[chosen[left]] == lines.block[chosen[index]] != 0
                separator = MAYBE if gap < TOUCHING else SPACE
                if (rtl[left] and rtl[index]) or gap > (BLOCK_ROW_GAP if same_block else ROW_GAP):
                    yield order, separators
                    order, separators, separator = [], [], WALL
            order.append(index)
            separators.append(separator)
    yield order, separators
    runs_left = [any(rtl[index] for index in row) for row in rows]
    for leftward, run in groupby(zip(runs_left, rows, strict=True), key=itemgetter(0)):
        members = [row for _, row in run]
        if leftward and any(len(row) > 1 for row in members):
            order = [index for row in members for index in reversed(row)]
            separators = [SPACE if place else LINE for row in members for place in range(len(row))]
            yield order, [WALL, *separators[1:]]


def _novel(
    lines: PageLines, kind: OrderKind, order: Order, seen: set[tuple[int, int]]
) -> Iterator[ReadingOrder]:
    """The parts of an order around neighbourhoods that were not seen before; they are seen from now on."""
    rows, before = order
    new = [
        index
        for index, pair in enumerate(pairwise(rows), 1)
        if pair not in seen
        and before[index] != WALL
        # two cells of numbers make no phrase
        and (has_letters(lines.search[pair[0]]) or has_letters(lines.search[pair[1]]))
    ]
    seen |= _joined_pairs(order)
    for start, last in _with_context(lines, rows, [(index - 1, index) for index in new]):
        yield ReadingOrder(kind, rows[start : last + 1], [WALL, *before[start + 1 : last + 1]])


def around(lines: PageLines, order: Order, readings: dict[int, Reading]) -> Iterator[ReadingOrder]:
    """The neighbourhoods of altered lines, with their readings in place of the lines."""
    rows, before = order
    changed = [(index, index) for index, row in enumerate(rows) if row in readings]
    for start, last in _with_context(lines, rows, changed):
        chosen = rows[start : last + 1]
        altered = {place: readings[row] for place, row in enumerate(chosen) if row in readings}
        yield ReadingOrder(OrderKind.ALTERED, chosen, [WALL, *before[start + 1 : last + 1]], altered)


def _with_context(
    lines: PageLines, rows: list[int], spans: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """First and last index of each span with its context; spans whose contexts meet are one."""
    done = -1
    for position, (first, last) in enumerate(spans):
        if last <= done:
            continue
        start, done = _reach(lines, rows, first, -1), _reach(lines, rows, last, 1)
        for _, later in spans[position + 1 :]:
            if later > done + 1:
                break
            done = max(done, _reach(lines, rows, later, 1))
        yield start, done


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
