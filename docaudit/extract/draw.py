"""What is drawn in the child process: the annotated copy of a document, images of its pages, planted phrases.

Boxes come as displayed; the engine draws on the page as it is before it is turned. The legend of an annotated copy is
its last page, so that every page keeps its number. Which lines can be imitated, and which phrases would wipe each other
out, is decided in controls.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import pymupdf

from docaudit.codes import Direction
from docaudit.extract.boxes import without_edges
from docaudit.extract.page_tree import PageTree
from docaudit.extract.pdf_objects import ENGINE_ERRORS, UnreachablePageError
from docaudit.extract.protocol import AnnotateRequest, Box, Colour, Mark, Outline, PlantFact
from docaudit.extract.text_layer import LETTER_FLAGS

_FAILED: tuple[type[Exception], ...] = (UnreachablePageError, *ENGINE_ERRORS)
_UNREAD_COLOUR = (0.64, 0.13, 0.11)
_AUTHOR = "docaudit"
_NEAR = 60.0
"""Points below a line within which its next line must stand; chosen, not measured."""
_LEGEND_LINES, _LEGEND_SIZE = 48, 10.0
_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")

_TALLEST = 4
"""Times the width: a page that is taller is squeezed, or a strip of paper would cost as much as a book."""
_QUALITY, _LEGIBLE_QUALITY, _LEGIBLE_FROM = 55, 80, 700
"""Quality of a JPEG: small, and for reading; and pixels of width from which an image is for reading."""
_MARGIN = 8.0
"""Points of the page around a region: an image without its surroundings is hard to find again."""
_SHARPEST = 3.0
"""Pixels per point: a small region is not blown up beyond what can be seen in it."""

_FONT = "helv"
_SMALLEST, _LARGEST = 4.0, 24.0
_DESCENT = 0.25
"""Share of a line's height that lies below its baseline."""
_DPI = 300
_KEEP = 0
"""PDF_REDACT_IMAGE_NONE, PDF_REDACT_LINE_ART_NONE: only text gives way."""
_ANGLES: dict[str, int] = {
    Direction.HORIZONTAL: 0,
    Direction.ROTATED_LEFT: 90,
    Direction.UPSIDE_DOWN: 180,
    Direction.ROTATED_RIGHT: 270,
    Direction.VERTICAL: 270,  # as words in Latin letters stand in vertical text
}


class _Place(NamedTuple):
    """One occurrence of a text: a quad for each line of the engine that holds a part of it.

    `upright` tells that the text runs along the x axis, on the page as it is before it is turned.
    """

    quads: list[pymupdf.Quad]
    upright: bool

    def distance(self, box: pymupdf.Rect) -> float | None:
        """How far the middle is from that of a box, in points along the line; None if it stands in another line."""
        rect = self.quads[0].rect
        sides, box_sides = (rect.y0, rect.y1), (box.y0, box.y1)
        middle, box_middle = (rect.x0 + rect.x1) / 2, (box.x0 + box.x1) / 2
        if not self.upright:
            sides, box_sides = (rect.x0, rect.x1), (box.x0, box.x1)
            middle, box_middle = (rect.y0 + rect.y1) / 2, (box.y0 + box.y1) / 2
        common = min(sides[1], box_sides[1]) - max(sides[0], box_sides[0])
        smaller = min(sides[1] - sides[0], box_sides[1] - box_sides[0])
        return abs(middle - box_middle) if common > 0.5 * smaller else None


