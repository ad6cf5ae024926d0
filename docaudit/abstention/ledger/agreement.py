"""How far a model judge agrees with people; a judge that was not compared with people proves nothing."""

from __future__ import annotations

import math

from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.report import Agreement, Disagreement
from docaudit.abstention.ledger.results import ClaimResult


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
