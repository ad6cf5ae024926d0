"""`docaudit sweep`: hits as concordance lines for people, and as lines, CSV, JSON or JSON lines for pipelines.

Each document is printed as soon as it was swept (JSON excepted, which is one value), so that a reader who closes the
pipe after ten hits does not wait for the rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docaudit.cli.audit import for_each, read_parsed
from docaudit.cli.flags import (
    SectionedCommand,
    chosen_options,
    concepts_flag,
    debug_flag,
    documents,
    json_flag,
    one_form,
    option_flags,
)
from docaudit.codes import LedgerState, TextLikely
from docaudit.errors import ExitCode
from docaudit.options import READING_OPTIONS

if TYPE_CHECKING:
    import pandas as pd

    from docaudit.document import ParsedDocument
    from docaudit.justification import BlindSpot, Hit, LedgerRow


@click.command(cls=SectionedCommand, short_help="Find every occurrence of every variant in each DOC.")
@documents(-1)
@concepts_flag
@json_flag
@click.option(
    "--jsonl", "as_jsonl", is_flag=True, help="Print one JSON object for each hit and nothing else."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print one CSV row for each hit and nothing else.")
@click.option(
    "--lines",
    "as_lines",
    is_flag=True,
    help="Print one line for each hit, as grep does: PAGE:LINE:CONCEPT:MATCH_KIND:SNIPPET, with DOC: before it if "
    "there are several.",
)
@option_flags((*READING_OPTIONS, "regex_seconds", "sweep_seconds"))
@debug_flag
def sweep(
    docs: tuple[Path, ...],
    concepts: Path,
    as_json: bool,
    as_jsonl: bool,
    as_csv: bool,
    as_lines: bool,
    **flags: Any,
) -> int:
    """Find every occurrence of every variant in each DOC, with its context.

    DOC is a PDF, or a folder that `docaudit parse` wrote. With --csv, --jsonl and --lines, what was not read is said on
    stderr. Exit code: 0 no hit and everything could be searched, 1 any hit, 3 no hit but something was not read, 2
    error.
    """
    import docaudit
    from docaudit.audit import find_hits, require_table

    form = one_form(json=as_json, jsonl=as_jsonl, csv=as_csv, lines=as_lines)
    options = chosen_options(flags)
    table = docaudit.ConceptTable.load(concepts)
    require_table(table)

    def sweep_document(doc: Path) -> Swept:
        parsed = read_parsed(doc, options)
        return Swept.of(doc.name, parsed, *find_hits(parsed, table, options))

    failed: list[Path] = []
    any_hit, all_searchable = False, True
    for swept in print_swept(for_each(docs, sweep_document, failed), form, several=len(docs) > 1):
        any_hit, all_searchable = any_hit or swept.has_hit, all_searchable and swept.searchable
    if failed:
        return int(ExitCode.ERROR)
    if any_hit:
        return int(ExitCode.MENTIONED)
    return int(ExitCode.ABSENT if all_searchable else ExitCode.NOT_ESTABLISHED)


@dataclass(frozen=True)
class Swept:
    """What a sweep found in one document, and what it could not search.

    Attributes:
        name: Name of the document.
        hits: Every occurrence.
        ledger: Every variant, found or not.
        blind_pages: Pages (0: the document as a whole) with a blind spot that may hold text.
        blind_spots: All blind spots, also those that hold no text.
    """

    name: str
    hits: tuple[Hit, ...]
    ledger: tuple[LedgerRow, ...]
    blind_pages: tuple[int, ...]
    blind_spots: tuple[BlindSpot, ...] = ()

    @classmethod
    def of(cls, name: str, parsed: ParsedDocument, hit_df: pd.DataFrame, ledger_df: pd.DataFrame) -> Swept:
        """Take hits and ledger of a sweep, and the blind spots of the parse."""
        from docaudit.document import blind_spots
        from docaudit.justification import LedgerRow

        spots = parsed.blind_spot_df
        blind = spots.loc[spots["text_likely"] != TextLikely.NO.value, "page_num"]
        return cls(
            name=name,
            hits=tuple(_hit(row) for row in _rows(hit_df)),
            ledger=tuple(
                LedgerRow(**{key: row[key] for key in LedgerRow.model_fields}) for row in _rows(ledger_df)
            ),
            blind_pages=tuple(sorted({int(page) for page in blind})),
            blind_spots=blind_spots(parsed.blind_spot_df),
        )

    @property
    def has_hit(self) -> bool:
        """Whether there is a hit that counts; what only may be one does not."""
        return any(not hit.match_kind.is_possible for hit in self.hits)

    @property
    def searchable(self) -> bool:
        """Whether every variant was searched and nothing was left unread; a possible hit leaves doubt too."""
        searched = all(row.state is LedgerState.SEARCHED for row in self.ledger)
        return searched and not self.blind_pages and not self.hits

    def as_dict(self) -> dict[str, Any]:
        """The document for JSON."""
        return {
            "document": self.name,
            "hits": [hit.model_dump(mode="json") for hit in self.hits],
            "ledger": [row.model_dump(mode="json") for row in self.ledger],
            "pages_with_unread_parts": list(self.blind_pages),
            "blind_spots": [spot.model_dump(mode="json") for spot in self.blind_spots],
        }


def print_swept(documents: Iterable[Swept], form: str, *, several: bool) -> Iterator[Swept]:
    """Print documents one by one in one form, and hand each on.

    Args:
        documents: What was swept; may be a generator.
        form: text, lines, csv, json or jsonl.
        several: Whether lines need the name of their document.
    """
    from docaudit.render.tables import HIT_COLUMNS, table_csv

    if form == "json":
        yield from _print_json(documents)
        return
    if form == "csv":
        click.echo(table_csv(("document", *HIT_COLUMNS), ()), nl=False)
    print_one = _PRINTERS[form]
    for number, document in enumerate(documents):
        print_one(document, number, several)
        if form != "text":  # a list of hits has no place for what was not read
            _say_unread(document)
        yield document


def _print_json(documents: Iterable[Swept]) -> Iterator[Swept]:
    shown = []
    for document in documents:
        shown.append(document.as_dict())
        yield document
    click.echo(json.dumps(shown, ensure_ascii=False, indent=1))


def _print_csv(document: Swept, _number: int, _several: bool) -> None:
    from docaudit.render.tables import hit_row, table_csv

    rows = [(document.name, *hit_row(hit)) for hit in document.hits]
    click.echo(table_csv(None, rows), nl=False)


def _print_json_lines(document: Swept, _number: int, _several: bool) -> None:
    for hit in document.hits:
        row = {"document": document.name, **hit.model_dump(mode="json")}
        click.echo(json.dumps(row, ensure_ascii=False))


def _print_lines(document: Swept, _number: int, several: bool) -> None:
    """As grep does, [DOC:]PAGE:LINE:CONCEPT:MATCH_KIND:SNIPPET, each hit on one line."""
    from docaudit.render.language import one_line

    prefix = f"{one_line(document.name)}:" if several else ""
    for hit in document.hits:
        at = f"{hit.page_num}:{hit.line_num}:{one_line(hit.concept)}:{hit.match_kind.value}"
        click.echo(f"{prefix}{at}:{one_line(hit.snippet)}")


def _print_text(document: Swept, number: int, _several: bool) -> None:
    from docaudit.render.language import one_line, page_words, plural
    from docaudit.render.terminal import ConsoleWriter, new_console, print_kwic
    from docaudit.render.view import heading, place

    paper = ConsoleWriter(new_console())
    if number:
        paper.blank()
    count = sum(not hit.match_kind.is_possible for hit in document.hits)
    summary = f"{plural(count, 'hit')} of {plural(len(document.ledger), 'variant')}"
    paper.say((one_line(document.name), "bold"), f": {summary}")
    for concept in dict.fromkeys(row.concept for row in document.ledger):
        hits = [hit for hit in document.hits if hit.concept == concept]
        pages = page_words(hit.page_num for hit in hits)
        paper.say(
            (one_line(concept), "bold cyan"), f"  {len(hits):,}" + (f", {pages}" if hits else ""), indent=2
        )
        print_kwic(paper, [(heading(hit), place(hit), hit.snippet, hit.match_text) for hit in hits])
    for row in document.ledger:
        if row.state is not LedgerState.SEARCHED:
            paper.say((f"not searched in full: {_unsearched(row)}", "red"), indent=2)
    if document.blind_pages:
        unread = f"not read, in whole or in part: {page_words(document.blind_pages)}"
        paper.say((unread, "yellow"), " (docaudit coverage shows why)", indent=2, hang=2)


_PRINTERS: dict[str, Callable[[Swept, int, bool], None]] = {
    "text": _print_text,
    "lines": _print_lines,
    "csv": _print_csv,
    "jsonl": _print_json_lines,
}


def _say_unread(document: Swept) -> None:
    from docaudit.render.language import one_line, page_words

    name = one_line(document.name)
    if document.blind_pages:
        pages = page_words(document.blind_pages)
        click.echo(f"docaudit: {name}: not read, in whole or in part: {pages}", err=True)
    for row in document.ledger:
        if row.state is not LedgerState.SEARCHED:
            click.echo(f"docaudit: {name}: not searched in full: {_unsearched(row)}", err=True)


def _unsearched(row: LedgerRow) -> str:
    from docaudit.render.language import one_line

    return f"{one_line(row.concept)}: {one_line(row.variant)} ({row.state.value}) {one_line(row.detail)}"


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _hit(row: dict[str, Any]) -> Hit:
    from docaudit.justification import Hit
    from docaudit.render.tables import BOX

    fields = {key: row[key] for key in Hit.model_fields if key != "bbox"}
    box = tuple(float(row[side]) for side in BOX)
    return Hit(**fields, bbox=None if any(map(math.isnan, box)) else box)
