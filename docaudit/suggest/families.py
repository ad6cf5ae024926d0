"""Candidates that one decision settles: longer terms under the shorter one that finds them, and clusters of meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from docaudit.suggest.terms import Term

_FAMILY = 0.35
"""Cosine distance, on average, up to which terms are one family."""
_CLOSE, _RARE = 0.03, 0.15
"""A longer term goes under a shorter one that is nearly as near to the concept, or that is far more frequent and not
much less near: "including malware" under malware, but not "climate risk" under risk."""
_SHOWN = 8
"""Terms that are shown under another: a person decides on what is seen."""
_OFTEN = 2
"""How many times as frequent."""


def absorb(ranked: Sequence[tuple[Term, float]]) -> list[tuple[Term, float, tuple[str, ...]]]:
    """Terms in their order, without those that stand under another: term, similarity, terms under it.

    Args:
        ranked: Terms with their similarity, the nearest first.
    """
    stemmed = [term.roots for term, _ in ranked]
    same: dict[tuple[str, ...], list[int]] = {}
    for n, stems in enumerate(stemmed):
        same.setdefault(stems, []).append(n)
    head = list(range(len(ranked)))
    for n in sorted(head, key=lambda n: (len(stemmed[n]), n)):
        shorter = [m for part in _parts(stemmed[n]) for m in same.get(part, ())]
        shorter += [m for m in same[stemmed[n]] if m < n]
        for other in sorted(shorter, key=lambda m: (len(stemmed[m]), m)):
            if ranked[n][0].is_long_name and not ranked[other][0].is_long_name:
                continue  # a law or a body is a candidate of its own
            rare = ranked[n][0].count * _OFTEN <= ranked[other][0].count
            if head[other] == other and ranked[other][1] >= ranked[n][1] - (_RARE if rare else _CLOSE):
                head[n] = other
                break
    under: dict[int, list[str]] = {}
    best: dict[int, float] = {}
    for n, (term, similarity) in enumerate(ranked):
        best.setdefault(head[n], similarity)
        if head[n] != n:
            under.setdefault(head[n], []).append(term.text)  # the nearest first
    # A head takes the place of the nearest of its terms.
    return [(ranked[n][0], ranked[n][1], tuple(under.get(n, ())[:_SHOWN])) for n in best]


def clusters(vectors: npt.NDArray[np.floating]) -> list[int]:
    """The family of each vector, numbered from 1 in the order in which the families first come."""
    unit = vectors.astype(np.float64)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    distance = 1 - unit @ unit.T
    groups = [[n] for n in range(len(vectors))]
    while len(groups) > 1:
        # Written out, as it is for some dozens of terms and importing scipy takes a third of a second.
        pairs = [
            (float(distance[np.ix_(one, other)].mean()), n, m)
            for n, one in enumerate(groups)
            for m, other in enumerate(groups[:n])
        ]
        nearest, n, m = min(pairs)
        if nearest > _FAMILY:
            break
        groups[m] += groups.pop(n)
    numbers = {n: number for number, group in enumerate(sorted(groups, key=min), start=1) for n in group}
    return [numbers[n] for n in range(len(vectors))]


def _parts(stems: tuple[str, ...]) -> set[tuple[str, ...]]:
    """All that stands in words side by side, but not all of them."""
    size = len(stems)
    return {
        stems[first:end] for first in range(size) for end in range(first + 1, size + 1) if end - first < size
    }
