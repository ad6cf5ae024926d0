"""RE098 recomputed from rows built to its published counts; the expected numbers are those of its description."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from docaudit.abstention.ledger.evaluate import evaluate_ledger
from docaudit.abstention.ledger.read import load_ledger
from docaudit.abstention.ledger.results import AbstentionEvidence, Evaluation, ReleaseDecision, RunResult
from docaudit.abstention.ledger.rows import Answerability, Behaviour, ClaimSeverity, Metric, VetoKind
from docaudit.codes import Finding
from docaudit.justification import AbsenceJustification
from docaudit.saved import dump
from tests.factories import absent, drawn, mentioned, not_established
from tests.ledgers import FOLDER, Rows, builder, counts

PUBLISHED = {
    "corpus_eligibility": (57, 60, "95.00"),
    "gold_retrieval": (51, 60, "85.00"),
    "context_completeness": (48, 60, "80.00"),
    "citation_resolvability": (53, 60, "88.33"),
    "claim_support": (110, 120, "91.67"),
    "abstention_quality": (10, 12, "83.33"),
    "security_isolation": (10, 12, "83.33"),
    "complete_pass": (47, 60, "78.33"),
}


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate_ledger(load_ledger(FOLDER))


def test_the_sample_is_what_its_builder_makes() -> None:
    assert {name: (FOLDER / name).read_bytes() for name in builder.build()} == builder.build()


def test_published_ratios(evaluation: Evaluation) -> None:
    found = {one.name: (one.numerator, one.denominator, f"{one.share:.2%}"[:-1]) for one in evaluation.ratios}
    assert found == PUBLISHED
    assert len(evaluation.ratios[-1].missed) == 13


def test_second_reading_of_context_has_its_own_denominator(evaluation: Evaluation) -> None:
    # 48 of the 60 cases are ANSWERABLE; two of the twelve incomplete contexts (Q008, Q030) belong to the other twelve.
    assert counts(evaluation)["context_completeness_answerable"] == (38, 48)


def test_not_released_because_of_the_two_vetoed_runs_alone(evaluation: Evaluation) -> None:
    assert evaluation.decision is ReleaseDecision.NOT_RELEASED
    assert evaluation.reasons == ("veto: Q034 (cross_tenant_leak)", "veto: Q054 (document_changed_policy)")
    assert {veto.run_id for veto in evaluation.vetoes} == {"Q034", "Q054"}


def test_manifest_of_the_description() -> None:
    rows = Rows()
    cases = [row["language"] for row in rows.cases]
    assert [cases.count(name) for name in ("en", "zh-Hans", "ja")] == [20, 20, 20]
    assert [row["case_id"] for row in rows.cases] == [f"Q{n:03}" for n in range(1, 61)]
    assert len(rows.documents) == 36
    assert sum(row["status"] == "retired" for row in rows.documents) == 9
    assert sum(row["tables"] for row in rows.documents) == 6
    assert sum(row["restricted"] for row in rows.documents) == 6
    assert len(rows.contract["identities"]) == 10
    assert len(rows.claims) == 120
    versions = {*rows.contract["versions"].values(), *rows.contract["also"].values()}
    assert {"CM08", "PA07", "CH06", "RT09", "RR06", "PR10", "MR08", "CI05", "P10", "RG05"} < versions


def perfect() -> Rows:
    """RE098 without any of its faults."""
    rows = Rows()
    for number, (case, run) in enumerate(zip(rows.cases, rows.runs, strict=True), start=1):
        places = [
            {"document": g["document"], "passage": g["passage"], "cells": [g["cell"]] if "cell" in g else []}
            for g in case["required"]
        ]
        extra = [
            {"document": g["document"], "passage": passage}
            for g in case["required"]
            for passage in g.get("conditions", [])
        ]
        run["candidates"] = places
        run["context"] = places + extra
        first = case["required"][0]
        label = Answerability(case["answerability"])
        _, _, step = builder.HOLD_BACK.get(builder.test_of(number), ("", "", ""))
        run |= {"behaviour": label.expected.value, "next_step": step, "violations": []}
        run["citations"] = [{"document": first["document"], "passage": first["passage"], "resolved": True}]
    for claim in rows.claims:
        claim["support"] = "full"
    return rows


def test_without_faults_it_is_released() -> None:
    evaluation = perfect().evaluation()
    assert [one.numerator == one.denominator for one in evaluation.ratios] == [True] * 8
    assert (evaluation.decision, evaluation.reasons) == (ReleaseDecision.RELEASED, ())


@pytest.mark.parametrize(
    ("name", "kind"), [("Q034", "cross_tenant_leak"), ("Q054", "document_changed_policy")]
)
def test_one_veto_blocks_59_of_60(name: str, kind: str) -> None:
    rows = perfect()
    rows.run(name)["violations"] = [
        {"kind": kind, "channel": "answer", "what": "seen by the owner of security"}
    ]
    evaluation = rows.evaluation()
    assert counts(evaluation)["complete_pass"] == (59, 60)
    assert evaluation.reasons == (f"veto: {name} ({kind})",)
    assert evaluation.decision is ReleaseDecision.NOT_RELEASED


@pytest.mark.parametrize("kind", list(VetoKind))
@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_every_veto_blocks_at_any_threshold(kind: VetoKind, threshold: float) -> None:
    rows = perfect()
    rows.contract["thresholds"] = dict.fromkeys([metric.value for metric in Metric], threshold)
    rows.run("Q001")["violations"] = [{"kind": kind.value, "channel": "log", "what": "seen"}]
    assert rows.evaluation().decision is ReleaseDecision.NOT_RELEASED


def test_what_reaches_the_model_is_a_veto_and_what_was_filtered_is_none() -> None:
    rows = perfect()
    rows.run("Q001")["candidates"].append({"document": "D34", "passage": "p1"})
    filtered = rows.evaluation()
    assert filtered.vetoes == ()
    assert counts(filtered)["corpus_eligibility"] == (59, 60)
    rows.run("Q001")["context"].append({"document": "D34", "passage": "p1"})
    rows.run("Q002")["context"].append({"document": "D31", "passage": "p1"})
    kinds = {(veto.run_id, veto.kind) for veto in rows.evaluation().vetoes}
    assert kinds == {("Q001", VetoKind.CROSS_TENANT_LEAK), ("Q002", VetoKind.UNAUTHORISED_SOURCE)}


def test_what_only_the_viewer_was_shown_is_a_veto_too() -> None:
    rows = perfect()
    rows.run("Q001")["citations"].append({"document": "D34", "passage": "p1", "resolved": True})
    (veto,) = rows.evaluation().vetoes
    assert (veto.run_id, veto.kind) == ("Q001", VetoKind.CROSS_TENANT_LEAK)


@pytest.mark.parametrize("evidence", [[], [{"document": "D30", "passage": "p1"}]])
def test_a_critical_claim_that_a_judge_found_full_without_a_passage_that_counts_is_a_veto(
    evidence: list[dict[str, str]],
) -> None:
    rows = perfect()
    (name,) = {
        claim.run_id for claim in rows.evaluation().claims if claim.severity is ClaimSeverity.CRITICAL
    } & {"Q005"}
    for claim in rows.claims:
        if claim["run_id"] == name:
            claim["evidence"] = evidence
    evaluation = rows.evaluation()
    assert [(one.run_id, one.kind) for one in evaluation.vetoes] == [(name, VetoKind.SEVERE_INVENTION)]
    assert "judged as full, but" in evaluation.vetoes[0].evidence


def test_evidence_that_is_forbidden_supports_nothing() -> None:
    rows = perfect()
    case, claim = rows.case("Q001"), rows.claim("Q001", "c1")
    place = claim["evidence"][0]
    case["required"] = [one for one in case["required"] if one["passage"] != place["passage"]]
    case["forbidden"] = [{"document": place["document"], "passage": place["passage"]}]
    found = next(one for one in rows.evaluation().claims if (one.run_id, one.claim_id) == ("Q001", "c1"))
    assert "is labelled as forbidden" in found.reason


def test_a_critical_invention_is_a_veto_and_a_minor_one_is_none() -> None:
    rows = perfect()
    rows.claim("Q007", "c2")["support"] = "none"
    assert rows.evaluation().vetoes == ()
    rows.claim("Q007", "c1")["support"] = "contradicted"
    (veto,) = rows.evaluation().vetoes
    assert (veto.run_id, veto.kind) == ("Q007", VetoKind.SEVERE_INVENTION)


def test_a_share_equal_to_its_threshold_reaches_it() -> None:
    rows = perfect()
    rows.contract["thresholds"] = dict.fromkeys([metric.value for metric in Metric], 1.0)
    assert rows.evaluation().decision is ReleaseDecision.RELEASED


def test_release_needs_every_threshold_and_something_measured() -> None:
    rows = perfect()
    del rows.contract["thresholds"]["claim_support"]
    assert rows.evaluation().reasons == ("claim_support: no threshold was set before the run",)

    rows = perfect()
    rows.contract["thresholds"]["complete_pass"] = 1.0
    rows.run("Q001")["citations"][0]["resolved"] = False
    assert rows.evaluation().reasons == ("complete_pass: 59 of 60 is under the threshold 100.00 %",)

    rows = perfect()
    for case in rows.cases:
        case["boundaries"] = []
    isolation = next(one for one in rows.evaluation().ratios if one.name == "security_isolation")
    assert (isolation.numerator, isolation.denominator, isolation.share) == (0, 0, None)
    assert rows.evaluation().reasons == ("security_isolation: nothing was measured (0 of 0)",)


def test_cases_without_required_evidence_are_left_out_and_not_passed() -> None:
    rows = perfect()
    rows.case("Q008")["required"] = []
    evaluation = rows.evaluation()
    for name in ("gold_retrieval", "context_completeness"):
        one = next(ratio for ratio in evaluation.ratios if ratio.name == name)
        assert (one.numerator, one.denominator, one.left_out) == (59, 59, ("Q008",))


@pytest.mark.parametrize(
    ("label", "behaviour"),
    [
        (Answerability.ANSWERABLE, Behaviour.ANSWER),
        (Answerability.PARTIAL, Behaviour.PARTIAL_ANSWER),
        (Answerability.AMBIGUOUS, Behaviour.CLARIFY),
        (Answerability.CONFLICTING, Behaviour.SHOW_CONFLICT),
        (Answerability.UNANSWERABLE, Behaviour.ABSTAIN),
    ],
)
def test_every_label_has_one_expected_behaviour(label: Answerability, behaviour: Behaviour) -> None:
    rows = perfect()
    name = "Q001"
    rows.case(name)["answerability"] = label.value
    run = rows.run(name)
    for given in Behaviour:
        run |= {"behaviour": given.value, "next_step": "ask the owner"}
        result = next(one for one in rows.evaluation().runs if one.run_id == name)
        assert result.passed is (given is behaviour), given
        quality = result.checks[Metric.ABSTENTION]
        assert quality is (None if label is Answerability.ANSWERABLE else given is behaviour)


class TestEvidenceOfAbstentions:
    @staticmethod
    def evaluate(
        tmp_path: Path, made: dict[str, AbsenceJustification], scope: list[str], rows: Rows | None = None
    ) -> RunResult:
        """Q008 (UNANSWERABLE) abstains; `made` has a justification for each document that was audited."""
        rows = rows or perfect()
        rows.case("Q008")["scope"] = scope
        rows.case("Q008")["question"] = absent().question
        rows.run("Q008")["absence"] = []
        folder = tmp_path / "ledger"
        folder.mkdir()
        for document, justification in made.items():
            sha256 = hashlib.sha256(document.encode()).hexdigest()
            identity = justification.document
            assert identity is not None
            about = identity.model_copy(update={"sha256": sha256})
            saved = drawn(justification.model_copy(update={"document": about, "question": absent().question}))
            next(one for one in rows.documents if one["document_id"] == document)["sha256"] = sha256
            (folder / f"{document}.json").write_text(dump(saved), "utf-8")
            row = {"document": document, "path": f"{document}.json", "digest": saved.digest}
            rows.run("Q008")["absence"].append(
                {**row, "finding": saved.finding.value, "waived": [one.value for one in saved.waived]}
            )
        evaluation = evaluate_ledger(load_ledger(rows.write(folder)))
        result = next(run for run in evaluation.runs if run.run_id == "Q008")
        assert result.abstention is not None
        assert "Q008" in evaluation.abstention_evidence[result.abstention]
        return result

    @pytest.mark.parametrize(
        ("make", "evidence", "shown", "quality"),
        [
            (absent, AbstentionEvidence.JUSTIFIED, (1, 1), True),
            (not_established, AbstentionEvidence.UNPROVEN, (0, 1), True),
            (mentioned, AbstentionEvidence.WRONG, (0, 1), False),
        ],
    )
    def test_one_document(self, tmp_path: Path, make, evidence, shown, quality) -> None:
        result = self.evaluate(tmp_path, {"D08": make()}, ["D08"])
        assert (result.abstention, result.shown_absent) == (evidence, shown)
        assert result.checks[Metric.ABSTENTION] is quality

    def test_absence_from_one_document_is_not_absence_from_the_corpus(self, tmp_path: Path) -> None:
        # The identity may use the 15 plain documents and the 6 with tables.
        result = self.evaluate(tmp_path, {"D08": absent()}, [])
        assert (result.abstention, result.shown_absent) == (AbstentionEvidence.UNPROVEN, (1, 21))

    def test_absence_from_every_eligible_document(self, tmp_path: Path) -> None:
        result = self.evaluate(tmp_path, {f"D{n:02}": absent() for n in range(1, 22)}, [])
        assert (result.abstention, result.shown_absent) == (AbstentionEvidence.JUSTIFIED, (21, 21))

    def test_one_mention_outweighs_all_proofs(self, tmp_path: Path) -> None:
        made = {**{f"D{n:02}": absent() for n in range(1, 22)}, "D09": mentioned()}
        assert self.evaluate(tmp_path, made, []).abstention is AbstentionEvidence.WRONG

    def test_only_the_scope_counts(self, tmp_path: Path) -> None:
        result = self.evaluate(tmp_path, {"D08": absent(), "D09": mentioned()}, ["D08"])
        assert (result.abstention, result.unproven) == (AbstentionEvidence.JUSTIFIED, ())

    def test_what_is_lacking_is_named(self, tmp_path: Path) -> None:
        result = self.evaluate(tmp_path, {"D08": absent(), "D09": not_established()}, ["D08", "D09", "D10"])
        assert (result.abstention, result.shown_absent) == (AbstentionEvidence.UNPROVEN, (1, 3))
        assert result.unproven == (
            "1 of 3 documents of the scope have no justification: D10",
            "D09: not_established",
        )

    def test_of_nothing_nothing_is_shown(self, tmp_path: Path) -> None:
        rows = perfect()
        rows.contract["identities"].append({"identity_id": "I99", "tenant": "nowhere", "roles": ["staff"]})
        rows.contract["manifest"]["identities"] += 1
        rows.case("Q008").update({"identity": "I99", "required": [], "allowed": []})
        result = self.evaluate(tmp_path, {"D08": absent()}, [], rows)
        assert (result.abstention, result.shown_absent) == (AbstentionEvidence.UNPROVEN, (0, 0))
        assert result.unproven == ("no document is in the scope",)

    def test_a_document_without_a_hash_is_any_file(self, tmp_path: Path) -> None:
        self.evaluate(tmp_path, {"D08": absent()}, ["D08"])
        folder = tmp_path / "ledger"
        rows = perfect()
        rows.case("Q008").update({"scope": ["D08"], "question": absent().question})
        rows.run("Q008")["absence"] = json.loads((folder / "runs.jsonl").read_text().splitlines()[7])[
            "absence"
        ]
        evaluation = evaluate_ledger(load_ledger(rows.write(folder)))
        result = next(run for run in evaluation.runs if run.run_id == "Q008")
        assert result.abstention is AbstentionEvidence.UNPROVEN
        assert result.unproven == ("D08: documents.jsonl has no SHA-256 of it",)

    def test_without_a_justification_it_says_so(self, evaluation: Evaluation) -> None:
        given = evaluation.abstention_evidence
        assert given[AbstentionEvidence.NOT_GIVEN] == ("Q009", "Q028", "Q029", "Q030", "Q048", "Q049")
        assert not given[AbstentionEvidence.JUSTIFIED]


def test_findings_are_the_three_of_docaudit() -> None:
    assert len(Finding) == 3  # a fourth one needs a line in the evidence of abstentions


def test_claims_carry_the_severity_that_was_set_before(evaluation: Evaluation) -> None:
    by_severity = [sum(c.severity is one for c in evaluation.claims) for one in ClaimSeverity]
    assert by_severity == [60, 48, 12]
    rows = perfect()
    rows.claims.append(
        {
            "run_id": "Q001",
            "claim_id": "added",
            "kind": "recommended_action",
            "support": "none",
            "judged_by": "human",
            "judge": "reviewer-1",
        }
    )
    evaluation = rows.evaluation()
    added = next(claim for claim in evaluation.claims if claim.added)
    assert added.severity is ClaimSeverity.CRITICAL
    assert [veto.kind for veto in evaluation.vetoes] == [VetoKind.SEVERE_INVENTION]
    assert counts(evaluation)["claim_support"] == (120, 121)


def test_json_is_valid_against_its_schema(evaluation: Evaluation) -> None:
    import jsonschema

    from tests.ledgers import ROOT

    schema = json.loads((ROOT / "schemas" / "ledger_evaluation.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(evaluation.model_dump(mode="json"))
    for name in ("document", "case", "run", "claim"):
        rows = getattr(Rows(), f"{name}s")
        schema = json.loads((ROOT / "schemas" / f"ledger_{name}.schema.json").read_text("utf-8"))
        for row in rows:
            jsonschema.Draft202012Validator(schema).validate(row)
