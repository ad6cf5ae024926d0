"""The watch over the child processes that read a document: a crash or hang costs one page, never the run.

The parent hands out page numbers and keeps the time. Whatever page a child was on when it died or ran out of
time gets a state of its own; a new child goes on with the next page.

What stands in for a page that could not be read, or only in part: a record and the reason, never a gap.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from docaudit.codes import BlindSpotKind, PageState, TextLikely
from docaudit.errors import InputError, Progress, stoppable
from docaudit.extract.ocr_engines import require_engine, require_languages
from docaudit.extract.processes import Child
from docaudit.extract.protocol import (
    DocumentFact,
    PageFact,
    PipeClosedError,
    PipeGarbledError,
    PipeTimeoutError,
    Refused,
    SpotFact,
)
from docaudit.extract.source import SourceFile
from docaudit.options import AuditOptions


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


def unrendered_spot(kind: BlindSpotKind, detail: str) -> SpotFact:
    """The blind spot of a page whose text was read but of which no picture could be made."""
    said = f"rendering it: {detail}; its text was read"
    return SpotFact(kind.value, TextLikely.UNKNOWN.value, said, None, 1.0)


_BATCH = 8
_PAGES_PER_WORKER = 24
WORKER = "docaudit.extract.worker"
"""The module that runs in the child process."""


def open_child(source: SourceFile, options: AuditOptions, *, describe: bool) -> Child:
    """A child process with the document open; raises InputError and its subclasses."""
    return Child(source, options, WORKER, describe=describe)


class _Item(NamedTuple):
    """One page to read; `failed` says how reading it with a picture of it ended, so that it is read without."""

    num: int
    failed: tuple[BlindSpotKind, str] | None = None


@dataclass
class _Run:
    """The state that all reading threads share."""

    source: SourceFile
    options: AuditOptions
    document: DocumentFact
    progress: Progress | None
    deadline: float
    todo: list[_Item]
    pages: dict[int, PageFact] = field(default_factory=dict)
    children: set[Child] = field(default_factory=set)
    # Again by the same thread: whoever is told of progress, under the lock, may stop the work.
    lock: threading.RLock = field(default_factory=threading.RLock)
    stop: bool = False
    refused: str = ""

    def take(self) -> list[_Item]:
        with self.lock:
            batch, self.todo = self.todo[:_BATCH], self.todo[_BATCH:]
            return [] if self.stop else batch

    def put(self, page: PageFact) -> None:
        with self.lock:
            self.pages[page.page_num] = page
            if self.progress is not None:
                self.progress(len(self.pages), self.document.pages_total)

    def new_child(self) -> Child:
        child = open_child(self.source, self.options, describe=False)
        if child.document.pages_total != self.document.pages_total:
            child.close()
            raise InputError("it has another number of pages than before", file=self.source.name)
        with self.lock:
            self.children.add(child)
        return child

    def abort(self) -> None:
        """Make all threads end soon: nobody waits for the result any more."""
        with self.lock:
            self.stop = True
            for child in self.children:
                child.kill()


def read_document(
    source: SourceFile, options: AuditOptions, progress: Progress | None = None
) -> tuple[DocumentFact, list[PageFact]]:
    """Read all pages in child processes; one PageFact for each page of the page tree, in order.

    `progress` is called with the pages done so far and the pages in all; a Stop ends the work and its processes.

    Raises InputError and its subclasses if the document cannot be opened, OcrError if the OCR engine is not installed,
    OptionError if a language for OCR is not.
    A page that cannot be read is returned with the state `failed` and a blind spot that says why.
    """
    if options.ocr != "off" and options.ink:
        require_engine(options.ocr_engine)
        require_languages(options.ocr_engine, options.ocr_lang)
    deadline = time.monotonic() + options.document_seconds
    first = open_child(source, options, describe=True)
    try:
        total = first.document.pages_total
        todo = [_Item(num) for num in range(1, total + 1)]
        run = _Run(source, options, first.document, progress, deadline, todo, children={first})
        workers = min(options.workers or os.cpu_count() or 1, max(1, total // _PAGES_PER_WORKER))
        with stoppable(progress, run.abort), ThreadPoolExecutor(workers) as pool:
            jobs = [pool.submit(_work, run, first if index == 0 else None) for index in range(workers)]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                run.abort()
                raise
        _give_up(run, run.todo, BlindSpotKind.PAGE_FAILED, run.refused)
    finally:
        first.close()
    return first.document, [run.pages[num] for num in range(1, total + 1)]


def _work(run: _Run, child: Child | None) -> None:
    """Read batches of pages until none is left; a child that died is replaced by a new one."""
    batch: list[_Item] = []
    try:
        while batch := run.take():
            while batch and not run.stop:
                if time.monotonic() > run.deadline:
                    _give_up(run, batch, BlindSpotKind.PAGE_TIMED_OUT, "time limit of the document")
                    break
                if child is None:
                    child = run.new_child()
                batch, died = _read_batch(run, child, batch)
                if died:
                    _end(run, child)
                    child = None
    except InputError as error:
        # The document opened before. If it does not any more, other threads may still have it open; what none of
        # them reads is lost, not the run.
        with run.lock:
            run.todo = batch + run.todo
            run.refused = str(error)
    finally:
        if child is not None:
            _end(run, child)


def _end(run: _Run, child: Child) -> None:
    with run.lock:
        run.children.discard(child)
    child.close()


def _read_batch(run: _Run, child: Child, batch: list[_Item]) -> tuple[list[_Item], bool]:
    """Read a batch; returns what is left to do of it, and whether the child is gone."""
    try:
        for item in batch:
            child.ask(item.num, render=item.failed is None)
    except PipeClosedError:
        pass  # it died on a page of this batch; the loop below finds out on which
    again: list[_Item] = []
    for done, item in enumerate(batch, 1):
        try:
            reply = child.answer(item.num, run.options.page_seconds, run.deadline)
        except PipeTimeoutError:
            lost = BlindSpotKind.PAGE_TIMED_OUT, f"no result after {run.options.page_seconds:g} s"
        except PipeClosedError as error:
            detail = str(error) if isinstance(error, PipeGarbledError) else child.last_words()
            lost = BlindSpotKind.PAGE_CRASHED, detail
        else:
            if isinstance(reply, Refused) and item.failed is None and reply.reason in _BY_PICTURE:
                again.append(_Item(item.num, (_REFUSALS[reply.reason], reply.message)))
            else:
                run.put(_settled(item, reply))
            continue
        if item.failed is None:
            again.append(_Item(item.num, lost))
        else:
            run.put(lost_page(item.num, *lost))
        return again + batch[done:], True
    return again, False


def _settled(item: _Item, reply: PageFact | Refused) -> PageFact:
    """The page as it was read, with a blind spot if it had to be read without a picture of it."""
    if isinstance(reply, Refused):
        return lost_page(item.num, _REFUSALS.get(reply.reason, BlindSpotKind.PAGE_FAILED), reply.message)
    if item.failed is not None:
        reply.spots.append(unrendered_spot(*item.failed))
    return reply


_REFUSALS = {
    "failed": BlindSpotKind.PAGE_FAILED,
    "out_of_memory": BlindSpotKind.PAGE_OUT_OF_MEMORY,
    "too_large": BlindSpotKind.PAGE_OUT_OF_MEMORY,
    "unreachable": BlindSpotKind.PAGE_UNREACHABLE,
}
_BY_PICTURE = {"failed", "out_of_memory", "too_large"}
"""Refusals for which the picture of the page may be the cause: its text is then read alone."""


def _give_up(run: _Run, items: Iterable[_Item], kind: BlindSpotKind, detail: str) -> None:
    for item in items:
        if item.num not in run.pages:
            run.put(lost_page(item.num, kind, detail))
