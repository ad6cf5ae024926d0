"""Choosing a threshold: split, leak test, calibration, guarantee, adoption, and what users are told."""

from __future__ import annotations

import random
from typing import Any

import pytest

from docaudit.abstention.adoption import AdoptionBundle, FollowUp, adopt, diff_bundles
from docaudit.abstention.calibration import calibrate, check_calibration, describe_score
from docaudit.abstention.gate import Reason
from docaudit.abstention.hold import FORBIDDEN, check_message, hold_message
from docaudit.abstention.results import Frozen
from docaudit.abstention.splits import QuestionSplit, leaks, near_duplicates, split, take_part
from docaudit.errors import GateError
from tests.gates import OPERATING, frozen, row

WORDS = (
    "deadline desk form fee weekend projector tablet warranty repair refund seal export label customs invoice"
).split()
FOLLOW_UP = FollowUp(handled_by="lending desk", within="one working day", message_checked=True)


def questions(many: int, groups: int, start: int = 0, **fields: Any) -> list[dict[str, Any]]:
    """Questions in other words each; every second one has no evidence and, mostly, a lower score."""
    chance = random.Random(start)
    rows = []
    for at in range(start, start + many):
        text = " ".join(chance.sample(WORDS, 8))
        present = at % 2 == 0
        score = round(chance.gauss(0.7 if present else 0.4, 0.12), 4)
        label = "present" if present else "absent"
        rows.append(
            row(f"Q{at}", score, label, query=f"{text} {at}", group=f"g{at % groups}-{start}", **fields)
        )
    return rows


class TestSplit:
    def test_groups_stay_together(self) -> None:
        made = frozen(questions(60, 12))
        parts = split(made, held_out=0.25, seed=3)
        by_part = [{made.by_id[name].group for name in names} for names in (parts.tuning, parts.held_out)]
        assert [len(groups) for groups in by_part] == [9, 3]
        assert not by_part[0] & by_part[1]
        assert sorted((*parts.tuning, *parts.held_out)) == sorted(made.by_id)
        assert leaks(made, parts) == ()
        assert split(made, held_out=0.25, seed=3) == parts

    def test_the_same_rule_on_both_sides_leaks(self) -> None:
        made = frozen(
            [row("A", 1.0, group="g", query="desk?"), row("B", 1.0, group="g", query="who pays the fee?")]
        )
        found = leaks(made, QuestionSplit(sha256="0" * 64, seed=0, tuning=("A",), held_out=("B",)))
        assert [(one.kind, one.tuning, one.held_out) for one in found] == [("same_group", "A", "B")]

    def test_almost_the_same_words_leak_and_are_kept_together(self) -> None:
        rows = [
            row("A", 1.0, group="a", query="Where do I return the projector on a weekend?"),
            row("B", 1.0, group="b", query="where do I return the projectors on a weekend"),
            row("C", 1.0, group="c", query="Who pays the customs fee?"),
        ]
        made = frozen(rows)
        found = leaks(made, QuestionSplit(sha256="0" * 64, seed=0, tuning=("B", "C"), held_out=("A",)))
        assert [(one.kind, one.tuning, one.held_out) for one in found] == [("near_duplicate", "B", "A")]
        for seed in range(6):
            parts = split(made, held_out=0.5, seed=seed)
            assert parts.joined == (("A", "B"),)
            assert leaks(made, parts) == ()

    def test_a_leaking_split_gives_no_part(self) -> None:
        made = frozen([row("A", 1.0, group="g"), row("B", 1.0, group="g")])
        with pytest.raises(GateError, match=r"A and B \(same_group\)"):
            take_part(made, QuestionSplit(sha256="0" * 64, seed=0, tuning=("A",), held_out=("B",)), "tuning")

    def test_refused_by_row(self) -> None:
        with pytest.raises(GateError, match="rows 1, 3: no group"):
            split(frozen([row("A", 1.0), row("B", 1.0, group="b"), row("C", 1.0)]))
        with pytest.raises(GateError, match="one group"):
            split(frozen([row("A", 1.0, group="g"), row("B", 1.0, group="g")]))

    def test_groups_that_are_joined_by_their_words_are_named(self) -> None:
        made = frozen(
            [
                row(f"Q{at}", 1.0, group=f"g{at % 2}", query=f"What is the fee for item number {at}?")
                for at in range(4)
            ]
        )
        with pytest.raises(GateError, match="written almost alike, which joins their groups") as caught:
            split(made)
        assert caught.value.problems == ("rows 1, 2, 3, 4: groups g0, g1",)
        assert "--alike" in caught.value.remedy
        parts = split(made, alike=100, held_out=0.5)
        assert (parts.joined, parts.alike) == ((), 100)
        assert leaks(made, parts) == ()  # by the same measure
        assert take_part(made, parts, "tuning").part == "tuning"
        with pytest.raises(GateError, match="between 0 and 100"):
            split(made, alike=0)

    def test_the_similarity_that_joins(self) -> None:
        # 20 letters each, 2 of them exchanged: 18 of 20 are alike, exactly 90 of 100; with 3 exchanged, 85.
        for text, joined in (("abcdefghijklmnopqrxy", True), ("abcdefghijklmnopqxyz", False)):
            rows = [
                row("A", 1.0, group="a", query="abcdefghijklmnopqrst"),
                row("B", 1.0, group="b", query=text),
                row("C", 1.0, group="c", query="0123456789"),
            ]
            assert bool(split(frozen(rows), held_out=0.5).joined) is joined

    @pytest.mark.parametrize("given", [{"held_out": 0.9999}, {"seed": -1}, {"seed": 2**32}])
    def test_numbers_that_split_nothing(self, given: Any) -> None:
        with pytest.raises(GateError):
            split(frozen(questions(20, 10)), **given)

    def test_pairs_are_found_however_far_apart(self) -> None:
        rows = [row(f"Q{at}", 1.0, group=f"g{at}", query=f"{at * 7919:b} {at}") for at in range(600)]
        rows[3]["query"], rows[599]["query"] = "Where is the desk?", "where is the desk"
        made = frozen(rows)
        found = [(one.id, other.id) for one, other in near_duplicates(made.rows, 97)]
        assert found == [("Q3", "Q599")]

    def test_the_same_words_are_always_joined(self) -> None:
        rows = [row(f"Q{at}", 1.0, group=f"g{at}", query=text) for at, text in enumerate(["desk?", "Desk?"])]
        with pytest.raises(GateError, match="written almost alike"):
            split(frozen(rows), alike=100)

    def test_a_look_must_be_counted_and_the_second_makes_tuning_data(self) -> None:
        made = frozen(questions(20, 10))
        parts = split(made)
        with pytest.raises(GateError, match="must be counted"):
            take_part(made, parts, "held_out")
        once = parts.used("final check")
        assert take_part(made, once, "held_out").held_out_uses == 1
        twice = once.used("another threshold", "2026-10-01")
        assert [use.purpose for use in twice.uses] == ["final check", "another threshold"]
        assert take_part(made, twice, "held_out").held_out_uses == 2

    def test_a_split_of_other_results_is_refused(self) -> None:
        made = frozen(questions(20, 10))
        with pytest.raises(GateError, match="other results"):
            take_part(made.model_copy(update={"sha256": "1" * 64}), split(made), "tuning")


