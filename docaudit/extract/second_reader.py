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

from docaudit.extract.boxes import touch
from docaudit.extract.engine import clean
from docaudit.extract.facts import Box, LineFact, WitnessFact
from docaudit.extract.lines import TextLayer
from docaudit.extract.placed_text import PlacedText
from docaudit.extract.witness_words import is_piece, witness_words
from docaudit.location import TextSource, Visibility

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
