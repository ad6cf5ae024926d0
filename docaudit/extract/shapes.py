"""From a mask of unexplained ink to regions that may hold text, by shape alone.

Left out are specks, dashes, long straight rules and the grids and frames they form, and plain shapes: boxes, bars,
discs, whose outline is all their ink. Everything else is a piece; pieces close together form a region.

Shapes that are no letters: boxes, bars, discs, the cells of a table, the curve of a chart.

Long straight strokes in a mask of ink: rules, axes, grid lines, the sides of frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from docaudit.codes import TextLikely

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull


Mask = NDArray[np.bool_]

BLUR = 2
"""Pixels by which contrast widens a stroke."""
EIGHT = np.ones((3, 3), dtype=np.int8)
_RULE_PT, _RULE_THICK_PT = 36.0, 3.0
_CROSSED = 0.5


def without_rules(rest: Mask, zoom: float) -> Mask:
    """The ink without long straight strokes that are thin: rules, axes, grid lines, the sides of frames and fills."""
    for turned in (False, True):
        mask = np.ascontiguousarray(rest.T) if turned else rest
        rules = _rules(mask, zoom)
        if rules is not None:
            mask = mask & ~rules
            rest = np.ascontiguousarray(mask.T) if turned else mask
    return rest


def _rules(rest: Mask, zoom: float) -> Mask | None:
    """Long thin strokes from left to right.

    In a coarse picture the letters of a word touch each other, and the row of their middles is long and thin as well;
    but along half of it and more there is ink above or below.
    """
    long = opened(rest, round(_RULE_PT * zoom))
    if long is None:
        return None
    thickness = round(_RULE_THICK_PT * zoom) + BLUR
    rows = _around(np.asarray(long.any(axis=1)), thickness)
    rules = np.zeros_like(rest)
    rules[rows] = _thin(np.ascontiguousarray(rest[rows]), np.ascontiguousarray(long[rows]), thickness)
    return rules


def _around(busy: Mask, margin: int) -> slice:
    """From the first True to the last, and a margin."""
    at = np.flatnonzero(busy)
    return slice(max(0, int(at[0]) - margin), int(at[-1]) + 1 + margin)


def _thin(rest: Mask, long: Mask, thickness: int) -> Mask:
    """Of long strokes those that are thin and straight."""
    solid = opened(np.ascontiguousarray(long.T), thickness)
    thin = long if solid is None else long & ~solid.T
    tall = opened(np.ascontiguousarray(rest.T), thickness)
    if tall is None:
        return thin
    labels, count = ndimage.label(thin, structure=EIGHT)
    sizes = np.bincount(labels[thin], minlength=count + 1)
    crossed = np.bincount(labels[tall.T & thin], minlength=count + 1)
    straight: Mask = np.asarray(crossed <= _CROSSED * sizes)[labels]
    return np.asarray(thin & straight)


def opened(mask: Mask, length: int) -> Mask | None:
    """The stretches of a mask from left to right that have at least this length; None if there is none."""
    starts, stops = runs(mask)
    long = stops - starts >= length
    if not long.any():
        return None
    flat = np.zeros(mask.shape[0] * (mask.shape[1] + 1), dtype=np.bool_)
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        flat[start:stop] = True
    return flat.reshape(mask.shape[0], -1)[:, :-1]


def runs(mask: Mask) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Start and stop of each stretch of True in the rows, counted through rows that are one pixel longer."""
    flat = np.zeros(mask.shape[0] * (mask.shape[1] + 1) + 1, dtype=np.bool_)
    flat[1:].reshape(mask.shape[0], -1)[:, :-1] = mask
    edges = np.flatnonzero(flat[1:] != flat[:-1])
    return edges[::2], edges[1::2]


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


@dataclass(frozen=True)
class Row:
    """From when on shapes beside each other are taken for letters: their number, and their greatest height (points)."""

    letters: int
    tallest: float


ANY_ROW = Row(3, 60.0)
TINY_ROW = Row(5, 5.0)
"""For ink that was looked at for text already: only type too small to be made out there."""
_LETTER_LOW_PT, _LETTER_HIGH_PT = 2.2, ANY_ROW.tallest
_SMALL_PT = 7.0
_SPECK_PT = 1.6
_REACH_X_PT, _REACH_Y_PT = 9.0, 5.0
_MANY = 60
_WORD_SHAPE = 2.5
_FINE = 3.0
"""Zoom from which the shape of single letters can be told."""


@dataclass(frozen=True)
class Region:
    """Ink that belongs together, in pixels of the picture."""

    rows: slice
    columns: slice
    ink: int
    likely: TextLikely


class Piece(NamedTuple):
    """One connected piece of ink; `plain` if it can be no letter by itself."""

    rows: slice
    columns: slice
    plain: bool

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.rows.stop - self.rows.start)

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.columns.stop - self.columns.start)


def find_regions(rest: Mask, zoom: float, row: Row, picture: NDArray[np.uint8] | None = None) -> list[Region]:
    """Group what remains of a page's ink.

    Args:
        rest: Ink that no text explains.
        zoom: Pixels for each point.
        row: From when on pieces in a row make text likely.
        picture: The picture behind the mask, to tell plain shapes from letters; None if it is too coarse for that.
    """
    low = _low(zoom)
    busy = _busy(rest, low)
    if busy is not None:
        rest = without_rules(rest[busy], zoom)
        inner = _busy(rest, low)
        if inner is not None:
            rows = _moved(inner[0], busy[0].start)
            columns = _moved(inner[1], busy[1].start)
            colours = None if picture is None else picture[rows, columns]
            return [
                Region(
                    _moved(found.rows, rows.start),
                    _moved(found.columns, columns.start),
                    found.ink,
                    found.likely,
                )
                for found in _grouped(rest[inner], zoom, row, colours)
            ]
    return []


