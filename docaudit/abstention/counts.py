"""What a threshold does to questions whose evidence is known: each count with the denominator that belongs to it.

A false pass is counted of questions without evidence, an over-hold of questions with evidence, pass and hold of all.
None of them says whether an answer was right: see docaudit.abstention.answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from docaudit.abstention.frozen import Frozen, Row
from docaudit.abstention.frozen_checks import listed
from docaudit.abstention.gate import Decision, Reason, decide_all
from docaudit.abstention.labels import Evidence
from docaudit.abstention.ratio import Ratio
from docaudit.errors import GateError
from docaudit.evidence import Model

Unverified = Literal["refuse", "apart"]
"""What becomes of questions whose evidence nobody has verified: refused, or counted in pass and hold, but apart."""


class GateCounts(Model):
    """One threshold over all questions.

    Attributes:
        threshold: What values are compared with.
        rule: The comparison in words.
        passed, held: Of all questions.
        false_pass: Passed, of the questions whose evidence is absent.
        false_pass_ids: Which.
        over_hold: Held, of the questions whose evidence is present; a failed search is one of the causes.
        over_hold_ids: Which.
        unverified_passed: Passed, of the questions that nobody has verified.
        passed_with_required: Passed questions whose required documents are all among the candidates, of the passed
            ones of which that is known; without evidence nothing can be, so false passes are among the others.
        passed_without_required_ids: The others of these.
        required_found: The same of passed questions with evidence alone, whose required documents were written down.
        reasons: How many questions have each reason; they add up to all questions.
        disputed: Questions on whose evidence people disagreed, of all.
    """

    threshold: float
    rule: str
    passed: Ratio
    held: Ratio
    false_pass: Ratio
    false_pass_ids: tuple[str, ...]
    over_hold: Ratio
    over_hold_ids: tuple[str, ...]
    unverified_passed: Ratio
    passed_with_required: Ratio
    passed_without_required_ids: tuple[str, ...]
    required_found: Ratio
    reasons: Mapping[Reason, int]
    disputed: Ratio


def required_documents_covered(row: Row) -> bool | None:
    """Whether every required document is among the candidates; None if nobody wrote down which are required.

    Without evidence in the collection nothing can be covered. It says nothing of the right passage, or answer.
    """
    required = row.label.required_doc_ids
    if required is None:
        return False if row.label.evidence is Evidence.ABSENT else None
    found = {candidate.doc_id for candidate in row.retrieval.candidates}
    return bool(required) and set(required) <= found


def count(frozen: Frozen, threshold: float, *, unverified: Unverified = "refuse") -> GateCounts:
    """Count what one threshold does; raises GateError for unverified rows unless they are to be counted apart."""
    need_verified(frozen, unverified)
    decisions = decide_all(frozen.operating, [row.retrieval for row in frozen.rows], threshold)
    passed = passed_ids(decisions)
    absent, present = frozen.labelled(Evidence.ABSENT), frozen.labelled(Evidence.PRESENT)
    open_rows = frozen.labelled(Evidence.UNVERIFIED)
    false_pass = tuple(row.id for row in absent if row.id in passed)
    over_hold = tuple(row.id for row in present if row.id not in passed)
    covered = {row.id: required_documents_covered(row) for row in frozen.rows if row.id in passed}
    without = tuple(name for name, known in covered.items() if known is False)
    known = sum(value is not None for value in covered.values())
    found = [covered[row.id] for row in present if covered.get(row.id) is not None]
    total = len(frozen.rows)
    return GateCounts(
        threshold=threshold,
        rule=frozen.operating.rule(threshold),
        passed=Ratio(numerator=len(passed), denominator=total),
        held=Ratio(numerator=total - len(passed), denominator=total),
        false_pass=Ratio(numerator=len(false_pass), denominator=len(absent)),
        false_pass_ids=false_pass,
        over_hold=Ratio(numerator=len(over_hold), denominator=len(present)),
        over_hold_ids=over_hold,
        unverified_passed=Ratio(
            numerator=sum(row.id in passed for row in open_rows), denominator=len(open_rows)
        ),
        passed_with_required=Ratio(numerator=known - len(without), denominator=known),
        passed_without_required_ids=without,
        required_found=Ratio(numerator=sum(map(bool, found)), denominator=len(found)),
        reasons={reason: sum(one.reason is reason for one in decisions) for reason in Reason},
        disputed=Ratio(numerator=sum(row.label.disputed for row in frozen.rows), denominator=total),
    )


def passed_ids(decisions: Sequence[Decision]) -> frozenset[str]:
    """Names of the questions that passed."""
    return frozenset(one.query_id for one in decisions if one.passed)


def need_verified(frozen: Frozen, unverified: Unverified) -> None:
    """Raise GateError if there are unverified rows and nobody asked to count them apart."""
    rows = frozen.labelled(Evidence.UNVERIFIED)
    if rows and unverified == "refuse":
        raise GateError(
            f"{len(rows)} of {len(frozen.rows)} questions are unverified ({listed(rows)})",
            remedy="label them, or ask for them to be counted apart: --unverified apart",
        )
