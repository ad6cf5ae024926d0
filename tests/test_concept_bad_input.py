"""Tables as people hand them in: other encodings, Excel's habits, missing columns, thousands of rows.

Each is read as it is meant, or refused with all its faults at once, each with its row. The files are real ones.
"""

from __future__ import annotations

import datetime as dt
import re
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from docaudit.concepts.model import ConceptTable
from docaudit.errors import ConceptTableError

HEAD = ["concept", "variant", "note"]


def texts(table: ConceptTable) -> list[tuple[str, str]]:
    return [(variant.concept, variant.text) for variant in table.variants]


def problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(ConceptTableError) as caught:
        ConceptTable.load(path)
    assert caught.value.remedy
    return caught.value.problems or (f"{caught.value.cause} {caught.value.remedy}",)


def workbook(path: Path, rows: Iterable[list[Any]], **formats: str) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for place, form in formats.items():
        sheet[place].number_format = form
    book.save(path)
    return path


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "utf-32"]
)
@pytest.mark.parametrize("suffix", ["csv", "json", "yaml"])
def test_encodings_that_are_read(tmp_path: Path, encoding: str, suffix: str) -> None:
    content = {
        "csv": "concept,variant\nAI,人工知能\n電力,データセンター\n",
        "json": '{"AI": ["人工知能"], "電力": ["データセンター"]}',
        "yaml": "AI: [人工知能]\n電力: [データセンター]\n",
    }[suffix]
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(content.encode(encoding))
    assert texts(ConceptTable.load(path)) == [("AI", "人工知能"), ("電力", "データセンター")]


