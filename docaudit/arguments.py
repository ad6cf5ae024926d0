"""What callers hand to the library's functions: a wrong kind of thing is refused by name, before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docaudit.concepts import ConceptTable
from docaudit.errors import (
    ConceptTableError,
    MissingEvidenceError,
    OptionError,
    QuestionError,
    RetrievalError,
)
from docaudit.justification import AbsenceJustification
from docaudit.parsed import ParsedDocument, SweepResult
from docaudit.retrieved import RetrievedChunk


def need_table(table: Any) -> ConceptTable:
    """The concept table; raises ConceptTableError for anything else, and for one in which nothing is accepted."""
    if isinstance(table, ConceptTable):
        if not table.active:
            raise ConceptTableError(
                "no variant of the concept table is accepted, so nothing would be searched",
                remedy="accept at least one",
            )
        return table
    raise ConceptTableError(
        f"a ConceptTable is needed, not {_kind(table)}",
        remedy="make one with ConceptTable.load, from_dataframe or from_variants",
    )


def need_question(question: Any) -> str | None:
    """The question, or None; raises QuestionError for anything but text."""
    if question is None:
        return None
    if not isinstance(question, str):
        raise QuestionError(
            f"the question is {_kind(question)}, not text", remedy="pass it as a str, or None"
        )
    try:
        question.encode("utf-8")
    except UnicodeEncodeError as error:
        raise QuestionError(
            f"the question has a broken character at position {error.start + 1}",
            remedy="write it again; on a terminal, use UTF-8",
        ) from error
    return question


def need_parsed(parsed: Any) -> ParsedDocument:
    """The parsed document; raises MissingEvidenceError for anything else."""
    if isinstance(parsed, ParsedDocument):
        return parsed
    raise MissingEvidenceError("parsing", f"a ParsedDocument is needed, not {_kind(parsed)}")


def need_result(result: Any) -> SweepResult:
    """The result of a sweep; raises MissingEvidenceError for anything else."""
    if isinstance(result, SweepResult):
        return result
    raise MissingEvidenceError("sweep", f"a SweepResult is needed, not {_kind(result)}")


def need_justification(justification: Any) -> AbsenceJustification:
    """The justification; raises MissingEvidenceError for anything else."""
    if isinstance(justification, AbsenceJustification):
        return justification
    raise MissingEvidenceError(
        "explanation", f"an AbsenceJustification is needed, not {_kind(justification)}"
    )


def need_chunks(retrieved: Any) -> tuple[RetrievedChunk, ...] | None:
    """What a retriever gave, or None; raises RetrievalError for anything but a sequence of RetrievedChunk."""
    if retrieved is None:
        return None
    if not isinstance(retrieved, Sequence) or isinstance(retrieved, (str, bytes)):
        raise RetrievalError(
            f"a sequence of RetrievedChunk is needed, not {_kind(retrieved)}", remedy="pass a list, or None"
        )
    wrong = [
        f"chunk {number} is {_kind(chunk)}"
        for number, chunk in enumerate(retrieved, 1)
        if not isinstance(chunk, RetrievedChunk)
    ]
    if wrong:
        raise RetrievalError(
            "not every chunk is a RetrievedChunk",
            problems=tuple(wrong),
            remedy="make each by RetrievedChunk(text=..., pages=..., id=...)",
        )
    return tuple(retrieved)


def need_progress(progress: Any) -> Any:
    """A function, or None; raises OptionError for anything else."""
    if progress is None or callable(progress):
        return progress
    raise OptionError(
        f"progress is {_kind(progress)}, not a function", remedy="pass a function of two numbers"
    )


def _kind(thing: Any) -> str:
    if thing is None:
        return "None"
    return f"the class {thing.__name__}" if isinstance(thing, type) else type(thing).__name__