class _PageLetters:
    """All letters of a page with the engine's quads, in the order in which its lines were read.

    A line of line_df has one box, and which part of it a word covers is an estimate there. Here the page is at hand.
    """

    def __init__(self, page: pymupdf.Page) -> None:
        """Read the page; raises one of the engine's errors."""
        content = page.get_text("rawdict", flags=LETTER_FLAGS)
        self._lines: list[tuple[int, list[pymupdf.Quad], bool]] = []
        self._text = ""
        for line in (line for block in content["blocks"] for line in block.get("lines", [])):
            letters = [(span, char) for span in line["spans"] for char in span["chars"]]
            text = "".join(char["c"] for _, char in letters)
            if len(text) != len(letters):  # a lone surrogate: no letter can be told by its number
                continue
            x, y = line["dir"]
            if line["wmode"] == 1 or abs(x) > 0.99 or abs(y) > 0.99:
                quads = [pymupdf.Rect(char["bbox"]).quad for _, char in letters]
            else:
                quads = [pymupdf.recover_char_quad((x, y), span, char) for span, char in letters]
            self._lines.append((len(self._text), quads, abs(x) > abs(y)))
            # Vertical writing comes glyph by glyph, and was read as one line.
            self._text += text if line["wmode"] == 1 else text + "\n"

    def places(self, text: str) -> list[_Place]:
        """Every occurrence of a text, letter by letter as it was read."""
        places = []
        first = self._text.find(text) if text else -1
        while first >= 0:
            last = first + len(text)
            parts = []
            for start, quads, upright in self._lines:
                inside = quads[max(first - start, 0) : max(last - start, 0)]
                if inside:
                    parts.append((_hull(inside), upright))
            places.append(_Place([quad for quad, _ in parts], parts[0][1]))
            first = self._text.find(text, first + 1)
        return places


def _hull(quads: Sequence[pymupdf.Quad]) -> pymupdf.Quad:
    """One quad over those of neighbours in a line."""
    if len(quads) == 1:
        return quads[0]
    if all(quad.is_rectangular and quad.ul.y == quad.ur.y for quad in quads):
        boxes = [quad.rect for quad in quads]
        left, top = min(box.x0 for box in boxes), min(box.y0 for box in boxes)
        right, bottom = max(box.x1 for box in boxes), max(box.y1 for box in boxes)
        return pymupdf.Quad((left, top), (right, top), (left, bottom), (right, bottom))
    return pymupdf.Quad(quads[0].ul, quads[-1].ur, quads[0].ll, quads[-1].lr)


def annotate(doc: pymupdf.Document, tree: PageTree, request: AnnotateRequest) -> list[str]:
    """Draw everything and save; returns what could not be drawn, as sentences. Raises one of the engine's errors."""
    marks: dict[int, list[Mark]] = defaultdict(list)
    outlines: dict[int, list[Outline]] = defaultdict(list)
    for mark in request.marks:
        marks[mark.page_num].append(mark)
    for outline in request.outlines:
        outlines[outline.page_num].append(outline)
    problems = []
    places: dict[int, int] = {}
    for page_num in sorted({*marks, *outlines, *(entry.page_num for entry in request.bookmarks)} - {0}):
        try:
            page = tree.load(page_num)
            places[page_num] = page.number
            _annotate_page(page, marks[page_num], outlines[page_num])
        except _FAILED as error:
            problems.append(f"page {page_num}: nothing could be drawn ({error})")
    try:
        contents = [list(entry) for entry in doc.get_toc(simple=True)]
    except ENGINE_ERRORS:
        contents = []
    legend = len(doc)
    _add_legend(doc, request.legend)
    bookmarks: list[list[object]] = []
    for entry in request.bookmarks:
        if entry.page_num in places:
            number = places[entry.page_num]
            point = pymupdf.Point(0, max(entry.top - 40, 0))
            target = {"kind": pymupdf.LINK_GOTO, "page": number, "to": point}
            bookmarks.append([entry.level, entry.title, number + 1, target])
        else:
            bookmarks.append([entry.level, entry.title, legend + 1])
    if contents:
        bookmarks.append([1, request.contents_title, 1])
        bookmarks += [[int(str(level)) + 1, title, number] for level, title, number, *_ in contents]
    doc.set_toc(bookmarks, collapse=1)
    keep = pymupdf.PDF_ENCRYPT_KEEP  # type: ignore[attr-defined]  # the engine's default takes the password away
    doc.save(request.path, deflate=True, reproducible=True, encryption=keep)
    return problems


