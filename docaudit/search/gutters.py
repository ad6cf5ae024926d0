"""Lines that run over the gap between two columns, because an engine took two neighbours for one line.

Such a line shows itself by the rows above or below it, which have two lines where it has one. It is cut at
the blanks nearest to the place where the second of these begins, and each part continues in its own
column.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from docaudit.location import MatchKind
from docaudit.search.layout import MAX_GAP, Boxes, visual_rows
from docaudit.search.normalize import searchable_map
from docaudit.search.pagelines import PageLines
from docaudit.search.readings import Reading
from docaudit.search.scripts import LINE, WALL

MAX_CUTS = 3
CUT_SHARE = 0.12
"""A cut lies within this share of the line's characters from where the geometry puts it."""
CONTEXT = 6
"""Lines of a column above and below the part."""

Sides = list[list[float]]
"""Boxes as plain lists: single numbers of an array are slow to read."""

CutOrder = tuple[list[int], list[str], dict[int, Reading]]


def cut_orders(
    lines: PageLines, chosen: list[int], box: Boxes, down: list[int], up: list[int]
) -> Iterator[CutOrder]:
    """For each line over a gutter and each likely cut, the left and the right part among their neighbours.

    Args:
        lines: The document.
        chosen: Rows of one page and direction, in the order of box.
        box: Their boxes, turned.
        down: For each the line below, -1 for none.
        up: For each the line above, -1 for none.
    """
    rows = visual_rows(box)
    sides: Sides = box.tolist()
    for above, middle, below in zip([[], *rows[:-1]], rows, [*rows[1:], []], strict=True):
        if len(middle) >= max(len(above), len(below)):
            continue  # no line of this row can stand where a neighbour has two
        for index in middle:
            edge = _gutter(sides, index, above) or _gutter(sides, index, below)
            if edge is None:
                continue
            text, source = searchable_map(lines.text[chosen[index]])
            for place in _cuts(text, sides[index], edge):
                parts = (
                    (0, place, float(box[index, 0]), edge),
                    (place + 1, len(text), edge, float(box[index, 2])),
                )
                for first, last, left, right in parts:
                    before = _column(sides, index, left, right, up, -1)[::-1]
                    after = _column(sides, index, left, right, down, 1)
                    order = [chosen[other] for other in (*before, index, *after)]
                    reading = (text[first:last].strip(), tuple(source[first:last]), MatchKind.EXACT)
                    if len(reading[0]) == len(reading[1]) and len(order) > 1:
                        yield order, [WALL, *[LINE] * (len(order) - 1)], {len(before): reading}


def _gutter(sides: Sides, index: int, row: list[int]) -> float | None:
    """Left edge of the second of two lines in a neighbouring row that share the width of this line; None
    if none do.
    """
    x0, y0, x1, y1 = sides[index]
    height = max(y1 - y0, 0.1)
    for left, right in pairwise(row):
        gap = max(sides[left][1] - y1, y0 - sides[left][3])
        starts_with = abs(sides[left][0] - x0) < 0.5 * height
        edge = sides[right][0]
        if gap < MAX_GAP * height and starts_with and x0 + 0.2 * (x1 - x0) < edge < x1 - 0.1 * (x1 - x0):
            return edge
    return None


def _cuts(text: str, side: list[float], edge: float) -> list[int]:
    """Places of the blanks that may be the gutter, nearest first."""
    share = (edge - side[0]) / max(side[2] - side[0], 0.1)
    expected = share * len(text)
    near = [
        place
        for place, char in enumerate(text)
        if char == " " and abs(place - expected) <= max(6, CUT_SHARE * len(text))
    ]
    return sorted(near, key=lambda place: abs(place - expected))[:MAX_CUTS]


def _column(
    sides: Sides, index: int, left: float, right: float, following: list[int], step: int
) -> list[int]:
    """The nearest line below (step 1) or above (-1) within a part's width, and those that follow it."""
    _, y0, _, y1 = sides[index]
    height = max(y1 - y0, 0.1)
    best, nearest = -1, MAX_GAP * height
    for other, (x0, top, x1, bottom) in enumerate(sides):
        gap = top - y1 if step > 0 else y0 - bottom
        if other != index and -0.5 * height < gap < nearest and min(x1, right) - max(x0, left) > 2.0:
            best, nearest = other, gap
    chain: list[int] = []
    while best >= 0 and best not in chain and best != index and len(chain) < CONTEXT:
        chain.append(best)
        best = following[best]
    return chain
