"""Documents by concepts: what the audits of a store found, and of how much of each document, as one model.

The model of documents by concepts: findings, and of how much of each document.

The matrix for spreadsheets: one row for each document, table and concept, also where nothing could be found out.

The matrix on a terminal: a block for each table, concepts side by side as far as there is room for them.

Sentences about the documents of a store, in both languages.
"""

from __future__ import annotations

import fnmatch
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docaudit.codes import Code
from docaudit.corpus.query import Tables, reading, settled_tables
from docaudit.corpus.sources import PathState
from docaudit.corpus.store import Unfinished, noted
from docaudit.errors import OptionError
from docaudit.render.language import Translator, one_line
from docaudit.render.tables import BYTE_ORDER_MARK, table_csv
from docaudit.render.terminal import ConsoleWriter, new_console
from docaudit.text.numbers import plural


class Outcome(Code):
    """What became of a document in an audit: a finding, or that there is none."""

    MENTIONED = "mentioned", "mentioned"
    ABSENT = "absent_within_coverage", "absent"  # a legend says what `absent` means
    NOT_ESTABLISHED = "not_established", "not established"
    ERROR = "error", "error"
    NOT_RUN = "not_run", "not run"


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
        counts: Documents by finding, also those that are not chosen.
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
        name: Its file name when it was read.
        paths: Where it lies, as of an Entry.
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
    lost: tuple[Lost, ...]
    unreadable: Mapping[str, str] = {}
    unfinished: Unfinished | None = None
    paths: Mapping[str, int]
    sheets: tuple[Sheet, ...]


def file_names(paths: Iterable[str]) -> list[str]:
    """The file names of paths, each once, in their order.

    >>> file_names(["/a/x.pdf", "/b/x.pdf", "/b/y.pdf"])
    ['x.pdf', 'y.pdf']
    """
    return list(dict.fromkeys(path.rpartition("/")[2] for path in paths))


def aside(name: str, paths: Sequence[str], gone: bool, t: Translator) -> str:
    """What is said beside the name of a document: that it has another by now, copies, or is gone; empty if nothing.

    >>> aside("x.pdf", ("/a/y.pdf", "/a/z.pdf"), False, Translator("en"))
    'now y.pdf, +1 copy'
    """
    names, copies = file_names(paths), len(paths) - 1
    told = [t("in no source any more")] if gone else []
    if names and name not in names:
        told.append(t("now {name}", name=one_line(names[0])))
    if copies > 0:
        told.append(f"+{t.ngettext('{n} copy', '{n} copies', copies)}")
    return ", ".join(told)


def gone_said(gone: int, shown: bool, t: Translator) -> str:
    """That documents are in no source any more, and whether they are shown; empty if there are none."""
    if not gone:
        return ""
    documents = t.ngettext("{n} document", "{n} documents", gone)
    if shown:
        return t(
            "In no source any more (replaced or deleted), and shown here: {documents}.", documents=documents
        )
    return t(
        "In no source any more (replaced or deleted), and left out here: {documents}; --gone shows them.",
        documents=documents,
    )


def unfinished_said(done: int, documents: int, t: Translator) -> str:
    """That the last run has not come to its end, and how far it came."""
    return t(
        "The last run was ended before its end, or is going on: {n} of {total} documents were done. What is not here "
        "was not searched; the same command goes on from there.",
        n=f"{done:,}",
        total=f"{documents:,}",
    )


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
    return BYTE_ORDER_MARK + table_csv([name for name, _ in MATRIX_COLUMNS], _rows_matrix_csv(matrix))


def _rows_matrix_csv(matrix: CorpusMatrix) -> Iterator[tuple[object, ...]]:
    for sheet in matrix.sheets:
        for entry in sheet.entries:
            known = entry.finding not in (Outcome.ERROR, Outcome.NOT_RUN)
            pages = (entry.pages_read, entry.pages_total, entry.ink_read_share, entry.blind_spots)
            behind = (
                *(entry.finding.value, entry.strength, _joined(entry.unmet), _joined(entry.waived)),
                *(pages if known else (None,) * len(pages)),
                *(entry.failure, entry.detail, entry.justification),
            )
            for heading, cell in zip(sheet.concepts, entry.cells, strict=True):
                counts = (
                    cell.hits,
                    cell.possible_hits,
                    cell.pages_with_hits,
                    cell.pages_searched,
                    cell.pages_not_searchable,
                )
                yield (
                    *(
                        entry.name,
                        entry.sha256,
                        len(entry.paths),
                        sheet.table,
                        sheet.question,
                        heading.name,
                        heading.role,
                    ),
                    *(cell.finding.value, cell.strength, _joined(cell.unmet)),
                    # A zero would say that it was searched.
                    *(counts if known else (None,) * len(counts)),
                    *behind,
                )


