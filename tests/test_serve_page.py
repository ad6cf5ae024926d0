"""The page of `docaudit serve` in a real browser, against a real server: found, audited, cancelled, refused."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import pdfs
from tests.servers import Server, serving, until
from tests.test_render_browser import CONTRAST

pytest.importorskip("fastapi", reason="the extra serve is not installed")
SAMPLES = Path(__file__).parent.parent / "samples"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("page")
    flags = ("--tables", str(SAMPLES / "concepts"), "--root", str(SAMPLES), "--max-pages", "400")
    with serving(folder / "tmp", *flags) as server:
        yield server


class Page:
    """The page, with all that the browser had to complain about and all that it asked for."""

    def __init__(self, browser: Any, server: Server, **look: Any) -> None:
        self.server = server
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **look})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(server.address)
        self.page.wait_for_selector("#version:not(:empty)")

    def choose(self, data: bytes, name: str = "report.pdf") -> None:
        self.page.set_input_files("#document", {"name": name, "mimeType": "application/pdf", "buffer": data})

    def end(self) -> None:
        outside = [
            url
            for url in self.asked
            if not url.startswith((self.server.address, f"blob:{self.server.address}"))
        ]
        assert outside == []
        assert self.complaints == []
        self.context.close()


@pytest.fixture
def opened(browser: Any, server: Server) -> Iterator[Any]:
    pages: list[Page] = []

    def opened(**look: Any) -> Page:
        pages.append(Page(browser, server, **look))
        return pages[-1]

    yield opened
    for page in pages:
        page.end()


def one_page(*lines: str) -> bytes:
    return pdfs.document(pdfs.text(*lines))


def test_an_audit_from_the_form_to_the_report(opened: Any, tmp_path: Path) -> None:
    it = opened()
    page = it.page
    it.choose(
        one_page("Our data centres use electricity.", "Artificial intelligence is not their purpose."),
        "a b.pdf",
    )
    assert page.text_content("#chosen") == "a b.pdf"
    page.fill("#typed", "AI: AI, quantum computer\npower: electricity")
    page.fill("#question", "Electricity for AI?")
    page.click("summary")
    page.select_option("#ocr", "off")
    page.click("#start")
    page.wait_for_selector("#result:visible", timeout=120_000)
    assert page.text_content("#headline") in ("Absent within the stated coverage", "Not established")
    rows = page.eval_on_selector_all("#result tbody tr", "rows => rows.map(row => row.innerText)")
    assert [row.split() for row in rows] == [["AI", "0", "no", "page"], ["power", "1", "page", "1"]]
    assert page.evaluate("document.activeElement.id") == "result"
    assert re.match(r"Done: .+\. 1 hit\.", page.text_content("#said"))

    with page.expect_download() as saving:
        page.click("text=Save the JSON")
    assert saving.value.suggested_filename == "a b.justification.json"
    saved = json.loads(Path(saving.value.path()).read_text("utf-8"))
    assert (saved["document"]["name"], saved["concept_hits"]) == ("a b.pdf", {"AI": 0, "power": 1})
    with it.context.expect_page() as opening:
        page.click("text=Open the full report")
    report = opening.value
    report.wait_for_load_state()
    assert report.text_content("h1") == page.text_content("#headline")
    # Its style holds under the rules of the page.
    assert report.evaluate("getComputedStyle(document.querySelector('.finding')).borderLeftStyle") == "solid"


def test_by_keyboard_and_by_path(opened: Any) -> None:
    it = opened()
    page = it.page
    page.focus("#path")
    page.keyboard.type("scanned-annex-report.pdf")
    page.focus("input[value=typed]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.is_visible("#named")
    page.select_option("#named", "ai.csv")
    page.focus("#question")
    page.keyboard.press("Enter")
    page.wait_for_selector("#result:visible", timeout=120_000)
    assert page.text_content("#result .about") == "scanned-annex-report.pdf"


def test_unmet_obligations_in_japanese(opened: Any) -> None:
    it = opened(locale="ja-JP")
    page = it.page
    assert page.get_attribute("html", "lang") == "ja"
    assert page.text_content("h1") == "本当に書かれていないのか。"
    it.choose(one_page("Nothing of interest."))
    page.fill("#typed", "電力：電力、消費電力")
    page.fill("#question", "原子力はどれくらいか。")
    page.click("#start")
    page.wait_for_selector("#result:visible", timeout=120_000)
    assert page.text_content("#headline") == "確定できない"
    unmet = page.text_content(".unmet")
    assert unmet
    assert "解決するには" in unmet
    page.select_option("#language", "en")
    assert page.text_content("#start") == "Audit"


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [(b"<html></html>", "page.pdf", "not_a_pdf"), (b"%PDF-1.7\nnothing", "broken.pdf", "damaged_document")],
)
def test_errors_are_shown(opened: Any, data: bytes, name: str, says: str) -> None:
    it = opened()
    page = it.page
    it.choose(data, name)
    page.click("#start")
    page.wait_for_selector("#problem:visible", timeout=60_000)
    shown = page.text_content("#problem")
    assert name in shown
    assert says in shown
    assert "this says nothing about what is in the document" in shown
    assert page.is_hidden("#result")
    assert page.is_enabled("#start")


def test_what_is_missing_is_said_before_anything_is_sent(opened: Any) -> None:
    it = opened()
    page = it.page
    page.click("#start")
    assert "Choose a PDF first." in page.text_content("#problem")
    it.choose(b"x", "notes.txt")
    page.evaluate("document.querySelector('#document').files[0].type")
    for typed, says in (
        (" \n", "at least one concept"),
        ("power: electricity\nAI:", "AI has no words"),
        ("AI： 、", "AI has no words"),
        (": AI, ML", "This line has no name before its colon: : AI, ML"),
    ):
        page.fill("#typed", typed)
        page.click("#start")
        assert says in page.text_content("#problem")
    assert not [url for url in it.asked if "audit" in url]


def test_cancel_ends_the_work(opened: Any, server: Server) -> None:
    it = opened()
    page = it.page
    page.fill("#path", "commodity-report.pdf")
    page.click("#start")
    page.wait_for_selector("#progress[value]", timeout=60_000)
    assert re.fullmatch(r"Reading: \d+ of 60 pages", page.text_content("#doing"))
    assert re.fullmatch(r"\d+ s", page.text_content("#elapsed"))
    assert server.workers()
    page.click("#cancel")
    page.wait_for_selector("#problem:visible")
    assert "Nothing is known of the document" in page.text_content("#problem")
    until(lambda: not server.workers() and not server.places())


def test_a_document_is_dropped(opened: Any) -> None:
    page = opened().page
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(["%PDF-1.7"], "dropped.pdf", { type: "application/pdf" }));
          document.querySelector("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }"""
    )
    assert page.text_content("#chosen") == "dropped.pdf"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-GB", "ja-JP"])
def test_looks(opened: Any, scheme: str, locale: str, tmp_path: Path) -> None:
    it = opened(color_scheme=scheme, locale=locale, viewport={"width": 375, "height": 800})
    page = it.page
    it.choose(
        one_page("Our data centres use electricity.", "x" * 400), "a-very-long-name-" + "x" * 120 + ".pdf"
    )
    page.click("summary")
    page.click("#start")
    page.wait_for_selector("#result:visible", timeout=120_000)
    for width in (375, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        texts, poor = page.evaluate(CONTRAST)
        assert texts > 30
        assert poor == []
        if folder := os.environ.get("DOCAUDIT_SHOTS"):
            page.screenshot(path=f"{folder}/page-{scheme}-{locale}-{width}.png", full_page=True)
    unlabelled = page.evaluate(
        "() => [...document.querySelectorAll('input, select, textarea')].filter(field => !field.labels.length)"
        ".map(field => field.id)"
    )
    assert unlabelled == []
