"""The 20 tests of grounded answers: what each sets up and passes by, and the score of a tool that was run against them.

`samples/twenty-tests` holds invented documents, one question for each test and the outcome that each expects. A tool
reads documents and questions and writes one line for each question; `score` says pass or fail for each test:

    python -m docaudit.abstention.ledger.twenty_tests samples/twenty-tests answers.jsonl
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeVar

import click
from pydantic import BaseModel, Field, ValidationError

from docaudit.abstention.ledger.read import ineligible
from docaudit.abstention.ledger.rows import Behaviour, Identity, Layer, LedgerDocument, Name
from docaudit.abstention.results import faults, json_value, repeated
from docaudit.errors import LedgerError
from docaudit.justification import Model

BLOCKS = {
    1: "The question and its evidence",
    2: "Version, structure, answerability",
    3: "Insufficient, conflicting and restricted evidence",
    4: "Isolation, instructions, retrieval under attack",
    5: "Citations, faithfulness, operations",
}


class TwentyTest(Model):
    """One of the 20 tests.

    Attributes:
        number: 1 to 20.
        name: Its name.
        fixture: What a case of it contains.
        passes: What passes.
        diagnosis: Where to look if it fails.
        layers: Layers that it tries, the first one first.
    """

    number: int
    name: str
    fixture: str
    passes: str
    diagnosis: str
    layers: tuple[Layer, ...]

    @property
    def block(self) -> int:
        """The block of four that it belongs to, 1 to 5."""
        return (self.number - 1) // 4 + 1


TESTS: tuple[TwentyTest, ...] = tuple(
    TwentyTest.model_validate_json(line)
    for line in files(__package__).joinpath("twenty_tests.jsonl").read_text("utf-8").splitlines()
)
NEGATIVE_TESTS = (5, 6, 7, 8, 9, 10, 12, 13, 14)
"""Tests whose absence leaves only easy questions: retired, structure, long, absent, partial, conflict, role, tenant,
injection."""

TestNumber = Field(ge=1, le=20)


class FixtureDocument(LedgerDocument):
    """A document of the fixtures: a row of documents.jsonl of a ledger, and the file with its text.

    Attributes:
        file: Name of the text file beside documents.jsonl; its paragraphs are the passages p1, p2, ... in order.
    """

    file: Name


class FixtureQuestion(Model):
    """A question that the tool is asked.

    Attributes:
        test: Number of the test.
        question: What is asked.
        identity: Who asks; documents of other tenants and roles must stay out.
        as_of: Day for which it is asked.
        seconds: Time within which the answer is needed.
    """

    test: int = TestNumber
    question: str = Field(min_length=1)
    identity: Identity
    as_of: date
    seconds: float = Field(gt=0)


class PassageRef(Model):
    """A passage of a document that an answer cites or that the model was sent."""

    document: Name
    passage: Name


class ToolAnswer(Model):
    """A line of the tool's answers.

    Attributes:
        test: Number of the test.
        behaviour: What the tool did.
        text: Everything that the user is shown: answer, or what could not be confirmed, and the next step.
        citations: What is cited.
        context: What was sent to the model.
        seconds: Time from question to answer.
    """

    test: int = TestNumber
    behaviour: Behaviour
    text: str
    citations: tuple[PassageRef, ...] = ()
    context: tuple[PassageRef, ...]
    seconds: float = Field(ge=0, allow_inf_nan=False)


class ExpectedOutcome(Model):
    """What passes a test.

    Attributes:
        test: Number of the test.
        behaviour: The behaviours of which one is right.
        says: Patterns (regular expressions, any case) that the text must have, each.
        never_says: Patterns that it must not have: invented, retired, restricted, of another tenant, out of order.
        cites: Passages of which each must be cited, where facts are stated.
        sends: Passages of which each must be in the context, where facts are stated.
        never_cites: Passages that may be in the context, and carry nothing of the answer.
        never_touches: Documents that must be neither sent nor cited.
    """

    test: int = TestNumber
    behaviour: tuple[Behaviour, ...] = Field(min_length=1)
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    cites: tuple[PassageRef, ...] = ()
    sends: tuple[PassageRef, ...] = ()
    never_cites: tuple[PassageRef, ...] = ()
    never_touches: tuple[Name, ...] = ()


class FixtureOutcome(Model):
    """Pass or fail of one test.

    Attributes:
        test: Number of the test.
        name: Its name.
        outcome: `pass`, or `fail`; a question without an answer fails.
        reasons: Why it fails; empty if it passes.
        diagnosis: Where to look if it fails.
    """

    test: int
    name: str
    outcome: Literal["pass", "fail"]
    reasons: tuple[str, ...]
    diagnosis: str


RowT = TypeVar("RowT", bound=BaseModel)


def read_lines(path: Path, model: type[RowT]) -> tuple[RowT, ...]:
    """The rows of a JSON Lines file; raises LedgerError with every fault, each with its row."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise LedgerError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    rows: list[RowT] = []
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            json_value(line)
            rows.append(model.model_validate_json(line, strict=True))
        except ValidationError as error:
            problems += [f"row {number}: {fault}" for fault in faults(error)]
        except ValueError as error:
            problems.append(f"row {number}: {error}")
    if problems or not rows:
        raise LedgerError(
            "has rows that are none", file=str(path), problems=tuple(problems or ["it has no row"])
        )
    return tuple(rows)


