"""What belongs to the document as a whole: bookmarks, metadata, attachments, layers, forms, earlier revisions."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pymupdf

from docaudit.extract.actions import action_texts
from docaudit.extract.embedded import embedded_files
from docaudit.extract.engine import ENGINE_ERRORS, clean, key_of
from docaudit.extract.facts import AttachmentFact, LineFact, OutlineFact, RevisionFact, SpotFact
from docaudit.extract.fields import field_texts, fields_without_page, is_signature, signature_texts
from docaudit.extract.marginalia import text_lines
from docaudit.extract.metadata import metadata_rows
from docaudit.extract.page_tree import PageTree
from docaudit.extract.revisions import earlier_revisions
from docaudit.extract.tags import tagged_lines
from docaudit.extract.xfa import xfa_form
from docaudit.location import DOCUMENT_PAGE, TextLikely, TextSource, Visibility
from docaudit.reasons import BlindSpotKind

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
