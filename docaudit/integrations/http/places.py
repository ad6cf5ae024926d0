"""Folders for the files of requests: one for each, gone when the request is over, however it ends."""

from __future__ import annotations

import asyncio
import datetime as dt
import fcntl
import os
import secrets
import shutil
import tempfile
import unicodedata
from contextlib import suppress
from pathlib import Path

_PREFIX = "docaudit-serve-"
_LOCK = "in-use"
_MOST_BYTES = 200
_TRIES = 50


class Places:
    """The folder of one server, readable by its user alone, with one folder for each request in it.

    A server that was killed leaves its folder behind; the next one that starts removes it.
    """

    def __init__(self) -> None:
        _remove_left_over(Path(tempfile.gettempdir()))
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        # Locked before it has its name: another server that starts now must not take this one for dead.
        unnamed = self.folder / f"{_LOCK}.new"
        self._lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        unnamed.rename(self.folder / _LOCK)

    def new(self) -> Path:
        """A new folder for one request, with the folder `tmp` for whatever its processes keep for a while."""
        place = self.folder / secrets.token_hex(8)
        for part in (place, place / "document", place / "table", place / "out", place / "tmp"):
            part.mkdir(mode=0o700)
        return place

    def close(self) -> None:
        """Remove everything."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


async def removed(place: Path) -> bool:
    """Remove the folder of a request; processes that were just killed may write into it a moment longer."""
    for _ in range(_TRIES):
        shutil.rmtree(place, ignore_errors=True)
        if not place.exists():
            return True
        await asyncio.sleep(0.1)
    return False


def keep(place: Path, folder: Path) -> Path:
    """Keep the uploads of a request and its results; raises OSError. Returns where."""
    now = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%SZ")
    folder.mkdir(parents=True, exist_ok=True)
    # Under a temporary name first, so that what has its final name is complete.
    partial = Path(tempfile.mkdtemp(prefix=f".{now}-", dir=folder))
    try:
        for part in ("document", "table", "out"):
            for file in sorted((place / part).iterdir()):
                (partial / part).mkdir(exist_ok=True)
                shutil.copyfile(file, partial / part / file.name)
        return partial.rename(folder / partial.name.removeprefix("."))
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def safe_name(name: str | None, otherwise: str) -> str:
    r"""The last part of a file name that a client gave, fit to be a file here.

    >>> safe_name("C:\\reports\\2025.pdf", "document.pdf"), safe_name("../../etc/passwd", "document.pdf")
    ('2025.pdf', 'passwd')
    >>> safe_name("報告 2025.pdf", "document.pdf"), safe_name("..", "document.pdf"), safe_name("a\x00\nb.pdf", "")
    ('報告 2025.pdf', 'document.pdf', 'ab.pdf')
    """
    last = (name or "").replace("\\", "/").rsplit("/", 1)[-1]
    # Controls, direction marks, halves of characters, private and unassigned signs.
    kept = "".join(sign for sign in last if not unicodedata.category(sign).startswith("C")).strip()
    if not kept.strip("."):
        return otherwise
    stem, suffix = os.path.splitext(kept)  # noqa: PTH122 - a name, no path
    suffix = _shortened(suffix, 20)
    return _shortened(stem, _MOST_BYTES - len(suffix.encode())) + suffix


def _shortened(text: str, size: int) -> str:
    return text.encode()[:size].decode("utf-8", "ignore")


def _remove_left_over(folder: Path) -> None:
    """Remove the folders of servers that ended without doing so themselves: nobody holds their lock any more."""
    for left in folder.glob(f"{_PREFIX}*"):
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
