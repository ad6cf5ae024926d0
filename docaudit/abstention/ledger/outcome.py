"""One run against its case: every check, every failure with its reason, vetoes, and where to repair.

The checks of one run that need no judge: identifiers, permissions, versions, places; and what a review adds.

Claims after their review: a person or a model judged them, and the deterministic checks come first.

What docaudit's justifications say of a run that held something back: justified, unproven, wrong, or nothing.

Only documents of the scope count. Absence is shown if it is shown in every one of them, and there is at least one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docaudit.abstention.ledger.read import Ineligible, Ledger, ineligible
from docaudit.abstention.ledger.results import (
    AbstentionEvidence,
    ClaimResult,
    Failure,
    RunResult,
    Symptom,
    Veto,
    route,
)
from docaudit.abstention.ledger.rows import (
    Absence,
    Behaviour,
    Case,
    Claim,
    Gold,
    Metric,
    Place,
    Run,
    Severity,
    Support,
    VetoKind,
)
from docaudit.codes import Finding


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


_SYMPTOMS = {
    Metric.ELIGIBILITY: Symptom.INELIGIBLE,
    Metric.CITATION: Symptom.CITATION,
    Metric.ABSTENTION: Symptom.BEHAVIOUR,
}
Problems = dict[Metric, list[str] | None]
"""For each metric what is wrong; None where the check does not apply."""


def outcome(run: Run, ledger: Ledger) -> tuple[RunResult, list[ClaimResult], list[Veto]]:
    """What became of one run, of its claims, and the vetoes that it raises."""
    case = ledger.case(run)
    claims = reviewed(run, ledger)
    touched = contacts(run, ledger)
    access = access_vetoes(run, touched)
    crossed = [evidence for kind, evidence in access if kind is not VetoKind.SEVERE_INVENTION]
    forbidden = forbidden_contacts(run, case)
    vetoes = [
        Veto(run_id=run.run_id, kind=kind, evidence=evidence)
        for kind, evidence in (*access, *invention_vetoes(claims))
    ]
    problems = _problems(run, ledger, claims, _ineligible(touched, forbidden), crossed)
    rest = [f"veto {veto.kind.value}: {veto.evidence}" for veto in vetoes]
    if not case.answerability.holds_back and run.behaviour is not case.answerability.expected:
        rest.append(_expected(run, case))
    passed = not rest and not any(problems.values())
    result = RunResult(
        run_id=run.run_id,
        case_id=case.case_id,
        language=case.language,
        group=case.group,
        identity=case.identity,
        answerability=case.answerability,
        behaviour=run.behaviour,
        passed=passed,
        checks={
            **{m: None if found is None else not found for m, found in problems.items()},
            Metric.COMPLETE: passed,
        },
        failures=tuple(
            Failure(metric=metric, reason=reason)
            for metric, found in (*problems.items(), (Metric.COMPLETE, rest))
            for reason in found or ()
        ),
        vetoes=tuple(veto.kind for veto in vetoes),
        symptoms=(
            symptoms := _symptoms(run, ledger, problems, crossed=bool(crossed), behaved=_behaved(run, case))
            or ((Symptom.CLAIM,) if vetoes else ())  # an invention that was seen, and that no review has
        ),
        repair_first=symptoms[0].layer if symptoms else None,
        ranks=tuple(rank_of(gold, run) for gold in case.required),
        forbidden=forbidden,
        abstention=evidence_of(run, ledger),
        shown_absent=shown_absent(run, ledger),
        unproven=unproven_because(run, ledger) if run.behaviour in HELD_BACK else (),
    )
    return result, claims, vetoes


def _problems(
    run: Run, ledger: Ledger, claims: list[ClaimResult], selected: list[str], crossed: list[str]
) -> Problems:
    case = ledger.case(run)
    unsupported_claims = [f"claim {c.claim_id}: {c.reason}" for c in claims if not c.supported]
    return {
        Metric.ELIGIBILITY: selected,
        Metric.RETRIEVAL: _not_retrieved(run, case, ledger.contract.top_k),
        Metric.CONTEXT: _not_in_context(run, case),
        Metric.CITATION: broken_citations(run, ledger),
        Metric.SUPPORT: unsupported_claims if claims else None,
        Metric.ABSTENTION: _held_badly(run, ledger, claims) if case.answerability.holds_back else None,
        Metric.ISOLATION: crossed if case.boundaries else None,
    }


def _behaved(run: Run, case: Case) -> bool:
    return run.behaviour is case.answerability.expected


def _expected(run: Run, case: Case) -> str:
    label = case.answerability
    return f"{label.value} expects {label.expected.value}, and the run did {run.behaviour.value}"


def _ineligible(touched: Sequence[Contact], forbidden: dict[str, int]) -> list[str]:
    selected = [str(contact) for contact in touched if contact.stage != "citations"]
    return selected + [
        f"{stage}: {forbidden[stage]} passages labelled as forbidden"
        for stage in ("candidates", "context")
        if forbidden[stage] and not selected
    ]


def _not_retrieved(run: Run, case: Case, top_k: int) -> list[str] | None:
    if not case.required:
        return None
    found = []
    for gold in case.required:
        rank = rank_of(gold, run)
        if rank is None:
            found.append(f"{gold.document} {gold.passage} is no candidate")
        elif rank > top_k:
            found.append(f"{gold.document} {gold.passage} has rank {rank}, beyond top-k {top_k}")
    return found


def _not_in_context(run: Run, case: Case) -> list[str] | None:
    if not case.required:
        return None
    lost = [lacking(gold, run.context) for gold in case.required]
    return [f"the final context lacks {one}" for one in lost if one]


def _held_badly(run: Run, ledger: Ledger, claims: list[ClaimResult]) -> list[str]:
    case = ledger.case(run)
    found = [] if _behaved(run, case) else [_expected(run, case)]
    if not run.next_step.strip():
        found.append("no next step was offered")
    found += [f"claim {name} is not held back, though unsupported" for name in unsupported(claims)]
    if evidence_of(run, ledger) is AbstentionEvidence.WRONG:
        found.append("held back, but docaudit finds it mentioned")
    return found


def _symptoms(
    run: Run, ledger: Ledger, problems: Problems, *, crossed: bool, behaved: bool
) -> tuple[Symptom, ...]:
    seen = {symptom for metric, symptom in _SYMPTOMS.items() if problems.get(metric)}
    if crossed:
        seen.add(Symptom.CROSSED)
    if problems[Metric.SUPPORT] and not problems[Metric.CONTEXT]:
        seen.add(Symptom.CLAIM)  # with too little context, the context is what has to be repaired
    if not behaved:
        seen.add(Symptom.BEHAVIOUR)
    for gold in ledger.case(run).required:
        lost = _where_lost(gold, run, ledger)
        if lost:
            seen.add(lost)
    return route(seen)


def _where_lost(gold: Gold, run: Run, ledger: Ledger) -> Symptom | None:
    """The first stage that lost a required passage, its cell or a condition."""
    missing = set(ledger.documents[gold.document].not_indexed)
    rank = rank_of(gold, run)
    lost = lacking(gold, run.context)
    if (rank is None or lost) and missing & {gold.passage, *gold.conditions}:
        return Symptom.NOT_INDEXED
    if rank is None or rank > ledger.contract.top_k:
        return Symptom.NOT_CANDIDATE
    if not lost:
        return None
    candidate = run.candidates[rank - 1]
    if gold.cell is not None and gold.cell not in candidate.cells:
        return Symptom.NOT_INDEXED  # the passage came, its table did not: lost when it was parsed
    return Symptom.NOT_IN_CONTEXT
