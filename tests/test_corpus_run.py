"""`docaudit corpus run` as a process: killed and gone on with, interrupted, two at a time; and its pool of workers."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from docaudit.cli import main
from docaudit.corpus import CorpusRun, executors, run
from docaudit.corpus.work import TaskResult
from docaudit.errors import ClusterError, DocauditError, OutputError
from docaudit.files import writing_folder
from tests import pdfs
from tests.corpora import (
    ROOT,
    TABLES,
    content,
    differences,
    folder_of,
    in_session,
    kill,
    run_here,
    small,
    start,
    table,
    wait_for_end,
)
from tests.corpus_saboteur import sabotaged

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[object], Path]:
    """A folder, the arguments of a run over it, and the store of one that nobody disturbed."""
    root = tmp_path_factory.mktemp("run")
    docs = folder_of(root / "docs", **{f"d{number:02}": small(number) for number in range(8)})
    folder_of(docs, bad=b"%PDF-1.7 cut off", locked=pdfs.encrypted(small(9), "x"))
    for name, asked in TABLES.items():
        asked.save(root / f"{name}.csv")
    # Where the machine is busy, time limits by the clock would tell one run from the other.
    arguments: list[object] = [docs, "--ocr", "off", "--page-seconds", 300, "--jobs", 2]
    for name in TABLES:
        arguments += ["--concepts", root / f"{name}.csv"]
    process = start(*arguments, "--out", root / "whole")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "10 documents" in out
    return docs, arguments, root / "whole"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_is_killed_is_gone_on_with(
    corpus: tuple[Path, list[object], Path], tmp_path: Path, seed: int
) -> None:
    _, arguments, whole = corpus
    store = tmp_path / "store"
    process = start(*arguments, "--out", store)
    over = time.monotonic() + 60
    # Once the first document is there, at any moment.
    while not list(store.glob("documents/*")) and time.monotonic() < over and process.poll() is None:
        time.sleep(0.01)
    time.sleep(random.Random(seed).uniform(0, 1.5))
    kill(process)
    assert wait_for_end(process.pid) == []
    again = start(*arguments, "--out", store)
    _, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert differences(store, whole) == []
    assert content(store / "audits") == content(whole / "audits")
    assert list(store.rglob(".*")) == []


def test_what_was_half_written_is_removed(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store)
    before = content(store)
    with writing_folder(store / "documents" / "abc") as folder:
        half = store / "documents" / folder.name.replace("abc", "abd")
    (store / "documents" / "abc").rename(half)  # as a kill leaves it
    (half / "page_df.parquet").write_bytes(b"x")
    (store / "tables" / ".tables.k3_x9abc").mkdir()
    (next((store / "audits").iterdir()) / ".x.json.0a1b2c3d").write_bytes(b"x")
    (store / "failures").mkdir(exist_ok=True)
    (store / "failures" / ".x.json.abcdefgh").write_bytes(b"x")
    run_here(docs, store)
    assert content(store) == before


def test_hidden_files_of_others_stay(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store)
    (store / ".git").mkdir()
    (store / ".git" / "HEAD").write_text("ref", "utf-8")
    (store / ".gitignore").write_text("prepared", "utf-8")
    run_here(docs, store)
    assert (store / ".git" / "HEAD").exists()
    assert (store / ".gitignore").exists()


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.6, 0.9, 1.2])
def test_when_the_run_alone_is_killed_its_workers_leave_no_false_failure(
    corpus: tuple[Path, list[object], Path], tmp_path: Path, seconds: float
) -> None:
    _, arguments, whole = corpus
    store = tmp_path / "store"
    process = start(*arguments, "--out", store)
    over = time.monotonic() + 60
    while len(in_session(process.pid)) < 3 and time.monotonic() < over:
        time.sleep(0.01)
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert wait_for_end(process.pid) == []
    again = start(*arguments, "--out", store)
    _, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert differences(store, whole) == []


class Idle(ThreadPoolExecutor):
    """Calls nothing that is submitted to it."""

    gives: Any = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(self.gives(args[0]))
        return future


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        (lambda task: TaskResult(task.sha256), "has no rows of them"),
        (lambda task: None, "gives NoneType"),
        (lambda task: "done", "gives str"),
    ],
)
def test_an_executor_that_does_not_do_the_work(tmp_path: Path, gives: Any, said: str) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    executor = Idle()
    executor.gives = gives
    with pytest.raises(ClusterError, match=said):
        run([docs], TABLES, store, executor=executor, ocr="off")
    assert run([docs], TABLES, store, ocr="off", jobs=1).read == 1  # the store is whole, and goes on


def test_tables_of_which_some_were_replaced_are_made_whole(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store)
    before = content(store)
    # As after a kill between two files: the mark is gone, one table is new or not there, one is damaged.
    (store / "tables" / "complete.json").unlink()
    (store / "tables" / "pages.parquet").unlink()
    next((store / "tables" / "cells").iterdir()).write_bytes(b"PAR1")
    run_here(docs, store)
    assert content(store) == before


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(corpus: tuple[Path, list[object], Path], tmp_path: Path) -> None:
    _, arguments, whole = corpus
    process = start(*arguments, "--out", tmp_path / "store")
    while not list(tmp_path.glob("store/documents/*")) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the group
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "of 10 documents are done; the same command goes on from there" in err
    assert wait_for_end(process.pid) == []
    assert start(*arguments, "--out", tmp_path / "store").wait(timeout=120) == 0
    assert differences(tmp_path / "store", whole) == []


def test_a_second_run_into_the_same_store_is_refused(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    refused: list[str] = []

    def meanwhile(stage: str, done: int, total: int) -> None:
        if stage == "documents":
            process = start(docs, "--concepts", tmp_path / "t.csv", "--out", store)
            refused.append(process.communicate(timeout=60)[1])
            assert process.returncode == 2

    TABLES["water"].save(tmp_path / "t.csv")
    run_here(docs, store, progress=meanwhile)
    assert f"another run writes into it (process {os.getpid()})" in refused[0]
    assert len(table(store, "findings")) == 2


@pytest.fixture
def saboteur(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "work", sabotaged)


def pooled(docs: Path, store: Path) -> CorpusRun:
    return run([docs], TABLES, store, jobs=2, ocr="off")


@pytest.mark.slow
@pytest.mark.usefixtures("saboteur")
def test_a_document_on_which_a_process_dies(tmp_path: Path) -> None:
    fine = {f"d{number}": small(number) for number in range(4)}
    docs = folder_of(tmp_path / "docs", deadly=small(7), exits=small(8), once=small(9), **fine)
    done = pooled(docs, tmp_path / "store")
    assert (done.documents, len(done.failed)) == (7, 2)
    died = ("worker_died", "the process that worked on it ended, as when memory runs out")
    failures = {failure.name: (failure.code.value, failure.detail) for failure in done.failed.values()}
    assert failures == {"deadly.pdf": died, "exits.pdf": died}
    documents = table(tmp_path / "store", "documents")
    assert documents["state"].value_counts().to_dict() == {"read": 5, "failed": 2}
    findings = table(tmp_path / "store", "findings")
    assert (len(findings), (findings["finding"] == "error").sum()) == (7 * 2, 2 * 2)
    # The next run does not try them again.
    assert pooled(docs, tmp_path / "store").unchanged == 7


@pytest.mark.slow
@pytest.mark.usefixtures("saboteur")
def test_what_is_no_fault_of_the_document_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no room") as raised:
        pooled(folder_of(tmp_path / "docs", full=small(1)), tmp_path / "store")
    assert (raised.value.file, raised.value.remedy) == ("store", "make room")
    assert not (tmp_path / "store" / "failures").exists()


@pytest.mark.slow
def test_a_script_that_starts_itself_again_is_told_so(tmp_path: Path) -> None:
    """Without a guard, every process of the pool would run the script once more."""
    docs = folder_of(tmp_path / "docs", one=small(1))
    script = tmp_path / "script.py"
    script.write_text(
        "from docaudit.corpus import run\nfrom tests.corpora import TABLES\n"
        f"run([{str(docs)!r}], TABLES, {str(tmp_path / 'store')!r}, jobs=1, ocr='off')\n"
    )
    ended = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 1
    assert "no process for the work can be started" in ended.stderr.splitlines()[-1]
    assert "__main__" in ended.stderr.splitlines()[-1]
    assert not (tmp_path / "store" / "failures").exists()


def test_a_fault_of_docaudit_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"

    def broken(*_: object) -> None:
        raise ZeroDivisionError("by accident")

    with monkeypatch.context() as context:
        context.setattr("docaudit.corpus.work.audit_parsed", broken)
        done = run_here(docs, store)
    assert [(one.code.value, one.detail) for one in done.failed.values()] == [
        ("unexpected", "ZeroDivisionError: by accident")
    ]
    assert table(store, "documents")["state"].tolist() == ["read"]
    assert set(table(store, "findings")["finding"]) == {"error"}
    assert run_here(docs, store).unchanged == 1
    done = run_here(docs, store, retry_failed=True)
    assert (done.read, done.audited, done.failed) == (0, 2, {})
    assert "error" not in set(table(store, "findings")["finding"])


def test_memory_that_runs_out_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("docaudit.corpus.work.audit_parsed", broken)
    done = run_here(folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store")
    assert [one.code.value for one in done.failed.values()] == ["out_of_memory"]


def test_an_error_comes_whole_from_another_process() -> None:
    import pickle

    from docaudit.errors import ConceptTableError, MissingEvidenceError

    for error in (
        OutputError("no room", file="f", page=3, remedy="r"),
        MissingEvidenceError("sweep", "gone"),
        ConceptTableError("two", problems=("a", "b"), remedy="r"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
        assert isinstance(again, DocauditError)


class TestCommandLine:
    def test_what_it_says(
        self, corpus: tuple[Path, list[object], Path], capsys: pytest.CaptureFixture[str]
    ) -> None:
        _, arguments, whole = corpus
        assert main(["corpus", "run", *map(str, arguments), "--out", str(whole)]) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("10 documents: 0 read now, 10 done before, 2 failed; 0 audits made in ")
        assert f"docaudit corpus show {whole}" in printed.out
        lines = printed.err.splitlines()
        assert any(line.startswith("docaudit: locked.pdf: it is encrypted") for line in lines)
        assert len(lines) == 2

    def test_json(self, corpus: tuple[Path, list[object], Path], capsys: pytest.CaptureFixture[str]) -> None:
        _, arguments, whole = corpus
        assert main(["corpus", "run", *map(str, arguments), "--out", str(whole), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["documents"], told["unchanged"], len(told["failed"])) == (10, 10, 2)

    def test_two_tables_of_one_name(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            TABLES["water"].save(tmp_path / name / "t.csv")
        both = [str(part) for name in ("a", "b") for part in ("--concepts", tmp_path / name / "t.csv")]
        assert main(["corpus", "run", str(tmp_path), *both, "--out", str(tmp_path / "store")]) == 2
        assert "two concept tables are called 't'" in capsys.readouterr().err
        assert not (tmp_path / "store").exists()

    def test_a_scheduler_and_jobs(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        TABLES["water"].save(tmp_path / "t.csv")
        docs = folder_of(tmp_path / "docs", one=small(1))
        arguments = ["corpus", "run", str(docs), "--concepts", str(tmp_path / "t.csv"), "--jobs", "1"]
        assert main([*arguments, "--scheduler", "tcp://x:1", "--out", str(tmp_path / "s")]) == 2
        assert "exclude each other" in capsys.readouterr().err
