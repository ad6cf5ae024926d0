"""Five published rules over grades and scores: CRAG, LangGraph and LlamaIndex, Self-RAG's order, OR and AND, Ragas.

Each rule takes what a model or person judged of each candidate; none of them ends without an answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum
from typing import Literal, get_args

from pydantic import Field, model_validator

from docaudit.abstention.evaluators.base import Action, Aspect, Assessment, Graded, grades
from docaudit.abstention.gate import Direction
from docaudit.abstention.results import Given
from docaudit.abstention.topk import average_precision
from docaudit.errors import EvaluatorError
from docaudit.justification import Model


class KeepTheYes(Given):
    """Keep what was graded yes; a no brings in more material and never stops an answer.

    Attributes:
        more: When more material is sought: after any no (corrective RAG of LangGraph and LlamaIndex), or only if
            there is no yes at all (self-reflective RAG of LangGraph).
        action: How it is sought.
    """

    refused = EvaluatorError

    more: Literal["any_no", "no_yes"] = "any_no"
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
        yes = grades(graded)
        enough = all(yes) if self.more == "any_no" else any(yes)
        verdict = "enough" if enough else "more"
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=f"{sum(yes)} of {len(yes)} candidates are relevant",
            kept=tuple(candidate.doc_id for candidate in graded.candidates if candidate.relevant),
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
    enough = all(grades(graded))
    relevant = [candidate for candidate in graded.candidates if candidate.relevant]
    problems = [f"{candidate.doc_id} has no text" for candidate in relevant if not candidate.text]
    if enough and searched is not None:
        problems.append("all candidates are relevant, so that nothing is searched")
    if not enough and searched is None:
        problems.append("a candidate is not relevant, so that a search comes first")
    if problems:
        raise EvaluatorError("the text cannot be put together", problems=tuple(problems))
    relevant_text = "\n".join(candidate.text for candidate in relevant)
    return relevant_text if searched is None else relevant_text + "\n" + "\n".join(searched)


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
    """One flag for each group of n_docs scores in a row, as in CRAG's code of this name: the best of the group (OR).

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
    problems = _wrong_thresholds(upper, lower)
    if n_docs < 1:
        problems.append(f"n_docs is {n_docs}")
    if trailing not in get_args(Trailing):
        problems.append(f"trailing is '{trailing}', and not raise or drop")
    numbers: list[float] = []
    for row, score in enumerate(scores, 1):
        if isinstance(score, int | float) and not isinstance(score, bool) and abs(score) < math.inf:
            numbers.append(score)
        else:
            problems.append(f"row {row}: {'no score' if score is None else f'{score!r:.50} is no number'}")
    left_over = len(scores) % max(n_docs, 1)
    if trailing == "raise" and left_over:
        rows = f"rows {len(scores) - left_over + 1} to {len(scores)}"
        problems.append(f"{rows}: {left_over} scores in the last group, {n_docs} are needed")
    if trailing == "raise" and not scores:
        problems.append("there is no group")
    if problems:
        raise EvaluatorError("no flags can be given", problems=tuple(problems))
    flags = [flag(number, upper, lower) for number in numbers]
    return [max(flags[start : start + n_docs]) for start in range(0, len(flags) - left_over, n_docs)]


def _wrong_thresholds(upper: float, lower: float) -> list[str]:
    # NaN is in no order, so it fails here, too.
    if math.isfinite(upper) and math.isfinite(lower) and lower <= upper:
        return []
    return [f"the lower threshold {lower} and the upper {upper} are not two numbers that ascend"]


class Crag(Given):
    """CRAG's evaluator: a score for each candidate, and one good candidate is enough for the question.

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
        return {verdict.name.lower(): action for verdict, action in ACTIONS.items()}

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """Both thresholds."""
        return {"upper": self.upper, "lower": self.lower}

    def assess(self, graded: Graded) -> Assessment:
        """The best flag of the candidates; those of flag 1 or 2 are kept."""
        if graded.direction is Direction.LOWER:
            raise EvaluatorError("these scores are better if lower, and the thresholds are for the other end")
        flags = {
            candidate.doc_id: flag(candidate.score, self.upper, self.lower)
            for candidate in graded.candidates
            if candidate.score is not None
        }
        missing = [
            f"{candidate.doc_id} has no score"
            for candidate in graded.candidates
            if candidate.doc_id not in flags
        ]
        if missing:
            raise EvaluatorError("scores are missing", problems=tuple(missing))
        best = max(flags.values())
        verdict = best.name.lower()
        reached = list(flags.values()).count(best)
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=f"{reached} of {len(flags)} candidates are {verdict}, none is better",
            kept=tuple(name for name, reached in flags.items() if reached is not Flag.INCORRECT),
            verdict=verdict,
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
        top_n: Pieces at most; None for 3 with "selection", 6 otherwise (CRAG's published values).
    """
    most = (3 if mode == "selection" else 6) if top_n is None else top_n
    problems = [
        f"piece {at}: {score} is no number" for at, score in enumerate(scores, 1) if not math.isfinite(score)
    ]
    if most < 1:
        problems.append(f"top_n is {most}")
    if problems:
        raise EvaluatorError("no pieces can be selected", problems=tuple(problems))
    return tuple(sorted(range(len(scores)), key=lambda place: -scores[place])[:most])


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
    """The steps of LangGraph's self-reflective flow that these grades lead through.

    Documents are graded before an answer is written, the answer after it: first against the documents and, if they
    carry it, against the question. The last step is not DONE if no answer was good.

    Raises:
        EvaluatorError: A draft where no document was relevant, or anything after the flow went on or was done.
    """
    if not rounds:
        raise EvaluatorError("there is no round")
    path: list[Step] = []
    for number, graded_round in enumerate(rounds, 1):
        if path and path[-1] is not Step.REWRITE:
            raise EvaluatorError(f"round {number}: nothing was rewritten before it")
        path += [Step.RETRIEVE, Step.GRADE_DOCUMENTS]
        if not any(graded_round.documents):
            if graded_round.drafts:
                raise EvaluatorError(f"round {number}: no document was relevant, and an answer was written")
            path.append(Step.REWRITE)
        for place, draft in enumerate(graded_round.drafts, 1):
            path += [Step.GENERATE, Step.GRADE_HALLUCINATIONS]
            if draft.grounded:
                path += [Step.GRADE_ANSWER, Step.DONE if draft.answers else Step.REWRITE]
                if place < len(graded_round.drafts):
                    raise EvaluatorError(
                        f"round {number}: an answer was written after draft {place} was decided on"
                    )
    return tuple(path)


