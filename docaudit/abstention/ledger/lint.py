"""Common failures of evaluations and of judges, found in the rows. Method: E35 and E36; what asks for nothing, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.report import Evaluation, LintFinding
from docaudit.abstention.ledger.results import ClaimResult
from docaudit.abstention.ledger.twenty_tests import TESTS
from docaudit.abstention.ledger.vocabulary import Answerability, Metric, Severity, Support

NEGATIVE_TESTS = (5, 6, 7, 8, 9, 10, 12, 13, 14)
"""Tests whose absence leaves only easy questions: retired, structure, long, absent, partial, conflict, role, tenant,
injection."""


class LedgerLintCode(StrEnum):
    """What is wrong with the evaluation itself."""

    SINGLE_SCORE = "single_score"
    GOLD_AFTER_OUTPUT = "gold_after_output"
    NO_NEGATIVES = "no_negatives"
    CITATION_COUNT = "citation_count"
    TUNING_WEAKENS_CONTROL = "tuning_weakens_control"
    MODEL_JUDGE_UNCHECKED = "model_judge_unchecked"
    THRESHOLD_ZERO = "threshold_zero"
    NO_CLAIMS = "no_claims"

    @property
    def meaning(self) -> str:
        """What the finding says."""
        return _CODES[self][0]

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return _CODES[self][1]


_CODES = {
    LedgerLintCode.SINGLE_SCORE: (
        "One overall value decides, so that the broken part stays hidden.",
        "set a threshold for every metric before the run",
    ),
    LedgerLintCode.GOLD_AFTER_OUTPUT: (
        "Labels were changed after outputs were seen.",
        "freeze the labels first; after a recorded change run every compared configuration again",
    ),
    LedgerLintCode.NO_NEGATIVES: (
        "Cases are missing in which something is absent, partial, conflicting, retired, restricted or hostile.",
        "add cases for these tests, or name the tests in the field tests of the cases that are such",
    ),
    LedgerLintCode.CITATION_COUNT: (
        "A claim counts as supported though no passage was judged for it: a citation that exists is no support.",
        "judge each material claim against its passages",
    ),
    LedgerLintCode.TUNING_WEAKENS_CONTROL: (
        "A run got faster or cheaper while a control got worse (with --diff only).",
        "treat it as a regression, whatever the speed",
    ),
    LedgerLintCode.MODEL_JUDGE_UNCHECKED: (
        "A model judged critical claims alone, or was never compared with people.",
        "have people judge critical claims and a sample of the others, and give model_support beside them",
    ),
    LedgerLintCode.THRESHOLD_ZERO: (
        "A threshold of 0 is reached by everything, so the metric decides nothing.",
        "set the smallest share that would do, before the run",
    ),
    LedgerLintCode.NO_CLAIMS: (
        "A case that can be answered plans no claim, so that nothing of its answer is judged.",
        "plan the material claims that its answer owes",
    ),
}
_CONTROLS = (Metric.ELIGIBILITY, Metric.CONTEXT, Metric.CITATION, Metric.ISOLATION)


def lint(ledger: Ledger, claims: Sequence[ClaimResult]) -> tuple[LintFinding, ...]:
    """Everything that one ledger shows."""
    found: list[LintFinding] = []
    unset = [metric.value for metric in Metric if metric not in ledger.contract.thresholds]
    if unset:
        found.append(_finding(LedgerLintCode.SINGLE_SCORE, f"no threshold for {', '.join(unset)}"))
    zero = [metric.value for metric, share in ledger.contract.thresholds.items() if share == 0]
    if zero:
        found.append(_finding(LedgerLintCode.THRESHOLD_ZERO, f"0 is enough for {', '.join(zero)}"))
    changed = [case.case_id for case in ledger.cases.values() if case.changed_because.strip()]
    if changed:
        found.append(_finding(LedgerLintCode.GOLD_AFTER_OUTPUT, f"labels were changed: {_listed(changed)}"))
    tried = {number for case in ledger.cases.values() for number in case.tests}
    untried = [test for test in TESTS if test.number in NEGATIVE_TESTS and test.number not in tried]
    if untried:
        named = ", ".join(f"{test.number} ({test.name})" for test in untried)
        message = f"no case names test {named} in its field tests"
        kinds = Counter(case.answerability.value for case in ledger.cases.values() if not case.tests)
        if kinds:
            unnamed = ", ".join(f"{many} {kind}" for kind, many in sorted(kinds.items()))
            message += f"; cases that name no test: {unnamed}"
        found.append(_finding(LedgerLintCode.NO_NEGATIVES, message))
    rows = [claim for run in ledger.runs for claim in ledger.claims[run.run_id]]
    bare = [
        f"{row.run_id} {row.claim_id}" for row in rows if row.support is Support.FULL and not row.evidence
    ]
    if bare:
        found.append(
            _finding(LedgerLintCode.CITATION_COUNT, f"full without a judged passage: {_listed(bare)}")
        )
    empty = [
        case.case_id
        for case in ledger.cases.values()
        if case.answerability is Answerability.ANSWERABLE and not case.claims
    ]
    if empty:
        found.append(_finding(LedgerLintCode.NO_CLAIMS, f"ANSWERABLE without a claim: {_listed(empty)}"))
    found += _judges(ledger, claims)
    return tuple(found)


def lint_change(before: Evaluation, after: Evaluation) -> Iterator[LintFinding]:
    """Speed or cost that was bought with a control."""
    cheaper = [
        old.name
        for old, new in zip(before.operations.spreads, after.operations.spreads, strict=True)
        if old.p95 is not None and new.p95 is not None and new.p95 < old.p95
    ]
    shares = {one.name: one.share for one in before.ratios}
    worse = [
        one.name
        for one in after.ratios
        if Metric(one.name) in _CONTROLS and _fell(shares[one.name], one.share)
    ]
    if cheaper and worse:
        message = f"p95 of {', '.join(cheaper)} fell, and so did {', '.join(worse)}"
        yield _finding(LedgerLintCode.TUNING_WEAKENS_CONTROL, message)


def _fell(before: float | None, after: float | None) -> bool:
    return before is not None and after is not None and after < before


def _judges(ledger: Ledger, claims: Sequence[ClaimResult]) -> Iterator[LintFinding]:
    critical = {(c.run_id, c.claim_id) for c in claims if c.severity is Severity.CRITICAL}
    rows = [claim for run in ledger.runs for claim in ledger.claims[run.run_id]]
    alone = [row for row in rows if row.judged_by == "model"]
    unchecked = [f"{r.run_id} {r.claim_id}" for r in alone if (r.run_id, r.claim_id) in critical]
    if unchecked:
        yield _finding(
            LedgerLintCode.MODEL_JUDGE_UNCHECKED, f"critical and judged by no person: {_listed(unchecked)}"
        )
    if alone and not any(row.model_support for row in rows):
        yield _finding(
            LedgerLintCode.MODEL_JUDGE_UNCHECKED, f"{len(alone)} claims judged by a model, none by both"
        )


def _finding(code: LedgerLintCode, message: str) -> LintFinding:
    return LintFinding(code=code.value, message=message, remedy=code.remedy)


def _listed(names: Sequence[str], shown: int = 10) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
