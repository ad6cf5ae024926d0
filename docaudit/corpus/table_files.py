"""New tables beside the old ones until all are there: written in pieces, and only where something is new in them."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from docaudit import atomic
from docaudit.corpus.store_tables import arrow_schema
from docaudit.errors import OutputError
from docaudit.frames import BOOL, FLOAT, INT, TEXT, TableContract

Columns = Mapping[str, list[Any]]
COMPLETE = "complete.json"
"""Written last: while it is not there, tables are being replaced."""
_GROUP = 20_000
"""Rows that are held in memory and written at a time."""
_PARTS = b"docaudit.parts"
_EMPTY: dict[str, Any] = {INT: 0, TEXT: "", FLOAT: None, BOOL: False}


@contextmanager
def replacing_tables(folder: Path) -> Iterator[TableFiles]:
    """Tables that take the place of those in the folder when the block ends well; raises OutputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = TableFiles(folder, Path(tempfile.mkdtemp(dir=folder, prefix=".tables.")))
        try:
            yield files
            files.swap()
        finally:
            shutil.rmtree(files.new, ignore_errors=True)
    except OSError as error:
        raise OutputError(
            f"the tables cannot be written: {error.strerror or error}",
            file=str(folder),
            remedy="make room, and run again",
        ) from error


class TableFiles:
    """The tables of a store, old and new."""

    def __init__(self, folder: Path, new: Path) -> None:
        self.folder, self.new = folder, new
        self._names: list[str] = []

    def write(
        self, contract: TableContract, parts: object, pieces: Iterable[Columns], *, part: str = ""
    ) -> None:
        """Write a table, unless the one that is there was made of these parts.

        Args:
            contract: Its columns.
            parts: All that its content depends on, as JSON can tell it.
            pieces: Its rows, a few at a time; a column that a piece lacks takes its empty value.
            part: Name of the file in the folder of the table; empty if the table is one file.
        """
        name = f"{contract.name}/{part}.parquet" if part else f"{contract.name}.parquet"
        digest = hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest().encode("ascii")
        if _made_of(self.folder / name) == digest:
            return
        schema = arrow_schema(contract).with_metadata({_PARTS: digest})
        (self.new / name).parent.mkdir(exist_ok=True)
        with pq.ParquetWriter(self.new / name, schema, compression="zstd") as writer:
            for rows in _grouped(pieces, contract):
                writer.write_table(pa.Table.from_pydict(rows, schema), row_group_size=_GROUP)
        self._names.append(name)

    def rows(self, contract: TableContract) -> list[dict[str, Any]]:
        """The rows of the table that is there; none if there is none, or it is damaged."""
        path = self.folder / f"{contract.name}.parquet"
        return list(pq.read_table(path).to_pylist()) if _made_of(path) is not None else []

    def swap(self) -> None:
        """Let the new tables take the place of the old ones; raises OSError."""
        if not self._names and (self.folder / COMPLETE).exists():
            return
        atomic.remove(self.folder / COMPLETE)
        for name in self._names:
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.new / name).replace(self.folder / name)
        atomic.write_text(self.folder / COMPLETE, "{}\n")


def _made_of(path: Path) -> bytes | None:
    """The digest of the parts of a table; None if there is no such table, or it is damaged."""
    try:
        found: bytes | None = (pq.read_schema(path).metadata or {}).get(_PARTS)
    except (pa.ArrowException, OSError):
        return None
    return found


def _grouped(pieces: Iterable[Columns], contract: TableContract) -> Iterator[Columns]:
    """Pieces of many rows, made of pieces of few; at least one, so that an empty table has its columns."""
    held: dict[str, list[Any]] = {name: [] for name in contract.columns}
    for piece in pieces:
        size = max(map(len, piece.values()), default=0)
        for field in contract.fields:
            held[field.name] += piece.get(field.name) or [_EMPTY[field.dtype]] * size
        if len(held["sha256" if "sha256" in held else "audit"]) >= _GROUP:
            yield held
            held = {name: [] for name in contract.columns}
    yield held
