"""Documents by concepts: what the audits of a store found, and of how much of each document.

One model, printed as a block for each table on a terminal, or written as CSV with a row for each document, table and
concept, also where nothing could be found out.
"""

from __future__ import annotations

import fnmatch
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.dataset as ds
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docaudit.codes import Code
from docaudit.corpus.sources import PathState
from docaudit.corpus.sql import Tables, reading, settled_tables
from docaudit.corpus.store import Unfinished
from docaudit.errors import OptionError
from docaudit.render.language import Translator, one_line
from docaudit.render.tables import BYTE_ORDER_MARK, table_csv
from docaudit.render.terminal import ConsoleWriter, new_console
from docaudit.text.numbers import plural


class MatrixFinding(Code):
    """What became of a document in an audit: a finding, or that there is none."""

    MENTIONED = "mentioned", "mentioned"
    ABSENT = "absent_within_coverage", "absent"  # a legend says what `absent` means
    NOT_ESTABLISHED = "not_established", "not established"
    ERROR = "error", "error"
    NOT_RUN = "not_run", "not run"


UNKNOWN = (MatrixFinding.ERROR, MatrixFinding.NOT_RUN)
"""Where the document was not searched."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ConceptHeading(_Frozen):
    """A concept of a table.

    Attributes:
        name: Its name.
        role: required or context.
    """

    name: str
    role: str


class ConceptCell(_Frozen):
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

    finding: MatrixFinding
    strength: str = ""
    unmet: tuple[str, ...] = ()
    hits: int = 0
    possible_hits: int = 0
    pages_with_hits: int = 0
    pages_searched: int = 0
    pages_not_searchable: int = 0


class DocumentEntry(_Frozen):
    """One document in one audit.

    Attributes:
        sha256: The document.
        name: Its file name when it was read.
        paths: Where it lies; none if it is in no source any more, or the store knows no paths.
        gone: It is in no source any more.
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
    paths: tuple[str, ...] = ()
    gone: bool = False
    finding: MatrixFinding
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
    cells: tuple[ConceptCell, ...]


class AuditSheet(_Frozen):
    """One audit: a concept table and a question, with every document that is shown.

    Attributes:
        audit: Key of the audit.
        table: Name of the concept table.
        question: The question; empty if none was asked.
        fingerprint: Fingerprint of the concept table.
        concepts: Its concepts, in the order of the table.
        counts: Documents by finding, also those that are not chosen.
        unmet: Over all documents with the finding not_established: how many lack which obligation.
        entries: The documents that are shown, by name.
    """

    audit: str
    table: str
    question: str
    fingerprint: str
    concepts: tuple[ConceptHeading, ...]
    counts: Mapping[MatrixFinding, int]
    unmet: Mapping[str, int]
    entries: tuple[DocumentEntry, ...]


class UnreadDocument(_Frozen):
    """A document that could not be read.

    Attributes:
        sha256: The document.
        name: Its file name when it was read.
        paths: Where it lies, as of an DocumentEntry.
        gone: It is in no source any more.
        failure: A FailureCode.
        detail: What happened, as a sentence.
        remedy: What a person can do about it.
    """

    sha256: str
    name: str
    paths: tuple[str, ...] = ()
    gone: bool = False
    failure: str
    detail: str
    remedy: str


class CorpusMatrix(_Frozen):
    """All current audits of a store.

    Attributes:
        documents: Documents, also those that could not be read.
        gone: Documents of the store that are in no source any more: replaced or deleted.
        with_gone: Whether these are among the documents, and in all counts.
        lost: Documents that could not be read.
        unreadable: Why paths that may be documents cannot be read, by path.
        unfinished: How far the last run came; None if it came to its end.
        paths: Paths that the sources of the runs name or hold, by state.
        sheets: One for each audit that is shown, in the order in which they were last begun.
    """

    documents: int
    gone: int = 0
    with_gone: bool = False
    lost: tuple[UnreadDocument, ...]
    unreadable: Mapping[str, str] = {}
    unfinished: Unfinished | None = None
    paths: Mapping[str, int]
    sheets: tuple[AuditSheet, ...]


def file_names(paths: Iterable[str]) -> list[str]:
    """The file names of paths, each once, in their order.

    >>> file_names(["/a/x.pdf", "/b/x.pdf", "/b/y.pdf"])
    ['x.pdf', 'y.pdf']
    """
    return list(dict.fromkeys(path.rpartition("/")[2] for path in paths))


