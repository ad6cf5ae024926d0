"""The HTML report in a real browser: visible, complete, no error, no request, nothing wider than the window."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from docaudit.codes import PageState
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.coverage import RegionPicture
from docaudit.justification import AbsenceJustification, ControlGroup, MissedControl, PageFact
from docaudit.render.html import to_html
from tests.factories import hit, japanese, mentioned, not_established

pytestmark = pytest.mark.slow


def long_words():
    return mentioned(hits=(hit(snippet="x" * 400 + " electricity " + "電" * 400, section="S" * 300),))


def many_concepts():
    """Wide tables: twelve concepts, pages of known size, all kinds of marks, controls with one that failed."""
    names = [f"concept number {number}" for number in range(12)]
    table = ConceptTable.from_variants({name: [name] for name in names})
    row = not_established().ledger[0]
    shape = {"page_label": "iv", "width_pt": 595.0, "height_pt": 842.0, "state": PageState.MIXED}
    missed = (MissedControl(word="harbour", page_num=3),)
    return not_established(
        concept_table=table,
        ledger=tuple(row.model_copy(update={"concept": name, "variant": name}) for name in names),
        concept_hits=dict.fromkeys(names, 5),
        concept_pages=dict.fromkeys(names, (3, 30)),
        required=(),
        hits=tuple(hit(3, concept=name, variant=name) for name in names for _ in range(70)),
        pages=tuple(PageFact(page_num=number, **shape) for number in range(1, 65)),
        controls=(
            ControlGroup(kind="positive", witness="ocr", layout="column", tried=5, found=4, missed=missed),
        ),
    )


def with_pictures():
    return not_established()


PICTURE = Image.new("RGB", (420, 200), "teal")


def pictures(justification: AbsenceJustification) -> list[RegionPicture]:
    drawn = io.BytesIO()
    PICTURE.save(drawn, "JPEG")
    return [
        RegionPicture(page_num=spot.page_num, bbox=spot.bbox, jpeg=drawn.getvalue())
        for spot in justification.blind_spots
        if spot.page_num
    ]


CONTRAST = """() => {
  const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parts = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const poor = [];
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.textContent.trim()) continue;
    texts += 1;
    const element = walker.currentNode.parentElement;
    const [one, two] = [parts(getComputedStyle(element).color), ground(element)].map(light);
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (ratio < 4.5) poor.push([element.outerHTML.slice(0, 120), ratio]);
  }
  return [texts, poor];
}"""


@pytest.mark.parametrize("make", [not_established, japanese, long_words, many_concepts, with_pictures])
@pytest.mark.parametrize("width", [375, 1280])
def test_report_in_the_browser(browser: Any, tmp_path: Path, make: Any, width: int) -> None:
    justification = make()
    file = tmp_path / "report.html"
    shown = pictures(justification) if make is with_pictures else []
    file.write_text(to_html(justification, pictures=shown), encoding="utf-8")
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
    # In the first screen: the finding, and how strong it is.
    for selector in ("h1", ".strength"):
        box = page.locator(selector).bounding_box()
        assert box["y"] + box["height"] < 800
    for place in page.locator("ul.spots > li").all():
        assert place.is_visible()
    assert page.locator("mark").first.is_visible()
    assert page.locator(".concept .hits > li").count() == len(justification.hits)
    loaded = page.evaluate("[...document.images].map(image => image.complete && image.naturalWidth)")
    assert loaded == [PICTURE.width] * len(shown)
    texts, poor = page.evaluate(CONTRAST)
    assert texts > 100
    assert poor == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert messages == []
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()]
    page.close()


NOTE = "用語は附属書では別の意味で使われるため、作業部会の会合で決めた。議事録を参照のこと。" * 3


def decided() -> AbsenceJustification:
    """Names that Japanese writing lets break anywhere, a long list of pages beside them, decisions and notes."""
    names = ("開発者", "人工知能", "electric power")
    rows = [
        Variant(
            concept=name,
            text=name,
            reviewer="鈴木",
            date="2026-11-30",
            source="embedding",
            note=NOTE,
            match="prefix",
        )
        for name in names
    ]
    first = not_established().ledger[0]
    return not_established(
        concept_table=ConceptTable(variants=tuple(rows)),
        ledger=tuple(first.model_copy(update={"concept": name, "variant": name}) for name in names),
        concept_hits=dict.fromkeys(names, 40),
        concept_pages=dict.fromkeys(names, tuple(range(1, 64, 2))),
        required=("開発者", "人工知能"),
        hits=(hit(1, concept="開発者", variant="開発者"),) * 3,
    )


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("width", [375, 1000, 1280])
def test_names_and_dates_stay_whole_and_tables_in_sight(
    browser: Any, tmp_path: Path, language: str, width: int
) -> None:
    file = tmp_path / "report.html"
    file.write_text(to_html(decided(), language), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(file.as_uri())
    lines = page.evaluate(
        """() => [...document.querySelectorAll('tbody th, time, td.keep')].map(cell => {
             const range = document.createRange();
             range.selectNodeContents(cell);
             const boxes = [...range.getClientRects()].filter(box => box.width > 14);
             const tops = boxes.map(box => Math.round(box.top / 12));
             return [cell.textContent.trim(), new Set(tops).size];
           })"""
    )
    shown = dict(lines)
    assert {"開発者", "人工知能", "2026-11-30", "yes" if language == "en" else "はい"} <= shown.keys()
    # On a phone a name of two words may take two lines, but no word is cut.
    broken = [said for said, count in lines if count > 1 and not (width == 375 and said == "electric power")]
    assert broken == []
    over = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth)"
        ".map(box => [box.getAttribute('aria-labelledby'), !!box.previousElementSibling"
        " && getComputedStyle(box.previousElementSibling).display !== 'none'"
        " && box.previousElementSibling.className.startsWith('sideways')])"
    )
    assert all(told for _, told in over)
    assert over == [] if width > 375 else "h-concepts" not in dict(over)
    note = page.locator("tr.note div").first.bounding_box()
    assert note["x"] + note["width"] <= width
    said = page.locator("ol.strip > li").first.inner_text().split("\n")
    assert said[:2] == (["page 1", "3 hits"] if language == "en" else ["1ページ", "ヒット3件"])
    page.close()


def test_the_keyboard_reaches_everything_that_unfolds(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(to_html(many_concepts()), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(file.as_uri())
    folds = page.locator("details").count()
    assert folds > 12
    reached: set[str] = set()
    for _ in range(400):
        page.keyboard.press("Tab")
        tag = page.evaluate("document.activeElement.tagName")
        if tag == "BODY":
            break
        if tag == "SUMMARY":
            reached.add(page.evaluate("document.activeElement.parentElement.outerHTML.slice(0, 300)"))
            page.keyboard.press("Enter")
    assert len(reached) >= 12
    assert page.locator("details.concept[open]").count() == 12
    first = page.locator("a").first
    assert first.get_attribute("href") == "#main"
    page.close()
