"""Objects of a PDF as the engine holds them: dictionaries, arrays, strings and streams, where single keys do not do.

An object is the engine's own (Any for the type checker). Everything here gives an empty value for what is not there.

What is peculiar to the PDF engine and needed in more than one room of extract/.

The list of pages, from the page tree itself: /Count may lie, and a tree may loop back on itself or lead nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pymupdf

from docaudit.extract.protocol import MOST_MISSING, MOST_PAGES

ENGINE_ERRORS: tuple[type[Exception], ...] = (
    pymupdf.FileDataError,
    pymupdf.mupdf.FzErrorBase,
    RuntimeError,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
)
"""What the engine raises on damaged documents. It has no root class of its own: its Python half fails with plain
errors where the file does not hold what it expects."""

Key = tuple[str, str]


def warnings_of() -> str:
    """What the engine complained about since the last reset: for much damage the only sign there is."""
    return str(pymupdf.TOOLS.mupdf_warnings() or "")


def key_of(doc: pymupdf.Document, number: int, path: str) -> Key:
    """Type and value of a key of an object ("null", "null" if it is not there or cannot be read)."""
    try:
        kind, value = doc.xref_get_key(number, path)
        return str(kind), str(value)
    except ENGINE_ERRORS:
        return "null", "null"


def reference(key: Key) -> int | None:
    """The object number of an indirect reference, or None."""
    kind, value = key
    return int(value.split()[0]) if kind == "xref" else None


def clean(text: Any) -> str:
    """Text as valid Unicode: a lone surrogate becomes U+FFFD, and so stays visible as an unknown glyph."""
    said = str(text)
    try:
        said.encode()
    except UnicodeEncodeError:
        return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return said


_ENGINE: Any = pymupdf.mupdf
_REFERENCE = re.compile(r"(\d+) \d+ R")
_MAX_DEPTH = 12
TEXT_STREAM_BYTES = 16 << 20
"""Streams of text (rich text, a form's XML) are read up to this size."""


class StreamTooLargeError(ValueError):
    """A stream holds more bytes than may be read. One of ENGINE_ERRORS, as the rest of a page can go on without it."""


def file_of(doc: pymupdf.Document) -> Any:
    """The document as the engine's PDF functions take it."""
    return vars(pymupdf)["_as_pdf_document"](doc)


def object_of(doc: pymupdf.Document, number: int) -> Any:
    """The object with this number, null if it is not there or cannot be read."""
    return _ENGINE.pdf_new_indirect(file_of(doc), number, 0)


def trailer_of(doc: pymupdf.Document) -> Any:
    """The trailer dictionary."""
    return _ENGINE.pdf_trailer(file_of(doc))


def written(doc: pymupdf.Document, number: int) -> str:
    """The object as it is written in PDF; empty if it is damaged beyond reading."""
    try:
        return str(doc.xref_object(number, compressed=True))
    except ENGINE_ERRORS:
        return ""


def get(thing: Any, *path: str) -> Any:
    """The value under these keys, one dictionary after the other; the engine's null if there is none."""
    for key in path:
        thing = _ENGINE.pdf_dict_gets(thing, key)
    return thing


def inherited(thing: Any, key: str) -> Any:
    """The value of a key, from the object itself or from the nearest of its parents that has it."""
    for _ in range(_MAX_DEPTH):
        found = get(thing, key)
        if not is_null(found):
            return found
        thing = get(thing, "Parent")
        if not is_dict(thing):
            break
    return found


def entries(thing: Any) -> Iterator[tuple[str, Any]]:
    """Keys and values of a dictionary; nothing for anything else."""
    if is_dict(thing):
        for place in range(_ENGINE.pdf_dict_len(thing)):
            key = _ENGINE.pdf_dict_get_key(thing, place)
            yield str(_ENGINE.pdf_to_name(key)), _ENGINE.pdf_dict_get_val(thing, place)


def items(thing: Any) -> Iterator[Any]:
    """Items of an array; nothing for anything else."""
    if _ENGINE.pdf_is_array(thing):
        for place in range(_ENGINE.pdf_array_len(thing)):
            yield _ENGINE.pdf_array_get(thing, place)


def is_null(thing: Any) -> bool:
    """There is no value."""
    return bool(_ENGINE.pdf_is_null(thing))


def is_dict(thing: Any) -> bool:
    """It is a dictionary, or a stream, which has one."""
    return bool(_ENGINE.pdf_is_dict(thing))


def is_stream(thing: Any) -> bool:
    """It is a stream."""
    return bool(_ENGINE.pdf_is_stream(thing))


def number_of(thing: Any) -> int:
    """The object number of an indirect object; 0 for one that is written in place."""
    return int(_ENGINE.pdf_to_num(thing))


def name_of(thing: Any) -> str:
    """The name, without its slash."""
    return str(_ENGINE.pdf_to_name(thing)) if _ENGINE.pdf_is_name(thing) else ""


def whole_number(thing: Any) -> int:
    """The value of a number; 0 for anything else."""
    return int(_ENGINE.pdf_to_int(thing)) if _ENGINE.pdf_is_number(thing) else 0


def rectangle(thing: Any) -> tuple[float, float, float, float] | None:
    """The four sides of a rectangle, or None if it is none."""
    sides = [float(_ENGINE.pdf_to_real(item)) for item in items(thing) if _ENGINE.pdf_is_number(item)]
    return (sides[0], sides[1], sides[2], sides[3]) if len(sides) == 4 else None


def text_of(thing: Any) -> str:
    """The text of a string, or of a stream that stands in its place (rich text, long values)."""
    if _ENGINE.pdf_is_string(thing):
        return clean(_ENGINE.pdf_to_text_string(thing))
    if is_stream(thing):
        size = stream_size(thing, TEXT_STREAM_BYTES)
        if size > TEXT_STREAM_BYTES:
            raise StreamTooLargeError(f"a text of more than {TEXT_STREAM_BYTES >> 20} MiB")
        return clean(_ENGINE.pdf_load_stream_or_string_as_utf8(thing))
    return ""


def stream_size(thing: Any, limit: int) -> int:
    """Bytes of a stream when it is unpacked, counted up to just over a limit and not held in memory."""
    return int(_ENGINE.fz_skip(_ENGINE.pdf_open_stream(thing), limit + 1))


def stream_bytes(thing: Any, limit: int) -> bytes:
    """A stream unpacked; raises StreamTooLargeError if it holds more bytes than the limit."""
    if stream_size(thing, limit) > limit:
        raise StreamTooLargeError(f"more than {limit} bytes when it is unpacked")
    return bytes(_ENGINE.pdf_load_stream(thing).fz_buffer_extract())


def references_under(doc: pymupdf.Document, number: int, keys: tuple[str, ...]) -> list[int]:
    """Objects in the arrays under these keys of an object, also where the array is an object of its own."""
    numbers: list[int] = []
    for key in keys:
        value = key_of(doc, number, key)[1]
        refs = [int(found) for found in _REFERENCE.findall(value)]
        numbers += refs
        if not value.startswith("["):
            numbers += [int(found) for ref in refs for found in _REFERENCE.findall(written(doc, ref))]
    return numbers


def direct_dictionaries(thing: Any, depth: int = 0) -> Iterator[Any]:
    """The object itself and every dictionary written inside it, without those it only refers to."""
    if depth > _MAX_DEPTH:
        return
    if is_dict(thing):
        yield thing
    inside = [value for _, value in entries(thing)] if is_dict(thing) else list(items(thing))
    for value in inside:
        if not _ENGINE.pdf_is_indirect(value):
            yield from direct_dictionaries(value, depth + 1)


_DEEPEST = 32
_TOKEN = re.compile(
    r"<<|>>|[\[\]]|\((?:\\.|[^()\\])*\)|<[0-9A-Fa-f\s]*>|\d+\s+\d+\s+R\b|/?[^\s/<>\[\]()]+", re.DOTALL
)
_REFERENCE_PAGE_TREE = re.compile(r"(\d+)\s+\d+\s+R")
_OPENING, _CLOSING = {"<<", "["}, {">>", "]"}
_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
_PAGE_KEYS = {"Contents", "MediaBox", "Resources", "Parent", "Annots"}


class UnreachablePageError(Exception):
    """The tree claims this page, and nothing leads to it."""


@dataclass
class _Walk:
    """What a walk through the tree found: the object of each page in order, None where an entry is no page."""

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
        claimed: What /Count of the root says.
    """

    def __init__(self, doc: pymupdf.Document) -> None:
        self._doc = doc
        self.claimed = _claimed(doc, reference(key_of(doc, doc.pdf_catalog(), "Pages")))
        walk = _walk(doc)
        found = [page for page in walk.pages if page is not None]
        if not found:
            found = _all_page_objects(doc)
            walk = _Walk([*found], {}, True)
        self.flattened = bool(found) and (walk.odd or len(found) != self.claimed or len(found) != _count(doc))
        if self.flattened:
            _flatten(doc, found, walk.inherited)
        self._entries = walk.pages or [0] * min(_count(doc), MOST_PAGES)
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
            said = f"the page tree claims {self.claimed} pages and leads to {len(self._entries)}"
            raise UnreachablePageError(said)
        if page_num not in self._index:
            raise UnreachablePageError("the page tree has an entry here that leads to no page")
        page: pymupdf.Page = self._doc.load_page(self._index[page_num])
        return page


def _count(doc: pymupdf.Document) -> int:
    try:
        return max(0, int(doc.page_count))
    except ENGINE_ERRORS:
        return 0


def _claimed(doc: pymupdf.Document, node: int | None) -> int:
    kind, value = ("null", "") if node is None else key_of(doc, node, "Count")
    return int(value) if kind == "int" else -1


def _walk(doc: pymupdf.Document) -> _Walk:
    """Visit all nodes of the tree in order; a node is left when all below it has been visited."""
    walk = _Walk()
    root = reference(key_of(doc, doc.pdf_catalog(), "Pages"))
    seen: set[int] = set()
    leaving: list[tuple[int, int]] = []
    stack: list[tuple[int | None, dict[str, str]] | None] = [] if root is None else [(root, {})]
    while stack and len(walk.pages) < MOST_PAGES:
        top = stack.pop()
        if top is None:
            node_left, before = leaving.pop()
            walk.odd |= _claimed(doc, node_left) != len(walk.pages) - before
            continue
        node, above = top
        keys = set() if node is None else _keys(doc, node)
        if node is None or not keys:
            walk.pages.append(None)
            walk.odd = True
        elif "Kids" not in keys:
            _leaf(doc, node, keys, above, walk)
        elif node in seen:
            walk.odd = True  # the tree loops back on itself: what hangs below was walked already
        else:
            seen.add(node)
            here = above | _own(doc, node, keys)
            leaving.append((node, len(walk.pages)))
            walk.odd |= len(leaving) > _DEEPEST
            stack.append(None)
            stack.extend((kid, here) for kid in reversed(list(_kids(doc, node))))
    return walk


def _leaf(doc: pymupdf.Document, node: int, keys: set[str], above: dict[str, str], walk: _Walk) -> None:
    sort = key_of(doc, node, "Type")[1]
    if sort == "/Page" or (sort != "/Pages" and keys & _PAGE_KEYS):
        walk.pages.append(node)
        walk.inherited[node] = above
        walk.odd |= sort != "/Page"
        return
    walk.odd = True
    if (
        sort != "/Pages"
    ):  # a node without pages below it is empty, any other object is an entry that is no page
        walk.pages.append(None)


def _keys(doc: pymupdf.Document, number: int) -> set[str]:
    """Keys of a dictionary; none for any other object, or where there is no such object."""
    try:
        return set(doc.xref_get_keys(number)) if 0 < number < doc.xref_length() else set()
    except ENGINE_ERRORS:
        return set()


def _kids(doc: pymupdf.Document, node: int) -> Iterator[int | None]:
    """Object numbers of the entries of /Kids; a page that is written into the list becomes an object of its own."""
    kind, kids = key_of(doc, node, "Kids")
    if kind == "xref":
        kids = _object(doc, int(kids.split()[0]))
    for entry in _elements(kids):
        found = _REFERENCE_PAGE_TREE.fullmatch(entry)
        if found:
            yield int(found[1])
        elif entry.startswith("<<"):
            yield _new_object(doc, entry)
        else:
            yield None


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


def _object(doc: pymupdf.Document, number: int) -> str:
    try:
        return str(doc.xref_object(number, compressed=True))
    except ENGINE_ERRORS:
        return ""


def _new_object(doc: pymupdf.Document, written: str) -> int | None:
    try:
        number = int(doc.get_new_xref())
        doc.update_object(number, written)
    except ENGINE_ERRORS:
        return None
    return number


def _own(doc: pymupdf.Document, node: int, keys: set[str]) -> dict[str, str]:
    return {name: key_of(doc, node, name)[1] for name in _INHERITED if name in keys}


def _all_page_objects(doc: pymupdf.Document) -> list[int]:
    """Pages of a file whose tree leads to none, in the order of their numbers."""
    if not _count(doc) and _claimed(doc, reference(key_of(doc, doc.pdf_catalog(), "Pages"))) <= 0:
        return []  # the file says itself that it has no pages
    numbers = range(1, doc.xref_length())
    return [number for number in numbers if key_of(doc, number, "Type")[1] == "/Page"][:MOST_PAGES]


def _flatten(doc: pymupdf.Document, pages: list[int], inherited: dict[int, dict[str, str]]) -> None:
    """Replace the tree in memory by one node that lists all pages, each with what it inherited.

    A page that is listed again becomes a copy: the engine takes no more pages than there are objects.
    """
    root = doc.get_new_xref()
    listed: list[tuple[int, int]] = []
    seen: set[int] = set()
    for original in pages:
        again = _new_object(doc, _object(doc, original)) if original in seen else None
        listed.append((again or original, original))
        seen.add(original)
    kids = " ".join(f"{page} 0 R" for page, _ in listed)
    doc.update_object(root, f"<</Type/Pages/Count {len(listed)}/Kids[{kids}]>>")
    for page, original in listed:
        for name, value in inherited.get(original, {}).items():
            if key_of(doc, page, name)[0] == "null":
                doc.xref_set_key(page, name, value)
        doc.xref_set_key(page, "Type", "/Page")
        doc.xref_set_key(page, "Parent", f"{root} 0 R")
    doc.xref_set_key(doc.pdf_catalog(), "Pages", f"{root} 0 R")
