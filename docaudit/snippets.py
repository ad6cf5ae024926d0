"""The text around a finding: which part of a line is kept, and whether what was kept goes on.

A snippet is verbatim and says nothing of itself. Where it was cut follows from its length and from the place of the
match in it, so that reports can mark it.
"""

from __future__ import annotations

import re

SNIPPET_CHARS = 160
"""A line of so many characters is kept whole; of a longer one, so many around the match."""
ELLIPSIS = "…"


def window(text: str, first: int, last: int, size: int = SNIPPET_CHARS) -> str:
    """`size` characters of a line with those from first to last - 1 in their middle; more if these are more.

    >>> window("abcdefghij", 4, 6, 4), window("abcdefghij", 0, 2, 4), window("abc", 0, 2, 4)
    ('defg', 'abcd', 'abc')
    """
    if len(text) <= size:
        return text
    start = max(min(first - _before(last - first, size), len(text) - size), 0)
    return text[start : max(start + size, last)]


def with_ellipses(snippet: str, match: str) -> str:
    """The snippet with an ellipsis where its line goes on; as it is where the match does not stand in it.

    >>> line = "a " * 100 + "match" + " b" * 100
    >>> with_ellipses(window(line, 200, 205), "match").strip("… ab"), with_ellipses("a match", "match")
    ('match', 'a match')
    """
    lines, parts = snippet.split("\n"), match.split("\n")
    if len(lines) != len(parts):
        return snippet
    size = SNIPPET_CHARS // len(parts)
    return "\n".join(_marked(line, part, size) for line, part in zip(lines, parts, strict=True))


def _before(length: int, size: int) -> int:
    """Characters before a match of this length, if the line has as many on both sides."""
    return max(size - length, 0) // 2


def _marked(line: str, part: str, size: int) -> str:
    places = [found.start() for found in re.finditer(re.escape(part), line)] if part else []
    if len(line) < size or not places:
        return line
    # Near its beginning or end the window of a line does not have the match in its middle.
    middle = _before(len(part), size)
    place = min(places, key=lambda place: abs(place - middle))
    return (ELLIPSIS if place >= middle else "") + line + (ELLIPSIS if place <= middle else "")
