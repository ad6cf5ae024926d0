"""The only three grounds for "insufficient", and four that are often taken for one."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator


class Ground(StrEnum):
    """Why a candidate does not help; nothing else makes the material insufficient."""

    OTHER_TOPIC = "other_topic"
    REQUEST_NOT_COVERED = "request_not_covered"
    OTHER_ERROR = "other_error"

    @property
    def meaning(self) -> str:
        """When the ground applies."""
        return _GROUNDS[self]


_GROUNDS = {
    Ground.OTHER_TOPIC: "It is about another subject, product or matter than the question.",
    Ground.REQUEST_NOT_COVERED: "The operation, rule or way of checking that was asked for is in no candidate.",
    Ground.OTHER_ERROR: "It explains another error text or error code than the one in the question.",
}


class NoGround(StrEnum):
    """What made a strict evaluator refuse though the answer was there; refused as a ground, by name."""

    GENERAL_PROCEDURE_ONLY = "general_procedure_only"
    LIMITATION_STATED = "limitation_stated"
    REQUIREMENTS_SPLIT = "requirements_split"
    CONFIRMATION_QUESTION = "confirmation_question"

    @property
    def meaning(self) -> str:
        """Why it is no ground."""
        return _NO_GROUNDS[self]


_NO_GROUNDS = {
    NoGround.GENERAL_PROCEDURE_ONLY: "A general procedure answers; the particular values need not be in it.",
    NoGround.LIMITATION_STATED: "A stated limitation ('there is no bulk import') is the answer.",
    NoGround.REQUIREMENTS_SPLIT: "What several documents say together answers; one need not say it all.",
    NoGround.CONFIRMATION_QUESTION: "'Is it right that …' is answered by what the rule says, not by these words.",
}


def _ground(given: Any) -> Any:
    if given in set(NoGround):
        raise ValueError(f"'{given}' is no ground for 'insufficient': {NoGround(given).meaning}")
    return given


GivenGround = Annotated[Ground, BeforeValidator(_ground)]
"""A ground as a person or a model gives it."""
