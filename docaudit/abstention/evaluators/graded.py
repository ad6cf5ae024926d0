"""What an evaluator looks at: the candidates of a question with scores and grades; a missing one is never a "no"."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StrictBool, model_validator

from docaudit.abstention.evaluators.grounds import GivenGround
from docaudit.abstention.reading import validated
from docaudit.abstention.records import Direction
from docaudit.errors import EvaluatorError
from docaudit.evidence import Model

Score = Annotated[float, Field(allow_inf_nan=False, strict=True)]


class Aspect(StrEnum):
    """What a strict reader wants supported one by one."""

    SUBJECT = "subject"
    RESULT = "wanted_result"
    CONDITIONS = "conditions"
    PROCEDURE = "procedure"


class GradedCandidate(Model):
    """One candidate.

    Attributes:
        doc_id: Which document, page or chunk.
        text: Its text, where an evaluator joins texts.
        reason: Why it was graded so; comes before the grade.
        ground: Why it does not help, if it does not.
        supports: Aspects of the question that it supports; None if nobody looked at them.
        relevant: Whether it gives useful information for the task; None if it was not graded.
        score: Score of an evaluator that is a model; None if there is none.
    """

    doc_id: str = Field(min_length=1)
    text: str = ""
    reason: str = ""
    ground: GivenGround | None = None
    supports: tuple[Aspect, ...] | None = None
    relevant: StrictBool | None = None
    score: Score | None = None

    @model_validator(mode="after")
    def _consistent(self) -> GradedCandidate:
        if self.ground is not None and self.relevant is not False:
            raise ValueError("a ground against it stands only beside relevant: false")
        if self.relevant is False and set(self.supports or ()) == set(Aspect):
            raise ValueError("it is not relevant, and supports every aspect")
        return self


class Graded(Model):
    """One question with its candidates.

    Attributes:
        id: Name of the question.
        query: Its text.
        direction: Which end of the scale of the scores is good.
        candidates: Best first; at least one.
    """

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    direction: Direction = Direction.HIGHER
    candidates: tuple[GradedCandidate, ...]

    @model_validator(mode="after")
    def _each_once(self) -> Graded:
        if not self.candidates:
            raise ValueError("there is no candidate: an empty group has no grade")
        names = [one.doc_id for one in self.candidates]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            raise ValueError(f"candidates are listed twice: {', '.join(twice)}")
        return self


def read_graded(rows: Any) -> tuple[Graded, ...]:
    """Questions from rows of JSON; raises EvaluatorError with every fault, each with its row (from 1)."""
    if not isinstance(rows, list) or not rows:
        raise EvaluatorError("a list with at least one row is needed")
    problems: list[str] = []
    made = [validated(Graded, raw, f"row {number}", problems) for number, raw in enumerate(rows, 1)]
    good = [(number, one) for number, one in enumerate(made, 1) if one is not None]
    problems += faults_between(good)
    if problems:
        raise EvaluatorError("the grades are refused", problems=tuple(problems))
    return tuple(one for _, one in good)


def faults_between(rows: Sequence[tuple[int, Graded]]) -> list[str]:
    """Names used twice, and scores of which some are better if higher and some if lower."""
    places: dict[str, list[int]] = {}
    ends: dict[Direction, list[int]] = {}
    for number, one in rows:
        places.setdefault(one.id, []).append(number)
        if any(candidate.score is not None for candidate in one.candidates):
            ends.setdefault(one.direction, []).append(number)
    found = [
        f"rows {_listed(numbers)}: the id '{name}' is used twice"
        for name, numbers in places.items()
        if numbers[1:]
    ]
    if len(ends) > 1:
        said = "; ".join(f"{end.value} in rows {_listed(numbers)}" for end, numbers in ends.items())
        found.append(f"mixed directions: {said}")
    return found


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
