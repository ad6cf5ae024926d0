"""Expressions that would take the engine half a minute to compile are refused at once, and named in the ledger."""

from __future__ import annotations

import time

import pytest

import docaudit
from docaudit.concepts import Variant
from docaudit.errors import ConceptTableError
from docaudit.expressions import LARGEST, written_out
from tests import pdfs
from tests.conftest import Parse


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("a", 1),
        (r"\d{4}-\d{2}", 7),
        ("[a(b]{3}", 3),
        ("(?:ab|c){2,5}", 20),  # with the colon of the group: an upper bound is enough
        (r"\{9\}", 3),
        ("a{,4}", 4),
        ("((x{100}){100}){100}", 1_000_000),
    ],
)
def test_written_out(pattern: str, size: int) -> None:
    assert written_out(pattern) == size


def test_a_table_refuses_it_fast() -> None:
    start = time.monotonic()
    with pytest.raises(ConceptTableError, match=f"more than {LARGEST:,} elements"):
        docaudit.ConceptTable.from_variants({"x": ["(x{5000}){5000}"]}, match="regex")
    assert time.monotonic() - start < 1


def test_the_sweep_lists_it_as_failed(parse: Parse) -> None:
    parsed = parse(pdfs.document(pdfs.text("xxx")))
    table = docaudit.ConceptTable(variants=(Variant(concept="x", text="(x{5000}){5000}", match="regex"),))
    start = time.monotonic()
    ledger = docaudit.sweep(parsed, table).ledger_df
    assert time.monotonic() - start < 5
    assert ledger["state"].tolist() == ["failed"]
    assert "written out" in ledger["detail"][0]
    assert docaudit.audit(parsed, table).finding == "not_established"
