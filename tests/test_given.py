"""What a program gives to gate and evaluators: a fault in it is docaudit's own error, with all faults in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from docaudit.abstention.adoption import FollowUp
from docaudit.abstention.evaluators.base import read_graded
from docaudit.abstention.evaluators.rules import Crag, Draft, KeepTheYes, Round, Sufficiency
from docaudit.abstention.hold import Hold
from docaudit.errors import DocauditError, EvaluatorError, GateError
from tests.gates import frozen, row

DECISION = {"query_id": "Q1", "reason": "below_threshold"}


@pytest.mark.parametrize(
    ("make", "given", "error", "said"),
    [
        (FollowUp, {"handled_by": "", "within": "a day", "message_checked": True}, GateError, "handled_by: "),
        (Hold, {"decision": DECISION, "question": "Who?", "documents": {}}, GateError, "documents: "),
        (Hold, {"document": {}}, GateError, "document: Extra inputs are not permitted"),
        (Crag, {"upper": 0.2, "lower": 0.6}, EvaluatorError, "the lower threshold 0.6 and the upper 0.2"),
        (Sufficiency, {"rule": "and", "aspects": ["tone"]}, EvaluatorError, "'subject', 'wanted_result'"),
        (Draft, {"grounded": True}, EvaluatorError, "graded against the question if, and only if,"),
        (Round, {"documents": []}, EvaluatorError, "documents: "),
        (KeepTheYes, {"action": "generate"}, EvaluatorError, "action: "),
    ],
)
def test_a_typed_error_in_words(
    make: Callable[..., object], given: dict[str, Any], error: type[DocauditError], said: str
) -> None:
    with pytest.raises(error) as caught:
        make(**given)
    assert said in str(caught.value)
    assert "pydantic" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_field_that_does_not_exist_is_refused_with_its_row() -> None:
    candidate = {"doc_id": "D1", "relevance": True}
    with pytest.raises(EvaluatorError) as caught:
        read_graded([{"id": "Q1", "query": "Who?", "candidates": [candidate], "grade": 1}])
    assert caught.value.problems == (
        "row 1: candidates.0.relevance: Extra inputs are not permitted",
        "row 1: grade: Extra inputs are not permitted",
    )


def test_a_key_that_is_missing_is_not_an_empty_list() -> None:
    bare = row("B")
    del bare["candidates"]
    with pytest.raises(GateError) as caught:
        frozen([row("A", 0.5), bare])
    assert caught.value.problems == (
        "row 2 (B): candidates: a list is needed, [] where the search found nothing",
    )
    assert frozen([row("A", 0.5), {**bare, "status": "failed"}]).rows[1].candidates == ()
