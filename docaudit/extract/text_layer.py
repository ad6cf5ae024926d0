"""The text layer of one page as lines: text, box, direction, size and visibility, in the order of the content.

Words along a curve: engines give them in pieces of a few letters, each turned a little against the one before.

A chain of such pieces is a line of its own, which is added after them: the pieces alone hold no word.

Text of a page that the first reading does not give: outside the page box, ActualText, Alt.

Each is read in a second pass, only where the file shows that there is something to find, and each line says what it is.

Texts that the content of a page carries for other programs: Alt and E beside marked content, and who has ActualText.

Such a property list stands in the content itself, or under a name in the resources of a page or of a form on it.

Text reduced to its letters and digits, for comparing titles that are set in different ways.
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
from docaudit.extract.images import touch, union
from docaudit.extract.pdf_objects import (
    ENGINE_ERRORS,
    clean,
    entries,
    get,
    is_null,
    key_of,
    object_of,
    text_of,
)
from docaudit.extract.protocol import Box, LineFact

_MOST_LETTERS = 4
_FEWEST_PIECES = 4
_LEAST_STEP, _MOST_STEP = math.radians(0.3), math.radians(75)
_LEAST_TURN = math.radians(6)


class Piece(NamedTuple):
    """A line as the engine gives it, with its angle in radians."""

    line: LineFact
    angle: float


def chains(pieces: Sequence[Piece]) -> Iterator[tuple[int, LineFact]]:
    """Each curved line, with the number of its last piece."""
    start = 0
    for at in range(1, len(pieces) + 1):
        if at < len(pieces) and _goes_on_curves(pieces[at - 1], pieces[at]):
            continue
        chain = pieces[start:at]
        turn = max(piece.angle for piece in chain) - min(piece.angle for piece in chain)
        if len(chain) >= _FEWEST_PIECES and turn >= _LEAST_TURN:
            yield at - 1, _joined(chain)
        start = at


def _goes_on_curves(one: Piece, other: Piece) -> bool:
    """The next piece is as short, turned a little, and stands beside this one."""
    if not (_is_short(one) and _is_short(other)):
        return False
    step = abs((other.angle - one.angle + math.pi) % (2 * math.pi) - math.pi)
    size = max(one.line.size, other.line.size, 1.0)
    return _LEAST_STEP <= step <= _MOST_STEP and _distance(one, other) < size * 2.5


def _is_short(piece: Piece) -> bool:
    return piece.line.box is not None and 0 < len(piece.line.text.strip()) <= _MOST_LETTERS


def _distance(one: Piece, other: Piece) -> float:
    return math.dist(_centre(one), _centre(other))


def _centre(piece: Piece) -> tuple[float, float]:
    assert piece.line.box is not None
    x0, y0, x1, y1 = piece.line.box
    return (x0 + x1) / 2, (y0 + y1) / 2


def _joined(chain: Sequence[Piece]) -> LineFact:
    """The pieces as one line; where none of them ends with a blank, wide gaps are blanks."""
    texts = [piece.line.text for piece in chain]
    if not any(text != text.strip() for text in texts):
        gaps = [_distance(one, other) for one, other in pairwise(chain)]
        wide = 1.5 * median(gaps)
        texts = [text + " " * (gap > wide) for text, gap in zip(texts, [*gaps, 0.0], strict=True)]
    first = chain[0].line
    return LineFact(
        text="".join(texts).strip(),
        box=union([piece.line.box for piece in chain if piece.line.box]),
        block=first.block,
        source=first.source,
        visibility=first.visibility,
        direction=first.direction,
        size=first.size,
    )


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


_STRING = rb"\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\)|<[0-9A-Fa-f\s]*>"
_LIST = re.compile(rb"/(Alt|E)\s*(" + _STRING + rb")", re.DOTALL)
_KEYS = ("Alt", "E")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\r\n])|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def alternate_lines(page: pymupdf.Page) -> tuple[list[LineFact], bool]:
    """Lines of all Alt and E beside marked content of a page, and whether anything on it has ActualText."""
    texts: list[str] = []
    has_actual_text = False
    for content, resources in _contents(page):
        has_actual_text |= b"ActualText" in content
        if b"/Alt" in content or b"/E" in content:
            texts += [_decoded(found[2]) for found in _LIST.finditer(content)]
        for _, properties in entries(get(resources, "Properties")):
            has_actual_text |= not is_null(get(properties, "ActualText"))
            texts += [text_of(get(properties, key)) for key in _KEYS]
    rows = (row.strip() for text in texts for row in clean(text).splitlines())
    lines = [
        LineFact(row, None, 900_000 + number, TextSource.ALT_TEXT.value, Visibility.UNKNOWN.value)
        for number, row in enumerate(dict.fromkeys(row for row in rows if row))
    ]
    return lines, has_actual_text


def _contents(page: pymupdf.Page) -> Iterator[tuple[bytes, Any]]:
    """Content and resources of the page and of every form on it."""
    doc = page.parent
    try:
        content = page.read_contents()
    except ENGINE_ERRORS:
        content = b""  # no stream: drawing the page says so
    yield content, get(object_of(doc, page.xref), "Resources")
    try:
        forms = [int(form[0]) for form in page.get_xobjects()]
    except ENGINE_ERRORS:
        return  # the engine will say so when it draws the page
    for number in dict.fromkeys(forms):
        try:
            yield doc.xref_stream(number) or b"", get(object_of(doc, number), "Resources")
        except ENGINE_ERRORS:
            continue  # a damaged form: drawing the page says so


def _decoded(written: bytes) -> str:
    """The text of a string as it is written in a content stream."""
    if written.startswith(b"<"):
        digits = bytes(byte for byte in written[1:-1] if not chr(byte).isspace())
        raw = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    else:
        raw = _ESCAPE.sub(_unescaped, written[1:-1])
    if raw.startswith((b"\xfe\xff", b"\xff\xfe")):
        return raw.decode("utf-16", "replace")
    return (
        raw[3:].decode("utf-8", "replace")
        if raw.startswith(b"\xef\xbb\xbf")
        else raw.decode("cp1252", "replace")
    )


def _unescaped(found: re.Match[bytes]) -> bytes:
    octal, line_end, other = found.groups()
    if octal:
        return bytes([int(octal, 8) & 255])
    return b"" if line_end else _LETTERS.get(other, other)


_NEITHER = re.compile(r"[\W_]+")


def letters_of(text: str) -> str:
    """Letters and digits in compatibility form and lower case, nothing else.

    >>> letters_of("Ｆｉｇｕｒｅ 3.D – Energy prices")
    'figure3denergyprices'
    """
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _NEITHER.sub("", folded)


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
