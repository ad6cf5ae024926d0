"""From a mask of unexplained ink to regions that may hold text, by shape alone.

Left out are specks, dashes, long straight rules and the grids and frames they form. Of the other pieces some can be no
letters: boxes, bars, discs, the cells of a table, the curve of a chart. Pieces close together form a region.
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

# Sizes in points, unless they say otherwise. They were set so that none of 252 pages that show one scanned phrase, and
# of 84 images of words on pages of text, passes without a blind spot, while 55 of 1,701 pages of real reports are
# flagged.
_BLUR = 2
"""Pixels by which contrast widens a stroke."""
_EIGHT = np.ones((3, 3), dtype=np.int8)
_RULE_PT, _RULE_THICK_PT = 36.0, 3.0
_CROSSED = 0.5
"""Share of a stroke's length with ink above or below, from which it is the middle of a word and no rule."""
_RING, _RING_COVERED, _SOLID = 0.22, 0.8, 0.97
"""Thickness of an outline as a share of a shape's lesser side, share of the hull's outline along which there is ink,
and share of pixels that must agree."""
_SINGLE, _GRAPH_HIGH_PT, _GRAPH_WIDE_PT = 0.95, 30.0, 60.0
"""Share of the columns of a curve in which it has one point only, and the least size of a curve."""
_STROKE_PT = 6.0
_LETTER_LOW_PT, _LETTER_HIGH_PT = 2.2, 60.0
_SMALL_PT = 7.0
_SPECK_PT = 1.6
_REACH_X_PT, _REACH_Y_PT = 9.0, 5.0
_MANY = 60
"""Pieces of a region that are looked at as the beginning of a row."""
_WORD_SHAPE = 2.5
"""Width of a letter as a multiple of its height, at most."""
_FINE = 3.0
"""Zoom from which the shape of single letters can be told."""


@dataclass(frozen=True)
class Row:
    """From when on shapes beside each other are taken for letters: their number, and their greatest height (points)."""

    letters: int
    tallest: float


ANY_ROW = Row(3, _LETTER_HIGH_PT)
TINY_ROW = Row(5, 5.0)
"""For ink that was looked at for text already: only type too small to be made out there."""


@dataclass(frozen=True)
class Region:
    """Ink that belongs together, in pixels of the rendering."""

    rows: slice
    columns: slice
    ink: int
    likely: TextLikely


class Piece(NamedTuple):
    """One connected piece of ink; `non_text` if it can be no letter by itself."""

    rows: slice
    columns: slice
    non_text: bool

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.rows.stop - self.rows.start)

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.columns.stop - self.columns.start)


def find_regions(rest: Mask, zoom: float, row: Row, pixels: NDArray[np.uint8] | None = None) -> list[Region]:
    """Group what remains of a page's ink.

    Args:
        rest: Ink that no text explains.
        zoom: Pixels for each point.
        row: From when on pieces in a row make text likely.
        pixels: The rendering behind the mask, to tell other shapes from letters; None if it is too coarse for that.
    """
    low = _low(zoom)
    busy = _busy(rest, low)
    if busy is None:
        return []
    rest = _without_rules(rest[busy], zoom)
    inner = _busy(rest, low)
    if inner is None:
        return []
    rows, columns = _moved(inner[0], busy[0].start), _moved(inner[1], busy[1].start)
    part = pixels[rows, columns] if pixels is not None and zoom >= _FINE else None
    return [
        Region(
            _moved(region.rows, rows.start), _moved(region.columns, columns.start), region.ink, region.likely
        )
        for region in _grouped(rest[inner], zoom, row, part)
    ]


def count_letters(rest: Mask, zoom: float, pixels: NDArray[np.uint8]) -> int:
    """How many pieces of ink may be letters by their shape; arguments as for find_regions."""
    return sum(not piece.non_text for piece in _pieces(_without_rules(rest, zoom), zoom, pixels))


def _moved(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)


def _low(zoom: float) -> int:
    """The height of the smallest letter, in pixels: strokes grow with the zoom, the blur around them does not."""
    return round(_LETTER_LOW_PT * zoom + _BLUR - 0.5)


def _busy(rest: Mask, low: int) -> tuple[slice, slice] | None:
    """The part of a mask that holds all its stretches of inked rows that are as high as a letter."""

    def extent(line: Mask, shortest: int) -> slice | None:
        starts, stops = _runs(line[None, :])
        long = stops - starts >= shortest
        return slice(int(starts[long][0]), int(stops[long][-1])) if long.any() else None

    rows = extent(np.asarray(rest.any(axis=1)), low)
    columns = None if rows is None else extent(np.asarray(rest[rows].any(axis=0)), 1)
    return None if rows is None or columns is None else (rows, columns)


