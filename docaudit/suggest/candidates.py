"""Candidates for a concept table, what the table has decided already, and an expert's decisions about candidates.

Records are plain, frozen and ready for JSON. The program makes no decision of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Literal

import regex
from pydantic import BaseModel, ConfigDict, Field

from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import ConceptTableError
from docaudit.search.lines import searchable
from docaudit.search.patterns import compile_variant
from docaudit.text.words import CJK, fold, squeeze


class CandidateKind(StrEnum):
    """How a candidate was found; also the `source` of the row that a decision about it writes."""

    ACRONYM = "acronym"
    SPELLING = "spelling_rule"
    INFLECTION = "inflection"
    COMPOUND = "compound"
    EMBEDDING = "embedding"
    NGRAMS = "character_ngrams"


class Candidate(BaseModel):
    """A word or phrase of the documents that the table may lack; only a person can accept it.

    Attributes:
        concept: Concept of the variant that it is near.
        text: As the documents write it most often.
        kind: How it was found.
        near: The accepted variant that it is nearest to.
        similarity: 0 to 1. Cosine for embedding and character n-grams, share of equal letters for spelling,
            inflection and compound, 1 for an acronym that the text defines. Only comparable within a kind.
        count: Occurrences in the documents.
        pages: Pages by name of document; 0 is the document as a whole.
        context: A verbatim line with it.
        members: The other side of its definition (an acronym of it, which needs a decision of its own), and a few of
            the longer or inflected terms under it, the nearest first: accepting it finds these.
        family: Number of its family within the concept: what one decision may settle together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    concept: str
    text: str
    kind: CandidateKind
    near: str
    similarity: float = Field(ge=0, le=1)
    count: int = Field(ge=1)
    pages: Mapping[str, tuple[int, ...]]
    context: str
    members: tuple[str, ...] = ()
    family: int = 0


class Suggestions(BaseModel):
    """All candidates for a table from some documents, with how they were looked for.

    Attributes:
        method: embedding or character_ngrams.
        model: Name of the model; empty without one.
        terms_total: Different words and phrases in the documents.
        terms_compared: How many of them were compared: words, pairs of words and names first; with a model, longer
            phrases by the vectors of their parts as well.
        notes: What the reader must know about the way: what is not installed, what was left out.
        candidates: Concepts in the order of the table, in each the likeliest first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: CandidateKind
    model: str
    terms_total: int
    terms_compared: int
    notes: tuple[str, ...]
    candidates: tuple[Candidate, ...]

    def of_concept(self, concept: str) -> tuple[Candidate, ...]:
        """The candidates of one concept, the likeliest first."""
        return tuple(candidate for candidate in self.candidates if candidate.concept == concept)


Decision = Literal["accepted", "rejected"]


def propose(table: ConceptTable, candidates: Iterable[Candidate]) -> ConceptTable:
    """The table with candidates as proposed rows: until each is decided, no absence can be established with it."""
    return table.add(_row(candidate) for candidate in candidates)


def decide(
    table: ConceptTable,
    chosen: Sequence[Candidate | Variant],
    decision: Decision,
    *,
    reviewer: str,
    note: str | None = None,
) -> ConceptTable:
    """The table with a decision about candidates, or about rows that it has as proposed already.

    Raises:
        ConceptTableError: There is no reviewer, or a candidate cannot be a row of this table.
    """
    for one in chosen:
        row = one
        if isinstance(one, Candidate):
            table = propose(table, [one])
            row = table.variants[-1]
        assert isinstance(row, Variant), "a candidate has become a row"
        table = table.decide(row.id, decision, reviewer=reviewer, note=note)
    return table


def find(
    table: ConceptTable,
    suggestions: Suggestions,
    named: str,
    *,
    concept: str | None = None,
    family: bool = False,
) -> list[Candidate | Variant]:
    """What a person means by a text: a proposed row by id or text, or a candidate, and its family if wanted.

    Raises:
        ConceptTableError: Nothing, or more than one thing, has this text.
    """
    wanted = fold(named)
    rows = [v for v in table.proposed if v.id == named or fold(v.text) == wanted]
    others = [c for c in suggestions.candidates if fold(c.text) == wanted or wanted in map(fold, c.members)]
    # A term under another may be named itself: then it is decided, not the one that it stands under.
    candidates = [
        c if fold(c.text) == wanted else c.model_copy(update={"text": named, "members": ()}) for c in others
    ]
    both: list[Candidate | Variant] = [*rows, *candidates]
    found = [one for one in both if concept is None or one.concept == concept]
    if not found:
        where = "" if concept is None else f" of '{concept}'"
        raise ConceptTableError(
            f"'{named}' is no candidate and no proposed row{where}",
            remedy="accept a term of your own with docaudit accept TABLE CONCEPT VARIANT",
        )
    if len({one.concept for one in found}) > 1:
        names = ", ".join(sorted({one.concept for one in found}))
        raise ConceptTableError(
            f"'{named}' is near several concepts: {names}", remedy="say which with --concept"
        )
    first = found[0]
    if family and isinstance(first, Candidate):
        return [other for other in suggestions.of_concept(first.concept) if other.family == first.family]
    return [first]


def _row(candidate: Candidate) -> Variant:
    # Japanese and Chinese put no blanks between words; whole words are for other scripts.
    japanese = CJK.search(candidate.text) is not None
    return Variant(
        concept=candidate.concept,
        text=candidate.text,
        match="substring" if japanese else "word",
        status="proposed",
        source=candidate.kind.value,
    )


def seeds(table: ConceptTable) -> tuple[Variant, ...]:
    """Rows whose neighbours are looked for: accepted ones, and words of the question that `init` wrote for a start."""
    return tuple(
        variant
        for variant in table.variants
        if variant.status == "accepted" or (variant.status == "proposed" and variant.source == "question")
    )


class Known:
    """Tells terms that the table finds, or has decided about, from new ones."""

    def __init__(self, table: ConceptTable) -> None:
        """Compile the rows of the table."""
        self._rows = {squeeze(variant.text) for variant in table.variants}
        found = seeds(table)
        self._found = [expression(variant) for variant in found]
        self._decided = [expression(variant) for variant in table.variants if variant not in found]

    def __contains__(self, term: str) -> bool:
        """Whether a term has its own row in some form, or holds an accepted variant, so that the sweep finds it."""
        text = searchable(term)
        return (
            squeeze(term) in self._rows
            or any(one.search(text) for one in self._found)
            or any(one.fullmatch(text) for one in self._decided)
        )


@lru_cache(maxsize=10_000)
def expression(variant: Variant) -> regex.Pattern[str]:
    """The pattern of a variant for searchable text, as the sweep has it."""
    flags = regex.IGNORECASE if variant.match == "regex" and not variant.case_sensitive else 0
    return regex.compile(compile_variant(variant).text, flags)


def finds(variant: Variant, text: str) -> bool:
    """Whether the sweep would find a variant in a text, apart from its case."""
    return expression(variant).search(searchable(text)) is not None


def is_all_of(variant: Variant, text: str) -> bool:
    """Whether the sweep would find a variant in a text, and nothing is left of it."""
    return expression(variant).fullmatch(searchable(text)) is not None
