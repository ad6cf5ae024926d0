"""Where sentences begin in the lines of a document: a rule of thumb that would rather join two sentences than cut one.

A sentence ends at a full stop, question or exclamation mark that is no part of an abbreviation, and with its block,
unless the next block goes on with a small letter (a paragraph over two columns or pages).

>>> starts = sentence_starts([((1, 1), "Costs rose, e.g. by 3.5 %. Then", 1), ((1, 2), "they fell.", 1)])
>>> starts
{(1, 1): [(0, 0), (27, 1)], (1, 2): [(0, 1)]}
>>> sentence_at(starts, (1, 1), 20), sentence_at(starts, (1, 2), 4)
(0, 1)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

import regex

Place = tuple[int, int]
Starts = dict[Place, list[tuple[int, int]]]
"""For each line where sentences begin or go on: first character, number of the sentence."""

_END = regex.compile(
    r"(?:[.!?\u2026]+[\"'\u2019\u201d)\]]*(?=\s+[\p{Lu}\p{N}\"'\u201c(\[])|[。！？｡]+[」』）]*)\s*"
)
_END_OF_LINE = regex.compile(r"(?:[.!?\u2026]+[\"'\u2019\u201d)\]]*|[。！？｡]+[」』）]*)\s*$")
_ABBREVIATION = regex.compile(
    r"(?:(?<!\p{L})\p{L}|\b(?:e\.g|i\.e|cf|vs|etc|al|approx|ca|No|Nos|Fig|Figs|Art|Sec|Ch|Vol|pp?|Dr|Mr|Mrs|Ms|Prof|St|Inc|"
    r"Ltd|Co|Corp|bzw|Nr|Abs|z\.B))\.$",
    regex.IGNORECASE,
)


def sentence_starts(lines: Iterable[tuple[Place, str, int]]) -> Starts:
    """Where sentences begin.

    Args:
        lines: Place, text and block of each line, in the order of reading.
    """
    starts: Starts = {}
    number, ended = -1, True
    last: tuple[int, int] | None = None
    for place, text, block in lines:
        here = (place[0], block)
        first = text.lstrip()[:1]
        if here != last and not (first.islower() and block):
            ended = True
        number += ended
        found = [(0, number)]
        for match in _END.finditer(text):
            if match.end() < len(text) and not _ABBREVIATION.search(text[: match.end()].rstrip()):
                number += 1
                found.append((match.end(), number))
        starts[place] = found
        ended = _END_OF_LINE.search(text) is not None and not _ABBREVIATION.search(text.rstrip())
        last = here
    return starts


def sentence_at(starts: Starts, place: Place, char: int) -> int:
    """Number of the sentence in which a character of a line stands."""
    here = starts[place]
    return here[bisect_right(here, (char, 10**9)) - 1][1]
