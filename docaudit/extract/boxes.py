"""Boxes (x0, y0, x1, y1) in points or pixels, origin top left: what they enclose, cover and share."""

from __future__ import annotations

from collections.abc import Sequence

from docaudit.extract.protocol import Box

_EDGE = 0.2
"""Share of a line's height that its neighbours may reach into; chosen, not measured."""


def area(box: Box) -> float:
    """Width times height; 0 for a box that is turned inside out."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def page_share(box: Box, page: Box) -> float:
    """Share of a page that a box covers, 0 to 1."""
    return min(1.0, area(box) / max(area(page), 1.0))


def longest_side(box: Box) -> float:
    """The longer of width and height."""
    return max(box[2] - box[0], box[3] - box[1])


def centre(box: Box) -> tuple[float, float]:
    """Middle of a box, x and y."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def union(boxes: Sequence[Box]) -> Box:
    """The box around one or more boxes."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def grown(box: Box, across: float, down: float, frame: Box | None = None) -> Box:
    """The box with a margin to the left and right (`across`) and above and below (`down`), cut to a frame."""
    wide = box[0] - across, box[1] - down, box[2] + across, box[3] + down
    if frame is None:
        return wide
    return (
        max(frame[0], wide[0]),
        max(frame[1], wide[1]),
        min(frame[2], wide[2]),
        min(frame[3], wide[3]),
    )


def moved(box: Box, x: float, y: float, scale: float = 1.0) -> Box:
    """The box in a frame whose origin lies at (x, y) and whose units are `scale` times as long."""
    return x + box[0] * scale, y + box[1] * scale, x + box[2] * scale, y + box[3] * scale


def without_edges(box: Box) -> Box:
    """The box of a line without its upper and lower edge, into which its neighbours reach."""
    inset = _EDGE * min(box[2] - box[0], box[3] - box[1])
    return box[0], box[1] + inset, box[2], box[3] - inset


def touch(first: Box, second: Box) -> bool:
    """Two boxes share some area."""
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def overlap(box: Box, other: Box) -> float:
    """The area that two boxes share, as a share of the first."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    whole = area(box)
    return width * height / whole if width > 0 and height > 0 and whole > 0 else 0.0


def centre_in(box: Box, other: Box) -> bool:
    """The centre of a box lies in another."""
    x, y = centre(box)
    return other[0] <= x <= other[2] and other[1] <= y <= other[3]


def merged(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, those that touch as one, so that none touches another."""
    groups: list[Box] = []
    for box in boxes:
        group = box
        while near := [member for member in groups if touch(member, group)]:
            groups = [member for member in groups if member not in near]
            group = union([group, *near])
        groups.append(group)
    return groups
