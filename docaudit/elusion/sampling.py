"""Elusion test: a sample of what the search did not hit, for a person to read.

The method is that of e-discovery: the documents that a search left behind are sampled, and the share of misses in the
sample bounds what the search missed. Here the pages of one document are the documents.

A page is left out of the frame if every required concept has a hit on it: nothing can be missed there. What the
others may hold is unknown, and they are drawn from three strata: `flagged` (a blind spot that may hold text, or a page
that failed), `ocr` (read by OCR, at least in part) and `plain` (read from the text layer). Instead of pages, the
regions that were not read can be drawn; then each kind of blind spot is a stratum.

The draw is simple random sampling without replacement in each stratum. Each unit of the frame gets a 64-bit number from
PCG64, and the units with the smallest numbers are drawn. These raw numbers are the same on every machine in every
version of numpy; Generator.choice does not promise that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from numpy.random import PCG64

from docaudit.elusion.bounds import proportional, smallest_sample
from docaudit.elusion.draws import Draw, Drawn, Sought, Stratum, UnitKind, digest_of
from docaudit.errors import OptionError, SampleError
from docaudit.evidence import BlindSpot, Model
from docaudit.justification import AbsenceJustification
from docaudit.location import BBox, PageState, TextLikely

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
    assert document is not None, "no justification is without its document"
    assert table is not None, "no justification is without its table"
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
