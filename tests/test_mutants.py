"""Any bytes: an error of docaudit, or a parse in which each page has exactly one state; never a crash, never a gap."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import docaudit
from docaudit.codes import PageState
from docaudit.errors import DocauditError
from tests.mutants import MUTATIONS, documents, mutants

SEED, COUNT = 20240607, 35
LIMITS = {"ocr": "off", "workers": 1, "page_seconds": 5.0, "document_seconds": 20.0}
_STATES = {state.value for state in PageState}


def judged(broken: tuple[str, str, bytes]) -> tuple[str, int]:
    """What became of a broken document: the name of the error, or parsed, and its pages."""
    name, how, data = broken
    start = time.monotonic()
    try:
        parsed = docaudit.parse(data, **LIMITS)
    except DocauditError as error:
        outcome, pages = type(error).__name__, 0
    else:
        pages = len(parsed.page_df)
        assert pages, (name, how)
        assert parsed.page_df["page_num"].tolist() == list(range(1, pages + 1)), (name, how)
        assert set(parsed.page_df["state"]) <= _STATES, (name, how)
        assert sum(parsed.coverage.pages_by_state.values()) == pages, (name, how)
        lost = parsed.page_df.loc[parsed.page_df["state"] == "failed", "page_num"]
        assert set(lost) <= set(parsed.blind_spot_df["page_num"]), (name, how)
        if how == "streams" and name in ("plain", "picture", "scan", "form", "notes", "reportlab"):
            assert pages == 3, (name, how)  # no object of the page tree was touched
        outcome = "parsed"
    assert time.monotonic() - start < 60, (name, how)
    return outcome, pages


@pytest.mark.slow
def test_broken_documents() -> None:
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(judged, mutants(SEED, COUNT)))
    assert len(outcomes) == COUNT
    assert any(outcome == "parsed" for outcome, _ in outcomes)


def test_mutants_are_the_same_each_time_and_of_every_kind() -> None:
    many = len(documents()) * len(MUTATIONS)
    one, other = list(mutants(1, many)), list(mutants(1, many))
    assert one == other
    assert {(name, how) for name, how, _ in one} == {(name, how) for name in documents() for how in MUTATIONS}
