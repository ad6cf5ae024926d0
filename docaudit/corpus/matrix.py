"""Documents by concepts: what the audits of a store found, and of how much of each document, as one model."""

from __future__ import annotations

import fnmatch
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
from pydantic import BaseModel, ConfigDict

from docaudit.corpus.settled import Tables, reading, settled_tables
from docaudit.errors import OptionError

Row = dict[str, Any]


class Outcome(StrEnum):
    """What became of a document in an audit: a finding, or that there is none."""

    MENTIONED = "mentioned"
    ABSENT = "absent_within_coverage"
    NOT_ESTABLISHED = "not_established"
    ERROR = "error"
    NOT_RUN = "not_run"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Heading(_Frozen):
    """A concept of a table.

    Attributes:
        name: Its name.
        role: required or context.
    """

    name: str
    role: str


class Cell(_Frozen):
    """One concept in one document: what an audit of this concept alone finds.

    Attributes:
        finding: Its finding.
        strength: Its strength; empty without a finding.
        unmet: Its unmet obligations, by code.
        hits: Occurrences, possible ones left out.
        possible_hits: Possible occurrences.
        pages_with_hits: Pages on which they begin.
        pages_searched: Pages whose text every variant of it was matched against.
        pages_not_searchable: Pages with no text to match against, blank ones included.
    """

    finding: Outcome
    strength: str = ""
    unmet: tuple[str, ...] = ()
    hits: int = 0
    possible_hits: int = 0
    pages_with_hits: int = 0
    pages_searched: int = 0
    pages_not_searchable: int = 0


class Entry(_Frozen):
    """One document in one audit.

    Attributes:
        sha256: The document.
        name: Its file name.
        finding: The finding of the whole table.
        reason: Its AbsenceReason; empty if there is none.
        strength: Its strength; empty without a finding.
        unmet: Unmet obligations, by code.
        waived: Waived obligations, by code.
        explanation: The finding as a sentence.
        pages_total: Pages of the document.
        pages_read: Pages of which a line was read.
        ink_read_share: Ink under text that was read, of all ink; None if not measured.
        blind_spots: Regions and parts that were not read and may hold text.
        failure: Why there is no finding, a FailureCode; empty if there is one.
        detail: What happened, as a sentence; empty if nothing failed.
        justification: Path of the justification, from the store; empty if there is none.
        cells: One for each concept, in the order of the headings.
    """

    sha256: str
    name: str
    finding: Outcome
    reason: str = ""
    strength: str = ""
    unmet: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    explanation: str = ""
    pages_total: int = 0
    pages_read: int = 0
    ink_read_share: float | None = None
    blind_spots: int = 0
    failure: str = ""
    detail: str = ""
    justification: str = ""
    cells: tuple[Cell, ...]


class Sheet(_Frozen):
    """One audit: a concept table and a question, with every document that is shown.

    Attributes:
        audit: Key of the audit.
        table: Name of the concept table.
        question: The question; empty if none was asked.
        fingerprint: Fingerprint of the concept table.
        concepts: Its concepts, in the order of the table.
        counts: Documents by finding; all of the store, also those that are not shown.
        unmet: Over all documents with the finding not_established: how many lack which obligation.
        entries: The documents that are shown, by name.
    """

    audit: str
    table: str
    question: str
    fingerprint: str
    concepts: tuple[Heading, ...]
    counts: Mapping[Outcome, int]
    unmet: Mapping[str, int]
    entries: tuple[Entry, ...]


class Lost(_Frozen):
    """A document that could not be read.

    Attributes:
        sha256: The document.
        name: Its file name.
        failure: A FailureCode.
        detail: What happened, as a sentence.
        remedy: What a person can do about it.
    """

    sha256: str
    name: str
    failure: str
    detail: str
    remedy: str


class CorpusMatrix(_Frozen):
    """All current audits of a store.

    Attributes:
        documents: Documents of the store, also those that could not be read.
        lost: Those that could not be read.
        paths: Paths that the sources of the runs name or hold, by state.
        sheets: One for each audit that is shown, in the order in which they were last begun.
    """

    documents: int
    lost: tuple[Lost, ...]
    paths: Mapping[str, int]
    sheets: tuple[Sheet, ...]


def load_matrix(
    store: str | Path,
    *,
    tables: Collection[str] = (),
    findings: Collection[str] = (),
    document: str | None = None,
) -> CorpusMatrix:
    """What the current audits of a store found; counts are those of the whole store whatever is left out.

    Args:
        store: Folder of the store.
        tables: Names of the concept tables that are shown; all if none.
        findings: Findings that are shown (mentioned, absent_within_coverage, not_established, error, not_run); all if
            none.
        document: Shown are documents whose file name contains this text, or matches it if it has `*` or `?` in it,
            whatever the case; all if None.

    Raises:
        StoreError: There is no store, or its tables cannot be read.
        OptionError: The store has no such table, or there is no such finding.
    """
    with settled_tables(Path(store)) as (_, read), reading(Path(store)):
        audits = [row for row in _rows(read["audits"]) if row["current"]]
        documents = sorted(_rows(read["documents"]), key=lambda row: (row["name"].casefold(), row["sha256"]))
        wanted = (
            [row for row in audits if row["concept_table"] in _known(tables, audits)] if tables else audits
        )
        kept = {Outcome(one) for one in _known_findings(findings)}
        sheets = tuple(_sheet(read, row, documents, kept, document) for row in wanted)
        paths = Counter(row["state"] for row in _rows(read["paths"]))
    lost = tuple(
        Lost(**{name: row[name] for name in Lost.model_fields})
        for row in documents
        if row["state"] == "failed" and _matches(row["name"], document)
    )
    return CorpusMatrix(documents=len(documents), lost=lost, paths=paths, sheets=sheets)


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
    entries = [_entry(row, found.get(row["sha256"]), cells[row["sha256"]], concepts) for row in documents]
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
            for entry in entries
            if (not kept or entry.finding in kept) and _matches(entry.name, pattern)
        ),
    )


def _entry(document: Row, found: Row | None, cells: Mapping[str, Row], concepts: Iterable[str]) -> Entry:
    head = {"sha256": document["sha256"], "name": document["name"]}
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


def _matches(name: str, pattern: str | None) -> bool:
    if pattern is None:
        return True
    name, pattern = name.casefold(), pattern.casefold()
    return fnmatch.fnmatchcase(name, pattern) if set(pattern) & set("*?") else pattern in name


def _rows(table: Any, chosen: Any = None) -> list[Row]:
    return list(table.to_table(filter=chosen).to_pylist())
