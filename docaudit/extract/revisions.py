"""Earlier revisions in a file that was saved incrementally: where each ends, and what the later ones took away.

An update appends what changed; the bytes up to an earlier end mark are the file as it was. Many updates take nothing
away: a signature, a comment or a date is added, and all that was there is there to this day. So objects are compared.

Document information and XMP: all that the properties of a document say, keys of its own included.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from docaudit.codes import DOCUMENT_PAGE, BlindSpotKind, TextLikely
from docaudit.extract.pdf_objects import (
    ENGINE_ERRORS,
    PageTree,
    StreamTooLargeError,
    clean,
    entries,
    get,
    object_of,
    references_under,
    stream_bytes,
    text_of,
    trailer_of,
    written,
)
from docaudit.extract.protocol import RevisionFact, SpotFact
from docaudit.extract.xml import NotXmlError, rich_rows, xml_rows

_MAX_BYTES = 16 << 20
_DATE = re.compile(r"D:\d{4,14}(?:[Z+\-][\d'Z]*)?")
_PACKET = re.compile(rb"<\?xpacket.*?\?>", re.DOTALL)


def metadata_rows(doc: pymupdf.Document) -> list[str]:
    """Every different text of document information and XMP, dates left out.

    Raises ValueError if the XMP is too large.
    """
    rows = [text_of(value) for _, value in entries(get(trailer_of(doc), "Info"))]
    rows = [row for text in rows if not _DATE.fullmatch(text) for row in text.splitlines()]
    packet = get(object_of(doc, doc.pdf_catalog()), "Metadata")
    if doc.get_xml_metadata():
        try:
            rows += xmp_rows(stream_bytes(packet, _MAX_BYTES))
        except StreamTooLargeError as error:
            raise ValueError(f"XMP: {error}") from error
    return [row for row in dict.fromkeys(clean(row).strip() for row in rows) if row]


def xmp_rows(data: bytes) -> list[str]:
    """Values stand between tags or in attributes; a packet that is no XML is read as far as its tags allow."""
    bare = _PACKET.sub(b"", data).strip()
    try:
        return xml_rows(bare, attributes=True)
    except NotXmlError:
        return rich_rows(bare.decode("utf-8", "replace"))


_END = re.compile(rb"startxref\s+(\d{1,12})\s+%%EOF")
_LINEARISED = re.compile(rb"/Linearized\b[^>]{0,400}?/L\s+(\d{1,12})", re.DOTALL)
_XREF = re.compile(rb"\s*(?:xref\b|\d+\s+\d+\s+obj\b)")
_REFERENCE = re.compile(r"(\d+) \d+ R")
_TOKEN = re.compile(
    r"\d+ \d+ R|\((?:\\.|[^()\\]|\([^()]*\))*\)|<[0-9A-Fa-f]*>|/[^\s/()<>\[\]{}%]+|[^\s/()<>\[\]{}%]+"
)
_UNSAID = re.compile(
    r"/(?:ModDate|CreationDate|M|SigFlags|Producer|Creator|Length|ID)(?![A-Za-z])\s*(?:\((?:\\.|[^()\\])*\)|[^/>]*)"
)
_STAMP = re.compile(r"(?:[a-z.]+:)*[0-9A-Fa-f-]{8,}|\d{4}-\d\d.*")
"""What a program writes anew each time it saves: identifiers and dates."""
_OF_THE_FILE = re.compile(r"/Type\s*/(?:XRef|ObjStm)\b")
_METADATA = re.compile(r"/Type\s*/Metadata\b")
_SIGNATURE = re.compile(r"/Type\s*/Sig(?![A-Za-z])|/FT\s*/Sig(?![A-Za-z])")
_MOST_COMPARED = 5
_MOST_BYTES = 256 << 20
_MOST_REACHED = 5000


def revision_ends(data: bytes) -> list[int]:
    """Where the revisions of a file end, the present one last.

    A linearised file has an end mark near its beginning that ends nothing; a PDF inside the file has its own, whose
    cross-reference table is not where it says.
    """
    linear = _LINEARISED.search(data, 0, 2048)
    first = int(linear[1]) - 32 if linear and int(linear[1]) <= len(data) else 0
    return [
        found.end()
        for found in _END.finditer(data)
        if found.end() >= first and _XREF.match(data, int(found[1])) and int(found[1]) < found.start()
    ]


def earlier_revisions(
    doc: pymupdf.Document, tree: PageTree, password: str | None
) -> tuple[list[RevisionFact], list[tuple[int, SpotFact]]]:
    """The earlier revisions, and a blind spot for each page of which they may show something else.

    Args:
        doc: The document.
        tree: Its pages.
        password: What opens it.
    """
    count = int(doc.version_count) - 1
    if count < 1:
        return [], []
    data = Path(doc.name).read_bytes()
    ends = revision_ends(data)[:-1]
    facts = [RevisionFact(number, end) for number, end in enumerate(ends, 1)] if len(ends) == count else []
    named = f"{count} earlier revision(s) of the file"
    if not facts or count > _MOST_COMPARED or len(data) > _MOST_BYTES:
        return facts, [_spot(DOCUMENT_PAGE, TextLikely.UNKNOWN, named)]
    changed: set[int] = set()
    for fact in facts:
        with pymupdf.open(stream=data[: fact.end], filetype="pdf") as old:
            if old.needs_pass:
                old.authenticate(password or "")
            changed |= set(_taken_away(old, doc))
    if not changed:
        added = "the last one only adds a signature: " if _signed(doc, data, ends[-1]) else ""
        detail = f"{named}; {added}nothing that they say was taken away since"
        return facts, [_spot(DOCUMENT_PAGE, TextLikely.NO, detail)]
    return facts, [_spot(page, TextLikely.UNKNOWN, named) for page in _pages_of(doc, tree, changed)]


def _taken_away(old: pymupdf.Document, new: pymupdf.Document) -> Iterator[int]:
    """Objects of which the new revision does not say all that the old one says."""
    for number in range(1, old.xref_length()):
        before, after = written(old, number), written(new, number)
        if _OF_THE_FILE.search(before) or before in {"", "null"}:
            continue
        if (before != after and _tokens(before) - _tokens(after)) or (
            old.xref_is_stream(number) and not _keeps(old, new, number, bool(_METADATA.search(before)))
        ):
            yield number


def _tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(_UNSAID.sub(" ", text)))


def _keeps(old: pymupdf.Document, new: pymupdf.Document, number: int, is_metadata: bool) -> bool:
    """The stream is the same, or a packet of metadata that lost nothing but identifiers and dates."""
    try:
        if old.xref_stream_raw(number) == new.xref_stream_raw(number):
            return True
        if not is_metadata:
            return False
        after = "\n".join(xmp_rows(new.xref_stream(number)))
        return all(row in after or _STAMP.fullmatch(row) for row in xmp_rows(old.xref_stream(number)))
    except ENGINE_ERRORS:
        return False


def _signed(doc: pymupdf.Document, data: bytes, end: int) -> bool:
    """The last update holds a signature."""
    numbers = {int(found[1]) for found in re.finditer(rb"(?<!\d)(\d{1,9}) \d{1,5} obj\b", data[end:])}
    return any(_SIGNATURE.search(written(doc, number)) for number in numbers)


def _pages_of(doc: pymupdf.Document, tree: PageTree, changed: set[int]) -> list[int]:
    """Pages that have to do with changed objects; 0 for what belongs to no page, or if it is all of many pages."""
    pages: set[int] = set()
    found: set[int] = set()
    for number, page in tree.numbers.items():
        touched = changed & _reached(doc, tree, number)
        if touched:
            pages.add(page)
            found |= touched
    if found != changed or (len(pages) == tree.pages_total > 1):
        pages.add(DOCUMENT_PAGE)
    return [DOCUMENT_PAGE] if len(pages) > tree.pages_total > 1 else sorted(pages)


def _reached(doc: pymupdf.Document, tree: PageTree, page: int) -> set[int]:
    """Objects that a page is made of, as far as they lead; other pages and what lies above are none of them."""
    seen = {page}
    stack = references_under(doc, page, ("Contents", "Annots", "Resources", "AF", "Group", "B"))
    while stack and len(seen) < _MOST_REACHED:
        number = stack.pop()
        if number in seen or number in tree.numbers:
            continue
        seen.add(number)
        text = re.sub(r"/(?:Parent|P|StructParent|Dest|Pg)\s*\d+ \d+ R", " ", written(doc, number))
        stack += [int(found) for found in _REFERENCE.findall(text)]
    return seen


def _spot(page: int, likely: TextLikely, detail: str) -> tuple[int, SpotFact]:
    return page, SpotFact(BlindSpotKind.EARLIER_REVISION.value, likely.value, detail)
