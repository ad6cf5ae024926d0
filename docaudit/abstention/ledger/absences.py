"""What docaudit's justifications say of a run that held something back: justified, unproven, wrong, or nothing."""

from __future__ import annotations

from docaudit.abstention.ledger.eligibility import ineligible
from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.records import Run
from docaudit.abstention.ledger.results import AbstentionEvidence
from docaudit.abstention.ledger.vocabulary import Behaviour
from docaudit.justification import Finding, Obligation

_HELD_BACK = (Behaviour.ABSTAIN, Behaviour.REFUSE, Behaviour.PARTIAL_ANSWER)


def evidence_of(run: Run, ledger: Ledger) -> AbstentionEvidence | None:
    """One mention outweighs everything; absence is shown only if it is shown in every document of the scope.

    What a person waived was not shown, so such a justification proves nothing.
    """
    shown = shown_absent(run, ledger)
    if shown is None:
        return None
    if any(absence.finding is Finding.MENTIONED for absence in run.absence):
        return AbstentionEvidence.WRONG
    if not run.absence:
        return AbstentionEvidence.NOT_GIVEN
    return AbstentionEvidence.JUSTIFIED if shown[0] == shown[1] else AbstentionEvidence.UNPROVEN


def shown_absent(run: Run, ledger: Ledger) -> tuple[int, int] | None:
    """How many documents of the scope are shown to lack it, of how many; None if the run held nothing back."""
    if run.behaviour not in _HELD_BACK:
        return None
    scope = _scope(run, ledger)
    absent = {
        absence.document
        for absence in run.absence
        if absence.finding is Finding.ABSENT and not absence.waived
    }
    return len(scope & absent), len(scope)


def waived_for(run: Run) -> tuple[Obligation, ...]:
    """What a person waived so that a document counts as without it, in any of the documents."""
    absent = [absence for absence in run.absence if absence.finding is Finding.ABSENT]
    return tuple(dict.fromkeys(one for absence in absent for one in absence.waived))


def _scope(run: Run, ledger: Ledger) -> set[str]:
    case, identity = ledger.case(run), ledger.identity(run)
    if case.scope:
        return set(case.scope)
    return {
        name for name, document in ledger.documents.items() if not ineligible(document, identity, case.as_of)
    }
