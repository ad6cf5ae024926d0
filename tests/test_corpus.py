"""A run over many documents: each once, each with its row, and what is there is not done again."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import docaudit
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import ConceptInfo, Variant
from docaudit.corpus.audits import AUDIT_TABLES, STORE_TABLES, arrow_schema
from docaudit.corpus.matrix import load_matrix
from docaudit.corpus.sources import find
from docaudit.errors import (
    ClusterError,
    ConceptTableError,
    DocumentNotFoundError,
    OptionError,
    OutputError,
    QuestionError,
    StoreError,
)
from docaudit.saved import dump
from tests import pdfs
from tests.corpora import TABLES, content, folder_of, run_here, small, table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with two documents, a copy, four that cannot be read and a text file; and the store of a run over it."""
    root = tmp_path_factory.mktemp("corpus")
    docs = folder_of(
        root / "docs",
        one=small(1),
        two=pdfs.document(pdfs.text("Nothing of the kind."), pdfs.text("Crane, ferry.")),
        locked=pdfs.encrypted(small(3), "secret"),
        empty=b"",
        html=b"<!doctype html><p>404</p>",
        cut=small(4)[:300],
    )
    (docs / "deep").mkdir()
    (docs / "deep" / "copy of one.pdf").write_bytes(small(1))
    (docs / "notes.txt").write_text("crane")
    (docs / "without-suffix").write_bytes(small(5))
    (docs / "around").symlink_to(docs)
    done = run_here(docs, root / "store")
    assert (done.documents, done.read, len(done.failed)) == (7, 3, 4)
    assert done.not_documents == 2
    return docs, root / "store"


def sha_of(store: Path, name: str) -> str:
    frame = table(store, "documents")
    return str(frame.loc[frame["name"] == name, "sha256"].item())


def test_a_justification_is_what_audit_json_prints(filled: tuple[Path, Path]) -> None:
    docs, store = filled
    findings = table(store, "findings").query("justification != ''")
    assert len(findings) == 6
    names = table(store, "documents").set_index("sha256")["name"]
    for row in findings.itertuples():
        path = next(docs.rglob(names[row.sha256]))
        expected = docaudit.audit(path, TABLES[row.concept_table], ocr="off", page_seconds=300.0)
        assert (store / row.justification).read_text("utf-8") == dump(expected)
        assert (row.finding, row.explanation) == (expected.finding.value, expected.absence_explanation)


def test_every_document_is_there_once_and_every_path(filled: tuple[Path, Path]) -> None:
    docs, store = filled
    documents = table(store, "documents").set_index("name")
    # Of the two copies the first by path gives the name.
    assert documents["n_paths"].to_dict() == {
        "copy of one.pdf": 2,
        "two.pdf": 1,
        "without-suffix": 1,
        "locked.pdf": 1,
        "empty.pdf": 1,
        "html.pdf": 1,
        "cut.pdf": 1,
    }
    assert documents["failure"].to_dict() == {
        "copy of one.pdf": "",
        "two.pdf": "",
        "without-suffix": "",
        "locked.pdf": "password_required",
        "empty.pdf": "not_a_pdf",
        "html.pdf": "not_a_pdf",
        "cut.pdf": "damaged",
    }
    assert documents.loc["two.pdf", ["pages_total", "pages_text", "state"]].tolist() == [2, 2, "read"]
    paths = table(store, "paths").set_index("path")
    assert len(paths) == 10
    assert paths.loc[str(docs / "notes.txt"), ["state", "reason"]].tolist() == ["not_a_pdf", "not a PDF"]
    assert paths.loc[str(docs / "around"), "reason"] == f"the same folder as {docs}"


def test_what_could_not_be_read_has_its_rows_too(filled: tuple[Path, Path]) -> None:
    _, store = filled
    findings, cells = table(store, "findings"), table(store, "cells")
    assert len(findings) == 7 * 2
    assert len(cells) == 7 * 4
    locked = sha_of(store, "locked.pdf")
    assert set(findings.loc[findings["sha256"] == locked, "finding"]) == {"error"}
    assert set(cells.loc[cells["sha256"] == locked, "failure"]) == {"password_required"}


