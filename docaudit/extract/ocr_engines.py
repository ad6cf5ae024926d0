"""OCR engines behind one protocol: what docaudit needs of one, and the two that it has.

The default is Tesseract as bound by tesserocr, since it reports the confidence of every word without a process for
each picture; the other is the tesseract program of the system (docaudit.extract.ocr_engines).

The tesseract program of the system as an OCR engine: a process for each picture, words as a table on its output.

Finds and reads text of any direction in a picture: a second look at ink in which the OCR engine read no words.

PP-OCR through RapidOCR (its models come in the package): a network that finds lines of text in scenes, stamps,
handwriting and photographs, and one that reads them. What it finds and cannot read is text that nobody read.
"""

from __future__ import annotations

import csv
import io
import logging
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, distributions, files, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from docaudit.errors import OcrError, OptionError
from docaudit.extract.processes import platform
from docaudit.extract.protocol import Box
from docaudit.extract.renderings import Pixels

PROGRAM = "tesseract"


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

    def has(self, language: str) -> bool:
        """Whether the files of a language ("eng") are installed."""
        ...

    def words(
        self, grey: bytes, width: int, height: int, dpi: int, languages: str, sparse: bool
    ) -> list[OcrWord]:
        """The words of an 8-bit grey picture in order of reading; raises OcrError.

        `languages` are joined by a plus sign; `sparse` looks for text in no particular order, as in a chart.
        """
        ...


def require_engine(name: str) -> None:
    """Raise OcrError if an engine is not installed."""
    if name == PROGRAM and shutil.which(PROGRAM) is None:
        raise OcrError(
            "the program tesseract is not installed",
            remedy="install it (Debian: tesseract-ocr), or run with --ocr-engine tesserocr or --ocr off",
        )
    if name == "tesserocr" and find_spec("tesserocr") is None:
        raise OcrError(
            "the package tesserocr is not installed",
            remedy="install it, or run with --ocr-engine tesseract or --ocr off",
        )


def require_languages(engine: str, languages: str | None) -> None:
    """Raise OptionError if an engine lacks the files of a language that was asked for (AuditOptions.ocr_lang)."""
    if not languages:
        return
    own: frozenset[str] = frozenset()
    if engine == PROGRAM:
        own = own_languages()
    wanted = languages.split("+")
    if own.issuperset(wanted) or (all(wanted) and language_folder(languages) is not None):
        return
    here = sorted((own | _packaged_languages()) - {"osd"})
    lacking = [language for language in wanted if language not in here] or wanted
    packages = " and ".join(f"tessdata.fast-{language}" for language in lacking if language)
    raise OptionError(
        f"option ocr_lang: no language files for {' and '.join(map(repr, lacking))} are installed for {engine}; "
        f"installed are {', '.join(here) or 'none'}",
        remedy=f"choose of these, joined by +{f', or install the packages {packages}' if packages else ''}",
    )


def _packaged_languages() -> frozenset[str]:
    """Languages that packages named tessdata.* bring."""
    names = [str(package.name).lower().replace("_", "-") for package in distributions()]
    found = {name.rsplit("-", 1)[1] for name in names if name.startswith("tessdata") and "-" in name}
    return frozenset(language for language in found if language_folder(language) is not None)


def make_engine(name: str) -> OcrEngine:
    """The engine of this name (AuditOptions.ocr_engine); raises OcrError if it is not installed."""
    require_engine(name)
    if name == PROGRAM:
        return TesseractProgram()
    return Tesserocr()


def language_folder(languages: str) -> Path | None:
    """The folder of an installed package that holds the files of all the languages; None if there is none."""
    wanted = languages.split("+")
    folders = []
    for language in wanted:
        for package in (f"tessdata.fast-{language}", f"tessdata-fast-{language}", f"tessdata-{language}"):
            try:
                listed = files(package) or []
            except PackageNotFoundError:
                continue  # the next package may carry this language
            folders += [Path(str(f.locate())).parent for f in listed if f.name == f"{language}.traineddata"]
    for folder in folders:
        if all((folder / f"{language}.traineddata").exists() for language in wanted):
            return folder.resolve()
    return None


def missing_language(languages: str) -> OcrError:
    """The error for languages whose files are not installed."""
    packages = " and ".join(f"tessdata.fast-{language}" for language in languages.split("+"))
    return OcrError(
        f"no language files for {languages} are installed",
        remedy=f"install them, for example the packages {packages}, or choose others with --ocr-lang",
    )


