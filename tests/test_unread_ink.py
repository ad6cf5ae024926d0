"""Words that a person sees and the text layer does not have, in the places where they are easily passed over: with OCR
off each is listed as not read, with OCR it is read or stays listed.
"""

from __future__ import annotations

import io

import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

import docaudit
from tests import pdfs
from tests.conftest import parse_once

PLACE = pymupdf.Rect(72, 400, 372, 520)


def drawn(words: str, *, size: int = 40, turn: float = 0, ink: str = "black", paper: str = "white") -> bytes:
    """A picture of words on coloured paper, turned by an angle."""
    picture = Image.new("RGB", (600, 240), paper)
    font = ImageFont.load_default(size)
    layer = Image.new("L", picture.size)
    ImageDraw.Draw(layer).text((300, 120), words, font=font, fill=255, anchor="mm")
    picture.paste(ink, mask=layer.rotate(turn))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def shown(**style: object) -> pdfs.Draw:
    def draw(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        page.insert_image(PLACE, stream=drawn("walrus", **style))  # type: ignore[arg-type]

    return draw


def over_white_text(page: pymupdf.Page) -> None:
    pdfs.write(page, ["nobody sees these letters at all, for they are white"] * 4, y=420, color=(1, 1, 1))
    page.insert_image(PLACE, stream=drawn("walrus"))


def over_visible_text(page: pymupdf.Page) -> None:
    pdfs.write(page, ["these letters lie under the picture, nobody sees them"] * 4, y=420)
    page.insert_image(PLACE, stream=drawn("walrus"))


def among_underscores(page: pymupdf.Page) -> None:
    page.insert_image(PLACE, stream=drawn("walrus"))
    page.insert_text((60, 470), "_" * 60, fontsize=11)


def beside_dots(page: pymupdf.Page) -> None:
    page.insert_text((60, 480), "Contents" + " ." * 90, fontsize=10)
    pdfs.outlines(page, "walrus", y=478, size=12)


def in_a_huge_box(page: pymupdf.Page) -> None:
    page.insert_image(PLACE, stream=drawn("walrus"))
    page.insert_text((72, 515), ".", fontsize=300)


def drawn_by_one_engine(page: pymupdf.Page) -> None:
    """An image without BitsPerComponent: the first engine takes it for 8, the second draws nothing."""
    pdfs.write(page, pdfs.PROSE)
    page.insert_image(PLACE, stream=drawn("walrus", size=44))
    page.parent.xref_set_key(page.get_images()[0][0], "BitsPerComponent", "null")


def drawn_by_one_engine_over_text(page: pymupdf.Page) -> None:
    pdfs.write(page, ["these letters lie under the picture, nobody sees them"] * 4, y=420)
    page.insert_image(PLACE, stream=drawn("walrus", size=45))
    page.parent.xref_set_key(page.get_images()[0][0], "BitsPerComponent", "null")


def one_letter(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    pdfs.outlines(page, "X", size=30)


def two_letters(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    pdfs.outlines(page, "AI", size=14)


def on_a_poster(page: pymupdf.Page) -> None:
    page.set_mediabox(pymupdf.Rect(0, 0, 2600, 3400))
    page.insert_text((200, 200), "A poster of the harbour", fontsize=60)
    pdfs.outlines(page, "walrus", y=1500, size=9)


PAGES = {
    "picture": shown(),
    "slanted": shown(turn=20),
    "steep": shown(turn=45),
    "upright": shown(turn=90),
    "yellow": shown(ink="#ffff00"),
    "pale": shown(ink="#dcdcdc"),
    "red_on_green": shown(ink="#e00000", paper="#008a00"),
    "over_white_text": over_white_text,
    "over_visible_text": over_visible_text,
    "among_underscores": among_underscores,
    "beside_dots": beside_dots,
    "in_a_huge_box": in_a_huge_box,
    "drawn_by_one_engine": drawn_by_one_engine,
    "drawn_by_one_engine_over_text": drawn_by_one_engine_over_text,
    "one_letter": one_letter,
    "two_letters": two_letters,
    "on_a_poster": on_a_poster,
}
STROKES = b"6 w 0 0 m 0 40 l 30 0 l 30 40 l S 50 0 m 80 40 l S 50 40 m 80 0 l S 100 40 m 100 0 l 130 0 l S"
"""Three letters, N, X and L, 40 points high."""


def annotation(page: pymupdf.Page, written: str, drawing: bytes) -> None:
    """An annotation with a drawing of its own."""
    doc = page.parent
    form, note = doc.get_new_xref(), doc.get_new_xref()
    doc.update_object(form, "<< /Type /XObject /Subtype /Form /BBox [-5 -5 140 50] >>")
    doc.update_stream(form, drawing)
    doc.update_object(
        note, f"<< /Type /Annot /Rect [200 400 345 455] /F 4 /AP << /N {form} 0 R >> {written} >>"
    )
    doc.xref_set_key(page.xref, "Annots", f"[{note} 0 R]")


def drawn_by_a_link(page: pymupdf.Page) -> None:
    """The first engine draws no link, the second does."""
    pdfs.write(page, pdfs.PROSE)
    annotation(page, "/Subtype /Link /Border [0 0 0]", STROKES)


def drawn_by_a_note_that_says_something_else(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    annotation(page, "/Subtype /FreeText /Contents (of no interest) /DA (/Helv 12 Tf)", STROKES)


def drawn_deep_inside_forms(page: pymupdf.Page) -> None:
    """The second engine gives up on forms in forms before the first does."""
    pdfs.write(page, pdfs.PROSE)
    doc = page.parent
    inner = 0
    for level in range(45):
        form = doc.get_new_xref()
        held = f"/Resources << /XObject << /F {inner} 0 R >> >>" if level else ""
        doc.update_object(form, f"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] {held} >>")
        doc.update_stream(form, b"/F Do" if level else b"q 1 0 0 1 200 400 cm " + STROKES + b" Q")
        inner = form
    name = page.get_contents()[0]
    fonts = doc.xref_get_key(page.xref, "Resources/Font")[1]
    doc.xref_set_key(page.xref, "Resources", f"<< /Font {fonts} /XObject << /F {inner} 0 R >> >>")
    doc.update_stream(name, doc.xref_stream(name) + b"\n/F Do")


UNREADABLE = {"one_letter", "two_letters", "drawn_by_one_engine_over_text"}


@pytest.mark.slow
@pytest.mark.parametrize("ocr", ["off", "auto"])
def test_never_passed_over(ocr: str) -> None:
    parsed = parse_once(pdfs.document(*PAGES.values()), ocr=ocr)
    spots = parsed.blind_spot_df
    flagged = set(spots.loc[spots["text_likely"] != "no", "page_num"])
    lines = parsed.line_df[parsed.line_df["source"] == "ocr"]
    read = set(lines["page_num"])
    silent = [name for page, name in enumerate(PAGES, 1) if page not in flagged | read]
    assert silent == []
    if ocr == "off":
        assert read == set()


@pytest.mark.slow
def test_most_of_them_are_read_whatever_their_direction_and_colour() -> None:
    parsed = parse_once(pdfs.document(*PAGES.values()), ocr="auto")
    table = docaudit.ConceptTable.from_variants({"walrus": ["walrus"]})
    found = set(docaudit.sweep(parsed, table).hit_df["page_num"])
    missed = {name for page, name in enumerate(PAGES, 1) if page not in found} - UNREADABLE
    assert len(missed) <= 2, missed


DIFFERENTLY_DRAWN = {
    "link": drawn_by_a_link,
    "note": drawn_by_a_note_that_says_something_else,
    "deep_forms": drawn_deep_inside_forms,
}


@pytest.mark.slow
@pytest.mark.parametrize("ocr", ["off", "auto"])
def test_what_one_engine_draws_is_never_passed_over(ocr: str) -> None:
    parsed = parse_once(pdfs.document(*DIFFERENTLY_DRAWN.values()), ocr=ocr)
    spots = parsed.blind_spot_df
    flagged = set(spots.loc[spots["text_likely"] != "no", "page_num"])
    read = set(parsed.line_df.loc[parsed.line_df["source"] == "ocr", "page_num"])
    assert [name for page, name in enumerate(DIFFERENTLY_DRAWN, 1) if page not in flagged | read] == []


SCRIPTS = {
    "arabic": "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
    "georgian": "\u10d2\u10d0\u10db\u10d0\u10e0\u10ef\u10dd\u10d1\u10d0",
    "cyrillic": "\u041f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440",
    "hindi": "\u0939\u093f\u0928\u094d\u0926\u0940",
}


def written(words: str) -> pdfs.Draw:
    """A picture of words in any script, over a photograph's shades."""
    with pymupdf.open() as doc:
        page = doc.new_page(width=300, height=120)
        for row in range(120):
            page.draw_line((0, row), (300, row), color=(1, 0.7 + row / 600, 0.9 - row / 600))
        page.insert_htmlbox((20, 30, 280, 110), f'<p style="font-size:24px">{words}</p>')
        picture = page.get_pixmap(dpi=144)

    def draw(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        page.insert_image(PLACE, pixmap=picture)

    return draw


@pytest.mark.slow
def test_scripts_that_no_engine_reads_stay_listed() -> None:
    spots = parse_once(pdfs.document(*map(written, SCRIPTS.values())), ocr="auto").blind_spot_df
    flagged = set(spots.loc[spots["text_likely"] != "no", "page_num"])
    assert [name for page, name in enumerate(SCRIPTS, 1) if page not in flagged] == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [20, 28, 60])
def test_a_short_word_of_straight_strokes_is_never_absent(size: int) -> None:
    data = pdfs.document(shown_word("AI", size))
    finding = docaudit.audit(data, docaudit.ConceptTable.from_variants({"AI": ["AI"]}), ocr="auto")
    assert finding.finding != "absent_within_coverage"


def shown_word(words: str, size: int) -> pdfs.Draw:
    def draw(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        page.insert_image(PLACE, stream=drawn(words, size=size))

    return draw
