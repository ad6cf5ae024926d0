"""OCR of regions of a page that no text explains. A reading with low confidence is kept, and its region stays a blind
spot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pymupdf
from numpy.typing import NDArray

from docaudit.codes import TextSource
from docaudit.errors import OcrError
from docaudit.extract.boxes import centre_in, moved, union
from docaudit.extract.ocr_engines import OcrEngine, OcrWord
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import Box, LineFact

_MIN_DPI, _MAX_DPI, _MAX_SIDE_PX = 150, 300, 5000
"""Resolution of a region: the larger, the smaller it is. Tesseract is made for 300; chosen, not measured."""
_NOISE = 30.0
"""Below this confidence a word is Tesseract's guess at texture; it is no text, and no reading either."""
_LANGUAGES = ("eng", "jpn")


@dataclass(frozen=True)
class RegionReading:
    """What OCR made of a region.

    Attributes:
        state: read, no_text, uncertain or failed.
        words: The words that were read, their boxes in points.
        detail: Why the state is uncertain or failed.
    """

    state: str
    words: tuple[OcrWord, ...] = ()
    detail: str = ""

    @property
    def lines(self) -> list[LineFact]:
        """The words as lines of text."""
        return lines_of_words(self.words)


class OcrReader:
    """Reads regions of pages and remembers what equal images say.

    Args:
        engine: The OCR engine.
        languages: What to read in, joined by a plus sign; None is English, and Japanese where English reads badly.
        enough: Confidence (0 to 100) from which a region counts as read.
        working: Called before each part that takes long.
    """

    def __init__(
        self,
        engine: OcrEngine,
        languages: str | None,
        enough: float,
        working: Callable[[], None] = lambda: None,
    ) -> None:
        self.engine = engine
        self.enough = enough
        self._working = working
        self._cache: dict[str, list[OcrWord]] = {}
        self._lacking = [language for language in _LANGUAGES if not languages and not engine.has(language)]
        installed = [language for language in _LANGUAGES if language not in self._lacking]
        self._attempts = ["+".join(installed[:count]) for count in range(1, len(installed) + 1)]
        if languages or not installed:
            self._attempts = [languages or _LANGUAGES[0]]

    def read_region(self, page: pymupdf.Page, box: Box, read: Sequence[Box]) -> RegionReading:
        """Read what the page shows inside the box; words that lie under text that was read are left out.

        Args:
            page: The page.
            box: The region, points.
            read: Boxes of the text that was read, points.
        """
        clip = pymupdf.Rect(box)
        longest = max(clip.width, clip.height, 1.0)
        dpi = int(max(1.0, min(_MAX_DPI, max(_MIN_DPI, 150_000 / longest), _MAX_SIDE_PX * 72 / longest)))
        try:
            words = self._words(page, clip, dpi)
        except OcrError as error:
            return RegionReading("failed", detail=str(error))
        except ENGINE_ERRORS as error:
            return RegionReading("failed", detail=f"cannot be rendered: {error}")
        words = [replace(word, box=moved(word.box, clip.x0, clip.y0, 72 / dpi)) for word in words]
        kept = tuple(
            word
            for word in words
            if not any(centre_in(word.box, text) for text in read)
            and word.confidence >= _NOISE
            and any(char.isalnum() for char in word.text)
        )
        if sum(char.isalnum() for word in kept for char in word.text) < 2:
            return RegionReading("no_text")
        confidence = _mean_confidence(kept)
        if confidence >= self.enough:
            return RegionReading("read", kept)
        lacking = f"; no language files for {' and '.join(self._lacking)}" if self._lacking else ""
        return RegionReading("uncertain", kept, f"mean word confidence {confidence:.0f} of 100{lacking}")

    def _words(self, page: pymupdf.Page, clip: pymupdf.Rect, dpi: int) -> list[OcrWord]:
        """Words of a region, in pixels; equal images (a logo on every page) are read once."""
        pixmap = page.get_pixmap(clip=clip, dpi=dpi, colorspace=pymupdf.csGRAY, alpha=False)
        rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
        grey = np.ascontiguousarray(rows[:, : pixmap.width])
        if grey.min() == grey.max():
            return []
        key = f"{pixmap.width}x{pixmap.height}-{pixmap.digest.hex()}"
        if key not in self._cache:
            self._working()
            sparse = clip.width * clip.height < 0.5 * page.rect.width * page.rect.height
            self._cache[key] = self._best_reading(grey, dpi, sparse)
        return self._cache[key]

    def _best_reading(self, grey: NDArray[np.uint8], dpi: int, sparse: bool) -> list[OcrWord]:
        """English first; if that reads badly, Japanese beside it, then the image turned; whichever reads best."""
        height, width = grey.shape
        best: list[OcrWord] = []
        for turn in (0, 1, 3):
            turned = np.ascontiguousarray(np.rot90(grey, turn))
            for languages in self._attempts if turn == 0 else self._attempts[:1]:
                self._working()
                rows, columns = turned.shape
                words = self.engine.words(turned.tobytes(), columns, rows, dpi, languages, sparse)
                if turn:
                    words = [replace(word, box=_turned_back(word.box, turn, width, height)) for word in words]
                if _weight(words) > _weight(best):
                    best = words
                if best and _mean_confidence(best) >= self.enough:
                    return best
        return best


def lines_of_words(words: Sequence[OcrWord]) -> list[LineFact]:
    """Words (boxes in points) as lines of text."""
    by_line: dict[int, list[OcrWord]] = {}
    for word in words:
        by_line.setdefault(word.line, []).append(word)
    lines = []
    for number, row in enumerate(by_line.values(), 1):
        box = union([word.box for word in row])
        text = " ".join(word.text for word in row)
        confidence = _mean_confidence(row)
        lines.append(LineFact(text, box, number, TextSource.OCR, size=box[3] - box[1], confidence=confidence))
    return lines


def _turned_back(box: Box, turn: int, width: int, height: int) -> Box:
    """A box of an image that was turned one or three quarters to the left, in the image of this width and height."""
    x0, y0, x1, y1 = box
    return (width - y1, x0, width - y0, x1) if turn == 1 else (y0, height - x1, y1, height - x0)


def _mean_confidence(words: Sequence[OcrWord]) -> float:
    """Confidence weighted by length; 0 without words."""
    total = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / total if total else 0.0


def _weight(words: Sequence[OcrWord]) -> float:
    """How much was read with more than an even chance to be right: tells the better of two readings."""
    return sum(max(0.0, word.confidence - 50.0) * len(word.text) for word in words)
