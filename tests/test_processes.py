"""Both ways to run child processes give the same tables, and nothing but one module needs Linux."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import psutil
import pytest

import docaudit
from docaudit.document import PARSED_TABLES, ParsedDocument
from docaudit.errors import OptionError, PasswordRequiredError, Stop, StoppedError
from docaudit.extract import isolation, processes
from tests import pdfs
from tests.test_isolation import THREE, children

pytestmark = pytest.mark.slow

PACKAGE = Path(docaudit.__file__).parent
MANY = pdfs.document(*(pdfs.text(f"page number {number}", *pdfs.PROSE) for number in range(1, 51)))
WITH_FILE = pdfs.document(
    pdfs.text("outer"),
    finish=lambda doc: doc.embfile_add("inner.pdf", THREE, filename="inner.pdf"),
)


def tables(parsed: ParsedDocument, folder: Path) -> dict[str, bytes]:
    parsed.save(folder)
    return {name: (folder / f"{name}.parquet").read_bytes() for name in PARSED_TABLES}


@pytest.mark.parametrize(
    ("sabotage", "data", "options"),
    [
        ("", THREE, {}),
        ("", pdfs.encrypted(THREE, user="sesame"), {"password": "sesame"}),
        ("crash:2", THREE, {}),
        ("hang:2", THREE, {"page_seconds": 4.0}),
        ("memory:2", THREE, {"memory_mb": 512}),
        pytest.param("", MANY, {"workers": 2}, marks=pytest.mark.slow),
        pytest.param("", WITH_FILE, {}, marks=pytest.mark.slow),
        pytest.param("draw:2", THREE, {}, marks=pytest.mark.slow),
        pytest.param("exit:2", THREE, {}, marks=pytest.mark.slow),
        pytest.param("refuse:2", THREE, {}, marks=pytest.mark.slow),
        pytest.param("garbage:2", THREE, {}, marks=pytest.mark.slow),
        pytest.param("crash:2", MANY, {"workers": 2}, marks=pytest.mark.slow),
    ],
)
def test_both_ways_give_the_same_bytes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sabotage: str,
    data: bytes,
    options: dict[str, object],
) -> None:
    if sabotage:
        monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
        monkeypatch.setenv("DOCAUDIT_SABOTAGE", sabotage)
    parses = {}
    for way in ("fork", "portable"):
        monkeypatch.setenv("DOCAUDIT_PROCESSES", way)
        parsed = docaudit.parse(data, ocr="off", **{"workers": 1, **options})
        parses[way] = tables(parsed, tmp_path / way)
    assert parses["portable"] == parses["fork"]
    blind_spot_df = pd.read_parquet(tmp_path / "portable" / "blind_spot_df.parquet")
    assert blind_spot_df["page_num"].tolist() == ([2] if sabotage else [])


class TestPortable:
    """What a child that is watched from outside does in the end, as one that the system limits."""

    @pytest.fixture(autouse=True)
    def portable(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DOCAUDIT_PROCESSES", "portable")

    def sabotage(self, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
        monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
        monkeypatch.setenv("DOCAUDIT_SABOTAGE", kind)

    def test_no_fork_server_is_started_and_no_child_is_left(self) -> None:
        before = children()
        assert len(docaudit.parse(THREE, ocr="off", workers=1).page_df) == 3
        assert children() <= before

    def test_missing_password(self) -> None:
        with pytest.raises(PasswordRequiredError, match="needs a password"):
            docaudit.parse(pdfs.encrypted(THREE, user="sesame"))

    @pytest.mark.parametrize(
        ("kind", "cause", "options"),
        [
            ("crash:0", "crashed while opening it \\(signal 11", {}),
            ("hang:0", "longer than 8 s", {"document_seconds": 8.0}),
            ("memory:0", "opening it needs more memory than the limit", {"memory_mb": 512}),
        ],
    )
    def test_failure_while_opening(
        self, monkeypatch: pytest.MonkeyPatch, kind: str, cause: str, options: dict[str, object]
    ) -> None:
        self.sabotage(monkeypatch, kind)
        with pytest.raises(docaudit.errors.DamagedDocumentError, match=cause):
            docaudit.parse(THREE, ocr="off", workers=1, **options)

    def test_work_is_stopped_between_pages(self) -> None:
        before = children()
        stop = Stop(lambda done, _total: stop.stop() if done == 2 else None)
        with pytest.raises(StoppedError):
            docaudit.parse(MANY, ocr="off", workers=1, progress=stop)
        assert children() <= before

    def test_a_child_whose_parent_is_gone_ends_itself(self) -> None:
        code = (
            "from docaudit.extract.portable import limit_time\n"
            "import time\n"
            "limit_time(60); limit_time(0); limit_time(0.2)\n"
            "time.sleep(60)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], env=processes.child_environment(), timeout=30, check=False
        )
        assert done.returncode == 1


def test_a_process_is_ended_with_all_that_it_started() -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = psutil.Process(int(process.stdout.readline()))
        processes.end_with_children(process.pid)
        process.wait(20)
    child.wait(20)
    processes.end_with_children(process.pid)


def test_an_unknown_way_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCAUDIT_PROCESSES", "threads")
    with pytest.raises(OptionError, match="DOCAUDIT_PROCESSES is 'threads'"):
        docaudit.parse(THREE)


ELSEWHERE = """
import importlib, os, pathlib, signal, socket, sys

def load(names):
    for name in names:
        importlib.import_module(name)

modules = sys.argv[2:]
load(modules)  # so that libraries are there: they know Windows and macOS by themselves
for name in [name for name in sys.modules if name.split(".")[0] == "docaudit"]:
    del sys.modules[name]
for name in ("fcntl", "resource", "pwd", "grp", "termios", "pty", "docaudit.extract.linux"):
    sys.modules[name] = None
lacking = {
    os: ["fork", "register_at_fork", "sched_getaffinity", "getuid", "geteuid", "killpg", "O_PATH", "O_CLOEXEC",
         "O_NOFOLLOW", "O_DIRECTORY", "pidfd_open", "setsid", "pwrite", "pread"],
    signal: ["SIGHUP", "setitimer", "ITIMER_REAL", "SIGALRM", "pthread_sigmask"],
    socket: ["AF_UNIX", "socketpair", "send_fds", "recv_fds"],
}
for module, names in lacking.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
sys.platform = "win32"
load(name for name in modules if name != "docaudit.extract.linux")
import docaudit
print(docaudit.parse(sys.argv[1], ocr="off", workers=1).line_df["text"].tolist())
"""


def test_every_module_but_one_is_imported_without_what_only_linux_has(tmp_path: Path) -> None:
    """A Python that lacks it and takes itself for Windows: a simulation, not a run there."""
    (tmp_path / "three.pdf").write_bytes(THREE)
    paths = (path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py"))
    modules = sorted(
        name
        for name in (".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths)
        if not name.endswith("__main__")
    )
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(tmp_path / "three.pdf"), *modules],
        env={name: value for name, value in processes.child_environment().items() if name != processes.WAY},
        cwd=os.sep,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == ["['first page', 'second page', 'third page']"]
