from __future__ import annotations

import time
from typing import Any

import pytest

from docaudit.concepts.lint import LintCode, Severity, lint
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant


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
        (("\u0410I model",), "mixed_scripts", "\u0410I model"),  # a Cyrillic A
        (("power", "\u0421\u041e"), "lookalike", "\u0421\u041e"),  # CO in Cyrillic letters
        (("デ一タセンター",), "lookalike", "デ一タセンター"),  # the kanji one, not the long vowel
        (("電カ",), "lookalike", "電カ"),  # katakana ka, not the kanji for power
        (("artific1al",), "lookalike", "artific1al"),
        (("1.2E+11",), "excel_changed", "1.2E+11"),
        (("12-Oct",), "excel_changed", "12-Oct"),
        (("#NAME?",), "excel_changed", "#NAME?"),
        (("10月12日",), "excel_changed", "10月12日"),
        (("GPU", "graphics card"), "acronym_alone", "GPU"),
        (("anti money laundering",), "expansion_alone", "anti money laundering"),
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


@pytest.mark.parametrize(
    ("text", "fields", "code"),
    [
        ("data center", {"case": "sensitive"}, "case_misses"),
        ("ai", {"case": "insensitive"}, "too_short"),
        ("AI", {"case": "insensitive", "match": "substring"}, "too_short"),
        ("bio", {"match": "prefix"}, "too_short"),
        ("AI ", {"match": "regex"}, "edge_space"),
        ("neural network", {"source": "embedding"}, "unsigned"),
    ],
)
def test_what_columns_make_of_a_word(text: str, fields: dict[str, str], code: str) -> None:
    assert code in codes(text, **fields)


@pytest.mark.parametrize(
    ("text", "fields", "code"),
    [
        ("GenAI", {"case": "sensitive"}, "case_misses"),
        ("Bq/m3", {"case": "sensitive"}, "case_misses"),
        ("kWh", {"case": "sensitive"}, "case_misses"),
        ("AI", {"case": "sensitive", "match": "substring"}, "too_short"),
        ("税金", {"match": "substring"}, "too_short"),
        ("neural network", {"source": "embedding", "reviewer": "A"}, "unsigned"),
        ("neural network", {"source": "embedding", "status": "proposed"}, "unsigned"),
        ("naïve", {}, "mixed_scripts"),
        ("Δv budget", {}, "mixed_scripts"),
        ("データ一覧", {}, "lookalike"),
        ("一ヶ月ニ回", {}, "lookalike"),
        ("H2O", {}, "lookalike"),
        ("ток", {}, "lookalike"),
        ("10-12", {}, "excel_changed"),
        ("October 12 rule", {}, "excel_changed"),
    ],
)
def test_what_is_left_alone(text: str, fields: dict[str, str], code: str) -> None:
    assert code not in codes(text, **fields)
    assert code not in codes(text, "電力", **fields)


@pytest.mark.parametrize(
    "texts",
    [
        ("AI", "artificial intelligence"),
        ("PV", "photovoltaic"),
        ("AML", "anti-money laundering"),
        ("AML", "prevention of laundering", "anti money laundering"),
        ("AI", "人工知能"),
    ],
)
def test_acronyms_that_are_spelt_out(texts: tuple[str, ...]) -> None:
    assert not {"acronym_alone", "expansion_alone"} & set(codes(*texts))


def test_two_concepts_with_the_same_word_or_with_one_inside_another() -> None:
    table = ConceptTable.from_variants(
        {"power": ["data-center", "power"], "site": ["data center", "power plant", "solar site"]}
    )
    found = {(finding.code.value, finding.variant) for finding in lint(table)}
    assert ("in_two_concepts", "data center") in found
    assert ("concepts_overlap", "power plant") in found
    assert not any(variant == "solar site" for _, variant in found)


def test_cyrillic_words_among_others_in_cyrillic_are_what_they_look() -> None:
    assert "lookalike" not in codes("power", "СО", "ток")


def test_every_finding_has_its_row_and_an_order_as_remedy() -> None:
    table = ConceptTable.from_variants({"a": ["electricity", "GPU"], "b": ["x"]})
    found = lint(table)
    assert [(finding.row, finding.variant) for finding in found if finding.variant == "x"] == [(3, "x")]
    assert {finding.row_id for finding in found} == {variant.id for variant in table.variants[1:]}
    assert all(finding.remedy[0].isupper() and finding.remedy.endswith(".") for finding in found)


def test_five_thousand_rows_take_seconds() -> None:
    variants = [f"{a}{b} {c} machine" for a in "abcdefghij" for b in "klmnopqrst" for c in range(50)]
    table = ConceptTable.from_variants({"c": [*variants, *(f"Z{n}Y" for n in range(200))]})
    start = time.process_time()
    lint(table)
    assert time.process_time() - start < 10


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
    assert [f.code for f in lint(table) if f.severity is Severity.WARNING] == [LintCode.COMMON_WORD]


def test_a_good_table_has_no_findings_and_rejected_rows_are_left_alone() -> None:
    assert lint(ConceptTable.from_variants({"power": ["electricity", "kilowatt hour"]})) == []
    assert codes("x", "electricity", status="rejected") == {"concept_without_accepted": ""}
