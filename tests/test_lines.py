"""line_df of real pages: every line verbatim, where it stands, how it runs, and whether a person can see it."""

from __future__ import annotations

import math

import pandas as pd
import pikepdf
import pymupdf
import pytest

import docaudit
from docaudit.tables import LINE_DF
from tests import pdfs
from tests.conftest import parse_once


def rotated(page: pymupdf.Page) -> None:
    page.insert_text((300, 400), "going up the page", fontsize=12, rotate=90)
    page.insert_text((340, 300), "going down the page", fontsize=12, rotate=270)
    page.insert_text((400, 200), "upside down words", fontsize=12, rotate=180)


def turned_page(page: pymupdf.Page) -> None:
    pdfs.write(page, ["on a page turned by ninety degrees"])
    page.set_rotation(90)


def hidden(page: pymupdf.Page) -> None:
    pdfs.write(page, ["plain to see"], y=90)
    pdfs.write(page, ["white upon white"], y=150, color=(1, 1, 1))
    pdfs.write(page, ["invisible mode"], y=200, render_mode=3)
    pdfs.write(page, ["under a black bar"], y=250)
    page.draw_rect((60, 235, 300, 260), fill=(0, 0, 0), color=(0, 0, 0))
    pdfs.write(page, ["yellow on a blue ground"], y=400, color=(1, 1, 0), size=12)
    page.draw_rect((60, 380, 300, 415), fill=(0, 0, 0.5), color=(0, 0, 0.5), overlay=False)
    pdfs.layered(page, "text on a layer", y=500)


def cropped(page: pymupdf.Page) -> None:
    pdfs.write(page, ["inside the box"], y=400)
    pdfs.write(page, ["above the box"], y=60)
    page.set_cropbox(pymupdf.Rect(0, 200, page.rect.width, 700))


def columns(page: pymupdf.Page) -> None:
    pdfs.write(page, ["left one", "left two", "left three"], x=72)
    pdfs.write(page, ["right one", "right two", "right three"], x=320)


def sizes(page: pymupdf.Page) -> None:
    pdfs.write(page, ["Large and bold"], y=90, size=20, fontname="hebo")
    pdfs.write(page, ["small"], y=200, size=8)
    pdfs.write(page, ["naïve café £5 §7 ½", "tab\tand  two spaces"], y=300)


PAGES = (
    pdfs.text("first line", "second line"),
    rotated,
    turned_page,
    hidden,
    cropped,
    columns,
    sizes,
    pdfs.japanese("第一条 この規程は", "図３を参照"),
    pdfs.blank,
)


@pytest.fixture(scope="module")
def lines() -> pd.DataFrame:
    return parse_once(pdfs.document(*PAGES)).line_df


def on(lines: pd.DataFrame, page: int) -> pd.DataFrame:
    return lines[lines["page_num"] == page]


def value(lines: pd.DataFrame, text: str, column: str) -> object:
    found = lines.loc[lines["text"] == text, column]
    assert len(found) == 1, f"{text!r} stands {len(found)} times"
    return found.iloc[0]


def test_contract_and_numbering(lines: pd.DataFrame) -> None:
    LINE_DF.check(lines)
    assert tuple(lines.columns) == LINE_DF.columns
    for _, page in lines.groupby("page_num"):
        assert page["line_num"].tolist() == list(range(1, len(page) + 1))
    assert lines["page_num"].is_monotonic_increasing


def test_lines_are_where_they_were_drawn(lines: pd.DataFrame) -> None:
    first = on(lines, 1).iloc[0]
    assert first["text"] == "first line"
    assert first["x0"] == pytest.approx(72, abs=1)
    assert first["y0"] < 90 < first["y1"]  # the baseline lies inside the box
    assert first["font_size"] == 11
    assert first["direction"] == "horizontal"
    assert not first["bold"]
    assert (first["source"], first["visibility"], first["confidence"]) == ("text_layer", "visible", 100)


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("going up the page", "rotated_left"),
        ("going down the page", "rotated_right"),
        ("upside down words", "upside_down"),
    ],
)
def test_rotated_text(lines: pd.DataFrame, text: str, direction: str) -> None:
    assert value(lines, text, "direction") == direction
    assert value(lines, text, "visibility") == "visible"


def test_boxes_are_those_of_the_page_as_displayed(lines: pd.DataFrame) -> None:
    line = on(lines, 3).iloc[0]
    assert line["text"] == "on a page turned by ninety degrees"
    # turned clockwise, the top left corner comes to the top right: the page is 842 points wide now
    assert line["x0"] > 700
    assert line["y1"] - line["y0"] > line["x1"] - line["x0"]
    assert (line["visibility"], line["direction"]) == ("visible", "rotated_right")


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_turned_page_is_read_as_displayed(rotation: int) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((300, 500), "a landscape table row", fontsize=12, rotate=rotation)
        page.add_freetext_annot((100, 100, 250, 120), "a note on it", fontsize=10)
        page.set_rotation(rotation)

    parsed = parse_once(pdfs.document(draw))
    line = parsed.line_df.set_index("text").loc["a landscape table row"]
    assert (line["visibility"], line["direction"]) == ("visible", "horizontal")
    assert line["x1"] - line["x0"] > 5 * (line["y1"] - line["y0"])
    assert parsed.page_df["state"].tolist() == ["text"]
    assert parsed.blind_spot_df.empty


