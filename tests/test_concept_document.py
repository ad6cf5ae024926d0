"""A table as a document: ids that stay, decisions with a name and a day, files that keep their form, roles."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
import yaml
from openpyxl import Workbook, load_workbook

import docaudit
from docaudit.codes import Finding
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import ConceptInfo, Variant
from docaudit.errors import ConceptTableError
from tests import pdfs

DAY = dt.date(2026, 1, 31)
WAITING = Variant(concept="AI", text="neural network", status="proposed", source="embedding")


def table() -> ConceptTable:
    return ConceptTable.from_variants({"AI": ["AI", "machine learning"], "power": ["electricity"]})


def test_ids_depend_on_the_row_and_not_on_its_place() -> None:
    ids = {variant.text: variant.id for variant in table().variants}
    turned = ConceptTable.from_variants({"power": ["electricity"], "AI": ["machine learning", "AI"]})
    assert {variant.text: variant.id for variant in turned.variants} == ids
    assert len(set(ids.values())) == 3
    # Excel takes 12e45678 for a number, and never what begins with this letter.
    assert all(made.startswith("v") for made in ids.values())


def test_a_row_that_is_edited_in_a_file_keeps_its_id(tmp_path: Path) -> None:
    path = table().save(tmp_path / "t.csv")
    edited = path.read_text("utf-8-sig").replace("machine learning,", "statistical learning,")
    path.write_text(edited, "utf-8")
    again = ConceptTable.load(path)
    assert again.variants[1].text == "statistical learning"
    assert again.variants[1].id == table().variants[1].id


def test_ten_thousand_rows_have_as_many_ids() -> None:
    many = ConceptTable.from_variants({"c": [f"word {number}" for number in range(10_000)]})
    assert len({variant.id for variant in many.variants}) == 10_000


def test_a_decision_has_a_person_and_a_day_and_leaves_the_table_as_it_was() -> None:
    before = table().add([WAITING])
    row = before.proposed[0]
    after = before.decide(row.id, "rejected", reviewer=" A. Expert ", date=DAY, note="too wide")
    assert before.proposed == (row,)
    decided = after.row(row.id)
    assert (decided.status, decided.reviewer, decided.date, decided.note) == (
        "rejected",
        "A. Expert",
        DAY.isoformat(),
        "too wide",
    )
    assert after.fingerprint != before.fingerprint
    assert after.decide(row.id, "accepted", reviewer="B", date=DAY).row(row.id).note == "too wide"
    assert before.decide(row.id, "accepted", reviewer="B").row(row.id).date == dt.date.today().isoformat()


def test_no_decision_without_a_person_and_none_on_a_row_that_is_not_there() -> None:
    with pytest.raises(ConceptTableError, match="needs a reviewer"):
        table().decide(table().variants[0].id, "accepted", reviewer=" ")
    with pytest.raises(ConceptTableError, match="is no decision"):
        table().decide(table().variants[0].id, "proposed", reviewer="A")  # type: ignore[arg-type]
    with pytest.raises(ConceptTableError, match="no row 'v0'"):
        table().decide("v0", "accepted", reviewer="A")


def test_what_is_added_is_checked_as_what_is_loaded() -> None:
    with pytest.raises(ConceptTableError, match="stands in concept 'AI' already"):
        table().add([Variant(concept="AI", text="AI")])
    with pytest.raises(ConceptTableError, match="stands in concept 'AI' too"):
        table().add([Variant(concept="power", text="Machine Learning")])
    shared = ConceptTable.from_variants({"a": ["bank"], "b": ["bank"]})
    assert shared.add([Variant(concept="b", text="shore")]).concepts == ("a", "b")


def test_a_csv_keeps_its_columns_their_order_and_its_separator(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Variant;x_Owner;Concept\nAI;legal;AI\nLLM;;AI\n", "utf-8")
    loaded = ConceptTable.load(path)
    loaded.add([WAITING]).save(path)
    lines = path.read_text("utf-8-sig").splitlines()
    assert lines[0] == "Variant;x_Owner;Concept;status;source;id"
    assert lines[1].startswith("AI;legal;AI;accepted;;v")
    assert lines[3].startswith("neural network;;AI;proposed;embedding;v")
    assert ConceptTable.load(path) == loaded.add([WAITING])


def test_a_short_form_becomes_a_long_one_where_rows_have_ids(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("concept,variants,note\nAI,AI|LLM,x\n", "utf-8")
    ConceptTable.load(path).save(path)
    assert path.read_text("utf-8-sig").splitlines()[0] == "concept,variant,note,id"


def test_a_workbook_keeps_its_other_sheets_its_widths_and_its_head(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = Workbook()
    notes, sheet = book.active, book.create_sheet("Words")
    assert notes is not None
    notes["A1"] = "How this table was made"
    sheet.column_dimensions["B"].width = 44
    for row in ([], ["Concept", "Variant", "x_owner"], ["AI", "AI", "legal"], ["AI", "LLM", None]):
        sheet.append(row)
    book.save(path)
    loaded = ConceptTable.load(path)
    after = loaded.decide(loaded.variants[1].id, "rejected", reviewer="A", date=DAY)
    after.save(path)
    saved = load_workbook(path)
    assert saved.sheetnames == [notes.title, "Words"]
    assert saved.worksheets[0]["A1"].value == "How this table was made"
    assert saved["Words"].column_dimensions["B"].width == 44
    head, first = (
        list(saved["Words"].values)[:2] if saved["Words"]["A1"].value else list(saved["Words"].values)[1:3]
    )
    assert head == ("Concept", "Variant", "x_owner", "status", "reviewer", "date", "id")
    assert first[:4] == ("AI", "AI", "legal", "accepted")
    assert ConceptTable.load(path) == after
    ConceptTable(variants=after.variants[:1]).save(path)
    assert len(ConceptTable.load(path).variants) == 1


def test_a_table_that_begins_in_the_second_column_stays_there(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in ([None, "concept", "variant"], [None, "AI", "AI"]):
        sheet.append(row)
    book.save(path)
    loaded = ConceptTable.load(path)
    loaded.save(path)
    assert next(load_workbook(path).active.values) == (None, "concept", "variant", "id")  # type: ignore[union-attr]
    assert ConceptTable.load(path) == loaded


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_columns_that_no_table_may_have_are_not_kept(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    if suffix == "csv":
        path.write_text("concept,colour,variant,more,again\nc,red,x1,y,z\n", "utf-8")
    else:
        book = Workbook()
        sheet = book.active
        assert sheet is not None
        for row in (
            ["concept", "colour", "variant", *"abcdefghijklmnop"],
            ["c", "red", "x1", *"abcdefghijklmnop"],
        ):
            sheet.append(row)
        book.save(path)
    table().save(path)
    assert ConceptTable.load(path) == table()


def test_own_columns_cannot_take_the_place_of_others() -> None:
    with pytest.raises(ValueError, match="does not begin with x_"):
        Variant(concept="c", text="x1", own=(("note", "n"),))


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_mapping_of_concepts_stays_one(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    tree = {
        "AI": {
            "role": "context",
            "description": "what learns",
            "variants": ["AI", {"variant": "LLM", "note": "n"}],
        },
        "power": ["electricity"],
    }
    path.write_text(json.dumps(tree), "utf-8")
    loaded = ConceptTable.load(path)
    assert loaded.about("AI") == ConceptInfo(name="AI", role="context", description="what learns")
    assert loaded.required_concepts == ("power",)
    loaded.save(path)
    saved = (
        json.loads(path.read_text("utf-8")) if suffix == "json" else yaml.safe_load(path.read_text("utf-8"))
    )
    assert list(saved) == ["AI", "power"]
    assert saved["AI"]["role"] == "context"
    assert saved["AI"]["variants"][1]["note"] == "n"
    assert ConceptTable.load(path) == loaded


def problems(text: str, tmp_path: Path) -> str:
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(ConceptTableError) as caught:
        ConceptTable.load(path)
    return "\n".join(caught.value.problems)


def test_problems_of_the_new_columns(tmp_path: Path) -> None:
    found = problems(
        "concept,variant,role,description,id,date,owner\n"
        "AI,AI,required,what learns,a1,2026-02-30,\n"
        "AI,LLM,context,what talks,a1,3/4/2026,\n"
        "AI,bot,must,,b1,31.1.2026,\n",
        tmp_path,
    )
    for part in (
        "column 'owner' is unknown",
        "a column of your own begins with x_",
        "row 2, column date: '2026-02-30' is no clear day: write it as 2026-01-31",
        "row 3, column date: '3/4/2026' is no clear day",
        "row 3, column role: 'context' is not what row 2 says of concept 'AI'",
        "row 3, column description: 'what talks' is not what row 2 says",
        "row 3, column id: 'a1' stands in row 2 already",
        "row 4, column role: 'must' is unknown",
    ):
        assert part in found
    assert "row 4, column date" not in found


def test_a_context_concept_is_counted_and_not_needed() -> None:
    page = pdfs.document(pdfs.text("electricity prices in Norway"))
    rows = tuple(Variant(concept=text, text=text) for text in ("electricity", "Norway", "zebra"))
    both = ConceptTable(variants=rows, info=(ConceptInfo(name="zebra", role="context"),))
    found = docaudit.audit(page, both, ocr="off")
    assert found.finding is Finding.MENTIONED
    assert found.required == ("electricity", "Norway")
    assert found.concept_hits["zebra"] == 0
    assert docaudit.audit(page, both, ocr="off", required=("zebra",)).required == ("zebra",)
    nothing = ConceptTable(variants=rows[:1], info=(ConceptInfo(name="electricity", role="context"),))
    with pytest.raises(ConceptTableError, match="has the role context"):
        docaudit.audit(page, nothing, ocr="off")


def test_a_table_in_which_nothing_is_accepted_loads_and_cannot_be_swept(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("concept,variant,status\nAI,AI,proposed\n", "utf-8")
    waiting = ConceptTable.load(path)
    with pytest.raises(ConceptTableError, match="no variant of the concept table is accepted"):
        docaudit.audit(pdfs.document(pdfs.text("AI")), waiting)
