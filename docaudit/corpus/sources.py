"""What the sources of a run name: every file below a folder or in a list, each a document or with why it is none.

A file is taken for a document if its name ends in .pdf, if it begins as a PDF, or if it is named itself: then it gets a
row even if it cannot be read. All else is listed with its reason, and nothing is left out without a word. Paths are
strings: a name may hold bytes that are no text.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

from docaudit.errors import DocumentNotFoundError

_HEAD = 1024
"""A PDF has its header in so many bytes, as Acrobat and the engines read it."""
_READERS = 4
"""Threads that hash files: reading waits for the disk; chosen, not measured."""
_NAMED = 5
"""Paths that an error names, so that it can be read; the rest is counted."""
_REMEDY = "name a folder, a PDF, or a text file with one path on each line"


class PathState(StrEnum):
    """What a path is."""

    DOCUMENT = "document"
    NOT_A_PDF = "not_a_pdf"
    NOT_READABLE = "not_readable"
    LEFT_OUT = "left_out"


@dataclass(frozen=True)
class SourcePath:
    """One path that the sources name or hold.

    Attributes:
        path: Absolute; bytes that are no UTF-8 as surrogates.
        state: What it is.
        sha256: Hash of a document, else empty.
        size: Length of a document, bytes.
        reason: Why it is no document, else empty.
    """

    path: str
    state: PathState
    sha256: str = ""
    size: int = 0
    reason: str = ""


def printable(path: str | os.PathLike[str]) -> str:
    r"""A path as text that can be printed and kept: bytes that are no UTF-8 as \xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def absolute(path: str) -> str:
    """An absolute path; links stay as named, but where one is left by `..` the path is where the system finds it."""
    if ".." in path.split("/"):
        return os.path.realpath(path)
    return os.path.abspath(path)  # noqa: PTH100


def find(sources: Iterable[str], progress: Callable[[int, int], None] | None = None) -> list[SourcePath]:
    """Every path that the sources name or hold, sorted; raises DocumentNotFoundError for a source that is not there.

    Args:
        sources: Absolute paths of folders, documents and lists.
        progress: Called with paths that were looked at, and paths in all.
    """
    listed: dict[str, SourcePath] = {}
    for source in sources:
        for path in _in_source(source):
            # A file that is named itself is a document, whatever a folder says of it.
            if path.path not in listed or listed[path.path].state is not PathState.DOCUMENT:
                listed[path.path] = path
    ordered = [listed[path] for path in sorted(listed, key=os.fsencode)]
    hashed: list[SourcePath] = []
    with ThreadPoolExecutor(_READERS) as pool:
        for path in pool.map(_hashed, ordered):
            hashed.append(path)
            if progress is not None:
                progress(len(hashed), len(ordered))
    return hashed


def unreadable(paths: Iterable[SourcePath]) -> dict[str, str]:
    """Why the paths that may be documents cannot be read, by path."""
    return {printable(path.path): path.reason for path in paths if path.state is PathState.NOT_READABLE}


def nothing_in(sources: Iterable[str], paths: Iterable[SourcePath]) -> DocumentNotFoundError:
    """The error that says that there is no document below the sources, with what could not be read."""
    problems = [f"{path}: {reason}" for path, reason in unreadable(paths).items()]
    more = f" and {len(problems) - _NAMED:,} more" if len(problems) > _NAMED else ""
    folders = ", ".join(printable(source) for source in sources)
    return DocumentNotFoundError(
        "; ".join([f"no PDF below {folders}", *problems[:_NAMED]]) + more, remedy=_REMEDY
    )


def _in_source(source: str) -> Iterator[SourcePath]:
    if os.path.isdir(source):  # noqa: PTH112
        yield from _below(source)
        return
    try:
        with open(source, "rb") as stream:  # noqa: PTH123
            head = stream.read(_HEAD)
            is_pdf = b"%PDF-" in head or source.lower().endswith(".pdf")
            content = head if is_pdf else head + stream.read()
    except OSError as error:
        raise DocumentNotFoundError(
            f"cannot be read: {error.strerror or error}", file=printable(source), remedy=_REMEDY
        ) from error
    if is_pdf:
        yield SourcePath(source, PathState.DOCUMENT)
    else:
        yield from _in_list(source, content)


