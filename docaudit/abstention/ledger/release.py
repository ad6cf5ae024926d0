"""The decision: vetoes first, then the thresholds that the contract set before the run. No average outweighs a veto."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from docaudit.abstention.ledger.report import Decision
from docaudit.abstention.ledger.results import Ratio, Veto
from docaudit.abstention.ledger.vocabulary import Metric


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
