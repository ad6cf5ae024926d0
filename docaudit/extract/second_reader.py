"""A second, independent engine (PDFium) reads the same page: what it saw and the first engine did not.

The two are compared as people read: without case, accents, ligatures, punctuation, hyphens and the places where words
and lines part, in any order. Lines with words that only the second engine saw become lines of their own, so that they
are searched; words that only the first saw are counted. Words that both saw are good controls: a search that does not
find them there has failed.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ctypes import c_int
from dataclasses import dataclass, field

import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium

from docaudit.codes import TextSource, Visibility
from docaudit.extract.boxes import touch
from docaudit.extract.pdf_objects import clean
from docaudit.extract.protocol import Box, LineFact, WitnessFact
from docaudit.extract.text_layer import TextLine, TextSpan

_SAME_SHAPE = 0.02
"""Difference in the ratio of the sides up to which the engines mean the same page; chosen, not measured."""
_SCALE = 1000
"""Device units to the point: PDFium gives places on the displayed page as whole numbers."""

_SPACES = r" \u00a0\u2000-\u200a\u3000"
_WORD = re.compile(rf"[^{_SPACES}]+")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_UNKNOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
_HYPHEN = "\ufffe"
"""What PDFium puts in place of a hyphen at the end of a line, and joins the lines."""

_LINE = re.compile(r"[^\r\n]+")
_TOKEN = re.compile(rf"[^\t{_SPACES}]+")
_AROUND = "([{\"'“”‘’«»„,.;:!?)]}"
_LETTERS = re.compile(r"[^\W\d_]{4,20}")
_EAST_ASIAN = re.compile(r"[\u3005\u4e00-\u9fff\u30a1-\u30fa\u30fc\uac00-\ud7a3]{3,6}")
_WITHOUT_SPACES = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Scripts that put no space between words, and Korean, whose words carry endings: no whole words by spaces."""
_HYPHENS = ("-", "\u00ad", "\u2010", "\u2011", "\u2013", _HYPHEN, "=")
_MOST_LINES = 40
"""Lines of a page of which a word is kept; of more, as many evenly spread."""


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

    def text_lines(self) -> list[TextLine]:
        """The lines as those of a text layer, whose visibility the ink can tell."""
        return [TextLine(line, [TextSpan("", "", line.box)] if line.box else []) for line in self.lines]

    @property
    def second_only(self) -> int:
        """Words that only the second engine saw and that a person can see."""
        counts = zip(self.lines, self.words, strict=True)
        return sum(count for line, count in counts if line.visibility == Visibility.VISIBLE)


class SecondEngine:
    """PDFium beside the first engine. A document that it cannot open is one that it says nothing about: its pages
    count as not compared.
    """

    def __init__(self, path: str, password: str | None) -> None:
        self._doc: pypdfium2.PdfDocument | None = None
        with suppress(pypdfium2.PdfiumError):
            doc = pypdfium2.PdfDocument(path, password=password)
            if doc.get_formtype():
                doc.init_forms()
            self._doc = doc

    def labels(self) -> list[str]:
        """One label for each of its pages ("" for none). PyMuPDF takes "/Type /PageLabel" for a prefix."""
        if self._doc is None:
            return []
        return [clean(self._doc.get_page_label(index)) for index in range(len(self._doc))]

    def text(self, page_num: int, pages_total: int) -> str | None:
        """The text of a page (1-based) in the order of the file, or None if this engine cannot read it."""
        page = self._load(page_num, pages_total)
        text_page = None if page is None else _text_page(page)
        if text_page is None:
            return None
        try:
            return clean(text_page.get_text_range())
        finally:
            text_page.close()

    def page(self, page_num: int, rect: pymupdf.Rect, pages_total: int) -> pypdfium2.PdfPage | None:
        """The page (1-based), or None if the engines may not mean the same one: another count, or another shape."""
        page = self._load(page_num, pages_total)
        if page is None or page.get_width() <= 0 or page.get_height() <= 0 or rect.is_empty:
            return None
        ratio = rect.width / rect.height
        same = abs(page.get_width() / page.get_height() - ratio) <= _SAME_SHAPE * ratio
        return page if same else None

    def _load(self, page_num: int, pages_total: int) -> pypdfium2.PdfPage | None:
        if self._doc is None or len(self._doc) != pages_total:
            return None
        try:
            return self._doc[page_num - 1]
        except pypdfium2.PdfiumError:
            return None


