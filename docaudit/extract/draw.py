"""An annotated copy of a document, drawn in the child process: highlights, outlines, bookmarks, and a legend.

The legend is the last page, so that every page keeps its number. Boxes come as displayed; the engine draws on the page
as it is before it is turned.

Where the letters of a text stand on a page: the engine's own quads, glyph by glyph.

A line of line_df has one box, and which part of it a word covers is an estimate there. Here the page is at hand.

A picture of one page, drawn in the child process: small for the page map, or large for a person to read.

Plants phrases into a copy of a document, in the child process: each takes the place of a line that is there.

Which lines can be imitated, and which phrases would wipe each other out, is docaudit.extract.controls's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pymupdf

from docaudit.codes import Direction
from docaudit.extract.boxes import without_edges
from docaudit.extract.page_tree import PageTree
from docaudit.extract.pdf_objects import ENGINE_ERRORS, UnreachablePageError
from docaudit.extract.protocol import AnnotateRequest, Bookmark, Box, Colour, Mark, Outline, PlantFact
from docaudit.extract.text_layer import LETTER_FLAGS


@dataclass(frozen=True)
class Place:
    """One occurrence of a text: a quad for each line of the engine that holds a part of it.

    `upright` tells that the text runs along the x axis, on the page as it is before it is turned.
    """

    quads: tuple[pymupdf.Quad, ...]
    upright: bool

    def distance(self, box: pymupdf.Rect) -> float | None:
        """How far the middle is from that of a box, in points along the line; None if it stands in another line."""
        rect = self.quads[0].rect
        one, other = (rect.y0, rect.y1), (box.y0, box.y1)
        along, whole = (rect.x0 + rect.x1) / 2, (box.x0 + box.x1) / 2
        if not self.upright:
            one, other = (rect.x0, rect.x1), (box.x0, box.x1)
            along, whole = (rect.y0 + rect.y1) / 2, (box.y0 + box.y1) / 2
        common = min(one[1], other[1]) - max(one[0], other[0])
        smaller = min(one[1] - one[0], other[1] - other[0])
        return abs(along - whole) if common > 0.5 * smaller else None


@dataclass(frozen=True)
class _Line:
    """A line of the engine, with the place of its first character in the text of the page."""

    start: int
    quads: list[pymupdf.Quad]
    upright: bool


class PageGlyphs:
    """All characters of a page, in the order and with the letters in which its lines were read."""

    def __init__(self, page: pymupdf.Page) -> None:
        """Read the page; raises one of the engine's errors."""
        content = page.get_text("rawdict", flags=LETTER_FLAGS)
        self._lines: list[_Line] = []
        self._text = ""
        pieces: list[str] = []
        start = 0
        for line in (line for block in content["blocks"] for line in block.get("lines", [])):
            letters = [(span, char) for span in line["spans"] for char in span["chars"]]
            text = "".join(char["c"] for _, char in letters)
            if len(text) != len(letters):  # a lone half of a character: no letter can be told by its number
                continue
            # Vertical writing comes glyph by glyph, and was read as one line.
            text += "" if line["wmode"] == 1 else "\n"
            quads = [_quad(line, span, char) for span, char in letters]
            self._lines.append(_Line(start, quads, abs(line["dir"][0]) > abs(line["dir"][1])))
            pieces.append(text)
            start += len(text)
        self._text = "".join(pieces)

    def places(self, text: str) -> list[Place]:
        """Every occurrence of a text, letter by letter as it was read."""
        found = []
        first = self._text.find(text) if text else -1
        while first >= 0:
            found.append(self._place(first, first + len(text)))
            first = self._text.find(text, first + 1)
        return found

    def _place(self, first: int, last: int) -> Place:
        parts = []
        for line in self._lines:
            inside = line.quads[max(first - line.start, 0) : max(last - line.start, 0)]
            if inside:
                parts.append((_hull(inside), line.upright))
        return Place(tuple(quad for quad, _ in parts), parts[0][1])


