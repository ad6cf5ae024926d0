"""The gate: counts that are known beforehand, reasons that never mix, and bad input refused by name."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from docaudit.abstention.gate import (
    Aggregation,
    Direction,
    GradedAnswer,
    OperatingRecord,
    Ratio,
    Reason,
    Retrieval,
    ThresholdComparison,
    decide,
)
from docaudit.abstention.results import read_frozen
from docaudit.abstention.threshold_sweep import (
    AnswerLedger,
    answer_ledger,
    count,
    cut_points,
    required_documents_covered,
    risk_coverage,
    sweep_thresholds,
)
from docaudit.errors import GateError
from tests.gates import BASIS, OPERATING, content, frozen, hundred, row

RECORD = OperatingRecord(stage="retrieval", score_kind="BM25", direction=Direction.HIGHER)


def retrieval(*scores: float | None, **fields: Any) -> Retrieval:
    candidates = [{"doc_id": f"D{at}", "score": score} for at, score in enumerate(scores)]
    return Retrieval.model_validate({"id": "Q", "query": "q", "candidates": candidates, **fields})


def counted(ratio: Ratio) -> tuple[int, int]:
    return ratio.numerator, ratio.denominator


class TestDecisions:
    @pytest.mark.parametrize(
        ("found", "threshold", "reason"),
        [
            (retrieval(0.62), 0.40, Reason.PASS),
            (retrieval(0.62), 0.70, Reason.BELOW_THRESHOLD),
            (retrieval(0.85), 0.40, Reason.PASS),  # another product: a score does not see that
            (retrieval(0.85), 0.70, Reason.PASS),
            (retrieval(0.70), 0.70, Reason.PASS),
            (retrieval(), 0.0, Reason.NO_CANDIDATES),
            (retrieval(None), -1.0, Reason.MISSING_SCORE),
            (retrieval(status="failed", error="timeout"), -1.0, Reason.RETRIEVAL_FAILED),
        ],
    )
    def test_each_reason(self, found: Retrieval, threshold: float, reason: Reason) -> None:
        assert decide(RECORD, found, threshold).reason is reason

    def test_nothing_becomes_zero(self) -> None:
        assert decide(RECORD, retrieval(), 0.0).value is None
        assert decide(RECORD, retrieval(0.0), 0.0).value == 0.0

    def test_equal_is_held_where_more_is_asked_for(self) -> None:
        strict = RECORD.model_copy(update={"comparison": ThresholdComparison.MORE_THAN})
        assert not decide(strict, retrieval(0.7), 0.7).passed
        assert strict.rule(0.7) == "value > 0.7"

    def test_lower_is_better(self) -> None:
        distance = RECORD.model_copy(update={"direction": Direction.LOWER})
        assert [decide(distance, retrieval(one), 0.3).passed for one in (0.2, 0.3, 0.4)] == [
            True,
            True,
            False,
        ]
        assert distance.rule(0.3) == "value <= 0.3"

    @pytest.mark.parametrize(
        ("direction", "scores"), [("higher", (0.9, 0.6, 0.1)), ("lower", (0.1, 0.6, 0.9))]
    )
    def test_the_worst_of_the_top_n(self, direction: str, scores: tuple[float, ...]) -> None:
        record = OperatingRecord(
            stage="s",
            score_kind="k",
            direction=Direction(f"{direction}_is_better"),
            aggregation=Aggregation.MIN_OF_TOP_N,
            top_n=2,
        )
        assert decide(record, retrieval(*scores), 0.5).value == 0.6
        assert decide(record, retrieval(*scores[:1]), 0.5).value == scores[0]
        assert decide(record, retrieval(scores[0], None), 0.5).reason is Reason.MISSING_SCORE

    def test_top_n_belongs_to_min(self) -> None:
        for given in ({"aggregation": "min_of_top_n"}, {"top_n": 2}):
            with pytest.raises(ValidationError, match="min_of_top_n needs top_n"):
                OperatingRecord.model_validate({**OPERATING, **given})

    @pytest.mark.parametrize("top_n", [True, "2", 2.0])
    def test_top_n_is_a_whole_number(self, top_n: Any) -> None:
        operating = {**OPERATING, "aggregation": "min_of_top_n", "top_n": top_n}
        with pytest.raises(GateError, match="operating: top_n: Input should be a valid integer"):
            frozen([row("A", 0.5)], operating=operating)

    def test_the_direction_must_be_declared(self) -> None:
        with pytest.raises(ValidationError, match="direction"):
            OperatingRecord.model_validate({"stage": "s", "score_kind": "k"})


class TestCounts:
    """The published example of 100 questions."""

    @pytest.mark.parametrize(
        ("threshold", "passed", "held", "false_pass", "over_hold"),
        [(0.40, 80, 20, 20, 10), (0.70, 50, 50, 5, 25)],
    )
    def test_gate(self, threshold: float, passed: int, held: int, false_pass: int, over_hold: int) -> None:
        got = count(frozen(hundred()), threshold)
        assert counted(got.passed) == (passed, 100)
        assert counted(got.held) == (held, 100)
        assert counted(got.false_pass) == (false_pass, 30)
        assert counted(got.over_hold) == (over_hold, 70)

    def test_shares(self) -> None:
        low, high = (count(frozen(hundred()), one) for one in (0.40, 0.70))
        assert f"{low.over_hold} {high.over_hold}" == "10 of 70 (14.3 %) 25 of 70 (35.7 %)"
        assert f"{low.passed} {high.passed}" == "80 of 100 (80.0 %) 50 of 100 (50.0 %)"

    def test_answers(self) -> None:
        low, high = ledger(0.40), ledger(0.70)
        assert [counted(one.correct) for one in (low, high)] == [(54, 80), (42, 50)]
        assert [str(one.wrong_of_judged) for one in (low, high)] == ["21 of 75 (28.0 %)", "6 of 48 (12.5 %)"]
        assert [one.wrong_of_answered.share for one in (low, high)] == [0.2625, 0.12]
        assert [one.wrong_of_all.share for one in (low, high)] == [0.21, 0.06]
        assert [one.answer_coverage.share for one in (low, high)] == [0.8, 0.5]
        unjudged = [one.no_reference.numerator + one.undecidable.numerator for one in (low, high)]
        assert unjudged == [5, 2]

    def test_one_row_moves_only_its_counts(self) -> None:
        rows = hundred()
        rows[0]["answer"]["grade"] = "wrong"  # was correct
        before, after = ledger(0.70), answer_ledger(frozen(rows), 0.70)
        assert after is not None
        changed = {name for name in type(after).model_fields if getattr(after, name) != getattr(before, name)}
        assert changed == {"correct", "wrong_of_judged", "wrong_of_answered", "wrong_of_all"}
        assert counted(after.wrong_of_judged) == (7, 48)

    def test_a_hold_after_generation_is_no_answer(self) -> None:
        rows = hundred()
        rows[0]["answer"] = {"returned": False}
        got = answer_ledger(frozen(rows), 0.70)
        assert got is not None
        assert counted(got.gate_passed) == (50, 100)
        assert counted(got.held_after_generation) == (1, 50)
        assert counted(got.answer_coverage) == (49, 100)
        assert counted(got.correct) == (41, 49)

    def test_a_partial_answer_is_counted_by_its_items(self) -> None:
        partial = {
            "returned": True,
            "grade": "partial",
            "satisfied": ["deadline"],
            "missing": ["desk", "form"],
        }
        got = answer_ledger(frozen([row("A", 0.9, answer=partial), row("B", 0.9)]), 0.5)
        assert got is not None
        assert counted(got.items_satisfied) == (1, 3)
        assert counted(got.partial) == (1, 1)
        assert counted(got.correct) == (0, 1)
        assert counted(got.not_recorded) == (1, 2)

    def test_no_ledger_without_answers(self) -> None:
        assert answer_ledger(frozen([row("A", 0.9)]), 0.5) is None

    def test_holds_by_reason_add_up(self) -> None:
        rows = [
            row("A", 0.9),
            row("B", 0.1),
            row("C"),
            row("D", candidates=[{"doc_id": "D1"}]),
            row("E", status="failed", error="timeout"),
        ]
        got = count(frozen(rows), 0.5)
        assert set(got.reasons.values()) == {1}
        assert counted(got.over_hold) == (4, 5)

    def test_of_no_questions_there_is_no_share(self) -> None:
        got = count(frozen([row("A", 0.9)]), 0.5)
        assert got.false_pass.share is None
        assert str(got.false_pass) == "0 of 0 (not measurable)"

    def test_required_documents(self) -> None:
        both = [{"doc_id": "D1", "score": 2.0}, {"doc_id": "D2", "score": 1.0}]
        rows = [
            row("A", candidates=both, required_doc_ids=["D1", "D2"]),
            row("B", 2.0, required_doc_ids=["D1", "D2"]),
            row("C", 2.0),
            row("D", 2.0, "absent"),
        ]
        made = frozen(rows)
        assert [required_documents_covered(one) for one in made.rows] == [True, False, None, False]
        got = count(made, 0.0)
        assert counted(got.passed_with_required) == (1, 3)
        assert got.passed_without_required_ids == ("B", "D")


class TestUnverified:
    ROWS = (row("A", 0.9), row("B", 0.9, "absent"), row("C", 0.9, "unverified"), row("D", 0.1, "unverified"))

    def test_refused_with_row_numbers(self) -> None:
        with pytest.raises(GateError, match=r"2 of 4 questions are unverified \(rows 3, 4\)"):
            count(frozen(list(self.ROWS)), 0.5)

    def test_apart_is_never_absent(self) -> None:
        got = count(frozen(list(self.ROWS)), 0.5, unverified="apart")
        assert counted(got.false_pass) == (1, 1)
        assert counted(got.over_hold) == (0, 1)
        assert counted(got.unverified_passed) == (1, 2)
        assert counted(got.passed) == (3, 4)


class TestRatio:
    @pytest.mark.parametrize("many", [1, 8, 10, 59])
    def test_bound_at_zero(self, many: int) -> None:
        interval = Ratio(numerator=0, denominator=many).interval
        assert interval is not None
        assert interval[0] == 0.0
        assert interval[1] == pytest.approx(
            1 - 0.025 ** (1 / many), abs=1e-12
        )  # the exact bound in closed form

    def test_text(self) -> None:
        assert str(Ratio(numerator=0, denominator=10)) == "0 of 10 (0.0 %; exact 95 % interval up to 30.8 %)"
        assert (
            str(Ratio(numerator=10, denominator=10)) == "10 of 10 (100.0 %; exact 95 % interval from 69.2 %)"
        )

    def test_more_than_all_is_no_share(self) -> None:
        with pytest.raises(ValidationError):
            Ratio(numerator=3, denominator=2)


class TestSweep:
    def test_cuts_decide_as_the_values_do(self) -> None:
        values = [0.85, 0.62, 0.6199, -3.0, 0.0, 12.000001, 12.0]
        for direction in Direction:
            for comparison in ThresholdComparison:
                record = RECORD.model_copy(update={"direction": direction, "comparison": comparison})
                ordered = sorted(values, reverse=direction is Direction.HIGHER)
                cuts = cut_points(record, values)
                passed = [sum(record.passes(value, cut) for value in values) for cut in cuts]
                assert passed == list(range(len(values), 0, -1)), (direction, comparison)
                assert all(record.passes(ordered[0], cut) for cut in cuts)

    def test_not_more_thresholds_than_can_be_read(self) -> None:
        made = sweep_thresholds(frozen([row(f"Q{at}", at / 7) for at in range(250)]))
        assert len(made.points) == 84  # every third of 250
        assert len(made.risk_coverage.points) == 250

    def test_thresholds_come_lenient_first(self) -> None:
        assert [one.gate.threshold for one in sweep_thresholds(frozen(hundred()), [0.7, 0.4]).points] == [
            0.4,
            0.7,
        ]

    @pytest.mark.parametrize("given", [[], [math.nan], [math.inf], [0.4, 0.4]])
    def test_thresholds_must_be_numbers(self, given: list[float]) -> None:
        with pytest.raises(GateError, match="threshold"):
            sweep_thresholds(frozen(hundred()), given)

    def test_no_scores_at_all(self) -> None:
        with pytest.raises(GateError, match="no question has a score"):
            sweep_thresholds(frozen([row("A"), row("B", evidence="absent")]))

    def test_each_kind_of_question_apart(self) -> None:
        rows = [
            row("A", 0.9, "absent", category="negation"),
            row("B", 0.1, category="negation"),
            row("C", 0.9),
        ]
        point = sweep_thresholds(frozen(rows), [0.5]).points[0]
        assert list(point.categories) == ["negation"]
        negation = point.categories["negation"]
        assert (counted(negation.false_pass), counted(negation.over_hold)) == ((1, 1), (1, 1))
        assert counted(point.gate.over_hold) == (1, 2)

    def test_limits_are_said(self) -> None:
        designed = {"name": "n", "period": "p", "origin": "designed"}
        said = " ".join(sweep_thresholds(frozen(hundred(), questions=designed), [0.4]).limits)
        assert "designed" in said
        assert "No held-out part" in said
        assert "no probability" in said
        assert "30 questions without and 70 with evidence" in said


class TestRiskCoverage:
    def test_area(self) -> None:
        # Risks 0, 1/2, 1/3 at coverages 1/4, 1/2, 3/4; the fourth has no candidates. By hand:
        # 0 + (0 + 1/2) / 2 * 1/4 + (1/2 + 1/3) / 2 * 1/4, and on to the risk 1/4 of all: (1/3 + 1/4) / 2 * 1/4.
        rows = [row("A", 0.9), row("B", 0.8, "absent"), row("C", 0.7), row("D")]
        got = risk_coverage(frozen(rows))
        assert got.aurc == pytest.approx(1 / 16 + 5 / 48 + 7 / 96)
        assert (got.greatest_coverage, got.unscored) == (0.75, 1)
        assert (got.best, got.no_skill) == (pytest.approx(1 / 32), 0.25)

    def test_lost_scores_are_no_perfect_order(self) -> None:
        # Without the scores of the lower half, all that is left is right; the area says what was lost all the same.
        rows = [
            *(row(f"P{at}", 0.9 - at / 100) for at in range(10)),
            *(row(f"A{at}", 0.5 - at / 100, "absent") for at in range(5)),
            *(row(f"L{at}", 0.3 - at / 100) for at in range(5)),
        ]
        for one in rows:
            if not one["id"].startswith("P"):
                one["candidates"] = [{"doc_id": "D1", "score": None}]
        got = risk_coverage(frozen(rows))
        # By hand: no risk up to 1/2, then from 0 to 1/4 on the other half.
        assert got.aurc == pytest.approx(1 / 16)
        assert got.best == pytest.approx(1 / 32)

    @pytest.mark.parametrize("labels", [("present", "present"), ("absent", "absent")])
    def test_one_label_is_not_measurable(self, labels: tuple[str, str]) -> None:
        got = risk_coverage(frozen([row(f"Q{at}", at / 2, label) for at, label in enumerate(labels)]))
        assert (got.aurc, got.best, got.no_skill) == (None, None, None)

    def test_unverified_questions_are_no_part_of_it(self) -> None:
        rows = [row("A", 0.9), row("B", 0.8, "absent")]
        unknown = [row("U", 0.95, "unverified"), row("V", None, "unverified")]
        assert risk_coverage(frozen([*rows, *unknown])) == risk_coverage(frozen(rows))

    def test_equal_values_come_together(self) -> None:
        got = risk_coverage(frozen([row("A", 0.9), row("B", 0.9, "absent")]))
        assert [(one.passed, one.without_evidence) for one in got.points] == [(2, 1)]
        assert got.questions == 2

    def test_a_perfect_order_is_better_than_its_reverse(self) -> None:
        good = [row("A", 0.9), row("B", 0.8), row("C", 0.2, "absent"), row("D", 0.1, "absent")]
        bad = [row("A", 0.1), row("B", 0.2), row("C", 0.8, "absent"), row("D", 0.9, "absent")]
        areas = [risk_coverage(frozen(rows)).aurc for rows in (good, bad)]
        assert areas[0] is not None
        assert areas[1] is not None
        assert areas[0] < areas[1]


class TestBadInput:
    def problems(self, rows: list[dict[str, Any]], **parts: Any) -> str:
        with pytest.raises(GateError) as caught:
            frozen(rows, **parts)
        return "\n".join(caught.value.problems)

    def test_everything_at_once_with_its_row(self) -> None:
        rows = [
            row("A", math.nan),
            row("B", 0.5),
            row("B", 0.4),
            row("C", candidates=[{"doc_id": "D1", "score": "0.5"}]),
            row("D", 0.5, "maybe"),
            row("E", 0.5, group=""),
            row("F", 0.5, "absent", required_doc_ids=["D1"]),
            row("G", -math.inf),
            row("H", 0.5, scored=1.0),
        ]
        said = self.problems(rows).splitlines()
        assert [line.split(":")[0] for line in said] == [
            "row 1 (A)",
            "row 4 (C)",
            "row 5 (D)",
            "row 6 (E)",
            "row 7 (F)",
            "row 8 (G)",
            "row 9 (H)",
            "rows 2, 3",
        ]
        assert "finite number" in said[0]
        assert "'B' is used twice" in said[-1]

    def test_wrong_direction(self) -> None:
        falling = [{"doc_id": "D1", "score": 0.9}, {"doc_id": "D2", "score": 0.1}]
        distance = {**OPERATING, "direction": "lower_is_better"}
        said = self.problems([row("A", candidates=falling), row("B", 0.2)], operating=distance)
        assert said == (
            "row 1: wrong direction: candidates come best first, and by their scores it is higher_is_better, "
            "not lower_is_better"
        )

    def test_mixed_directions(self) -> None:
        falling = [{"doc_id": "D1", "score": 0.9}, {"doc_id": "D2", "score": 0.1}]
        said = self.problems([row("A", candidates=falling), row("B", candidates=falling[::-1])])
        assert said.startswith("row 2: mixed directions")
        assert "row 1" in said

    def test_rows_that_say_they_are_of_another_kind(self) -> None:
        said = self.problems([row("A", 1.0), row("B", 1.0, direction="lower_is_better")])
        assert said == "row 2 (B): direction: Extra inputs are not permitted"

    def test_the_same_question_with_two_labels(self) -> None:
        rows = [row("A", 1.0, query="Same question?"), row("B", 1.0, "absent", query=" Same  question")]
        assert self.problems(rows) == "rows 1, 2: the same question is labelled 'present' and 'absent'"
        for one, other in (("-5 °C", "5 °C"), ("10-20 MW", "1020 MW"), ("US", "us")):
            frozen([row("A", 1.0, query=one), row("B", 1.0, "absent", query=other)])

    def test_names_that_look_alike_are_one(self) -> None:
        both = [row("caf\u00e9", 1.0, query="a"), row("cafe\u0301", 1.0, query="b")]
        assert "rows 1, 2: the id" in self.problems(both)
        assert "no blanks around it" in self.problems([row("A ", 1.0)])
        assert "the query has words" in self.problems([row("A", 1.0, query=" ")])

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"evidence": "absent", "required_doc_ids": ["D1"]}, "required documents are named"),
            ({"required_doc_ids": []}, "list of required documents is empty"),
            ({"votes": {"kim": "absent", "lee": "absent"}}, "everyone voted 'absent'"),
            ({"evidence": "absent", "answer": {"returned": True, "grade": "correct"}}, "graded correct"),
            ({"status": "failed"}, "failed has no candidates"),
            ({"error": "timeout"}, "did not fail has no error"),
        ],
    )
    def test_labels_that_contradict(self, fields: dict[str, Any], said: str) -> None:
        assert said in self.problems([row("A", 1.0, **fields)])

    @pytest.mark.parametrize("missing", list(BASIS))
    def test_absent_needs_all_that_it_rests_on(self, missing: str) -> None:
        basis = {name: text for name, text in BASIS.items() if name != missing}
        assert f"basis.{missing}" in self.problems([row("A", 1.0, "absent")], absent_basis=basis)

    def test_absent_needs_a_basis(self) -> None:
        assert "needs a basis" in self.problems([row("A", 1.0, "absent")], absent_basis=None)

    def test_parts_that_are_missing_or_unknown(self) -> None:
        made = content([], extra=1)
        del made["operating"]
        with pytest.raises(GateError, match=r"no part 'extra'.*'operating' is missing.*rows: a list"):
            read_frozen(made, "0" * 64)

    @pytest.mark.parametrize("rows", [None, {}, "rows"])
    def test_rows_that_are_no_list(self, rows: Any) -> None:
        with pytest.raises(GateError, match="a list with at least one row"):
            read_frozen({**content([]), "rows": rows}, "0" * 64)

    def test_disagreement_is_counted(self) -> None:
        got = count(
            frozen([row("A", 1.0, votes={"kim": "present", "lee": "unverified"}), row("B", 1.0)]), 0.5
        )
        assert counted(got.disputed) == (1, 2)

    @pytest.mark.parametrize(
        "given",
        [
            {"returned": True},
            {"returned": False, "grade": "wrong"},
            {"returned": False, "missing": ["desk"]},
            {"returned": True, "grade": "correct", "missing": ["desk"]},
            {"returned": True, "grade": "partial", "satisfied": ["desk"]},
            {"returned": True, "grade": "partial", "satisfied": ["desk"], "missing": ["desk"]},
        ],
    )
    def test_answers_that_contradict_themselves(self, given: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            GradedAnswer.model_validate(given)


def ledger(threshold: float) -> AnswerLedger:
    made = answer_ledger(frozen(hundred()), threshold)
    assert made is not None
    return made
