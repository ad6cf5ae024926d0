"""What an evaluation says: the decision, ratios, vetoes, and everything that they were made of."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from docaudit.abstention.ledger.contract import Sha256
from docaudit.abstention.ledger.results import AbstentionEvidence, ClaimResult, Ratio, RunResult, Veto
from docaudit.abstention.ledger.vocabulary import Metric, Severity, Support
from docaudit.evidence import Model


class Decision(StrEnum):
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
    ratios: tuple[Ratio, ...]
    operations: Operations


class Disagreement(Model):
    """A claim on which a person and a model judge differ."""

    run_id: str
    claim_id: str
    severity: Severity
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


class LintFinding(Model):
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
    decision: Decision
    reasons: tuple[str, ...]
    vetoes: tuple[Veto, ...]
    ratios: tuple[Ratio, ...]
    details: tuple[Ratio, ...]
    thresholds: Mapping[Metric, float]
    median_rank: float | None
    abstention_evidence: Mapping[AbstentionEvidence, tuple[str, ...]]
    operations: Operations
    groups: tuple[Group, ...]
    agreement: Agreement
    lint: tuple[LintFinding, ...]
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
    decision_before: Decision
    decision_after: Decision
    moved: tuple[Moved, ...]
    vetoes_gone: tuple[Veto, ...]
    vetoes_new: tuple[Veto, ...]
    lint: tuple[LintFinding, ...]

    @property
    def same(self) -> bool:
        """Whether nothing moved."""
        unchanged = self.decision_before is self.decision_after
        return unchanged and not (self.moved or self.vetoes_gone or self.vetoes_new)
