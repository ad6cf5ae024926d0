"""A threshold with a guarantee: in all but few draws of the labelled questions, false passes stay below a limit.

Risk control by MAPIE ("learn then test"): exact binomial tests with correction for the number of thresholds tried.
Needs the extra `evaluate`.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from docaudit.abstention.counts import Unverified, need_verified
from docaudit.abstention.frozen import Frozen, Row
from docaudit.abstention.frozen_checks import listed
from docaudit.abstention.gate import decide
from docaudit.abstention.labels import Evidence
from docaudit.abstention.ratio import Ratio, percent
from docaudit.abstention.records import written
from docaudit.abstention.same import without_end
from docaudit.errors import GateError, ModelError
from docaudit.evidence import Model


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
