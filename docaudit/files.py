"""Writing so that a result is there whole or not at all: to a temporary name beside the target, then moved."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from docaudit.errors import OutputError

Content = str | bytes | Path
"""What a file is to hold: text, bytes, or the content of another file."""
_LOCKED_BYTE = 1 << 30
"""Far behind the content of a lock file, which others may then read: Windows locks bytes, not files."""


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; raises OutputError.

    Missing folders are made. A link is replaced, and what it leads to stays as it is; a device or pipe is refused.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise OutputError(
                "is a device or pipe, which a file would replace", file=str(path), remedy="name a file"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _output_error(path, error) from error


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file whole or not at all; raises OutputError."""
    write_bytes(path, text.encode("utf-8", "surrogatepass"))


def write_files(folder: Path, contents: Mapping[str, Content]) -> list[Path]:
    """Write several files into a folder, all of them or none; raises OutputError.

    Text is written as UTF-8, bytes as they are, and a path is copied. Files of these names are replaced; whatever else
    is in the folder stays.
    """
    taken = [folder / name for name in contents if (folder / name).is_dir()]
    if taken:
        raise OutputError("is a directory", file=str(taken[0]), remedy="remove it, or name another folder")
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".docaudit.") as temporary:
            for name, content in contents.items():
                _put(Path(temporary) / name, content)
            for name in contents:
                (Path(temporary) / name).replace(folder / name)
    except BaseException as error:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise _output_error(folder, error) from error
        raise
    return [folder / name for name in contents]


def _put(path: Path, content: Content) -> None:
    if isinstance(content, Path):
        shutil.copyfile(content, path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, "utf-8", "surrogatepass", newline="")


@contextmanager
def writing_folder(path: Path) -> Iterator[Path]:
    """A temporary folder that takes the place of `path` when the block ends well; raises OutputError.

    An existing folder is replaced only if it is empty or was written this way before (it has a document.json).
    """
    if path.exists() and not (
        path.is_dir() and ((path / "document.json").exists() or not any(path.iterdir()))
    ):
        raise OutputError("will not replace what is there", file=str(path), remedy="name a new folder")
    _refuse_other_files(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        temporary.chmod(0o777 & ~_umask())
        try:
            yield temporary
            if path.exists():
                shutil.rmtree(path)
            temporary.replace(path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise _output_error(path, error) from error


def _refuse_other_files(path: Path) -> None:
    """A folder is replaced as a whole: whatever else a person put into it would be gone."""
    others = [
        one.name
        for one in (path.iterdir() if path.is_dir() else ())
        if one.name != "document.json" and one.suffix != ".parquet"
    ]
    if others:
        raise OutputError(
            f"holds other files, which would be lost: {min(others)}",
            file=str(path),
            remedy="move them, or name another folder",
        )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _output_error(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"cannot be written: {error.strerror or error}",
        file=str(path),
        remedy="name a place that exists and is writable",
    )


def remove(path: Path) -> None:
    """Remove a file if it is there; raises OutputError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _output_error(path, error) from error


def lock(handle: int) -> None:
    """Hold an open file against all other processes until it is closed; raises BlockingIOError if one holds it."""
    if sys.platform == "win32":
        import msvcrt

        at = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from error
        finally:
            os.lseek(handle, at, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
