"""The child process: opens one document, then answers what it is asked, one message each.

It is a fork of the fork server or a Python process of its own (docaudit.extract.processes). Messages go over the
original standard output; whatever a library prints goes nowhere, so that it cannot break the stream.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from docaudit.extract.processes import OPEN_SECONDS, platform
from docaudit.extract.protocol import (
    AnnotateRequest,
    ExtractRequest,
    MessageTooLargeError,
    OpenRequest,
    PipeClosedError,
    PlantRequest,
    Refused,
    Reply,
    Request,
    SecondText,
    TextRequest,
    ThumbnailDrawn,
    ThumbnailRequest,
    Working,
    decode_request,
    largest_reply,
    receive,
    send,
)

if TYPE_CHECKING:
    from docaudit.extract.page import DocumentReader

for _name in ("pymupdf.layout", "pymupdf4llm"):
    # The engine imports these by itself, and with them a neural network: two thirds of the start, never used here.
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]

_ALLOCATION = re.compile(r"\b[mc]alloc\b|\brealloc\b|out of memory", re.IGNORECASE)
_GRACE_SECONDS = 10
"""The parent ends a child that takes too long; a child whose parent is gone ends itself, this much later. Chosen."""


def prepare() -> None:
    """Load everything that reading needs; called once, by the fork server or in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides what ends
    import docaudit.extract.page  # noqa: F401
    from docaudit.extract.glyphs import prepare as prepare_glyphs

    prepare_glyphs()
    gc.set_threshold(50_000, 20, 20)  # a page has many thousand spans and no cycles


def main() -> None:
    """Serve one parent until it closes the pipe."""
    source, target = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    try:
        _serve(source, target)
    except PipeClosedError:
        return


def _serve(source: int, target: int) -> None:
    def read(count: int, _seconds: float) -> bytes:
        return os.read(source, count)

    def working() -> None:
        limits.limit_time(patience)
        send(target, Working())

    limits = platform()
    request = decode_request(receive(read))
    assert isinstance(request, OpenRequest)
    import docaudit.extract.page  # noqa: F401 - before the limit, so that only the document counts

    limits.limit_memory(request.memory_mb)
    patience = request.page_seconds + _GRACE_SECONDS
    limits.limit_time(OPEN_SECONDS + _GRACE_SECONDS)
    reader = _opened(request, working, target)
    while reader is not None:
        limits.limit_time(0)
        task = decode_request(receive(read))
        limits.limit_time(patience)
        try:
            send(target, _answer(reader, task), largest_reply(task))
        except MessageTooLargeError as error:
            send(target, Refused("too_large", str(error)))


def _opened(request: OpenRequest, working: Callable[[], None], target: int) -> DocumentReader | None:
    """The reader of the document, which is announced to the parent; or None, and the parent knows why."""
    from docaudit.extract.page import DocumentReader, DocumentRefusedError

    try:
        reader = DocumentReader(request, working)
        send(target, reader.describe(request.describe))
    except DocumentRefusedError as error:
        send(target, Refused(error.reason, str(error)))
    except MemoryError:
        send(target, Refused("out_of_memory", "opening it needs more memory than the limit"))
    except MessageTooLargeError as error:
        send(target, Refused("damaged", f"what lies beside its pages is too much: {error}"))
    else:
        return reader
    return None


def _answer(reader: DocumentReader, request: Request) -> Reply:
    from docaudit.extract.page import PageRefusedError
    from docaudit.extract.pdf_objects import StreamTooLargeError, UnreachablePageError

    try:
        if isinstance(request, ExtractRequest):
            return reader.extract(request)
        if isinstance(request, ThumbnailRequest):
            jpeg = reader.thumbnail(request.page_num, request.width, request.clip)
            return ThumbnailDrawn(request.page_num, jpeg)
        if isinstance(request, AnnotateRequest):
            return reader.annotate(request)
        if isinstance(request, PlantRequest):
            return reader.plant(request)
        if isinstance(request, TextRequest):
            return SecondText(request.page_num, reader.second_text(request.page_num))
        assert not isinstance(request, OpenRequest)
        return reader.read(request.page_num, request.render)
    except UnreachablePageError as error:
        return Refused("unreachable", str(error))
    except StreamTooLargeError as error:
        return Refused("too_large", str(error))
    except PageRefusedError as error:
        return Refused("out_of_memory" if _ALLOCATION.search(str(error)) else "failed", str(error))
    except MemoryError:
        return Refused("out_of_memory", "the page needs more memory than the limit")