def passages_of(folder: Path, document: FixtureDocument) -> dict[str, str]:
    """Text of each passage of a document, by its name: the paragraphs of the file, in order."""
    text = (folder / document.file).read_text("utf-8")
    return dict(zip(document.passages, re.split(r"\n\s*\n", text.strip()), strict=True))


def score(folder: str | Path, answers: str | Path) -> tuple[FixtureOutcome, ...]:
    """Pass or fail of each of the 20 tests.

    Args:
        folder: The fixtures: documents.jsonl, questions.jsonl, expected.jsonl.
        answers: File of the tool's answers, one ToolAnswer a line.

    Raises:
        LedgerError: A file cannot be read, has a row that is none, or two answers to one question.
    """
    fixtures = Path(folder)
    documents = {row.document_id: row for row in read_lines(fixtures / "documents.jsonl", FixtureDocument)}
    questions = {row.test: row for row in read_lines(fixtures / "questions.jsonl", FixtureQuestion)}
    expected = {row.test: row for row in read_lines(fixtures / "expected.jsonl", ExpectedOutcome)}
    rows = read_lines(Path(answers), ToolAnswer)
    if twice := repeated(str(row.test) for row in rows):
        raise LedgerError("answers a test twice", file=str(answers), problems=tuple(twice))
    given = {row.test: row for row in rows}
    outcomes = []
    for test in TESTS:
        answer = given.get(test.number)
        reasons = (
            _faults_of(answer, expected[test.number], questions[test.number], documents)
            if answer
            else ["there is no answer"]
        )
        outcomes.append(
            FixtureOutcome(
                test=test.number,
                name=test.name,
                outcome="fail" if reasons else "pass",
                reasons=tuple(reasons),
                diagnosis=test.diagnosis,
            )
        )
    return tuple(outcomes)


def _faults_of(
    answer: ToolAnswer,
    expected: ExpectedOutcome,
    question: FixtureQuestion,
    documents: dict[str, FixtureDocument],
) -> list[str]:
    reasons = []
    if answer.behaviour not in expected.behaviour:
        right = " or ".join(behaviour.value for behaviour in expected.behaviour)
        reasons.append(f"did {answer.behaviour.value}, and {right} is right")
    reasons += [f"does not say {said!r}" for said in expected.says if not _says(answer, said)]
    reasons += [f"says {said!r}" for said in expected.never_says if _says(answer, said)]
    if answer.behaviour.claims_evidence:
        for what, needed, places in (
            ("cited", expected.cites, answer.citations),
            ("sent to the model", expected.sends, answer.context),
        ):
            reasons += [
                f"{place.document} {place.passage} is not {what}" for place in needed if place not in places
            ]
        if not answer.citations:
            reasons.append("states facts without any citation")
    reasons += [
        f"cites {place.document} {place.passage}, which carries nothing of the answer"
        for place in expected.never_cites
        if place in answer.citations
    ]
    for what, places in (("cites", answer.citations), ("sends", answer.context)):
        for place in dict.fromkeys(places):
            document = documents.get(place.document)
            why = [reason.value for reason in ineligible(document, question.identity, question.as_of)]
            if document is not None and place.passage not in document.passages:
                why.append("without such a passage")
            if not why and place.document in expected.never_touches:
                why.append("not to be touched here")
            if why:
                reasons.append(f"{what} {place.document} {place.passage}, which is {' and '.join(why)}")
    reasons += [
        f"cites {place.document} {place.passage}, which the model was not sent"
        for place in answer.citations
        if place not in answer.context
    ]
    if answer.seconds > question.seconds:
        reasons.append(f"took {answer.seconds:g} s, and {question.seconds:g} s are allowed")
    return reasons


def _says(answer: ToolAnswer, pattern: str) -> bool:
    return re.search(pattern, answer.text, re.IGNORECASE) is not None


def main(arguments: Sequence[str]) -> int:
    """Print pass or fail of each test; 0 if all pass, 1 if one fails, 2 for an error."""
    if len(arguments) != 2:
        click.echo("usage: python -m docaudit.abstention.ledger.twenty_tests FOLDER ANSWERS", err=True)
        return 2
    try:
        outcomes = score(*arguments)
    except LedgerError as error:
        click.echo(str(error), err=True)
        return 2
    for test in outcomes:
        click.echo(f"{test.outcome}  {test.test:2} {test.name}")
        for reason in test.reasons:
            click.echo(f"         {reason}")
        if test.reasons:
            click.echo(f"         look at: {test.diagnosis}")
    passed = sum(test.outcome == "pass" for test in outcomes)
    click.echo(f"{passed} of {len(outcomes)} tests passed")
    return int(passed < len(outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
