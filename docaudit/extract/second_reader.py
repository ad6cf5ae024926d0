"""A second, independent engine (PDFium) reads the same page: what it saw and the first engine did not.

The two are compared as people read: without case, accents, ligatures, punctuation, hyphens and the places where words
and lines part, in any order. Lines with words that only the second engine saw become lines of their own, so that they
are searched; words that only the first saw are counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium

from docaudit.extract.engine import clean
from docaudit.extract.facts import Box, LineFact
from docaudit.location import TextSource, Visibility

_PUNCTUATION = re.compile(r"[^\w\s]|_")
_WORD = re.compile(r"[^ \u00a0\u2000-\u200a\u3000]+")
_UNKNOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
_HYPHEN = "\ufffe"
"""What PDFium puts in place of a hyphen at the end of a line, and joins the lines."""
_SIZE_TOLERANCE_PT = 1.0
_SCALE = 1000
"""Device units to the point: PDFium gives places on the displayed page as whole numbers."""


@dataclass
class SecondReading:
    """What a second reading of a page adds.

    Attributes:
        lines: Lines with words that the first engine did not see, and those that a phrase may run on into.
        words: For each of them the number of such words.
        first_only: Words that the second engine did not see.
    """

    lines: list[LineFact] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    first_only: int = 0

    @property
    def second_only(self) -> int:
        """Words that only the second engine saw and that a person can see."""
        visible = Visibility.VISIBLE.value
        return sum(
            count for line, count in zip(self.lines, self.words, strict=True) if line.visibility == visible
        )


class SecondReader:
    """The document as the second engine has it.

    Attributes:
        why_not: Why no page can be compared; empty if they can.
    """

    version = str(pypdfium2.PYPDFIUM_INFO)

    def __init__(self, path: str, password: str | None, pages_total: int) -> None:
        self.why_not = ""
        try:
            self._doc = pypdfium2.PdfDocument(path, password=password)
        except pypdfium2.PdfiumError as error:
            self.why_not = f"the second reader cannot open the document: {error}"
            return
        if len(self._doc) != pages_total:
            self.why_not = f"the second reader finds {len(self._doc)} pages, not {pages_total}"

    def read(self, page: pymupdf.Page, page_num: int, known: Sequence[LineFact]) -> SecondReading | None:
        """Compare one page; None if the second engine cannot read it or has another page in its place.

        Args:
            page: The page as the first engine has it.
            page_num: Its number, from 1.
            known: All lines that were read of it.
        """
        if self.why_not:
            return None
        try:
            peer = self._doc[page_num - 1]
            try:
                return _compared(peer, page.rect, known)
            finally:
                peer.close()
        except pypdfium2.PdfiumError:
            return None  # counted as a page that was not compared


def _compared(
    peer: pypdfium2.PdfPage, rect: pymupdf.Rect, known: Sequence[LineFact]
) -> SecondReading | None:
    width, height = peer.get_width(), peer.get_height()
    scale = rect.width / width if width else 0.0  # a page may be measured in a unit other than the point
    if not scale or abs(height * scale - rect.height) > _SIZE_TOLERANCE_PT:
        return None
    text_page = peer.get_textpage()
    try:
        text = clean(text_page.get_text_range())
        first, second = _folded("\n".join(line.text for line in known)), _folded(_legible(text))
        ones, others = Counter(first.split()), Counter(second.split())
        if ones == others:
            return SecondReading()
        in_first, in_second = "".join(first.split()), "".join(second.split())
        lacking = {word for word in others - ones if in_first.count(word) < in_second.count(word)}
        lost = sum((ones - others)[word] for word in ones - others if in_second.count(word) < in_first.count(word))
        reading = SecondReading(first_only=lost)
        if lacking:
            _add_lines(reading, _Placed(peer, text_page, rect, text), lacking, known)
        return reading
    finally:
        text_page.close()


def _folded(text: str) -> str:
    """Letters and digits as people read them, words parted by blanks."""
    plain = text if text.isascii() else unicodedata.normalize("NFKD", text)
    return _PUNCTUATION.sub("", plain.casefold())


def _legible(text: str) -> str:
    """Without words of which the engine does not know every character, and lines that are mostly such words."""
    text = text.replace(_HYPHEN, "")
    if not _UNKNOWN.search(text):
        return text
    kept = []
    for line in text.split("\r\n"):
        words = _WORD.findall(line)
        good = [word for word in words if not _UNKNOWN.search(word)]
        kept.append(" ".join(good) if 2 * len(good) > len(words) else "")
    return "\n".join(kept)


class _Placed:
    """The text of a page as the second engine has it, with the places of its characters on the displayed page."""

    def __init__(
        self, peer: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, rect: pymupdf.Rect, text: str
    ) -> None:
        self._text_page = text_page
        self.text = text
        self.rect = rect
        self._matrix = _display_matrix(peer, rect)

    def box(self, start: int, end: int) -> Box | None:
        """The box of some characters, points; None if none of them has a place."""
        found: pymupdf.Rect | None = None
        for at in range(start, end):
            index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._text_page, at)
            if index < 0 or self.text[at].isspace():
                continue
            left, bottom, right, top = self._text_page.get_charbox(index)
            char = pymupdf.Rect(left, bottom, right, top) * self._matrix
            found = char if found is None else found | char
        return None if found is None else (found.x0, found.y0, found.x1, found.y1)


def _display_matrix(peer: pypdfium2.PdfPage, rect: pymupdf.Rect) -> pymupdf.Matrix:
    """From the coordinates of the file to points on the displayed page, told by three points."""
    from ctypes import c_int

    def shown(x: float, y: float) -> tuple[float, float]:
        across, down = c_int(), c_int()
        size = int(rect.width * _SCALE), int(rect.height * _SCALE)
        pdfium.FPDF_PageToDevice(peer, 0, 0, *size, 0, x, y, across, down)
        return across.value / _SCALE, down.value / _SCALE

    x, y = shown(0, 0)
    right, up = shown(1000, 0), shown(0, 1000)
    return pymupdf.Matrix(
        (right[0] - x) / 1000, (right[1] - y) / 1000, (up[0] - x) / 1000, (up[1] - y) / 1000, x, y
    )


def _add_lines(
    reading: SecondReading, placed: _Placed, lacking: set[str], known: Sequence[LineFact]
) -> None:
    """Add the lines in which a lacking word stands where the first engine did not read it."""
    spans = list(_lines_of(placed.text))
    counts: dict[int, int] = {}
    places = [(line.box, "".join(_folded(line.text).split())) for line in known if line.box]
    for number, (start, end) in enumerate(spans):
        words = list(_words_of(placed.text, start, end))
        for at, (word, first, last) in enumerate(words):
            if word in lacking and not _seen(word, placed.box(first, last), places):
                counts[number] = counts.get(number, 0) + 1
                for near in ([number - 1] if at == 0 else []) + ([number + 1] if at == len(words) - 1 else []):
                    counts.setdefault(near, 0)
    for number in sorted(set(counts) & set(range(len(spans)))):
        start, end = spans[number]
        box = placed.box(start, end)
        if box is not None:
            reading.lines.append(_line(placed, start, end, box, number + 1))
            reading.words.append(counts[number])


def _lines_of(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\r\n"):
        yield start, start + len(line)
        start += len(line) + 2


def _words_of(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Each word of a line as it is compared, with where it begins and ends."""
    for found in _WORD.finditer(text, start, end):
        word = _folded(found[0].replace(_HYPHEN, ""))
        if word and not _UNKNOWN.search(found[0]):
            yield word, found.start(), found.end()


def _seen(word: str, box: Box | None, places: Sequence[tuple[Box, str]]) -> bool:
    """The first engine read the word at this place."""
    return box is None or any(
        word in letters and _touch(box, other) for other, letters in places
    )


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _line(placed: _Placed, start: int, end: int, box: Box, number: int) -> LineFact:
    width, height = placed.rect.width, placed.rect.height
    inside = box[0] >= -1 and box[1] >= -1 and box[2] <= width + 1 and box[3] <= height + 1
    return LineFact(
        text=placed.text[start:end].replace(_HYPHEN, "").strip(),
        box=box,
        block=number,
        source=TextSource.SECOND_READER.value,
        visibility=(Visibility.VISIBLE if inside else Visibility.CROPPED).value,
        size=box[3] - box[1],
    )