def _quad(line: dict[str, Any], span: dict[str, Any], char: dict[str, Any]) -> pymupdf.Quad:
    x, y = line["dir"]
    if line["wmode"] == 1 or abs(x) > 0.99 or abs(y) > 0.99:
        x0, y0, x1, y1 = char["bbox"]
        return pymupdf.Quad((x0, y0), (x1, y0), (x0, y1), (x1, y1))
    quad: pymupdf.Quad = pymupdf.recover_char_quad(line["dir"], span, char)
    return quad


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


_FAILED: tuple[type[Exception], ...] = (UnreachablePageError, *ENGINE_ERRORS)
_UNREAD = (0.64, 0.13, 0.11)
_AUTHOR = "docaudit"
_NEAR = 60.0
"""Points below a line within which its next line must stand."""
_LEGEND_LINES = 48
_SIZE = 10.0
_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")


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
            _Sheet(page).draw(marks[page_num], outlines[page_num])
        except _FAILED as error:
            problems.append(f"page {page_num}: nothing could be drawn ({error})")
    contents = _contents(doc)
    legend = _add_legend(doc, request.legend)
    _set_bookmarks(doc, request, contents, places, legend)
    keep = pymupdf.PDF_ENCRYPT_KEEP  # type: ignore[attr-defined]  # the engine's default takes the password away
    doc.save(request.path, deflate=True, reproducible=True, encryption=keep)
    return problems


