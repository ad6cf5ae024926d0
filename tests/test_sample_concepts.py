"""The tables that ship: clean, in both languages, with the source of each term, and each term found where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

import docaudit
from docaudit.concepts.lint import Severity, lint
from docaudit.concepts.model import ConceptTable
from docaudit.text.words import CJK
from tests import pdfs

FOLDER = Path(__file__).parent.parent / "samples" / "concepts"
NAMES = (
    *(
        "ai",
        "anti-corruption",
        "climate-risk",
        "data-centres",
        "electricity-use",
        "forced-labour",
        "going-concern",
    ),
    *("personal-data", "related-parties", "sanctions"),
)


def test_all_ten_are_there() -> None:
    assert tuple(sorted(path.stem for path in FOLDER.glob("*.csv"))) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_clean_and_says_where_its_terms_come_from(name: str) -> None:
    table = ConceptTable.load(FOLDER / f"{name}.csv")
    assert [finding for finding in lint(table) if finding.severity is Severity.WARNING] == []
    assert len(table.active) == len(table.variants) >= 20
    assert all(variant.reference for variant in table.variants)
    assert all(concept.description for concept in table.by_concept)
    for variant in table.variants:
        language = dict(variant.own)["x_language"]
        # Some Japanese terms hold Latin letters (生成AI), no English one holds kana or kanji.
        assert bool(CJK.search(variant.text)) == (language == "ja")
    assert {dict(variant.own)["x_language"] for variant in table.variants} == {"en", "ja"}


def test_the_example_of_the_method_is_in_the_table_on_ai() -> None:
    texts = {variant.text for variant in ConceptTable.load(FOLDER / "ai.csv").variants}
    assert texts >= {"AI", "artificial intelligence", "machine learning", "deep learning", "neural network"}
    assert texts >= {"GenAI", "LLM", "large language model", "人工知能", "生成AI"}


@pytest.mark.parametrize("name", NAMES)
def test_saving_a_table_as_it_is_changes_no_byte(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes((FOLDER / f"{name}.csv").read_bytes())
    ConceptTable.load(path).save(path)
    assert path.read_bytes() == (FOLDER / f"{name}.csv").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_each_english_term_is_found_by_itself(name: str) -> None:
    table = ConceptTable.load(FOLDER / f"{name}.csv")
    terms = [variant.text for variant in table.variants if not CJK.search(variant.text)]
    page = pdfs.document(pdfs.text(*(f"They spoke of {term} again." for term in terms)))
    found = docaudit.sweep(docaudit.parse(page, ocr="off"), table).ledger_df
    hits = dict(zip(found["variant"], found["hits"], strict=True))
    assert [term for term in terms if not hits[term]] == []


@pytest.mark.parametrize("name", NAMES)
def test_each_japanese_term_is_found_by_itself(name: str) -> None:
    table = ConceptTable.load(FOLDER / f"{name}.csv")
    terms = [variant.text for variant in table.variants if CJK.search(variant.text)]
    page = pdfs.document(pdfs.text(*(f"その{term}について述べる。" for term in terms), fontname="japan"))
    found = docaudit.sweep(docaudit.parse(page, ocr="off"), table).ledger_df
    hits = dict(zip(found["variant"], found["hits"], strict=True))
    assert [term for term in terms if not hits[term]] == []
