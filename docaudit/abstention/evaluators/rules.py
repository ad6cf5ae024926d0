"""Yes or no for each document: the yes are kept, and a no brings in more material; it never stops an answer.

Corrective RAG: a score for each document, two thresholds, and one good document is enough for the question.

After `process_flag` and the preparation of internal knowledge in the published code of CRAG.

The order of LangGraph's self-reflective flow: three graders, each asked for one thing, and a rewriter of its own.

Documents are graded before an answer is written, the answer after it: first against the documents, and only if they
carry it, against the question. "Cannot be answered" is never said by the grader of documents.

Is the material enough? One useful candidate (OR), or every aspect supported (AND): strictness is a parameter.

Context precision at K: how early useful passages stand. Average precision, with only the top K judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum, StrEnum
from numbers import Real
from typing import Literal, get_args

from pydantic import Field, model_validator

from docaudit.abstention.evaluators.base import Action, Aspect, Assessment, Graded, grades
from docaudit.abstention.gate import Direction
from docaudit.abstention.results import Given
from docaudit.abstention.topk import average_precision
from docaudit.errors import EvaluatorError
from docaudit.justification import Model

AfterNo = Literal["any_no", "no_yes"]


class KeepTheYes(Given):
    """Keep what was graded yes.

    Attributes:
        more: When more material is sought: after any no (corrective RAG of LangGraph and LlamaIndex), or only if
            there is no yes at all (self-reflective RAG of LangGraph).
        action: How it is sought.
    """

    refused = EvaluatorError

    more: AfterNo = "any_no"
    action: Literal[Action.REWRITE_AND_SEARCH, Action.REWRITE] = Action.REWRITE_AND_SEARCH

    @property
    def name(self) -> str:
        """What it is called."""
        return f"keep_the_yes ({self.more})"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        return {"enough": Action.GENERATE, "more": self.action}

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """When more material is sought."""
        return {"more": self.more}

    def assess(self, graded: Graded) -> Assessment:
        """What is kept, and whether more is sought."""
        said = grades(graded)
        more = not all(said) if self.more == "any_no" else not any(said)
        verdict = "more" if more else "enough"
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=f"{sum(said)} of {len(said)} candidates are relevant",
            kept=tuple(one.doc_id for one in graded.candidates if one.relevant),
            verdict=verdict,
            action=self.actions[verdict],
        )


def corrected_text(graded: Graded, searched: Sequence[str] | None = None) -> str:
    """The text that goes to the model in LlamaIndex's corrective flow: relevant text, a line end, text of the search.

    Args:
        graded: With the texts of its candidates.
        searched: What the search for the rewritten question found; None if none was made, because all were relevant.

    Raises:
        EvaluatorError: A grade or text is missing, or a search was made without need, or not made though needed.
    """
    said = grades(graded)
    problems = [f"{one.doc_id} has no text" for one in graded.candidates if one.relevant and not one.text]
    if all(said) and searched is not None:
        problems.append("all candidates are relevant, so that nothing is searched")
    if not all(said) and searched is None:
        problems.append("a candidate is not relevant, so that a search comes first")
    if problems:
        raise EvaluatorError("the text cannot be put together", problems=tuple(problems))
    relevant = "\n".join(one.text for one in graded.candidates if one.relevant)
    return relevant if searched is None else relevant + "\n" + "\n".join(searched)


Trailing = Literal["raise", "drop"]
"""A last group with fewer than n_docs scores: an error, or dropped without a word as the published code does."""


class Flag(IntEnum):
    """What a score, or a group of them, comes to."""

    INCORRECT = 0
    AMBIGUOUS = 1
    CORRECT = 2


ACTIONS = {
    Flag.CORRECT: Action.REFINE_INTERNAL,
    Flag.AMBIGUOUS: Action.REFINE_AND_SEARCH,
    Flag.INCORRECT: Action.SEARCH_WEB,
}


def flag(score: float, upper: float, lower: float) -> Flag:
    """One score; equal to a threshold counts as reached."""
    if score >= upper:
        return Flag.CORRECT
    return Flag.AMBIGUOUS if score >= lower else Flag.INCORRECT


def process_flag(
    scores: Sequence[float | None], n_docs: int, upper: float, lower: float, *, trailing: Trailing = "raise"
) -> list[Flag]:
    """One flag for each group of n_docs scores in a row: the best of the group (OR).

    Args:
        scores: Of all documents of all questions, question after question.
        n_docs: Documents for each question.
        upper: From here on correct.
        lower: From here on ambiguous.
        trailing: What becomes of a last group that is not full.

    Raises:
        EvaluatorError: Scores that are no numbers, no scores, a last group that is not full, thresholds or n_docs
            that make no sense; all at once, scores with their row from 1.
    """
    problems = [*_wrong_thresholds(upper, lower), *([] if n_docs >= 1 else [f"n_docs is {n_docs}"])]
    problems += [] if trailing in get_args(Trailing) else [f"trailing is '{trailing}', and not raise or drop"]
    problems += [
        f"row {row}: {'no score' if score is None else f'{score!r:.50} is no number'}"
        for row, score in enumerate(scores, 1)
        if not _is_number(score)
    ]
    left_over = len(scores) % n_docs if n_docs >= 1 else 0
    if trailing == "raise":
        if left_over:
            first = len(scores) - left_over + 1
            problems.append(
                f"rows {first} to {len(scores)}: {left_over} scores in the last group, {n_docs} are needed"
            )
        if not scores:
            problems.append("there is no group")
    if problems:
        raise EvaluatorError("no flags can be given", problems=tuple(problems))
    flags = [flag(score, upper, lower) for score in scores if score is not None]
    return [max(flags[at : at + n_docs]) for at in range(0, len(flags) - left_over, n_docs)]


def _is_number(score: object) -> bool:
    """Whether it is a finite number; whole ones beyond all floats are none."""
    if isinstance(score, bool) or not isinstance(score, Real):
        return False
    try:
        return math.isfinite(score)
    except OverflowError:
        return False


def _wrong_thresholds(upper: float, lower: float) -> list[str]:
    # NaN is in no order, so it fails here, too.
    good = math.isfinite(upper) and math.isfinite(lower) and lower <= upper
    return (
        [] if good else [f"the lower threshold {lower} and the upper {upper} are not two numbers that ascend"]
    )


class Crag(Given):
    """The evaluator.

    Attributes:
        upper: From here on a document is correct.
        lower: From here on it is ambiguous.
    """

    refused = EvaluatorError

    upper: float
    lower: float

    @model_validator(mode="after")
    def _ascend(self) -> Crag:
        for problem in _wrong_thresholds(self.upper, self.lower):
            raise ValueError(problem)
        return self

    @property
    def name(self) -> str:
        """What it is called."""
        return "crag"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        return {one.name.lower(): action for one, action in ACTIONS.items()}

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """Both thresholds."""
        return {"upper": self.upper, "lower": self.lower}

    def assess(self, graded: Graded) -> Assessment:
        """The best flag of the candidates; those of flag 1 or 2 are kept."""
        if graded.direction is Direction.LOWER:
            raise EvaluatorError("these scores are better if lower, and the thresholds are for the other end")
        missing = [f"{one.doc_id} has no score" for one in graded.candidates if one.score is None]
        if missing:
            raise EvaluatorError("scores are missing", problems=tuple(missing))
        flags = {
            one.doc_id: flag(one.score, self.upper, self.lower)
            for one in graded.candidates
            if one.score is not None
        }
        best = max(flags.values())
        reached = sum(one is best for one in flags.values())
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=f"{reached} of {len(flags)} candidates are {best.name.lower()}, none is better",
            kept=tuple(name for name, one in flags.items() if one is not Flag.INCORRECT),
            verdict=best.name.lower(),
            action=ACTIONS[best],
        )


def select_strips(
    scores: Sequence[float],
    mode: Literal["selection", "fixed_num", "excerption"],
    *,
    top_n: int | None = None,
) -> tuple[int, ...]:
    """Places of the pieces of a document that are put together again, best first; equal scores in their order.

    Args:
        scores: Score of each piece.
        mode: How the document was cut; the published default of top_n hangs on it.
        top_n: Pieces at most; None for 3 with "selection", 6 otherwise.
    """
    problems = [
        f"piece {at}: {one} is no number" for at, one in enumerate(scores, 1) if not math.isfinite(one)
    ]
    most = (3 if mode == "selection" else 6) if top_n is None else top_n
    problems += [f"top_n is {most}"] if most < 1 else []
    if problems:
        raise EvaluatorError("no pieces can be selected", problems=tuple(problems))
    return tuple(sorted(range(len(scores)), key=lambda at: -scores[at])[:most])


class Step(StrEnum):
    """What is done, by whom: three graders, a generator, a rewriter, a retriever."""

    RETRIEVE = "retrieve"
    GRADE_DOCUMENTS = "grade_documents"
    GENERATE = "generate"
    GRADE_HALLUCINATIONS = "grade_hallucinations"
    GRADE_ANSWER = "grade_answer"
    REWRITE = "rewrite_question"
    DONE = "done"


class Draft(Given):
    """One answer that was written.

    Attributes:
        grounded: Whether the documents carry it.
        answers: Whether it answers the question; None exactly if it is not grounded, as nobody asks then.
    """

    refused = EvaluatorError

    grounded: bool
    answers: bool | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Draft:
        if self.grounded != (self.answers is not None):
            raise ValueError(
                "an answer is graded against the question if, and only if, the documents carry it"
            )
        return self


class Round(Given):
    """One retrieval and what followed from it.

    Attributes:
        documents: Whether each document is relevant.
        drafts: Answers written from the relevant ones; one that is not grounded is written again.
    """

    refused = EvaluatorError

    documents: tuple[bool, ...] = Field(min_length=1)
    drafts: tuple[Draft, ...] = ()


def steps(rounds: Sequence[Round]) -> tuple[Step, ...]:
    """The steps that these grades lead through; without DONE at the end if no answer was good.

    Raises:
        EvaluatorError: A draft where no document was relevant, or anything after the flow went on or was done.
    """
    if not rounds:
        raise EvaluatorError("there is no round")
    found: list[Step] = []
    for number, one in enumerate(rounds, 1):
        if found and found[-1] is not Step.REWRITE:
            raise EvaluatorError(f"round {number}: nothing was rewritten before it")
        found += _round(number, one)
    return tuple(found)


def _round(number: int, one: Round) -> Iterator[Step]:
    yield from (Step.RETRIEVE, Step.GRADE_DOCUMENTS)
    if not any(one.documents):
        if one.drafts:
            raise EvaluatorError(f"round {number}: no document was relevant, and an answer was written")
        yield Step.REWRITE
        return
    for place, draft in enumerate(one.drafts, 1):
        yield from (Step.GENERATE, Step.GRADE_HALLUCINATIONS)
        if draft.grounded:
            yield from (Step.GRADE_ANSWER, Step.DONE if draft.answers else Step.REWRITE)
            if place < len(one.drafts):
                raise EvaluatorError(
                    f"round {number}: an answer was written after draft {place} was decided on"
                )


class Rule(StrEnum):
    """How judgements on candidates are joined."""

    OR = "or"
    AND = "and"


class Sufficiency(Given):
    """The evaluator; "insufficient" seeks more material, it does not refuse.

    Attributes:
        rule: OR over candidates that are relevant, or AND over aspects that are supported.
        at_least: Relevant candidates that OR needs.
        aspects: Aspects that AND needs.
        in_one: Whether one candidate must support all of them; this refuses answers that stand in two documents.
    """

    refused = EvaluatorError

    rule: Rule = Rule.OR
    at_least: int = Field(default=1, ge=1)
    aspects: tuple[Aspect, ...] = tuple(Aspect)
    in_one: bool = True

    @model_validator(mode="after")
    def _something_is_needed(self) -> Sufficiency:
        if self.rule is Rule.AND and not self.aspects:
            raise ValueError("AND over no aspects is always true")
        return self

    @property
    def name(self) -> str:
        """What it is called."""
        return f"sufficiency ({self.rule.value})"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        return {"sufficient": Action.GENERATE, "insufficient": Action.REWRITE_AND_SEARCH}

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """The rule and what it needs."""
        if self.rule is Rule.OR:
            return {"rule": self.rule.value, "at_least": self.at_least}
        wanted = ", ".join(self.aspects)
        return {"rule": self.rule.value, "aspects": wanted, "in_one": str(self.in_one).lower()}

    def assess(self, graded: Graded) -> Assessment:
        """Whether the candidates are enough; raises EvaluatorError if what the rule needs was not graded."""
        enough, because = self._any(graded) if self.rule is Rule.OR else self._all(graded)
        verdict = "sufficient" if enough else "insufficient"
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=because,
            kept=tuple(one.doc_id for one in graded.candidates if one.relevant is not False),
            verdict=verdict,
            action=self.actions[verdict],
        )

    def _any(self, graded: Graded) -> tuple[bool, str]:
        useful = sum(grades(graded))
        because = f"{useful} of {len(graded.candidates)} candidates are relevant, {self.at_least} needed"
        if useful >= self.at_least:
            return True, because
        without = [one.doc_id for one in graded.candidates if not one.relevant and one.ground is None]
        if without:
            raise EvaluatorError(
                "'insufficient' needs a ground",
                problems=tuple(f"{name} is not relevant, and no ground is given" for name in without),
            )
        grounds = dict.fromkeys(one.ground.value for one in graded.candidates if one.ground is not None)
        if not grounds:  # too few useful ones is none of the three grounds
            raise EvaluatorError(f"'insufficient' needs a ground, and no candidate has one: {because}")
        return False, f"{because}: {', '.join(grounds)}"

    def _all(self, graded: Graded) -> tuple[bool, str]:
        missing = [
            f"the aspects of {one.doc_id} are not graded" for one in graded.candidates if one.supports is None
        ]
        if missing:
            raise EvaluatorError("grades are missing", problems=tuple(missing))
        wanted = set(self.aspects)
        # What is not relevant is not kept, so it cannot be what the answer rests on.
        supported = [
            wanted & set(one.supports or ()) if one.relevant is not False else set()
            for one in graded.candidates
        ]
        best = max(supported, key=len) if self.in_one else set().union(*supported)
        lacking = [one.value for one in Aspect if one in wanted - best]
        where = "in one candidate" if self.in_one else "in all candidates together"
        because = f"{len(best)} of {len(wanted)} aspects are supported {where}"
        return not lacking, f"{because}, not {', '.join(lacking)}" if lacking else because


class ContextPrecision(Model):
    """Of one ranked list.

    Attributes:
        k: How far down it was looked at.
        judged: Passages looked at; fewer than k if the list is shorter.
        relevant: Of these, useful ones.
        value: Mean of the precision at each useful one; 0 if none is.
    """

    k: int
    judged: int
    relevant: int
    value: float


def context_precision(relevant: Sequence[bool | None], k: int) -> ContextPrecision:
    """Context precision at k of yes and no, best first.

    Raises:
        EvaluatorError: k is below 1, the list is empty, or one of the top k is not judged, true or false; all at once.
        ModelError: ir_measures is not installed.
    """
    top = list(relevant[: max(k, 0)])
    problems = [f"rank {rank} is not judged" for rank, one in enumerate(top, 1) if one is None]
    problems += [
        f"rank {rank}: {one!r} is neither true nor false"
        for rank, one in enumerate(top, 1)
        if one is not None and type(one).__name__ not in ("bool", "bool_")  # numpy's own is bool_ or bool
    ]
    problems += [f"k is {k}: at least 1 is needed"] if k < 1 else []
    problems += ["the list is empty"] if not relevant else []
    if problems:
        raise EvaluatorError("context precision is not defined", problems=tuple(problems))
    flags = [bool(one) for one in top]
    return ContextPrecision(k=k, judged=len(flags), relevant=sum(flags), value=average_precision(flags))
