"""What docaudit's justifications say of a run that held something back: justified, unproven, wrong, or nothing.

Only documents of the scope count. Absence is shown if it is shown in every one of them, and there is at least one.
"""

from __future__ import annotations

from docaudit.abstention.ledger.eligibility import ineligible
from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.records import Absence, Run
from docaudit.abstention.ledger.results import AbstentionEvidence
from docaudit.abstention.ledger.vocabulary import Behaviour
from docaudit.justification import Finding

HELD_BACK = (Behaviour.ABSTAIN, Behaviour.REFUSE, Behaviour.PARTIAL_ANSWER)


def evidence_of(run: Run, ledger: Ledger) -> AbstentionEvidence | None:
    """One mention in the scope outweighs everything; None if the run held nothing back."""
    if run.behaviour not in HELD_BACK:
        return None
    given = _given(run, ledger)
    if any(absence.finding is Finding.MENTIONED for absence in given.values()):
        return AbstentionEvidence.WRONG
    if not run.absence:
        return AbstentionEvidence.NOT_GIVEN
    return AbstentionEvidence.UNPROVEN if unproven_because(run, ledger) else AbstentionEvidence.JUSTIFIED


def shown_absent(run: Run, ledger: Ledger) -> tuple[int, int] | None:
    """How many documents of the scope are shown to lack it, of how many; None if the run held nothing back."""
    if run.behaviour not in HELD_BACK:
        return None
    scope, given = _scope(run, ledger), _given(run, ledger)
    return sum(name in given and not _lacks(given[name], ledger) for name in scope), len(scope)


def unproven_because(run: Run, ledger: Ledger) -> tuple[str, ...]:
    """Why absence is not shown in every document of the scope; empty if it is, or if there is no justification."""
    if not run.absence:
        return ()
    scope, given = _scope(run, ledger), _given(run, ledger)
    found = [] if scope else ["no document is in the scope"]
    without = sorted(scope - given.keys())
    if without:
        named = ", ".join(without[:3]) + (" and others" if without[3:] else "")
        found.append(f"{len(without)} of {len(scope)} documents of the scope have no justification: {named}")
    return (
        *found,
        *(f"{name}: {why}" for name, absence in given.items() if (why := _lacks(absence, ledger))),
    )


def _given(run: Run, ledger: Ledger) -> dict[str, Absence]:
    scope = _scope(run, ledger)
    return {absence.document: absence for absence in run.absence if absence.document in scope}


def _lacks(absence: Absence, ledger: Ledger) -> str:
    """Why a justification does not show absence; empty if it does. What a person waived was not shown."""
    if absence.finding is not Finding.ABSENT:
        return absence.finding.value
    if absence.waived:
        return f"waived {', '.join(absence.waived)}"
    return "" if ledger.documents[absence.document].sha256 else "documents.jsonl has no SHA-256 of it"


def _scope(run: Run, ledger: Ledger) -> set[str]:
    case, identity = ledger.case(run), ledger.identity(run)
    if case.scope:
        return set(case.scope)
    return {
        name for name, document in ledger.documents.items() if not ineligible(document, identity, case.as_of)
    }
