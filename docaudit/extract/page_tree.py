"""The list of pages, from the page tree itself: /Count may lie, and a tree may loop back on itself."""

from __future__ import annotations

import re

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, key_of, reference
from docaudit.extract.trust import MOST_MISSING, MOST_PAGES

_REFERENCE = re.compile(r"(\d+)\s+(\d+)\s+R")
_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")


class UnreachablePageError(Exception):
    """The tree claims this page, and nothing leads to it."""


class PageTree:
    """The pages of a document in order.

    The tree is walked. If the engine's own count differs, a flat tree of the pages that the walk reached takes its
    place in memory (the file is not touched), so that every one of them can be loaded.

    Attributes:
        pages_total: Pages that can be reached, and those that the tree claims beyond them.
        truncated: The tree has more pages than docaudit reads.
        numbers: Object number of each page -> its number.
        claimed: What /Count of the root says.
    """

    def __init__(self, doc: pymupdf.Document) -> None:
        self._doc = doc
        self.claimed = _claimed(doc)
        walked, inherited = _walk(doc)
        self.flattened = bool(walked) and (len(walked) != self.claimed or len(walked) != _count(doc))
        if self.flattened:
            _flatten(doc, walked, inherited)
        self.numbers = {number: page for page, number in enumerate(walked, 1)}
        self.truncated = len(walked) >= MOST_PAGES
        self._reachable = len(walked) or _count(doc)
        claimed = min(self.claimed, self._reachable + MOST_MISSING) if self._reachable else 0
        self.pages_total = max(self._reachable, claimed)

    def load(self, page_num: int) -> pymupdf.Page:
        """The page with this 1-based number; raises UnreachablePageError or one of ENGINE_ERRORS."""
        if page_num > self._reachable:
            said = f"the page tree claims {self.claimed} pages and leads to {self._reachable}"
            raise UnreachablePageError(said)
        page: pymupdf.Page = self._doc.load_page(page_num - 1)
        return page


def _count(doc: pymupdf.Document) -> int:
    try:
        return int(doc.page_count)
    except ENGINE_ERRORS:
        return 0


def _claimed(doc: pymupdf.Document) -> int:
    kind, value = key_of(doc, doc.pdf_catalog(), "Pages/Count")
    return int(value) if kind == "int" else -1


def _walk(doc: pymupdf.Document) -> tuple[list[int], dict[int, dict[str, str]]]:
    """Object numbers of all pages in order, and what each inherits from the nodes above it."""
    root = reference(key_of(doc, doc.pdf_catalog(), "Pages"))
    pages: list[int] = []
    inherited: dict[int, dict[str, str]] = {}
    seen: set[int] = set()
    stack: list[tuple[int, dict[str, str]]] = [] if root is None else [(root, {})]
    while stack and len(pages) < MOST_PAGES:
        node, above = stack.pop()
        kind, kids = key_of(doc, node, "Kids")
        if kind == "xref":
            kind, kids = "array", _array_of(doc, int(kids.split()[0]))
        if kind != "array":
            if key_of(doc, node, "Type")[1] != "/Pages":
                pages.append(node)
                inherited[node] = above
            continue
        if node in seen:
            continue  # the tree loops back on itself: what hangs below was walked already
        seen.add(node)
        here = above | _own(doc, node)
        stack.extend((int(number), here) for number, _ in reversed(_REFERENCE.findall(kids)))
    return pages, inherited


def _array_of(doc: pymupdf.Document, number: int) -> str:
    try:
        return str(doc.xref_object(number, compressed=True))
    except ENGINE_ERRORS:
        return ""


def _own(doc: pymupdf.Document, node: int) -> dict[str, str]:
    found = {}
    for name in _INHERITED:
        kind, value = key_of(doc, node, name)
        if kind != "null":
            found[name] = value
    return found


def _flatten(doc: pymupdf.Document, pages: list[int], inherited: dict[int, dict[str, str]]) -> None:
    """Replace the tree in memory by one node that lists all pages, each with what it inherited."""
    root = doc.get_new_xref()
    kids = " ".join(f"{page} 0 R" for page in pages)
    doc.update_object(root, f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>")
    for page in pages:
        for name, value in inherited[page].items():
            if key_of(doc, page, name)[0] == "null":
                doc.xref_set_key(page, name, value)
        doc.xref_set_key(page, "Parent", f"{root} 0 R")
    doc.xref_set_key(doc.pdf_catalog(), "Pages", f"{root} 0 R")