class Rule(StrEnum):
    """How judgements on candidates are joined."""

    OR = "or"
    AND = "and"


class Sufficiency(Given):
    """Is the material enough? "Insufficient" seeks more material, it does not refuse.

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
        aspects = ", ".join(self.aspects)
        return {"rule": self.rule.value, "aspects": aspects, "in_one": str(self.in_one).lower()}

    def assess(self, graded: Graded) -> Assessment:
        """Whether the candidates are enough; raises EvaluatorError if what the rule needs was not graded."""
        enough, because = self._by_or(graded) if self.rule is Rule.OR else self._by_and(graded)
        verdict = "sufficient" if enough else "insufficient"
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=because,
            kept=tuple(
                candidate.doc_id for candidate in graded.candidates if candidate.relevant is not False
            ),
            verdict=verdict,
            action=self.actions[verdict],
        )

    def _by_or(self, graded: Graded) -> tuple[bool, str]:
        useful = sum(grades(graded))
        because = f"{useful} of {len(graded.candidates)} candidates are relevant, {self.at_least} needed"
        if useful >= self.at_least:
            return True, because
        useless = [candidate for candidate in graded.candidates if not candidate.relevant]
        without = [candidate.doc_id for candidate in useless if candidate.ground is None]
        if without:
            raise EvaluatorError(
                "'insufficient' needs a ground",
                problems=tuple(f"{name} is not relevant, and no ground is given" for name in without),
            )
        if not useless:  # too few useful ones is none of the three grounds
            raise EvaluatorError(f"'insufficient' needs a ground, and no candidate has one: {because}")
        grounds = dict.fromkeys(candidate.ground.value for candidate in useless if candidate.ground)
        return False, f"{because}: {', '.join(grounds)}"

    def _by_and(self, graded: Graded) -> tuple[bool, str]:
        missing = [
            f"the aspects of {candidate.doc_id} are not graded"
            for candidate in graded.candidates
            if candidate.supports is None
        ]
        if missing:
            raise EvaluatorError("grades are missing", problems=tuple(missing))
        needed = set(self.aspects)
        # What is not relevant is not kept, so it cannot be what the answer rests on.
        supported = [
            needed & set(candidate.supports or ()) if candidate.relevant is not False else set()
            for candidate in graded.candidates
        ]
        best = max(supported, key=len) if self.in_one else set().union(*supported)
        lacking = [aspect.value for aspect in Aspect if aspect in needed - best]
        where = "in one candidate" if self.in_one else "in all candidates together"
        because = f"{len(best)} of {len(needed)} aspects are supported {where}"
        return not lacking, f"{because}, not {', '.join(lacking)}" if lacking else because


class ContextPrecision(Model):
    """Context precision of one ranked list.

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
    """Ragas' context precision at k of yes and no, best first: average precision with only the top k judged.

    Raises:
        EvaluatorError: k is below 1, the list is empty, or one of the top k is not judged, true or false; all at once.
        ModelError: ir_measures is not installed.
    """
    top = list(relevant[: max(k, 0)])
    problems = [f"rank {rank} is not judged" for rank, useful in enumerate(top, 1) if useful is None]
    problems += [
        f"rank {rank}: {useful!r} is neither true nor false"
        for rank, useful in enumerate(top, 1)
        if useful is not None
        and type(useful).__name__ not in ("bool", "bool_")  # numpy's own is bool_ or bool
    ]
    if k < 1:
        problems.append(f"k is {k}: at least 1 is needed")
    if not relevant:
        problems.append("the list is empty")
    if problems:
        raise EvaluatorError("context precision is not defined", problems=tuple(problems))
    flags = [bool(useful) for useful in top]
    return ContextPrecision(k=k, judged=len(flags), relevant=sum(flags), value=average_precision(flags))
