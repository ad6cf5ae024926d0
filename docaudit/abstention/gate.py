"""The gate of a question-answering tool: each question passes, or is held for one of four reasons.

The gate looks at scores that a retriever gave and at labels that people gave; it searches nothing. Absent values are
reasons, never 0: a candidate without score, a question without candidates and a search that failed are three things.
"Unverified" is a label of its own: one search that found nothing shows no absence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, computed_field, model_validator

from docaudit.codes import Code
from docaudit.justification import Model
from docaudit.text.numbers import percent


def written(threshold: float) -> str:
    """A threshold as short as it can be without becoming another: ``0.4``, ``8.000504073790324``."""
    short = f"{threshold:g}"
    return short if float(short) == threshold else repr(threshold)


class Direction(StrEnum):
    """Which end of the scale is good: a similarity is better if higher, a distance if lower."""

    HIGHER = "higher_is_better"
    LOWER = "lower_is_better"

    def better(self, score: float, than: float) -> bool:
        """Whether the first score is strictly better than the second."""
        return score > than if self is Direction.HIGHER else score < than


class Aggregation(StrEnum):
    """How the scores of the candidates become the one value that the gate compares."""

    TOP_1 = "top_1"
    MIN_OF_TOP_N = "min_of_top_n"


class ThresholdComparison(StrEnum):
    """Whether a value that equals the threshold passes; written for "higher is better", turned round for "lower"."""

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
    comparison: ThresholdComparison = ThresholdComparison.AT_LEAST
    model_version: str | None = None
    index_version: str | None = None
    config_version: str | None = None
    conditions: Mapping[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _top_n_belongs_to_min(self) -> OperatingRecord:
        if (self.aggregation is Aggregation.MIN_OF_TOP_N) != (self.top_n is not None):
            raise ValueError("min_of_top_n needs top_n, and top_1 has none")
        return self

    def passes(self, value: float, threshold: float) -> bool:
        """Whether a value gets through."""
        if value == threshold:
            return self.comparison is ThresholdComparison.AT_LEAST
        return self.direction.better(value, threshold)

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
        if len({candidate.doc_id for candidate in self.candidates}) < len(self.candidates):
            raise ValueError("a candidate is listed twice")
        return self


class Reason(Code):
    """What the gate says of a question; only `below_threshold` is about the size of a score."""

    PASS = (
        "pass",
        "The value of the question reaches the threshold, so generation may begin; that is not yet an answer.",
    )
    BELOW_THRESHOLD = "below_threshold", "The question has a value, and it does not reach the threshold."
    NO_CANDIDATES = (
        "no_candidates",
        "The retriever found nothing; that is no score of 0, and shows no absence.",
    )
    MISSING_SCORE = "missing_score", "A candidate that counts has no score; that is no score of 0."
    RETRIEVAL_FAILED = (
        "retrieval_failed",
        "The search did not take place, so nothing is known about the question.",
    )


class GateDecision(Model):
    """What the gate decided for one question.

    Attributes:
        query_id: Which question.
        reason: `pass`, or why it was held.
        value: What was compared with the threshold; None if there was nothing to compare.
    """

    query_id: str
    reason: Reason
    value: float | None = None

    @property
    def passed(self) -> bool:
        """Whether generation may begin; that is not yet an answer."""
        return self.reason is Reason.PASS


def gate_value(operating: OperatingRecord, retrieval: Retrieval) -> float | Reason:
    """The value that is compared with a threshold, or the reason why there is none."""
    if retrieval.status == "failed":
        return Reason.RETRIEVAL_FAILED
    candidates = retrieval.candidates[: operating.top_n or 1]
    if not candidates:
        return Reason.NO_CANDIDATES
    scores = [candidate.score for candidate in candidates if candidate.score is not None]
    if len(scores) < len(candidates):
        return Reason.MISSING_SCORE
    return min(scores) if operating.direction is Direction.HIGHER else max(scores)


def decide(operating: OperatingRecord, retrieval: Retrieval, threshold: float) -> GateDecision:
    """Pass or hold one question."""
    value = gate_value(operating, retrieval)
    if isinstance(value, Reason):
        return GateDecision(query_id=retrieval.id, reason=value)
    reason = Reason.PASS if operating.passes(value, threshold) else Reason.BELOW_THRESHOLD
    return GateDecision(query_id=retrieval.id, reason=reason, value=value)


def decide_all(
    operating: OperatingRecord, retrievals: Iterable[Retrieval], threshold: float
) -> tuple[GateDecision, ...]:
    """Pass or hold each question, in order."""
    return tuple(decide(operating, retrieval, threshold) for retrieval in retrievals)


class EvidenceLabel(StrEnum):
    """Whether the collection that the user may read holds what an answer needs."""

    PRESENT = "present"
    ABSENT = "absent"
    UNVERIFIED = "unverified"


class AbsentBasis(Model):
    """What "absent" rests on; without it the label is only an opinion.

    Attributes:
        scope: Which collection was looked through.
        version: Its version or day.
        permission: With whose permissions.
        method: How it was established.
    """

    scope: str = Field(min_length=1)
    version: str = Field(min_length=1)
    permission: str = Field(min_length=1)
    method: str = Field(min_length=1)


class Grade(StrEnum):
    """How an answer compares with evidence and expected answer; the two ways of not knowing are told apart."""

    CORRECT = "correct"
    PARTIAL = "partial"
    WRONG = "wrong"
    NO_REFERENCE = "no_reference"
    UNDECIDABLE = "undecidable"


class GradedAnswer(Model):
    """What became of a question once it was past the gate.

    Attributes:
        returned: Whether an answer on the matter reached the user; False if it was held back after generation.
        grade: How good it was; None if none was returned.
        satisfied: Required items that the answer gives.
        missing: Required items that it lacks.
    """

    returned: bool
    grade: Grade | None = None
    satisfied: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> GradedAnswer:
        if self.returned != (self.grade is not None):
            raise ValueError("an answer that was returned has a grade, one that was held back has none")
        if not self.returned and (self.satisfied or self.missing):
            raise ValueError("an answer that was held back has no items")
        if set(self.satisfied) & set(self.missing):
            raise ValueError("an item is both satisfied and missing")
        if self.grade is Grade.CORRECT and self.missing:
            raise ValueError("an answer that lacks required items is 'partial', not 'correct'")
        if self.grade is Grade.PARTIAL and not (self.satisfied and self.missing):
            raise ValueError(
                "a partial answer names the items it has (satisfied) and those it lacks (missing)"
            )
        return self


CONFIDENCE = 0.95
"""Two-sided confidence of every interval; the customary level, chosen and not measured."""


class Ratio(Model):
    """So many of so many; of nothing there is no share, and zero errors in few questions promise little.

    Attributes:
        numerator: How many.
        denominator: Of how many.
    """

    numerator: int
    denominator: int

    @model_validator(mode="before")
    @classmethod
    def _computed_anew(cls, saved: Any) -> Any:
        """A saved ratio also has its share and interval; they follow from the counts."""
        if not isinstance(saved, dict):
            return saved
        return {name: value for name, value in saved.items() if name not in ("share", "interval")}

    @model_validator(mode="after")
    def _a_part_of_the_whole(self) -> Ratio:
        if not 0 <= self.numerator <= self.denominator:
            raise ValueError(f"{self.numerator} of {self.denominator} is not a share")
        return self

    @computed_field  # type: ignore[prop-decorator]
    @property
    def share(self) -> float | None:
        """Between 0 and 1; None if the denominator is 0."""
        return self.numerator / self.denominator if self.denominator else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def interval(self) -> tuple[float, float] | None:
        """Exact interval (Clopper-Pearson, 95 % two-sided) of the share in all such questions; None of nothing."""
        if not self.denominator:
            return None
        from scipy.stats import binomtest  # slow to import, and the command line must start fast

        bounds = binomtest(self.numerator, self.denominator).proportion_ci(CONFIDENCE, method="exact")
        return float(bounds.low), float(bounds.high)

    def __str__(self) -> str:
        """``21 of 75 (28.0 %)``; with the bound where all or none were counted."""
        counts = f"{self.numerator} of {self.denominator}"
        if self.share is None or self.interval is None:
            return f"{counts} (not measurable)"
        low, high = self.interval
        bound = ""
        if self.numerator == 0:
            bound = f"; exact 95 % interval up to {percent(high)}"
        elif self.numerator == self.denominator:
            bound = f"; exact 95 % interval from {percent(low)}"
        return f"{counts} ({percent(self.share)}{bound})"


def plain(text: str) -> str:
    """The text in one Unicode form, without outer blanks, each run of blanks one; nothing else is dropped.

    >>> plain("  How  much? "), plain("-5 °C") == plain("5 °C"), plain("US") == plain("us")
    ('How much?', False, False)
    """
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def same_question(question: str | None, other: str | None) -> bool:
    """Whether both ask the same; a question that is not there is none, so it is the same as nothing."""
    return bool(question and other) and plain(question or "") == plain(other or "") != ""


def without_end(text: str) -> str:
    """The plain text without the signs that end it, for labels that contradict each other."""
    return plain(text).rstrip("?？.。!！ ")
