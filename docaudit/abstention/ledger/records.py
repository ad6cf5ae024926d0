"""What is observed after: runs, and the reviews of their claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, model_validator

from docaudit.abstention.ledger.cases import Gold
from docaudit.abstention.ledger.contract import Name, Part, Sha256
from docaudit.abstention.ledger.vocabulary import Behaviour, ClaimKind, Support, VetoKind
from docaudit.evidence import Model
from docaudit.justification import Finding, Obligation

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


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
    """docaudit's justification as the evidence of an abstention, for one document.

    Attributes:
        document: The document of the corpus that was audited.
        path: The saved justification, relative to the ledger's folder.
        digest: Its digest.
        finding: Its finding.
        waived: Its obligations that a person waived; with any of them nothing is proven.
    """

    document: Name
    path: Name
    digest: Sha256
    finding: Finding
    waived: tuple[Obligation, ...] = ()


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
