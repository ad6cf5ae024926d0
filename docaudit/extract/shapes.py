"""From a mask of unexplained ink to regions that may hold text, by shape alone.

Left out are specks, dashes, long straight rules and the grids and frames they form, and plain shapes: boxes, bars,
discs, whose outline is all their ink. Everything else is a piece; pieces close together form a region.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from docaudit.extract.plain_shapes import is_graph, is_plain, is_rectilinear
from docaudit.extract.strokes import BLUR, EIGHT, Mask, runs, without_rules
from docaudit.location import TextLikely


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
