"""A second, independent engine (PDFium) reads the same page: what it saw and the first engine did not.

The two are compared as people read: without case, accents, ligatures, punctuation, hyphens and the places where words
and lines part, in any order. Lines with words that only the second engine saw become lines of their own, so that they
are searched; words that only the first saw are counted.

The document in a second, independent engine: its pages where both engines agree on them, and its page labels.

Where on the displayed page the characters stand that the second engine (PDFium) read.

Words of a page that make good controls: a search that does not find them there has failed.

Plain splitting, which knows nothing of how the search folds, joins and matches: whole words of letters between blanks
and punctuation, and pieces of runs of Chinese, Japanese and Korean signs. Left out is what two honest readers may part
in other places: a part of a word that a line end divides, a letter-spaced word, a ligature, a piece of a key or an
address.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from ctypes import c_int
from dataclasses import dataclass, field

import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium

from docaudit.codes import TextSource, Visibility
from docaudit.extract.images import touch
from docaudit.extract.pdf_objects import clean
from docaudit.extract.protocol import Box, LineFact, WitnessFact
from docaudit.extract.text_layer import TextLayer

_SCALE = 1000
"""Device units to the point: PDFium gives places on the displayed page as whole numbers."""


class PlacedText:
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
        boxes = []
        for at in range(start, end):
            index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._text_page, at)
            if index >= 0 and not self.text[at].isspace():
                boxes.append(self._text_page.get_charbox(index))
        if not boxes:
            return None
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        shown = pymupdf.Rect(min(lefts), min(bottoms), max(rights), max(tops)) * self._matrix
        return shown.x0, shown.y0, shown.x1, shown.y1


def _display_matrix(peer: pypdfium2.PdfPage, rect: pymupdf.Rect) -> pymupdf.Matrix:
    """From the coordinates of the file to points on the displayed page, told by three points."""

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


_LINE = re.compile(r"[^\r\n]+")
_TOKEN = re.compile(r"[^ \t\u00a0\u2000-\u200a\u3000]+")
_AROUND = "([{\"'“”‘’«»„,.;:!?)]}"
_LETTERS = re.compile(r"[^\W\d_]{4,20}")
_SIGNS = re.compile(r"[\u3005\u4e00-\u9fff\u30a1-\u30fa\u30fc\uac00-\ud7a3]{3,6}")
_WITHOUT_BLANKS = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Scripts that put no blank between words, and Korean, whose words carry endings: no whole words by blanks."""
_HYPHENS = ("-", "\u00ad", "\u2010", "\u2011", "\u2013", "\ufffe", "=")
_MOST = 40
"""Lines of a page of which a word is kept; of more, as many evenly spread."""


