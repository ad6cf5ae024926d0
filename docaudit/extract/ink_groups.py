"""Unexplained ink that belongs together, as one region."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf

from docaudit.extract.boxes import union
from docaudit.extract.facts import Box
from docaudit.extract.ink import InkRegion
from docaudit.location import TextLikely

_NEAR_PT = 14.0
_MARGIN_PT = 5.0
_WORD_GAP, _LARGE_LETTER_PT = 1.6, 40.0


def joined(regions: Sequence[InkRegion]) -> list[InkRegion]:
    """Regions that lie close together, as one."""
    groups: list[InkRegion] = []
    for region in regions:
        current = region
        while near := [other for other in groups if _near(other.box, current.box)]:
            for other in near:
                groups.remove(other)
                current = joined_into_one((current, other))
        groups.append(current)
    return sorted(groups, key=lambda region: (region.box[1], region.box[0]))


def joined_into_one(regions: Sequence[InkRegion]) -> InkRegion:
    """The region around one or more regions: text is likely in it if it is in any of them."""
    likely = TextLikely.YES if any(r.likely is TextLikely.YES for r in regions) else TextLikely.UNKNOWN
    return InkRegion(union([r.box for r in regions]), sum(r.ink for r in regions), likely)


def _near(one: Box, other: Box) -> bool:
    """Close enough for words of one line, whose gaps grow with the size of the letters, or for lines of one text."""
    beside = max(_NEAR_PT, _WORD_GAP * min(one[3] - one[1], other[3] - other[1], _LARGE_LETTER_PT))
    return (
        one[0] - beside <= other[2]
        and other[0] - beside <= one[2]
        and one[1] - _NEAR_PT <= other[3]
        and other[1] - _NEAR_PT <= one[3]
    )


def grown(box: Box, rect: pymupdf.Rect) -> Box:
    """The box with a margin in which a thin letter (l, i, 1) at its edge fits, as it may not count as a shape."""
    across = max(_MARGIN_PT, 0.6 * min(box[3] - box[1], _LARGE_LETTER_PT))
    return (
        max(rect.x0, box[0] - across),
        max(rect.y0, box[1] - _MARGIN_PT),
        min(rect.x1, box[2] + across),
        min(rect.y1, box[3] + _MARGIN_PT),
    )
