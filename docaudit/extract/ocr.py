"""OCR of regions of a page that no text explains. A reading with low confidence is kept, and its region stays a blind
spot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pymupdf
from numpy.typing import NDArray

from docaudit.errors import OcrError
from docaudit.extract.engine import ENGINE_ERRORS
from docaudit.extract.facts import Box, LineFact
from docaudit.extract.ocr_engines import OcrEngine, OcrWord
from docaudit.extract.ocr_words import (
    explained,
    lines_of,
    mean_confidence,
    packed,
    turned_back,
    weight,
    word_in_points,
)

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
