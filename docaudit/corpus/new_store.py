"""A run takes hold of its store: makes it, keeps other runs out, and leaves none behind that holds no document."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docaudit
from docaudit import atomic
from docaudit.corpus import unfinished
from docaudit.corpus.store import FORM, Store, open_store
from docaudit.errors import OutputError, StoreError
from docaudit.options import READING_OPTIONS, AuditOptions

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
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise OutputError(
            f"cannot be written: {error.strerror}", file=str(path), remedy="name a place that is writable"
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
        os.pwrite(handle, str(os.getpid()).encode("ascii"), 0)
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
        unfinished.forget(store)
        atomic.remove(store.head)
    lock = store.root / "lock"
    if lock not in before:
        atomic.remove(lock)
    if store.root not in before and not any(store.root.iterdir()):
        store.root.rmdir()
