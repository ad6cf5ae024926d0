"""Many documents: a store that holds the parse and the audits of each, and the run that fills it.

A run: every document of the sources once, with every concept table, into a store.

It asks the store what is there and does the rest, in an order that depends on the documents alone: a run that was
killed is gone on with by running it again, and one that has nothing to do takes no time.

What is left to do: which documents there are, which audits each lacks, and which that failed are tried again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from docaudit.concepts.model import ConceptTable
from docaudit.corpus import audits as audit_rows
from docaudit.corpus import audits as rows
from docaudit.corpus import store as unfinished
from docaudit.corpus.audits import asked_of
from docaudit.corpus.audits import audits as audits_of
from docaudit.corpus.executors import LocalPool, carry_out
from docaudit.corpus.sources import Found, PathState, absolute, find, nothing_in, unreadable
from docaudit.corpus.store import Failure, FailureCode, Store, make_store, writing
from docaudit.corpus.tables import gather
from docaudit.corpus.work import Outcome, Task
from docaudit.errors import ClusterError, OptionError, StoreError
from docaudit.options import READING_OPTIONS, AuditOptions

if TYPE_CHECKING:
    from docaudit.corpus.matrix import CorpusMatrix, load_matrix
    from docaudit.corpus.query import query


_HOME = {
    "CorpusMatrix": "docaudit.corpus.matrix",
    "load_matrix": "docaudit.corpus.matrix",
    "query": "docaudit.corpus.query",
}

__all__ = ["CorpusMatrix", "load_matrix", "query"]


def __getattr__(name: str) -> Any:
    """Import what is asked for and no more."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Document(NamedTuple):
    """A document of the sources: length of the file, and where it lies; no path if only the store knows it."""

    size_bytes: int
    paths: tuple[str, ...]


def documents_of(found: Iterable[Found]) -> dict[str, Document]:
    """The documents among these paths by hash, each with its paths in their order."""
    documents: dict[str, Document] = {}
    for one in found:
        if one.state is PathState.DOCUMENT:
            before = documents.get(one.sha256, Document(one.size, ()))
            documents[one.sha256] = Document(one.size, (*before.paths, one.path))
    return documents


def documents_in(store: Store) -> dict[str, Document]:
    """The documents that the store holds, also those whose parse was lost."""
    audited = {sha256: Document(0, ()) for key in audits_of(store) for sha256 in store.audited(key)}
    failed = {sha256: Document(one.size_bytes, ()) for sha256, one in store.failed_documents().items()}
    return audited | failed | {sha256: Document(0, ()) for sha256 in store.read_documents()}


