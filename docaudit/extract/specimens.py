"""A specimen sheet of one font of a document: each of its glyphs drawn alone, with the character the engine reads.

The font is copied into a document of its own and drawn there code by code, so that no page of the document itself is
touched, and whatever kind of font it is, the engine draws and reads it as it does on the pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pymupdf
from pymupdf import mupdf

from docaudit.extract.claims import draws_nothing, is_unknown
from docaudit.extract.engine import key_of, reference
from docaudit.extract.glyph_shapes import (
    CELL_PT,
    COLUMNS,
    SIZE_PT,
    Shape,
    cells,
    place_of,
    rows_of,
    script_group,
    shape_of,
)

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
