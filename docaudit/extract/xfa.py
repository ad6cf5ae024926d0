"""The text of an XFA form: a document of its own in XML beside the pages, which a viewer shows instead of them."""

from __future__ import annotations

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, clean
from docaudit.extract.facts import LineFact, SpotFact
from docaudit.extract.objects import (
    get,
    is_null,
    is_stream,
    items,
    object_of,
    stream_bytes,
    text_of,
)
from docaudit.extract.rich_text import rich_rows
from docaudit.extract.xml_text import NotXmlError, xml_rows
from docaudit.location import TextLikely, TextSource, Visibility
from docaudit.reasons import BlindSpotKind

_MAX_BYTES = 64 << 20
_MARKUP = "</"


def xfa_form(doc: pymupdf.Document) -> tuple[list[LineFact], list[SpotFact]]:
    """Lines of the form, and a blind spot for each packet of it that could not be read."""
    form = get(object_of(doc, doc.pdf_catalog()), "AcroForm", "XFA")
    if is_null(form):
        return [], []
    spots: list[SpotFact] = []
    packets: list[tuple[str, bytes]] = []
    listed = [("the form", form)] if is_stream(form) else _named(list(items(form)))
    for name, stream in listed:
        try:
            packets.append((name, stream_bytes(stream, _MAX_BYTES)))
        except ENGINE_ERRORS as error:
            spots.append(_spot(name, f"{type(error).__name__}: {error}"))
    if not listed:
        spots.append(_spot("the form", "it has no packets"))
    rows = _rows(packets, spots)
    if any(b"<image" in data for _, data in packets):
        spots.append(_spot("the form", "pictures in it were not read"))
    return [
        LineFact(row, None, number, TextSource.XFA.value, Visibility.UNKNOWN.value)
        for number, row in enumerate(dict.fromkeys(rows), 1)
    ], spots


def _named(parts: list[object]) -> list[tuple[str, object]]:
    """Name and stream of each packet; what stands where a stream should, goes along and fails by name."""
    return [(text_of(name), stream) for name, stream in zip(parts[::2], parts[1::2], strict=False)]


def _rows(packets: list[tuple[str, bytes]], spots: list[SpotFact]) -> list[str]:
    """The packets make one XML document together; where they do not, each is tried alone."""
    try:
        return _texts(b"".join(data for _, data in packets)) if packets else []
    except NotXmlError:
        pass  # said below, for each packet that cannot be read alone either
    rows: list[str] = []
    for name, data in packets:
        if name in {"preamble", "postamble", "xdp:xdp", "</xdp:xdp>"}:
            continue  # the opening and closing tag around the others
        try:
            rows += _texts(data)
        except NotXmlError as error:
            spots.append(_spot(name, str(error)))
    return rows


def _texts(data: bytes) -> list[str]:
    """Rows of the document; a row that is itself marked up (rich text in a value) as it reads."""
    rows: list[str] = []
    for row in xml_rows(data):
        rows += rich_rows(row) if _MARKUP in row else [row]
    return [clean(row) for row in rows]


def _spot(name: str, detail: str) -> SpotFact:
    text = f"XFA form, {name}: {detail}"
    return SpotFact(BlindSpotKind.FORM_NOT_READ.value, TextLikely.YES.value, text)
