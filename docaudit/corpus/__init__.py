"""Many documents: a store that holds the parse and the audits of each, and the run that fills it.

A run reads every document of the sources once and audits it with every concept table. It asks the store what is there
and does the rest, in an order that depends on the documents alone: a run that was killed is gone on with by running it
again, and one that has nothing to do takes no time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from docaudit.concepts.model import ConceptTable
from docaudit.corpus.audits import audit_of, audits_in, check, failed_rows, register, write_rows
from docaudit.corpus.executors import LocalPool, carry_out, dask_executor
from docaudit.corpus.sources import PathState, SourcePath, absolute, find, nothing_in, unreadable
from docaudit.corpus.store import KEPT_OPTIONS, DocumentFailure, FailureCode, Store, make_store, writing
from docaudit.corpus.tables import gather
from docaudit.corpus.work import Task, TaskResult
from docaudit.errors import ClusterError, OptionError, StoreError
from docaudit.options import AuditOptions

if TYPE_CHECKING:
    from docaudit.corpus.matrix import CorpusMatrix, load_matrix
    from docaudit.corpus.sql import query

_MODULES = {
    "CorpusMatrix": "docaudit.corpus.matrix",
    "load_matrix": "docaudit.corpus.matrix",
    "query": "docaudit.corpus.sql",
}

__all__ = ["CorpusMatrix", "CorpusRun", "load_matrix", "query", "run"]

Progress = Callable[[str, int, int], None]
"""Called with what is done (files, documents, tables), how many of it are done, and how many there are."""

_QUICK = 1_000
"""The tables of so many documents are written in a few seconds."""


def __getattr__(name: str) -> Any:
    """Import what is used and no more."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class CorpusRun(BaseModel):
    """What a run did.

    Attributes:
        documents: Documents of the sources, each counted once however often it lies there.
        read: Documents that were read now.
        audited: Audits that were made now, each of one document with one concept table.
        unchanged: Documents with which nothing was to be done.
        failed: Of all documents of the sources those without an audit: why, by hash.
        not_readable: Why paths of the sources that may be documents cannot be read, by path.
        not_documents: Files and folders that are no document or could not be read; the table paths has each.
        seconds: How long it took.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    documents: int
    read: int
    audited: int
    unchanged: int
    failed: Mapping[str, DocumentFailure]
    not_readable: Mapping[str, str]
    not_documents: int
    seconds: float


def run(
    sources: Iterable[str | os.PathLike[str]],
    tables: Mapping[str, ConceptTable],
    store: str | os.PathLike[str],
    *,
    question: str | None = None,
    options: AuditOptions | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    progress: Progress | None = None,
    **keywords: Any,
) -> CorpusRun:
    """Audit many documents with many concept tables, and keep everything in a store.

    Args:
        sources: Folders, PDFs, and text files with a path on each line. None at all: the documents of the store.
        tables: Concept tables by name.
        store: Folder of the store; made if it is not there, gone on with if it is.
        question: The question that every document is asked.
        options: Options of reading and searching; single ones can also be given as keywords of the same name. Those of
            reading that are not named are those of the store.
        jobs: Documents that are worked on at the same time on this machine; one for each core if None.
        executor: Where the work is done instead; its processes must reach documents and store under the same paths.
        scheduler: Address of a Dask cluster on which it is done instead (extra dask).
        retry_failed: Try documents again that failed in an earlier run.
        progress: Called with what is done, how many of it are done, and how many there are.
        **keywords: Fields of AuditOptions.

    Raises:
        StoreError: The store is in use, of another form or version, or its documents were read with other options.
        DocumentNotFoundError: A source is not there, or there is no document in any. The store is left as it is.
        ConceptTableError, QuestionError, OptionError: What is asked cannot be audited, whatever the document.
        ClusterError: The cluster or executor cannot be used or is gone. What was done is kept.
        OutputError: The store cannot be written.
    """
    start = time.monotonic()
    chosen = AuditOptions.from_keywords(options, keywords)
    check(tables, question, chosen)
    if sum(place is not None for place in (jobs, executor, scheduler)) > 1:
        raise OptionError("jobs, executor and scheduler exclude each other", remedy="give one of them")

    def stage(name: str) -> Callable[[int, int], None]:
        return lambda done, total: None if progress is None else progress(name, done, total)

    with writing(Path(store)):
        place, chosen = make_store(Path(store), chosen)
        place.clean()
        folders = [absolute(os.fsdecode(source)) for source in sources]
        paths = find(folders, stage("files"))
        documents = _documents(paths) if folders else _documents_of_store(place)
        if not documents and folders:
            raise nothing_in(folders, paths)
        if not documents:
            raise StoreError("holds no document", file=str(store), remedy="name a folder of documents")
        keys = register(place, tables, question, chosen)
        tasks = _plan(place, documents, keys, chosen, retry_failed=retry_failed)
        results: list[TaskResult] = []
        unchanged = len(documents) - len(tasks)
        if tasks:
            example = next((task.paths[0] for task in tasks if task.paths), None)
            try:
                with _executor(jobs, executor, scheduler, place.root, example) as (used, at_once):
                    place.note_unfinished(unchanged, len(documents))
                    # Several processes for the pages of one document only where documents are fewer than cores.
                    spare = _cores() // len(tasks) if isinstance(used, LocalPool) else 1
                    tasks = [replace(task, workers=task.workers or max(1, spare)) for task in tasks]
                    results.extend(carry_out(tasks, used, at_once=at_once, progress=stage("documents")))
            except KeyboardInterrupt:
                if results:
                    place.note_unfinished(unchanged + len(results), len(documents))
                    if len(place.known_documents()) <= _QUICK:
                        gather(place, paths, folders, stage("tables"))
                raise
            _require_rows(place, tasks)
        gather(place, paths, folders, stage("tables"))
        place.forget_unfinished()
        failed = place.failed_documents()
    return CorpusRun(
        documents=len(documents),
        read=sum(result.newly_read for result in results),
        audited=sum(result.audited for result in results),
        unchanged=unchanged,
        failed={sha256: failed[sha256] for sha256 in sorted(documents) if sha256 in failed},
        not_readable=unreadable(paths),
        not_documents=sum(path.state is not PathState.DOCUMENT for path in paths),
        seconds=time.monotonic() - start,
    )


class _SourceDocument(NamedTuple):
    """A document: length of the file, and the paths under which it lies, none if only the store knows it."""

    size_bytes: int = 0
    paths: tuple[str, ...] = ()


def _documents(paths: Iterable[SourcePath]) -> dict[str, _SourceDocument]:
    """The documents among these paths by hash, each with its paths in their order."""
    documents: dict[str, _SourceDocument] = {}
    for path in paths:
        if path.state is PathState.DOCUMENT:
            copies = documents.get(path.sha256, _SourceDocument()).paths
            documents[path.sha256] = _SourceDocument(path.size, (*copies, path.path))
    return documents


def _documents_of_store(store: Store) -> dict[str, _SourceDocument]:
    """The documents that the store holds, also those whose parse was lost."""
    hashes = store.read_documents().union(*(store.audited(key) for key in audits_in(store)))
    failed = store.failed_documents().items()
    sizes = {sha256: _SourceDocument(failure.size_bytes) for sha256, failure in failed}
    return dict.fromkeys(hashes, _SourceDocument()) | sizes


def _plan(
    store: Store,
    documents: Mapping[str, _SourceDocument],
    keys: Sequence[str],
    options: AuditOptions,
    *,
    retry_failed: bool,
) -> list[Task]:
    """What is left to do, the largest documents first: those that end last are then short ones.

    A document that failed before is not tried again, unless that is asked for or may help; it gets its rows in audits
    that are new.
    """
    read, failed = store.read_documents(), store.failed_documents()
    audited = {key: store.audited(key) for key in keys}
    # Both: rows that were lost are made again.
    complete = {key: store.justified(key) & audited[key] for key in keys}
    # What changes nothing in what is read is not recorded: the same document gives the same justification.
    reading = AuditOptions(**options.model_dump(include=set(KEPT_OPTIONS)))
    tasks: list[Task] = []
    for sha256, (size, paths) in sorted(documents.items(), key=lambda item: (-item[1].size_bytes, item[0])):
        missing = tuple(key for key in keys if sha256 not in complete[key])
        failure = failed.get(sha256)
        if failure is not None:
            opens = failure.code is FailureCode.PASSWORD_REQUIRED and options.password is not None
            again = retry_failed or failure.code.passes or opens
            if not (again and (paths or sha256 in read)):
                missing = tuple(key for key in keys if sha256 not in audited[key])
                if sha256 not in read:
                    for key in missing:
                        rows = failed_rows(audit_of(str(store.root), key), failure)
                        write_rows(store.rows_of(key, sha256), rows)
                    continue
        if missing or sha256 not in read:
            tasks.append(
                Task(
                    store=str(store.root),
                    sha256=sha256,
                    size_bytes=size,
                    paths=paths,
                    keys=missing,
                    options=reading,
                    password=options.password,
                    workers=options.workers,
                    name=failure.name if failure else "",
                )
            )
    return tasks


@contextmanager
def _executor(
    jobs: int | None, executor: Executor | None, scheduler: str | None, store: Path, example: str | None
) -> Iterator[tuple[Executor, int]]:
    """Where the work is done, and how many tasks it takes at a time; a pool that is made here ends with the block."""
    if executor is not None:
        yield executor, 4 * int(getattr(executor, "_max_workers", 16))
    elif scheduler is not None:
        with dask_executor(scheduler, store, example) as cluster:
            yield cluster
    else:
        processes = jobs or _cores()
        with LocalPool(processes) as pool:
            # One more, so that no process waits for its next document.
            yield pool, processes + 1


def _require_rows(store: Store, tasks: Sequence[Task]) -> None:
    """Raise ClusterError if work that is said to be done left no rows: it was done elsewhere, or not at all."""
    audited = {key: store.audited(key) for key in {key for task in tasks for key in task.keys}}
    without = [task for task in tasks if any(task.sha256 not in audited[key] for key in task.keys)]
    if without:
        raise ClusterError(
            f"the executor calls {len(without)} documents done, and the store has no rows of them",
            remedy="its processes must reach the store under the same path",
        )


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