def test_the_tables_have_the_columns_that_are_documented(filled: tuple[Path, Path]) -> None:
    import pyarrow.parquet as pq

    _, store = filled
    audits = set(table(store, "audits")["audit"])
    for name, contract in STORE_TABLES.items():
        files = list((store / "tables" / name).glob("*")) if contract in AUDIT_TABLES else []
        assert {one.stem for one in files} == (audits if contract in AUDIT_TABLES else set())
        for file in files or [store / "tables" / f"{name}.parquet"]:
            assert pq.read_schema(file).remove_metadata() == arrow_schema(contract)
    assert all(len(column.meaning) > 5 for one in STORE_TABLES.values() for column in one.fields)


def test_hits_pages_and_blind_spots_are_those_of_the_document(filled: tuple[Path, Path]) -> None:
    _, store = filled
    two = sha_of(store, "two.pdf")
    hits = table(store, "hits").pipe(lambda frame: frame[frame["sha256"] == two])
    found = list(
        zip(hits["concept_table"], hits["concept"], hits["page_num"], hits["match_text"], strict=True)
    )
    assert sorted(found) == [("machines", "cranes", 2, "Crane"), ("water", "ferry", 2, "ferry")]
    pages = table(store, "pages")
    assert pages.loc[pages["sha256"] == two, "page_num"].tolist() == [1, 2]
    assert set(table(store, "blind_spots")["sha256"]) <= set(table(store, "documents")["sha256"])


def test_a_cell_is_what_an_audit_of_its_concept_alone_says(tmp_path: Path) -> None:
    scan = pdfs.document(pdfs.text("The crane."), pdfs.scan("A ferry that no text layer names."))
    accents = pdfs.document(pdfs.text("Dredging by the résumé."))
    docs = folder_of(tmp_path / "docs", scan=scan, accents=accents, plain=small(2))
    rows = [
        Variant(concept="cranes", text="crane"),
        Variant(concept="ferry", text="ferry"),
        Variant(concept="paper", text="resumé"),
        Variant(concept="water", text="dredging"),
    ]
    asked = ConceptTable(variants=tuple(rows), info=(ConceptInfo(name="water", role="context"),))
    waive = {"references_resolved": "not of interest"}
    run_here(docs, tmp_path / "store", tables={"asked": asked}, waive=waive, question="Is there a crane?")
    names = table(tmp_path / "store", "documents").set_index("sha256")["name"]
    cells = table(tmp_path / "store", "cells")
    assert len(cells) == 3 * 4
    assert len(set(cells["finding"])) == 3  # each finding is among them
    for row in cells.itertuples():
        alone = docaudit.audit(
            docs / names[row.sha256],
            asked,
            question="Is there a crane?",
            ocr="off",
            waive=waive,
            required=(row.concept,),
        )
        told = (alone.finding.value, alone.reason.value if alone.reason else "", alone.strength.value)
        assert (row.finding, row.reason, row.strength) == told
        assert row.unmet == ", ".join(one.obligation.value for one in alone.unmet)
        assert row.hits == alone.concept_hits[row.concept]
        assert row.pages_with_hits == len(alone.concept_pages[row.concept])
        assert row.role == ("context" if row.concept == "water" else "required")
        ledger = [one for one in alone.ledger if one.concept == row.concept]
        assert row.pages_searched == min(one.pages_searched for one in ledger)


def test_a_second_run_does_nothing_and_changes_nothing(filled: tuple[Path, Path]) -> None:
    docs, store = filled
    before = content(store)
    done = run_here(docs, store)
    assert (done.documents, done.read, done.audited, done.unchanged) == (7, 0, 0, 7)
    assert len(done.failed) == 4
    assert content(store) == before


def test_a_renamed_copy_costs_nothing(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store)
    (docs / "one.pdf").rename(docs / "renamed.pdf")
    done = run_here(docs, store)
    assert (done.documents, done.read, done.audited) == (1, 0, 0)
    assert table(store, "paths")["path"].tolist() == [str(docs / "renamed.pdf")]
    assert table(store, "documents")["n_paths"].tolist() == [1]
    # What other runs found elsewhere stays.
    run_here(folder_of(tmp_path / "more", two=small(2)), store)
    assert len(table(store, "paths")) == 2