@pytest.mark.parametrize(
    ("encoding", "words", "name"),
    [
        ("euc-jp", "データセンターの電力,人工知能,消費電力量", "EUC-JP"),
        ("cp1251", "искусственный интеллект,электроэнергия", "Windows-1251"),
        ("gb18030", "人工智能,数据中心,机器学习,电力消耗", "GB18030"),
        ("cp949", "인공지능,데이터 센터,전력 소비", "CP949"),
    ],
)
def test_encodings_that_are_refused_by_name(tmp_path: Path, encoding: str, words: str, name: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(("concept,variant\n" + "".join(f"c,{w}\n" for w in words.split(","))).encode(encoding))
    (said,) = problems(path)
    assert "tried UTF-8 (fails at byte" in said
    assert f"save the table as UTF-8; it looks like {name}" in said


def test_a_japanese_mail_encoding_is_no_keyword(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("concept,variant\nc,電力\nc,知能\n".encode("iso2022_jp"))
    assert [said.split(",")[0] for said in problems(path)] == ["row 2", "row 3"]
    assert all("U+001B" in said for said in problems(path))


def test_blanks_that_nobody_sees_are_no_part_of_a_keyword(tmp_path: Path) -> None:
    rows = [
        ["concept ", " Variant", "note"],
        ["AI ", " machine learning \u00a0", None],
        ["AI", "\u3000機械学習\u3000", " "],
    ]
    assert texts(ConceptTable.load(workbook(tmp_path / "t.xlsx", rows))) == [
        ("AI", "machine learning"),
        ("AI", "機械学習"),
    ]


def test_numbers_that_excel_made_dates_of(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "t.xlsx", [HEAD, ["c", dt.datetime(2026, 10, 12), ""], ["c", dt.time(10, 30), ""]]
    )
    found = problems(path)
    assert [said.split(":")[0] for said in found] == ["row 2, column variant", "row 3, column variant"]
    assert all("holds a date, not text: format the cell as text" in said for said in found)


def test_numbers_that_look_otherwise_than_they_are_stored(tmp_path: Path) -> None:
    rows = [
        HEAD,
        ["c", 7, ""],
        ["c", 0.5, ""],
        ["c", 27001, ""],
        ["c", 1234567890123456, ""],
        ["c", "x1", 0.25],
    ]
    path = workbook(tmp_path / "t.xlsx", rows, B2="000", B3="0%", C6="0.00")
    found = problems(path)
    assert [said.split(":")[0] for said in found] == ["row 2, cell B2", "row 3, cell B3", "row 5, cell B5"]
    assert "holds 7, shown in the format 000" in found[0]
    assert "more than 15 digits" in found[2]


def test_a_day_in_a_date_cell_of_its_own_column_is_one(tmp_path: Path) -> None:
    rows = [
        ["concept", "variant", "reviewer", "date"],
        ["c", "x1", "A", dt.datetime(2026, 3, 4)],
        ["c", "y1", "A", "2026/3/5"],
    ]
    table = ConceptTable.load(workbook(tmp_path / "t.xlsx", rows))
    assert [variant.date for variant in table.variants] == ["2026-03-04", "2026-03-05"]


def test_merged_cells_count_for_every_row_they_span(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (HEAD, ["AI", "AI", ""], [None, "LLM", ""], [None, "GPU", ""], ["power", "kWh", ""]):
        sheet.append(row)
    sheet.merge_cells("A2:A4")
    book.save(path)
    table = ConceptTable.load(path)
    assert texts(table) == [("AI", "AI"), ("AI", "LLM"), ("AI", "GPU"), ("power", "kWh")]
    table.save(path)
    assert texts(ConceptTable.load(path)) == texts(table)
    sheet.merge_cells("B5:C5")
    book.save(path)
    assert problems(path) == ("row 5, cells B5:C5: are merged over columns: unmerge them",)


def with_values(path: Path, values: dict[str, str]) -> Path:
    """The same workbook as Excel saves it: with the value that it computed beside each formula."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    for place, value in values.items():
        sheet, count = re.subn(
            rf'<c r="{place}"([^>]*)><f>(.*?)</f><v ?/?>(</v>)?</c>',
            rf'<c r="{place}"\1 t="str"><f>\2</f><v>{value}</v></c>',
            sheet,
        )
        assert count == 1
    parts["xl/worksheets/sheet1.xml"] = sheet.encode()
    with zipfile.ZipFile(path, "w") as book:
        for name, data in parts.items():
            book.writestr(name, data)
    return path


def test_formulas_count_with_their_values_and_are_named_without(tmp_path: Path) -> None:
    rows = [
        HEAD,
        ["c", '="data"&" centre"', ""],
        ["c", '=UPPER("llm")', ""],
        ["c", "plain", ""],
        ["c", "=1/0", ""],
    ]
    path = workbook(tmp_path / "t.xlsx", rows)
    found = problems(path)
    named = [said for said in found if "holds a formula that was never computed" in said]
    assert [said.split(":")[0] for said in named] == ["row 2, cell B2", "row 3, cell B3", "row 5, cell B5"]
    computed = {"B2": "data centre", "B3": "LLM", "B5": "#DIV/0!"}
    assert problems(with_values(path, computed)) == ("row 5, cell B5: holds the error #DIV/0!",)
    path = with_values(workbook(path, rows[:4]), {"B2": "data centre", "B3": "LLM"})
    assert texts(ConceptTable.load(path)) == [("c", "data centre"), ("c", "LLM"), ("c", "plain")]


def test_a_cell_far_away_is_named_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (HEAD, ["AI", "AI", ""]):
        sheet.append(row)
    sheet.cell(1_048_576, 16_384, "x")
    book.save(path)
    (said,) = problems(path)
    assert "goes to row 1,048,576 and column 16,384" in said


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_title_above_the_head_is_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    rows = [["Keywords of the audit 2026", "", ""], ["", "", ""], HEAD, ["AI", "AI", ""]]
    if suffix == "xlsx":
        workbook(path, rows)
    else:
        path.write_text("\n".join(",".join(row) for row in rows), "utf-8")
    assert "row 3: is the head of the table: delete what stands above it" in problems(path)


@pytest.mark.parametrize(
    ("head", "missing"),
    [
        ("concept,word,note", ("column 'word' is unknown", "column 'variant' (or 'variants'")),
        ("topic,variant", ("column 'topic' is unknown", "column 'concept' is missing")),
        ("Konzept;Begriff", ("column 'concept' is missing", "column 'variant' (or 'variants'")),
    ],
)
def test_columns_that_are_missing(tmp_path: Path, head: str, missing: tuple[str, ...]) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{head}\nAI,AI,\n", "utf-8")
    found = "\n".join(problems(path))
    assert all(part in found for part in missing)


def test_a_column_of_synonyms_is_never_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("concept,variant,synonyms\nAI,AI,machine learning\n", "utf-8")
    assert "column 'synonyms' is unknown" in problems(path)[0]


ROWS = 5_000
FAULTS = {17: "", 1_000: "word 3", 2_500: "a\x07b"}


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json", "yaml"])
def test_thousands_of_rows_load_in_seconds(tmp_path: Path, suffix: str) -> None:
    table = ConceptTable.from_variants({"c": [f"word {number}" for number in range(ROWS)]})
    path = table.save(tmp_path / f"t.{suffix}")
    start = time.process_time()
    assert ConceptTable.load(path) == table
    # YAML and XLSX are read by libraries that take most of this time.
    assert time.process_time() - start < 30


def test_all_faults_among_thousands_of_rows_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    cells = [FAULTS.get(row, f"word {row}") for row in range(2, ROWS)]
    path.write_text("concept,variant\n" + "".join(f"c,{cell}\n" for cell in cells), "utf-8")
    found = problems(path)
    parts = {17: "is empty", 1_000: "'word 3' stands in concept", 2_500: "U+0007"}
    assert [said.split(",")[0] for said in found] == [f"row {row}" for row in parts]
    assert all(part in said for part, said in zip(parts.values(), found, strict=True))
