"""One child process with a document open: started, asked, listened to with a time limit, and ended."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import ExitStack
from typing import IO

from docaudit.errors import (
    DamagedDocumentError,
    InputError,
    NoPagesError,
    NotAPdfError,
    PasswordRequiredError,
)
from docaudit.extract.annotate_facts import Annotated, AnnotateRequest
from docaudit.extract.document import SourceFile
from docaudit.extract.facts import (
    DocumentFact,
    Extracted,
    ExtractRequest,
    Opened,
    OpenRequest,
    PageFact,
    PageRead,
    Planted,
    PlantRequest,
    ReadRequest,
    Refused,
    SecondText,
    TextRequest,
    ThumbnailDrawn,
    ThumbnailRequest,
    Working,
)
from docaudit.extract.fork_server import Process, start_process
from docaudit.extract.messages import (
    MAX_MESSAGE,
    PipeClosedError,
    PipeGarbledError,
    PipeTimeoutError,
    decode_reply,
    receive,
    send,
)
from docaudit.extract.trust import document_problem, page_problem
from docaudit.options import AuditOptions

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
