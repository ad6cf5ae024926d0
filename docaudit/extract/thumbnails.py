"""A small picture of one page, drawn in the child process: for the page map, never for reading."""

from __future__ import annotations

import pymupdf

_TALLEST = 4
"""Times the width: a page that is taller is squeezed, or a strip of paper would cost as much as a book."""
_QUALITY = 55


def draw_thumbnail(page: pymupdf.Page, width: int) -> bytes:
    """JPEG of the page as displayed, `width` pixels wide; raises one of the engine's errors."""
    across, down = float(page.rect.width), float(page.rect.height)
    if across <= 0 or down <= 0:
        raise ValueError(f"the page is {across:g} x {down:g} points large")
    scale = width / across
    down_scale = min(scale, _TALLEST * width / down)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, down_scale), alpha=False)
    jpeg: bytes = pixmap.tobytes("jpeg", jpg_quality=_QUALITY)
    return jpeg