def _joined(codes: Iterable[str]) -> str:
    return ", ".join(codes)


MARKS = {
    Outcome.MENTIONED: "●",
    Outcome.ABSENT: "○",
    Outcome.NOT_ESTABLISHED: "?",
    Outcome.ERROR: "✗",
    Outcome.NOT_RUN: "·",
}
"""A sign for each, as colour alone says nothing to many."""
STYLES = {
    Outcome.MENTIONED: "yellow",
    Outcome.ABSENT: "green",
    Outcome.NOT_ESTABLISHED: "red",
    Outcome.ERROR: "bold red",
    Outcome.NOT_RUN: "dim",
}
_LEGEND = (
    "12: hits, the concept is mentioned; ○ absent within the stated coverage; ? not established; ✗ error; · not run; "
    "~2: possible hits, not counted; !: a variant was not searched on every page that can be"
)
_NAME, _FINDING, _GAP = 26, 15, 2
_TOLD = 5


def print_matrix(matrix: CorpusMatrix, *, limit: int, console: Console | None = None) -> None:
    """Print the matrix.

    Args:
        matrix: What is printed.
        limit: Documents of a table that are listed at most, 0 for all. What is not listed is counted; documents that
            could not be read are always listed.
        console: Where to; standard output if None.
    """
    paper = ConsoleWriter(console or new_console())
    names = document_names(matrix)
    lost = {one.sha256 for one in matrix.lost}
    _unfinished(paper, matrix)
    _lost(paper, matrix, names)
    for sheet in matrix.sheets:
        _sheet_matrix_text(paper, sheet, names, lost, limit)
    paper.blank()
    if any(sheet.entries for sheet in matrix.sheets):
        paper.say((_LEGEND, "dim"))
    _paths(paper, matrix)


def document_names(matrix: CorpusMatrix) -> dict[str, str]:
    """What each document is called: its file name, and where several have the same, the beginning of its hash."""
    known = {one.sha256: one.name for one in matrix.lost}
    known |= {entry.sha256: entry.name for sheet in matrix.sheets for entry in sheet.entries}
    often = Counter(known.values())
    return {
        sha256: one_line(name if often[name] == 1 else f"{name} ({sha256[:8]})")
        for sha256, name in known.items()
    }


def _unfinished(paper: ConsoleWriter, matrix: CorpusMatrix) -> None:
    if matrix.unfinished is not None:
        paper.say(
            (
                unfinished_said(matrix.unfinished.done, matrix.unfinished.documents, Translator("en")),
                "bold red",
            )
        )


def _lost(paper: ConsoleWriter, matrix: CorpusMatrix, names: dict[str, str]) -> None:
    if not matrix.lost:
        return
    documents = plural(matrix.documents, "document")
    paper.say((f"Could not be read: {len(matrix.lost):,} of {documents}", "bold red"))
    for one in matrix.lost:
        remedy = f" ({one_line(one.remedy)})" if one.remedy else ""
        paper.say(
            ("✗ ", "bold red"),
            (names[one.sha256], "bold"),
            (_beside(one), "dim"),
            f": {one_line(one.detail)}{remedy}",
            indent=2,
            hang=2,
        )


def _beside(one: Entry | Lost) -> str:
    said = aside(one.name, one.paths, one.gone, Translator("en"))
    return f" ({said})" if said else ""


def _sheet_matrix_text(
    paper: ConsoleWriter, sheet: Sheet, names: dict[str, str], lost: set[str], limit: int
) -> None:
    paper.heading(one_line(sheet.table), one_line(sheet.question))
    if len(sheet.entries) < sum(sheet.counts.values()):
        total = plural(sum(sheet.counts.values()), "document")
        paper.say((f"{len(sheet.entries):,} of {total} chosen", "dim"), indent=2)
    listed = [entry for entry in sheet.entries if entry.sha256 not in lost]
    shown = listed[:limit] if limit else listed
    for part in _parts(paper, sheet, shown) if shown else ():
        _block(paper, sheet, part, shown, names)
    if len(listed) > len(shown):
        more = plural(len(listed) - len(shown), "more document")
        paper.say(
            f"{more}: --limit 0 lists all, --doc and --finding choose, --csv and --html have all", indent=2
        )
    left = [entry for entry in sheet.entries if entry.sha256 in lost]
    if left:
        paper.say(f"{plural(len(left), 'document')} could not be read: see the top", indent=2)
    _counts(paper, sheet)


