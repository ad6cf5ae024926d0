"""OCR of regions of a page that no text explains. A reading with low confidence is kept, and its region stays a blind
spot.

Words that OCR read, from the picture to the page: turned back, in points, as lines.

What a page shows against what its text layer says: OCR of pages that have text.

For wrong Unicode tables, wrong hidden layers over scans and text that is painted over. OCR itself misreads, so lines
disagree only if OCR is sure of what it reads there, and reads something else altogether.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pymupdf
from numpy.typing import NDArray
from rapidfuzz import fuzz

from docaudit.codes import BlindSpotKind, Direction, TextLikely, TextSource, Visibility
from docaudit.errors import OcrError
from docaudit.extract.images import centre_in, union
from docaudit.extract.ocr_engines import OcrEngine, OcrWord
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import Box, LineFact, SpotFact
from docaudit.extract.text_layer import letters_of


def packed(pixmap: pymupdf.Pixmap) -> NDArray[np.uint8]:
    """The samples of a grey pixmap without padding between its rows, in memory of their own."""
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    return np.ascontiguousarray(rows[:, : pixmap.width])


def turned_back(word: OcrWord, turn: int, width: int, height: int) -> OcrWord:
    """A word of a picture that was turned `turn` quarters to the left, in the picture of this width and height."""
    x0, y0, x1, y1 = word.box
    if turn == 1:
        box: Box = (width - y1, x0, width - y0, x1)
    elif turn == 3:
        box = (y0, height - x1, y1, height - x0)
    else:
        box = word.box
    return OcrWord(word.text, box, word.confidence, word.line)


def word_in_points(word: OcrWord, clip: pymupdf.Rect, dpi: int) -> OcrWord:
    """A word of a picture of a part of the page, on the page."""
    zoom = 72 / dpi
    x0, y0, x1, y1 = (value * zoom for value in word.box)
    return OcrWord(
        word.text, (clip.x0 + x0, clip.y0 + y0, clip.x0 + x1, clip.y0 + y1), word.confidence, word.line
    )


def explained(box: Box, known: Sequence[Box]) -> bool:
    """The middle of a box lies in one of those that are known."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(other[0] <= x <= other[2] and other[1] <= y <= other[3] for other in known)


def lines_of(words: list[OcrWord]) -> list[LineFact]:
    """The words (boxes in points) as lines of text."""
    by_line: dict[int, list[OcrWord]] = {}
    for word in words:
        by_line.setdefault(word.line, []).append(word)
    return [_line(row, number) for number, row in enumerate(by_line.values(), 1)]


def _line(words: list[OcrWord], number: int) -> LineFact:
    box = union([word.box for word in words])
    return LineFact(
        text=" ".join(word.text for word in words),
        box=box,
        block=number,
        source=TextSource.OCR.value,
        size=box[3] - box[1],
        confidence=mean_confidence(words),
    )


def mean_confidence(words: Sequence[OcrWord]) -> float:
    """Confidence weighted by length; 0 without words."""
    total = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / total if total else 0.0


def weight(words: Sequence[OcrWord]) -> float:
    """How much was read with more than an even chance to be right: tells the better of two readings."""
    return sum(max(0.0, word.confidence - 50.0) * len(word.text) for word in words)


_MIN_DPI, _MAX_DPI, _MAX_SIDE_PX = 150, 300, 5000
_NOISE = 30.0
"""Below this confidence a word is Tesseract's guess at texture; it is no text, and no reading either."""
_LANGUAGES = ("eng", "jpn")


@dataclass(frozen=True)
class RegionReading:
    """What OCR made of a region.

    Attributes:
        state: read, no_text, uncertain or failed.
        lines: Lines in points on the page.
        confidence: Mean word confidence weighted by length; None if nothing was read.
        detail: Why the state is uncertain or failed.
        words: The words that were read, their boxes in points.
    """

    state: str
    lines: list[LineFact]
    confidence: float | None
    detail: str = ""
    words: tuple[OcrWord, ...] = ()

    @property
    def word_boxes(self) -> tuple[Box, ...]:
        """Boxes of the words that were read, points."""
        return tuple(word.box for word in self.words)

    @property
    def letters(self) -> int:
        """Letters and digits that were read."""
        return sum(char.isalnum() for word in self.words for char in word.text)


