"""The words of an evaluation: a title for each ratio, and counts as people say them."""

from __future__ import annotations

from docaudit.abstention.gate import Ratio as Exact
from docaudit.abstention.ledger.results import (
    AbstentionEvidence,
    CheckState,
    Evaluation,
    Ratio,
    RunResult,
    Spread,
    Symptom,
)
from docaudit.abstention.ledger.rows import Metric
from docaudit.text import numbers
from docaudit.text.numbers import plural

TITLES = {
    "corpus_eligibility": "Corpus eligibility",
    "gold_retrieval": "Required evidence retrieved",
    "context_completeness": "Context complete, all runs",
    "citation_resolvability": "Citations resolve",
    "claim_support": "Material claims supported",
    "abstention_quality": "Abstention and clarification",
    "security_isolation": "Security isolation",
    "complete_pass": "Complete pass",
    "context_completeness_answerable": "Context complete, answerable runs",
    "answerable_answered": "Answerable runs that were answered",
    "required_passages_in_top_k": "Required passages among the first k",
    "required_documents_in_top_k": "Required documents among the first k",
    "useful_candidates_in_top_k": "Candidates that are required or allowed",
    "no_forbidden_evidence_touched": "Runs that touched no forbidden evidence",
    "critical_claims_supported": "Critical claims supported",
    "major_claims_supported": "Major claims supported",
    "minor_claims_supported": "Minor claims supported",
}
SYMPTOMS = {
    Symptom.CROSSED: "restricted material or a hostile instruction crossed a boundary",
    Symptom.INELIGIBLE: "an ineligible document was selected",
    Symptom.NOT_INDEXED: "required evidence is not in the index",
    Symptom.NOT_CANDIDATE: "required evidence is in the index and no candidate",
    Symptom.NOT_IN_CONTEXT: "required evidence is a candidate and not in the context",
    Symptom.CLAIM: "the context is sufficient, and a claim is not supported",
    Symptom.BEHAVIOUR: "not the expected behaviour, or held back badly: no next step, an unsupported claim, mentioned "
    "after all",
    Symptom.CITATION: "a citation does not resolve",
}
SPREADS = {"seconds": "Seconds", "cost": "Cost", "review_minutes": "Minutes of review"}
EVIDENCE = {
    AbstentionEvidence.JUSTIFIED: "justified: docaudit shows the absence in every document of the scope",
    AbstentionEvidence.UNPROVEN: "unproven: not established, or waived, or not in every document of the scope",
    AbstentionEvidence.WRONG: "wrong: docaudit finds it mentioned",
    AbstentionEvidence.NOT_GIVEN: "no justification given",
}
CHECK_MARKS = {CheckState.MET: "✓", CheckState.UNMET: "✗", CheckState.ATTESTED: "✓", CheckState.OPEN: "–"}


def seen(run: RunResult, symptom: Symptom) -> str:
    """What was seen in a run; of the behaviour the reasons themselves, as it has several."""
    if symptom is not Symptom.BEHAVIOUR:
        return SYMPTOMS[symptom]
    reasons = [
        one.reason
        for one in run.failures
        if one.metric is Metric.ABSTENTION
        or (one.metric is Metric.COMPLETE and not one.reason.startswith("veto "))
    ]
    return "; ".join(reasons)


def warnings(result: Evaluation) -> str:
    """How much a release rests on, and what speaks against relying on it: codes, and points that nobody confirmed."""
    open_points = sum(item.state in (CheckState.OPEN, CheckState.UNMET) for item in result.checklist)
    said = [*dict.fromkeys(finding.code for finding in result.lint)]
    if open_points:
        said.append(f"{plural(open_points, 'point')} of the checklist open")
    return f"warnings: {', '.join(said)}" if said else ""


def unproven(result: Evaluation, name: str) -> str:
    """The run's name, with the reasons why its absence is not shown."""
    because = next(run.unproven for run in result.runs if run.run_id == name)
    return f"{name} ({'; '.join(because)})" if because else name


def share(one: Ratio) -> str:
    """The share in percent, or that nothing was measured."""
    return "nothing measured" if one.share is None else percent(one.share)


def interval(one: Ratio) -> str:
    """What the share may be among all such cases (Clopper-Pearson, 95 %); empty of nothing."""
    found = Exact(numerator=one.numerator, denominator=one.denominator).interval
    return "" if found is None else f"{found[0] * 100:.1f} to {found[1] * 100:.1f}"


def percent(value: float) -> str:
    """A share that the contract wants."""
    return numbers.percent(value, 2)


def count(one: Ratio) -> str:
    """Numerator and denominator."""
    return f"{one.numerator} of {one.denominator}"


def amount(value: float | None) -> str:
    """A measured amount."""
    return "not measured" if value is None else f"{value:.4g}"


def limit(one: Spread) -> str:
    """How many kept the limit."""
    if one.limit is None:
        return "no limit declared"
    return f"{one.within} of {one.measured} within {one.limit:.4g}"
