"""Numbers of a sentence against the evidence: each must be of a known kind, and right for what it is said of.

That a number stands somewhere in the evidence is not enough: 63 pages are no 63 hits.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from docaudit.explain import Summary
from docaudit.wording.grammar import Grammar
from docaudit.wording.marked import Mark, Marked

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MAX_PAGE = 10_000_000


def number_problems(marked: Marked, summary: Summary, grammar: Grammar) -> list[str]:
    """What is wrong with the numbers of a marked sentence; and which counts it leaves out."""
    problems: list[str] = []
    counted: set[str] = set()
    text = marked.text

    def take(pattern: re.Pattern[str], judge: Callable[[re.Match[str]], str]) -> None:
        nonlocal text
        for found in pattern.finditer(text):
            problem = judge(found)
            problems.extend([problem] if problem else [])
        text = pattern.sub(lambda found: re.sub(r"\d", " ", found.group()), text)

    def count(found: re.Match[str]) -> str:
        of = _nearest(marked, found.start(), grammar)
        if of is None or of.kind != "name" or of.hits != _int(found[1]):
            return f"'{found.group()}' is not the number of hits of {_said(of)}"
        counted.add(of.text)
        return ""

    def spread(found: re.Match[str]) -> str:
        of = _nearest(marked, found.start(), grammar)
        right = of is not None and _int(found[1]) == len(of.pages - {0})
        return "" if right else f"'{found.group()}' is not the number of pages of {_said(of)}"

    def listed(found: re.Match[str]) -> str:
        of = _before(marked, found.start(), grammar)
        pages = _pages(found[1])
        right = of is not None and pages and pages <= of.pages
        return "" if right else f"'{found.group()}' are not pages of {_said(of)}"

    coverage = summary.coverage

    def read_of(found: re.Match[str]) -> str:
        read, total = _int(found["read"]), _int(found["all"])
        right = total == coverage.pages_total and read in {coverage.pages_read, coverage.pages_by_ocr_alone}
        return "" if right else f"'{found.group()}' is not what was read"

    def equals(expected: int | None) -> Callable[[re.Match[str]], str]:
        return lambda found: "" if _int(found[1]) == expected else f"'{found.group()}' stands in no evidence"

    take(grammar.count, count)
    take(grammar.read_of, read_of)
    take(grammar.by_ocr, equals(coverage.pages_by_ocr_alone))
    take(grammar.total, equals(coverage.pages_total))
    take(grammar.spread, spread)
    take(grammar.listed, listed)
    problems += [
        f"the number {number} is said of nothing that was counted" for number in _NUMBER.findall(text)
    ]
    left_out = [name for name in summary.required if summary.counts[name] and name not in counted]
    return problems + [f"the number of hits of {name!r} is left out" for name in left_out]


def _int(number: str) -> int:
    # Python refuses to read numbers of thousands of digits.
    digits = number.replace(",", "")
    return int(digits) if len(digits) < 19 else -1


def _pages(listed: str) -> frozenset[int]:
    """Every page of a list such as 3, 58–60; empty for a range of another order or of impossible length."""
    pages: set[int] = set()
    for part in re.findall(r"(\d+)(?: ?[–~〜-] ?(\d+))?", listed):
        first, last = _int(part[0]), _int(part[1] or part[0])
        if not 0 <= first <= last <= _MAX_PAGE:
            return frozenset()
        pages.update(range(first, last + 1))
    return frozenset(pages)


def _before(marked: Marked, at: int, grammar: Grammar) -> Mark | None:
    """The last name, phrase or quotation before this place; none behind a meeting, of which nothing was counted."""
    places = [
        place
        for place, sign in enumerate(marked.text[:at])
        if sign in marked.marks and marked.marks[sign].kind != "within"
    ]
    if not places or grammar.meeting.search(marked.text[places[-1] : at]):
        return None
    return marked.marks[marked.text[places[-1]]]


def _nearest(marked: Marked, at: int, grammar: Grammar) -> Mark | None:
    """The nearest name or quotation in the same clause; if there is none, the last one before."""
    breaks = [found.span() for found in grammar.clause.finditer(marked.text)]
    start = max((end for _, end in breaks if end <= at), default=0)
    stop = min((begin for begin, _ in breaks if begin >= at), default=len(marked.text))
    places = [
        place
        for place in range(start, stop)
        if (sign := marked.text[place]) in marked.marks and marked.marks[sign].kind in ("name", "quote")
    ]
    if not places:
        return _before(marked, at, grammar)
    return marked.marks[marked.text[min(places, key=lambda place: abs(place - at))]]


def _said(of: Mark | None) -> str:
    return "anything named before it" if of is None else repr(of.text)
