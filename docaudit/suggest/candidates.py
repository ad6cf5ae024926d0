"""What a search for candidates gives: plain, frozen, and ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


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
