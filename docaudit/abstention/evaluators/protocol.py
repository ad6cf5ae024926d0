"""One protocol for all evaluators: grades in, a verdict and its one action out. No action is "do not answer"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from docaudit.abstention.evaluators.graded import Graded, faults_between
from docaudit.errors import EvaluatorError
from docaudit.evidence import Model


class Action(StrEnum):
    """What comes next; whether an answer is given is decided after it was written, by other judges."""

    GENERATE = "generate"
    REFINE_INTERNAL = "refine_internal"
    SEARCH_WEB = "search_web"
    REFINE_AND_SEARCH = "refine_internal_and_search_web"
    REWRITE = "rewrite_and_retrieve"
    REWRITE_AND_SEARCH = "rewrite_and_search_web"


class Assessment(Model):
    """What an evaluator says of one question.

    Attributes:
        question_id: Which.
        evaluator: Name of the evaluator.
        because: What the verdict follows from, as a sentence without its full stop.
        kept: Candidates that go on, best first.
        verdict: One of the evaluator's verdicts.
        action: The one that belongs to the verdict.
    """

    question_id: str
    evaluator: str
    because: str
    kept: tuple[str, ...]
    verdict: str
    action: Action


class Evaluator(Protocol):
    """Judges each candidate by itself and joins the judgements by a rule."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        ...

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """How strict it is, as parameters, never as words of a prompt."""
        ...

    def assess(self, graded: Graded) -> Assessment:
        """Judge one question; raises EvaluatorError if a grade or score that it needs is missing."""
        ...


def assess_all(evaluator: Evaluator, questions: Sequence[Graded]) -> tuple[Assessment, ...]:
    """Judge each question, in order; raises EvaluatorError with the faults of all rows (from 1) at once."""
    problems = faults_between(list(enumerate(questions, 1)))
    made = []
    for number, graded in enumerate(questions, 1):
        try:
            made.append(evaluator.assess(graded))
        except EvaluatorError as error:
            said = error.problems or (error.cause,)
            problems += [f"row {number} ({graded.id}): {one}" for one in said]
    if problems:
        raise EvaluatorError(f"{evaluator.name} cannot judge these questions", problems=tuple(problems))
    return tuple(made)


def grades(graded: Graded) -> tuple[bool, ...]:
    """Whether each candidate is relevant; raises EvaluatorError naming those that nobody graded."""
    found = tuple(one.relevant for one in graded.candidates if one.relevant is not None)
    if len(found) < len(graded.candidates):
        missing = [f"{one.doc_id} is not graded" for one in graded.candidates if one.relevant is None]
        raise EvaluatorError("grades are missing", problems=tuple(missing))
    return found
