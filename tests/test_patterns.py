"""Boundaries, case, inflection and gaps of one variant, on single lines."""

from __future__ import annotations

import pytest
import regex

from docaudit.concepts.variant import Variant
from docaudit.search.patterns import compile_variant
from docaudit.text.english import forms
from tests.lines_helper import found, hits, page_of

HITS = [
    ("in C++ and", "C++"), ("uses .NET here", ".NET"),
    ("the R&D team", "R&D"), ("under § 230 of", "§ 230"),
    ("data_retention_policy", "data_retention"),
    ("profiling3 is", "profiling"), ("生成AIの利用", "生成AI"),
    ("のAIを", "AI"), ("データでAIを", "AI"), ("many LLMs are", "LLM"), ("the company's view", "company"),
    ("two companies", "company"),
    ("the organization", "organisation"), ("data-center", "data center"),
    ("datacenter", "data center"), ("data centres", "data center"),
    ("opt out", "opt-out"), ("cost 10.3 %", "10.3"),
    ("1Introduction to", "introduction"),
    ("ROAD),CHAKALA", "ROAD), CHAKALA"), ("(IB) Diploma", "(IB) Diploma"),
    ("H 2 O leak", "H2O leak"),
    ("moni toring of", "monitoring"), ("Bluebird\u2122 cards", "Bluebird"),
    ("한국어는 쉽다", "한국어"), ("ความเป็นส่วนตัวของ", "ส่วนตัว"), ("run --help now", "--help"),
    ("receivable — when of", "receivable — when of"), ("colour", "color"), ("ＧＤＰＲ", "GDPR"),
]  # fmt: skip

NO_HITS = [
    ("a C+++ b", "C++"), ("maintain it", "AI"), ("ai systems", "AI"),
    ("it is", "IT"), ("ガ", "カ"),
    ("110.3", "10.3"), ("10.35", "10.3"),
    ("1,10.3", "10.3"), ("2010 2012", "20102012"), ("1 2 3 4", "1234"),
    ("the rapist", "therapist"), ("supervised", "vision"), ("personal—data", "personal data"),
    ("run help now", "--help"), ("2010 2012", "2010-2012"),
    ("ITS", "IT"), ("Aim", "AI"), ("각하", "가"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "variant"), HITS)
def test_hit(text: str, variant: str) -> None:
    assert len(found(text, variant)) == 1


@pytest.mark.parametrize(("text", "variant"), NO_HITS)
def test_no_hit(text: str, variant: str) -> None:
    assert found(text, variant) == []


def test_match_modes() -> None:
    assert found("privacy, privacies", "privac", match="prefix") == ["privac", "privac"]
    assert found("unprivate", "privat", match="prefix") == []
    assert found("unprivate", "privat", match="substring") == ["privat"]
    assert found("opt out or opt-out", r"opt.out", match="regex") == ["opt out", "opt-out"]


def test_case_and_inflection_are_the_experts() -> None:
    assert found("ai", "AI", case="insensitive") == ["ai"]
    assert found("Polish polish", "Polish", case="sensitive") == ["Polish"]
    assert found("data-center data centers", "data center", inflect="off") == []
    assert Variant(concept="c", text="AI").case_sensitive
    assert not Variant(concept="c", text="AI Act").case_sensitive
    assert not Variant(concept="c", text="SECTION").case_sensitive


def test_a_stray_blank_must_not_part_two_known_words() -> None:
    assert found("over ride the brake", "override") == ["over ride"]
    rows = page_of("over ride the brake", "all over the ride")
    assert len(hits(rows, "override")) == 0


def test_forms_keep_what_is_written_first() -> None:
    assert forms("risk analysis") == ("risk analysis", "risk analyses")
    assert forms("centre")[0] == "centre"
    assert "center" in forms("centre")
    assert "modeling" in forms("modelling")
    assert forms("AI") == ("AI", "A.I.", "A.I", "AIs")
    assert forms("10.3") == ("10.3",)


def test_pattern_compiles_whatever_the_variant_holds() -> None:
    for text in [r"a\b(c", "[x]", "a{2}", "(?i)", "$", "^", "|", "-", "—", "a" * 10_000, "\ud800", "\u0301"]:
        regex.compile(compile_variant(Variant(concept="c", text=text)).text)


def test_long_phrase_glued_to_a_known_word() -> None:
    rows = page_of("with top denuded offbut bottom", "but not so")
    assert hits(rows, "with top denuded off")["match_kind"].tolist() == ["squeezed"]
    assert len(hits(page_of("with top denuded offal"), "with top denuded off")) == 0
    assert len(hits(rows, "denuded off")) == 0


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("one reasonably reliable estimate", "reasonably reliable estimates"),
        ("a data centre of ours", "data centers"),
        ("its policy", "policies"),
        ("the GPU is", "GPUs"),
        ("an analysis of", "analyses"),
        ("in a batch", "batches"),
    ],
)
def test_a_variant_in_the_plural_finds_the_singular(text: str, variant: str) -> None:
    assert len(found(text, variant)) == 1


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("a new rule", "news"),
        ("one good", "goods"),
        ("a security alarm", "securities"),
        ("a new physic", "physics"),
    ],
)
def test_words_of_their_own_are_no_plurals(text: str, variant: str) -> None:
    assert found(text, variant) == []


@pytest.mark.parametrize(
    ("text", "variant"), [("toxic gases", "gas"), ("two lenses", "lens"), ("unconscious biases", "bias")]
)
def test_a_singular_that_ends_like_a_plural_keeps_its_plural(text: str, variant: str) -> None:
    assert len(found(text, variant)) == 1


def test_a_prefix_takes_no_singular() -> None:
    assert found("carbon and cars", "cars", match="prefix") == ["cars"]


def test_no_form_is_nonsense() -> None:
    assert forms("carbon emissions") == ("carbon emissions", "carbon emission")
    assert forms("news") == ("news",)
