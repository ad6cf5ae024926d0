"""Documents inside the document: its attachments and its earlier revisions, each read as a document of its own.

Everything happens in the parent process, which starts child processes for what is untrusted, under one deadline and
one budget for all of it: an attachment may hold itself, unpack to gigabytes, or come ten thousand times.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from docaudit.extract.attachments import AttachmentReader, Inside
from docaudit.extract.document import SourceFile
from docaudit.extract.facts import DocumentFact, PageFact
from docaudit.options import AuditOptions


def with_inner_documents(
    source: SourceFile, options: AuditOptions, document: DocumentFact, pages: list[PageFact], deadline: float
) -> DocumentFact:
    """The document with the lines and blind spots of what is inside it.

    Args:
        source: The file.
        options: How to read, and how deep.
        document: What was read of the document as a whole.
        pages: Its pages.
        deadline: When all reading must be over, by time.monotonic().
    """
    if not document.attachments and not document.revisions:
        return document
    with tempfile.TemporaryDirectory(prefix="docaudit-") as folder:
        reader = AttachmentReader(options, Path(folder), deadline)
        inside = Inside()
        reader.read(source, document.attachments, inside)
    return msgspec.structs.replace(
        document, lines=document.lines + inside.lines, spots=document.spots + inside.spots
    )
