"""A copy of a document with phrases planted into it, made in a child process like everything that touches its bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from docaudit.errors import InputError
from docaudit.extract.document import Source, identified
from docaudit.extract.facts import Planted, PlantFact, PlantRequest
from docaudit.extract.isolation import open_child
from docaudit.extract.messages import PipeClosedError, PipeTimeoutError
from docaudit.options import AuditOptions


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
