"""How much a sample can have missed: exact upper bounds, for one stratum and for several together.

The bound for one stratum is that of Clopper and Pearson (Biometrika 26, 1934), one-sided: 0 found of 59 read gives
1 - 0.05 ** (1/59) = 4.95 % at 95 % confidence. Pages are drawn without replacement, so fewer can be left than the
binomial bound allows: it is too wide, never too narrow (Hoeffding, Annals of Mathematical Statistics 27, 1956: what
is drawn is a sum of independent yes-or-no draws, and its lower tail is no heavier than the binomial one). The
hypergeometric bound would be tighter; this one is what readers of elusion tests know and can compute again.

For strata together, two ways whose stated level holds, chosen before anything is read:
- `pooled`: with all found and all read added up, what was found has a mean of at least f times what there is, where f
  is the smallest share drawn of any stratum. Hoeffding bounds the mean, and the mean divided by f bounds what there is.
  Drawn in proportion, this is the bound of one stratum.
- `summed`: each stratum is bounded at a level so high that all hold together (Bonferroni), and the bounds are added.

A stratum that was read as a whole is not estimated: what was found in it is what there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Count:
    """One stratum: how many units it has, how many were read, and in how many something was found."""

    size: int
    read: int
    found: int = 0

    @property
    def all_read(self) -> bool:
        """Whether nothing of the stratum was left out."""
        return self.read >= self.size


@lru_cache(maxsize=4096)
def clopper_pearson(found: int, read: int, confidence: float) -> float:
    """The one-sided exact upper bound of a share, 0 to 1.

    >>> round(clopper_pearson(0, 59, 0.95), 4)
    0.0495
    """
    if not found:
        return float(1 - (1 - confidence) ** (1 / read))  # the same in closed form
    from scipy.stats import binomtest  # takes a second to import, and most commands do without

    test = binomtest(found, read, alternative="less")
    return float(test.proportion_ci(confidence_level=confidence, method="exact").high)


def stratum_bound(count: Count, confidence: float) -> float:
    """Units of one stratum that hold something, at most (not rounded)."""
    if count.all_read:
        return float(count.found)
    estimate = count.size * clopper_pearson(count.found, count.read, confidence)
    return min(estimate, _not_ruled_out(count))


def pooled_bound(counts: Sequence[Count], confidence: float) -> float:
    """Units of all strata together that hold something, at most (not rounded).

    >>> pooled_bound([Count(812, 59)], 0.95) == stratum_bound(Count(812, 59), 0.95)
    True
    """
    exact = sum(count.found for count in counts if count.all_read)
    rest = [count for count in counts if not count.all_read]
    if not rest:
        return float(exact)
    left = sum(map(_not_ruled_out, rest))
    found, read = sum(count.found for count in rest), sum(count.read for count in rest)
    if len(rest) == 1:
        return exact + stratum_bound(rest[0], confidence)
    if found >= read - 1:
        return exact + left  # the inequality needs at least two units in which nothing was found
    smallest_share = min(count.read / count.size for count in rest)
    return exact + min(read * clopper_pearson(found, read, confidence) / smallest_share, left)


def summed_bound(counts: Sequence[Count], confidence: float) -> float:
    """The same, by a bound for each stratum; better where strata are drawn in very different shares."""
    estimated = sum(not count.all_read for count in counts)
    each = 1 - (1 - confidence) / max(estimated, 1)
    return sum(stratum_bound(count, each) for count in counts)


def proportional(sizes: Sequence[int], total: int) -> list[int]:
    """How many to draw of each stratum: at least one, and always the next of the one with the smallest share drawn.

    >>> proportional([700, 100, 12], 60)
    [51, 8, 1]
    """
    return next(drawn for drawn in _growing(sizes) if sum(drawn) >= total)


def smallest_sample(sizes: Sequence[int], at_most: float, confidence: float) -> int:
    """The smallest sample, drawn in proportion, that shows `at_most` if nothing is found in it.

    >>> [smallest_sample(sizes, 0.05, 0.95) for sizes in ([812], [700, 100, 12], [8])]
    [59, 60, 8]
    """
    for drawn in _growing(sizes):
        counts = [Count(size, read) for size, read in zip(sizes, drawn, strict=True)]
        if pooled_bound(counts, confidence) <= at_most * sum(sizes):
            return sum(drawn)
    raise AssertionError("all strata read as a whole leave nothing to be missed")


def _growing(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Ever larger samples, from one unit of each stratum to all of them."""
    drawn = [1] * len(sizes)
    yield drawn
    for _ in range(sum(sizes) - len(sizes)):
        least = min(range(len(sizes)), key=lambda at: drawn[at] / sizes[at])
        drawn[least] += 1
        yield drawn


def _not_ruled_out(count: Count) -> float:
    """Units found, and units that nobody read."""
    return float(count.found + count.size - count.read)
