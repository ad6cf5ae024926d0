"""Risk against coverage: of the questions that pass, how many have no evidence, as ever more are let through."""

from __future__ import annotations

from itertools import groupby

from docaudit.abstention.frozen import Frozen, Row
from docaudit.abstention.gate import gate_value
from docaudit.abstention.labels import Evidence
from docaudit.abstention.ratio import Ratio
from docaudit.abstention.records import Direction
from docaudit.evidence import Model


class CurvePoint(Model):
    """One threshold of the curve.

    Attributes:
        threshold: All questions with this value or a better one pass.
        coverage: Passed, of all questions whose evidence is known.
        risk: Without evidence, of those that passed.
    """

    threshold: float
    coverage: Ratio
    risk: Ratio


class RiskCoverage(Model):
    """The curve, strictest threshold first.

    Attributes:
        points: One for each value that a question has; questions of equal value come together.
        aurc: Area under the curve, from coverage 0 to the greatest; the first risk holds back to 0. Lower is better.
            None if no question passes at any threshold.
        greatest_coverage: What the most lenient threshold lets through; less than 1 where questions have no score.
    """

    points: tuple[CurvePoint, ...]
    aurc: float | None
    greatest_coverage: float


def risk_coverage(frozen: Frozen) -> RiskCoverage:
    """The curve over all questions whose evidence is known, present or absent."""
    known = [row for row in frozen.rows if row.label.evidence is not Evidence.UNVERIFIED]
    points, passed, wrong = [], 0, 0
    for value, rows in groupby(_best_first(frozen, known), key=lambda pair: pair[0]):
        labels = [row.label.evidence for _, row in rows]
        passed += len(labels)
        wrong += labels.count(Evidence.ABSENT)
        points.append(
            CurvePoint(
                threshold=value,
                coverage=Ratio(numerator=passed, denominator=len(known)),
                risk=Ratio(numerator=wrong, denominator=passed),
            )
        )
    greatest = passed / len(known) if known else 0.0
    return RiskCoverage(points=tuple(points), aurc=_area(points), greatest_coverage=greatest)


def _best_first(frozen: Frozen, rows: list[Row]) -> list[tuple[float, Row]]:
    valued = [(gate_value(frozen.operating, row.retrieval), row) for row in rows]
    scored = [(value, row) for value, row in valued if isinstance(value, float)]
    return sorted(scored, key=lambda pair: pair[0], reverse=frozen.operating.direction is Direction.HIGHER)


def _area(points: list[CurvePoint]) -> float | None:
    if not points:
        return None
    from sklearn.metrics import auc  # slow to import

    first = points[0].risk.numerator / points[0].risk.denominator
    coverage = [0.0, *(one.coverage.numerator / one.coverage.denominator for one in points)]
    return float(auc(coverage, [first, *(one.risk.numerator / one.risk.denominator for one in points)]))