def _in_list(source: str, content: bytes) -> Iterator[SourcePath]:
    """The paths in a list: one on each line, or parted by zero bytes as `find -print0` writes them.

    A line that begins with # is a comment, unless there is such a file.
    """
    content = _as_utf8(content)
    by_line = b"\0" not in content
    for part in content.splitlines() if by_line else content.split(b"\0"):
        if not part.strip():
            continue
        path = os.fsdecode(part)
        if by_line:
            # As it stands, or without the spaces and quotes around it.
            bare = path.strip()
            quoted = len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'"
            unquoted = bare[1:-1] if quoted else bare
            path = next((name for name in (path, bare) if os.path.lexists(name)), unquoted)
        path = absolute(path)
        if os.path.isdir(path):  # noqa: PTH112
            yield from _below(path)
        elif os.path.exists(path):  # noqa: PTH110
            yield SourcePath(path, PathState.DOCUMENT)
        elif not (by_line and part.lstrip().startswith(b"#")):
            reason = f"the list {printable(source)} names it, and it is not there"
            yield SourcePath(path, PathState.NOT_READABLE, reason=reason)


def _as_utf8(content: bytes) -> bytes:
    """A list in UTF-8, without a byte order mark: the zero bytes of UTF-16 part no paths."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace").encode("utf-8", "replace")
    # Without a mark: every second byte of text in a Western language is zero; a third of them is enough.
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if content[first::2].count(0) > len(content) / 3:
            return content.decode(encoding, "replace").encode("utf-8", "replace")
    return content.removeprefix(codecs.BOM_UTF8)


def _below(top: str) -> Iterator[SourcePath]:
    """Every file below a folder; links are followed, each folder is entered once."""
    entered: dict[tuple[int, int], str] = {}
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            status = os.stat(folder)  # noqa: PTH116
            first = entered.setdefault((status.st_dev, status.st_ino), folder)
            names = sorted(os.listdir(folder), key=os.fsencode)  # noqa: PTH208
        except OSError as error:
            reason = f"the folder cannot be read: {error.strerror or error}"
            yield SourcePath(folder, PathState.NOT_READABLE, reason=reason)
            continue
        if first != folder:
            yield SourcePath(folder, PathState.LEFT_OUT, reason=f"the same folder as {printable(first)}")
            continue
        if os.path.isfile(os.path.join(folder, "store.json")):  # noqa: PTH113, PTH118
            yield SourcePath(folder, PathState.LEFT_OUT, reason="a store of docaudit")
            continue
        paths = [os.path.join(folder, name) for name in names]  # noqa: PTH118
        folders = [path for path in paths if os.path.isdir(path)]  # noqa: PTH112
        yield from (_in_folder(path) for path in paths if path not in folders)
        waiting += reversed(folders)


def _in_folder(path: str) -> SourcePath:
    """A file in a folder: a document if its name or its beginning says so."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            return SourcePath(path, PathState.LEFT_OUT, reason="no regular file")
        if path.lower().endswith(".pdf"):
            return SourcePath(path, PathState.DOCUMENT)
        with open(path, "rb") as stream:  # noqa: PTH123
            head = stream.read(_HEAD)
    except OSError as error:
        return _not_readable(path, error)
    if b"%PDF-" in head:
        return SourcePath(path, PathState.DOCUMENT)
    return SourcePath(path, PathState.NOT_A_PDF, reason="not a PDF" if head else "the file is empty")


def _hashed(path: SourcePath) -> SourcePath:
    """The path with its hash, if it is a document."""
    if path.state is not PathState.DOCUMENT:
        return path
    try:
        if not stat.S_ISREG(os.stat(path.path).st_mode):  # noqa: PTH116 - to open a pipe would wait for ever
            return SourcePath(path.path, PathState.LEFT_OUT, reason="no regular file")
        with open(path.path, "rb") as stream:  # noqa: PTH123
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        return _not_readable(path.path, error)
    return SourcePath(path.path, PathState.DOCUMENT, sha256, size)


def _not_readable(path: str, error: OSError) -> SourcePath:
    reason = f"cannot be read: {error.strerror or error}"
    return SourcePath(path, PathState.NOT_READABLE, reason=reason)
