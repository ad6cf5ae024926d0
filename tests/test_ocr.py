"""OCR reads what only a picture says; without it the picture is a blind spot, and coverage counts it as not read."""

from __future__ import annotations

import pymupdf
import pytest

import docaudit
from docaudit.document import ParsedDocument
from tests import pdfs
from tests.conftest import parse_once


def page(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    page.insert_image(pymupdf.Rect(72, 300, 492, 352), stream=pdfs.picture("Geothermal turbines hum"))
    pdfs.photograph(page, (72, 450, 372, 650))


DATA = pdfs.document(page)
TABLE = docaudit.ConceptTable.from_variants({"turbine": ["geothermal turbine"]})


@pytest.fixture(scope="module")
def read() -> ParsedDocument:
    return parse_once(DATA, ocr="auto")


def test_words_of_a_picture_are_lines_with_source_ocr(read: ParsedDocument) -> None:
    lines = read.line_df[read.line_df["source"] == "ocr"]
    assert lines["text"].tolist() == ["Geothermal turbines hum"]
    line = lines.iloc[0]
    assert line["confidence"] > 75
    # it lies inside the picture
    assert 72 <= line["x0"] < line["x1"] <= 492
    assert 300 <= line["y0"] < line["y1"] <= 352


def test_images_say_what_became_of_them(read: ParsedDocument) -> None:
    images = read.image_df.sort_values("y0")
    assert images["ocr_state"].tolist() == ["read", "no_text"]
    assert images["ocr_text"].tolist() == ["Geothermal turbines hum", ""]
    coverage = read.coverage
    assert (coverage.images_read, coverage.images_without_text, coverage.images_unread) == (1, 1, 0)
    assert read.page_df["state"].tolist() == ["mixed"]


def test_a_hit_by_ocr_says_so(read: ParsedDocument) -> None:
    finding = docaudit.audit(read, TABLE)
    assert finding.finding == "mentioned"
    assert [(hit.source, hit.match_text) for hit in finding.hits] == [("ocr", "Geothermal turbines")]


def test_without_ocr_it_is_a_blind_spot_and_absence_is_not_established() -> None:
    parsed = parse_once(DATA, ocr="off")
    assert set(parsed.line_df["source"]) == {"text_layer"}
    assert set(parsed.image_df["ocr_state"]) == {"not_run"}
    assert parsed.coverage.images_total == 2
    assert parsed.coverage.images_unread == 2
    finding = docaudit.audit(parsed, TABLE)
    assert finding.finding == "not_established"
    assert {check.obligation.value: check.pages for check in finding.unmet} == {"ink_read": (1,)}


def test_a_reading_without_confidence_stays_a_blind_spot() -> None:
    parsed = parse_once(DATA, ocr="auto", ocr_confidence=100.0)
    spots = parsed.blind_spot_df
    uncertain = spots[spots["kind"] == "ocr_uncertain"]
    assert uncertain["text_likely"].tolist() == ["yes"]
    assert parsed.coverage.images_read == 0
    assert "Geothermal turbines hum" in parsed.line_df["text"].tolist()


@pytest.mark.parametrize("turn", [90, 270])
def test_a_sideways_picture_is_read(turn: int) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 72), "The quarterly report lists commodity prices.")
        picture = pdfs.picture("purple walrus", width=200)
        page.insert_image(pymupdf.Rect(100, 200, 160, 420), stream=picture, rotate=turn)

    table = docaudit.ConceptTable.from_variants({"animal": ["purple walrus"]})
    finding = docaudit.audit(pdfs.document(draw), table)
    assert finding.concept_hits == {"animal": 1}
    assert finding.hits[0].source == "ocr"


def test_a_comment_over_a_picture_does_not_hide_its_words() -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_image(pymupdf.Rect(60, 300, 260, 330), stream=pdfs.picture("purple walrus", width=200))
        note = page.add_rect_annot((50, 290, 270, 340))
        note.set_info(title="Bob")
        note.update()

    table = docaudit.ConceptTable.from_variants({"animal": ["purple walrus"]})
    assert docaudit.audit(pdfs.document(draw), table, ocr="off").finding == "not_established"
    assert docaudit.audit(pdfs.document(draw), table).finding != "absent_within_coverage"