def _annotate_page(page: pymupdf.Page, marks: Sequence[Mark], outlines: Sequence[Outline]) -> None:
    letters, unrotated = _PageLetters(page), page.derotation_matrix
    for mark in marks:
        quads = _quads_of_mark(mark, page, letters)
        annotation = page.add_highlight_annot(quads)
        annotation.set_colors(stroke=mark.colour)
        annotation.set_info(title=_AUTHOR, content=mark.note)
        annotation.update()
    for outline in outlines:
        box = page.rect if outline.box is None else pymupdf.Rect(outline.box) & page.rect
        annotation = page.add_rect_annot((page.rect if box.is_empty else box) * unrotated)
        annotation.set_colors(stroke=_UNREAD_COLOUR)
        annotation.set_border(width=1.5, dashes=[4, 2])
        annotation.set_info(title=_AUTHOR, content=outline.note)
        annotation.update()


def _quads_of_mark(mark: Mark, page: pymupdf.Page, letters: _PageLetters) -> list[pymupdf.Quad]:
    """The letters of a hit as the engine sees them; where it does not, the box of the sweep.

    Of several occurrences the nearest in the line of the box is meant: the box is estimated, its line is not.
    """
    box = pymupdf.Rect(mark.box) * page.derotation_matrix

    def distance(place: _Place) -> float | None:
        # What another reader saw may stand beside the same word of the text layer: then its box is the better one.
        rect = place.quads[0].rect
        common = pymupdf.Rect(rect) & box
        smaller = min(rect.get_area(), box.get_area())
        shared = common.get_area() / smaller if smaller > 0 and not common.is_empty else 0.0
        return place.distance(box) if mark.text_layer or shared >= 0.3 else None

    first = _nearest(letters.places(mark.lines[0].strip()), distance)
    quads = [box.quad] if first is None else list(first.quads)
    if mark.page_end == mark.page_num:
        for line in mark.lines[1:]:
            places = letters.places(line.strip())
            following = _nearest(places, partial(_below, page, quads[-1]))
            quads += [] if following is None else following.quads
    return quads


def _nearest(places: Sequence[_Place], distance: Callable[[_Place], float | None]) -> _Place | None:
    """The first of the places whose distance is least; none that has no distance."""
    distances = [
        (away, number) for number, place in enumerate(places) if (away := distance(place)) is not None
    ]
    return places[min(distances)[1]] if distances else None


def _below(page: pymupdf.Page, line: pymupdf.Quad, place: _Place) -> float | None:
    """How far a place is below a line as displayed, in points; None if it is above, the same, or too far."""
    before, rect = line.rect * page.rotation_matrix, place.quads[0].rect * page.rotation_matrix
    down, beside = rect.y0 - before.y0, rect.x0 - before.x1
    if 0.3 * before.height < down < _NEAR:
        return float(down)
    # The same row, further right: another cell or the next column.
    return float(_NEAR + beside) if abs(down) <= 0.3 * before.height and beside > -1 else None


def _add_legend(doc: pymupdf.Document, lines: Sequence[tuple[Colour | None, str]]) -> None:
    """Append the legend, on as many pages as it takes."""
    for start in range(0, len(lines), _LEGEND_LINES):
        page = doc.new_page(-1)
        for number, (colour, text) in enumerate(lines[start : start + _LEGEND_LINES]):
            y = 72 + number * 15
            if colour is not None:
                page.draw_rect(pymupdf.Rect(60, y - 9, 74, y + 2), color=colour, fill=colour)
            _write_legend_line(page, 82 if colour is not None else 60, y, text)


def _write_legend_line(page: pymupdf.Page, x: float, y: float, text: str) -> None:
    """One line: Latin letters in a Latin font (the Japanese one sets them wide apart); cut where the page ends."""
    for run in _RUNS.findall(text):
        font = "helv" if run.isascii() else "japan"
        for end in range(len(run), 0, -1):
            width = pymupdf.get_text_length(run[:end], fontname=font, fontsize=_LEGEND_SIZE)
            if x + width < page.rect.width - 40:
                break
        else:
            return
        page.insert_text((x, y), run[:end], fontname=font, fontsize=_LEGEND_SIZE)
        x += width
        if end < len(run):
            return


