"""OCR engines behind one protocol, and the text finder that looks again where they read no words.

The default engine is Tesseract as bound by tesserocr, since it reports the confidence of every word without a process
for each image; the other is the tesseract program of the system: a process for each image, words as a table on its
output.

The text finder is PP-OCR through RapidOCR (its models come in the package): a network that finds lines of text of any
direction in scenes, stamps, handwriting and photographs, and one that reads them. What it finds and cannot read is text
that nobody read.
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

from docaudit.errors import OcrError, OptionError
from docaudit.extract.processes import platform
from docaudit.extract.protocol import Box
from docaudit.extract.renderings import Pixels

PROGRAM = "tesseract"


@dataclass(frozen=True)
class OcrWord:
    """One word: its text, its box in pixels of the image, its confidence (0 to 100) and its line."""

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
        """The words of an 8-bit grey image in order of reading; raises OcrError.

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
    own = own_languages() if engine == PROGRAM else frozenset()
    parts = languages.split("+")
    if own.issuperset(parts) or (all(parts) and language_folder(languages) is not None):
        return
    # Languages that packages named tessdata.* bring.
    names = [str(package.name).lower().replace("_", "-") for package in distributions()]
    suffixes = {name.rsplit("-", 1)[1] for name in names if name.startswith("tessdata") and "-" in name}
    packaged = {language for language in suffixes if language_folder(language) is not None}
    installed = sorted((own | packaged) - {"osd"})
    lacking = [language for language in parts if language not in installed] or parts
    packages = " and ".join(f"tessdata.fast-{language}" for language in lacking if language)
    raise OptionError(
        f"option ocr_lang: no language files for {' and '.join(map(repr, lacking))} are installed for {engine}; "
        f"installed are {', '.join(installed) or 'none'}",
        remedy=f"choose of these, joined by +{f', or install the packages {packages}' if packages else ''}",
    )


def make_engine(name: str) -> OcrEngine:
    """The engine of this name (AuditOptions.ocr_engine); raises OcrError if it is not installed."""
    require_engine(name)
    return TesseractProgram() if name == PROGRAM else Tesserocr()


def language_folder(languages: str) -> Path | None:
    """The folder of an installed package that holds the files of all the languages; None if there is none."""
    parts = languages.split("+")
    folders = []
    for language in parts:
        for package in (f"tessdata.fast-{language}", f"tessdata-fast-{language}", f"tessdata-{language}"):
            try:
                listed = files(package) or []
            except PackageNotFoundError:
                continue  # the next package may carry this language
            folders += [Path(str(f.locate())).parent for f in listed if f.name == f"{language}.traineddata"]
    for folder in folders:
        if all((folder / f"{language}.traineddata").exists() for language in parts):
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
        """The words of an 8-bit grey image in order of reading; raises OcrError."""
        modes = self._module.PSM
        api = self._api(languages)
        try:
            api.SetPageSegMode(modes.SPARSE_TEXT if sparse else modes.AUTO)
            api.SetImageBytes(grey, width, height, 1, width)
            api.SetSourceResolution(dpi)
            api.Recognize()
            return self._recognised(api)
        except RuntimeError as error:
            raise OcrError(
                f"tesseract failed: {error}", remedy="run with --ocr off and read the region"
            ) from error
        finally:
            api.Clear()

    def _recognised(self, api: Any) -> list[OcrWord]:
        levels = self._module.RIL
        iterator = api.GetIterator()
        if iterator is None:
            return []
        words: list[OcrWord] = []
        line = 0
        for item in self._module.iterate_level(iterator, levels.WORD):
            line += item.IsAtBeginningOf(levels.TEXTLINE)
            if not item.Empty(levels.WORD):
                text = str(item.GetUTF8Text(levels.WORD))
                confidence = float(item.Confidence(levels.WORD))
                words.append(OcrWord(text, item.BoundingBox(levels.WORD), confidence, line))
        return words

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
"""An image that takes longer never ends; the time limit of the page is watched from outside."""
_AUTOMATIC, _SPARSE = "3", "11"
_WORD_LEVEL = "5"


class TesseractProgram:
    """Tesseract as a program; languages that it lacks itself are taken from packages named tessdata.*."""

    name = PROGRAM

    def __init__(self) -> None:
        output = _run(["--version"]).decode("utf-8", "replace").split()
        self.version = output[1] if len(output) > 1 else "unknown"

    def has(self, language: str) -> bool:
        """Whether the program itself or a package has the files of this language."""
        return language in own_languages() or language_folder(language) is not None

    def words(
        self, grey: bytes, width: int, height: int, dpi: int, languages: str, sparse: bool
    ) -> list[OcrWord]:
        """The words of an 8-bit grey image in order of reading; raises OcrError."""
        image = b"P5 %d %d 255\n" % (width, height) + grey
        options = ["--dpi", str(dpi), "--psm", _SPARSE if sparse else _AUTOMATIC, "-l", languages]
        if not own_languages().issuperset(languages.split("+")):
            folder = language_folder(languages)
            if folder is None:
                raise missing_language(languages)
            options += ["--tessdata-dir", str(folder)]
        table = _run(["stdin", "stdout", *options, "-c", "tessedit_create_tsv=1"], image)
        lines: dict[tuple[str, ...], int] = {}
        words = []
        text = io.StringIO(table.decode("utf-8", "replace"))
        for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["level"] == _WORD_LEVEL and (row["text"] or "").strip():
                line = tuple(row[name] for name in ("block_num", "par_num", "line_num"))
                number = lines.setdefault(line, len(lines) + 1)
                left, top, across, down = (float(row[name]) for name in ("left", "top", "width", "height"))
                box = (left, top, left + across, top + down)
                words.append(OcrWord(row["text"].strip(), box, float(row["conf"]), number))
        return words


