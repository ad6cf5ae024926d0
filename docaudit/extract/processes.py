"""The one supervisor of child processes: how they are started on this system, asked, listened to, limited and ended.

What only Linux has lies in `docaudit.extract.linux`, what works on every system in `docaudit.extract.portable`. The
environment variable DOCAUDIT_PROCESSES chooses (fork or portable); without it Linux forks.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Protocol, TypeVar

import psutil

from docaudit.errors import (
    DamagedDocumentError,
    InputError,
    NoPagesError,
    NotAPdfError,
    OptionError,
    PasswordRequiredError,
)
from docaudit.extract.protocol import (
    Answer,
    ChildMemoryError,
    DocumentFact,
    OpenRequest,
    PipeClosedError,
    PipeGarbledError,
    PipeTimeoutError,
    Refused,
    Request,
    Working,
    decode_reply,
    largest_reply,
    receive,
    send,
    validate_reply,
)
from docaudit.extract.source import SourceFile
from docaudit.options import AuditOptions

WAY = "DOCAUDIT_PROCESSES"
_WORKER = "docaudit.extract.worker"
_SETTINGS = {
    "OMP_THREAD_LIMIT": "1",
    "MALLOC_ARENA_MAX": "1",  # each arena takes address space, which is what the memory limit counts
    "OPENBLAS_NUM_THREADS": "1",  # small matrices: threads that wait for each other cost ten times as much
    "PYTHONHASHSEED": "0",
    # Renderings of pages come and go: to give their memory back to the system each time costs a tenth of the time. What
    # is larger than they are is given back: a growing block that is not a mapping of its own needs room twice.
    "MALLOC_MMAP_THRESHOLD_": str(1 << 26),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 28),
}
OPEN_SECONDS = 60.0
"""Time to open a document. Chosen, not measured: the longest of the samples takes under a second."""
_MOST_PARTS = 1000
"""Parts of one page that may take the time limit each: regions that go to OCR, in all their readings. Chosen."""
_PRINTED_BYTES = 4096

Expected = TypeVar("Expected", bound=Answer)


class Process(Protocol):
    """A child process, and the pipes to and from it."""

    target: int
    """Handle to write to."""

    def read(self, count: int, seconds: float) -> bytes:
        """At most so many bytes that it wrote, none at the end; raises PipeTimeoutError or ChildMemoryError."""

    def wait(self, seconds: float) -> int | None:
        """Its exit code (negative: the signal that ended it); None if it lives on for so long, or nobody knows."""

    def kill(self) -> None:
        """End it, whatever it is doing."""

    def close(self) -> None:
        """End it and close the pipes."""


class Platform(Protocol):
    """What both ways have."""

    def start(
        self, module: str, worker: str, environment: dict[str, str], errors: int, memory_mb: int
    ) -> Process:
        """A child that runs `main` of a module; raises OSError.

        Args:
            module: The module.
            worker: The module whose `prepare` has been called before.
            environment: Environment variables of the child.
            errors: Handle to which it prints errors.
            memory_mb: Memory that it may take for the document, in MiB.
        """

    def limit_memory(self, megabytes: int) -> None:
        """Called by the child: let it take no more memory than it has now, and so much on top."""

    def limit_time(self, seconds: float) -> None:
        """Called by the child: let it end after so many seconds, whatever it is doing; 0 takes the limit away."""

    def program_memory(self) -> AbstractContextManager[None]:
        """A block in which what the child loads belongs to the program, and does not count as the document's."""


def platform() -> Platform:
    """The way that processes are run here; raises OptionError if DOCAUDIT_PROCESSES names none."""
    if _chosen_way() == "fork":
        from docaudit.extract import linux  # elsewhere it cannot be imported

        return linux
    from docaudit.extract import portable

    return portable


def _chosen_way() -> str:
    way = os.environ.get(WAY) or ("fork" if sys.platform == "linux" else "portable")
    if way not in {"fork", "portable"}:
        raise OptionError(
            f"{WAY} is {way!r}", remedy="set it to fork (Linux only) or portable, or not at all"
        )
    return way


