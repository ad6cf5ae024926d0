"""What a model may choose and say of a justification. The way through a real endpoint: test_wording_endpoint."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docaudit.codes import AbsenceReason, Finding
from docaudit.justification import AbsenceJustification, Mention
from docaudit.options import AuditOptions
from docaudit.wording.choice import (
    MAX_REMARK,
    MAX_SNIPPET,
    ModelAnswer,
    allowed_reasons,
    answer_problems,
    evidence_sent,
    messages_for,
    parse_answer,
    remark_problems,
)
from tests.evidence import justified

CONCEPTS = {"AI": ["AI"], "data center": ["data center"], "power": ["electricity"]}
TEXTS: dict[str, list[Any]] = {
    "none": ["nothing here"],
    "some": [(1, 1, "AI and electricity"), (2, 1, "electricity")],
    "all": [(1, 1, "AI electricity data center")],
}


@cache
def absent(**options: Any) -> AbsenceJustification:
    """power on pages 1 and 2, AI nowhere; three pages, all of them read."""
    texts = [(1, 1, "Electricity demand rose, and electricity was dear."), (2, 1, "electricity in 2025")]
    concepts = {"AI": ["AI", "machine learning"], "power": ["lectricity"]}
    return justified(texts, concepts, options=AuditOptions(**options))


def test_the_case_of_the_next_tests() -> None:
    found = absent()
    assert (found.finding, dict(found.concept_hits)) == (Finding.ABSENT, {"AI": 0, "power": 3})
    assert found.concept_pages["power"] == (1, 2)


@pytest.mark.parametrize(
    "remark",
    [
        'The 3 hits of "power" stand on pages 1–2; none is near the question.',
        "It doesn't speak of AI, but of prices: “Electricity demand rose” on page 1.",
        "See 'electricity in 2025', which is about another year.",
        "power は1ページと２ページに3件あり、「electricity in 2025」は別の年についての記述である。",
    ],
)
def test_remarks_whose_numbers_and_quotations_hold(remark: str) -> None:
    assert remark_problems(remark, absent()) == ()


@pytest.mark.parametrize(
    ("remark", "problem"),
    [
        ("It occurs 4 times.", "the number 4"),
        ("It occurs on page 17.", "the number 17"),
        ("In 2025 demand rose.", "the number 2025"),
        ("It occurs ９ times.", "the number 9"),
        ("It occurs ④ times.", "the number 4"),
        ("It occurs x4times.", "the number 4"),
        ("It occurs 3.0 times.", "the number 3.0"),
        (f"It occurs {'9' * 500} times.", "the number 999"),
        ("It occurs three times.", "'three' is not written as digits"),
        ("It is a threefold mention.", "'threefold' is not written as digits"),
        ("powerは三件ある。", "'三件' is not written as digits"),
        ("It is 3 % of the text.", "a share"),
        ("It says “AI is everywhere”.", "'AI is everywhere' stands in no snippet"),
        ("It says 'AI is everywhere'.", "'AI is everywhere' stands in no snippet"),
        ("「AIは万能」とある。", "'AIは万能' stands in no snippet"),
        ("It says “lectricity demand”.", "'lectricity demand' stands in no snippet"),
        ("It says “machine learning”.", "'machine learning' stands in no snippet"),
        ("It says “demand rose.", "not closed"),
        ("It says “”.", "stands in no snippet"),
        (" ", "empty"),
        ("x" * (MAX_REMARK + 1), "longer than"),
        ("Demand rose.\nIt is so.", "cannot be printed"),
        ("Demand rose.\x1b[31m", "cannot be printed"),
        ("Demand \u202erose.", "cannot be printed"),
        ("Demand \ud800rose.", "cannot be printed"),
        ("Demand \U000f0000 rose.", "cannot be printed"),
    ],
)
def test_remarks_that_are_refused(remark: str, problem: str) -> None:
    problems = remark_problems(remark, absent())
    assert any(problem in line for line in problems), problems


def test_a_digit_in_the_name_of_a_concept_is_no_number() -> None:
    found = justified(["Scope 3 matters"], {"Scope 3": ["Scope 3"]})
    assert remark_problems("Scope 3 is on page 1.", found) == ()
    assert remark_problems("Scope 31 is on page 1.", found)


@given(st.text(max_size=80), st.integers(0, 400))
def test_nothing_put_into_a_good_remark_adds_a_number(extra: str, at: int) -> None:
    """Whatever stands in a remark that is taken: each of its numbers is one of the evidence."""
    good = "The hits of power stand on pages 1 and 2, as the explanation says."
    remark = good[: at % len(good)] + extra + good[at % len(good) :]
    if not remark_problems(remark, absent()):
        assert {int(digit) for digit in remark if digit.isdecimal()} <= {0, 1, 2, 3}


def test_reasons_and_mentions_that_may_be_chosen() -> None:
    meeting = justified([(1, 1, "AI electricity")], {"AI": ["AI"], "power": ["electricity"]})
    apart = justified([(1, 1, "AI"), (2, 1, "electricity")], {"AI": ["AI"], "power": ["electricity"]})
    assert allowed_reasons(meeting) == (None,)
    assert allowed_reasons(apart) == (AbsenceReason.OFF_TOPIC,)
    assert allowed_reasons(absent()) == (AbsenceReason.CONCEPT_NOT_FOUND,)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_instructions_hold_nothing_of_document_question_or_table(language: Any, texts: list[Any]) -> None:
    found = justified(texts, CONCEPTS, question="Why zirconium?", options=AuditOptions(language=language))
    system, user = messages_for(found)
    for text in ("AI", "data center", "lectricity", "zirconium", "report.pdf"):
        assert text not in system["content"]
    assert "{" not in system["content"].split("Schema:")[0]
    assert json.loads(user["content"])["finding"] == found.finding.value


def test_snippets_are_cut_and_obligations_bring_no_text_of_the_document() -> None:
    long = Mention(
        kind="mention",
        concept="power",
        variant="x",
        text="x",
        page_num=1,
        line_num=1,
        snippet="é" * 999,
        why_not="x",
    )
    sent = evidence_sent(absent().model_copy(update={"closest_mentions": (long,)}))
    assert sent["closest_mentions"][0]["snippet"] == "é" * MAX_SNIPPET
    assert {key for check in sent["obligations"] for key in check} <= {"code", "state", "pages"}
    assert "report.pdf" not in str(sent)


@given(st.text(max_size=200))
def test_no_text_ends_the_reading_of_an_answer(text: str) -> None:
    assert isinstance(parse_answer(text), (str, ModelAnswer))


@given(
    st.builds(
        ModelAnswer,
        considerations=st.just(()),
        mention_ids=st.lists(st.integers(-3, 0) | st.integers(4, 9), min_size=1).map(tuple),
        reason=st.sampled_from([None, *AbsenceReason]),
        remark=st.none() | st.text(min_size=1, max_size=300),
        suggested_requery=st.none() | st.text(max_size=300),
    )
)
def test_ids_of_chance_are_refused(answer: ModelAnswer) -> None:
    assert answer_problems(answer, absent())
