"""The HTML report in a real browser: visible, complete, no error, no request, nothing wider than the window."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docaudit.render.html import to_html
from tests.factories import hit, japanese, mentioned, not_established

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    # In CI a missing browser is a fault of the setup; elsewhere it is a choice of whoever runs the tests.
    if not CHROMIUM.exists() and os.environ.get("CI") != "true":
        pytest.skip("Debian's chromium is not installed (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


def long_words():
    return mentioned(hits=(hit(snippet="x" * 400 + " electricity " + "電" * 400, section="S" * 300),))


@pytest.mark.parametrize("make", [not_established, japanese, long_words])
@pytest.mark.parametrize("width", [375, 1280])
def test_report_in_the_browser(browser: Any, tmp_path: Path, make: Any, width: int) -> None:
    justification = make()
    file = tmp_path / "report.html"
    file.write_text(to_html(justification), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800})
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())

    assert page.locator("h1").is_visible()
    assert page.get_by_text(justification.absence_explanation).first.is_visible()
    assert page.locator("ol.strip > li").count() == justification.document.pages_total
    for place in page.locator("ul.spots > li").all():
        assert place.is_visible()
    assert page.locator("mark").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert messages == []
    assert requests == [file.as_uri()]
    page.close()
