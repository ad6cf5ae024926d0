"""Corrective RAG: a score for each document, two thresholds, and one good document is enough for the question.

After `process_flag` and the preparation of internal knowledge in the published code of CRAG.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import IntEnum
from numbers import Real
from typing import Literal, get_args

from pydantic import model_validator

from docaudit.abstention.evaluators.graded import Graded
from docaudit.abstention.evaluators.protocol import Action, Assessment
from docaudit.abstention.faults import Given
from docaudit.abstention.records import Direction
from docaudit.errors import EvaluatorError

Trailing = Literal["raise", "drop"]
"""A last group with fewer than n_docs scores: an error, or dropped without a word as the published code does."""


class Flag(IntEnum):
    """What a score, or a group of them, comes to."""

    INCORRECT = 0
    AMBIGUOUS = 1
    CORRECT = 2


ACTIONS = {
    Flag.CORRECT: Action.REFINE_INTERNAL,
    Flag.AMBIGUOUS: Action.REFINE_AND_SEARCH,
    Flag.INCORRECT: Action.SEARCH_WEB,
}


def flag(score: float, upper: float, lower: float) -> Flag:
    """One score; equal to a threshold counts as reached."""
    if score >= upper:
        return Flag.CORRECT
    return Flag.AMBIGUOUS if score >= lower else Flag.INCORRECT


def process_flag(
    scores: Sequence[float | None], n_docs: int, upper: float, lower: float, *, trailing: Trailing = "raise"
) -> list[Flag]:
    """One flag for each group of n_docs scores in a row: the best of the group (OR).

    Args:
        scores: Of all documents of all questions, question after question.
        n_docs: Documents for each question.
        upper: From here on correct.
        lower: From here on ambiguous.
        trailing: What becomes of a last group that is not full.

    Raises:
        EvaluatorError: Scores that are no numbers, no scores, a last group that is not full, thresholds or n_docs
            that make no sense; all at once, scores with their row from 1.
    """
    problems = [*_wrong_thresholds(upper, lower), *([] if n_docs >= 1 else [f"n_docs is {n_docs}"])]
    problems += [] if trailing in get_args(Trailing) else [f"trailing is '{trailing}', and not raise or drop"]
    problems += [
        f"row {row}: {'no score' if score is None else f'{score!r:.50} is no number'}"
        for row, score in enumerate(scores, 1)
        if not _is_number(score)
    ]
    left_over = len(scores) % n_docs if n_docs >= 1 else 0
    if trailing == "raise":
        if left_over:
            first = len(scores) - left_over + 1
            problems.append(
                f"rows {first} to {len(scores)}: {left_over} scores in the last group, {n_docs} are needed"
            )
        if not scores:
            problems.append("there is no group")
    if problems:
        raise EvaluatorError("no flags can be given", problems=tuple(problems))
    flags = [flag(score, upper, lower) for score in scores if score is not None]
    return [max(flags[at : at + n_docs]) for at in range(0, len(flags) - left_over, n_docs)]


def _is_number(score: object) -> bool:
    """Whether it is a finite number; whole ones beyond all floats are none."""
    if isinstance(score, bool) or not isinstance(score, Real):
        return False
    try:
        return math.isfinite(score)
    except OverflowError:
        return False


def _wrong_thresholds(upper: float, lower: float) -> list[str]:
    # NaN is in no order, so it fails here, too.
    good = math.isfinite(upper) and math.isfinite(lower) and lower <= upper
    return (
        [] if good else [f"the lower threshold {lower} and the upper {upper} are not two numbers that ascend"]
    )


class Crag(Given):
    """The evaluator.

    Attributes:
        upper: From here on a document is correct.
        lower: From here on it is ambiguous.
    """

    refused = EvaluatorError

    upper: float
    lower: float

    @model_validator(mode="after")
    def _ascend(self) -> Crag:
        for problem in _wrong_thresholds(self.upper, self.lower):
            raise ValueError(problem)
        return self

    @property
    def name(self) -> str:
        """What it is called."""
        return "crag"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        return {one.name.lower(): action for one, action in ACTIONS.items()}

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """Both thresholds."""
        return {"upper": self.upper, "lower": self.lower}

    def assess(self, graded: Graded) -> Assessment:
        """The best flag of the candidates; those of flag 1 or 2 are kept."""
        if graded.direction is Direction.LOWER:
            raise EvaluatorError("these scores are better if lower, and the thresholds are for the other end")
        missing = [f"{one.doc_id} has no score" for one in graded.candidates if one.score is None]
        if missing:
            raise EvaluatorError("scores are missing", problems=tuple(missing))
        flags = {
            one.doc_id: flag(one.score, self.upper, self.lower)
            for one in graded.candidates
            if one.score is not None
        }
        best = max(flags.values())
        reached = sum(one is best for one in flags.values())
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=f"{reached} of {len(flags)} candidates are {best.name.lower()}, none is better",
            kept=tuple(name for name, one in flags.items() if one is not Flag.INCORRECT),
            verdict=best.name.lower(),
            action=ACTIONS[best],
        )


def select_strips(
    scores: Sequence[float],
    mode: Literal["selection", "fixed_num", "excerption"],
    *,
    top_n: int | None = None,
) -> tuple[int, ...]:
    """Places of the pieces of a document that are put together again, best first; equal scores in their order.

    Args:
        scores: Score of each piece.
        mode: How the document was cut; the published default of top_n hangs on it.
        top_n: Pieces at most; None for 3 with "selection", 6 otherwise.
    """
    problems = [
        f"piece {at}: {one} is no number" for at, one in enumerate(scores, 1) if not math.isfinite(one)
    ]
    most = (3 if mode == "selection" else 6) if top_n is None else top_n
    problems += [f"top_n is {most}"] if most < 1 else []
    if problems:
        raise EvaluatorError("no pieces can be selected", problems=tuple(problems))
    return tuple(sorted(range(len(scores)), key=lambda at: -scores[at])[:most])
