"""The ledger of final answers behind a gate: right, partly right, wrong, not known, held back; never one number.

A hold is not a correct answer, and a question that passed the gate is not yet one that was answered.
"""

from __future__ import annotations

from collections.abc import Sequence

from docaudit.abstention.counts import passed_ids
from docaudit.abstention.frozen import Frozen
from docaudit.abstention.gate import decide_all
from docaudit.abstention.labels import Answer, Grade
from docaudit.abstention.ratio import Ratio
from docaudit.evidence import Model


class AnswerLedger(Model):
    """What reached the users at one threshold.

    Attributes:
        threshold: Of the gate.
        gate_passed: Questions that passed the gate, of all.
        held_at_gate: Held by the gate, of all.
        held_after_generation: Held back after an answer was generated, of those that passed.
        not_recorded: Passed, but nobody recorded what became of them; of those that passed.
        answer_coverage: Questions that got an answer on the matter, of all. Not the pass rate.
        correct: Correct answers, of those returned.
        partial: Partial answers, of those returned.
        no_reference: Not judged for want of material to judge by, of those returned.
        undecidable: Not judged because the answer can be read in two ways, of those returned.
        wrong_of_judged: Wrong answers, of those that could be judged.
        wrong_of_answered: Wrong answers, of those returned; more if there are wrong ones among those not judged.
        wrong_of_all: Wrong answers, of all questions; low also for a tool that says nothing.
        items_satisfied: Required items that the partial answers give, of all that they were to give.
    """

    threshold: float
    gate_passed: Ratio
    held_at_gate: Ratio
    held_after_generation: Ratio
    not_recorded: Ratio
    answer_coverage: Ratio
    correct: Ratio
    partial: Ratio
    no_reference: Ratio
    undecidable: Ratio
    wrong_of_judged: Ratio
    wrong_of_answered: Ratio
    wrong_of_all: Ratio
    items_satisfied: Ratio


def answer_ledger(frozen: Frozen, threshold: float) -> AnswerLedger | None:
    """Count the recorded answers of the questions that pass; None if no answer was recorded at all."""
    if all(row.label.answer is None for row in frozen.rows):
        return None
    passed = passed_ids(decide_all(frozen.operating, [row.retrieval for row in frozen.rows], threshold))
    made = [row.label.answer for row in frozen.rows if row.id in passed]
    recorded = [answer for answer in made if answer is not None]
    returned = [answer for answer in recorded if answer.returned]
    total = len(frozen.rows)
    unjudged = _graded(returned, Grade.NO_REFERENCE) + _graded(returned, Grade.UNDECIDABLE)
    partial = [answer for answer in returned if answer.grade is Grade.PARTIAL]
    given = sum(len(answer.satisfied) for answer in partial)
    wrong = _graded(returned, Grade.WRONG)

    def of_returned(grade: Grade) -> Ratio:
        return Ratio(numerator=_graded(returned, grade), denominator=len(returned))

    return AnswerLedger(
        threshold=threshold,
        gate_passed=Ratio(numerator=len(passed), denominator=total),
        held_at_gate=Ratio(numerator=total - len(passed), denominator=total),
        held_after_generation=Ratio(numerator=len(recorded) - len(returned), denominator=len(passed)),
        not_recorded=Ratio(numerator=len(made) - len(recorded), denominator=len(passed)),
        answer_coverage=Ratio(numerator=len(returned), denominator=total),
        correct=of_returned(Grade.CORRECT),
        partial=of_returned(Grade.PARTIAL),
        no_reference=of_returned(Grade.NO_REFERENCE),
        undecidable=of_returned(Grade.UNDECIDABLE),
        wrong_of_judged=Ratio(numerator=wrong, denominator=len(returned) - unjudged),
        wrong_of_answered=of_returned(Grade.WRONG),
        wrong_of_all=Ratio(numerator=wrong, denominator=total),
        items_satisfied=Ratio(
            numerator=given, denominator=given + sum(len(answer.missing) for answer in partial)
        ),
    )


def _graded(answers: Sequence[Answer], grade: Grade) -> int:
    return sum(answer.grade is grade for answer in answers)
