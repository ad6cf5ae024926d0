"""Eligibility, evidence down to cell and condition, routing to layers, agreement of judges, lint, checklists, tests."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from docaudit.abstention.ledger.checklists import BY_PEOPLE
from docaudit.abstention.ledger.evaluate import diff_ledgers
from docaudit.abstention.ledger.outcome import lacking
from docaudit.abstention.ledger.read import Ineligible, ineligible
from docaudit.abstention.ledger.results import CheckState, RunResult, Symptom, route
from docaudit.abstention.ledger.rows import EvidencePlace, Gold, Identity, Layer, LedgerDocument, Metric
from docaudit.abstention.ledger.twenty_tests import BLOCKS, TESTS
from tests.ledgers import Rows, builder, counts
from tests.test_ledger import perfect

DAY = date(2026, 9, 2)
STAFF = Identity(identity_id="i", tenant="a", roles=("staff",))


def document(**changes: Any) -> LedgerDocument:
    row = {
        "document_id": "D",
        "tenant": "a",
        "roles": ("staff", "board"),
        "status": "current",
        "owner": "kim",
        "effective_from": date(2026, 1, 1),
        "passages": ("p1",),
    }
    return LedgerDocument.model_validate({**row, **changes})


class TestEligibility:
    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"tenant": "b"}, Ineligible.OTHER_TENANT),
            ({"roles": ("board",)}, Ineligible.ROLE),
            ({"status": "retired"}, Ineligible.RETIRED),
            ({"effective_from": date(2026, 9, 3)}, Ineligible.NOT_YET),
            ({"effective_to": date(2026, 9, 1)}, Ineligible.EXPIRED),
            ({"owner": None}, Ineligible.NO_OWNER),
            ({"review_due": date(2026, 9, 1)}, Ineligible.REVIEW_OVERDUE),
        ],
    )
    def test_each_reason(self, changes: dict[str, Any], reason: Ineligible) -> None:
        assert ineligible(document(**changes), STAFF, DAY) == (reason,)

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"effective_from": DAY},
            {"effective_to": DAY},
            {"review_due": DAY},
            # Published later than the question: only the days on which it applies decide (test 11).
            {"published": date(2026, 9, 30)},
        ],
    )
    def test_eligible_on_the_very_day(self, changes: dict[str, Any]) -> None:
        assert ineligible(document(**changes), STAFF, DAY) == ()

    def test_every_reason_at_once_and_an_unknown_document(self) -> None:
        found = ineligible(document(tenant="b", roles=("board",), owner=None), STAFF, DAY)
        assert found == (Ineligible.OTHER_TENANT, Ineligible.ROLE, Ineligible.NO_OWNER)
        assert ineligible(None, STAFF, DAY) == (Ineligible.NOT_IN_MANIFEST,)


class TestEvidence:
    GOLD = Gold(document="D", passage="p1", cell="row 2, 2026", conditions=("p9",))

    @pytest.mark.parametrize(
        ("places", "lost"),
        [
            ([("D", "p1", ("row 2, 2026",)), ("D", "p9", ())], ""),
            ([("D", "p9", ())], "D p1"),
            ([("E", "p1", ("row 2, 2026",)), ("D", "p9", ())], "D p1"),
            ([("D", "p1", ()), ("D", "p9", ())], "D p1, cell row 2, 2026"),
            ([("D", "p1", ("row 3, 2026",)), ("D", "p9", ())], "D p1, cell row 2, 2026"),
            ([("D", "p1", ("row 2, 2026",))], "D p1, condition p9"),
            ([("D", "p1", ("row 2, 2026",)), ("E", "p9", ())], "D p1, condition p9"),
        ],
    )
    def test_passage_cell_and_condition(
        self, places: list[tuple[str, str, tuple[str, ...]]], lost: str
    ) -> None:
        given = [EvidencePlace(document=d, passage=p, cells=cells) for d, p, cells in places]
        assert lacking(self.GOLD, given) == lost

    def test_forbidden_contact_is_counted_apart(self) -> None:
        rows = perfect()
        before = rows.evaluation()
        # A permitted document, but a passage of it that the case forbids (poisoned, say).
        rows.case("Q001")["forbidden"] = [{"document": "D15", "passage": "p1"}]
        rows.run("Q001")["context"].append({"document": "D15", "passage": "p1"})
        after = rows.evaluation()
        result = next(run for run in after.runs if run.run_id == "Q001")
        assert result.forbidden == {"candidates": 0, "context": 1, "citations": 0}
        touched = (
            counts(before)["no_forbidden_evidence_touched"],
            counts(after)["no_forbidden_evidence_touched"],
        )
        assert touched == ((12, 12), (12, 13))


class TestRouting:
    """The decision table: what was seen, and the layer in which it is repaired first."""

    @staticmethod
    def result(rows: Rows, name: str) -> RunResult:
        return next(run for run in rows.evaluation().runs if run.run_id == name)

    def test_nothing_failed(self) -> None:
        assert self.result(perfect(), "Q001").repair_first is None

    def test_not_in_the_index_is_ingestion(self) -> None:
        rows = perfect()
        rows.documents[0]["not_indexed"] = ["p2"]  # required by Q001
        for run in rows.runs:
            for field in ("candidates", "context"):
                run[field] = [one for one in run[field] if (one["document"], one["passage"]) != ("D01", "p2")]
        found = self.result(rows, "Q001")
        assert (found.symptoms[0], found.repair_first) == (Symptom.NOT_INDEXED, Layer.PARSING)

    def test_in_the_index_and_no_candidate_is_retrieval(self) -> None:
        rows = perfect()
        run = rows.run("Q001")
        run["candidates"], run["context"] = run["candidates"][1:], run["context"][1:]
        assert self.result(rows, "Q001").repair_first is Layer.RETRIEVAL

    def test_candidate_and_not_in_the_context_is_assembly(self) -> None:
        rows = perfect()
        rows.run("Q001")["context"].pop()
        assert self.result(rows, "Q001").repair_first is Layer.CONTEXT

    def test_a_lost_condition_is_assembly(self) -> None:
        rows = perfect()
        rows.run("Q007")["context"].pop()  # the exception beside the rule
        found = self.result(rows, "Q007")
        assert found.repair_first is Layer.CONTEXT
        assert any("condition p3" in one.reason for one in found.failures)

    def test_a_cell_that_came_without_its_table_is_parsing(self) -> None:
        rows = perfect()
        rows.run("Q006")["candidates"][0]["cells"] = []
        rows.run("Q006")["context"][0]["cells"] = []
        assert self.result(rows, "Q006").repair_first is Layer.PARSING

    def test_sufficient_context_and_a_bad_claim_is_generation(self) -> None:
        rows = perfect()
        rows.claim("Q001", "c2")["support"] = "contradicted"
        found = self.result(rows, "Q001")
        assert found.symptoms == (Symptom.CLAIM,)
        assert found.repair_first is Layer.GENERATION

    def test_an_answer_held_back_is_generation(self) -> None:
        rows = perfect()
        rows.run("Q001")["behaviour"] = "abstain"
        assert self.result(rows, "Q001").repair_first is Layer.GENERATION

    def test_a_broken_link_alone_is_display(self) -> None:
        rows = perfect()
        rows.run("Q001")["citations"][0]["resolved"] = False
        assert self.result(rows, "Q001").repair_first is Layer.CITATION

    def test_a_retired_candidate_is_eligibility_before_ranking(self) -> None:
        rows = perfect()
        rows.run("Q001")["candidates"] = [{"document": "D22", "passage": "p1"}]
        assert self.result(rows, "Q001").repair_first is Layer.CORPUS

    def test_restricted_material_stops_everything_else(self) -> None:
        rows = perfect()
        run = rows.run("Q001")
        run["candidates"] = run["context"] = [{"document": "D34", "passage": "p1"}]
        found = self.result(rows, "Q001")
        assert found.repair_first is Layer.SECURITY
        assert "stop" in found.symptoms[0].remedy

    def test_an_invention_that_no_review_has_is_generation(self) -> None:
        rows = perfect()
        rows.run("Q001")["violations"] = [
            {"kind": "severe_invention", "channel": "answer", "what": "a deadline that stands nowhere"}
        ]
        found = self.result(rows, "Q001")
        assert (found.symptoms, found.repair_first) == ((Symptom.CLAIM,), Layer.GENERATION)

    def test_order_and_reach(self) -> None:
        assert route(list(reversed(Symptom))) == tuple(Symptom)
        assert {symptom.layer for symptom in Symptom} == set(Layer)
        assert len(Layer) == 7


class TestJudges:
    def test_deterministic_checks_come_before_the_judge(self) -> None:
        rows = perfect()
        rows.claim("Q001", "c1")["evidence"] = [
            {"document": "D09", "passage": "p1"}
        ]  # never sent to the model
        evaluation = rows.evaluation()
        claim = next(c for c in evaluation.claims if (c.run_id, c.claim_id) == ("Q001", "c1"))
        assert not claim.supported
        assert claim.reason == "judged as full, but the final context lacks D09 p1"
        assert counts(evaluation)["claim_support"] == (119, 120)

    def test_agreement_is_cohens_kappa(self) -> None:
        rows = Rows()
        both = [row for row in rows.claims if "model_support" in row]
        expected = cohen_kappa_score([r["support"] for r in both], [r["model_support"] for r in both])
        found = rows.evaluation().agreement
        assert found.kappa == pytest.approx(expected)
        assert (found.both, found.agreed) == (len(both), len(both) - 3)
        named = {f"{one.run_id} {one.claim_id}": one.model for one in found.disagreements}
        assert named == builder.MODEL_DIFFERS

    def test_kappa_by_hand(self) -> None:
        rows = perfect()
        for row in rows.claims:
            row.pop("model_support", None)
        labels = [("full", "full")] * 6 + [("none", "none")] * 2 + [("full", "none"), ("none", "full")]
        for row, (human, model) in zip(rows.claims[:10], labels, strict=True):
            row |= {"support": human, "model_support": model}
        # 8 of 10 agree; by chance 0.7 x 0.7 + 0.3 x 0.3 = 0.58; (0.8 - 0.58) / 0.42
        assert rows.evaluation().agreement.kappa == pytest.approx(0.22 / 0.42)

    def test_one_label_only_has_no_kappa(self) -> None:
        rows = perfect()
        for row in rows.claims:
            row["model_support"] = "full"
        found = rows.evaluation().agreement
        assert (found.both, found.agreed, found.kappa) == (120, 120, None)
        for row in rows.claims:
            del row["model_support"]
        found = rows.evaluation().agreement
        assert (found.both, found.agreed, found.kappa) == (0, 0, None)


class TestLint:
    @staticmethod
    def codes(rows: Rows) -> list[str]:
        return [finding.code for finding in rows.evaluation().lint]

    def test_the_sample_is_clean(self) -> None:
        assert self.codes(Rows()) == []

    def test_single_score(self) -> None:
        rows = Rows()
        rows.contract["thresholds"] = {"complete_pass": 0.85}
        assert self.codes(rows) == ["single_score"]

    def test_gold_after_output(self) -> None:
        rows = Rows()
        rows.case("Q003")["changed_because"] = "the answer looked plausible"
        (finding,) = rows.evaluation().lint
        assert finding.code == "gold_after_output"
        assert "Q003" in finding.message

    @pytest.mark.parametrize("number", [5, 6, 7, 8, 9, 10, 12, 13, 14])
    def test_no_negatives(self, number: int) -> None:
        rows = Rows()
        for case in rows.cases:
            case["tests"] = [one for one in case["tests"] if one != number]
        (finding,) = rows.evaluation().lint
        assert finding.code == "no_negatives"
        assert f"{number} ({TESTS[number - 1].name})" in finding.message

    def test_citation_count(self) -> None:
        rows = Rows()
        rows.claim("Q001", "c1")["evidence"] = []
        assert self.codes(rows) == ["citation_count"]
        assert counts(rows.evaluation())["claim_support"] == (109, 120)

    def test_a_threshold_that_asks_for_nothing(self) -> None:
        rows = perfect()
        rows.contract["thresholds"]["claim_support"] = 0.0
        rows.contract["thresholds"]["complete_pass"] = 0.001
        (finding,) = rows.evaluation().lint
        assert (finding.code, finding.message) == ("threshold_zero", "0 is enough for claim_support")

    def test_an_answer_of_which_nothing_is_judged(self) -> None:
        rows = perfect()
        rows.contract["manifest"]["claims_per_case"] = None
        case = rows.case("Q001")
        assert case["answerability"] == "ANSWERABLE"
        case["claims"] = []
        rows.claims = [one for one in rows.claims if one["run_id"] != "Q001"]
        (finding,) = rows.evaluation().lint
        assert (finding.code, finding.message) == ("no_claims", "ANSWERABLE without a claim: Q001")

    def test_tuning_weakens_control(self) -> None:
        before, after = Rows(), Rows()
        for run in after.runs:
            run["seconds"] /= 2
        assert diff_ledgers(before.evaluation(), after.evaluation()).lint == ()
        after.run("Q001")["context"].pop()
        (finding,) = diff_ledgers(before.evaluation(), after.evaluation()).lint
        assert finding.code == "tuning_weakens_control"
        assert finding.message == "p95 of seconds fell, and so did context_completeness"

    def test_model_judges_unchecked(self) -> None:
        rows = Rows()
        rows.claim("Q005", "c1") | {}
        row = rows.claim("Q005", "c1")  # critical
        row["judged_by"] = "model"
        row.pop("model_support", None)
        (finding,) = rows.evaluation().lint
        assert finding.code == "model_judge_unchecked"
        assert "Q005 c1" in finding.message


def test_checklist_recomputes_and_names_who_confirmed() -> None:
    items = {item.code: item for item in Rows().evaluation().checklist}
    assert items["vetoes_resolved"].state is CheckState.UNMET
    assert "complete_pass 47 of 60" in items["recomputed"].evidence
    assert items["no_real_customer_data"].state is CheckState.ATTESTED
    assert items["monitoring"].state is CheckState.OPEN
    rows = perfect()
    rows.contract["attested"] = dict.fromkeys(BY_PEOPLE, "kim")
    states = {item.state for item in rows.evaluation().checklist}
    assert states == {CheckState.MET, CheckState.ATTESTED}


def test_the_twenty_tests_are_complete_and_tried_once_in_each_language() -> None:
    assert [test.number for test in TESTS] == list(range(1, 21))
    assert [sum(test.block == block for test in TESTS) for block in BLOCKS] == [4] * 5
    assert all(test.fixture and test.passes and test.diagnosis and test.layers for test in TESTS)
    assert len({test.name for test in TESTS}) == 20
    assert (TESTS[7].name, TESTS[8].name) == ("answer absent", "partial evidence")
    for language in builder.LANGUAGES:
        tried = [case["tests"][0] for case in Rows().cases if case["language"] == language]
        assert sorted(tried) == list(range(1, 21))


def test_amounts_over_what_was_measured() -> None:
    rows = perfect()
    for number, run in enumerate(rows.runs, start=1):
        run |= {"seconds": float(number), "cost": None, "timed_out": False}
    rows.run("Q001")["cost"] = 0.04
    seconds, cost, _ = rows.evaluation().operations.spreads
    # Of 1 to 60: half way between 30 and 31; 95 % of the way from the 1st to the 60th.
    assert (seconds.p50, seconds.p95) == (30.5, pytest.approx(57.05))
    assert (seconds.within, seconds.measured) == (6, 60)
    assert (cost.p50, cost.measured, cost.not_measured, cost.within) == (0.04, 1, 59, 1)
    rows.run("Q001")["cost"] = None
    cost = rows.evaluation().operations.spreads[1]
    assert (cost.p50, cost.p95, cost.measured, cost.within) == (None, None, 0, 0)


def test_groups_add_up_to_the_whole() -> None:
    evaluation = Rows().evaluation()
    for by in ("language", "answerability", "group", "identity"):
        parts = [group for group in evaluation.groups if group.by == by]
        for place, whole in enumerate(evaluation.ratios):
            assert sum(group.ratios[place].numerator for group in parts) == whole.numerator
            assert sum(group.ratios[place].denominator for group in parts) == whole.denominator
    assert [metric.value for metric in Metric] == [one.name for one in evaluation.ratios]
