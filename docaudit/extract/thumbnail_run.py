"""Thumbnails of the pages of a document, from child processes: a page that crashes one costs its picture only."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from docaudit.errors import InputError
from docaudit.extract.child import Child
from docaudit.extract.document import Source, SourceFile, identified
from docaudit.extract.facts import Refused
from docaudit.extract.isolation import open_child
from docaudit.extract.messages import PipeClosedError, PipeGarbledError, PipeTimeoutError
from docaudit.options import AuditOptions
from docaudit.readability import Thumbnail

_SECONDS = 10.0
_PAGES_PER_WORKER = 24


def read_thumbnails(source: Source, options: AuditOptions, widths: Mapping[int, int]) -> dict[int, Thumbnail]:
    """Thumbnails of the pages (1-based) in `widths`, each as many pixels wide as it says there.

    A page that cannot be drawn gets one without a picture that says why. Raises InputError and its subclasses if the
    document cannot be opened.
    """
    quick = options.model_copy(update={"ocr": "off"})  # no OCR engine is loaded for pictures
    deadline = time.monotonic() + options.document_seconds
    pages = sorted(widths)
    workers = max(1, min(options.workers or os.cpu_count() or 1, len(pages) // _PAGES_PER_WORKER))
    share = -(-len(pages) // workers)
    with identified(source) as file, ThreadPoolExecutor(workers) as pool:

        def draw(part: list[int]) -> list[Thumbnail]:
            return list(_draw(_Artist(file, quick, deadline), part, widths))

        parts = [pages[start : start + share] for start in range(0, len(pages), share)]
        drawn = list(chain.from_iterable(pool.map(draw, parts)))
    return {thumbnail.page_num: thumbnail for thumbnail in drawn}


class _Artist:
    """A child process that draws; one that died is replaced when the next page is drawn."""

    def __init__(self, file: SourceFile, options: AuditOptions, deadline: float) -> None:
        self._file, self._options, self._deadline = file, options, deadline
        self._child: Child | None = open_child(file, options, describe=False)

    def draw(self, page_num: int, width: int) -> Thumbnail:
        left = min(_SECONDS, self._options.page_seconds, self._deadline - time.monotonic())
        if left <= 0:
            return Thumbnail(page_num=page_num, problem="the time limit of the document was reached")
        try:
            child = self._child = self._child or open_child(self._file, self._options, describe=False)
        except InputError as error:
            return Thumbnail(page_num=page_num, problem=str(error))
        try:
            drawn = child.thumbnail(page_num, width, left)
        except PipeTimeoutError:
            problem = f"drawing it took longer than {left:g} s"
        except PipeClosedError as error:
            said = str(error) if isinstance(error, PipeGarbledError) else child.last_words()
            problem = f"the engine crashed while drawing it ({said})"
        else:
            if isinstance(drawn, Refused):
                return Thumbnail(page_num=page_num, problem=drawn.message)
            return Thumbnail(page_num=page_num, jpeg=drawn)
        self.close()
        return Thumbnail(page_num=page_num, problem=problem)

    def close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child = None


def _draw(artist: _Artist, pages: list[int], widths: Mapping[int, int]) -> Iterator[Thumbnail]:
    try:
        for page_num in pages:
            yield artist.draw(page_num, widths[page_num])
    finally:
        artist.close()
