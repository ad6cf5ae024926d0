"""What could be read of each document, on a terminal: the share first, then every number with its denominator.

What `docaudit coverage` keeps: JSON, the page map, and tables for spreadsheets.

The page map: one HTML file with a thumbnail of every page and what was not read marked on it.

No script and nothing loaded from elsewhere: pages open as <details>, filters are radio buttons that style sheets read.
"""

from __future__ import annotations

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from docaudit import files as atomic
from docaudit.codes import BBox, BlindSpotKind, PageState, TextLikely
from docaudit.coverage import (
    CorpusReadability,
    KindSummary,
    KindTotal,
    PageReadability,
    Readability,
    Thumbnail,
)
from docaudit.justification import BlindSpot
from docaudit.render.html import environment
from docaudit.render.language import ENGLISH, one_line, page_ranges
from docaudit.render.tables import BLIND_SPOT_COLUMNS, BYTE_ORDER_MARK, blind_spot_rows, table_csv
from docaudit.render.terminal import ConsoleWriter, new_console
from docaudit.text.numbers import cautious_percent, plural

SHOWN_FINDINGS = 5
SHOWN_DETAILS = 3
Fact = tuple[str, str, str]
"""Name, value, style."""


def print_coverage(
    corpus: CorpusReadability, console: Console | None = None, *, fail_under: float | None = None
) -> None:
    """Print each document, and the sums if there are several; findings that are not shown are counted."""
    paper = ConsoleWriter(console or new_console())
    for number, document in enumerate(corpus.documents):
        if number:
            paper.blank()
        _document(paper, document, fail_under)
    if corpus.documents_total > 1:
        _corpus(paper, corpus, fail_under)


def _document(paper: ConsoleWriter, document: Readability, fail_under: float | None) -> None:
    style = _style(document, fail_under)
    total = document.coverage.pages_total
    short = style == "bold red" and fail_under is not None and document.readable_share < fail_under
    tail = f", below {fail_under:g}" if short else ""
    paper.say(
        (one_line(document.document.name), "bold"),
        ": ",
        (cautious_percent(document.readable_share), style),
        f" ({document.pages_read_in_full:,} of {plural(total, 'page')} read in full{tail})",
        hang=2,
    )
    _facts(paper, document_facts(document))
    _kinds(paper, document, may_hold_text=True)
    _kinds(paper, document, may_hold_text=False)
    _structure(paper, document)


def _style(document: Readability, fail_under: float | None) -> str:
    if fail_under is not None and document.readable_share < fail_under:
        return "bold red"
    return "bold green" if document.complete else "bold yellow"