def _grouped(rest: Mask, zoom: float, row: Row, pixels: NDArray[np.uint8] | None) -> list[Region]:
    """Regions of pieces that lie within reach of each other; shapes that are no letters make none by themselves."""
    pieces = _pieces(rest, zoom, pixels)
    area = np.zeros_like(rest)
    reach_y, reach_x = round(_REACH_Y_PT * zoom), round(_REACH_X_PT * zoom)
    for piece in pieces:
        if not piece.non_text:
            area[
                max(0, piece.rows.start - reach_y) : piece.rows.stop + reach_y,
                max(0, piece.columns.start - reach_x) : piece.columns.stop + reach_x,
            ] = True
    labels, count = ndimage.label(area)
    members: list[list[Piece]] = [[] for _ in range(count + 1)]
    for piece in pieces:
        if not piece.non_text or piece.height <= _LETTER_HIGH_PT * zoom:
            rows, columns = piece.rows, piece.columns
            middle = (rows.start + rows.stop) // 2, (columns.start + columns.stop) // 2
            members[labels[rows.start, columns.start] or labels[middle]].append(piece)
    regions = []
    for group in members[1:]:
        if group:
            rows = slice(min(p.rows.start for p in group), max(p.rows.stop for p in group))
            columns = slice(min(p.columns.start for p in group), max(p.columns.stop for p in group))
            shape = rest[rows, columns]
            graph = zoom >= _FINE and _is_graph(shape, zoom)
            likely = TextLikely.NO if graph else _likely(group, zoom, row)
            regions.append(Region(rows, columns, int(np.count_nonzero(shape)), likely))
    return sorted(regions, key=lambda region: (region.rows.start, region.columns.start))


def _pieces(rest: Mask, zoom: float, pixels: NDArray[np.uint8] | None) -> list[Piece]:
    """Connected pieces of ink, without specks and dashes; which of them can be no letters is told by the rendering."""
    labels, count = ndimage.label(rest, structure=_EIGHT)
    low, tallest = _low(zoom), _LETTER_HIGH_PT * zoom
    speck = (_SPECK_PT * zoom + _BLUR) ** 2 / 2
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    pieces = []
    for number, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        longest = max(height, width)
        if sizes[number] < speck or longest < low:
            continue
        if min(height, width) < low:
            if longest <= tallest:
                # A thin letter (l, i, 1) if it stands beside others.
                pieces.append(Piece(rows, columns, True))
            continue
        non_text = False
        if pixels is not None:
            shape = labels[rows, columns] == number
            non_text = _is_convex_outline(shape, pixels[rows, columns], zoom)
            non_text = non_text or (longest > tallest and _is_rectilinear(shape, zoom))
        pieces.append(Piece(rows, columns, non_text))
    return pieces


def _likely(pieces: list[Piece], zoom: float, row: Row) -> TextLikely:
    """Text is likely where pieces of letter height stand in a row; any other shape may be a letter or none."""
    letters = [piece for piece in pieces if _low(zoom) <= piece.height <= row.tallest * zoom + _BLUR]
    touching = _SMALL_PT * zoom + _BLUR if row is ANY_ROW else 0.0
    for piece in letters[:_MANY]:
        if piece.non_text:
            continue
        if piece.width > _WORD_SHAPE * piece.height:
            if piece.height <= touching:
                return TextLikely.YES  # small letters that touch: a word of them
            continue
        beside = sum(
            abs(other.rows.start - piece.rows.start) <= piece.height / 2
            and abs(other.rows.stop - piece.rows.stop) <= piece.height / 2
            and other.width <= _WORD_SHAPE * piece.height
            for other in letters
        )
        if beside >= row.letters:
            return TextLikely.YES
    return TextLikely.UNKNOWN