def _parts(paper: ConsoleWriter, sheet: Sheet, entries: Sequence[Entry]) -> list[list[int]]:
    """Concepts by position, as many at a time as fit beside the document, the finding and what was read."""
    read = max(len(_read(entry)) for entry in entries)
    room = paper.width - 2 - _NAME - _GAP - _FINDING - _GAP - max(read, len("pages read"))
    parts: list[list[int]] = [[]]
    used = 0
    for number in range(len(sheet.concepts)):
        wide = max(len(str(number + 1)), *(len(_mark(entry.cells[number])) for entry in entries)) + _GAP
        if parts[-1] and used + wide > room:
            parts.append([])
            used = 0
        parts[-1].append(number)
        used += wide
    return parts


def _block(
    paper: ConsoleWriter, sheet: Sheet, part: Sequence[int], entries: Sequence[Entry], names: dict[str, str]
) -> None:
    legend = ", ".join(
        f"{number + 1}={one_line(sheet.concepts[number].name)}"
        + (" (context)" if sheet.concepts[number].role == "context" else "")
        for number in part
    )
    paper.say((legend, "dim"), indent=2, hang=2)
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, pad_edge=False, header_style="dim")
    table.add_column("document", ratio=1, overflow="fold", min_width=_NAME)
    table.add_column("finding", no_wrap=True, width=_FINDING)
    table.add_column("pages read", justify="right", no_wrap=True)
    for number in part:
        table.add_column(str(number + 1), justify="right", no_wrap=True)
    for entry in entries:
        row = [
            Text.assemble(names[entry.sha256], (_beside(entry), "dim")),
            Text(entry.finding.label, STYLES[entry.finding]),
            Text(_read(entry)),
        ]
        table.add_row(*row, *(_mark(entry.cells[number]) for number in part))
        if entry.detail:
            table.add_row(Text(f"  {one_line(entry.detail)}", "red"))
    paper.table(table)


def _read(entry: Entry) -> str:
    if entry.finding in (Outcome.ERROR, Outcome.NOT_RUN):
        return "–"
    return f"{entry.pages_read:,}/{entry.pages_total:,}"


def _mark(cell: Cell) -> Text:
    said = f"{cell.hits:,}" if cell.finding is Outcome.MENTIONED else MARKS[cell.finding]
    said += f"~{cell.possible_hits}" if cell.possible_hits else ""
    said += "!" if "variants_searched" in cell.unmet else ""
    return Text(said, STYLES[cell.finding])


def _counts(paper: ConsoleWriter, sheet: Sheet) -> None:
    total = sum(sheet.counts.values())
    said = ", ".join(
        f"{one.label} {sheet.counts[one]:,} of {total:,}"
        for one in Outcome
        if sheet.counts[one] or one not in (Outcome.ERROR, Outcome.NOT_RUN)
    )
    paper.say((said, "bold"), indent=2, hang=2)
    if sheet.unmet:
        open_ones = sheet.counts[Outcome.NOT_ESTABLISHED]
        codes = ", ".join(f"{code} in {count:,}" for code, count in sheet.unmet.items())
        paper.say(f"unmet, of the {open_ones:,} not established: {codes}", indent=2, hang=2)


def _paths(paper: ConsoleWriter, matrix: CorpusMatrix) -> None:
    total = sum(matrix.paths.values())
    if matrix.gone:
        paper.say((gone_said(matrix.gone, matrix.with_gone, Translator("en")), "bold"))
    if not total:
        return
    counts = ", ".join(
        f"{state.replace('_', ' ')} {count:,}" for state, count in sorted(matrix.paths.items())
    )
    documents = plural(matrix.documents, "document")
    paper.say(f"{documents}; {plural(total, 'path')} in the sources: {counts}")
    for path, reason in list(matrix.unreadable.items())[:_TOLD]:
        paper.say(("✗ ", "bold red"), (one_line(path), "bold"), f": {one_line(reason)}", indent=2, hang=2)
    if len(matrix.unreadable) > _TOLD:
        paper.say(f"and {len(matrix.unreadable) - _TOLD:,} more: the table paths has each", indent=2)
