r"""PageLines and an expert's regular expression in, its matches out, with the state of the search for the ledger.

It is run as written, page by page, under a time limit. Each page is searched twice: as its lines stand, joined by line
breaks; and as it reads: compatibility forms composed (NFKC), invisible characters dropped, words put together over a
hyphen at a line end, line breaks turned into blanks. So `data\s+subject` and `data subject` both find a phrase that
goes over a line. Case is ignored unless the variant is case-sensitive. A pattern that runs out of time on three pages
is given up; the pages it was not run on are named.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from math import inf
from time import monotonic

import regex

from docaudit.codes import LedgerState, MatchKind
from docaudit.concepts.check import compile_expression
from docaudit.concepts.variant import Variant
from docaudit.search.lines import PageLines
from docaudit.search.search_text import Part
from docaudit.text.folding import FOLD

MAX_TIMEOUTS = 3

_EXPLOSIVE = regex.compile(r"(?<!\\)\((?:\?:)?(?:\\.|\[[^\]]*\]|[^\\()\[\]])[+*]\)(?:[+*]|\{\d+,\})")
_EXPLOSIVE_DETAIL = (
    "a repetition of nothing but a repetition, as in (a+)+, can take time without end; write a+"
)

Chars = list[tuple[str, int, int]]
"""Searched text, one character at a time: the character, its row, its index in the line (-1 for a separator)."""


def sweep_expression(
    lines: PageLines, variant: Variant, seconds: float, deadline: float = inf
) -> tuple[list[tuple[MatchKind, tuple[Part, ...]]], LedgerState, str]:
    """Matches of one expression, the state of the search, and what went wrong.

    Args:
        lines: The document.
        variant: A variant whose match is regex.
        seconds: Time limit for each page.
        deadline: Value of the monotonic clock at which the sweep as a whole must end.
    """
    if _EXPLOSIVE.search(variant.text):
        return [], LedgerState.FAILED, _EXPLOSIVE_DETAIL
    flags = regex.VERSION0 | (regex.IGNORECASE if variant.case != "sensitive" else 0)
    try:
        pattern = compile_expression(variant.text, flags)
    except regex.error as error:
        return [], LedgerState.FAILED, f"not a regular expression: {error}"
    matches: list[tuple[MatchKind, tuple[Part, ...]]] = []
    timed_out: list[int] = []
    left_out: list[int] = []
    for page, readings in _pages(lines):
        if len(timed_out) >= MAX_TIMEOUTS or monotonic() >= deadline:
            left_out.append(page)
            continue
        try:
            for reading in readings:
                left = min(seconds, max(deadline - monotonic(), 0.001))
                matches += _matches(pattern, lines, reading, left)
        except TimeoutError:
            timed_out.append(page)
    if not timed_out and not left_out:
        return matches, LedgerState.SEARCHED, ""
    late = monotonic() >= deadline
    reasons = []
    if timed_out:
        reasons.append(f"took over {seconds:g} s on page {_listed(timed_out)}")
    if left_out:
        why = " as the sweep had used up its time (sweep_seconds)" if late else ""
        reasons.append(f"not run on page {_listed(left_out)}{why}")
    return matches, LedgerState.TIMED_OUT, "; ".join(reasons)


def _listed(pages: list[int]) -> str:
    shown = ", ".join(map(str, pages[:50]))
    return shown + (f" and {len(pages) - 50} more" if len(pages) > 50 else "")


def _matches(
    pattern: regex.Pattern[str], lines: PageLines, chars: Chars, seconds: float
) -> Iterator[tuple[MatchKind, tuple[Part, ...]]]:
    text = "".join(char for char, _, _ in chars)
    for match in pattern.finditer(text, timeout=seconds):
        parts: dict[int, list[int]] = {}
        for _, row, index in chars[match.start() : match.end()]:
            if index >= 0:
                parts.setdefault(row, []).append(index)
        if not parts:
            continue  # matched nothing that stands on the page
        listed = tuple((row, min(indexes), max(indexes) + 1) for row, indexes in parts.items())
        shown = "\n".join(lines.text[row][first:last] for row, first, last in listed)
        as_written = MatchKind.EXACT if shown == match[0] else MatchKind.FOLDED
        yield (MatchKind.ACROSS_LINES if len(listed) > 1 else as_written), listed


def _pages(lines: PageLines) -> Iterator[tuple[int, list[Chars]]]:
    """Each page with its readings: for each source its text as written, then as it reads."""
    rows = [row for row in range(len(lines)) if lines.search[row]]
    rows.sort(key=lambda row: (lines.sheet[row], lines.source[row], lines.number[row]))
    for _, same_sheet in groupby(rows, key=lines.sheet.__getitem__):
        on_page = list(same_sheet)
        readings: list[Chars] = []
        for _, group in groupby(on_page, key=lines.source.__getitem__):
            written: Chars = []
            read: Chars = []
            for row in group:
                for index, char in enumerate(lines.text[row]):
                    written.append((char, row, index))
                    if FOLD[ord(char)]:
                        read += [(part, row, index) for part in unicodedata.normalize("NFKC", char)]
                written.append(("\n", row, -1))
                if len(read) > 1 and read[-1][0] in "-\u2010" and read[-2][0].isalpha():
                    read.pop()
                else:
                    read.append((" ", row, -1))
            readings += [written, read]
        yield lines.page[on_page[0]], readings
