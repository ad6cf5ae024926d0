"""What the process that audits and the child process that reads say to each other: records, checks, messages.

The child parses untrusted bytes, so nothing executable (no pickle) comes back from it. Messages are msgpack with their
length before them; msgspec checks the type of every field, and `validate_reply` whether the values can be true.
"""

from __future__ import annotations

import math
import os
import struct
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from docaudit.codes import BlindSpotKind, Direction, PageState, TextLikely, TextSource, Visibility

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points, as displayed, origin top left."""
Colour = tuple[float, float, float]
"""Red, green and blue, each 0 to 1."""


class LineFact(msgspec.Struct, array_like=True):
    """One line of text, before its type is known; fields as in LINE_DF."""

    text: str
    box: Box | None
    block: int
    source: str
    visibility: str = "visible"
    direction: str = "horizontal"
    size: float = 0.0
    bold: bool = False
    confidence: float = 100.0
    part: str = ""
    part_page: int = 0


class ImageFact(msgspec.Struct, array_like=True):
    """One placed image; fields as in IMAGE_DF."""

    box: Box
    width_px: int
    height_px: int
    image_hash: str
    area_share: float
    ocr_state: str = "not_run"
    ocr_text: str = ""
    ocr_confidence: float | None = None


class SpotFact(msgspec.Struct, array_like=True):
    """One region or part that was not read; fields as in BLIND_SPOT_DF."""

    kind: str
    text_likely: str
    detail: str
    box: Box | None = None
    area_share: float | None = None


class WitnessFact(msgspec.Struct, array_like=True):
    """A word that the second engine saw, and its place; no box if the engine does not say."""

    word: str
    box: Box | None


class PageReading(msgspec.Struct, array_like=True, tag="page"):
    """Everything that was read of one page, and what was not; the reply to a ReadRequest."""

    page_num: int
    label: str
    width: float
    height: float
    rotation: int
    state: str
    lines: list[LineFact]
    images: list[ImageFact]
    spots: list[SpotFact]
    warnings: str
    ink_total: int | None = None
    ink_read: int | None = None
    ink_unread: int | None = None
    words_first_only: int | None = None
    words_second_only: int | None = None
    witnesses: list[WitnessFact] = []


class OutlineFact(msgspec.Struct, array_like=True):
    """One bookmark; page_num 0 if it points nowhere."""

    level: int
    title: str
    page_num: int


class AttachmentFact(msgspec.Struct, array_like=True):
    """One embedded file: its name, the page it is pinned to (0 for none), the object number of its bytes (0 if they
    are not there), and further texts that describe it.
    """

    name: str
    page_num: int
    stream: int
    texts: list[str]


class RevisionFact(msgspec.Struct, array_like=True):
    """One earlier revision: how many bytes of the file it is, and its number, 1 for the oldest."""

    number: int
    end: int


class DocumentFact(msgspec.Struct, array_like=True, tag="document"):
    """What belongs to the document as a whole, each line and blind spot with its page, 0 for none; the reply to an
    OpenRequest.
    """

    pages_total: int
    outline: list[OutlineFact]
    lines: list[tuple[int, LineFact]]
    spots: list[tuple[int, SpotFact]]
    versions: dict[str, str]
    attachments: list[AttachmentFact] = []
    revisions: list[RevisionFact] = []


class PlantFact(msgspec.Struct, array_like=True):
    """A phrase that is to take the place of one line, or of two: `texts` and `boxes` have one entry for each."""

    layout: str
    phrase: str
    page_num: int
    texts: list[str]
    boxes: list[Box]
    direction: str
    size: float
    picture: bool = False


class Mark(msgspec.Struct, array_like=True):
    """One hit to be highlighted: its text line by line, and the box of its first line (points, as displayed).

    `text_layer` tells that its letters stand in the text layer of the page, and not only in what another reader saw.
    """

    page_num: int
    page_end: int
    box: Box
    lines: list[str]
    colour: Colour
    note: str
    text_layer: bool = True


class Outline(msgspec.Struct, array_like=True):
    """One region to be outlined."""

    page_num: int
    box: Box | None
    note: str


class Bookmark(msgspec.Struct, array_like=True):
    """One entry of the outline; page 0 is the legend."""

    level: int
    title: str
    page_num: int
    top: float


class OpenRequest(msgspec.Struct, array_like=True, tag="open"):
    """First message to the child: what to open, and how to read it."""

    path: str
    password: str | None
    ocr: str
    ocr_engine: str
    ocr_lang: str | None
    ocr_confidence: float
    memory_mb: int
    page_seconds: float
    describe: bool
    ink: bool
    second_reader: bool


class ReadRequest(msgspec.Struct, array_like=True, tag="read"):
    """Read one page; without `render`, only what needs no picture of it."""

    page_num: int
    render: bool = True


class ThumbnailRequest(msgspec.Struct, array_like=True, tag="thumbnail"):
    """Draw one page, or only the region `clip` of it (points, as displayed), `width` pixels wide."""

    page_num: int
    width: int
    clip: Box | None = None


class TextRequest(msgspec.Struct, array_like=True, tag="text"):
    """Give the text of one page as the second engine alone reads it."""

    page_num: int


class ExtractRequest(msgspec.Struct, array_like=True, tag="extract"):
    """Unpack one embedded file of at most `limit` bytes."""

    name: str
    stream: int
    limit: int


class PlantRequest(msgspec.Struct, array_like=True, tag="plant"):
    """Write a copy of the document with these phrases in it to the path `target`."""

    target: str
    plants: list[PlantFact]


class AnnotateRequest(msgspec.Struct, array_like=True, tag="annotate"):
    """Draw marks and outlines into the document, add bookmarks and a legend as its last page, and save it to `path`."""

    path: str
    marks: list[Mark]
    outlines: list[Outline]
    bookmarks: list[Bookmark]
    contents_title: str
    legend: list[tuple[Colour | None, str]]


class ThumbnailDrawn(msgspec.Struct, array_like=True, tag="drawn"):
    """A small picture of one page."""

    page_num: int
    jpeg: bytes


class SecondText(msgspec.Struct, array_like=True, tag="second_text"):
    """The text of one page by the second engine; null if it cannot read the page."""

    page_num: int
    text: str | None


class Extracted(msgspec.Struct, array_like=True, tag="extracted"):
    """One embedded file was unpacked.

    `kind` is pdf (its bytes are in `data`), text (read into `rows`) or other; `detail` says what kind of file it is, or
    what of it could not be read.
    """

    kind: str
    detail: str
    rows: list[str]
    data: bytes
    size: int
    sha256: str


class Planted(msgspec.Struct, array_like=True, tag="planted"):
    """The copy was written; `problems` has the place in the list, and why, of each phrase that is not in it."""

    problems: list[tuple[int, str]]


class Annotated(msgspec.Struct, array_like=True, tag="annotated"):
    """The annotated document was saved; `problems` names pages on which nothing could be drawn."""

    problems: list[str]


class Working(msgspec.Struct, array_like=True, tag="working"):
    """The page takes long, and for a reason: the next part of it goes to OCR now."""


class Refused(msgspec.Struct, array_like=True, tag="refused"):
    """The document cannot be opened, or there is no answer about a page, an embedded file or a copy.

    `reason` is password, not_a_pdf, no_pages, damaged or out_of_memory, or, once the document is open, failed,
    unreachable, too_large or out_of_memory. Of a child that is lost the parent itself says crashed, timed_out or
    out_of_memory.
    """

    reason: str
    message: str

    @property
    def problem(self) -> str:
        """Why there is no answer, as the end of a sentence."""
        return f"the engine crashed ({self.message})" if self.reason == "crashed" else self.message


PageRequest = ReadRequest | ThumbnailRequest | TextRequest
Request = OpenRequest | PageRequest | ExtractRequest | PlantRequest | AnnotateRequest
Answer = DocumentFact | PageReading | ThumbnailDrawn | SecondText | Extracted | Planted | Annotated
Reply = Answer | Working | Refused


MOST_PAGES = 200_000
"""Pages of a document that are read at most."""
MOST_MISSING = 100
"""Pages that a tree claims and does not lead to get a row each, up to this many: a count may be a lie."""

_LARGEST = 1 << 40
"""No count of pixels, words or levels comes near it; it keeps numbers of a child within what tables hold."""
_STATES = frozenset(PageState)
_SOURCES = frozenset(TextSource)
_VISIBILITIES = frozenset(Visibility)
_DIRECTIONS = frozenset(Direction)
_KINDS = frozenset(BlindSpotKind)
_LIKELY = frozenset(TextLikely)
_OCR_STATES = frozenset({"read", "no_text", "uncertain", "failed", "not_run"})


def validate_reply(request: Request, kind: type[msgspec.Struct], reply: Reply) -> str:
    """Why a reply of a child that has read untrusted bytes cannot be true; empty if it can be."""
    if isinstance(reply, Refused):
        return ""
    if not isinstance(reply, kind):
        return "an answer to another question"
    if isinstance(reply, DocumentFact):
        problem = _document_problem(reply)
        return f"an answer that cannot be true: {problem}" if problem else ""
    if isinstance(request, PageRequest) and isinstance(reply, PageReading | ThumbnailDrawn | SecondText):
        if reply.page_num != request.page_num:
            return f"asked for page {request.page_num}, got page {reply.page_num}"
        if isinstance(reply, PageReading):
            return _page_problem(reply)
    return ""


def _document_problem(document: DocumentFact) -> str:
    total = document.pages_total
    if not 1 <= total <= MOST_PAGES + MOST_MISSING:
        return f"a document of {total} pages"
    numbers = [num for num, _ in document.lines] + [num for num, _ in document.spots]
    numbers += [entry.page_num for entry in document.outline]
    numbers += [attachment.page_num for attachment in document.attachments]
    if any(not 0 <= num <= total for num in numbers):
        return f"a part of it on a page that is none of 1 to {total}"
    if any(not 0 <= entry.level < _LARGEST for entry in document.outline):
        return "a bookmark on no level"
    return _line_problem(line for _, line in document.lines) or _blind_spot_problem(
        spot for _, spot in document.spots
    )


def _page_problem(page: PageReading) -> str:
    if page.state not in _STATES:
        return f"no state of a page: {page.state[:40]!r}"
    if not _finite((page.width, page.height)) or not -360 <= page.rotation <= 360:
        return "a page without a size"
    counts = (page.ink_total, page.ink_read, page.ink_unread, page.words_first_only, page.words_second_only)
    if any(count is not None and not 0 <= count < _LARGEST for count in counts):
        return "an amount of ink or words that cannot be"
    for image in page.images:
        sizes = (image.area_share, image.width_px, image.height_px, image.ocr_confidence or 0.0)
        in_pixels = max(image.width_px, image.height_px) < _LARGEST
        if not in_pixels or image.ocr_state not in _OCR_STATES or not _finite((*image.box, *sizes)):
            return "an image that cannot be"
    if not all(_placed(witness.box) for witness in page.witnesses):
        return "a word at a place that cannot be"
    return _line_problem(page.lines) or _blind_spot_problem(page.spots)


def _line_problem(lines: Iterable[LineFact]) -> str:
    for line in lines:
        if (
            line.source not in _SOURCES
            or line.visibility not in _VISIBILITIES
            or line.direction not in _DIRECTIONS
        ):
            return f"a line from nowhere: {line.source[:40]!r}, {line.visibility[:40]!r}"
        if not (_placed(line.box) and 0 <= line.block < _LARGEST and _finite((line.size, line.confidence))):
            return "a line at a place that cannot be"
    return ""


def _blind_spot_problem(spots: Iterable[SpotFact]) -> str:
    for spot in spots:
        if spot.kind not in _KINDS or spot.text_likely not in _LIKELY:
            return f"no kind of blind spot: {spot.kind[:40]!r}"
        if not _placed(spot.box) or not _finite((spot.area_share or 0.0,)):
            return "a blind spot at a place that cannot be"
    return ""


def _placed(box: Box | None) -> bool:
    return box is None or _finite(box)


def _finite(values: Iterable[float]) -> bool:
    return math.isfinite(sum(values))


_HEADER = struct.Struct("<Q")
MAX_MESSAGE = 64 << 20
"""Bytes of the largest message: 20 times what the densest pages need, and little enough to unpack it."""
_PIECE = 1 << 20

_encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(Request).decode
_decode_reply = msgspec.msgpack.Decoder(Reply).decode


class PipeClosedError(Exception):
    """The other side went away in the middle of, or before, a message."""


class PipeGarbledError(PipeClosedError):
    """What came is no message of ours: the other side cannot be trusted any more."""


class ChildMemoryError(PipeClosedError):
    """The child was ended because it took more memory than the limit."""


class PipeTimeoutError(Exception):
    """The other side did not answer in time."""


class MessageTooLargeError(Exception):
    """What was to be sent is larger than the other side takes."""


def largest_reply(request: Request) -> int:
    """Bytes of the largest reply to a request; rows of short words take more room than the file that they are from."""
    return MAX_MESSAGE + (4 * request.limit if isinstance(request, ExtractRequest) else 0)


def decode_reply(body: bytes) -> Reply:
    """The reply in a message's bytes; raises PipeGarbledError."""
    try:
        return _decode_reply(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, MemoryError) as error:
        raise PipeGarbledError(f"an answer that is none: {error}") from error


