"""What only Linux has: children that are forks of a prepared process, and limits that the system keeps.

Starting Python and importing the engines takes half a second, longer than reading a short document; a fork takes a few
hundredths. The fork server has imported everything and read nothing: it never sees a byte of a document, so a child
that crashes takes nothing along. It runs as `python -m docaudit.extract.linux HANDLE WORKER` and ends with the process
that started it. `docaudit.extract.portable` does the same on every system; `docaudit.extract.processes` chooses.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import NoReturn

from docaudit.extract.protocol import PipeTimeoutError

_REQUEST, _REPLY = struct.Struct("<cQ"), struct.Struct("<q")
_START, _ENDED, _END = b"s", b"e", b"k"
_RUNNING = 1 << 32
"""In place of an exit code."""
_POLL_SECONDS = 0.01
_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


class ForkedProcess:
    """A child that a fork server started; a docaudit.extract.processes.Process."""

    def __init__(self, server: ForkServer, pid: int, target: int, source: int) -> None:
        self.target = target
        self._source = source
        self._server, self._pid = server, pid
        self._lock = threading.Lock()
        self._code: int | None = None
        self._readable = select.poll()
        self._readable.register(source, select.POLLIN)

    def read(self, count: int, seconds: float) -> bytes:
        """Bytes that the child wrote."""
        if not self._readable.poll(min(seconds, 1e6) * 1000):
            raise PipeTimeoutError
        return os.read(self._source, count)

    def wait(self, seconds: float) -> int | None:
        """Its exit code, if it has ended."""
        deadline = time.monotonic() + seconds
        while self._request(_ENDED) is None and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return self._code

    def kill(self) -> None:
        """End it."""
        self._request(_END)  # if the server is gone, the child ends with it

    def close(self) -> None:
        """End it and close the pipes."""
        self.kill()
        os.close(self.target)
        os.close(self._source)

    def _request(self, kind: bytes) -> int | None:
        with self._lock:  # an exit code is told once
            if self._code is None:
                with suppress(OSError):
                    code = self._server.request(kind, self._pid)
                    self._code = None if code == _RUNNING else code
            return self._code


class ForkServer:
    """The parent's end of a fork server; any thread may use it.

    Args:
        worker: The module that every child runs, or is like: its `prepare` is called once, before the first fork.
        environment: Environment variables of the server.
    """

    def __init__(self, worker: str, environment: dict[str, str]) -> None:
        self._lock = threading.Lock()
        self._link, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(
                    # -P: a file of the current folder is no library
                    [sys.executable, "-P", "-m", "docaudit.extract.linux", str(theirs.fileno()), worker],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    env=environment,
                )
            except OSError:
                self._link.close()
                raise

    def start(self, module: str, environment: dict[str, str], errors: int) -> ForkedProcess:
        """A child that runs `main` of a module and prints errors to a handle; raises OSError.

        Its folder is that of this process, as it is now.
        """
        try:
            folder = os.getcwd()  # noqa: PTH109 - as a name, however odd
        except FileNotFoundError:
            folder = "/"
        body = json.dumps({"module": module, "folder": folder, "environment": environment}).encode("ascii")
        handles: list[int] = []
        try:
            handles += os.pipe()
            handles += os.pipe()
            source, to_child, from_child, target = handles
            pid = self.request(_START, len(body), body, (source, target, errors))
            if pid < 0:
                raise OSError(-pid, os.strerror(-pid))
        except BaseException:
            for handle in handles:
                os.close(handle)
            raise
        os.close(source)
        os.close(target)
        return ForkedProcess(self, pid, to_child, from_child)

    def request(self, kind: bytes, number: int, payload: bytes = b"", handles: tuple[int, ...] = ()) -> int:
        """Answer of the server; raises ConnectionError if it is gone.

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
        """Let go of the server in a fork of the process that started it; the lock may be held there."""
        self._lock = threading.Lock()
        self._link.close()

    def close(self) -> None:
        """End the server."""
        self._link.close()
        self._process.wait()


_servers: dict[int, ForkServer] = {}
"""At most one, by the number of this process."""
_starting = threading.Lock()


def start(
    module: str, worker: str, environment: dict[str, str], errors: int, memory_mb: int
) -> ForkedProcess:
    """A child of the fork server of this process, which is started first if need be; it limits its memory itself."""
    own = os.getpid()
    with _starting:
        server = _servers.get(own)
        if server is not None:
            try:
                return server.start(module, environment, errors)
            except ConnectionError:
                server.close()  # somebody ended it: a new one takes its place
        server = _servers[own] = ForkServer(worker, environment)
        return server.start(module, environment, errors)


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


def limit_memory(megabytes: int) -> None:
    """Cap the address space of this process at what it has now, and so much on top, in MiB."""
    _set_limit(_address_space() + (megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def program_memory() -> Iterator[None]:
    """What is loaded in the block belongs to the program: the limit goes up by as much as it takes."""
    limit, most = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        yield
        return
    before = _address_space()
    _set_limit(most)
    try:
        yield
    finally:
        _set_limit(limit + max(0, _address_space() - before))


def _set_limit(limit: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most) if limit != resource.RLIM_INFINITY else most
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _address_space() -> int:
    """Bytes of address space that this process has; a guess where /proc is not mounted."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:  # noqa: PTH123
            return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 30


def limit_time(seconds: float) -> None:
    """End this process after so many seconds, whatever it is doing; 0 takes the limit away."""
    signal.setitimer(signal.ITIMER_REAL, min(seconds, 1e6))


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


def _fork(link: socket.socket, body: bytes, handles: list[int]) -> int:
    """The number of the new process, or that of the error with a minus."""
    server = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        pid = -(error.errno or 1)
    if pid == 0:
        link.close()
        # The system ends this process when the server ends, whatever else keeps its pipes open.
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != server:
            os._exit(1)  # the server had ended before
        _become(handles, **json.loads(body))
    for handle in handles:
        os.close(handle)
    return pid


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
    ended, status = os.waitpid(pid, 0 if end else os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else _RUNNING


def _main() -> None:
    link = socket.socket(fileno=int(sys.argv[1]))
    link.set_inheritable(False)
    import_module(sys.argv[2]).prepare()
    gc.freeze()
    _serve(link)


if __name__ == "__main__":
    _main()
