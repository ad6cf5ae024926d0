"""The temporary folder of one server: gone when it ends, and removed by the next one if it was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

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
