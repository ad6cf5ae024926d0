from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docaudit.concepts.check import (
    CHOICES,
    COLUMNS,
    CaseMode,
    InflectMode,
    MatchMode,
    Role,
    Status,
    is_acronym,
)
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Concept, ConceptInfo, Variant
from docaudit.errors import ConceptTableError, OutputError
from docaudit.search.patterns import compile_variant

DAY = "2026-01-31"
SUFFIXES = ("csv", "tsv", "json", "yaml", "yml", "xlsx")
FULL = ConceptTable(
    variants=(
        Variant(concept="AI", text="AI", case="sensitive", note="acronym, not the sloth"),
        Variant(concept="AI", text="a|b", source="expert"),
        Variant(concept="AI", text=r"deep\s+learning", match="regex", inflect="off"),
        Variant(concept="電力", text="消費電力", status="proposed"),
        Variant(concept="電力", text="=SUM(A1)", match="substring", status="rejected"),
        Variant(concept="answer", text="NO"),
        Variant(concept="answer", text="10.30"),
        Variant(concept="answer", text='say "yes", please; now', own=(("x_Owner", "legal, 2nd floor"),)),
        Variant(concept="answer", text="OK", reference="ISO 1, 2.3", reviewer="A. B.", date=DAY, id="ok-1"),
    ),
    info=(
        ConceptInfo(name="AI", description="machines that learn, not the sloth"),
        ConceptInfo(name="answer", role="context"),
    ),
)


def loaded(tmp_path: Path, name: str, content: str | bytes) -> ConceptTable:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return ConceptTable.load(path)


def problems(tmp_path: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(ConceptTableError) as caught:
        loaded(tmp_path, name, content)
    assert caught.value.file is not None
    assert caught.value.file.endswith(name)
    return "\n".join(caught.value.problems or (caught.value.cause,))


def texts(table: ConceptTable) -> list[str]:
    return [variant.text for variant in table.variants]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_back_the_same_table_and_fingerprint(tmp_path: Path, suffix: str) -> None:
    again = ConceptTable.load(FULL.save(tmp_path / f"table.{suffix}"))
    assert again == FULL
    assert again.fingerprint == FULL.fingerprint


def test_dataframe_gives_back_the_same_table() -> None:
    df = FULL.to_dataframe()
    assert tuple(df.columns) == (*COLUMNS, "x_Owner")
    assert ConceptTable.from_dataframe(df) == FULL


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.sampled_from(SUFFIXES))
def test_whatever_is_accepted_survives_every_format(
    tmp_path_factory: pytest.TempPathFactory, variants: list[str], suffix: str
) -> None:
    try:
        table = ConceptTable.from_variants({"c": variants})
    except ConceptTableError:
        return
    again = ConceptTable.load(table.save(tmp_path_factory.mktemp("t") / f"t.{suffix}"))
    assert again.fingerprint == table.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"concept": "other"},
        {"text": "b1"},
        {"match": "prefix"},
        {"case": "sensitive"},
        {"inflect": "off"},
        {"status": "proposed"},
    ],
)
def test_fingerprint_changes_with_what_is_searched(change: dict[str, str]) -> None:
    one = Variant(concept="c", text="a1")
    other = one.model_copy(update=change)
    assert ConceptTable(variants=(one,)).fingerprint != ConceptTable(variants=(other,)).fingerprint