def count_letters(rest: Mask, zoom: float, picture: NDArray[np.uint8]) -> int:
    """How many pieces of ink may be letters by their shape; arguments as for find_regions."""
    return sum(not piece.plain for piece in _pieces(without_rules(rest, zoom), zoom, picture))


def _moved(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)


def _busy(rest: Mask, low: int) -> tuple[slice, slice] | None:
    """The part of a mask that holds all its stretches of inked rows that are as high as a letter."""
    rows = _stretches(np.asarray(rest.any(axis=1)), low)
    if rows is None:
        return None
    columns = _stretches(np.asarray(rest[rows].any(axis=0)), 1)
    return None if columns is None else (rows, columns)


def _stretches(busy: Mask, low: int) -> slice | None:
    starts, stops = runs(busy[None, :])
    long = stops - starts >= low
    return slice(int(starts[long][0]), int(stops[long][-1])) if long.any() else None


def _grouped(rest: Mask, zoom: float, row: Row, picture: NDArray[np.uint8] | None) -> list[Region]:
    pieces = _pieces(rest, zoom, picture if zoom >= _FINE else None)
    kept = [piece for piece in pieces if not piece.plain]
    if not kept:
        return []
    area = np.zeros_like(rest)
    reach_y, reach_x = round(_REACH_Y_PT * zoom), round(_REACH_X_PT * zoom)
    for piece in kept:
        area[
            max(0, piece.rows.start - reach_y) : piece.rows.stop + reach_y,
            max(0, piece.columns.start - reach_x) : piece.columns.stop + reach_x,
        ] = True
    labels, count = ndimage.label(area)
    members: list[list[Piece]] = [[] for _ in range(count + 1)]
    for piece in pieces:
        if not piece.plain or piece.height <= _LETTER_HIGH_PT * zoom:
            middle = (
                (piece.rows.start + piece.rows.stop) // 2,
                (piece.columns.start + piece.columns.stop) // 2,
            )
            number = labels[piece.rows.start, piece.columns.start] or labels[middle]
            members[number].append(piece)
    regions = [_region(group, rest, zoom, row) for group in members[1:] if group]
    return sorted(regions, key=lambda region: (region.rows.start, region.columns.start))


def _region(pieces: list[Piece], rest: Mask, zoom: float, row: Row) -> Region:
    rows = slice(min(p.rows.start for p in pieces), max(p.rows.stop for p in pieces))
    columns = slice(min(p.columns.start for p in pieces), max(p.columns.stop for p in pieces))
    shape = rest[rows, columns]
    graph = zoom >= _FINE and is_graph(shape, zoom)
    likely = TextLikely.NO if graph else _likely(pieces, zoom, row)
    return Region(rows, columns, int(np.count_nonzero(shape)), likely)


def _pieces(rest: Mask, zoom: float, picture: NDArray[np.uint8] | None) -> list[Piece]:
    """Connected pieces of ink, without specks and dashes; which of them are plain is told by the picture."""
    labels, count = ndimage.label(rest, structure=EIGHT)
    low, short = _low(zoom), _LETTER_HIGH_PT * zoom
    speck = (_SPECK_PT * zoom + BLUR) ** 2 / 2
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    pieces = []
    for number, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if sizes[number] < speck or max(height, width) < low:
            continue
        if min(height, width) < low:
            if max(height, width) <= short:
                pieces.append(
                    Piece(rows, columns, True)
                )  # a thin letter (l, i, 1) if it stands beside others
            continue
        plain = False
        if picture is not None:
            shape = labels[rows, columns] == number
            plain = is_plain(shape, picture[rows, columns], zoom) or (
                max(height, width) > short and is_rectilinear(shape, zoom)
            )
        pieces.append(Piece(rows, columns, plain))
    return pieces


def _low(zoom: float) -> int:
    """The height of the smallest letter, in pixels: strokes grow with the zoom, the blur around them does not."""
    return round(_LETTER_LOW_PT * zoom + BLUR - 0.5)


def _likely(pieces: list[Piece], zoom: float, row: Row) -> TextLikely:
    """Text is likely where pieces of letter height stand in a row; any other shape may be a letter or none."""
    letters = [piece for piece in pieces if _low(zoom) <= piece.height <= row.tallest * zoom + BLUR]
    touching = _SMALL_PT * zoom + BLUR if row is ANY_ROW else 0.0
    if any(_in_a_row(piece, letters, row.letters, touching) for piece in letters[:_MANY] if not piece.plain):
        return TextLikely.YES
    return TextLikely.UNKNOWN


def _in_a_row(piece: Piece, letters: list[Piece], row: int, touching: float) -> bool:
    """At least `row` pieces, this one included, stand beside each other with about the same top and bottom."""
    if piece.width > _WORD_SHAPE * piece.height:
        return piece.height <= touching  # small letters that touch: a word of them
    beside = sum(
        abs(other.rows.start - piece.rows.start) <= piece.height / 2
        and abs(other.rows.stop - piece.rows.stop) <= piece.height / 2
        and other.width <= _WORD_SHAPE * piece.height
        for other in letters
    )
    return bool(beside >= row)