class TestCalibration:
    def test_a_raw_score_is_never_a_probability(self) -> None:
        made = frozen(questions(40, 20))
        assert (
            describe_score(made.operating, 0.8) == "cosine similarity 0.8 (higher is better); not calibrated"
        )
        fitted = calibrate(made, "evidence_present")
        with pytest.raises(GateError, match="not been checked on independent data"):
            describe_score(made.operating, 0.8, fitted)

    def test_checked_on_independent_data(self) -> None:
        fitted = calibrate(frozen(questions(400, 200)), "evidence_present")
        checked = check_calibration(fitted, frozen(questions(300, 150, start=1000)))
        assert checked.check is not None
        assert sum(one.observed.denominator for one in checked.check.bins) == 300
        # Normal scores of equal spread (0.12) around 0.7 and 0.4: the truth is a logistic curve through 1/2 at 0.55
        # with the slope 0.3 / 0.12 ** 2, so 0.958 at 0.70.
        assert checked.probability(0.55) == pytest.approx(0.5, abs=0.1)
        assert checked.probability(0.70) == pytest.approx(0.96, abs=0.04)
        assert checked.check.brier < checked.check.brier_of_base_rate == pytest.approx(0.25)
        assert "probability of 'evidence present': 0.5" in describe_score(
            frozen(questions(2, 2)).operating, 0.55, checked
        )

    def test_a_distance_is_turned_round(self) -> None:
        def far(rows: list[dict[str, Any]]) -> Frozen:
            for one in rows:
                one["candidates"][0]["score"] = 1 - one["candidates"][0]["score"]
            return frozen(rows, operating={**OPERATING, "direction": "lower_is_better"})

        checked = check_calibration(
            calibrate(far(questions(200, 100)), "evidence_present"), far(questions(100, 50, start=1000))
        )
        assert checked.probability(0.2) > 0.9 > 0.1 > checked.probability(0.7)

    def test_designed_questions_are_refused(self) -> None:
        designed = {"name": "n", "period": "p", "origin": "designed"}
        with pytest.raises(GateError, match="designed"):
            calibrate(frozen(questions(40, 20), questions=designed), "evidence_present")

    @pytest.mark.parametrize("given", [{"target": "foo"}, {"target": "answer_correct", "method": "linear"}])
    def test_unknown_names_are_refused(self, given: Any) -> None:
        with pytest.raises(
            GateError, match=r"take one of (evidence_present, answer_correct|sigmoid, isotonic)"
        ):
            calibrate(frozen(questions(40, 20)), **given)

    def test_one_outcome_is_not_enough(self) -> None:
        with pytest.raises(GateError, match="20 of 20 questions have the outcome"):
            calibrate(frozen(questions(40, 20)[::2]), "evidence_present")

    def test_worse_than_the_base_rate_is_not_calibrated(self) -> None:
        fitted = calibrate(frozen(questions(100, 50)), "evidence_present")
        turned = questions(100, 50, start=1000)
        for one in turned:  # independent questions of which the opposite is so
            one["evidence"] = "absent" if one["evidence"] == "present" else "present"
        checked = check_calibration(fitted, frozen(turned))
        with pytest.raises(GateError, match="no better than the base rate"):
            checked.probability(0.7)
        said = describe_score(frozen(questions(2, 2)).operating, 0.7, checked)
        assert "not calibrated: on independent data" in said
        assert "probability" not in said

    def test_a_check_takes_both_outcomes_and_real_questions(self) -> None:
        fitted = calibrate(frozen(questions(40, 20)), "evidence_present")
        with pytest.raises(GateError, match="1 of 1 questions have the outcome"):
            check_calibration(fitted, frozen(questions(1, 1, start=1000)))
        designed = {"name": "n", "period": "p", "origin": "designed"}
        with pytest.raises(GateError, match="designed"):
            check_calibration(fitted, frozen(questions(40, 20, start=1000), questions=designed))

    def test_another_question_of_a_group_is_not_independent(self) -> None:
        fitted = calibrate(frozen(questions(40, 20)), "evidence_present")
        other = questions(20, 10, start=1000)
        other[3]["group"] = "g0-0"  # that of Q0
        with pytest.raises(GateError) as caught:
            check_calibration(fitted, frozen(other))
        assert caught.value.problems == ("row 4 (Q1003): the question, or its group, was fitted on",)

    def test_the_same_questions_are_not_independent(self) -> None:
        rows = questions(40, 20)
        fitted = calibrate(frozen(rows), "evidence_present")
        reworded = {**rows[0], "id": "NEW", "group": "new", "query": f"{rows[0]['query']}!"}
        other = questions(2, 2, start=1000)
        with pytest.raises(GateError) as caught:
            check_calibration(fitted, frozen([rows[3], *other, reworded]))
        assert [problem.split(":")[0] for problem in caught.value.problems] == ["row 1 (Q3)", "row 4 (NEW)"]

    def test_other_scores_are_refused(self) -> None:
        fitted = calibrate(frozen(questions(40, 20)), "evidence_present")
        other = frozen(questions(40, 20, start=1000), operating={**OPERATING, "index_version": "i2"})
        with pytest.raises(GateError, match="other scores"):
            check_calibration(fitted, other)


