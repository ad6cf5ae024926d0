"""Page numbers as people write them: 12, 14–18."""

from __future__ import annotations

from collections.abc import Iterable

WHOLE_DOCUMENT = "document"
"""What stands for page_num 0: the document as a whole."""


def page_ranges(pages: Iterable[int]) -> str:
    """Pages sorted, without repetition, neighbours joined; empty for no page.

    >>> page_ranges([18, 12, 14, 15, 16, 17, 12])
    '12, 14–18'
    >>> page_ranges([0, 3, 4])
    'document, 3, 4'
    """
    ordered = sorted(set(pages))
    parts = [WHOLE_DOCUMENT] if ordered and ordered[0] == 0 else []
    for first, last in _runs(page for page in ordered if page > 0):
        # Two neighbours are easier to read, and to search for, as "3, 4" than as "3–4".
        parts += [f"{first}–{last}"] if last > first + 1 else [str(page) for page in range(first, last + 1)]
    return ", ".join(parts)


def page_words(pages: Iterable[int]) -> str:
    """Page ranges with the word in front, for the middle of a line.

    >>> page_words([3]), page_words([3, 7]), page_words([0]), page_words([])
    ('page 3', 'pages 3, 7', 'document', '')
    """
    listed = set(pages)
    ranges = page_ranges(listed)
    if not ranges or listed == {0}:
        return ranges
    if 0 in listed:
        return f"{WHOLE_DOCUMENT} and {page_words(listed - {0})}"
    return f"page {ranges}" if len(listed) == 1 else f"pages {ranges}"


def _runs(pages: Iterable[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], page)
        else:
            runs.append((page, page))
    return runs