def plan(
    store: Store,
    documents: Mapping[str, Document],
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
    # Both: rows that were lost are made again.
    made = {key: store.justified(key) & store.audited(key) for key in keys}
    told = {key: store.audited(key) for key in keys}
    # What changes nothing in what is read is not recorded: the same document gives the same justification.
    kept = set(READING_OPTIONS) - {"workers", "password"}
    reading = AuditOptions(**options.model_dump(include=kept))
    tasks: list[Task] = []
    for sha256, document in sorted(documents.items(), key=lambda item: (-item[1].size_bytes, item[0])):
        left = tuple(key for key in keys if sha256 not in made[key])
        failure = failed.get(sha256)
        again = failure is None or _again(failure, options, retry_failed)
        if failure is not None and not (again and (document.paths or sha256 in read)):
            left = tuple(key for key in left if sha256 not in told[key])
            if sha256 not in read:
                _pass_on(store, sha256, failure, left)
                continue
        if left or sha256 not in read:
            told_name = failure.name if failure else ""
            paths, size = document.paths, document.size_bytes
            tasks.append(
                Task(
                    str(store.root),
                    sha256,
                    size,
                    paths,
                    left,
                    reading,
                    options.password,
                    options.workers,
                    told_name,
                )
            )
    return tasks


def _again(failure: Failure, options: AuditOptions, retry_failed: bool) -> bool:
    """Whether a document that failed is tried again."""
    opened = failure.code is FailureCode.PASSWORD_REQUIRED and options.password is not None
    return retry_failed or failure.code.passes or opened


def _pass_on(store: Store, sha256: str, failure: Failure, keys: Iterable[str]) -> None:
    """Rows of a document that could not be read, in audits that are new."""
    for key in keys:
        rows.write(store.rows_of(key, sha256), rows.failed_rows(asked_of(str(store.root), key), failure))


Progress = Callable[[str, int, int], None]
"""Called with what is done (files, documents, tables), how many of it are done, and how many there are."""

_QUICK = 1_000
"""The tables of so many documents are written in a few seconds."""


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
    failed: Mapping[str, Failure]
    not_readable: Mapping[str, str]
    not_documents: int
    seconds: float


class _Place(NamedTuple):
    """Where the work is done."""

    executor: Executor
    at_once: int
    check: Callable[[], None] | None = None


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
    audit_rows.check(tables, question, chosen)
    with writing(Path(store)):
        place, chosen = make_store(Path(store), chosen)
        place.clean()
        named = [absolute(os.fsdecode(source)) for source in sources]
        found = find(named, _stage(progress, "files"))
        documents = documents_of(found) if named else documents_in(place)
        if not documents and named:
            raise nothing_in(named, found)
        if not documents:
            raise StoreError("holds no document", file=str(store), remedy="name a folder of documents")
        keys = audit_rows.register(place, tables, question, chosen)
        tasks = plan(place, documents, keys, chosen, retry_failed=retry_failed)
        outcomes: list[Outcome] = []
        before = len(documents) - len(tasks)
        if tasks:
            example = next((task.paths[0] for task in tasks if task.paths), None)
            try:
                with _place(jobs, executor, scheduler, place.root, example) as where:
                    unfinished.note(place, before, len(documents))
                    workers = chosen.workers or _workers_each(where, len(tasks))
                    given = [task.with_workers(workers) for task in tasks]
                    outcomes.extend(_outcomes(given, where, progress))
            except KeyboardInterrupt:
                if outcomes:
                    unfinished.note(place, before + len(outcomes), len(documents))
                    _gather_quickly(place, found, named, progress)
                raise
            _need_rows(place, tasks)
        gather(place, found, named, _stage(progress, "tables"))
        unfinished.forget(place)
        failed = place.failed_documents()
    return CorpusRun(
        documents=len(documents),
        read=sum(one.newly_read for one in outcomes),
        audited=sum(one.audited for one in outcomes),
        unchanged=before,
        failed={sha256: failed[sha256] for sha256 in sorted(documents) if sha256 in failed},
        not_readable=unreadable(found),
        not_documents=sum(one.state is not PathState.DOCUMENT for one in found),
        seconds=time.monotonic() - start,
    )


def _gather_quickly(
    store: Store, found: Sequence[Found], named: Sequence[str], progress: Progress | None
) -> None:
    """The tables of what is done, for whoever ended the run, unless that takes long."""
    if len(store.known_documents()) <= _QUICK:
        gather(store, found, named, _stage(progress, "tables"))


def _need_rows(store: Store, tasks: Sequence[Task]) -> None:
    """Raise ClusterError if work that is said to be done left no rows: it was done elsewhere, or not at all."""
    keys = {key for task in tasks for key in task.keys}
    there = {key: store.audited(key) for key in keys}
    lost = [task for task in tasks if any(task.sha256 not in there[key] for key in task.keys)]
    if lost:
        raise ClusterError(
            f"the executor calls {len(lost)} documents done, and the store has no rows of them",
            remedy="its processes must reach the store under the same path",
        )


def _outcomes(tasks: Sequence[Task], where: _Place, progress: Progress | None) -> Iterator[Outcome]:
    told = _stage(progress, "documents")
    return carry_out(tasks, where.executor, at_once=where.at_once, progress=told, check=where.check)


def _stage(progress: Progress | None, name: str) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, total: progress(name, done, total)


@contextmanager
def _place(
    jobs: int | None, executor: Executor | None, scheduler: str | None, store: Path, example: str | None
) -> Iterator[_Place]:
    """Where the work is done; a pool that is made here ends with the block."""
    if sum(one is not None for one in (jobs, executor, scheduler)) > 1:
        raise OptionError("jobs, executor and scheduler exclude each other", remedy="give one of them")
    if executor is not None:
        yield _Place(executor, 4 * int(getattr(executor, "_max_workers", 16)))
    elif scheduler is not None:
        from docaudit.corpus.executors import connected

        with connected(scheduler, store, example) as cluster:
            yield _Place(cluster.executor, cluster.at_once, cluster.check)
    else:
        chosen = jobs or cores()
        with LocalPool(chosen) as pool:
            yield _Place(pool, 2 * chosen)


def _workers_each(where: _Place, documents: int) -> int:
    """Processes that read the pages of one document: more than one only where documents are fewer than cores."""
    return max(1, cores() // documents) if isinstance(where.executor, LocalPool) else 1


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
