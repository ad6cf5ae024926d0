"""Nested documents: attachments and earlier revisions, each read as a document of its own.

Everything happens in the parent process, which starts child processes for what is untrusted, under one deadline and
one budget for all of it: an attachment may hold itself, unpack to gigabytes, or come ten thousand times. What is not
read is listed with the reason.
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
from docaudit.extract.isolation import open_child, read_pages
from docaudit.extract.processes import Child
from docaudit.extract.protocol import (
    AttachmentFact,
    DocumentFact,
    Extracted,
    ExtractRequest,
    LineFact,
    PageReading,
    Refused,
    RevisionFact,
    SpotFact,
)
from docaudit.extract.source import SourceFile
from docaudit.options import AuditOptions

_MOST_FILES = 1000
"""Attachments that are read, all levels together; chosen, not measured."""
_MOST_SPOTS = 100
"""Attachments left unread for one reason that are listed one by one; the rest of them are counted in one row."""
_WITHOUT_TEXT = ("a picture", "a sound", "a picture, sound or film", "a sound or film")
_SOURCES: list[str] = list(TextSource)
_WHOLE_PAGE = frozenset(kind for kind in BlindSpotKind if kind.startswith("page_"))


@dataclass
class Nested:
    """Lines and blind spots of nested documents, each with the page of the outer document that it hangs on."""

    lines: list[tuple[int, LineFact]] = field(default_factory=list)
    spots: list[tuple[int, SpotFact]] = field(default_factory=list)


@dataclass(frozen=True)
class Outer:
    """The document that attachments hang on: its name as part of the whole ("" for the whole), page and depth."""

    part: str = ""
    page_num: int = DOCUMENT_PAGE
    depth: int = 1


def with_nested_documents(
    source: SourceFile,
    options: AuditOptions,
    document: DocumentFact,
    pages: list[PageReading],
    deadline: float,
    stop: Stop | None = None,
) -> DocumentFact:
    """The document with the lines and blind spots of the documents nested in it.

    Args:
        source: The file.
        options: How to read, and how deep.
        document: What was read of the document as a whole.
        pages: Its pages.
        deadline: When all reading must be over, by time.monotonic().
        stop: What ends the work before.
    """
    revisions = document.revisions if options.revisions else []
    if not document.attachments and not revisions:
        return document
    with tempfile.TemporaryDirectory(prefix="docaudit-", ignore_cleanup_errors=True) as folder:
        reader = _NestedReader(options, Path(folder), deadline, stop)
        reader.read_attachments(source, document.attachments, Outer())
        if revisions:
            newer = _NewerText(document, pages)
            for fact in reversed(revisions):
                part = f"earlier revision {fact.number} of {len(revisions)}"
                reader.read_revision(source, fact, part, newer)
    nested = reader.nested
    spots = document.spots
    if revisions:  # what was read is no blind spot any more
        spots = [spot for spot in spots if spot[1].kind != BlindSpotKind.EARLIER_REVISION]
    return msgspec.structs.replace(document, lines=document.lines + nested.lines, spots=spots + nested.spots)


class _NestedReader:
    """Reads attachments of all levels, and revisions, under one budget."""

    def __init__(self, options: AuditOptions, folder: Path, deadline: float, stop: Stop | None) -> None:
        self.nested = Nested()
        self._options = options
        self._folder = folder
        self._deadline = deadline
        self._stop = stop
        self._bytes_left = options.attachment_mb << 20
        self._files_left = _MOST_FILES
        self._files_written = 0
        self._parts: set[str] = set()
        self._read_already: dict[str, str] = {}

    def read_attachments(self, source: SourceFile, facts: list[AttachmentFact], outer: Outer) -> None:
        """Read the attachments of one document, and theirs."""
        child: Child | None = None
        left_out: dict[str, list[tuple[int, str]]] = {}
        try:
            for fact in facts:
                part, page_num = self._part(outer.part, fact.name), outer.page_num or fact.page_num
                reason = self._limit(outer.depth)
                if not reason:
                    self._files_left -= 1
                    request = ExtractRequest(fact.name, fact.stream, self._bytes_left)
                    try:
                        child = child or open_child(source, self._options, describe=False)
                        extracted = child.ask(
                            Extracted, request, min(self._options.page_seconds, self._seconds_left())
                        )
                    except InputError as error:
                        reason = str(error)
                    else:
                        reason = self._take(extracted, Outer(part, page_num, outer.depth + 1))
                        if child.lost:
                            child.close()
                            child = None
                if reason:
                    left_out.setdefault(reason, []).append((page_num, part))
        finally:
            if child is not None:
                child.close()
        for reason, unread in left_out.items():
            likely = TextLikely.UNKNOWN if reason in _WITHOUT_TEXT else TextLikely.YES
            for page_num, part in unread[:_MOST_SPOTS]:
                self._list(page_num, likely, f"{part}: {reason}")
            if len(unread) > _MOST_SPOTS:
                first = unread[_MOST_SPOTS][1]
                text = f"{len(unread) - _MOST_SPOTS} more, from {first} on: {reason}"
                self._list(outer.page_num, likely, text)

    def read_revision(self, source: SourceFile, fact: RevisionFact, part: str, newer: _NewerText) -> None:
        """What only this revision says, with its attachments; or a blind spot with the reason why it was not read."""
        file = self._file(source.path.read_bytes()[: fact.end], part)
        try:
            document, pages = read_pages(file, self._options_now(), self._stop)
        except InputError as error:
            detail = f"{part}: {error.cause}"
            spot = SpotFact(BlindSpotKind.EARLIER_REVISION, TextLikely.UNKNOWN, detail)
            self.nested.spots.append((DOCUMENT_PAGE, spot))
            return
        lines, spots = newer.only_in(document, pages, part)
        self.nested.lines += lines
        self.nested.spots += spots
        self.read_attachments(file, document.attachments, Outer(part))
        file.path.unlink()

    def _file(self, data: bytes, name: str) -> SourceFile:
        """The bytes as a file on disk."""
        self._files_written += 1
        path = self._folder / f"{self._files_written}.pdf"
        path.write_bytes(data)
        return SourceFile(path, name, hashlib.sha256(data).hexdigest(), len(data))

    def _seconds_left(self) -> float:
        return max(0.1, self._deadline - time.monotonic())

    def _options_now(self) -> AuditOptions:
        return self._options.model_copy(update={"document_seconds": self._seconds_left()})

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

    def _part(self, outer: str, name: str) -> str:
        """The name of an attachment as part of the whole, told apart from others of the same name."""
        row = " ".join(name.split()) or "a file without a name"
        whole = f"{outer} > {row}" if outer else f"attachment {row}"
        part, number = whole, 1
        while part in self._parts:
            number += 1
            part = f"{whole} ({number})"
        self._parts.add(part)
        return part

    def _list(self, page_num: int, likely: TextLikely, detail: str) -> None:
        spot = SpotFact(BlindSpotKind.ATTACHMENT_NOT_READ, likely, detail)
        self.nested.spots.append((page_num, spot))

    def _take(self, extracted: Extracted | Refused, place: Outer) -> str:
        """Take what came of one attachment; returns why it was not read, empty if it was."""
        part, page_num = place.part, place.page_num
        if isinstance(extracted, Refused):
            if extracted.reason == "too_large":
                return f"larger than what is left of --attachment-mb {self._options.attachment_mb}"
            if extracted.reason == "timed_out":
                return "unpacking it took longer than --page-seconds"
            if extracted.reason == "crashed":
                return f"the engine crashed on it ({extracted.message})"
            return extracted.message
        self._bytes_left -= extracted.size
        first = self._read_already.setdefault(extracted.sha256, part)
        if first != part:
            rows = [f"the same file as {first}"]
        elif extracted.kind == "other":
            return extracted.detail
        elif extracted.kind == "pdf":
            return self._take_pdf(extracted, place)
        else:
            rows = [row for row in extracted.rows if row.strip()]
            if extracted.detail:
                self._list(page_num, TextLikely.UNKNOWN, f"{part}: {extracted.detail}")
        self.nested.lines += [
            (page_num, LineFact(row, None, 1, TextSource.ATTACHMENT, Visibility.UNKNOWN, part=part))
            for row in rows
        ]
        return ""

    def _take_pdf(self, extracted: Extracted, place: Outer) -> str:
        part, page_num = place.part, place.page_num
        file = self._file(extracted.data, part)
        try:
            document, pages = read_pages(file, self._options_now(), self._stop)
        except InputError as error:
            return error.cause
        lines = part_lines(document, pages, part, TextSource.ATTACHMENT)
        self.nested.lines += [(page_num, line) for line in lines]
        for number, spot in _all_spots(document, pages):
            # Without a box, since it lies on no page of the whole.
            kind = BlindSpotKind.ATTACHMENT_NOT_READ if spot.kind in _WHOLE_PAGE else spot.kind
            detail = f"{part}, page {number}: {spot.detail}" if number else f"{part}: {spot.detail}"
            self.nested.spots.append((page_num, SpotFact(kind, spot.text_likely, detail)))
        self.read_attachments(file, document.attachments, place)
        file.path.unlink()
        return ""


def part_lines(
    document: DocumentFact, pages: list[PageReading], part: str, source: TextSource
) -> list[LineFact]:
    """All lines of a document as lines of a part of another one.

    Lines of its pages keep their boxes; what stood beside them loses its box, so that it never runs into them.
    """
    beside: dict[int, list[LineFact]] = defaultdict(list)
    for page_num, line in document.lines:
        beside[page_num].append(line)
    numbered = [(DOCUMENT_PAGE, line) for line in beside[DOCUMENT_PAGE]]
    for page in pages:
        numbered += [(page.page_num, line) for line in page.lines + beside[page.page_num]]
    lines = []
    for page_num, line in numbered:
        on_page = line.source in PAGE_SOURCES
        lines.append(
            msgspec.structs.replace(
                line,
                box=line.box if on_page else None,
                block=line.block if on_page else line.block * len(_SOURCES) + _SOURCES.index(line.source),
                source=source,
                part=part,
                part_page=page_num,
            )
        )
    return lines


def _all_spots(document: DocumentFact, pages: list[PageReading]) -> list[tuple[int, SpotFact]]:
    """All blind spots with their pages, those of the document first."""
    return [*document.spots, *((page.page_num, spot) for page in pages for spot in page.spots)]


class _NewerText:
    """The lines of a document page by page; what an earlier revision adds to them counts as present for older ones."""

    def __init__(self, document: DocumentFact, pages: list[PageReading]) -> None:
        self._total = len(pages)
        self._by_page: dict[int, set[str]] = defaultdict(set)
        self._spots: dict[int, set[tuple[str, str]]] = defaultdict(set)
        self._add(document, pages)

    def only_in(
        self, document: DocumentFact, pages: list[PageReading], part: str
    ) -> tuple[list[tuple[int, LineFact]], list[tuple[int, SpotFact]]]:
        """Lines of each page of the older revision that says something else, and blind spots that only it has.

        The whole page is given, so that a phrase that goes from a line that was kept into one that was not is found;
        only lines that are no more are marked as replaced.
        """
        lines: list[tuple[int, LineFact]] = []
        # Pages were added or taken out: a line may stand on another page now.
        moved = len(pages) != self._total
        everywhere = set().union(*self._by_page.values()) if moved else set()
        by_page: dict[int, list[LineFact]] = defaultdict(list)
        for line in part_lines(document, pages, part, TextSource.EARLIER_REVISION):
            by_page[line.part_page].append(line)
        for number, page_lines in by_page.items():
            present = everywhere if moved and number else self._by_page[number]
            gone = [_plain(line) not in present for line in page_lines]
            if any(gone):
                page_num = number if number <= self._total else DOCUMENT_PAGE
                for line, is_gone in zip(page_lines, gone, strict=True):
                    if is_gone:
                        replaced = msgspec.structs.replace(line, visibility=Visibility.REPLACED)
                        lines.append((page_num, replaced))
                    elif line.box:
                        lines.append((page_num, line))
        spots = []
        for number, spot in _own_spots(document, pages):
            if (spot.kind, repr(spot.box)) not in self._spots[number]:
                where = f"{part}, page {number}" if number else part
                detail = f"{where}: {spot.kind}: {spot.detail}"
                page_num = number if number <= self._total else DOCUMENT_PAGE
                spots.append((page_num, SpotFact(BlindSpotKind.EARLIER_REVISION, spot.text_likely, detail)))
        self._add(document, pages)
        return lines, spots

    def _add(self, document: DocumentFact, pages: list[PageReading]) -> None:
        for page_num, line in document.lines:
            self._by_page[page_num].add(_plain(line))
        for page in pages:
            self._by_page[page.page_num].update(_plain(line) for line in page.lines)
        for page_num, spot in _own_spots(document, pages):
            self._spots[page_num].add((spot.kind, repr(spot.box)))


def _plain(line: LineFact) -> str:
    return " ".join(line.text.split())


def _own_spots(document: DocumentFact, pages: list[PageReading]) -> list[tuple[int, SpotFact]]:
    """Blind spots without what a revision says of those before it."""
    spots = _all_spots(document, pages)
    return [spot for spot in spots if spot[1].kind != BlindSpotKind.EARLIER_REVISION]
