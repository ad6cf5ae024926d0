"""What follows for one run, one claim, one ratio: with both numbers and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from docaudit.abstention.ledger.routing import Symptom
from docaudit.abstention.ledger.vocabulary import (
    Answerability,
    Behaviour,
    ClaimKind,
    Layer,
    Metric,
    Severity,
    Support,
    VetoKind,
)
from docaudit.evidence import Model


class Ratio(Model):
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


class Failure(Model):
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
    severity: Severity
    added: bool
    support: Support
    supported: bool
    reason: str


class AbstentionEvidence(StrEnum):
    """What docaudit says about the absence that a run held back for."""

    JUSTIFIED = "justified"
    UNPROVEN = "unproven"
    WRONG = "wrong"
    NOT_GIVEN = "not_given"


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
    failures: tuple[Failure, ...]
    vetoes: tuple[VetoKind, ...]
    symptoms: tuple[Symptom, ...]
    repair_first: Layer | None
    ranks: tuple[int | None, ...]
    forbidden: Mapping[str, int]
    abstention: AbstentionEvidence | None
    shown_absent: tuple[int, int] | None
    unproven: tuple[str, ...] = ()
