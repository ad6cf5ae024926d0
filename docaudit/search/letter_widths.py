"""How far into a line a letter stands, guessed from widths of letters: no table of lines keeps the places of glyphs.

The widths are those of common fonts for running text (half way between Helvetica and Times, in 1/20 of the font size);
of a monospaced line, and of one in another script, each letter gets its share.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

_CLASSES = {
    4: "'",
    5: "ijl,.| ",
    6: "ftI!/:;[\\]’‘",
    7: "r()-`",
    8: '"{}“”',
    9: "cszJ*^",
    10: "aekvxy?",
    11: "0123456789bdghnopqu#$+<=>_~–•",
    12: "FLPSTZ",
    13: "BE",
    14: "wACDHKNRUVXY&",
    15: "GOQ",
    16: "m",
    17: "M%",
    19: "W@",
    20: "—…",
}
_KNOWN = {letter: width for width, letters in _CLASSES.items() for letter in letters}
_SQUARE, _USUAL = 20, 11
_WIDE = frozenset("WF")
_FILLING = re.compile(r"(?:[.·_] ?){4,}| {3,}")
_PITCH = (0.594, 0.606)
"""Width of a letter of Courier and its like as a share of the font size."""


class _Widths(dict[str, int]):
    """Widths by letter; one that is not there is worked out once: this is asked for every letter of every line."""

    def __missing__(self, letter: str) -> int:
        if unicodedata.combining(letter):
            width = 0
        elif unicodedata.east_asian_width(letter) in _WIDE:
            width = _SQUARE
        else:  # an accent makes no letter wider
            width = _KNOWN.get(unicodedata.normalize("NFKD", letter)[0], _USUAL)
        self[letter] = width
        return width


_WIDTHS = _Widths(_KNOWN)


def share(text: str, first: int, last: int, width: float, size: float) -> tuple[float, float]:
    """Where letters first to last - 1 begin and end, as shares of the line's length (`width`, and font size, in
    points).

    >>> share("iiWW", 2, 4, 10.0, 10.0), share("iiWW", 2, 4, 24.0, 10.0)
    ((0.208..., 1.0), (0.5, 1.0))
    """
    count = max(len(text), 1)
    if _PITCH[0] * size * count <= width <= _PITCH[1] * size * count:
        return first / count, last / count
    before = _widths_before(text, width, size)
    whole = before[-1] or 1
    return before[first] / whole, before[last] / whole


@lru_cache(maxsize=1000)
def _widths_before(text: str, width: float, size: float) -> Sequence[float]:
    """The width of the line before each letter, and before its end."""
    widths: list[float] = [*map(_WIDTHS.__getitem__, text)]
    filling = [place for run in _FILLING.finditer(text) for place in range(*run.span())]
    if filling and width > 0 and size > 0:
        # Leaders and gaps take what the text leaves them: how wide they are says no font.
        rest = sum(widths) - sum(widths[place] for place in filling)
        room = max(width / size * _SQUARE - rest, len(filling)) / len(filling)
        for place in filling:
            widths[place] = room
    return tuple(accumulate(widths, initial=0.0))
