"""Pages handed out to child processes under a watch: a crash or hang costs one answer, never the run.

The parent keeps the time. Whatever a child was asked when it died or ran out of time gets a refusal as its answer; a
new child goes on with the next page. A page that cannot be read with a rendering of it is read without; one that cannot
be read at all has a record and the reason, never a gap.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Generic, TypeVar

from docaudit.codes import BlindSpotKind, PageState, TextLikely
from docaudit.errors import InputError, Progress, stoppable
from docaudit.extract.ocr_engines import require_engine, require_languages
from docaudit.extract.processes import Child
from docaudit.extract.protocol import (
    DocumentFact,
    PageReading,
    PageRequest,
    ReadRequest,
    Refused,
    SecondText,
    SpotFact,
    ThumbnailDrawn,
)
from docaudit.extract.source import SourceFile
from docaudit.options import AuditOptions

WORKER = "docaudit.extract.worker"
"""The module that runs in the child process."""
_BATCH = 8
"""Requests that a child has at a time, so that it never waits for the next one. Chosen, not measured."""
_PAGES_PER_WORKER = 24
"""Pages for which a further child is worth its start. Chosen, not measured."""
_FAILED_PAGES = {
    "timed_out": BlindSpotKind.PAGE_TIMED_OUT,
    "crashed": BlindSpotKind.PAGE_CRASHED,
    "out_of_memory": BlindSpotKind.PAGE_OUT_OF_MEMORY,
    "too_large": BlindSpotKind.PAGE_OUT_OF_MEMORY,
    "unreachable": BlindSpotKind.PAGE_UNREACHABLE,
}
"""Blind spot of a page by the reason of the refusal; for all others it is page_failed."""

PageAnswer = TypeVar("PageAnswer", PageReading, ThumbnailDrawn, SecondText)


def open_child(source: SourceFile, options: AuditOptions, *, describe: bool) -> Child:
    """A child process with the document open; raises InputError and its subclasses."""
    return Child(source, options, WORKER, describe=describe)


def read_pages(
    source: SourceFile, options: AuditOptions, progress: Progress | None = None
) -> tuple[DocumentFact, list[PageReading]]:
    """The document as a whole, and one PageReading for each page of its page tree, in order.

    A page that cannot be read has the state `failed` and a blind spot that says why.

    Args:
        source: The file.
        options: How to read, and the limits.
        progress: Called with the pages done so far and the pages in all; a Stop ends the work and its processes.

    Raises:
        InputError: The document cannot be opened; also its subclasses.
        OcrError: The OCR engine is not installed.
        OptionError: A language for OCR is not.
    """
    if options.ocr != "off" and options.ink:
        require_engine(options.ocr_engine)
        require_languages(options.ocr_engine, options.ocr_lang)
    undrawn: dict[int, Refused] = {}

    def without_rendering(request: PageRequest, refusal: Refused) -> ReadRequest | None:
        """The rendering of the page may be the cause: its text is then read alone."""
        if request.page_num in undrawn or refusal.reason == "unreachable":
            return None
        undrawn[request.page_num] = refusal
        return ReadRequest(request.page_num, render=False)

    deadline = time.monotonic() + options.document_seconds
    with closing(open_child(source, options, describe=True)) as child:
        requests = [ReadRequest(page_num) for page_num in range(1, child.document.pages_total + 1)]
        run = PageRun(source, options, PageReading, requests, options.page_seconds, deadline)
        run.retry, run.progress = without_rendering, progress
        answers = run.answers(child)
    pages = []
    for page_num, answer in enumerate(answers, 1):
        if isinstance(answer, Refused):
            answer = _failed_page(page_num, answer)
        elif page_num in undrawn:
            kind, message = _blind_spot_kind(undrawn[page_num]), undrawn[page_num].message
            detail = f"rendering it: {message}; its text was read"
            answer.spots.append(SpotFact(kind.value, TextLikely.UNKNOWN.value, detail, None, 1.0))
        pages.append(answer)
    return child.document, pages


def _failed_page(page_num: int, refusal: Refused) -> PageReading:
    """The record of a page that could not be read."""
    kind, detail = _blind_spot_kind(refusal), refusal.message
    return PageReading(
        page_num=page_num,
        label="",
        width=0.0,
        height=0.0,
        rotation=0,
        state=PageState.FAILED.value,
        lines=[],
        images=[],
        spots=[SpotFact(kind.value, TextLikely.UNKNOWN.value, detail, area_share=1.0)],
        warnings=detail,
    )


def _blind_spot_kind(refusal: Refused) -> BlindSpotKind:
    return _FAILED_PAGES.get(refusal.reason, BlindSpotKind.PAGE_FAILED)


class PageRun(Generic[PageAnswer]):
    """Requests about pages, shared among threads that have a child process each.

    Args:
        source: The document.
        options: How it is opened, and how many children there may be.
        kind: What every reply is to be.
        requests: The requests.
        seconds: Time for each part of the work on a request.
        deadline: When all of it must be over (time.monotonic).

    Attributes:
        retry: Gives the request that takes the place of one that was refused, or None if the refusal is final.
        progress: Called with requests answered and requests in all.
    """

    def __init__(
        self,
        source: SourceFile,
        options: AuditOptions,
        kind: type[PageAnswer],
        requests: Sequence[PageRequest],
        seconds: float,
        deadline: float,
    ) -> None:
        self.retry: Callable[[PageRequest, Refused], PageRequest | None] = lambda _request, _refusal: None
        self.progress: Progress | None = None
        self._source, self._options = source, options
        self._kind: type[PageAnswer] = kind
        self._seconds, self._deadline = seconds, deadline
        self._total = len(requests)
        self._todo = list(enumerate(requests))
        self._answers: dict[int, PageAnswer | Refused] = {}
        self._children: set[Child] = set()
        # Again by the same thread: whoever is told of progress, under the lock, may stop the work.
        self._lock = threading.RLock()
        self._stopped = False
        self._open_error = ""

    def answers(self, first: Child) -> list[PageAnswer | Refused]:
        """One answer for each request, in their order.

        Args:
            first: A child that has the document open; it is closed in the end. Others are started as they are needed.
        """
        workers = min(self._options.workers or os.cpu_count() or 1, max(1, self._total // _PAGES_PER_WORKER))
        self._children.add(first)
        with stoppable(self.progress, self._abort), ThreadPoolExecutor(workers) as pool:
            jobs = [
                pool.submit(self._work, first if number == 0 else None, first.document.pages_total)
                for number in range(workers)
            ]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                self._abort()
                raise
        self._give_up(self._todo, Refused("failed", self._open_error))
        return [self._answers[place] for place in range(self._total)]

    def _abort(self) -> None:
        """Make all threads end soon: nobody waits for the result any more."""
        with self._lock:
            self._stopped = True
            for child in self._children:
                child.kill()

    def _work(self, child: Child | None, pages_total: int) -> None:
        """Have batches answered until none is left; a child that died is replaced by a new one."""
        batch: list[tuple[int, PageRequest]] = []
        try:
            while batch := self._take():
                while batch and not self._stopped:
                    if time.monotonic() > self._deadline:
                        self._give_up(batch, Refused("timed_out", "time limit of the document"))
                        break
                    child = child or self._new_child(pages_total)
                    batch = self._ask(child, batch)
                    if child.lost:
                        self._end(child)
                        child = None
        except InputError as error:
            # The document opened before. If it does not any more, other threads may still have it open; what none of
            # them reads is a refusal, not the end of the run.
            with self._lock:
                self._todo = batch + self._todo
                self._open_error = str(error)
        finally:
            if child is not None:
                self._end(child)

    def _take(self) -> list[tuple[int, PageRequest]]:
        with self._lock:
            batch, self._todo = self._todo[:_BATCH], self._todo[_BATCH:]
            return [] if self._stopped else batch

    def _new_child(self, pages_total: int) -> Child:
        child = open_child(self._source, self._options, describe=False)
        if child.document.pages_total != pages_total:
            child.close()
            raise InputError("it has another number of pages than before", file=self._source.name)
        with self._lock:
            self._children.add(child)
        return child

    def _ask(self, child: Child, batch: list[tuple[int, PageRequest]]) -> list[tuple[int, PageRequest]]:
        """What is left to do of a batch: requests to be tried anew, and all that a child did not come to."""
        for _, request in batch:
            child.send(request)
        left: list[tuple[int, PageRequest]] = []
        for done, (place, request) in enumerate(batch, 1):
            answer = child.answer(self._kind, request, self._seconds, self._deadline)
            next_request = self.retry(request, answer) if isinstance(answer, Refused) else None
            if next_request is None:
                self._put(place, answer)
            else:
                left.append((place, next_request))
            if child.lost:
                return left + batch[done:]
        return left

    def _put(self, place: int, answer: PageAnswer | Refused) -> None:
        with self._lock:
            self._answers[place] = answer
            if self.progress is not None:
                self.progress(len(self._answers), self._total)

    def _give_up(self, requests: Sequence[tuple[int, PageRequest]], refusal: Refused) -> None:
        for place, _ in requests:
            self._put(place, refusal)

    def _end(self, child: Child) -> None:
        with self._lock:
            self._children.discard(child)
        child.close()
