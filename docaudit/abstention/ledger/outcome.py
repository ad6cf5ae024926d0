"""One run against its case: every check, every failure with its reason, vetoes, and where to repair."""

from __future__ import annotations

from collections.abc import Sequence

from docaudit.abstention.ledger import checks
from docaudit.abstention.ledger.absences import HELD_BACK, evidence_of, shown_absent, unproven_because
from docaudit.abstention.ledger.cases import Case, Gold
from docaudit.abstention.ledger.claims import invention_vetoes, reviewed, unsupported
from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.records import Run
from docaudit.abstention.ledger.results import AbstentionEvidence, ClaimResult, Failure, RunResult, Veto
from docaudit.abstention.ledger.routing import Symptom, route
from docaudit.abstention.ledger.vocabulary import Metric, VetoKind

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
    touched = checks.contacts(run, ledger)
    access = checks.access_vetoes(run, touched)
    crossed = [evidence for kind, evidence in access if kind is not VetoKind.SEVERE_INVENTION]
    forbidden = checks.forbidden_contacts(run, case)
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
        ranks=tuple(checks.rank_of(gold, run) for gold in case.required),
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
        Metric.CITATION: checks.broken_citations(run, ledger),
        Metric.SUPPORT: unsupported_claims if claims else None,
        Metric.ABSTENTION: _held_badly(run, ledger, claims) if case.answerability.holds_back else None,
        Metric.ISOLATION: crossed if case.boundaries else None,
    }


def _behaved(run: Run, case: Case) -> bool:
    return run.behaviour is case.answerability.expected


def _expected(run: Run, case: Case) -> str:
    label = case.answerability
    return f"{label.value} expects {label.expected.value}, and the run did {run.behaviour.value}"


def _ineligible(touched: Sequence[checks.Contact], forbidden: dict[str, int]) -> list[str]:
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
        rank = checks.rank_of(gold, run)
        if rank is None:
            found.append(f"{gold.document} {gold.passage} is no candidate")
        elif rank > top_k:
            found.append(f"{gold.document} {gold.passage} has rank {rank}, beyond top-k {top_k}")
    return found


def _not_in_context(run: Run, case: Case) -> list[str] | None:
    if not case.required:
        return None
    lost = [checks.lacking(gold, run.context) for gold in case.required]
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
    rank = checks.rank_of(gold, run)
    lost = checks.lacking(gold, run.context)
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
