"""Longer phrases that are not embedded themselves: their vectors are made of those of their beginning and their end.

Embedding takes a minute for 20,000 terms, and in a long document words, pairs and names are as many already. "Protected
health information" is then where "protected health" and "health information" are: not exact, but near enough to rank,
and free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from docaudit.suggest.cache import Vectors
from docaudit.suggest.terms import Term


class Composed(NamedTuple):
    """A phrase with the numbers of the embedded terms that it begins and ends with, the longest of each."""

    term: Term
    first: int
    last: int


def composable(terms: Sequence[Term], place: Mapping[str, int]) -> Iterator[Composed]:
    """The phrases whose beginning and end are embedded, in order.

    Args:
        terms: Terms that are not embedded.
        place: Numbers of the embedded terms by their keys.
    """
    for term in terms:
        words = term.key.split()
        shorter = range(len(words) - 1, 0, -1)
        first = next((place[key] for n in shorter if (key := " ".join(words[:n])) in place), None)
        last = next((place[key] for n in shorter if (key := " ".join(words[-n:])) in place), None)
        if first is not None and last is not None:
            yield Composed(term, first, last)


def vectors_of(composed: Sequence[Composed], vectors: Vectors) -> Vectors:
    """One vector of length 1 for each phrase: half of its beginning and half of its end.

    Args:
        composed: The phrases.
        vectors: Those of the embedded terms.
    """
    ends = np.array([(one.first, one.last) for one in composed], dtype=np.int64).reshape(-1, 2)
    sums = vectors[ends[:, 0]].astype(np.float32) + vectors[ends[:, 1]]
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    return sums.astype(np.float16)
