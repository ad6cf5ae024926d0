"""Risk against coverage: of the questions that pass, how many have no evidence, as ever more are let through.

The area is always that from coverage 0 to 1, so that a gate does not look better because scores are missing: questions
without a score come last, together, as no threshold lets them pass.
"""

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
        aurc: Area under the curve from coverage 0 to 1, by trapezoids; the first risk holds back to 0, and questions
            without a score come last, together. Lower is better. None if no question has a score, or if all that have
            known evidence have the same label: then there is nothing to tell apart.
        best: The area if scores told the two labels apart without a fault; None where aurc is.
        no_skill: The area if scores said nothing: the share of questions without evidence; None where aurc is.
        unscored: Questions of the curve without a score.
        greatest_coverage: What the most lenient threshold lets through; less than 1 where questions have no score.
    """

    questions: int
    points: tuple[CurvePoint, ...]
    aurc: float | None
    best: float | None
    no_skill: float | None
    unscored: int
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
    absent = sum(row.label.evidence is Evidence.ABSENT for row in known)
    share = absent / len(known) if points and 0 < absent < len(known) else None
    return RiskCoverage(
        questions=len(known),
        points=tuple(points),
        aurc=None if share is None else _area(points, len(known), share),
        best=None if share is None else share**2 / 2,
        no_skill=share,
        unscored=len(known) - passed,
        greatest_coverage=passed / len(known) if known else 0.0,
    )


def _best_first(frozen: Frozen, rows: list[Row]) -> list[tuple[float, Row]]:
    valued = [(gate_value(frozen.operating, row.retrieval), row) for row in rows]
    scored = [(value, row) for value, row in valued if isinstance(value, float)]
    return sorted(scored, key=lambda pair: pair[0], reverse=frozen.operating.direction is Direction.HIGHER)


def _area(points: list[CurvePoint], questions: int, base: float) -> float:
    """From coverage 0 to 1; where all pass, scored or not, the risk is that of all questions."""
    from sklearn.metrics import auc  # slow to import

    coverage = [0.0, *(one.passed / questions for one in points), 1.0]
    return float(auc(coverage, [points[0].risk, *(one.risk for one in points), base]))
