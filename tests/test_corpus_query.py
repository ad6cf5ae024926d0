"""docaudit corpus query: answers are right, and a query can do nothing but read the tables."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import docaudit.corpus
from docaudit.cli import main
from docaudit.corpus.audits import QUERY_TABLES, STORE_TABLES
from docaudit.errors import OptionError, QueryError
from tests.corpora import ROOT, content
from tests.corpus_matrix import make_store

pytestmark = pytest.mark.slow

pytest.importorskip("duckdb", reason="the extra corpus is not installed")
ENDLESS = "SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE a.range + b.range = 7"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("query"))


def test_answers_are_those_of_the_tables(store: Path) -> None:
    found = docaudit.corpus.query(
        store,
        """SELECT name, finding, unmet FROM findings JOIN documents USING (sha256) JOIN audits USING (audit)
           WHERE current AND findings.concept_table = 'machines' AND findings.question = '' ORDER BY name""",
    )
    assert list(found.columns) == ["name", "finding", "unmet"]
    assert found.set_index("name")["finding"].to_dict()["broken.pdf"] == "error"
    assert found.loc[found["unmet"] != "", "unmet"].tolist() == ["ink_read"]
    hits = docaudit.corpus.query(
        store, "SELECT source, sum(line_num) AS total, count(*) AS n FROM hits GROUP BY source"
    )
    assert hits["source"].tolist() == ["text_layer"]
    assert str(hits["total"].dtype) == "int64"  # DuckDB's sum of whole numbers is a decimal


@pytest.mark.parametrize("name", QUERY_TABLES)
def test_every_table_is_there_with_its_columns(store: Path, name: str) -> None:
    assert tuple(docaudit.corpus.query(store, f"SELECT * FROM {name}").columns) == QUERY_TABLES[name].columns


def test_audits_that_are_not_current_are_in_tables_of_their_own(store: Path) -> None:
    # The table machines was edited: documents by documents, what show counts is what a query counts.
    shown = docaudit.corpus.load_matrix(store)
    for sheet in shown.sheets:
        counted = docaudit.corpus.query(
            store,
            f"SELECT finding, count(*) AS n FROM findings WHERE audit = '{sheet.audit}' GROUP BY finding",
        )
        assert dict(zip(counted["finding"], counted["n"], strict=True)) == {
            one.value: n for one, n in sheet.counts.items() if n and one.value != "not_run"
        }
    for name in ("findings", "cells", "hits"):
        both = (
            docaudit.corpus.query(store, f"SELECT DISTINCT audit FROM {one}") for one in (name, f"all_{name}")
        )
        current, every = (set(one["audit"]) for one in both)
        assert current <= {sheet.audit for sheet in shown.sheets}
        assert current <= every
    assert len(docaudit.corpus.query(store, "SELECT DISTINCT audit FROM all_findings")) == 4
    assert len(docaudit.corpus.query(store, "SELECT DISTINCT audit FROM findings")) == 3


def test_nothing_found_is_a_table_with_its_columns(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = docaudit.corpus.query(store, "SELECT concept, page_num FROM hits WHERE false")
    assert (list(empty.columns), len(empty)) == (["concept", "page_num"], 0)
    assert main(["corpus", "query", str(store), "SELECT concept FROM hits WHERE false"]) == 0
    assert capsys.readouterr().out == "0 rows\n"
    assert main(["corpus", "query", str(store), "SELECT concept FROM hits WHERE false", "--csv"]) == 0
    assert capsys.readouterr().out == "concept\n"
    assert main(["corpus", "query", str(store), "SELECT concept FROM hits WHERE false", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


HOSTILE = [
    "COPY hits TO '{out}'",
    "COPY (SELECT 1) TO '{table}' (USE_TMP_FILE false, FORMAT parquet)",
    "WITH a AS (COPY (SELECT 1) TO '{table}' (USE_TMP_FILE false, FORMAT parquet)) SELECT * FROM a",
    "WITH a AS (COPY (SELECT 1) TO '{out}') SELECT * FROM a",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_parquet('{table}')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM parquet_metadata('{table}')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM '{table}'",
    "SELECT * FROM read_csv('https://example.org/x.csv')",
    "SELECT * FROM hits WHERE concept IN (FROM read_text('/etc/hostname'))",
    "SELECT getenv('HOME')",
    "SELECT * FROM secret_of_python",
    "SELECT * FROM query($$COPY (SELECT 1) TO '{out}'$$)",
    "ATTACH '{out}' AS other",
    "ATTACH ':memory:' AS other",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA version",
    "PRAGMA enable_profiling = 'json'",
    "SET memory_limit = '99GB'",
    "RESET lock_configuration",
    "SET enable_external_access = true",
    "CALL enable_logging(storage = 'file', storage_path = '{out}')",
    "SELECT * FROM enable_logging(storage = 'file', storage_path = '{out}')",
    "EXPORT DATABASE '{out}'",
    "IMPORT DATABASE '/etc'",
    "CREATE TABLE mine AS SELECT 1",
    "CREATE SECRET s (TYPE s3)",
    "DROP VIEW hits",
    "INSERT INTO hits SELECT * FROM hits",
    "DELETE FROM hits",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{out}'",
    "PREPARE p AS SELECT 1",
    "USE memory",
    "VACUUM",
    "CHECKPOINT",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY hits TO '{out}'",
    "",
    " -- nothing",
    "SELECT",
    "SELECT * FROM hits WHERE page_num = ?",
    "SELECT \0",
]


@pytest.mark.parametrize("sql", HOSTILE)
def test_what_a_query_may_not_do(
    store: Path, tmp_path: Path, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    secret_of_python = docaudit.corpus.query(store, "SELECT 1 AS x")
    before = content(store)
    table = store / "tables" / "documents.parquet"
    with pytest.raises(QueryError) as raised:
        docaudit.corpus.query(store, sql.format(out=tmp_path / "out", table=table))
    assert "\n" not in str(raised.value)
    assert "root:" not in str(raised.value)
    assert content(store) == before
    assert list(tmp_path.iterdir()) == []
    assert len(secret_of_python) == 1


def test_errors_are_one_line_and_say_what_to_do(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for sql, said in {
        "SELECT fnding FROM findings": 'Candidate bindings: "finding"',
        "SELECT * FROM finding": "--columns lists tables and columns",
        "DROP VIEW hits": "only SELECT can be asked, not DROP",
        "SELECT * FROM read_csv('/etc/passwd')": "a query sees the tables of the store and nothing else",
        "SELECT 1; SELECT 2": "there are 2 statements",
    }.items():
        assert main(["corpus", "query", str(store), sql]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert said in err
    assert main(["corpus", "query", str(store)]) == 2
    assert "a SELECT is needed, or --columns" in capsys.readouterr().err
    assert main(["corpus", "query", str(store), "SELECT 1", "--csv", "--json"]) == 2
    assert "--csv and --json exclude each other" in capsys.readouterr().err


def test_time_and_memory_have_limits(store: Path) -> None:
    start = time.monotonic()
    with pytest.raises(QueryError, match=r"took more than 0\.5 s"):
        docaudit.corpus.query(store, ENDLESS, seconds=0.5)
    assert time.monotonic() - start < 20
    with pytest.raises(QueryError, match=r"Out of Memory.*--memory-mb"):
        docaudit.corpus.query(store, "SELECT * FROM range(50000000) ORDER BY hash(range)", memory_mb=64)
    with pytest.raises(OptionError):
        docaudit.corpus.query(store, "SELECT 1", seconds=0)
    # An answer without end: the limit holds while it is read, too.
    with (
        pytest.raises(QueryError, match="took more than"),
        docaudit.corpus.sql.answering(store, "SELECT * FROM range(1000000000000)", seconds=0.5) as answer,
    ):
        for _ in answer.batches:
            pass


def test_ctrl_c_ends_a_query(store: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "docaudit", "corpus", "query", str(store), ENDLESS],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    maps = Path(f"/proc/{process.pid}/maps")
    try:
        while "_duckdb" not in maps.read_text():
            time.sleep(0.1)
        time.sleep(3)  # in the middle of the query, not of its beginning
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "docaudit: interrupted\n")


def test_a_closed_pipe_is_no_error_of_the_store(store: Path) -> None:
    command = f"{sys.executable} -m docaudit corpus query {store} 'SELECT range FROM range(3000000)' --csv | head -1"
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("range\n141\n", "")


ODD = (
    "SELECT 1 AS a, NULL AS b, 'x' AS a, [1, NULL] AS l, DATE '2026-11-30' AS d, 'nan'::DOUBLE AS n, "
    "'=1+1' AS f, '\\xff'::BLOB AS y, {'k': 1} AS s, 170141183460469231731687303715884105727::HUGEINT AS h, "
    "1.25::DECIMAL(5,2) AS m, true AS t"
)


def test_every_kind_of_value_in_every_form(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = {
        "a": 1,
        "b": None,
        "a_1": "x",
        "l": [1, None],
        "d": "2026-11-30",
        "n": None,
        "f": "=1+1",
        "y": "/w==",
        "s": {"k": 1},
        "h": 2**127 - 1,
        "m": 1.25,
        "t": True,
    }
    assert main(["corpus", "query", str(store), ODD, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [expected]
    assert main(["corpus", "query", str(store), ODD, "--jsonl"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [expected]
    assert main(["corpus", "query", str(store), ODD, "--csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["f"] == "'=1+1"
    assert (row["b"], row["n"], row["l"], row["h"]) == ("", "", "[1, null]", str(2**127 - 1))
    assert main(["corpus", "query", str(store), ODD]) == 0
    assert "NULL" in capsys.readouterr().out


def test_columns_of_a_join_with_the_same_name_are_all_there(store: Path) -> None:
    joined = docaudit.corpus.query(store, "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a")
    assert joined.iloc[0].to_dict() == {"a": 1, "a_2": 2, "a_1": 3, "a_3": 4}


def test_wide_rows_and_many_rows_on_a_terminal(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["corpus", "query", str(store), "SELECT * FROM findings ORDER BY finding DESC"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert all(f"  {name} " in out or f"  {name}\n" in out for name in STORE_TABLES["findings"].columns)
    assert main(["corpus", "query", str(store), "SELECT range AS n FROM range(1000)", "--limit", "3"]) == 0
    out = capsys.readouterr().out
    assert [line.strip() for line in out.splitlines()] == [
        "n",
        "0",
        "1",
        "2",
        "1,000 rows, 3 of them shown: --limit 0 shows all",
    ]
    assert main(["corpus", "query", str(store), "SELECT range AS n FROM range(25000)", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 25_001


def test_columns_are_listed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "query", str(store), "--columns", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {name: [c["name"] for c in one["columns"]] for name, one in listed.items()} == {
        name: list(contract.columns) for name, contract in QUERY_TABLES.items()
    }
    assert main(["corpus", "query", str(store), "--columns"]) == 0
    out = capsys.readouterr().out
    assert "blind_spots  one row is" in out
    assert "all_hits  as hits, also of audits that are not current" in out


def test_without_the_library_it_says_what_to_install(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(QueryError, match=r"pip install '\.\[corpus\]'"):
        docaudit.corpus.query(store, "SELECT 1")
