"""Pictures of regions that were not read, for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docaudit.extract.child import Child
from docaudit.extract.document import Source
from docaudit.extract.errands import for_each_page
from docaudit.extract.facts import Refused
from docaudit.location import BBox
from docaudit.options import AuditOptions
from docaudit.readability import RegionPicture

Regions = Mapping[int, Sequence[BBox | None]]
"""Page (1-based) -> boxes on it; None is the whole page."""


def read_regions(source: Source, options: AuditOptions, regions: Regions, width: int) -> list[RegionPicture]:
    """Pictures of the regions, `width` pixels wide at most; one that could not be drawn says why.

    Raises InputError and its subclasses if the document cannot be opened.
    """

    def draw(child: Child, page_num: int, seconds: float) -> list[bytes | Refused]:
        return [child.thumbnail(page_num, width, seconds, box) for box in regions[page_num]]

    drawn = for_each_page(source, options, regions, draw)
    pictures = []
    for page_num, answer in drawn.items():
        answers = [answer] * len(regions[page_num]) if isinstance(answer, Refused) else answer
        for box, one in zip(regions[page_num], answers, strict=True):
            jpeg, problem = (None, one.message) if isinstance(one, Refused) else (one, "")
            pictures.append(RegionPicture(page_num=page_num, bbox=box, jpeg=jpeg, problem=problem))
    return pictures
