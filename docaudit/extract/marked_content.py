"""Texts that the content of a page carries for other programs: Alt and E beside marked content, and who has ActualText.

Such a property list stands in the content itself, or under a name in the resources of a page or of a form on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, clean
from docaudit.extract.facts import LineFact
from docaudit.extract.objects import entries, get, is_null, object_of, text_of
from docaudit.location import TextSource, Visibility

_STRING = rb"\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\)|<[0-9A-Fa-f\s]*>"
_LIST = re.compile(rb"/(Alt|E)\s*(" + _STRING + rb")", re.DOTALL)
_KEYS = ("Alt", "E")
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|[\r\n])|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def alternate_lines(page: pymupdf.Page) -> tuple[list[LineFact], bool]:
    """Lines of all Alt and E beside marked content of a page, and whether anything on it has ActualText."""
    texts: list[str] = []
    has_actual_text = False
    for content, resources in _contents(page):
        has_actual_text |= b"ActualText" in content
        if b"/Alt" in content or b"/E" in content:
            texts += [_decoded(found[2]) for found in _LIST.finditer(content)]
        for _, properties in entries(get(resources, "Properties")):
            has_actual_text |= not is_null(get(properties, "ActualText"))
            texts += [text_of(get(properties, key)) for key in _KEYS]
    rows = (row.strip() for text in texts for row in clean(text).splitlines())
    lines = [
        LineFact(row, None, 900_000 + number, TextSource.ALT_TEXT.value, Visibility.UNKNOWN.value)
        for number, row in enumerate(dict.fromkeys(row for row in rows if row))
    ]
    return lines, has_actual_text


def _contents(page: pymupdf.Page) -> Iterator[tuple[bytes, Any]]:
    """Content and resources of the page and of every form on it."""
    doc = page.parent
    try:
        content = page.read_contents()
    except ENGINE_ERRORS:
        content = b""  # no stream: drawing the page says so
    yield content, get(object_of(doc, page.xref), "Resources")
    try:
        forms = [int(form[0]) for form in page.get_xobjects()]
    except ENGINE_ERRORS:
        return  # the engine will say so when it draws the page
    for number in dict.fromkeys(forms):
        try:
            yield doc.xref_stream(number) or b"", get(object_of(doc, number), "Resources")
        except ENGINE_ERRORS:
            continue  # a damaged form: drawing the page says so


def _decoded(written: bytes) -> str:
    """The text of a string as it is written in a content stream."""
    if written.startswith(b"<"):
        digits = bytes(byte for byte in written[1:-1] if not chr(byte).isspace())
        raw = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    else:
        raw = _ESCAPE.sub(_unescaped, written[1:-1])
    if raw.startswith((b"\xfe\xff", b"\xff\xfe")):
        return raw.decode("utf-16", "replace")
    return (
        raw[3:].decode("utf-8", "replace")
        if raw.startswith(b"\xef\xbb\xbf")
        else raw.decode("cp1252", "replace")
    )


def _unescaped(found: re.Match[bytes]) -> bytes:
    octal, line_end, other = found.groups()
    if octal:
        return bytes([int(octal, 8) & 255])
    return b"" if line_end else _LETTERS.get(other, other)