def test_fingerprint_changes_with_the_role_and_not_with_order_or_words_about_it() -> None:
    rows = (Variant(concept="c", text="a1"), Variant(concept="d", text="b1"))
    table = ConceptTable(variants=rows)
    told = [
        v.model_copy(
            update={"note": "n", "reviewer": "r", "source": "s", "reference": "f", "date": DAY, "id": v.text}
        )
        for v in rows
    ]
    about = ConceptInfo(name="c", description="what it means")
    assert table.fingerprint == ConceptTable(variants=tuple(told[::-1]), info=(about,)).fingerprint
    assert (
        table.fingerprint
        != ConceptTable(variants=rows, info=(ConceptInfo(name="c", role="context"),)).fingerprint
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("long.csv", "Concept,VARIANT\nAI,AI\nAI,deep learning\n"),
        ("bom.csv", b"\xef\xbb\xbf" + b"concept,variant\r\nAI,AI\r\nAI,deep learning\r\n"),
        ("utf16.csv", "concept,variant\nAI,AI\nAI,deep learning\n".encode("utf-16")),
        ("utf16le.csv", "concept,variant\nAI,AI\nAI,deep learning\n".encode("utf-16-le")),
        ("semicolon.csv", 'sep=;\nconcept;variant;note\nAI;AI;"a; b"\n\nAI;deep learning;\n'),
        ("semi.csv", "concept;variant\nAI;AI\nAI;deep learning\n"),
        ("tab.tsv", "concept\tvariant\nAI\tAI\nAI\tdeep learning\n"),
        ("short.csv", "concept,variants\nAI,AI | deep learning\n"),
        ("map.json", '{"AI": ["AI", {"variant": "deep learning"}]}'),
        ("rows.json", '[{"concept": "AI", "variants": ["AI", "deep learning"]}]'),
        (
            "model.json",
            '{"variants": [{"concept":"AI","text":"AI"},{"concept":"AI","text":"deep learning"}]}',
        ),
        ("map.yaml", "AI:\n  - AI\n  - deep learning\n"),
        ("bars.yaml", "AI: AI|deep learning\n"),
        ("rows.yml", "- {concept: AI, variant: AI}\n- {Concept: AI, Variant: deep learning}\n"),
    ],
)
def test_forms_that_people_write(tmp_path: Path, name: str, content: str | bytes) -> None:
    table = loaded(tmp_path, name, content)
    assert table.concepts == ("AI",)
    assert texts(table) == ["AI", "deep learning"]


def test_the_dataframe_of_the_method() -> None:
    df = pd.DataFrame({"concept": ["AI", "power"], "variants": [["AI", "LLM"], np.array(["electricity"])]})
    table = ConceptTable.from_dataframe(df)
    assert [(v.concept, v.text) for v in table.variants] == [
        ("AI", "AI"),
        ("AI", "LLM"),
        ("power", "electricity"),
    ]
    assert table.by_concept[1] == Concept(name="power", variants=(table.variants[2],))


def test_a_bar_that_belongs_to_a_variant(tmp_path: Path) -> None:
    assert texts(loaded(tmp_path, "t.csv", "concept,variants\nc,P(a\\|b)|other\n")) == ["P(a|b)", "other"]


def test_scalars_stay_as_written(tmp_path: Path) -> None:
    assert texts(loaded(tmp_path, "t.yaml", "c: [NO, 10.30, 2024-01-01, off]")) == [
        "NO",
        "10.30",
        "2024-01-01",
        "off",
    ]
    assert texts(loaded(tmp_path, "t.json", '[{"concept": "c", "variant": 10.30}]')) == ["10.30"]
    assert texts(loaded(tmp_path, "t.csv", "concept,variant\nc,007\n")) == ["007"]


def test_numbers_in_a_workbook_are_what_the_cell_shows(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"concept": ["c", "c", "c"], "variant": [10.3, 10, True]}, dtype=object).to_excel(
        path, index=False
    )
    assert texts(ConceptTable.load(path)) == ["10.3", "10", "TRUE"]


def test_all_problems_at_once_each_with_row_column_and_remedy(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        "t.csv",
        "concept,variant,match,case,status,colour\n"
        ",AI,word,,,\n"
        "AI,,word,,,\n"
        "AI,\u200b\u00ad,word,,,\n"
        "AI,x(,regex,,,\n"
        "AI,LLM,wrd,insensitiv,acepted,\n"
        "AI,bot,,,,\n"
        "AI,bot,,,,\n"
        "robots,Bot,,,,\n"
        "AI,one,,,,,two\n",
    )
    for part in (
        "column 'colour' is unknown",
        "row 2, column concept: is empty: write",
        "row 3, column variant: is empty: write",
        "row 4, column variant: holds only invisible characters",
        "row 5, column variant: is not a regular expression: missing ) at position 3",
        "row 6, column match: 'wrd' is unknown: write 'word'",
        "row 6, column case: 'insensitiv' is unknown: write 'insensitive'",
        "row 6, column status: 'acepted' is unknown: write 'accepted'",
        "row 8, column variant: 'bot' stands in concept 'AI' already (row 7)",
        "row 9, column variant: 'Bot' stands in concept 'AI' too (row 7)",
        "row 10: 1 cells more than the head has",
    ):
        assert part in found