class TestGuarantee:
    """Without an error among n questions, the exact test of "at most 10 %" has the p-value 0.9 ** n."""

    @pytest.fixture(autouse=True)
    def _needs_mapie(self) -> None:
        pytest.importorskip("mapie", reason="the extra evaluate is not installed")

    def rows(self, absent: int, passing: int = 0) -> list[dict[str, Any]]:
        scores = [0.9] * passing + [0.1] * (absent - passing)
        rows = [row(f"A{at}", score, "absent") for at, score in enumerate(scores)]
        return [*rows, row("P1", 0.9), row("P2", 0.6)]

    @pytest.mark.parametrize(("absent", "thresholds", "chosen"), [(21, [0.5], None), (22, [0.5], 0.5)])
    def test_how_many_it_takes(self, absent: int, thresholds: list[float], chosen: float | None) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        # 0.9 ** 21 = 0.109 and 0.9 ** 22 = 0.098: with 90 % confidence, 22 are enough and 21 are not.
        got = guaranteed_threshold(frozen(self.rows(absent)), thresholds, max_false_pass=0.1)
        assert got.chosen == chosen
        assert got.questions_without_evidence == absent
        assert ("No threshold" in got.statement) is (chosen is None)

    def test_each_threshold_tried_costs_certainty(self) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        # Of two, the first must reach 0.05: 0.9 ** 28 = 0.052, 0.9 ** 29 = 0.047.
        valid = [
            guaranteed_threshold(frozen(self.rows(n)), [0.5, 0.7], max_false_pass=0.1).valid for n in (28, 29)
        ]
        assert valid == [(), (0.5, 0.7)]

    def test_the_least_strict_valid_threshold_is_chosen(self) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        got = guaranteed_threshold(frozen(self.rows(60)), [0.0, 0.5, 0.7], max_false_pass=0.1)
        assert got.valid == (0.5, 0.7)
        assert got.chosen == 0.5  # at 0.7 P2 would be held
        assert "0 of 60" in got.statement

    def test_fewest_held_outweighs_fewest_passed(self) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        # At 0.5, P1, P2 and 1 of 100 without evidence pass; at 0.7, P1 alone: purer, but P2 is held.
        rows = [*self.rows(99), row("A99", 0.6, "absent")]
        got = guaranteed_threshold(frozen(rows), [0.5, 0.7], max_false_pass=0.1)
        assert (got.valid, got.chosen) == ((0.5, 0.7), 0.5)
        assert got.false_pass is not None
        assert (got.false_pass.numerator, got.false_pass.denominator) == (1, 100)

    def test_too_many_pass(self) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        assert (
            guaranteed_threshold(frozen(self.rows(60, passing=10)), [0.5], max_false_pass=0.1).chosen is None
        )

    def test_what_is_lacking_is_said(self) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        few = guaranteed_threshold(frozen(self.rows(21)), [0.5], max_false_pass=0.1).statement
        assert "21 such questions are too few: without a single false pass 22 would be needed" in few
        passing = guaranteed_threshold(frozen(self.rows(60, passing=10)), [0.5], max_false_pass=0.1)
        assert "too many of the 60 such questions pass" in passing.statement
        good = guaranteed_threshold(frozen(self.rows(60)), [0.5], max_false_pass=0.1).statement
        assert "90.0 % confidence (one-sided): 0 of 60 did" in good

    def test_copies_of_a_question_are_no_draws(self) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        rows = self.rows(22)
        for one in rows[1:22]:
            one["query"] = "May I lend it?" if one is not rows[3] else "  May I  lend it ? "
        with pytest.raises(GateError, match="by copies of a question") as caught:
            guaranteed_threshold(frozen(rows), [0.5], max_false_pass=0.1)
        assert caught.value.problems == (f"rows {', '.join(map(str, range(2, 23)))}: the same question",)

    def test_both_labels_are_needed(self) -> None:
        from docaudit.abstention.calibration import guaranteed_threshold

        with pytest.raises(GateError, match="with and questions without"):
            guaranteed_threshold(frozen([row("A", 0.9)]), [0.5], max_false_pass=0.1)


