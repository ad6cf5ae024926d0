"""What is peculiar to the PDF engine and needed in more than one room of extract/."""

from __future__ import annotations

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
    said = str(text)
    try:
        said.encode()
    except UnicodeEncodeError:
        return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return said
