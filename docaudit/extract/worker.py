"""The child process: opens one document, then reads the pages it is asked for, one message each.

Runs as `python -m docaudit.extract.worker`. Messages go over the original standard output; whatever a library
prints goes nowhere, so that it cannot break the stream.
"""

from __future__ import annotations

import os
import sys

from docaudit.extract.facts import (
    ExtractRequest,
    Opened,
    OpenRequest,
    PageRead,
    ReadRequest,
    Refused,
    Working,
)
from docaudit.extract.messages import PipeClosedError, decode_request, receive, send


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
    request = decode_request(receive(source))
    assert isinstance(request, OpenRequest)
    _limit_memory(request.memory_mb)
    from docaudit.extract.objects import StreamTooLargeError
    from docaudit.extract.page_tree import UnreachablePageError
    from docaudit.extract.reader import DocumentReader, DocumentRefusedError, PageRefusedError

    try:
        reader = DocumentReader(request, working=lambda: send(target, Working()))
        send(target, Opened(reader.describe(request.describe)))
    except DocumentRefusedError as error:
        send(target, Refused(error.reason, str(error)))
        return
    while True:
        request = decode_request(receive(source))
        try:
            if isinstance(request, ExtractRequest):
                send(target, reader.extract(request))
                continue
            assert isinstance(request, ReadRequest)
            send(target, PageRead(reader.read(request.page_num, request.render)))
        except UnreachablePageError as error:
            send(target, Refused("unreachable", str(error)))
        except StreamTooLargeError as error:
            send(target, Refused("too_large", str(error)))
        except PageRefusedError as error:
            send(target, Refused("failed", str(error)))
        except MemoryError:
            send(target, Refused("out_of_memory", "the page needs more memory than the limit"))


def _limit_memory(megabytes: int) -> None:
    """Cap the address space where the system can; elsewhere the time limits alone hold."""
    if sys.platform == "win32":
        return
    import resource

    limit = megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
