"""Short thresholds that tell apart all values that questions have."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal

from docaudit.abstention.records import Comparison, Direction, OperatingRecord

_MOST_DIGITS = 17


def cut_points(operating: OperatingRecord, values: Iterable[float]) -> list[float]:
    """For each distinct value the shortest threshold that it, all better ones and no worse one pass.

    Short, so that a threshold copied from a table decides as the table says.

    >>> record = OperatingRecord(stage="retrieval", score_kind="BM25", direction="higher_is_better")
    >>> cut_points(record, [9.811527, 9.114474, 9.114474, 0.62])
    [0.6, 9.0, 9.8]
    """
    sign = 1.0 if operating.direction is Direction.HIGHER else -1.0
    ordered = sorted({sign * value for value in values})
    equal_passes = operating.comparison is Comparison.AT_LEAST
    cuts = []
    for place, value in enumerate(ordered):
        worse = ordered[place - 1] if place else -math.inf
        cuts.append(sign * _between(worse, value, equal_passes) + 0.0)  # + 0.0: never -0.0
    return cuts


def _between(worse: float, value: float, equal_passes: bool) -> float:
    """The shortest number by which the value passes and the worse one does not."""
    for digits in range(1, _MOST_DIGITS + 1):
        cut = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(value)))
        if worse < cut <= value if equal_passes else worse <= cut < value:
            return cut
    if equal_passes:
        return value
    return worse if math.isfinite(worse) else math.nextafter(value, -math.inf)
