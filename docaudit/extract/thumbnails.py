"""A picture of one page, drawn in the child process: small for the page map, or large for a person to read."""

from __future__ import annotations

import pymupdf

_TALLEST = 4
"""Times the width: a page that is taller is squeezed, or a strip of paper would cost as much as a book."""
_QUALITY, _LEGIBLE_QUALITY = 55, 80
_LEGIBLE_FROM = 700
"""Pixels of width from which a picture is for reading."""


def draw_thumbnail(page: pymupdf.Page, width: int) -> bytes:
    """JPEG of the page as displayed, `width` pixels wide; raises one of the engine's errors."""
    across, down = float(page.rect.width), float(page.rect.height)
    if across <= 0 or down <= 0:
        raise ValueError(f"the page is {across:g} x {down:g} points large")
    scale = width / across
    down_scale = min(scale, _TALLEST * width / down)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, down_scale), alpha=False)
    jpeg: bytes = pixmap.tobytes("jpeg", jpg_quality=_LEGIBLE_QUALITY if width >= _LEGIBLE_FROM else _QUALITY)
    return jpeg
