"""Two OCR engines behind one protocol; what happens where an engine or a language is not installed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import pymupdf
import pytest

import docaudit
from docaudit.codes import TextSource
from docaudit.errors import OcrError, OptionError
from docaudit.extract.ocr import OcrReader
from docaudit.extract.ocr_engines import OcrEngine, OcrWord, make_engine
from tests import pdfs

NO_PROGRAM = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed"
)
ENGINES = ["tesserocr", pytest.param("tesseract", marks=NO_PROGRAM)]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> OcrEngine:
    return make_engine(request.param)


def grey(*lines: str) -> tuple[bytes, int, int]:
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.Pixmap(pdfs.picture(*lines)))
    assert pixmap.stride == pixmap.width
    return bytes(pixmap.samples), pixmap.width, pixmap.height


def test_words_with_place_line_and_confidence(engine: OcrEngine) -> None:
    samples, width, height = grey("Geothermal turbines hum", "beneath the harbour")
    words = engine.words(samples, width, height, 200, "eng", False)
    assert [word.text for word in words] == "Geothermal turbines hum beneath the harbour".split()
    assert [word.line for word in words] == [words[0].line] * 3 + [words[3].line] * 3
    assert words[0].line != words[3].line
    assert all(word.confidence > 80 for word in words)
    x0, y0, x1, y1 = words[1].box
    assert 0 < x0 < x1 < width
    assert 0 < y0 < y1 < height / 2
    assert words[0].box[2] < x0 < words[2].box[0]


def test_an_empty_picture_has_no_words(engine: OcrEngine) -> None:
    assert engine.words(b"\xff" * 40_000, 200, 200, 200, "eng", False) == []


def test_a_language_without_files(engine: OcrEngine) -> None:
    assert engine.has("eng")
    assert not engine.has("tlh")
    with pytest.raises(OcrError, match="no language files for tlh") as caught:
        engine.words(*grey("x"), 200, "tlh", False)
    assert caught.value.remedy is not None
    assert "tessdata.fast-tlh" in caught.value.remedy


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("languages", ["tlh", "eng+tlh"])
def test_a_language_that_is_not_installed_is_told_at_once(name: str, languages: str) -> None:
    with pytest.raises(
        OptionError, match=r"no language files for 'tlh' are installed .*installed are .*eng"
    ) as caught:
        docaudit.parse(pdfs.document(pdfs.blank), ocr_engine=name, ocr_lang=languages)
    assert "tessdata.fast-tlh" in caught.value.remedy
    assert len(docaudit.parse(pdfs.document(pdfs.blank), ocr_engine=name, ocr_lang="eng").page_df) == 1
    assert len(docaudit.parse(pdfs.document(pdfs.blank), ocr="off", ocr_lang=languages).page_df) == 1


@pytest.mark.parametrize("languages", ["eng+", "+", "eng,jpn", "../eng"])
def test_languages_that_are_no_names(languages: str) -> None:
    with pytest.raises(OptionError, match="option ocr_lang"):
        docaudit.parse(pdfs.document(pdfs.blank), ocr_lang=languages)


@NO_PROGRAM
def test_the_program_reads_a_document() -> None:
    data = pdfs.document(pdfs.with_picture(pdfs.PROSE, ["Geothermal turbines hum"]))
    parsed = docaudit.parse(data, ocr_engine="tesseract", workers=1)
    assert parsed.line_df.loc[parsed.line_df["source"] == "ocr", "text"].tolist() == [
        "Geothermal turbines hum"
    ]
    assert "tesseract" in parsed.identity.versions


def test_without_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OcrError, match="tesseract is not installed") as caught:
        docaudit.parse(pdfs.document(pdfs.text("words")), ocr_engine="tesseract")
    assert caught.value.remedy is not None
    assert "--ocr-engine tesserocr" in caught.value.remedy
    assert (
        len(docaudit.parse(pdfs.document(pdfs.text("words")), ocr_engine="tesseract", ocr="off").page_df) == 1
    )


class Scripted:
    """An engine that reads what it is told to, and says in which languages it was asked."""

    name = "scripted"
    version = "1"

    def __init__(self, languages: Sequence[str], *texts: str, confidence: float = 90.0) -> None:
        self._languages = languages
        self._words = [
            OcrWord(text, (10.0 + 60 * at, 10.0, 60.0 + 60 * at, 30.0), confidence, 1)
            for at, text in enumerate(texts)
        ]
        self.asked: list[str] = []

    def has(self, language: str) -> bool:
        return language in self._languages

    def words(
        self, grey: bytes, width: int, height: int, dpi: int, languages: str, sparse: bool
    ) -> list[OcrWord]:
        self.asked.append(languages)
        return self._words


@pytest.fixture
def page() -> pymupdf.Page:
    return pymupdf.open(stream=pdfs.document(pdfs.scan("harbour")))[0]


def test_japanese_is_tried_where_english_reads_badly(page: pymupdf.Page) -> None:
    engine = Scripted(("eng", "jpn"), "murky", "words", confidence=60.0)
    reading = OcrReader(engine, None, 75.0).read_region(page, tuple(page.rect), [])
    assert reading.state == "uncertain"
    assert engine.asked[:2] == ["eng", "eng+jpn"]
    assert "language files" not in reading.detail


def test_a_bad_reading_says_which_language_is_not_installed(page: pymupdf.Page) -> None:
    engine = Scripted(("eng",), "murky", "words", confidence=60.0)
    reading = OcrReader(engine, None, 75.0).read_region(page, tuple(page.rect), [])
    assert set(engine.asked) == {"eng"}
    assert reading.detail.endswith("no language files for jpn")


def test_words_under_known_text_are_left_out(page: pymupdf.Page) -> None:
    engine = Scripted(("eng",), "harbour", "quay")
    whole = OcrReader(engine, "eng", 75.0).read_region(page, tuple(page.rect), [])
    assert [word.text for word in whole.words] == ["harbour", "quay"]
    known = [whole.words[0].box]
    rest = OcrReader(engine, "eng", 75.0).read_region(page, tuple(page.rect), known)
    assert [line.text for line in rest.lines] == ["quay"]
    assert {line.source for line in rest.lines} == {TextSource.OCR.value}
