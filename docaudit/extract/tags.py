"""Alternative and replacement text in the tags of a document: Alt, ActualText and E of structure elements."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, key_of, reference
from docaudit.extract.facts import LineFact
from docaudit.extract.objects import direct_dictionaries, get, object_of, text_of
from docaudit.location import TextSource, Visibility

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