def child_environment(**settings: str) -> dict[str, str]:
    """Environment variables for a further Python process: those of this one, the same docaudit, and the settings."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (package, os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, **settings, "PYTHONPATH": path}


def end_with_children(pid: int) -> None:
    """End a process and all that it started, on any system; nothing happens if it has ended.

    For whoever starts a process that reads documents, as the HTTP server does.
    """
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for started in [*process.children(recursive=True), process]:
            with suppress(psutil.NoSuchProcess):
                started.kill()


class Child:
    """One child process with the document open.

    Args:
        source: The document.
        options: How to read it, and the limits.
        module: What the child runs.
        describe: Whether `document` is to have more than the number of pages.

    Attributes:
        document: What belongs to the document as a whole.
        lost: The child crashed, took too much time or memory or said what cannot be true: it answers no more.

    Raises:
        InputError: No process can be started, or the document does not open in it.
    """

    def __init__(self, source: SourceFile, options: AuditOptions, module: str, *, describe: bool) -> None:
        self.lost = False
        self._closed = False
        environment = child_environment(**_SETTINGS, **{WAY: _chosen_way()})
        try:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
            try:
                self._process = platform().start(
                    module, _WORKER, environment, self._errors.fileno(), options.memory_mb
                )
            except BaseException:
                self._errors.close()
                raise
        except OSError as error:
            raise InputError(
                f"the process that reads it cannot be started: {error.strerror or error}",
                file=source.name,
                remedy="free memory or file handles, or lower --workers",
            ) from error
        request = OpenRequest(
            path=str(source.path),
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
        try:
            seconds = min(OPEN_SECONDS, options.document_seconds)
            reply = self.ask(DocumentFact, request, seconds)
            if isinstance(reply, Refused):
                raise _open_error(reply, source.name, seconds)
        except BaseException:
            self.close()
            raise
        self.document = reply

    def ask(self, kind: type[Expected], request: Request, seconds: float) -> Expected | Refused:
        """Reply to a request, of this kind or a refusal that says why there is none."""
        self.send(request)
        return self.answer(kind, request, seconds)

    def send(self, request: Request) -> None:
        """Hand in a request whose reply is waited for later; several are answered in their order."""
        with suppress(PipeClosedError):  # it is gone; whoever waits for the answer learns on which request
            send(self._process.target, request)

    def answer(
        self, kind: type[Expected], request: Request, seconds: float, deadline: float | None = None
    ) -> Expected | Refused:
        """Reply to a request that was sent.

        Args:
            kind: What the reply is to be.
            request: The request.
            seconds: Time for each part of the work on it.
            deadline: When all of it must be over (time.monotonic); without it the work has one part.
        """
        end = time.monotonic() + seconds if deadline is None else deadline
        try:
            for _ in range(_MOST_PARTS):
                part_seconds = max(0.1, min(seconds, end - time.monotonic()))
                reply = decode_reply(receive(self._process.read, part_seconds, largest_reply(request)))
                if isinstance(reply, Working):
                    continue
                if problem := validate_reply(request, kind, reply):
                    raise PipeGarbledError(problem)
                assert isinstance(reply, (kind, Refused))
                return reply
            raise PipeTimeoutError
        except PipeTimeoutError:
            refusal = Refused("timed_out", f"no result after {seconds:g} s")
        except ChildMemoryError:
            task = "opening it" if isinstance(request, OpenRequest) else "the page"
            refusal = Refused("out_of_memory", f"{task} needs more memory than the limit")
        except PipeGarbledError as error:
            refusal = Refused("crashed", str(error))
        except PipeClosedError:
            refusal = Refused("crashed", self._last_words())
        self.lost = True
        return refusal

    def kill(self) -> None:
        """End the process, whatever it is doing; whoever waits for an answer learns that it is gone."""
        self._process.kill()

    def close(self) -> None:
        """End the process and free what belongs to it."""
        if not self._closed:
            self._closed = True
            self._process.close()
            self._errors.close()

    def _last_words(self) -> str:
        """How the process ended."""
        code = self._process.wait(2)
        if code is None:
            return "no exit code"
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _PRINTED_BYTES))
        printed = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        ended = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{ended}: {printed[-1]}" if printed else ended


def _as_typed(password: str | None) -> str | None:
    """The password as valid text: bytes that are no UTF-8 stand for the letters of Latin-1, as in a PDF."""
    if password is None:
        return None
    try:
        typed = password.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return password.encode("utf-8", "replace").decode(
            "utf-8"
        )  # a lone surrogate: no file has such a password
    try:
        return typed.decode("utf-8")
    except UnicodeDecodeError:
        return typed.decode("latin-1")


def _open_error(refusal: Refused, name: str, seconds: float) -> InputError:
    """The error of a document that does not open within so many seconds."""
    if refusal.reason == "timed_out":
        return DamagedDocumentError(
            f"opening it took longer than {seconds:g} s",
            file=name,
            remedy="repair the file, or raise --document-seconds",
        )
    if refusal.reason == "crashed":
        return DamagedDocumentError(
            f"the engine crashed while opening it ({refusal.message})", file=name, remedy="repair the file"
        )
    kinds: dict[str, tuple[type[InputError], str]] = {
        "password": (PasswordRequiredError, "pass the password with --password"),
        "not_a_pdf": (NotAPdfError, "name a PDF file"),
        "no_pages": (NoPagesError, "obtain the file again"),
        "out_of_memory": (DamagedDocumentError, "raise --memory-mb, or repair the file"),
    }
    kind, remedy = kinds.get(refusal.reason, (DamagedDocumentError, "repair the file, or obtain it again"))
    return kind(refusal.message, file=name, remedy=remedy)
