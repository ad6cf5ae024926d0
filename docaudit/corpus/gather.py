"""From the parts of a store to its tables: piece by piece, so that memory does not grow with the documents."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

import pyarrow.parquet as pq

from docaudit.corpus.audits import Asked, audits, is_current
from docaudit.corpus.damage import DamagedPartError, parse_gone, part_of, rows_kept
from docaudit.corpus.failures import Failure
from docaudit.corpus.rows import Row
from docaudit.corpus.sources import Found, shown
from docaudit.corpus.store import Store
from docaudit.corpus.store_tables import AUDITS, BLIND_SPOTS, CELLS, DOCUMENTS, FINDINGS, HITS, PAGES, PATHS
from docaudit.corpus.table_files import Columns, TableFiles, replacing_tables
from docaudit.frames import TableContract
from docaudit.location import PageState, TextLikely


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
