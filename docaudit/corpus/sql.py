"""SQL over the tables of a store, by DuckDB (extra corpus): it can read these tables and do nothing else.

The tables are handed to DuckDB as Arrow data, and it may not open a file itself. Allowing it the files of the tables
would not do: in DuckDB 2.0 a SELECT can hold a COPY TO, which would write where it may read. Whoever reads the tables
gets them all from one state, or an error that says what is wrong.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from docaudit.corpus.audits import ALL, AUDIT_TABLES, AUDITS, DOCUMENT_TABLES, arrow_schema
from docaudit.corpus.store import Store, open_store
from docaudit.corpus.tables import COMPLETE
from docaudit.errors import OptionError, QueryError, StoreError
from docaudit.tables import TableContract

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


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
        tables = {
            table.name: _dataset([store.tables / f"{table.name}.parquet"], table) for table in DOCUMENT_TABLES
        }
        audits = tables[AUDITS.name].to_table(columns=["audit", "current"]).to_pylist()
        for contract in AUDIT_TABLES:
            # By name and not by what lies there: a file that is missing must not look like nothing found.
            files = {row["audit"]: store.tables / contract.name / f"{row['audit']}.parquet" for row in audits}
            current = [files[row["audit"]] for row in audits if row["current"]]
            tables[contract.name] = _dataset(current, contract)
            tables[f"{ALL}{contract.name}"] = _dataset(list(files.values()), contract)
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
        detail = " ".join(str(error).split())[:200]
        raise StoreError(
            f"its tables cannot be read: {detail}", file=str(path), remedy="run docaudit corpus run again"
        ) from error


def _state(store: Store) -> tuple[int, int]:
    """Inode and time of the file that is replaced whenever a table is; raises StoreError if there is none."""
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


def _dataset(files: list[Path], contract: TableContract) -> Any:
    if not files:
        raise FileNotFoundError(f"the table {contract.name} is not there")
    return ds.dataset([str(file) for file in files], schema=arrow_schema(contract), format="parquet")


_BATCH = 10_000
"""Rows that are held in memory at a time; chosen, not measured."""
COLUMNS_REMEDY = "docaudit corpus query STORE --columns lists tables and columns"


class _StoppedError(Exception):
    """DuckDB stopped in the middle of its rows."""


class QueryAnswer:
    """What a query gives.

    Attributes:
        columns: Names of the columns; of two with the same name, the second is called NAME_1.
        batches: The rows, a few at a time (pyarrow.RecordBatch), the first time none; can be read once.
    """

    def __init__(self, reader: Any, thread: Executor) -> None:
        self._reader, self._thread = reader, thread
        self.columns = _distinct(reader.schema.names)
        self.batches: Iterator[Any] = self._read()

    def _read(self) -> Iterator[Any]:
        batch = pa.RecordBatch.from_pylist([], schema=self._reader.schema)
        while batch is not None:
            # DuckDB gives sums of whole numbers as decimals.
            columns = [_without_decimals(column) for column in batch.columns]
            yield pa.RecordBatch.from_arrays(columns, names=self.columns)
            try:
                batch = self._thread.submit(next, self._reader, None).result()
            except OSError as error:
                # So Arrow tells of an error of DuckDB; one of whoever takes the rows must not look like it.
                raise _StoppedError(str(error)) from error

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows one by one."""
        for batch in self.batches:
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def query(
    store: str | Path, sql: str, *, seconds: float | None = None, memory_mb: int = 1024
) -> pd.DataFrame:
    """The rows that a SELECT over the tables of a store gives.

    Tables: documents, paths, audits, findings, cells, hits, pages, blind_spots (docs/reference/store.md). Of findings,
    cells and hits there are the rows of the current audits; all_findings, all_cells and all_hits have those of all.

    Args:
        store: Folder of the store.
        sql: One SELECT of DuckDB's SQL.
        seconds: How long it may take; no limit if None.
        memory_mb: How much memory DuckDB may use, in megabytes.

    Raises:
        StoreError: There is no store, or its tables cannot be read.
        QueryError: It is not one SELECT, it is wrong, it does something that it may not, or it exceeds a limit; or the
            extra corpus is not installed.
        OptionError: A limit is not positive.
    """
    with answering(store, sql, seconds=seconds, memory_mb=memory_mb) as answer:
        empty, *frames = (batch.to_pandas() for batch in answer.batches)
        rows: pd.DataFrame = pd.concat(frames, ignore_index=True) if frames else empty
    return rows