def name_note(document: DocumentEntry | UnreadDocument, t: Translator) -> str:
    """What stands beside the name of a document: that it has another by now, copies, or is gone; empty if nothing."""
    names, copies = file_names(document.paths), len(document.paths) - 1
    notes = [t("in no source any more")] if document.gone else []
    if names and document.name not in names:
        notes.append(t("now {name}", name=one_line(names[0])))
    if copies > 0:
        notes.append(f"+{t.ngettext('{n} copy', '{n} copies', copies)}")
    return ", ".join(notes)


def gone_sentence(matrix: CorpusMatrix, t: Translator) -> str:
    """That documents are in no source any more, and whether they are shown; empty if there are none."""
    if not matrix.gone:
        return ""
    documents = t.ngettext("{n} document", "{n} documents", matrix.gone)
    if matrix.with_gone:
        return t(
            "In no source any more (replaced or deleted), and shown here: {documents}.", documents=documents
        )
    return t(
        "In no source any more (replaced or deleted), and left out here: {documents}; --gone shows them.",
        documents=documents,
    )


def unfinished_sentence(matrix: CorpusMatrix, t: Translator) -> str:
    """That the last run has not come to its end, and how far it came; empty if it has."""
    if matrix.unfinished is None:
        return ""
    return t(
        "The last run was ended before its end, or is going on: {n} of {total} documents were done. What is not here "
        "was not searched; the same command goes on from there.",
        n=f"{matrix.unfinished.done:,}",
        total=f"{matrix.unfinished.documents:,}",
    )


Row = dict[str, Any]
_Model = TypeVar("_Model", ConceptCell, DocumentEntry)


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
    with settled_tables(Path(store)) as (place, datasets), reading(Path(store)):
        audits = [row for row in _rows(datasets["audits"]) if row["current"]]
        _require_names(
            "the store has no current audit with a table",
            tables,
            sorted({row["concept_table"] for row in audits}),
        )
        _require_names("there is no finding", findings, list(MatrixFinding))
        path_rows = _rows(datasets["paths"])
        paths: dict[str, list[str]] = defaultdict(list)
        for row in path_rows:
            paths[row["sha256"]].append(row["path"])
        # Tables that were made of what a run had done that was killed know no path: then nothing is known to be gone.
        every = [
            {**row, "paths": tuple(paths[row["sha256"]]), "gone": bool(path_rows) and not row["n_paths"]}
            for row in _rows(datasets["documents"])
        ]
        every.sort(key=lambda row: (row["name"].casefold(), row["sha256"]))
        documents = [row for row in every if gone or not row["gone"]]
        sheets = [
            _audit_sheet(datasets, row, documents)
            for row in audits
            if not tables or row["concept_table"] in tables
        ]
        unfinished = place.unfinished()
    chosen = {row["sha256"] for row in documents if _matches(row, document)}
    return CorpusMatrix(
        documents=len(documents),
        gone=sum(row["gone"] for row in every),
        with_gone=gone,
        lost=tuple(
            UnreadDocument(**{name: row[name] for name in UnreadDocument.model_fields})
            for row in documents
            if row["state"] == "failed" and row["sha256"] in chosen
        ),
        unreadable={
            row["path"]: row["reason"] for row in path_rows if row["state"] == PathState.NOT_READABLE
        },
        unfinished=unfinished,
        paths=Counter(row["state"] for row in path_rows),
        sheets=tuple(
            sheet.model_copy(
                update={
                    "entries": tuple(
                        entry
                        for entry in sheet.entries
                        if entry.sha256 in chosen and (not findings or entry.finding in findings)
                    )
                }
            )
            for sheet in sheets
        ),
    )


def _require_names(problem: str, names: Iterable[str], existing: Collection[str]) -> None:
    for name in names:
        if name not in existing:
            raise OptionError(f"{problem} '{name}'", remedy=f"there are: {', '.join(existing)}")


