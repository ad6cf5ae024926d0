"""Shapes that are no letters: boxes, bars, discs, the cells of a table, the curve of a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from docaudit.extract.strokes import BLUR, EIGHT, Mask, opened

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

_RING, _RING_COVERED, _PLAIN_INSIDE = 0.22, 0.8, 0.97
_SINGLE, _GRAPH_HIGH_PT, _WIDE_PT = 0.95, 30.0, 60.0
_STROKE_PT = 6.0


def is_plain(shape: Mask, picture: NDArray[np.uint8], zoom: float) -> bool:
    """The ink of the shape is the outline of a convex area of one colour: a box, a bar, a disc, a triangle."""
    height, width = shape.shape
    ring = max(BLUR + 1.0, min(zoom + BLUR, _RING * min(height, width)))
    from scipy.spatial import ConvexHull, QhullError  # few pages have such shapes, and it is slow to import

    points = np.argwhere(shape)
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return True  # all on one line
    depth = _depth(hull, points)
    if np.count_nonzero(depth > ring) > (1 - _PLAIN_INSIDE) * len(points):
        return False
    grid = (
        np.argwhere(np.ones(shape.shape, dtype=bool)) if height * width <= 40_000 else _sample(height, width)
    )
    inside = grid[_depth(hull, grid) > ring]
    if not len(inside):
        return False
    colours = picture[inside[:, 0], inside[:, 1], :3].astype(np.int16)
    even = np.abs(colours - np.median(colours, axis=0)).max(axis=1) <= 24
    return bool(even.mean() >= _PLAIN_INSIDE and _covered(hull, points, ring))


def is_rectilinear(shape: Mask, zoom: float) -> bool:
    """A large shape of nothing but straight strokes along the page: the cells of a table, the bars of a chart."""
    length = round(_STROKE_PT * zoom)
    across, down = opened(shape, length), opened(np.ascontiguousarray(shape.T), length)
    straight = np.zeros_like(shape)
    if across is not None:
        straight |= across
    if down is not None:
        straight |= down.T
    return bool(np.count_nonzero(straight) >= _PLAIN_INSIDE * np.count_nonzero(shape))


def is_graph(shape: Mask, zoom: float) -> bool:
    """A line that never turns back and never stops, as a curve in a chart: above each place it has one point. Writing
    has loops and gaps. (The two edges of a thick line count as one.)
    """
    if shape.shape[0] < _GRAPH_HIGH_PT * zoom or shape.shape[1] < _WIDE_PT * zoom:
        return False
    thick = ndimage.maximum_filter1d(shape.view(np.uint8), round(_STROKE_PT / 2 * zoom), axis=0).view(
        np.bool_
    )
    starts = np.count_nonzero(thick[1:] & ~thick[:-1], axis=0) + thick[0]
    return bool((starts == 1).mean() >= _SINGLE)


def _depth(hull: ConvexHull, points: NDArray[np.int_]) -> NDArray[np.float64]:
    """How far inside the hull each point lies."""
    return np.asarray(-(points @ hull.equations[:, :2].T + hull.equations[:, 2]).max(axis=1))


def _sample(height: int, width: int) -> NDArray[np.int_]:
    rows = np.unique(np.linspace(0, height - 1, 200).astype(int))
    columns = np.unique(np.linspace(0, width - 1, 200).astype(int))
    return np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)


def _covered(hull: ConvexHull, points: NDArray[np.int_], ring: float) -> bool:
    """There is ink along most of the outline of the hull: not so for L, V, U or C."""
    corners = hull.points[hull.vertices]
    following = np.roll(corners, -1, axis=0)
    lengths = np.hypot(*(following - corners).T)
    steps = [np.linspace(0, 1, max(2, int(length / 2)), endpoint=False)[:, None] for length in lengths]
    outline = np.concatenate(
        [start + step * (stop - start) for start, stop, step in zip(corners, following, steps, strict=True)]
    )
    near = np.zeros((int(points[:, 0].max()) + 3, int(points[:, 1].max()) + 3), dtype=bool)
    near[points[:, 0] + 1, points[:, 1] + 1] = True
    near = ndimage.binary_dilation(near, EIGHT, iterations=max(1, int(ring / 2)))
    at = np.rint(outline).astype(int) + 1
    return bool(near[at[:, 0], at[:, 1]].mean() >= _RING_COVERED)
