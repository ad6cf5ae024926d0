"""Images placed on one page: where they are, how large, and which of them show the same picture.

Boxes (x0, y0, x1, y1), points or pixels: what they cover and share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import pymupdf

from docaudit.codes import BlindSpotKind, TextLikely
from docaudit.extract.protocol import Box, ImageFact, LineFact, SpotFact

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


_LARGEST = 768 << 20
"""Bytes of an unpacked image; PDFium unpacks a gigabyte of a stream at most."""


def read_images(content: dict[str, Any], rect: pymupdf.Rect) -> list[ImageFact]:
    """One fact for each placed image, cut to the page; what OCR makes of it is noted later."""
    area = max(rect.width * rect.height, 1.0)
    images = []
    for block in content["blocks"]:
        if block["type"] == 1:
            box = pymupdf.Rect(block["bbox"]) & rect
            shown: Box = tuple(block["bbox"]) if box.is_empty else (box.x0, box.y0, box.x1, box.y1)
            images.append(
                ImageFact(
                    box=shown,
                    width_px=int(block["width"]),
                    height_px=int(block["height"]),
                    image_hash=hashlib.blake2b(block["image"], digest_size=16).hexdigest(),
                    area_share=0.0 if box.is_empty else min(1.0, box.width * box.height / area),
                )
            )
    return images


def oversized(content: dict[str, Any]) -> list[SpotFact]:
    """A blind spot for each image so large that the engines draw the beginning of it, and of the rest say nothing."""
    return [
        SpotFact(
            kind=BlindSpotKind.IMAGE_NOT_READ.value,
            text_likely=TextLikely.UNKNOWN.value,
            detail=f"an image of {block['width']} x {block['height']} pixels is too large to be drawn as a whole",
            box=tuple(block["bbox"]),
        )
        for block in content["blocks"]
        if block["type"] == 1
        and block["width"] * block["height"] * max(1, block["colorspace"]) * block["bpc"] > 8 * _LARGEST
    ]


def note_reading(image: ImageFact, state: str, lines: list[LineFact]) -> None:
    """Attach to an image what OCR read inside its box."""
    inside = [line for line in lines if line.box is not None and centre_in(line.box, image.box)]
    image.ocr_state = "read" if inside and state == "no_text" else state
    image.ocr_text = "\n".join(line.text for line in inside)
    weight = sum(len(line.text) for line in inside)
    if weight:
        image.ocr_confidence = sum(line.confidence * len(line.text) for line in inside) / weight
