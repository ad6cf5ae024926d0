"""Ink accounting: what a person sees and no text explains is a region; what text, rules and charts explain is none."""

from __future__ import annotations

import pandas as pd
import pymupdf
import pytest

import docaudit
from tests import pdfs
from tests.conftest import parse_once


def framed(page: pymupdf.Page) -> None:
    """A form-like page: text in frames, double rules, a grid, a filled bar."""
    pdfs.write(page, pdfs.PROSE)
    for row in range(6):
        page.draw_line((72, 220 + 20 * row), (500, 220 + 20 * row), width=0.7)
    for column in range(5):
        page.draw_line((72 + 107 * column, 220), (72 + 107 * column, 320), width=0.7)
    page.draw_rect((72, 350, 500, 420), width=1.5)
    page.draw_line((72, 450), (500, 450), width=0.5)
    page.draw_line((72, 453), (500, 453), width=0.5)
    page.draw_rect((72, 500, 500, 512), fill=(0.2, 0.3, 0.6), color=None)


def chart(page: pymupdf.Page) -> None:
    """A line chart without any letters: axes, grid, one curve."""
    pdfs.write(page, pdfs.PROSE[:2])
    page.draw_line((90, 300), (90, 600))
    page.draw_line((90, 600), (500, 600))
    for row in range(1, 6):
        page.draw_line((90, 600 - 50 * row), (500, 600 - 50 * row), color=(0.8, 0.8, 0.8), width=0.5)
    points = [
        (90 + 41 * n, 560 - height)
        for n, height in enumerate((0, 30, 20, 80, 60, 110, 150, 140, 190, 210, 200))
    ]
    page.draw_polyline(points, color=(0.8, 0.1, 0.1), width=1.5)


def coloured(page: pymupdf.Page) -> None:
    page.draw_rect((60, 70, 540, 300), fill=(0.1, 0.2, 0.5), color=None)
    pdfs.write(page, pdfs.PROSE, color=(1, 1, 1))
    page.draw_rect((60, 320, 540, 420), fill=(1, 0.95, 0.7), color=None)
    pdfs.write(page, pdfs.PROSE[:3], y=350)


