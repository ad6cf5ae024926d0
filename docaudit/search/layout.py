"""Boxes of lines in, their places out: which line of a page lies under which, and which stand side by side.

Lines that do not run horizontally are turned first, so that every rule is written once, for text that runs to the right
and continues below. Vertical text turns like text rotated to the right: its next column lies to the left. The limits
below are chosen from how pages are set, not measured.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from docaudit.codes import Direction
from docaudit.search.lines import Floats, PageLines

MAX_GAP = 2.5
"""A line continues in the one below if the gap between them is at most this many line heights."""
ROW_GAP, BLOCK_ROW_GAP = 1.2, 6.0
"""Side by side, two lines continue each other over at most so many line heights; within one block, over more."""
TOUCHING = 0.18
"""Pieces nearer than this share of the line height may be parts of one word."""

_AT_ONCE = 256
"""Lines that are compared with all others at a time."""

Boxes = npt.NDArray[np.float64]


def turned(lines: PageLines, rows: list[int], direction: str) -> Boxes:
    """Boxes of rows as an n x 4 array, turned so that text runs to the right and continues below."""
    box = np.column_stack([side[rows] for side in (lines.x0, lines.y0, lines.x1, lines.y1)])
    x0, y0, x1, y1 = box.T
    if direction in (Direction.VERTICAL, Direction.ROTATED_RIGHT):
        return np.column_stack([y0, -x1, y1, -x0])
    if direction == Direction.ROTATED_LEFT:
        return np.column_stack([-y1, x0, -y0, x1])
    if direction == Direction.UPSIDE_DOWN:
        return np.column_stack([-x1, -y1, -x0, -y0])
    return np.asarray(box)


def is_simple(box: Boxes) -> bool:
    """Whether lines in order already run down the page without any two side by side."""
    if len(box) < 2:
        return True
    middle = (box[:, 1] + box[:, 3]) / 2
    return bool((box[1:, 1] >= middle[:-1]).all() and (middle[1:] >= box[:-1, 3] - 0.01).all())


def neighbours_below(box: Boxes) -> tuple[list[int], list[int]]:
    """For each line the nearest line below that overlaps it in width, and the nearest above; -1 where there is none.

    Among lines at the same height the one with the nearest left edge is taken.
    """
    count = len(box)
    widest = float(np.abs(box[:, 0].max() - box[:, 0].min())) + 1.0 if count else 1.0
    down = np.full(count, -1, dtype=np.int64)
    up = np.full(count, -1, dtype=np.int64)
    best = np.full(count, np.inf)
    # Some lines at a time: a drawing may have ten thousand pieces of text on a page, and all pairs take gigabytes.
    for start in range(0, count, _AT_ONCE):
        cost = _descents(box[start : start + _AT_ONCE], box, widest)
        nearest = cost.argmin(axis=1)
        has_one = np.isfinite(cost[np.arange(len(cost)), nearest])
        down[start : start + _AT_ONCE][has_one] = nearest[has_one]
        above = cost.argmin(axis=0)
        least = cost[above, np.arange(count)]
        better = least < best
        up[better], best[better] = above[better] + start, least[better]
    return down.tolist(), up.tolist()


def _descents(upper: Boxes, box: Boxes, widest: float) -> Floats:
    """How far each of all lines is below each of the upper ones; infinite where it does not follow it."""
    x0, y0, x1, y1 = (side[:, None] for side in upper.T)
    left, top, right, bottom = (side[None, :] for side in box.T)
    height, others = np.maximum(y1 - y0, 0.1), np.maximum(bottom - top, 0.1)
    overlap = np.minimum(x1, right) - np.maximum(x0, left)
    wide_enough = overlap > np.minimum(0.1 * np.minimum(x1 - x0, right - left), 2.0)
    lower = np.minimum(height, others)
    below = (y0 + y1) + lower < (top + bottom)
    gap = top - y1
    near = gap < MAX_GAP * np.maximum(lower, 0.6 * np.maximum(height, others))
    shift = np.abs(left - x0) / widest
    cost = np.maximum(gap, -height) + shift * 0.5 * height
    return np.asarray(np.where(wide_enough & below & near, cost, np.inf))


def visual_rows(box: Boxes) -> list[list[int]]:
    """Lines grouped into visual rows (vertical extents overlap by half), top to bottom, left to right in each."""
    left, top, _, bottom = box.T.tolist()
    rows: list[list[int]] = []
    row_top = row_bottom = 0.0
    for index in np.argsort((box[:, 1] + box[:, 3]) / 2, kind="stable").tolist():
        shared = min(row_bottom, bottom[index]) - max(row_top, top[index])
        lower = min(row_bottom - row_top, bottom[index] - top[index])
        if rows and shared >= 0.5 * max(lower, 0.1):
            rows[-1].append(index)
        else:
            rows.append([index])
            row_top, row_bottom = top[index], bottom[index]
    return [sorted(row, key=left.__getitem__) for row in rows]


def gap_in_heights(box: Boxes, left: int, right: int) -> float:
    """Distance between two lines side by side, in heights of the lower one; negative where they overlap."""
    height = max(min(box[left, 3] - box[left, 1], box[right, 3] - box[right, 1]), 0.1)
    return float((box[right, 0] - box[left, 2]) / height)


def goes_back(lines: PageLines, rows: Sequence[int]) -> list[bool]:
    """For each line but the first whether it stands before the line before it in the same row of its page.

    Drawn backwards, the two do not continue each other for a reader; the order of rows has them as they are read.
    Lines without a box, in another direction, or in two scripts of different direction are left as they are.
    """
    at = np.asarray(rows, dtype=np.int64)
    level = [lines.direction[row] == Direction.HORIZONTAL for row in rows]
    placed = lines.has_box[at] & np.asarray(level, dtype=bool)
    top, bottom, left, right = lines.y0[at], lines.y1[at], lines.x0[at], lines.x1[at]
    shared = np.minimum(bottom[1:], bottom[:-1]) - np.maximum(top[1:], top[:-1])
    lower = np.minimum(bottom[1:] - top[1:], bottom[:-1] - top[:-1])
    in_row = placed[1:] & placed[:-1] & (shared > 0.6 * lower) & (lower > 0)
    to_left, to_right = in_row & (right[1:] <= left[:-1] + 0.5), in_row & (left[1:] >= right[:-1] - 0.5)
    back: list[bool] = to_left.tolist()
    for place in np.flatnonzero(to_left | to_right).tolist():
        rtl_before, rtl = is_rtl(lines.search[rows[place]]), is_rtl(lines.search[rows[place + 1]])
        if rtl_before or rtl:
            back[place] = bool(to_right[place]) and rtl_before and rtl
    return back


def is_rtl(text: str) -> bool:
    """Whether a text has Hebrew or Arabic letters."""
    return not text.isascii() and any("\u0590" <= char <= "\u08ff" for char in text)
