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
    "one_letter": one_letter,
    "two_letters": two_letters,
    "on_a_poster": on_a_poster,
}
UNREADABLE = {"one_letter", "two_letters"}


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