def with_outlines(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    pdfs.outlines(page, "Electricity for machines")


def with_photograph(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    pdfs.photograph(page)


def outlines_on_colour(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    page.draw_rect((60, 370, 540, 430), fill=(0.75, 0.85, 1), color=None)
    pdfs.outlines(page, "Words upon a coloured ground")


def full_and_a_small_picture(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE * 8)
    page.insert_image(
        pymupdf.Rect(330, 740, 500, 775), stream=pdfs.picture("data center", size=20, width=200)
    )


def rotated_text(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    page.insert_text((300, 600), "written along the side", fontsize=12, rotate=90)


PAGES = {
    "plain": pdfs.text(*pdfs.PROSE),
    "framed": framed,
    "chart": chart,
    "coloured": coloured,
    "photograph": with_photograph,
    "rotated": rotated_text,
    "large": pdfs.text("ONE LARGE WORD", size=40),
    "tiny": pdfs.text(*pdfs.PROSE, size=5),
    "japanese": pdfs.japanese("第一条 この規程は、港湾の管理について定める。"),
    "scan": pdfs.scan(*pdfs.PROSE),
    "outlines": with_outlines,
    "outlines_on_colour": outlines_on_colour,
    "small_picture": full_and_a_small_picture,
    "picture": pdfs.with_picture(pdfs.PROSE, ["Artificial intelligence and power"]),
}
READ = ("plain", "framed", "chart", "coloured", "photograph", "rotated", "large", "tiny", "japanese")
UNREAD = {
    "scan": ("image_only_page", (72, 80, 400, 200)),
    "outlines": ("vector_not_read", (72, 380, 340, 405)),
    "outlines_on_colour": ("vector_not_read", (72, 380, 380, 405)),
    "small_picture": ("image_not_read", (340, 745, 440, 770)),
    "picture": ("image_not_read", (90, 410, 300, 440)),
}


@pytest.fixture(scope="module")
def spots() -> pd.DataFrame:
    return parse_once(pdfs.document(*PAGES.values())).blind_spot_df


def of(table: pd.DataFrame, name: str) -> pd.DataFrame:
    return table[table["page_num"] == list(PAGES).index(name) + 1]


@pytest.mark.parametrize("name", READ)
def test_nothing_that_may_hold_text_is_left(spots: pd.DataFrame, name: str) -> None:
    found = of(spots, name)
    assert found.loc[found["text_likely"] != "no", ["kind", "detail"]].values.tolist() == []


@pytest.mark.parametrize("name", UNREAD)
def test_unread_words_are_a_region_where_they_stand(spots: pd.DataFrame, name: str) -> None:
    kind, (x0, y0, x1, y1) = UNREAD[name]
    found = of(spots, name)
    found = found[found["text_likely"] != "no"]
    assert set(found["kind"]) == {kind}
    touched = found[(found["x0"] < x1) & (found["x1"] > x0) & (found["y0"] < y1) & (found["y1"] > y0)]
    assert len(touched) == len(found) >= 1
    assert (found["area_share"] > 0).all()


@pytest.mark.parametrize(
    ("name", "state"), [("plain", "text"), ("scan", "image_only"), ("picture", "mixed"), ("chart", "text")]
)
def test_state(name: str, state: str) -> None:
    pages = parse_once(pdfs.document(*PAGES.values())).page_df
    assert pages.iloc[list(PAGES).index(name)]["state"] == state


def test_the_amounts_add_up() -> None:
    pages = parse_once(pdfs.document(*PAGES.values())).page_df
    assert (pages["ink_read"] <= pages["ink_total"]).all()
    plain, scan = pages.iloc[0], pages.iloc[list(PAGES).index("scan")]
    assert plain["ink_total"] > 1000
    assert plain["ink_read"] == plain["ink_total"]
    assert (scan["ink_read"], plain["ink_unread"]) == (0, 0)
    assert scan["ink_unread"] > 0


LITTLE = [
    (word, size, dpi)
    for word in ("AI", "data center", "minimum number", "mmmm wwww", "illumination")
    for size, dpi in ((7, 72), (7, 300), (9, 100), (11, 150), (14, 150), (18, 100), (36, 300))
]


def small_picture(word: str, size: int, dpi: int) -> pdfs.Draw:
    def draw(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        page.insert_image(
            pymupdf.Rect(72, 400, 492, 430 + 1.5 * size), stream=pdfs.picture(word, size=size, dpi=dpi)
        )

    return draw


def test_a_word_or_two_in_pixels_is_never_passed_over() -> None:
    """However coarse it is: letters that touch look like a rule or a bar, two letters like an icon."""
    draws = [pdfs.scan(word, size=size, dpi=dpi) for word, size, dpi in LITTLE] + [
        small_picture(*one) for one in LITTLE
    ]
    parsed = parse_once(pdfs.document(*draws))
    spots = parsed.blind_spot_df
    flagged = set(spots.loc[spots["text_likely"] != "no", "page_num"])
    assert [(LITTLE * 2)[page - 1] for page in range(1, len(draws) + 1) if page not in flagged] == []
    assert set(parsed.page_df["state"]) == {"image_only", "mixed"}


def test_an_empty_picture_is_no_blind_spot() -> None:
    def draw(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        empty = pymupdf.Pixmap(pymupdf.csGRAY, 200, 100, b"\xc0" * 20000, False)
        page.insert_image(pymupdf.Rect(72, 400, 272, 500), stream=empty.tobytes("png"))

    spots = parse_once(pdfs.document(draw)).blind_spot_df
    assert spots[spots["text_likely"] != "no"].empty


def test_without_ink_nothing_is_absent() -> None:
    data = pdfs.document(pdfs.text(*pdfs.PROSE))
    parsed = parse_once(data, ink=False)
    assert set(parsed.page_df["state"]) == {"not_rendered"}
    table = docaudit.ConceptTable.from_variants({"walrus": ["walrus"]})
    finding = docaudit.audit(parsed, table)
    assert finding.finding == "not_established"
    assert "pages_readable" in [check.obligation for check in finding.unmet]
    assert docaudit.audit(parse_once(data), table).finding == "absent_within_coverage"
