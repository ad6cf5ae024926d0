"""The samples: what the generator knows of them is what the audit finds, with the options that it has by default."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import docaudit
from docaudit.document import ParsedDocument
from docaudit.justification import AbsenceJustification

SAMPLES = Path(__file__).parent.parent / "samples"
QUESTIONS = json.loads((SAMPLES / "questions.json").read_text("utf-8"))
NAMES = [Path(row["expected"]).stem for row in QUESTIONS]

pytestmark = pytest.mark.slow


@cache
def parse(document: str, ocr: str) -> ParsedDocument:
    return docaudit.parse(SAMPLES / document, ocr=ocr)


def parsed(document: str) -> ParsedDocument:
    return parse(document, "auto")


@cache
def audited(name: str, ocr: str = "auto") -> AbsenceJustification:
    row = QUESTIONS[NAMES.index(name)]
    table = docaudit.ConceptTable.load(SAMPLES / row["table"])
    return docaudit.audit(parse(row["document"], ocr), table, question=row["question"])


def expected(name: str) -> dict[str, Any]:
    known: dict[str, Any] = json.loads((SAMPLES / "expected" / f"{name}.json").read_text("utf-8"))
    return known


@pytest.mark.parametrize("name", NAMES)
def test_finding(name: str) -> None:
    known, found = expected(name), audited(name)
    assert found.finding == known["finding"]
    assert found.reason == known["reason"]
    assert int(found.finding.exit_code) == known["exit_code"]


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_justification_byte_by_byte(name: str) -> None:
    """What may differ between machines is left out, by written rules (samples/justifications.py)."""
    spec = importlib.util.spec_from_file_location("justifications", SAMPLES / "justifications.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    file = SAMPLES / "expected" / "justifications" / f"{name}.json"
    assert module.normalised(audited(name)) == file.read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_hits_and_their_pages(name: str) -> None:
    known, found = expected(name), audited(name)
    assert dict(found.concept_hits) == known["concept_hits"]
    for concept, pages in known["hit_pages"].items():
        counted: dict[str, int] = {}
        for hit in found.hits:
            if hit.concept == concept and hit.match_kind != "ocr_fuzzy":
                counted[str(hit.page_num)] = counted.get(str(hit.page_num), 0) + 1
        assert counted == pages


@pytest.mark.parametrize("name", NAMES)
def test_parse(name: str) -> None:
    known, found = expected(name), audited(name)
    assert found.document is not None
    assert found.coverage is not None
    assert found.document.pages_total == found.coverage.pages_total == known["pages_total"]
    assert sum(found.coverage.pages_by_state.values()) == known["pages_total"]
    assert found.coverage.unresolved_cross_refs == ()
    assert found.coverage.page_label_gaps == ()


@pytest.mark.parametrize("name", NAMES)
def test_named_objects(name: str) -> None:
    known = expected(name)
    registry = parsed(known["document"]).object_registry
    japanese = {"figure": "図", "table": "表", "annex": "別紙"}
    for kind, count in known["objects"].items():
        of_kind = registry[registry["object_type"].isin([kind, japanese.get(kind, kind)])]
        assert len(of_kind) >= count, kind  # panels of a figure are objects of their own


@pytest.mark.parametrize("name", NAMES)
def test_outline_is_found_on_its_pages(name: str) -> None:
    toc = parsed(expected(name)["document"]).toc_df
    outline = toc[toc["source"] == "outline"]
    assert len(outline) >= 11
    scanned = set(expected(name).get("scanned_pages", []))
    assert set(outline.loc[~outline["found_on_page"], "page_num"]) <= scanned


def test_the_case_of_the_method_has_its_closest_mentions() -> None:
    found = audited("commodity-report.ai-power")
    assert found.strength == "strong"
    assert found.cooccurrences == ()
    assert {mention.page_num for mention in found.closest_mentions} == {18, 19}
    lines = parsed("commodity-report.pdf").line_df
    for mention in found.closest_mentions:
        page = lines.loc[lines["page_num"] == mention.page_num, "text"].tolist()
        assert all(any(part in line for line in page) for part in mention.snippet.split("\n"))
    assert "all 60 pages were read" in found.absence_explanation


def test_the_handwritten_page_is_named_with_ocr() -> None:
    found = audited("scanned-annex-report.scanned-annex-report")
    known = expected("scanned-annex-report.scanned-annex-report")
    pages = {page for check in found.unmet for page in check.pages}
    assert pages == set(known["unreadable_pages"])


def test_the_scanned_pages_are_named_without_ocr() -> None:
    found = audited("scanned-annex-report.scanned-annex-report", ocr="off")
    known = expected("scanned-annex-report.scanned-annex-report")
    unmet = {check.obligation.value: check.pages for check in found.unmet}
    assert found.finding == "not_established"
    assert set(known["scanned_pages"]) <= set(unmet["ink_read"])
    kinds = {(spot.page_num, spot.kind.value) for spot in found.blind_spots}
    assert {(page, "image_only_page") for page in known["scanned_pages"]} <= kinds


def test_vertical_pages_of_the_japanese_rule_are_vertical() -> None:
    lines = parsed("jp-policy.pdf").line_df
    vertical = lines[lines["direction"] == "vertical"]
    assert sorted(set(vertical["page_num"])) == expected("jp-policy.jp-policy")["vertical_pages"]