def witness_words(text: str) -> list[tuple[int, int]]:
    """Where a word stands in each line of a page's text that has a good one: start and end, in order."""
    found, divided = [], False
    for line in _LINE.finditer(text):
        words = list(_words(line[0], begins_divided=divided))
        divided = line[0].rstrip().endswith(_HYPHENS)
        if words:
            # Any would do; the same must come out every time and everywhere, and not always the first of a line.
            start, end = min(
                words, key=lambda span: zlib.crc32(line[0][slice(*span)].encode("utf-8", "replace"))
            )
            found.append((line.start() + start, line.start() + end))
    step = max(1, -(-len(found) // _MOST))
    return found[::step]


def is_piece(word: str) -> bool:
    """Whether a word is a piece of a text that has no blanks between words: it may stand anywhere in it."""
    return _WITHOUT_BLANKS.search(word) is not None


def _words(line: str, *, begins_divided: bool) -> Iterator[tuple[int, int]]:
    tokens = list(_TOKEN.finditer(line))
    for number, token in enumerate(tokens):
        if _WITHOUT_BLANKS.search(token[0]):
            yield from (
                (token.start() + run.start(), token.start() + run.end()) for run in _SIGNS.finditer(token[0])
            )
            continue
        if (begins_divided and number == 0) or (number and len(tokens[number - 1][0]) == 1):
            continue
        bare = token[0].strip(_AROUND)
        start = token.start() + token[0].find(bare)
        if _LETTERS.fullmatch(bare) and unicodedata.normalize("NFKC", bare) == bare:
            yield start, start + len(bare)


_PUNCTUATION = re.compile(r"[^\w\s]|_")
_WORD = re.compile(r"[^ \u00a0\u2000-\u200a\u3000]+")
_UNKNOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
_HYPHEN = "\ufffe"
"""What PDFium puts in place of a hyphen at the end of a line, and joins the lines."""


@dataclass
class SecondReading:
    """What a second reading of a page adds.

    Attributes:
        lines: Lines with words that the first engine did not see, and those that a phrase may run on into.
        words: For each of them the number of such words.
        first_only: Words that the second engine did not see.
        witnesses: Words that both engines saw, or that stand in the added lines: a search must find them.
    """

    lines: list[LineFact] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    first_only: int = 0
    witnesses: list[WitnessFact] = field(default_factory=list)

    def layer(self) -> TextLayer:
        """The lines as a text layer, whose visibility the ink can tell."""
        boxes = [[line.box] if line.box else [] for line in self.lines]
        return TextLayer(self.lines, boxes, [[] for _ in self.lines])

    @property
    def second_only(self) -> int:
        """Words that only the second engine saw and that a person can see."""
        visible = Visibility.VISIBLE.value
        return sum(
            count for line, count in zip(self.lines, self.words, strict=True) if line.visibility == visible
        )


def read_second(
    peer: pypdfium2.PdfPage, rect: pymupdf.Rect, known: Sequence[LineFact]
) -> SecondReading | None:
    """Read a page a second time and compare; None if the second engine cannot read its text.

    Args:
        peer: The page as the second engine has it.
        rect: Its area as displayed, points.
        known: All lines that were read of it so far.
    """
    try:
        text_page = peer.get_textpage()
    except pypdfium2.PdfiumError:
        return None
    try:
        text = clean(text_page.get_text_range())
        ones = _folded("\n".join(line.text for line in known)).split()
        others = _folded(_legible(text)).split()
        first_only, lacking = _differences(ones, others)
        reading = SecondReading(first_only=first_only)
        placed = PlacedText(peer, text_page, rect, text)
        if lacking:
            _add_lines(reading, placed, lacking, known)
        seen = [*ones, *(word for line in reading.lines for word in _folded(line.text).split())]
        reading.witnesses = list(_witnesses(placed, seen))
        return reading
    finally:
        text_page.close()


def _witnesses(placed: PlacedText, seen: Sequence[str]) -> Iterator[WitnessFact]:
    """The words of the second reader that are also among those seen by the first, or added to them."""
    words, letters = frozenset(seen), "".join(seen)
    for start, end in witness_words(placed.text):
        word = placed.text[start:end]
        plain = _folded(word)
        # A piece of a text without blanks is no word by itself, and readers part it in other places.
        if plain in words or (is_piece(word) and plain in letters):
            yield WitnessFact(word, placed.box(start, end))


def without_found(lines: list[LineFact], later: Sequence[LineFact]) -> list[LineFact]:
    """The lines without those of the second reader that a later pass of the first one found as well.

    Where something was found later, the lines that the second reader added beside it as context go too.
    """
    places = _Places(later)
    first = [line for line in lines if line.source == TextSource.TEXT_LAYER.value] if later else []
    known = {_folded(line.text) for line in first}
    return [
        line
        for line in lines
        if line.source != TextSource.SECOND_READER.value
        or not (places.have("".join(_folded(line.text).split()), line.box) or _folded(line.text) in known)
    ]


def _differences(ones: list[str], others: list[str]) -> tuple[int, set[str]]:
    """How many words only the first reader has, and which ones only the second.

    Words that part or join in other places ("data subject", "datasubject") are looked for in the letters alone.
    """
    first, second = Counter(ones), Counter(others)
    if first == second:
        return 0, set()
    in_first, in_second = "".join(ones), "".join(others)
    lost = first - second
    first_only = sum(lost[word] for word in lost if in_second.count(word) < in_first.count(word))
    return first_only, {word for word in second - first if in_first.count(word) < in_second.count(word)}


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


def _add_lines(
    reading: SecondReading, placed: PlacedText, lacking: set[str], known: Sequence[LineFact]
) -> None:
    """Add the lines in which a lacking word stands where the first engine did not read it."""
    spans = list(_lines_of(placed.text))
    places = _Places(known)
    counts: dict[int, int] = {}
    for number, span in enumerate(spans):
        words = list(_words_of(placed.text, *span))
        new = [
            at
            for at, (word, first, last) in enumerate(words)
            if word in lacking and not places.have(word, placed.box(first, last))
        ]
        if new:
            counts[number] = counts.get(number, 0) + len(new)
            if new[0] == 0 and number:
                counts.setdefault(number - 1, 0)  # a phrase may begin there
            if new[-1] == len(words) - 1 and number + 1 < len(spans):
                counts.setdefault(number + 1, 0)
    for number, count in sorted(counts.items()):
        box = placed.box(*spans[number])
        if box is not None:
            reading.lines.append(_line(placed, *spans[number], box, number + 1))
            reading.words.append(count)


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


class _Places:
    """Where the first engine read which letters."""

    def __init__(self, known: Sequence[LineFact]) -> None:
        self._lines = [(line.box, "".join(_folded(line.text).split())) for line in known if line.box]
        self._boxes: dict[str, list[Box]] = {}

    def have(self, word: str, box: Box | None) -> bool:
        """The first engine read the word there; a word without a place counts as read."""
        if word not in self._boxes:
            self._boxes[word] = [other for other, letters in self._lines if word in letters]
        return box is None or any(touch(box, other) for other in self._boxes[word])


def _line(placed: PlacedText, start: int, end: int, box: Box, number: int) -> LineFact:
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


_SAME_SHAPE = 0.02


class SecondEngine:
    """PDFium beside the first engine. A document that it cannot open is one that it says nothing about: its pages
    count as not compared.
    """

    def __init__(self, path: str, password: str | None) -> None:
        self._doc: pypdfium2.PdfDocument | None = None
        try:
            self._doc = pypdfium2.PdfDocument(path, password=password)
            if self._doc.get_formtype():
                self._doc.init_forms()
        except pypdfium2.PdfiumError:
            self._doc = None

    def labels(self) -> list[str]:
        """One label for each of its pages ("" for none). PyMuPDF takes "/Type /PageLabel" for a prefix."""
        if self._doc is None:
            return []
        return [clean(self._doc.get_page_label(index)) for index in range(len(self._doc))]

    def text(self, page_num: int, pages_total: int) -> str | None:
        """The text of a page (1-based) in the order of the file, or None if this engine cannot read it."""
        if self._doc is None or len(self._doc) != pages_total:
            return None
        try:
            text_page = self._doc[page_num - 1].get_textpage()
        except pypdfium2.PdfiumError:
            return None
        try:
            return clean(text_page.get_text_range())
        finally:
            text_page.close()

    def page(self, page_num: int, rect: pymupdf.Rect, pages_total: int) -> pypdfium2.PdfPage | None:
        """The page (1-based), or None if the engines may not mean the same one: another count, or another shape."""
        if self._doc is None or len(self._doc) != pages_total:
            return None
        try:
            page = self._doc[page_num - 1]
        except pypdfium2.PdfiumError:
            return None
        width, height = page.get_width(), page.get_height()
        if width <= 0 or height <= 0 or rect.is_empty:
            return None
        ratio = rect.width / rect.height
        return page if abs(width / height - ratio) <= _SAME_SHAPE * ratio else None
