"""The list of pages, from the page tree itself: /Count may lie, and a tree may loop back on itself or lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pymupdf

from docaudit.extract import pdf_objects as pdf
from docaudit.extract.pdf_objects import ENGINE_ERRORS, UnreachablePageError
from docaudit.extract.protocol import MOST_MISSING, MOST_PAGES

_DEEPEST = 32
"""Levels of a tree that the engine is left to walk by itself; chosen, not measured."""
_TOKEN = re.compile(
    r"<<|>>|[\[\]]|\((?:\\.|[^()\\])*\)|<[0-9A-Fa-f\s]*>|\d+\s+\d+\s+R\b|/?[^\s/<>\[\]()]+", re.DOTALL
)
_REFERENCE = re.compile(r"(\d+)\s+\d+\s+R")
_OPENING, _CLOSING = {"<<", "["}, {">>", "]"}
_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
_PAGE_KEYS = {"Contents", "MediaBox", "Resources", "Parent", "Annots"}


@dataclass
class _Walk:
    """What a walk through the tree came by: the object of each page in order, None where an entry is no page."""

    pages: list[int | None] = field(default_factory=list)
    inherited: dict[int, dict[str, str]] = field(default_factory=dict)
    odd: bool = False


class PageTree:
    """The pages of a document in order.

    The tree is walked. If anything in it is odd, or the engine counts differently, a flat tree of the pages that the
    walk reached takes its place in memory (the file is not touched), so that every one of them can be loaded.

    Attributes:
        pages_total: Pages that can be reached, entries that lead to no page, and those that the tree claims beyond.
        truncated: The tree has more pages than docaudit reads.
        numbers: Object number of each page -> its number.
        claimed: What /Count of the root says; -1 if it says nothing.
        flattened: The tree was replaced in memory.
    """

    def __init__(self, doc: pymupdf.Document) -> None:
        self._doc = doc
        root = pdf.reference(pdf.key_of(doc, doc.pdf_catalog(), "Pages"))
        self.claimed = -1 if root is None else _count_of(doc, root)
        walk = _walk(doc, root)
        pages = [page for page in walk.pages if page is not None]
        if not pages:
            if _engine_count(doc) or self.claimed > 0:  # else the file says itself that it has no pages
                objects = range(1, doc.xref_length())
                pages = [number for number in objects if pdf.key_of(doc, number, "Type")[1] == "/Page"][
                    :MOST_PAGES
                ]
            walk = _Walk([*pages], {}, True)
        self.flattened = bool(pages) and (
            walk.odd or len(pages) != self.claimed or len(pages) != _engine_count(doc)
        )
        if self.flattened:
            _flatten(doc, pages, walk.inherited)
        self._entries = walk.pages or [0] * min(_engine_count(doc), MOST_PAGES)
        self.numbers = {number: page for page, number in enumerate(walk.pages, 1) if number is not None}
        self.truncated = len(walk.pages) >= MOST_PAGES
        listed = len(self._entries)
        self.pages_total = max(listed, min(self.claimed, listed + MOST_MISSING)) if listed else 0
        self._index: dict[int, int] = {}
        for entry, number in enumerate(self._entries, 1):
            if number is not None:
                self._index[entry] = len(self._index)

    def load(self, page_num: int) -> pymupdf.Page:
        """The page with this 1-based number; raises UnreachablePageError or one of ENGINE_ERRORS."""
        if page_num > len(self._entries):
            raise UnreachablePageError(
                f"the page tree claims {self.claimed} pages and leads to {len(self._entries)}"
            )
        if page_num not in self._index:
            raise UnreachablePageError("the page tree has an entry here that leads to no page")
        page: pymupdf.Page = self._doc.load_page(self._index[page_num])
        return page


def _engine_count(doc: pymupdf.Document) -> int:
    try:
        return max(0, int(doc.page_count))
    except ENGINE_ERRORS:
        return 0


def _count_of(doc: pymupdf.Document, node: int) -> int:
    kind, value = pdf.key_of(doc, node, "Count")
    return int(value) if kind == "int" else -1


def _walk(doc: pymupdf.Document, root: int | None) -> _Walk:
    """Visit all nodes of the tree in order; a node is left when all below it has been visited."""
    walk = _Walk()
    seen: set[int] = set()
    leaving: list[tuple[int, int]] = []
    stack: list[tuple[int | None, dict[str, str]] | None] = [] if root is None else [(root, {})]
    while stack and len(walk.pages) < MOST_PAGES:
        top = stack.pop()
        if top is None:
            left, before = leaving.pop()
            walk.odd |= _count_of(doc, left) != len(walk.pages) - before
            continue
        node, above = top
        keys = set() if node is None else _keys(doc, node)
        if node is None or not keys:
            walk.pages.append(None)
            walk.odd = True
        elif "Kids" not in keys:
            sort = pdf.key_of(doc, node, "Type")[1]
            walk.odd |= sort != "/Page"
            if sort == "/Page" or (sort != "/Pages" and keys & _PAGE_KEYS):
                walk.pages.append(node)
                walk.inherited[node] = above
            elif sort != "/Pages":  # a node without pages below it is empty, any other object is an entry
                walk.pages.append(None)
        elif node in seen:
            walk.odd = True  # the tree loops back on itself: what hangs below was walked already
        else:
            seen.add(node)
            own = {name: pdf.key_of(doc, node, name)[1] for name in _INHERITED if name in keys}
            leaving.append((node, len(walk.pages)))
            walk.odd |= len(leaving) > _DEEPEST
            stack.append(None)
            stack.extend((kid, above | own) for kid in reversed(list(_kids(doc, node))))
    return walk


def _keys(doc: pymupdf.Document, number: int) -> set[str]:
    """Keys of a dictionary; none for any other object, or where there is no such object."""
    try:
        return set(doc.xref_get_keys(number)) if 0 < number < doc.xref_length() else set()
    except ENGINE_ERRORS:
        return set()


def _kids(doc: pymupdf.Document, node: int) -> Iterator[int | None]:
    """Object numbers of the entries of /Kids; a page that is written into the list becomes an object of its own."""
    kind, kids = pdf.key_of(doc, node, "Kids")
    if kind == "xref":
        kids = pdf.written(doc, int(kids.split()[0]))
    for entry in _elements(kids):
        match = _REFERENCE.fullmatch(entry)
        if match:
            yield int(match[1])
        else:
            yield _new_object(doc, entry) if entry.startswith("<<") else None


def _elements(array: str) -> Iterator[str]:
    """The elements of an array as they are written."""
    depth, start = 0, 0
    for token in _TOKEN.finditer(array):
        if token[0] in _CLOSING:
            depth -= 1
            if depth == 1:
                yield array[start : token.end()]
        elif depth == 1 and token[0] not in _OPENING:
            yield token[0]
        elif token[0] in _OPENING:
            depth += 1
            if depth == 2:
                start = token.start()


def _new_object(doc: pymupdf.Document, text: str) -> int | None:
    try:
        number = int(doc.get_new_xref())
        doc.update_object(number, text)
    except ENGINE_ERRORS:
        return None
    return number


def _flatten(doc: pymupdf.Document, pages: list[int], inherited: dict[int, dict[str, str]]) -> None:
    """Replace the tree in memory by one node that lists all pages, each with what it inherited.

    A page that is listed again becomes a copy: the engine takes no more pages than there are objects.
    """
    root = doc.get_new_xref()
    listed: list[tuple[int, int]] = []
    seen: set[int] = set()
    for original in pages:
        copy = _new_object(doc, pdf.written(doc, original)) if original in seen else None
        listed.append((copy or original, original))
        seen.add(original)
    kids = " ".join(f"{page} 0 R" for page, _ in listed)
    doc.update_object(root, f"<</Type/Pages/Count {len(listed)}/Kids[{kids}]>>")
    for page, original in listed:
        for name, value in inherited.get(original, {}).items():
            if pdf.key_of(doc, page, name)[0] == "null":
                doc.xref_set_key(page, name, value)
        doc.xref_set_key(page, "Type", "/Page")
        doc.xref_set_key(page, "Parent", f"{root} 0 R")
    doc.xref_set_key(doc.pdf_catalog(), "Pages", f"{root} 0 R")
