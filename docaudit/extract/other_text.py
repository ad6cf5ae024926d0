"""Text of a page that the first reading does not give: outside the page box, ActualText, Alt.

Each is read in a second pass, only where the file shows that there is something to find, and each line says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pymupdf

from docaudit.extract.boxes import touch
from docaudit.extract.engine import key_of
from docaudit.extract.facts import Box, LineFact
from docaudit.extract.letters import letters_of
from docaudit.extract.lines import page_dict, read_lines
from docaudit.extract.marked_content import alternate_lines
from docaudit.location import TextSource, Visibility

_FORMAT = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
"""Soft hyphen, and signs without width."""


def other_lines(page: pymupdf.Page, known: list[LineFact]) -> list[LineFact]:
    """Lines that only the further passes see.

    Args:
        page: The page.
        known: Lines of the first reading.
    """
    found, has_actual_text = alternate_lines(page)
    if has_actual_text:
        found += _actual_text(page, known)
    if _cuts(page):
        found += _cropped(page)
    return found


def _actual_text(page: pymupdf.Page, known: list[LineFact]) -> Iterator[LineFact]:
    """What ActualText says where its letters differ from those of the glyphs.

    Browsers print a soft hyphen, or a place where a word may break, as a blank with that sign as ActualText: there the
    known line is set right, as the blank would part a word that a person sees whole.
    """
    shown = letters_of("".join(line.text for line in known))
    by_letters: dict[str, list[LineFact]] = {}
    for line in known:
        by_letters.setdefault(letters_of(line.text), []).append(line)
    for line in read_lines(page_dict(page, actual_text=True), page.rect).lines:
        if _FORMAT.search(line.text):
            for same in by_letters.get(letters_of(line.text), []):
                if same.box and line.box and touch(same.box, line.box):
                    same.text = line.text
        if letters_of(line.text) not in shown:
            line.source = TextSource.ACTUAL_TEXT.value
            line.visibility = Visibility.UNKNOWN.value
            yield line


def _cuts(page: pymupdf.Page) -> bool:
    """The crop box leaves out at least a point on some side of the media box."""
    crop, media = page.cropbox, page.mediabox
    right, bottom = media.x0 + media.width - 1, media.height - 1
    return bool(crop.x0 > media.x0 + 1 or crop.y0 > 1 or crop.x1 < right or crop.y1 < bottom)


def _cropped(page: pymupdf.Page) -> Iterator[LineFact]:
    """Lines inside the media box and outside the crop box, in the coordinates of the page as displayed.

    The box is changed in the page's object, since the engine's own call refuses boxes that do not start at 0.
    """
    crop, media = page.cropbox, page.mediabox
    left, top = crop.x0 - media.x0, crop.y0
    before = key_of(page.parent, page.xref, "CropBox")[1]
    page.parent.xref_set_key(page.xref, "CropBox", f"[{media.x0} {media.y0} {media.x1} {media.y1}]")
    try:
        whole = page.parent.load_page(page.number)
        lines = read_lines(page_dict(whole, turned=False), whole.rect).lines
    finally:
        page.parent.xref_set_key(page.xref, "CropBox", before)
    width, height = page.rect.width, page.rect.height
    for line in lines:
        assert line.box is not None
        x0, y0, x1, y1 = line.box
        shown = pymupdf.Rect(x0 - left, y0 - top, x1 - left, y1 - top) * page.rotation_matrix
        box: Box = (shown.x0, shown.y0, shown.x1, shown.y1)
        if box[2] <= 0 or box[0] >= width or box[3] <= 0 or box[1] >= height:
            line.box = box
            line.visibility = Visibility.CROPPED.value
            yield line