def test_a_new_table_is_swept_without_the_documents(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1), two=small(2), bad=b""), tmp_path / "store"
    both = tmp_path / "both"
    run_here(docs, both)
    run_here(docs, store, tables={"machines": TABLES["machines"]})
    shutil.rmtree(docs)
    done = run_here([], store, tables={"water": TABLES["water"]})
    assert (done.documents, done.read, done.audited) == (3, 0, 2)
    # As if both tables had been given at once.
    assert content(store / "tables") == content(both / "tables")


def test_a_new_table_finds_what_is_near_as_an_audit_alone_does(tmp_path: Path) -> None:
    lines = [
        "Crane, CRANE",
        "a résumé; elektricity",
        "data, centre",
        "Crane and dredger",
        "biocranes",
    ]
    docs, store = folder_of(tmp_path / "docs", one=pdfs.document(*map(pdfs.text, lines))), tmp_path / "store"
    run_here(docs, store, tables={"water": TABLES["water"]})
    concepts = {"a": ["resume", "electricity"], "b": ["crane"], "c": ["data centre", "dredge"]}
    near = ConceptTable.from_variants(concepts)
    run_here([], store, tables={"near": near})
    row = table(store, "findings").query("concept_table == 'near'").iloc[0]
    alone = docaudit.audit(docs / "one.pdf", near, ocr="off", page_seconds=300.0)
    assert {"elektricity", "data, centre"} <= {miss.text for miss in alone.near_misses}
    assert (store / row["justification"]).read_text("utf-8") == dump(alone)


def test_what_was_made_once_for_all_sweeps_decides_nothing(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1), two=small(2))
    run_here(docs, tmp_path / "both")
    store = tmp_path / "store"
    run_here(docs, store, tables={"machines": TABLES["machines"]})
    kept = sorted((store / "prepared").iterdir())
    kept[0].write_bytes(kept[1].read_bytes())  # that of another document
    kept[1].write_bytes(b"\0" * 100)  # damaged
    run_here(docs, store)
    assert content(store / "tables") == content(tmp_path / "both" / "tables")


def test_an_edited_table_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    old = {"t": ConceptTable.from_variants({"cranes": ["crane"]})}
    new = {"t": ConceptTable.from_variants({"cranes": ["crane", "dredging"]})}
    for tables, current in ((old, [True]), (new, [False, True]), (new, [False, True]), (old, [False, True])):
        run_here(docs, store, tables=tables)
        audits = table(store, "audits")
        assert audits["current"].tolist() == current
        assert audits.iloc[-1]["fingerprint"] == tables["t"].fingerprint
    assert len(table(store, "findings")) == 2


def test_documents_that_failed_are_tried_again_where_it_may_help(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", locked=pdfs.encrypted(small(1), "secret"), bad=b"%PDF-1.4 nothing")
    store = tmp_path / "store"
    run_here(docs, store, tables={"water": TABLES["water"]})
    done = run_here(docs, store)
    assert (done.read, done.audited, done.unchanged) == (0, 0, 2)
    assert len(table(store, "findings")) == 4  # rows of the new table, without another try
    done = run_here(docs, store, password="secret")
    assert (done.read, done.audited, [one.name for one in done.failed.values()]) == (1, 2, ["bad.pdf"])
    findings = table(store, "findings").query("finding != 'error'")
    assert len(findings) == 2
    assert b"secret" not in b"".join(content(store).values())
    done = run_here(docs, store, retry_failed=True)
    assert (done.read, done.unchanged, len(done.failed)) == (0, 1, 1)


def test_a_document_that_is_gone_when_its_turn_comes_is_read_in_the_next_run(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", a_gone=small(1), b=small(1), c=small(2)), tmp_path / "store"

    def lose(stage: str, done: int, total: int) -> None:
        if stage == "files" and done == total:
            (docs / "a_gone.pdf").unlink()
            (docs / "c.pdf").write_bytes(small(3))

    done = run_here(docs, store, progress=lose)
    assert done.read == 1  # of the first a copy is there
    (failure,) = done.failed.values()
    assert (failure.name, failure.code.value) == ("c.pdf", "not_readable")
    assert "changed" in failure.detail
    assert run_here(docs, store).read == 1


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"tables": {}}, OptionError, "no concept table"),
        ({"question": "?!"}, QuestionError, "no word"),
        ({"required": ("cranes", "whales")}, OptionError, "no concept 'whales'"),
        ({"waive": {"nonsense": "why"}}, OptionError, "nonsense"),
        ({"canary": True}, OptionError, "canary"),
        ({"explain_with": "model"}, OptionError, "explain_with"),
        ({"page_seconds": -1}, OptionError, "page_seconds"),
        ({"tables": {"none": 5}}, ConceptTableError, "int"),
        ({"jobs": 2}, OptionError, "exclude each other"),
    ],
)
def test_what_cannot_be_audited_is_said_before_any_work(
    tmp_path: Path, wrong: dict[str, object], error: type[Exception], words: str
) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1))
    with pytest.raises(error, match=words):
        run_here(docs, tmp_path / "store", **wrong)
    assert not (tmp_path / "store" / "documents").exists()


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DocumentNotFoundError, match="No such file"):
        run_here(tmp_path / "nowhere", tmp_path / "store")


