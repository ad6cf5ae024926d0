"""Child processes that read a document, and the watch over them: a crash or hang costs one page, never the run.

The parent hands out page numbers and keeps the time. Whatever page a child was on when it died or ran out of
time gets a state of its own; a new child goes on with the next page.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from docaudit.errors import (
    DamagedDocumentError,
    InputError,
    NoPagesError,
    NotAPdfError,
    PasswordRequiredError,
)
from docaudit.extract.document import SourceFile
from docaudit.extract.facts import (
    DocumentFact,
    Extracted,
    ExtractRequest,
    Opened,
    OpenRequest,
    PageFact,
    PageRead,
    ReadRequest,
    Refused,
    SpotFact,
    Working,
)
from docaudit.extract.messages import (
    PipeClosedError,
    PipeGarbledError,
    PipeTimeoutError,
    decode_reply,
    receive,
    send,
)
from docaudit.extract.ocr_engines import require_engine
from docaudit.location import PageState, TextLikely
from docaudit.options import AuditOptions
from docaudit.reasons import BlindSpotKind

Progress = Callable[[int, int], None]
"""Called with the pages done so far and the pages in all."""

_BATCH = 8
_PAGES_PER_WORKER = 24
_OPEN_SECONDS = 60.0
WORKER = "docaudit.extract.worker"
"""The module that runs in the child process."""


class Child:
    """One child process with the document open."""

    def __init__(self, source: SourceFile, options: AuditOptions, *, describe: bool) -> None:
        self._source = source
        self._options = options
        environment = {
            **os.environ,
            "OMP_THREAD_LIMIT": "1",
            "OPENBLAS_NUM_THREADS": "1",  # small matrices: threads that wait for each other cost ten times as much
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": _import_path(),
        }
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", WORKER],  # -P: a file of the current folder is no library
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to = self._process.stdin.fileno()
        self._from = self._process.stdout.fileno()
        try:
            self.document = self._open(describe)
        except BaseException:
            self.close()
            raise

    def _open(self, describe: bool) -> DocumentFact:
        options = self._options
        request = OpenRequest(
            path=str(self._source.path),
            password=options.password,
            ocr=options.ocr,
            ocr_engine=options.ocr_engine,
            ocr_lang=options.ocr_lang,
            ocr_confidence=options.ocr_confidence,
            memory_mb=options.memory_mb,
            describe=describe,
            second_reader=options.second_reader,
        )
        seconds = min(_OPEN_SECONDS, options.document_seconds)
        try:
            send(self._to, request)
            reply = decode_reply(receive(self._from, seconds))
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
        if isinstance(reply, Refused):
            raise _refusal(reply, self._source.name)
        assert isinstance(reply, Opened)
        return reply.document

    def ask(self, page_num: int, *, render: bool) -> None:
        """Send the request for one page."""
        send(self._to, ReadRequest(page_num, render))

    def answer(self, page_num: int, seconds: float) -> PageFact | Refused:
        """Wait for a page that was asked for, `seconds` for each part of the work; raises PipeTimeoutError or
        PipeClosedError.
        """
        reply = decode_reply(receive(self._from, seconds))
        while isinstance(reply, Working):
            reply = decode_reply(receive(self._from, seconds))
        if isinstance(reply, PageRead):
            if reply.page.page_num != page_num:
                raise PipeGarbledError(f"asked for page {page_num}, got page {reply.page.page_num}")
            return reply.page
        assert isinstance(reply, Refused)
        return reply

    def extract(self, request: ExtractRequest, seconds: float) -> Extracted | Refused:
        """Unpack an embedded file; raises PipeTimeoutError or PipeClosedError."""
        send(self._to, request)
        reply = decode_reply(receive(self._from, seconds))
        if not isinstance(reply, (Extracted, Refused)):
            raise PipeGarbledError("asked for an embedded file, got something else")
        return reply

    def last_words(self) -> str:
        """How the process ended."""
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "no exit code"
        self._errors.seek(0)
        printed = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        ended = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{ended}: {printed[-1]}" if printed else ended

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._errors.close()


def _import_path() -> str:
    """The child imports the same docaudit as this process, wherever this process found it."""
    here = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(part for part in (here, os.environ.get("PYTHONPATH", "")) if part)


def _refusal(reply: Refused, name: str) -> InputError:
    kinds: dict[str, tuple[type[InputError], str]] = {
        "password": (PasswordRequiredError, "pass the password with --password"),
        "not_a_pdf": (NotAPdfError, "name a PDF file"),
        "no_pages": (NoPagesError, "obtain the file again"),
        "damaged": (DamagedDocumentError, "repair the file, or obtain it again"),
    }
    kind, remedy = kinds[reply.reason]
    return kind(reply.message, file=name, remedy=remedy)


class _Item(NamedTuple):
    """One page to read; `failed` says how reading it with a picture of it ended, so that it is read without."""

    num: int
    failed: tuple[BlindSpotKind, str] | None = None


@dataclass
class _Run:
    """The state that all reading threads share."""

    source: SourceFile
    options: AuditOptions
    total: int
    progress: Progress | None
    deadline: float
    todo: list[int]
    pages: dict[int, PageFact] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    stop: bool = False

    def take(self) -> list[_Item]:
        with self.lock:
            batch, self.todo = self.todo[:_BATCH], self.todo[_BATCH:]
            return [] if self.stop else [_Item(num) for num in batch]

    def put(self, page: PageFact) -> None:
        with self.lock:
            self.pages[page.page_num] = page
            if self.progress is not None:
                self.progress(len(self.pages), self.total)


def read_document(
    source: SourceFile, options: AuditOptions, progress: Progress | None = None
) -> tuple[DocumentFact, list[PageFact]]:
    """Read all pages in child processes; one PageFact for each page of the page tree, in order.

    Raises InputError and its subclasses if the document cannot be opened, OcrError if the OCR engine is not installed.
    A page that cannot be read is returned with the state `failed` and a blind spot that says why.
    """
    if options.ocr != "off":
        require_engine(options.ocr_engine)
    deadline = time.monotonic() + options.document_seconds
    first = Child(source, options, describe=True)
    try:
        document = first.document
        total = document.pages_total
        run = _Run(source, options, total, progress, deadline, list(range(1, total + 1)))
        workers = min(options.workers or os.cpu_count() or 1, max(1, total // _PAGES_PER_WORKER))
        with ThreadPoolExecutor(workers) as pool:
            jobs = [pool.submit(_work, run, first if index == 0 else None) for index in range(workers)]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                run.stop = True
                raise
    finally:
        first.close()
    return document, [run.pages[num] for num in range(1, total + 1)]


def _work(run: _Run, child: Child | None) -> None:
    """Read batches of pages until none is left; a child that died is replaced by a new one."""
    try:
        while batch := run.take():
            while batch:
                if time.monotonic() > run.deadline:
                    _give_up(run, batch, BlindSpotKind.PAGE_TIMED_OUT, "time limit of the document")
                    break
                if child is None:
                    child = Child(run.source, run.options, describe=False)
                batch, died = _read_batch(run, child, batch)
                if died:
                    child.close()
                    child = None
    except InputError as error:
        # The document opened before; if it does not any more, the pages are lost, not the run.
        _give_up(run, batch, BlindSpotKind.PAGE_FAILED, str(error))
        while rest := run.take():
            _give_up(run, rest, BlindSpotKind.PAGE_FAILED, str(error))
    finally:
        if child is not None:
            child.close()


def _read_batch(run: _Run, child: Child, batch: list[_Item]) -> tuple[list[_Item], bool]:
    """Read a batch; returns what is left to do of it, and whether the child is gone."""
    try:
        for item in batch:
            child.ask(item.num, render=item.failed is None)
    except PipeClosedError:
        pass  # it died on a page of this batch; the loop below finds out on which
    for done, item in enumerate(batch, 1):
        try:
            limit = max(0.1, min(run.options.page_seconds, run.deadline - time.monotonic()))
            reply = child.answer(item.num, limit)
        except PipeTimeoutError:
            lost = BlindSpotKind.PAGE_TIMED_OUT, f"no result after {run.options.page_seconds:g} s"
        except PipeClosedError as error:
            detail = str(error) if isinstance(error, PipeGarbledError) else child.last_words()
            lost = BlindSpotKind.PAGE_CRASHED, detail
        else:
            run.put(_settled(item, reply))
            continue
        rest = batch[done:]
        if item.failed is None:
            return [_Item(item.num, lost), *rest], True
        run.put(lost_page(item.num, *lost))
        return rest, True
    return [], False


def _settled(item: _Item, reply: PageFact | Refused) -> PageFact:
    """The page as it was read, with a blind spot if it had to be read without a picture of it."""
    if isinstance(reply, Refused):
        return lost_page(item.num, _REFUSALS.get(reply.reason, BlindSpotKind.PAGE_FAILED), reply.message)
    if item.failed is not None:
        kind, detail = item.failed
        spot = SpotFact(
            kind.value, TextLikely.UNKNOWN.value, f"rendering it: {detail}; its text was read", None, 1.0
        )
        reply.spots.append(spot)
    return reply


_REFUSALS = {
    "out_of_memory": BlindSpotKind.PAGE_OUT_OF_MEMORY,
    "unreachable": BlindSpotKind.PAGE_UNREACHABLE,
}


def _give_up(run: _Run, items: Iterable[_Item], kind: BlindSpotKind, detail: str) -> None:
    for item in items:
        if item.num not in run.pages:
            run.put(lost_page(item.num, kind, detail))


def lost_page(page_num: int, kind: BlindSpotKind, detail: str) -> PageFact:
    """The record of a page that could not be read."""
    spot = SpotFact(kind=kind.value, text_likely=TextLikely.UNKNOWN.value, detail=detail, area_share=1.0)
    return PageFact(
        page_num=page_num,
        label="",
        width=0.0,
        height=0.0,
        rotation=0,
        state=PageState.FAILED.value,
        lines=[],
        images=[],
        spots=[spot],
        warnings=detail,
    )
