"""The matrix as a folder of HTML pages: all tables, one page for each with its concepts, and the reports they lead to.

One page of everything would be too large for thousands of documents. Pages can be read without their one script, which
sorts and filters; nothing is loaded from elsewhere, and the folder can be moved as it is if it has the reports.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import docaudit
from docaudit import files as atomic
from docaudit.corpus.matrix import (
    MARKS,
    UNKNOWN,
    AuditSheet,
    ConceptCell,
    CorpusMatrix,
    DocumentEntry,
    MatrixFinding,
    document_names,
    file_names,
    gone_sentence,
    name_note,
    unfinished_sentence,
)
from docaudit.errors import OutputError, SavedFileError
from docaudit.render.html import environment
from docaudit.render.language import Language, Translator, one_line
from docaudit.report import html_report
from docaudit.saved import load_justification

MOST_REPORTS = 1_000
"""So many reports are made unless --reports says so: the smallest are 40 kB and take 20 ms each."""
_ORDER = {finding: number for number, finding in enumerate(MatrixFinding)}
_GENERATOR = b'name="generator" content="docaudit"'
_HEAD = 1024


@dataclass(frozen=True)
class CellView:
    """A cell of a page: its finding, what it says, a note under it, where it leads, and what it is sorted by."""

    finding: str = ""
    said: str = ""
    note: str = ""
    href: str = ""
    key: str = ""
    table: int = 0


@dataclass(frozen=True)
class RowView:
    """A row of a page: beside the name stands `aside`, `also` are other names by which the filter finds it."""

    name: str
    entry: DocumentEntry
    cells: tuple[CellView, ...]
    aside: str
    also: str
    read: str
    share: str


def write_pages(
    matrix: CorpusMatrix,
    store: Path,
    folder: Path,
    *,
    reports: bool | None = None,
    language: Language = "en",
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write index.html, a page for each table, and the reports that their cells lead to; returns how many reports.

    Args:
        matrix: What is shown.
        store: The store that it is of.
        folder: Where to; made if it is not there.
        reports: Whether reports are made; only if there are no more than 1,000 if None. Without them cells lead to the
            justifications in the store.
        language: Language of the pages and reports.
        progress: Called with reports that are made, and reports in all.

    Raises:
        OutputError: The folder cannot be written, or holds an index.html of something else.
        SavedFileError: A justification of the store cannot be read.
    """
    index = folder / "index.html"
    try:
        foreign = index.exists() and _GENERATOR not in index.read_bytes()[:_HEAD]
    except OSError as error:
        raise OutputError(
            f"cannot be read: {error.strerror}", file=str(index), remedy="name another folder"
        ) from error
    if foreign:
        raise OutputError("was not written by docaudit", file=str(index), remedy="name another folder")
    audited = [
        (sheet.audit, entry) for sheet in matrix.sheets for entry in sheet.entries if entry.justification
    ]
    made = len(audited) <= MOST_REPORTS if reports is None else reports
    if made:
        for number, (audit, entry) in enumerate(audited, 1):
            file = store / entry.justification
            justification = load_justification(file)
            if justification.document is None or justification.document.sha256 != entry.sha256:
                raise SavedFileError(
                    "is of another document", file=str(file), remedy="remove it, and run again"
                )
            atomic.write_text(folder / _report(audit, entry), html_report(justification, language=language))
            if progress is not None:
                progress(number, len(audited))
    pages = _PageWriter(matrix, store.absolute(), folder.absolute(), made, Translator(language))
    for sheet in matrix.sheets:
        atomic.write_text(folder / f"{sheet.audit}.html", pages.html(sheet))
    atomic.write_text(index, pages.html(None))
    return len(audited) if made else 0


def _report(audit: str, entry: DocumentEntry) -> str:
    return f"reports/{audit}/{entry.sha256}.html"