class TestAdoption:
    def bundle(self, threshold: float = 0.55, **given: Any) -> AdoptionBundle:
        made = frozen(questions(200, 100))
        parts = split(made, held_out=0.5).used("adoption")
        agreed = {"accepted_false_pass": 0.3, "accepted_over_hold": 0.3, **given}
        return adopt(take_part(made, parts, "held_out"), threshold, FOLLOW_UP, **agreed)

    def test_all_of_it_is_kept(self) -> None:
        kept = self.bundle()
        assert kept.ties == "a value equal to the threshold is passed"
        assert "none is a score of 0" in kept.missing
        assert sum(kept.labels.values()) == kept.counts.passed.denominator
        assert AdoptionBundle.model_validate_json(kept.model_dump_json()).threshold == 0.55

    def test_more_than_was_agreed_to(self) -> None:
        with pytest.raises(GateError, match=r"false_pass: \d+ of \d+ .*agreed to: 0.0 %"):
            self.bundle(accepted_false_pass=0.0)

    def test_only_on_a_held_out_part_at_its_first_use(self) -> None:
        made = frozen(questions(20, 10))
        agreed = {"accepted_false_pass": 1.0, "accepted_over_hold": 1.0}
        with pytest.raises(GateError, match="part 'all'"):
            adopt(made, 0.5, FOLLOW_UP, **agreed)
        parts = split(made).used("one").used("two")
        with pytest.raises(GateError, match="use 2"):
            adopt(take_part(made, parts, "held_out"), 0.5, FOLLOW_UP, **agreed)

    def test_diff(self) -> None:
        old = self.bundle()
        assert diff_bundles(old, old) == ()
        new = old.model_copy(
            update={
                "operating": old.operating.model_copy(update={"index_version": "i2"}),
                "follow_up": FOLLOW_UP.model_copy(update={"within": "one hour"}),
                "threshold": 0.6,
            }
        )
        assert [(one.field, one.old, one.new, one.effect) for one in diff_bundles(old, new)] == [
            ("follow_up.within", "one working day", "one hour", "record_only"),
            ("operating.index_version", "i1", "i2", "evaluate_again"),
            ("threshold", 0.55, 0.6, "evaluate_again"),
        ]


