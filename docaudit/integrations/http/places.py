"""Folders for the files of requests: one for each, gone when the request is over, however it ends."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import secrets
import shutil
import tempfile
import unicodedata
from pathlib import Path

from docaudit.integrations.own_folder import OwnFolder

_PREFIX = "docaudit-serve-"
_MOST_BYTES = 200
_TRIES = 50


class Places(OwnFolder):
    """The folder of one server, with one folder for each request in it."""

    def __init__(self) -> None:
        super().__init__(_PREFIX)

    def new(self) -> Path:
        """A new folder for one request, with the folder `tmp` for whatever its processes keep for a while."""
        place = self.folder / secrets.token_hex(8)
        for part in (place, place / "document", place / "table", place / "out", place / "tmp"):
            part.mkdir(mode=0o700)
        return place


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
