"""How much a drawn glyph resembles a character: its pixels against those of well-known fonts.

Fonts differ in style, but an "a" of any of them is far more like the "a" of Helvetica, Times or Courier than like
their "h": over the letters of a font the resemblance tells whether it shows what the file says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from string import ascii_letters, digits

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image

from docaudit.extract.claims import forms_of

Floats = NDArray[np.float32]

CELL_PT, SIZE_PT, ZOOM = 40, 24, 2
"""A specimen stands in a square cell: SIZE_PT large, BASE_PT below the top, drawn ZOOM pixels to the point."""
LEFT_PT, BASE_PT = 10, 28
COLUMNS = 16

_WIDE, _HIGH = 16, 24
_INK = 64
_PLACE_WEIGHT = 1.5
_QUICK = 2
"""Fonts of a quick look."""
_WESTERN = ("helv", "tiro", "cour", "hebo", "tibi", "tiit")
_EASTERN = ("cjk", "tiro", "helv", "cour")
_ALPHABETS: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("", (*_WESTERN, "symb", "zadb", "cjk")),
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
    """How like the claimed character a glyph is, and how like `letter`, which it resembles most (at most 1).

    `claimed` is 0 if no font at hand can draw what is claimed.
    """

    claim: str
    claimed: float
    best: float
    letter: str


def script_group(char: str) -> str | None:
    """The alphabet in which a character can be judged; None if there is none, or if they are several characters."""
    if len(char) != 1:
        return None
    if 0x4E00 <= ord(char) <= 0x9FFF:
        return "kanji"
    return next((name for name, (letters, _) in _ALPHABETS.items() if char in letters), None)


@lru_cache(maxsize=8192)
def shape_of(picture: bytes) -> Shape | None:
    """The shape of the glyph in the picture of a cell (0 is white); None without ink, or if it is a plain block.

    Subsets of a font, of which a document may have hundreds, draw the same pictures again.
    """
    side = CELL_PT * ZOOM
    cell = np.frombuffer(picture, dtype=np.uint8).reshape(side, side)
    ink = cell > _INK
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    if not len(columns):
        return None
    x0, x1, y0, y1 = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    small = Image.fromarray(cell[y0:y1, x0:x1]).resize((_WIDE, _HIGH), Image.Resampling.BOX)
    grid: Floats = np.asarray(small, dtype=np.float32).ravel() / np.float32(255)
    grid -= grid.mean()
    norm = float(np.linalg.norm(grid))
    if norm < 1.0:
        return None
    base = BASE_PT * ZOOM
    place = (np.array([base - y0, base - y1, x1 - x0]) / (SIZE_PT * ZOOM)).astype(np.float32)
    return Shape(grid / np.float32(norm), place)


def prepare() -> None:
    """Draw what nearly every document needs, before there is one: Latin letters in the fonts of a quick look."""
    letters, fonts = _ALPHABETS["latin"]
    for font in fonts[:_QUICK]:
        _references(font, "".join(dict.fromkeys(ascii_letters + digits + letters)))


def likenesses(glyphs: Sequence[tuple[str, Shape]], group: str, *, thorough: bool = True) -> list[Likeness]:
    """One for each glyph (character that it claims to be, shape) of one script.

    A capital form counts for a small letter and the other way round, as small capitals are common. Without `thorough`
    only two fonts are compared with. Glyphs of no alphabet (group "") are compared with Latin letters, as what they
    may show instead.
    """
    letters, fonts = _ALPHABETS[group]
    forms = [forms_of(claim) for claim, _ in glyphs]
    alphabet = "".join(dict.fromkeys((*ascii_letters, *digits, *letters, *sorted(set().union(*forms)))))
    columns = {char: number for number, char in enumerate(alphabet)}
    scores = _scores([shape for _, shape in glyphs], alphabet, fonts if thorough else fonts[:_QUICK])
    found = []
    for row, own, (claim, _) in zip(scores, forms, glyphs, strict=True):
        claimed = float(row[[columns[form] for form in own]].max())
        if np.isfinite(claimed) or not group:
            at = int((row if group else row[: len(ascii_letters + digits)]).argmax())
            found.append(
                Likeness(claim, claimed if np.isfinite(claimed) else 0.0, float(row[at]), alphabet[at])
            )
    return found


def _scores(shapes: Sequence[Shape], alphabet: str, fonts: Sequence[str]) -> Floats:
    """Resemblance of each shape to each character, in the font where it is greatest; -inf where no font has it."""
    grids, places = np.stack([one.grid for one in shapes]), np.stack([one.place for one in shapes])
    best = np.full((len(shapes), len(alphabet)), -np.inf, dtype=np.float32)
    for font in fonts:
        numbers, their_grids, their_places = _references(font, alphabet)
        if len(numbers):
            apart = np.abs(places[:, None, :] - their_places[None]).mean(axis=2)
            scores = grids @ their_grids.T - _PLACE_WEIGHT * apart
            best[:, numbers] = np.maximum(best[:, numbers], scores)
    return best


@lru_cache(maxsize=64)
def _references(font: str, alphabet: str) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Numbers of the characters of the alphabet that the font has, their grids and their places."""
    known = _drawn_so_far(font)
    new = [char for char in alphabet if char not in known]
    known.update(dict.fromkeys(new))
    drawn = [char for char in new if _loaded(font).has_glyph(ord(char))]
    known.update(zip(drawn, _drawn(font, drawn), strict=True))
    found = [(number, shape) for number, char in enumerate(alphabet) if (shape := known[char]) is not None]
    grids = np.array([shape.grid for _, shape in found], dtype=np.float32)
    places = np.array([shape.place for _, shape in found], dtype=np.float32)
    return np.array([number for number, _ in found], dtype=np.intp), grids, places


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
        return [shape_of(cell) for cell in cells(page, range(len(chars)))]


def rows_of(count: int) -> int:
    """Rows of a sheet with so many specimens."""
    return -(-count // COLUMNS)


def place_of(number: int) -> tuple[int, int]:
    """Where a specimen begins on its sheet: x and y of its base line, points from the top left."""
    return number % COLUMNS * CELL_PT + LEFT_PT, number // COLUMNS * CELL_PT + BASE_PT


def cells(page: pymupdf.Page, wanted: Sequence[int]) -> list[bytes]:
    """The pictures of some specimens of a sheet, by their numbers; 0 is white."""
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(ZOOM, ZOOM), colorspace=pymupdf.csGRAY, alpha=False)
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    ink, side = 255 - rows[:, : pixmap.width], CELL_PT * ZOOM
    corners = [(number // COLUMNS * side, number % COLUMNS * side) for number in wanted]
    return [ink[top : top + side, left : left + side].tobytes() for top, left in corners]
