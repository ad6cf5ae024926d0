"""What tests share: parses of small PDFs, each made once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import docaudit
from docaudit.document import ParsedDocument

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
Parse = Callable[..., ParsedDocument]
# The same cases in every run: a change is judged by what it changes. --hypothesis-profile=explore draws new ones.
settings.register_profile("fixed", derandomize=True)
settings.register_profile("explore")
settings.load_profile("fixed")
# A shell that runs the tests in the background has them ignore SIGINT; what they start must not inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
_PARSED: dict[tuple[bytes, str], ParsedDocument] = {}


def pytest_report_header() -> str:
    """Which engine the tests run on: `make test` runs those of extract/ on two."""
    return f"engine: PyMuPDF {version('pymupdf')}, PDFium by pypdfium2 {version('pypdfium2')}"


def parse_once(data: bytes, **options: Any) -> ParsedDocument:
    """The parse of these bytes; ocr is off unless asked for. Tables must not be changed by the test."""
    chosen = {"ocr": "off", "workers": 1, **options}
    key = (data, repr(sorted(chosen.items())))
    if key not in _PARSED:
        _PARSED[key] = docaudit.parse(data, **chosen)
    return _PARSED[key]


@pytest.fixture(scope="session")
def parse() -> Parse:
    return parse_once


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
