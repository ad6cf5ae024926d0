"""From score to probability, where that is earned: fitted on declared data, checked on independent data.

Squeezing scores between 0 and 1 is no calibration. A score alone is never shown as a probability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from docaudit.abstention.frozen import Frozen, QuestionSet, Row
from docaudit.abstention.gate import gate_value
from docaudit.abstention.labels import Evidence, Grade
from docaudit.abstention.ratio import Ratio
from docaudit.abstention.records import Direction, OperatingRecord
from docaudit.abstention.splits import near_duplicates
from docaudit.errors import GateError
from docaudit.evidence import Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEWEST = 5  # of each outcome; scikit-learn fits on five parts that each have both
Target = Literal["evidence_present", "answer_correct"]
_TARGETS = get_args(Target)
_METHODS = ("sigmoid", "isotonic")
"""What the probability is one of: that the evidence is there, or that the answer is right."""


class Bin(Model):
    """Questions whose predictions lie close together.

    Attributes:
        predicted: Mean prediction.
        observed: How many of them were so.
    """

    predicted: float
    observed: Ratio


class Check(Model):
    """How predictions met what was so, on data that the calibration has not seen.

    Attributes:
        questions: Where these data come from.
        brier: Mean squared error of the predictions, 0 is best.
        brier_of_base_rate: The same for one who always says the base rate: a calibration above it is worth nothing.
        bins: Predictions against what was observed, with counts.
    """

    questions: QuestionSet
    brier: float
    brier_of_base_rate: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Calibration:
    """A fitted calibration; it gives no probability before it was checked.

    Attributes:
        operating: The scores that it is for, and no others.
        target: What the probability is one of.
        questions: The data that it was fitted on.
        rows: The questions that it was fitted on.
        check: The check on independent data; None before it.
    """

    operating: OperatingRecord
    target: Target
    questions: QuestionSet
    rows: tuple[Row, ...]
    predict: Callable[[Sequence[float]], NDArray[Any]]
    check: Check | None = None

    def probability(self, score: float) -> float:
        """Probability of the target, between 0 and 1; raises GateError before the check."""
        if self.check is None:
            raise GateError(
                "this calibration has not been checked on independent data, so it gives no probability",
                remedy="call check_calibration with results that it was not fitted on",
            )
        if self.check.brier >= self.check.brier_of_base_rate:
            raise GateError(
                "this calibration is no better than the base rate on independent data (Brier score "
                f"{self.check.brier:.4f} beside {self.check.brier_of_base_rate:.4f}), so it gives no probability",
            )
        return float(self.predict([score])[0])


def describe_score(operating: OperatingRecord, score: float, calibration: Calibration | None = None) -> str:
    """A score in words; "probability" stands in them only for a checked calibration of the same scores.

    Raises:
        GateError: The calibration is for other scores, or has not been checked.
    """
    said = f"{operating.score_kind} {score:g} ({operating.direction.value.replace('_', ' ')})"
    if calibration is None:
        return f"{said}; not calibrated"
    _need_same_scores(operating, calibration)
    check = calibration.check
    if check is not None and check.brier >= check.brier_of_base_rate:
        return f"{said}; not calibrated: on independent data the calibration was no better than the base rate"
    name = calibration.target.replace("_", " ")
    return f"{said}; probability of '{name}': {calibration.probability(score):.2f}"


def calibrate(
    frozen: Frozen, target: Target, *, method: Literal["sigmoid", "isotonic"] = "sigmoid"
) -> Calibration:
    """Fit a calibration.

    Args:
        frozen: Results of questions that stand for use; designed ones are refused.
        target: What the probability is one of: `evidence_present`, `answer_correct`.
        method: `isotonic` needs many questions (about 1,000), `sigmoid` few.

    Raises:
        GateError: There is no such target or method, the questions were designed, or too few of them have one of the
            two outcomes.
    """
    for name, given, known in (("target", target, _TARGETS), ("method", method, _METHODS)):
        if given not in known:
            raise GateError(f"there is no {name} '{given}'", remedy=f"take one of {', '.join(known)}")
    _need_real(frozen)
    scores, outcomes, rows = _known(frozen, target)
    _need_both(outcomes, target, "calibrate")
    predict = _fitted(frozen.operating, scores, outcomes, method)
    return Calibration(frozen.operating, target, frozen.questions, rows, predict)


def check_calibration(calibration: Calibration, frozen: Frozen, *, bins: int = 5) -> Calibration:
    """The calibration with its check on independent results.

    Raises:
        GateError: The results are not independent, were designed, or fewer than 5 of them have one of the two outcomes.
    """
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss

    _need_same_scores(frozen.operating, calibration)
    _need_real(frozen)
    scores, outcomes, rows = _known(frozen, calibration.target)
    _need_independent(calibration.rows, rows)
    _need_both(outcomes, calibration.target, "check")
    predicted = calibration.predict(scores)
    observed, means = calibration_curve(outcomes, predicted, n_bins=bins, strategy="quantile")
    counts = _bin_counts(predicted, bins)
    base = [sum(outcomes) / len(outcomes)] * len(outcomes)
    check = Check(
        questions=frozen.questions,
        brier=float(brier_score_loss(outcomes, predicted)),
        brier_of_base_rate=float(brier_score_loss(outcomes, base)),
        bins=tuple(
            Bin(predicted=float(mean), observed=Ratio(numerator=round(float(share) * size), denominator=size))
            for share, mean, size in zip(observed, means, counts, strict=True)
        ),
    )
    return Calibration(
        calibration.operating,
        calibration.target,
        calibration.questions,
        calibration.rows,
        calibration.predict,
        check,
    )


def _need_real(frozen: Frozen) -> None:
    if frozen.questions.origin == "designed":
        raise GateError(
            "the questions were designed, so shares among them stand for nothing else",
            remedy="calibrate and check on questions that were sampled from use",
        )


def _need_both(outcomes: Sequence[int], target: Target, what: str) -> None:
    if min(sum(outcomes), len(outcomes) - sum(outcomes)) < _FEWEST:
        raise GateError(
            f"{sum(outcomes)} of {len(outcomes)} questions have the outcome '{target}'",
            remedy=f"{what} on questions of both outcomes, {_FEWEST} of each or more",
        )


def _known(frozen: Frozen, target: Target) -> tuple[list[float], list[int], tuple[Row, ...]]:
    """Scores and outcomes of the rows that have both; what is not known is left out, never taken for "no"."""
    scores, outcomes, rows = [], [], []
    for row in frozen.rows:
        value, outcome = gate_value(frozen.operating, row.retrieval), _outcome(row, target)
        if isinstance(value, float) and outcome is not None:
            scores.append(value)
            outcomes.append(int(outcome))
            rows.append(row)
    return scores, outcomes, tuple(rows)


def _outcome(row: Row, target: Target) -> bool | None:
    if target == "evidence_present":
        evidence = row.label.evidence
        return None if evidence is Evidence.UNVERIFIED else evidence is Evidence.PRESENT
    grade = row.label.answer.grade if row.label.answer else None
    return grade is Grade.CORRECT if grade in (Grade.CORRECT, Grade.PARTIAL, Grade.WRONG) else None


def _fitted(
    operating: OperatingRecord, scores: Sequence[float], outcomes: Sequence[int], method: str
) -> Callable[[Sequence[float]], NDArray[Any]]:
    import numpy as np
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator

    class ScoreItself(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """A classifier that has nothing to learn: its decision is the score."""

        classes_ = np.array([0, 1])

        def fit(self, _x: Any, _y: Any) -> ScoreItself:
            return self

        def __sklearn_is_fitted__(self) -> bool:
            return True

        def predict(self, x: Any) -> NDArray[Any]:
            return (self.decision_function(x) > 0).astype(int)

        def decision_function(self, x: Any) -> NDArray[Any]:
            return np.asarray(x)[:, 0]

    sign = 1.0 if operating.direction is Direction.HIGHER else -1.0
    model = CalibratedClassifierCV(FrozenEstimator(ScoreItself()), method=method)
    model.fit(sign * np.asarray(scores)[:, None], outcomes)
    return lambda given: model.predict_proba(sign * np.asarray(given, dtype=float)[:, None])[:, 1]


def _bin_counts(predicted: NDArray[Any], bins: int) -> list[int]:
    """How many predictions are in each bin that calibration_curve shows; it keeps its counts to itself."""
    import numpy as np

    edges = np.percentile(predicted, np.linspace(0, 1, bins + 1) * 100)
    counts = np.bincount(np.searchsorted(edges[1:-1], predicted), minlength=bins)
    return [int(size) for size in counts if size]


def _need_same_scores(operating: OperatingRecord, calibration: Calibration) -> None:
    if operating != calibration.operating:
        raise GateError("the calibration is for other scores, versions or settings", remedy="calibrate anew")


def _need_independent(fitted: Sequence[Row], checked: Sequence[Row]) -> None:
    known = {row.id for row in fitted}
    groups = {row.label.group for row in fitted} - {None}
    problems = [
        f"row {row.number} ({row.id}): the question, or its group, was fitted on"
        for row in checked
        if row.id in known or row.label.group in groups
    ]
    problems += [
        f"row {other.number} ({other.id}): almost the same as {one.id}, which was fitted on"
        for one, other, _ in near_duplicates((*fitted, *checked))
        if one in fitted and other in checked and other.id not in known
    ]
    if problems:
        raise GateError("the data of the check are not independent", problems=tuple(problems))
