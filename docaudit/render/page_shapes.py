"""The page map of a report: each page as a small drawing, with its hits and with what was not read.

One path for each concept and page, in whole points: the drawings of 300 pages with thousands of hits stay small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from docaudit.evidence import BlindSpot, PageFact
from docaudit.justification import AbsenceJustification
from docaudit.location import BBox, TextLikely
from docaudit.render.view import CellState, page_cells

_NO_SIZE = (595.0, 842.0)
_LONGEST = 4.0
"""A page that is longer than so many times its width is drawn as if it were not."""


@dataclass(frozen=True)
class PageShape:
    """One page of the map.

    Attributes:
        page_num: 1-based physical page.
        label: Its page label, empty if it has none or if it is its number.
        state: How much of it was read.
        width: Width of the drawing in points.
        height: Height of the drawing in points.
        unread: Path around regions that were not read and may hold text; empty if there are none.
        unlikely: Path around regions that were not read and hold no text.
        concepts: Number of the concept -> path around its hits.
        hits: How many hits the page has.
        blind_spots: How many blind spots.
    """

    page_num: int
    label: str
    state: CellState
    width: int
    height: int
    unread: str
    unlikely: str
    concepts: Mapping[int, str]
    hits: int
    blind_spots: int


def page_shapes(justification: AbsenceJustification, numbers: Mapping[str, int]) -> list[PageShape]:
    """The drawing of every page; `numbers` gives each concept the number of its colour."""
    spots: dict[int, list[BlindSpot]] = defaultdict(list)
    for spot in justification.blind_spots:
        spots[spot.page_num].append(spot)
    boxes: dict[int, dict[int, list[BBox]]] = defaultdict(lambda: defaultdict(list))
    for hit in justification.hits:
        if hit.bbox is not None and not hit.part and not hit.match_kind.is_possible:
            boxes[hit.page_num][numbers[hit.concept]].append(hit.bbox)
    facts = {fact.page_num: fact for fact in justification.pages}
    shapes = []
    for cell in page_cells(justification):
        fact = facts.get(cell.page_num)
        width, height = _size(fact)
        here = spots[cell.page_num] if fact is not None else []
        unread = [spot for spot in here if spot.text_likely is not TextLikely.NO]
        others = [spot for spot in here if spot.text_likely is TextLikely.NO]
        label = fact.page_label if fact is not None else ""
        shapes.append(
            PageShape(
                page_num=cell.page_num,
                label="" if label == str(cell.page_num) else label,
                state=cell.state,
                width=round(width),
                height=round(height),
                unread=_path(_regions(unread, width, height), width, height),
                unlikely=_path(_regions(others, width, height), width, height),
                concepts={
                    number: _path(found, width, height)
                    for number, found in sorted(boxes[cell.page_num].items())
                },
                hits=cell.hits,
                blind_spots=cell.blind_spots,
            )
        )
    return shapes


def _size(fact: PageFact | None) -> tuple[float, float]:
    if fact is None or not fact.width_pt or not fact.height_pt:
        return _NO_SIZE
    width, height = fact.width_pt, fact.height_pt
    return max(width, height / _LONGEST), max(height, width / _LONGEST)


def _regions(spots: Iterable[BlindSpot], width: float, height: float) -> list[BBox]:
    whole = (0.0, 0.0, width, height)
    return [spot.bbox or whole for spot in spots if spot.bbox is not None or spot.area_share == 1]


def _path(boxes: Sequence[BBox], width: float, height: float) -> str:
    """The boxes as one path; the same box is drawn once."""
    seen: dict[str, None] = {}
    for x0, y0, x1, y1 in boxes:
        left, right = (round(min(max(side, 0), width)) for side in (x0, x1))
        top, bottom = (round(min(max(side, 0), height)) for side in (y0, y1))
        seen[f"M{left} {top}h{max(right - left, 1)}v{max(bottom - top, 1)}H{left}z"] = None
    return "".join(seen)
