"""The work on one document: read it unless it was read, audit it with each table that it was not audited with.

It runs in whatever process an executor has, takes and gives plain values, and leaves its results in the store. What
every table needs of a document and none changes (search text, words, controls) takes longer to make than many sweeps:
it is kept in STORE/prepared, belongs to one parse and to the very code that made it, and so never decides what is
found.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import zlib
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

import docaudit
from docaudit import files as atomic
from docaudit import saved
from docaudit.audit import audit_parsed
from docaudit.controls import run_controls
from docaudit.corpus.audits import audit_of, failed_rows, rows_of, write_rows
from docaudit.corpus.sources import printable
from docaudit.corpus.store import DocumentFailure, FailureCode, Store, code_of
from docaudit.document import ParsedDocument
from docaudit.errors import DocauditError, InputError, SavedFileError
from docaudit.justification import ControlGroup
from docaudit.options import AuditOptions
from docaudit.search import no_collector
from docaudit.search.search_text import Prepared, prepare
from docaudit.text.vocabulary import Vocabulary, build_vocabulary, keep_vocabulary

_LIBRARIES = ("docaudit", "numpy", "pandas", "regex", "rapidfuzz", "ahocorasick-rs")


@dataclass(frozen=True)
class Task:
    """What is to be done for one document.

    Attributes:
        store: Folder of the store.
        sha256: The document.
        size_bytes: Length of the file.
        paths: Where it lies, in the order in which they are tried; empty if only its parse is used.
        keys: The audits to be made.
        options: Options of reading.
        password: Password of encrypted documents; never kept.
        workers: Child processes that read its pages.
        name: Its file name, if it is known without a path.
    """

    store: str
    sha256: str
    size_bytes: int
    paths: tuple[str, ...]
    keys: tuple[str, ...]
    options: AuditOptions
    password: str | None = None
    workers: int = 0
    name: str = ""


@dataclass(frozen=True)
class TaskResult:
    """What became of a task.

    Attributes:
        sha256: The document.
        newly_read: It was read now, and not before.
        audited: Audits that were made now.
        failure: Why there is no audit of it, or None.
    """

    sha256: str
    newly_read: bool = False
    audited: int = 0
    failure: DocumentFailure | None = None


def work(task: Task) -> TaskResult:
    """Do the task; raises what is no fault of the document (OutputError, OcrError, OptionError)."""
    store = Store(Path(task.store))
    try:
        parsed, newly_read = _parse(store, task)
        with no_collector():
            _audit(store, task, parsed)
    except InputError as error:
        return fail(task, code_of(error), error.cause, error.remedy)
    except MemoryError:
        return fail(task, FailureCode.OUT_OF_MEMORY, "memory ran out", "lower --jobs")
    except DocauditError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of docaudit on one document must not end the others
        detail = " ".join(f"{type(error).__name__}: {error}".split())
        return fail(task, FailureCode.UNEXPECTED, detail, "report it: it is a fault of docaudit")
    atomic.remove(store.failure_of(task.sha256))
    return TaskResult(task.sha256, newly_read, len(task.keys))


def fail(task: Task, code: FailureCode, detail: str, remedy: str) -> TaskResult:
    """Keep that the document has no audit, and why."""
    store = Store(Path(task.store))
    name = task.name or (printable(Path(task.paths[0]).name) if task.paths else task.sha256)
    failure = DocumentFailure(name=name, size_bytes=task.size_bytes, code=code, detail=detail, remedy=remedy)
    for key in task.keys:
        write_rows(store.rows_of(key, task.sha256), failed_rows(audit_of(task.store, key), failure))
    atomic.write_text(store.failure_of(task.sha256), failure.model_dump_json(indent=1) + "\n")
    return TaskResult(task.sha256, failure=failure)


def _parse(store: Store, task: Task) -> tuple[ParsedDocument, bool]:
    """The parse of the document, and whether it was made now."""
    folder = store.parse_of(task.sha256)
    if folder.exists():
        try:
            with no_collector():
                return ParsedDocument.load(folder), False
        except SavedFileError as error:
            if not task.paths:
                raise InputError(error.cause, file=task.sha256, remedy="name its folder") from error
            shutil.rmtree(folder)  # damaged since: it is read again
    _read(task).save(folder)
    # Loaded again, so that it is the same whether it was read now or in an earlier run.
    return ParsedDocument.load(folder), True


def _read(task: Task) -> ParsedDocument:
    """The document as it is read from the first of its paths at which it lies; raises InputError."""
    reading = task.options.model_copy(update={"workers": task.workers, "password": task.password})
    problem = InputError("no path of it is known", file=task.sha256, remedy="name its folder")
    for path in task.paths:
        try:
            parsed = docaudit.parse(path, options=reading)
        except InputError as error:
            if not code_of(error).passes:
                raise
            problem = error  # gone, or not readable: a copy may be
            continue
        if parsed.identity.sha256 == task.sha256:
            return replace(parsed, options=task.options)
        problem = InputError("the file changed during the run", file=path, remedy="run again")
    raise problem


def _audit(store: Store, task: Task, parsed: ParsedDocument) -> None:
    if not task.keys:
        return
    line_hash = hashlib.sha256((store.parse_of(task.sha256) / "line_df.parquet").read_bytes()).hexdigest()
    controls = _prepare(store.prepared_of(task.sha256), parsed, line_hash)
    for key in task.keys:
        audit = audit_of(task.store, key)
        made = audit_parsed(parsed, audit.table, audit.question, audit.search_options, controls)
        target = store.justification_of(key, task.sha256)
        rows = rows_of(audit, made, justification=str(target.relative_to(store.root)))
        # The justification last: where it is, the rows are.
        write_rows(store.rows_of(key, task.sha256), rows)
        atomic.write_text(target, saved.dump(made.justification))


class _Kept(msgspec.Struct, array_like=True):
    """Content of a file of STORE/prepared."""

    code_hash: str
    line_hash: str
    search: Prepared
    words: Vocabulary
    controls: list[Any]


def _prepare(path: Path, parsed: ParsedDocument, line_hash: str) -> tuple[ControlGroup, ...]:
    """Controls of a document, which is made ready for sweeps from what is kept, or anew."""
    kept = _load_kept(path)
    if kept is not None and (kept.code_hash, kept.line_hash) == (_code_hash(), line_hash):
        prepare(parsed.line_df, kept.search)
        keep_vocabulary(parsed.line_df, kept.words)
        return tuple(ControlGroup.model_validate(group) for group in kept.controls)
    search, controls = prepare(parsed.line_df), run_controls(parsed)
    plain = [group.model_dump(mode="json") for group in controls]
    kept = _Kept(_code_hash(), line_hash, search, build_vocabulary(parsed.line_df), plain)
    atomic.write_bytes(path, gzip.compress(msgspec.msgpack.encode(kept), 1, mtime=0))
    return controls


def _load_kept(path: Path) -> _Kept | None:
    """What is kept; None if nothing is, or it is damaged."""
    try:
        return msgspec.msgpack.decode(gzip.decompress(path.read_bytes()), type=_Kept)
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError):
        return None


@cache
def _code_hash() -> str:
    """Hash of all code that the search text may depend on: of docaudit every file, of its libraries the version."""
    digest = hashlib.sha256()
    for file in sorted(Path(docaudit.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    for library in _LIBRARIES:
        digest.update(f"{library} {version(library)}\n".encode())
    return digest.hexdigest()
