"""A run on a Dask cluster: a real one of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from docaudit.cli import main
from docaudit.corpus import CorpusRun, run
from docaudit.corpus import executors as cluster
from docaudit.errors import ClusterError
from tests import pdfs
from tests.corpora import TABLES, content, differences, folder_of, run_here, small, table

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder, and the store of a run over it here."""
    root = tmp_path_factory.mktemp("cluster")
    docs = folder_of(root / "docs", **{f"d{number:02}": small(number) for number in range(10)})
    folder_of(docs, locked=pdfs.encrypted(small(11), "x"))
    run_here(docs, root / "whole")
    return docs, root / "whole"


@contextmanager
def started(workers: int) -> Iterator[Any]:
    """A cluster; its workers are processes of their own, which import docaudit from here."""
    with pytest.MonkeyPatch.context() as context:
        context.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as one:
            yield one


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Any]:
    with started(2) as one:
        yield one


def on_cluster(docs: Path, store: Path, address: str, **more: Any) -> CorpusRun:
    return run([docs], TABLES, store, ocr="off", page_seconds=300.0, scheduler=address, **more)


def test_the_same_tables_as_here(corpus: tuple[Path, Path], tmp_path: Path, two_workers: Any) -> None:
    docs, whole = corpus
    done = on_cluster(docs, tmp_path / "store", two_workers.scheduler_address)
    assert (done.read, done.audited, len(done.failed)) == (10, 20, 1)
    assert differences(tmp_path / "store", whole) == []
    assert content(tmp_path / "store" / "audits") == content(whole / "audits")


def test_a_worker_is_killed_during_the_run(
    corpus: tuple[Path, Path], tmp_path: Path, two_workers: Any
) -> None:
    docs, whole = corpus
    killed: list[int] = []

    def kill_one(stage: str, done: int, total: int) -> None:
        if stage == "documents" and done == 2 and not killed:
            killed.append(two_workers.workers[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    on_cluster(docs, tmp_path / "store", two_workers.scheduler_address, progress=kill_one)
    assert killed
    assert differences(tmp_path / "store", whole) == []


def test_the_scheduler_goes_away(corpus: tuple[Path, Path], tmp_path: Path) -> None:
    docs, whole = corpus
    with started(1) as own:

        def close(stage: str, done: int, total: int) -> None:
            if stage == "documents" and done == 2:
                own.close()

        with pytest.raises(ClusterError, match="gone"):
            on_cluster(docs, tmp_path / "store", own.scheduler_address, progress=close)
    # The store is whole, and the run goes on from there without the cluster.
    done = run_here(docs, tmp_path / "store")
    assert 0 < done.read + done.unchanged <= 11
    assert done.read < 10
    assert differences(tmp_path / "store", whole) == []


def test_no_scheduler_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1)
    TABLES["water"].save(tmp_path / "t.csv")
    docs = folder_of(tmp_path / "docs", one=small(1))
    arguments = ["corpus", "run", str(docs), "--concepts", str(tmp_path / "t.csv"), "--ocr", "off"]
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        assert main([*arguments, "--scheduler", address, "--out", str(tmp_path / "s")]) == 2
        assert f"no Dask scheduler answers at {address}" in capsys.readouterr().err
    assert main([*arguments, "--out", str(tmp_path / "s")]) == 0


def test_a_worker_that_does_not_see_the_files(tmp_path: Path) -> None:
    docs, store = folder_of(tmp_path / "docs", one=small(1)), tmp_path / "store"
    run_here(docs, store)
    assert cluster.obstacle(str(store), str(docs / "one.pdf")) == ""
    assert "cannot read" in cluster.obstacle(str(store), str(docs / "two.pdf"))
    assert "is no store" in cluster.obstacle(str(tmp_path), None)


def test_the_first_look_is_at_every_worker(
    corpus: tuple[Path, Path], tmp_path: Path, two_workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs, _ = corpus
    monkeypatch.setattr(cluster, "obstacle", _blind)
    with pytest.raises(ClusterError, match="does not see it") as raised:
        on_cluster(docs, tmp_path / "store", two_workers.scheduler_address)
    assert "same paths" in raised.value.remedy
    assert not (tmp_path / "store" / "documents").exists()


def _blind(store: str, example: str | None) -> str:
    return "it does not see it"


def test_a_document_that_a_cluster_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An executor that says so by an error of that name, as Dask does after several workers."""
    docs, store = folder_of(tmp_path / "docs", one=small(1), two=small(2)), tmp_path / "store"
    lost = min(docs.iterdir(), key=lambda one: one.stat().st_size).name

    class KilledWorker(Exception):  # noqa: N818 - the name that Dask gives it
        pass

    from concurrent.futures import ThreadPoolExecutor

    class Losing(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if args[0].paths[0].endswith(lost):
                future: Future[Any] = Future()
                future.set_exception(KilledWorker("several times"))
                return future
            return super().submit(fn, *args, **kwargs)

    with Losing(1) as executor:
        done = run([docs], TABLES, store, executor=executor, ocr="off")
    assert [(one.name, one.code.value) for one in done.failed.values()] == [(lost, "worker_died")]
    assert len(table(store, "findings")) == 4


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    docs = folder_of(tmp_path / "docs", one=small(1))
    with pytest.raises(ClusterError, match=r"\.\[dask\]"):
        on_cluster(docs, tmp_path / "store", "tcp://127.0.0.1:8786")
