"""The matrix on a terminal: a block for each table, concepts side by side as far as there is room for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from docaudit.corpus.matrix_model import Cell, CorpusMatrix, Entry, Lost, Outcome, Sheet
from docaudit.render import words
from docaudit.render.clean import one_line
from docaudit.render.corpus_words import aside, gone_said, unfinished_said
from docaudit.render.paper import Paper, new_console
from docaudit.render.tongue import Tongue

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
    paper = Paper(console or new_console())
    names = document_names(matrix)
    lost = {one.sha256 for one in matrix.lost}
    _unfinished(paper, matrix)
    _lost(paper, matrix, names)
    for sheet in matrix.sheets:
        _sheet(paper, sheet, names, lost, limit)
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


def _unfinished(paper: Paper, matrix: CorpusMatrix) -> None:
    if matrix.unfinished is not None:
        paper.say(
            (unfinished_said(matrix.unfinished.done, matrix.unfinished.documents, Tongue("en")), "bold red")
        )


def _lost(paper: Paper, matrix: CorpusMatrix, names: dict[str, str]) -> None:
    if not matrix.lost:
        return
    documents = words.plural(matrix.documents, "document")
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
    said = aside(one.name, one.paths, one.gone, Tongue("en"))
    return f" ({said})" if said else ""


def _sheet(paper: Paper, sheet: Sheet, names: dict[str, str], lost: set[str], limit: int) -> None:
    paper.heading(one_line(sheet.table), one_line(sheet.question))
    if len(sheet.entries) < sum(sheet.counts.values()):
        total = words.plural(sum(sheet.counts.values()), "document")
        paper.say((f"{len(sheet.entries):,} of {total} chosen", "dim"), indent=2)
    listed = [entry for entry in sheet.entries if entry.sha256 not in lost]
    shown = listed[:limit] if limit else listed
    for part in _parts(paper, sheet, shown) if shown else ():
        _block(paper, sheet, part, shown, names)
    if len(listed) > len(shown):
        more = words.plural(len(listed) - len(shown), "more document")
        paper.say(
            f"{more}: --limit 0 lists all, --doc and --finding choose, --csv and --html have all", indent=2
        )
    left = [entry for entry in sheet.entries if entry.sha256 in lost]
    if left:
        paper.say(f"{words.plural(len(left), 'document')} could not be read: see the top", indent=2)
    _counts(paper, sheet)


def _parts(paper: Paper, sheet: Sheet, entries: Sequence[Entry]) -> list[list[int]]:
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
    paper: Paper, sheet: Sheet, part: Sequence[int], entries: Sequence[Entry], names: dict[str, str]
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
            Text(words.OUTCOMES[entry.finding.value], STYLES[entry.finding]),
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


def _counts(paper: Paper, sheet: Sheet) -> None:
    total = sum(sheet.counts.values())
    said = ", ".join(
        f"{words.OUTCOMES[one.value]} {sheet.counts[one]:,} of {total:,}"
        for one in Outcome
        if sheet.counts[one] or one not in (Outcome.ERROR, Outcome.NOT_RUN)
    )
    paper.say((said, "bold"), indent=2, hang=2)
    if sheet.unmet:
        open_ones = sheet.counts[Outcome.NOT_ESTABLISHED]
        codes = ", ".join(f"{code} in {count:,}" for code, count in sheet.unmet.items())
        paper.say(f"unmet, of the {open_ones:,} not established: {codes}", indent=2, hang=2)


def _paths(paper: Paper, matrix: CorpusMatrix) -> None:
    total = sum(matrix.paths.values())
    if matrix.gone:
        paper.say((gone_said(matrix.gone, matrix.with_gone, Tongue("en")), "bold"))
    if not total:
        return
    counts = ", ".join(
        f"{state.replace('_', ' ')} {count:,}" for state, count in sorted(matrix.paths.items())
    )
    documents = words.plural(matrix.documents, "document")
    paper.say(f"{documents}; {words.plural(total, 'path')} in the sources: {counts}")
    for path, reason in list(matrix.unreadable.items())[:_TOLD]:
        paper.say(("✗ ", "bold red"), (one_line(path), "bold"), f": {one_line(reason)}", indent=2, hang=2)
    if len(matrix.unreadable) > _TOLD:
        paper.say(f"and {len(matrix.unreadable) - _TOLD:,} more: the table paths has each", indent=2)