class Tesserocr:
    """Tesseract through tesserocr, with language files from packages named tessdata.*."""

    name = "tesserocr"

    def __init__(self) -> None:
        import tesserocr

        self._module = tesserocr
        self._apis: dict[str, Any] = {}
        self.version = f"{version('tesserocr')} ({tesserocr.tesseract_version().split()[1]})"

    def has(self, language: str) -> bool:
        """Whether a package brings the files of this language."""
        return language_folder(language) is not None

    def words(
        self, grey: bytes, width: int, height: int, dpi: int, languages: str, sparse: bool
    ) -> list[OcrWord]:
        """The words of an 8-bit grey picture in order of reading; raises OcrError."""
        modes = self._module.PSM
        api = self._api(languages)
        try:
            api.SetPageSegMode(modes.SPARSE_TEXT if sparse else modes.AUTO)
            api.SetImageBytes(grey, width, height, 1, width)
            api.SetSourceResolution(dpi)
            api.Recognize()
            return self._found(api)
        except RuntimeError as error:
            raise OcrError(
                f"tesseract failed: {error}", remedy="run with --ocr off and read the region"
            ) from error
        finally:
            api.Clear()

    def _found(self, api: Any) -> list[OcrWord]:
        levels = self._module.RIL
        iterator = api.GetIterator()
        if iterator is None:
            return []
        found: list[OcrWord] = []
        line = 0
        for item in self._module.iterate_level(iterator, levels.WORD):
            line += item.IsAtBeginningOf(levels.TEXTLINE)
            if not item.Empty(levels.WORD):
                text = str(item.GetUTF8Text(levels.WORD))
                confidence = float(item.Confidence(levels.WORD))
                found.append(OcrWord(text, item.BoundingBox(levels.WORD), confidence, line))
        return found

    def _api(self, languages: str) -> Any:
        if languages not in self._apis:
            folder = language_folder(languages)
            if folder is None:
                raise missing_language(languages)
            try:
                self._apis[languages] = self._module.PyTessBaseAPI(path=str(folder), lang=languages)
            except RuntimeError as error:
                raise OcrError(
                    f"tesseract cannot load {languages}: {error}", remedy="install the language files again"
                ) from error
        return self._apis[languages]


_SECONDS = 300.0
"""A picture that takes longer never ends; the time limit of the page is watched from outside."""
_AUTOMATIC, _SPARSE = "3", "11"
_WORD_LEVEL = "5"


class TesseractProgram:
    """Tesseract as a program; languages that it lacks itself are taken from packages named tessdata.*."""

    name = PROGRAM

    def __init__(self) -> None:
        said = _run(["--version"]).decode("utf-8", "replace").split()
        self.version = said[1] if len(said) > 1 else "unknown"

    def has(self, language: str) -> bool:
        """Whether the program itself or a package has the files of this language."""
        return language in own_languages() or language_folder(language) is not None

    def words(
        self, grey: bytes, width: int, height: int, dpi: int, languages: str, sparse: bool
    ) -> list[OcrWord]:
        """The words of an 8-bit grey picture in order of reading; raises OcrError."""
        picture = b"P5 %d %d 255\n" % (width, height) + grey
        options = ["--dpi", str(dpi), "--psm", _SPARSE if sparse else _AUTOMATIC, "-l", languages]
        table = _run(
            ["stdin", "stdout", *options, *_folder(languages), "-c", "tessedit_create_tsv=1"], picture
        )
        return _words(table.decode("utf-8", "replace"))


@cache
def own_languages() -> frozenset[str]:
    """Languages whose files the program has itself; raises OcrError."""
    listed = _run(["--list-langs"]).decode("utf-8", "replace").splitlines()
    return frozenset(line.strip() for line in listed[1:])


def _folder(languages: str) -> list[str]:
    if all(language in own_languages() for language in languages.split("+")):
        return []
    folder = language_folder(languages)
    if folder is None:
        raise missing_language(languages)
    return ["--tessdata-dir", str(folder)]