def _text_page(page: pypdfium2.PdfPage) -> pypdfium2.PdfTextPage | None:
    try:
        return page.get_textpage()
    except pypdfium2.PdfiumError:
        return None


def read_second(
    peer: pypdfium2.PdfPage, rect: pymupdf.Rect, lines: Sequence[LineFact]
) -> SecondReading | None:
    """Read a page a second time and compare; None if the second engine cannot read its text.

    Args:
        peer: The page as the second engine has it.
        rect: Its area as displayed, points.
        lines: All lines that were read of it so far.
    """
    text_page = _text_page(peer)
    if text_page is None:
        return None
    try:
        placed = _PlacedText(peer, text_page, rect)
        first = _folded("\n".join(line.text for line in lines)).split()
        second = _folded(_legible(placed.text)).split()
        first_only, lacking = _differences(first, second)
        reading = SecondReading(first_only=first_only)
        if lacking:
            _add_lines(reading, placed, lacking, lines)
        seen = [*first, *(word for line in reading.lines for word in _folded(line.text).split())]
        words, letters = frozenset(seen), "".join(seen)
        for start, end in control_words(placed.text):
            word = placed.text[start:end]
            plain = _folded(word)
            # A piece of a text without spaces is no word by itself, and readers part it in other places.
            if plain in words or (_WITHOUT_SPACES.search(word) and plain in letters):
                reading.witnesses.append(WitnessFact(word, placed.box(start, end)))
        return reading
    finally:
        text_page.close()


def without_found_later(lines: list[LineFact], later: Sequence[LineFact]) -> list[LineFact]:
    """The lines without those of the second reader that a later pass of the first one found as well.

    Where something was found later, the lines that the second reader added beside it as context go too.
    """
    places = _Places(later)
    first = [line for line in lines if line.source == TextSource.TEXT_LAYER] if later else []
    texts = {_folded(line.text) for line in first}
    return [
        line
        for line in lines
        if line.source != TextSource.SECOND_READER
        or not (places.have("".join(_folded(line.text).split()), line.box) or _folded(line.text) in texts)
    ]


class _PlacedText:
    """The text of a page as the second engine has it, with the places of its characters on the displayed page."""

    def __init__(self, peer: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, rect: pymupdf.Rect) -> None:
        self.text = clean(text_page.get_text_range())
        self.rect = rect
        self._text_page = text_page
        size = int(rect.width * _SCALE), int(rect.height * _SCALE)

        def shown(x: float, y: float) -> tuple[float, float]:
            across, down = c_int(), c_int()
            pdfium.FPDF_PageToDevice(peer, 0, 0, *size, 0, x, y, across, down)
            return across.value / _SCALE, down.value / _SCALE

        # From the coordinates of the file to points on the displayed page, told by three points.
        x, y = shown(0, 0)
        right, up = shown(1000, 0), shown(0, 1000)
        self._matrix = pymupdf.Matrix(
            (right[0] - x) / 1000, (right[1] - y) / 1000, (up[0] - x) / 1000, (up[1] - y) / 1000, x, y
        )

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


class _Places:
    """Where the first engine read which letters."""

    def __init__(self, lines: Sequence[LineFact]) -> None:
        self._lines = [(line.box, "".join(_folded(line.text).split())) for line in lines if line.box]
        self._boxes: dict[str, list[Box]] = {}

    def have(self, word: str, box: Box | None) -> bool:
        """The first engine read the word there; a word without a place counts as read."""
        if word not in self._boxes:
            self._boxes[word] = [place for place, letters in self._lines if word in letters]
        return box is None or any(touch(box, place) for place in self._boxes[word])


def _folded(text: str) -> str:
    """Letters and digits as people read them, words parted by spaces."""
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


