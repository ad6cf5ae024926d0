"""The page of `docaudit serve` in a real browser, against a real server: found, audited, cancelled, refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import pdfs
from tests.servers import Server, serving, until

pytestmark = pytest.mark.slow

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


def test_an_audit_from_the_form_to_the_report(opened: Any) -> None:
    it = opened()
    page = it.page
    it.choose(one_page("Our data centres use electricity."), "a b.pdf")
    page.fill("#typed", "AI: AI, quantum computer\npower: electricity")
    page.fill("#question", "Electricity for AI?")
    page.select_option("#ocr", "off")
    page.click("#start")
    page.wait_for_selector("#result:visible", timeout=120_000)
    report = page.frame_locator("#report")
    assert report.locator("h1").text_content() in ("Absent within the stated coverage", "Not established")
    # Its style holds under the rules of the page.
    style = "element => getComputedStyle(element).borderLeftStyle"
    assert report.locator(".finding").first.evaluate(style) == "solid"
    with page.expect_download() as saving:
        page.click("#save-json")
    assert saving.value.suggested_filename == "a b.justification.json"
    saved = json.loads(Path(saving.value.path()).read_text("utf-8"))
    assert (saved["document"]["name"], saved["concept_hits"]) == ("a b.pdf", {"AI": 0, "power": 1})


def test_problems_and_a_cancelled_audit_in_japanese(opened: Any, server: Server) -> None:
    it = opened(locale="ja-JP")
    page = it.page
    assert page.get_attribute("html", "lang") == "ja"
    assert page.text_content("h1") == "本当に書かれていないのか。"
    page.click("#start")
    assert "先にPDFを選ぶ。" in page.text_content("#problem")
    it.choose(b"<html></html>", "page.pdf")
    page.fill("#typed", "電力：電力、消費電力\nAI:")
    page.click("#start")
    assert "AI:" in page.text_content("#problem")
    page.fill("#typed", "電力：電力、消費電力")
    page.click("#start")
    page.wait_for_selector("#problem:visible", timeout=60_000)
    shown = page.text_content("#problem")
    assert "not_a_pdf" in shown
    assert "監査は行われなかった" in shown
    it.complaints.clear()  # the browser itself tells of a 422
    page.set_input_files("#document", [])
    page.fill("#path", "commodity-report.pdf")
    page.click("#start")
    until(server.workers)
    page.click("#cancel")
    page.wait_for_selector("#problem:visible")
    assert "中止した" in page.text_content("#problem")
    until(lambda: not server.workers() and not server.places())
    page.select_option("#language", "en")
    assert page.text_content("#start") == "Audit"