def _run(arguments: list[str], given: bytes = b"") -> bytes:
    """What the program writes; raises OcrError. One thread: on a busy machine several wait for each other for ever."""
    try:
        done = subprocess.run(
            [PROGRAM, *arguments],
            input=given,
            capture_output=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise OcrError(
            "the program tesseract is not installed", remedy="install it, or run with --ocr-engine tesserocr"
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OcrError(f"tesseract failed: {error}", remedy="run with --ocr-engine tesserocr") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = said[-1] if said else f"exit code {done.returncode}"
        raise OcrError(f"tesseract failed: {why}", remedy="run with --ocr-engine tesserocr")
    return done.stdout


def _words(table: str) -> list[OcrWord]:
    lines: dict[tuple[str, ...], int] = {}
    found = []
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["level"] != _WORD_LEVEL or not (row["text"] or "").strip():
            continue
        number = lines.setdefault(
            tuple(row[name] for name in ("block_num", "par_num", "line_num")), len(lines) + 1
        )
        left, top, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
        box = (left, top, left + width, top + height)
        found.append(OcrWord(row["text"].strip(), box, float(row["conf"]), number))
    return found


_FEWEST_PX, _STEP_PX, _MOST_PX = 96, 96, 2400


@dataclass(frozen=True)
class FoundText:
    """One line of text in a picture: its box in pixels, its length and height along its own direction, how surely it
    is a line (0 to 1), what it says as far as that can be read, and how surely (0 to 100).
    """

    box: Box
    length: float
    height: float
    score: float
    text: str
    confidence: float


class TextFinder:
    """The networks, loaded when the first picture comes; equal pictures are looked at once."""

    name = "rapidocr"

    def __init__(self, working: Callable[[], None] = lambda: None) -> None:
        self._working = working
        self._engine: Any = None
        self._cache: dict[bytes, list[FoundText]] = {}
        self.version = version(self.name)

    def find(self, picture: Pixels) -> list[FoundText]:
        """All lines of text in a picture; raises OcrError."""
        key = blake2b(picture.tobytes(), digest_size=16).digest() + bytes(str(picture.shape), "ascii")
        if key not in self._cache:
            self._working()
            self._cache[key] = self._look(picture)
        return self._cache[key]

    def _look(self, picture: Pixels) -> list[FoundText]:
        """The two networks one by one: the library's own call leaves out lines that it finds and cannot read."""
        with platform().program_memory():
            import cv2
            from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError
            from rapidocr.main import RapidOCRError

        try:
            if self._engine is None:
                self._engine = _load()
            try:
                crops, found = self._engine.detect_and_crop(_padded(picture), {})
            except RapidOCRError as error:
                if "result is empty" not in str(error):
                    raise
                return []  # its word for: no line in it
            upright, _ = self._engine.cls_and_rotate(crops)
            read = self._engine.recognize_txt(upright)
        except (RapidOCRError, ONNXRuntimeError, cv2.error, RuntimeError, ValueError, OSError) as error:
            said = str(error).strip().splitlines()[-1:]  # above it stand the paths of the runtime
            raise OcrError(
                f"rapidocr failed: {type(error).__name__}: {' '.join(said)[-200:]}", remedy="read the region"
            ) from error
        return [
            FoundText(
                _upright(corners),
                *_sides(corners),
                float(score),
                str(text).strip(),
                100.0 * float(confidence),
            )
            for corners, score, text, confidence in zip(
                found.boxes, found.scores, read.txts, read.scores, strict=True
            )
        ]


def _load() -> Any:
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    one_thread = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    size = {"Det.limit_type": "max", "Det.limit_side_len": _MOST_PX, "Global.use_vertical_padding": False}
    with platform().program_memory():
        from rapidocr import RapidOCR

        return RapidOCR(params={**one_thread, **size, "Global.log_level": "error"})


def _padded(picture: Pixels) -> Pixels:
    """The three colours, with a border to the right and below: for pictures too small for the network, and so that few
    sizes come up, since its runtime keeps memory for each.
    """
    height, width = picture.shape[:2]
    rows, columns = (max(_FEWEST_PX, -(-side // _STEP_PX) * _STEP_PX) for side in (height, width))
    padded = np.empty((rows, columns, 3), dtype=np.uint8)
    padded[:] = picture[-1, -1, :3]
    padded[:height, :width] = picture[:, :, :3]
    return padded


def _upright(corners: NDArray[np.float32]) -> Box:
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _sides(corners: NDArray[np.float32]) -> tuple[float, float]:
    """The longer and the shorter side of a box that may be slanted."""
    one, other = np.hypot(*(corners[1:3] - corners[:2]).T)
    return float(max(one, other)), float(min(one, other))