@cache
def own_languages() -> frozenset[str]:
    """Languages whose files the program has itself; raises OcrError."""
    listed = _run(["--list-langs"]).decode("utf-8", "replace").splitlines()
    return frozenset(line.strip() for line in listed[1:])


def _run(arguments: list[str], image: bytes = b"") -> bytes:
    """What the program writes; raises OcrError. One thread: on a busy machine several wait for each other for ever."""
    try:
        done = subprocess.run(
            [PROGRAM, *arguments],
            input=image,
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
        output = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = output[-1] if output else f"exit code {done.returncode}"
        raise OcrError(f"tesseract failed: {why}", remedy="run with --ocr-engine tesserocr")
    return done.stdout


_FEWEST_PX, _STEP_PX, _MOST_PX = 96, 96, 2400
"""Sides of an image for the networks: least, in steps of, and at most; chosen for their memory."""


@dataclass(frozen=True)
class FoundText:
    """One line of text in an image: its box in pixels, its length and height along its own direction, how surely it
    is a line (0 to 1), what it says as far as that can be read, and how surely (0 to 100).
    """

    box: Box
    length: float
    height: float
    score: float
    text: str
    confidence: float


class TextFinder:
    """The networks, loaded when the first image comes; equal images are looked at once."""

    name = "rapidocr"

    def __init__(self, working: Callable[[], None] = lambda: None) -> None:
        self._working = working
        self._engine: Any = None
        self._cache: dict[bytes, list[FoundText]] = {}
        self.version = version(self.name)

    def find(self, pixels: Pixels) -> list[FoundText]:
        """All lines of text in an image; raises OcrError."""
        key = blake2b(pixels.tobytes(), digest_size=16).digest() + bytes(str(pixels.shape), "ascii")
        if key not in self._cache:
            self._working()
            self._cache[key] = self._look(pixels)
        return self._cache[key]

    def _look(self, pixels: Pixels) -> list[FoundText]:
        """The two networks one by one: the library's own call leaves out lines that it finds and cannot read."""
        with platform().program_memory():
            import cv2
            from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError
            from rapidocr.main import RapidOCRError

        try:
            if self._engine is None:
                self._engine = _load()
            try:
                crops, lines = self._engine.detect_and_crop(_padded(pixels), {})
            except RapidOCRError as error:
                if "result is empty" not in str(error):
                    raise
                return []  # its word for: no line in it
            upright, _ = self._engine.cls_and_rotate(crops)
            read = self._engine.recognize_txt(upright)
        except (RapidOCRError, ONNXRuntimeError, cv2.error, RuntimeError, ValueError, OSError) as error:
            last = str(error).strip().splitlines()[-1:]  # above it stand the paths of the runtime
            raise OcrError(
                f"rapidocr failed: {type(error).__name__}: {' '.join(last)[-200:]}", remedy="read the region"
            ) from error
        texts = []
        for corners, score, text, confidence in zip(
            lines.boxes, lines.scores, read.txts, read.scores, strict=True
        ):
            (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
            box = float(left), float(top), float(right), float(bottom)
            sides = sorted(np.hypot(*(corners[1:3] - corners[:2]).T).tolist())  # of a box that may be slanted
            texts.append(
                FoundText(box, sides[1], sides[0], float(score), str(text).strip(), 100.0 * float(confidence))
            )
        return texts


def _load() -> Any:
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    one_thread = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    size = {"Det.limit_type": "max", "Det.limit_side_len": _MOST_PX, "Global.use_vertical_padding": False}
    with platform().program_memory():
        from rapidocr import RapidOCR

        return RapidOCR(params={**one_thread, **size, "Global.log_level": "error"})


def _padded(pixels: Pixels) -> Pixels:
    """The three colours, with a border to the right and below: for images too small for the network, and so that few
    sizes come up, since its runtime keeps memory for each.
    """
    height, width = pixels.shape[:2]
    rows, columns = (max(_FEWEST_PX, -(-side // _STEP_PX) * _STEP_PX) for side in (height, width))
    padded = np.empty((rows, columns, 3), dtype=np.uint8)
    padded[:] = pixels[-1, -1, :3]
    padded[:height, :width] = pixels[:, :, :3]
    return padded
