"""Files below the folders that a server was started with: what its clients may read, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from docaudit.document import PARSED_TABLES
from docaudit.errors import DocauditError, NotBelowRootsError, OptionError, TooLargeError

_HEAD = "document.json"
_PARSE_FILES = (_HEAD, *(f"{name}.parquet" for name in PARSED_TABLES))
_MIB = 1 << 20
_MAX_NAME = 200
"""Characters of a client's path in a message: chosen, not measured."""


@dataclass(frozen=True)
class AllowedFolder:
    """One folder: what clients call it, and where it lies with all links followed; `given` as it was named."""

    name: str
    real: Path
    given: Path


class AllowedFolders:
    """The folders whose files clients may name.

    A client's path is relative to the folder if there is one, begins with the name of the folder (`names`) if there are
    several, or is absolute. Links are followed as long as they stay below the folders.

    Args:
        folders: The folders; one that is named twice counts once.
        max_mb: MiB of the largest file, or saved parse, that is handed on.

    Raises:
        OptionError: There is no folder, or one of them is none.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]], *, max_mb: int = 1024) -> None:
        self._max_bytes = max_mb * _MIB
        allowed: dict[Path, AllowedFolder] = {}
        for folder in map(Path, folders):
            try:
                real = folder.resolve(strict=True)
            except (OSError, ValueError, RuntimeError) as error:
                raise OptionError(
                    "no such folder", file=str(folder), remedy="name a folder that exists"
                ) from error
            if not real.is_dir():
                raise OptionError("is no folder", file=str(folder), remedy="name the folder that it lies in")
            taken = {other.name for other in allowed.values()}
            name, number = real.name or "root", 2
            while name in taken:
                name, number = f"{real.name or 'root'}-{number}", number + 1
            given = Path(os.path.normpath(folder.absolute()))
            allowed.setdefault(real, AllowedFolder(name, real, given))
        if not allowed:
            raise OptionError("no folder is named, so there is nothing to read", remedy="name at least one")
        self._folders = tuple(allowed.values())

    @property
    def names(self) -> tuple[str, ...]:
        """What the folders are called; with several, a client's path begins with one of these names."""
        return tuple(folder.name for folder in self._folders)

    @contextmanager
    def opened(self, path: str) -> Iterator[Path]:
        """Where a file, or the folder of a saved parse, lies, with all links followed.

        Errors of docaudit that are raised in the block name the file as the client did.

        Raises:
            NotBelowRootsError: It is not there, not below the folders, or no regular file; which of the first two is
                not told.
            TooLargeError: It is larger than max_mb.
        """
        shown = shown_name(path)
        real = self._located(path)
        if real is None:
            how = f"by its path below {self.names[0]}"
            if len(self._folders) > 1:
                how = f"by its path, which begins with {' or '.join(self.names)}"
            raise NotBelowRootsError(
                "no such file below the folders that are open to clients", file=shown, remedy=f"name it {how}"
            )
        if not (real.is_file() or real.is_dir()):
            raise NotBelowRootsError("is no regular file", file=shown, remedy="name a PDF file")
        try:
            self._check_size(real, shown)
            yield real
        except DocauditError as error:
            error.file = None if error.file is None else error.file.replace(str(real), shown)
            error.cause = error.cause.replace(str(real), shown)
            error.args = (str(error).replace(str(real), shown),)
            raise

    def walk(self) -> Iterator[tuple[str, Path]]:
        """Every file and every saved parse (a folder) below the folders, as a client names it and where it lies.

        Linked files are there if they lie below the folders; linked folders are not entered.
        """
        for folder in self._folders:
            prefix = PurePosixPath(folder.name) if len(self._folders) > 1 else PurePosixPath()
            for top, subfolders, files in os.walk(folder.real):
                place = prefix / Path(top).relative_to(folder.real)
                if _HEAD in files and self._real(Path(top)) is not None:
                    subfolders.clear()
                    yield str(place), Path(top)
                    continue
                subfolders.sort()
                for name in sorted(files):
                    real = self._real(Path(top, name))
                    if real is not None and real.is_file():
                        yield str(place / name), real

    def _located(self, path: str) -> Path | None:
        """Where a client's path leads, or None if it leads nowhere or outside."""
        parts = PurePosixPath(path).parts
        if ".." in parts:
            return None
        for folder in self._folders:
            if PurePosixPath(path).is_absolute():
                if not any(Path(path).is_relative_to(top) for top in (folder.real, folder.given)):
                    continue
                candidate = Path(path)
            elif len(self._folders) == 1:
                candidate = folder.real / path
            elif parts and parts[0] == folder.name:
                candidate = folder.real.joinpath(*parts[1:])
            else:
                continue
            return self._real(candidate)
        return None

    def _real(self, path: Path) -> Path | None:
        """The path with all links followed, or None if it is not there or not below the folders."""
        try:
            real = path.resolve(strict=True)
        except (
            OSError,
            ValueError,
            RuntimeError,
        ):  # missing, a circle of links, a NUL byte, a lone surrogate
            return None
        return real if any(real.is_relative_to(folder.real) for folder in self._folders) else None

    def _check_size(self, real: Path, shown: str) -> None:
        """Raise TooLargeError for too large a file; each file of a saved parse must lie below the folders, too."""
        files = [real]
        if real.is_dir():
            files = [real / name for name in _PARSE_FILES if os.path.lexists(real / name)]
            for file in files:
                if self._real(file) is None:
                    raise NotBelowRootsError(
                        "a file of this saved parse lies outside the folders that are open to clients",
                        file=shown,
                        remedy="copy it into the folder",
                    )
        size = sum(file.stat().st_size for file in files)
        if size > self._max_bytes:
            raise TooLargeError(
                f"has {size / _MIB:,.1f} MiB, more than the {self._max_bytes // _MIB:,} MiB that are taken here",
                file=shown,
                remedy="split it, or start the server with a larger --max-mb",
            )


def shown_name(path: object) -> str:
    """A client's path as it may stand in a message: on one line, not too long."""
    text = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return text if len(text) <= _MAX_NAME else f"{text[:_MAX_NAME]}…"