@contextmanager
def answering(
    store: str | Path, sql: str, *, seconds: float | None = None, memory_mb: int = 1024
) -> Iterator[QueryAnswer]:
    """The answer to a query, row by row, so that memory does not grow with it; arguments and errors as `query`."""
    if (seconds is not None and seconds <= 0) or memory_mb <= 0:
        raise OptionError(
            "seconds and memory_mb must be more than 0", remedy="give no limit, or a positive one"
        )
    try:
        import duckdb
    except ImportError as error:
        raise QueryError(
            "a query needs the extra corpus", remedy="pip install '.[corpus]' in the folder of docaudit"
        ) from error
    with settled_tables(Path(store)) as (_, tables):
        # A database in memory that can reach nothing: no file, no network, no extension, no variable of this program.
        settings: dict[str, Any] = {
            "enable_external_access": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
            "temp_directory": "",
            "memory_limit": f"{memory_mb}MB",
        }
        connection = duckdb.connect(":memory:", config=settings)
        late = threading.Event()

        def stop() -> None:
            late.set()
            connection.interrupt()

        timer = threading.Timer(seconds or 0, stop)
        timer.daemon = True
        # DuckDB works in a thread of its own: while it does in the main thread, Python cannot act on Ctrl-C.
        thread = ThreadPoolExecutor(1)
        try:
            for name, table in tables.items():
                connection.register(name, table)
            connection.execute("SET lock_configuration = true")
            if seconds is not None:
                timer.start()
            _check_statement(connection, sql)
            reader = thread.submit(lambda: connection.sql(sql).to_arrow_reader(_BATCH)).result()
            yield QueryAnswer(reader, thread)
        except (duckdb.Error, _StoppedError, pa.ArrowInvalid) as error:
            if late.is_set():
                raise QueryError(
                    f"took more than {seconds:g} s", remedy="give it more with --seconds, or ask for less"
                ) from error
            raise _query_error(error) from error
        finally:
            timer.cancel()
            connection.interrupt()
            thread.shutdown()
            connection.close()


def _check_statement(connection: DuckDBPyConnection, sql: str) -> None:
    """Raise QueryError unless it is one SELECT."""
    kinds = [statement.type.name for statement in connection.extract_statements(sql)]
    if len(kinds) != 1:
        raise QueryError(
            f"one SELECT is needed, and there are {len(kinds)} statements", remedy="ask one at a time"
        )
    if kinds != ["SELECT"]:
        kind = "PIVOT" if kinds == ["MULTI"] else kinds[0].replace("_", " ")
        raise QueryError(
            f"only SELECT can be asked, not {kind}",
            remedy="the store is changed by docaudit corpus run alone",
        )


def _query_error(error: Exception) -> QueryError:
    """The library's message on one line, without its picture of the statement."""
    message = " ".join(str(error).split("\n\nLINE ")[0].split("\nDatabase is launched")[0].split())
    remedy = COLUMNS_REMEDY
    if "Out of Memory" in message:
        remedy = "give it more with --memory-mb, or ask for less"
    elif "operations are disabled" in message or "configuration" in message:
        remedy = "a query sees the tables of the store and nothing else"
    return QueryError(message, remedy=remedy)


def _distinct(names: list[str]) -> list[str]:
    """The names, each once: a join gives two columns of the same name, and none of them may get lost."""
    distinct: list[str] = []
    for name in names:
        new, number = name, 0
        while new in distinct or (number and new in names):
            number += 1
            new = f"{name}_{number}"
        distinct.append(new)
    return distinct


def _without_decimals(column: Any) -> Any:
    """A column of decimals as whole numbers or floats, where they fit."""
    if not pa.types.is_decimal(column.type):
        return column
    try:
        return column.cast(pa.float64() if column.type.scale else pa.int64())
    except pa.ArrowInvalid:
        return column
