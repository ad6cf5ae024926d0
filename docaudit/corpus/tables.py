"""From the parts of a store to its tables: document by document, so that memory does not grow with the documents.

New tables lie beside the old ones until all are there, and only those are written in which something is new. A part of
the store that is damaged is an error that names its file; one that was removed is made again by the next run.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from docaudit import files as atomic
from docaudit.codes import PageState, TextLikely
from docaudit.corpus.audits import (
    AUDITS,
    BLIND_SPOTS,
    CELLS,
    DOCUMENTS,
    FINDINGS,
    HITS,
    PAGES,
    PATHS,
    Row,
    arrow_schema,
    audits_in,
    is_current,
    read_rows,
)
from docaudit.corpus.sources import SourcePath, printable
from docaudit.corpus.store import DocumentFailure, FailureCode, Store
from docaudit.errors import OutputError, StoreError
from docaudit.tables import BOOL, FLOAT, INT, TEXT, TableContract

COMPLETE = "complete.json"
"""Written last: while it is not there, tables are being replaced."""
_GROUP = 20_000
"""Rows that are held in memory and written at a time; chosen, not measured."""
_DIGEST = b"docaudit.parts"
_EMPTY: Row = {INT: 0, TEXT: "", FLOAT: None, BOOL: False}


def gather(
    store: Store,
    paths: Iterable[SourcePath],
    folders: Iterable[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Bring the tables up to what the store holds; raises OutputError, and StoreError if a part of it is damaged.

    Args:
        store: The store, held against other runs.
        paths: Paths of this run; those that earlier runs found elsewhere stay.
        folders: Sources of this run: what was in them and is not found any more is gone.
        progress: Called with audits whose tables are written, and audits in all.
    """
    read, failed = store.read_documents(), store.failed_documents()
    audits = audits_in(store)
    with _new_tables(store.tables) as tables:
        path_rows = _path_rows(store, paths, folders)
        tables.write(PATHS, path_rows, [_table(path_rows, PATHS)])
        paths_of: dict[str, list[str]] = defaultdict(list)
        for row in path_rows:
            paths_of[row["sha256"]].append(row["path"])
        for sha256 in {sha256 for key in audits for sha256 in store.audited(key)} - read - failed.keys():
            name = paths_of[sha256][0].rpartition("/")[2] if paths_of[sha256] else sha256
            failed[sha256] = DocumentFailure(
                name=name,
                size_bytes=0,
                code=FailureCode.NOT_READABLE,
                detail="its parse is gone from the store",
                remedy="run docaudit corpus run again over the folder in which it lies",
            )
        documents = sorted(read | failed.keys())
        details = {sha256: failure.model_dump_json() for sha256, failure in failed.items()}
        parts = [[sha, len(paths_of[sha]), sha in read, details.get(sha, "")] for sha in documents]
        rows = (
            {
                **(_read_row(store, sha256) if sha256 in read else _failed_row(failed[sha256])),
                "sha256": sha256,
                "n_paths": len(paths_of[sha256]),
            }
            for sha256 in documents
        )
        tables.write(DOCUMENTS, parts, (_table([row], DOCUMENTS) for row in rows))
        for contract, name in ((PAGES, "page_df"), (BLIND_SPOTS, "blind_spot_df")):
            tables.write(contract, sorted(read), _tables_of_parses(store, sorted(read), name, contract))
        audit_rows: list[Row] = [
            {
                "audit": key,
                "concept_table": audit.name,
                "number": audit.number,
                "current": is_current(audit, audits.values()),
                "fingerprint": audit.table.fingerprint,
                "question": audit.question or "",
                "concepts": len(audit.table.active_concepts),
                "variants": len(audit.table.active),
                "options": json.dumps(audit.options, sort_keys=True),
            }
            for key, audit in audits.items()
        ]
        tables.write(AUDITS, audit_rows, [_table(audit_rows, AUDITS)])
        for number, (key, audit) in enumerate(audits.items(), 1):
            audited, justified = sorted(store.audited(key)), store.justified(key)
            # Rows of a document that could not be audited change when it can.
            parts = [[sha, sha in justified, "" if sha in justified else details.get(sha)] for sha in audited]
            for contract in (FINDINGS, CELLS, HITS):
                pieces = _tables_of_audit(store, key, audit.name, audited, contract)
                tables.write(contract, [audit.name, parts], pieces, part=key)
            if progress is not None:
                progress(number, len(audits))


class _NewTables:
    """The tables of a store that are written, beside the old ones."""

    def __init__(self, old: Path, new: Path) -> None:
        self._old, self._new = old, new
        self._names: list[str] = []

    def write(
        self, contract: TableContract, parts: object, pieces: Iterable[pa.Table], *, part: str = ""
    ) -> None:
        """Write a table, unless the one that is there was made of these parts.

        Args:
            contract: Its columns.
            parts: All that its content depends on, as JSON can tell it.
            pieces: Its rows, a few at a time.
            part: Name of the file in the folder of the table; empty if the table is one file.
        """
        name = f"{contract.name}/{part}.parquet" if part else f"{contract.name}.parquet"
        digest = hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest().encode("ascii")
        if _digest_of(self._old / name) == digest:
            return
        schema = arrow_schema(contract)
        (self._new / name).parent.mkdir(exist_ok=True)
        with pq.ParquetWriter(
            self._new / name, schema.with_metadata({_DIGEST: digest}), compression="zstd"
        ) as writer:
            held, size = [schema.empty_table()], 0
            for piece in pieces:
                held.append(piece)
                size += piece.num_rows
                if size >= _GROUP:
                    writer.write_table(pa.concat_tables(held), row_group_size=_GROUP)
                    held, size = [], 0
            if held:
                writer.write_table(pa.concat_tables(held), row_group_size=_GROUP)
        self._names.append(name)

    def swap(self) -> None:
        """Let the new tables take the place of the old ones; raises OSError."""
        if not self._names and (self._old / COMPLETE).exists():
            return
        atomic.remove(self._old / COMPLETE)
        for name in self._names:
            (self._old / name).parent.mkdir(exist_ok=True)
            (self._new / name).replace(self._old / name)
        atomic.write_text(self._old / COMPLETE, "{}\n")