def test_text_outside_the_crop_box_of_a_turned_page() -> None:
    def draw(page: pymupdf.Page) -> None:
        cropped(page)
        page.set_rotation(90)

    lines = parse_once(pdfs.document(draw)).line_df.set_index("text")
    assert lines.loc["inside the box", "visibility"] == "visible"
    assert lines.loc["above the box", "visibility"] == "cropped"
    # what stood above the box stands to its right on a page turned clockwise; the box is 500 points high
    assert lines.loc["above the box", "x0"] > 500


@pytest.mark.parametrize(
    ("text", "visibility"),
    [
        ("plain to see", "visible"),
        ("white upon white", "same_colour"),
        ("invisible mode", "invisible"),
        ("under a black bar", "covered"),
        ("yellow on a blue ground", "visible"),
        ("text on a layer", "layer_off"),
        ("inside the box", "visible"),
        ("above the box", "cropped"),
    ],
)
def test_visibility(lines: pd.DataFrame, text: str, visibility: str) -> None:
    assert value(lines, text, "visibility") == visibility


def test_columns_stay_apart(lines: pd.DataFrame) -> None:
    page = on(lines, 6)
    assert set(page["text"]) == {f"{side} {n}" for side in ("left", "right") for n in ("one", "two", "three")}
    left = page[page["x0"] < 200]
    assert left["text"].tolist() == ["left one", "left two", "left three"]


def test_size_weight_and_signs(lines: pd.DataFrame) -> None:
    assert value(lines, "Large and bold", "font_size") == 20
    assert value(lines, "Large and bold", "bold")
    assert value(lines, "small", "font_size") == 8
    assert value(lines, "naïve café £5 §7 ½", "page_num") == 7


def test_japanese_is_verbatim(lines: pd.DataFrame) -> None:
    assert on(lines, 8)["text"].tolist() == ["第一条 この規程は", "図３を参照"]


def test_a_blank_page_has_no_line_and_is_still_a_page(lines: pd.DataFrame) -> None:
    parsed = parse_once(pdfs.document(*PAGES))
    assert on(lines, 9).empty
    assert parsed.page_df.iloc[8]["state"] == "blank"


def test_letters_without_a_unicode_value_are_a_blind_spot() -> None:
    parsed = parse_once(pdfs.unknown_glyphs())
    spots = parsed.blind_spot_df
    assert "unknown_glyphs" in set(spots["kind"])
    assert set(spots["text_likely"]) == {"yes"}
    assert parsed.page_df["ink_read"].tolist() == [0]


@pytest.mark.parametrize("box", [(0, -0.003, 595, 842), (-50, -50, 700, 900), (0, 200, 700, 900)])
def test_a_crop_box_that_reaches_out_of_the_media_box(box: tuple[float, ...]) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj["/CropBox"] = pikepdf.Array(list(box))

    data = pdfs.changed(pdfs.plain(pdfs.text("the whole page is here")), change)
    parsed = docaudit.parse(data, ocr="off")
    assert parsed.page_df["state"].tolist() != ["failed"]
    assert "the whole page is here" in parsed.line_df["text"].tolist()


def test_a_page_whose_boxes_do_not_start_at_zero() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj["/MediaBox"] = pikepdf.Array([40, 50, 595, 842])
        pdf.pages[0].obj["/CropBox"] = pikepdf.Array([40, 50, 595, 842])

    parsed = docaudit.parse(pdfs.changed(pdfs.plain(pdfs.text("the whole page is here")), change), ocr="off")
    assert parsed.page_df["state"].tolist() == ["text"]
    assert parsed.line_df["visibility"].tolist() == ["visible"]


def test_a_blank_that_stands_for_a_soft_hyphen_parts_no_word() -> None:
    """Browsers print a soft hyphen as a blank with U+00AD as ActualText, and show nothing there."""

    def soft(pdf: pikepdf.Pdf) -> None:
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
        )
        pdf.pages[0].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        pdf.pages[0].Contents = pdf.make_stream(
            b"BT /F1 12 Tf 72 700 Td (a go) Tj /Span <</ActualText <FEFF00AD>>> BDC ( ) Tj EMC"
            b" (ing con) Tj /Span <</ActualText <FEFF200B>>> BDC ( ) Tj EMC (cern of all) Tj ET"
        )

    data = pdfs.changed(pdfs.document(pdfs.blank), soft)
    parsed = parse_once(data)
    table = docaudit.ConceptTable.from_variants({"c": ["going concern"]})
    assert docaudit.sweep(parsed, table).ledger_df["hits"].tolist() == [1]


@pytest.mark.parametrize(
    "pieces",
    [list("artificial intelligence"), ["ar", "ti", "fi", "ci", "al ", "in", "te", "ll", "ig", "en", "ce"]],
)
def test_words_along_a_curve_are_one_line(pieces: list[str]) -> None:
    def arc(page: pymupdf.Page) -> None:
        angle, centre = 60.0, pymupdf.Point(300, 400)
        for piece in pieces:
            at = pymupdf.Point(300, 280)
            turn = pymupdf.Matrix(angle)
            width = pymupdf.get_text_length(piece, fontsize=20)
            if piece.strip():
                page.insert_text(at, piece.strip(), fontsize=20, morph=(centre, turn))
            angle -= math.degrees(width / 118)

    parsed = parse_once(pdfs.document(arc))
    table = docaudit.ConceptTable.from_variants({"c": ["artificial intelligence"]})
    assert docaudit.sweep(parsed, table).ledger_df["hits"].tolist() == [1]
