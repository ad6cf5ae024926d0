"""The fork server: a process that has imported everything and read nothing. Each child is a fork of it.

Starting Python and importing the engines takes half a second, longer than reading a short document; a fork takes a few
hundredths. The server itself never sees a byte of a document: a child that crashes or goes astray takes nothing along.
It runs as `python -m docaudit.extract.processes HANDLE` and ends when the process that started it does.

One child process with a document open: started, asked, listened to with a time limit, and ended.
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
import tempfile
import threading
import time
import traceback
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, NoReturn

from docaudit.errors import (
    DamagedDocumentError,
    InputError,
    NoPagesError,
    NotAPdfError,
    PasswordRequiredError,
)
from docaudit.extract.protocol import (
    MAX_MESSAGE,
    Annotated,
    AnnotateRequest,
    DocumentFact,
    Extracted,
    ExtractRequest,
    Opened,
    OpenRequest,
    PageFact,
    PageRead,
    PipeClosedError,
    PipeGarbledError,
    PipeTimeoutError,
    Planted,
    PlantRequest,
    ReadRequest,
    Refused,
    SecondText,
    TextRequest,
    ThumbnailDrawn,
    ThumbnailRequest,
    Working,
    decode_reply,
    document_problem,
    page_problem,
    receive,
    send,
)
from docaudit.extract.source import SourceFile
from docaudit.options import AuditOptions

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
                    [sys.executable, "-P", "-m", "docaudit.extract.processes", str(theirs.fileno())],
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
    import docaudit.extract.page  # noqa: F401
    from docaudit.extract.glyphs import prepare

    prepare()
    gc.set_threshold(50_000, 20, 20)  # a page has many thousand spans and no cycles
    gc.freeze()
    _serve(link)


_OPEN_SECONDS = 60.0
_MOST_PARTS = 1000
"""Parts of one page that may take the time limit each: regions that go to OCR, in all their readings."""
_PRINTED = 4096


class Child:
    """One child process with the document open; `module` is what it runs."""

    def __init__(self, source: SourceFile, options: AuditOptions, module: str, *, describe: bool) -> None:
        self._source = source
        self._options = options
        with ExitStack() as opened:
            try:
                self._errors = opened.enter_context(tempfile.TemporaryFile())  # lives as long as the process
                self._process, *self._pipes = _started(module, self._errors.fileno())
            except OSError as error:
                raise InputError(
                    f"the process that reads it cannot be started: {error.strerror or error}",
                    file=source.name,
                    remedy="free memory or file handles, or lower --workers",
                ) from error
            opened.pop_all()
        self._to, self._from = (pipe.fileno() for pipe in self._pipes)
        try:
            self.document = self._open(describe)
        except BaseException:
            self.close()
            raise

    def _open(self, describe: bool) -> DocumentFact:
        options = self._options
        request = OpenRequest(
            path=str(self._source.path),
            password=_as_typed(options.password),
            ocr=options.ocr if options.ink else "off",
            ocr_engine=options.ocr_engine,
            ocr_lang=options.ocr_lang,
            ocr_confidence=options.ocr_confidence,
            memory_mb=options.memory_mb,
            page_seconds=options.page_seconds,
            describe=describe,
            ink=options.ink,
            second_reader=options.second_reader,
        )
        seconds = min(_OPEN_SECONDS, options.document_seconds)
        try:
            send(self._to, request)
            reply = decode_reply(receive(self._from, seconds))
            if isinstance(reply, Refused):
                raise _refusal(reply, self._source.name)
            if not isinstance(reply, Opened):
                raise PipeGarbledError("an answer to another question")
            if problem := document_problem(reply.document):
                raise PipeGarbledError(f"an answer that cannot be true: {problem}")
        except PipeTimeoutError as error:
            raise DamagedDocumentError(
                f"opening it took longer than {seconds:g} s",
                file=self._source.name,
                remedy="repair the file, or raise --document-seconds",
            ) from error
        except PipeClosedError as error:
            garbled = isinstance(error, PipeGarbledError)
            raise DamagedDocumentError(
                f"the engine crashed while opening it ({error if garbled else self.last_words()})",
                file=self._source.name,
                remedy="repair the file",
            ) from error
        return reply.document

    def ask(self, page_num: int, *, render: bool) -> None:
        """Send the request for one page; raises PipeClosedError."""
        send(self._to, ReadRequest(page_num, render))

    def answer(self, page_num: int, seconds: float, deadline: float) -> PageFact | Refused:
        """Wait for a page that was asked for; raises PipeTimeoutError or PipeClosedError.

        Args:
            page_num: The page.
            seconds: Time for each part of the work on it.
            deadline: When the time of the whole document is over (time.monotonic).
        """
        for _ in range(_MOST_PARTS):
            limit = max(0.1, min(seconds, deadline - time.monotonic()))
            reply = decode_reply(receive(self._from, limit))
            if isinstance(reply, Refused):
                return reply
            if isinstance(reply, PageRead):
                if problem := page_problem(reply.page, page_num):
                    raise PipeGarbledError(problem)
                return reply.page
            if not isinstance(reply, Working):
                raise PipeGarbledError("an answer to another question")
        raise PipeTimeoutError

    def thumbnail(
        self, page_num: int, width: int, seconds: float, clip: tuple[float, float, float, float] | None = None
    ) -> bytes | Refused:
        """A small JPEG of one page, or of a region of it; raises PipeTimeoutError or PipeClosedError."""
        send(self._to, ThumbnailRequest(page_num, width, clip))
        reply = decode_reply(receive(self._from, seconds))
        if isinstance(reply, ThumbnailDrawn) and reply.page_num == page_num:
            return reply.jpeg
        if isinstance(reply, Refused):
            return reply
        raise PipeGarbledError(f"asked for a picture of page {page_num}, got something else")

    def second_text(self, page_num: int, seconds: float) -> SecondText | Refused:
        """The text of one page by the second engine; raises PipeTimeoutError or PipeClosedError."""
        send(self._to, TextRequest(page_num))
        reply = decode_reply(receive(self._from, seconds))
        if isinstance(reply, Refused) or (isinstance(reply, SecondText) and reply.page_num == page_num):
            return reply
        raise PipeGarbledError(f"asked for the text of page {page_num}, got something else")

    def extract(self, request: ExtractRequest, seconds: float) -> Extracted | Refused:
        """Unpack an embedded file; raises PipeTimeoutError or PipeClosedError."""
        send(self._to, request)
        most = MAX_MESSAGE + 4 * request.limit  # rows of short words take more room than the file itself
        reply = decode_reply(receive(self._from, seconds, most))
        if not isinstance(reply, (Extracted, Refused)):
            raise PipeGarbledError("asked for an embedded file, got something else")
        return reply

    def annotate(self, request: AnnotateRequest, seconds: float) -> Annotated | Refused:
        """Save an annotated copy of the document; raises PipeTimeoutError or PipeClosedError."""
        send(self._to, request)
        reply = decode_reply(receive(self._from, seconds))
        if not isinstance(reply, (Annotated, Refused)):
            raise PipeGarbledError("asked for an annotated copy, got something else")
        return reply

    def plant(self, request: PlantRequest, seconds: float) -> Planted | Refused:
        """Write a copy with phrases planted into it; raises PipeTimeoutError or PipeClosedError."""
        send(self._to, request)
        reply = decode_reply(receive(self._from, seconds))
        if not isinstance(reply, (Planted, Refused)):
            raise PipeGarbledError("asked for a copy, got something else")
        return reply

    def last_words(self) -> str:
        """How the process ended."""
        code = self._process.wait(2)
        if code is None:
            return "no exit code"
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _PRINTED))
        printed = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        ended = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{ended}: {printed[-1]}" if printed else ended

    def kill(self) -> None:
        """End the process, whatever it is doing; whoever waits for an answer learns that it is gone."""
        self._process.kill()

    def close(self) -> None:
        """End the process and free what belongs to it."""
        self._process.kill()
        for file in (*self._pipes, self._errors):
            file.close()


def _started(module: str, errors: int) -> tuple[Process, IO[bytes], IO[bytes]]:
    """A child process, and the ends of two pipes: to write to it and to read from it; raises OSError."""
    with ExitStack() as theirs, ExitStack() as ours:
        source, to = _pipe()
        theirs.enter_context(source)
        ours.enter_context(to)
        come, target = _pipe()
        theirs.enter_context(target)
        ours.enter_context(come)
        process = start_process(module, (source.fileno(), target.fileno(), errors))
        ours.pop_all()
    return process, to, come


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    reads, writes = os.pipe()
    return open(reads, "rb", 0), open(writes, "wb", 0)  # noqa: PTH123


def _as_typed(password: str | None) -> str | None:
    """The password as valid text: bytes that are no UTF-8 stand for the letters of Latin-1, as in a PDF."""
    if password is None:
        return None
    try:
        typed = password.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return password.encode("utf-8", "replace").decode(
            "utf-8"
        )  # half a character: no file has such a password
    try:
        return typed.decode("utf-8")
    except UnicodeDecodeError:
        return typed.decode("latin-1")


def _refusal(reply: Refused, name: str) -> InputError:
    kinds: dict[str, tuple[type[InputError], str]] = {
        "password": (PasswordRequiredError, "pass the password with --password"),
        "not_a_pdf": (NotAPdfError, "name a PDF file"),
        "no_pages": (NoPagesError, "obtain the file again"),
        "out_of_memory": (DamagedDocumentError, "raise --memory-mb, or repair the file"),
    }
    kind, remedy = kinds.get(reply.reason, (DamagedDocumentError, "repair the file, or obtain it again"))
    return kind(reply.message, file=name, remedy=remedy)


if __name__ == "__main__":
    _main()