def test_no_source_and_no_document(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no document"):
        run_here([], tmp_path / "store")


def test_a_run_that_was_killed_before_it_began(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    store.mkdir()
    (store / "lock").touch()
    (store / ".store.json.abcdefgh").write_text("{")
    assert run_here(docs, store).read == 1
    assert list(store.glob(".*")) == []


def test_a_run_over_nothing_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "notes.txt").write_text("x")
    (tmp_path / "list").write_text("nowhere.pdf\n")
    with pytest.raises(DocumentNotFoundError, match=f"no PDF below {tmp_path / 'docs'}"):
        run_here(tmp_path / "docs", tmp_path / "store")
    with pytest.raises(
        DocumentNotFoundError, match=r"nowhere\.pdf: the list .* names it, and it is not there"
    ):
        run_here(tmp_path / "list", tmp_path / "store")
    with pytest.raises(DocumentNotFoundError):
        run_here(tmp_path / "wrong", tmp_path / "store")
    assert not (tmp_path / "store").exists()
    # A folder that was emptied, or is not mounted, takes nothing from a store.
    docs = folder_of(tmp_path / "some", one=small(1))
    run_here(docs, tmp_path / "store")
    before = content(tmp_path / "store")
    (docs / "one.pdf").unlink()
    with pytest.raises(DocumentNotFoundError):
        run_here(docs, tmp_path / "store")
    assert content(tmp_path / "store") == before


def test_a_run_that_failed_to_start_decides_no_options(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    wrong = {"scheduler": "tcp://127.0.0.1:9", "executor": None}
    with pytest.raises((ClusterError, OptionError)):
        run_here(docs, store, second_reader=False, scheduler=wrong["scheduler"])
    assert not store.exists()
    # One that was killed before the first document was done.
    run_here(docs, tmp_path / "other", second_reader=False)
    store.mkdir()
    shutil.copy(tmp_path / "other" / "store.json", store)
    assert run_here(docs, store, second_reader=True).read == 1
    assert json.loads((store / "store.json").read_text())["reading"]["second_reader"] is True
    with pytest.raises(StoreError):
        run_here(docs, store, second_reader=False)


def test_a_table_that_becomes_what_another_one_is(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    narrow = ConceptTable.from_variants({"metal": ["zinc"]})
    wide = ConceptTable.from_variants({"metal": ["zinc", "document number"]})
    run_here(docs, store, tables={"a": narrow, "b": wide})
    run_here(docs, store, tables={"a": wide})
    found = {sheet.table: sheet.entries[0].finding.value for sheet in load_matrix(store).sheets}
    assert found == {"a": "mentioned", "b": "mentioned"}
    run_here(docs, store, tables={"c": narrow, "d": narrow})
    found = {sheet.table: sheet.entries[0].finding.value for sheet in load_matrix(store).sheets}
    assert found == {
        "a": "mentioned",
        "b": "mentioned",
        "c": "absent_within_coverage",
        "d": "absent_within_coverage",
    }


def changed(head: dict[str, object], **values: object) -> str:
    return json.dumps({**head, **values})


@pytest.mark.parametrize("value", [{"form": 99}, {"docaudit": "0.0.1"}, {"reading": {"nonsense": 1}}])
def test_a_store_of_another_kind_is_left_alone(tmp_path: Path, value: dict[str, object]) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store)
    head = store / "store.json"
    head.write_text(changed(json.loads(head.read_text()), **value))
    before = content(store)
    with pytest.raises(StoreError):
        run_here(docs, store)
    assert content(store) == before


def test_other_options_of_reading_are_refused_and_those_not_named_are_the_stores(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store, second_reader=False)
    before = content(store)
    with pytest.raises(StoreError, match="--no-second-reader, not with --second-reader"):
        run_here(docs, store, second_reader=True)
    assert content(store) == before
    (docs / "two.pdf").write_bytes(small(2))
    run_here(docs, store, workers=3)
    reading = {
        json.loads(one.read_text())["options"]["second_reader"] for one in store.glob("documents/*/*.json")
    }
    assert reading == {False}


def test_a_folder_with_other_things_is_no_store(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1))
    with pytest.raises(StoreError, match="other things"):
        run_here(docs, docs)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError):
        run_here(docs, tmp_path / "file")
    assert sorted(one.name for one in docs.iterdir() if one.name != "lock") == ["one.pdf"]


