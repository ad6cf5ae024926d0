"""Where text may go on after a page break, or after something that stands in between: pairs of lines.

A header or footer that stands on one page only looks like any other line, so a type cannot tell where the text goes
on; and between the two parts there may be notes, a head of several lines, a table or a figure with its caption. So
the last and first lines of two pages are paired whatever they are, and besides lines of the same size of print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise, product

from docaudit.search.pagelines import PageLines

TAILS, HEADS = 2, 3
"""Last lines of a page that may go on, and first lines of the next that may continue them: whatever they are."""
SIZE_DIFFERENCE = 0.6
"""Lines whose sizes differ by no more points are set in the same size."""
SIZED_HEADS, AFTER_INSERTION = 3, 2
"""Beginnings of blocks of the same size that are tried, on the next page and behind an insertion."""

_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_ENDS = ".!?:;\u3002\uff01\uff1f"


def page_breaks(lines: PageLines, before: list[int], after: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of a line of one page and a line of the next that may continue it."""
    tails = [row for row in before if has_letters(lines.search[row])][-TAILS:]
    heads = [row for row in after if has_letters(lines.search[row])][:HEADS]
    for tail, head in (*product(tails, heads), *_sized_breaks(lines, before, after)):
        if lines.page[head] == lines.page[tail] + 1:
            yield tail, head


def _sized_breaks(lines: PageLines, before: list[int], after: list[int]) -> Iterator[tuple[int, int]]:
    """Open ends of blocks near the end of a page, and beginnings of blocks of the same size on the next."""
    goes_on = [*_block_starts(lines, before)[1:], True]
    ends = [row for row, last in zip(before, goes_on, strict=True) if last and _is_open(lines, row)]
    heads = [row for row, first in zip(after, _block_starts(lines, after), strict=True) if first]
    heads = [row for row in heads if has_letters(lines.search[row])]
    taken: list[int] = []
    for tail in reversed(ends):
        if len(taken) >= 3 * TAILS:
            return
        if sum(_same_size(lines, tail, known) for known in taken) < TAILS:
            taken.append(tail)
            for head in islice((one for one in heads if _same_size(lines, tail, one)), SIZED_HEADS):
                yield tail, head


def insertions(lines: PageLines, rows: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of a line that ends a block inside a sentence and a later one of its size, something of another size
    standing between.
    """
    starts = _block_starts(lines, rows)
    for place, (row, following) in enumerate(pairwise(rows), 1):
        if starts[place] and not _same_size(lines, row, following) and _is_open(lines, row):
            later = zip(rows[place + 1 :], starts[place + 1 :], strict=True)
            heads = (head for head, first in later if first and _same_size(lines, row, head))
            yield from ((row, head) for head in islice(heads, AFTER_INSERTION))


def _block_starts(lines: PageLines, rows: list[int]) -> list[bool]:
    """For each row whether it begins a block, or text of another size."""
    first = [True] * len(rows)
    for place, (before, row) in enumerate(pairwise(rows), 1):
        first[place] = lines.block[before] != lines.block[row] or not _same_size(lines, before, row)
    return first


def _same_size(lines: PageLines, one: int, other: int) -> bool:
    return (
        not abs(lines.sizes[one] - lines.sizes[other]) > SIZE_DIFFERENCE
    )  # sizes that are unknown may be the same


def _is_open(lines: PageLines, row: int) -> bool:
    return lines.search[row][-1:] not in _SENTENCE_ENDS and has_letters(lines.search[row])


def has_letters(text: str) -> bool:
    """Whether a text has a letter of any script."""
    return _LETTER.search(text) is not None
