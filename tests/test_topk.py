"""k and threshold: the published two questions and five hits, and what is never counted as 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docaudit.abstention.gate import Candidate, Direction, ThresholdComparison
from docaudit.abstention.results import Frozen
from docaudit.abstention.topk import (
    GridCell,
    LeftOut,
    Stage,
    StageLog,
    StageState,
    Unit,
    blame,
    select_hits,
    stage_logs,
    topk_grid,
)
from docaudit.cli import main
from docaudit.errors import GateError
from tests.gates import OPERATING, content, frozen, row

HITS = [
    Candidate(doc_id=name, score=score)
    for name, score in (
        ("password", 0.91),
        ("security", 0.78),
        ("login", 0.73),
        ("profile", 0.41),
        ("invoice", 0.18),
    )
]


def question(name: str, ranked: str, relevant: str | None, **fields: Any) -> dict[str, Any]:
    """A question with the ids that were found for it, best first, and those that it requires."""
    candidates = [{"doc_id": one} for one in ranked.split()]
    needed = None if relevant is None else relevant.split()
    return row(name, **{"candidates": candidates, "required_doc_ids": needed, **fields})


def published() -> list[dict[str, Any]]:
    """Ten hits each; the one relevant document is third for the first question and first for the second."""
    return [
        question(
            "password", "login security password profile email plan cancel invoice export api", "password"
        ),
        question("invoice", "invoice plan payment export email profile api cancel login security", "invoice"),
    ]


def grid(
    rows: list[dict[str, Any]], operating: dict[str, Any] = OPERATING, **how: Any
) -> tuple[GridCell, ...]:
    pytest.importorskip("ir_measures", reason="the extra evaluate is not installed")
    return topk_grid(frozen(rows, operating=operating), **{"unit": Unit.DOCUMENT, **how}).cells


def test_published_means() -> None:
    cells = grid(published())
    assert [(one.k, one.recall.value, round(one.precision.value or 0, 2)) for one in cells] == [
        (1, 0.5, 0.5),
        (3, 1.0, 0.33),
        (10, 1.0, 0.1),
    ]
    assert [str(one.complete).split(" (")[0] for one in cells] == ["1 of 2", "2 of 2", "2 of 2"]


@pytest.mark.parametrize(
    ("threshold", "many"), [(0.0, 5), (0.5, 3), (0.8, 1), (0.91, 1), (0.92, 0), (None, 5)]
)
def test_published_selection(threshold: float | None, many: int) -> None:
    assert select_hits(HITS, 10, threshold) == tuple(HITS[:many])


def test_one_of_two_documents_is_half() -> None:
    (cell,) = grid([question("refund", "policy plan", "policy steps")], ks=(2,))
    (one,) = cell.questions
    assert (cell.complete.numerator, cell.complete.denominator) == (0, 1)  # half is not all
    assert (one.recall, one.precision, one.found, one.missed) == (0.5, 0.5, ("policy",), ("steps",))


def test_the_cut_comes_before_the_threshold_and_lower_can_be_better() -> None:
    assert select_hits(HITS, 2, 0.5) == tuple(HITS[:2])
    near = [Candidate(doc_id=name, score=score) for name, score in (("a", 0.1), ("b", 0.4), ("c", 0.5))]
    assert select_hits(near, 3, 0.4, direction=Direction.LOWER) == tuple(near[:2])


def test_equal_stays_out_where_more_is_asked_for() -> None:
    rows = [row("Q", 0.5, required_doc_ids=["D1"])]
    for comparison, found, blamed in ((">=", 1.0, None), (">", 0.0, Stage.SELECTION)):
        operating = {**OPERATING, "comparison": comparison}
        assert select_hits(HITS, 5, 0.78, comparison=ThresholdComparison(comparison)) == tuple(
            HITS[: 1 + (not blamed)]
        )
        (log,) = stage_logs(
            frozen(rows, operating=operating), unit=Unit.DOCUMENT, k=1, threshold=0.5, context={"Q": ["D1"]}
        )
        assert log.blamed is blamed
        (cell,) = grid(rows, ks=(1,), thresholds=(0.5,), operating=operating)
        assert cell.recall.value == found


def test_all_faults_of_hits_at_once() -> None:
    hits = [Candidate(doc_id="a", score=0.2), Candidate(doc_id="b", score=0.9), Candidate(doc_id="a")]
    with pytest.raises(GateError) as caught:
        select_hits(hits, 0, float("nan"))
    assert caught.value.problems == (
        "max_k is 0: at least 1 is needed",
        "score_threshold is nan: a number is needed",
        "a is listed twice",
        "hits are not best first by higher_is_better",
    )
    with pytest.raises(GateError, match="b has no score"):
        select_hits([Candidate(doc_id="a", score=1.0), Candidate(doc_id="b")], 2, 0.5)


def test_nothing_becomes_zero() -> None:
    rows = [
        row("good", 0.9, required_doc_ids=["D1"]),
        row("cut", 0.2, required_doc_ids=["D1"]),
        row("unscored", candidates=[{"doc_id": "D1", "score": None}], required_doc_ids=["D1"]),
        row("broken", status="failed", required_doc_ids=["D1"]),
        row("unnamed", 0.9),
        row("unlabelled", 0.9, "unverified", required_doc_ids=["D1"]),
        row("noisy", 0.9, "absent"),
        row("loud", 0.9, "absent"),
        row("quiet", 0.1, "absent"),
    ]
    (cell,) = grid(rows, ks=(1,), thresholds=(0.5,))
    assert str(cell.recall) == "0.50 (2 of 9 questions)"
    assert (
        str(cell.precision) == "1.00 (1 of 9 questions)"
    )  # nothing was selected for "cut": it has no precision
    assert (cell.noise.numerator, cell.noise.denominator) == (2, 3)
    assert cell.left_out == {
        LeftOut.EVIDENCE_ABSENT: ("noisy", "loud", "quiet"),
        LeftOut.UNVERIFIED: ("unlabelled",),
        LeftOut.RELEVANT_NOT_NAMED: ("unnamed",),
        LeftOut.RETRIEVAL_FAILED: ("broken",),
        LeftOut.MISSING_SCORE: ("unscored",),
    }


def test_grid_refuses() -> None:
    with pytest.raises(GateError) as caught:
        topk_grid(frozen([row("a", 0.9)]), unit=Unit.CHUNK, ks=(0, 1, 1), thresholds=(float("inf"),))
    assert caught.value.problems == (
        "k is 0: at least 1 is needed",
        "threshold inf is no number",
        "a k or threshold is given twice",
        "no question with evidence names what it requires (required_doc_ids)",
    )


def test_a_k_beyond_the_list_divides_by_what_was_found() -> None:
    (cell,) = grid([question("a", "x y", "x")], ks=(50,))
    assert (cell.precision.value, cell.recall.value) == (0.5, 1.0)


RIGHT, WRONG = {"returned": True, "grade": "correct"}, {"returned": True, "grade": "wrong"}


def staged() -> Frozen:
    ranked = [{"doc_id": name, "score": score} for name, score in (("A", 0.9), ("B", 0.6), ("C", 0.3))]
    same: dict[str, Any] = {"candidates": ranked}
    return frozen(
        [
            row("searched badly", **same, required_doc_ids=["Z"], answer=RIGHT),
            row("beyond k", **same, required_doc_ids=["C"], answer=WRONG),
            row("below", **same, required_doc_ids=["A", "B"], answer=WRONG),
            row("not sent", **same, required_doc_ids=["A"], answer=WRONG),
            row("written badly", **same, required_doc_ids=["A"], answer=WRONG),
            row("good", **same, required_doc_ids=["A"], answer=RIGHT),
            row("failed", status="failed", required_doc_ids=["A"]),
            row("held well", **same, evidence="absent", answer={"returned": False}),
            row("invented", **same, evidence="absent", answer=WRONG),
            row("open", **same, evidence="unverified"),
        ]
    )


def logs(**how: Any) -> dict[str, StageLog]:
    sent = {"not sent": ["B"], "written badly": ["A"], "good": ["A"]}
    made = stage_logs(staged(), **{"unit": Unit.DOCUMENT, "k": 2, "threshold": 0.7, "context": sent, **how})
    return {one.question_id: one for one in made}


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("searched badly", Stage.RETRIEVAL),  # the right answer does not excuse the search
        ("beyond k", Stage.SELECTION),
        ("below", Stage.SELECTION),
        ("not sent", Stage.CONTEXT),
        ("written badly", Stage.ANSWER),
        ("good", None),
        ("failed", Stage.RETRIEVAL),
        ("held well", None),
        ("invented", Stage.ANSWER),
        ("open", None),
    ],
)
def test_the_first_stage_that_failed_is_to_blame(name: str, stage: Stage | None) -> None:
    assert logs()[name].blamed is stage


def test_one_row_a_stage_says_what_was_lost_and_why() -> None:
    found = logs()
    assert all([one.stage for one in log.rows] == list(Stage) for log in found.values())
    assert found["beyond k"].rows[2].evidence == "0 of 1 relevant selected of those that came: C beyond k = 2"
    assert (
        found["below"].rows[2].evidence
        == "1 of 2 relevant selected of those that came: B below the threshold 0.7"
    )
    assert found["below"].rows[2].lost == ("B",)
    assert [str(one.recall)[:6] for one in found["below"].rows[1:3]] == ["2 of 2", "1 of 2"]
    assert [str(one.precision)[:6] for one in found["below"].rows[1:3]] == ["2 of 3", "1 of 1"]
    assert found["failed"].rows[2].state is StageState.NOT_KNOWN
    assert found["held well"].rows[1].state is StageState.NOT_APPLICABLE
    assert found["beyond k"].rows[3].state is StageState.NOT_KNOWN  # what was sent was not recorded: no pass
    assert {one.state for one in found["open"].rows} == {StageState.NOT_KNOWN}


def test_a_hit_without_a_score_is_a_failure_of_the_selection() -> None:
    rows = [row("a", candidates=[{"doc_id": "D1", "score": None}], required_doc_ids=["D1"])]
    (log,) = stage_logs(frozen(rows), unit=Unit.CHUNK, k=1, threshold=0.5, context={"a": ["D1"]})
    assert (log.blamed, log.rows[3].state) == (Stage.SELECTION, StageState.NOT_KNOWN)
    (log,) = stage_logs(frozen(rows), unit=Unit.CHUNK, k=1, context={"a": ["D1"]})
    assert log.blamed is None


def test_blame_adds_up_and_questions_that_do_not_exist_are_refused() -> None:
    counted = blame(list(logs().values()))
    assert counted == {
        Stage.QUESTION_SET: 0,
        Stage.RETRIEVAL: 2,
        Stage.SELECTION: 2,
        Stage.CONTEXT: 1,
        Stage.ANSWER: 2,
        None: 3,
    }
    with pytest.raises(GateError, match="nobody"):
        logs(context={"nobody": ["A"]})


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ir_measures", reason="the extra evaluate is not installed")
    file = tmp_path / "results.json"
    file.write_text(json.dumps(content(published())), "utf-8")
    command = ["gate", "topk", str(file), "--unit", "document"]
    assert main([*command, "--stages"]) == 0
    shown = capsys.readouterr().out
    assert "0.33 of 2" in shown
    assert "search: 0 of 2" in shown
    assert "selection: 1 of 2" in shown
    assert main([*command, "--k", "1,10", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert [one["precision"]["value"] for one in cells] == pytest.approx([0.5, 0.1])
    assert main(["gate", "topk", str(file)]) == 2  # the unit is never guessed
    assert main([*command, "--thresholds", "0.5"]) == 0  # no scores: each question is left out, and said so
    assert "a score is missing: 2" in capsys.readouterr().out