class _Sheet:
    """One page with what finds text on it."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._page = page
        self._upright = page.derotation_matrix
        self._glyphs = PageGlyphs(page)

    def draw(self, marks: Sequence[Mark], outlines: Sequence[Outline]) -> None:
        """Highlights and outlines."""
        for mark in marks:
            annotation = self._page.add_highlight_annot(self._quads(mark))
            annotation.set_colors(stroke=mark.colour)
            annotation.set_info(title=_AUTHOR, content=mark.note)
            annotation.update()
        for outline in outlines:
            box = self._page.rect if outline.box is None else pymupdf.Rect(outline.box) & self._page.rect
            if box.is_empty:
                box = self._page.rect
            annotation = self._page.add_rect_annot(box * self._upright)
            annotation.set_colors(stroke=_UNREAD)
            annotation.set_border(width=1.5, dashes=[4, 2])
            annotation.set_info(title=_AUTHOR, content=outline.note)
            annotation.update()

    def _quads(self, mark: Mark) -> list[pymupdf.Quad]:
        """The letters of a hit as the engine sees them; where it does not, the box of the sweep."""
        box = pymupdf.Rect(mark.box) * self._upright
        first = self._nearest(mark, box)
        quads = [box.quad] if first is None else list(first.quads)
        if mark.page_end == mark.page_num:
            for line in mark.lines[1:]:
                following = self._next(line, quads[-1])
                quads += [] if following is None else following.quads
        return quads

    def _nearest(self, mark: Mark, box: pymupdf.Rect) -> Place | None:
        """The occurrence in the line of the box that is nearest to it: the box is estimated, its line is not."""
        near: list[tuple[float, int, Place]] = []
        for place in self._glyphs.places(mark.lines[0].strip()):
            distance = place.distance(box)
            # What another reader saw may stand beside the same word of the text layer: then its box is the better one.
            if distance is not None and (mark.text_layer or _shared(place.quads[0].rect, box) >= 0.3):
                near.append((distance, len(near), place))
        return min(near)[2] if near else None

    def _next(self, line: str, before: pymupdf.Quad) -> Place | None:
        """The place of a line after another: the nearest that is not above it."""
        below = [
            (down, number, place)
            for number, place in enumerate(self._glyphs.places(line.strip()))
            if (down := _below(place.quads[0], before, self._page)) is not None
        ]
        return min(below)[2] if below else None


def _shared(one: pymupdf.Rect, other: pymupdf.Rect) -> float:
    """The common area as a share of the smaller."""
    common = pymupdf.Rect(one) & other
    smaller = min(one.get_area(), other.get_area())
    return float(common.get_area() / smaller) if smaller > 0 and not common.is_empty else 0.0


def _below(quad: pymupdf.Quad, before: pymupdf.Quad, page: pymupdf.Page) -> float | None:
    """How far a line is below another as displayed, in points; None if it is above, the same, or too far."""
    one, other = quad.rect * page.rotation_matrix, before.rect * page.rotation_matrix
    down = one.y0 - other.y0
    beside = one.x0 - other.x1
    if 0.3 * other.height < down < _NEAR:
        return float(down)
    # The same row, further right: another cell or the next column.
    return float(_NEAR + beside) if abs(down) <= 0.3 * other.height and beside > -1 else None


def _contents(doc: pymupdf.Document) -> list[list[object]]:
    """The bookmarks that the document has; none where they cannot be read."""
    try:
        return [list(entry) for entry in doc.get_toc(simple=True)]
    except ENGINE_ERRORS:
        return []


def _set_bookmarks(
    doc: pymupdf.Document,
    request: AnnotateRequest,
    contents: Sequence[Sequence[object]],
    places: dict[int, int],
    legend: int,
) -> None:
    entries: list[list[object]] = [_entry(doc, entry, places, legend) for entry in request.bookmarks]
    if contents:
        entries.append([1, request.contents_title, 1])
        entries += [[int(str(level)) + 1, title, page] for level, title, page, *_ in contents]
    doc.set_toc(entries, collapse=1)


def _entry(doc: pymupdf.Document, entry: Bookmark, places: dict[int, int], legend: int) -> list[object]:
    if entry.page_num not in places:
        return [entry.level, entry.title, legend + 1]
    number = places[entry.page_num]
    target = {"kind": pymupdf.LINK_GOTO, "page": number, "to": pymupdf.Point(0, max(entry.top - 40, 0))}
    return [entry.level, entry.title, number + 1, target]


def _add_legend(doc: pymupdf.Document, lines: Sequence[tuple[Colour | None, str]]) -> int:
    """Append the legend, on as many pages as it takes; returns the index of its first page."""
    first = len(doc)
    for start in range(0, len(lines), _LEGEND_LINES):
        page = doc.new_page(-1)
        for number, (colour, text) in enumerate(lines[start : start + _LEGEND_LINES]):
            y = 72 + number * 15
            if colour is not None:
                page.draw_rect(pymupdf.Rect(60, y - 9, 74, y + 2), color=colour, fill=colour)
            _write_line(page, 82 if colour is not None else 60, y, text)
    return first


def _write_line(page: pymupdf.Page, x: float, y: float, text: str) -> None:
    """One line: Latin letters in a Latin font (the Japanese one sets them wide apart); cut where the page ends."""
    for run in _RUNS.findall(text):
        font = "helv" if run.isascii() else "japan"
        for end in range(len(run), 0, -1):
            width = pymupdf.get_text_length(run[:end], fontname=font, fontsize=_SIZE)
            if x + width < page.rect.width - 40:
                break
        else:
            return
        page.insert_text((x, y), run[:end], fontname=font, fontsize=_SIZE)
        x += width
        if end < len(run):
            return


_TALLEST = 4
"""Times the width: a page that is taller is squeezed, or a strip of paper would cost as much as a book."""
_QUALITY, _LEGIBLE_QUALITY = 55, 80
_LEGIBLE_FROM = 700
"""Pixels of width from which a picture is for reading."""


_MARGIN = 8.0
"""Points of the page around a region: a picture without its surroundings is hard to find again."""
_SHARPEST = 3.0
"""Pixels per point: a small region is not blown up beyond what can be seen in it."""


def draw_thumbnail(
    page: pymupdf.Page, width: int, clip: tuple[float, float, float, float] | None = None
) -> bytes:
    """JPEG of the page as displayed, or of a region of it, `width` pixels wide; raises one of the engine's errors."""
    if clip is not None:
        return _draw_region(page, width, clip)
    across, down = float(page.rect.width), float(page.rect.height)
    if across <= 0 or down <= 0:
        raise ValueError(f"the page is {across:g} x {down:g} points large")
    scale = width / across
    down_scale = min(scale, _TALLEST * width / down)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, down_scale), alpha=False)
    jpeg: bytes = pixmap.tobytes("jpeg", jpg_quality=_LEGIBLE_QUALITY if width >= _LEGIBLE_FROM else _QUALITY)
    return jpeg


