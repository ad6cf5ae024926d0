"""A picture of one page, drawn in the child process: small for the page map, or large for a person to read."""

from __future__ import annotations

import pymupdf

_TALLEST = 4
"""Times the width: a page that is taller is squeezed, or a strip of paper would cost as much as a book."""
_QUALITY, _LEGIBLE_QUALITY = 55, 80
_LEGIBLE_FROM = 700
"""Pixels of width from which a picture is for reading."""


_MARGIN = 8.0
"""Points of the page around a region: a picture without its surroundings is hard to find again."""
_SHARPEST = 3.0
"""Pixels per point: a small region is not blown up beyond what can be seen in it."""


def draw_thumbnail(
    page: pymupdf.Page, width: int, clip: tuple[float, float, float, float] | None = None
) -> bytes:
    """JPEG of the page as displayed, or of a region of it, `width` pixels wide; raises one of the engine's errors."""
    if clip is not None:
        return _draw_region(page, width, clip)
    across, down = float(page.rect.width), float(page.rect.height)
    if across <= 0 or down <= 0:
        raise ValueError(f"the page is {across:g} x {down:g} points large")
    scale = width / across
    down_scale = min(scale, _TALLEST * width / down)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, down_scale), alpha=False)
    jpeg: bytes = pixmap.tobytes("jpeg", jpg_quality=_LEGIBLE_QUALITY if width >= _LEGIBLE_FROM else _QUALITY)
    return jpeg


def _draw_region(page: pymupdf.Page, width: int, clip: tuple[float, float, float, float]) -> bytes:
    """A region with a margin; a tall one is as high as a page may be, and so less than `width` wide."""
    x0, y0, x1, y1 = clip
    region = pymupdf.Rect(x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN)
    region &= pymupdf.Rect(0, 0, page.rect.width, page.rect.height)
    if region.is_empty:
        raise ValueError("the region lies outside the page")
    scale = min(width / region.width, 1.5 * width / region.height, _SHARPEST)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=region, alpha=False)
    jpeg: bytes = pixmap.tobytes("jpeg", jpg_quality=_QUALITY)
    return jpeg
