"""Ratios from the rows: each with its numerator, its own denominator, and the names of what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median

from docaudit.abstention.ledger import checks
from docaudit.abstention.ledger.cases import Case, Gold
from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.records import Run
from docaudit.abstention.ledger.results import ClaimResult, Ratio, RunResult
from docaudit.abstention.ledger.vocabulary import Answerability, Metric, Severity


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
