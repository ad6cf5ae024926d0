"""Earlier revisions in a file that was saved incrementally: where each ends, and what the later ones took away.

An update appends what changed; the bytes up to an earlier end mark are the file as it was. Many updates take nothing
away: a signature, a comment or a date is added, and all that was there is there to this day. So objects are compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from docaudit.codes import DOCUMENT_PAGE, BlindSpotKind, TextLikely
from docaudit.extract import pdf_objects as pdf
from docaudit.extract.page_tree import PageTree
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import DocumentFact, RevisionFact, SpotFact
from docaudit.extract.xml import NotXmlError, rich_rows, xml_rows

_END = re.compile(rb"startxref\s+(\d{1,12})\s+%%EOF")
_LINEARISED = re.compile(rb"/Linearized\b[^>]{0,400}?/L\s+(\d{1,12})", re.DOTALL)
_XREF = re.compile(rb"\s*(?:xref\b|\d+\s+\d+\s+obj\b)")
_TOKEN = re.compile(
    r"\d+ \d+ R|\((?:\\.|[^()\\]|\([^()]*\))*\)|<[0-9A-Fa-f]*>|/[^\s/()<>\[\]{}%]+|[^\s/()<>\[\]{}%]+"
)
_PACKET = re.compile(rb"<\?xpacket.*?\?>", re.DOTALL)
_BOOKKEEPING = re.compile(
    r"/(?:ModDate|CreationDate|M|SigFlags|Producer|Creator|Length|ID)(?![A-Za-z])\s*(?:\((?:\\.|[^()\\])*\)|[^/>]*)"
)
_STAMP = re.compile(r"(?:[a-z.]+:)*[0-9A-Fa-f-]{8,}|\d{4}-\d\d.*")
"""What a program writes anew each time it saves: identifiers and dates."""
_OBJECT = re.compile(rb"(?<!\d)(\d{1,9}) \d{1,5} obj\b")
_OF_THE_FILE = re.compile(r"/Type\s*/(?:XRef|ObjStm)\b")
_METADATA = re.compile(r"/Type\s*/Metadata\b")
_SIGNATURE = re.compile(r"/Type\s*/Sig(?![A-Za-z])|/FT\s*/Sig(?![A-Za-z])")
_ABOVE = re.compile(r"/(?:Parent|P|StructParent|Dest|Pg)\s*\d+ \d+ R")
_MOST_COMPARED, _MOST_BYTES, _MOST_REACHED = 5, 256 << 20, 5000
"""Revisions, bytes of the file and objects of a page that are compared; chosen for time, not measured."""


def revision_ends(data: bytes) -> list[int]:
    """Where the revisions of a file end, the present one last.

    A linearised file has an end mark near its beginning that ends nothing; a PDF inside the file has its own, whose
    cross-reference table is not where it says.
    """
    linear = _LINEARISED.search(data, 0, 2048)
    first = int(linear[1]) - 32 if linear and int(linear[1]) <= len(data) else 0
    return [
        mark.end()
        for mark in _END.finditer(data)
        if mark.end() >= first and _XREF.match(data, int(mark[1])) and int(mark[1]) < mark.start()
    ]


def xmp_rows(data: bytes) -> list[str]:
    """Values stand between tags or in attributes; a packet that is no XML is read as far as its tags allow."""
    bare = _PACKET.sub(b"", data).strip()
    try:
        return xml_rows(bare, attributes=True)
    except NotXmlError:
        return rich_rows(bare.decode("utf-8", "replace"))


def earlier_revisions(
    tree: PageTree, password: str | None, doc: pymupdf.Document, document: DocumentFact
) -> None:
    """Add the earlier revisions to `document`, and a blind spot for each page of which they may show something else.

    Args:
        tree: The pages of the document.
        password: What opens it.
        doc: The document as the engine has it.
        document: What is known of it.
    """
    count = int(doc.version_count) - 1
    if count < 1:
        return
    data = Path(doc.name).read_bytes()
    ends = revision_ends(data)[:-1]
    facts = [RevisionFact(number, end) for number, end in enumerate(ends, 1)] if len(ends) == count else []

    def unread(page_num: int, likely: TextLikely, detail: str = "") -> None:
        text = f"{count} earlier revision(s) of the file{detail}"
        document.spots.append((page_num, SpotFact(BlindSpotKind.EARLIER_REVISION, likely, text)))

    if not facts or count > _MOST_COMPARED or len(data) > _MOST_BYTES:
        document.revisions = facts
        unread(DOCUMENT_PAGE, TextLikely.UNKNOWN)
        return
    changed: set[int] = set()
    for fact in facts:
        with pymupdf.open(stream=data[: fact.end], filetype="pdf") as old:
            if old.needs_pass:
                old.authenticate(password or "")
            changed |= set(_taken_away(old, doc))
    pages = _pages_of(doc, tree, changed) if changed else []
    document.revisions = facts
    for page in pages:
        unread(page, TextLikely.UNKNOWN)
    if changed:
        return
    updated = {int(match[1]) for match in _OBJECT.finditer(data, ends[-1])}
    signed = any(_SIGNATURE.search(pdf.written(doc, number)) for number in updated)
    added = "the last one only adds a signature: " if signed else ""
    unread(DOCUMENT_PAGE, TextLikely.NO, f"; {added}nothing that they say was taken away since")


def _taken_away(old: pymupdf.Document, new: pymupdf.Document) -> Iterator[int]:
    """Objects of which the new revision does not say all that the old one says."""
    for number in range(1, old.xref_length()):
        before, after = pdf.written(old, number), pdf.written(new, number)
        if _OF_THE_FILE.search(before) or before in {"", "null"}:
            continue
        if (before != after and _tokens(before) - _tokens(after)) or (
            old.xref_is_stream(number) and not _keeps_stream(old, new, number, before)
        ):
            yield number


def _tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(_BOOKKEEPING.sub(" ", text)))


def _keeps_stream(old: pymupdf.Document, new: pymupdf.Document, number: int, before: str) -> bool:
    """The stream is the same, or a packet of metadata that lost nothing but identifiers and dates."""
    try:
        if old.xref_stream_raw(number) == new.xref_stream_raw(number):
            return True
        if not _METADATA.search(before):
            return False
        after = "\n".join(xmp_rows(new.xref_stream(number)))
        return all(row in after or _STAMP.fullmatch(row) for row in xmp_rows(old.xref_stream(number)))
    except ENGINE_ERRORS:
        return False


def _pages_of(doc: pymupdf.Document, tree: PageTree, changed: set[int]) -> list[int]:
    """Pages that have to do with changed objects; 0 for what belongs to no page, or if it is all of many pages."""
    pages: set[int] = set()
    placed: set[int] = set()
    for number, page in tree.numbers.items():
        touched = changed & _reached(doc, tree, number)
        if touched:
            pages.add(page)
            placed |= touched
    if placed != changed or (len(pages) == tree.pages_total > 1):
        pages.add(DOCUMENT_PAGE)
    return [DOCUMENT_PAGE] if len(pages) > tree.pages_total > 1 else sorted(pages)


def _reached(doc: pymupdf.Document, tree: PageTree, page: int) -> set[int]:
    """Objects that a page is made of, as far as they lead; other pages and what lies above are none of them."""
    seen = {page}
    stack = pdf.references_under(doc, page, ("Contents", "Annots", "Resources", "AF", "Group", "B"))
    while stack and len(seen) < _MOST_REACHED:
        number = stack.pop()
        if number not in seen and number not in tree.numbers:
            seen.add(number)
            stack += pdf.references_in(_ABOVE.sub(" ", pdf.written(doc, number)))
    return seen
