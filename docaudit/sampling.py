"""The elusion test: draw pages that the search left, have them read by a person, and bound what it missed.

The method is that of e-discovery: the documents that a search left behind are sampled, and the share of misses in the
sample bounds what the search missed. Here the pages of one document are the documents.

The frame. A page is left out if every required concept has a hit on it: nothing can be missed there. What the others
may hold is unknown, and they are drawn from three strata: `flagged` (a blind spot that may hold text, or a page that
failed), `ocr` (read by OCR, at least in part) and `plain` (read from the text layer). Instead of pages, the regions
that were not read can be drawn; then each kind of blind spot is a stratum.

The draw. Simple random sampling without replacement in each stratum: each unit of the frame gets a 64-bit number from
PCG64, and the units with the smallest numbers are drawn. These raw numbers are the same on every machine in every
version of numpy; Generator.choice does not promise that. The record of a draw has all that anyone needs to repeat it.

The bound for one stratum. That of Clopper and Pearson (Biometrika 26, 1934), one-sided: 0 found of 59 read gives
1 - 0.05 ** (1/59) = 4.95 % at 95 % confidence. Pages are drawn without replacement, so fewer can be left than the
binomial bound allows: it is too wide, never too narrow (Hoeffding, Annals of Mathematical Statistics 27, 1956: what
is drawn is a sum of independent yes-or-no draws, and its lower tail is no heavier than the binomial one). The
hypergeometric bound would be tighter; this one is what readers of elusion tests know and can compute again.

Strata together, by two ways whose stated level holds, chosen before anything is read:
- `pooled`: with all found and all read added up, what was found has a mean of at least f times what there is, where f
  is the smallest share drawn of any stratum. Hoeffding bounds the mean, and the mean divided by f bounds what there is.
  Drawn in proportion, this is the bound of one stratum.
- `summed`: each stratum is bounded at a level so high that all hold together (Bonferroni), and the bounds are added.

A stratum that was read as a whole is not estimated: what was found in it is what there is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from numpy.random import PCG64
from pydantic import Field

from docaudit.codes import BBox, PageState, TextLikely
from docaudit.errors import OptionError, SampleError
from docaudit.justification import AbsenceJustification, BlindSpot, DocumentIdentity, Model


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


UnitKind = Literal["page", "region"]
Allocation = Literal["proportional", "per_stratum"]


class Sought(Model):
    """A concept to look for, with the variants that the search knew."""

    concept: str
    variants: tuple[str, ...]


class Drawn(Model):
    """One page or region to be read by a person.

    Attributes:
        sample_id: Its name in the sheet; begins with the id of the draw, so that sheets cannot be mixed up.
        unit: Its key in the frame: the page, or page.region.
        page_num: 1-based physical page.
        page_label: Label of that page; empty if none.
        width_pt: Width of the page as displayed, points; null if unknown.
        height_pt: Height of it.
        stratum: Where it was drawn from.
        bbox: The region, points; null for the whole page.
        look_for: Concepts that the search did not find on the page.
        found_already: Required concepts that it did find there.
    """

    sample_id: str
    unit: str
    page_num: int = Field(ge=1)
    page_label: str
    width_pt: float | None
    height_pt: float | None
    stratum: str
    bbox: BBox | None = None
    look_for: tuple[str, ...]
    found_already: tuple[str, ...]


class Stratum(Model):
    """One part of the frame: all its units, and how many were drawn."""

    name: str
    units: tuple[str, ...] = Field(min_length=1)
    drawn: int = Field(ge=1)

    @property
    def size(self) -> int:
        """Units of the stratum."""
        return len(self.units)


class Draw(Model):
    """The record of a draw: what the sheet is checked against, and what anyone needs to draw the same again.

    Attributes:
        document: Which document.
        question: The question, or null.
        concept_table_fingerprint: Fingerprint of the table that was swept.
        sought: The required concepts with their accepted variants.
        unit: Whether pages or regions were drawn.
        pages_left_out: Pages on which every required concept has a hit; 0 if regions were drawn.
        seed: Seed of PCG64.
        confidence: Level of the bounds, 0 to 1.
        allocation: proportional (bounds are pooled) or per_stratum (bounds are summed); see docaudit.sampling.
        strata: The frame.
        drawn: What is to be read, in order of the pages.
        language: Language of the sheet.
        digest: SHA-256 over all other fields.
    """

    kind: Literal["elusion_draw"] = "elusion_draw"
    schema_version: Literal["1"] = "1"
    document: DocumentIdentity
    question: str | None
    concept_table_fingerprint: str
    sought: tuple[Sought, ...]
    unit: UnitKind
    pages_left_out: int
    seed: int
    confidence: float
    allocation: Allocation
    strata: tuple[Stratum, ...]
    drawn: tuple[Drawn, ...]
    language: Literal["en", "ja"]
    digest: str = ""

    @property
    def size(self) -> int:
        """Units of the frame."""
        return sum(stratum.size for stratum in self.strata)


def digest_of(draw: Draw) -> str:
    """SHA-256 over all fields of the record but the digest itself."""
    data = draw.model_dump(mode="json", exclude={"digest"})
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


PAGE_STRATA = ("plain", "ocr", "flagged")
AT_MOST = 0.05
CONFIDENCE = 0.95
_MAX_SEED = 2**63 - 1


class _Unit(Model):
    key: str
    page_num: int
    stratum: str
    bbox: BBox | None = None


def draw_sample(
    justification: AbsenceJustification,
    *,
    size: int | None = None,
    per_stratum: int | None = None,
    at_most: float | None = None,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    unit: UnitKind = "page",
) -> Draw:
    """Draw pages, or unread regions, on which the search did not find everything.

    Args:
        justification: The audit that is tested.
        size: Units to draw in all; at least one of each stratum.
        per_stratum: Units to draw of each stratum instead (all of a smaller one).
        at_most: Instead of a size: the share of misses that a clean sample is to rule out, 0 to 1 (default 0.05).
        confidence: Level of the bound, 0 to 1.
        seed: The same seed draws the same units on every machine.
        unit: page, or region (a blind spot that may hold text).

    Raises:
        OptionError: A number is out of its range, or more than one of the three sizes is given.
        SampleError: There is nothing to draw.
    """
    _check(size, per_stratum, at_most, confidence, seed)
    frame = _frame(justification, unit)
    sizes = [sum(one.stratum == name for one in frame) for name in _strata(frame)]
    counts = _counts(sizes, size, per_stratum, at_most, confidence, unit)
    drawn = _choose(frame, dict(zip(_strata(frame), counts, strict=True)), seed)
    hit = _hit_pages(justification)
    document, table = justification.document, justification.concept_table
    return _sealed(
        document=document,
        question=justification.question,
        concept_table_fingerprint=justification.concept_table_fingerprint,
        sought=tuple(
            Sought(concept=name, variants=tuple(v.text for v in table.active if v.concept == name))
            for name in justification.required
        ),
        unit=unit,
        pages_left_out=0 if unit == "region" else len(justification.pages) - len(frame),
        seed=seed,
        confidence=confidence,
        allocation="proportional" if per_stratum is None else "per_stratum",
        strata=tuple(
            Stratum(name=name, units=tuple(u.key for u in frame if u.stratum == name), drawn=count)
            for name, count in zip(_strata(frame), counts, strict=True)
        ),
        drawn=tuple(_described(one, justification, hit) for one in drawn),
        language=justification.options.language,
    )


def _check(
    size: int | None, per_stratum: int | None, at_most: float | None, confidence: float, seed: int
) -> None:
    if sum(given is not None for given in (size, per_stratum, at_most)) > 1:
        raise OptionError("size, per-stratum and at-most exclude each other", remedy="give one of them")
    for name, number in (("size", size), ("per-stratum", per_stratum)):
        if number is not None and number < 1:
            raise OptionError(f"{name} is {number}", remedy="draw at least 1")
    for name, share in (("at-most", at_most), ("confidence", confidence)):
        if share is not None and not 0 < share < 1:
            raise OptionError(f"{name} is {share:g}", remedy="write a share between 0 and 1, as 0.05")
    if not 0 <= seed <= _MAX_SEED:
        raise OptionError(f"seed is {seed}", remedy=f"write a whole number from 0 to {_MAX_SEED}")


def _frame(justification: AbsenceJustification, unit: UnitKind) -> list[_Unit]:
    if not justification.pages:
        raise SampleError("the justification lists no pages", remedy="run the audit again")
    frame = list(_pages(justification) if unit == "page" else _regions(justification))
    if frame:
        return frame
    if unit == "region":
        raise SampleError(
            "nothing to draw: no page has a region that was not read and may hold text",
            remedy="draw pages (--unit page)",
        )
    raise SampleError(
        "nothing to draw: every page has a hit of every required concept, so the search missed no page",
        remedy="read the hits themselves",
    )


def _pages(justification: AbsenceJustification) -> Iterator[_Unit]:
    flagged = {spot.page_num for spot in justification.blind_spots if _may_hold_text(spot)}
    by_ocr = {PageState.MIXED, PageState.IMAGE_ONLY} if justification.options.ocr != "off" else set()
    lost = {PageState.FAILED, PageState.NOT_RENDERED}
    if justification.options.ocr == "off":
        lost.add(PageState.IMAGE_ONLY)
    hit = _hit_pages(justification)
    still_open = {
        page.page_num
        for page in justification.pages
        if any(page.page_num not in hit[concept] for concept in justification.required)
    }
    for page in justification.pages:
        if page.page_num in still_open:
            unread = page.page_num in flagged or page.state in lost
            stratum = "flagged" if unread else "ocr" if page.state in by_ocr else "plain"
            yield _Unit(key=str(page.page_num), page_num=page.page_num, stratum=stratum)


def _regions(justification: AbsenceJustification) -> Iterator[_Unit]:
    numbers: dict[int, int] = {}
    known = {page.page_num for page in justification.pages}
    for spot in justification.blind_spots:
        if spot.page_num in known and _may_hold_text(spot):
            number = numbers[spot.page_num] = numbers.get(spot.page_num, 0) + 1
            key = f"{spot.page_num}.{number}"
            yield _Unit(key=key, page_num=spot.page_num, stratum=spot.kind.value, bbox=spot.bbox)


def _may_hold_text(spot: BlindSpot) -> bool:
    return spot.text_likely is not TextLikely.NO


def _hit_pages(justification: AbsenceJustification) -> dict[str, set[int]]:
    """Pages with a hit, by required concept. What only may be a hit, or stands in an attachment, leaves a page open."""
    pages: dict[str, set[int]] = {concept: set() for concept in justification.required}
    for hit in justification.hits:
        if hit.concept in pages and not hit.match_kind.is_possible and not hit.part:
            pages[hit.concept].update(range(hit.page_num, hit.page_end + 1))
    return pages


def _strata(frame: Iterable[_Unit]) -> list[str]:
    names = dict.fromkeys(unit.stratum for unit in frame)
    return [name for name in PAGE_STRATA if name in names] or sorted(names)


def _counts(
    sizes: list[int],
    size: int | None,
    per_stratum: int | None,
    at_most: float | None,
    confidence: float,
    unit: UnitKind,
) -> list[int]:
    if per_stratum is not None:
        return [min(per_stratum, there) for there in sizes]
    total = size or smallest_sample(sizes, AT_MOST if at_most is None else at_most, confidence)
    if total > sum(sizes):
        raise OptionError(
            f"size {total:,} is larger than what there is to draw from, {sum(sizes):,} {unit}(s)",
            remedy=f"--size {sum(sizes)} reads all of them",
        )
    if total < len(sizes):
        raise OptionError(
            f"size {total} is too small for {len(sizes)} strata", remedy="draw at least one of each"
        )
    return proportional(sizes, total)


def _choose(frame: list[_Unit], counts: dict[str, int], seed: int) -> list[_Unit]:
    """The units with the smallest random numbers of each stratum, in the order of the frame."""
    numbers = [int(number) for number in PCG64(seed).random_raw(len(frame))]
    chosen: set[int] = set()
    for name, count in counts.items():
        there = [at for at, unit in enumerate(frame) if unit.stratum == name]
        chosen.update(sorted(there, key=lambda at: (numbers[at], at))[:count])
    return [frame[at] for at in sorted(chosen)]


def _described(unit: _Unit, justification: AbsenceJustification, hit: Mapping[str, set[int]]) -> Drawn:
    page = next(page for page in justification.pages if page.page_num == unit.page_num)
    whole_page = unit.key == str(unit.page_num)
    # A region was not read, whatever was found elsewhere on its page.
    found = tuple(c for c in justification.required if whole_page and unit.page_num in hit[c])
    return Drawn(
        sample_id="",
        unit=unit.key,
        page_num=unit.page_num,
        page_label=page.page_label,
        width_pt=page.width_pt,
        height_pt=page.height_pt,
        stratum=unit.stratum,
        bbox=unit.bbox,
        look_for=tuple(c for c in justification.required if c not in found),
        found_already=found,
    )


def _sealed(**fields: Any) -> Draw:
    """The draw with ids for what was drawn, and with its digest."""
    draw = Draw(**fields)
    mark = digest_of(draw)[:6]
    width = max(len(str(len(draw.drawn))), 3)
    named = tuple(
        one.model_copy(update={"sample_id": f"S{mark}-{number:0{width}}"})
        for number, one in enumerate(draw.drawn, 1)
    )
    draw = draw.model_copy(update={"drawn": named})
    return draw.model_copy(update={"digest": digest_of(draw)})
