"""The protocol of all evaluators of retrieved material: scores or grades in, a verdict and its one action out.

An evaluator chooses what to do next and never refuses to answer. Relevance is judged leniently here, absence strictly
elsewhere: that nothing is there is said by docaudit's audit alone, after the sweep. A missing grade is never a "no".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Protocol

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from docaudit.abstention.gate import Direction
from docaudit.abstention.ledger.rows import Support
from docaudit.abstention.results import repeated, validated
from docaudit.codes import Code
from docaudit.errors import EvaluatorError
from docaudit.justification import Model


class Ground(Code):
    """Why a candidate does not help; nothing else makes the material insufficient."""

    OTHER_TOPIC = "other_topic", "It is about another subject, product or matter than the question."
    REQUEST_NOT_COVERED = (
        "request_not_covered",
        "The operation, rule or way of checking that was asked for is in no candidate.",
    )
    OTHER_ERROR = "other_error", "It explains another error text or error code than the one in the question."


class NoGround(Code):
    """What made a strict evaluator refuse though the answer was there; refused as a ground, by name."""

    GENERAL_PROCEDURE_ONLY = (
        "general_procedure_only",
        "A general procedure answers; the particular values need not be in it.",
    )
    LIMITATION_STATED = (
        "limitation_stated",
        "A stated limitation ('there is no bulk import') is the answer.",
    )
    REQUIREMENTS_SPLIT = (
        "requirements_split",
        "What several documents say together answers; one need not say it all.",
    )
    CONFIRMATION_QUESTION = (
        "confirmation_question",
        "'Is it right that …' is answered by what the rule says, not by these words.",
    )


def _refuse_no_ground(ground: Any) -> Any:
    if ground in set(NoGround):
        raise ValueError(f"'{ground}' is no ground for 'insufficient': {NoGround(ground).meaning}")
    return ground


class Aspect(StrEnum):
    """What a strict reader wants supported one by one."""

    SUBJECT = "subject"
    RESULT = "wanted_result"
    CONDITIONS = "conditions"
    PROCEDURE = "procedure"


class GradedCandidate(Model):
    """One candidate.

    Attributes:
        doc_id: Which document, page or chunk.
        text: Its text, where an evaluator joins texts.
        reason: Why it was graded so; comes before the grade.
        ground: Why it does not help, if it does not.
        supports: Aspects of the question that it supports; None if nobody looked at them.
        relevant: Whether it gives useful information for the task; None if it was not graded.
        score: Score of an evaluator that is a model; None if there is none.
    """

    doc_id: str = Field(min_length=1)
    text: str = ""
    reason: str = ""
    ground: Annotated[Ground, BeforeValidator(_refuse_no_ground)] | None = None
    supports: tuple[Aspect, ...] | None = None
    relevant: StrictBool | None = None
    score: float | None = Field(default=None, allow_inf_nan=False, strict=True)

    @model_validator(mode="after")
    def _consistent(self) -> GradedCandidate:
        if self.ground is not None and self.relevant is not False:
            raise ValueError("a ground against it stands only beside relevant: false")
        if self.relevant is False and set(self.supports or ()) == set(Aspect):
            raise ValueError("it is not relevant, and supports every aspect")
        return self


class Graded(Model):
    """One question with its candidates.

    Attributes:
        id: Name of the question.
        query: Its text.
        direction: Which end of the scale of the scores is good.
        candidates: Best first; at least one, as an empty group has no grade.
    """

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    direction: Direction = Direction.HIGHER
    candidates: tuple[GradedCandidate, ...]

    @model_validator(mode="after")
    def _each_once(self) -> Graded:
        if not self.candidates:
            raise ValueError("there is no candidate: an empty group has no grade")
        if twice := repeated(candidate.doc_id for candidate in self.candidates):
            raise ValueError(f"candidates are listed twice: {', '.join(twice)}")
        return self


def read_graded(rows: Any) -> tuple[Graded, ...]:
    """Questions from rows of JSON; raises EvaluatorError with every fault, each with its row (from 1)."""
    if not isinstance(rows, list) or not rows:
        raise EvaluatorError("a list with at least one row is needed")
    problems: list[str] = []
    questions = [validated(Graded, row, f"row {number}", problems) for number, row in enumerate(rows, 1)]
    problems += ids_used_twice([(at, question.id) for at, question in enumerate(questions, 1) if question])
    if problems:
        raise EvaluatorError("the grades are refused", problems=tuple(problems))
    return tuple(question for question in questions if question)


def ids_used_twice(numbered: Sequence[tuple[int, str]]) -> list[str]:
    """A fault for each id that several rows have, with the numbers of these rows."""
    return [
        f"rows {', '.join(str(number) for number, other in numbered if other == name)}: the id '{name}' is used twice"
        for name in repeated(name for _, name in numbered)
    ]


class Action(StrEnum):
    """What comes next; whether an answer is given is decided after it was written, by other judges."""

    GENERATE = "generate"
    REFINE_INTERNAL = "refine_internal"
    SEARCH_WEB = "search_web"
    REFINE_AND_SEARCH = "refine_internal_and_search_web"
    REWRITE = "rewrite_and_retrieve"
    REWRITE_AND_SEARCH = "rewrite_and_search_web"


class Assessment(Model):
    """What an evaluator says of one question.

    Attributes:
        question_id: Which.
        evaluator: Name of the evaluator.
        because: What the verdict follows from, as a sentence without its full stop.
        kept: Candidates that go on, best first.
        verdict: One of the evaluator's verdicts.
        action: The one that belongs to the verdict.
    """

    question_id: str
    evaluator: str
    because: str
    kept: tuple[str, ...]
    verdict: str
    action: Action


class Evaluator(Protocol):
    """Judges each candidate by itself and joins the judgements by a rule."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        ...

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """How strict it is, as parameters, never as words of a prompt."""
        ...

    def assess(self, graded: Graded) -> Assessment:
        """Judge one question; raises EvaluatorError if a grade or score that it needs is missing."""
        ...