def _differences(first: list[str], second: list[str]) -> tuple[int, set[str]]:
    """How many words only the first reader has, and which ones only the second.

    Words that part or join in other places ("data subject", "datasubject") are looked for in the letters alone.
    """
    by_first, by_second = Counter(first), Counter(second)
    if by_first == by_second:
        return 0, set()
    in_first, in_second = "".join(first), "".join(second)
    lost = by_first - by_second
    first_only = sum(lost[word] for word in lost if in_second.count(word) < in_first.count(word))
    gained = by_second - by_first
    return first_only, {word for word in gained if in_first.count(word) < in_second.count(word)}


def _add_lines(
    reading: SecondReading, placed: _PlacedText, lacking: set[str], lines: Sequence[LineFact]
) -> None:
    """Add the lines in which a lacking word stands where the first engine did not read it."""
    texts = placed.text.split("\r\n")
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 2)
    places = _Places(lines)
    counts: dict[int, int] = {}
    for number, text in enumerate(texts):
        words = []
        for match in _WORD.finditer(placed.text, starts[number], starts[number] + len(text)):
            word = _folded(match[0].replace(_HYPHEN, ""))
            if word and not _UNKNOWN.search(match[0]):
                words.append((word, match.start(), match.end()))
        new = [
            at
            for at, (word, start, end) in enumerate(words)
            if word in lacking and not places.have(word, placed.box(start, end))
        ]
        if new:
            counts[number] = counts.get(number, 0) + len(new)
            if new[0] == 0 and number:
                counts.setdefault(number - 1, 0)  # a phrase may begin there
            if new[-1] == len(words) - 1 and number + 1 < len(texts):
                counts.setdefault(number + 1, 0)
    width, height = placed.rect.width, placed.rect.height
    for number, count in sorted(counts.items()):
        box = placed.box(starts[number], starts[number] + len(texts[number]))
        if box is not None:
            inside = box[0] >= -1 and box[1] >= -1 and box[2] <= width + 1 and box[3] <= height + 1
            reading.lines.append(
                LineFact(
                    text=texts[number].replace(_HYPHEN, "").strip(),
                    box=box,
                    block=number + 1,
                    source=TextSource.SECOND_READER,
                    visibility=Visibility.VISIBLE if inside else Visibility.CROPPED,
                    size=box[3] - box[1],
                )
            )
            reading.words.append(count)


def control_words(text: str) -> list[tuple[int, int]]:
    """Where a word stands in each line of a page's text that has a good control: start and end, in order.

    Plain splitting, which knows nothing of how the search folds, joins and matches: whole words of letters between
    spaces and punctuation, and pieces of runs of Chinese, Japanese and Korean characters. Left out is what two honest
    readers may part in other places: a part of a word that a line end divides, a letter-spaced word, a ligature, a
    piece of a key or an address.
    """
    spans, divided = [], False
    for line in _LINE.finditer(text):
        words = list(_good_words(line[0], begins_divided=divided))
        divided = line[0].rstrip().endswith(_HYPHENS)
        if words:
            # Any would do; the same must come out every time and everywhere, and not always the first of a line.
            start, end = min(
                words, key=lambda span: zlib.crc32(line[0][slice(*span)].encode("utf-8", "replace"))
            )
            spans.append((line.start() + start, line.start() + end))
    return spans[:: max(1, -(-len(spans) // _MOST_LINES))]


def _good_words(line: str, *, begins_divided: bool) -> Iterator[tuple[int, int]]:
    tokens = list(_TOKEN.finditer(line))
    for number, token in enumerate(tokens):
        start = token.start()
        if _WITHOUT_SPACES.search(token[0]):
            yield from ((start + run.start(), start + run.end()) for run in _EAST_ASIAN.finditer(token[0]))
            continue
        if (begins_divided and number == 0) or (number and len(tokens[number - 1][0]) == 1):
            continue
        bare = token[0].strip(_AROUND)
        start += token[0].find(bare)
        if _LETTERS.fullmatch(bare) and unicodedata.normalize("NFKC", bare) == bare:
            yield start, start + len(bare)
