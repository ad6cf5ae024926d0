"""The rows of a run ledger and their closed vocabularies: what is fixed before any output, and what is observed after.

Fixed before: documents with who may use them, cases with their labels, the contract that freezes both and says what
counts as passing. Observed after: runs, and the reviews of their claims. Nothing in them is a judgement of docaudit:
people (or models calibrated on people) judge claims, and everything else is recomputed from the rows. Method: "RAG
evaluation checklist: 20 tests of grounded answers".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, model_validator

from docaudit.codes import Code, Finding, Obligation
from docaudit.justification import Model


class Layer(Code):
    """The seven layers of a system; every failure belongs to one, and is repaired there."""

    CORPUS = (
        "corpus_eligibility",
        "Which documents may be used at all: tenant, role, version, dates, owner; before any similarity.",
    )
    PARSING = (
        "parsing",
        "Which information reaches the index: columns, table headers, cells, footnotes, chunks.",
    )
    RETRIEVAL = "retrieval", "Which evidence becomes a candidate: query, filters, ranking, reranking."
    CONTEXT = (
        "context_assembly",
        "What is really sent to the model after truncation, deduplication and ordering.",
    )
    GENERATION = "generation", "Whether each claim stays within the evidence sent."
    CITATION = "citation_display", "Whether each shown citation leads its viewer to the recorded place."
    SECURITY = (
        "security_operations",
        "Isolation, injection, logs, time, cost and review: around all other layers.",
    )


class Behaviour(StrEnum):
    """What the system did, as a reviewer saw it."""

    ANSWER = "answer"
    PARTIAL_ANSWER = "partial_answer"
    CLARIFY = "clarify"
    SHOW_CONFLICT = "show_conflict"
    ABSTAIN = "abstain"
    REFUSE = "refuse"
    """Held everything back without naming what is missing."""

    @property
    def claims_evidence(self) -> bool:
        """Whether it states facts, so that at least one citation is owed."""
        return self in (Behaviour.ANSWER, Behaviour.PARTIAL_ANSWER, Behaviour.SHOW_CONFLICT)


class Answerability(Code):
    """What a case permits, fixed before the first run."""

    ANSWERABLE = (
        "ANSWERABLE",
        "Eligible evidence carries a complete answer: answer with evidence.",
    )
    PARTIAL = (
        "PARTIAL",
        "Evidence carries a part: answer that part, hold back the rest, name the missing source.",
    )
    AMBIGUOUS = (
        "AMBIGUOUS",
        "The question fits several things: ask the one question that decides before joining evidence.",
    )
    CONFLICTING = (
        "CONFLICTING",
        "Authoritative current sources disagree: show both with origin and date, name who decides.",
    )
    UNANSWERABLE = (
        "UNANSWERABLE",
        "No eligible source carries it: abstain and say which evidence is missing.",
    )

    @property
    def expected(self) -> Behaviour:
        """The behaviour that is right for this label."""
        return {
            Answerability.ANSWERABLE: Behaviour.ANSWER,
            Answerability.PARTIAL: Behaviour.PARTIAL_ANSWER,
            Answerability.AMBIGUOUS: Behaviour.CLARIFY,
            Answerability.CONFLICTING: Behaviour.SHOW_CONFLICT,
            Answerability.UNANSWERABLE: Behaviour.ABSTAIN,
        }[self]

    @property
    def holds_back(self) -> bool:
        """Whether something has to be held back or asked: the runs that abstention quality is measured on."""
        return self is not Answerability.ANSWERABLE


class ClaimKind(StrEnum):
    """What counts as a material claim."""

    FACT = "fact"
    NUMBER = "number"
    DATE = "date"
    RULE = "rule"
    EXCEPTION = "exception"
    COMPARISON = "comparison"
    ACTION = "recommended_action"


class ClaimSeverity(StrEnum):
    """How much harm an unsupported claim does; set before the run."""

    MINOR = "minor"
    MAJOR = "major"
    CRITICAL = "critical"


class Support(StrEnum):
    """How far the evidence in the final context carries a claim. The first three are those of the TREC RAG track."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    CONTRADICTED = "contradicted"
    MISSING = "missing"
    """A claim that the answer owes is not in it."""


