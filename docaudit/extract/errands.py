"""Small tasks for single pages, run in child processes: a page that crashes one costs its own result only."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from docaudit.errors import InputError
from docaudit.extract.child import Child
from docaudit.extract.document import Source, SourceFile, identified
from docaudit.extract.facts import Refused
from docaudit.extract.isolation import open_child
from docaudit.extract.messages import PipeClosedError, PipeGarbledError, PipeTimeoutError
from docaudit.options import AuditOptions

_SECONDS = 10.0
_PAGES_PER_WORKER = 24

Done = TypeVar("Done")
Ask = Callable[[Child, int, float], Done | Refused]
"""Asks a child for something about a page (1-based) within so many seconds."""


def for_each_page(
    source: Source, options: AuditOptions, pages: Iterable[int], ask: Ask[Done]
) -> dict[int, Done | Refused]:
    """What a child answers for each page; Refused, with the reason, where it gave no answer.

    Raises InputError and its subclasses if the document cannot be opened.
    """
    quick = options.model_copy(update={"ocr": "off"})  # no OCR engine is loaded for this
    deadline = time.monotonic() + options.document_seconds
    wanted = sorted(set(pages))
    workers = max(1, min(options.workers or os.cpu_count() or 1, len(wanted) // _PAGES_PER_WORKER))
    share = max(1, -(-len(wanted) // workers))
    with identified(source) as file, ThreadPoolExecutor(workers) as pool:
        parts = [wanted[start : start + share] for start in range(0, len(wanted), share)]
        runs = [pool.submit(_Errand(file, quick, deadline, ask).run, part) for part in parts]
        return {page: done for run in runs for page, done in run.result().items()}


class _Errand(Generic[Done]):
    """A child process with a task; one that died is replaced for the next page."""

    def __init__(self, file: SourceFile, options: AuditOptions, deadline: float, ask: Ask[Done]) -> None:
        self._file, self._options, self._deadline, self._ask = file, options, deadline, ask
        self._child: Child | None = None

    def run(self, pages: list[int]) -> dict[int, Done | Refused]:
        try:
            # Outside the loop: a document that does not open is an error, not the fault of a page.
            self._child = open_child(self._file, self._options, describe=False)
            return {page_num: self._do(page_num) for page_num in pages}
        finally:
            self._close()

    def _do(self, page_num: int) -> Done | Refused:
        left = min(_SECONDS, self._options.page_seconds, self._deadline - time.monotonic())
        if left <= 0:
            return Refused("failed", "the time limit of the document was reached")
        try:
            child = self._child = self._child or open_child(self._file, self._options, describe=False)
        except InputError as error:
            return Refused("failed", str(error))
        try:
            return self._ask(child, page_num, left)
        except PipeTimeoutError:
            problem = f"it took longer than {left:g} s"
        except PipeClosedError as error:
            said = str(error) if isinstance(error, PipeGarbledError) else child.last_words()
            problem = f"the engine crashed ({said})"
        self._close()
        return Refused("failed", problem)

    def _close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None