@contextmanager
def _new_tables(folder: Path) -> Iterator[_NewTables]:
    """Tables that take the place of those in the folder when the block ends well; raises OutputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder, prefix=".tables."))
        try:
            tables = _NewTables(folder, new)
            yield tables
            tables.swap()
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise OutputError(
            f"the tables cannot be written: {error.strerror or error}",
            file=str(folder),
            remedy="make room, and run again",
        ) from error


def _digest_of(path: Path) -> bytes | None:
    """Digest of the parts of a table; None if there is no such table, or it is damaged."""
    try:
        digest: bytes | None = (pq.read_schema(path).metadata or {}).get(_DIGEST)
    except (pa.ArrowException, OSError):
        return None
    return digest


def _table(rows: Iterable[Row], contract: TableContract) -> pa.Table:
    """Rows as a table; what a row lacks takes the empty value of its column."""
    empty = {field.name: _EMPTY[field.dtype] for field in contract.fields}
    return pa.Table.from_pylist([empty | row for row in rows], schema=arrow_schema(contract))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise StoreError where a part of the store is not as it was written."""
    try:
        yield
    except (OSError, EOFError, ValueError, zlib.error, msgspec.MsgspecError, pa.ArrowException) as error:
        raise StoreError(
            "this part of the store is damaged", file=str(path), remedy="remove it, and run again"
        ) from error


def _path_rows(store: Store, paths: Iterable[SourcePath], folders: Iterable[str]) -> list[Row]:
    """Rows of the table of paths: those of this run, and those that lie in none of its folders."""
    file = store.tables / f"{PATHS.name}.parquet"
    rows: list[Row] = pq.read_table(file).to_pylist() if _digest_of(file) is not None else []
    inside = tuple(f"{printable(folder).rstrip('/')}/" for folder in folders)
    by_path = {row["path"]: row for row in rows if not row["path"].startswith(inside)}
    for path in paths:
        name = printable(path.path)
        by_path[name] = {
            "path": name,
            "state": path.state.value,
            "sha256": path.sha256,
            "reason": path.reason,
        }
    return [by_path[name] for name in sorted(by_path)]


def _failed_row(failure: DocumentFailure) -> Row:
    return {"state": "failed", "failure": failure.code.value, **failure.model_dump(exclude={"code"})}


def _read_row(store: Store, sha256: str) -> Row:
    folder = store.parse_of(sha256)
    with _reading(folder):
        head = json.loads((folder / "document.json").read_text("utf-8"))
        spots = pq.read_table(folder / "blind_spot_df.parquet", columns=["text_likely"])
    identity, coverage = head["identity"], head["coverage"]
    likely = spots.column("text_likely").to_pylist()
    return {
        "state": "read",
        "name": identity["name"],
        "size_bytes": identity["size_bytes"],
        "pages_total": identity["pages_total"],
        **{f"pages_{state.value}": coverage["pages_by_state"].get(state.value, 0) for state in PageState},
        "pages_with_text": coverage["pages_with_text"],
        "pages_by_ocr_alone": coverage["pages_by_ocr_alone"],
        "ink_read_share": coverage["ink_read_share"],
        "blind_spots": sum(likelihood != TextLikely.NO.value for likelihood in likely),
        "versions": json.dumps(identity["versions"], sort_keys=True),
    }


def _tables_of_parses(
    store: Store, read: Iterable[str], name: str, contract: TableContract
) -> Iterator[pa.Table]:
    """A table of every parse, with the hash of its document."""
    schema = arrow_schema(contract)
    for sha256 in read:
        with _reading(store.parse_of(sha256)):
            table = pq.read_table(
                store.parse_of(sha256) / f"{name}.parquet",
                columns=[column for column in contract.columns if column != "sha256"],
            )
        hashes = pa.array([sha256] * table.num_rows, pa.string())
        yield (
            table.append_column("sha256", hashes).select(schema.names).replace_schema_metadata().cast(schema)
        )


def _tables_of_audit(
    store: Store, key: str, name: str, audited: Iterable[str], contract: TableContract
) -> Iterator[pa.Table]:
    """A table of every document in an audit."""
    for sha256 in audited:
        path = store.rows_of(key, sha256)
        shared = {"sha256": sha256, "audit": key, "concept_table": name}
        with _reading(path):
            rows = read_rows(path)
            justification = str(store.justification_of(key, sha256).relative_to(store.root))
            if rows.findings[0].get("justification") not in (None, justification):
                raise ValueError("rows of another document or audit")
        if contract is HITS:
            size = len(rows.hits["concept"])
            columns = {**rows.hits, **{column: [value] * size for column, value in shared.items()}}
            yield pa.Table.from_pydict(columns, schema=arrow_schema(HITS))
        else:
            yield _table([row | shared for row in getattr(rows, contract.name)], contract)