class Boundary(StrEnum):
    """Boundaries that a security case tries."""

    TENANT = "tenant"
    ROLE = "role"
    CACHE = "cache"
    LOG = "log"
    CITATION = "citation"
    ERROR = "error"
    INJECTION = "injection"


class VetoKind(Code):
    """What blocks a release at any average."""

    CROSS_TENANT_LEAK = (
        "cross_tenant_leak",
        "Existence, title, text, identifier or a derived fact of another tenant got out.",
    )
    UNAUTHORISED_SOURCE = (
        "unauthorised_source",
        "A source that the asking identity may not see reached the model or the answer.",
    )
    DOCUMENT_CHANGED_POLICY = (
        "document_changed_policy",
        "Text of a retrieved document changed policy, permissions or the use of tools.",
    )
    SEVERE_INVENTION = (
        "severe_invention",
        "A claim of critical severity has no support or is contradicted.",
    )


class Metric(Code):
    """The ratios, each with its own denominator. Time, cost and review are measured, not counted: see Operations."""

    ELIGIBILITY = (
        "corpus_eligibility",
        "runs that selected (as candidate or context) only documents eligible for their identity and day / all runs",
    )
    RETRIEVAL = (
        "gold_retrieval",
        "runs with every required passage among the first k candidates / runs with required evidence",
    )
    CONTEXT = (
        "context_completeness",
        (
            "runs whose final context holds every required passage, cell and adjacent condition / runs with required "
            "evidence (second reading: answerable runs)"
        ),
    )
    CITATION = (
        "citation_resolvability",
        "runs that show only citations that resolve to a recorded, eligible place / all runs",
    )
    SUPPORT = (
        "claim_support",
        "material claims fully supported by the final permitted context / material claims reviewed",
    )
    ABSTENTION = (
        "abstention_quality",
        (
            "runs with the expected behaviour, a next step and no unsupported claim / runs that are PARTIAL, "
            "AMBIGUOUS, CONFLICTING or UNANSWERABLE"
        ),
    )
    ISOLATION = (
        "security_isolation",
        "runs that kept forbidden content and instructions out / runs that try a boundary",
    )
    COMPLETE = "complete_pass", "runs that pass every check that applies to them / all runs"


Name = Annotated[str, Field(min_length=1, pattern=r"^\S(?:.*\S)?$")]
"""Text without blanks around it: two names that look alike are not two rows."""
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Part(StrEnum):
    """The parts of a system that need an immutable version each; top-k is a number of the contract itself."""

    CORPUS = "corpus"
    PARSING = "parsing"
    CHUNKING = "chunking"
    INDEX = "index"
    QUERY_PLAN = "query_plan"
    FILTERS = "filters"
    RETRIEVER = "retriever"
    RERANKING = "reranking"
    CONTEXT_ASSEMBLY = "context_assembly"
    PROMPT = "prompt"
    MODEL_ROUTE = "model_route"
    CITATION_MAPPING = "citation_mapping"
    SAFETY_POLICY = "safety_policy"


class Owner(StrEnum):
    """Who answers for what; each is a name in the contract."""

    PRODUCT = "product"
    CORPUS = "corpus"
    DOMAIN = "domain"
    SECURITY = "security"
    INCIDENT = "incident"


class Identity(Model):
    """A test identity that asks questions.

    Attributes:
        identity_id: Name of the identity in cases.
        tenant: The tenant it belongs to.
        roles: Its roles there.
    """

    identity_id: Name
    tenant: Name
    roles: tuple[Name, ...] = Field(min_length=1)