def _audit_sheet(datasets: Tables, audit: Row, documents: Iterable[Row]) -> AuditSheet:
    """An audit with all documents."""
    of_audit = ds.field("audit") == audit["audit"]
    findings = {row["sha256"]: row for row in _rows(datasets["findings"], of_audit)}
    cells: dict[str, dict[str, Row]] = defaultdict(dict)
    concepts: dict[str, ConceptHeading] = {}
    for row in _rows(datasets["cells"], of_audit):
        cells[row["sha256"]][row["concept"]] = row
        concepts.setdefault(row["concept"], ConceptHeading(name=row["concept"], role=row["role"]))
    entries: list[DocumentEntry] = []
    for document in documents:
        # Without a row it was never audited with this table: nothing is known, which is not the same as nothing found.
        finding = findings.get(document["sha256"], {"finding": MatrixFinding.NOT_RUN})
        row = {name: document[name] for name in ("sha256", "name", "paths", "gone", "pages_total")} | finding
        of_document = cells[document["sha256"]]
        row["cells"] = tuple(
            _from_row(ConceptCell, of_document.get(name, {"finding": MatrixFinding.NOT_RUN}))
            for name in concepts
        )
        entries.append(_from_row(DocumentEntry, row))
    unmet = (
        code for entry in entries if entry.finding is MatrixFinding.NOT_ESTABLISHED for code in entry.unmet
    )
    return AuditSheet(
        audit=audit["audit"],
        table=audit["concept_table"],
        question=audit["question"],
        fingerprint=audit["fingerprint"],
        concepts=tuple(concepts.values()),
        counts={finding: sum(entry.finding is finding for entry in entries) for finding in MatrixFinding},
        unmet=dict(Counter(unmet).most_common()),
        entries=tuple(entries),
    )


def _from_row(model: type[_Model], row: Row) -> _Model:
    """A row of a table as a model; codes that are joined by commas become a tuple."""
    values = {name: row[name] for name in model.model_fields if name in row}
    values |= {
        name: tuple(row[name].split(", ")) if row[name] else ()
        for name in ("unmet", "waived")
        if name in values
    }
    return model(**values)


def _matches(document: Row, pattern: str | None) -> bool:
    if pattern is None:
        return True
    names = document["paths"] if "/" in pattern else [document["name"], *file_names(document["paths"])]
    pattern = pattern.casefold()
    if set(pattern) & set("*?"):
        return any(fnmatch.fnmatchcase(name.casefold(), pattern) for name in names)
    return any(pattern in name.casefold() for name in names)


def _rows(dataset: Any, condition: Any = None) -> list[Row]:
    return list(dataset.to_table(filter=condition).to_pylist())


MATRIX_COLUMNS = (
    ("document", "file name when it was read"),
    ("sha256", "the document, whatever it is called"),
    ("paths", "how many paths of the sources it lies under: 0 if it is in no source any more"),
    ("concept_table", "name of the concept table"),
    ("question", "the question; empty if none was asked"),
    ("concept", "concept of the table"),
    ("role", "required or context"),
    (
        "finding",
        "of this concept alone: mentioned, absent_within_coverage, not_established, error or not_run",
    ),
    ("strength", "of this concept alone"),
    ("unmet", "unmet obligations of this concept alone, by code"),
    ("hits", "occurrences of the concept, possible ones left out; empty if it was not searched"),
    ("possible_hits", "possible occurrences"),
    ("pages_with_hits", "pages on which they begin"),
    ("pages_searched", "pages whose text every variant of it was matched against"),
    ("pages_not_searchable", "pages with no text to match against, blank ones included"),
    ("table_finding", "of the whole table: its required concepts must meet"),
    ("table_strength", "its strength"),
    ("table_unmet", "its unmet obligations, by code"),
    ("table_waived", "its waived obligations, by code"),
    ("pages_read", "pages of the document of which a line was read"),
    ("pages_total", "pages of the document"),
    ("ink_read_share", "ink under text that was read, of all ink; empty if not measured"),
    ("blind_spots", "regions and parts that were not read and may hold text"),
    ("failure", "why there is no finding, by code; empty if there is one"),
    ("detail", "what happened, as a sentence"),
    ("justification", "path of the justification, from the store"),
)
"""Columns with their meanings, in order."""


def matrix_csv(matrix: CorpusMatrix) -> str:
    """The whole matrix, as Excel reads it; cells that look like formulas are made harmless."""
    rows = (
        _csv_row(sheet, entry, heading, cell)
        for sheet in matrix.sheets
        for entry in sheet.entries
        for heading, cell in zip(sheet.concepts, entry.cells, strict=True)
    )
    columns = [name for name, _ in MATRIX_COLUMNS]
    return BYTE_ORDER_MARK + table_csv(columns, ([row[name] for name in columns] for row in rows))


