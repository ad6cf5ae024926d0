"""The text layer of one page as lines: text, box, direction, size and visibility, in the order of the content."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import pymupdf

from docaudit.extract.boxes import union
from docaudit.extract.curves import Piece, chains
from docaudit.extract.engine import clean
from docaudit.extract.facts import Box, LineFact
from docaudit.location import Direction, TextSource, Visibility

_FLAGS = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_IMAGES
"""Without the engine's flag that invents characters for glyphs without a Unicode value (they become U+FFFD), and
without the one that drops what lies outside the page box."""
LETTER_FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_IGNORE_ACTUALTEXT
)
"""Those with which the letters of these lines are read once more, without the images of the page."""

_BOLD = 16
_FILLED, _STROKED = 16, 32
_AXIS = 0.99
# As plain text: these are looked up for every line.
_TEXT_LAYER = TextSource.TEXT_LAYER.value
_VISIBLE, _INVISIBLE = Visibility.VISIBLE.value, Visibility.INVISIBLE.value
_CROPPED = Visibility.CROPPED.value
_HORIZONTAL, _VERTICAL = Direction.HORIZONTAL.value, Direction.VERTICAL.value


def page_dict(page: pymupdf.Page, *, actual_text: bool = False, turned: bool = True) -> dict[str, Any]:
    """The engine's dictionary of blocks: text lines with spans, and images with their bytes.

    Without `actual_text` the text is what the glyphs show; with it, what the file wants a program to read instead.
    `turned` gives boxes and directions on the page as displayed; the engine itself reads it as if it had no rotation.
    """
    flags = _FLAGS if actual_text else _FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT
    content: dict[str, Any] = page.get_text("dict", flags=flags)
    if turned and page.rotation:
        _turn(content, page.rotation_matrix)
    return content


def _turn(content: dict[str, Any], matrix: pymupdf.Matrix) -> None:
    for block in content["blocks"]:
        lines = block.get("lines", [])
        for part in (block, *lines, *(span for line in lines for span in line["spans"])):
            part["bbox"] = tuple(pymupdf.Rect(part["bbox"]) * matrix)
        for line in lines:
            x, y = line["dir"]
            line["dir"] = (x * matrix.a + y * matrix.c, x * matrix.b + y * matrix.d)


class Run(NamedTuple):
    """A piece of a line in one font."""

    font: str
    text: str


@dataclass(frozen=True)
class TextLayer:
    """The lines of the text layer, and for each of them the boxes of its spans (the gaps between are not text).

    `runs` has font and text of each of these spans.
    """

    lines: list[LineFact]
    spans: list[list[Box]]
    runs: list[list[Run]]


def read_lines(content: dict[str, Any], page_rect: pymupdf.Rect) -> TextLayer:
    """All lines of the text layer, also those that no person can see; `visibility` tells them apart."""
    edges: Box = (page_rect.x0, page_rect.y0, page_rect.x1, page_rect.y1)
    lines: list[LineFact] = []
    boxes: list[list[Box]] = []
    runs: list[list[Run]] = []
    pieces: list[Piece] = []
    for number, block in enumerate((b for b in content["blocks"] if b["type"] == 0), 1):
        for line in block["lines"]:
            fact = _line(line, number, edges)
            if fact is not None:
                spans = line["spans"]
                if len(spans) > 1:
                    spans = [span for span in spans if not span["text"].isspace()]
                lines.append(fact)
                pieces.append(Piece(fact, math.atan2(line["dir"][1], line["dir"][0])))
                boxes.append([_shown(span) if line["wmode"] == 1 else span["bbox"] for span in spans])
                runs.append([Run(span["font"], span["text"]) for span in spans])
    for last, curved in reversed(list(chains(pieces))):
        lines.insert(last + 1, curved)
        boxes.insert(last + 1, [])
        runs.insert(last + 1, [])
    return _columns_joined(TextLayer(lines, boxes, runs))


def _shown(span: dict[str, Any]) -> Box:
    """The box in which the ink of a span of vertical writing lies; the engine places it up to one glyph too low."""
    x0, y0, x1, y1 = span["bbox"]
    return x0, y0 - span["size"], x1, y1


def _columns_joined(text: TextLayer) -> TextLayer:
    """Vertical writing comes glyph by glyph; glyphs that follow each other down one column make one line."""
    if not any(line.direction == _VERTICAL for line in text.lines):
        return text
    lines: list[LineFact] = []
    spans: list[list[Box]] = []
    runs: list[list[Run]] = []
    for line, boxes, pieces in zip(text.lines, text.spans, text.runs, strict=True):
        if lines and _goes_on(lines[-1], line):
            above = lines[-1]
            assert above.box is not None
            assert line.box is not None
            above.text += line.text
            above.box = union((above.box, line.box))
            spans[-1] += boxes
            runs[-1] += pieces
        else:
            lines.append(line)
            spans.append(boxes)
            runs.append(pieces)
    return TextLayer(lines, spans, runs)


def _goes_on(above: LineFact, below: LineFact) -> bool:
    if above.direction != _VERTICAL or below.direction != _VERTICAL or above.box is None or below.box is None:
        return False
    same_column = abs(_middle(above.box) - _middle(below.box)) < 0.3 * max(above.size, 1.0)
    gap = below.box[1] - above.box[3]
    return same_column and -0.5 * above.size < gap < 0.6 * above.size and above.visibility == below.visibility


def _middle(box: Box) -> float:
    return (box[0] + box[2]) / 2


def _line(line: dict[str, Any], block: int, edges: Box) -> LineFact | None:
    spans = line["spans"]
    text = spans[0]["text"] if len(spans) == 1 else "".join([span["text"] for span in spans])
    if not text or text.isspace():
        return None
    main = spans[0] if len(spans) == 1 else max(spans, key=lambda span: len(span["text"].strip()))
    return LineFact(
        text=text if text.isascii() else clean(text),
        box=line["bbox"],
        block=block,
        source=_TEXT_LAYER,
        visibility=_visibility(spans, line["bbox"], edges),
        direction=_direction(line),
        size=float(main["size"]),
        bold=bool(main["flags"] & _BOLD) or "bold" in main["font"].lower(),
    )


def _visibility(spans: list[dict[str, Any]], box: Box, edges: Box) -> str:
    if box[2] < edges[0] or box[0] > edges[2] or box[3] < edges[1] or box[1] > edges[3]:
        return _CROPPED
    for span in spans:
        if span.get("char_flags", _FILLED) & (_FILLED | _STROKED):
            return _VISIBLE
    return _INVISIBLE


def _direction(line: dict[str, Any]) -> str:
    if line["wmode"] == 1:
        return _VERTICAL
    x, y = line["dir"]
    if x > _AXIS:
        return _HORIZONTAL
    if y < -_AXIS:
        return Direction.ROTATED_LEFT.value
    if y > _AXIS:
        return Direction.ROTATED_RIGHT.value
    return (Direction.UPSIDE_DOWN if x < -_AXIS else Direction.SLANTED).value
