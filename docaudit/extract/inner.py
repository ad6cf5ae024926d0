"""Documents inside the document: its attachments and its earlier revisions, each read as a document of its own.

Everything happens in the parent process, which starts child processes for what is untrusted, under one deadline and
one budget for all of it: an attachment may hold itself, unpack to gigabytes, or come ten thousand times.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from docaudit.errors import InputError
from docaudit.extract.attachments import AttachmentReader, Inside, Place
from docaudit.extract.document import SourceFile
from docaudit.extract.facts import DocumentFact, PageFact, RevisionFact, SpotFact
from docaudit.extract.isolation import read_document
from docaudit.extract.old_text import PresentText
from docaudit.location import DOCUMENT_PAGE, TextLikely
from docaudit.options import AuditOptions
from docaudit.reasons import BlindSpotKind
from docaudit.stopping import Stop


def with_inner_documents(
    source: SourceFile,
    options: AuditOptions,
    document: DocumentFact,
    pages: list[PageFact],
    deadline: float,
    stop: Stop | None = None,
) -> DocumentFact:
    """The document with the lines and blind spots of what is inside it.

    Args:
        source: The file.
        options: How to read, and how deep.
        document: What was read of the document as a whole.
        pages: Its pages.
        deadline: When all reading must be over, by time.monotonic().
        stop: What ends the work before.
    """
    wanted = document.revisions if options.revisions else []
    if not document.attachments and not wanted:
        return document
    inside = Inside()
    with tempfile.TemporaryDirectory(prefix="docaudit-", ignore_cleanup_errors=True) as folder:
        reader = AttachmentReader(options, Path(folder), deadline, stop)
        reader.read(source, document.attachments, inside)
        if wanted:
            present = PresentText(document, pages)
            for fact in reversed(wanted):
                part = f"earlier revision {fact.number} of {len(wanted)}"
                inside.add(_revision(source, fact, part, reader, present))
    read = {BlindSpotKind.EARLIER_REVISION.value} if wanted else set()
    spots = [(page_num, spot) for page_num, spot in document.spots if spot.kind not in read]
    return msgspec.structs.replace(document, lines=document.lines + inside.lines, spots=spots + inside.spots)


def _revision(
    source: SourceFile, fact: RevisionFact, part: str, reader: AttachmentReader, present: PresentText
) -> Inside:
    """What only this revision says, with its attachments; or a blind spot with the reason why it was not read."""
    file = reader.file(source.path.read_bytes()[: fact.end], part)
    try:
        document, pages = read_document(file, reader.options_now(), reader.stop)
    except InputError as error:
        spot = SpotFact(
            BlindSpotKind.EARLIER_REVISION.value, TextLikely.UNKNOWN.value, f"{part}: {error.cause}"
        )
        return Inside([], [(DOCUMENT_PAGE, spot)])
    lines, spots = present.only_in(document, pages, part)
    inside = Inside(lines, spots)
    reader.read(file, document.attachments, inside, Place(part, DOCUMENT_PAGE, 1))
    file.path.unlink()
    return inside