def send(handle: int, message: Request | Reply, most: int = MAX_MESSAGE) -> None:
    """Write one message; raises MessageTooLargeError, or PipeClosedError if nobody reads any more."""
    try:
        body = _encode(message)
    except UnicodeEncodeError:  # names and warnings in damaged files have bytes that are no text
        body = _encode(_without_surrogates(msgspec.to_builtins(message, builtin_types=(bytes,))))
    if len(body) > most:
        raise MessageTooLargeError(f"{len(body) >> 20} MiB of text and boxes, more than {most >> 20} MiB")
    view = memoryview(_HEADER.pack(len(body)) + body)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except OSError as error:
        raise PipeClosedError("the reader of the pipe is gone") from error


def _without_surrogates(value: Any) -> Any:
    """The same with U+FFFD for each lone surrogate."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, (list, tuple)):
        return [_without_surrogates(part) for part in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(part) for key, part in value.items()}
    return value


def receive(read: Callable[[int, float], bytes], seconds: float = math.inf, most: int = MAX_MESSAGE) -> bytes:
    """Bytes of one message.

    Args:
        read: Reads at most so many bytes within so many seconds; raises PipeTimeoutError, gives none at the end.
        seconds: Time for the whole message.
        most: Bytes of the largest message that is taken.

    Raises:
        PipeTimeoutError: It is not there in time.
        PipeClosedError: The pipe ended.
    """
    deadline = time.monotonic() + seconds
    (length,) = _HEADER.unpack(_read_exactly(read, _HEADER.size, deadline))
    if length > most:
        raise PipeGarbledError(f"a message of {length} bytes is not one of ours")
    return _read_exactly(read, length, deadline)


def _read_exactly(read: Callable[[int, float], bytes], count: int, deadline: float) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            raise PipeTimeoutError
        part = read(min(count - len(parts), _PIECE), seconds)
        if not part:
            raise PipeClosedError("the pipe ended")
        parts += part
    return bytes(parts)
