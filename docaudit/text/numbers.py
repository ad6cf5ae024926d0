"""Numbers, shares and page numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal


def plural(count: int, noun: str) -> str:
    """A number with its noun.

    >>> plural(1, "page"), plural(1200, "page")
    ('1 page', '1,200 pages')
    >>> plural(2, "near miss"), plural(2, "entry")
    ('2 near misses', '2 entries')
    """
    if count == 1:
        return f"{count:,} {noun}"
    if noun.endswith("y"):
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}{'es' if noun.endswith('s') else 's'}"


def percent(share: float, decimals: int = 1) -> str:
    """A share between 0 and 1 in percent, rounded half up.

    >>> percent(0.28), percent(1.0), percent(0.99996, decimals=2)
    ('28.0 %', '100.0 %', '100.00 %')
    >>> percent(21 / 80), percent(21 / 80, decimals=2)
    ('26.3 %', '26.25 %')
    """
    # The shortest decimal of the float, not its exact value: 0.145 is a little below 14.5 %.
    exact = Decimal(repr(float(share))) * 100
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f} %"


def cautious_percent(share: float) -> str:
    """A share in percent that is 100 % only if it is all, and 0 % only if it is nothing.

    >>> cautious_percent(1.0), cautious_percent(0.99996), cautious_percent(0.00001), cautious_percent(0.5)
    ('100 %', '99.9 %', '0.1 %', '50.0 %')
    """
    return percent(share, 0) if share in (0, 1) else percent(min(max(share, 0.001), 0.999))


def page_ranges(pages: Iterable[int], *, shortest: int = 3, joiner: str = "–") -> str:
    """Numbers sorted, without repetition, runs of neighbours joined; empty for no number.

    Args:
        pages: Page numbers, or any other numbers.
        shortest: Neighbours that make a range; two are easier to read, and to search for, as "3, 4" than as "3–4".
        joiner: What stands between the first and the last of a range.

    >>> page_ranges([18, 12, 14, 15, 16, 17, 12, 3, 4])
    '3, 4, 12, 14–18'
    >>> page_ranges([30, 31, 35], shortest=2, joiner=" to ")
    '30 to 31, 35'
    """
    runs: list[list[int]] = []
    for page in sorted(set(pages)):
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    parts = [[f"{run[0]}{joiner}{run[-1]}"] if len(run) >= shortest else map(str, run) for run in runs]
    return ", ".join(text for part in parts for text in part)
