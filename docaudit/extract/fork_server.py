"""The fork server: a process that has imported everything and read nothing. Each child is a fork of it.

Starting Python and importing the engines takes half a second, longer than reading a short document; a fork takes a few
hundredths. The server itself never sees a byte of a document: a child that crashes or goes astray takes nothing along.
It runs as `python -m docaudit.extract.fork_server HANDLE` and ends when the process that started it does.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

_REQUEST, _REPLY = struct.Struct("<cQ"), struct.Struct("<q")
_START, _ENDED, _END = b"s", b"e", b"k"
_RUNNING = 1 << 32
"""In place of an exit code."""
_POLL_SECONDS = 0.01
_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""
_SETTINGS = {
    "OMP_THREAD_LIMIT": "1",
    "MALLOC_ARENA_MAX": "1",  # each arena takes address space, which is what the memory limit counts
    "OPENBLAS_NUM_THREADS": "1",  # small matrices: threads that wait for each other cost ten times as much
    "PYTHONHASHSEED": "0",
    # Pictures of pages come and go: to give their memory back to the system each time costs a tenth of the time. What
    # is larger than they are is given back: a growing block that is not a mapping of its own needs room twice.
    "MALLOC_MMAP_THRESHOLD_": str(1 << 26),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 28),
}


class Process:
    """A child that a fork server started."""

    def __init__(self, server: ForkServer, pid: int) -> None:
        self._server, self._pid = server, pid
        self._lock = threading.Lock()
        self._code: int | None = None

    def wait(self, seconds: float) -> int | None:
        """Its exit code (negative: the signal that ended it); None if it lives on for so long, or nobody knows."""
        over = time.monotonic() + seconds
        while self._ask(_ENDED) is None and time.monotonic() < over:
            time.sleep(_POLL_SECONDS)
        return self._code

    def kill(self) -> None:
        """End it, whatever it is doing. If the server is gone, it ends when its pipes close."""
        self._ask(_END)

    def _ask(self, what: bytes) -> int | None:
        with self._lock:  # an exit code is told once
            if self._code is None:
                with suppress(OSError):
                    code = self._server.request(what, self._pid)
                    self._code = None if code == _RUNNING else code
            return self._code


class ForkServer:
    """The parent's end of a fork server; any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._link, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(
                    # -P: a file of the current folder is no library
                    [sys.executable, "-P", "-m", "docaudit.extract.fork_server", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env=_environment(),
                )
            except OSError:
                self._link.close()
                raise

    def start(self, module: str, handles: tuple[int, int, int]) -> Process:
        """A child that runs `main` of a module, with these as standard input, output and error; raises OSError.

        Folder and environment are those of this process, as they are now.
        """
        try:
            folder = os.getcwd()  # noqa: PTH109 - as a name, however odd
        except FileNotFoundError:
            folder = "/"
        wanted = json.dumps({"module": module, "folder": folder, "environment": _environment()})
        pid = self.request(_START, len(wanted), wanted.encode("ascii"), handles)
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        return Process(self, pid)

    def request(self, kind: bytes, number: int, payload: bytes = b"", handles: tuple[int, ...] = ()) -> int:
        """Ask and wait for the answer; raises ConnectionError if the server is gone.

        Whatever interrupts it, Ctrl-C included, ends the server: an answer that nobody took would be taken for the
        next one.
        """
        with self._lock:
            reply = b""
            try:
                socket.send_fds(self._link, [_REQUEST.pack(kind, number)], handles)
                self._link.sendall(payload)
                reply = self._link.recv(_REPLY.size, socket.MSG_WAITALL)
            except OSError as error:
                raise ConnectionError(f"the server is gone: {error}") from error
            finally:
                if len(reply) < _REPLY.size:
                    self._link.close()
        if len(reply) < _REPLY.size:
            raise ConnectionError("the server is gone")
        return int(_REPLY.unpack(reply)[0])

    def forget(self) -> None:
        """In a fork of the process that started the server: the line is the other's, and a lock may be held there."""
        self._lock = threading.Lock()
        self._link.close()

    def close(self) -> None:
        """End the server."""
        self._link.close()
        self._process.wait()


_servers: dict[int, ForkServer] = {}
"""At most one, by the number of this process."""
_starting = threading.Lock()


def start_process(module: str, handles: tuple[int, int, int]) -> Process:
    """Start a child by the fork server of this process, which is started first if need be; raises OSError."""
    own = os.getpid()
    with _starting:
        server = _servers.get(own)
        if server is not None:
            try:
                return server.start(module, handles)
            except ConnectionError:
                server.close()  # somebody ended it: a new one takes its place
        server = _servers[own] = ForkServer()
        return server.start(module, handles)


def _after_fork() -> None:
    """A fork of this process starts with no server, and keeps none alive whose process ends."""
    global _starting
    _starting = threading.Lock()
    for server in _servers.values():
        server.forget()
    _servers.clear()


os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def close() -> None:
    """End the fork server of this process, if it has one; the next child starts a new one."""
    server = _servers.pop(os.getpid(), None)
    if server is not None:
        server.close()


def _environment() -> dict[str, str]:
    """What this process has now, and the settings. A child imports the same docaudit, wherever this one found it."""
    here = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (here, os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, **_SETTINGS, "PYTHONPATH": path}


def _serve(link: socket.socket) -> None:
    """Answer until the other end is closed."""
    started: set[int] = set()
    while True:
        head, handles, _, _ = socket.recv_fds(link, _REQUEST.size, 3)
        if not head:
            return
        kind, number = _REQUEST.unpack(head)
        if kind == _START:
            reply = _fork(link, link.recv(number, socket.MSG_WAITALL), handles)
            started.add(reply)
        else:
            reply = _exit_code(number, end=kind == _END) if number in started else _RUNNING
            if reply != _RUNNING:
                started.discard(number)
        link.sendall(_REPLY.pack(reply))


def _fork(link: socket.socket, wanted: bytes, handles: list[int]) -> int:
    """The number of the new process, or that of the error with a minus."""
    server = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        pid = -(error.errno or 1)
    if pid == 0:
        link.close()
        _end_with(server)
        _become(handles, **json.loads(wanted))
    for handle in handles:
        os.close(handle)
    return pid


def _end_with(server: int) -> None:
    """Have the system end this process when the server ends, whatever else keeps its pipes open."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != server:
            os._exit(1)  # the server had ended before


def _become(handles: list[int], module: str, folder: str, environment: dict[str, str]) -> NoReturn:
    """Be the child, to its end."""
    code = 1
    try:
        for number, handle in enumerate(handles):
            os.dup2(handle, number)
            os.close(handle)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        import_module(module).main()
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, this process ends here, as it would without a server
        traceback.print_exc()
    finally:
        os._exit(code)


def _exit_code(pid: int, *, end: bool) -> int:
    if end:
        os.kill(pid, signal.SIGKILL)  # its number is its own until it is waited for, and only here it is
    found, status = os.waitpid(pid, 0 if end else os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else _RUNNING


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides what ends
    link = socket.socket(fileno=int(sys.argv[1]))
    link.set_inheritable(False)
    import docaudit.extract.worker  # first: it keeps the engine from loading what is not used

    # isort: split
    import docaudit.extract.reader  # noqa: F401
    from docaudit.extract.glyph_shapes import prepare

    prepare()
    gc.set_threshold(50_000, 20, 20)  # a page has many thousand spans and no cycles
    gc.freeze()
    _serve(link)


if __name__ == "__main__":
    _main()
