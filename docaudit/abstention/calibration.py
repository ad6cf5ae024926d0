"""From score to probability, and to a threshold with a guarantee: only where the data carry it.

A calibration is fitted on questions from use and gives no probability before it was checked on independent ones;
squeezing scores between 0 and 1 is no calibration. A guarantee is risk control by MAPIE ("learn then test": exact
binomial tests, corrected for the number of thresholds tried; extra `evaluate`).
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from docaudit.abstention.gate import (
    Direction,
    EvidenceLabel,
    Grade,
    OperatingRecord,
    Ratio,
    decide,
    gate_value,
    without_end,
    written,
)
from docaudit.abstention.results import Frozen, LabelledQuestion, QuestionSet, listed
from docaudit.abstention.splits import near_duplicates
from docaudit.abstention.threshold_sweep import Unverified, require_verified
from docaudit.errors import GateError, ModelError
from docaudit.justification import Model
from docaudit.text.numbers import percent

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FEWEST = 5  # of each outcome: CalibratedClassifierCV fits on five parts that each have both
Target = Literal["evidence_present", "answer_correct"]
"""What the probability is one of: that the evidence is there, or that the answer is right."""
Method = Literal["sigmoid", "isotonic"]


class CalibrationBin(Model):
    """Questions whose predictions lie close together.

    Attributes:
        predicted: Mean prediction.
        observed: How many of them were so.
    """

    predicted: float
    observed: Ratio


class CalibrationCheck(Model):
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
    bins: tuple[CalibrationBin, ...]

    @property
    def useless(self) -> bool:
        """Whether always saying the base rate is as good."""
        return self.brier >= self.brier_of_base_rate


@dataclass(frozen=True)
class Calibration:
    """A fitted calibration; it gives no probability before it was checked.

    Attributes:
        operating: The scores that it is for, and no others.
        target: What the probability is one of.
        questions: The data that it was fitted on.
        rows: The questions that it was fitted on.
        predict: Probabilities of scores.
        check: The check on independent data; None before it.
    """

    operating: OperatingRecord
    target: Target
    questions: QuestionSet
    rows: tuple[LabelledQuestion, ...]
    predict: Callable[[Sequence[float]], NDArray[Any]]
    check: CalibrationCheck | None = None

    def probability(self, score: float) -> float:
        """Probability of the target, between 0 and 1; raises GateError before the check."""
        if self.check is None:
            raise GateError(
                "this calibration has not been checked on independent data, so it gives no probability",
                remedy="call check_calibration with results that it was not fitted on",
            )
        if self.check.useless:
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
    text = f"{operating.score_kind} {score:g} ({operating.direction.value.replace('_', ' ')})"
    if calibration is None:
        return f"{text}; not calibrated"
    _require_same_scores(operating, calibration)
    if calibration.check is not None and calibration.check.useless:
        return f"{text}; not calibrated: on independent data the calibration was no better than the base rate"
    name = calibration.target.replace("_", " ")
    return f"{text}; probability of '{name}': {calibration.probability(score):.2f}"


def calibrate(frozen: Frozen, target: Target, *, method: Method = "sigmoid") -> Calibration:
    """Fit a calibration.

    Args:
        frozen: Results of questions that stand for use; designed ones are refused.
        target: What the probability is one of: `evidence_present`, `answer_correct`.
        method: `isotonic` needs many questions (about 1,000, as scikit-learn advises), `sigmoid` few.

    Raises:
        GateError: There is no such target or method, the questions were designed, or too few of them have one of the
            two outcomes.
    """
    for name, value, names in (("target", target, get_args(Target)), ("method", method, get_args(Method))):
        if value not in names:
            raise GateError(f"there is no {name} '{value}'", remedy=f"take one of {', '.join(names)}")
    scores, outcomes, rows = _scored_outcomes(frozen, target)
    _require_both(outcomes, target, "calibrate")
    predict = _fitted(frozen.operating, scores, outcomes, method)
    return Calibration(frozen.operating, target, frozen.questions, rows, predict)


def check_calibration(calibration: Calibration, frozen: Frozen, *, bins: int = 5) -> Calibration:
    """The calibration with its check on independent results.

    Raises:
        GateError: The results are not independent, were designed, or fewer than 5 of them have one of the two outcomes.
    """
    import pandas as pd
    from sklearn.metrics import brier_score_loss

    _require_same_scores(frozen.operating, calibration)
    scores, outcomes, rows = _scored_outcomes(frozen, calibration.target)
    _require_independent(calibration.rows, rows)
    _require_both(outcomes, calibration.target, "check")
    checked = pd.DataFrame({"predicted": calibration.predict(scores), "outcome": outcomes})
    quantiles = pd.qcut(checked["predicted"], bins, duplicates="drop")
    check = CalibrationCheck(
        questions=frozen.questions,
        brier=float(brier_score_loss(outcomes, checked["predicted"])),
        brier_of_base_rate=float(brier_score_loss(outcomes, [checked["outcome"].mean()] * len(outcomes))),
        bins=tuple(
            CalibrationBin(
                predicted=float(rows_of_bin["predicted"].mean()),
                observed=Ratio(numerator=int(rows_of_bin["outcome"].sum()), denominator=len(rows_of_bin)),
            )
            for _, rows_of_bin in checked.groupby(quantiles, observed=True)
        ),
    )
    return replace(calibration, check=check)


def _scored_outcomes(
    frozen: Frozen, target: Target
) -> tuple[list[float], list[int], tuple[LabelledQuestion, ...]]:
    """Scores and outcomes of the rows that have both; what is not known is left out, never taken for "no"."""
    if frozen.questions.origin == "designed":
        raise GateError(
            "the questions were designed, so shares among them stand for nothing else",
            remedy="calibrate and check on questions that were sampled from use",
        )
    scores, outcomes, rows = [], [], []
    for row in frozen.rows:
        value = gate_value(frozen.operating, row)
        if target == "evidence_present":
            open_label = row.evidence is EvidenceLabel.UNVERIFIED
            outcome = None if open_label else row.evidence is EvidenceLabel.PRESENT
        else:
            grade = row.answer.grade if row.answer else None
            judged = grade in (Grade.CORRECT, Grade.PARTIAL, Grade.WRONG)
            outcome = grade is Grade.CORRECT if judged else None
        if isinstance(value, float) and outcome is not None:
            scores.append(value)
            outcomes.append(int(outcome))
            rows.append(row)
    return scores, outcomes, tuple(rows)


def _require_both(outcomes: Sequence[int], target: Target, purpose: str) -> None:
    if min(sum(outcomes), len(outcomes) - sum(outcomes)) < _FEWEST:
        raise GateError(
            f"{sum(outcomes)} of {len(outcomes)} questions have the outcome '{target}'",
            remedy=f"{purpose} on questions of both outcomes, {_FEWEST} of each or more",
        )


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
    return lambda values: model.predict_proba(sign * np.asarray(values, dtype=float)[:, None])[:, 1]


def _require_same_scores(operating: OperatingRecord, calibration: Calibration) -> None:
    if operating != calibration.operating:
        raise GateError("the calibration is for other scores, versions or settings", remedy="calibrate anew")


def _require_independent(fitted: Sequence[LabelledQuestion], checked: Sequence[LabelledQuestion]) -> None:
    ids = {row.id for row in fitted}
    groups = {row.group for row in fitted} - {None}
    problems = [
        f"row {row.number} ({row.id}): the question, or its group, was fitted on"
        for row in checked
        if row.id in ids or row.group in groups
    ]
    problems += [
        f"row {row.number} ({row.id}): almost the same as {earlier.id}, which was fitted on"
        for earlier, row in near_duplicates((*fitted, *checked))
        if earlier in fitted and row in checked and row.id not in ids
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
    def statement(self) -> str:
        """What may be said, with its conditions."""
        if self.chosen is None or self.false_pass is None:
            # The first of n thresholds must reach (1 - confidence) / n, and (1 - limit) ** questions is the chance
            # that none of so many passes: so many are enough.
            chance = (1 - self.confidence) / len(self.tried)
            enough = math.ceil(math.log(chance) / math.log(1 - self.max_false_pass) - 1e-9)
            many = self.questions_without_evidence
            why = (
                f"{many} such questions are too few: without a single false pass {enough} would be needed"
                if many < enough
                else f"too many of the {many} such questions pass ({enough} are enough where none does)"
            )
            return (
                f"No threshold of {len(self.tried)} can be guaranteed to let through at most "
                f"{percent(self.max_false_pass)} of the questions without evidence: {why}."
            )
        return (
            f"At {written(self.chosen)}, at most {percent(self.max_false_pass)} of questions without evidence pass, "
            f"with {percent(self.confidence)} confidence (one-sided): {self.false_pass.numerator} of "
            f"{self.false_pass.denominator} did. This holds for questions that come as these did, if these were not "
            "used to choose anything before; not for other questions, versions or indexes."
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
    require_verified(frozen, unverified)
    rows = [row for row in frozen.rows if row.evidence is not EvidenceLabel.UNVERIFIED]
    by_words: dict[str, list[LabelledQuestion]] = defaultdict(list)
    for row in rows:
        by_words[without_end(row.query)].append(row)
    if copies := [f"{listed(same)}: the same question" for same in by_words.values() if same[1:]]:
        raise GateError(
            "nothing can be guaranteed by copies of a question",
            problems=tuple(copies),
            remedy="keep one of each: a copy is no further draw",
        )
    present = [int(row.evidence is EvidenceLabel.PRESENT) for row in rows]
    if len(set(present)) < 2:
        raise GateError("questions with and questions without evidence are needed")
    try:
        from mapie.risk_control import BinaryClassificationController
    except ImportError as error:
        raise ModelError(
            "MAPIE is not installed, so no threshold can be guaranteed",
            remedy='install it: pip install ".[evaluate]"',
        ) from error
    import numpy as np

    def passes(_places: Any, threshold: float) -> Any:
        return np.array([int(decide(frozen.operating, row, threshold).passed) for row in rows])

    tried = sorted(set(thresholds))
    control = BinaryClassificationController(
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
    chosen = None if control.best_predict_param is None else float(control.best_predict_param[0])
    false_pass = None
    if chosen is not None:
        wrong = sum(passed and not label for passed, label in zip(passes(None, chosen), present, strict=True))
        false_pass = Ratio(numerator=int(wrong), denominator=present.count(0))
    return Guarantee(
        max_false_pass=max_false_pass,
        confidence=confidence,
        tried=tuple(tried),
        valid=tuple(float(threshold[0]) for threshold in control.valid_predict_params),
        chosen=chosen,
        false_pass=false_pass,
        questions_without_evidence=present.count(0),
    )
