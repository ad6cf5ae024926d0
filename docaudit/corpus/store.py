"""A store on disk: where everything lies in it, who may write, and why a document has no audit.

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
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict

import docaudit
from docaudit import files as atomic
from docaudit.codes import Code
from docaudit.errors import (
    DamagedDocumentError,
    InputError,
    NoPagesError,
    NotAPdfError,
    OutputError,
    PasswordRequiredError,
    StoreError,
)
from docaudit.options import READING_OPTIONS, AuditOptions


class FailureCode(Code):
    """What came in the way of a document."""

    NOT_A_PDF = "not_a_pdf", "The file is empty, or something else than a PDF."
    PASSWORD_REQUIRED = "password_required", "It is encrypted, and no password or a wrong one was given."
    NO_PAGES = "no_pages", "It opens, but no page can be reached."
    DAMAGED = "damaged", "It is too damaged or hostile to be opened within the limits."
    NOT_READABLE = "not_readable", "It is gone, closed, or changed during the run. The next run tries again."
    WORKER_DIED = "worker_died", "The process that worked on it ended, twice."
    OUT_OF_MEMORY = "out_of_memory", "Memory ran out."
    UNEXPECTED = "unexpected", "A fault of docaudit; the detail is worth a report."

    @property
    def passes(self) -> bool:
        """It lies in the moment and not in the bytes of the document: the next run tries again by itself."""
        return self is FailureCode.NOT_READABLE


class DocumentFailure(BaseModel):
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


_CODES: Mapping[type[InputError], FailureCode] = {
    NotAPdfError: FailureCode.NOT_A_PDF,
    PasswordRequiredError: FailureCode.PASSWORD_REQUIRED,
    NoPagesError: FailureCode.NO_PAGES,
    DamagedDocumentError: FailureCode.DAMAGED,
}


def code_of(error: InputError) -> FailureCode:
    """The code for what `docaudit.parse` raised."""
    return _CODES.get(type(error), FailureCode.NOT_READABLE)


FORM = 1
_ROWS = ".rows.gz"
_HALF_WRITTEN = re.compile(r"\.[\w.]+\.[a-z0-9_]{8}")
"""What docaudit.files writes to before it moves it; other hidden files in a store are somebody's."""


