"""How much a drawn glyph resembles a character: its pixels against those of well-known fonts.

Fonts differ in style, but an "a" of any of them is far more like the "a" of Helvetica, Times or Courier than like
their "h": over the letters of a font the resemblance tells whether it shows what the file says.

A specimen sheet of one font of a document: each of its glyphs drawn alone, with the character the engine reads.

The font is copied into a document of its own and drawn there code by code, so that no page of the document itself is
touched, and whatever kind of font it is, the engine draws and reads it as it does on the pages.

What the characters that a file claims for its glyphs let one expect to see: nothing, a letter, or anything.
"""

from __future__ import annotations

import re
import unicodedata
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

from docaudit.extract.pdf_objects import key_of, reference

_NO_CHARACTER = frozenset({"Cn", "Co", "Cs"})
"""Unassigned and noncharacters, private use of all planes, surrogates."""
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters without ink that Unicode counts as letters, marks or symbols."""
_LATIN_NAME = re.compile(r"LATIN (?:SMALL |CAPITAL |LETTER )+(?:[A-Z]+ )*?([A-Z])(?: WITH .*)?")


@lru_cache(maxsize=4096)
def is_unknown(char: str) -> bool:
    """Whether a character says nothing about what a glyph shows: private, unassigned, a control or U+FFFD."""
    category = unicodedata.category(char)
    return char == "\ufffd" or category in _NO_CHARACTER or (category == "Cc" and not char.isspace())


@lru_cache(maxsize=4096)
def draws_nothing(char: str) -> bool:
    """Whether a character is a blank or a format character (soft hyphen, zero width)."""
    return char.isspace() or unicodedata.category(char) == "Cf" or _FILLERS.match(char) is not None


def forms_of(claim: str) -> frozenset[str]:
    """Characters of which a glyph with this claim may have the shape: itself, without accents or style, its capital.

    >>> sorted(forms_of("é"))
    ['E', 'e', 'É', 'é']
    """
    plain = unicodedata.normalize("NFKD", claim)
    named = _LATIN_NAME.fullmatch(unicodedata.name(claim, "")) if len(claim) == 1 else None
    shapes = {claim, *plain, *((named[1],) if named else ())}
    if len(claim) > 1:
        shapes.update(_LIGATURES.get(plain, ""))
    cases = {form for shape in shapes for form in (shape, shape.swapcase()) if len(form) == 1}
    return frozenset(form for form in cases if not unicodedata.combining(form) or form == claim)


_LIGATURES = {unicodedata.normalize("NFKD", char): char for char in map(chr, range(0xFB00, 0xFB07))}


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


_MOST_CODES = 400
_MOST_GLYPHS = 64
_ALIKE = 2
"""More characters than so many with one and the same picture: the box that a font draws for what it lacks."""
_CHARACTERS = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.DOTALL)
_CHARACTER = re.compile(rb"<([0-9A-Fa-f]+)>\s*<[0-9A-Fa-f\s]*>")
_RANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(?:<[^>]*>|\[[^\]]*\])")


@dataclass(frozen=True)
class Specimen:
    """One glyph: the character that the file says it is (a few, for a ligature), and its shape as drawn."""

    claim: str
    shape: Shape


def specimens(doc: pymupdf.Document, number: int, simple: bool) -> list[Specimen]:
    """Glyphs of the font with this object number: letters, digits and signs with an alphabet, others, and blanks.

    Args:
        doc: The document.
        number: Object number of the font.
        simple: Its codes are single bytes (every font but Type0).
    """
    codes = [bytes([code]) for code in range(1, 256)] if simple else list(_composite_codes(doc, number))
    if not codes:
        return []
    with pymupdf.open() as sheet:
        page = _sheet(doc, number, sheet, codes)
        claims = _claims(page, len(codes))
        wanted = _wanted(claims)
        pictures = cells(page, wanted) if wanted else []
        same = Counter(pictures)
        drawn = zip(wanted, pictures, strict=True)
        shapes = [(claims[at], shape_of(picture)) for at, picture in drawn if same[picture] <= _ALIKE]
    return [Specimen(claim, shape) for claim, shape in shapes if shape is not None]


def _wanted(claims: list[str]) -> list[int]:
    """Numbers of the codes whose glyphs are looked at: unknown characters are listed wherever they stand."""
    letters: list[int] = []
    others: list[int] = []
    blanks: list[int] = []
    for at, claim in enumerate(claims):
        if not claim or any(map(is_unknown, claim)):
            continue
        if all(map(draws_nothing, claim)):
            blanks.append(at)
        else:
            (letters if script_group(claim) else others).append(at)
    return letters[:_MOST_GLYPHS] + others[:_MOST_GLYPHS] + blanks


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


def _bytes(digits: bytes) -> bytes:
    return bytes.fromhex(digits.decode("ascii").rjust(len(digits) + len(digits) % 2, "0"))


def _sheet(doc: pymupdf.Document, number: int, sheet: pymupdf.Document, codes: list[bytes]) -> pymupdf.Page:
    """A page of the empty document `sheet` on which each code is drawn in a cell of its own."""
    height = rows_of(len(codes)) * CELL_PT
    page = sheet.new_page(width=COLUMNS * CELL_PT, height=height)
    source, target = (
        mupdf.pdf_document_from_fz_document(doc.this),
        mupdf.pdf_document_from_fz_document(sheet.this),
    )
    copied = mupdf.pdf_graft_object(target, mupdf.pdf_new_indirect(source, number, 0))
    shown = " ".join(
        f"1 0 0 1 {x} {height - y} Tm <{code.hex()}> Tj"
        for code, (x, y) in zip(codes, map(place_of, range(len(codes))), strict=True)
    )
    content = sheet.get_new_xref()
    sheet.update_object(content, "<<>>")
    sheet.update_stream(content, f"BT /F {SIZE_PT} Tf {shown} ET".encode("ascii"), compress=0)
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
                at = int(y // CELL_PT) * COLUMNS + int(x // CELL_PT)
                if 0 <= at < count and not char["synthetic"]:
                    texts[at] += char["c"]
    return texts
