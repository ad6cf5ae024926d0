"""Files below the folders that a server was started with: what its clients may read, and nothing else.

A client's path is opened first, and only then is looked at what was opened: by the name that the kernel gives it, all
links followed. So nobody can change the path between the check and the use. What was opened is handed on as a link
of the same name in a private folder, which leads to the very file, and works with everything that takes a path.

The temporary folder of one server: gone when it ends, and removed by the next one if it was killed.

JSON of a client, taken as it is written or not at all: nothing in it may be lost before anybody looks at it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from docaudit.document import PARSED_TABLES
from docaudit.errors import DocauditError, InputError, NotBelowRootsError, OptionError, TooLargeError

_FDS = Path("/proc/self/fd")
_HEAD = "document.json"
_PARSE_FILES = (_HEAD, *(f"{name}.parquet" for name in PARSED_TABLES))
_MIB = 1 << 20
_SHOWN = 200
_OWN_ERRORS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EROFS})
"""What goes wrong here, and says nothing of the file: it must not read as "no such file"."""


@dataclass(frozen=True)
class Root:
    """One folder: what clients call it, and where it lies with all links followed; `given` as it was named."""

    name: str
    real: Path
    given: Path


class Roots:
    """The folders whose files clients may name.

    A client's path is relative to the folder if there is one, begins with the name of the folder (`names`) if there are
    several, or is absolute. Links are followed as long as they stay below the folders.

    Args:
        folders: The folders; one that is named twice counts once.
        max_mb: MiB of the largest file, or saved parse, that is handed on.

    Raises:
        OptionError: There is no folder, one of them is none, or the system cannot say what it opened.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]], *, max_mb: int = 1024) -> None:
        self._max_bytes = max_mb * _MIB
        if not _FDS.is_dir():
            raise OptionError(
                "this system has no /proc, so what a client's path leads to cannot be checked",
                remedy="mount /proc",
            )
        roots: dict[Path, Root] = {}
        for folder in map(Path, folders):
            real = _folder(folder)
            name = _free_name(real.name or "root", {root.name for root in roots.values()})
            roots.setdefault(real, Root(name, real, Path(os.path.normpath(folder.absolute()))))
        if not roots:
            raise OptionError("no folder is named, so there is nothing to read", remedy="name at least one")
        self._roots = tuple(roots.values())

    @property
    def names(self) -> tuple[str, ...]:
        """What the folders are called; with several, a client's path begins with one of these names."""
        return tuple(root.name for root in self._roots)

    @contextmanager
    def opened(self, path: str) -> Iterator[Path]:
        """A file, or the folder of a saved parse, as a path with the same last name; valid in the block.

        Errors of docaudit that are raised in the block name the file as the client did.

        Raises:
            NotBelowRootsError: It is not there, not below the folders, or no regular file; which of the first two is
                not told.
            TooLargeError: It is larger than max_mb.
            InputError: Handles or room for the link are lacking.
        """
        shown = shown_name(path)
        with ExitStack() as held:
            try:
                target = self._linked(path, shown, held)
            except OSError as error:
                raise InputError(
                    f"cannot be opened now: {error.strerror or error}",
                    file=shown,
                    remedy="try again later, or make room in the temporary folder",
                ) from error
            try:
                yield target
            except DocauditError as error:
                _rename(error, str(target), shown)
                raise

    def walk(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every file and every saved parse (a folder) below the folders, as a client names it, in order.

        Linked files are there if they lie below the folders; linked folders are not entered.
        """
        for root in self._roots:
            prefix = PurePosixPath(root.name) if len(self._roots) > 1 else PurePosixPath()
            for top, folders, files, handle in os.fwalk(root.real):
                if not self._holds(_real(handle)):
                    folders.clear()  # the folder was moved away while it was read
                    continue
                at = prefix / Path(top).relative_to(root.real)
                if _HEAD in files:
                    folders.clear()
                    yield str(at), os.fstat(handle)
                    continue
                folders.sort()
                for name in sorted(files):
                    found = self._status(name, handle)
                    if found is not None and stat.S_ISREG(found.st_mode):
                        yield str(at / name), found

    def _linked(self, path: str, shown: str, held: ExitStack) -> Path:
        """A link to what the path leads to, or a folder of links to the files of a saved parse."""
        handle = self._pinned(path, shown, held)
        private = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="docaudit-")))
        target = private / (PurePosixPath(path).name or self._roots[0].name)
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            self._link_parse(handle, target, shown, held)
        else:
            self._need_size(os.fstat(handle).st_size, shown)
            target.symlink_to(_link_to(handle))
        return target

    def _pinned(self, path: str, shown: str, held: ExitStack) -> int:
        """A handle that cannot be read from, of a file or folder below the folders; closed by `held`."""
        for candidate in self._candidates(path):
            try:
                handle = _pin(candidate, held)
            except ValueError:  # a NUL byte, or half a character
                continue
            if handle is None or not self._holds(_real(handle)):
                continue
            kind = os.fstat(handle).st_mode
            if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
                return handle
            raise NotBelowRootsError("is no regular file", file=shown, remedy="name a PDF file")
        raise NotBelowRootsError(
            "no such file below the folders that are open to clients",
            file=shown,
            remedy=f"name it {self._how()}",
        )

    def _candidates(self, path: str) -> list[Path]:
        """Where the path may lie, from its text alone."""
        asked = PurePosixPath(path)
        if ".." in asked.parts:
            return []
        if asked.is_absolute():
            tops = [top for root in self._roots for top in (root.real, root.given)]
            return [Path(asked)] if any(asked.is_relative_to(top) for top in tops) else []
        if len(self._roots) == 1:
            return [self._roots[0].real / asked]
        return [
            root.real.joinpath(*asked.parts[1:])
            for root in self._roots
            if asked.parts and asked.parts[0] == root.name
        ]

    def _how(self) -> str:
        if len(self._roots) == 1:
            return f"by its path below {self._roots[0].name}"
        return f"by its path, which begins with {' or '.join(self.names)}"

    def _holds(self, real: Path | None) -> bool:
        return real is not None and any(real.is_relative_to(root.real) for root in self._roots)

    def _status(self, name: str, folder: int) -> os.stat_result | None:
        """The state of what this name in a folder leads to, or None if that is not below the folders."""
        with ExitStack() as held:
            handle = _pin(name, held, folder)
            return os.fstat(handle) if handle is not None and self._holds(_real(handle)) else None

    def _link_parse(self, folder: int, target: Path, shown: str, held: ExitStack) -> None:
        """Link the files of a saved parse, each checked for itself; what is missing, its reader will say."""
        target.mkdir()
        size = 0
        for name in _PARSE_FILES:
            handle = _pin(name, held, folder)
            if handle is not None and self._holds(_real(handle)) and stat.S_ISREG(os.fstat(handle).st_mode):
                size += os.fstat(handle).st_size
                (target / name).symlink_to(_link_to(handle))
        self._need_size(size, shown)

    def _need_size(self, size: int, shown: str) -> None:
        if size > self._max_bytes:
            raise TooLargeError(
                f"has {size / _MIB:,.1f} MiB, more than the {self._max_bytes // _MIB:,} MiB that are taken here",
                file=shown,
                remedy="split it, or start the server with a larger --max-mb",
            )


def shown_name(path: object) -> str:
    """A client's path as it may stand in a message: on one line, not too long."""
    text = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _folder(folder: Path) -> Path:
    try:
        real = folder.resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise OptionError("no such folder", file=str(folder), remedy="name a folder that exists") from error
    if not real.is_dir():
        raise OptionError("is no folder", file=str(folder), remedy="name the folder that it lies in")
    return real


def _free_name(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def _pin(path: str | Path, held: ExitStack, folder: int | None = None) -> int | None:
    """A handle of what the path leads to, None if nothing; it does nothing to a device, and waits for no pipe."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:  # missing, a circle of links, too long a name, a closed folder
        if error.errno in _OWN_ERRORS:
            raise
        return None
    held.callback(os.close, handle)
    return handle


def _real(handle: int) -> Path | None:
    """Where the opened file lies, or None if it was deleted since."""
    if not os.fstat(handle).st_nlink:
        return None
    return (_FDS / str(handle)).readlink()


def _link_to(handle: int) -> str:
    # Not /proc/self: the processes that read the document follow the link, too.
    return f"/proc/{os.getpid()}/fd/{handle}"


def _rename(error: DocauditError, private: str, shown: str) -> None:
    """Let an error name the file as the client did."""
    error.file = None if error.file is None else error.file.replace(private, shown)
    error.cause = error.cause.replace(private, shown)
    error.args = (str(error).replace(private, shown),)


_LOCK = "in-use"


class OwnFolder:
    """A folder that its user alone can read, and that is locked as long as the server lives.

    Folders with the same prefix whose servers are dead are removed first.

    Args:
        prefix: What the name of the folder begins with, the same for all servers of a kind.
    """

    def __init__(self, prefix: str) -> None:
        _remove_left_over(Path(tempfile.gettempdir()), prefix)
        self.folder = Path(tempfile.mkdtemp(prefix=prefix))
        # Locked before it has its name: another server that starts now must not take this one for dead.
        unnamed = self.folder / f"{_LOCK}.new"
        self._lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unnamed.rename(self.folder / _LOCK)

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def _remove_left_over(folder: Path, prefix: str) -> None:
    """Remove the folders of servers that ended without doing so themselves: nobody holds their lock any more."""
    for left in folder.glob(f"{prefix}*"):
        # Another user's, or just being removed by another server that starts.
        with suppress(OSError):
            if left.lstat().st_uid != os.getuid():
                continue
            handle = os.open(left / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for part in left.iterdir():  # the lock last: what cannot be removed now, another server may
                    if part.name != _LOCK:
                        shutil.rmtree(part)
                shutil.rmtree(left)
            finally:
                os.close(handle)


def strictly(text: str | bytes) -> Any:
    """What the JSON says.

    Raises ValueError with the reason: it is no JSON, is nested too deeply, has a name twice in one object (the first
    would be lost, and with it what was to be searched), or half a character, which no document and no answer can have.

    >>> strictly('{"AI": ["AI"], "AI": ["machine learning"]}')
    Traceback (most recent call last):
    ValueError: 'AI' stands there twice
    """
    try:
        found = json.loads(text, object_pairs_hook=_single)
        json.dumps(found, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("it has half a character (a surrogate without its other half)") from error
    return found


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} stands there twice")
        found[name] = value
    return found
