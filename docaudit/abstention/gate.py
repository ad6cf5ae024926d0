"""The gate: one question passes, or is held for one of four reasons that are never mixed."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from docaudit.abstention.records import Direction, OperatingRecord, Retrieval
from docaudit.evidence import Model


class Reason(StrEnum):
    """What the gate says of a question; only `below_threshold` is about the size of a score."""

    PASS = "pass"
    BELOW_THRESHOLD = "below_threshold"
    NO_CANDIDATES = "no_candidates"
    MISSING_SCORE = "missing_score"
    RETRIEVAL_FAILED = "retrieval_failed"


MEANINGS = {
    Reason.PASS: "The value of the question reaches the threshold, so generation may begin; that is not yet an answer.",
    Reason.BELOW_THRESHOLD: "The question has a value, and it does not reach the threshold.",
    Reason.NO_CANDIDATES: "The retriever found nothing; that is no score of 0, and shows no absence.",
    Reason.MISSING_SCORE: "A candidate that counts has no score; that is no score of 0.",
    Reason.RETRIEVAL_FAILED: "The search did not take place, so nothing is known about the question.",
}


class Decision(Model):
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
    looked_at = retrieval.candidates[: operating.top_n or 1]
    if not looked_at:
        return Reason.NO_CANDIDATES
    scores = [candidate.score for candidate in looked_at if candidate.score is not None]
    if len(scores) < len(looked_at):
        return Reason.MISSING_SCORE
    return min(scores) if operating.direction is Direction.HIGHER else max(scores)


def decide(operating: OperatingRecord, retrieval: Retrieval, threshold: float) -> Decision:
    """Pass or hold one question."""
    value = gate_value(operating, retrieval)
    if isinstance(value, Reason):
        return Decision(query_id=retrieval.id, reason=value)
    passed = operating.passes(value, threshold)
    return Decision(
        query_id=retrieval.id, reason=Reason.PASS if passed else Reason.BELOW_THRESHOLD, value=value
    )


def decide_all(
    operating: OperatingRecord, retrievals: Iterable[Retrieval], threshold: float
) -> tuple[Decision, ...]:
    """Pass or hold each question, in order."""
    return tuple(decide(operating, retrieval, threshold) for retrieval in retrievals)
