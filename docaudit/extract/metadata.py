"""Document information and XMP: all that the properties of a document say, keys of its own included."""

from __future__ import annotations

import re

import pymupdf

from docaudit.extract.engine import clean
from docaudit.extract.objects import (
    StreamTooLargeError,
    entries,
    get,
    object_of,
    stream_bytes,
    text_of,
    trailer_of,
)
from docaudit.extract.rich_text import rich_rows
from docaudit.extract.xml_text import NotXmlError, xml_rows

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