class OcrReader:
    """Reads regions of pages and remembers what equal pictures say."""

    def __init__(
        self,
        engine: OcrEngine,
        languages: str | None,
        enough: float,
        working: Callable[[], None] = lambda: None,
    ) -> None:
        self.engine = engine
        self._languages = languages
        self._lacking = [language for language in _LANGUAGES if not languages and not engine.has(language)]
        self.enough = enough
        self._working = working
        self._cache: dict[str, list[OcrWord]] = {}

    def read_region(self, page: pymupdf.Page, box: Box, known: list[Box]) -> RegionReading:
        """Read what the page shows inside the box; words that lie under text that was read are left out.

        Args:
            page: The page.
            box: The region, points.
            known: Boxes of the text that was read, points.
        """
        clip = pymupdf.Rect(box)
        longest = max(clip.width, clip.height, 1.0)
        dpi = int(max(1.0, min(_MAX_DPI, max(_MIN_DPI, 150_000 / longest), _MAX_SIDE_PX * 72 / longest)))
        try:
            words = self._words(page, clip, dpi)
        except OcrError as error:
            return RegionReading("failed", [], None, str(error))
        except ENGINE_ERRORS as error:
            return RegionReading("failed", [], None, f"cannot be rendered: {error}")
        placed = [word_in_points(word, clip, dpi) for word in words]
        return self._judge([word for word in placed if not explained(word.box, known)])

    def _words(self, page: pymupdf.Page, clip: pymupdf.Rect, dpi: int) -> list[OcrWord]:
        """Words of a region; equal pictures (a logo on every page) are read once."""
        pixmap = page.get_pixmap(clip=clip, dpi=dpi, colorspace=pymupdf.csGRAY, alpha=False)
        grey = packed(pixmap)
        if grey.min() == grey.max():
            return []
        key = f"{pixmap.width}x{pixmap.height}-{pixmap.digest.hex()}"
        if key not in self._cache:
            self._working()
            sparse = clip.width * clip.height < 0.5 * page.rect.width * page.rect.height
            self._cache[key] = self._best(grey, dpi, sparse)
        return self._cache[key]

    def _best(self, grey: NDArray[np.uint8], dpi: int, sparse: bool) -> list[OcrWord]:
        """English first; if that reads badly, Japanese beside it, then the picture turned; whichever reads best."""
        languages = self._in_turn()
        best: list[OcrWord] = []
        for turn in (0, 1, 3):
            picture = np.ascontiguousarray(np.rot90(grey, turn))
            for language in languages if turn == 0 else languages[:1]:
                self._working()
                height, width = picture.shape
                words = self.engine.words(picture.tobytes(), width, height, dpi, language, sparse)
                words = [turned_back(word, turn, grey.shape[1], grey.shape[0]) for word in words]
                if weight(words) > weight(best):
                    best = words
                if best and mean_confidence(best) >= self.enough:
                    return best
        return best

    def _in_turn(self) -> list[str]:
        """What to read in: the languages that were asked for, or English and then, with it, Japanese."""
        if self._languages:
            return [self._languages]
        here = [language for language in _LANGUAGES if language not in self._lacking]
        return ["+".join(here[: count + 1]) for count in range(len(here))] or [_LANGUAGES[0]]

    def _judge(self, words: list[OcrWord]) -> RegionReading:
        kept = [word for word in words if word.confidence >= _NOISE and any(c.isalnum() for c in word.text)]
        reading = RegionReading("read", lines_of(kept), mean_confidence(kept), words=tuple(kept))
        if reading.letters < 2:
            return RegionReading("no_text", [], None)
        if mean_confidence(kept) >= self.enough:
            return reading
        lacking = f"; no language files for {' and '.join(self._lacking)}" if self._lacking else ""
        return replace(
            reading,
            state="uncertain",
            detail=f"mean word confidence {mean_confidence(kept):.0f} of 100{lacking}",
        )


_SURE = 80.0
_LETTERS = 4
_LIKE, _WORD_LIKE = 50.0, 60.0
"""Per cent of letters that two readings of the same line, or of a word in it, share by chance or misreading at most."""
_LONG_WORD = 5
_CERTAIN, _PLAIN_WORDS = 90.0, 2
"""Where the text layer says what OCR in English cannot read (another script, signs, nothing), OCR takes that for short
words or capitals, not for several plain words of which it is this sure."""
_COMPARED = frozenset({Visibility.VISIBLE.value, Visibility.INVISIBLE.value})


