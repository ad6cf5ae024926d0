"""Images placed on one page: where they are, how large, and which of them show the same pixels."""

from __future__ import annotations

import hashlib
from typing import Any

import pymupdf

from docaudit.codes import BlindSpotKind, TextLikely
from docaudit.extract.boxes import centre_in
from docaudit.extract.protocol import ImageFact, LineFact, SpotFact

_MOST_BYTES = 768 << 20
"""Bytes of an unpacked image; PDFium unpacks a gigabyte of a stream at most."""


def read_images(content: dict[str, Any], rect: pymupdf.Rect) -> list[ImageFact]:
    """One fact for each placed image, cut to the page; what OCR makes of it is noted later."""
    page_area = max(rect.width * rect.height, 1.0)
    images = []
    for block in content["blocks"]:
        if block["type"] == 1:
            box = pymupdf.Rect(block["bbox"]) & rect
            images.append(
                ImageFact(
                    box=tuple(block["bbox"]) if box.is_empty else tuple(box),
                    width_px=int(block["width"]),
                    height_px=int(block["height"]),
                    image_hash=hashlib.blake2b(block["image"], digest_size=16).hexdigest(),
                    area_share=0.0 if box.is_empty else min(1.0, box.width * box.height / page_area),
                )
            )
    return images


def oversized(content: dict[str, Any]) -> list[SpotFact]:
    """A blind spot for each image so large that the engines draw only its beginning, without saying so."""
    return [
        SpotFact(
            BlindSpotKind.IMAGE_NOT_READ,
            TextLikely.UNKNOWN,
            f"an image of {block['width']} x {block['height']} pixels is too large to be drawn as a whole",
            tuple(block["bbox"]),
        )
        for block in content["blocks"]
        if block["type"] == 1
        and block["width"] * block["height"] * max(1, block["colorspace"]) * block["bpc"] > 8 * _MOST_BYTES
    ]


def note_reading(image: ImageFact, state: str, lines: list[LineFact]) -> None:
    """Attach to an image what OCR read inside its box."""
    inside = [line for line in lines if line.box is not None and centre_in(line.box, image.box)]
    image.ocr_state = "read" if inside and state == "no_text" else state
    image.ocr_text = "\n".join(line.text for line in inside)
    letters = sum(len(line.text) for line in inside)
    if letters:
        image.ocr_confidence = sum(line.confidence * len(line.text) for line in inside) / letters
