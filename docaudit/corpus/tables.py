"""New tables beside the old ones until all are there: written in pieces, and only where something is new in them.

From the parts of a store to its tables: piece by piece, so that memory does not grow with the documents.

Parts of a store that were lost or damaged since: each is a row that says so, until it is made again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from docaudit import files as atomic
from docaudit.codes import PageState, TextLikely
from docaudit.corpus import audits as rows
from docaudit.corpus.audits import (
    AUDITS,
    BLIND_SPOTS,
    CELLS,
    DOCUMENTS,
    FINDINGS,
    HITS,
    PAGES,
    PATHS,
    Asked,
    Row,
    Rows,
    arrow_schema,
    audits,
    is_current,
)
from docaudit.corpus.sources import Found, shown
from docaudit.corpus.store import Failure, FailureCode, Store
from docaudit.document import ParsedDocument
from docaudit.errors import OutputError, SavedFileError
from docaudit.tables import BOOL, FLOAT, INT, TEXT, TableContract

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


_REMEDY = "run docaudit corpus run again over the folder in which it lies"


class DamagedPartError(Exception):
    """A parse, or the rows of an audit, cannot be read back as they were written."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path

    def remove(self) -> None:
        """Remove the part, so that it is made again; raises OutputError.

        A parse that can be loaded stays, and what really happened is raised: the PDF may be gone, and a fault of
        docaudit must not cost what was read of it.
        """
        if self.path.is_dir() and self.__cause__ is not None and _loads(self.path):
            raise self.__cause__
        try:
            shutil.rmtree(self.path) if self.path.is_dir() else self.path.unlink()
        except OSError as error:
            raise OutputError(
                f"is damaged and cannot be removed: {error.strerror or error}",
                file=str(self.path),
                remedy="remove it, and run again",
            ) from error


def _loads(parse: Path) -> bool:
    try:
        ParsedDocument.load(parse)
    except SavedFileError:
        return False
    return True


@contextmanager
def part_of(path: Path) -> Iterator[None]:
    """Raise DamagedPartError where a file of this part is not as it was written."""
    try:
        yield
    except (FileNotFoundError, EOFError, ValueError, KeyError, TypeError, pa.ArrowInvalid) as error:
        raise DamagedPartError(path) from error


def rows_kept(store: Store, key: str, asked: Asked, sha256: str) -> Rows:
    """The rows of a document in an audit; if they were lost, rows that say so. Raises DamagedPartError."""
    path = store.rows_of(key, sha256)
    try:
        kept = rows.read(path)
        told = kept.findings[0].get("justification", "")
    except FileNotFoundError:
        return rows.failed_rows(asked, _gone(sha256, "its rows are gone from the store"))
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError, IndexError) as error:
        raise DamagedPartError(path) from error
    if told not in ("", str(store.justification_of(key, sha256).relative_to(store.root))):
        raise DamagedPartError(path)  # those of another document or audit
    return kept


def parse_gone(sha256: str, paths: Sequence[str]) -> Failure:
    """Why there is nothing of a document that was audited once."""
    name = paths[0].rpartition("/")[2] if paths else sha256
    return _gone(name, "its parse is gone from the store")


def _gone(name: str, detail: str) -> Failure:
    return Failure(name=name, size_bytes=0, code=FailureCode.NOT_READABLE, detail=detail, remedy=_REMEDY)


