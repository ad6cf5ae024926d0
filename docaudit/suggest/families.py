"""Candidates that one decision settles: longer terms under the shorter one that finds them, and clusters of meaning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from docaudit.suggest.roots import is_part, roots
from docaudit.suggest.terms import Term

_FAMILY = 0.35
"""Cosine distance, on average, up to which terms are one family."""
_CLOSE, _RARE = 0.03, 0.15
"""A longer term goes under a shorter one that is nearly as near to the concept, or that is far more frequent and not
much less near: "including malware" under malware, but not "climate risk" under risk."""
_SHOWN = 6
"""Terms that are shown under another: a person decides on what is seen."""
_OFTEN = 2
"""How many times as frequent."""


def absorb(ranked: Sequence[tuple[Term, float]]) -> list[tuple[Term, float, tuple[str, ...]]]:
    """Terms in their order, without those that stand under another: term, similarity, terms under it.

    Args:
        ranked: Terms with their similarity, the nearest first.
    """
    stemmed = [roots(term.key) for term, _ in ranked]
    head = list(range(len(ranked)))
    by_length = sorted(range(len(ranked)), key=lambda n: (len(stemmed[n]), n))
    for n in by_length:
        for other in by_length:
            if len(stemmed[other]) > len(stemmed[n]) or (
                len(stemmed[other]) == len(stemmed[n]) and other >= n
            ):
                continue
            rare = ranked[n][0].count * _OFTEN <= ranked[other][0].count
            near_enough = ranked[other][1] >= ranked[n][1] - (_RARE if rare else _CLOSE)
            if head[other] == other and near_enough and is_part(stemmed[other], stemmed[n]):
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
    if len(vectors) < 2:
        return [1] * len(vectors)
    # Only here: it takes a fifth of a second to import.
    from scipy.cluster.hierarchy import fcluster, linkage

    found = fcluster(linkage(vectors.astype(np.float64), "average", "cosine"), _FAMILY, "distance")
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(label), len(numbers) + 1) for label in found]
