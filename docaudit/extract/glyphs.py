"""How much a drawn glyph resembles a character: its pixels against those of well-known fonts.

Fonts differ in style, but an "a" of any of them is far more like the "a" of Helvetica, Times or Courier than like
their "h": over the letters of a font the resemblance tells whether it shows what the file says.

The glyphs of a font come from a specimen sheet: the font is copied into a document of its own and drawn there code by
code, each in a cell. So no page of the document itself is touched, and the engine draws and reads a font of any kind as
it does on the pages. The well-known fonts are drawn on sheets of the same cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from string import ascii_letters, digits

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image
from pymupdf import mupdf

from docaudit.extract.pdf_objects import file_of, key_of, object_of, reference
from docaudit.extract.unicode_claims import draws_nothing, forms_of, is_unknown

Floats = NDArray[np.float32]

# A specimen stands in a square cell: _SIZE_PT large, its origin _LEFT_PT and _BASE_PT from the top left of the cell,
# drawn at _ZOOM pixels to the point.
_CELL_PT, _SIZE_PT, _ZOOM = 40, 24, 2
_LEFT_PT, _BASE_PT = 10, 28
_COLUMNS = 16

# The grid to which the ink of a glyph is stretched, the darkness from which a pixel is ink, and what a difference in
# place and width weighs against the correlation of the grids. All chosen together with the thresholds in fonts.py,
# which were measured on 1,200 fonts of real documents.
_WIDE, _HIGH = 16, 24
_INK = 64
_PLACE_WEIGHT = 1.5
_QUICK = 2
"""Fonts of a quick look."""
_WESTERN = ("helv", "tiro", "cour", "hebo", "tibi", "tiit")
_EASTERN = ("cjk", "tiro", "helv", "cour")
_LATIN = ascii_letters + digits
_ALPHABETS: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("", (*_WESTERN, "symb", "zadb", "cjk")),
    "latin": (_LATIN + '!"#$%&()*+/;<=>?@[\\]^{}~', _WESTERN),
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

_MOST_CODES, _MOST_GLYPHS = 400, 64
"""Codes of a composite font that are drawn, and glyphs of letters, and of other characters, that are compared: enough
for any font that is cut down to what a document uses. Chosen, not measured."""
_ALIKE = 2
"""More characters than so many with one and the same cell: the box that a font draws for what it lacks."""
_CHARACTERS = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.DOTALL)
_CHARACTER = re.compile(rb"<([0-9A-Fa-f]+)>\s*<[0-9A-Fa-f\s]*>")
_RANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(?:<[^>]*>|\[[^\]]*\])")


@dataclass(frozen=True)
class Shape:
    """The shape of one glyph: its ink stretched to a fixed grid, and the place and width of that ink in its size."""

    grid: Floats
    place: Floats


@dataclass(frozen=True)
class Specimen:
    """One glyph: the character that the file says it is (a few, for a ligature), and its shape as drawn."""

    claim: str
    shape: Shape


@dataclass(frozen=True)
class Likeness:
    """How like the claimed character a glyph is, and how like `letter`, which it resembles most (at most 1).

    `claimed` is 0 if no font at hand can draw what is claimed.
    """

    claim: str
    claimed: float
    best: float
    letter: str

    @property
    def distance(self) -> float:
        """How much more it resembles another character than its own."""
        return self.best - self.claimed


def script_group(char: str) -> str:
    """The alphabet in which a character can be judged; empty if there is none, or if they are several characters."""
    if len(char) != 1:
        return ""
    if 0x4E00 <= ord(char) <= 0x9FFF:
        return "kanji"
    return next((name for name, (letters, _) in _ALPHABETS.items() if char in letters), "")


def specimens(doc: pymupdf.Document, number: int, simple: bool) -> list[Specimen]:
    """Glyphs of the font with this object number: characters with an alphabet, others, and spaces.

    Args:
        doc: The document.
        number: Object number of the font.
        simple: Its codes are single bytes (every font but Type0).
    """
    codes = [bytes([code]) for code in range(1, 256)] if simple else list(_composite_codes(doc, number))
    if not codes:
        return []
    with pymupdf.open() as sheet:
        page = _font_sheet(doc, number, sheet, codes)
        claims = _claims(page, len(codes))
        judged: list[int] = []
        others: list[int] = []
        spaces: list[int] = []
        for at, claim in enumerate(claims):
            if claim and not any(map(is_unknown, claim)):  # unknown characters are listed wherever they stand
                blank = all(map(draws_nothing, claim))
                (spaces if blank else judged if script_group(claim) else others).append(at)
        chosen = judged[:_MOST_GLYPHS] + others[:_MOST_GLYPHS] + spaces
        cells = _cells(page, chosen) if chosen else []
    same = Counter(cells)
    return [
        Specimen(claims[at], shape)
        for at, cell in zip(chosen, cells, strict=True)
        if same[cell] <= _ALIKE and (shape := shape_of(cell)) is not None
    ]


def likenesses(glyphs: Sequence[Specimen], group: str, *, thorough: bool = True) -> list[Likeness]:
    """One for each glyph of one script.

    A capital form counts for a small letter and the other way round, as small capitals are common. Without `thorough`
    only two fonts are compared with. Glyphs of no alphabet (group "") are compared with Latin letters, as what they
    may show instead.
    """
    letters, fonts = _ALPHABETS[group]
    forms = [forms_of(glyph.claim) for glyph in glyphs]
    alphabet = "".join(dict.fromkeys((*_LATIN, *letters, *sorted(set().union(*forms)))))
    columns = {char: number for number, char in enumerate(alphabet)}
    scores = _scores([glyph.shape for glyph in glyphs], alphabet, fonts if thorough else fonts[:_QUICK])
    judged = []
    for row, own, glyph in zip(scores, forms, glyphs, strict=True):
        claimed = float(row[[columns[form] for form in own]].max())
        if np.isfinite(claimed) or not group:
            at = int((row if group else row[: len(_LATIN)]).argmax())
            judged.append(
                Likeness(glyph.claim, claimed if np.isfinite(claimed) else 0.0, float(row[at]), alphabet[at])
            )
    return judged


def prepare() -> None:
    """Draw what nearly every document needs, before there is one: Latin letters in the fonts of a quick look."""
    letters, fonts = _ALPHABETS["latin"]
    for font in fonts[:_QUICK]:
        _reference_shapes(font, letters)


def _scores(shapes: Sequence[Shape], alphabet: str, fonts: Sequence[str]) -> Floats:
    """Resemblance of each shape to each character, in the font where it is greatest; -inf where no font has it."""
    grids, places = np.stack([shape.grid for shape in shapes]), np.stack([shape.place for shape in shapes])
    best = np.full((len(shapes), len(alphabet)), -np.inf, dtype=np.float32)
    for font in fonts:
        numbers, font_grids, font_places = _reference_shapes(font, alphabet)
        if len(numbers):
            apart = np.abs(places[:, None, :] - font_places[None]).mean(axis=2)
            scores = grids @ font_grids.T - _PLACE_WEIGHT * apart
            best[:, numbers] = np.maximum(best[:, numbers], scores)
    return best


@lru_cache(maxsize=64)
def _reference_shapes(font: str, alphabet: str) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Numbers of the characters of the alphabet that a well-known font has, their grids and their places."""
    loaded, drawn = _font(font)
    new = [char for char in alphabet if char not in drawn]
    drawn.update(dict.fromkeys(new))
    present = [char for char in new if loaded.has_glyph(ord(char))]
    if present:
        with pymupdf.open() as doc:
            page = doc.new_page(width=_COLUMNS * _CELL_PT, height=_sheet_height(len(present)))
            writer = pymupdf.TextWriter(page.rect)
            for number, char in enumerate(present):
                writer.append(_origin(number), char, font=loaded, fontsize=_SIZE_PT)
            writer.write_text(page)
            cells = _cells(page, range(len(present)))
            drawn.update(zip(present, map(shape_of, cells), strict=True))
    shapes = [(number, shape) for number, char in enumerate(alphabet) if (shape := drawn[char]) is not None]
    grids = np.array([shape.grid for _, shape in shapes], dtype=np.float32)
    places = np.array([shape.place for _, shape in shapes], dtype=np.float32)
    return np.array([number for number, _ in shapes], dtype=np.intp), grids, places