def test_a_parse_that_was_damaged_is_made_again(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store, tables={"water": TABLES["water"]})
    (parse,) = (store / "documents").iterdir()
    (parse / "line_df.parquet").write_bytes(b"nothing")
    done = run_here(docs, store)
    assert (done.read, len(done.failed)) == (1, 0)
    (parse / "line_df.parquet").write_bytes(b"nothing")
    done = run_here([], store, tables={"third": ConceptTable.from_variants({"x": ["quay"]})})
    assert [one.code.value for one in done.failed.values()] == ["not_readable"]


def test_rows_that_were_lost_are_made_again_and_damaged_ones_named(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1), two=small(2)), tmp_path / "store"
    run_here(docs, store)
    before = content(store / "tables")
    first, second = sorted(store.glob("audits/*/*.rows.gz"))[:2]
    first.unlink()
    run_here(docs, store)
    assert content(store / "tables") == before
    cut = first.read_bytes()[:50]
    for damaged in (cut, second.read_bytes()):  # those of another document, too
        first.write_bytes(damaged)
        shutil.rmtree(store / "tables")
        with pytest.raises(StoreError, match="damaged") as raised:
            run_here(docs, store)
        assert raised.value.file == str(first)
        first.unlink()
        run_here(docs, store)
        assert content(store / "tables") == before


@pytest.mark.parametrize("part", ["document.json", "page_df.parquet"])
def test_a_parse_that_is_damaged_is_named(tmp_path: Path, part: str) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1), two=small(2)), tmp_path / "store"
    run_here(docs, store)
    before = content(store / "tables")
    parse = store / "documents" / sha_of(store, "one.pdf")
    (parse / part).write_bytes((parse / part).read_bytes()[:100])
    shutil.rmtree(store / "tables")
    with pytest.raises(StoreError, match="remove it, and run again") as raised:
        run_here([], store)
    assert raised.value.file == str(parse)
    shutil.rmtree(parse)
    run_here(docs, store)
    assert content(store / "tables") == before


def test_a_parse_that_is_lost_is_a_row(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1), two=small(2)), tmp_path / "store"
    run_here(docs, store)
    before = content(store / "tables")
    shutil.rmtree(store / "documents" / sha_of(store, "one.pdf"))
    run_here([], store)
    documents = table(store, "documents")
    assert sorted(documents["state"]) == ["failed", "read"]
    assert len(table(store, "findings")) == 4
    run_here(docs, store)
    assert content(store / "tables") == before


