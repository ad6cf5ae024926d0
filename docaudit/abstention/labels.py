"""What people said about a question: is the evidence there, and was the answer right? Two labels, never one.

"Unverified" is a label of its own. It is not pushed into "absent": one search that found nothing shows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field, model_validator

from docaudit.evidence import Model


class Evidence(StrEnum):
    """Whether the collection that the user may read holds what an answer needs."""

    PRESENT = "present"
    ABSENT = "absent"
    UNVERIFIED = "unverified"


class AbsentBasis(Model):
    """What "absent" rests on; without it the label is only an opinion.

    Attributes:
        scope: Which collection was looked through.
        version: Its version or day.
        permission: With whose permissions.
        method: How it was established.
    """

    scope: str = Field(min_length=1)
    version: str = Field(min_length=1)
    permission: str = Field(min_length=1)
    method: str = Field(min_length=1)


class Grade(StrEnum):
    """How an answer compares with evidence and expected answer; the two ways of not knowing are told apart."""

    CORRECT = "correct"
    PARTIAL = "partial"
    WRONG = "wrong"
    NO_REFERENCE = "no_reference"
    UNDECIDABLE = "undecidable"


class Answer(Model):
    """What became of a question once it was past the gate.

    Attributes:
        returned: Whether an answer on the matter reached the user; False if it was held back after generation.
        grade: How good it was; None if none was returned.
        satisfied: Required items that the answer gives.
        missing: Required items that it lacks.
    """

    returned: bool
    grade: Grade | None = None
    satisfied: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Answer:
        if self.returned != (self.grade is not None):
            raise ValueError("an answer that was returned has a grade, one that was held back has none")
        if not self.returned and (self.satisfied or self.missing):
            raise ValueError("an answer that was held back has no items")
        if set(self.satisfied) & set(self.missing):
            raise ValueError("an item is both satisfied and missing")
        if self.grade is Grade.CORRECT and self.missing:
            raise ValueError("an answer that lacks required items is 'partial', not 'correct'")
        if self.grade is Grade.PARTIAL and not (self.satisfied and self.missing):
            raise ValueError(
                "a partial answer names the items it has (satisfied) and those it lacks (missing)"
            )
        return self


class Label(Model):
    """What is known of one question.

    Attributes:
        evidence: Whether the evidence is in the collection.
        basis: What "absent" rests on.
        required_doc_ids: Documents that an answer needs; None if they were not written down.
        group: Questions about one rule, and paraphrases of each other, have one group.
        category: Kind of question, for results apart ("negation", "same name, other product").
        votes: What each person said, if several did.
        answer: The answer that stands behind the gate; None if none was made.
    """

    evidence: Evidence
    basis: AbsentBasis | None = None
    required_doc_ids: tuple[str, ...] | None = None
    group: str | None = Field(default=None, min_length=1)
    category: str | None = Field(default=None, min_length=1)
    votes: Mapping[str, Evidence] = Field(default_factory=dict)
    answer: Answer | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Label:
        if self.evidence is Evidence.ABSENT and self.basis is None:
            raise ValueError("'absent' needs a basis: scope, version, permission and method")
        if self.evidence is Evidence.ABSENT and self.required_doc_ids:
            raise ValueError("'absent', but required documents are named")
        if self.evidence is Evidence.PRESENT and self.required_doc_ids == ():
            raise ValueError("'present', but the list of required documents is empty")
        said = set(self.votes.values())
        if len(said) == 1 and said != {self.evidence}:
            raise ValueError(f"everyone voted '{said.pop()}', but the label is '{self.evidence}'")
        if self.evidence is Evidence.ABSENT and self.answer and self.answer.grade is Grade.CORRECT:
            raise ValueError("'absent', but the answer was graded correct against evidence")
        return self

    @property
    def disputed(self) -> bool:
        """Whether people disagreed."""
        return len(set(self.votes.values())) > 1
