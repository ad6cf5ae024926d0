"""A store on disk: where everything lies in it, who may write, and what a run that was killed left behind.

STORE/store.json                    form, version of docaudit, options of reading; written once
STORE/lock                          held by the run that writes; holds its process number
STORE/unfinished.json               there while a run has not come to its end: documents done, and in all
STORE/documents/SHA256/             a parse, as ParsedDocument.save writes it
STORE/failures/SHA256.json          in its place, why there is none
STORE/prepared/SHA256               its search text and words, so that a new table is swept fast; can be deleted
STORE/audits/KEY/audit.json         a concept table, a question, options of searching
STORE/audits/KEY/SHA256.json        a justification, as docaudit.saved.dump writes it
STORE/audits/KEY/SHA256.rows.gz     its rows of the tables
STORE/tables/                       docaudit.corpus.audits

Every part appears whole or not at all, under a name that says what it is: what is there is done, and a run that was
killed goes on where it stood.

Why a document has no audit: one code for each way in which reading or auditing it ended, kept in the store.

A run takes hold of its store: makes it, keeps other runs out, and leaves none behind that holds no document.

A note in the store while a run has not come to its end: whoever reads the tables must know what they lack.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

import docaudit
from docaudit import files as atomic
from docaudit.document import ParsedDocument
from docaudit.errors import (
    DamagedDocumentError,
    DocumentNotFoundError,
    InputError,
    NoPagesError,
    NotAPdfError,
    OutputError,
    PasswordRequiredError,
    StoreError,
)
from docaudit.options import READING_OPTIONS, AuditOptions


class FailureCode(StrEnum):
    """What came in the way of a document."""

    NOT_A_PDF = "not_a_pdf"
    PASSWORD_REQUIRED = "password_required"
    NO_PAGES = "no_pages"
    DAMAGED = "damaged"
    NOT_READABLE = "not_readable"
    WORKER_DIED = "worker_died"
    OUT_OF_MEMORY = "out_of_memory"
    TIMED_OUT = "timed_out"
    UNEXPECTED = "unexpected"

    @property
    def meaning(self) -> str:
        """What came in the way, as a sentence."""
        return _MEANINGS[self]

    @property
    def passes(self) -> bool:
        """It lies in the moment and not in the bytes of the document: the next run tries again by itself."""
        return self is FailureCode.NOT_READABLE


_MEANINGS = {
    FailureCode.NOT_A_PDF: "The file is empty, or something else than a PDF.",
    FailureCode.PASSWORD_REQUIRED: "It is encrypted, and no password or a wrong one was given.",
    FailureCode.NO_PAGES: "It opens, but no page can be reached.",
    FailureCode.DAMAGED: "It is too damaged or hostile to be opened within the limits.",
    FailureCode.NOT_READABLE: "It is gone, closed, or changed during the run. The next run tries again.",
    FailureCode.WORKER_DIED: "The process that worked on it ended, twice.",
    FailureCode.OUT_OF_MEMORY: "Memory ran out.",
    FailureCode.TIMED_OUT: "The process that worked on it gave no sign of life, twice.",
    FailureCode.UNEXPECTED: "A fault of docaudit; the detail is worth a report.",
}


class Failure(BaseModel):
    """What is kept of a document that could not be read or audited.

    Attributes:
        name: File name of the document.
        size_bytes: Length of the file.
        code: What came in the way.
        detail: What happened, as a sentence without its full stop.
        remedy: What a person can do about it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    size_bytes: int
    code: FailureCode
    detail: str
    remedy: str


_CODES: tuple[tuple[type[InputError], FailureCode], ...] = (
    (NotAPdfError, FailureCode.NOT_A_PDF),
    (PasswordRequiredError, FailureCode.PASSWORD_REQUIRED),
    (NoPagesError, FailureCode.NO_PAGES),
    (DamagedDocumentError, FailureCode.DAMAGED),
    (DocumentNotFoundError, FailureCode.NOT_READABLE),
    (InputError, FailureCode.NOT_READABLE),
)


def code_of(error: InputError) -> FailureCode:
    """The code for what `docaudit.parse` raised."""
    return next(code for kind, code in _CODES if isinstance(error, kind))


FORM = 1
_ROWS = ".rows.gz"
_HALF_WRITTEN = re.compile(r"\.[\w.]+\.[a-z0-9_]{8}")
"""What docaudit.files writes to before it moves it; other hidden files in a store are somebody's."""


