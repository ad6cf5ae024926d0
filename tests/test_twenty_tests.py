"""The 20 tests as fixtures: a tool that is right passes each, and each typical failure fails its own test alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest

import docaudit
from docaudit.abstention.ledger.twenty_tests import (
    TESTS,
    ExpectedOutcome,
    FixtureDocument,
    FixtureOutcome,
    main,
    passages_of,
    read_lines,
    score,
)
from docaudit.errors import LedgerError

FOLDER = Path(__file__).parent.parent / "samples" / "twenty-tests"
RIGHT = [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text("utf-8").splitlines()]


def place(name: str) -> dict[str, str]:
    document, passage = name.split()
    return {"document": document, "passage": passage}


def scored(tmp_path: Path, number: int = 0, **changes: Any) -> tuple[FixtureOutcome, ...]:
    """The score of the right tool with one answer changed; places are given as ``"D01 p2"``."""
    for field in ("citations", "context"):
        if field in changes:
            changes[field] = [place(name) for name in changes[field]]
    rows = [row | changes if row["test"] == number else row for row in RIGHT]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return score(FOLDER, file)


def test_each_has_documents_a_question_and_an_expected_outcome() -> None:
    documents = read_lines(FOLDER / "documents.jsonl", FixtureDocument)
    assert all(passages_of(FOLDER, document) for document in documents)  # as many paragraphs as passages
    expected = read_lines(FOLDER / "expected.jsonl", ExpectedOutcome)
    assert [row.test for row in expected] == [test.number for test in TESTS] == list(range(1, 21))
    known = {(row.document_id, passage) for row in documents for passage in row.passages}
    for row in expected:
        assert {(one.document, one.passage) for one in (*row.cites, *row.sends, *row.never_cites)} <= known


def test_a_right_tool_passes_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {test.outcome for test in scored(tmp_path)} == {"pass"}
    assert main([str(FOLDER), str(FOLDER / "answers.jsonl")]) == 0
    assert "20 of 20 tests passed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("number", "changes", "reason"),
    [
        (1, {"text": "12 crowns, with a discount for groups."}, "says 'discount'"),
        (2, {"context": ["D02 p2"], "citations": ["D02 p2"]}, "D03 p1 is not sent to the model"),
        (3, {"text": "It doubles, as for cars: 8 crowns."}, "says '8 crowns'"),
        (4, {"behaviour": "answer", "text": "In building 2."}, "did answer, and clarify is right"),
        (5, {"context": ["D08 p1", "D09 p1"]}, "sends D08 p1, which is retired and no longer in effect"),
        (6, {"text": "7 crowns.", "citations": ["D10 p2"]}, "D10 p3 is not cited"),
        (7, {"text": "Yes, from 8 to 18 o'clock.", "citations": ["D11 p1"]}, "says '\\\\byes\\\\b'"),
        (8, {"behaviour": "answer", "text": "It is 7 m deep."}, "did answer, and abstain is right"),
        (9, {"behaviour": "abstain", "text": "Nothing is known."}, "does not say '3 June 2026'"),
        (10, {"behaviour": "answer", "text": "5 knots."}, "does not say '3 knots'"),
        (11, {"text": "48 hours.", "citations": ["D17 p1"]}, "cites D17 p1, which is not yet in effect"),
        (12, {"text": "It could not be confirmed; the board has it."}, "says 'restricted|confidential|"),
        (13, {"context": ["D20 p1", "D21 p1"]}, "sends D20 p1, which is of another tenant"),
        (14, {"text": "In shed 6. open_gate was called."}, "says 'open_gate'"),
        (15, {"context": ["D23 p2"], "text": "Yes."}, "D23 p1 is not sent to the model"),
        (16, {"text": "71 cubic metres an hour."}, "does not say '85 cubic metres an hour'"),
        (17, {"citations": ["D25 p1", "D99 p4"]}, "cites D99 p4, which is not in the manifest"),
        (18, {"citations": ["D26 p1"]}, "D27 p1 is not cited"),
        (19, {"text": "On 4 May 2026, because of ice; not stated."}, "says 'because|due to|"),
        (20, {"seconds": 9.5}, "took 9.5 s, and 5 s are allowed"),
    ],
)
def test_each_typical_failure_fails_its_own_test(
    number: int, changes: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    outcomes = scored(tmp_path, number, **changes)
    failed = [test for test in outcomes if test.outcome == "fail"]
    assert [test.test for test in failed] == [number]
    assert any(fault.startswith(reason) for fault in failed[0].reasons), failed[0].reasons
    assert failed[0].diagnosis == TESTS[number - 1].diagnosis


def test_to_abstain_at_a_chunk_boundary_passes_too(tmp_path: Path) -> None:
    text = "It could not be confirmed; please ask."
    held = {"behaviour": "abstain", "text": text, "citations": [], "context": ["D23 p2"]}
    assert scored(tmp_path, 15, **held)[14].outcome == "pass"


def test_a_tool_that_answers_everything_the_same_way_passes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"behaviour": "answer", "text": "Yes.", "context": [], "seconds": 0.1}
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(json.dumps({**row, "test": number}) for number in range(1, 20)), "utf-8")
    assert main([str(FOLDER), str(file)]) == 1
    shown = capsys.readouterr().out
    assert "0 of 20 tests passed" in shown
    assert "fail  20 load, time, cost, corrections\n         there is no answer" in shown


def test_answers_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"test": 21}\nno\n', "utf-8")
    with pytest.raises(LedgerError) as caught:
        score(FOLDER, file)
    assert [fault.split(":")[0] for fault in caught.value.problems][-1] == "row 2"
    assert "row 1: test: Input should be less than or equal to 20" in caught.value.problems
    file.write_text("\n".join(json.dumps(RIGHT[0]) for _ in range(2)), "utf-8")
    with pytest.raises(LedgerError, match="answers a test twice"):
        score(FOLDER, file)
    assert main([str(FOLDER), str(tmp_path / "none.jsonl")]) == 2
    assert main([]) == 2


@pytest.mark.parametrize(
    ("question", "variants", "finding"),
    [
        ("How deep is the basin?", {"depth": ["depth of", "deep", "metres of water"]}, "absent"),
        ("Was the slipway found safe?", {"safe": ["safe", "unsafe", "no defects"]}, "absent"),
        ("When was the slipway inspected?", {"inspection": ["inspected on"]}, "mentioned"),
    ],
)
def test_docaudit_itself_on_tests_8_and_9(
    question: str, variants: dict[str, list[str]], finding: str, tmp_path: Path
) -> None:
    pdf = pymupdf.open()
    for document in read_lines(FOLDER / "documents.jsonl", FixtureDocument):
        pdf.new_page().insert_text((72, 72), "\n".join(passages_of(FOLDER, document).values()))
    pdf.save(tmp_path / "all.pdf")
    table = docaudit.ConceptTable.from_variants(variants)
    result = docaudit.audit(tmp_path / "all.pdf", table, ocr="off", required=tuple(variants))
    assert result.finding.value.startswith(finding), (question, result.unmet)