def _csv_row(
    sheet: AuditSheet, entry: DocumentEntry, heading: ConceptHeading, cell: ConceptCell
) -> dict[str, object]:
    counts: dict[str, object] = {
        "hits": cell.hits,
        "possible_hits": cell.possible_hits,
        "pages_with_hits": cell.pages_with_hits,
        "pages_searched": cell.pages_searched,
        "pages_not_searchable": cell.pages_not_searchable,
        "pages_read": entry.pages_read,
        "pages_total": entry.pages_total,
        "ink_read_share": entry.ink_read_share,
        "blind_spots": entry.blind_spots,
    }
    if entry.finding in UNKNOWN:
        counts = dict.fromkeys(counts)  # a zero would say that it was searched
    return counts | {
        "document": entry.name,
        "sha256": entry.sha256,
        "paths": len(entry.paths),
        "concept_table": sheet.table,
        "question": sheet.question,
        "concept": heading.name,
        "role": heading.role,
        "finding": cell.finding.value,
        "strength": cell.strength,
        "unmet": ", ".join(cell.unmet),
        "table_finding": entry.finding.value,
        "table_strength": entry.strength,
        "table_unmet": ", ".join(entry.unmet),
        "table_waived": ", ".join(entry.waived),
        "failure": entry.failure,
        "detail": entry.detail,
        "justification": entry.justification,
    }


MARKS = {
    MatrixFinding.MENTIONED: "●",
    MatrixFinding.ABSENT: "○",
    MatrixFinding.NOT_ESTABLISHED: "?",
    MatrixFinding.ERROR: "✗",
    MatrixFinding.NOT_RUN: "·",
}
"""A character for each, as colour alone says nothing to many."""
STYLES = {
    MatrixFinding.MENTIONED: "yellow",
    MatrixFinding.ABSENT: "green",
    MatrixFinding.NOT_ESTABLISHED: "red",
    MatrixFinding.ERROR: "bold red",
    MatrixFinding.NOT_RUN: "dim",
}
_LEGEND = (
    "12: hits, the concept is mentioned; ○ absent within the stated coverage; ? not established; ✗ error; · not run; "
    "~2: possible hits, not counted; !: a variant was not searched on every page that can be"
)
_NAME_WIDTH, _FINDING_WIDTH, _GAP = 26, 15, 2
_NAMED = 5
"""Paths that are named; the rest is counted."""


def print_matrix(matrix: CorpusMatrix, *, limit: int, console: Console | None = None) -> None:
    """Print the matrix.

    Args:
        matrix: What is printed.
        limit: Documents of a table that are listed at most, 0 for all. What is not listed is counted; documents that
            could not be read are always listed.
        console: Where to; standard output if None.
    """
    paper, english = ConsoleWriter(console or new_console()), Translator("en")
    names = document_names(matrix)
    if matrix.unfinished is not None:
        paper.say((unfinished_sentence(matrix, english), "bold red"))
    if matrix.lost:
        documents = plural(matrix.documents, "document")
        paper.say((f"Could not be read: {len(matrix.lost):,} of {documents}", "bold red"))
    for document in matrix.lost:
        note = name_note(document, english)
        paper.say(
            ("✗ ", "bold red"),
            (names[document.sha256], "bold"),
            (f" ({note})" if note else "", "dim"),
            f": {one_line(document.detail)}" + (f" ({one_line(document.remedy)})" if document.remedy else ""),
            indent=2,
            hang=2,
        )
    for sheet in matrix.sheets:
        _print_sheet(paper, sheet, names, {document.sha256 for document in matrix.lost}, limit)
    paper.blank()
    if any(sheet.entries for sheet in matrix.sheets):
        paper.say((_LEGEND, "dim"))
    if matrix.gone:
        paper.say((gone_sentence(matrix, english), "bold"))
    if not matrix.paths:
        return
    counts = ", ".join(
        f"{state.replace('_', ' ')} {count:,}" for state, count in sorted(matrix.paths.items())
    )
    documents, paths = (
        plural(matrix.documents, "document"),
        plural(sum(matrix.paths.values()), "path"),
    )
    paper.say(f"{documents}; {paths} in the sources: {counts}")
    for path, reason in list(matrix.unreadable.items())[:_NAMED]:
        paper.say(("✗ ", "bold red"), (one_line(path), "bold"), f": {one_line(reason)}", indent=2, hang=2)
    if len(matrix.unreadable) > _NAMED:
        paper.say(f"and {len(matrix.unreadable) - _NAMED:,} more: the table paths has each", indent=2)


def document_names(matrix: CorpusMatrix) -> dict[str, str]:
    """What each document is called: its file name, and where several have the same, the beginning of its hash."""
    names = {document.sha256: document.name for document in matrix.lost}
    names |= {entry.sha256: entry.name for sheet in matrix.sheets for entry in sheet.entries}
    count = Counter(names.values())
    return {
        sha256: one_line(name if count[name] == 1 else f"{name} ({sha256[:8]})")
        for sha256, name in names.items()
    }


