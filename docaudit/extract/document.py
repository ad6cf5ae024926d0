"""From what the user names to a PDF file on disk that is known by its hash: the only room that reads raw bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from docaudit.errors import DocumentNotFoundError, InputError, NotAPdfError

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""A path, the bytes of a PDF, or an open binary file."""

_HEADER_WINDOW = 1024
_SIGNATURES = (
    (b"<!doctype html", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<?xml", "an XML file"),
    (b"pk\x03\x04", "a ZIP or office file"),
    (b"\xd0\xcf\x11\xe0", "an old office file"),
    (b"\x89png", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"{\\rtf", "an RTF file"),
    (b"%!ps", "a PostScript file"),
)


@dataclass(frozen=True)
class SourceFile:
    """A PDF file on disk: where it lies, what it is called in results, and what identifies it."""

    path: Path
    name: str
    sha256: str
    size_bytes: int


@contextmanager
def identified(source: Source) -> Iterator[SourceFile]:
    """The source as a file on disk; bytes and open files are written to a temporary one for the time of the block.

    Raises DocumentNotFoundError (missing, a directory, not readable), NotAPdfError (empty, or another kind of
    file), InputError (not a kind of source that can be read).
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        yield _describe(path, _read_path(path), path.name)
        return
    data, name = _read_object(source)
    handle, temporary = tempfile.mkstemp(prefix="docaudit-", suffix=".pdf")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        yield _describe(Path(temporary), data, name)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _read_path(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise DocumentNotFoundError("is a directory", file=str(path), remedy="name a PDF file in it")
        if path.exists() and not path.is_file():
            raise DocumentNotFoundError("is no regular file", file=str(path), remedy="name a PDF file")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DocumentNotFoundError("no such file", file=str(path), remedy="check the name") from error
    except (OSError, ValueError) as error:
        raise DocumentNotFoundError(
            f"cannot be read: {getattr(error, 'strerror', None) or error}",
            file=str(path),
            remedy="check name and permissions",
        ) from error


def _read_object(source: bytes | bytearray | memoryview | BinaryIO) -> tuple[bytes, str]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "(bytes)"
    if not hasattr(source, "read"):
        raise InputError(
            f"cannot read a document from {type(source).__name__}",
            remedy="pass a path, bytes or an open binary file",
        )
    data = source.read()
    if not isinstance(data, bytes):
        raise InputError("the file is open in text mode", remedy="open it in binary mode ('rb')")
    name = getattr(source, "name", None)
    return data, Path(name).name if isinstance(name, str) else "(bytes)"


def _describe(path: Path, data: bytes, name: str) -> SourceFile:
    if not data:
        raise NotAPdfError("the file is empty", file=name, remedy="obtain the file again")
    head = data[:_HEADER_WINDOW]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\x00").lower()
    if b"%PDF-" not in head:
        for signature, kind in _SIGNATURES:
            if start.startswith(signature):
                raise NotAPdfError(f"not a PDF but {kind}", file=name, remedy="name a PDF file")
        if b"%PDF-" not in data and b" obj" not in data:
            raise NotAPdfError("not a PDF", file=name, remedy="name a PDF file")
    return SourceFile(path, name, hashlib.sha256(data).hexdigest(), len(data))