def draw_thumbnail(page: pymupdf.Page, width: int, clip: Box | None = None) -> bytes:
    """JPEG of the page as displayed, or of a region of it, `width` pixels wide; raises one of the engine's errors.

    A region gets a margin; a tall one is as high as a page may be, and so less than `width` wide.
    """
    across, down = float(page.rect.width), float(page.rect.height)
    if clip is None:
        if across <= 0 or down <= 0:
            raise ValueError(f"the page is {across:g} x {down:g} points large")
        scale = width / across
        matrix = pymupdf.Matrix(scale, min(scale, _TALLEST * width / down))
        pixmap = page.get_pixmap(matrix=matrix, alpha=False)
        quality = _LEGIBLE_QUALITY if width >= _LEGIBLE_FROM else _QUALITY
    else:
        x0, y0, x1, y1 = clip
        region = pymupdf.Rect(x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN)
        region &= pymupdf.Rect(0, 0, across, down)
        if region.is_empty:
            raise ValueError("the region lies outside the page")
        scale = min(width / region.width, 1.5 * width / region.height, _SHARPEST)
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=region, alpha=False)
        quality = _QUALITY
    jpeg: bytes = pixmap.tobytes("jpeg", jpg_quality=quality)
    return jpeg


def plant(page: pymupdf.Page, fact: PlantFact) -> str:
    """Write the phrase over white in place of its lines; returns why that cannot be done, or nothing."""
    angle = _ANGLES[fact.direction]
    places = list(zip(fact.texts, fact.boxes, strict=True))
    sizes = []
    for text, (x0, y0, x1, y1) in places:
        # That of the line, or less where the phrase would be longer than it.
        length, height = (y1 - y0, x1 - x0) if angle in (90, 270) else (x1 - x0, y1 - y0)
        size = min(fact.size or height / 1.3, _LARGEST)
        sizes.append(float(min(size, length / pymupdf.get_text_length(text, _FONT, 1))))
    if min(sizes) < _SMALLEST:
        return "there is no room for it"
    for box in fact.boxes:
        inside = pymupdf.Rect(without_edges(box))
        page.add_redact_annot(inside * page.derotation_matrix, fill=(1, 1, 1), cross_out=False)
    page.apply_redactions(images=_KEEP, graphics=_KEEP)
    for text, box in places:
        if fact.picture:
            _write_as_image(page, text, box, min(sizes))
        else:
            _write(page, text, box, min(sizes), angle)
    return ""


def _write(page: pymupdf.Page, text: str, box: Box, size: float, angle: int) -> None:
    x0, y0, x1, y1 = box
    below = _DESCENT * min(x1 - x0, y1 - y0)
    start = {0: (x0, y1 - below), 90: (x1 - below, y1), 180: (x1, y0 + below), 270: (x0 + below, y0)}[angle]
    turned = (angle + page.rotation) % 360
    point = pymupdf.Point(start) * page.derotation_matrix
    page.insert_text(point, text, fontsize=size, fontname=_FONT, rotate=turned)


def _write_as_image(page: pymupdf.Page, text: str, box: Box, size: float) -> None:
    """The same as an image, which only OCR can read."""
    width = pymupdf.get_text_length(text, _FONT, size)
    with pymupdf.open() as doc:
        sheet = doc.new_page(width=width, height=1.3 * size)
        sheet.insert_text((0, size), text, fontsize=size, fontname=_FONT)
        png = sheet.get_pixmap(dpi=_DPI).tobytes("png")
    place = pymupdf.Rect(box[0], box[3] - 1.3 * size, box[0] + width, box[3])
    page.insert_image(place * page.derotation_matrix, stream=png, rotate=-page.rotation % 360)