@cache
def _font(name: str) -> tuple[pymupdf.Font, dict[str, Shape | None]]:
    """A well-known font, and the characters of it that were drawn so far."""
    return pymupdf.Font(name), {}


@lru_cache(maxsize=8192)
def shape_of(cell: bytes) -> Shape | None:
    """The shape of the glyph drawn in a cell (0 is white); None without ink, or if it is a plain block.

    Subsets of a font, of which a document may have hundreds, draw the same cells again.
    """
    side = _CELL_PT * _ZOOM
    pixels = np.frombuffer(cell, dtype=np.uint8).reshape(side, side)
    ink = pixels > _INK
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    if not len(columns):
        return None
    x0, x1, y0, y1 = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    small = Image.fromarray(pixels[y0:y1, x0:x1]).resize((_WIDE, _HIGH), Image.Resampling.BOX)
    grid: Floats = np.asarray(small, dtype=np.float32).ravel() / np.float32(255)
    grid -= grid.mean()
    norm = float(np.linalg.norm(grid))
    if norm < 1.0:  # even ink all over: nothing to compare
        return None
    base = _BASE_PT * _ZOOM
    place = (np.array([base - y0, base - y1, x1 - x0]) / (_SIZE_PT * _ZOOM)).astype(np.float32)
    return Shape(grid / np.float32(norm), place)


