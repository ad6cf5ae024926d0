"""What is fixed before any output: documents and who may use them, and cases with their labels."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, model_validator

from docaudit.abstention.ledger.contract import Name, Sha256
from docaudit.abstention.ledger.vocabulary import Answerability, Boundary, ClaimKind, Severity
from docaudit.evidence import Model

TestNumber = Annotated[int, Field(ge=1, le=20)]


class Document(Model):
    """A row of documents.jsonl: a document of the corpus, and who may use it when.

    Attributes:
        document_id: Name of the document in all other rows.
        sha256: SHA-256 of its file, or null; a justification of docaudit must be about this file.
        tenant: The tenant that owns it.
        roles: Roles that may see it.
        status: current, or retired (replaced by another).
        owner: Who answers for it; null makes it ineligible.
        effective_from: First day on which it applies.
        effective_to: Last day on which it applies, or null.
        review_due: Day by which it had to be looked at again, or null if it needs no review.
        published: Day of publication; says nothing about when it applies.
        tables: It has tables.
        restricted: It is restricted material.
        passages: Identifiers of all its passages.
        not_indexed: Those of them that parsing or chunking did not bring into the index.
    """

    document_id: Name
    sha256: Sha256 | None = None
    tenant: Name
    roles: tuple[Name, ...] = Field(min_length=1)
    status: Literal["current", "retired"]
    owner: Name | None
    published: date | None = None
    effective_from: date
    effective_to: date | None = None
    review_due: date | None = None
    tables: bool = False
    restricted: bool = False
    passages: tuple[Name, ...] = Field(min_length=1)
    not_indexed: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _applies_some_day(self) -> Document:
        if self.effective_to is not None and self.effective_to < self.effective_from:
            raise ValueError(
                f"it applies from {self.effective_from} to {self.effective_to}, which is no day at all"
            )
        return self


class Gold(Model):
    """A passage that a case labels, down to the cell and to conditions beside it.

    Attributes:
        document: Its document.
        passage: Its passage.
        cell: The table cell that matters, or null.
        conditions: Passages of the same document that must stand with it: exception, header, footnote.
    """

    document: Name
    passage: Name
    cell: Name | None = None
    conditions: tuple[Name, ...] = ()


class Planned(Model):
    """A material claim that the answer of a case owes.

    Attributes:
        claim_id: Name of the claim within its case.
        kind: What it states.
        severity: How much harm it does if it is not supported; set before the run.
    """

    claim_id: Name
    kind: ClaimKind
    severity: Severity


class Case(Model):
    """A row of cases.jsonl: a question with its labels, all set before any output is seen.

    Attributes:
        case_id: Name of the case.
        question: What is asked.
        language: Language of the question.
        group: A group for reports: task, topic, risk.
        identity: Identity that asks.
        as_of: Day for which the question is asked.
        scope: Documents that the question is about; empty for all that the identity may use.
        answerability: What the case permits.
        required: Smallest set of evidence for the expected behaviour; may be empty.
        allowed: Other permitted evidence of the same worth.
        forbidden: Restricted, other tenant, retired, poisoned or out of scope.
        claims: Material claims with their severity.
        boundaries: Boundaries that the case tries; empty if it is no security case.
        tests: Which of the 20 tests it belongs to.
        labelled_at: When the labels were set; not after the contract.
        labelled_by: Who set them.
        changed_because: Why a label was changed after an earlier evaluation; empty if it never was.
    """

    case_id: Name
    question: str = ""
    language: Name
    group: str = ""
    identity: Name
    as_of: date
    scope: tuple[Name, ...] = ()
    answerability: Answerability
    required: tuple[Gold, ...]
    allowed: tuple[Gold, ...] = ()
    forbidden: tuple[Gold, ...] = ()
    claims: tuple[Planned, ...]
    boundaries: tuple[Boundary, ...] = ()
    tests: tuple[TestNumber, ...] = ()
    labelled_at: AwareDatetime
    labelled_by: tuple[Name, ...] = Field(min_length=1)
    changed_because: str = ""