def test_odd_names(tmp_path: Path) -> None:
    docs, store = tmp_path / "docs", tmp_path / "store"
    docs.mkdir()
    names = [b"line\nbreak.pdf", b"caf\xe9.pdf", b"x" * 251 + b".pdf", "報告.pdf".encode(), b"[red].PDF"]
    for number, name in enumerate(names):
        (docs / os.fsdecode(name)).write_bytes(small(number))
    done = run_here(docs, store)
    assert (done.read, done.failed) == (5, {})
    shown = [name.decode("utf-8", "backslashreplace") for name in names]
    assert set(table(store, "documents")["name"]) == set(shown)
    assert set(table(store, "paths")["path"]) == {f"{docs}/{name}" for name in shown}


def test_a_list_of_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1), two=small(2), three=small(3))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text("docs/one.pdf\n\ndocs/nowhere.pdf\n")
    done = run_here(tmp_path / "list.txt", tmp_path / "store")
    assert (done.documents, done.not_documents) == (1, 1)
    paths = table(tmp_path / "store", "paths").set_index("path")
    assert "is not there" in paths.loc[str(docs / "nowhere.pdf"), "reason"]
    (tmp_path / "zero.txt").write_bytes(b"docs/two.pdf\0docs/three.pdf\0")
    assert run_here([tmp_path / "zero.txt", docs / "one.pdf"], tmp_path / "store").documents == 3


def test_a_list_is_read_as_its_writer_meant_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1), two=small(2))
    (docs / "#3.pdf").write_bytes(small(3))
    monkeypatch.chdir(docs)
    lines = '# a comment\n#3.pdf\n \n  one.pdf \n"two.pdf"\n'
    expected = {str(docs / name) for name in ("#3.pdf", "one.pdf", "two.pdf")}
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
        for text in (lines, lines.replace("\n", "\r\n")):
            (tmp_path / "list").write_bytes(text.encode(encoding))
            assert {one.path for one in find([str(tmp_path / "list")])} == expected


def test_a_path_that_leaves_a_link_is_where_the_system_finds_it(tmp_path: Path) -> None:
    deep = folder_of(tmp_path / "far" / "deep")
    folder_of(tmp_path / "far", d=small(1))
    folder_of(tmp_path, d=small(2))
    (tmp_path / "link").symlink_to(deep)
    (tmp_path / "list").write_text(f"{tmp_path}/link/../d.pdf\n")
    run_here(tmp_path / "list", tmp_path / "store")
    assert table(tmp_path / "store", "paths")["path"].tolist() == [str(tmp_path / "far" / "d.pdf")]
    run_here(Path(f"{tmp_path}/link/../d.pdf"), tmp_path / "store")
    assert len(table(tmp_path / "store", "documents")) == 1


def test_things_that_are_no_files_and_the_store_among_the_documents(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1))
    os.mkfifo(docs / "pipe.pdf")
    (docs / "dangling.pdf").symlink_to(docs / "nowhere")
    store = docs / "store"
    run_here(docs, store)
    done = run_here(docs, store)
    reasons = table(store, "paths").set_index("path")["reason"]
    assert reasons[str(docs / "pipe.pdf")] == "no regular file"
    assert "No such file" in reasons[str(docs / "dangling.pdf")]
    assert reasons[str(store)] == "a store of docaudit"
    assert done.unchanged == done.documents == 1


def test_what_cannot_be_read_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1))
    (docs / "closed").mkdir()
    (docs / "text").write_text("x")
    listing, opening = os.listdir, open

    def refuse(path: str, *more: object) -> object:
        if str(path).endswith(("closed", "text")):
            raise PermissionError(13, "Permission denied")
        return (listing if not more else opening)(path, *more)  # type: ignore[operator]

    monkeypatch.setattr("os.listdir", refuse)  # to root, who may run this test, nothing is closed
    monkeypatch.setattr("docaudit.corpus.sources.open", refuse, raising=False)
    found = {Path(one.path).name: one for one in find([str(docs)])}
    assert found["closed"].reason == "the folder cannot be read: Permission denied"
    assert found["text"].reason == "cannot be read: Permission denied"
    assert {one.state.value for one in found.values()} == {"document", "not_readable"}
