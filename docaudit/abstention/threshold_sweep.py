"""Thresholds over frozen results: retrieval, labels and answers stay, only the threshold changes.

Each count keeps the denominator that belongs to it: a false pass is counted of questions without evidence, an
over-hold of questions with evidence, pass and hold of all. A hold is no correct answer, and a question that passed the
gate is not yet one that was answered, so answers have a ledger of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from itertools import groupby, pairwise
from typing import Literal

from docaudit.abstention.gate import (
    Direction,
    EvidenceLabel,
    Grade,
    OperatingRecord,
    Ratio,
    Reason,
    ThresholdComparison,
    decide_all,
    gate_value,
    written,
)
from docaudit.abstention.results import Frozen, LabelledQuestion, QuestionSet, listed
from docaudit.errors import GateError
from docaudit.justification import Model

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


def required_documents_covered(row: LabelledQuestion) -> bool | None:
    """Whether every required document is among the candidates; None if nobody wrote down which are required.

    Without evidence in the collection nothing can be covered. It says nothing of the right passage, or answer.
    """
    if row.required_doc_ids is None:
        return False if row.evidence is EvidenceLabel.ABSENT else None
    candidates = {candidate.doc_id for candidate in row.candidates}
    return bool(row.required_doc_ids) and set(row.required_doc_ids) <= candidates


def count(frozen: Frozen, threshold: float, *, unverified: Unverified = "refuse") -> GateCounts:
    """Count what one threshold does; raises GateError for unverified rows unless they are to be counted apart."""
    require_verified(frozen, unverified)
    decisions = decide_all(frozen.operating, frozen.rows, threshold)
    passed = {decision.query_id for decision in decisions if decision.passed}
    absent, present = frozen.labelled(EvidenceLabel.ABSENT), frozen.labelled(EvidenceLabel.PRESENT)
    open_rows = frozen.labelled(EvidenceLabel.UNVERIFIED)
    false_pass = tuple(row.id for row in absent if row.id in passed)
    over_hold = tuple(row.id for row in present if row.id not in passed)
    covered = {
        row.id: covers
        for row in frozen.rows
        if row.id in passed and (covers := required_documents_covered(row)) is not None
    }
    without = tuple(name for name, covers in covered.items() if not covers)
    required = [covered[row.id] for row in present if row.id in covered]
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
        passed_with_required=Ratio(numerator=len(covered) - len(without), denominator=len(covered)),
        passed_without_required_ids=without,
        required_found=Ratio(numerator=sum(required), denominator=len(required)),
        reasons={reason: sum(decision.reason is reason for decision in decisions) for reason in Reason},
        disputed=Ratio(numerator=sum(row.disputed for row in frozen.rows), denominator=total),
    )


def require_verified(frozen: Frozen, unverified: Unverified) -> None:
    """Raise GateError if there are unverified rows and nobody asked to count them apart."""
    rows = frozen.labelled(EvidenceLabel.UNVERIFIED)
    if rows and unverified == "refuse":
        raise GateError(
            f"{len(rows)} of {len(frozen.rows)} questions are unverified ({listed(rows)})",
            remedy="label them, or ask for them to be counted apart: --unverified apart",
        )


def cut_points(operating: OperatingRecord, values: Iterable[float]) -> list[float]:
    """For each distinct value the shortest threshold that it, all better ones and no worse one pass.

    Short, so that a threshold copied from a table decides as the table says.

    >>> record = OperatingRecord(stage="retrieval", score_kind="BM25", direction="higher_is_better")
    >>> cut_points(record, [9.811527, 9.114474, 9.114474, 0.62])
    [0.6, 9.0, 9.8]
    """
    sign = 1.0 if operating.direction is Direction.HIGHER else -1.0
    ordered = sorted({sign * value for value in values})
    equal_passes = operating.comparison is ThresholdComparison.AT_LEAST
    return [
        sign * _cut_between(worse, value, equal_passes) + 0.0  # + 0.0: never -0.0
        for worse, value in pairwise([-math.inf, *ordered])
    ]


def _cut_between(worse: float, value: float, equal_passes: bool) -> float:
    """The shortest number by which the value passes and the worse one does not."""
    for digits in range(1, 18):  # 17 digits tell any two floats apart
        cut = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(value)))
        if worse < cut <= value if equal_passes else worse <= cut < value:
            return cut
    if equal_passes:
        return value
    return worse if math.isfinite(worse) else math.nextafter(value, -math.inf)


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
    if all(row.answer is None for row in frozen.rows):
        return None
    decisions = decide_all(frozen.operating, frozen.rows, threshold)
    passed = [row for row, decision in zip(frozen.rows, decisions, strict=True) if decision.passed]
    recorded = [row.answer for row in passed if row.answer is not None]
    returned = [answer for answer in recorded if answer.returned]
    graded = {grade: [answer for answer in returned if answer.grade is grade] for grade in Grade}
    wrong, total = len(graded[Grade.WRONG]), len(frozen.rows)
    judged = len(returned) - len(graded[Grade.NO_REFERENCE]) - len(graded[Grade.UNDECIDABLE])
    satisfied = sum(len(answer.satisfied) for answer in graded[Grade.PARTIAL])
    missing = sum(len(answer.missing) for answer in graded[Grade.PARTIAL])

    def of_returned(grade: Grade) -> Ratio:
        return Ratio(numerator=len(graded[grade]), denominator=len(returned))

    return AnswerLedger(
        threshold=threshold,
        gate_passed=Ratio(numerator=len(passed), denominator=total),
        held_at_gate=Ratio(numerator=total - len(passed), denominator=total),
        held_after_generation=Ratio(numerator=len(recorded) - len(returned), denominator=len(passed)),
        not_recorded=Ratio(numerator=len(passed) - len(recorded), denominator=len(passed)),
        answer_coverage=Ratio(numerator=len(returned), denominator=total),
        correct=of_returned(Grade.CORRECT),
        partial=of_returned(Grade.PARTIAL),
        no_reference=of_returned(Grade.NO_REFERENCE),
        undecidable=of_returned(Grade.UNDECIDABLE),
        wrong_of_judged=Ratio(numerator=wrong, denominator=judged),
        wrong_of_answered=of_returned(Grade.WRONG),
        wrong_of_all=Ratio(numerator=wrong, denominator=total),
        items_satisfied=Ratio(numerator=satisfied, denominator=satisfied + missing),
    )


_ORIGINS = {
    "designed": "The questions were designed, not sampled from use: shares over them are no forecast.",
    "sampled": "The questions are a sample of their period: other periods and users may ask others.",
    "production": "The questions are those of one period: later ones may differ.",
}
_SMALL = 100
"""Fewer questions of a label are said to be few: no error in 100 still allows 3.6 % (95 %, Clopper-Pearson)."""


def limits(frozen: Frozen) -> tuple[str, ...]:
    """What numbers over these rows cannot say, as sentences that belong to every result."""
    sentences = [_ORIGINS[frozen.questions.origin]]
    if frozen.part == "all":
        sentences.append(
            "No held-out part: a threshold chosen here has not been checked on unseen questions."
        )
    elif frozen.part == "tuning":
        sentences.append("This is the tuning part: check the chosen threshold on the held-out part, once.")
    elif frozen.held_out_uses > 1:
        sentences.append(
            f"The held-out part has been used {frozen.held_out_uses} times: it counts as tuning data now, "
            "and a new one is needed."
        )
    absent, present = (
        len(frozen.labelled(evidence)) for evidence in (EvidenceLabel.ABSENT, EvidenceLabel.PRESENT)
    )
    if min(absent, present) < _SMALL:
        sentences.append(
            f"{absent} questions without and {present} with evidence: zero errors among so few promise no "
            "zero later; see the bounds."
        )
    if not any(len({hit.score for hit in row.candidates} - {None}) > 1 for row in frozen.rows):
        sentences.append(
            "No question has two candidates with different scores, so nothing shows that "
            f"{frozen.operating.direction} is the right direction."
        )
    if disputed := sum(row.disputed for row in frozen.rows):
        sentences.append(
            f"On {disputed} of {len(frozen.rows)} questions people disagreed about the evidence."
        )
    sentences.append(
        "A score is no probability, and thresholds do not carry over to other scores, versions or questions."
    )
    return tuple(sentences)


class CurvePoint(Model):
    """One threshold of the curve.

    Attributes:
        threshold: All questions with this value or a better one pass.
        passed: How many do; of all questions of the curve, this is the coverage.
        without_evidence: Of those that pass; this is the risk.
    """

    threshold: float
    passed: int
    without_evidence: int

    @property
    def risk(self) -> float:
        """Without evidence, of those that pass."""
        return self.without_evidence / self.passed


class RiskCoverage(Model):
    """Risk against coverage: of the questions that pass, how many have no evidence; strictest threshold first.

    Attributes:
        questions: All whose evidence is known: the denominator of the coverage.
        points: One for each value that a question has; questions of equal value come together.
        aurc: Area under the curve from coverage 0 to 1, by trapezoids; the first risk holds back to 0, and questions
            without a score come last, together, so that a gate does not look better because scores are missing. Lower
            is better. None if no question has a score, or if all that have known evidence have the same label.
        best: The area if scores told the two labels apart without a fault; None where aurc is.
        no_skill: The area if scores said nothing: the share of questions without evidence; None where aurc is.
        unscored: Questions of the curve without a score.
        greatest_coverage: What the most lenient threshold lets through; less than 1 where questions have no score.
    """

    questions: int
    points: tuple[CurvePoint, ...]
    aurc: float | None
    best: float | None
    no_skill: float | None
    unscored: int
    greatest_coverage: float

    def coverage(self, point: CurvePoint) -> float:
        """Passed, of all questions of the curve."""
        return point.passed / self.questions


def risk_coverage(frozen: Frozen) -> RiskCoverage:
    """The curve over all questions whose evidence is known, present or absent."""
    labelled = [row for row in frozen.rows if row.evidence is not EvidenceLabel.UNVERIFIED]
    scored = [
        (value, row.evidence is EvidenceLabel.ABSENT)
        for row in labelled
        if isinstance(value := gate_value(frozen.operating, row), float)
    ]
    scored.sort(key=lambda pair: pair[0], reverse=frozen.operating.direction is Direction.HIGHER)
    points, passed, wrong = [], 0, 0
    for value, same in groupby(scored, key=lambda pair: pair[0]):
        absent = [is_absent for _, is_absent in same]
        passed += len(absent)
        wrong += sum(absent)
        points.append(CurvePoint(threshold=value, passed=passed, without_evidence=wrong))
    without = sum(row.evidence is EvidenceLabel.ABSENT for row in labelled)
    share = area = None
    if points and 0 < without < len(labelled):
        from sklearn.metrics import auc  # slow to import

        share = without / len(labelled)
        coverage = [0.0, *(point.passed / len(labelled) for point in points), 1.0]
        # Where all pass, scored or not, the risk is that of all questions.
        area = float(auc(coverage, [points[0].risk, *(point.risk for point in points), share]))
    return RiskCoverage(
        questions=len(labelled),
        points=tuple(points),
        aurc=area,
        best=None if share is None else share**2 / 2,
        no_skill=share,
        unscored=len(labelled) - passed,
        greatest_coverage=passed / len(labelled) if labelled else 0.0,
    )


MOST_THRESHOLDS = 100
"""Thresholds that are tried where nobody names any: what a person can still look through (chosen, not measured)."""


class ThresholdPoint(Model):
    """One threshold.

    Attributes:
        gate: What the gate does.
        answers: What reached the users; None if no answers are recorded.
        categories: What the gate does to each kind of question that has a name: an average hides the one that fails.
    """

    gate: GateCounts
    answers: AnswerLedger | None
    categories: Mapping[str, GateCounts]


class ThresholdSweep(Model):
    """What each threshold does, with all that a reader needs to judge it.

    Attributes:
        operating: How the scores came about.
        questions: Where the questions come from.
        sha256: Hash of the frozen results.
        part: Which part of a split was swept, or `all`.
        named: Whether somebody named the thresholds; else they are those that make a difference.
        points: One for each threshold, the most lenient first.
        risk_coverage: The trade-off over all thresholds that make a difference.
        limits: What these numbers cannot say.
    """

    operating: OperatingRecord
    questions: QuestionSet
    sha256: str
    part: Literal["all", "tuning", "held_out"]
    named: bool
    points: tuple[ThresholdPoint, ...]
    risk_coverage: RiskCoverage
    limits: tuple[str, ...]


def sweep_thresholds(
    frozen: Frozen,
    thresholds: Sequence[float] | None = None,
    *,
    unverified: Unverified = "refuse",
    extra_limits: Sequence[str] = (),
) -> ThresholdSweep:
    """Count what each threshold does.

    Args:
        frozen: Results with labels.
        thresholds: Any numbers; None for those that make a difference, as short as they can be, MOST_THRESHOLDS at
            most. The curve has all of them.
        unverified: Whether unverified questions are refused or counted apart.
        extra_limits: What else must be said of the numbers.

    Raises:
        GateError: A threshold is not a number or is given twice, or there are unverified rows that nobody asked for.
    """
    ordered = lenient_first(frozen, _every_cut(frozen) if thresholds is None else thresholds)
    if frozen.part == "held_out" and len(ordered) > 1:
        choice = (
            f"{len(ordered)} thresholds are shown on the held-out part: choosing among them is tuning, unless a "
            "guarantee counts them all. Look there once, with the one that was chosen before."
        )
        extra_limits = (choice, *extra_limits)
    categories = {
        name: frozen.model_copy(update={"rows": tuple(row for row in frozen.rows if row.category == name)})
        for name in dict.fromkeys(row.category for row in frozen.rows)
        if name is not None
    }
    points = tuple(
        ThresholdPoint(
            gate=count(frozen, threshold, unverified=unverified),
            answers=answer_ledger(frozen, threshold),
            categories={
                name: count(rows, threshold, unverified=unverified) for name, rows in categories.items()
            },
        )
        for threshold in ordered
    )
    for lenient, strict in pairwise(point.gate for point in points):
        # A stricter threshold never passes more; if it did, the counts would be wrong and must not be shown.
        if (
            strict.passed.numerator > lenient.passed.numerator
            or strict.false_pass.numerator > lenient.false_pass.numerator
            or strict.over_hold.numerator < lenient.over_hold.numerator
        ):
            raise GateError(
                f"threshold {written(strict.threshold)} passes more than {written(lenient.threshold)}"
            )
    return ThresholdSweep(
        operating=frozen.operating,
        questions=frozen.questions,
        sha256=frozen.sha256,
        part=frozen.part,
        named=thresholds is not None,
        points=points,
        risk_coverage=risk_coverage(frozen),
        limits=(*limits(frozen), *extra_limits),
    )


def _every_cut(frozen: Frozen) -> list[float]:
    """The thresholds that make a difference; of more than can be read, every nth."""
    values = [gate_value(frozen.operating, row) for row in frozen.rows]
    cuts = cut_points(frozen.operating, [value for value in values if isinstance(value, float)])
    if not cuts:
        raise GateError("no question has a score, so there is nothing to choose a threshold by")
    return cuts[:: math.ceil(len(cuts) / MOST_THRESHOLDS)]


def lenient_first(frozen: Frozen, thresholds: Sequence[float]) -> list[float]:
    """The thresholds, the most lenient first; raises GateError if they are no numbers, or one is given twice."""
    if not thresholds or not all(map(math.isfinite, thresholds)):
        raise GateError("thresholds must be numbers, at least one", remedy="write, for example, 0.4,0.7")
    if len(set(thresholds)) < len(thresholds):
        raise GateError("a threshold is given twice")
    return sorted(thresholds, reverse=frozen.operating.direction is Direction.LOWER)
