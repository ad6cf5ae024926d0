"""Objects of a PDF as the engine holds them: dictionaries, arrays, strings and streams, where single keys do not do.

An object is the engine's own (Any for the type checker). Everything here gives an empty value for what is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pymupdf

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
    string = str(text)
    try:
        string.encode()
    except UnicodeEncodeError:
        return string.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return string


_ENGINE: Any = pymupdf.mupdf
_REFERENCE = re.compile(r"(\d+) \d+ R")
_MAX_DEPTH = 12
"""Dictionaries in each other, and parents of a field; chosen, not measured."""
TEXT_STREAM_BYTES = 16 << 20
"""Streams of text (rich text, a form's XML) are read up to this size."""


class StreamTooLargeError(ValueError):
    """A stream holds more bytes than may be read. One of ENGINE_ERRORS, as the rest of a page can go on without it."""


class UnreachablePageError(Exception):
    """The page tree claims this page, and nothing leads to it."""


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


def references_in(text: str) -> list[int]:
    """Object numbers of the references in an object as it is written."""
    return [int(number) for number in _REFERENCE.findall(text)]


def get(thing: Any, *path: str) -> Any:
    """The value under these keys, one dictionary after the other; the engine's null if there is none."""
    for key in path:
        thing = _ENGINE.pdf_dict_gets(thing, key)
    return thing


def inherited(thing: Any, key: str) -> Any:
    """The value of a key, from the object itself or from the nearest of its parents that has it."""
    for _ in range(_MAX_DEPTH):
        value = get(thing, key)
        if not is_null(value):
            return value
        thing = get(thing, "Parent")
        if not is_dict(thing):
            break
    return value


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
        references = references_in(value)
        numbers += references
        if not value.startswith("["):
            numbers += [below for holder in references for below in references_in(written(doc, holder))]
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
