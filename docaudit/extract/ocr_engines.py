"""OCR engines behind one protocol: what docaudit needs of one, and the two that it has.

The default is Tesseract as bound by tesserocr, since it reports the confidence of every word without a process for
each picture; the other is the tesseract program of the system (docaudit.extract.ocr_command).
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distributions, files, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from docaudit.errors import OcrError, OptionError
from docaudit.extract.facts import Box

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
        from docaudit.extract.ocr_command import own_languages

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
        from docaudit.extract.ocr_command import TesseractProgram

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
