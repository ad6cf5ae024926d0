"""Text of a page that its glyphs do not show: ActualText, Alt and E, and lines outside the crop box.

Each is read in a pass of its own, only where the file shows that there is something, and each line says what it is.
Alt and E stand in the content itself, or under a name in the resources of the page or of a form on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pymupdf

from docaudit.codes import TextSource, Visibility
from docaudit.extract import pdf_objects as pdf
from docaudit.extract.boxes import touch
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import LineFact
from docaudit.extract.text_layer import letters_of, page_dict, read_lines

_STRING = rb"\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\)|<[0-9A-Fa-f\s]*>"
_PROPERTY = re.compile(rb"/(?:Alt|E)\s*(" + _STRING + rb")", re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\r\n])|(.))", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_FORMAT = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
"""Soft hyphen, and characters without width."""
_FIRST_BLOCK = 900_000
"""Number of the first block of alternate texts: beyond those of the text layer."""


def alternate_lines(page: pymupdf.Page, lines: list[LineFact]) -> list[LineFact]:
    """Lines that only the further passes see.

    Args:
        page: The page.
        lines: Lines of the text layer. A line is set right where ActualText says that its spaces are soft hyphens.
    """
    texts: list[str] = []
    has_actual_text = False
    for content, resources in _contents(page):
        has_actual_text |= b"ActualText" in content
        if b"/Alt" in content or b"/E" in content:
            texts += [_decoded(match[1]) for match in _PROPERTY.finditer(content)]
        for _, properties in pdf.entries(pdf.get(resources, "Properties")):
            has_actual_text |= not pdf.is_null(pdf.get(properties, "ActualText"))
            texts += [pdf.text_of(pdf.get(properties, key)) for key in ("Alt", "E")]
    rows = (row.strip() for text in texts for row in pdf.clean(text).splitlines())
    further = [
        LineFact(row, None, _FIRST_BLOCK + number, TextSource.ALT_TEXT, Visibility.UNKNOWN)
        for number, row in enumerate(dict.fromkeys(row for row in rows if row))
    ]
    if has_actual_text:
        further += _actual_text(page, lines)
    crop, media = page.cropbox, page.mediabox
    right, bottom = media.x0 + media.width - 1, media.height - 1
    if crop.x0 > media.x0 + 1 or crop.y0 > 1 or crop.x1 < right or crop.y1 < bottom:
        further += _outside_crop_box(page)
    return further


def _contents(page: pymupdf.Page) -> Iterator[tuple[bytes, Any]]:
    """Content and resources of the page and of every form on it; what is damaged is told of when the page is drawn."""
    doc = page.parent
    try:
        content = page.read_contents()
    except ENGINE_ERRORS:
        content = b""
    yield content, pdf.get(pdf.object_of(doc, page.xref), "Resources")
    try:
        forms = [int(form[0]) for form in page.get_xobjects()]
    except ENGINE_ERRORS:
        return
    for number in dict.fromkeys(forms):
        try:
            yield doc.xref_stream(number) or b"", pdf.get(pdf.object_of(doc, number), "Resources")
        except ENGINE_ERRORS:
            continue


def _decoded(written: bytes) -> str:
    """The text of a string as it is written in a content stream."""

    def unescaped(match: re.Match[bytes]) -> bytes:
        octal, line_end, char = match.groups()
        if octal:
            return bytes([int(octal, 8) & 255])
        return b"" if line_end else _ESCAPED.get(char, char)

    if written.startswith(b"<"):
        digits = bytes(byte for byte in written[1:-1] if not chr(byte).isspace())
        raw = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    else:
        raw = _ESCAPE.sub(unescaped, written[1:-1])
    if raw.startswith((b"\xfe\xff", b"\xff\xfe")):
        return raw.decode("utf-16", "replace")
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:].decode("utf-8", "replace")
    return raw.decode("cp1252", "replace")


def _actual_text(page: pymupdf.Page, lines: list[LineFact]) -> Iterator[LineFact]:
    """What ActualText says where its letters differ from those of the glyphs.

    Browsers print a soft hyphen, or a place where a word may break, as a space with that character as ActualText: there
    the line is set right, as the space would part a word that a person sees whole.
    """
    shown = letters_of("".join(line.text for line in lines))
    by_letters: dict[str, list[LineFact]] = {}
    for line in lines:
        by_letters.setdefault(letters_of(line.text), []).append(line)
    for line in (line.fact for line in read_lines(page_dict(page, actual_text=True), page.rect)):
        if _FORMAT.search(line.text):
            for same in by_letters.get(letters_of(line.text), []):
                if same.box and line.box and touch(same.box, line.box):
                    same.text = line.text
        if letters_of(line.text) not in shown:
            line.source, line.visibility = TextSource.ACTUAL_TEXT, Visibility.UNKNOWN
            yield line


def _outside_crop_box(page: pymupdf.Page) -> Iterator[LineFact]:
    """Lines inside the media box and outside the crop box, in the coordinates of the page as displayed.

    The box is changed in the page's object, since the engine's own call refuses boxes that do not start at 0.
    """
    crop, media = page.cropbox, page.mediabox
    left, top = crop.x0 - media.x0, crop.y0
    before = pdf.key_of(page.parent, page.xref, "CropBox")[1]
    page.parent.xref_set_key(page.xref, "CropBox", f"[{media.x0} {media.y0} {media.x1} {media.y1}]")
    try:
        whole = page.parent.load_page(page.number)
        lines = [line.fact for line in read_lines(page_dict(whole, turned=False), whole.rect)]
    finally:
        page.parent.xref_set_key(page.xref, "CropBox", before)
    width, height = page.rect.width, page.rect.height
    for line in lines:
        assert line.box is not None
        x0, y0, x1, y1 = line.box
        shown = pymupdf.Rect(x0 - left, y0 - top, x1 - left, y1 - top) * page.rotation_matrix
        if shown.x1 <= 0 or shown.x0 >= width or shown.y1 <= 0 or shown.y0 >= height:
            line.box, line.visibility = tuple(shown), Visibility.CROPPED
            yield line
