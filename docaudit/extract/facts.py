"""What the child process tells the parent about a document: plain, typed records, sent as msgpack.

The child parses untrusted bytes, so nothing executable (no pickle) comes back from it; msgspec checks every field.
"""

from __future__ import annotations

import msgspec

from docaudit.extract.annotate_facts import Annotated, AnnotateRequest

Box = tuple[float, float, float, float]


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
    """A word that the second engine saw, and where it stands; no box if the engine does not say."""

    word: str
    box: Box | None


class PageFact(msgspec.Struct, array_like=True):
    """Everything that was read of one page, and what was not."""

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


class DocumentFact(msgspec.Struct, array_like=True):
    """What belongs to the document as a whole; each line and blind spot with its page, 0 for none."""

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


class Opened(msgspec.Struct, array_like=True, tag="opened"):
    """The document is open."""

    document: DocumentFact


class Working(msgspec.Struct, array_like=True, tag="working"):
    """The page takes long, and for a reason: the next part of it goes to OCR now."""


class PageRead(msgspec.Struct, array_like=True, tag="page"):
    """One page was read."""

    page: PageFact


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


class Refused(msgspec.Struct, array_like=True, tag="refused"):
    """The document cannot be opened, or the page cannot be read.

    `reason` is password, not_a_pdf, no_pages, damaged or out_of_memory, or, for a page or an embedded file, failed,
    unreachable, too_large or out_of_memory.
    """

    reason: str
    message: str


Request = (
    OpenRequest
    | ReadRequest
    | ThumbnailRequest
    | TextRequest
    | ExtractRequest
    | PlantRequest
    | AnnotateRequest
)
Reply = Opened | Working | PageRead | ThumbnailDrawn | SecondText | Extracted | Planted | Annotated | Refused
