"""The work on one document: read it unless it was read, audit it with each table that it was not audited with.

It runs in whatever process an executor has, takes and gives plain values, and leaves its results in the store.

What every table needs of a document and none changes: search text, words and controls, made once and kept.

All this takes longer to make than many sweeps. What is kept belongs to one parse and to the very code that
made it: with any other it is made anew, so that it never decides what is found.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

import docaudit
from docaudit import files as atomic
from docaudit import saved
from docaudit.audit import audit_parsed
from docaudit.controls import run_controls
from docaudit.corpus import audits as rows
from docaudit.corpus.audits import asked_of
from docaudit.corpus.sources import shown
from docaudit.corpus.store import Failure, FailureCode, Store, code_of
from docaudit.document import ParsedDocument
from docaudit.errors import DocauditError, InputError, SavedFileError
from docaudit.justification import ControlGroup
from docaudit.options import AuditOptions
from docaudit.search import no_collector
from docaudit.search.search_text import Prepared, prepare
from docaudit.text.vocabulary import Vocabulary, build_vocabulary, keep_vocabulary

_LIBRARIES = ("numpy", "pandas", "regex", "rapidfuzz", "ahocorasick-rs")
_DIGEST = 32


class _Kept(msgspec.Struct, array_like=True):
    made_by: str
    lines: str
    search: Prepared
    words: Vocabulary
    controls: list[Any]


def prepared(path: Path, parsed: ParsedDocument, lines: str) -> tuple[ControlGroup, ...]:
    """Make a parsed document ready for sweeps, from what is kept or anew; returns its controls.

    Args:
        path: Where it is kept.
        parsed: The document.
        lines: Hash of its line_df.
    """
    kept = _read_prepared(path, lines)
    if kept is not None:
        prepare(parsed.line_df, kept.search)
        keep_vocabulary(parsed.line_df, kept.words)
        return tuple(ControlGroup.model_validate(one) for one in kept.controls)
    made = prepare(parsed.line_df)
    controls = run_controls(parsed)
    told = [one.model_dump(mode="json") for one in controls]
    _write(path, _Kept(_made_by(), lines, made, build_vocabulary(parsed.line_df), told))
    return controls


def _read_prepared(path: Path, lines: str) -> _Kept | None:
    """What is kept; None if nothing is, or it is damaged, of another parse or of other code."""
    try:
        data = path.read_bytes()
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        with pa.CompressedInputStream(pa.BufferReader(data[_DIGEST:]), "zstd") as stream:
            kept = msgspec.msgpack.decode(stream.read(), type=_Kept)
    except (OSError, msgspec.MsgspecError, pa.ArrowException):
        return None
    return kept if (kept.made_by, kept.lines) == (_made_by(), lines) else None


def _write(path: Path, kept: _Kept) -> None:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(msgspec.msgpack.encode(kept))
    data = sink.getvalue().to_pybytes()
    atomic.write_bytes(path, hashlib.sha256(data).digest() + data)


@cache
def _made_by() -> str:
    """Hash of all code that the search text may depend on: of docaudit every file, of its libraries the version."""
    digest = hashlib.sha256()
    root = Path(docaudit.__file__).parent
    for file in sorted(root.rglob("*.py")):
        digest.update(file.read_bytes())
    for library in ("docaudit", *_LIBRARIES):
        digest.update(f"{library} {version(library)}\n".encode())
    return digest.hexdigest()


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

    def with_workers(self, workers: int) -> Task:
        """The task with this many child processes, unless it names its own."""
        return self if self.workers else replace(self, workers=workers)


@dataclass(frozen=True)
class Outcome:
    """What became of it.

    Attributes:
        sha256: The document.
        name: Its file name.
        newly_read: It was read now, and not before.
        audited: Audits that were made now.
        failure: Why there is no audit of it, or None.
    """

    sha256: str
    name: str
    newly_read: bool = False
    audited: int = 0
    failure: Failure | None = None


@dataclass(frozen=True)
class Sign:
    """A sign of life: a step begins that keeps a limit of so many seconds itself."""

    seconds: float


class WorkerDiedError(Exception):
    """The process that worked on a document ended, or gave no sign of life; between pool and engine alone."""


def work(task: Task, tell: Callable[[Sign], None] = lambda _: None) -> Outcome:
    """Do the task; raises what is no fault of the document (OutputError, OcrError, OptionError)."""
    store = Store(Path(task.store))
    try:
        tell(Sign(task.options.document_seconds))
        parsed, newly_read = _parsed(store, task)
        with no_collector():
            _audit(store, task, parsed, tell)
    except InputError as error:
        return fail(store, task, code_of(error), error.cause, error.remedy)
    except MemoryError:
        return fail(store, task, FailureCode.OUT_OF_MEMORY, "memory ran out", "lower --jobs")
    except DocauditError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of docaudit on one document must not end the others
        said = " ".join(f"{type(error).__name__}: {error}".split())
        return fail(store, task, FailureCode.UNEXPECTED, said, "report it: it is a fault of docaudit")
    atomic.remove(store.failure_of(task.sha256))
    return Outcome(task.sha256, parsed.identity.name, newly_read, len(task.keys))


def fail(store: Store, task: Task, code: FailureCode, detail: str, remedy: str) -> Outcome:
    """Keep that the document has no audit, and why."""
    name = task.name or (shown(Path(task.paths[0]).name) if task.paths else task.sha256)
    failure = Failure(name=name, size_bytes=task.size_bytes, code=code, detail=detail, remedy=remedy)
    for key in task.keys:
        asked = asked_of(task.store, key)
        rows.write(store.rows_of(key, task.sha256), rows.failed_rows(asked, failure))
    atomic.write_text(store.failure_of(task.sha256), failure.model_dump_json(indent=1) + "\n")
    return Outcome(task.sha256, name, failure=failure)


def _parsed(store: Store, task: Task) -> tuple[ParsedDocument, bool]:
    """The parse of the document, and whether it was made now."""
    folder = store.parse_of(task.sha256)
    if folder.exists():
        try:
            with no_collector():
                return store.load(task.sha256), False
        except SavedFileError as error:
            if not task.paths:
                raise InputError(error.cause, file=task.sha256, remedy="name its folder") from error
            shutil.rmtree(folder)  # damaged since: it is read again
    _read(task).save(folder)
    # Read back, so that it is the same whether it was read now or in an earlier run.
    return store.load(task.sha256), True


def _read(task: Task) -> ParsedDocument:
    """Read the document where it lies; raises InputError."""
    reading = task.options.model_copy(update={"workers": task.workers, "password": task.password})
    last: InputError | None = None
    for path in task.paths:
        try:
            parsed = docaudit.parse(path, options=reading)
        except InputError as error:
            if not code_of(error).passes:
                raise
            last = error  # gone, or not readable: a copy may be
            continue
        if parsed.identity.sha256 == task.sha256:
            return replace(parsed, options=task.options)
        last = InputError("the file changed during the run", file=path, remedy="run again")
    raise last or InputError("no path of it is known", file=task.sha256, remedy="name its folder")


def _audit(store: Store, task: Task, parsed: ParsedDocument, tell: Callable[[Sign], None]) -> None:
    tell(Sign(0))
    lines = hashlib.sha256((store.parse_of(task.sha256) / "line_df.parquet").read_bytes()).hexdigest()
    controls = prepared(store.prepared_of(task.sha256), parsed, lines) if task.keys else ()
    for key in task.keys:
        asked = asked_of(task.store, key)
        tell(Sign(asked.chosen.sweep_seconds))
        audited = audit_parsed(parsed, asked.table, asked.question, asked.chosen, controls)
        target = store.justification_of(key, task.sha256)
        there = str(target.relative_to(store.root))
        # The justification last: where it is, the rows are.
        rows.write(store.rows_of(key, task.sha256), rows.rows_of(asked, audited, there))
        atomic.write_text(target, saved.dump(audited.justification))
