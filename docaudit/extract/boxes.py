"""Boxes (x0, y0, x1, y1), points or pixels: what they cover and share."""

from __future__ import annotations

from collections.abc import Sequence

from docaudit.extract.facts import Box

_EDGE = 0.2
"""Share of a line's height that its neighbours may reach into."""


def area(box: Box) -> float:
    """Width times height; 0 for a box that is turned inside out."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def longest_side(box: Box) -> float:
    """The longer of width and height."""
    return max(box[2] - box[0], box[3] - box[1])


def union(boxes: Sequence[Box]) -> Box:
    """The box around one or more boxes."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def clipped(box: Box, frame: Box) -> Box:
    """The part of a box that lies in a frame."""
    return (
        max(frame[0], box[0]),
        max(frame[1], box[1]),
        min(frame[2], box[2]),
        min(frame[3], box[3]),
    )


def apart(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, those that touch as one, so that none touches another."""
    groups: list[Box] = []
    for box in boxes:
        current = box
        while near := [group for group in groups if touch(group, current)]:
            groups = [group for group in groups if group not in near]
            current = union([current, *near])
        groups.append(current)
    return groups


def overlap(box: Box, other: Box) -> float:
    """The area that two boxes share, as a share of the first."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    whole = area(box)
    return width * height / whole if width > 0 and height > 0 and whole > 0 else 0.0


def without_edges(box: Box) -> Box:
    """The box of a line without its upper and lower edge, into which its neighbours reach."""
    inset = _EDGE * min(box[2] - box[0], box[3] - box[1])
    return box[0], box[1] + inset, box[2], box[3] - inset


def touch(one: Box, other: Box) -> bool:
    """Two boxes share some area."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def centre_in(box: Box, other: Box) -> bool:
    """The centre of a box lies in another."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return other[0] <= x <= other[2] and other[1] <= y <= other[3]
