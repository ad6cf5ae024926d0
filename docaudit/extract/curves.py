"""Words along a curve: engines give them in pieces of a few letters, each turned a little against the one before.

A chain of such pieces is a line of its own, which is added after them: the pieces alone hold no word.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from docaudit.extract.boxes import union
from docaudit.extract.facts import LineFact

_MOST_LETTERS = 4
_FEWEST_PIECES = 4
_LEAST_STEP, _MOST_STEP = math.radians(0.3), math.radians(75)
_LEAST_TURN = math.radians(6)


class Piece(NamedTuple):
    """A line as the engine gives it, with its angle in radians."""

    line: LineFact
    angle: float


def chains(pieces: Sequence[Piece]) -> Iterator[tuple[int, LineFact]]:
    """Each curved line, with the number of its last piece."""
    start = 0
    for at in range(1, len(pieces) + 1):
        if at < len(pieces) and _goes_on(pieces[at - 1], pieces[at]):
            continue
        chain = pieces[start:at]
        turn = max(piece.angle for piece in chain) - min(piece.angle for piece in chain)
        if len(chain) >= _FEWEST_PIECES and turn >= _LEAST_TURN:
            yield at - 1, _joined(chain)
        start = at


def _goes_on(one: Piece, other: Piece) -> bool:
    """The next piece is as short, turned a little, and stands beside this one."""
    if not (_is_short(one) and _is_short(other)):
        return False
    step = abs((other.angle - one.angle + math.pi) % (2 * math.pi) - math.pi)
    size = max(one.line.size, other.line.size, 1.0)
    return _LEAST_STEP <= step <= _MOST_STEP and _distance(one, other) < size * 2.5


def _is_short(piece: Piece) -> bool:
    return piece.line.box is not None and 0 < len(piece.line.text.strip()) <= _MOST_LETTERS


def _distance(one: Piece, other: Piece) -> float:
    return math.dist(_centre(one), _centre(other))


def _centre(piece: Piece) -> tuple[float, float]:
    assert piece.line.box is not None
    x0, y0, x1, y1 = piece.line.box
    return (x0 + x1) / 2, (y0 + y1) / 2


def _joined(chain: Sequence[Piece]) -> LineFact:
    """The pieces as one line; where none of them ends with a blank, wide gaps are blanks."""
    texts = [piece.line.text for piece in chain]
    if not any(text != text.strip() for text in texts):
        gaps = [_distance(one, other) for one, other in pairwise(chain)]
        wide = 1.5 * median(gaps)
        texts = [text + " " * (gap > wide) for text, gap in zip(texts, [*gaps, 0.0], strict=True)]
    first = chain[0].line
    return LineFact(
        text="".join(texts).strip(),
        box=union([piece.line.box for piece in chain if piece.line.box]),
        block=first.block,
        source=first.source,
        visibility=first.visibility,
        direction=first.direction,
        size=first.size,
    )