def _facts(paper: ConsoleWriter, facts: Sequence[Fact]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value, _ in facts:
        table.add_row(name, value)
    paper.table(table)


def document_facts(document: Readability) -> list[Fact]:
    """The numbers of a document, each with its denominator; the style is "warn" where one needs a look."""
    c = document.coverage
    facts = [("pages by state", states_in_words(document), "")]
    if document.parts_not_read_outside_pages:
        parts = plural(document.parts_not_read_outside_pages, "part")
        facts.append(("beside the pages", f"{parts} of the file not read", "warn"))
    facts += [
        ("ink", _ink(document), ""),
        ("images", _images(document), "warn" if c.images_unread else ""),
        ("words", _second_reader(document), "warn" if c.pages_readers_disagree else ""),
    ]
    warned = c.pages_with_warnings
    engine = f"warnings on {len(warned):,} of {plural(c.pages_total, 'page')}"
    facts.append(
        ("engine", engine + (f": {page_ranges(warned)}" if warned else ""), "warn" if warned else "")
    )
    return facts


def states_in_words(document: Readability) -> str:
    """Pages by state; the counts add up to all pages."""
    counts = document.coverage.pages_by_state
    listed = ", ".join(f"{state.label} {count:,}" for state, count in counts.items() if count)
    return f"{listed} (of {document.coverage.pages_total:,})"


def _ink(document: Readability) -> str:
    share = document.coverage.ink_read_share
    if share is None:
        return "not measured, or no ink on any page"
    return f"{cautious_percent(share)} of all ink lies under text that was read"


def _images(document: Readability) -> str:
    c = document.coverage
    if not c.images_total:
        return "none placed"
    return (
        f"{c.images_total:,} placed: {c.images_read:,} read by OCR, {c.images_without_text:,} without text, "
        f"{c.images_unread:,} unread"
    )


def _second_reader(document: Readability) -> str:
    c = document.coverage
    if c.words_second_reader_only is None:
        return "not compared with a second reader"
    compared = c.pages_total - len(c.pages_not_compared)
    said = [
        f"{c.words_second_reader_only:,} seen by the second reader only",
        f"{c.words_first_reader_only or 0:,} by the first only",
        f"compared on {compared:,} of {plural(c.pages_total, 'page')}",
    ]
    if c.pages_not_compared:
        said.append(f"not compared: {page_ranges(c.pages_not_compared)}")
    if c.pages_readers_disagree:
        said.append(f"first reader not to be relied on: {page_ranges(c.pages_readers_disagree)}")
    return "; ".join(said)


def _kinds(paper: ConsoleWriter, document: Readability, *, may_hold_text: bool) -> None:
    kinds = [item for item in document.kinds if item.may_hold_text is may_hold_text]
    if not kinds:
        if may_hold_text:
            paper.heading("Not read, and may hold text", "nothing")
        return
    total = document.coverage.pages_total
    on = len({page for item in kinds for page in item.pages if page})
    title = "Not read, and may hold text" if may_hold_text else "Not read, and holds no text"
    paper.heading(
        title,
        f"{plural(sum(item.count for item in kinds), 'blind spot')}, on {on:,} of {plural(total, 'page')}",
    )
    for item in kinds:
        _kind(paper, item)


def _kind(paper: ConsoleWriter, item: KindSummary) -> None:
    times = f" ({item.count:,} ×)" if item.count > 1 else ""
    paper.say((item.kind.value, "bold"), f": {page_ranges(item.pages)}", (times, "dim"), indent=2, hang=4)
    if not item.may_hold_text:
        return
    paper.say(item.meaning, indent=4)
    for detail, count in list(item.details.items())[:SHOWN_DETAILS]:
        often = f" ({count:,} ×)" if count > 1 else ""
        paper.say((f"· {one_line(detail)}{often}", "dim"), indent=4, hang=2)
    rest = len(item.details) - SHOWN_DETAILS
    if rest > 0:
        paper.say((f"… {plural(rest, 'more detail')}: --json or --out", "dim"), indent=4, hang=2)
    if item.remedy:
        paper.say("→ ", item.remedy, indent=4, hang=2)


def structure_findings(document: Readability) -> list[tuple[str, str, tuple[str, ...]]]:
    """What the structure of the document shows: name, summary with denominator, every finding in words."""
    c = document.coverage
    labelled = sum(bool(page.label) for page in document.pages)
    found = c.toc_entries - len(c.contents_not_found)
    of_pages = f"of {plural(c.pages_total, 'page')}"
    of_mentions = f"of {plural(c.cross_refs_total, 'mention')}"
    return [
        (
            "contents",
            f"{found:,} of {plural(c.toc_entries, 'entry')} found on their page",
            c.contents_not_found,
        ),
        ("page labels", f"declared for {labelled:,} {of_pages}", c.page_label_gaps + c.page_label_mismatches),
        (
            "numbering",
            f"{plural(len(c.number_gaps), 'gap')} among {plural(c.objects_registered, 'named object')}",
            c.number_gaps,
        ),
        (
            "cross-references",
            f"{plural(len(c.unresolved_cross_refs), 'place')} unresolved, {of_mentions}",
            c.unresolved_cross_refs,
        ),
        (
            "other documents",
            f"named in {plural(len(c.external_refs), 'place')}, {of_mentions}",
            tuple(sorted(c.external_refs, key=lambda named: not named.startswith("document "))),
        ),
    ]


def _structure(paper: ConsoleWriter, document: Readability) -> None:
    paper.heading("Structure")
    for name, summary, findings in structure_findings(document):
        paper.say((f"{name:<18}", "dim"), summary, indent=2, hang=18)
        for finding in findings[:SHOWN_FINDINGS]:
            paper.say(f"· {one_line(finding)}", indent=20, hang=2)
        rest = len(findings) - SHOWN_FINDINGS
        if rest > 0:
            paper.say((f"… {rest:,} more: --json or --out", "dim"), indent=20, hang=2)


def _corpus(paper: ConsoleWriter, corpus: CorpusReadability, fail_under: float | None) -> None:
    paper.heading("All documents", plural(corpus.documents_total, "document"))
    paper.table(_document_table(corpus, fail_under))
    share = "" if corpus.readable_share is None else f" ({cautious_percent(corpus.readable_share)})"
    paper.say(
        f"pages read in full: {corpus.pages_read_in_full:,} of {corpus.pages_total:,}{share}",
        indent=2,
        hang=2,
    )
    paper.say(
        f"documents without anything unread that may hold text: {corpus.documents_complete:,} of "
        f"{corpus.documents_total:,}",
        indent=2,
        hang=2,
    )
    if corpus.unreadable:
        paper.say(
            (
                f"documents that could not be opened: {len(corpus.unreadable):,} of {corpus.documents_total:,}",
                "red",
            ),
            indent=2,
            hang=2,
        )
    if corpus.kinds:
        paper.blank()
        paper.table(_total_table(corpus))


def _document_table(corpus: CorpusReadability, fail_under: float | None) -> Table:
    table = _table("document", "read in full", "share", "unread, and may hold text", right=(1, 2))
    for document in corpus.documents:
        kinds = ", ".join(item.kind.value for item in document.kinds if item.may_hold_text)
        table.add_row(
            one_line(document.document.name),
            f"{document.pages_read_in_full:,} of {document.coverage.pages_total:,}",
            cautious_percent(document.readable_share),
            kinds or "nothing",
            style=_style(document, fail_under).removeprefix("bold ") if not document.complete else "",
        )
    for lost in corpus.unreadable:
        table.add_row(one_line(lost.name), "-", "-", "could not be opened", style="red")
    return table


def _total_table(corpus: CorpusReadability) -> Table:
    table = _table("kind", "documents", "pages", "blind spots", right=(1, 2, 3))
    for total in corpus.kinds:
        table.add_row(*_total_row(total, corpus))
    return table


def _total_row(total: KindTotal, corpus: CorpusReadability) -> tuple[str, ...]:
    return (
        total.kind.value,
        f"{total.documents:,} of {len(corpus.documents):,}",
        f"{total.pages:,} of {corpus.pages_total:,}",
        f"{total.count:,}",
    )


def _table(*columns: str, right: Sequence[int]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number in right else "left", overflow="fold")
    return table


def page_sentence(page: PageReadability, count: int) -> str:
    """One page in words, for those who do not see the map."""
    spots = f", {plural(count, 'blind spot')}" if count else ""
    full = "read in full" if page.read_in_full else "not read in full"
    return f"Page {page.page_num}: {full}, {page.state.label}{spots}"


Thumbnails = Mapping[int, Thumbnail]
_CLEAN_WIDTHS = ((300, 160), (2000, 120), (1 << 40, 80))
"""Width of the picture of a page that was read in full, for documents of up to so many pages."""
_OPEN_WIDTHS = (640, 480, 320, 240, 160, 120, 80)
_OPEN_BYTES = 12_000_000
_BYTES_PER_PIXEL = 0.2
_NARROWEST, _WIDEST = 0.25, 4.0


@dataclass(frozen=True)
class Mark:
    """One blind spot of a page: its number there, and its place in percent of the page (None: no place)."""

    number: int
    spot: BlindSpot
    place: tuple[float, float, float, float] | None


@dataclass(frozen=True)
class Tile:
    """One page of the map."""

    page: PageReadability
    sentence: str
    shape: float
    picture: str
    problem: str
    groups: tuple[tuple[BlindSpotKind, str, tuple[Mark, ...]], ...]
    classes: str

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks that have a place."""
        return tuple(mark for *_, marks in self.groups for mark in marks if mark.place is not None)


def thumbnail_widths(documents: Sequence[Readability]) -> list[dict[int, int]]:
    """How many pixels wide the picture of each page is to be: pages with something unread large, others small.

    Large as long as the pictures of all documents together stay around 12 MB.
    """
    flagged = sum(len({spot.page_num for spot in one.blind_spots} - {0}) for one in documents)
    total = sum(len(one.pages) for one in documents)
    clean = next(width for most, width in _CLEAN_WIDTHS if total <= most)
    wide = next((w for w in _OPEN_WIDTHS if flagged * w * w * 1.4 * _BYTES_PER_PIXEL <= _OPEN_BYTES), clean)
    large = max(wide, clean)
    return [
        {
            page.page_num: large if page.page_num in {spot.page_num for spot in one.blind_spots} else clean
            for page in one.pages
        }
        for one in documents
    ]


def to_html(corpus: CorpusReadability, thumbnails: Sequence[Thumbnails]) -> str:
    """The page map of all documents as one HTML document; `thumbnails` as `corpus.documents`, empty for no pictures."""
    documents = [
        _document_page_map(one, drawn) for one, drawn in zip(corpus.documents, thumbnails, strict=True)
    ]
    pictures = [thumbnail.jpeg for drawn in thumbnails for thumbnail in drawn.values() if thumbnail.jpeg]
    names = ", ".join(one.document.name for one in corpus.documents) or "no document"
    template = environment(ENGLISH).get_template("page_map.html.j2")
    return template.render(
        corpus=corpus,
        documents=documents,
        title=names if len(corpus.documents) < 3 else plural(len(corpus.documents), "document"),
        filters=_filters(documents),
        pictures=len(pictures),
        megabytes=f"{sum(map(len, pictures)) * 4 / 3 / 1e6:.1f}",
    )


def _document_page_map(document: Readability, drawn: Thumbnails) -> dict[str, Any]:
    spots: dict[int, list[BlindSpot]] = defaultdict(list)
    for spot in document.blind_spots:
        spots[spot.page_num].append(spot)
    ocr = document.options.ocr != "off"
    return {
        "r": document,
        "tiles": [_tile(page, spots[page.page_num], drawn, ocr) for page in document.pages],
        "facts": document_facts(document),
        "structure": structure_findings(document),
        "beside": _groups(spots[0], None, ocr),
        "drawn": bool(drawn),
    }


def _tile(page: PageReadability, spots: list[BlindSpot], drawn: Thumbnails, ocr: bool) -> Tile:
    thumbnail = drawn.get(page.page_num)
    jpeg = thumbnail.jpeg if thumbnail else None
    kinds = " ".join(f"k-{kind.value}" for kind in dict.fromkeys(spot.kind for spot in spots))
    warned = " warned" if page.warnings else ""
    known = page.width_pt > 0 and page.height_pt > 0
    return Tile(
        page=page,
        sentence=page_sentence(page, len(spots)),
        shape=min(max(page.width_pt / page.height_pt, _NARROWEST), _WIDEST) if known else 0.707,
        picture=base64.b64encode(jpeg).decode("ascii") if jpeg else "",
        problem=thumbnail.problem if thumbnail else "",
        groups=_groups(spots, page, ocr),
        classes=f"s-{page.state.value} {'full' if page.read_in_full else 'open'}{warned} {kinds}".strip(),
    )


def _groups(
    spots: Sequence[BlindSpot], page: PageReadability | None, ocr: bool
) -> tuple[tuple[BlindSpotKind, str, tuple[Mark, ...]], ...]:
    """Marks by kind, each kind with what would settle it (nothing where no text can be in it)."""
    by_kind: dict[BlindSpotKind, list[Mark]] = defaultdict(list)
    for number, spot in enumerate(spots, 1):
        by_kind[spot.kind].append(Mark(number, spot, _place(spot, page)))
    return tuple(
        (
            kind,
            kind.remedy_after(ocr=ocr)
            if any(mark.spot.text_likely is not TextLikely.NO for mark in marks)
            else "",
            tuple(marks),
        )
        for kind, marks in by_kind.items()
    )


def _place(spot: BlindSpot, page: PageReadability | None) -> tuple[float, float, float, float] | None:
    """Left, top, width and height in percent; a spot that is the whole page and has no box covers it."""
    if page is None:
        return None
    box: BBox | None = spot.bbox
    if box is None:
        return (0.0, 0.0, 100.0, 100.0) if spot.area_share == 1 else None
    if page.width_pt <= 0 or page.height_pt <= 0:
        return None
    left, right = (_percent(side, page.width_pt) for side in (box[0], box[2]))
    top, bottom = (_percent(side, page.height_pt) for side in (box[1], box[3]))
    return left, top, round(right - left, 2), round(bottom - top, 2)


def _percent(side: float, whole: float) -> float:
    return round(min(max(side / whole, 0.0), 1.0) * 100, 2)


def _filters(documents: Sequence[dict[str, Any]]) -> list[tuple[str, str, int]]:
    """What can be filtered by: class of the tile, name, number of pages; kinds that occur, and states that occur."""
    counted: Counter[str] = Counter()
    for document in documents:
        for tile in document["tiles"]:
            counted.update(set(tile.classes.split()))
    wanted = [
        ("open", "not read in full"),
        ("full", "read in full"),
        ("warned", "with warnings of the engine"),
    ]
    wanted += [(f"k-{kind.value}", kind.value) for kind in BlindSpotKind]
    wanted += [(f"s-{state.value}", f"state: {state.label}") for state in PageState]
    return [(name, text, counted[name]) for name, text in wanted if counted[name]]


PAGE_COLUMNS = (
    "page_num",
    "label",
    "state",
    "read_in_full",
    "ink_read_share",
    "blind_spots",
    "kinds",
    "warnings",
)


def dump(corpus: CorpusReadability) -> str:
    """JSON with the same bytes for the same documents; schemas/coverage.schema.json says what is in it."""
    data = corpus.model_dump(mode="json")
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write(
    corpus: CorpusReadability,
    thumbnails: Sequence[Thumbnails],
    *,
    html: Path | None = None,
    folder: Path | None = None,
) -> list[Path]:
    """Write the page map, the folder, or both; raises OutputError. Each file appears whole or not at all."""
    texts: dict[Path, str] = {}
    if html is not None or folder is not None:
        page_map = to_html(corpus, thumbnails)
        texts |= {html: page_map} if html is not None else {}
        texts |= {} if folder is None else _files(corpus, page_map, folder)
    for path, text in texts.items():
        atomic.write_text(path, text)
    return list(texts)


def _files(corpus: CorpusReadability, page_map: str, folder: Path) -> dict[Path, str]:
    return {
        folder / "coverage.json": dump(corpus),
        folder / "page_map.html": page_map,
        folder / "pages.csv": BYTE_ORDER_MARK + table_csv(("document", *PAGE_COLUMNS), _pages(corpus)),
        folder / "blind_spots.csv": BYTE_ORDER_MARK
        + table_csv(("document", *BLIND_SPOT_COLUMNS), _blind_spots(corpus)),
    }


def _pages(corpus: CorpusReadability) -> Iterator[tuple[object, ...]]:
    for document in corpus.documents:
        for page in document.pages:
            kinds = [spot.kind.value for spot in document.blind_spots if spot.page_num == page.page_num]
            yield (
                document.document.name,
                page.page_num,
                page.label,
                page.state.value,
                page.read_in_full,
                page.ink_read_share,
                len(kinds),
                " ".join(dict.fromkeys(kinds)),
                page.warnings,
            )


def _blind_spots(corpus: CorpusReadability) -> Iterator[tuple[object, ...]]:
    for document in corpus.documents:
        for row in blind_spot_rows(document.blind_spots, ocr=document.options.ocr != "off"):
            yield (document.document.name, *row)
