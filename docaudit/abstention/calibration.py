"""From score to probability, where that is earned: fitted on declared data, checked on independent data.

Squeezing scores between 0 and 1 is no calibration. A score alone is never shown as a probability.

A threshold with a guarantee: in all but few draws of the labelled questions, false passes stay below a limit.

Risk control by MAPIE ("learn then test"): exact binomial tests with correction for the number of thresholds tried.
Needs the extra `evaluate`.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from docaudit.abstention.gate import (
    Direction,
    Evidence,
    Grade,
    OperatingRecord,
    Ratio,
    decide,
    gate_value,
    without_end,
    written,
)
from docaudit.abstention.results import Frozen, QuestionSet, Row, listed
from docaudit.abstention.splits import near_duplicates
from docaudit.abstention.threshold_sweep import Unverified, need_verified
from docaudit.errors import GateError, ModelError
from docaudit.justification import Model
from docaudit.text.numbers import percent

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


class Guarantee(Model):
    """What could be guaranteed.

    Attributes:
        max_false_pass: Greatest share of the questions without evidence that may pass.
        confidence: In how many draws of the labelled questions the promise holds at least.
        tried: The thresholds that were fixed beforehand.
        valid: Those for which the promise holds.
        chosen: Of these, the one that holds back the fewest questions with evidence; None if none is valid.
        false_pass: Observed at the chosen threshold, of the questions without evidence.
        questions_without_evidence: What the test rests on.
    """

    max_false_pass: float
    confidence: float
    tried: tuple[float, ...]
    valid: tuple[float, ...]
    chosen: float | None
    false_pass: Ratio | None
    questions_without_evidence: int

    @property
    def needed(self) -> int:
        """Questions without evidence that are enough if none of them passes, for as many thresholds as were tried."""
        # The first of n thresholds must reach (1 - confidence) / n, and (1 - limit) ** questions is the chance of none.
        chance = (1 - self.confidence) / len(self.tried)
        return math.ceil(math.log(chance) / math.log(1 - self.max_false_pass) - 1e-9)

    @property
    def statement(self) -> str:
        """What may be said, with its conditions."""
        if self.chosen is None:
            many, needed = self.questions_without_evidence, self.needed
            why = (
                f"{many} such questions are too few: without a single false pass {needed} would be needed"
                if many < needed
                else f"too many of the {many} such questions pass ({needed} are enough where none does)"
            )
            return (
                f"No threshold of {len(self.tried)} can be guaranteed to let through at most "
                f"{percent(self.max_false_pass)} of the questions without evidence: {why}."
            )
        passed = self.false_pass
        seen = "" if passed is None else f"{passed.numerator} of {passed.denominator}"
        return (
            f"At {written(self.chosen)}, at most {percent(self.max_false_pass)} of questions without evidence pass, "
            f"with {percent(self.confidence)} confidence (one-sided): {seen} did. This holds for questions that come "
            "as these did, if these were not used to choose anything before; not for other questions, versions or "
            "indexes."
        )


def guaranteed_threshold(
    frozen: Frozen,
    thresholds: Sequence[float],
    *,
    max_false_pass: float,
    confidence: float = 0.9,
    unverified: Unverified = "refuse",
) -> Guarantee:
    """Find the thresholds whose share of false passes is below a limit, with confidence.

    Args:
        frozen: Labelled results that nothing was chosen on before.
        thresholds: Fixed before these results were looked at; each one tried costs certainty.
        max_false_pass: Between 0 and 1.
        confidence: Between 0 and 1.
        unverified: Whether unverified questions are refused, or left out.

    Raises:
        GateError: A label is missing on one side, a number is out of its range, or a question is there twice.
        ModelError: MAPIE is not installed.
    """
    if not (0 < max_false_pass < 1 and 0 < confidence < 1 and thresholds):
        raise GateError("the limit and the confidence lie between 0 and 1, and a threshold is needed")
    need_verified(frozen, unverified)
    rows = [row for row in frozen.rows if row.label.evidence is not Evidence.UNVERIFIED]
    _need_draws(rows)
    present = [int(row.label.evidence is Evidence.PRESENT) for row in rows]
    if len(set(present)) < 2:
        raise GateError("questions with and questions without evidence are needed")
    tried = sorted(set(thresholds))

    def passes(_places: Any, threshold: float) -> Any:
        return np.array([int(decide(frozen.operating, row.retrieval, threshold).passed) for row in rows])

    import numpy as np

    control = _controller()(
        passes,
        risk="fpr",
        target_level=float(max_false_pass),
        confidence_level=confidence,
        best_predict_param_choice="recall",
        list_predict_params=np.array(tried)[:, None],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that none, or all, are valid: the statement says it
        control.calibrate(np.arange(len(rows)), present)
    best = control.best_predict_param
    chosen = None if best is None else float(best[0])
    return Guarantee(
        max_false_pass=max_false_pass,
        confidence=confidence,
        tried=tuple(tried),
        valid=tuple(float(one[0]) for one in control.valid_predict_params),
        chosen=chosen,
        false_pass=None if chosen is None else _false_pass(frozen, chosen),
        questions_without_evidence=present.count(0),
    )


def _need_draws(rows: Sequence[Row]) -> None:
    """Copies of one question are one draw; the test would count them as many."""
    by_words: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_words[without_end(row.retrieval.query)].append(row)
    copies = tuple(f"{listed(same)}: the same question" for same in by_words.values() if same[1:])
    if copies:
        raise GateError(
            "nothing can be guaranteed by copies of a question",
            problems=copies,
            remedy="keep one of each: a copy is no further draw",
        )


def _false_pass(frozen: Frozen, threshold: float) -> Ratio:
    absent = frozen.labelled(Evidence.ABSENT)
    passed = sum(decide(frozen.operating, row.retrieval, threshold).passed for row in absent)
    return Ratio(numerator=passed, denominator=len(absent))


def _controller() -> Any:
    try:
        from mapie.risk_control import BinaryClassificationController
    except ImportError as error:
        raise ModelError(
            "MAPIE is not installed, so no threshold can be guaranteed",
            remedy='install it: pip install ".[evaluate]"',
        ) from error
    return BinaryClassificationController
