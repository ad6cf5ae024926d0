from __future__ import annotations

from typing import Any

import pytest

from docaudit.concept_lint import LintCode, Severity, lint
from docaudit.concepts import ConceptTable, Variant


def codes(*texts: str, **fields: Any) -> dict[str, str]:
    table = ConceptTable(variants=tuple(Variant(concept="c", text=text, **fields) for text in texts))
    return {finding.code.value: finding.variant for finding in lint(table)}


@pytest.mark.parametrize(
    ("texts", "code", "variant"),
    [
        (("data", "data center"), "shadowed", "data"),
        (("電力", "消費電力量"), "shadowed", "電力"),
        (("data center", "data-center"), "near_duplicate", "data-center"),
        (("Energy", "energy"), "near_duplicate", "energy"),
        (("x",), "too_short", "x"),
        (("7",), "too_short", "7"),
        (("AI",), "acronym_case", "AI"),
        (("IT",), "common_word", "IT"),
        (("aud\ufffdt",), "lost_character", "aud\ufffdt"),
    ],
)
def test_what_is_found(texts: tuple[str, ...], code: str, variant: str) -> None:
    assert codes(*texts)[code] == variant


@pytest.mark.parametrize(
    "text", [r"AI.*", r"\bAI\b", "[Aa]I", "AI|ML", "colou?r?", "^AI", r"\d+ MW", "x{2,3}"]
)
def test_words_that_look_like_expressions(text: str) -> None:
    assert "regex_hostile" in codes(text)


@pytest.mark.parametrize(
    "text", ["C++", "R&D", ".NET", "§ 230", "Why?", "AT&T", "data_retention", "a (b)", "U.S."]
)
def test_words_that_only_have_signs(text: str) -> None:
    assert "regex_hostile" not in codes(text)


def test_expressions_that_may_run_away() -> None:
    assert "regex_hostile" in codes("(a+)+b", match="regex")
    assert "regex_hostile" not in codes(r"data\s+cent(er|re)s?", match="regex")


def test_no_shadow_inside_a_word() -> None:
    assert "shadowed" not in codes("art", "article")
    assert "shadowed" not in codes("data center", "electricity")


def test_concepts_without_accepted_variants_and_names_alike() -> None:
    table = ConceptTable(
        variants=(
            Variant(concept="data center", text="data center"),
            Variant(concept="Data-Center", text="datacentre"),
            Variant(concept="waiting", text="wait", status="proposed"),
        )
    )
    found = {finding.code: finding for finding in lint(table)}
    assert found[LintCode.CONCEPT_WITHOUT_ACCEPTED].concept == "waiting"
    assert found[LintCode.CONCEPT_NAMES_ALIKE].concept == "Data-Center"
    assert found[LintCode.CONCEPT_WITHOUT_ACCEPTED].severity is Severity.WARNING


def test_common_word_without_regard_to_case_is_a_warning() -> None:
    table = ConceptTable.from_variants({"c": ["WHO"]}, case="insensitive")
    assert [(f.code, f.severity) for f in lint(table)] == [(LintCode.COMMON_WORD, Severity.WARNING)]


def test_a_good_table_has_no_findings_and_rejected_rows_are_left_alone() -> None:
    assert lint(ConceptTable.from_variants({"power": ["electricity", "kilowatt hour"]})) == []
    assert codes("x", "electricity", status="rejected") == {"concept_without_accepted": ""}