def assess_all(evaluator: Evaluator, questions: Sequence[Graded]) -> tuple[Assessment, ...]:
    """Judge each question, in order; raises EvaluatorError with the faults of all rows (from 1) at once."""
    problems = ids_used_twice([(number, graded.id) for number, graded in enumerate(questions, 1)])
    assessments = []
    for number, graded in enumerate(questions, 1):
        try:
            assessments.append(evaluator.assess(graded))
        except EvaluatorError as error:
            problems += [f"row {number} ({graded.id}): {fault}" for fault in error.problems or (error.cause,)]
    if problems:
        raise EvaluatorError(f"{evaluator.name} cannot judge these questions", problems=tuple(problems))
    return tuple(assessments)


def grades(graded: Graded) -> tuple[bool, ...]:
    """Whether each candidate is relevant; raises EvaluatorError naming those that nobody graded."""
    missing = [
        f"{candidate.doc_id} is not graded" for candidate in graded.candidates if candidate.relevant is None
    ]
    if missing:
        raise EvaluatorError("grades are missing", problems=tuple(missing))
    return tuple(bool(candidate.relevant) for candidate in graded.candidates)


class Relevance(StrEnum):
    """Usefulness for the task, as Self-RAG defines it, not the same words."""

    RELEVANT = "relevant"
    IRRELEVANT = "irrelevant"


USEFUL = (
    "It gives useful information to complete the task; sharing words or a neighbouring subject is not enough."
)
ONE_AXIS = (
    "Judge by the evidence alone, never by what you know from elsewhere. "
    "Judge only whether the evidence carries the text, not whether the text follows its instructions."
)


class SupportLevel(Code):
    """How far the evidence carries what was written: the three levels of Self-RAG, strongest first."""

    FULLY = "fully_supported", "All that was written is carried by the evidence."
    PARTIALLY = (
        "partially_supported",
        "Some of it is; something that matters is not discussed in the evidence.",
    )
    NO_SUPPORT = (
        "no_support_or_contradictory",
        "The evidence is ignored, about something else, or says the contrary.",
    )


def support_level(support: Support) -> SupportLevel | None:
    """The level of a claim in a ledger; None for a claim that is missing, of which no support can be judged."""
    return {
        Support.FULL: SupportLevel.FULLY,
        Support.PARTIAL: SupportLevel.PARTIALLY,
        Support.NONE: SupportLevel.NO_SUPPORT,
        Support.CONTRADICTED: SupportLevel.NO_SUPPORT,
    }.get(support)


class SupportRule(Model):
    """Which levels pass: strictness as a parameter.

    Attributes:
        least: The lowest level that passes.
    """

    least: SupportLevel = SupportLevel.FULLY

    def passes(self, level: SupportLevel) -> bool:
        """Whether a text of this level may be returned."""
        order = list(SupportLevel)
        return order.index(level) <= order.index(self.least)


class Example(Model):
    """An example for a judge: a task, a passage, and why it is, or is not, useful."""

    task: str
    evidence: str
    explanation: str
    rating: Relevance


EXAMPLES = (
    Example(
        task="How old must one be to become a member of the US House of Representatives?",
        evidence="Nobody may sit in the House of Representatives who is younger than 25 years.",
        explanation="It states the age for the House, which is what the task asks for.",
        rating=Relevance.RELEVANT,
    ),
    Example(
        task="How old must one be to become a member of the US House of Representatives?",
        evidence="To sit in the Senate one must be 30 years old and a citizen for nine years.",
        explanation="It is about the Senate: near, but another body than the task asks about.",
        rating=Relevance.IRRELEVANT,
    ),
)
"""One example for each rating, as a judge shown only one leans to it; the second is near, but about another subject."""
