"""From what the user names to a PDF file on disk that is known by its hash."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
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
"""Bytes within which viewers look for %PDF (PDF 1.7, appendix H.3, note 13)."""
_PIECE = 1 << 20
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

    An open file is read from its beginning where it can be rewound.

    Raises DocumentNotFoundError (missing, a directory, not readable), NotAPdfError (empty, or another kind of
    file), InputError (not a kind of source that can be read; a file that changed during the block).
    """
    with tempfile.TemporaryDirectory(prefix="docaudit-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "document.pdf"
        if isinstance(source, (str, os.PathLike)):
            path = Path(os.fsdecode(source))
            with _opened(path) as stream:
                described = _describe(stream, _engine_path(path, copy), _printable(path.name))
                before = _state(stream)
            yield described
            try:
                with path.open("rb") as stream:
                    changed = _state(stream) != before
            except OSError:
                changed = True
            if changed:
                raise InputError(
                    "the file changed while it was read",
                    file=described.name,
                    remedy="run again when it is complete",
                )
            return
        data, name = _read_object(source)
        try:
            copy.write_bytes(data)
        except OSError as error:
            raise InputError(
                f"cannot be kept in a temporary file: {error.strerror or error}",
                file="(bytes)",
                remedy="make room in the temporary folder, or set TMPDIR",
            ) from error
        yield _describe(io.BytesIO(data), copy, name)


def _opened(path: Path) -> BinaryIO:
    name = _printable(path)
    try:
        if path.is_dir():
            if (path / "document.json").is_file():
                raise DocumentNotFoundError(
                    "is the folder of a saved parse",
                    file=name,
                    remedy="load it: ParsedDocument.load(folder)",
                )
            raise DocumentNotFoundError("is a directory", file=name, remedy="name a PDF file in it")
        if path.exists() and not path.is_file():
            raise DocumentNotFoundError("is no regular file", file=name, remedy="name a PDF file")
        return path.open("rb")
    except FileNotFoundError as error:
        raise DocumentNotFoundError("no such file", file=name, remedy="check the name") from error
    except (OSError, ValueError) as error:
        raise _unreadable(error, name) from error


def _unreadable(error: Exception, name: str) -> DocumentNotFoundError:
    return DocumentNotFoundError(
        f"cannot be read: {getattr(error, 'strerror', None) or error}",
        file=name,
        remedy="check name and permissions",
    )


def _printable(path: Path | str) -> str:
    r"""A name as text that can be printed and saved: bytes that are no UTF-8 as \xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _engine_path(path: Path, copy: Path) -> Path:
    """The path itself, or a link (where there are none, a copy) if its name is no UTF-8: the engines take no other."""
    absolute = path.absolute()
    try:
        os.fsencode(absolute).decode("utf-8")
    except UnicodeDecodeError:
        try:
            copy.symlink_to(absolute)
        except OSError:
            shutil.copyfile(absolute, copy)
        return copy
    return path


def _state(stream: BinaryIO) -> tuple[int, int]:
    """Size, and time of the last change, of an open file."""
    status = os.fstat(stream.fileno())
    return status.st_size, status.st_mtime_ns


def _read_object(source: object) -> tuple[bytes, str]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "(bytes)"
    read = getattr(source, "read", None)
    if not callable(read):
        raise InputError(
            f"cannot read a document from {type(source).__name__}",
            remedy="pass a path, bytes or an open binary file",
        )
    name = getattr(source, "name", None)
    file = _printable(Path(os.fsdecode(name)).name) if isinstance(name, (str, bytes)) else "(bytes)"
    if hasattr(source, "encoding"):
        raise InputError("the file is open in text mode", file=file, remedy="open it in binary mode ('rb')")
    seekable, seek = getattr(source, "seekable", None), getattr(source, "seek", None)
    try:
        if callable(seekable) and callable(seek) and seekable():
            seek(0)
        data = read()
    except (OSError, ValueError, TypeError) as error:  # closed, write-only, or not what it seems to be
        raise InputError(
            f"the open file cannot be read: {error}", file=file, remedy="open it in binary mode ('rb')"
        ) from error
    if isinstance(data, str):
        raise InputError("the file is open in text mode", file=file, remedy="open it in binary mode ('rb')")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InputError(
            f"reading it gave {type(data).__name__} instead of bytes",
            file=file,
            remedy="pass a path, bytes or an open binary file",
        )
    return bytes(data), file


def _describe(stream: BinaryIO, path: Path, name: str) -> SourceFile:
    """Hash the file piece by piece, and look for what makes it a PDF."""
    digest = hashlib.sha256()
    size, head, tail, is_pdf = 0, b"", b"", False
    try:
        while piece := stream.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            head = head or piece[:_HEADER_WINDOW]
            is_pdf = is_pdf or any(mark in tail + piece for mark in (b"%PDF-", b" obj"))
            tail = piece[-8:]
    except OSError as error:
        raise _unreadable(error, name) from error
    if not size:
        raise NotAPdfError("the file is empty", file=name, remedy="obtain the file again")
    if b"%PDF-" not in head:
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n\x00").lower()
        for signature, kind in _SIGNATURES:
            if start.startswith(signature):
                raise NotAPdfError(f"not a PDF but {kind}", file=name, remedy="name a PDF file")
        if not is_pdf:
            raise NotAPdfError("not a PDF", file=name, remedy="name a PDF file")
    return SourceFile(path, name, digest.hexdigest(), size)
