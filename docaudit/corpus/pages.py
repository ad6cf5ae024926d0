"""The matrix as a folder of HTML pages: all tables, one page for each with its concepts, and the reports they lead to.

One page of everything would be too large for thousands of documents. Pages can be read without their one script, which
sorts and filters; nothing is loaded from elsewhere, and the folder can be moved as it is if it has the reports.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import docaudit
from docaudit import files as atomic
from docaudit.corpus.matrix import (
    MARKS,
    Cell,
    CorpusMatrix,
    Entry,
    Lost,
    Outcome,
    Sheet,
    aside,
    document_names,
    file_names,
    gone_said,
    unfinished_said,
)
from docaudit.errors import OutputError, SavedFileError
from docaudit.justification import AbsenceJustification
from docaudit.render.html import environment
from docaudit.render.language import Language, Translator, one_line
from docaudit.report import html_report
from docaudit.saved import load_justification

MOST_REPORTS = 1_000
"""So many reports are made unless they are asked for: the smallest are 40 kB and take 20 ms."""
_ORDER = {one: number for number, one in enumerate(Outcome)}
_SIGN = b'name="generator" content="docaudit"'
_HEAD = 1024


@dataclass(frozen=True)
class CellView:
    """A cell of a page: its finding, what it says, a note under it, where it leads, and what it is sorted by."""

    finding: str
    said: str
    note: str
    href: str
    key: str
    table: int = 0


@dataclass(frozen=True)
class RowView:
    """A row of a page."""

    name: str
    entry: Entry
    cells: tuple[CellView, ...]
    aside: str = ""
    also: str = ""
    read: str = ""
    share: str = ""


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
    _check_place(folder)
    wanted = [
        (sheet.audit, entry) for sheet in matrix.sheets for entry in sheet.entries if entry.justification
    ]
    made = len(wanted) <= MOST_REPORTS if reports is None else reports
    if made:
        for number, (audit, entry) in enumerate(wanted, 1):
            page = html_report(_justification(store, entry), language=language)
            atomic.write_text(folder / _report(audit, entry), page)
            if progress is not None:
                progress(number, len(wanted))
    pages = _Pages(matrix, store.absolute(), folder.absolute(), made, Translator(language))
    for sheet in matrix.sheets:
        atomic.write_text(folder / f"{sheet.audit}.html", pages.of(sheet))
    atomic.write_text(folder / "index.html", pages.of(None))
    return len(wanted) if made else 0


def _check_place(folder: Path) -> None:
    """Raise OutputError if the folder has pages of something else: they would be lost."""
    index = folder / "index.html"
    try:
        other = index.exists() and _SIGN not in index.read_bytes()[:_HEAD]
    except OSError as error:
        raise OutputError(
            f"cannot be read: {error.strerror}", file=str(index), remedy="name another folder"
        ) from error
    if other:
        raise OutputError("was not written by docaudit", file=str(index), remedy="name another folder")


def _justification(store: Path, entry: Entry) -> AbsenceJustification:
    """The justification of a document; raises SavedFileError if it is that of another one."""
    file = store / entry.justification
    kept = load_justification(file)
    if kept.document is None or kept.document.sha256 != entry.sha256:
        raise SavedFileError("is of another document", file=str(file), remedy="remove it, and run again")
    return kept


def _report(audit: str, entry: Entry) -> str:
    return f"reports/{audit}/{entry.sha256}.html"


class _Pages:
    """What all pages share."""

    def __init__(self, matrix: CorpusMatrix, store: Path, folder: Path, reports: bool, t: Translator) -> None:
        self.matrix, self.t, self.reports = matrix, t, reports
        self.names = document_names(matrix)
        self.store = quote(Path(os.path.relpath(store, folder)).as_posix())
        self.template = environment(t).get_template("corpus/matrix.html.j2")
        self.script = environment(t).get_template("corpus/matrix.js").render()

    def of(self, sheet: Sheet | None) -> str:
        """The page of a table, or of all; its policy allows the one script that it holds, by its hash."""
        far = self.matrix.unfinished
        digest = base64.b64encode(hashlib.sha256(self.script.encode("utf-8")).digest()).decode("ascii")
        return self.template.render(
            matrix=self.matrix,
            sheet=sheet,
            counted=[sheet] if sheet else self.matrix.sheets,
            rows=self._index() if sheet is None else [self._row(sheet, entry) for entry in sheet.entries],
            names=self.names,
            asides={one.sha256: self._aside(one) for one in self.matrix.lost},
            gone=gone_said(self.matrix.gone, self.matrix.with_gone, self.t),
            unfinished=unfinished_said(far.done, far.documents, self.t) if far else "",
            outcomes=list(Outcome),
            marks={one.value: MARKS[one] for one in Outcome},
            language=self.t.language,
            with_reports=self.reports,
            version=docaudit.__version__,
            script_hash=f"sha256-{digest}",
        )

    def _index(self) -> list[RowView]:
        """One row for each document that is shown in any table; where it is left out of another, so is its cell."""
        by_table: list[Mapping[str, Entry]] = [
            {entry.sha256: entry for entry in sheet.entries} for sheet in self.matrix.sheets
        ]
        first: dict[str, Entry] = {}
        for entries in by_table:
            for sha256, entry in entries.items():
                if sha256 not in first or not first[sha256].pages_read:
                    first[sha256] = entry
        ordered = sorted(first, key=lambda sha256: (first[sha256].name.casefold(), sha256))
        return [
            RowView(
                self.names[sha256],
                first[sha256],
                tuple(
                    self._whole(sheet, entries.get(sha256), number)
                    for number, (sheet, entries) in enumerate(
                        zip(self.matrix.sheets, by_table, strict=True), 1
                    )
                ),
                *self._beside(first[sha256]),
                self._read(first[sha256]) or "–",
                f"{first[sha256].pages_read / first[sha256].pages_total if first[sha256].pages_total else 0:.4f}",
            )
            for sha256 in ordered
        ]

    def _row(self, sheet: Sheet, entry: Entry) -> RowView:
        href = self._href(sheet, entry)
        alone = (self._concept(entry, cell, href) for cell in entry.cells)
        cells = (self._whole(sheet, entry), *alone)
        return RowView(self.names[entry.sha256], entry, cells, *self._beside(entry))

    def _beside(self, entry: Entry) -> tuple[str, str]:
        """What is said beside its name, and the other names by which the filter finds it."""
        return self._aside(entry), one_line(" ".join(set(file_names(entry.paths)) - {entry.name}))

    def _aside(self, one: Entry | Lost) -> str:
        return aside(one.name, one.paths, one.gone, self.t)

    def _whole(self, sheet: Sheet, entry: Entry | None, table: int = 0) -> CellView:
        if entry is None:
            return CellView("", "", "", "", "", table)
        note = entry.failure if entry.finding is Outcome.ERROR else self._read(entry)
        said = self.t(entry.finding.label)
        key = f"{_ORDER[entry.finding]}"
        return CellView(entry.finding.value, said, note, self._href(sheet, entry), key, table)

    def _concept(self, entry: Entry, cell: Cell, href: str) -> CellView:
        known = cell.finding not in (Outcome.ERROR, Outcome.NOT_RUN)
        mentioned = cell.finding is Outcome.MENTIONED
        said = self.t.ngettext("{n} hit", "{n} hits", cell.hits) if mentioned else self.t(cell.finding.label)
        note = self._pages(cell.pages_searched, entry) if known else ""
        if cell.possible_hits:
            note += f", {self.t.ngettext('{n} possible hit', '{n} possible hits', cell.possible_hits)}"
        key = f"{_ORDER[cell.finding]}.{cell.hits:09d}"
        anchor = "#h-concepts" if href and self.reports else ""
        return CellView(cell.finding.value, said, note, href + anchor, key)

    def _read(self, entry: Entry) -> str:
        if entry.finding in (Outcome.ERROR, Outcome.NOT_RUN):
            return ""
        return self._pages(entry.pages_read, entry)

    def _pages(self, number: int, entry: Entry) -> str:
        return self.t(
            "{n} of {total}",
            n=f"{number:,}",
            total=self.t.ngettext("{n} page", "{n} pages", entry.pages_total),
        )

    def _href(self, sheet: Sheet, entry: Entry) -> str:
        if not entry.justification:
            return ""
        return _report(sheet.audit, entry) if self.reports else f"{self.store}/{quote(entry.justification)}"
