"""What is left to do: which documents there are, which audits each lacks, and which that failed are tried again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from docaudit.corpus import rows
from docaudit.corpus.audits import asked_of, audits
from docaudit.corpus.failures import Failure, FailureCode
from docaudit.corpus.sources import Found, PathState
from docaudit.corpus.store import Store
from docaudit.corpus.work import Task
from docaudit.options import READING_OPTIONS, AuditOptions


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
    audited = {sha256: Document(0, ()) for key in audits(store) for sha256 in store.audited(key)}
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
