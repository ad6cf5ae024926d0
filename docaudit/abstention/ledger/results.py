"""What an evaluation of a ledger says: the decision, ratios, vetoes, and everything that they were made of.

Every ratio has both its numbers and the names behind them. A failure is routed to the layer where it is repaired.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from docaudit.abstention.ledger.rows import (
    Answerability,
    Behaviour,
    ClaimKind,
    ClaimSeverity,
    Layer,
    Metric,
    Sha256,
    Support,
    VetoKind,
)
from docaudit.codes import Code
from docaudit.justification import Model


class Symptom(Code):
    """What was seen in a run, in the order in which it is looked at: what stands first is repaired first.

    Attributes:
        remedy: What to do first.
    """

    remedy: str

    def __init__(self, _code: str, meaning: str = "", remedy: str = "") -> None:
        self.label = self.meaning = meaning
        self.remedy = remedy

    CROSSED = (
        "restricted_material_crossed",
        "restricted material or a hostile instruction crossed a boundary",
        "stop before any tuning of relevance; repair authorisation and isolation, and treat it as an incident",
    )
    INELIGIBLE = (
        "ineligible_document_selected",
        "an ineligible document was selected",
        "repair metadata and filters before ranking",
    )
    NOT_INDEXED = (
        "evidence_not_in_index",
        "required evidence is not in the index",
        "repair ingestion: parsing, structure, chunks",
    )
    NOT_CANDIDATE = (
        "evidence_in_index_not_candidate",
        "required evidence is in the index and no candidate",
        "repair query, filters, ranking or reranking",
    )
    NOT_IN_CONTEXT = (
        "evidence_candidate_not_in_context",
        "required evidence is a candidate and not in the context",
        "repair truncation, deduplication, order or neighbours",
    )
    CLAIM = (
        "context_sufficient_claim_not_supported",
        "the context is sufficient, and a claim is not supported",
        "repair the instructions: claims stay within the evidence sent",
    )
    BEHAVIOUR = (
        "wrong_behaviour",
        "not the expected behaviour, or held back badly: no next step, an unsupported claim, mentioned after all",
        "repair the policy of answers: what to do with which answerability",
    )
    CITATION = (
        "citation_does_not_resolve",
        "a citation does not resolve",
        "repair the mapping, display or access of citations",
    )

    @property
    def layer(self) -> Layer:
        """The layer that it belongs to."""
        return {
            Symptom.CROSSED: Layer.SECURITY,
            Symptom.INELIGIBLE: Layer.CORPUS,
            Symptom.NOT_INDEXED: Layer.PARSING,
            Symptom.NOT_CANDIDATE: Layer.RETRIEVAL,
            Symptom.NOT_IN_CONTEXT: Layer.CONTEXT,
            Symptom.CLAIM: Layer.GENERATION,
            Symptom.BEHAVIOUR: Layer.GENERATION,
            Symptom.CITATION: Layer.CITATION,
        }[self]


def route(symptoms: Collection[Symptom]) -> tuple[Symptom, ...]:
    """The symptoms in the order of repair, each once; the first names the layer to begin with.

    >>> route([Symptom.CITATION, Symptom.NOT_CANDIDATE])[0].layer.value
    'retrieval'
    """
    return tuple(symptom for symptom in Symptom if symptom in symptoms)


class MetricRatio(Model):
    """A count over its denominator.

    Attributes:
        name: What is counted: a metric, or a reading or a detail of one.
        numerator: How many.
        denominator: Of how many.
        share: The quotient; null (not 0) over an empty denominator.
        met: Names of what the numerator counts.
        missed: Names of what the denominator has and the numerator lacks.
        left_out: Names of what neither counts, because the question does not apply to it.
    """

    name: str
    numerator: int = Field(ge=0)
    denominator: int = Field(ge=0)
    share: float | None
    met: tuple[str, ...]
    missed: tuple[str, ...]
    left_out: tuple[str, ...] = ()


class FailedCheck(Model):
    """One check that a run did not pass, and why."""

    metric: Metric
    reason: str


class Veto(Model):
    """Something that blocks release at any average."""

    run_id: str
    kind: VetoKind
    evidence: str


class ClaimResult(Model):
    """A reviewed claim after the deterministic checks.

    Attributes:
        supported: Fully supported, by passages that were judged, are eligible and are in the final context.
        reason: Why not; empty if it is.
    """

    run_id: str
    claim_id: str
    kind: ClaimKind
    severity: ClaimSeverity
    added: bool
    support: Support
    supported: bool
    reason: str


class AbstentionEvidence(Code):
    """What docaudit says about the absence that a run held back for."""

    JUSTIFIED = "justified", "docaudit shows the absence in every document of the scope"
    UNPROVEN = "unproven", "not established, or waived, or not in every document of the scope"
    WRONG = "wrong", "docaudit finds it mentioned"
    NOT_GIVEN = "not_given", "no justification given"


class RunResult(Model):
    """One run: which checks it passed, what failed, where to repair.

    Attributes:
        passed: Every check that applies was passed.
        checks: Passed or not, for each metric; null where the check does not apply.
        failures: Why the checks were not passed.
        vetoes: Kinds of vetoes that the run raises.
        symptoms: What was seen, in the order of repair.
        repair_first: The layer to begin with; null if nothing failed.
        ranks: Rank (from 1) of each required passage; null where it is no candidate.
        forbidden: Contacts with evidence labelled as forbidden, by stage.
        abstention: Evidence of the abstention; null if the run held nothing back.
        shown_absent: Documents of the scope that docaudit finds without it, nothing waived, and how many the scope
            has; null as above.
        unproven: Why absence is not shown, as phrases that name document and waived obligation; empty without a
            justification.
    """

    run_id: str
    case_id: str
    language: str
    group: str
    identity: str
    answerability: Answerability
    behaviour: Behaviour
    passed: bool
    checks: Mapping[Metric, bool | None]
    failures: tuple[FailedCheck, ...]
    vetoes: tuple[VetoKind, ...]
    symptoms: tuple[Symptom, ...]
    repair_first: Layer | None
    ranks: tuple[int | None, ...]
    forbidden: Mapping[str, int]
    abstention: AbstentionEvidence | None
    shown_absent: tuple[int, int] | None
    unproven: tuple[str, ...] = ()


class ReleaseDecision(StrEnum):
    """Whether the configuration may be released by the rules that were set before the run."""

    RELEASED = "RELEASED"
    NOT_RELEASED = "NOT_RELEASED"


class Spread(Model):
    """A measured amount over runs.

    Attributes:
        name: seconds, cost or review_minutes.
        measured: Runs in which it was measured.
        not_measured: Runs in which it was not.
        p50: Median (linear between two values); null if nothing was measured.
        p95: 95th percentile, in the same way.
        limit: Limit that the contract declares, or null.
        within: Measured runs within the limit; null without a limit.
    """

    name: str
    measured: int
    not_measured: int
    p50: float | None
    p95: float | None
    limit: float | None
    within: int | None


class Operations(Model):
    """Time, cost and review; valid for the declared load alone."""

    runs: int
    spreads: tuple[Spread, ...]
    timed_out: int
    fell_back: int
    corrections: int


class Group(Model):
    """The ratios and the operations of a part of the runs."""

    by: Literal["language", "answerability", "group", "identity"]
    value: str
    ratios: tuple[MetricRatio, ...]
    operations: Operations


class Disagreement(Model):
    """A claim on which a person and a model judge differ."""

    run_id: str
    claim_id: str
    severity: ClaimSeverity
    human: Support
    model: Support


class Agreement(Model):
    """Agreement of a model judge with people, over the claims that both judged.

    Attributes:
        both: Claims judged by both.
        agreed: Of those, claims with the same label.
        kappa: Cohen's kappa; null where it is not defined (nothing judged by both, or one label only).
        by_model_alone: Claims that no person judged.
        disagreements: Claims with different labels.
    """

    both: int
    agreed: int
    kappa: float | None
    by_model_alone: int
    disagreements: tuple[Disagreement, ...]


class LedgerLint(Model):
    """A common failure of evaluations that this ledger shows."""

    code: str
    message: str
    remedy: str


class CheckState(StrEnum):
    """A point of a checklist: recomputed, confirmed by a person, or open."""

    MET = "met"
    UNMET = "unmet"
    ATTESTED = "attested"
    OPEN = "open"


class ChecklistItem(Model):
    """A point of a checklist with its evidence: what was recomputed, or who confirmed it."""

    code: str
    stage: str
    text: str
    state: CheckState
    evidence: str


class Evaluation(Model):
    """The whole result; everything in it is recomputed from the rows.

    Attributes:
        decision: RELEASED or NOT_RELEASED.
        reasons: Why it is not released; empty if it is.
        ratios: The metrics that are counted, in order; each denominator is its own.
        details: Second readings and parts: context over answerable runs, passages, documents, ranks.
        thresholds: Smallest share that the contract wants of each metric.
    """

    kind: Literal["ledger_evaluation"] = "ledger_evaluation"
    schema_version: Literal["1"] = "1"
    name: str
    contract_sha256: Sha256
    top_k: int
    decision: ReleaseDecision
    reasons: tuple[str, ...]
    vetoes: tuple[Veto, ...]
    ratios: tuple[MetricRatio, ...]
    details: tuple[MetricRatio, ...]
    thresholds: Mapping[Metric, float]
    median_rank: float | None
    abstention_evidence: Mapping[AbstentionEvidence, tuple[str, ...]]
    operations: Operations
    groups: tuple[Group, ...]
    agreement: Agreement
    lint: tuple[LedgerLint, ...]
    checklist: tuple[ChecklistItem, ...]
    runs: tuple[RunResult, ...]
    claims: tuple[ClaimResult, ...]


class Moved(Model):
    """A ratio that is not the same in both.

    Attributes:
        name: Metric or detail.
        before: Numerator and denominator before.
        after: Numerator and denominator after.
        lost: What was counted before and is missed now.
        gained: What was missed before and is counted now.
        appeared: What only the second one has (in its denominator).
        gone: What only the first one has.
    """

    name: str
    before: tuple[int, int]
    after: tuple[int, int]
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    appeared: tuple[str, ...]
    gone: tuple[str, ...]


class LedgerDiff(Model):
    """What changed from one evaluation to another.

    Attributes:
        same_contract: Both ran under the same contract file.
        moved: Ratios that moved, metrics first.
        vetoes_gone: Vetoes that only the first has.
        vetoes_new: Vetoes that only the second has.
        lint: Speed that was bought with a control.
    """

    kind: Literal["ledger_diff"] = "ledger_diff"
    before: str
    after: str
    same_contract: bool
    decision_before: ReleaseDecision
    decision_after: ReleaseDecision
    moved: tuple[Moved, ...]
    vetoes_gone: tuple[Veto, ...]
    vetoes_new: tuple[Veto, ...]
    lint: tuple[LedgerLint, ...]

    @property
    def same(self) -> bool:
        """Whether nothing moved."""
        unchanged = self.decision_before is self.decision_after
        return unchanged and not (self.moved or self.vetoes_gone or self.vetoes_new)
