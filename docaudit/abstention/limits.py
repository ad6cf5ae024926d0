"""What numbers over a set of questions cannot say; printed with them."""

from __future__ import annotations

from docaudit.abstention.frozen import Frozen, Row
from docaudit.abstention.labels import Evidence

BM25_LIMITS = (
    "The retriever compares letters: it knows no meaning, negation, time or identifiers.",
    "No access rights and no metadata filters are applied.",
    "No answers were generated or graded; a document among the candidates is not yet a right answer.",
)
_ORIGINS = {
    "designed": "The questions were designed, not sampled from use: shares over them are no forecast.",
    "sampled": "The questions are a sample of their period: other periods and users may ask others.",
    "production": "The questions are those of one period: later ones may differ.",
}
_SMALL = 100


def _two_scores(row: Row) -> bool:
    return len({one.score for one in row.retrieval.candidates if one.score is not None}) > 1


def limits(frozen: Frozen) -> tuple[str, ...]:
    """Sentences that belong to every result over these rows."""
    said = [_ORIGINS[frozen.questions.origin]]
    if frozen.part == "all":
        said.append("No held-out part: a threshold chosen here has not been checked on unseen questions.")
    elif frozen.part == "tuning":
        said.append("This is the tuning part: check the chosen threshold on the held-out part, once.")
    elif frozen.held_out_uses > 1:
        said.append(
            f"The held-out part has been used {frozen.held_out_uses} times: it counts as tuning data now, "
            "and a new one is needed."
        )
    counts = [len(frozen.labelled(evidence)) for evidence in (Evidence.ABSENT, Evidence.PRESENT)]
    if min(counts) < _SMALL:
        said.append(
            f"{counts[0]} questions without and {counts[1]} with evidence: zero errors among so few promise no "
            "zero later; see the bounds."
        )
    if not any(_two_scores(row) for row in frozen.rows):
        said.append(
            "No question has two candidates with different scores, so nothing shows that "
            f"{frozen.operating.direction} is the right direction."
        )
    disputed = sum(row.label.disputed for row in frozen.rows)
    if disputed:
        said.append(f"On {disputed} of {len(frozen.rows)} questions people disagreed about the evidence.")
    said.append(
        "A score is no probability, and thresholds do not carry over to other scores, versions or questions."
    )
    return tuple(said)
