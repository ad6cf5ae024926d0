"""Risk against coverage: of the questions that pass, how many have no evidence, as ever more are let through."""

from __future__ import annotations

from itertools import groupby

from docaudit.abstention.frozen import Frozen, Row
from docaudit.abstention.gate import gate_value
from docaudit.abstention.labels import Evidence
from docaudit.abstention.records import Direction
from docaudit.evidence import Model


class CurvePoint(Model):
    """One threshold of the curve.

    Attributes:
        threshold: All questions with this value or a better one pass.
        passed: How many do; of all questions of the curve, this is the coverage.
        without_evidence: Of those that pass; this is the risk.
    """

    threshold: float
    passed: int
    without_evidence: int

    @property
    def risk(self) -> float:
        """Without evidence, of those that pass."""
        return self.without_evidence / self.passed


class RiskCoverage(Model):
    """The curve, strictest threshold first.

    Attributes:
        questions: All whose evidence is known: the denominator of the coverage.
        points: One for each value that a question has; questions of equal value come together.
        aurc: Area under the curve, from coverage 0 to the greatest; the first risk holds back to 0. Lower is better.
            None if no question passes at any threshold.
        greatest_coverage: What the most lenient threshold lets through; less than 1 where questions have no score.
    """

    questions: int
    points: tuple[CurvePoint, ...]
    aurc: float | None
    greatest_coverage: float

    def coverage(self, point: CurvePoint) -> float:
        """Passed, of all questions of the curve."""
        return point.passed / self.questions


def risk_coverage(frozen: Frozen) -> RiskCoverage:
    """The curve over all questions whose evidence is known, present or absent."""
    known = [row for row in frozen.rows if row.label.evidence is not Evidence.UNVERIFIED]
    points, passed, wrong = [], 0, 0
    for value, rows in groupby(_best_first(frozen, known), key=lambda pair: pair[0]):
        labels = [row.label.evidence for _, row in rows]
        passed += len(labels)
        wrong += labels.count(Evidence.ABSENT)
        points.append(CurvePoint(threshold=value, passed=passed, without_evidence=wrong))
    greatest = passed / len(known) if known else 0.0
    area = _area(points, len(known))
    return RiskCoverage(questions=len(known), points=tuple(points), aurc=area, greatest_coverage=greatest)


def _best_first(frozen: Frozen, rows: list[Row]) -> list[tuple[float, Row]]:
    valued = [(gate_value(frozen.operating, row.retrieval), row) for row in rows]
    scored = [(value, row) for value, row in valued if isinstance(value, float)]
    return sorted(scored, key=lambda pair: pair[0], reverse=frozen.operating.direction is Direction.HIGHER)


def _area(points: list[CurvePoint], questions: int) -> float | None:
    if not points:
        return None
    from sklearn.metrics import auc  # slow to import

    coverage = [0.0, *(one.passed / questions for one in points)]
    return float(auc(coverage, [points[0].risk, *(one.risk for one in points)]))