class Store:
    """The folder of a store; `open_store` makes sure that it is one."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.tables = self.root / "tables"

    @property
    def head(self) -> Path:
        """What makes a folder a store."""
        return self.root / "store.json"

    def parse_of(self, sha256: str) -> Path:
        """Folder of the parse of a document."""
        return self.root / "documents" / sha256

    def prepared_of(self, sha256: str) -> Path:
        """What every sweep of a document needs, made once."""
        return self.root / "prepared" / sha256

    def failure_of(self, sha256: str) -> Path:
        """Record of a document that could not be read."""
        return self.root / "failures" / f"{sha256}.json"

    def audit_folder(self, key: str) -> Path:
        """Folder of an audit."""
        return self.root / "audits" / key

    def justification_of(self, key: str, sha256: str) -> Path:
        """Justification of a document in an audit."""
        return self.audit_folder(key) / f"{sha256}.json"

    def rows_of(self, key: str, sha256: str) -> Path:
        """Rows of the tables of a document in an audit."""
        return self.audit_folder(key) / f"{sha256}{_ROWS}"

    def read_documents(self) -> set[str]:
        """Hashes of the documents that were read."""
        return set(_names(self.root / "documents"))

    def failed_documents(self) -> dict[str, Failure]:
        """Records of the documents that could not be read."""
        folder = self.root / "failures"
        return {
            name.removesuffix(".json"): Failure.model_validate_json((folder / name).read_bytes())
            for name in _names(folder)
        }

    def known_documents(self) -> set[str]:
        """Hashes of all documents, also of those that could not be read."""
        failed = {name.removesuffix(".json") for name in _names(self.root / "failures")}
        return self.read_documents() | failed

    @property
    def begun(self) -> bool:
        """Whether any document was worked on."""
        return any((self.root / name).exists() for name in ("documents", "failures"))

    def audited(self, key: str) -> set[str]:
        """Hashes of the documents that have their rows in an audit, also as one that failed."""
        return {name.removesuffix(_ROWS) for name in _names(self.audit_folder(key)) if name.endswith(_ROWS)}

    def justified(self, key: str) -> set[str]:
        """Hashes of the documents that have their justification in an audit."""
        names = _names(self.audit_folder(key))
        return {name.removesuffix(".json") for name in names if name.endswith(".json")} - {"audit"}

    def load(self, sha256: str) -> ParsedDocument:
        """The parse of a document; raises SavedFileError."""
        return ParsedDocument.load(self.parse_of(sha256))

    def clean(self) -> None:
        """Remove what runs that were killed left half written."""
        folders = [
            self.root,
            self.tables,
            *(self.root / name for name in ("documents", "failures", "prepared")),
        ]
        folders += _folders(self.root / "audits") + _folders(self.tables)
        for folder in folders:
            for left in (one for one in folder.glob(".*") if _HALF_WRITTEN.fullmatch(one.name)):
                shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()


def open_store(path: Path) -> Store:
    """The store in this folder; raises StoreError if there is none, or one of another form or version."""
    store = Store(path)
    try:
        head = json.loads(store.head.read_text("utf-8"))
        form, version = head["form"], head["docaudit"]
    except FileNotFoundError as error:
        raise StoreError(
            "is no store", file=str(path), remedy="name the folder that docaudit corpus run --out wrote"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"its store.json cannot be read: {error}", file=str(path), remedy="name a new folder"
        ) from error
    if (form, version) != (FORM, docaudit.__version__):
        raise StoreError(
            f"written by docaudit {version} in form {form}; this is docaudit {docaudit.__version__}, form {FORM}",
            file=str(path),
            remedy=f"use docaudit {version}, or name a new folder",
        )
    return store


def _names(folder: Path) -> list[str]:
    """Names in a folder that are not half written; none if there is no folder."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208 - names alone
    except FileNotFoundError:
        return []


def _folders(folder: Path) -> list[Path]:
    return [folder / name for name in _names(folder) if (folder / name).is_dir()]


