"""The order of LangGraph's self-reflective flow: three graders, each asked for one thing, and a rewriter of its own.

Documents are graded before an answer is written, the answer after it: first against the documents, and only if they
carry it, against the question. "Cannot be answered" is never said by the grader of documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from pydantic import Field, model_validator

from docaudit.abstention.faults import Given
from docaudit.errors import EvaluatorError


class Step(StrEnum):
    """What is done, by whom: three graders, a generator, a rewriter, a retriever."""

    RETRIEVE = "retrieve"
    GRADE_DOCUMENTS = "grade_documents"
    GENERATE = "generate"
    GRADE_HALLUCINATIONS = "grade_hallucinations"
    GRADE_ANSWER = "grade_answer"
    REWRITE = "rewrite_question"
    DONE = "done"


class Draft(Given):
    """One answer that was written.

    Attributes:
        grounded: Whether the documents carry it.
        answers: Whether it answers the question; None exactly if it is not grounded, as nobody asks then.
    """

    refused = EvaluatorError

    grounded: bool
    answers: bool | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Draft:
        if self.grounded != (self.answers is not None):
            raise ValueError(
                "an answer is graded against the question if, and only if, the documents carry it"
            )
        return self


class Round(Given):
    """One retrieval and what followed from it.

    Attributes:
        documents: Whether each document is relevant.
        drafts: Answers written from the relevant ones; one that is not grounded is written again.
    """

    refused = EvaluatorError

    documents: tuple[bool, ...] = Field(min_length=1)
    drafts: tuple[Draft, ...] = ()


def steps(rounds: Sequence[Round]) -> tuple[Step, ...]:
    """The steps that these grades lead through; without DONE at the end if no answer was good.

    Raises:
        EvaluatorError: A draft where no document was relevant, or anything after the flow went on or was done.
    """
    if not rounds:
        raise EvaluatorError("there is no round")
    found: list[Step] = []
    for number, one in enumerate(rounds, 1):
        if found and found[-1] is not Step.REWRITE:
            raise EvaluatorError(f"round {number}: nothing was rewritten before it")
        found += _round(number, one)
    return tuple(found)


def _round(number: int, one: Round) -> Iterator[Step]:
    yield from (Step.RETRIEVE, Step.GRADE_DOCUMENTS)
    if not any(one.documents):
        if one.drafts:
            raise EvaluatorError(f"round {number}: no document was relevant, and an answer was written")
        yield Step.REWRITE
        return
    for place, draft in enumerate(one.drafts, 1):
        yield from (Step.GENERATE, Step.GRADE_HALLUCINATIONS)
        if draft.grounded:
            yield from (Step.GRADE_ANSWER, Step.DONE if draft.answers else Step.REWRITE)
            if place < len(one.drafts):
                raise EvaluatorError(
                    f"round {number}: an answer was written after draft {place} was decided on"
                )