@pytest.mark.parametrize(
    ("cell", "part"),
    [
        ("a\nb", "line break"),
        ("\ud800x", "half a character"),
        ("x" * 10_001, "10,001 characters"),
        ("a\x07b", "U+0007"),
        (None, "is empty"),
        (float("nan"), "is empty"),
        (pd.NA, "is empty"),
        (pd.Timestamp("2024-01-02"), "holds a date"),
        ({"a": 1}, "holds a dict"),
    ],
)
def test_cells_that_cannot_be_searched(cell: object, part: str) -> None:
    df = pd.DataFrame({"concept": ["c"], "variants": [[cell]]})
    with pytest.raises(ConceptTableError) as caught:
        ConceptTable.from_dataframe(df)
    assert part in caught.value.problems[0]
    assert caught.value.problems[0].startswith("row 1")


@pytest.mark.parametrize(
    ("concept", "text", "match", "part"),
    [
        ("a + b", "x1", "word", "joins concepts"),
        ("c", "x*", "regex", "matches the empty text"),
        ("c", "[", "regex", "is not a regular expression"),
    ],
)
def test_names_and_expressions(concept: str, text: str, match: MatchMode, part: str) -> None:
    with pytest.raises(ConceptTableError, match=part):
        ConceptTable.from_variants({concept: [text]}, match=match)


def test_one_variant_in_two_concepts_where_a_person_keeps_the_table() -> None:
    shared = pd.DataFrame({"concept": ["a", "b"], "variant": ["bank", "Bank"]})
    with pytest.raises(ConceptTableError, match="stands in concept 'a' too"):
        ConceptTable.from_dataframe(shared)
    # A rejected variant is a record of a decision, and an acronym is another word than its lower case.
    assert ConceptTable.from_dataframe(shared.assign(status=["rejected", "accepted"])).active
    assert ConceptTable.from_dataframe(shared.assign(variant=["IT", "it"]))
    assert ConceptTable.from_variants({"a": ["bank"], "b": ["bank"]})


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("empty.csv", "", "is empty"),
        ("blank.json", " \n", "is empty"),
        ("head.csv", "concept,variant\n", "no row"),
        ("cols.csv", "a,b\n1,2\n", "column 'concept' is missing"),
        ("both.csv", "concept,variant,variants\na,b,c\n", "side by side"),
        ("twice.csv", "concept,variant,Variant\na,b,c\n", "stands twice"),
        ("open.csv", 'concept,variant\na,"b\n', "check its quotes"),
        ("zip.csv", b"PK\x03\x04rest", "ZIP or Excel"),
        ("pdf.yaml", b"%PDF-1.7", "a PDF"),
        ("garbage.csv", bytes(range(256)), "not text"),
        ("bad16.csv", b"\xff\xfea", "cannot be decoded as UTF-16"),
        ("table.txt", "concept,variant\n", "suffix '.txt'"),
        ("broken.json", '{"a": [', "is not JSON"),
        ("deep.json", "[" * 100_000, "nested too deeply"),
        ("scalar.json", '"AI"', "holds no table"),
        ("double.json", '{"AI": ["a1"], "AI": ["b1"]}', "'AI' stands twice"),
        ("null.json", '{"AI": null}', "not a list"),
        ("nested.json", '{"AI": [["a1"]]}', "is a list"),
        ("list.json", '{"AI": []}', "has no variant"),
        ("other.json", '{"AI": [{"concept": "B", "variant": "b1"}]}', "names another concept"),
        ("key.json", '[{"concept": "AI", "word": "b1"}]', "no key 'variant'"),
        ("double.yaml", "AI: [a1]\nAI: [b1]\n", "'AI' stands twice"),
        ("bad.yaml", "AI: [a1\n", "is not YAML"),
        ("text.yaml", "just a sentence", "holds no table"),
        ("tag.yaml", "AI: !!python/object/apply:os.system ['true']\n", "'true'|no variant|holds|variant"),
        ("not.xlsx", b"not a zip", "is not an Excel workbook"),
    ],
)
def test_files_that_are_no_table(tmp_path: Path, name: str, content: str | bytes, part: str) -> None:
    if name == "tag.yaml":
        assert loaded(tmp_path, name, content).variants[0].text == "true"  # text, never a call
        return
    assert part in problems(tmp_path, name, content)


