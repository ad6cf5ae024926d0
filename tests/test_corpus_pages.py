"""The pages of docaudit corpus show --html: sorted, filtered and followed in a real browser, and safe without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from docaudit.cli import main
from docaudit.corpus.matrix import CorpusMatrix, MatrixFinding, load_matrix
from docaudit.corpus.pages import write_pages
from docaudit.errors import OutputError
from tests.corpus_matrix import LONG, QUESTION, make_store
from tests.test_render_browser import CONTRAST

pytestmark = pytest.mark.slow

NAMES = ["<b>quiet & co.pdf", "=HYPERLINK(1).pdf", f"{LONG}.pdf", "broken.pdf", "later.pdf", "電力報告書.pdf"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def matrix(store: Path) -> CorpusMatrix:
    return load_matrix(store)


@pytest.fixture(scope="module")
def folders(store: Path, matrix: CorpusMatrix, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {language: tmp_path_factory.mktemp(language) / "pages" for language in ("en", "ja")}
    for language, folder in made.items():
        assert write_pages(matrix, store, folder, language=language) == 13  # 4 + 4 + 5 that could be audited
    return made


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    """Opens a page; at the end nothing may have been said on the console or loaded from elsewhere."""
    messages: list[str] = []
    requests: list[str] = []
    pages = []

    def open_page(file: Path, width: int = 1280, **context: Any) -> Any:
        page = browser.new_page(viewport={"width": width, "height": 900}, **context)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        pages.append(page)
        return page

    yield open_page
    assert messages == []
    assert [url for url in requests if not url.startswith("file:")] == []
    for page in pages:
        page.close()


def names(page: Any) -> list[str]:
    # Not inner_text: what is out of sight has none while the browser has not laid it out.
    return [row.text_content() for row in page.locator("#matrix tbody tr:not([hidden]) th").all()]


def table_page(folder: Path, matrix: CorpusMatrix, number: int) -> Path:
    return folder / f"{matrix.sheets[number].audit}.html"


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("width", [375, 1280])
def test_pages_fit_and_can_be_read(
    opened: Any, folders: dict[str, Path], matrix: CorpusMatrix, language: str, width: int
) -> None:
    folder = folders[language]
    for file in (folder / "index.html", *(table_page(folder, matrix, n) for n in range(3))):
        page = opened(file, width)
        assert page.locator("h1").is_visible()
        assert names(page) == NAMES
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        texts, poor = page.evaluate(CONTRAST)
        assert texts > 50
        assert poor == []
        assert page.locator("html").get_attribute("lang") == language
    said = {"en": ("✗ broken.pdf", "○ absent", "not run"), "ja": ("", "○ 記載なし", "未実施")}[language]
    assert all(one.removeprefix("✗ ") in page.content() for one in said)
    assert "broken.pdf" in page.locator("section[aria-labelledby=h-lost]").inner_text()


def test_the_index_is_sorted_by_mouse_and_keyboard(opened: Any, folders: dict[str, Path]) -> None:
    page = opened(folders["en"] / "index.html")
    heading = page.get_by_role("columnheader", name="machines").first
    assert heading.get_attribute("aria-sort") is None
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    # Mentioned, absent, not established, error, not run; the same findings by name.
    mentioned, quiet, japanese = NAMES[1], NAMES[0], NAMES[5]
    assert names(page) == [mentioned, quiet, japanese, NAMES[2], NAMES[3], NAMES[4]]
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert names(page) == [NAMES[4], NAMES[3], NAMES[2], quiet, japanese, mentioned]
    page.get_by_role("columnheader", name="Document").get_by_role("button").focus()
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") is None
    assert sorted(names(page)) == sorted(NAMES)
    assert names(page)[-1] == japanese


def test_a_table_is_sorted_by_hits_as_numbers(
    opened: Any, folders: dict[str, Path], matrix: CorpusMatrix
) -> None:
    many = matrix.sheets[1]
    entries = tuple(
        entry.model_copy(
            update={
                "cells": (
                    entry.cells[0].model_copy(update={"hits": hits, "finding": MatrixFinding.MENTIONED}),
                    entry.cells[1],
                )
            }
        )
        for entry, hits in zip(many.entries, (9, 100, 20, 3, 1000, 5), strict=True)
    )
    folder = folders["en"].parent / "hits"
    changed = matrix.model_copy(update={"sheets": (many.model_copy(update={"entries": entries}),)})
    write_pages(changed, folder, folder, reports=False)
    page = opened(folder / f"{many.audit}.html")
    page.get_by_role("columnheader", name="dredging").get_by_role("button").click()
    cells = page.locator("#matrix tbody tr td:nth-child(3) .f").all()
    assert [re.findall(r"[\d,]+", cell.text_content())[0] for cell in cells] == [
        "3",
        "5",
        "9",
        "20",
        "100",
        "1,000",
    ]


def test_the_index_is_filtered_by_text_finding_and_table(opened: Any, folders: dict[str, Path]) -> None:
    from playwright.sync_api import expect

    page = opened(folders["en"] / "index.html")
    shown = page.locator("#shown")
    assert shown.inner_text() == "6 of 6 shown"
    page.get_by_label("Document", exact=True).fill("QUIET")
    assert names(page) == [NAMES[0]]
    assert shown.inner_text() == "1 of 6 shown"
    page.get_by_role("button", name="Show all").click()
    expect(shown).to_have_text("6 of 6 shown")
    page.get_by_label("Finding").select_option("not_run")
    assert names(page) == ["later.pdf"]
    page.locator("select[name=table]").select_option(label=f"machines: {QUESTION}")
    assert names(page) == []
    page.get_by_label("Finding").select_option("mentioned")
    assert names(page) == ["=HYPERLINK(1).pdf", "later.pdf"]
    assert page.locator("#matrix thead th:visible").count() == 3
    page.get_by_role("button", name="Show all").click()
    expect(shown).to_have_text("6 of 6 shown")
    assert page.locator("#matrix thead th:visible").count() == 5


def test_every_cell_leads_to_its_justification(
    opened: Any, folders: dict[str, Path], matrix: CorpusMatrix
) -> None:
    folder = folders["en"]
    page = opened(folder / "index.html")
    links = [link.get_attribute("href") for link in page.locator("#matrix td a").all()]
    assert len(links) == 13
    for href in links:
        assert (folder / href).is_file()
    page.locator("#matrix tbody tr", has_text="=HYPERLINK(1).pdf").locator("td a").first.click()
    assert page.locator("h1").inner_text() == "Mentioned"
    assert "=HYPERLINK(1).pdf" in page.locator(".kicker").inner_text()
    page.go_back()
    page.locator("#matrix thead a").nth(1).click()
    assert page.locator("h1").inner_text() == "water"
    row = page.locator("#matrix tbody tr", has_text=NAMES[0])
    row.locator("summary").click()
    assert "submarine" in row.locator("details p").inner_text()
    row.locator("td a").last.click()
    assert page.url.endswith("#h-concepts")
    assert page.locator("h1").inner_text() == "Absent within the stated coverage"


def test_without_script_everything_is_there(opened: Any, folders: dict[str, Path]) -> None:
    page = opened(folders["en"] / "index.html", java_script_enabled=False)
    assert names(page) == NAMES
    assert page.locator("#matrix td a").count() == 13
    assert not page.locator("#filter").is_visible()


def test_names_of_documents_are_text_and_nothing_else(opened: Any, folders: dict[str, Path]) -> None:
    page = opened(folders["en"] / "index.html")
    assert page.locator("#matrix b.f").count() == 5  # error three times, not run twice: no <b> of a file name
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert re.fullmatch(
        r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/=]{44}'", policy
    )


def test_without_reports_cells_lead_into_the_store(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "pages of it"
    assert main(["corpus", "show", str(store), "--html", str(folder), "--no-reports", "--doc", "電力"]) == 0
    assert str(folder / "index.html") in capsys.readouterr().out
    assert not (folder / "reports").exists()
    hrefs = re.findall(r'<td [^>]*><a [^>]*href="([^"]+)"', (folder / "index.html").read_text("utf-8"))
    assert len(hrefs) == 3
    for href in hrefs:
        assert (folder / unquote(href)).resolve().is_relative_to(store.resolve())
        assert (folder / unquote(href)).is_file()


def test_too_many_reports_are_not_made_unasked(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("docaudit.corpus.pages.MOST_REPORTS", 12)
    monkeypatch.setattr("docaudit.corpus.pages.MOST_REPORTS", 12)
    assert main(["corpus", "show", str(store), "--html", str(tmp_path / "few")]) == 0
    assert "no report was made of 13 audits" in capsys.readouterr().err
    assert not (tmp_path / "few" / "reports").exists()
    assert "There are too many for a report of each" in (tmp_path / "few" / "index.html").read_text("utf-8")
    assert main(["corpus", "show", str(store), "--html", str(tmp_path / "all"), "--reports"]) == 0
    assert len(list((tmp_path / "all" / "reports").rglob("*.html"))) == 13


def test_pages_of_something_else_are_not_overwritten(
    store: Path, matrix: CorpusMatrix, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text("<p>mine</p>")
    with pytest.raises(OutputError, match="was not written by docaudit"):
        write_pages(matrix, store, tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["index.html"]
