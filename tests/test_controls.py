"""Positive controls: words that are there must be found, or absence is not said."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

import docaudit
from docaudit.controls import Control, control_groups, control_table, positive_controls
from docaudit.extract.controls import witness_table
from docaudit.extract.protocol import PageReading
from docaudit.extract.second_reader import control_words
from docaudit.justification import AbsenceJustification, ObligationCheck
from docaudit.search import sweep_lines
from docaudit.tables import HIT_DF
from tests import pdfs
from tests.conftest import parse_once
from tests.saboteurs import forgetful_sweep

TABLE = docaudit.ConceptTable.from_variants({"x": ["zirconium"]})
REPORT = Path(__file__).parent.parent / "samples" / "commodity-report.pdf"


def words_in(text: str) -> list[str]:
    return [text[start:end] for start, end in control_words(text)]


def control_of(finding: AbsenceJustification) -> ObligationCheck:
    return next(check for check in finding.obligations if check.obligation.value == "control_found")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a b c", []),
        ("12 345 678", []),
        ("LS0tLS1CRUdJTiBQR1AgUFVCTElDIEtF", []),  # a piece of a key
        ("https://example.org/harbour", []),
        ("well-known", []),
        ("C OMMODITY", []),  # a drop capital: readers may part it elsewhere
        ("H A R B O U R", []),
        ("o\ufb03ce", []),
        ("(“harbour”),", ["harbour"]),
        ("the dredg-\r\ning was", []),  # parts of a word that the line end divides
        ("das Häfen", ["Häfen"]),
        ("гавань", ["гавань"]),
        ("港湾管理の規程", ["港湾管理"]),
        ("ここにある", []),  # no whole word by blanks, and no run of signs
        ("항만 관리는", ["관리는"]),
        ("ท่าเรือ", []),
    ],
)
def test_words_that_make_good_controls(text: str, words: list[str]) -> None:
    assert words_in(text) == words


def test_one_word_of_each_line_and_of_many_lines_some() -> None:
    assert words_in("harbour\r\npier 12\r\n34\r\nquay") == ["harbour", "pier", "quay"]
    many = words_in("\r\n".join(f"dredging {'abcdefghij'[n % 10] * 9}" for n in range(400)))
    assert len(many) == 40


def test_a_control_must_be_found_on_its_own_page_by_a_hit_that_counts() -> None:
    known = [("quay", 1, "body"), ("quay", 2, "body"), ("pier", 2, "table"), ("dock", 2, "table")]
    controls = [Control(word, page, layout, "second_reader") for word, page, layout in known]
    hits = HIT_DF.build(
        {"concept": word, "variant": word, "page_num": 2, "match_kind": kind}
        for word, kind in (("quay", "exact"), ("pier", "across_lines"), ("dock", "ocr_fuzzy"))
    )
    body, table = control_groups("positive", controls, hits)
    assert (body.layout, body.tried, body.found) == ("body", 2, 1)
    assert [(one.word, one.page_num) for one in body.missed] == [("quay", 1)]
    assert (table.layout, table.tried, table.found) == ("table", 2, 1)
    assert [(one.word, one.page_num) for one in table.missed] == [("dock", 2)]
    assert control_groups("positive", (), hits) == ()


NOTE = "¹ Tonnage excludes barges."


def every_layout(page: pymupdf.Page) -> None:
    """Each layout in words of its own."""
    pdfs.write(page, ["Lighthouses and buoys"], y=90, size=20)
    pdfs.write(page, [pdfs.PROSE[0], pdfs.PROSE[1]], y=130)
    pdfs.write(page, ["Harvest figures", "remain modest", "around Elsinore"], x=72, y=200)
    pdfs.write(page, ["Whaling stopped", "before sunrise", "near Trondheim"], x=320, y=200)
    for row, names in enumerate((("herring", "salmon", "lobster"), ("mackerel", "sardine", "oyster"))):
        for column, name in enumerate(names):
            page.insert_text((72 + 150 * column, 300 + 20 * row), name, fontsize=11)
    pdfs.write(page, ["• bulwarks and gangways"], y=380)
    pdfs.write(page, ["Figure 1. Turnover of freight."], y=420)
    page.insert_text((540, 500), "marginal scaffolding", fontsize=11, rotate=90)
    pdfs.write(page, [NOTE], y=700, size=7)


KNOWN = {
    "heading": {"Lighthouses", "buoys"},
    "column": {"Harvest", "figures", "remain", "modest", "around", "Elsinore", "Whaling", "stopped", "before",
               "sunrise", "near", "Trondheim"},
    "table": {"herring", "salmon", "lobster", "mackerel", "sardine", "oyster"},
    "list": {"bulwarks", "gangways"},
    "caption": {"Figure", "Turnover", "freight"},
    "rotated": {"marginal", "scaffolding"},
    "footnote": {"Tonnage", "excludes", "barges"},
}  # fmt: skip


def test_every_layout_of_every_page_has_its_controls() -> None:
    parsed = parse_once(pdfs.document(every_layout, pdfs.text(*pdfs.PROSE)))
    of_first = [control for control in positive_controls(parsed.witness_df) if control.page_num == 1]
    assert {control.layout for control in of_first} == {"body", *KNOWN}
    for control in of_first:
        words = KNOWN.get(control.layout) or {
            word for line in pdfs.PROSE[:2] for word in line.strip(".").split()
        }
        assert control.word in words
    assert set(parsed.witness_df["witness"]) == {"second_reader"}
    assert set(parsed.witness_df["page_num"]) == {1, 2}
    finding = docaudit.audit(parsed, TABLE)
    assert {group.layout for group in finding.controls} == {"body", *KNOWN}
    assert sum(group.tried for group in finding.controls) == len(parsed.witness_df)
    assert all(group.found == group.tried and not group.missed for group in finding.controls)
    assert (finding.finding, control_of(finding).state) == ("absent_within_coverage", "met")


def test_without_a_second_reader_the_text_layer_is_the_witness() -> None:
    parsed = parse_once(pdfs.document(pdfs.text(*pdfs.PROSE)), second_reader=False)
    assert set(parsed.witness_df["witness"]) == {"text_layer"}
    assert control_of(docaudit.audit(parsed, TABLE)).evidence.startswith(
        "4 words that the only reader saw (body)"
    )


def test_what_ocr_read_has_controls_too() -> None:
    parsed = parse_once(pdfs.document(pdfs.text(*pdfs.PROSE), pdfs.scan(*pdfs.PROSE)), ocr="auto")
    second = parsed.witness_df[parsed.witness_df["page_num"] == 2]
    assert set(zip(second["layout"], second["witness"], strict=True)) == {("ocr", "ocr")}
    assert control_of(docaudit.audit(parsed, TABLE)).state == "met"


def test_text_that_nobody_sees_is_no_control() -> None:
    hidden = pdfs.document(lambda page: pdfs.write(page, pdfs.PROSE, render_mode=3))
    assert positive_controls(parse_once(hidden).witness_df) == ()


@pytest.mark.parametrize("data", [pdfs.document(pdfs.blank), pdfs.document(pdfs.text("12 345"))])
def test_a_document_without_words_has_none_and_says_so(data: bytes) -> None:
    finding = docaudit.audit(parse_once(data), TABLE)
    assert finding.controls == ()
    assert control_of(finding).state == "not_run"
    assert control_of(finding).evidence == "the document has no word to take as a control"


RUNNING = {
    "japan": ["港湾局は三月に年次報告書を発表した。北埠頭の", "クレーンはより高い機械に置き換えられた。"],
    "china-s": ["港务局在三月发布了年度报告。北码头的", "起重机被更高的机器取代。"],
    "korea": ["항만 당국은 연례 보고서를 발표했다. 북쪽", "부두의 크레인은 더 높은 기계로 교체되었다."],
}


@pytest.mark.parametrize("font", RUNNING)
def test_a_text_without_blanks_has_controls_out_of_the_middle_of_its_lines(font: str) -> None:
    lines = RUNNING[font]
    page = pdfs.text(*lines, fontname=font)
    parsed = parse_once(pdfs.document(page, page))
    assert set(parsed.witness_df["witness"]) == {"second_reader"}
    assert set(parsed.witness_df["page_num"]) == {1, 2}
    for word in parsed.witness_df["word"]:
        assert any(word in line for line in lines)
        assert word not in lines
    assert control_of(docaudit.audit(parsed, TABLE)).state == "met"
    first = parsed.line_df[parsed.line_df["page_num"] == 1].reset_index(drop=True)
    lost = docaudit.audit(replace(parsed, line_df=first), TABLE)
    assert (lost.finding, control_of(lost).pages) == ("not_established", (2,))


def test_signs_one_under_the_other_have_controls() -> None:
    def down(page: pymupdf.Page) -> None:
        # Embedded: newer releases of PDFium give single characters without a font that has them no text.
        page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("japan").buffer)
        for column, words in enumerate(("港湾局は年次報告書を発表", "北埠頭のクレーンは機械")):
            for row, sign in enumerate(words):
                page.insert_text((300 - 40 * column, 100 + 14 * row), sign, fontname="F0", fontsize=12)

    parsed = parse_once(pdfs.document(down))
    assert len(parsed.witness_df)
    assert control_of(docaudit.audit(parsed, TABLE)).state == "met"


@pytest.mark.parametrize(
    "draw",
    [
        pdfs.text("ここにある", fontname="japan"),
        lambda page: pdfs.write(page, pdfs.PROSE, render_mode=3),
    ],
)
def test_words_of_which_none_can_be_a_control_are_not_said_to_be_no_words(draw: pdfs.Draw) -> None:
    check = control_of(docaudit.audit(parse_once(pdfs.document(draw)), TABLE))
    assert check.state == "not_run"
    assert check.evidence.startswith("none of the words on its pages can be taken as a control")


def test_where_the_second_reader_confirms_no_word_the_text_layer_is_the_witness() -> None:
    data = pdfs.document(pdfs.text(*pdfs.PROSE))
    line_df = parse_once(data).line_df
    page = PageReading(1, "1", *pdfs.A4, 0, "text", [], [], [], "", words_first_only=30)
    table = witness_table(line_df, [page])
    assert len(table) == 4
    assert set(table["witness"]) == {"text_layer"}
    there = set(" ".join(pdfs.PROSE).replace(".", "").split())
    assert set(table["word"]) <= there


def test_the_rest_of_a_divided_word_is_no_control() -> None:
    """The sweep joins it with its beginning, and so does not find it alone."""
    parsed = parse_once(
        pdfs.document(pdfs.text("Ships came infre-", "quently", "ashore")), second_reader=False
    )
    assert set(parsed.witness_df["word"]) <= {"Ships", "came", "ashore"}
    assert control_of(docaudit.audit(parsed, TABLE)).state == "met"


def test_a_line_that_was_lost_after_reading_is_found_out() -> None:
    """The witness does not come from the lines that the sweep takes."""
    parsed = parse_once(pdfs.document(*[pdfs.text(line) for line in pdfs.PROSE]))
    lost = replace(parsed, line_df=parsed.line_df[parsed.line_df["page_num"] != 4].reset_index(drop=True))
    finding = docaudit.audit(lost, TABLE)
    assert finding.finding == "not_established"
    assert control_of(finding).pages == (4,)
    assert "(page 4)" in control_of(finding).evidence


def test_a_sweep_that_finds_nothing_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = parse_once(pdfs.document(pdfs.text(*pdfs.PROSE)))
    for module in ("docaudit.audit", "docaudit.controls"):
        monkeypatch.setattr(sys.modules[module], "sweep_lines", forgetful_sweep(1.0, seed=1))
    finding = docaudit.audit(parsed, docaudit.ConceptTable.from_variants({"x": ["dredging"]}))
    assert finding.finding == "not_established"
    assert [check.obligation.value for check in finding.unmet] == ["control_found"]
    assert control_of(finding).evidence.partition(": ")[2].startswith("0 of 4 were found (0.0 %)")


@pytest.fixture(scope="module")
def report() -> docaudit.ParsedDocument:
    return docaudit.parse(REPORT, ocr="off")


@pytest.mark.slow
def test_every_page_of_the_report_has_enough_controls(report: docaudit.ParsedDocument) -> None:
    """At 5 % of hits lost, 90 controls fail in 99 of 100 audits; most have a single hit on their page."""
    per_page = Counter(report.witness_df["page_num"])
    assert set(per_page) == set(range(1, 61))
    assert min(per_page.values()) >= 3


@pytest.mark.slow
def test_a_sweep_that_drops_one_hit_in_twenty_is_found_out(
    report: docaudit.ParsedDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In at least 99 of 100 audits of a 60-page report."""
    table = docaudit.ConceptTable.from_variants({"AI": ["artificial intelligence"]})
    failed = 0
    for seed in range(100):
        for module in ("docaudit.audit", "docaudit.controls"):
            monkeypatch.setattr(sys.modules[module], "sweep_lines", forgetful_sweep(0.05, seed=seed))
        finding = docaudit.audit(report, table)
        failed += control_of(finding).state == "unmet"
        assert finding.finding != "absent_within_coverage" or control_of(finding).state == "met"
    assert failed >= 99


def test_the_saboteur_drops_what_it_says() -> None:
    parsed = parse_once(pdfs.document(*[pdfs.text(*pdfs.PROSE)] * 40))
    table = control_table([Control("March", 1, "body", "second_reader")])
    given = {"pages_total": 40}
    whole, _ = sweep_lines(parsed.line_df, table, **given)
    left, _ = forgetful_sweep(0.5, seed=3)(parsed.line_df, table, **given)
    assert len(whole) == 40
    assert 10 < len(left) < 30
    assert set(left["page_num"]) < set(whole["page_num"])
