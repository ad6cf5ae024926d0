"""The order of work: rows, outcome of each run, ratios, decision.

Ratios from the rows: each with its numerator, its own denominator, and the names of what it lacks.

Time, cost and review: what was measured, never mixed with quality.

How far a model judge agrees with people; a judge that was not compared with people proves nothing.

The decision: vetoes first, then the thresholds that the contract set before the run. No average outweighs a veto.

Two evaluations side by side: which ratios moved, and which runs or claims moved them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Literal

import numpy as np
from pydantic import ValidationError

from docaudit.abstention.ledger import outcome as checks
from docaudit.abstention.ledger.checklists import checklist, lint, lint_change
from docaudit.abstention.ledger.outcome import outcome
from docaudit.abstention.ledger.read import Ledger, checked
from docaudit.abstention.ledger.results import (
    AbstentionEvidence,
    Agreement,
    ClaimResult,
    Decision,
    Disagreement,
    Evaluation,
    Group,
    LedgerDiff,
    Moved,
    Operations,
    Ratio,
    RunResult,
    Spread,
    Veto,
)
from docaudit.abstention.ledger.rows import Answerability, Case, Gold, Limits, Metric, Run, Severity
from docaudit.errors import LedgerError
from docaudit.verify import Difference, differences


def ratio(name: str, counted: Iterable[tuple[str, bool | None]]) -> Ratio:
    """Count what is true among what is true or false; None is left out of both numbers.

    >>> counted = ratio("x", [("a", True), ("b", False), ("c", None)])
    >>> counted.numerator, counted.denominator, counted.missed, counted.left_out
    (1, 2, ('b',), ('c',))
    """
    rows = list(counted)
    met = tuple(one for one, value in rows if value is True)
    hits, total = len(met), sum(value is not None for _, value in rows)
    return Ratio(
        name=name,
        numerator=hits,
        denominator=total,
        share=hits / total if total else None,
        met=met,
        missed=tuple(one for one, value in rows if value is False),
        left_out=tuple(one for one, value in rows if value is None),
    )


def metric_ratios(runs: Sequence[RunResult], claims: Sequence[ClaimResult]) -> tuple[Ratio, ...]:
    """All metrics that are counted, in their order."""
    names = {run.run_id for run in runs}
    return tuple(
        ratio("claim_support", [(_name(c), c.supported) for c in claims if c.run_id in names])
        if metric is Metric.SUPPORT
        else ratio(metric.value, [(run.run_id, run.checks[metric]) for run in runs])
        for metric in Metric
    )


def detail_ratios(
    ledger: Ledger, runs: Sequence[RunResult], claims: Sequence[ClaimResult]
) -> tuple[Ratio, ...]:
    """The second reading of context completeness, and the parts that metrics are made of."""
    answerable = [run for run in runs if run.answerability is Answerability.ANSWERABLE]
    return (
        ratio(
            "context_completeness_answerable",
            [(run.run_id, run.checks[Metric.CONTEXT]) for run in answerable],
        ),
        ratio(
            "answerable_answered",
            [(run.run_id, run.behaviour is run.answerability.expected) for run in answerable],
        ),
        ratio("required_passages_in_top_k", _over_gold(ledger, _passage_found)),
        ratio("required_documents_in_top_k", _documents(ledger)),
        ratio("useful_candidates_in_top_k", _precision(ledger)),
        ratio(
            "no_forbidden_evidence_touched",
            [
                (run.run_id, not any(run.forbidden.values()) if ledger.cases[run.case_id].forbidden else None)
                for run in runs
            ],
        ),
        ratio("critical_claims_supported", _of_severity(claims, Severity.CRITICAL)),
        ratio("major_claims_supported", _of_severity(claims, Severity.MAJOR)),
        ratio("minor_claims_supported", _of_severity(claims, Severity.MINOR)),
    )


def median_rank(runs: Sequence[RunResult]) -> float | None:
    """Median rank of the required passages that are candidates at all; None if none is."""
    ranks = [rank for run in runs for rank in run.ranks if rank is not None]
    return float(median(ranks)) if ranks else None


def _name(claim: ClaimResult) -> str:
    return f"{claim.run_id} {claim.claim_id}"


def _of_severity(claims: Sequence[ClaimResult], severity: Severity) -> list[tuple[str, bool | None]]:
    return [(_name(c), c.supported) for c in claims if c.severity is severity]


def _over_gold(ledger: Ledger, found: Callable[[Gold, Run, int], bool]) -> Iterator[tuple[str, bool | None]]:
    for run in ledger.runs:
        for gold in ledger.case(run).required:
            yield (
                " ".join((run.run_id, gold.document, gold.passage, gold.cell or "")).rstrip(),
                found(gold, run, ledger.contract.top_k),
            )


def _passage_found(gold: Gold, run: Run, top_k: int) -> bool:
    rank = checks.rank_of(gold, run)
    return rank is not None and rank <= top_k


def _documents(ledger: Ledger) -> Iterator[tuple[str, bool | None]]:
    for run in ledger.runs:
        found = {place.document for place in run.candidates[: ledger.contract.top_k]}
        for name in dict.fromkeys(gold.document for gold in ledger.case(run).required):
            yield f"{run.run_id} {name}", name in found


def _precision(ledger: Ledger) -> Iterator[tuple[str, bool | None]]:
    for run in ledger.runs:
        useful = _useful(ledger.case(run))
        for place in run.candidates[: ledger.contract.top_k]:
            yield f"{run.run_id} {place.document} {place.passage}", (place.document, place.passage) in useful


def _useful(case: Case) -> set[tuple[str, str]]:
    return {
        (gold.document, passage)
        for gold in (*case.required, *case.allowed)
        for passage in (gold.passage, *gold.conditions)
    }


def operations(runs: Sequence[Run], limits: Limits) -> Operations:
    """p50 and p95 of each amount over the runs in which it was measured, and how often things went wrong."""
    return Operations(
        runs=len(runs),
        spreads=(
            _spread("seconds", [run.seconds for run in runs], limits.seconds),
            _spread("cost", [run.cost for run in runs], limits.cost),
            _spread("review_minutes", [run.review_minutes for run in runs], limits.review_minutes),
        ),
        timed_out=sum(run.timed_out for run in runs),
        fell_back=sum(run.fell_back for run in runs),
        corrections=sum(run.corrections for run in runs),
    )


def _spread(name: str, values: Sequence[float | None], limit: float | None) -> Spread:
    measured = [value for value in values if value is not None]
    p50, p95 = (float(p) for p in np.percentile(measured, [50, 95])) if measured else (None, None)
    return Spread(
        name=name,
        measured=len(measured),
        not_measured=len(values) - len(measured),
        p50=p50,
        p95=p95,
        limit=limit,
        within=None if limit is None else sum(value <= limit for value in measured),
    )


def agreement(ledger: Ledger, claims: list[ClaimResult]) -> Agreement:
    """Agreement over the claims that a person and a model judged, with every disagreement by name."""
    severity = {(claim.run_id, claim.claim_id): claim.severity for claim in claims}
    rows = [claim for run in ledger.runs for claim in ledger.claims[run.run_id]]
    differ: list[Disagreement] = []
    human: list[str] = []
    model: list[str] = []
    for row in rows:
        if row.model_support is None:
            continue
        human.append(row.support.value)
        model.append(row.model_support.value)
        if row.support is not row.model_support:
            differ.append(
                Disagreement(
                    run_id=row.run_id,
                    claim_id=row.claim_id,
                    severity=severity[row.run_id, row.claim_id],
                    human=row.support,
                    model=row.model_support,
                )
            )
    return Agreement(
        both=len(human),
        agreed=len(human) - len(differ),
        kappa=_kappa(human, model),
        by_model_alone=sum(row.judged_by == "model" for row in rows),
        disagreements=tuple(differ),
    )


def _kappa(human: list[str], model: list[str]) -> float | None:
    if len(set(human) | set(model)) < 2:
        return None  # nothing, or one label only: chance agreement is 1, and kappa is not defined
    from sklearn.metrics import cohen_kappa_score  # heavy: only where there is something to compare

    value = float(cohen_kappa_score(human, model))
    return None if math.isnan(value) else value


def decide(
    vetoes: Sequence[Veto], ratios: Sequence[Ratio], thresholds: Mapping[Metric, float]
) -> tuple[Decision, tuple[str, ...]]:
    """RELEASED only without any veto, and with every metric measured and at its threshold or above."""
    reasons = [
        f"veto: {run} ({', '.join(sorted({veto.kind.value for veto in vetoes if veto.run_id == run}))})"
        for run in Counter(veto.run_id for veto in vetoes)
    ]
    by_name = {one.name: one for one in ratios}
    for metric in Metric:
        reason = _below(by_name[metric.value], thresholds.get(metric))
        if reason:
            reasons.append(reason)
    return (Decision.NOT_RELEASED if reasons else Decision.RELEASED), tuple(reasons)


def _below(one: Ratio, threshold: float | None) -> str:
    if threshold is None:
        return f"{one.name}: no threshold was set before the run"
    if one.share is None:
        return f"{one.name}: nothing was measured (0 of 0)"
    if one.share < threshold:
        return (
            f"{one.name}: {one.numerator} of {one.denominator} is under the threshold {threshold * 100:.2f} %"
        )
    return ""


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


def diff_ledgers(before: Evaluation, after: Evaluation) -> LedgerDiff:
    """Every ratio that moved, with the rows that moved it."""
    old = {one.name: one for one in (*before.ratios, *before.details)}
    moved = [
        change
        for one in (*after.ratios, *after.details)
        if (change := _moved(old[one.name], one)) is not None
    ]
    return LedgerDiff(
        before=before.name,
        after=after.name,
        same_contract=before.contract_sha256 == after.contract_sha256,
        decision_before=before.decision,
        decision_after=after.decision,
        moved=tuple(moved),
        vetoes_gone=tuple(veto for veto in before.vetoes if veto not in after.vetoes),
        vetoes_new=tuple(veto for veto in after.vetoes if veto not in before.vetoes),
        lint=tuple(lint_change(before, after)),
    )


def verify_evaluation(told: Evaluation, recomputed: Evaluation) -> tuple[Difference, ...]:
    """Every field of a saved evaluation that is not what the rows give now; ratios, groups and runs by their names."""
    return differences(_by_name(told), _by_name(recomputed))


def load_evaluation(path: str | Path) -> Evaluation:
    """An evaluation that `docaudit evaluate --json` printed into a file; raises LedgerError."""
    file = Path(path)
    try:
        content = checked(file.read_bytes())
        return Evaluation.model_validate_json(content, strict=True)
    except OSError as error:
        raise LedgerError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except ValueError as error:
        faults = [str(error)]
        if isinstance(error, ValidationError):
            faults = [f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()[:5]]
        raise LedgerError(
            "is not what docaudit evaluate --json printed",
            file=str(path),
            problems=tuple(faults),
            remedy="print it again: docaudit evaluate LEDGER --json",
        ) from error


def _by_name(evaluation: Evaluation) -> dict[str, Any]:
    data = evaluation.model_dump(mode="json")
    for group in data["groups"]:
        group["ratios"] = _named(group["ratios"], "name")
    for part, fields in (
        ("ratios", ("name",)),
        ("details", ("name",)),
        ("groups", ("by", "value")),
        ("runs", ("run_id",)),
        ("claims", ("run_id", "claim_id")),
        ("checklist", ("code",)),
    ):
        data[part] = _named(data[part], *fields)
    return data


def _named(rows: list[dict[str, Any]], *fields: str) -> Any:
    """Rows by their names; a name that stands twice would hide a row, so then they stay a list."""
    named = {" ".join(row[field] for field in fields): row for row in rows}
    return named if len(named) == len(rows) else rows


def _moved(old: Ratio, new: Ratio) -> Moved | None:
    met_then, met_now = set(old.met), set(new.met)
    missed_then, missed_now = set(old.missed), set(new.missed)
    if met_then == met_now and missed_then == missed_now:
        return None
    return Moved(
        name=old.name,
        before=(old.numerator, old.denominator),
        after=(new.numerator, new.denominator),
        lost=tuple(name for name in new.missed if name in met_then),
        gained=tuple(name for name in new.met if name in missed_then),
        appeared=tuple(name for name in (*new.met, *new.missed) if name not in met_then | missed_then),
        gone=tuple(name for name in (*old.met, *old.missed) if name not in met_now | missed_now),
    )
