"""Positive controls: words that are there must be found, or absence is not said."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

import docaudit
from docaudit.controls import Control, controls_found, positive_controls
from docaudit.frames import HIT_DF
from docaudit.sweep import sweep_lines
from tests import pdfs
from tests.conftest import parse_once
from tests.lines_helper import page_of, table

TABLE = docaudit.ConceptTable.from_variants({"x": ["zirconium"]})


def test_words_are_of_their_page_and_spread_over_the_document() -> None:
    rows = [
        row
        for page in range(1, 11)
        for row in page_of(f"harbour statement {'abcdefghij'[page - 1] * 7}", page=page)
    ]
    controls = positive_controls(table(rows), limit=5)
    texts = {row["page_num"]: row["text"] for row in rows}
    assert 1 < len(controls) <= 5
    assert len({control.word for control in controls}) == len(controls)
    assert all(control.word in texts[control.page_num] for control in controls)


@pytest.mark.parametrize(
    "same", [{"visibility": "invisible"}, {"source": "annotation"}, {"source": "metadata"}]
)
def test_only_text_that_is_seen_on_a_page_is_a_control(same: dict[str, str]) -> None:
    assert positive_controls(table(page_of("harbour statement", **same))) == ()


@pytest.mark.parametrize("text", ["", "a b c", "12 345 678", "—"])
def test_no_word_no_control(text: str) -> None:
    assert positive_controls(table(page_of(text) if text else [])) == ()


def test_japanese_has_controls() -> None:
    assert [control.word for control in positive_controls(table(page_of("港湾管理の規程")))] == ["港湾管理"]


def test_a_control_must_be_found_on_its_own_page() -> None:
    hits = HIT_DF.build([{"concept": "harbour", "variant": "harbour", "page_num": 2}])
    controls = (Control("harbour", 1), Control("harbour", 2), Control("statement", 2))
    assert controls_found(controls, hits) == (("harbour", False), ("harbour", True), ("statement", False))


def test_an_audit_names_its_controls() -> None:
    finding = docaudit.audit(parse_once(pdfs.document(pdfs.text(*pdfs.PROSE))), TABLE)
    check = {one.obligation.value: one for one in finding.obligations}["control_found"]
    assert check.state == "met"
    named = [word.strip("'") for word in check.evidence.partition(": ")[2].split(", ")]
    assert named
    assert all(any(word in line for line in pdfs.PROSE) for word in named)


def test_a_document_without_text_has_none_and_says_so() -> None:
    finding = docaudit.audit(parse_once(pdfs.document(pdfs.blank)), TABLE)
    states = {one.obligation.value: one.state for one in finding.obligations}
    assert states["control_found"] == "not_run"


def test_a_sweep_that_finds_nothing_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A saboteur in place of the sweep: it searches, and loses every hit."""

    def blind_sweep(*arguments: object, **named: object) -> tuple[pd.DataFrame, pd.DataFrame]:
        hits, ledger = sweep_lines(*arguments, **named)  # type: ignore[arg-type]
        return hits.iloc[:0], ledger.assign(hits=0, pages_with_hits=0, unique_hits=0)

    parsed = parse_once(pdfs.document(pdfs.text(*pdfs.PROSE)))
    monkeypatch.setattr(sys.modules["docaudit.audit"], "sweep_lines", blind_sweep)
    finding = docaudit.audit(parsed, docaudit.ConceptTable.from_variants({"x": ["dredging"]}))
    assert finding.finding == "not_established"
    assert [check.obligation.value for check in finding.unmet] == ["control_found"]


def test_a_piece_of_a_key_is_no_word() -> None:
    rows = page_of("LS0tLS1CRUdJTiBQR1AgUFVCTElDIEtF", "the harbour was closed")
    assert [control.word for control in positive_controls(table(rows), limit=2)] == ["harbour", "closed"]
