"""What can only be seen between rows: names given twice, labels that contradict, scores that rank the wrong way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from docaudit.abstention.frozen import Row
from docaudit.abstention.records import Direction, OperatingRecord
from docaudit.abstention.same import plain, without_end


def faults_between(operating: OperatingRecord, rows: Sequence[Row]) -> list[str]:
    """Every fault between rows, each with the numbers of its rows."""
    return [*_named_twice(rows), *_labels_that_contradict(rows), *_wrong_order(operating, rows)]


def listed(rows: Sequence[Row]) -> str:
    """``rows 3, 7``."""
    numbers = ", ".join(str(row.number) for row in rows)
    return f"row {numbers}" if len(rows) == 1 else f"rows {numbers}"


def _named_twice(rows: Sequence[Row]) -> list[str]:
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[plain(row.id)].append(row)
    return [f"{listed(same)}: the id '{name}' is used twice" for name, same in by_name.items() if same[1:]]


def _labels_that_contradict(rows: Sequence[Row]) -> list[str]:
    """The same words with different labels; "unverified" contradicts nothing."""
    by_words: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_words[without_end(row.retrieval.query)].append(row)
    return [
        f"{listed(same)}: the same question is labelled 'present' and 'absent'"
        for same in by_words.values()
        if {"present", "absent"} <= {row.label.evidence.value for row in same}
    ]


def _wrong_order(operating: OperatingRecord, rows: Sequence[Row]) -> list[str]:
    """Candidates come best first, so their scores show which end of the scale is good."""
    against = [row for row in rows if any(operating.better(low, high) for high, low in _steps(row))]
    with_it = [row for row in rows if any(operating.better(high, low) for high, low in _steps(row))]
    if not against:
        return []
    other = Direction.LOWER if operating.direction is Direction.HIGHER else Direction.HIGHER
    if not with_it:
        said = f"candidates come best first, and by their scores it is {other}, not {operating.direction}"
        return [f"{listed(against)}: wrong direction: {said}"]
    said = f"these candidates are not best first by {operating.direction}, as those of {listed(with_it)} are"
    return [f"{listed(against)}: mixed directions: {said}"]


def _steps(row: Row) -> list[tuple[float, float]]:
    scores = [candidate.score for candidate in row.retrieval.candidates if candidate.score is not None]
    return list(pairwise(scores))
