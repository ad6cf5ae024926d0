"""Documents by concepts: what the audits of a store found, and of how much of each document, as one model."""

from __future__ import annotations

import fnmatch
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from docaudit.corpus.matrix_model import Cell, CorpusMatrix, Entry, Heading, Lost, Outcome, Sheet
from docaudit.corpus.settled import Tables, reading, settled_tables
from docaudit.corpus.sources import PathState
from docaudit.corpus.unfinished import noted
from docaudit.errors import OptionError
from docaudit.render.corpus_words import file_names

Row = dict[str, Any]


def load_matrix(
    store: str | Path,
    *,
    tables: Collection[str] = (),
    findings: Collection[str] = (),
    document: str | None = None,
    gone: bool = False,
) -> CorpusMatrix:
    """What the current audits of a store found; counts are of all documents in the sources, whatever is chosen.

    Args:
        store: Folder of the store.
        tables: Names of the concept tables that are shown; all if none.
        findings: Findings that are shown (mentioned, absent_within_coverage, not_established, error, not_run); all if
            none.
        document: Shown are documents one of whose file names contains this text, or matches it if it has `*` or `?` in
            it, whatever the case; with a `/` in it, one of whose paths does. All if None.
        gone: Whether documents that are in no source any more are shown and counted.

    Raises:
        StoreError: There is no store, or its tables cannot be read.
        OptionError: The store has no such table, or there is no such finding.
    """
    with settled_tables(Path(store)) as (place, read), reading(Path(store)):
        audits = [row for row in _rows(read["audits"]) if row["current"]]
        paths = _rows(read["paths"])
        known = sorted(_documents(read, paths), key=lambda row: (row["name"].casefold(), row["sha256"]))
        documents = [row for row in known if gone or not row["gone"]]
        wanted = (
            [row for row in audits if row["concept_table"] in _known(tables, audits)] if tables else audits
        )
        kept = {Outcome(one) for one in _known_findings(findings)}
        sheets = tuple(_sheet(read, row, documents, kept, document) for row in wanted)
        unfinished = noted(place)
    lost = tuple(
        Lost(**{name: row[name] for name in Lost.model_fields})
        for row in documents
        if row["state"] == "failed" and _matches(row, document)
    )
    return CorpusMatrix(
        documents=len(documents),
        gone=sum(row["gone"] for row in known),
        with_gone=gone,
        lost=lost,
        unreadable={row["path"]: row["reason"] for row in paths if row["state"] == PathState.NOT_READABLE},
        unfinished=unfinished,
        paths=Counter(row["state"] for row in paths),
        sheets=sheets,
    )


def _documents(read: Tables, paths: Iterable[Row]) -> list[Row]:
    """The documents of the store, each with its paths, and whether it is in no source any more."""
    where: dict[str, list[str]] = defaultdict(list)
    for row in paths:
        where[row["sha256"]].append(row["path"])
    # Tables that were made of what a run had done that was killed know no path: then nothing is known to be gone.
    return [
        {**row, "paths": tuple(where.get(row["sha256"], ())), "gone": bool(where) and not row["n_paths"]}
        for row in _rows(read["documents"])
    ]


def _known(tables: Collection[str], audits: Iterable[Row]) -> Collection[str]:
    there = {row["concept_table"] for row in audits}
    for name in tables:
        if name not in there:
            listed = ", ".join(sorted(there))
            raise OptionError(
                f"the store has no current audit with a table '{name}'", remedy=f"there are: {listed}"
            )
    return tables


def _known_findings(findings: Collection[str]) -> Collection[str]:
    known = [one.value for one in Outcome]
    for name in findings:
        if name not in known:
            raise OptionError(f"there is no finding '{name}'", remedy=f"there are: {', '.join(known)}")
    return findings


def _sheet(
    read: Tables, audit: Row, documents: Iterable[Row], kept: Collection[Outcome], pattern: str | None
) -> Sheet:
    chosen = ds.field("audit") == audit["audit"]
    found = {row["sha256"]: row for row in _rows(read["findings"], chosen)}
    cells: dict[str, dict[str, Row]] = defaultdict(dict)
    concepts: dict[str, Heading] = {}
    for row in _rows(read["cells"], chosen):
        cells[row["sha256"]][row["concept"]] = row
        concepts.setdefault(row["concept"], Heading(name=row["concept"], role=row["role"]))
    rows = list(documents)
    entries = [_entry(row, found.get(row["sha256"]), cells[row["sha256"]], concepts) for row in rows]
    open_ones = [entry for entry in entries if entry.finding is Outcome.NOT_ESTABLISHED]
    return Sheet(
        audit=audit["audit"],
        table=audit["concept_table"],
        question=audit["question"],
        fingerprint=audit["fingerprint"],
        concepts=tuple(concepts.values()),
        counts={one: sum(entry.finding is one for entry in entries) for one in Outcome},
        unmet=dict(Counter(code for entry in open_ones for code in entry.unmet).most_common()),
        entries=tuple(
            entry
            for row, entry in zip(rows, entries, strict=True)
            if (not kept or entry.finding in kept) and _matches(row, pattern)
        ),
    )


def _entry(document: Row, found: Row | None, cells: Mapping[str, Row], concepts: Iterable[str]) -> Entry:
    head = {name: document[name] for name in ("sha256", "name", "paths", "gone")}
    if found is None:
        # It was never audited with this table: nothing is known, which is not the same as nothing found.
        nothing = tuple(Cell(finding=Outcome.NOT_RUN) for _ in concepts)
        return Entry(**head, finding=Outcome.NOT_RUN, pages_total=document["pages_total"], cells=nothing)
    taken = {
        name: found[name] for name in Entry.model_fields if name in found and name not in ("cells", *head)
    }
    taken |= {name: _codes(found[name]) for name in ("unmet", "waived")}
    return Entry(**head, **taken, cells=tuple(_cell(cells[name]) for name in concepts))


def _cell(row: Row) -> Cell:
    taken = {name: row[name] for name in Cell.model_fields}
    return Cell(**{**taken, "unmet": _codes(row["unmet"])})


def _codes(joined: str) -> tuple[str, ...]:
    return tuple(joined.split(", ")) if joined else ()


def _matches(document: Row, pattern: str | None) -> bool:
    if pattern is None:
        return True
    names = document["paths"] if "/" in pattern else [document["name"], *file_names(document["paths"])]
    pattern = pattern.casefold()
    if set(pattern) & set("*?"):
        return any(fnmatch.fnmatchcase(name.casefold(), pattern) for name in names)
    return any(pattern in name.casefold() for name in names)


def _rows(table: Any, chosen: Any = None) -> list[Row]:
    return list(table.to_table(filter=chosen).to_pylist())
