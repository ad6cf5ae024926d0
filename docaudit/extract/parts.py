"""What belongs to the document as a whole: bookmarks, metadata, attachments, forms, earlier revisions, tags."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pymupdf

from docaudit.codes import DOCUMENT_PAGE, BlindSpotKind, TextLikely, TextSource, Visibility
from docaudit.extract import pdf_objects as pdf
from docaudit.extract.annotations import (
    action_texts,
    field_and_signature_texts,
    fields_without_page,
    text_lines,
)
from docaudit.extract.embedded import embedded_files
from docaudit.extract.page_tree import PageTree
from docaudit.extract.pdf_objects import ENGINE_ERRORS, StreamTooLargeError
from docaudit.extract.protocol import DocumentFact, LineFact, OutlineFact, SpotFact
from docaudit.extract.revisions import earlier_revisions, xmp_rows
from docaudit.extract.xml import NotXmlError, rich_rows, xml_rows

_MOST_BOOKMARKS, _MOST_TAGS = 100_000, 300_000
_MOST_XMP_BYTES, _MOST_XFA_BYTES = 16 << 20, 64 << 20
_END_WINDOW = 2048
"""Bytes at the end of a file in which its end mark must stand. All of these are chosen, not measured."""
_DATE = re.compile(r"D:\d{4,14}(?:[Z+\-][\d'Z]*)?")
_TAG_TEXTS = (
    ("Alt", TextSource.ALT_TEXT),
    ("ActualText", TextSource.ACTUAL_TEXT),
    ("E", TextSource.ALT_TEXT),
)
_HAS_TAG_TEXT = re.compile(r"/(?:Alt|ActualText|E)\s*[(<]")


class TooManyTagsError(ValueError):
    """The structure tree is larger than docaudit walks."""


def document_parts(
    document: DocumentFact, doc: pymupdf.Document, tree: PageTree, password: str | None = None
) -> None:
    """Read every part into `document`; one that fails becomes a blind spot of its kind, and the others go on.

    Args:
        document: What is known of the document.
        doc: The document as the engine has it.
        tree: Its pages.
        password: What opened it.
    """
    readers: tuple[tuple[Callable[[pymupdf.Document, DocumentFact], None], BlindSpotKind], ...] = (
        (_outline, BlindSpotKind.OUTLINE_NOT_READ),
        (_metadata, BlindSpotKind.METADATA_NOT_READ),
        (partial(_attachments, tree), BlindSpotKind.ATTACHMENT_NOT_READ),
        (partial(_forms, tree), BlindSpotKind.FORM_NOT_READ),
        (_xfa, BlindSpotKind.FORM_NOT_READ),
        (partial(earlier_revisions, tree, password), BlindSpotKind.EARLIER_REVISION),
        (partial(_tags, tree), BlindSpotKind.TAGGED_TEXT_NOT_READ),
        (_end_of_file, BlindSpotKind.PAGE_DAMAGED),
    )
    for reader, kind in readers:
        try:
            reader(doc, document)
        except ENGINE_ERRORS as error:
            _add_spot(document, kind, TextLikely.UNKNOWN, f"{type(error).__name__}: {error}")
    if tree.truncated:
        detail = f"only the first {tree.pages_total} pages are read"
        _add_spot(document, BlindSpotKind.PAGE_UNREACHABLE, TextLikely.YES, detail)


def _add_line(document: DocumentFact, text: str, source: TextSource, block: int, page_num: int = 0) -> None:
    document.lines.append((page_num, LineFact(text, None, block, source, Visibility.UNKNOWN)))


def _add_spot(document: DocumentFact, kind: BlindSpotKind, likely: TextLikely, detail: str) -> None:
    document.spots.append((DOCUMENT_PAGE, SpotFact(kind, likely, detail)))


def _outline(doc: pymupdf.Document, document: DocumentFact) -> None:
    """Walk the outline without recursion, since it may be thousands of levels deep."""
    stack = [(doc.outline, 1)]
    outline = document.outline
    while stack and len(outline) < _MOST_BOOKMARKS:
        item, level = stack.pop()
        if item is None or not getattr(item, "this", True):
            continue
        title = pdf.clean(item.title or "").strip()
        page = item.page if isinstance(item.page, int) else -1
        outline.append(OutlineFact(level, title, page + 1 if page >= 0 else 0))
        if title:
            _add_line(document, title, TextSource.BOOKMARK, len(outline))
        if item.is_external and item.uri:
            _add_line(document, pdf.clean(item.uri), TextSource.LINK, len(outline))
        stack.append((item.next, level))
        stack.append((item.down, level + 1))
    if not outline and pdf.key_of(doc, doc.pdf_catalog(), "Outlines/First")[0] != "null":
        detail = "the engine finds no bookmark though the file lists some: they may loop"
        _add_spot(document, BlindSpotKind.OUTLINE_NOT_READ, TextLikely.YES, detail)
    if any(item is not None for item, _ in stack):
        detail = f"only the first {_MOST_BOOKMARKS} bookmarks are read"
        _add_spot(document, BlindSpotKind.OUTLINE_NOT_READ, TextLikely.YES, detail)


def _metadata(doc: pymupdf.Document, document: DocumentFact) -> None:
    """Document information and XMP: all that the properties say, keys of its own included, dates left out."""
    rows = [pdf.text_of(value) for _, value in pdf.entries(pdf.get(pdf.trailer_of(doc), "Info"))]
    rows = [row for text in rows if not _DATE.fullmatch(text) for row in text.splitlines()]
    if doc.get_xml_metadata():
        packet = pdf.get(pdf.object_of(doc, doc.pdf_catalog()), "Metadata")
        try:
            rows += xmp_rows(pdf.stream_bytes(packet, _MOST_XMP_BYTES))
        except StreamTooLargeError as error:
            raise ValueError(f"XMP: {error}") from error
    for number, row in enumerate(filter(None, dict.fromkeys(pdf.clean(row).strip() for row in rows)), 1):
        _add_line(document, row, TextSource.METADATA, number)


def _attachments(tree: PageTree, doc: pymupdf.Document, document: DocumentFact) -> None:
    """Names and descriptions; what is in the files is read by the parent process, one after the other."""
    document.attachments = embedded_files(doc, tree.numbers)
    for number, fact in enumerate(document.attachments, 1):
        for row in (row for text in (fact.name, *fact.texts) for row in text.splitlines()):
            _add_line(document, row, TextSource.ATTACHMENT, number, fact.page_num)


def _forms(tree: PageTree, doc: pymupdf.Document, document: DocumentFact) -> None:
    """Fields that no page shows; the others are read with their pages."""
    for number, field in enumerate(fields_without_page(doc, tree.numbers), 1):
        texts = field_and_signature_texts(field)
        texts += [(TextSource.LINK, text) for text in action_texts(field)]
        lines = text_lines(texts, None, Visibility.UNKNOWN, number)
        document.lines += [(DOCUMENT_PAGE, line) for line in lines]


def _xfa(doc: pymupdf.Document, document: DocumentFact) -> None:
    """The text of an XFA form: a document of its own in XML beside the pages, which a viewer shows instead of them.

    Its packets make one XML document together; where they do not, each is tried alone.
    """
    form = pdf.get(pdf.object_of(doc, doc.pdf_catalog()), "AcroForm", "XFA")
    if pdf.is_null(form):
        return

    def not_read(name: str, detail: str) -> None:
        text = f"XFA form, {name}: {detail}"
        _add_spot(document, BlindSpotKind.FORM_NOT_READ, TextLikely.YES, text)

    parts = list(pdf.items(form))
    listed: list[tuple[str, Any]] = [("the form", form)]
    if not pdf.is_stream(form):  # what stands where a stream should, goes along and fails by name
        listed = [(pdf.text_of(name), stream) for name, stream in zip(parts[::2], parts[1::2], strict=False)]
    packets: list[tuple[str, bytes]] = []
    for name, stream in listed:
        try:
            packets.append((name, pdf.stream_bytes(stream, _MOST_XFA_BYTES)))
        except ENGINE_ERRORS as error:
            not_read(name, f"{type(error).__name__}: {error}")
    if not listed:
        not_read("the form", "it has no packets")
    rows = _xfa_rows(packets, not_read)
    if any(b"<image" in data for _, data in packets):
        not_read("the form", "pictures in it were not read")
    for number, row in enumerate(dict.fromkeys(rows), 1):
        _add_line(document, row, TextSource.XFA, number)


def _xfa_rows(packets: list[tuple[str, bytes]], not_read: Callable[[str, str], None]) -> list[str]:
    """Rows of the packets; a row that is itself marked up (rich text in a value) as it reads."""

    def rows_of(data: bytes) -> list[str]:
        rows = [rich_rows(row) if "</" in row else [row] for row in xml_rows(data)]
        return [pdf.clean(row) for parts in rows for row in parts]

    try:
        return rows_of(b"".join(data for _, data in packets)) if packets else []
    except NotXmlError:
        rows = []
        for name, data in packets:
            if name in {"preamble", "postamble", "xdp:xdp", "</xdp:xdp>"}:
                continue  # the opening and closing tag around the others
            try:
                rows += rows_of(data)
            except NotXmlError as error:
                not_read(name, str(error))
        return rows


def _tags(tree: PageTree, doc: pymupdf.Document, document: DocumentFact) -> None:
    """Every Alt, ActualText and E in the structure tree; raises TooManyTagsError."""
    root = pdf.reference(pdf.key_of(doc, doc.pdf_catalog(), "StructTreeRoot"))
    stack = [] if root is None else [root]
    seen: set[int] = set()
    while stack:
        number = stack.pop()
        if number in seen:
            continue  # the tree loops back on itself
        seen.add(number)
        if len(seen) > _MOST_TAGS:
            raise TooManyTagsError(f"the structure tree has more than {_MOST_TAGS} elements")
        text = pdf.written(doc, number)  # a damaged element has no text; its page is read all the same
        if _HAS_TAG_TEXT.search(text):
            page_num = tree.numbers.get(pdf.reference(pdf.key_of(doc, number, "Pg")) or -1, DOCUMENT_PAGE)
            for row, source in _tag_texts(pdf.object_of(doc, number), text):
                _add_line(document, row, source, number, page_num)
        kids = text[text.find("/K") :] if "/K" in text else ""
        stack.extend(kid for kid in pdf.references_in(kids) if kid not in tree.numbers)


def _tag_texts(element: Any, text: str) -> Iterator[tuple[str, TextSource]]:
    """Rows of text of a structure element, and what they are."""
    alone = text.count("<<") == 1  # nothing inside it to look through: so it is with nearly all of thousands
    for part in (element,) if alone else pdf.direct_dictionaries(element):
        for key, source in _TAG_TEXTS:
            if not alone or f"/{key}" in text:
                rows = pdf.text_of(pdf.get(part, key)).splitlines()
                yield from ((row.strip(), source) for row in rows if row.strip())


def _end_of_file(doc: pymupdf.Document, document: DocumentFact) -> None:
    """A file that was cut off: the engine mends it without a word, and what stood in the rest is gone."""
    with Path(doc.name).open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        stream.seek(max(0, stream.tell() - _END_WINDOW))
        if b"%%EOF" not in stream.read():
            detail = "the file is cut off: its end mark is missing"
            _add_spot(document, BlindSpotKind.PAGE_DAMAGED, TextLikely.UNKNOWN, detail)