class OperationLimits(Model):
    """Limits that a run should keep, for the declared load only; null where none was declared.

    Attributes:
        seconds: Longest time from question to answer.
        cost: Highest cost of a run, in the currency of the ledger.
        review_minutes: Longest review of a run by a person.
    """

    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    review_minutes: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class Manifest(Model):
    """What the other files must hold, counted: a row that is lost or added is noticed.

    Attributes:
        documents: Rows of documents.jsonl.
        retired: Documents with the status retired.
        with_tables: Documents with tables.
        restricted: Documents marked as restricted.
        identities: Identities of the contract.
        cases: Rows of cases.jsonl.
        languages: Cases for each language.
        claims_per_case: Material claims of each case, or null if cases differ.
        runs_per_case: Runs of each case: good runs that are repeated would outvote bad ones.
    """

    documents: int = Field(ge=1)
    retired: int = Field(ge=0)
    with_tables: int = Field(ge=0)
    restricted: int = Field(ge=0)
    identities: int = Field(ge=1)
    cases: int = Field(ge=1)
    languages: Mapping[Name, int]
    claims_per_case: int | None = Field(default=None, ge=0)
    runs_per_case: int = Field(default=1, ge=1)


class Contract(Model):
    """contract.json. Every run names the SHA-256 of this file; runs that are older than it are refused.

    Attributes:
        name: Name of the evaluation.
        frozen_at: When it was fixed, with time zone; before the first output.
        versions: Immutable version of every part ("none" where the system has no such part).
        also: Versions of other things that were fixed: identities, the guide for reviewers.
        top_k: How many candidates count as retrieved.
        identities: The test identities.
        documents_sha256: SHA-256 of the file documents.jsonl.
        cases_sha256: SHA-256 of the file cases.jsonl: labels cannot follow the outputs.
        manifest: What those files hold, counted.
        thresholds: Smallest share (0 to 1) for each metric, set before the results; release needs all eight.
        severity_of_added: Severity of claims that an answer makes beyond those of its case; all seven kinds are needed.
        limits: Limits of time, cost and review.
        owners: Who answers for what, by name; all five are needed.
        risk_owner: Who may accept the risk that remains.
        retest_when: Changes after which the evaluation is run again.
        attested: Points of the checklists that only a person can confirm, with the name of who did.
    """

    name: Name
    frozen_at: AwareDatetime
    versions: Mapping[Part, Name]
    also: Mapping[Name, Name] = {}
    top_k: int = Field(ge=1)
    identities: tuple[Identity, ...] = Field(min_length=1)
    documents_sha256: Sha256
    cases_sha256: Sha256
    manifest: Manifest
    thresholds: Mapping[Metric, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]]
    severity_of_added: Mapping[ClaimKind, ClaimSeverity]
    limits: OperationLimits = OperationLimits()
    owners: Mapping[Owner, Name]
    risk_owner: Name
    retest_when: tuple[Name, ...] = ()
    attested: Mapping[Name, Name] = {}

    @model_validator(mode="after")
    def _complete(self) -> Contract:
        for name, mapping, needed in (
            ("versions", self.versions, Part),
            ("severity_of_added", self.severity_of_added, ClaimKind),
            ("owners", self.owners, Owner),
        ):
            missing = [member.value for member in needed if member not in mapping]
            if missing:
                raise ValueError(f"{name} lacks {', '.join(missing)}")
        return self


TestNumber = Annotated[int, Field(ge=1, le=20)]


class LedgerDocument(Model):
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
    def _applies_some_day(self) -> LedgerDocument:
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
    severity: ClaimSeverity


class LedgerCase(Model):
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


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class EvidencePlace(Model):
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


class LedgerRun(Model):
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
    candidates: tuple[EvidencePlace, ...]
    context: tuple[EvidencePlace, ...]
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


class LedgerClaim(Model):
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
    def _consistent(self) -> LedgerClaim:
        if self.support is Support.MISSING and self.evidence:
            raise ValueError("labels contradict: a missing claim has no evidence")
        if self.support is Support.MISSING and self.kind is not None:
            raise ValueError("labels contradict: a missing claim cannot be an added one")
        if self.judged_by == "model" and self.model_support is not None:
            raise ValueError("model_support stands beside the support that a person gave")
        return self