def gather(
    store: Store,
    found: Iterable[Found],
    folders: Iterable[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Bring the tables up to what the store holds; raises OutputError.

    Args:
        store: The store, held against other runs.
        found: Paths of this run; those that earlier runs found elsewhere stay.
        folders: Sources of this run: what was in them and is not found any more is gone.
        progress: Called with audits whose tables are written, and audits in all.
    """
    listed = list(found)
    while True:
        try:
            _gather(store, listed, list(folders), progress)
        except DamagedPartError as damaged:
            # Without it the document is one that the next run reads or audits again; until then its row says so.
            damaged.remove()
        else:
            return


def _gather(
    store: Store,
    found: Iterable[Found],
    folders: Iterable[str],
    progress: Callable[[int, int], None] | None,
) -> None:
    read, failed = store.read_documents(), store.failed_documents()
    kept = audits(store)
    audited = {sha256 for key in kept for sha256 in store.audited(key) | store.justified(key)}
    with replacing_tables(store.tables) as files:
        where = _paths(files, found, folders)
        counts = {sha256: len(paths) for sha256, paths in where.items()}
        failed |= {one: parse_gone(one, where.get(one, ())) for one in audited - read - failed.keys()}
        _documents(files, store, read, failed, counts)
        for contract, source in ((PAGES, "page_df"), (BLIND_SPOTS, "blind_spot_df")):
            pieces = _of_parses(store, sorted(read), source, contract)
            files.write(contract, sorted(read), pieces)
        _audits(files, kept)
        for number, (key, asked) in enumerate(kept.items(), 1):
            _of_audit(files, store, key, asked, failed)
            if progress is not None:
                progress(number, len(kept))


def _paths(files: TableFiles, found: Iterable[Found], folders: Iterable[str]) -> dict[str, list[str]]:
    """Write the table of paths; returns the paths of each document."""
    inside = tuple(f"{shown(folder).rstrip('/')}/" for folder in folders)
    listed = {row["path"]: row for row in files.rows(PATHS) if not row["path"].startswith(inside)}
    for one in found:
        path = shown(one.path)
        listed[path] = {"path": path, "state": one.state.value, "sha256": one.sha256, "reason": one.reason}
    ordered = [listed[path] for path in sorted(listed)]
    files.write(PATHS, ordered, [_columns(ordered, PATHS)])
    where: dict[str, list[str]] = defaultdict(list)
    for row in ordered:
        where[row["sha256"]].append(row["path"])
    return where


def _documents(
    files: TableFiles, store: Store, read: Set[str], failed: Mapping[str, Failure], counts: Mapping[str, int]
) -> None:
    known = sorted({*read, *failed})
    parts = [[one, counts.get(one, 0), one in read, _told(failed.get(one))] for one in known]
    listed = (_read_row(store, one) if one in read else _failed_row(failed[one]) for one in known)
    pieces = (
        _columns([{**row, "sha256": one, "n_paths": counts.get(one, 0)}], DOCUMENTS)
        for one, row in zip(known, listed, strict=True)
    )
    files.write(DOCUMENTS, parts, pieces)


def _told(failure: Failure | None) -> str:
    return failure.model_dump_json() if failure else ""


def _failed_row(failure: Failure) -> Row:
    told = {"name": failure.name, "size_bytes": failure.size_bytes}
    why = {"failure": failure.code.value, "detail": failure.detail, "remedy": failure.remedy}
    return {"state": "failed", **told, **why}


def _read_row(store: Store, sha256: str) -> Row:
    folder = store.parse_of(sha256)
    with part_of(folder):
        head = json.loads((folder / "document.json").read_text("utf-8"))
        identity, coverage = head["identity"], head["coverage"]
        likely = (
            pq.read_table(folder / "blind_spot_df.parquet", columns=["text_likely"]).column(0).to_pylist()
        )
    return {
        "state": "read",
        "name": identity["name"],
        "size_bytes": identity["size_bytes"],
        "pages_total": identity["pages_total"],
        **{f"pages_{state.value}": coverage["pages_by_state"].get(state.value, 0) for state in PageState},
        "pages_with_text": coverage["pages_with_text"],
        "pages_by_ocr_alone": coverage["pages_by_ocr_alone"],
        "ink_read_share": coverage["ink_read_share"],
        "blind_spots": sum(one != TextLikely.NO.value for one in likely),
        "versions": json.dumps(identity["versions"], sort_keys=True),
    }


def _of_parses(store: Store, read: Iterable[str], source: str, contract: TableContract) -> Iterator[Columns]:
    """A table of every parse, with the hash of its document."""
    names = [name for name in contract.columns if name != "sha256"]
    for sha256 in read:
        with part_of(store.parse_of(sha256)):
            table = pq.read_table(store.parse_of(sha256) / f"{source}.parquet", columns=names)
        columns = {name: table.column(name).to_pylist() for name in names}
        yield {"sha256": [sha256] * table.num_rows, **columns}


def _audits(files: TableFiles, kept: Mapping[str, Asked]) -> None:
    listed: list[Row] = [
        {
            "audit": key,
            "concept_table": asked.name,
            "number": asked.number,
            "current": is_current(asked, kept.values()),
            "fingerprint": asked.table.fingerprint,
            "question": asked.question or "",
            "concepts": len(asked.table.active_concepts),
            "variants": len(asked.table.active),
            "options": json.dumps(asked.options, sort_keys=True),
        }
        for key, asked in kept.items()
    ]
    files.write(AUDITS, listed, [_columns(listed, AUDITS)])


def _of_audit(files: TableFiles, store: Store, key: str, asked: Asked, failed: Mapping[str, Failure]) -> None:
    there, made = store.audited(key), store.justified(key)
    known = sorted(there | made)
    # Rows of a document that could not be audited change when it can.
    parts = [
        [one, one in made, "" if one in made & there else _told(failed.get(one)) or "lost"] for one in known
    ]
    for contract in (FINDINGS, CELLS, HITS):
        files.write(contract, [asked.name, parts], _pieces(store, key, asked, known, contract), part=key)


def _pieces(
    store: Store, key: str, asked: Asked, known: Iterable[str], contract: TableContract
) -> Iterator[Columns]:
    for sha256 in known:
        kept = rows_kept(store, key, asked, sha256)
        piece = kept.hits if contract is HITS else _columns(getattr(kept, contract.name), contract)
        size = max(map(len, piece.values()), default=0)
        yield {
            **piece,
            "sha256": [sha256] * size,
            "audit": [key] * size,
            "concept_table": [asked.name] * size,
        }


def _columns(listed: Iterable[Mapping[str, Any]], contract: TableContract) -> Columns:
    """Rows as columns; what none of them has is left out."""
    given = list(listed)
    kept = [name for name in contract.columns if any(name in row for row in given)]
    return {name: [row.get(name) for row in given] for name in kept}
