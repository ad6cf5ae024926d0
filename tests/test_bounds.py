"""The bounds against published numbers, and their level against every case that a small collection can be."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import comb, floor

import pytest

from docaudit.sampling import (
    Count,
    clopper_pearson,
    pooled_bound,
    proportional,
    smallest_sample,
    stratum_bound,
    summed_bound,
)

Together = Callable[[Sequence[Count], float], float]


@pytest.mark.parametrize(
    ("found", "read", "confidence", "bound"),
    [
        (0, 59, 0.95, 1 - 0.05 ** (1 / 59)),
        # One-sided limits of Clopper and Pearson at 95 %: the upper ends of their two-sided 90 % intervals.
        (0, 10, 0.95, 0.2589),
        (1, 10, 0.95, 0.3942),
        (2, 20, 0.95, 0.2826),
        (5, 50, 0.95, 0.1988),
        (10, 10, 0.95, 1.0),
        (0, 299, 0.95, 0.00997),
    ],
)
def test_clopper_pearson(found: int, read: int, confidence: float, bound: float) -> None:
    assert clopper_pearson(found, read, confidence) == pytest.approx(bound, abs=5e-5)


def test_a_stratum_read_as_a_whole_is_not_estimated() -> None:
    assert stratum_bound(Count(8, 8, 3), 0.95) == 3
    assert pooled_bound([Count(8, 8, 3), Count(5, 5)], 0.95) == 3
    assert summed_bound([Count(8, 8, 3), Count(5, 5)], 0.95) == 3


def test_no_bound_is_larger_than_what_nobody_read_allows() -> None:
    assert stratum_bound(Count(60, 58), 0.95) == 2
    assert pooled_bound([Count(60, 59), Count(20, 19, 1)], 0.95) == 3


def test_proportional_gives_each_stratum_one_and_then_the_one_with_the_smallest_share() -> None:
    assert proportional([100, 100], 10) == [5, 5]
    assert proportional([1000, 10, 1], 3) == [1, 1, 1]
    assert proportional([3, 4], 7) == [3, 4]


@pytest.mark.parametrize(
    ("sizes", "at_most"), [([812], 0.05), ([700, 100, 12], 0.05), ([60], 0.05), ([40, 9], 0.1)]
)
def test_the_smallest_sample_reaches_its_bound_and_one_less_does_not(
    sizes: list[int], at_most: float
) -> None:
    total = smallest_sample(sizes, at_most, 0.95)

    def bound(total: int) -> float:
        counts = [Count(size, read) for size, read in zip(sizes, proportional(sizes, total), strict=True)]
        return pooled_bound(counts, 0.95) / sum(sizes)

    assert bound(total) <= at_most < bound(total - 1)


def test_the_numbers_that_readers_know() -> None:
    assert smallest_sample([100_000], 0.05, 0.95) == 59
    assert smallest_sample([100_000], 0.01, 0.95) == 299
    assert smallest_sample([100_000], 0.05, 0.99) == 90


DESIGNS = [
    ((20,), (5,)),
    ((30,), (29,)),
    ((6,), (2,)),
    ((12, 9), (4, 3)),
    ((15, 3), (5, 1)),
    ((10, 10), (2, 9)),
    ((14, 4, 2), (3, 3, 2)),
    ((8, 5, 5), (2, 2, 2)),
    ((3, 3), (1, 1)),
]


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(("sizes", "reads"), DESIGNS)
@pytest.mark.parametrize("together", [pooled_bound, summed_bound])
def test_the_level_holds_whatever_was_missed(
    sizes: tuple[int, ...], reads: tuple[int, ...], together: Together, confidence: float
) -> None:
    """Exactly, by adding the probabilities of every sample: for each number of misses in each stratum."""
    bounds = {
        found: floor(
            together([Count(*each) for each in zip(sizes, reads, found, strict=True)], confidence) + 1e-9
        )
        for found in itertools.product(*(range(read + 1) for read in reads))
    }
    for missed in itertools.product(*(range(size + 1) for size in sizes)):
        holds = 0.0
        for found, bound in bounds.items():
            if bound >= sum(missed):
                holds += _chance(sizes, reads, missed, found)
        assert holds >= confidence - 1e-9, missed


def _chance(sizes: Sequence[int], reads: Sequence[int], missed: Sequence[int], found: Sequence[int]) -> float:
    """Multivariate hypergeometric: that samples of these sizes hold just this many of the misses."""
    chance = 1.0
    for size, read, bad, seen in zip(sizes, reads, missed, found, strict=True):
        chance *= comb(bad, seen) * comb(size - bad, read - seen) / comb(size, read)
    return chance