def _print_sheet(
    paper: ConsoleWriter, sheet: AuditSheet, names: dict[str, str], unread: set[str], limit: int
) -> None:
    """Print a table: its documents, concepts as many at a time as fit beside them, and the counts."""
    paper.heading(one_line(sheet.table), one_line(sheet.question))
    total = sum(sheet.counts.values())
    if len(sheet.entries) < total:
        paper.say((f"{len(sheet.entries):,} of {plural(total, 'document')} chosen", "dim"), indent=2)
    readable = [entry for entry in sheet.entries if entry.sha256 not in unread]
    listed = readable[:limit] if limit else readable
    if listed:
        for columns in _column_blocks(paper.width, sheet, listed):
            _print_block(paper, sheet, columns, listed, names)
    if len(readable) > len(listed):
        more = plural(len(readable) - len(listed), "more document")
        paper.say(
            f"{more}: --limit 0 lists all, --doc and --finding choose, --csv and --html have all", indent=2
        )
    if left := len(sheet.entries) - len(readable):
        paper.say(f"{plural(left, 'document')} could not be read: see the top", indent=2)
    counts = ", ".join(
        f"{finding.label} {sheet.counts[finding]:,} of {total:,}"
        for finding in MatrixFinding
        if sheet.counts[finding] or finding not in UNKNOWN
    )
    paper.say((counts, "bold"), indent=2, hang=2)
    if sheet.unmet:
        undecided = sheet.counts[MatrixFinding.NOT_ESTABLISHED]
        codes = ", ".join(f"{code} in {count:,}" for code, count in sheet.unmet.items())
        paper.say(f"unmet, of the {undecided:,} not established: {codes}", indent=2, hang=2)


def _column_blocks(width: int, sheet: AuditSheet, entries: Sequence[DocumentEntry]) -> list[list[int]]:
    """Concepts by position, as many at a time as fit beside the document, the finding and what was read."""
    pages_width = max(len("pages read"), *(len(_pages_read(entry)) for entry in entries))
    available = width - 2 - _NAME_WIDTH - _GAP - _FINDING_WIDTH - _GAP - pages_width
    blocks: list[list[int]] = [[]]
    used = 0
    for number in range(len(sheet.concepts)):
        column = max(len(str(number + 1)), *(len(_mark(entry.cells[number])) for entry in entries)) + _GAP
        if blocks[-1] and used + column > available:
            blocks.append([])
            used = 0
        blocks[-1].append(number)
        used += column
    return blocks


def _print_block(
    paper: ConsoleWriter,
    sheet: AuditSheet,
    columns: Sequence[int],
    entries: Sequence[DocumentEntry],
    names: dict[str, str],
) -> None:
    legend = ", ".join(
        f"{number + 1}={one_line(sheet.concepts[number].name)}"
        + (" (context)" if sheet.concepts[number].role == "context" else "")
        for number in columns
    )
    paper.say((legend, "dim"), indent=2, hang=2)
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False, header_style="dim")
    table.add_column("document", ratio=1, overflow="fold", min_width=_NAME_WIDTH)
    table.add_column("finding", no_wrap=True, width=_FINDING_WIDTH)
    table.add_column("pages read", justify="right", no_wrap=True)
    for number in columns:
        table.add_column(str(number + 1), justify="right", no_wrap=True)
    for entry in entries:
        note = name_note(entry, Translator("en"))
        table.add_row(
            Text.assemble(names[entry.sha256], (f" ({note})" if note else "", "dim")),
            Text(entry.finding.label, STYLES[entry.finding]),
            Text(_pages_read(entry)),
            *(_mark(entry.cells[number]) for number in columns),
        )
        if entry.detail:
            table.add_row(Text(f"  {one_line(entry.detail)}", "red"))
    paper.table(table)


def _pages_read(entry: DocumentEntry) -> str:
    return "–" if entry.finding in UNKNOWN else f"{entry.pages_read:,}/{entry.pages_total:,}"


def _mark(cell: ConceptCell) -> Text:
    mark = f"{cell.hits:,}" if cell.finding is MatrixFinding.MENTIONED else MARKS[cell.finding]
    mark += f"~{cell.possible_hits}" if cell.possible_hits else ""
    mark += "!" if "variants_searched" in cell.unmet else ""
    return Text(mark, STYLES[cell.finding])
