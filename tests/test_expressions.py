"""Expressions that would take the engine half a minute to compile are refused at once, and named in the ledger."""

from __future__ import annotations

import time

import pytest

import docaudit
from docaudit.concepts.check import MAX_REPEATED, repetitions
from docaudit.concepts.variant import Variant
from docaudit.errors import ConceptTableError
from tests import pdfs
from tests.conftest import Parse


@pytest.mark.parametrize(
    ("pattern", "times"),
    [
        ("a", 1),
        (r"\d{4}-\d{2}", 4),
        ("(?:ab|c){2,5}", 5),
        (r"\{9\}", 1),
        ("a{,4}", 4),
        ("((x{100}){100}){100}", 1_000_000),
    ],
)
def test_repetitions(pattern: str, times: int) -> None:
    assert repetitions(pattern) == times


def test_a_table_refuses_it_fast() -> None:
    start = time.monotonic()
    with pytest.raises(ConceptTableError, match=f"more than {MAX_REPEATED:,}"):
        docaudit.ConceptTable.from_variants({"x": ["(x{5000}){5000}"]}, match="regex")
    assert time.monotonic() - start < 1


def test_the_sweep_lists_it_as_failed(parse: Parse) -> None:
    parsed = parse(pdfs.document(pdfs.text("xxx")))
    table = docaudit.ConceptTable(variants=(Variant(concept="x", text="(x{5000}){5000}", match="regex"),))
    start = time.monotonic()
    ledger = docaudit.sweep(parsed, table).ledger_df
    assert time.monotonic() - start < 5
    assert ledger["state"].tolist() == ["failed"]
    assert "repeats a part" in ledger["detail"][0]
    assert docaudit.audit(parsed, table).finding == "not_established"
