"""Tasks for a child process beside the reading of a document: images and texts of pages, annotated and planted copies.

A page that crashes a child costs its own result only; a file that crashes the engine costs the copy only.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from docaudit.codes import BBox
from docaudit.coverage import RegionPicture, Thumbnail
from docaudit.errors import DamagedDocumentError, InputError
from docaudit.extract.isolation import PageAnswer, PageRun, open_child
from docaudit.extract.protocol import (
    Annotated,
    AnnotateRequest,
    PageRequest,
    Planted,
    PlantFact,
    PlantRequest,
    Refused,
    SecondText,
    TextRequest,
    ThumbnailDrawn,
    ThumbnailRequest,
)
from docaudit.extract.source import Source, SourceFile, identified
from docaudit.options import AuditOptions

_PAGE_SECONDS = 10.0
"""Time for one small task about a page. Chosen, not measured."""
_COPY_SECONDS = 600.0
"""Time for drawing and saving an annotated copy. Chosen, not measured."""

Regions = Mapping[int, Sequence[BBox | None]]
"""Page (1-based) -> boxes on it; None is the whole page."""


def ask_pages(
    source: Source, options: AuditOptions, kind: type[PageAnswer], requests: Sequence[PageRequest]
) -> list[PageAnswer | Refused]:
    """One answer for each request, in their order; Refused, with the reason, where there is none.

    Raises InputError and its subclasses if the document cannot be opened.
    """
    quick = options.model_copy(update={"ocr": "off"})  # no OCR engine is loaded for this
    seconds = min(_PAGE_SECONDS, options.page_seconds)
    deadline = time.monotonic() + options.document_seconds
    with identified(source) as file:
        if not requests:
            return []
        with closing(open_child(file, quick, describe=False)) as child:
            return PageRun(file, quick, kind, requests, seconds, deadline).answers(child)


def read_thumbnails(source: Source, options: AuditOptions, widths: Mapping[int, int]) -> dict[int, Thumbnail]:
    """Thumbnails of the pages (1-based) in `widths`, each as many pixels wide as it says there.

    A page that cannot be drawn gets one without an image that says why. Raises InputError and its subclasses if the
    document cannot be opened.
    """
    requests = [ThumbnailRequest(page_num, widths[page_num]) for page_num in sorted(widths)]
    thumbnails = {}
    for request, answer in zip(requests, ask_pages(source, options, ThumbnailDrawn, requests), strict=True):
        page_num = request.page_num
        if isinstance(answer, Refused):
            thumbnails[page_num] = Thumbnail(page_num=page_num, problem=answer.problem)
        else:
            thumbnails[page_num] = Thumbnail(page_num=page_num, jpeg=answer.jpeg)
    return thumbnails


def read_regions(source: Source, options: AuditOptions, regions: Regions, width: int) -> list[RegionPicture]:
    """Images of the regions, `width` pixels wide at most; one that could not be drawn says why.

    Raises InputError and its subclasses if the document cannot be opened.
    """
    requests = [
        ThumbnailRequest(page_num, width, box) for page_num in sorted(regions) for box in regions[page_num]
    ]
    images = []
    for request, answer in zip(requests, ask_pages(source, options, ThumbnailDrawn, requests), strict=True):
        jpeg, problem = (None, answer.problem) if isinstance(answer, Refused) else (answer.jpeg, "")
        images.append(RegionPicture(page_num=request.page_num, bbox=request.clip, jpeg=jpeg, problem=problem))
    return images


def read_second_text(source: Source, options: AuditOptions, pages: Iterable[int]) -> dict[int, str | None]:
    """Text of each page (1-based) as PDFium gives it; None where it cannot read the page.

    It shares no code with the first reading. Raises InputError and its subclasses if the document cannot be opened.
    """
    numbers = sorted(set(pages))
    answers = ask_pages(source, options, SecondText, [TextRequest(page_num) for page_num in numbers])
    return {
        page_num: answer.text if isinstance(answer, SecondText) else None
        for page_num, answer in zip(numbers, answers, strict=True)
    }


def write_annotated(file: SourceFile, options: AuditOptions, request: AnnotateRequest) -> list[str]:
    """What could not be drawn into an annotated copy, as sentences; the copy is saved to the path of the request.

    Raises InputError and its subclasses if the document cannot be opened, or no copy of it can be made.
    """
    seconds = min(options.document_seconds, _COPY_SECONDS)
    # Drawing and saving is one task for the child, which takes itself for hung after the time of a page.
    patient = options.model_copy(update={"ocr": "off", "page_seconds": seconds})
    with closing(open_child(file, patient, describe=False)) as child:
        reply = child.ask(Annotated, request, seconds)
    if isinstance(reply, Refused):
        raise DamagedDocumentError(
            f"no annotated copy can be made of it: {reply.problem}", file=file.name, remedy="repair the file"
        )
    return reply.problems


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
            seconds = min(options.page_seconds * max(1, len(plants)), options.document_seconds)
            with closing(open_child(file, quick, describe=False)) as child:
                reply = child.ask(Planted, PlantRequest(str(target), list(plants)), seconds)
        if isinstance(reply, Refused):
            raise InputError(
                f"no phrase could be planted into a copy of it: {reply.problem}",
                file=file.name,
                remedy="audit without --canary",
            )
        yield target, {plants[number].layout: problem for number, problem in reply.problems}
