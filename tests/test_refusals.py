"""The published case: 139 logs, 36 "insufficient", 28 of them false; and the design that avoids it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from docaudit.abstention.evaluators.base import Action, Ground, NoGround
from docaudit.abstention.evaluators.rules import Crag, Rule, Sufficiency
from docaudit.abstention.evaluators.studies import (
    LENIENT,
    LogRow,
    Refusals,
    count_refusals,
    evaluator_faults,
    grades_schema,
    prompt,
    prompt_faults,
    read_logs,
    schema_faults,
)
from docaudit.errors import EvaluatorError
from tests.test_evaluators import EVALUATORS

SAMPLES = Path(__file__).parent.parent / "samples"
AND, OR = Sufficiency(rule=Rule.AND), Sufficiency()


@pytest.fixture(scope="module")
def rows() -> tuple[LogRow, ...]:
    return read_logs(SAMPLES / "refusals.jsonl")


def counts(found: Refusals) -> list[tuple[int, int]]:
    ratios = (
        found.insufficient,
        found.truly_absent,
        found.false_refusals,
        found.unverified,
        found.false_passes,
    )
    return [(one.numerator, one.denominator) for one in ratios]


def test_the_file_is_what_its_program_writes() -> None:
    spec = importlib.util.spec_from_file_location("make_refusals", SAMPLES / "make_refusals.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (SAMPLES / "refusals.jsonl").read_text("utf-8") == module.text()


def test_and_refuses_28_answers_that_are_there(rows: tuple[LogRow, ...]) -> None:
    found = count_refusals(rows, AND)
    assert counts(found) == [(36, 139), (8, 36), (28, 36), (0, 36), (0, 8)]
    assert found.false_refusals.share is not None
    assert round(found.false_refusals.share * 100, 1) == 77.8
    assert sum(one.numerator for one in found.by_pattern.values()) == 28
    assert all(one.numerator == one.denominator > 0 for one in found.by_pattern.values())


def test_or_refuses_the_eight_alone(rows: tuple[LogRow, ...]) -> None:
    assert counts(count_refusals(rows, OR)) == [(8, 139), (8, 8), (0, 8), (0, 8), (0, 8)]


def test_and_over_all_documents_together_still_refuses_three_patterns(rows: tuple[LogRow, ...]) -> None:
    found = count_refusals(rows, Sufficiency(rule=Rule.AND, in_one=False))
    assert {one for one, ratio in found.by_pattern.items() if ratio.numerator} == set(NoGround) - {
        NoGround.REQUIREMENTS_SPLIT
    }


@pytest.mark.parametrize("pattern", list(NoGround))
def test_each_pattern(rows: tuple[LogRow, ...], pattern: NoGround) -> None:
    row = next(one for one in rows if one.pattern is pattern)
    assert AND.assess(row.graded).verdict == "insufficient"
    found = OR.assess(row.graded)
    assert (found.verdict, found.action) == ("sufficient", Action.GENERATE)


def test_one_row_moves_what_it_should(rows: tuple[LogRow, ...]) -> None:
    found = count_refusals([row for row in rows if row.graded.id != "L001"], AND)
    assert counts(found) == [(35, 138), (8, 35), (27, 35), (0, 35), (0, 8)]


def test_logs_that_cannot_be_counted(tmp_path: Path, rows: tuple[LogRow, ...]) -> None:
    with pytest.raises(EvaluatorError, match="there are no logs"):
        count_refusals([], AND)
    with pytest.raises(EvaluatorError, match="never says 'insufficient'"):
        count_refusals(rows, Crag(upper=1, lower=0))
    file = tmp_path / "logs.jsonl"
    good = (SAMPLES / "refusals.jsonl").read_text("utf-8").splitlines()[0]
    file.write_text(f'{good}\n{good}\n{{"graded": 1}}\nno\n{good.replace("present", "absent")}\n', "utf-8")
    with pytest.raises(EvaluatorError) as caught:
        read_logs(file)
    said = " ".join(caught.value.problems)
    assert all(f"row {number}" in said for number in (3, 4, 5))
    assert "rows 1, 2: the id 'L001' is used twice" in said
    file.write_text("", "utf-8")
    with pytest.raises(EvaluatorError, match="it is empty"):
        read_logs(file)


def test_a_line_separator_within_a_text_ends_no_row(tmp_path: Path) -> None:
    row = json.loads((SAMPLES / "refusals.jsonl").read_text("utf-8").splitlines()[0])
    row["graded"]["query"] = "What\u2028is\u0085due?"
    file = tmp_path / "logs.jsonl"
    file.write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    assert [one.graded.query for one in read_logs(file)] == ["What\u2028is\u0085due?"]


def test_three_grounds_and_four_that_are_none() -> None:
    assert (len(Ground), len(NoGround)) == (3, 4)
    assert all(one.meaning.endswith(".") for one in (*Ground, *NoGround))


def test_our_own_schema_prompt_and_evaluators_keep_the_design() -> None:
    assert schema_faults(grades_schema(3)) == ()
    assert prompt_faults(prompt("q", ["a", "b"])[0]["content"]) == ()
    assert [evaluator_faults(one) for one in EVALUATORS] == [()] * len(EVALUATORS)


class VerdictFirst(BaseModel):
    """The verdict is written before the reasons for it."""

    sufficient: bool = Field(description="Whether it is enough.")
    reason: str


class Nested(BaseModel):
    """The order is wrong one level down, there is no criterion, and a number where a yes or no belongs."""

    inner: list[VerdictFirst]
    rating: float


def test_a_verdict_before_its_reasons_is_found_at_any_depth() -> None:
    assert schema_faults(VerdictFirst.model_json_schema()) == (
        "reasons_first: the answer: 'sufficient' stands before reason",
    )
    assert schema_faults(Nested.model_json_schema()) == (
        "reasons_first: the answer: 'rating' has no reasons before it",
        "reasons_first: the answer: 'rating' has no description with its criterion",
        "binary: the answer: 'rating' is a number",
        "reasons_first: VerdictFirst: 'sufficient' stands before reason",
    )


# As the article behind METHOD E38 to E49 quotes them; Ragas' words are those of its published prompt.
PRAISED = {
    "LangGraph CRAG": (
        "You are a grader assessing relevance of a retrieved document to a user question. If the document contains "
        "keyword(s) or semantic meaning related to the question, grade it as relevant. Give a binary score 'yes' or "
        "'no' score to indicate whether the document is relevant to the question."
    ),
    "LangGraph Self-RAG": (
        "It does not need to be a stringent test. The goal is to filter out erroneous retrievals. If the document "
        "contains keyword(s) or semantic meaning related to the user question, grade it as relevant."
    ),
    "LangGraph rewriter": (
        "You a question re-writer that converts an input question to a better version that is optimized for "
        "vectorstore retrieval. Look at the input and try to reason about the underlying semantic intent / meaning."
    ),
    "LlamaIndex": (
        "As a grader, your task is to evaluate the relevance of a document retrieved in response to a user's "
        "question. The evaluation should not be overly stringent; the primary objective is to identify and filter "
        "out clearly irrelevant retrievals."
    ),
    "Self-RAG relevance": (
        "Your job is to determine if the evidence is relevant to the initial instruction and the preceding context, "
        "and provides useful information to complete the task described in the instruction. If the evidence meets "
        "this requirement, respond with [Relevant]; otherwise, generate [Irrelevant]."
    ),
    "Self-RAG support": (
        "Make sure to not use any external information/knowledge to judge whether the output is true or not. Only "
        "check whether the output is supported by the evidence, and not whether the output follows the instructions "
        "or not."
    ),
    "Ragas": (
        "Given question, answer and context verify if the context was useful in arriving at the given answer. Give "
        "verdict as '1' if useful and '0' if not."
    ),
    "the article": "厳密な一致試験ではなく、明らかな話題違いを除くための判定です。候補ごとに判定してください。",
}


@pytest.mark.parametrize("name", PRAISED)
def test_prompts_that_the_method_praises_have_no_fault(name: str) -> None:
    assert prompt_faults(PRAISED[name]) == ()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (LENIENT, []),
        ("Judge the candidates.", ["lenient"]),
        ("Judge relevance. Be strict: accept exact answers only.", ["lenient"]),
        ("This must be a stringent test of relevance. Useful information counts.", ["lenient"]),
        (LENIENT + " Relevant only if all aspects are supported.", ["lenient"]),
        ("関連性を厳密に判定し、すべての観点を満たす場合だけ true。", ["lenient"]),
        (LENIENT + ' Answer like {"sufficient": false}.', ["no_example_json"]),
        (PRAISED["LlamaIndex"] + ' {"score": "yes"}', ["no_example_json"]),
        (LENIENT + " For example [{'aspect': 'missing'}].", ["no_example_json"]),
        (LENIENT + " Give a score from 0.0 to 1.0.", ["binary"]),
        (PRAISED["Self-RAG relevance"] + " Rate it from 0 to 10.", ["binary"]),
        (LENIENT + " 0〜10で採点する。", ["binary"]),
        (LENIENT + " If nothing is relevant, say that it cannot be answered.", ["never_refuses"]),
    ],
)
def test_prompts(text: str, codes: list[str]) -> None:
    assert [fault.split(":")[0] for fault in prompt_faults(text)] == codes


class Gatekeeper(Sufficiency):
    """An evaluator that ends without an answer, with one action for two verdicts, and nothing to adjust."""

    @property
    def actions(self) -> dict[str, Action]:
        return {"sufficient": Action.GENERATE, "refused": Action.GENERATE}

    @property
    def strictness(self) -> dict[str, Any]:
        return {}


def test_a_gatekeeper_breaks_the_design() -> None:
    assert [one.split(":")[0] for one in evaluator_faults(Gatekeeper())] == [
        "one_action",
        "never_refuses",
        "parameters",
    ]
