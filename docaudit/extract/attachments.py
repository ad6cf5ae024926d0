"""Attachments read as documents of their own, to a depth and a size; what is not read is listed with the reason.

Documents inside the document: its attachments and its earlier revisions, each read as a document of its own.

Everything happens in the parent process, which starts child processes for what is untrusted, under one deadline and
one budget for all of it: an attachment may hold itself, unpack to gigabytes, or come ten thousand times.

What only an earlier revision of the file says: its lines against those of the document as it is now.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from docaudit.codes import DOCUMENT_PAGE, PAGE_SOURCES, BlindSpotKind, TextLikely, TextSource, Visibility
from docaudit.errors import InputError, Stop
from docaudit.extract.isolation import open_child, read_document
from docaudit.extract.processes import Child
from docaudit.extract.protocol import (
    AttachmentFact,
    DocumentFact,
    Extracted,
    ExtractRequest,
    LineFact,
    PageFact,
    PipeClosedError,
    PipeTimeoutError,
    Refused,
    RevisionFact,
    SpotFact,
)
from docaudit.extract.source import SourceFile
from docaudit.options import AuditOptions

_MOST_FILES = 1000
"""Attachments that are read, all levels together."""
_MOST_SPOTS = 100
"""Attachments left unread for one reason that are listed one by one; the rest of them are counted in one row."""
_INSIDE = " > "
_PICTURES = ("a picture", "a sound", "a picture, sound or film", "a sound or film")
_PAGE_SOURCES = frozenset(source.value for source in PAGE_SOURCES)
_SOURCES = [source.value for source in TextSource]
_WHOLE_PAGE = frozenset(kind.value for kind in BlindSpotKind if kind.value.startswith("page_"))


@dataclass
class Inside:
    """Lines and blind spots of what is inside a document, each with the page of the document it hangs on."""

    lines: list[tuple[int, LineFact]] = field(default_factory=list)
    spots: list[tuple[int, SpotFact]] = field(default_factory=list)

    def add(self, other: Inside) -> None:
        """Append what is inside another part."""
        self.lines += other.lines
        self.spots += other.spots


@dataclass
class Place:
    """Where the attachments of one document lie: its name as part of the whole ("" for the whole), page and depth."""

    part: str = ""
    page_num: int = DOCUMENT_PAGE
    depth: int = 1


class AttachmentReader:
    """Reads attachments of all levels under one budget."""

    def __init__(
        self, options: AuditOptions, folder: Path, deadline: float, stop: Stop | None = None
    ) -> None:
        self.stop = stop
        self._options = options
        self._folder = folder
        self._deadline = deadline
        self._bytes_left = options.attachment_mb << 20
        self._files_left = _MOST_FILES
        self._files_written = 0
        self._parts: set[str] = set()
        self._read_already: dict[str, str] = {}

    def read(
        self, source: SourceFile, facts: list[AttachmentFact], inside: Inside, place: Place | None = None
    ) -> None:
        """Read the attachments of one document, and theirs, into `inside`."""
        at = place or Place()
        child: Child | None = None
        left_out: dict[str, list[tuple[AttachmentFact, str]]] = {}
        try:
            for fact in facts:
                part = self._part(at.part, fact.name)
                reason = self._limit(at.depth)
                if not reason:
                    self._files_left -= 1
                    try:
                        child = child or open_child(source, self._options, describe=False)
                        got = child.extract(
                            ExtractRequest(fact.name, fact.stream, self._bytes_left), self._seconds()
                        )
                    except InputError as error:
                        reason = str(error)
                    except (PipeTimeoutError, PipeClosedError) as error:
                        reason = _why_lost(error, child)
                        if child is not None:
                            child.close()
                        child = None
                    else:
                        reason = self._take(got, fact, part, at, inside)
                if reason:
                    left_out.setdefault(reason, []).append((fact, part))
        finally:
            if child is not None:
                child.close()
        for reason, unread in left_out.items():
            inside.spots += _left_out(reason, unread, at)

    def file(self, data: bytes, name: str) -> SourceFile:
        """The bytes as a file on disk."""
        self._files_written += 1
        path = self._folder / f"{self._files_written}.pdf"
        path.write_bytes(data)
        return SourceFile(path, name, hashlib.sha256(data).hexdigest(), len(data))

    def options_now(self) -> AuditOptions:
        """The options with the time that is left."""
        left = max(0.1, self._deadline - time.monotonic())
        return self._options.model_copy(update={"document_seconds": left})

    def _limit(self, depth: int) -> str:
        """Why no further attachment of this depth is read; empty if one is."""
        options = self._options
        if depth > options.attachment_depth:
            return f"deeper than --attachment-depth {options.attachment_depth}"
        if self._files_left <= 0:
            return f"more than {_MOST_FILES} attachments"
        if self._bytes_left <= 0:
            return f"more than --attachment-mb {options.attachment_mb} together"
        if time.monotonic() > self._deadline:
            return "time limit of the document"
        return ""

    def _seconds(self) -> float:
        return max(0.1, min(self._options.page_seconds, self._deadline - time.monotonic()))

    def _part(self, outer: str, name: str) -> str:
        """The name of an attachment as part of the whole, told apart from others of the same name."""
        row = " ".join(name.split()) or "a file without a name"
        whole = f"{outer}{_INSIDE}{row}" if outer else f"attachment {row}"
        part, number = whole, 1
        while part in self._parts:
            number += 1
            part = f"{whole} ({number})"
        self._parts.add(part)
        return part

    def _take(
        self, got: Extracted | Refused, fact: AttachmentFact, part: str, at: Place, inside: Inside
    ) -> str:
        """Take what came of one attachment; returns why it was not read, empty if it was."""
        page_num = at.page_num or fact.page_num
        if isinstance(got, Refused):
            too_large = f"larger than what is left of --attachment-mb {self._options.attachment_mb}"
            return too_large if got.reason == "too_large" else got.message
        self._bytes_left -= got.size
        same = self._read_already.setdefault(got.sha256, part)
        if same != part:
            text = f"the same file as {same}"
            inside.lines.append((page_num, _said(text, part)))
            return ""
        if got.kind == "other":
            return got.detail
        if got.kind == "pdf":
            return self._take_pdf(got, part, Place(part, page_num, at.depth + 1), inside)
        inside.lines += [(page_num, _said(row, part)) for row in got.rows if row.strip()]
        if got.detail:
            spot = _spot(TextLikely.UNKNOWN, f"{part}: {got.detail}")
            inside.spots.append((page_num, spot))
        return ""

    def _take_pdf(self, got: Extracted, part: str, inner: Place, inside: Inside) -> str:
        path = self._folder / f"{len(self._parts)}.pdf"
        path.write_bytes(got.data)
        file = SourceFile(path, part, got.sha256, got.size)
        left = max(0.1, self._deadline - time.monotonic())
        try:
            document, pages = read_document(
                file, self._options.model_copy(update={"document_seconds": left}), self.stop
            )
        except InputError as error:
            return error.cause
        inside.lines += [(inner.page_num, line) for line in part_lines(document, pages, part)]
        inside.spots += [(inner.page_num, spot) for spot in _part_spots(document, pages, part)]
        self.read(file, document.attachments, inside, inner)
        file.path.unlink()
        return ""


def part_lines(
    document: DocumentFact, pages: list[PageFact], part: str, source: TextSource = TextSource.ATTACHMENT
) -> list[LineFact]:
    """All lines of a document as lines of a part of another one.

    Lines of its pages keep their boxes; what stood beside them loses its box, so that it never runs into them.
    """
    found = [(page_num, line) for page_num, line in document.lines if page_num == DOCUMENT_PAGE]
    for page in pages:
        found += [(page.page_num, line) for line in page.lines]
        found += [(page.page_num, line) for page_num, line in document.lines if page_num == page.page_num]
    return [_moved(line, page_num, part, source) for page_num, line in found]


def _moved(line: LineFact, page_num: int, part: str, source: TextSource) -> LineFact:
    on_page = line.source in _PAGE_SOURCES
    return msgspec.structs.replace(
        line,
        box=line.box if on_page else None,
        block=line.block if on_page else line.block * len(_SOURCES) + _SOURCES.index(line.source),
        source=source.value,
        part=part,
        part_page=page_num,
    )


def _part_spots(document: DocumentFact, pages: list[PageFact], part: str) -> list[SpotFact]:
    """Its blind spots as those of the part: without a box, since it lies on no page of the whole."""
    found = list(document.spots)
    found += [(page.page_num, spot) for page in pages for spot in page.spots]
    return [
        SpotFact(
            kind=BlindSpotKind.ATTACHMENT_NOT_READ.value if spot.kind in _WHOLE_PAGE else spot.kind,
            text_likely=spot.text_likely,
            detail=f"{part}, page {page_num}: {spot.detail}" if page_num else f"{part}: {spot.detail}",
        )
        for page_num, spot in found
    ]


def _said(text: str, part: str) -> LineFact:
    return LineFact(text, None, 1, TextSource.ATTACHMENT.value, "unknown", part=part)


def _left_out(reason: str, unread: list[tuple[AttachmentFact, str]], at: Place) -> list[tuple[int, SpotFact]]:
    likely = TextLikely.UNKNOWN if reason in _PICTURES else TextLikely.YES
    spots = [
        (at.page_num or fact.page_num, _spot(likely, f"{part}: {reason}"))
        for fact, part in unread[:_MOST_SPOTS]
    ]
    if len(unread) > _MOST_SPOTS:
        first = unread[_MOST_SPOTS][1]
        text = f"{len(unread) - _MOST_SPOTS} more, from {first} on: {reason}"
        spots.append((at.page_num, _spot(likely, text)))
    return spots


def _spot(likely: TextLikely, detail: str) -> SpotFact:
    return SpotFact(BlindSpotKind.ATTACHMENT_NOT_READ.value, likely.value, detail)


def _why_lost(error: Exception, child: Child | None) -> str:
    if isinstance(error, PipeTimeoutError):
        return "unpacking it took longer than --page-seconds"
    words = child.last_words() if child is not None else str(error)
    return f"the engine crashed on it ({words})"


class PresentText:
    """The lines of a document page by page; what an earlier revision adds to them counts as present for older ones."""

    def __init__(self, document: DocumentFact, pages: list[PageFact]) -> None:
        self._total = len(pages)
        self._by_page: dict[int, set[str]] = defaultdict(set)
        self._spots: dict[int, set[tuple[str, str]]] = defaultdict(set)
        self._add(document, pages)

    def only_in(
        self, document: DocumentFact, pages: list[PageFact], part: str
    ) -> tuple[list[tuple[int, LineFact]], list[tuple[int, SpotFact]]]:
        """Lines of each page of the older revision that says something else, and blind spots that only it has.

        The whole page is given, so that a phrase that goes from a line that was kept into one that was not is found;
        only lines that are no more are marked as replaced.
        """
        lines: list[tuple[int, LineFact]] = []
        moved = (
            len(pages) != self._total
        )  # pages were added or taken out: a line may stand on another page now
        everywhere = set().union(*self._by_page.values()) if moved else set()
        by_page: dict[int, list[LineFact]] = defaultdict(list)
        for line in part_lines(document, pages, part, TextSource.EARLIER_REVISION):
            by_page[line.part_page].append(line)
        for number, listed in by_page.items():
            known = everywhere if moved and number else self._by_page[number]
            gone = [_plain(line) not in known for line in listed]
            if any(gone):
                page_num = number if number <= self._total else DOCUMENT_PAGE
                lines += [
                    (page_num, _marked(line, old))
                    for line, old in zip(listed, gone, strict=True)
                    if old or line.box
                ]
        spots = [
            (page_num if page_num <= self._total else DOCUMENT_PAGE, _spot_old_text(spot, page_num, part))
            for page_num, spot in _spots(document, pages)
            if (spot.kind, repr(spot.box)) not in self._spots[page_num]
        ]
        self._add(document, pages)
        return lines, spots

    def _add(self, document: DocumentFact, pages: list[PageFact]) -> None:
        for page_num, line in document.lines:
            self._by_page[page_num].add(_plain(line))
        for page in pages:
            self._by_page[page.page_num].update(_plain(line) for line in page.lines)
        for page_num, spot in _spots(document, pages):
            self._spots[page_num].add((spot.kind, repr(spot.box)))


def _plain(line: LineFact) -> str:
    return " ".join(line.text.split())


def _marked(line: LineFact, gone: bool) -> LineFact:
    return msgspec.structs.replace(line, visibility=Visibility.REPLACED.value) if gone else line


def _spots(document: DocumentFact, pages: list[PageFact]) -> list[tuple[int, SpotFact]]:
    """All blind spots with their pages, without what a revision says of those before it."""
    named = [one for one in document.spots if one[1].kind != BlindSpotKind.EARLIER_REVISION.value]
    return [*named, *((page.page_num, spot) for page in pages for spot in page.spots)]


def _spot_old_text(spot: SpotFact, page_num: int, part: str) -> SpotFact:
    where = f"{part}, page {page_num}" if page_num else part
    return SpotFact(
        BlindSpotKind.EARLIER_REVISION.value, spot.text_likely, f"{where}: {spot.kind}: {spot.detail}"
    )


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
