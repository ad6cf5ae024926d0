"""An annotated copy of a document, drawn in the child process: highlights, outlines, bookmarks, and a legend.

The legend is the last page, so that every page keeps its number. Boxes come as displayed; the engine draws on the page
as it is before it is turned.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import pymupdf

from docaudit.extract.annotate_facts import AnnotateRequest, Bookmark, Colour, Mark, Outline
from docaudit.extract.engine import ENGINE_ERRORS
from docaudit.extract.glyph_places import PageGlyphs, Place
from docaudit.extract.page_tree import PageTree, UnreachablePageError

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
