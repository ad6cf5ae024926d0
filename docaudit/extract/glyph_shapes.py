"""How much a drawn glyph resembles a character: its pixels against those of well-known fonts.

Fonts differ in style, but an "a" of any of them is far more like the "a" of Helvetica, Times or Courier than like
their "h": over the letters of a font the resemblance tells whether it shows what the file says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from string import ascii_letters, digits

import numpy as np
import pymupdf
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
Floats = NDArray[np.float32]

CELL_PT, SIZE_PT, ZOOM = 40, 24, 2
"""A specimen stands in a square cell: SIZE_PT large, BASE_PT below the top, drawn ZOOM pixels to the point."""
LEFT_PT, BASE_PT = 10, 28
COLUMNS = 16

_WIDE, _HIGH = 16, 24
_INK = 64
_PLACE_WEIGHT = 1.5
_WESTERN = ("helv", "tiro", "cour", "hebo", "tibi", "tiit")
_EASTERN = ("cjk", "tiro", "helv", "cour")
_ALPHABETS: dict[str, tuple[str, tuple[str, ...]]] = {
    "latin": (ascii_letters + digits + '!"#$%&()*+/;<=>?@[\\]^{}~', _WESTERN),
    "greek": ("αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", _WESTERN),
    "cyrillic": ("".join(map(chr, range(0x410, 0x450))), _WESTERN),
    "kana": ("".join(map(chr, (*range(0x3042, 0x3094), *range(0x30A2, 0x30F4)))), _EASTERN),
    "kanji": (
        "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午",
        _EASTERN,
    ),
}
"""Characters that a glyph of each script is compared with beside the one that it claims to be, and in which fonts; any
other script is compared with Latin letters as well, since those are what false tables hide most."""


@dataclass(frozen=True)
class Shape:
    """The shape of one glyph: its ink stretched to a fixed grid, and the place and width of that ink in its size."""

    grid: Floats
    place: Floats


@dataclass(frozen=True)
class Likeness:
    """How like the claimed character a glyph is, and how like the character that it resembles most (at most 1)."""

    char: str
    claimed: float
    best: float


def script_group(char: str) -> str | None:
    """The alphabet in which a character can be judged; None if there is no font to compare it with."""
    code = ord(char)
    if 0x4E00 <= code <= 0x9FFF:
        return "kanji"
    return next((name for name, (letters, _) in _ALPHABETS.items() if char in letters), None)


def shape_of(cell: Grey) -> Shape | None:
    """The shape of the glyph in a cell (0 is white); None without ink, or if it is a plain block."""
    ink = cell > _INK
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    if not len(columns):
        return None
    x0, x1, y0, y1 = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    grid = _shrunk(cell[y0:y1, x0:x1].astype(np.float32)).ravel()
    grid -= grid.mean()
    norm = float(np.linalg.norm(grid))
    if norm < 1.0:
        return None
    base = BASE_PT * ZOOM
    place = (np.array([base - y0, base - y1, x1 - x0]) / (SIZE_PT * ZOOM)).astype(np.float32)
    return Shape(grid / norm, place)


def _shrunk(pixels: Floats) -> Floats:
    """The mean grey of each field of the fixed grid, by areas."""
    sums = np.zeros((pixels.shape[0] + 1, pixels.shape[1] + 1), dtype=np.float32)
    sums[1:, 1:] = pixels.cumsum(axis=0).cumsum(axis=1)
    for axis, count in ((0, _HIGH), (1, _WIDE)):
        edges = np.linspace(0, pixels.shape[axis], count + 1)
        low = edges.astype(np.intp)
        part = (edges - low).astype(np.float32).reshape((-1, 1) if axis == 0 else (1, -1))
        high = np.minimum(low + 1, pixels.shape[axis])
        sums = np.take(sums, low, axis) * (1 - part) + np.take(sums, high, axis) * part
    area = pixels.shape[0] * pixels.shape[1] / (_HIGH * _WIDE)
    fields: Floats = np.diff(np.diff(sums, axis=0), axis=1) / area / 255
    return fields


def likenesses(glyphs: Sequence[tuple[str, Shape]], group: str, *, thorough: bool = True) -> list[Likeness]:
    """One for each glyph (character that it claims to be, shape) that can be judged.

    A capital form counts for a small letter and the other way round, as small capitals are common. Without `thorough`
    only two fonts are compared with.
    """
    letters, fonts = _ALPHABETS[group]
    alphabet = "".join(dict.fromkeys(ascii_letters + digits + letters + "".join(char for char, _ in glyphs)))
    columns = {char: number for number, char in enumerate(alphabet)}
    scores = _scores([shape for _, shape in glyphs], alphabet, fonts if thorough else fonts[:2])
    found = []
    for row, (char, _) in zip(scores, glyphs, strict=True):
        own = [columns[form] for form in {char, char.swapcase()} if form in columns]
        claimed = float(row[own].max())
        if np.isfinite(claimed):
            found.append(Likeness(char, claimed, float(row.max())))
    return found


def _scores(shapes: Sequence[Shape], alphabet: str, fonts: Sequence[str]) -> Floats:
    """Resemblance of each shape to each character, in the font where it is greatest; -inf where no font has it."""
    grids, places = np.stack([one.grid for one in shapes]), np.stack([one.place for one in shapes])
    best = np.full((len(shapes), len(alphabet)), -np.inf, dtype=np.float32)
    for font in fonts:
        known = _references(font, alphabet)
        if not known:
            continue
        numbers = [number for number, _ in known]
        their_places = np.stack([shape.place for _, shape in known])
        apart = np.abs(places[:, None, :] - their_places[None]).mean(axis=2)
        scores = grids @ np.stack([shape.grid for _, shape in known]).T - _PLACE_WEIGHT * apart
        best[:, numbers] = np.maximum(best[:, numbers], scores)
    return best


def _references(font: str, alphabet: str) -> list[tuple[int, Shape]]:
    """Number and shape of each character of the alphabet that the font has; each is drawn once."""
    known = _drawn_so_far(font)
    new = [char for char in alphabet if char not in known]
    known.update(dict.fromkeys(new))
    drawn = [char for char in new if _loaded(font).has_glyph(ord(char))]
    known.update(zip(drawn, _drawn(font, drawn), strict=True))
    return [(number, shape) for number, char in enumerate(alphabet) if (shape := known[char]) is not None]


@cache
def _drawn_so_far(font: str) -> dict[str, Shape | None]:
    return {}


@cache
def _loaded(font: str) -> pymupdf.Font:
    return pymupdf.Font(font)


def _drawn(font: str, chars: Sequence[str]) -> list[Shape | None]:
    if not chars:
        return []
    with pymupdf.open() as doc:
        page = doc.new_page(width=COLUMNS * CELL_PT, height=rows_of(len(chars)) * CELL_PT)
        writer = pymupdf.TextWriter(page.rect)
        for number, char in enumerate(chars):
            writer.append(place_of(number), char, font=_loaded(font), fontsize=SIZE_PT)
        writer.write_text(page)
        return [shape_of(cell) for cell in cells(page, len(chars))]


def rows_of(count: int) -> int:
    """Rows of a sheet with so many specimens."""
    return -(-count // COLUMNS)


def place_of(number: int) -> tuple[int, int]:
    """Where a specimen begins on its sheet: x and y of its base line, points from the top left."""
    return number % COLUMNS * CELL_PT + LEFT_PT, number // COLUMNS * CELL_PT + BASE_PT


def cells(page: pymupdf.Page, count: int) -> list[Grey]:
    """The pictures of the specimens of a sheet, 0 is white."""
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(ZOOM, ZOOM), colorspace=pymupdf.csGRAY, alpha=False)
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    ink, side = 255 - rows[:, : pixmap.width], CELL_PT * ZOOM
    corners = [(number // COLUMNS * side, number % COLUMNS * side) for number in range(count)]
    return [ink[top : top + side, left : left + side] for top, left in corners]