@dataclass(frozen=True)
class PixelReading:
    """Lines that OCR read and the text layer does not say, and regions where the two disagree."""

    lines: list[LineFact]
    spots: list[SpotFact]


def compare_pixels(
    whole: RegionReading, lines: list[LineFact], known: list[LineFact], rect: pymupdf.Rect
) -> PixelReading:
    """Compare a reading of the whole page by OCR with its text.

    Args:
        whole: The reading.
        lines: Lines of the text layer.
        known: Lines that OCR has read on this page before.
        rect: The page as displayed, points.
    """
    area = max(rect.width * rect.height, 1.0)
    if whole.state == "failed":
        edges: Box = (rect.x0, rect.y0, rect.x1, rect.y1)
        failed = SpotFact(BlindSpotKind.OCR_FAILED.value, TextLikely.UNKNOWN.value, whole.detail, edges, 1.0)
        return PixelReading([], [failed])
    sure = [word for word in whole.words if word.confidence >= _SURE and len(letters_of(word.text)) > 1]
    placed = [line for line in lines if line.box]
    under = {
        id(line): [word for word in sure if centre_in(word.box, line.box)] for line in placed if line.box
    }
    spots, new = [], []
    for line in placed:
        other = _other_words(line, under[id(line)], placed)
        if other:
            spots.append(_spot(line, other, area))
            new += other
    boxes = [line.box for line in (*placed, *known) if line.box]
    new += [word for word in sure if not any(centre_in(word.box, box) for box in boxes)]
    return PixelReading(lines_of(list(dict.fromkeys(new))), spots)


def _other_words(line: LineFact, words: list[OcrWord], lines: list[LineFact]) -> list[OcrWord]:
    """The words that OCR reads in place of those of a line; none if the two readings may be the same.

    `lines` are those of the whole page: where boxes lie over each other a word may be another line's.
    """
    if line.visibility not in _COMPARED or line.direction != Direction.HORIZONTAL.value:
        return []
    said = letters_of(line.text)
    if not _readable(said):
        return _plain_words(words, lines)
    seen = letters_of("".join(word.text for word in sorted(words, key=lambda word: word.box[0])))
    if len(seen) < _LETTERS:
        return []
    if fuzz.ratio(said, seen) < _LIKE and fuzz.partial_ratio(said, seen) < _LIKE:
        return words
    return [
        word
        for word in words
        if len(letters_of(word.text)) >= _LONG_WORD
        and fuzz.partial_ratio(letters_of(word.text), said) < _WORD_LIKE
    ]


def _plain_words(words: list[OcrWord], lines: list[LineFact]) -> list[OcrWord]:
    """Words in small Latin letters that no line says where they stand; none if they are too few to be believed."""
    plain = [
        word
        for word in words
        if word.confidence >= _CERTAIN and _is_plain(word.text) and not _said(word, lines)
    ]
    return plain if len(plain) >= _PLAIN_WORDS else []


def _is_plain(text: str) -> bool:
    letters = "".join(filter(str.isalpha, text))
    return len(letters) >= _LETTERS and letters.isascii() and letters[1:].islower()


def _said(word: OcrWord, lines: list[LineFact]) -> bool:
    here = letters_of("".join(line.text for line in lines if line.box and centre_in(word.box, line.box)))
    seen = letters_of(word.text)
    alike = fuzz.partial_ratio if len(here) >= len(seen) else fuzz.ratio
    return alike(seen, here) >= _WORD_LIKE


def _readable(letters: str) -> bool:
    """Letters that OCR in English can be expected to read."""
    return len(letters) >= _LETTERS and sum(map(str.isascii, letters)) >= 0.9 * len(letters)


def _spot(line: LineFact, words: list[OcrWord], area: float) -> SpotFact:
    assert line.box is not None
    box = union([line.box, *(word.box for word in words)])
    seen = " ".join(word.text for word in words)
    return SpotFact(
        kind=BlindSpotKind.TEXT_DISAGREES.value,
        text_likely=TextLikely.YES.value,
        detail=f"the text layer says {line.text.strip()!r}, the picture {seen!r}",
        box=box,
        area_share=min(1.0, (box[2] - box[0]) * (box[3] - box[1]) / area),
    )
