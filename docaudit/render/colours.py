"""One colour for each concept, the same on the page map and in the annotated PDF."""

from __future__ import annotations

PALETTE = (
    "#1f5fa8",  # blue
    "#1b7f4d",  # green
    "#7b3fa0",  # purple
    "#b45f06",  # orange
    "#00798c",  # teal
    "#b5347a",  # pink
    "#6b7000",  # olive
    "#7a4a2b",  # brown
)
UNREAD = "#a3211d"
_WHITE_SHARE = 0.45


def colour(number: int) -> str:
    """The colour of the n-th concept as #rrggbb; after the last the first comes again."""
    return PALETTE[number % len(PALETTE)]


def rgb(code: str) -> tuple[float, float, float]:
    """A colour as shares of red, green and blue.

    >>> rgb("#ff0000")
    (1.0, 0.0, 0.0)
    """
    red, green, blue = (round(int(code[place : place + 2], 16) / 255, 3) for place in (1, 3, 5))
    return red, green, blue


def highlighter(code: str) -> tuple[float, float, float]:
    """The same hue so light that text under it can be read."""
    red, green, blue = (round(part + (1 - part) * _WHITE_SHARE, 3) for part in rgb(code))
    return red, green, blue
