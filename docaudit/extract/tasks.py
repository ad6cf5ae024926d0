"""Small tasks for single pages, run in child processes: a page that crashes one costs its own result only.

Thumbnails of the pages of a document.

Pictures of regions that were not read, for the report.

The text of a document by the second engine alone: a witness that shares no code with the first reading.

The annotated copy of a document, made by a child process: a file that crashes the engine costs the copy only.

A copy of a document with phrases planted into it, made in a child process like everything that touches its bytes.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from docaudit.codes import BBox
from docaudit.coverage import RegionPicture, Thumbnail
from docaudit.errors import DamagedDocumentError, InputError
from docaudit.extract.isolation import open_child
from docaudit.extract.processes import Child
from docaudit.extract.protocol import (
    AnnotateRequest,
    PipeClosedError,
    PipeGarbledError,
    PipeTimeoutError,
    Planted,
    PlantFact,
    PlantRequest,
    Refused,
    SecondText,
)
from docaudit.extract.source import Source, SourceFile, identified
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


def read_thumbnails(source: Source, options: AuditOptions, widths: Mapping[int, int]) -> dict[int, Thumbnail]:
    """Thumbnails of the pages (1-based) in `widths`, each as many pixels wide as it says there.

    A page that cannot be drawn gets one without a picture that says why. Raises InputError and its subclasses if the
    document cannot be opened.
    """
    drawn = for_each_page(
        source, options, widths, lambda child, page, seconds: child.thumbnail(page, widths[page], seconds)
    )
    return {
        page: Thumbnail(page_num=page, problem=answer.message)
        if isinstance(answer, Refused)
        else Thumbnail(page_num=page, jpeg=answer)
        for page, answer in drawn.items()
    }


Regions = Mapping[int, Sequence[BBox | None]]
"""Page (1-based) -> boxes on it; None is the whole page."""


def read_regions(source: Source, options: AuditOptions, regions: Regions, width: int) -> list[RegionPicture]:
    """Pictures of the regions, `width` pixels wide at most; one that could not be drawn says why.

    Raises InputError and its subclasses if the document cannot be opened.
    """

    def draw(child: Child, page_num: int, seconds: float) -> list[bytes | Refused]:
        return [child.thumbnail(page_num, width, seconds, box) for box in regions[page_num]]

    drawn = for_each_page(source, options, regions, draw)
    pictures = []
    for page_num, answer in drawn.items():
        answers = [answer] * len(regions[page_num]) if isinstance(answer, Refused) else answer
        for box, one in zip(regions[page_num], answers, strict=True):
            jpeg, problem = (None, one.message) if isinstance(one, Refused) else (one, "")
            pictures.append(RegionPicture(page_num=page_num, bbox=box, jpeg=jpeg, problem=problem))
    return pictures


def read_second_text(source: Source, options: AuditOptions, pages: Iterable[int]) -> dict[int, str | None]:
    """Text of each page (1-based) as PDFium gives it; None where it cannot read the page.

    Raises InputError and its subclasses if the document cannot be opened.
    """
    read = for_each_page(
        source, options, pages, lambda child, page, seconds: child.second_text(page, seconds)
    )
    return {page: answer.text if isinstance(answer, SecondText) else None for page, answer in read.items()}


_MOST_SECONDS = 600.0


def write_annotated(file: SourceFile, options: AuditOptions, request: AnnotateRequest) -> list[str]:
    """Save an annotated copy to the path of the request; returns what could not be drawn, as sentences.

    Raises InputError and its subclasses if the document cannot be opened, or no copy of it can be made.
    """
    seconds = min(options.document_seconds, _MOST_SECONDS)
    # Drawing and saving is one task for the child, which takes itself for hung after the time of a page.
    patient = options.model_copy(update={"ocr": "off", "page_seconds": seconds})
    child = open_child(file, patient, describe=False)
    try:
        done = child.annotate(request, seconds)
    except PipeTimeoutError:
        problem = f"it took longer than {seconds:g} s"
    except PipeClosedError as error:
        said = str(error) if isinstance(error, PipeGarbledError) else child.last_words()
        problem = f"the engine crashed ({said})"
    else:
        if not isinstance(done, Refused):
            return done.problems
        problem = done.message
    finally:
        child.close()
    raise DamagedDocumentError(
        f"no annotated copy can be made of it: {problem}", file=file.name, remedy="repair the file"
    )


@contextmanager
def planted_copy(
    source: Source, sha256: str, options: AuditOptions, plants: Sequence[PlantFact]
) -> Iterator[tuple[Path, dict[str, str]]]:
    """The copy as a file for the time of the block, and the layouts that got no phrase, each with why.

    Raises InputError if the document cannot be read again, is another one than before, or cannot be copied.
    """
    with tempfile.TemporaryDirectory(prefix="docaudit-", ignore_cleanup_errors=True) as folder:
        target = Path(folder) / "canary.pdf"
        with identified(source) as file:
            if file.sha256 != sha256:
                raise InputError(
                    "the file changed while it was audited", file=file.name, remedy="audit it again"
                )
            quick = options.model_copy(update={"ocr": "off"})  # no OCR engine is loaded for planting
            child = open_child(file, quick, describe=False)
            try:
                seconds = min(options.page_seconds * max(1, len(plants)), options.document_seconds)
                reply = child.plant(PlantRequest(str(target), list(plants)), seconds)
            except (PipeTimeoutError, PipeClosedError) as error:
                raise _failed(file.name, str(error) or "it took too long") from error
            finally:
                child.close()
        if not isinstance(reply, Planted):
            raise _failed(file.name, reply.message)
        yield target, {plants[number].layout: why for number, why in reply.problems}


def _failed(name: str, why: str) -> InputError:
    return InputError(
        f"no phrase could be planted into a copy of it: {why}", file=name, remedy="audit without --canary"
    )
