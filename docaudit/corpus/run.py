"""A run: every document of the sources once, with every concept table, into a store.

It asks the store what is there and does the rest, in an order that depends on the documents alone; so a run that was
killed is resumed by running it again, and one that has nothing to do takes no time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from docaudit.concepts import ConceptTable
from docaudit.corpus import audits
from docaudit.corpus.failures import Failure, FailureCode
from docaudit.corpus.gather import gather
from docaudit.corpus.sources import Found, PathState, find
from docaudit.corpus.store import Store, make_store, writing
from docaudit.corpus.work import Outcome, Task, fail, work
from docaudit.errors import StoreError
from docaudit.options import READING_OPTIONS, AuditOptions

Progress = Callable[[int, int], None]


class CorpusRun(BaseModel):
    """What a run did.

    Attributes:
        documents: Documents of the sources, each counted once however often it lies there.
        read: Documents that were read now.
        audited: Audits that were made now: of one document with one concept table.
        skipped: Documents with which nothing was to be done.
        failed: Of all documents of the sources, those without an audit: hash and why.
        not_documents: Paths that are no document and no part of one.
        seconds: How long it took.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    documents: int
    read: int
    audited: int
    skipped: int
    failed: Mapping[str, Failure]
    not_documents: int
    seconds: float


def run(
    sources: Iterable[str | os.PathLike[str]],
    tables: Mapping[str, ConceptTable],
    store: str | os.PathLike[str],
    *,
    question: str | None = None,
    options: AuditOptions | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    **keywords: Any,
) -> CorpusRun:
    """Audit many documents with many concept tables.

    Args:
        sources: Folders, PDFs, and text files with a path on each line. None at all: the documents of the store.
        tables: Concept tables by name.
        store: Folder of the store; made if it is not there.
        question: The question that every document is asked.
        options: Options of reading and searching; single ones can also be given as keywords of the same name.
        executor: Where the work is done; None does it here, one document after the other.
        progress: Called with documents done and documents in all.
        retry_failed: Try documents again that failed in an earlier run.
        **keywords: Fields of AuditOptions.

    Raises:
        StoreError: The store is in use, of another form or version, or its documents were read with other options.
        DocumentNotFoundError: A source is not there.
        ConceptTableError, QuestionError, OptionError: What is asked cannot be audited, whatever the document.
        OutputError: The store cannot be written.
    """
    start = time.monotonic()
    chosen = AuditOptions.from_keywords(options, keywords)
    audits.check(tables, question, chosen)
    root = Path(store)
    with writing(root):
        place, chosen = make_store(root, chosen)
        place.clean()
        found = find(sources)
        keys = audits.register(place, tables, question, chosen)
        documents = _documents(place, found)
        tasks = _tasks(place, documents, keys, chosen, retry_failed)
        outcomes = _done(tasks, progress)
        gather(place, found)
        failed = place.failed_documents()
    return CorpusRun(
        documents=len(documents),
        read=sum(one.newly_read for one in outcomes),
        audited=sum(len(task.keys) for task, one in zip(tasks, outcomes, strict=True) if not one.failure),
        skipped=len(documents) - len(tasks),
        failed={one: failed[one] for one in sorted(documents) if one in failed},
        not_documents=sum(one.state is not PathState.DOCUMENT for one in found),
        seconds=time.monotonic() - start,
    )


def _documents(store: Store, found: Sequence[Found]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """By hash the length of each document and where it lies, the first path first."""
    documents: dict[str, tuple[int, tuple[str, ...]]] = {}
    for one in found:
        if one.state is PathState.DOCUMENT:
            _, paths = documents.get(one.sha256, (0, ()))
            documents[one.sha256] = one.size, (*paths, one.path)
    if not found:
        documents = dict.fromkeys(store.read_documents(), (0, ()))
        documents |= {one: (failure.size_bytes, ()) for one, failure in store.failed_documents().items()}
    if not documents and not found:
        raise StoreError("holds no document", file=str(store.root), remedy="name a folder of documents")
    return documents


def _tasks(
    store: Store,
    documents: Mapping[str, tuple[int, tuple[str, ...]]],
    keys: Sequence[str],
    chosen: AuditOptions,
    retry_failed: bool,
) -> list[Task]:
    """What is left to do, the largest documents first: the last to end are then short ones."""
    read, failed = store.read_documents(), store.failed_documents()
    made = {key: store.justified(key) for key in keys}
    rows = {key: store.audited(key) for key in keys}
    reading = AuditOptions(**chosen.model_dump(include=set(READING_OPTIONS)))
    tasks: list[Task] = []
    for sha256 in sorted(documents, key=lambda one: (-documents[one][0], one)):
        size, paths = documents[sha256]
        failure = failed.get(sha256)
        left = tuple(key for key in keys if sha256 not in made[key])
        task = Task(str(store.root), sha256, size, paths, left, reading, chosen.password, 1)
        if failure is not None and not _again(failure, chosen, retry_failed):
            untold = tuple(key for key in left if sha256 not in rows[key])
            if sha256 not in read:
                task = Task(str(store.root), sha256, size, paths, untold, reading, None, 1)
                fail(store, task, failure.code, failure.detail, failure.remedy)
                continue
            left = untold
        if left or sha256 not in read:
            tasks.append(Task(str(store.root), sha256, size, paths, left, reading, chosen.password, 1))
    return tasks


def _again(failure: Failure, chosen: AuditOptions, retry_failed: bool) -> bool:
    """Whether a document that failed is tried again."""
    wanted = failure.code is FailureCode.PASSWORD_REQUIRED and chosen.password is not None
    return retry_failed or failure.code.passes or wanted


def _done(tasks: Sequence[Task], progress: Progress | None) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for task in tasks:
        outcomes.append(work(task))
        if progress is not None:
            progress(len(outcomes), len(tasks))
    return outcomes
