"""From the rows of a ledger to ratios and a decision; two evaluations side by side; a saved one recomputed.

Vetoes come first, then the thresholds that the contract set before the run: no average outweighs a veto. Each ratio has
its own denominator and the names of what it lacks. Time, cost and review are measured, never mixed with quality.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args

import numpy as np
from pydantic import ValidationError

from docaudit.abstention.ledger.checklists import checklist, lint, lint_change
from docaudit.abstention.ledger.outcome import RunReview, rank_of
from docaudit.abstention.ledger.read import Ledger
from docaudit.abstention.ledger.results import (
    AbstentionEvidence,
    Agreement,
    ClaimResult,
    Disagreement,
    Evaluation,
    Group,
    LedgerDiff,
    MetricRatio,
    Moved,
    Operations,
    ReleaseDecision,
    RunResult,
    Spread,
    Veto,
)
from docaudit.abstention.ledger.rows import Answerability, ClaimSeverity, LedgerRun, Metric, OperationLimits
from docaudit.abstention.results import faults, json_value
from docaudit.errors import LedgerError
from docaudit.text.numbers import percent
from docaudit.verify import Difference, differences

Counted = Iterable[tuple[str, bool | None]]


def ratio(name: str, counted: Counted) -> MetricRatio:
    """Count what is true among what is true or false; None is left out of both numbers.

    >>> counted = ratio("x", [("a", True), ("b", False), ("c", None)])
    >>> counted.numerator, counted.denominator, counted.missed, counted.left_out
    (1, 2, ('b',), ('c',))
    """
    rows = list(counted)
    met, missed, left_out = (
        tuple(row for row, value in rows if value is wanted) for wanted in (True, False, None)
    )
    total = len(met) + len(missed)
    return MetricRatio(
        name=name,
        numerator=len(met),
        denominator=total,
        share=len(met) / total if total else None,
        met=met,
        missed=missed,
        left_out=left_out,
    )


def metric_ratios(runs: Sequence[RunResult], claims: Sequence[ClaimResult]) -> tuple[MetricRatio, ...]:
    """All metrics that are counted, in their order."""
    names = {run.run_id for run in runs}
    return tuple(
        ratio(metric.value, _supported(claim for claim in claims if claim.run_id in names))
        if metric is Metric.SUPPORT
        else ratio(metric.value, [(run.run_id, run.checks[metric]) for run in runs])
        for metric in Metric
    )


def _supported(claims: Iterable[ClaimResult]) -> Counted:
    return [(f"{claim.run_id} {claim.claim_id}", claim.supported) for claim in claims]


def detail_ratios(
    ledger: Ledger, runs: Sequence[RunResult], claims: Sequence[ClaimResult]
) -> tuple[MetricRatio, ...]:
    """The second reading of context completeness, and the parts that metrics are made of."""
    answerable = [run for run in runs if run.answerability is Answerability.ANSWERABLE]
    untouched = [
        (run.run_id, not any(run.forbidden.values()) if ledger.cases[run.case_id].forbidden else None)
        for run in runs
    ]
    return (
        ratio(
            "context_completeness_answerable",
            [(run.run_id, run.checks[Metric.CONTEXT]) for run in answerable],
        ),
        ratio(
            "answerable_answered",
            [(run.run_id, run.behaviour is run.answerability.expected) for run in answerable],
        ),
        ratio("required_passages_in_top_k", _passages_in_top_k(ledger)),
        ratio("required_documents_in_top_k", _documents_in_top_k(ledger)),
        ratio("useful_candidates_in_top_k", _useful_in_top_k(ledger)),
        ratio("no_forbidden_evidence_touched", untouched),
        *(
            ratio(
                f"{severity.value}_claims_supported",
                _supported(claim for claim in claims if claim.severity is severity),
            )
            for severity in reversed(ClaimSeverity)
        ),
    )


def _passages_in_top_k(ledger: Ledger) -> Iterator[tuple[str, bool | None]]:
    for run in ledger.runs:
        for gold in ledger.case(run).required:
            rank = rank_of(gold, run)
            name = " ".join((run.run_id, gold.document, gold.passage, gold.cell or "")).rstrip()
            yield name, rank is not None and rank <= ledger.contract.top_k


def _documents_in_top_k(ledger: Ledger) -> Iterator[tuple[str, bool | None]]:
    for run in ledger.runs:
        candidates = {place.document for place in run.candidates[: ledger.contract.top_k]}
        for name in dict.fromkeys(gold.document for gold in ledger.case(run).required):
            yield f"{run.run_id} {name}", name in candidates


def _useful_in_top_k(ledger: Ledger) -> Iterator[tuple[str, bool | None]]:
    for run in ledger.runs:
        case = ledger.case(run)
        useful = {
            (gold.document, passage)
            for gold in (*case.required, *case.allowed)
            for passage in (gold.passage, *gold.conditions)
        }
        for place in run.candidates[: ledger.contract.top_k]:
            yield f"{run.run_id} {place.document} {place.passage}", (place.document, place.passage) in useful


def operations(runs: Sequence[LedgerRun], limits: OperationLimits) -> Operations:
    """p50 and p95 of each amount over the runs in which it was measured, and how often things went wrong."""
    return Operations(
        runs=len(runs),
        spreads=tuple(
            _spread(name, [getattr(run, name) for run in runs], getattr(limits, name))
            for name in ("seconds", "cost", "review_minutes")
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


def agreement(ledger: Ledger, claims: Sequence[ClaimResult]) -> Agreement:
    """Agreement over the claims that a person and a model judged, with every disagreement by name.

    A model judge that was not compared with people proves nothing.
    """
    severity = {(claim.run_id, claim.claim_id): claim.severity for claim in claims}
    rows = [claim for run in ledger.runs for claim in ledger.claims[run.run_id]]
    both = [(row, row.support, row.model_support) for row in rows if row.model_support is not None]
    kappa = None
    if len({label for _, human, model in both for label in (human, model)}) > 1:
        # With one label only chance agreement is 1, and kappa is not defined.
        from sklearn.metrics import cohen_kappa_score  # heavy: only where there is something to compare

        kappa = float(
            cohen_kappa_score([human.value for _, human, _ in both], [model.value for *_, model in both])
        )
    disagreements = tuple(
        Disagreement(
            run_id=row.run_id,
            claim_id=row.claim_id,
            severity=severity[row.run_id, row.claim_id],
            human=human,
            model=model,
        )
        for row, human, model in both
        if human is not model
    )
    return Agreement(
        both=len(both),
        agreed=len(both) - len(disagreements),
        kappa=None if kappa is None or math.isnan(kappa) else kappa,
        by_model_alone=sum(row.judged_by == "model" for row in rows),
        disagreements=disagreements,
    )


def decide(
    vetoes: Sequence[Veto], ratios: Sequence[MetricRatio], thresholds: Mapping[Metric, float]
) -> tuple[ReleaseDecision, tuple[str, ...]]:
    """RELEASED only without any veto, and with every metric measured and at its threshold or above."""
    kinds: dict[str, set[str]] = {}
    for veto in vetoes:
        kinds.setdefault(veto.run_id, set()).add(veto.kind.value)
    reasons = [f"veto: {run} ({', '.join(sorted(names))})" for run, names in kinds.items()]
    for counted in ratios:
        threshold = thresholds.get(Metric(counted.name))
        if threshold is None:
            reasons.append(f"{counted.name}: no threshold was set before the run")
        elif counted.share is None:
            reasons.append(f"{counted.name}: nothing was measured (0 of 0)")
        elif counted.share < threshold:
            counts = f"{counted.numerator} of {counted.denominator}"
            reasons.append(f"{counted.name}: {counts} is under the threshold {percent(threshold, 2)}")
    return (ReleaseDecision.NOT_RELEASED if reasons else ReleaseDecision.RELEASED), tuple(reasons)


GroupedBy = Literal["language", "answerability", "group", "identity"]


def evaluate_ledger(ledger: Ledger) -> Evaluation:
    """Everything that follows from the rows of a ledger.

    Args:
        ledger: What `load_ledger` returned.
    """
    reviews = [RunReview(run, ledger) for run in ledger.runs]
    runs = tuple(review.result() for review in reviews)
    claims = tuple(claim for review in reviews for claim in review.claims)
    vetoes = tuple(veto for review in reviews for veto in review.vetoes)
    ratios = metric_ratios(runs, claims)
    ranks = [rank for run in runs for rank in run.ranks if rank is not None]
    decision, reasons = decide(vetoes, ratios, ledger.contract.thresholds)
    judged = agreement(ledger, claims)
    return Evaluation(
        name=ledger.contract.name,
        contract_sha256=ledger.contract_sha256,
        top_k=ledger.contract.top_k,
        decision=decision,
        reasons=reasons,
        vetoes=vetoes,
        ratios=ratios,
        details=detail_ratios(ledger, runs, claims),
        thresholds=ledger.contract.thresholds,
        median_rank=float(median(ranks)) if ranks else None,
        abstention_evidence={
            evidence: tuple(run.run_id for run in runs if run.abstention is evidence)
            for evidence in AbstentionEvidence
        },
        operations=operations(ledger.runs, ledger.contract.limits),
        groups=tuple(_groups(ledger, runs, claims)),
        agreement=judged,
        lint=lint(ledger, claims),
        checklist=checklist(ledger, ratios, vetoes, judged),
        runs=runs,
        claims=claims,
    )


def _groups(ledger: Ledger, runs: Sequence[RunResult], claims: Sequence[ClaimResult]) -> Iterator[Group]:
    for by in get_args(GroupedBy):
        for value in dict.fromkeys(getattr(run, by) for run in runs):
            part = [run for run in runs if getattr(run, by) == value]
            ids = {run.run_id for run in part}
            rows = [run for run in ledger.runs if run.run_id in ids]
            yield Group(
                by=by,
                value=str(value),
                ratios=metric_ratios(part, claims),
                operations=operations(rows, ledger.contract.limits),
            )


def diff_ledgers(before: Evaluation, after: Evaluation) -> LedgerDiff:
    """Every ratio that moved, with the rows that moved it."""
    earlier = {ratio.name: ratio for ratio in (*before.ratios, *before.details)}
    moved = (_moved(earlier[ratio.name], ratio) for ratio in (*after.ratios, *after.details))
    return LedgerDiff(
        before=before.name,
        after=after.name,
        same_contract=before.contract_sha256 == after.contract_sha256,
        decision_before=before.decision,
        decision_after=after.decision,
        moved=tuple(change for change in moved if change is not None),
        vetoes_gone=tuple(veto for veto in before.vetoes if veto not in after.vetoes),
        vetoes_new=tuple(veto for veto in after.vetoes if veto not in before.vetoes),
        lint=tuple(lint_change(before, after)),
    )


def _moved(before: MetricRatio, after: MetricRatio) -> Moved | None:
    if (set(before.met), set(before.missed)) == (set(after.met), set(after.missed)):
        return None
    names_before, names_after = {*before.met, *before.missed}, {*after.met, *after.missed}
    return Moved(
        name=before.name,
        before=(before.numerator, before.denominator),
        after=(after.numerator, after.denominator),
        lost=tuple(name for name in after.missed if name in set(before.met)),
        gained=tuple(name for name in after.met if name in set(before.missed)),
        appeared=tuple(name for name in (*after.met, *after.missed) if name not in names_before),
        gone=tuple(name for name in (*before.met, *before.missed) if name not in names_after),
    )


def load_evaluation(path: str | Path) -> Evaluation:
    """An evaluation that `docaudit evaluate --json` printed into a file; raises LedgerError."""
    try:
        content = Path(path).read_bytes()
        json_value(content)
        return Evaluation.model_validate_json(content, strict=True)
    except OSError as error:
        raise LedgerError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except ValueError as error:
        problems = faults(error)[:5] if isinstance(error, ValidationError) else [str(error)]
        raise LedgerError(
            "is not what docaudit evaluate --json printed",
            file=str(path),
            problems=tuple(problems),
            remedy="print it again: docaudit evaluate LEDGER --json",
        ) from error


def verify_evaluation(saved: Evaluation, recomputed: Evaluation) -> tuple[Difference, ...]:
    """Every field of a saved evaluation that is not what the rows give now; ratios, groups and runs by their names."""
    return differences(_by_name(saved), _by_name(recomputed))


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
