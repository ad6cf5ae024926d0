"""The page map: a tile for each page, in a real browser, by keyboard, without network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docaudit.coverage import CorpusReadability, Readability, measure_readability
from docaudit.errors import InputError
from docaudit.extract import isolation
from docaudit.extract.tasks import read_thumbnails
from docaudit.options import AuditOptions
from docaudit.render.coverage import thumbnail_widths, to_html
from tests import pdfs
from tests.conftest import parse_once

PAGES = pdfs.document(
    pdfs.text(*pdfs.PROSE),
    pdfs.with_picture(pdfs.PROSE, ["a picture of words"], (72, 400, 492, 480)),
    pdfs.scan("nobody reads this"),
    pdfs.blank,
)
OPTIONS = AuditOptions(workers=1)


def measured(data: bytes = PAGES) -> Readability:
    return measure_readability(parse_once(data))


def page_map(data: bytes = PAGES) -> str:
    one = measured(data)
    return to_html(CorpusReadability.of([one]), [read_thumbnails(data, OPTIONS, thumbnail_widths([one])[0])])


class TestThumbnails:
    def test_every_page_as_wide_as_asked(self) -> None:
        drawn = read_thumbnails(PAGES, OPTIONS, {1: 80, 3: 200})
        assert list(drawn) == [1, 3]
        for page_num, width in ((1, 80), (3, 200)):
            jpeg = drawn[page_num].jpeg
            assert jpeg is not None
            assert jpeg.startswith(b"\xff\xd8\xff")
            assert pymupdf.Pixmap(jpeg).width == width

    @pytest.mark.parametrize("sabotage", ["picture:2", "crash:0"])
    def test_a_crash_costs_one_picture(self, monkeypatch: pytest.MonkeyPatch, sabotage: str) -> None:
        monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
        monkeypatch.setenv("DOCAUDIT_SABOTAGE", sabotage)
        if sabotage == "crash:0":
            with pytest.raises(InputError):
                read_thumbnails(PAGES, OPTIONS, {1: 80})
            return
        drawn = read_thumbnails(PAGES, OPTIONS, dict.fromkeys((1, 2, 3), 80))
        assert [thumbnail.jpeg is None for thumbnail in drawn.values()] == [False, True, False]
        assert "the engine crashed (signal 11" in drawn[2].problem
        one = measured()
        html = to_html(CorpusReadability.of([one]), [drawn])
        assert html.count("data:image/jpeg") == 2
        assert "no picture: the engine crashed" in html

    def test_a_page_that_is_not_there_says_so(self) -> None:
        (thumbnail,) = read_thumbnails(PAGES, OPTIONS, {9: 80}).values()
        assert thumbnail.jpeg is None
        assert thumbnail.problem

    def test_a_strip_of_paper_is_squeezed(self) -> None:
        with pymupdf.open() as doc:
            doc.new_page(width=20, height=14_000)
            data = doc.tobytes()
        jpeg = read_thumbnails(data, OPTIONS, {1: 100})[1].jpeg
        assert jpeg is not None
        assert pymupdf.Pixmap(jpeg).height == 400

    def test_widths_keep_the_map_small(self) -> None:
        one = measured()
        assert thumbnail_widths([one]) == [{1: 160, 2: 640, 3: 640, 4: 160}]
        page, spot = one.pages[1], one.blind_spots[0]
        large = one.model_copy(
            update={
                "pages": tuple(page.model_copy(update={"page_num": n}) for n in range(1, 5001)),
                "blind_spots": tuple(spot.model_copy(update={"page_num": n}) for n in range(1, 2001)),
            }
        )
        (widths,) = thumbnail_widths([large])
        assert len(widths) == 5000
        assert sum(width * width * 1.4 * 0.2 for width in widths.values()) < 25_000_000


class TestPage:
    def test_is_whole_by_itself(self) -> None:
        html = page_map()
        for mark in ("<script", "http://", "https://", "@import", "<link"):
            assert mark not in html
        assert html.count('<li class="tile') == 4
        assert html.count("data:image/jpeg") == 4
        assert "4 pictures in this file" in html

    def test_a_saved_parse_has_no_pictures_and_says_so(self) -> None:
        html = to_html(CorpusReadability.of([measured()]), [{}])
        assert "without its PDF" in html
        assert html.count('<li class="tile') == 4
        assert "data:image" not in html

    def test_names_are_escaped(self) -> None:
        one = measured()
        name = "<img src=x onerror=alert(1)>.pdf"
        evil = one.model_copy(update={"document": one.document.model_copy(update={"name": name})})
        html = to_html(CorpusReadability.of([evil]), [{}])
        assert "<img src=x" not in html
        assert "&lt;img src=x" in html

    def test_same_input_same_bytes(self) -> None:
        assert page_map() == page_map()


@pytest.mark.parametrize("width", [375, 1280])
def test_in_the_browser(browser: Any, tmp_path: Path, width: int) -> None:
    file = tmp_path / "page_map.html"
    file.write_text(page_map(), "utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: request.url.startswith("data:") or said.append(request.url))
    page.goto(file.as_uri())
    assert said == [file.as_uri()]
    tiles = page.locator(".tile")
    assert tiles.count() == 4

    reason = page.locator("#d1p2 .why")
    assert not reason.is_visible()
    page.locator("#d1p2 summary").click()
    assert reason.is_visible()
    words = reason.inner_text()
    assert "image_not_read" in words
    assert "An image on the page was not read" in words
    assert "run with --ocr auto, or look at the image" in words

    mark, picture = page.locator("#d1p2 .pic i").bounding_box(), page.locator("#d1p2 .pic").bounding_box()
    # The picture of words was placed at 72..492 x 400..480 of a page of 595 x 842 points.
    assert picture["x"] <= mark["x"]
    assert mark["x"] + mark["width"] <= picture["x"] + picture["width"]
    middle = (mark["y"] + mark["height"] / 2 - picture["y"]) / picture["height"]
    assert 400 / 842 < middle < 480 / 842
    assert page.locator("#d1p2 img").evaluate("image => image.naturalWidth") == 640

    page.locator("#d1p3 summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#d1p3 .why").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.locator("#f-all").focus()
    page.keyboard.press("ArrowRight")  # the next filter: not read in full
    assert [tile.is_visible() for tile in tiles.all()] == [False, True, True, False]
    page.get_by_text("image_only_page (1)").click()
    assert [tile.is_visible() for tile in tiles.all()] == [False, False, True, False]
    assert said == [file.as_uri()]
    page.close()


@pytest.mark.slow
def test_two_thousand_pages_stay_usable(browser: Any, tmp_path: Path) -> None:
    one = measured()
    drawn = read_thumbnails(PAGES, OPTIONS, dict.fromkeys((1, 2, 3, 4), 120))
    pages = tuple(one.pages[n % 4].model_copy(update={"page_num": n + 1}) for n in range(2000))
    spots = tuple(
        spot.model_copy(update={"page_num": n * 4 + spot.page_num})
        for n in range(500)
        for spot in one.blind_spots
    )
    pictures = {n + 1: drawn[n % 4 + 1].model_copy(update={"page_num": n + 1}) for n in range(2000)}
    large = one.model_copy(update={"pages": pages, "blind_spots": spots})
    file = tmp_path / "large.html"
    file.write_text(to_html(CorpusReadability.of([large]), [pictures]), "utf-8")
    assert file.stat().st_size < 20_000_000
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(file.as_uri())
    assert page.locator(".tile").count() == 2000
    page.locator("#d1p1999").scroll_into_view_if_needed()
    page.locator("#d1p1999 summary").click()
    assert page.locator("#d1p1999 .why").is_visible()
    page.close()