class Unfinished(BaseModel):
    """How far the last run came.

    Attributes:
        done: Documents with which nothing was left to do; of a run that was killed, when it began.
        documents: Documents of its sources.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    done: int
    documents: int


class Store:
    """The folder of a store; `open_store` makes sure that it is one."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.tables = self.root / "tables"
        self._unfinished_file = self.root / "unfinished.json"

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

    def failed_documents(self) -> dict[str, DocumentFailure]:
        """Records of the documents that could not be read or audited; raises StoreError."""
        failures: dict[str, DocumentFailure] = {}
        for name in _names(self.root / "failures"):
            file = self.root / "failures" / name
            try:
                failures[file.stem] = DocumentFailure.model_validate_json(file.read_bytes())
            except (OSError, ValueError) as error:
                raise StoreError(
                    "this part of the store is damaged", file=str(file), remedy="remove it, and run again"
                ) from error
        return failures

    def known_documents(self) -> set[str]:
        """Hashes of all documents, also of those that could not be read."""
        failed = {name.removesuffix(".json") for name in _names(self.root / "failures")}
        return self.read_documents() | failed

    def audited(self, key: str) -> set[str]:
        """Hashes of the documents that have their rows in an audit, also as one that failed."""
        return {name.removesuffix(_ROWS) for name in _names(self.audit_folder(key)) if name.endswith(_ROWS)}

    def justified(self, key: str) -> set[str]:
        """Hashes of the documents that have their justification in an audit."""
        names = _names(self.audit_folder(key))
        return {name.removesuffix(".json") for name in names if name.endswith(".json")} - {"audit"}

    def clean(self) -> None:
        """Remove what runs that were killed left half written."""
        for pattern in (".*", "*/.*", "audits/*/.*", "tables/*/.*"):
            for path in list(self.root.glob(pattern)):
                if _HALF_WRITTEN.fullmatch(path.name):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def note_unfinished(self, done: int, documents: int) -> None:
        """Keep how far the run came, for whoever reads the tables meanwhile; raises OutputError."""
        kept = Unfinished(done=done, documents=documents)
        atomic.write_text(self._unfinished_file, kept.model_dump_json() + "\n")

    def forget_unfinished(self) -> None:
        """The run has come to its end; raises OutputError."""
        atomic.remove(self._unfinished_file)

    def unfinished(self) -> Unfinished | None:
        """How far the last run came; None if it came to its end. Raises StoreError."""
        try:
            return Unfinished.model_validate_json(self._unfinished_file.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(
                f"cannot be read: {error}",
                file=str(self._unfinished_file),
                remedy="run docaudit corpus run again",
            ) from error


def _names(folder: Path) -> list[str]:
    """Names in a folder that are not half written; none if there is no folder."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208 - names alone
    except FileNotFoundError:
        return []


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


KEPT_OPTIONS = tuple(name for name in READING_OPTIONS if name not in ("password", "workers"))
"""Options of reading that change what is read."""


def make_store(path: Path, options: AuditOptions) -> tuple[Store, AuditOptions]:
    """The store in this folder, made if the folder is new or empty, and the options with those of its documents.

    Raises StoreError if it is something else, or if other options of reading are asked for by name. A store without
    documents takes any options: nothing was read with those that it has.
    """
    store = Store(path)
    if store.head.exists():
        open_store(path)
    else:
        # What a run that was killed at this very point has left is nothing else.
        others = {entry.name for entry in path.iterdir()} - {"lock"}
        if not all(name.startswith(".store.json.") for name in others):
            raise StoreError(
                "holds other things, and is no store", file=str(path), remedy="name a new folder"
            )
    if not store.known_documents():
        reading = options.model_dump(mode="json", include=set(KEPT_OPTIONS))
        head = {"form": FORM, "docaudit": docaudit.__version__, "reading": reading}
        atomic.write_text(store.head, json.dumps(head, indent=1) + "\n")
    try:
        kept = AuditOptions(**json.loads(store.head.read_text("utf-8"))["reading"])
    except ValueError as error:
        raise StoreError(
            f"its options cannot be read: {error}", file=str(path), remedy="name a new folder"
        ) from error
    for name in KEPT_OPTIONS:
        value, kept_value = getattr(options, name), getattr(kept, name)
        if name in options.model_fields_set and value != kept_value:
            raise StoreError(
                f"its documents were read with {_flag(name, kept_value)}, not with {_flag(name, value)}",
                file=str(path),
                remedy=f"give {_flag(name, kept_value)}, or name a new folder",
            )
    return store, options.model_copy(update={name: getattr(kept, name) for name in KEPT_OPTIONS})


def _flag(name: str, value: object) -> str:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return flag if value else f"--no-{flag[2:]}"
    return f"the default of {flag}" if value is None else f"{flag} {value}"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the store against other runs; raises StoreError with the process that holds it.

    A folder that is new and in which no document was worked on is removed: a mistyped name leaves nothing behind.
    """
    new = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        handle = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise OutputError(
            f"cannot be written: {error.strerror}", file=str(path), remedy="name a place that is writable"
        ) from error
    try:
        try:
            atomic.lock(handle)
        except BlockingIOError as error:
            holder = os.read(handle, 32).decode("ascii", "replace").strip()
            raise StoreError(
                f"another run writes into it (process {holder or 'unknown'})",
                file=str(path),
                remedy="wait for it to end, or name another folder",
            ) from error
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode("ascii"))
        try:
            yield
        finally:
            if new and not Store(path).known_documents():
                shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(handle)
