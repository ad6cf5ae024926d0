"""Turns set pages into scans: two that OCR reads well, one that only a person can read."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import typst
from PIL import Image, ImageFilter

from . import fonts

SIZE = (1654, 2339)  # A4 at 200 dpi
HAND_FONT = "fontpkg_zeyada"


def _set_page(source: Path) -> Image.Image:
    """One typeset page as grey pixels at 200 dpi."""
    paths = [str(fonts.fira_dir()), str(fonts.script_font(HAND_FONT).parent)]
    data = typst.compile(str(source), format="png", ppi=200, font_paths=paths, ignore_system_fonts=True)
    pages = data if isinstance(data, list) else [data]
    return Image.open(io.BytesIO(pages[0])).convert("L").resize(SIZE, Image.Resampling.LANCZOS)


def clean_scan(source: Path, target: Path, seed: int, skew: float) -> None:
    """A well-kept original on a flatbed scanner: slight skew, grey paper, light noise."""
    rng = np.random.default_rng(seed)
    page = _set_page(source).rotate(skew, Image.Resampling.BICUBIC, fillcolor=255)
    page = page.filter(ImageFilter.GaussianBlur(0.6))
    pixels = np.asarray(page, dtype=np.float64)
    shade = 246 + 4 * np.linspace(-1, 1, SIZE[0])[None, :]
    pixels = pixels * shade / 255 + rng.normal(0, 4.0, pixels.shape)
    _save(pixels, target, 72)


def _fax_lines(rng: np.random.Generator, dark: np.ndarray) -> np.ndarray:
    """Dropped and smeared scan lines, as a worn fax drum leaves them."""
    for row in rng.choice(dark.shape[0], 26, replace=False):
        dark[row] = dark[max(row - 1, 0)] if rng.random() < 0.5 else False
    for column in rng.choice(dark.shape[1], 3, replace=False):
        dark[:, column] |= rng.random(dark.shape[0]) < 0.7
    return dark


def _generation(
    rng: np.random.Generator, page: Image.Image, scale: float, skew: float, level: float
) -> Image.Image:
    """One pass through a fax machine: fewer dots, skew, a hard threshold, specks."""
    small = (int(SIZE[0] * scale), int(SIZE[1] * scale * 0.92))
    page = page.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255).resize(small, Image.Resampling.BILINEAR)
    pixels = np.asarray(page, dtype=np.float64) + rng.normal(0, 26, (small[1], small[0]))
    dark = _fax_lines(rng, pixels < level)
    dark |= rng.random(dark.shape) < 0.0035
    image = Image.fromarray(np.where(dark, 0, 255).astype(np.uint8))
    return image.resize(SIZE, Image.Resampling.BILINEAR)


def _wave(rng: np.random.Generator, page: Image.Image) -> Image.Image:
    """Paper that slipped in the feeder: every row and column is shifted along a slow wave."""
    pixels = np.asarray(page)
    rows, columns = np.indices(pixels.shape)
    phase = rng.uniform(0, 6.28, 4)
    down = 6 * np.sin(columns / 61 + phase[0]) + 4 * np.sin(columns / 23 + phase[1])
    across = 5 * np.sin(rows / 47 + phase[2]) + 3 * np.sin(rows / 19 + phase[3])
    source_rows = np.clip(rows + down, 0, pixels.shape[0] - 1).astype(int)
    source_columns = np.clip(columns + across, 0, pixels.shape[1] - 1).astype(int)
    return Image.fromarray(pixels[source_rows, source_columns])


def fax_scan(source: Path, target: Path, seed: int) -> None:
    """A handwritten form faxed twice and scanned crookedly: third generation."""
    rng = np.random.default_rng(seed)
    page = _set_page(source)
    page = _generation(rng, page, 0.36, 0.9, 172)
    page = _wave(rng, page)
    page = _generation(rng, page, 0.3, -2.1, 152)
    pixels = np.asarray(page.filter(ImageFilter.GaussianBlur(0.9)), dtype=np.float64)
    _save(pixels * 0.93 + rng.normal(0, 5.0, pixels.shape), target, 60)


def _save(pixels: np.ndarray, target: Path, quality: int) -> None:
    image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    image.save(target, "JPEG", quality=quality, dpi=(200, 200))