class TestMessage:
    @pytest.mark.parametrize("language", ["en", "ja"])
    @pytest.mark.parametrize("reason", [reason for reason in Reason if reason is not Reason.PASS])
    def test_every_message_names_what_and_what_next(self, reason: Reason, language: Any) -> None:
        step = "Ask the lending desk." if language == "en" else "総務の窓口に確認してください。"
        text = hold_message(reason, ["返却期限", "返却窓口"], step, language=language)
        assert "返却期限" in text
        assert "返却窓口" in text
        assert text.endswith(step)
        check_message(text)

    def test_an_outage_is_no_absence(self) -> None:
        outage = hold_message(Reason.RETRIEVAL_FAILED, ["the desk"], "Try again in an hour.")
        assert "could not be carried out" in outage
        assert "in the material" not in outage
        for reason in (Reason.BELOW_THRESHOLD, Reason.NO_CANDIDATES, Reason.MISSING_SCORE):
            assert "could not confirm the desk" in hold_message(reason, ["the desk"], "Ask.")

    def test_a_part_that_is_confirmed(self) -> None:
        text = hold_message(
            Reason.BELOW_THRESHOLD,
            ["窓口"],
            "担当に確認してください。",
            confirmed=["期限（規程3条）"],
            language="ja",
        )
        assert text == "確認できた事項：期限（規程3条）。未確認の事項：窓口。担当に確認してください。"

    @pytest.mark.parametrize(
        "said",
        [
            "No such rule exists.",
            "The rule does not exist.",
            "There is no rule.",
            "A return is not required.",
            "There's no need to return it.",
            "The score was 0.2.",
            "You are not authorized to see it.",
            "そのような規程は存在しません。",
            "該当する資料はありません。",
            "返却不要です。",
            "返却する必要はありません。",
            "検索スコアが閾値未満でした。",
            "権限外の資料です。",
            "No rule covers this.",
            "There isn't any such rule.",
            "The rule does not seem to exist.",
            "You don't need to do this.",
            "You may do so without approval.",
            "similarity 0.42 was too low",
            "規程には書かれていません。",
            "規定はないです。",
            "届出は不要。",
            "The ｓｃｏｒｅ was low.",
            "It does not\nexist.",
        ],
    )
    def test_what_must_not_be_said(self, said: str) -> None:
        with pytest.raises(GateError, match="must not say"):
            hold_message(Reason.NO_CANDIDATES, ["the desk"], said)

    def test_nothing_leaks_of_what_is_restricted(self) -> None:
        with pytest.raises(GateError) as caught:
            hold_message(Reason.NO_CANDIDATES, ["fee"], "See the Falcon Memo.", restricted=["falcon memo"])
        assert "falcon" not in str(caught.value).lower()

    @pytest.mark.parametrize("shown", ["Ｆａｌｃｏｎ Memo", "falcon  memo", "falcon\nmemo"])
    def test_no_form_of_a_restricted_name_gets_through(self, shown: str) -> None:
        with pytest.raises(GateError, match="may not learn of"):
            hold_message(Reason.NO_CANDIDATES, ["fee"], f"See {shown}.", restricted=["Falcon Memo"])

    def test_nothing_to_say_is_refused(self) -> None:
        for unconfirmed, step in (([], "Ask."), (["  "], "Ask."), (["fee"], " ")):
            with pytest.raises(GateError, match="names what"):
                hold_message(Reason.NO_CANDIDATES, unconfirmed, step)
        with pytest.raises(GateError, match="passed"):
            hold_message(Reason.PASS, ["fee"], "Ask.")

    def test_every_forbidden_pattern_has_its_example_above(self) -> None:
        assert len(FORBIDDEN) == 11
