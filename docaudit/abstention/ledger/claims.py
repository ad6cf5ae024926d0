"""Claims after their review: a person or a model judged them, and the deterministic checks come first."""

from __future__ import annotations

from docaudit.abstention.ledger.checks import lacking
from docaudit.abstention.ledger.eligibility import ineligible
from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.records import Claim, Run
from docaudit.abstention.ledger.results import ClaimResult
from docaudit.abstention.ledger.vocabulary import Severity, Support, VetoKind

_UNSUPPORTED = (Support.NONE, Support.CONTRADICTED)


def reviewed(run: Run, ledger: Ledger) -> list[ClaimResult]:
    """The claims of a run. "full" holds only with passages that are eligible and in the final context."""
    planned = {one.claim_id: one for one in ledger.case(run).claims}
    results = []
    for claim in ledger.claims[run.run_id]:
        plan = planned.get(claim.claim_id)
        kind = plan.kind if plan else claim.kind
        if kind is None:
            raise ValueError("an added claim has its kind: the ledger was not checked")
        reason = _reason(claim, run, ledger)
        results.append(
            ClaimResult(
                run_id=claim.run_id,
                claim_id=claim.claim_id,
                kind=kind,
                severity=plan.severity if plan else ledger.contract.severity_of_added[kind],
                added=plan is None,
                support=claim.support,
                supported=not reason,
                reason=reason,
            )
        )
    return results


def unsupported(claims: list[ClaimResult]) -> list[str]:
    """Names of the claims that a reviewer found without support or contradicted."""
    return [claim.claim_id for claim in claims if claim.support in _UNSUPPORTED]


def invention_vetoes(claims: list[ClaimResult]) -> list[tuple[VetoKind, str]]:
    """Severe inventions: critical claims without support, whatever a judge said of passages that do not count."""
    return [
        (VetoKind.SEVERE_INVENTION, f"claim {claim.claim_id} ({claim.kind.value}): {_said(claim)}")
        for claim in claims
        if claim.severity is Severity.CRITICAL
        and (claim.support in _UNSUPPORTED or (claim.support is Support.FULL and not claim.supported))
    ]


def _said(claim: ClaimResult) -> str:
    return claim.reason if claim.support is Support.FULL else claim.support.value


def _reason(claim: Claim, run: Run, ledger: Ledger) -> str:
    if claim.support is not Support.FULL:
        return f"support is {claim.support.value}"
    if not claim.evidence:
        return "judged as full, but no passage was judged"
    identity, day, forbidden = ledger.identity(run), ledger.case(run).as_of, ledger.case(run).forbidden
    for gold in claim.evidence:
        lost = lacking(gold, run.context)
        if lost:
            return f"judged as full, but the final context lacks {lost}"
        if any(label.document == gold.document and label.passage == gold.passage for label in forbidden):
            return f"judged as full, but {gold.document} {gold.passage} is labelled as forbidden"
        reasons = ineligible(ledger.documents.get(gold.document), identity, day)
        if reasons:
            return f"judged as full, but {gold.document} is {reasons[0].value}"
    return ""
