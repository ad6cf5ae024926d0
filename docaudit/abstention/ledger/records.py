"""The rows of a ledger: documents and cases (fixed before), runs and claims (observed after)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, model_validator

from docaudit.abstention.ledger.contract import Name, Part, Sha256
from docaudit.abstention.ledger.vocabulary import (
    Answerability,
    Behaviour,
    Boundary,
    ClaimKind,
    Severity,
    Support,
    VetoKind,
)
from docaudit.evidence import Model
from docaudit.justification import Finding

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
TestNumber = Annotated[int, Field(ge=1, le=20)]


class Document(Model):
    """A row of documents.jsonl: a document of the corpus, and who may use it when.

    Attributes:
        document_id: Name of the document in all other rows.
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


class Place(Model):
    """A passage, as a candidate, in the context, or cited.

    Attributes:
        document: Its document.
        passage: Its passage.
        cells: Table cells that are kept with it, such as "row 3, 2026".
    """

    document: Name
    passage: Name
    cells: tuple[Name, ...] = ()


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


class Citation(Model):
    """A citation that was shown.

    Attributes:
        document: The document that it names.
        passage: The passage that it names.
        resolved: Whether the link led there when it was tried as the viewer.
    """

    document: Name
    passage: Name
    resolved: bool


class Violation(Model):
    """Something that must not happen, seen by the owner of security: in which channel, and what.

    Attributes:
        kind: Which veto it is.
        channel: answer, citation, title, cache, log, trace, error, tool.
        what: What was seen, in words that leak nothing themselves.
    """

    kind: VetoKind
    channel: Literal["answer", "citation", "title", "cache", "log", "trace", "error", "tool"]
    what: str = Field(min_length=1)


class Absence(Model):
    """docaudit's justification as the evidence of an abstention.

    Attributes:
        path: The saved justification, relative to the ledger's folder.
        digest: Its digest.
        finding: Its finding.
    """

    path: Name
    digest: Sha256
    finding: Finding


class Run(Model):
    """A row of runs.jsonl: what was observed when one case was run once.

    Attributes:
        run_id: Name of the run.
        case_id: Its case.
        contract_sha256: SHA-256 of contract.json.
        output_at: When the answer was there; not before the contract was frozen.
        observed: Versions in effect during the run, as observed, not as planned.
        candidates: Passages retrieved, best first.
        context: Passages really sent to the model.
        citations: Citations that the viewer was shown.
        behaviour: What the system did.
        next_step: What it offered where it held back: missing evidence, question, who decides; empty if nothing.
        violations: What must not happen and did.
        absence: Justifications of docaudit that carry an abstention.
        seconds: Time from question to answer.
        cost: Cost of the run, or null if it was not measured.
        review_minutes: Time a person took to review, or null if not measured.
        timed_out: The run hit a time-out.
        fell_back: The run used a fallback.
        corrections: Material corrections that a reviewer made.
    """

    run_id: Name
    case_id: Name
    contract_sha256: Sha256
    output_at: AwareDatetime
    observed: Mapping[Part, Name]
    candidates: tuple[Place, ...]
    context: tuple[Place, ...]
    citations: tuple[Citation, ...]
    behaviour: Behaviour
    next_step: str
    violations: tuple[Violation, ...] = ()
    absence: tuple[Absence, ...] = ()
    seconds: Amount
    cost: Amount | None = None
    review_minutes: Amount | None = None
    timed_out: bool = False
    fell_back: bool = False
    corrections: int = Field(default=0, ge=0)


class Claim(Model):
    """A row of claims.jsonl: the review of one material claim of one run.

    Attributes:
        run_id: Its run.
        claim_id: Its claim; one that the case does not plan was added by the answer.
        kind: Kind of an added claim; null for a planned one.
        support: How far the evidence carries it.
        evidence: Passages that were judged.
        judged_by: human, or model.
        judge: Who, or which version of which model.
        model_support: What a model judge said where a person judged too: for agreement.
    """

    run_id: Name
    claim_id: Name
    kind: ClaimKind | None = None
    support: Support
    evidence: tuple[Gold, ...] = ()
    judged_by: Literal["human", "model"]
    judge: Name
    model_support: Support | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Claim:
        if self.support is Support.MISSING and self.evidence:
            raise ValueError("labels contradict: a missing claim has no evidence")
        if self.support is Support.MISSING and self.kind is not None:
            raise ValueError("labels contradict: a missing claim cannot be an added one")
        if self.judged_by == "model" and self.model_support is not None:
            raise ValueError("model_support stands beside the support that a person gave")
        return self