def test_missing_file_and_directory(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, part in (("none.csv", "no such file"), ("folder.csv", "is a directory")):
        with pytest.raises(ConceptTableError, match=part):
            ConceptTable.load(tmp_path / name)


def test_workbooks_without_rows_with_two_tables_and_with_errors(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    pd.DataFrame().to_excel(path)
    with pytest.raises(ConceptTableError, match="no rows"):
        ConceptTable.load(path)
    table = FULL.to_dataframe().query("match != 'substring'")  # pandas would write it as a formula
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"Read me": ["for the expert"]}).to_excel(book, sheet_name="Notes", index=False)
        table.to_excel(book, sheet_name="A", index=False)
    assert ConceptTable.load(path).concepts == FULL.concepts
    with pd.ExcelWriter(path) as book:
        table.to_excel(book, sheet_name="A", index=False)
        table.to_excel(book, sheet_name="B", index=False)
    with pytest.raises(ConceptTableError, match="sheet 'B' is a table too"):
        ConceptTable.load(path)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp932", ["人工知能", "データセンター"]),
        ("cp932", ["生成AI", "ひらがな"]),
        ("cp1252", ["élévation", "Straße", "créée"]),
        ("cp1252", ["résumé", "Größe “quoted”"]),
        ("cp1252", ["señal", "año"]),  # no Polish word is seńal
        ("cp1252", ["città", "perché"]),
        ("cp1252", ["proteção", "smörgåsbord", "Ærø"]),
    ],
)
def test_old_encodings_that_read_in_one_way_only(tmp_path: Path, encoding: str, words: list[str]) -> None:
    content = "concept,variant\n" + "".join(f"c,{word}\n" for word in words)
    assert texts(loaded(tmp_path, "t.csv", content.encode(encoding))) == words


@pytest.mark.parametrize(
    "data",
    [
        b"concept,variant\nc,\x81\x8d\n",
        "concept,variant\nc,電力\n".encode("euc-jp"),
        "concept,variant\nc,ток\n".encode("cp1251"),
        "concept,variant\nc,电力\n".encode("gbk"),
        "concept,variant\nc,příliš\n".encode("cp1250"),
        "concept,variant\nc,koń\n".encode("cp1250"),  # koñ of Windows-1252
        "concept,variant\nc,modèle\n".encode("cp1252"),  # or modčle of Windows-1250
        "concept,variant\nc,vŕba\n".encode("cp1250"),  # vàba of Windows-1252
    ],
)
def test_other_encodings_are_refused_with_what_was_tried(tmp_path: Path, data: bytes) -> None:
    found = problems(tmp_path, "t.csv", data)
    assert "tried UTF-8" in found
    assert "Shift_JIS" in found
    assert "Windows-1252" in found


@pytest.mark.parametrize(
    "data",
    [
        b"concept,variant\nc,power\x00 ab\n",
        b"concept,variant\nc,power\x00 abc\n",
        b"concept,variant\n" + b"c,power\n" * 1000 + b"c,po\x00wer\n",
    ],
)
def test_zero_bytes_are_no_text(tmp_path: Path, data: bytes) -> None:
    assert "it has zero bytes" in problems(tmp_path, "t.csv", data)


def test_save_refuses_what_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        FULL.save(tmp_path / "t.txt")
    assert not list(tmp_path.iterdir())


def test_a_single_string_is_one_variant() -> None:
    assert texts(ConceptTable.from_variants({"c": "data center"})) == ["data center"]
    with pytest.raises(ConceptTableError, match="has no variant"):
        ConceptTable.from_variants({"c": []})
    with pytest.raises(ConceptTableError):
        ConceptTable.from_variants({})


def test_choices_are_those_of_the_model() -> None:
    named = {"match": MatchMode, "case": CaseMode, "inflect": InflectMode, "status": Status, "role": Role}
    assert {column: get_args(kind) for column, kind in named.items()} == CHOICES


@pytest.mark.parametrize(
    "text",
    [
        "AI",
        "IT",
        "US",
        "GenAI",
        "ai",
        "A",
        "a",
        "R&D",
        "U.S.",
        "CO2",
        "COVID-19",
        "ABCDEF",
        "C++",
        "電力",
        "生成AI",
        "É",
        "ÉU",
        "AI-Act",
    ],
)
def test_lint_and_near_misses_take_case_as_the_sweep_does(text: str) -> None:
    variant = Variant(concept="c", text=text)
    assert variant.case_sensitive == compile_variant(variant).sensitive == is_acronym(text)


def test_json_of_the_model_is_a_table_file(tmp_path: Path) -> None:
    assert loaded(tmp_path, "t.json", json.dumps(FULL.model_dump())) == FULL