def _sheet_height(count: int) -> int:
    """Points of a sheet with so many specimens."""
    return -(-count // _COLUMNS) * _CELL_PT


def _origin(number: int) -> tuple[int, int]:
    """Where a specimen begins on its sheet: x and y of its base line, points from the top left."""
    return number % _COLUMNS * _CELL_PT + _LEFT_PT, number // _COLUMNS * _CELL_PT + _BASE_PT


def _cells(page: pymupdf.Page, numbers: Sequence[int]) -> list[bytes]:
    """The pixels of some specimens of a sheet, by their numbers; 0 is white."""
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(_ZOOM, _ZOOM), colorspace=pymupdf.csGRAY, alpha=False)
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    ink, side = 255 - rows[:, : pixmap.width], _CELL_PT * _ZOOM
    corners = [(number // _COLUMNS * side, number % _COLUMNS * side) for number in numbers]
    return [ink[top : top + side, left : left + side].tobytes() for top, left in corners]


def _composite_codes(doc: pymupdf.Document, number: int) -> Iterator[bytes]:
    """The codes that the ToUnicode table of a composite font gives a value to."""
    table = reference(key_of(doc, number, "ToUnicode"))
    if table is None:
        return
    source = doc.xref_stream(table) or b""
    left = _MOST_CODES
    for block in _CHARACTERS.findall(source):
        for code in _CHARACTER.findall(block)[:left]:
            left -= 1
            yield _bytes(code)
    for block in _RANGES.findall(source):
        for first, last in _RANGE.findall(block):
            start = int(first, 16)
            count = max(0, min(int(last, 16) - start + 1, left))
            left -= count
            for code in range(start, start + count):
                yield code.to_bytes(max(len(_bytes(first)), (code.bit_length() + 7) // 8), "big")


def _bytes(hexadecimal: bytes) -> bytes:
    return bytes.fromhex(hexadecimal.decode("ascii").rjust(len(hexadecimal) + len(hexadecimal) % 2, "0"))


def _font_sheet(
    doc: pymupdf.Document, number: int, sheet: pymupdf.Document, codes: list[bytes]
) -> pymupdf.Page:
    """A page of the empty document `sheet` on which each code of a font of `doc` is drawn in a cell of its own."""
    height = _sheet_height(len(codes))
    page = sheet.new_page(width=_COLUMNS * _CELL_PT, height=height)
    copied = mupdf.pdf_graft_object(file_of(sheet), object_of(doc, number))
    shown = " ".join(
        f"1 0 0 1 {x} {height - y} Tm <{code.hex()}> Tj"
        for code, (x, y) in zip(codes, map(_origin, range(len(codes))), strict=True)
    )
    content = sheet.get_new_xref()
    sheet.update_object(content, "<<>>")
    sheet.update_stream(content, f"BT /F {_SIZE_PT} Tf {shown} ET".encode("ascii"), compress=0)
    sheet.xref_set_key(page.xref, "Resources", f"<</Font<</F {mupdf.pdf_to_num(copied)} 0 R>>>>")
    sheet.xref_set_key(page.xref, "Contents", f"{content} 0 R")
    return sheet[0]


def _claims(page: pymupdf.Page, count: int) -> list[str]:
    """What the engine reads in each cell."""
    texts = [""] * count
    content = page.get_text("rawdict", flags=pymupdf.TEXT_PRESERVE_LIGATURES)
    for block in content["blocks"]:
        for line in block["lines"]:
            for char in (char for span in line["spans"] for char in span["chars"]):
                x, y = char["origin"]
                at = int(y // _CELL_PT) * _COLUMNS + int(x // _CELL_PT)
                if 0 <= at < count and not char["synthetic"]:
                    texts[at] += char["c"]
    return texts
