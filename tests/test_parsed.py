"""A saved parse is the parse: equal tables, equal findings; a damaged one is refused and never read in part."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pymupdf
import pytest

import docaudit
from docaudit import saved as json_form
from docaudit.document import PARSED_TABLES, ParsedDocument
from docaudit.errors import OutputError, SavedFileError, TableContractError
from docaudit.tables import TABLES, TableContract
from tests import pdfs
from tests.conftest import parse_once


def page(page: pymupdf.Page) -> None:
    pdfs.write(page, ["Figure 1: Cranes", "As Figure 1 shows, and Annex C."], step=40)
    page.insert_image(pymupdf.Rect(72, 400, 492, 452), stream=pdfs.picture("words in a picture"))


RICH = pdfs.document(
    page, pdfs.japanese("第一条 電力"), pdfs.blank, finish=lambda doc: doc.set_toc([[1, "Cranes", 1]])
)
EMPTY = pdfs.document(pdfs.blank)
TABLE = docaudit.ConceptTable.from_variants({"power": ["電力"], "AI": ["AI"]})


@pytest.mark.parametrize("data", [RICH, EMPTY], ids=["rich", "empty"])
def test_round_trip(tmp_path: Path, data: bytes) -> None:
    parsed = parse_once(data)
    folder = parsed.save(tmp_path / "kept")
    loaded = ParsedDocument.load(folder)
    for name in PARSED_TABLES:
        before, after = getattr(parsed, name), getattr(loaded, name)
        pd.testing.assert_frame_equal(before, after)
        assert tuple(after.columns) == TABLES[name].columns
    assert (loaded.identity, loaded.options, loaded.coverage) == (
        parsed.identity,
        parsed.options,
        parsed.coverage,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]  # nothing temporary is left


def test_the_rich_one_has_rows_in_every_table_and_the_empty_one_in_none_but_its_page() -> None:
    assert [name for name in PARSED_TABLES if getattr(parse_once(RICH), name).empty] == []
    assert [name for name in PARSED_TABLES if len(getattr(parse_once(EMPTY), name))] == ["page_df"]


def test_second_audit_from_a_saved_parse_is_equal(tmp_path: Path) -> None:
    parsed = parse_once(RICH)
    loaded = ParsedDocument.load(parsed.save(tmp_path / "kept"))
    question = "AIはどれだけ電力を使うか。"
    first = docaudit.audit(parsed, TABLE, question=question)
    assert docaudit.audit(loaded, TABLE, question=question) == first
    assert json_form.dump(docaudit.audit(loaded, TABLE, question=question)) == json_form.dump(first)


def test_pages_are_in_order_and_none_is_missing() -> None:
    assert parse_once(RICH).page_df["page_num"].tolist() == [1, 2, 3]


def test_the_password_is_not_saved(tmp_path: Path) -> None:
    parsed = parse_once(pdfs.encrypted(EMPTY, user="hunter2"), password="hunter2")
    folder = parsed.save(tmp_path / "kept")
    assert all(b"hunter2" not in file.read_bytes() for file in folder.iterdir())


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return parse_once(RICH).save(tmp_path / "kept")


def refused(folder: Path) -> SavedFileError:
    with pytest.raises(SavedFileError) as caught:
        ParsedDocument.load(folder)
    assert caught.value.file == str(folder)
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize("name", [*(f"{table}.parquet" for table in PARSED_TABLES), "document.json"])
def test_a_part_is_missing_or_cut_off(kept: Path, name: str) -> None:
    whole = (kept / name).read_bytes()
    (kept / name).write_bytes(whole[: len(whole) // 2])
    refused(kept)
    (kept / name).write_bytes(b"")
    refused(kept)
    (kept / name).unlink()
    refused(kept)


@pytest.mark.parametrize(
    "change", [{"format": 99}, {"identity": {}}, {"options": {"ocr": "maybe"}}, {"coverage": None}]
)
def test_head_of_another_make(kept: Path, change: dict[str, object]) -> None:
    head = json.loads((kept / "document.json").read_text("utf-8")) | change
    (kept / "document.json").write_text(json.dumps(head), "utf-8")
    refused(kept)


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"', "{}", "\ufeff{", "[" * 100_000])
def test_head_that_is_none(kept: Path, text: str) -> None:
    (kept / "document.json").write_text(text, "utf-8")
    refused(kept)


def test_a_table_with_another_column_is_refused(kept: Path) -> None:
    table = pd.read_parquet(kept / "line_df.parquet").rename(columns={"text": "words"})
    table.to_parquet(kept / "line_df.parquet", index=False)
    refused(kept)


def test_a_table_of_another_document_is_refused(kept: Path, tmp_path: Path) -> None:
    other = parse_once(EMPTY).save(tmp_path / "other")
    shutil.copy(other / "page_df.parquet", kept / "page_df.parquet")
    refused(kept)


def test_no_folder_at_all(tmp_path: Path) -> None:
    refused(tmp_path / "nothing")
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file")


def test_what_lies_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("keep me")
    with pytest.raises(OutputError):
        parse_once(EMPTY).save(tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "keep me"


def test_saving_twice_replaces_the_first(tmp_path: Path) -> None:
    parse_once(EMPTY, ink=False).save(tmp_path / "kept")
    parse_once(EMPTY).save(tmp_path / "kept")
    assert ParsedDocument.load(tmp_path / "kept").options.ink


def test_the_parse_of_another_document_is_not_replaced(tmp_path: Path) -> None:
    kept = parse_once(RICH)
    kept.save(tmp_path / "kept")
    with pytest.raises(OutputError, match=f"parse of another document, {re.escape(kept.identity.name)}"):
        parse_once(EMPTY).save(tmp_path / "kept")
    assert ParsedDocument.load(tmp_path / "kept").identity == kept.identity
    (tmp_path / "kept" / "document.json").write_text('{"name": "of another program"}')
    with pytest.raises(OutputError, match="unknown make"):
        kept.save(tmp_path / "kept")


@pytest.mark.parametrize("contract", TABLES.values(), ids=TABLES.keys())
class TestContract:
    def test_empty_is_typed_and_kept(self, contract: TableContract) -> None:
        table = contract.empty()
        assert tuple(table.columns) == contract.columns
        assert [str(dtype) for dtype in table.dtypes] == [field.dtype for field in contract.fields]
        assert contract.check(table) is table

    def test_each_column_is_missed(self, contract: TableContract) -> None:
        row = contract.build([{}])
        for name in contract.columns:
            with pytest.raises(TableContractError, match=f"'{name}' is missing"):
                contract.check(row.drop(columns=name))

    def test_each_column_of_another_type_is_told(self, contract: TableContract) -> None:
        row = contract.build([{}])
        for field in contract.fields:
            wrong = 1.5 if field.dtype in ("str", "int64", "bool") else "text"
            with pytest.raises(TableContractError, match=f"'{field.name}' is"):
                contract.check(row.assign(**{field.name: pd.Series([wrong])}))

    def test_names_and_meanings_are_told_once(self, contract: TableContract) -> None:
        assert len(set(contract.columns)) == len(contract.columns)
        assert all(field.meaning.strip() for field in contract.fields)


@pytest.mark.parametrize("name", PARSED_TABLES)
def test_tables_of_a_parse_keep_their_contracts(name: str) -> None:
    for data in (RICH, EMPTY):
        table = getattr(parse_once(data), name)
        assert tuple(table.columns) == TABLES[name].columns
        assert [str(dtype) for dtype in table.dtypes] == [field.dtype for field in TABLES[name].fields]


def test_a_folder_with_files_of_a_person_is_not_replaced(tmp_path: Path) -> None:
    parsed = parse_once(pdfs.document(pdfs.text("A crane.")))
    parsed.save(tmp_path / "p")
    parsed.save(tmp_path / "p")  # its own files are
    (tmp_path / "p" / "notes.txt").write_text("keep")
    with pytest.raises(OutputError, match=r"holds other files, which would be lost: notes\.txt"):
        parsed.save(tmp_path / "p")
    assert (tmp_path / "p" / "notes.txt").read_text() == "keep"
