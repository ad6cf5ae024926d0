"""Time, cost and review: what was measured, never mixed with quality."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docaudit.abstention.ledger.contract import Limits
from docaudit.abstention.ledger.records import Run
from docaudit.abstention.ledger.report import Operations, Spread


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
