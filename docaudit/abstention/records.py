"""What a gate looks at: how scores come about, and what the retriever found for each question.

Absent values are reasons, never 0: a candidate without score, a question without candidates and a search that failed
are three things, and none of them is a low score.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field, model_validator

from docaudit.evidence import Model


def written(threshold: float) -> str:
    """A threshold as short as it can be without becoming another: ``0.4``, ``8.000504073790324``."""
    short = f"{threshold:g}"
    return short if float(short) == threshold else repr(threshold)


class Direction(StrEnum):
    """Which end of the scale is good: a similarity is better if higher, a distance if lower."""

    HIGHER = "higher_is_better"
    LOWER = "lower_is_better"

    def better(self, one: float, other: float) -> bool:
        """Whether the first score is strictly better than the second."""
        return one > other if self is Direction.HIGHER else one < other


class Aggregation(StrEnum):
    """How the scores of the candidates become the one value that the gate compares."""

    TOP_1 = "top_1"
    MIN_OF_TOP_N = "min_of_top_n"


class Comparison(StrEnum):
    """Whether a value that equals the threshold passes; said for "higher is better" and turned round for "lower"."""

    AT_LEAST = ">="
    MORE_THAN = ">"


class OperatingRecord(Model):
    """All that fixes what a threshold means; a threshold without it cannot be carried anywhere.

    Attributes:
        stage: Where the score arises: "retrieval", "reranking".
        score_kind: What the number is: "BM25 positive-IDF", "cosine similarity". Never a probability.
        direction: Which end of the scale is good.
        aggregation: How a question's candidates become one value.
        top_n: How many candidates `min_of_top_n` looks at; of fewer candidates, all. None for `top_1`.
        comparison: Whether a value equal to the threshold passes.
        model_version, index_version, config_version: Versions of what made the scores; None if there is no such part.
        conditions: What must hold besides the score (subject, period, permission, evidence), each with how it is
            checked. The gate itself checks none of them.
    """

    stage: str = Field(min_length=1)
    score_kind: str = Field(min_length=1)
    direction: Direction
    aggregation: Aggregation = Aggregation.TOP_1
    top_n: int | None = Field(default=None, ge=1, strict=True)
    comparison: Comparison = Comparison.AT_LEAST
    model_version: str | None = None
    index_version: str | None = None
    config_version: str | None = None
    conditions: Mapping[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _top_n_belongs_to_min(self) -> OperatingRecord:
        if (self.aggregation is Aggregation.MIN_OF_TOP_N) != (self.top_n is not None):
            raise ValueError("min_of_top_n needs top_n, and top_1 has none")
        return self

    def better(self, one: float, other: float) -> bool:
        """Whether the first score is strictly better than the second."""
        return self.direction.better(one, other)

    def passes(self, value: float, threshold: float) -> bool:
        """Whether a value gets through."""
        return self.better(value, threshold) or (
            self.comparison is Comparison.AT_LEAST and value == threshold
        )

    def rule(self, threshold: float) -> str:
        """The comparison in words: ``value >= 0.4``."""
        sign = self.comparison.value
        return f"value {sign if self.direction is Direction.HIGHER else sign.replace('>', '<')} {written(threshold)}"


class Candidate(Model):
    """One thing that the retriever found.

    Attributes:
        doc_id: Which document, page or chunk.
        score: Its score; None if the retriever gave none.
    """

    doc_id: str = Field(min_length=1)
    score: float | None = Field(default=None, allow_inf_nan=False, strict=True)


class Retrieval(Model):
    """What the retriever gave for one question, frozen: only the threshold changes after that.

    Attributes:
        id: Name of the question.
        query: Its text.
        status: `failed` if the search did not take place; that is not "nothing found".
        error: What went wrong, if it failed.
        candidates: Best first.
    """

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    status: Literal["ok", "failed"] = "ok"
    error: str | None = None
    candidates: tuple[Candidate, ...] = ()

    @model_validator(mode="after")
    def _failure_found_nothing(self) -> Retrieval:
        if self.id != self.id.strip() or not self.query.strip():
            raise ValueError("the id has no blanks around it, and the query has words")
        if self.status == "failed" and self.candidates:
            raise ValueError("a search that failed has no candidates")
        if self.status == "ok" and self.error:
            raise ValueError("a search that did not fail has no error")
        named = [candidate.doc_id for candidate in self.candidates]
        if len(set(named)) < len(named):
            raise ValueError("a candidate is listed twice")
        return self
