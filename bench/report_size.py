"""How large is the report of a long document, and how soon does a browser show it?

Makes a PDF of 300 pages on which three concepts have thousands of hits, audits it, writes the report in all its forms
and opens report.html in Chromium. Fails if the report is 10 MB or more, takes 2 s or more to open, or lacks a hit.

    python bench/report_size.py [--pages 300] [--hits-per-page 60]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import pymupdf
from playwright.sync_api import sync_playwright

import docaudit

CHROMIUM = "/usr/bin/chromium"
LINE = "In section {n} the price of {word} moved with the weather, the wind and the season of the year."
WORDS = ("electricity", "copper", "wheat")
LIMIT_BYTES, LIMIT_SECONDS = 10_000_000, 2.0


def long_document(pages: int, hits: int) -> bytes:
    doc = pymupdf.open()
    for number in range(pages):
        page = doc.new_page()
        for line in range(hits):
            said = LINE.format(n=number + 1, word=WORDS[line % len(WORDS)])
            page.insert_text((60, 40 + line * 760 / hits), said, fontsize=8)
    return doc.tobytes(deflate=True)


def opened(file: Path) -> tuple[float, int, int]:
    """Seconds until the browser has loaded the file, its elements, and the hits that are listed in it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(file.as_uri())
        timing = "performance.getEntriesByType('navigation')[0]"
        seconds = page.evaluate(f"{timing}.loadEventEnd") / 1000
        counts = page.evaluate(
            "[document.querySelectorAll('*').length, document.querySelectorAll('.concept .hits > li').length]"
        )
        browser.close()
    return seconds, counts[0], counts[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--hits-per-page", type=int, default=60)
    chosen = parser.parse_args()
    data = long_document(chosen.pages, chosen.hits_per_page)
    table = docaudit.ConceptTable.from_variants({word: [word] for word in WORDS})
    found = docaudit.audit(data, table, ocr="off")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        files = {file.name: file for file in docaudit.report(found, folder, data)}
        wrote = time.perf_counter() - start
        size = files["report.html"].stat().st_size
        seconds, elements, listed = opened(files["report.html"])
        annotated = files["annotated.pdf"].stat().st_size
    print(f"{chosen.pages} pages, {len(found.hits):,} hits; all forms written in {wrote:.1f} s")
    print(
        f"report.html: {size / 1e6:.2f} MB, open in {seconds:.2f} s, {elements:,} elements, {listed:,} hits listed"
    )
    print(f"annotated.pdf: {annotated / 1e6:.2f} MB")
    return int(size >= LIMIT_BYTES or seconds >= LIMIT_SECONDS or listed != len(found.hits))


if __name__ == "__main__":
    sys.exit(main())
