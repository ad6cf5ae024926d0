from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import ConceptInfo, Variant
from docaudit.errors import QuestionError
from docaudit.question import content_words, requery, uncovered_words

TABLE = ConceptTable.from_variants(
    {
        "AI": ["AI", "large language model", "人工知能", "生成AI", "人工智能"],
        "data center": ["data centre", "データセンター"],
        "power": ["electricity", "consume energy", "電力", "电力"],
    }
)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How much electricity does AI consume?", ("electricity", "AI")),
        ("According to the report, which pages mention water cooling?", ("water", "cooling")),
        ("What does the document say about IT in the US?", ("IT", "US")),
        ("What did it say about us in 2025?", ()),
        ("HOW MUCH OF IT IS USED BY AI", ("AI",)),
        ("AI, ai and AI's", ("AI", "AI's")),
        ("Does ISO 27001 apply?", ("ISO", "27001")),
        ("データセンターの消費電力はどれくらいですか", ("データセンター", "電力")),
        ("消費税の記載はありますか", ("消費税",)),
        ("生成AIの利用に関する記載", ("生成", "AI")),
        ("人工智能消耗多少电力？", ("人工智能", "电力")),
    ],
)
def test_content_words(question: str, words: tuple[str, ...]) -> None:
    assert content_words(question) == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How much electricity does AI consume?", ()),
        ("Do data centers need energy?", ()),
        ("Which language models are described?", ()),
        ("How much water do data centres use?", ("water",)),
        ("What is the policy on police?", ("policy", "police")),
        ("データセンターの電力消費量は？", ()),
        ("知能", ()),
        ("電気自動車の電力", ("電気自動車",)),
        ("電力会社の数", ("会社",)),
        ("消費税と電力", ("消費税",)),
        ("中国の電力", ("中国",)),
        ("人工智能消耗多少电力？", ()),
        ("人工智能消耗多少水资源？", ("水资源",)),
    ],
)
def test_uncovered_words(question: str, words: tuple[str, ...]) -> None:
    assert uncovered_words(question, TABLE) == words


@pytest.mark.parametrize(
    ("question", "instead"),
    [
        ("How much water do data centres use?", "Does the document mention data center?"),
        ("Does AI use electricity or water?", "Does the document mention AI and power?"),
        ("How many whales?", "Does the document mention AI, data center and power?"),
        ("What does it say?", "Does the document mention AI, data center and power?"),
        ("AIと水資源の記載はありますか", "「AI」についての記載はありますか。"),
        (
            "データセンターの水使用に電力は必要ですか",
            "「data center」と「power」についての記載はありますか。",
        ),
    ],
)
def test_the_question_to_ask_instead_is_one_that_the_table_covers(question: str, instead: str) -> None:
    assert requery(question, TABLE) == instead
    assert content_words(instead)
    assert uncovered_words(instead, TABLE) == ()


def test_a_requery_leaves_out_context_and_what_is_not_searched() -> None:
    rows = [Variant(concept=name, text=name) for name in ("AI", "Norway")]
    waiting = Variant(concept="water", text="water", status="proposed")
    table = ConceptTable(variants=(*rows, waiting), info=(ConceptInfo(name="Norway", role="context"),))
    assert requery("How many whales?", table) == "Does the document mention AI?"
    assert requery("Does AI use water?", table) == "Does the document mention AI?"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Is the company a going concern?", ("company", "going", "concern")),
        ("Who are its related parties?", ("related", "parties")),
        ("Say whether it is going on", ()),
        ("Does it concern AI?", ("AI",)),
    ],
)
def test_words_that_ask_alone_and_name_a_topic_together(question: str, words: tuple[str, ...]) -> None:
    assert content_words(question) == words


def test_only_accepted_variants_cover() -> None:
    waiting = Variant(concept="water", text="water", status="proposed")
    table = ConceptTable(variants=(Variant(concept="AI", text="AI"), waiting))
    assert uncovered_words("Does AI use water?", table) == ("water",)


def test_expressions_prefixes_and_substrings_cover_what_they_would_find() -> None:
    table = ConceptTable(
        variants=(
            Variant(concept="c", text=r"cool(ing|ers?)", match="regex"),
            Variant(concept="c", text="electri", match="prefix"),
        )
    )
    assert uncovered_words("Is cooling of electrical coolers wet?", table) == ("wet",)


def test_an_expression_that_runs_away_covers_nothing() -> None:
    table = ConceptTable(variants=(Variant(concept="c", text=r"(a|aa)+$", match="regex"),))
    assert uncovered_words("a" * 60 + "b", table) == ("a" * 60 + "b",)


@pytest.mark.parametrize("question", ["", "  \n", "?!", "…", "_"])
def test_a_question_without_a_word_is_an_error(question: str) -> None:
    with pytest.raises(QuestionError):
        content_words(question)
    with pytest.raises(QuestionError):
        uncovered_words(question, TABLE)


@given(st.text(min_size=1, max_size=60))
def test_every_uncovered_word_stands_in_the_question(question: str) -> None:
    try:
        content = content_words(question)
    except QuestionError:
        return
    assert all(word in question for word in content)
    assert len(uncovered_words(question, TABLE)) <= 3 * len(content)
