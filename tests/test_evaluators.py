"""Six evaluators behind one protocol: thresholds, yes and no, the order of graders, support, context precision."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docaudit.abstention.evaluators.base import (
    EXAMPLES,
    Action,
    Evaluator,
    Graded,
    Relevance,
    SupportLevel,
    SupportRule,
    assess_all,
    read_graded,
    support_level,
)
from docaudit.abstention.evaluators.rules import (
    ACTIONS,
    Crag,
    Draft,
    Flag,
    KeepTheYes,
    Round,
    Rule,
    Step,
    Sufficiency,
    context_precision,
    corrected_text,
    flag,
    process_flag,
    select_strips,
    steps,
)
from docaudit.abstention.ledger.rows import Support
from docaudit.errors import EvaluatorError

EVALUATORS: list[Evaluator] = [
    Crag(upper=0.6, lower=0.2),
    KeepTheYes(),
    KeepTheYes(more="no_yes", action=Action.REWRITE),
    Sufficiency(),
    Sufficiency(rule=Rule.AND),
]


def graded(*relevant: bool | None, name: str = "Q1", **fields: Any) -> Graded:
    """A question with one candidate for each grade: D1, D2, ..."""
    candidates = [
        {
            "doc_id": f"D{at}",
            "text": f"text {at}",
            "relevant": one,
            "ground": None if one is not False else "other_topic",
        }
        for at, one in enumerate(relevant, 1)
    ]
    return Graded.model_validate({"id": name, "query": "q", "candidates": candidates, **fields})


def scored(*scores: float | None, name: str = "Q1", **fields: Any) -> Graded:
    """A question with one candidate for each score."""
    candidates = [{"doc_id": f"D{at}", "score": score} for at, score in enumerate(scores, 1)]
    return Graded.model_validate({"id": name, "query": "q", "candidates": candidates, **fields})


def published_process_flag(scores: Sequence[float], n_docs: int, upper: float, lower: float) -> list[int]:
    """As described: a full group is 2 if any score reaches upper, else 1 if any reaches lower, else 0."""
    found, group = [], []
    for score in scores:
        group.append(score)
        if len(group) == n_docs:
            found.append(2 if any(one >= upper for one in group) else int(any(one >= lower for one in group)))
            group = []
    return found


@pytest.mark.parametrize(
    ("score", "expected"), [(0.6, 2), (0.61, 2), (0.5999, 1), (0.2, 1), (0.1999, 0), (-1.0, 0)]
)
def test_a_score_equal_to_a_threshold_reaches_it(score: float, expected: int) -> None:
    assert flag(score, 0.6, 0.2) == expected


def test_one_good_document_is_enough_for_its_group() -> None:
    scores = [0.1, 0.6, 0.0, 0.1, 0.2, 0.1, 0.19, 0.0, 0.1]
    assert process_flag(scores, 3, 0.6, 0.2) == [2, 1, 0]
    assert process_flag(scores, 1, 0.6, 0.2) == [0, 2, 0, 0, 1, 0, 0, 0, 0]


def test_a_group_that_is_not_full_is_an_error_unless_asked_for() -> None:
    scores = [0.1, 0.1, 0.9]
    with pytest.raises(EvaluatorError, match="rows 3 to 3: 1 scores in the last group, 2 are needed"):
        process_flag(scores, 2, 0.6, 0.2)
    assert process_flag(scores, 2, 0.6, 0.2, trailing="drop") == [
        0
    ]  # the 0.9 is lost, as in the published code


@given(
    st.lists(st.floats(-1, 1), max_size=12),
    st.integers(1, 5),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted),
)
def test_the_same_as_the_described_rule(scores: list[float], n_docs: int, thresholds: list[float]) -> None:
    lower, upper = thresholds
    expected = published_process_flag(scores, n_docs, upper, lower)
    assert process_flag(scores, n_docs, upper, lower, trailing="drop") == expected


def test_all_faults_of_scores_at_once() -> None:
    with pytest.raises(EvaluatorError) as caught:
        process_flag([0.1, None, float("nan")], 2, 0.2, 0.6)
    assert caught.value.problems == (
        "the lower threshold 0.6 and the upper 0.2 are not two numbers that ascend",
        "row 2: no score",
        "row 3: nan is no number",
        "rows 3 to 3: 1 scores in the last group, 2 are needed",
    )
    for n_docs, scores, said in ((0, [0.1], "n_docs is 0"), (1, [], "there is no group")):
        with pytest.raises(EvaluatorError, match=said):
            process_flag(scores, n_docs, 0.6, 0.2)


@pytest.mark.parametrize(
    ("scores", "verdict", "action", "kept"),
    [
        ((0.7, 0.3, 0.1), "correct", Action.REFINE_INTERNAL, ("D1", "D2")),
        ((0.3, 0.1), "ambiguous", Action.REFINE_AND_SEARCH, ("D1",)),
        ((0.1, 0.0), "incorrect", Action.SEARCH_WEB, ()),
    ],
)
def test_three_flags_three_actions(
    scores: tuple[float, ...], verdict: str, action: Action, kept: tuple[str, ...]
) -> None:
    found = Crag(upper=0.6, lower=0.2).assess(scored(*scores))
    assert (found.verdict, found.action, found.kept) == (verdict, action, kept)


def test_pieces_are_selected_best_first() -> None:
    scores = [0.1, 0.9, 0.5, 0.9, 0.2, 0.3, 0.4, 0.0]
    assert select_strips(scores, "selection") == (1, 3, 2)
    assert select_strips(scores, "fixed_num") == (1, 3, 2, 6, 5, 4)
    assert select_strips(scores, "selection", top_n=1) == (1,)
    with pytest.raises(EvaluatorError, match=r"piece 2: nan is no number; top_n is 0"):
        select_strips([0.1, float("nan")], "selection", top_n=0)


def test_yes_is_kept_and_a_no_brings_in_more() -> None:
    corrective, reflective = KeepTheYes(), KeepTheYes(more="no_yes", action=Action.REWRITE)
    for grades, kept, first, second in (
        ((True, True), ("D1", "D2"), Action.GENERATE, Action.GENERATE),
        ((True, False), ("D1",), Action.REWRITE_AND_SEARCH, Action.GENERATE),
        ((False, False), (), Action.REWRITE_AND_SEARCH, Action.REWRITE),
    ):
        one, other = corrective.assess(graded(*grades)), reflective.assess(graded(*grades))
        assert (one.kept, one.action, other.kept, other.action) == (kept, first, kept, second)


def test_relevant_text_then_text_of_the_search() -> None:
    assert corrected_text(graded(True, True)) == "text 1\ntext 2"
    assert corrected_text(graded(True, False, True), ["found"]) == "text 1\ntext 3\nfound"
    with pytest.raises(EvaluatorError, match="so that nothing is searched"):
        corrected_text(graded(True), ["found"])
    with pytest.raises(EvaluatorError, match="a search comes first"):
        corrected_text(graded(True, False))


S = Step
START = (S.RETRIEVE, S.GRADE_DOCUMENTS)
WRITE = (S.GENERATE, S.GRADE_HALLUCINATIONS)


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        (
            [Round(documents=(True,), drafts=(Draft(grounded=True, answers=True),))],
            (*START, *WRITE, S.GRADE_ANSWER, S.DONE),
        ),
        (
            [
                Round(documents=(False, False)),
                Round(
                    documents=(False, True),
                    drafts=(Draft(grounded=False), Draft(grounded=True, answers=False)),
                ),
                Round(documents=(True,), drafts=(Draft(grounded=True, answers=True),)),
            ],
            (
                *(*START, S.REWRITE),
                *(*START, *WRITE, *WRITE, S.GRADE_ANSWER, S.REWRITE),
                *(*START, *WRITE, S.GRADE_ANSWER, S.DONE),
            ),
        ),
        ([Round(documents=(True,), drafts=(Draft(grounded=False),))], (*START, *WRITE)),
    ],
)
def test_order_of_the_graders(rounds: list[Round], expected: tuple[Step, ...]) -> None:
    assert steps(rounds) == expected


def test_grades_out_of_order_are_refused() -> None:
    done = Draft(grounded=True, answers=True)
    for fields in ({"grounded": False, "answers": True}, {"grounded": True}):
        with pytest.raises(EvaluatorError, match="if, and only if"):
            Draft.model_validate(fields)
    for rounds, said in (
        ([], "no round"),
        ([Round(documents=(False,), drafts=(done,))], "round 1: no document was relevant"),
        ([Round(documents=(True,), drafts=(done, done))], "after draft 1 was decided on"),
        (
            [Round(documents=(True,), drafts=(done,)), Round(documents=(True,))],
            "round 2: nothing was rewritten",
        ),
    ):
        with pytest.raises(EvaluatorError, match=said):
            steps(rounds)


def test_support_has_three_levels_and_a_parameter() -> None:
    assert [support_level(one) for one in Support] == [
        SupportLevel.FULLY,
        SupportLevel.PARTIALLY,
        SupportLevel.NO_SUPPORT,
        SupportLevel.NO_SUPPORT,
        None,
    ]
    assert [SupportRule().passes(one) for one in SupportLevel] == [True, False, False]
    assert [SupportRule(least=SupportLevel.PARTIALLY).passes(one) for one in SupportLevel] == [
        True,
        True,
        False,
    ]


def test_examples_show_both_labels_and_a_near_miss() -> None:
    assert {one.rating for one in EXAMPLES} == set(Relevance)
    near = next(one for one in EXAMPLES if one.rating is Relevance.IRRELEVANT)
    assert "House" in near.task
    assert "Senate" in near.evidence
    assert all(one.explanation for one in EXAMPLES)


@pytest.mark.parametrize(
    ("relevant", "k", "value"),
    [
        ([True, False, True], 3, (1 + 2 / 3) / 2),
        ([False, True, True], 3, (1 / 2 + 2 / 3) / 2),
        ([False, False, True], 2, 0.0),  # the relevant one is beyond k
        ([False, False], 2, 0.0),
        ([True], 5, 1.0),
    ],
)
def test_context_precision(relevant: list[bool], k: int, value: float) -> None:
    pytest.importorskip("ir_measures", reason="the extra evaluate is not installed")
    found = context_precision(relevant, k)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert (found.judged, found.relevant) == (min(k, len(relevant)), sum(relevant[:k]))


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 40))
def test_context_precision_is_its_formula(relevant: list[bool], k: int) -> None:
    pytest.importorskip("ir_measures", reason="the extra evaluate is not installed")
    top = relevant[:k]
    terms = [Fraction(sum(top[:rank]), rank) for rank, one in enumerate(top, 1) if one]
    expected = sum(terms) / len(terms) if terms else Fraction(0)
    assert context_precision(relevant, k).value == pytest.approx(float(expected), abs=1e-9)


def test_context_precision_of_what_nobody_judged_is_refused() -> None:
    with pytest.raises(EvaluatorError, match="rank 2 is not judged"):
        context_precision([True, None, True], 2)
    with pytest.raises(EvaluatorError, match="k is 0: at least 1 is needed; the list is empty"):
        context_precision([], 0)


def test_strictness_is_a_parameter() -> None:
    half = graded(True, False, False)
    assert Sufficiency().assess(half).verdict == "sufficient"
    strict = Sufficiency(at_least=2).assess(half)
    assert (strict.verdict, strict.because) == (
        "insufficient",
        "1 of 3 candidates are relevant, 2 needed: other_topic",
    )
    with pytest.raises(EvaluatorError, match="AND over no aspects"):
        Sufficiency(rule=Rule.AND, aspects=())


def test_insufficient_needs_one_of_three_grounds() -> None:
    without = [
        {"doc_id": "D1", "relevant": False},
        {"doc_id": "D2", "relevant": False, "ground": "other_error"},
    ]
    question = Graded.model_validate({"id": "Q1", "query": "q", "candidates": without})
    with pytest.raises(EvaluatorError, match="D1 is not relevant, and no ground is given"):
        Sufficiency().assess(question)


@pytest.mark.parametrize("evaluator", EVALUATORS, ids=lambda one: str(one.name))
def test_rows_are_judged_all_or_none_and_faults_named_together(evaluator: Evaluator) -> None:
    with pytest.raises(EvaluatorError) as caught:
        assess_all(evaluator, [graded(None, name="A"), scored(None, name="A"), scored(0.5, name="B")])
    assert caught.value.problems[0] == "rows 1, 2: the id 'A' is used twice"
    assert sum("row 1 (A): " in one for one in caught.value.problems) == 1
    assert sum("row 2 (A): " in one for one in caught.value.problems) == 1


def test_scores_of_the_wrong_direction() -> None:
    crag = Crag(upper=0.6, lower=0.2)
    low = scored(0.1, name="B", direction="lower_is_better")
    with pytest.raises(EvaluatorError) as caught:
        assess_all(crag, [scored(0.9), low])
    assert caught.value.problems == (
        "row 2 (B): these scores are better if lower, and the thresholds are for the other end",
    )


def test_rows_from_json_with_all_faults_at_once() -> None:
    with pytest.raises(EvaluatorError) as caught:
        read_graded(
            [
                {"id": "A", "query": "q", "candidates": []},
                {"id": "B", "query": "q", "candidates": [{"doc_id": "D1"}, {"doc_id": "D1"}]},
                {"id": "C", "query": "q", "candidates": [{"doc_id": "D1", "score": float("nan")}]},
                {"id": "D", "query": "q", "candidates": [{"doc_id": "D1", "relevant": "yes"}]},
                {
                    "id": "E",
                    "query": "q",
                    "candidates": [{"doc_id": "D1", "relevant": False, "ground": "limitation_stated"}],
                },
                {
                    "id": "F",
                    "query": "q",
                    "candidates": [{"doc_id": "D1", "relevant": True, "ground": "other_topic"}],
                },
                "G",
            ]
        )
    problems = caught.value.problems
    assert [int(one.split()[1].rstrip(":")) for one in problems] == [1, 2, 3, 4, 5, 6, 7]
    for problem, said in zip(
        problems,
        [
            "there is no candidate",
            "listed twice: D1",
            "finite",
            "boolean",
            "is no ground for 'insufficient'",
            "beside",
            "Graded",
        ],
        strict=True,
    ):
        assert said in problem
    with pytest.raises(EvaluatorError, match="at least one row"):
        read_graded([])


def test_no_action_is_a_refusal() -> None:
    assert not [one for one in Action if "refuse" in one or "abstain" in one or one == "none"]
    assert set(ACTIONS) == set(Flag)


@pytest.mark.parametrize("flags", [[1, 0], ["yes", "no"], [True, "no"], [1.0, 0.0]])
def test_context_precision_takes_true_and_false_alone(flags: Any) -> None:
    with pytest.raises(EvaluatorError, match="neither true nor false"):
        context_precision(flags, 2)


def test_context_precision_takes_the_booleans_of_numpy() -> None:
    pytest.importorskip("ir_measures", reason="the extra evaluate is not installed")
    assert context_precision(list(np.array([False, True])), 2).value == 0.5


def test_too_few_useful_ones_are_no_ground() -> None:
    with pytest.raises(
        EvaluatorError, match="no candidate has one: 3 of 3 candidates are relevant, 5 needed"
    ):
        Sufficiency(at_least=5).assess(graded(True, True, True))


def test_what_is_not_relevant_carries_no_answer() -> None:
    every = ["subject", "wanted_result", "conditions", "procedure"]
    candidate = {"doc_id": "D1", "relevant": False, "ground": "other_topic", "supports": every}
    with pytest.raises(EvaluatorError, match="not relevant, and supports every aspect"):
        read_graded([{"id": "Q1", "query": "Who?", "candidates": [candidate]}])
    (one,) = read_graded(
        [{"id": "Q1", "query": "Who?", "candidates": [{**candidate, "supports": every[:1]}]}]
    )
    found = Sufficiency(rule=Rule.AND, aspects=("subject",)).assess(one)
    assert (found.verdict, found.kept) == ("insufficient", ())


@pytest.mark.parametrize("score", ["0.7", True, float("nan")])
def test_scores_that_are_no_numbers(score: Any) -> None:
    with pytest.raises(EvaluatorError, match=r"row 1: .* is no number"):
        process_flag([score], 1, upper=0.6, lower=0.2)


def test_a_way_with_a_last_group_that_does_not_exist() -> None:
    with pytest.raises(EvaluatorError, match="trailing is 'dorp'"):
        process_flag([0.7], 2, upper=0.6, lower=0.2, trailing="dorp")  # type: ignore[arg-type]