def _runs(mask: Mask) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Start and stop of each stretch of True in the rows, counted through rows that are one pixel longer."""
    flat = np.zeros(mask.shape[0] * (mask.shape[1] + 1) + 1, dtype=np.bool_)
    flat[1:].reshape(mask.shape[0], -1)[:, :-1] = mask
    edges = np.flatnonzero(flat[1:] != flat[:-1])
    return edges[::2], edges[1::2]


def _opened(mask: Mask, length: int) -> Mask | None:
    """The stretches of a mask from left to right that have at least this length; None if there is none."""
    starts, stops = _runs(mask)
    long = stops - starts >= length
    if not long.any():
        return None
    flat = np.zeros(mask.shape[0] * (mask.shape[1] + 1), dtype=np.bool_)
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        flat[start:stop] = True
    return flat.reshape(mask.shape[0], -1)[:, :-1]


def _turned(mask: Mask) -> Mask:
    return np.ascontiguousarray(mask.T)


def _without_rules(rest: Mask, zoom: float) -> Mask:
    """The ink without long straight strokes that are thin: rules, axes, grid lines, the sides of frames and fills."""
    thickness = round(_RULE_THICK_PT * zoom) + _BLUR
    for turned in (False, True):
        mask = _turned(rest) if turned else rest
        long = _opened(mask, round(_RULE_PT * zoom))
        if long is not None:
            rows = np.flatnonzero(long.any(axis=1))
            around = slice(max(0, int(rows[0]) - thickness), int(rows[-1]) + 1 + thickness)
            rules = np.zeros_like(mask)
            rules[around] = _thin(
                np.ascontiguousarray(mask[around]), np.ascontiguousarray(long[around]), thickness
            )
            mask = mask & ~rules
            rest = _turned(mask) if turned else mask
    return rest


def _thin(rest: Mask, long: Mask, thickness: int) -> Mask:
    """Of long strokes from left to right those that are thin and straight.

    In a coarse rendering the letters of a word touch each other, and the row of their middles is long and thin as well;
    but along half of it and more there is ink above or below.
    """
    solid = _opened(_turned(long), thickness)
    thin = long if solid is None else long & ~solid.T
    tall = _opened(_turned(rest), thickness)
    if tall is None:
        return thin
    labels, count = ndimage.label(thin, structure=_EIGHT)
    sizes = np.bincount(labels[thin], minlength=count + 1)
    crossed = np.bincount(labels[tall.T & thin], minlength=count + 1)
    straight: Mask = np.asarray(crossed <= _CROSSED * sizes)[labels]
    return np.asarray(thin & straight)


def _is_convex_outline(shape: Mask, pixels: NDArray[np.uint8], zoom: float) -> bool:
    """The ink of the shape is the outline of a convex area of one colour: a box, a bar, a disc, a triangle."""
    from scipy.spatial import ConvexHull, QhullError  # few pages have such shapes, and it is slow to import

    height, width = shape.shape
    ring = max(_BLUR + 1.0, min(zoom + _BLUR, _RING * min(height, width)))
    points = np.argwhere(shape)
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return True  # all on one line
    if np.count_nonzero(_depth(hull, points) > ring) > (1 - _SOLID) * len(points):
        return False
    if height * width <= 40_000:
        grid = np.argwhere(np.ones(shape.shape, dtype=bool))
    else:  # some points of a large shape do
        rows = np.unique(np.linspace(0, height - 1, 200).astype(int))
        columns = np.unique(np.linspace(0, width - 1, 200).astype(int))
        grid = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
    inside = grid[_depth(hull, grid) > ring]
    if not len(inside):
        return False
    colours = pixels[inside[:, 0], inside[:, 1], :3].astype(np.int16)
    even = np.abs(colours - np.median(colours, axis=0)).max(axis=1) <= 24
    return bool(even.mean() >= _SOLID and _outline_is_inked(hull, points, ring))


def _depth(hull: ConvexHull, points: NDArray[np.int_]) -> NDArray[np.float64]:
    """How far inside the hull each point lies."""
    return np.asarray(-(points @ hull.equations[:, :2].T + hull.equations[:, 2]).max(axis=1))


def _outline_is_inked(hull: ConvexHull, points: NDArray[np.int_], ring: float) -> bool:
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
    near = ndimage.binary_dilation(near, _EIGHT, iterations=max(1, int(ring / 2)))
    at = np.rint(outline).astype(int) + 1
    return bool(near[at[:, 0], at[:, 1]].mean() >= _RING_COVERED)


def _is_rectilinear(shape: Mask, zoom: float) -> bool:
    """A large shape of nothing but straight strokes along the page: the cells of a table, the bars of a chart."""
    length = round(_STROKE_PT * zoom)
    straight = np.zeros_like(shape)
    across, down = _opened(shape, length), _opened(_turned(shape), length)
    if across is not None:
        straight |= across
    if down is not None:
        straight |= down.T
    return bool(np.count_nonzero(straight) >= _SOLID * np.count_nonzero(shape))


def _is_graph(shape: Mask, zoom: float) -> bool:
    """A line that never turns back and never stops, as a curve in a chart: above each place it has one point. Writing
    has loops and gaps. (The two edges of a thick line count as one.)
    """
    if shape.shape[0] < _GRAPH_HIGH_PT * zoom or shape.shape[1] < _GRAPH_WIDE_PT * zoom:
        return False
    size = round(_STROKE_PT / 2 * zoom)
    thick = ndimage.maximum_filter1d(shape.view(np.uint8), size, axis=0).view(np.bool_)
    starts = np.count_nonzero(thick[1:] & ~thick[:-1], axis=0) + thick[0]
    return bool((starts == 1).mean() >= _SINGLE)