def _draw_region(page: pymupdf.Page, width: int, clip: tuple[float, float, float, float]) -> bytes:
    """A region with a margin; a tall one is as high as a page may be, and so less than `width` wide."""
    x0, y0, x1, y1 = clip
    region = pymupdf.Rect(x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN)
    region &= pymupdf.Rect(0, 0, page.rect.width, page.rect.height)
    if region.is_empty:
        raise ValueError("the region lies outside the page")
    scale = min(width / region.width, 1.5 * width / region.height, _SHARPEST)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), clip=region, alpha=False)
    jpeg: bytes = pixmap.tobytes("jpeg", jpg_quality=_QUALITY)
    return jpeg


_FONT = "helv"
_SMALLEST, _LARGEST = 4.0, 24.0
_DESCENT = 0.25
"""Share of a line's height that lies below its baseline."""
_DPI = 300
_KEEP = 0
"""PDF_REDACT_IMAGE_NONE, PDF_REDACT_LINE_ART_NONE: only text gives way."""
_ANGLES = {
    Direction.HORIZONTAL.value: 0,
    Direction.ROTATED_LEFT.value: 90,
    Direction.UPSIDE_DOWN.value: 180,
    Direction.ROTATED_RIGHT.value: 270,
    Direction.VERTICAL.value: 270,  # as words in Latin letters stand in vertical text
}


def plant(page: pymupdf.Page, fact: PlantFact) -> str:
    """Write the phrase over white in place of its lines; returns why that cannot be done, or nothing."""
    angle = _ANGLES[fact.direction]
    sizes = [
        _size(text, box, fact.size, upright=angle in (90, 270))
        for text, box in zip(fact.texts, fact.boxes, strict=True)
    ]
    if min(sizes) < _SMALLEST:
        return "there is no room for it"
    for box in fact.boxes:
        inner = pymupdf.Rect(without_edges(box))
        page.add_redact_annot(inner * page.derotation_matrix, fill=(1, 1, 1), cross_out=False)
    page.apply_redactions(images=_KEEP, graphics=_KEEP)
    for text, box in zip(fact.texts, fact.boxes, strict=True):
        if fact.picture:
            _draw(page, text, box, min(sizes))
        else:
            _write(page, text, box, min(sizes), angle)
    return ""


def _size(text: str, box: Box, size: float, *, upright: bool) -> float:
    """Size of the letters, points: that of the line, or less where the phrase would be longer than it."""
    across, down = box[2] - box[0], box[3] - box[1]
    length, height = (down, across) if upright else (across, down)
    wanted = min(size or height / 1.3, _LARGEST)
    return float(min(wanted, length / pymupdf.get_text_length(text, _FONT, 1)))


def _write(page: pymupdf.Page, text: str, box: Box, size: float, angle: int) -> None:
    x0, y0, x1, y1 = box
    below = _DESCENT * min(x1 - x0, y1 - y0)
    start = {0: (x0, y1 - below), 90: (x1 - below, y1), 180: (x1, y0 + below), 270: (x0 + below, y0)}[angle]
    turned = (angle + page.rotation) % 360
    point = pymupdf.Point(start) * page.derotation_matrix
    page.insert_text(point, text, fontsize=size, fontname=_FONT, rotate=turned)


def _draw(page: pymupdf.Page, text: str, box: Box, size: float) -> None:
    """The same as a picture, which only OCR can read."""
    width = pymupdf.get_text_length(text, _FONT, size)
    with pymupdf.open() as paper:
        sheet = paper.new_page(width=width, height=1.3 * size)
        sheet.insert_text((0, size), text, fontsize=size, fontname=_FONT)
        png = sheet.get_pixmap(dpi=_DPI).tobytes("png")
    place = pymupdf.Rect(box[0], box[3] - 1.3 * size, box[0] + width, box[3])
    page.insert_image(place * page.derotation_matrix, stream=png, rotate=-page.rotation % 360)