class _PageWriter:
    """What all pages share."""

    def __init__(self, matrix: CorpusMatrix, store: Path, folder: Path, reports: bool, t: Translator) -> None:
        self.matrix, self.t, self.reports = matrix, t, reports
        self.names = document_names(matrix)
        self.store = quote(Path(os.path.relpath(store, folder)).as_posix())

    def html(self, sheet: AuditSheet | None) -> str:
        """The page of a table, or of all; its policy allows the one script that it holds, by its hash."""
        templates = environment(self.t)
        script = templates.get_template("corpus/matrix.js").render()
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
        if sheet is None:
            rows = self._index_rows()
        else:
            rows = [self._row(entry, self._table_cells(sheet, entry)) for entry in sheet.entries]
        return templates.get_template("corpus/matrix.html.j2").render(
            matrix=self.matrix,
            sheet=sheet,
            counted=[sheet] if sheet else self.matrix.sheets,
            rows=rows,
            names=self.names,
            asides={document.sha256: name_note(document, self.t) for document in self.matrix.lost},
            gone=gone_sentence(self.matrix, self.t),
            unfinished=unfinished_sentence(self.matrix, self.t),
            outcomes=list(MatrixFinding),
            marks={finding.value: MARKS[finding] for finding in MatrixFinding},
            language=self.t.language,
            with_reports=self.reports,
            version=docaudit.__version__,
            script_hash=f"sha256-{digest}",
        )

    def _index_rows(self) -> list[RowView]:
        """One row for each document that is shown in any table; where it is left out of another, so is its cell."""
        by_table = [{entry.sha256: entry for entry in sheet.entries} for sheet in self.matrix.sheets]
        first: dict[str, DocumentEntry] = {}
        for entries in by_table:
            for sha256, entry in entries.items():
                if sha256 not in first or not first[sha256].pages_read:
                    first[sha256] = entry
        numbered = list(enumerate(zip(self.matrix.sheets, by_table, strict=True), 1))
        return [
            self._row(
                entry,
                tuple(
                    self._finding_cell(sheet, entries.get(entry.sha256), number)
                    for number, (sheet, entries) in numbered
                ),
            )
            for entry in sorted(first.values(), key=lambda entry: (entry.name.casefold(), entry.sha256))
        ]

    def _row(self, entry: DocumentEntry, cells: tuple[CellView, ...]) -> RowView:
        return RowView(
            name=self.names[entry.sha256],
            entry=entry,
            cells=cells,
            aside=name_note(entry, self.t),
            also=one_line(" ".join(name for name in file_names(entry.paths) if name != entry.name)),
            read=self._pages_read(entry) or "–",
            share=f"{entry.pages_read / entry.pages_total if entry.pages_total else 0:.4f}",
        )

    def _table_cells(self, sheet: AuditSheet, entry: DocumentEntry) -> tuple[CellView, ...]:
        """The cells of a document on the page of a table: the whole table, then each concept."""
        whole = self._finding_cell(sheet, entry)
        href = f"{whole.href}#h-concepts" if whole.href and self.reports else whole.href
        return (whole, *(self._concept_cell(entry, cell, href) for cell in entry.cells))

    def _finding_cell(self, sheet: AuditSheet, entry: DocumentEntry | None, table: int = 0) -> CellView:
        if entry is None:
            return CellView(table=table)
        href = ""
        if entry.justification:
            stored = f"{self.store}/{quote(entry.justification)}"
            href = _report(sheet.audit, entry) if self.reports else stored
        return CellView(
            finding=entry.finding.value,
            said=self.t(entry.finding.label),
            note=entry.failure if entry.finding is MatrixFinding.ERROR else self._pages_read(entry),
            href=href,
            key=f"{_ORDER[entry.finding]}",
            table=table,
        )

    def _concept_cell(self, entry: DocumentEntry, cell: ConceptCell, href: str) -> CellView:
        mentioned = cell.finding is MatrixFinding.MENTIONED
        note = "" if cell.finding in UNKNOWN else self._pages(cell.pages_searched, entry)
        if cell.possible_hits:
            note += f", {self.t.ngettext('{n} possible hit', '{n} possible hits', cell.possible_hits)}"
        return CellView(
            finding=cell.finding.value,
            said=self.t.ngettext("{n} hit", "{n} hits", cell.hits)
            if mentioned
            else self.t(cell.finding.label),
            note=note,
            href=href,
            key=f"{_ORDER[cell.finding]}.{cell.hits:09d}",
        )

    def _pages_read(self, entry: DocumentEntry) -> str:
        return "" if entry.finding in UNKNOWN else self._pages(entry.pages_read, entry)

    def _pages(self, number: int, entry: DocumentEntry) -> str:
        return self.t(
            "{n} of {total}",
            n=f"{number:,}",
            total=self.t.ngettext("{n} page", "{n} pages", entry.pages_total),
        )
