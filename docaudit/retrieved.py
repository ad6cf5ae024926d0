"""What a retriever gave, and whether what the sweep found is in it: the chunks of a QA tool as evidence.

It says where the tool failed (nothing of it was retrieved, or it was and the model did not use it). It is no part of
the finding: chunks show neither that something is in a document nor that it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, model_validator

from docaudit.evidence import Hit, Meeting, Model

Page = Annotated[int, Field(ge=1)]


class RetrievedChunk(Model):
    """A piece of text that a retriever gave for the question.

    Attributes:
        text: Its text as the tool has it; empty, or left out beside a page, for a page that was retrieved as a picture.
        pages: Its 1-based physical pages as the tool gives them; empty if it does not. One page may be given as `page`.
        id: Its name in the tool.
        score: Score that the retriever gave it.
    """

    text: str
    pages: tuple[Page, ...] = ()
    id: str = ""
    score: float | None = Field(default=None, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _one_page(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        if "text" not in data and (data.get("pages") or data.get("page") is not None):
            data = {"text": "", **data}
        if "page" not in data:
            return data
        if data.get("pages"):
            raise ValueError("give page or pages, not both")
        page = data["page"]
        rest = {name: value for name, value in data.items() if name != "page"}
        return rest | {"pages": () if page is None else (page,)}


class ChunkPlace(StrEnum):
    """Whether the text of a chunk stands in the document."""

    WHOLE = "whole"
    IN_PARTS = "in_parts"
    NOT_IN_DOCUMENT = "not_in_document"
    WITHOUT_TEXT = "without_text"


class ChunkFact(Model):
    """One chunk, without its text.

    Attributes:
        id: Its name in the tool.
        pages: Its pages as the tool gave them.
        score: Its score as the tool gave it.
        place: whole (its letters stand in the document in one run), in_parts (a quarter of them or more, in runs),
            not_in_document (less: another document, or another reading of this one), without_text.
        found_on: Pages on which its text was found, whatever the tool says; 0 is text beside the pages.
        letters: Letters and digits of the chunk.
        letters_found: Of these, those in runs that stand in the document.
    """

    id: str
    pages: tuple[int, ...]
    score: float | None
    place: ChunkPlace
    found_on: tuple[int, ...]
    letters: int = Field(ge=0)
    letters_found: int = Field(ge=0)


class MissedHit(Model):
    """A hit of the sweep that is in no chunk."""

    concept: str
    variant: str
    page_num: int = Field(ge=0)
    line_num: int


class RetrievalVerdict(StrEnum):
    """Whether the retriever missed what the sweep found."""

    NOTHING_TO_MISS = "nothing_to_miss"
    ALL_RETRIEVED = "all_retrieved"
    PAGES_RETRIEVED = "pages_retrieved"
    PARTLY_MISSED = "partly_missed"
    MISSED = "missed"


class RetrievalCheck(Model):
    """The hits of required concepts, compared with the chunks that a retriever gave.

    Where the required concepts meet, the hits on these pages are compared, since they are to be read; else all of them.
    Hits that only may be one, and those inside a longer hit of their concept, are left out.

    Attributes:
        verdict: nothing_to_miss (no such hit), all_retrieved (each stands in a chunk), pages_retrieved (none is surely
            missed, but of some only their page is known to be retrieved), partly_missed, missed (not one is retrieved).
        hits: Hits compared.
        hits_in_text: Of these, those whose place in the document is part of a chunk.
        hits_on_page: Of the others, those on the page of a chunk which has no text, or holds the same word but cannot
            be found as it stands: a weaker claim.
        missed: The rest.
        meeting_pages: Pages where all required concepts meet.
        meeting_pages_retrieved: Of these, those of which a hit of each required concept there was retrieved.
        chunks: What was given, in its order.
    """

    verdict: RetrievalVerdict
    hits: int = Field(ge=0)
    hits_in_text: int = Field(ge=0)
    hits_on_page: int = Field(ge=0)
    missed: tuple[MissedHit, ...]
    meeting_pages: tuple[int, ...]
    meeting_pages_retrieved: tuple[int, ...]
    chunks: tuple[ChunkFact, ...]

    @model_validator(mode="after")
    def _consistent(self) -> RetrievalCheck:
        if self.hits != self.hits_in_text + self.hits_on_page + len(self.missed):
            raise ValueError("hits in chunks, on their pages and missed do not add up to all hits")
        if self.verdict is not verdict_of(self.hits_in_text, self.hits_on_page, len(self.missed)):
            raise ValueError("the verdict on the retriever does not follow from its counts")
        if not set(self.meeting_pages_retrieved) <= set(self.meeting_pages):
            raise ValueError("pages retrieved must be pages where concepts meet")
        return self

    @property
    def chunks_not_in_document(self) -> int:
        """Chunks whose text is not in what was read of the document."""
        return sum(chunk.place is ChunkPlace.NOT_IN_DOCUMENT for chunk in self.chunks)


def verdict_of(in_text: int, on_page: int, missed: int) -> RetrievalVerdict:
    """The verdict that follows from counts of hits."""
    if not in_text + on_page + missed:
        return RetrievalVerdict.NOTHING_TO_MISS
    if missed:
        return RetrievalVerdict.PARTLY_MISSED if in_text + on_page else RetrievalVerdict.MISSED
    return RetrievalVerdict.PAGES_RETRIEVED if on_page else RetrievalVerdict.ALL_RETRIEVED


def meeting_pages(cooccurrences: Iterable[Meeting], required: Sequence[str]) -> tuple[int, ...]:
    """Pages where all required concepts meet."""
    wanted = set(required)
    return tuple(sorted({one.page_num for one in cooccurrences if wanted <= set(one.concepts)}))


def hits_to_read(hits: Iterable[Hit], pages: Sequence[int], required: Sequence[str]) -> list[Hit]:
    """Hits of required concepts on the pages where they meet; all of their hits if they meet nowhere.

    Hits that only may be one, and those inside a longer hit of their concept, are left out.
    """
    counted = [
        hit for hit in hits if hit.concept in required and not hit.nested and not hit.match_kind.is_possible
    ]
    return [hit for hit in counted if hit.page_num in pages] or counted
