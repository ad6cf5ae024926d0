"""The text layer of one page as lines: text, box, direction, size and visibility, in the order of the content.

The engine gives vertical writing glyph by glyph, and words along a curve in pieces of a few letters. Glyphs down one
column are joined. Pieces of a curve stay, and a line over all of them is added, as the pieces alone hold no word.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

import pymupdf

from docaudit.codes import Direction, TextSource, Visibility
from docaudit.extract.boxes import centre, union
from docaudit.extract.pdf_objects import clean
from docaudit.extract.protocol import Box, LineFact

_FLAGS = pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_IMAGES
"""Without the engine's flag that invents characters for glyphs without a Unicode value (they become U+FFFD), and
without the one that drops what lies outside the page box."""
LETTER_FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_IGNORE_ACTUALTEXT
)
"""Flags with which the letters of these lines are read once more, without the images of the page."""

# The engine's bits: flags of a span (bold), and of its characters (filled, stroked).
_BOLD = 16
_FILLED, _STROKED = 16, 32
_AXIS = 0.99
"""Cosine from which a line counts as level: 8 degrees. Chosen, not measured."""

# A curve, chosen by eye on seals and logos: at least four pieces of one to four letters, each turned a little against
# the one before, all together by a visible angle.
_MOST_LETTERS, _FEWEST_PIECES = 4, 4
_LEAST_STEP, _MOST_STEP, _LEAST_TURN = math.radians(0.3), math.radians(75), math.radians(6)

_NO_LETTER = re.compile(r"[\W_]+")


class TextSpan(NamedTuple):
    """A piece of a line in one font; the gaps between the spans of a line are not text."""

    font: str
    text: str
    box: Box


@dataclass
class TextLine:
    """A line of the text layer with its spans; a line along a curve has none, as its pieces have them already."""

    fact: LineFact
    spans: list[TextSpan]

    @property
    def boxes(self) -> list[Box]:
        """Boxes of the spans, or of the line where there are none."""
        return [span.box for span in self.spans] or ([self.fact.box] if self.fact.box else [])


def page_dict(page: pymupdf.Page, *, actual_text: bool = False, turned: bool = True) -> dict[str, Any]:
    """The engine's dictionary of blocks: text lines with spans, and images with their bytes.

    Without `actual_text` the text is what the glyphs show; with it, what the file wants a program to read instead.
    `turned` gives boxes and directions on the page as displayed; the engine itself reads it as if it had no rotation.
    """
    flags = _FLAGS if actual_text else _FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT
    content: dict[str, Any] = page.get_text("dict", flags=flags)
    if turned and page.rotation:
        matrix = page.rotation_matrix
        for block in content["blocks"]:
            lines = block.get("lines", [])
            for part in (block, *lines, *(span for line in lines for span in line["spans"])):
                part["bbox"] = tuple(pymupdf.Rect(part["bbox"]) * matrix)
            for line in lines:
                x, y = line["dir"]
                line["dir"] = (x * matrix.a + y * matrix.c, x * matrix.b + y * matrix.d)
    return content


def read_lines(content: dict[str, Any], page_rect: pymupdf.Rect) -> list[TextLine]:
    """All lines of the text layer, also those that no person can see; `visibility` tells them apart."""
    page_box: Box = (page_rect.x0, page_rect.y0, page_rect.x1, page_rect.y1)
    lines: list[TextLine] = []
    angles: list[float] = []
    for number, block in enumerate((b for b in content["blocks"] if b["type"] == 0), 1):
        for line in block["lines"]:
            fact = _line(line, number, page_box)
            if fact is not None:
                spans = line["spans"]
                if len(spans) > 1:
                    spans = [span for span in spans if not span["text"].isspace()]
                lines.append(TextLine(fact, [_span(span, line["wmode"] == 1) for span in spans]))
                angles.append(math.atan2(line["dir"][1], line["dir"][0]))
    for last, curved in reversed(list(_curved_lines([line.fact for line in lines], angles))):
        lines.insert(last + 1, TextLine(curved, []))
    return _columns_joined(lines)


def _span(span: dict[str, Any], vertical: bool) -> TextSpan:
    """A span with its ink inside its box: of vertical writing the engine places the box up to one glyph too low."""
    x0, y0, x1, y1 = span["bbox"]
    return TextSpan(span["font"], span["text"], (x0, y0 - span["size"], x1, y1) if vertical else span["bbox"])


def _line(line: dict[str, Any], block: int, page_box: Box) -> LineFact | None:
    """The line as a fact; None if it is blank."""
    spans, box = line["spans"], line["bbox"]
    text = spans[0]["text"] if len(spans) == 1 else "".join([span["text"] for span in spans])
    if not text or text.isspace():
        return None
    main = spans[0] if len(spans) == 1 else max(spans, key=lambda span: len(span["text"].strip()))
    if box[2] < page_box[0] or box[0] > page_box[2] or box[3] < page_box[1] or box[1] > page_box[3]:
        visibility = Visibility.CROPPED
    elif any(span.get("char_flags", _FILLED) & (_FILLED | _STROKED) for span in spans):
        visibility = Visibility.VISIBLE
    else:
        visibility = Visibility.INVISIBLE
    x, y = line["dir"]  # a unit vector; y grows downwards
    direction = Direction.SLANTED
    if line["wmode"] == 1:
        direction = Direction.VERTICAL
    elif abs(x) > _AXIS:
        direction = Direction.HORIZONTAL if x > 0 else Direction.UPSIDE_DOWN
    elif abs(y) > _AXIS:
        direction = Direction.ROTATED_RIGHT if y > 0 else Direction.ROTATED_LEFT
    return LineFact(
        text=text if text.isascii() else clean(text),
        box=box,
        block=block,
        source=TextSource.TEXT_LAYER,
        visibility=visibility,
        direction=direction,
        size=float(main["size"]),
        bold=bool(main["flags"] & _BOLD) or "bold" in main["font"].lower(),
    )


def _columns_joined(lines: list[TextLine]) -> list[TextLine]:
    """The lines, glyphs of vertical writing that follow each other down one column as one line."""
    if not any(line.fact.direction == Direction.VERTICAL for line in lines):
        return lines
    joined: list[TextLine] = []
    for line in lines:
        above = joined[-1] if joined else None
        if above is not None and _goes_on_below(above.fact, line.fact):
            assert above.fact.box is not None
            assert line.fact.box is not None
            above.fact.text += line.fact.text
            above.fact.box = union((above.fact.box, line.fact.box))
            above.spans += line.spans
        else:
            joined.append(line)
    return joined


def _goes_on_below(above: LineFact, below: LineFact) -> bool:
    vertical = above.direction == below.direction == Direction.VERTICAL
    if not vertical or above.box is None or below.box is None or above.visibility != below.visibility:
        return False
    # Shares of the size of type; chosen, not measured.
    same_column = abs(centre(above.box)[0] - centre(below.box)[0]) < 0.3 * max(above.size, 1.0)
    return same_column and -0.5 * above.size < below.box[1] - above.box[3] < 0.6 * above.size


def _curved_lines(lines: Sequence[LineFact], angles: Sequence[float]) -> Iterator[tuple[int, LineFact]]:
    """Each line along a curve, with the index of its last piece."""
    start = 0
    for at in range(1, len(lines) + 1):
        if at < len(lines) and _goes_on_curved(lines[at - 1], lines[at], angles[at] - angles[at - 1]):
            continue
        if at - start >= _FEWEST_PIECES and max(angles[start:at]) - min(angles[start:at]) >= _LEAST_TURN:
            yield at - 1, _joined_curve(lines[start:at])
        start = at


def _goes_on_curved(line: LineFact, following: LineFact, turn: float) -> bool:
    """The next piece is as short, turned a little, and stands beside this one."""
    for piece in (line, following):
        if piece.box is None or not 0 < len(piece.text.strip()) <= _MOST_LETTERS:
            return False
    step = abs((turn + math.pi) % (2 * math.pi) - math.pi)
    return _LEAST_STEP <= step <= _MOST_STEP and _distance(line, following) < 2.5 * max(
        line.size, following.size, 1.0
    )


def _joined_curve(pieces: Sequence[LineFact]) -> LineFact:
    """The pieces as one line; where none of them ends with a space, wide gaps are spaces."""
    texts = [piece.text for piece in pieces]
    if not any(text != text.strip() for text in texts):
        gaps = [_distance(piece, following) for piece, following in pairwise(pieces)]
        wide = 1.5 * median(gaps)
        texts = [text + " " * (gap > wide) for text, gap in zip(texts, [*gaps, 0.0], strict=True)]
    first = pieces[0]
    return LineFact(
        text="".join(texts).strip(),
        box=union([piece.box for piece in pieces if piece.box]),
        block=first.block,
        source=first.source,
        visibility=first.visibility,
        direction=first.direction,
        size=first.size,
    )


def _distance(line: LineFact, following: LineFact) -> float:
    assert line.box is not None
    assert following.box is not None
    return math.dist(centre(line.box), centre(following.box))


def letters_of(text: str) -> str:
    """Letters and digits in compatibility form and lower case, nothing else: titles set in different ways agree in it.

    >>> letters_of("Ｆｉｇｕｒｅ 3.D – Energy prices")
    'figure3denergyprices'
    """
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _NO_LETTER.sub("", folded)