class Unfinished(BaseModel):
    """How far the last run came.

    Attributes:
        done: Documents with which nothing was left to do; of a run that was killed, when it began.
        documents: Documents of its sources.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    done: int
    documents: int


def _path(store: Store) -> Path:
    return store.root / "unfinished.json"


def note(store: Store, done: int, documents: int) -> None:
    """Keep how far the run came; raises OutputError."""
    kept = Unfinished(done=done, documents=documents)
    atomic.write_text(_path(store), kept.model_dump_json() + "\n")


def forget(store: Store) -> None:
    """The run has come to its end; raises OutputError."""
    atomic.remove(_path(store))


def noted(store: Store) -> Unfinished | None:
    """How far the last run came; None if it came to its end. Raises StoreError."""
    try:
        return Unfinished.model_validate_json(_path(store).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"cannot be read: {error}", file=str(_path(store)), remedy="run docaudit corpus run again"
        ) from error


_KEPT = tuple(name for name in READING_OPTIONS if name not in ("password", "workers"))
"""Options of reading that change what is read."""


def make_store(path: Path, options: AuditOptions) -> tuple[Store, AuditOptions]:
    """The store in this folder, made if the folder is new or empty, and the options with those of its documents.

    Raises StoreError if it is something else, or if other options of reading are asked for by name. A store without
    documents takes any options: nothing was read with those that it has.
    """
    store = Store(path)
    reading = options.model_dump(mode="json", include=set(_KEPT))
    if not store.head.exists():
        _make(store, reading)
    open_store(path)
    if not store.known_documents():
        _write_head(store, reading)
    kept = json.loads(store.head.read_text("utf-8"))["reading"]
    try:
        was = AuditOptions(**kept)
    except ValueError as error:
        raise StoreError(
            f"its options cannot be read: {error}", file=str(path), remedy="name a new folder"
        ) from error
    for name in _KEPT:
        asked, before = getattr(options, name), getattr(was, name)
        if name in options.model_fields_set and asked != before:
            raise StoreError(
                f"its documents were read with {_flag(name, before)}, not with {_flag(name, asked)}",
                file=str(path),
                remedy=f"give {_flag(name, before)}, or name a new folder",
            )
    return store, options.model_copy(update={name: getattr(was, name) for name in _KEPT})


def _make(store: Store, reading: dict[str, object]) -> None:
    root = store.root
    try:
        # What a run that was killed at this very point has left is no other thing.
        others = [
            one for one in root.iterdir() if one.name != "lock" and not one.name.startswith(".store.json.")
        ]
    except OSError as error:
        raise StoreError(
            f"cannot be read: {error.strerror}", file=str(root), remedy="name another"
        ) from error
    if others:
        raise StoreError("holds other things, and is no store", file=str(root), remedy="name a new folder")
    _write_head(store, reading)


def _write_head(store: Store, reading: dict[str, object]) -> None:
    head = {"form": FORM, "docaudit": docaudit.__version__, "reading": reading}
    atomic.write_text(store.head, json.dumps(head, indent=1) + "\n")


def _flag(name: str, value: object) -> str:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return flag if value else f"--no-{flag[2:]}"
    return f"the default of {flag}" if value is None else f"{flag} {value}"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the store against other runs; raises StoreError with the process that holds it.

    What a run made that ended before it began its work is removed: a mistyped folder leaves nothing behind.
    """
    store = Store(path)
    lock = store.root / "lock"
    before = {one for one in (store.root, lock, store.head) if one.exists()}
    try:
        path.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise OutputError(
            f"cannot be written: {error.strerror}", file=str(path), remedy="name a place that is writable"
        ) from error
    try:
        try:
            atomic.lock(handle)
        except BlockingIOError as error:
            by = os.read(handle, 32).decode("ascii", "replace").strip()
            raise StoreError(
                f"another run writes into it (process {by or 'unknown'})",
                file=str(path),
                remedy="wait for it to end, or name another folder",
            ) from error
        if not lock.exists() or not os.path.samestat(os.fstat(handle), lock.stat()):
            # A run that left nothing behind removed it between these lines.
            raise StoreError("another run has just ended", file=str(path), remedy="run again")
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode("ascii"))
        try:
            yield
        finally:
            if store.head not in before and not store.begun:
                _remove_made(store, before)
    finally:
        os.close(handle)


def _remove_made(store: Store, before: set[Path]) -> None:
    """Remove a store in which no work was begun; in a folder of something else only the lock is the run's."""
    if store.head.exists():
        shutil.rmtree(store.root / "audits", ignore_errors=True)
        forget(store)
        atomic.remove(store.head)
    lock = store.root / "lock"
    if lock not in before:
        atomic.remove(lock)
    if store.root not in before and not any(store.root.iterdir()):
        store.root.rmdir()
