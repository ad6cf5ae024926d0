"""Thresholds over frozen results: retrieval, labels and answers stay, only the threshold changes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

from docaudit.abstention.answers import AnswerLedger, answer_ledger
from docaudit.abstention.counts import GateCounts, Unverified, count
from docaudit.abstention.cut_points import cut_points
from docaudit.abstention.frozen import Frozen, QuestionSet, Row
from docaudit.abstention.gate import gate_value
from docaudit.abstention.limits import limits
from docaudit.abstention.records import Direction, OperatingRecord, written
from docaudit.abstention.risk_coverage import RiskCoverage, risk_coverage
from docaudit.errors import GateError
from docaudit.evidence import Model

MOST_THRESHOLDS = 100
_CHOICE = (
    "{} thresholds are shown on the held-out part: choosing among them is tuning, unless a guarantee counts them all. "
    "Look there once, with the one that was chosen before."
)


class Point(Model):
    """One threshold.

    Attributes:
        gate: What the gate does.
        answers: What reached the users; None if no answers are recorded.
        categories: What the gate does to each kind of question that has a name: an average hides the one that fails.
    """

    gate: GateCounts
    answers: AnswerLedger | None
    categories: Mapping[str, GateCounts]


class Sweep(Model):
    """What each threshold does, with all that a reader needs to judge it.

    Attributes:
        operating: How the scores came about.
        questions: Where the questions come from.
        sha256: Hash of the frozen results.
        part: Which part of a split was swept, or `all`.
        named: Whether somebody named the thresholds; else they are those that make a difference.
        points: One for each threshold, the most lenient first.
        risk_coverage: The trade-off over all thresholds that make a difference.
        limits: What these numbers cannot say.
    """

    operating: OperatingRecord
    questions: QuestionSet
    sha256: str
    part: Literal["all", "tuning", "held_out"]
    named: bool
    points: tuple[Point, ...]
    risk_coverage: RiskCoverage
    limits: tuple[str, ...]


def sweep_thresholds(
    frozen: Frozen,
    thresholds: Sequence[float] | None = None,
    *,
    unverified: Unverified = "refuse",
    extra_limits: Sequence[str] = (),
) -> Sweep:
    """Count what each threshold does.

    Args:
        frozen: Results with labels.
        thresholds: Any numbers; None for those that make a difference, as short as they can be, MOST_THRESHOLDS at
            most. The curve has all of them.
        unverified: Whether unverified questions are refused or counted apart.
        extra_limits: What else must be said of the numbers.

    Raises:
        GateError: A threshold is not a number or is given twice, or there are unverified rows that nobody asked for.
    """
    ordered = lenient_first(frozen, _every_cut(frozen) if thresholds is None else thresholds)
    if frozen.part == "held_out" and len(ordered) > 1:
        extra_limits = (_CHOICE.format(len(ordered)), *extra_limits)
    kinds = _by_category(frozen)
    points = tuple(
        Point(
            gate=count(frozen, one, unverified=unverified),
            answers=answer_ledger(frozen, one),
            categories={name: count(rows, one, unverified=unverified) for name, rows in kinds.items()},
        )
        for one in ordered
    )
    _need_monotone(points)
    return Sweep(
        operating=frozen.operating,
        questions=frozen.questions,
        sha256=frozen.sha256,
        part=frozen.part,
        named=thresholds is not None,
        points=points,
        risk_coverage=risk_coverage(frozen),
        limits=(*limits(frozen), *extra_limits),
    )


def _by_category(frozen: Frozen) -> dict[str, Frozen]:
    rows: dict[str, list[Row]] = {}
    for row in frozen.rows:
        if row.label.category is not None:
            rows.setdefault(row.label.category, []).append(row)
    return {name: frozen.model_copy(update={"rows": tuple(same)}) for name, same in rows.items()}


def _every_cut(frozen: Frozen) -> list[float]:
    """The thresholds that make a difference; of more than can be read, every nth."""
    values = {gate_value(frozen.operating, row.retrieval) for row in frozen.rows}
    found = cut_points(frozen.operating, [value for value in values if isinstance(value, float)])
    if not found:
        raise GateError("no question has a score, so there is nothing to choose a threshold by")
    return found[:: -(-len(found) // MOST_THRESHOLDS)]


def lenient_first(frozen: Frozen, thresholds: Sequence[float]) -> list[float]:
    """The thresholds, the most lenient first; raises GateError if they are no numbers, or one is given twice."""
    if not thresholds or not all(math.isfinite(one) for one in thresholds):
        raise GateError("thresholds must be numbers, at least one", remedy="write, for example, 0.4,0.7")
    if len(set(thresholds)) < len(thresholds):
        raise GateError("a threshold is given twice")
    return sorted(thresholds, reverse=frozen.operating.direction is Direction.LOWER)


def _need_monotone(points: Sequence[Point]) -> None:
    """A stricter threshold never passes more; if it did, the counts would be wrong and must not be shown."""
    for lenient, strict in pairwise(point.gate for point in points):
        if (
            strict.passed.numerator > lenient.passed.numerator
            or strict.false_pass.numerator > lenient.false_pass.numerator
            or strict.over_hold.numerator < lenient.over_hold.numerator
        ):
            raise GateError(
                f"threshold {written(strict.threshold)} passes more than {written(lenient.threshold)}"
            )
