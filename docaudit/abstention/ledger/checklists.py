"""What is wrong with an evaluation itself (E35, E36), and the checklists before and after a release (E37)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from docaudit.abstention.ledger.read import Ledger
from docaudit.abstention.ledger.results import (
    Agreement,
    ChecklistItem,
    CheckState,
    ClaimResult,
    Evaluation,
    LedgerLint,
    MetricRatio,
    Veto,
)
from docaudit.abstention.ledger.rows import Answerability, ClaimSeverity, Metric, Support
from docaudit.abstention.ledger.twenty_tests import NEGATIVE_TESTS, TESTS
from docaudit.codes import Code


class LedgerLintCode(Code):
    """What is wrong with the evaluation itself.

    Attributes:
        remedy: What to do about it.
    """

    remedy: str

    def __init__(self, _code: str, meaning: str = "", remedy: str = "") -> None:
        self.label = self.meaning = meaning
        self.remedy = remedy

    SINGLE_SCORE = (
        "single_score",
        "One overall value decides, so that the broken part stays hidden.",
        "set a threshold for every metric before the run",
    )
    GOLD_AFTER_OUTPUT = (
        "gold_after_output",
        "Labels were changed after outputs were seen.",
        "freeze the labels first; after a recorded change run every compared configuration again",
    )
    NO_NEGATIVES = (
        "no_negatives",
        "Cases are missing in which something is absent, partial, conflicting, retired, restricted or hostile.",
        "add cases for these tests, or name the tests in the field tests of the cases that are such",
    )
    CITATION_COUNT = (
        "citation_count",
        "A claim counts as supported though no passage was judged for it: a citation that exists is no support.",
        "judge each material claim against its passages",
    )
    TUNING_WEAKENS_CONTROL = (
        "tuning_weakens_control",
        "A run got faster or cheaper while a control got worse (with --diff only).",
        "treat it as a regression, whatever the speed",
    )
    MODEL_JUDGE_UNCHECKED = (
        "model_judge_unchecked",
        "A model judged critical claims alone, or was never compared with people.",
        "have people judge critical claims and a sample of the others, and give model_support beside them",
    )
    THRESHOLD_ZERO = (
        "threshold_zero",
        "A threshold of 0 is reached by everything, so the metric decides nothing.",
        "set the smallest share that would do, before the run",
    )
    NO_CLAIMS = (
        "no_claims",
        "A case that can be answered plans no claim, so that nothing of its answer is judged.",
        "plan the material claims that its answer owes",
    )


_CONTROLS = (Metric.ELIGIBILITY, Metric.CONTEXT, Metric.CITATION, Metric.ISOLATION)


def lint(ledger: Ledger, claims: Sequence[ClaimResult]) -> tuple[LedgerLint, ...]:
    """Everything that one ledger shows."""
    return tuple(
        LedgerLint(code=code.value, message=message, remedy=code.remedy)
        for code, message in _lint(ledger, claims)
    )


def _lint(ledger: Ledger, claims: Sequence[ClaimResult]) -> Iterator[tuple[LedgerLintCode, str]]:
    cases, thresholds = ledger.cases.values(), ledger.contract.thresholds
    if unset := [metric.value for metric in Metric if metric not in thresholds]:
        yield LedgerLintCode.SINGLE_SCORE, f"no threshold for {', '.join(unset)}"
    if zero := [metric.value for metric, share in thresholds.items() if share == 0]:
        yield LedgerLintCode.THRESHOLD_ZERO, f"0 is enough for {', '.join(zero)}"
    if changed := [case.case_id for case in cases if case.changed_because.strip()]:
        yield LedgerLintCode.GOLD_AFTER_OUTPUT, f"labels were changed: {_listed(changed)}"
    tried = {number for case in cases for number in case.tests}
    untried = [test for test in TESTS if test.number in NEGATIVE_TESTS and test.number not in tried]
    if untried:
        named = ", ".join(f"{test.number} ({test.name})" for test in untried)
        kinds = Counter(case.answerability.value for case in cases if not case.tests)
        unnamed = ", ".join(f"{many} {kind}" for kind, many in sorted(kinds.items()))
        without = f"; cases that name no test: {unnamed}" if unnamed else ""
        yield LedgerLintCode.NO_NEGATIVES, f"no case names test {named} in its field tests{without}"
    rows = [claim for run in ledger.runs for claim in ledger.claims[run.run_id]]
    bare = [
        f"{row.run_id} {row.claim_id}" for row in rows if row.support is Support.FULL and not row.evidence
    ]
    if bare:
        yield LedgerLintCode.CITATION_COUNT, f"full without a judged passage: {_listed(bare)}"
    empty = [
        case.case_id for case in cases if case.answerability is Answerability.ANSWERABLE and not case.claims
    ]
    if empty:
        yield LedgerLintCode.NO_CLAIMS, f"ANSWERABLE without a claim: {_listed(empty)}"
    critical = {
        (claim.run_id, claim.claim_id) for claim in claims if claim.severity is ClaimSeverity.CRITICAL
    }
    by_model = [row for row in rows if row.judged_by == "model"]
    unchecked = [f"{r.run_id} {r.claim_id}" for r in by_model if (r.run_id, r.claim_id) in critical]
    if unchecked:
        yield LedgerLintCode.MODEL_JUDGE_UNCHECKED, f"critical and judged by no person: {_listed(unchecked)}"
    if by_model and not any(row.model_support for row in rows):
        yield LedgerLintCode.MODEL_JUDGE_UNCHECKED, f"{len(by_model)} claims judged by a model, none by both"


def lint_change(before: Evaluation, after: Evaluation) -> Iterator[LedgerLint]:
    """Speed or cost that was bought with a control."""
    cheaper = [
        old.name
        for old, new in zip(before.operations.spreads, after.operations.spreads, strict=True)
        if old.p95 is not None and new.p95 is not None and new.p95 < old.p95
    ]
    worse = [
        new.name
        for old, new in zip(before.ratios, after.ratios, strict=True)
        if Metric(new.name) in _CONTROLS
        and old.share is not None
        and new.share is not None
        and new.share < old.share
    ]
    if cheaper and worse:
        code = LedgerLintCode.TUNING_WEAKENS_CONTROL
        message = f"p95 of {', '.join(cheaper)} fell, and so did {', '.join(worse)}"
        yield LedgerLint(code=code.value, message=message, remedy=code.remedy)


def _listed(names: Sequence[str], shown: int = 10) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


BEFORE, RELEASE, AFTER = "before the evaluation", "before release", "after release"
BY_PEOPLE = {
    "no_real_customer_data": (
        BEFORE,
        "No unmanaged customer data, credentials or real content of other tenants in the fixtures.",
    ),
    "logs_and_rollback": (
        RELEASE,
        "Logs, restore, stop, correction, retention and acceptance by name are in place.",
    ),
    "monitoring": (
        AFTER,
        "New questions, changed sources, index delay, permissions, broken citations and corrections are watched.",
    ),
    "failures_added_with_care": (
        AFTER,
        "Failures in production are added only minimised, authorised and reviewed for privacy.",
    ),
    "last_approved_restorable": (AFTER, "The last approved configuration can be reproduced and restored."),
}
"""Points that no row can show: a person confirms them in `attested` of the contract."""


def checklist(
    ledger: Ledger, ratios: Sequence[MetricRatio], vetoes: Sequence[Veto], agreement: Agreement
) -> tuple[ChecklistItem, ...]:
    """Every point, with what was recomputed for it or who confirmed it."""
    contract = ledger.contract
    planned = sum(len(case.claims) for case in ledger.cases.values())
    failed = next(ratio for ratio in ratios if ratio.name == "complete_pass")
    vetoed = list(dict.fromkeys(veto.run_id for veto in vetoes))
    are = "1 run is" if len(vetoed) == 1 else f"{len(vetoed)} runs are"
    recomputed = [
        ("owners_named", BEFORE, "Product, corpus, domain, security and incidents have owners by name.",
         True, ", ".join(f"{owner.value}: {name}" for owner, name in contract.owners.items())),
        ("versions_frozen", BEFORE, "Corpus, identities, pipeline, policy and evaluators have fixed versions.",
         True, f"{len(contract.versions)} parts, observed in each of {len(ledger.runs)} runs"),
        ("labels_set", BEFORE, "Answerability, evidence, claims, severity and vetoes were set.",
         True, f"{len(ledger.cases)} cases with {planned} claims, frozen {contract.frozen_at.isoformat()}"),
        ("recomputed", RELEASE, "Every numerator and denominator was recomputed from runs and claims.",
         True, "; ".join(f"{ratio.name} {ratio.numerator} of {ratio.denominator}" for ratio in ratios)),
        ("vetoes_resolved", RELEASE, "No veto is open: access, tenant, injection, severe invention.",
         not vetoed, f"{are} vetoed: {', '.join(vetoed)}" if vetoed else "no run is vetoed"),
        ("failures_looked_at", RELEASE, "Failed parts, groups, languages, roles and disagreements are listed.",
         True, f"{len(failed.missed)} runs failed; {len(agreement.disagreements)} disagreements of judges"),
        ("retest_rules", AFTER, "Changes that call for a new run are named.",
         bool(contract.retest_when), ", ".join(contract.retest_when) or "retest_when is empty"),
    ]  # fmt: skip
    items = [
        ChecklistItem(
            code=code,
            stage=stage,
            text=text,
            state=CheckState.MET if met else CheckState.UNMET,
            evidence=evidence,
        )
        for code, stage, text, met, evidence in recomputed
    ]
    for code, (stage, text) in BY_PEOPLE.items():
        who = contract.attested.get(code)
        nobody = f"nobody has confirmed it (attested.{code} in contract.json)"
        items.append(
            ChecklistItem(
                code=code,
                stage=stage,
                text=text,
                state=CheckState.ATTESTED if who else CheckState.OPEN,
                evidence=f"confirmed by {who}" if who else nobody,
            )
        )
    stages = (BEFORE, RELEASE, AFTER)
    return tuple(sorted(items, key=lambda item: stages.index(item.stage)))
