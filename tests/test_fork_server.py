"""Children are forks of a process that has read nothing, and a server that is gone is replaced."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import docaudit
from docaudit.extract import linux
from tests import pdfs
from tests.test_isolation import children

TWO = pdfs.document(pdfs.text("first page"), pdfs.text("second page"))


def words(source: object) -> list[str]:
    return list(docaudit.parse(source, ocr="off", workers=1).line_df["text"])


def own_children() -> set[str]:
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {number for task in tasks for number in task.read_text().split()}


def server_pid() -> int:
    """The one child of this process that stays when a document was read."""
    words(TWO)
    (found,) = (
        pid
        for pid in own_children()
        if b"docaudit.extract.linux" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    return int(found)


def test_documents_share_one_server_and_leave_no_child() -> None:
    server = server_pid()
    assert words(TWO) == ["first page", "second page"]
    assert server_pid() == server
    assert children(str(server)) == set()


def test_the_server_has_one_thread_so_that_a_fork_of_it_is_whole() -> None:
    assert len(list(Path(f"/proc/{server_pid()}/task").iterdir())) == 1


def test_a_server_that_was_killed_is_replaced() -> None:
    server = server_pid()
    os.kill(server, signal.SIGKILL)
    assert words(TWO) == ["first page", "second page"]
    assert server_pid() != server


def test_a_relative_path_is_that_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_pid()  # it started in another folder
    (tmp_path / "two.pdf").write_bytes(TWO)
    monkeypatch.chdir(tmp_path)
    assert words("two.pdf") == ["first page", "second page"]


def test_an_interrupt_of_the_terminal_leaves_the_server() -> None:
    server = server_pid()
    os.kill(server, signal.SIGINT)
    assert server_pid() == server


def test_a_fork_of_this_process_has_a_server_of_its_own() -> None:
    server_pid()
    pid = os.fork()
    if pid == 0:
        try:
            good = words(TWO) == ["first page", "second page"]
            linux.close()
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    assert words(TWO) == ["first page", "second page"]


def test_the_server_ends_with_its_process(tmp_path: Path) -> None:
    (tmp_path / "two.pdf").write_bytes(TWO)
    code = (
        "import docaudit, os, pathlib; docaudit.parse('two.pdf', ocr='off', workers=1)\n"
        "print(pathlib.Path(f'/proc/self/task/{os.getpid()}/children').read_text())"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(docaudit.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    (server,) = done.stdout.split()
    assert not Path(f"/proc/{server}").exists()


def test_an_interrupted_request_ends_the_server_and_the_next_one_starts_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = server_pid()
    real = linux.socket.send_fds

    def interrupted(*arguments: object) -> int:
        real(*arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(linux.socket, "send_fds", interrupted)
        with pytest.raises(KeyboardInterrupt):
            words(TWO)
    assert [words(TWO) for _ in range(3)] == [["first page", "second page"]] * 3
    assert server_pid() != server


def test_a_server_ends_no_process_that_it_did_not_start() -> None:
    server_pid()
    with subprocess.Popen(["sleep", "60"]) as other:
        server = linux._servers[os.getpid()]
        server.request(linux._END, other.pid)
        server.request(linux._END, 0)
        assert other.poll() is None
        other.kill()
    assert words(TWO) == ["first page", "second page"]


def test_a_fork_while_a_server_is_being_started_reads_on_its_own() -> None:
    with linux._starting:
        pid = os.fork()
        if pid == 0:
            os._exit(0 if words(TWO) == ["first page", "second page"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


PARENT = """
import os, sys, time
import docaudit
from docaudit.extract import linux
docaudit.parse(sys.argv[1], ocr="off")
print(linux._servers[os.getpid()]._process.pid, flush=True)
if os.fork() == 0:
    time.sleep(60)
time.sleep(60)
"""


def test_a_server_ends_with_the_process_that_started_it_though_a_fork_of_that_lives_on(
    tmp_path: Path,
) -> None:
    (tmp_path / "two.pdf").write_bytes(TWO)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "two.pdf")],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    server = int(parent.stdout.readline())
    time.sleep(0.5)
    parent.kill()
    parent.wait()
    over = time.monotonic() + 10
    while Path(f"/proc/{server}/cmdline").exists() and Path(f"/proc/{server}/cmdline").read_bytes():
        assert time.monotonic() < over
        time.sleep(0.1)
    os.killpg(parent.pid, signal.SIGKILL)
    parent.stdout.close()
