"""The running text of documents in passages: what phrases and acronyms are read from, across the ends of lines.

A passage is a block (a paragraph, a cell, a heading) of one page. Words that a hyphen parts at the end of a line are
joined; the sweep, which decides what is a hit, tries both ways and is not replaced by this.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pandas as pd

from docaudit.wordforms import CJK

_CONTEXT_CHARS = 160
_BROKEN = re.compile(r"[^\W\d_]{2}[-\u2010\u00ad]$")


@dataclass(frozen=True)
class Passage:
    """A piece of running text.

    Attributes:
        document: Name of the document.
        page: 1-based physical page; 0 for the document as a whole.
        text: Its lines, joined.
        starts: For each line its first character in text.
        lines: The lines, verbatim.
    """

    document: str
    page: int
    text: str
    starts: tuple[int, ...]
    lines: tuple[str, ...]

    def line_at(self, char: int) -> str:
        """The verbatim line in which a character stands, cut to a width that a terminal shows."""
        number = bisect_right(self.starts, char) - 1
        line, at = self.lines[number], char - self.starts[number]
        first = max(0, min(at - _CONTEXT_CHARS // 2, len(line) - _CONTEXT_CHARS))
        return line[first : first + _CONTEXT_CHARS].strip()


def passages(documents: Iterable[tuple[str, pd.DataFrame]]) -> Iterator[Passage]:
    """The passages of documents in the order of pages and lines.

    Args:
        documents: Name and line_df of each.
    """
    for document, line_df in documents:
        ordered = line_df.sort_values(["page_num", "line_num"], kind="stable")
        names = ("page_num", "block_num", "source", "part", "text")
        block: list[str] = []
        at: tuple[object, ...] = ()
        for *place, text in zip(*(ordered[name].tolist() for name in names), strict=True):
            here = tuple(place)
            # Lines without a block (OCR, comments) are each a passage of their own kind of source.
            if here != at and block:
                yield _passage(document, int(at[0]), block)  # type: ignore[call-overload]
                block = []
            at = here
            block.append(str(text))
        if block:
            yield _passage(document, int(at[0]), block)  # type: ignore[call-overload]


def _passage(document: str, page: int, lines: list[str]) -> Passage:
    text, starts = "", []
    for line in lines:
        if text and _BROKEN.search(text) and line[:1].islower():
            # "infor-" + "mation" is one word; "data-" + "driven" loses its hyphen, which n-grams do not need.
            text = text[:-1]
        elif text and not (CJK.match(text[-1]) and CJK.match(line[:1])):
            text += " "
        starts.append(len(text))
        text += line
    return Passage(document, page, text, tuple(starts), tuple(lines))
