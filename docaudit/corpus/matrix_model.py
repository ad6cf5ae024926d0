"""The model of documents by concepts: findings, and of how much of each document."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from docaudit.corpus.unfinished import Unfinished


class Outcome(StrEnum):
    """What became of a document in an audit: a finding, or that there is none."""

    MENTIONED = "mentioned"
    ABSENT = "absent_within_coverage"
    NOT_ESTABLISHED = "not_established"
    ERROR = "error"
    NOT_RUN = "not_run"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Heading(_Frozen):
    """A concept of a table.

    Attributes:
        name: Its name.
        role: required or context.
    """

    name: str
    role: str


class Cell(_Frozen):
    """One concept in one document: what an audit of this concept alone finds.

    Attributes:
        finding: Its finding.
        strength: Its strength; empty without a finding.
        unmet: Its unmet obligations, by code.
        hits: Occurrences, possible ones left out.
        possible_hits: Possible occurrences.
        pages_with_hits: Pages on which they begin.
        pages_searched: Pages whose text every variant of it was matched against.
        pages_not_searchable: Pages with no text to match against, blank ones included.
    """

    finding: Outcome
    strength: str = ""
    unmet: tuple[str, ...] = ()
    hits: int = 0
    possible_hits: int = 0
    pages_with_hits: int = 0
    pages_searched: int = 0
    pages_not_searchable: int = 0


class Entry(_Frozen):
    """One document in one audit.

    Attributes:
        sha256: The document.
        name: Its file name when it was read.
        paths: Where it lies; none if it is in no source any more, or the store knows no paths.
        gone: It is in no source any more.
        finding: The finding of the whole table.
        reason: Its AbsenceReason; empty if there is none.
        strength: Its strength; empty without a finding.
        unmet: Unmet obligations, by code.
        waived: Waived obligations, by code.
        explanation: The finding as a sentence.
        pages_total: Pages of the document.
        pages_read: Pages of which a line was read.
        ink_read_share: Ink under text that was read, of all ink; None if not measured.
        blind_spots: Regions and parts that were not read and may hold text.
        failure: Why there is no finding, a FailureCode; empty if there is one.
        detail: What happened, as a sentence; empty if nothing failed.
        justification: Path of the justification, from the store; empty if there is none.
        cells: One for each concept, in the order of the headings.
    """

    sha256: str
    name: str
    paths: tuple[str, ...] = ()
    gone: bool = False
    finding: Outcome
    reason: str = ""
    strength: str = ""
    unmet: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    explanation: str = ""
    pages_total: int = 0
    pages_read: int = 0
    ink_read_share: float | None = None
    blind_spots: int = 0
    failure: str = ""
    detail: str = ""
    justification: str = ""
    cells: tuple[Cell, ...]


class Sheet(_Frozen):
    """One audit: a concept table and a question, with every document that is shown.

    Attributes:
        audit: Key of the audit.
        table: Name of the concept table.
        question: The question; empty if none was asked.
        fingerprint: Fingerprint of the concept table.
        concepts: Its concepts, in the order of the table.
        counts: Documents by finding, also those that are not chosen.
        unmet: Over all documents with the finding not_established: how many lack which obligation.
        entries: The documents that are shown, by name.
    """

    audit: str
    table: str
    question: str
    fingerprint: str
    concepts: tuple[Heading, ...]
    counts: Mapping[Outcome, int]
    unmet: Mapping[str, int]
    entries: tuple[Entry, ...]


class Lost(_Frozen):
    """A document that could not be read.

    Attributes:
        sha256: The document.
        name: Its file name when it was read.
        paths: Where it lies, as of an Entry.
        gone: It is in no source any more.
        failure: A FailureCode.
        detail: What happened, as a sentence.
        remedy: What a person can do about it.
    """

    sha256: str
    name: str
    paths: tuple[str, ...] = ()
    gone: bool = False
    failure: str
    detail: str
    remedy: str


class CorpusMatrix(_Frozen):
    """All current audits of a store.

    Attributes:
        documents: Documents, also those that could not be read.
        gone: Documents of the store that are in no source any more: replaced or deleted.
        with_gone: Whether these are among the documents, and in all counts.
        lost: Documents that could not be read.
        unreadable: Why paths that may be documents cannot be read, by path.
        unfinished: How far the last run came; None if it came to its end.
        paths: Paths that the sources of the runs name or hold, by state.
        sheets: One for each audit that is shown, in the order in which they were last begun.
    """

    documents: int
    gone: int = 0
    with_gone: bool = False
    lost: tuple[Lost, ...]
    unreadable: Mapping[str, str] = {}
    unfinished: Unfinished | None = None
    paths: Mapping[str, int]
    sheets: tuple[Sheet, ...]
