"""What the sources of a run name: every file below a folder or in a list, each a document or with why it is none.

A file is taken for a document if its name ends in .pdf, if it begins as a PDF, or if it is named itself: then it gets a
row even if it cannot be read. All else is listed with its reason, and nothing is left out without a word.
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
from pathlib import Path

from docaudit.corpus.store import Store
from docaudit.errors import DocumentNotFoundError

_HEAD = 1024
"""A PDF has its header in so many bytes."""
_READERS = 4
_TOLD = 5


class PathState(StrEnum):
    """What a path is."""

    DOCUMENT = "document"
    NOT_A_PDF = "not_a_pdf"
    NOT_READABLE = "not_readable"
    LEFT_OUT = "left_out"


@dataclass(frozen=True)
class Found:
    """One path.

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


def shown(path: str | os.PathLike[str]) -> str:
    r"""A path as text that can be printed and kept: bytes that are no UTF-8 as \xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def find(sources: Iterable[str], progress: Callable[[int, int], None] | None = None) -> list[Found]:
    """Every path that the sources name or hold, sorted; raises DocumentNotFoundError for a source that is not there.

    Args:
        sources: Absolute paths of folders, documents and lists.
        progress: Called with paths that were looked at, and paths in all.
    """
    listed: dict[str, Found] = {}
    for source in sources:
        for found in _named(source):
            # A file that is named itself is a document, whatever a folder says of it.
            if found.path not in listed or listed[found.path].state is not PathState.DOCUMENT:
                listed[found.path] = found
    ordered = [listed[path] for path in sorted(listed, key=os.fsencode)]
    with ThreadPoolExecutor(_READERS) as pool:
        done: list[Found] = []
        for found in pool.map(_hashed, ordered):
            done.append(found)
            if progress is not None:
                progress(len(done), len(ordered))
    return done


def unreadable(found: Iterable[Found]) -> dict[str, str]:
    """Why the paths that may be documents cannot be read, by path."""
    return {shown(one.path): one.reason for one in found if one.state is PathState.NOT_READABLE}


def nothing_in(sources: Iterable[str], found: Iterable[Found]) -> DocumentNotFoundError:
    """The error that says that there is no document below the sources, with what could not be read."""
    told = [f"{path}: {reason}" for path, reason in unreadable(found).items()]
    more = f" and {len(told) - _TOLD:,} more" if len(told) > _TOLD else ""
    where = ", ".join(shown(source) for source in sources)
    return DocumentNotFoundError(
        "; ".join([f"no PDF below {where}", *told[:_TOLD]]) + more,
        remedy="name a folder, a PDF, or a text file with one path on each line",
    )


def _named(source: str) -> Iterator[Found]:
    if os.path.isdir(source):  # noqa: PTH112 - a name may hold bytes that are no text
        yield from _below(source)
        return
    try:
        with open(source, "rb") as stream:  # noqa: PTH123
            head = stream.read(_HEAD)
            is_pdf = b"%PDF-" in head or source.lower().endswith(".pdf")
            rest = b"" if is_pdf else stream.read()
    except OSError as error:
        raise DocumentNotFoundError(
            f"cannot be read: {error.strerror or error}",
            file=shown(source),
            remedy="name a folder, a PDF, or a text file with one path on each line",
        ) from error
    if is_pdf:
        yield Found(source, PathState.DOCUMENT)
        return
    yield from _of_list(source, head + rest)


def _of_list(source: str, content: bytes) -> Iterator[Found]:
    """The paths in a list: one on each line, or parted by zero bytes as `find -print0` writes them.

    A line that begins with # is a comment, unless there is such a file.
    """
    content = _plain(content)
    lines = b"\0" not in content
    for part in content.splitlines() if lines else content.split(b"\0"):
        if not part.strip():
            continue
        path = _listed(os.fsdecode(part)) if lines else absolute(os.fsdecode(part))
        if os.path.isdir(path):  # noqa: PTH112
            yield from _below(path)
        elif os.path.exists(path):  # noqa: PTH110
            yield Found(path, PathState.DOCUMENT)
        elif not (lines and part.lstrip().startswith(b"#")):
            yield Found(
                path, PathState.NOT_READABLE, reason=f"the list {shown(source)} names it, and it is not there"
            )


def _plain(content: bytes) -> bytes:
    """A list in UTF-8, without a mark: the zero bytes of UTF-16 part no paths."""
    for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if content.startswith(mark):
            return content.decode("utf-16", "replace").encode("utf-8", "replace")
    # Without a mark: every other byte of text in a Western language is zero.
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if content[first::2].count(0) > len(content) / 3:
            return content.decode(encoding, "replace").encode("utf-8", "replace")
    return content.removeprefix(codecs.BOM_UTF8)


def _listed(line: str) -> str:
    """The path on a line of a list: as it stands, or without blanks and quotes around it if there is none such."""
    bare = line.strip()
    unquoted = bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'" else bare
    there = (one for one in (line, bare, unquoted) if os.path.lexists(one))
    return absolute(next(there, unquoted))


def absolute(path: str) -> str:
    """An absolute path; links stay as named, but where one is left by `..` the path is where the system finds it."""
    if ".." in path.split("/"):
        return os.path.realpath(path)
    return os.path.abspath(path)  # noqa: PTH100


def _below(top: str) -> Iterator[Found]:
    """Every file below a folder; links are followed, each folder is entered once."""
    entered: dict[tuple[int, int], str] = {}
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            status = os.stat(folder)  # noqa: PTH116
            before = entered.setdefault((status.st_dev, status.st_ino), folder)
            names = sorted(os.listdir(folder), key=os.fsencode)  # noqa: PTH208
        except OSError as error:
            yield Found(
                folder, PathState.NOT_READABLE, reason=f"the folder cannot be read: {error.strerror or error}"
            )
            continue
        if before != folder:
            yield Found(folder, PathState.LEFT_OUT, reason=f"the same folder as {shown(before)}")
            continue
        if Store(Path(folder)).head.is_file():
            yield Found(folder, PathState.LEFT_OUT, reason="a store of docaudit")
            continue
        folders: list[str] = []
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isdir(path):  # noqa: PTH112
                folders.append(path)
            else:
                yield _file(path)
        waiting += reversed(folders)


def _file(path: str) -> Found:
    """A file in a folder: a document if its name or its beginning says so."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
        if not stat.S_ISREG(mode):
            return Found(path, PathState.LEFT_OUT, reason="no regular file")
        if path.lower().endswith(".pdf"):
            return Found(path, PathState.DOCUMENT)
        with open(path, "rb") as stream:  # noqa: PTH123
            head = stream.read(_HEAD)
    except OSError as error:
        return Found(path, PathState.NOT_READABLE, reason=f"cannot be read: {error.strerror or error}")
    if b"%PDF-" in head:
        return Found(path, PathState.DOCUMENT)
    return Found(path, PathState.NOT_A_PDF, reason="not a PDF" if head else "the file is empty")


def _hashed(found: Found) -> Found:
    """With the hash, if it is a document."""
    if found.state is not PathState.DOCUMENT:
        return found
    try:
        mode = os.stat(found.path).st_mode  # noqa: PTH116
        if not stat.S_ISREG(mode):
            return Found(found.path, PathState.LEFT_OUT, reason="no regular file")
        with open(found.path, "rb") as stream:  # noqa: PTH123
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        return Found(found.path, PathState.NOT_READABLE, reason=f"cannot be read: {error.strerror or error}")
    return Found(found.path, PathState.DOCUMENT, sha256, size)
