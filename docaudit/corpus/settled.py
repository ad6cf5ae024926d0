"""The tables of a store for whoever reads them: all from one state, or an error that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from docaudit.corpus.store import Store, open_store
from docaudit.corpus.store_tables import AUDIT_TABLES, STORE_TABLES, arrow_schema
from docaudit.corpus.table_files import COMPLETE
from docaudit.errors import StoreError

Tables = Mapping[str, Any]
"""A pyarrow dataset for each table, by name."""


@contextmanager
def settled_tables(path: Path) -> Iterator[tuple[Store, Tables]]:
    """The store and its tables, read where they lie.

    Raises StoreError if there is no store, if its tables are not there or damaged, and, when the block ends, if a run
    has replaced them meanwhile: then what was read may be of two states.
    """
    store = open_store(path)
    state = _state(store)
    with reading(path):
        tables = {name: _dataset(store, name) for name in STORE_TABLES}
    yield store, tables
    if _state(store) != state:
        raise StoreError(
            "a run has replaced the tables while they were read", file=str(path), remedy="ask again"
        )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise StoreError where a file of a table cannot be read."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        said = " ".join(str(error).split())
        raise StoreError(
            f"its tables cannot be read: {said[:200]}",
            file=str(path),
            remedy="run docaudit corpus run again",
        ) from error


def _state(store: Store) -> tuple[int, int]:
    """What changes whenever the tables do."""
    try:
        status = (store.tables / COMPLETE).stat()
    except OSError as error:
        raise StoreError(
            "has no complete tables: a run was ended before it wrote them, or is writing them now",
            file=str(store.root),
            remedy="wait for it, or run docaudit corpus run again",
        ) from error
    return status.st_ino, status.st_mtime_ns


def _dataset(store: Store, name: str) -> Any:
    contract = STORE_TABLES[name]
    if contract in AUDIT_TABLES:
        files = sorted((store.tables / name).glob("*.parquet"))
    else:
        files = [store.tables / f"{name}.parquet"]
    if not files:
        raise FileNotFoundError(f"the table {name} is not there")
    return ds.dataset([str(file) for file in files], schema=arrow_schema(contract), format="parquet")
