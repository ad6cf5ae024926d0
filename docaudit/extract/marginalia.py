"""What lies beside the text layer of one page: annotations, form fields, links and signatures, as lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, clean, key_of
from docaudit.extract.facts import Box, LineFact, SpotFact
from docaudit.location import TextLikely, TextSource, Visibility
from docaudit.reasons import BlindSpotKind

_TAG = re.compile(r"<[^>]*>")
_WIDGET = int(vars(pymupdf)["PDF_ANNOT_WIDGET"])
_FILE = int(vars(pymupdf)["PDF_ANNOT_FILE_ATTACHMENT"])
_SIGNATURE = int(vars(pymupdf)["PDF_WIDGET_TYPE_SIGNATURE"])
_FREE_TEXT = int(vars(pymupdf)["PDF_ANNOT_FREE_TEXT"])
_ICONS = {int(vars(pymupdf)[name]) for name in ("PDF_ANNOT_TEXT", "PDF_ANNOT_FILE_ATTACHMENT")}
_ICON_PT = 40.0
_MOST = 10_000
"""Annotations of one page that are read; so many take seconds."""
_INFO = ("content", "title", "subject")
_SIGNATURE_KEYS = ("Name", "Reason", "Location", "ContactInfo")


def page_marginalia(page: pymupdf.Page) -> tuple[list[LineFact], list[SpotFact]]:
    """Lines of all annotations, form fields and links of a page, and a blind spot for each kind that failed."""
    lines: list[LineFact] = []
    spots: list[SpotFact] = []
    readers = (
        (_annotations, BlindSpotKind.ANNOTATION_NOT_READ),
        (_fields, BlindSpotKind.FORM_NOT_READ),
        (_links, BlindSpotKind.ANNOTATION_NOT_READ),
    )
    for reader, kind in readers:
        try:
            lines += reader(page)
        except ENGINE_ERRORS as error:
            detail = f"{reader.__name__.strip('_')}: {type(error).__name__}: {error}"
            spots.append(SpotFact(kind=kind.value, text_likely=TextLikely.UNKNOWN.value, detail=detail))
    if len(page.annot_xrefs()) > _MOST:
        detail = f"only the first {_MOST} of {len(page.annot_xrefs())} annotations are read"
        kind, likely = BlindSpotKind.ANNOTATION_NOT_READ.value, TextLikely.UNKNOWN.value
        spots.append(SpotFact(kind=kind, text_likely=likely, detail=detail))
    return lines, spots + _pinned_files(page)


def _pinned_files(page: pymupdf.Page) -> list[SpotFact]:
    """Files that hang on an annotation of the page: the list of embedded files does not have them."""
    kind, likely = BlindSpotKind.ATTACHMENT_NOT_READ.value, TextLikely.YES.value
    found = []
    for number, sort, *_ in page.annot_xrefs():
        if sort == _FILE:
            name = _string(page.parent, number, "FS/UF") or _string(page.parent, number, "FS/F")
            found.append(
                SpotFact(kind=kind, text_likely=likely, detail=f"file pinned to the page {clean(name)}")
            )
    return found


def _annotations(page: pymupdf.Page) -> Iterator[LineFact]:
    if not page.annot_xrefs():
        return
    for number, annotation in enumerate(_in_order(page), 1):
        info = annotation.info
        parts = [info.get(name, "") for name in _INFO]
        rich = key_of(page.parent, annotation.xref, "RC")
        if rich[0] == "string":
            parts.append(unescape(_TAG.sub(" ", rich[1])).strip())
        parts += [_string(page.parent, annotation.xref, f"FS/{key}") for key in ("UF", "F", "Desc")]
        box = _box(annotation.rect * page.rotation_matrix)
        for line in _lines(parts, box, number, TextSource.ANNOTATION):
            if annotation.type[0] == _FREE_TEXT or _is_icon(annotation):
                line.visibility = Visibility.VISIBLE.value
            yield line


def _in_order(page: pymupdf.Page) -> Iterator[pymupdf.Annot]:
    """Not page.annots(), which looks for each one from the beginning: 10,000 would take minutes."""
    annotation = page.first_annot
    left = _MOST
    while annotation and left:
        yield annotation
        annotation, left = annotation.next, left - 1


def _is_icon(annotation: pymupdf.Annot) -> bool:
    """A note or a pinned file as the viewer's own small icon: all its ink is that icon."""
    small = max(annotation.rect.width, annotation.rect.height) <= _ICON_PT
    return bool(small and annotation.type[0] in _ICONS)


def _fields(page: pymupdf.Page) -> Iterator[LineFact]:
    if not any(kind == _WIDGET for _, kind, *_ in page.annot_xrefs()):
        return
    for number, field in enumerate(page.widgets(), 1):
        box = _box(field.rect * page.rotation_matrix)
        if field.field_type == _SIGNATURE:
            parts = [_string(page.parent, field.xref, f"V/{name}") for name in _SIGNATURE_KEYS]
            yield from _lines(parts, box, number, TextSource.SIGNATURE)
            continue
        options = field.choice_values or []
        parts = [field.field_value, field.field_label, _string(page.parent, field.xref, "DV")]
        parts += [" ".join(option) if isinstance(option, (list, tuple)) else option for option in options]
        yield from _lines(parts, box, number, TextSource.FORM_FIELD)


def _links(page: pymupdf.Page) -> Iterator[LineFact]:
    link = page.first_link
    number = 0
    while link:
        number += 1
        if link.is_external and link.uri:
            yield from _lines([link.uri], _box(link.rect), number, TextSource.LINK)
        link = link.next


def _string(doc: pymupdf.Document, number: int, path: str) -> str:
    kind, value = key_of(doc, number, path)
    return value if kind == "string" else ""


def _lines(parts: Sequence[object], box: Box | None, block: int, source: TextSource) -> Iterator[LineFact]:
    """One line for each different, not empty row of text."""
    rows = (row.strip() for part in parts if isinstance(part, str) for row in clean(part).splitlines())
    for row in dict.fromkeys(rows):
        if row:
            yield LineFact(text=row, box=box, block=block, source=source.value, visibility="unknown")


def _box(rect: pymupdf.Rect) -> Box:
    return float(rect.x0), float(rect.y0), float(rect.x1), float(rect.y1)
