"""Parts of a store that were lost or damaged since: each is a row that says so, until it is made again."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pyarrow as pa

from docaudit.corpus import rows
from docaudit.corpus.audits import Asked
from docaudit.corpus.failures import Failure, FailureCode
from docaudit.corpus.rows import Rows
from docaudit.corpus.store import Store
from docaudit.errors import OutputError, SavedFileError
from docaudit.parsed import ParsedDocument

_REMEDY = "run docaudit corpus run again over the folder in which it lies"


class DamagedPartError(Exception):
    """A parse, or the rows of an audit, cannot be read back as they were written."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path

    def remove(self) -> None:
        """Remove the part, so that it is made again; raises OutputError.

        A parse that can be loaded stays, and what really happened is raised: the PDF may be gone, and a fault of
        docaudit must not cost what was read of it.
        """
        if self.path.is_dir() and self.__cause__ is not None and _loads(self.path):
            raise self.__cause__
        try:
            shutil.rmtree(self.path) if self.path.is_dir() else self.path.unlink()
        except OSError as error:
            raise OutputError(
                f"is damaged and cannot be removed: {error.strerror or error}",
                file=str(self.path),
                remedy="remove it, and run again",
            ) from error


def _loads(parse: Path) -> bool:
    try:
        ParsedDocument.load(parse)
    except SavedFileError:
        return False
    return True


@contextmanager
def part_of(path: Path) -> Iterator[None]:
    """Raise DamagedPartError where a file of this part is not as it was written."""
    try:
        yield
    except (FileNotFoundError, EOFError, ValueError, KeyError, TypeError, pa.ArrowInvalid) as error:
        raise DamagedPartError(path) from error


def rows_kept(store: Store, key: str, asked: Asked, sha256: str) -> Rows:
    """The rows of a document in an audit; if they were lost, rows that say so. Raises DamagedPartError."""
    path = store.rows_of(key, sha256)
    try:
        kept = rows.read(path)
        told = kept.findings[0].get("justification", "")
    except FileNotFoundError:
        return rows.failed_rows(asked, _gone(sha256, "its rows are gone from the store"))
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError, IndexError) as error:
        raise DamagedPartError(path) from error
    if told not in ("", str(store.justification_of(key, sha256).relative_to(store.root))):
        raise DamagedPartError(path)  # those of another document or audit
    return kept


def parse_gone(sha256: str, paths: Sequence[str]) -> Failure:
    """Why there is nothing of a document that was audited once."""
    name = paths[0].rpartition("/")[2] if paths else sha256
    return _gone(name, "its parse is gone from the store")


def _gone(name: str, detail: str) -> Failure:
    return Failure(name=name, size_bytes=0, code=FailureCode.NOT_READABLE, detail=detail, remedy=_REMEDY)
