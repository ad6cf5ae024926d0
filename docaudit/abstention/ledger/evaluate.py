"""The order of work: rows, outcome of each run, ratios, decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from docaudit.abstention.ledger.agreement import agreement
from docaudit.abstention.ledger.checklist import checklist
from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.lint import lint
from docaudit.abstention.ledger.metrics import detail_ratios, median_rank, metric_ratios
from docaudit.abstention.ledger.operations import operations
from docaudit.abstention.ledger.outcome import outcome
from docaudit.abstention.ledger.release import decide
from docaudit.abstention.ledger.report import Evaluation, Group
from docaudit.abstention.ledger.results import AbstentionEvidence, ClaimResult, RunResult, Veto

GROUPINGS: tuple[Literal["language", "answerability", "group", "identity"], ...] = (
    "language",
    "answerability",
    "group",
    "identity",
)


def evaluate_ledger(ledger: Ledger) -> Evaluation:
    """Everything that follows from the rows of a ledger.

    Args:
        ledger: What `load_ledger` returned.
    """
    runs: list[RunResult] = []
    claims: list[ClaimResult] = []
    vetoes: list[Veto] = []
    for run in ledger.runs:
        result, reviewed, raised = outcome(run, ledger)
        runs.append(result)
        claims += reviewed
        vetoes += raised
    ratios = metric_ratios(runs, claims)
    decision, reasons = decide(vetoes, ratios, ledger.contract.thresholds)
    judged = agreement(ledger, claims)
    return Evaluation(
        name=ledger.contract.name,
        contract_sha256=ledger.contract_sha256,
        top_k=ledger.contract.top_k,
        decision=decision,
        reasons=reasons,
        vetoes=tuple(vetoes),
        ratios=ratios,
        details=detail_ratios(ledger, runs, claims),
        thresholds=ledger.contract.thresholds,
        median_rank=median_rank(runs),
        abstention_evidence={
            one: tuple(run.run_id for run in runs if run.abstention is one) for one in AbstentionEvidence
        },
        operations=operations(ledger.runs, ledger.contract.limits),
        groups=_groups(ledger, runs, claims),
        agreement=judged,
        lint=lint(ledger, claims),
        checklist=checklist(ledger, ratios, vetoes, judged),
        runs=tuple(runs),
        claims=tuple(claims),
    )


def _groups(ledger: Ledger, runs: Sequence[RunResult], claims: Sequence[ClaimResult]) -> tuple[Group, ...]:
    by_id = {run.run_id: run for run in ledger.runs}
    groups = []
    for by in GROUPINGS:
        values = [str(getattr(run, by)) for run in runs]
        for value in dict.fromkeys(values):
            part = [run for run, own in zip(runs, values, strict=True) if own == value]
            rows = [by_id[run.run_id] for run in part]
            groups.append(
                Group(
                    by=by,
                    value=value,
                    ratios=metric_ratios(part, claims),
                    operations=operations(rows, ledger.contract.limits),
                )
            )
    return tuple(groups)
