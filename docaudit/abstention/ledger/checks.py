"""The checks of one run that need no judge: identifiers, permissions, versions, places; and what a review adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docaudit.abstention.ledger.cases import Case, Gold
from docaudit.abstention.ledger.eligibility import Ineligible, ineligible
from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.records import Place, Run
from docaudit.abstention.ledger.vocabulary import VetoKind


@dataclass(frozen=True)
class Contact:
    """A document that a run touched and may not use.

    Attributes:
        stage: candidates, context or citations.
        document: Its name.
        reasons: Why the identity may not use it.
    """

    stage: str
    document: str
    reasons: tuple[Ineligible, ...]

    def __str__(self) -> str:
        return f"{self.stage}: {self.document} is {' and '.join(reason.value for reason in self.reasons)}"


def contacts(run: Run, ledger: Ledger) -> list[Contact]:
    """Every ineligible document that the run touched, once for each stage."""
    identity, day = ledger.identity(run), ledger.case(run).as_of
    found = []
    stages: tuple[tuple[str, list[str]], ...] = (
        ("candidates", [place.document for place in run.candidates]),
        ("context", [place.document for place in run.context]),
        ("citations", [citation.document for citation in run.citations]),
    )
    for stage, names in stages:
        for name in dict.fromkeys(names):
            reasons = ineligible(ledger.documents.get(name), identity, day)
            if reasons:
                found.append(Contact(stage, name, reasons))
    return found


def forbidden_contacts(run: Run, case: Case) -> dict[str, int]:
    """How many forbidden labels each stage touched: counted apart from eligibility, which is per document."""
    cited = [Place(document=c.document, passage=c.passage) for c in run.citations]
    stages: tuple[tuple[str, Sequence[Place]], ...] = (
        ("candidates", run.candidates),
        ("context", run.context),
        ("citations", cited),
    )
    return {stage: sum(touches(gold, places) for gold in case.forbidden) for stage, places in stages}


def touches(gold: Gold, places: Iterable[Place]) -> bool:
    """Whether one of the places is the labelled passage (and has the labelled cell, where cells are kept)."""
    return any(
        place.document == gold.document
        and place.passage == gold.passage
        and (gold.cell is None or not place.cells or gold.cell in place.cells)
        for place in places
    )


def rank_of(gold: Gold, run: Run) -> int | None:
    """Rank of the passage among the candidates, from 1; None if it is not among them."""
    for rank, place in enumerate(run.candidates, start=1):
        if (place.document, place.passage) == (gold.document, gold.passage):
            return rank
    return None


def lacking(gold: Gold, places: Sequence[Place]) -> str:
    """What the places lack of the labelled passage, its cell and its conditions; empty if nothing."""
    same = [p for p in places if p.document == gold.document]
    passage = next((p for p in same if p.passage == gold.passage), None)
    if passage is None:
        return f"{gold.document} {gold.passage}"
    if gold.cell is not None and gold.cell not in passage.cells:
        return f"{gold.document} {gold.passage}, cell {gold.cell}"
    for condition in gold.conditions:
        if condition not in {p.passage for p in same}:
            return f"{gold.document} {gold.passage}, condition {condition}"
    return ""


def broken_citations(run: Run, ledger: Ledger) -> list[str]:
    """Citations that do not lead their viewer to a recorded place that the viewer may see."""
    identity, case = ledger.identity(run), ledger.case(run)
    problems = []
    for citation in run.citations:
        name = f"{citation.document} {citation.passage}"
        document = ledger.documents.get(citation.document)
        reasons = ineligible(document, identity, case.as_of)
        place = Place(document=citation.document, passage=citation.passage)
        if reasons:
            problems.append(f"{name} is {' and '.join(reason.value for reason in reasons)}")
        elif document is not None and citation.passage not in document.passages:
            problems.append(f"{name} is no recorded passage")
        elif any(touches(gold, [place]) for gold in case.forbidden):
            problems.append(f"{name} is forbidden evidence")
        elif not citation.resolved:
            problems.append(f"{name} does not resolve")
    if not run.citations and run.behaviour.claims_evidence:
        problems.append("states facts without any citation")
    return problems


def access_vetoes(run: Run, touched: Sequence[Contact]) -> list[tuple[VetoKind, str]]:
    """Vetoes of access and policy: what an owner of security saw, and what reached the model or the viewer."""
    found = [(one.kind, f"{one.channel}: {one.what}") for one in run.violations]
    for contact in touched:
        if contact.stage == "candidates":
            continue  # filtered before the model: a failure of eligibility, and no leak yet
        if Ineligible.OTHER_TENANT in contact.reasons:
            found.append((VetoKind.CROSS_TENANT_LEAK, str(contact)))
        elif any(reason.crosses for reason in contact.reasons):
            found.append((VetoKind.UNAUTHORISED_SOURCE, str(contact)))
    return found
