"""What belongs to the document as a whole: bookmarks, metadata, attachments, layers, forms, earlier revisions.

Alternative and replacement text in the tags of a document: Alt, ActualText and E of structure elements.

The text of an XFA form: a document of its own in XML beside the pages, which a viewer shows instead of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pymupdf

from docaudit.codes import DOCUMENT_PAGE, BlindSpotKind, TextLikely, TextSource, Visibility
from docaudit.extract.annotations import (
    action_texts,
    field_texts,
    fields_without_page,
    is_signature,
    signature_texts,
    text_lines,
)
from docaudit.extract.embedded import embedded_files
from docaudit.extract.pdf_objects import (
    ENGINE_ERRORS,
    PageTree,
    clean,
    direct_dictionaries,
    get,
    is_null,
    is_stream,
    items,
    key_of,
    object_of,
    reference,
    stream_bytes,
    text_of,
)
from docaudit.extract.protocol import AttachmentFact, LineFact, OutlineFact, RevisionFact, SpotFact
from docaudit.extract.revisions import earlier_revisions, metadata_rows
from docaudit.extract.xml import NotXmlError, rich_rows, xml_rows

_MAX_ELEMENTS = 300_000
_REFERENCE = re.compile(r"(\d+) \d+ R")
_TEXTS = (("Alt", TextSource.ALT_TEXT), ("ActualText", TextSource.ACTUAL_TEXT), ("E", TextSource.ALT_TEXT))
_HAS_TEXT = re.compile(r"/(?:Alt|ActualText|E)\s*[(<]")


class TooManyTagsError(ValueError):
    """The structure tree is larger than docaudit walks."""


def tagged_lines(doc: pymupdf.Document, pages: dict[int, int]) -> Iterator[tuple[int, LineFact]]:
    """Page number (0 if the tag names none) and line of every Alt, ActualText and E in the structure tree.

    Args:
        doc: The document.
        pages: Object number -> page number.

    Raises TooManyTagsError when the tree is larger than docaudit walks.
    """
    root = reference(key_of(doc, doc.pdf_catalog(), "StructTreeRoot"))
    stack = [] if root is None else [root]
    seen: set[int] = set()
    while stack:
        number = stack.pop()
        if number in seen:
            continue  # the tree loops back on itself
        seen.add(number)
        if len(seen) > _MAX_ELEMENTS:
            raise TooManyTagsError(f"the structure tree has more than {_MAX_ELEMENTS} elements")
        written = _object(doc, number)
        if _HAS_TEXT.search(written):
            page = pages.get(reference(key_of(doc, number, "Pg")) or -1, 0)
            yield from ((page, line) for line in _texts(doc, number, written))
        kids = written[written.find("/K") :] if "/K" in written else ""
        stack.extend(int(found) for found in _REFERENCE.findall(kids) if int(found) not in pages)


def _object(doc: pymupdf.Document, number: int) -> str:
    try:
        return str(doc.xref_object(number, compressed=True))
    except ENGINE_ERRORS:
        return ""  # a damaged element has no text that could be read; its page is read all the same


def _texts(doc: pymupdf.Document, number: int, written: str) -> Iterator[LineFact]:
    element = object_of(doc, number)
    alone = (
        written.count("<<") == 1
    )  # nothing inside it to look through: so it is with nearly all of thousands
    for part in (element,) if alone else direct_dictionaries(element):
        for key, source in _TEXTS:
            if alone and f"/{key}" not in written:
                continue
            for row in text_of(get(part, key)).splitlines():
                if row.strip():
                    yield LineFact(row.strip(), None, number, source.value, Visibility.UNKNOWN.value)


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
            spots.append(_spot_xfa(name, f"{type(error).__name__}: {error}"))
    if not listed:
        spots.append(_spot_xfa("the form", "it has no packets"))
    rows = _rows(packets, spots)
    if any(b"<image" in data for _, data in packets):
        spots.append(_spot_xfa("the form", "pictures in it were not read"))
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
        return _texts_xfa(b"".join(data for _, data in packets)) if packets else []
    except NotXmlError:
        pass  # said below, for each packet that cannot be read alone either
    rows: list[str] = []
    for name, data in packets:
        if name in {"preamble", "postamble", "xdp:xdp", "</xdp:xdp>"}:
            continue  # the opening and closing tag around the others
        try:
            rows += _texts_xfa(data)
        except NotXmlError as error:
            spots.append(_spot_xfa(name, str(error)))
    return rows


def _texts_xfa(data: bytes) -> list[str]:
    """Rows of the document; a row that is itself marked up (rich text in a value) as it reads."""
    rows: list[str] = []
    for row in xml_rows(data):
        rows += rich_rows(row) if _MARKUP in row else [row]
    return [clean(row) for row in rows]


def _spot_xfa(name: str, detail: str) -> SpotFact:
    text = f"XFA form, {name}: {detail}"
    return SpotFact(BlindSpotKind.FORM_NOT_READ.value, TextLikely.YES.value, text)


_MAX_OUTLINE = 100_000
_END_WINDOW = 2048


@dataclass
class Parts:
    """Bookmarks, lines and blind spots beside the pages, each with its page (0 for none)."""

    outline: list[OutlineFact] = field(default_factory=list)
    lines: list[tuple[int, LineFact]] = field(default_factory=list)
    spots: list[tuple[int, SpotFact]] = field(default_factory=list)
    attachments: list[AttachmentFact] = field(default_factory=list)
    revisions: list[RevisionFact] = field(default_factory=list)


def document_parts(doc: pymupdf.Document, tree: PageTree, password: str | None = None) -> Parts:
    """Read every part; one that fails becomes a blind spot of its kind, and the others go on.

    Args:
        doc: The document.
        tree: Its pages.
        password: What opened it.
    """
    parts = Parts()
    readers: tuple[tuple[Callable[[pymupdf.Document, Parts], None], BlindSpotKind], ...] = (
        (_outline, BlindSpotKind.OUTLINE_NOT_READ),
        (_metadata, BlindSpotKind.METADATA_NOT_READ),
        (partial(_attachments, tree), BlindSpotKind.ATTACHMENT_NOT_READ),
        (partial(_forms, tree), BlindSpotKind.FORM_NOT_READ),
        (_xfa, BlindSpotKind.FORM_NOT_READ),
        (partial(_revisions, tree, password), BlindSpotKind.EARLIER_REVISION),
        (partial(_tags, tree), BlindSpotKind.TAGGED_TEXT_NOT_READ),
        (_end_of_file, BlindSpotKind.PAGE_DAMAGED),
    )
    for reader, kind in readers:
        try:
            reader(doc, parts)
        except ENGINE_ERRORS as error:
            detail = f"{type(error).__name__}: {error}"
            parts.spots.append((DOCUMENT_PAGE, _spot(kind, TextLikely.UNKNOWN, detail)))
    if tree.truncated:
        detail = f"only the first {tree.pages_total} pages are read"
        parts.spots.append((DOCUMENT_PAGE, _spot(BlindSpotKind.PAGE_UNREACHABLE, TextLikely.YES, detail)))
    return parts


def _outline(doc: pymupdf.Document, parts: Parts) -> None:
    """Walk the outline without recursion, since it may be thousands of levels deep."""
    stack = [(doc.outline, 1)]
    while stack and len(parts.outline) < _MAX_OUTLINE:
        item, level = stack.pop()
        if item is None or not getattr(item, "this", True):
            continue
        title = clean(item.title or "").strip()
        page = item.page if isinstance(item.page, int) else -1
        parts.outline.append(OutlineFact(level, title, page + 1 if page >= 0 else 0))
        if title:
            parts.lines.append(_line(title, TextSource.BOOKMARK, len(parts.outline)))
        if item.is_external and item.uri:
            parts.lines.append(_line(clean(item.uri), TextSource.LINK, len(parts.outline)))
        stack.append((item.next, level))
        stack.append((item.down, level + 1))
    if not parts.outline and key_of(doc, doc.pdf_catalog(), "Outlines/First")[0] != "null":
        detail = "the engine finds no bookmark though the file lists some: they may loop"
        parts.spots.append((DOCUMENT_PAGE, _spot(BlindSpotKind.OUTLINE_NOT_READ, TextLikely.YES, detail)))
    if any(item is not None for item, _ in stack):
        detail = f"only the first {_MAX_OUTLINE} bookmarks are read"
        parts.spots.append((DOCUMENT_PAGE, _spot(BlindSpotKind.OUTLINE_NOT_READ, TextLikely.YES, detail)))


def _metadata(doc: pymupdf.Document, parts: Parts) -> None:
    for number, row in enumerate(metadata_rows(doc), 1):
        parts.lines.append(_line(row, TextSource.METADATA, number))


def _attachments(tree: PageTree, doc: pymupdf.Document, parts: Parts) -> None:
    """Names and descriptions; what is in the files is read by the parent process, one after the other."""
    parts.attachments = embedded_files(doc, tree.numbers)
    for number, fact in enumerate(parts.attachments, 1):
        for text in (fact.name, *fact.texts):
            for row in text.splitlines():
                line = LineFact(row, None, number, TextSource.ATTACHMENT.value, Visibility.UNKNOWN.value)
                parts.lines.append((fact.page_num, line))


def _forms(tree: PageTree, doc: pymupdf.Document, parts: Parts) -> None:
    """Fields that no page shows; the others are read with their pages."""
    for number, field_ in enumerate(fields_without_page(doc, tree.numbers), 1):
        texts = [(TextSource.FORM_FIELD, text) for text in field_texts(field_)]
        if is_signature(field_):
            texts += [(TextSource.SIGNATURE, text) for text in signature_texts(field_)]
        texts += [(TextSource.LINK, text) for text in action_texts(field_)]
        parts.lines += [(DOCUMENT_PAGE, line) for line in text_lines(texts, None, Visibility.UNKNOWN, number)]


def _xfa(doc: pymupdf.Document, parts: Parts) -> None:
    lines, spots = xfa_form(doc)
    parts.lines += [(DOCUMENT_PAGE, line) for line in lines]
    parts.spots += [(DOCUMENT_PAGE, spot) for spot in spots]


def _revisions(tree: PageTree, password: str | None, doc: pymupdf.Document, parts: Parts) -> None:
    parts.revisions, spots = earlier_revisions(doc, tree, password)
    parts.spots += spots


def _tags(tree: PageTree, doc: pymupdf.Document, parts: Parts) -> None:
    parts.lines += tagged_lines(doc, tree.numbers)


def _end_of_file(doc: pymupdf.Document, parts: Parts) -> None:
    """A file that was cut off: the engine mends it without a word, and what stood in the rest is gone."""
    with Path(doc.name).open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        stream.seek(max(0, stream.tell() - _END_WINDOW))
        if b"%%EOF" not in stream.read():
            detail = "the file is cut off: its end mark is missing"
            parts.spots.append((DOCUMENT_PAGE, _spot(BlindSpotKind.PAGE_DAMAGED, TextLikely.UNKNOWN, detail)))


def _line(text: str, source: TextSource, block: int) -> tuple[int, LineFact]:
    return DOCUMENT_PAGE, LineFact(
        text=text, box=None, block=block, source=source.value, visibility="unknown"
    )


def _spot(kind: BlindSpotKind, likely: TextLikely, detail: str) -> SpotFact:
    return SpotFact(kind=kind.value, text_likely=likely.value, detail=detail)
