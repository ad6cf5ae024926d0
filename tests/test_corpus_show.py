"""docaudit corpus show: what is in a store, on the terminal, as CSV and as JSON, nothing left out without a word."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from docaudit.cli import main
from docaudit.corpus.matrix import (
    MATRIX_COLUMNS,
    ConceptCell,
    CorpusMatrix,
    MatrixFinding,
    load_matrix,
    print_matrix,
)
from docaudit.corpus.pages import write_pages
from docaudit.errors import OptionError, SavedFileError, StoreError
from docaudit.render.terminal import new_console
from tests.corpora import folder_of, run_here, small
from tests.corpus_matrix import CRANES, LONG, QUESTION, make_store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("show"))


@pytest.fixture(scope="module")
def matrix(store: Path) -> CorpusMatrix:
    return load_matrix(store)


def printed(matrix: CorpusMatrix, width: int = 80, limit: int = 0) -> str:
    out = io.StringIO()
    print_matrix(matrix, limit=limit, console=new_console(file=out, width=width))
    return out.getvalue()


def test_every_document_is_in_every_table_with_what_became_of_it(matrix: CorpusMatrix) -> None:
    assert [(sheet.table, sheet.question) for sheet in matrix.sheets] == [
        ("machines", ""),
        ("water", ""),
        ("machines", QUESTION),
    ]
    assert matrix.documents == 6
    assert [(one.name, one.failure) for one in matrix.lost] == [("broken.pdf", "not_a_pdf")]
    assert matrix.paths == {"document": 6, "not_a_pdf": 1}
    found = {entry.name: entry.finding.value for entry in matrix.sheets[0].entries}
    assert found == {
        "=HYPERLINK(1).pdf": "mentioned",
        "<b>quiet & co.pdf": "absent_within_coverage",
        f"{LONG}.pdf": "not_established",
        "broken.pdf": "error",
        "later.pdf": "not_run",
        "電力報告書.pdf": "absent_within_coverage",
    }
    for sheet in matrix.sheets:
        assert len(sheet.entries) == 6
        found_in = Counter(entry.finding for entry in sheet.entries)
        assert sheet.counts == {one: found_in[one] for one in MatrixFinding}
    assert matrix.sheets[0].unmet == {"ink_read": 1}
    water = {entry.name: entry.cells for entry in matrix.sheets[1].entries}
    dredging, submarine = water["=HYPERLINK(1).pdf"]
    assert (dredging.finding.value, dredging.hits, dredging.pages_with_hits) == ("mentioned", 2, 2)
    assert (submarine.finding.value, submarine.hits, submarine.pages_searched) == (
        "absent_within_coverage",
        0,
        2,
    )


def test_what_is_chosen_leaves_the_counts_as_they_are(store: Path, matrix: CorpusMatrix) -> None:
    chosen = load_matrix(store, tables=["water"], findings=["not_run"])
    assert [sheet.table for sheet in chosen.sheets] == ["water"]
    assert [entry.name for entry in chosen.sheets[0].entries] == ["later.pdf"]
    assert chosen.sheets[0].counts == matrix.sheets[1].counts
    assert "1 of 6 documents chosen" in printed(chosen)
    for pattern, names in {
        "QUIET": ["<b>quiet & co.pdf"],
        "*.pdf": [entry.name for entry in matrix.sheets[0].entries],
        "later.pd?": ["later.pdf"],
        "later": ["later.pdf"],
        "later?": [],
        "電力": ["電力報告書.pdf"],
    }.items():
        assert [entry.name for entry in load_matrix(store, document=pattern).sheets[0].entries] == names
    with pytest.raises(OptionError, match=r"no current audit with a table 'waters'.*machines, water"):
        load_matrix(store, tables=["waters"])
    with pytest.raises(OptionError, match="no finding 'gone'"):
        load_matrix(store, findings=["gone"])


@pytest.mark.parametrize("width", [60, 80, 120])
def test_on_a_terminal_no_line_is_wider_and_no_name_is_cut(matrix: CorpusMatrix, width: int) -> None:
    text = printed(matrix, width)
    assert max(map(cell_len, text.splitlines())) <= width
    for name in ("broken.pdf", LONG, "電力報告書.pdf", QUESTION):
        assert re.sub(r"\s", "", name) in re.sub(
            r"\s|(absent|not established|mentioned|\d+/\d+|[?○·])(?=\s)", "", text
        ) or (name in text)


def test_the_terminal_says_it_in_words_and_signs(matrix: CorpusMatrix) -> None:
    text = printed(matrix, 100)
    assert "Could not be read: 1 of 6 documents\n  ✗ broken.pdf: not a PDF (name a PDF file)" in text
    assert "1=dredging, 2=submarine" in text
    assert re.search(r"=HYPERLINK\(1\)\.pdf +absent +2/2 +2  ○\n", text)
    assert re.search(r"later\.pdf +not run +– +·  ·\n", text)
    assert "mentioned 1 of 6, absent 2 of 6, not established 1 of 6, error 1 of 6, not run 1 of 6" in text
    assert "unmet, of the 1 not established: ink_read in 1" in text
    assert "○ absent within the stated coverage" in text
    assert "6 documents; 7 paths in the sources: document 6, not a pdf 1" in text
    assert "\x1b" not in text


def test_colour_is_never_the_only_sign(matrix: CorpusMatrix) -> None:
    plain = printed(matrix, 80)
    out = io.StringIO()
    print_matrix(
        matrix, limit=0, console=Console(file=out, width=80, force_terminal=True, color_system="256")
    )
    assert "\x1b[" in out.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()) == plain


def test_many_concepts_are_parted_and_none_is_left_out(matrix: CorpusMatrix) -> None:
    sheet = matrix.sheets[1]
    headings = tuple(sheet.concepts[0].model_copy(update={"name": f"c-{n:02d}"}) for n in range(40))
    cell = ConceptCell(
        finding=MatrixFinding.MENTIONED, hits=1234, possible_hits=5, unmet=("variants_searched",)
    )
    entries = tuple(one.model_copy(update={"cells": (cell,) * 40}) for one in sheet.entries)
    wide = matrix.model_copy(
        update={"sheets": (sheet.model_copy(update={"concepts": headings, "entries": entries}),)}
    )
    text = printed(wide)
    assert max(map(cell_len, text.splitlines())) <= 80
    for number in range(40):
        assert f"{number + 1}=c-{number:02d}" in text
    assert text.count("1,234~5!") == 40 * 5  # broken.pdf has its line at the top


def test_a_limit_is_said_and_lost_documents_stay(matrix: CorpusMatrix) -> None:
    text = printed(matrix, limit=2)
    assert text.count("3 more documents: --limit 0 lists all") == 3
    assert "✗ broken.pdf" in text


def test_documents_of_the_same_name_are_told_apart(matrix: CorpusMatrix) -> None:
    sheet = matrix.sheets[0]
    entries = tuple(entry.model_copy(update={"name": "same.pdf"}) for entry in sheet.entries)
    same = matrix.model_copy(update={"lost": (), "sheets": (sheet.model_copy(update={"entries": entries}),)})
    text = printed(same)
    for entry in entries:
        assert f"same.pdf ({entry.sha256[:8]})" in text


def test_csv_has_a_row_for_each_and_no_formula(store: Path, tmp_path: Path, matrix: CorpusMatrix) -> None:
    file = tmp_path / "matrix.csv"
    assert main(["corpus", "show", str(store), "--csv", str(file)]) == 0
    data = file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert tuple(rows[0]) == tuple(name for name, _ in MATRIX_COLUMNS)
    assert len(rows) == sum(len(sheet.entries) * len(sheet.concepts) for sheet in matrix.sheets) == 24
    assert {row["document"] for row in rows} >= {"'=HYPERLINK(1).pdf", "broken.pdf", "later.pdf"}
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]
    lost = next(row for row in rows if row["document"] == "broken.pdf")
    # A zero would look as if it had been searched.
    assert (lost["finding"], lost["hits"], lost["pages_searched"], lost["pages_total"]) == (
        "error",
        "",
        "",
        "",
    )
    assert (lost["failure"], lost["detail"]) == ("not_a_pdf", "not a PDF")
    quiet = next(row for row in rows if row["document"].startswith("<b>") and row["concept"] == "submarine")
    assert (quiet["finding"], quiet["hits"], quiet["pages_searched"]) == ("absent_within_coverage", "0", "1")
    assert (store / quiet["justification"]).is_file()


def test_json_is_the_model(store: Path, matrix: CorpusMatrix, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "show", str(store), "--json"]) == 0
    assert CorpusMatrix.model_validate(json.loads(capsys.readouterr().out)) == matrix


def test_the_command_chooses(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["corpus", "show", str(store), "--table", "water", "--finding", "absent", "--doc", "HYPER*"]
    assert main(arguments) == 0
    assert "0 of 6 documents chosen" in capsys.readouterr().out
    assert main([*arguments[:-1], "*HYPER*"]) == 0
    out = capsys.readouterr().out
    assert "1 of 6 documents chosen" in out
    assert "=HYPERLINK(1).pdf" in out


def test_stores_that_cannot_be_shown(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "show", str(tmp_path)]) == 2
    assert "is no store" in capsys.readouterr().err
    copy = tmp_path / "copy"
    shutil.copytree(store, copy)
    (copy / "tables" / "findings" / next((store / "tables" / "findings").iterdir()).name).write_bytes(
        b"PAR1 cut"
    )
    with pytest.raises(StoreError, match="its tables cannot be read"):
        load_matrix(copy)
    (copy / "tables" / "complete.json").unlink()
    assert main(["corpus", "show", str(copy)]) == 2
    err = capsys.readouterr().err
    assert "has no complete tables" in err
    assert len(err.splitlines()) == 1


def test_tables_that_a_run_replaces_meanwhile_are_not_mixed(store: Path, tmp_path: Path) -> None:
    from docaudit.corpus.sql import settled_tables

    copy = tmp_path / "copy"
    shutil.copytree(store, copy)
    complete = copy / "tables" / "complete.json"

    def read_while_a_run_ends() -> None:
        with settled_tables(copy):
            complete.unlink()
            complete.write_text("{}\n")

    with pytest.raises(StoreError, match="a run has replaced the tables while they were read"):
        read_while_a_run_ends()


def test_documents_that_are_in_no_source_any_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = folder_of(tmp_path / "docs", kept=small(1), replaced=small(2), deleted=small(3), bad=b"no pdf")
    store = tmp_path / "store"
    run_here(docs, store)
    # Neither a run without sources nor one over another folder makes any document one that is gone.
    run_here([], store)
    run_here(folder_of(tmp_path / "more", other=small(4)), store)
    assert load_matrix(store).gone == 0
    (docs / "deleted.pdf").unlink()
    (docs / "bad.pdf").unlink()
    (docs / "replaced.pdf").write_bytes(small(5))
    run_here(docs, store)
    now = load_matrix(store)
    assert (now.documents, now.gone, len(now.lost)) == (3, 3, 0)
    for sheet in now.sheets:
        assert sorted(entry.name for entry in sheet.entries) == ["kept.pdf", "other.pdf", "replaced.pdf"]
        assert sum(sheet.counts.values()) == 3
    said = "In no source any more (replaced or deleted), and left out here: 3 documents; --gone shows them."
    assert said in " ".join(printed(now).split())
    every = load_matrix(store, gone=True)
    assert (every.documents, every.gone, [one.name for one in every.lost]) == (6, 3, ["bad.pdf"])
    assert [entry.gone for entry in every.sheets[0].entries].count(True) == 3
    text = " ".join(printed(every, 120).split())
    assert "deleted.pdf (in no source any more)" in text
    assert "bad.pdf (in no source any more)" in text
    assert "and shown here: 3 documents" in text
    assert main(["corpus", "show", str(store), "--gone", "--csv", "-"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["paths"] for row in rows if row["document"] == "deleted.pdf"} == {"0"}
    assert main(["corpus", "show", str(store), "--html", str(tmp_path / "pages")]) == 0
    page = (tmp_path / "pages" / "index.html").read_text("utf-8")
    assert said in page
    assert "deleted.pdf" not in page


def test_copies_and_new_names_are_found_and_said(tmp_path: Path) -> None:
    docs, store = (
        folder_of(tmp_path / "docs", first=small(1), second=small(2), bad=b"no pdf"),
        tmp_path / "store",
    )
    run_here(docs, store)
    (docs / "a").mkdir()
    (docs / "a" / "Rénamed copy.pdf").write_bytes(small(1))
    (docs / "second.pdf").rename(docs / "later.pdf")
    (docs / "bad.pdf").rename(docs / "worse.pdf")
    run_here(docs, store)
    for pattern, names in {
        "Rénamed*": ["first.pdf"],
        "first": ["first.pdf"],
        "LATER": ["second.pdf"],
        "second": ["second.pdf"],
        "worse": ["bad.pdf"],
        "*/a/*": ["first.pdf"],
        "docs/a/": ["first.pdf"],
        "docs": [],
    }.items():
        chosen = load_matrix(store, document=pattern)
        assert [entry.name for entry in chosen.sheets[0].entries] == names
        assert [one.name for one in chosen.lost] == [name for name in names if name == "bad.pdf"]
    text = " ".join(printed(load_matrix(store), 120).split())
    assert "first.pdf (+1 copy)" in text
    assert "second.pdf (now later.pdf)" in text
    assert "bad.pdf (now worse.pdf)" in text


def test_paths_that_cannot_be_read_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    (docs / "notes.txt").write_text("x")
    (tmp_path / "list").write_text(f"# the documents\n{docs}\n" + "".join(f"/no/{n}.pdf\n" for n in range(7)))
    tables = tmp_path / "t.csv"
    CRANES.save(tables)
    arguments = [str(tmp_path / "list"), "--concepts", str(tables), "--out", str(store), "--ocr", "off"]
    assert main(["corpus", "run", *arguments]) == 0
    err = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in err[:5]] == [f"/no/{n}.pdf" for n in range(5)]
    assert err[5:] == [
        "docaudit: and 2 more paths cannot be read; the table paths has each",
        "docaudit: 1 path in the sources: no document; the table paths has each with its reason",
    ]
    text = printed(load_matrix(store), 120)
    assert "✗ /no/4.pdf: the list" in text
    assert "and 2 more: the table paths has each" in text
    assert main(["corpus", "run", str(tmp_path / "pages"), *arguments[1:]]) == 2
    (tmp_path / "pages").mkdir()
    assert main(["corpus", "run", str(tmp_path / "pages"), *arguments[1:]]) == 2
    assert f"no PDF below {tmp_path / 'pages'}" in capsys.readouterr().err


def test_csv_to_standard_output(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", "show", str(store), "--csv", "-"]) == 0
    assert len(list(csv.DictReader(io.StringIO(capsys.readouterr().out)))) == 24
    assert list(tmp_path.iterdir()) == []
    assert main(["corpus", "show", str(store), "--csv", "-", "--json"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_a_run_that_was_interrupted_can_be_looked_at(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", one=small(1), two=small(2), three=small(3))
    store = tmp_path / "store"

    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "documents" and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_here(docs, store, progress=interrupt)
    matrix = load_matrix(store)
    assert matrix.unfinished is not None
    assert matrix.unfinished.documents == 3
    assert 1 <= matrix.unfinished.done < 3
    said = f"{matrix.unfinished.done} of 3 documents were done"
    assert said in " ".join(printed(matrix).split())
    write_pages(matrix, store, tmp_path / "pages")
    assert said in (tmp_path / "pages" / "index.html").read_text("utf-8")
    run_here(docs, store)
    whole = load_matrix(store)
    assert (whole.documents, whole.unfinished, whole.gone) == (3, None, 0)
    # Killed before any table was written: the message names the command that makes them.
    shutil.rmtree(store / "tables")
    with pytest.raises(StoreError, match=f"docaudit corpus run --concepts TABLE --out {store} makes them"):
        load_matrix(store)


def test_a_justification_of_another_document_is_no_report(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    one, two = (store / entry.justification for entry in load_matrix(store).sheets[0].entries[:2])
    one.write_bytes(two.read_bytes())
    with pytest.raises(SavedFileError, match="is of another document"):
        write_pages(load_matrix(store), store, tmp_path / "pages")
