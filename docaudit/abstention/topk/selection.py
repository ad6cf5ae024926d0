"""Which hits are taken: the first max_k, and of these the ones that reach the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from docaudit.abstention.records import Candidate, Comparison, Direction
from docaudit.errors import GateError


def select_hits(
    hits: Sequence[Candidate],
    max_k: int,
    score_threshold: float | None,
    *,
    direction: Direction = Direction.HIGHER,
    comparison: Comparison = Comparison.AT_LEAST,
) -> tuple[Candidate, ...]:
    """The hits that go on to the model, in their order.

    Args:
        hits: Best first.
        max_k: Take this many at most; the cut comes before the threshold.
        score_threshold: A hit whose score is equal to it stays, unless the comparison is "more than". None takes hits
            by rank alone, also without scores.
        direction: Which end of the scale is good.
        comparison: Whether a score equal to the threshold is enough.

    Raises:
        GateError: max_k or threshold is no such number, a hit is listed twice, is not best first, or has no score
            where there is a threshold; all faults at once, each with the ranks (from 1) of its hits.
    """
    problems = [*_wrong_numbers(max_k, score_threshold), *_wrong_hits(hits, direction)]
    taken = tuple(hits[: max(max_k, 0)])
    if score_threshold is not None:
        problems += [f"rank {at}: {hit.doc_id} has no score" for at, hit in without_score(taken)]
    if problems:
        raise GateError("no hits can be selected", problems=tuple(problems))
    if score_threshold is None:
        return taken
    return tuple(
        hit
        for hit in taken
        if hit.score is not None
        and (
            direction.better(hit.score, score_threshold)
            or (comparison is Comparison.AT_LEAST and hit.score == score_threshold)
        )
    )


def without_score(hits: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Hits that no threshold can be applied to, with their rank from 1."""
    return [(at, hit) for at, hit in enumerate(hits, 1) if hit.score is None]


def _wrong_numbers(max_k: int, threshold: float | None) -> list[str]:
    found = [] if max_k >= 1 else [f"max_k is {max_k}: at least 1 is needed"]
    if threshold is not None and not math.isfinite(threshold):
        found.append(f"score_threshold is {threshold}: a number is needed")
    return found


def _wrong_hits(hits: Sequence[Candidate], direction: Direction) -> list[str]:
    places: dict[str, list[int]] = {}
    for at, hit in enumerate(hits, 1):
        places.setdefault(hit.doc_id, []).append(at)
    found = [
        f"ranks {', '.join(map(str, ranks))}: {name} is listed twice"
        for name, ranks in places.items()
        if ranks[1:]
    ]
    scored = [(at, hit.score) for at, hit in enumerate(hits, 1) if hit.score is not None]
    return found + [
        f"ranks {first}, {second}: not best first by {direction.value}"
        for (first, high), (second, low) in pairwise(scored)
        if direction.better(low, high)
    ]
