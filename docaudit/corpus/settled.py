"""The tables of a store for whoever reads them: all from one state, or an error that says what is wrong."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from docaudit.corpus.store import Store, open_store
from docaudit.corpus.store_tables import ALL, AUDIT_TABLES, AUDITS, DOCUMENT_TABLES, arrow_schema
from docaudit.corpus.table_files import COMPLETE
from docaudit.errors import StoreError
from docaudit.frames import TableContract

Tables = Mapping[str, Any]
"""A pyarrow dataset for each table of QUERY_TABLES, by name."""


@contextmanager
def settled_tables(path: Path) -> Iterator[tuple[Store, Tables]]:
    """The store and its tables, read where they lie.

    Raises StoreError if there is no store, if its tables are not there or damaged, and, when the block ends, if a run
    has replaced them meanwhile: then what was read may be of two states.
    """
    store = open_store(path)
    state = _state(store)
    with reading(path):
        tables = _datasets(store)
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
            "has no complete tables: a run was ended before it wrote them, or has not written them yet",
            file=str(store.root),
            remedy="wait for it, or start it again; of what is done by now, "
            f"docaudit corpus run --concepts TABLE --out {shlex.quote(str(store.root))} makes them",
        ) from error
    return status.st_ino, status.st_mtime_ns


def _datasets(store: Store) -> dict[str, Any]:
    """The tables of documents, and those of audits twice: of the current audits, and of all."""
    tables = {one.name: _dataset([store.tables / f"{one.name}.parquet"], one) for one in DOCUMENT_TABLES}
    audits = tables[AUDITS.name].to_table(columns=["audit", "current"]).to_pylist()
    for contract in AUDIT_TABLES:
        # By name and not by what lies there: a file that is missing must not look like nothing found.
        files = {one["audit"]: store.tables / contract.name / f"{one['audit']}.parquet" for one in audits}
        current = [files[one["audit"]] for one in audits if one["current"]]
        tables[contract.name] = _dataset(current, contract)
        tables[f"{ALL}{contract.name}"] = _dataset(list(files.values()), contract)
    return tables


def _dataset(files: list[Path], contract: TableContract) -> Any:
    if not files:
        raise FileNotFoundError(f"the table {contract.name} is not there")
    return ds.dataset([str(file) for file in files], schema=arrow_schema(contract), format="parquet")
