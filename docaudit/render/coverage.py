"""What could be read of each document: on a terminal, as a page map (HTML), and as JSON and tables to keep.

The share comes first, then every number with its denominator. The page map is one HTML file with a thumbnail of every
page and what was not read marked on it: no script and nothing loaded from elsewhere, as pages open as <details>, and
filters are radio buttons that style sheets read.
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
from docaudit.codes import BlindSpotKind, PageState, TextLikely
from docaudit.coverage import CorpusReadability, KindSummary, PageReadability, Readability, Thumbnail
from docaudit.justification import BlindSpot
from docaudit.render.html import environment
from docaudit.render.language import ENGLISH, one_line, page_ranges
from docaudit.render.tables import BLIND_SPOT_COLUMNS, BYTE_ORDER_MARK, blind_spot_rows, table_csv
from docaudit.render.terminal import ConsoleWriter, new_console
from docaudit.text.numbers import cautious_percent, plural

# What a screen shows before it names the place of the rest; chosen, not measured.
SHOWN_FINDINGS = 5
SHOWN_DETAILS = 3
Fact = tuple[str, str, str]
"""Name, value, style."""
Thumbnails = Mapping[int, Thumbnail]
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
# Thumbnails; all figures chosen, not measured.
_CLEAN_WIDTHS = ((300, 160), (2000, 120), (1 << 40, 80))
"""Width of the picture of a page that was read in full, for documents of up to so many pages."""
_OPEN_WIDTHS = (640, 480, 320, 240, 160, 120, 80)
_OPEN_BYTES = 12_000_000
_BYTES_PER_PIXEL = 0.2
"""Of a JPEG, about; a page is 1.4 times as high as it is wide."""
_NARROWEST, _WIDEST, _USUAL_SHAPE = 0.25, 4.0, 0.707
"""Width of a tile by its height; A4 where the size of the page is not known."""


def print_coverage(
    corpus: CorpusReadability, console: Console | None = None, *, fail_under: float | None = None
) -> None:
    """Print each document, and the sums if there are several; findings that are not shown are counted."""
    out = ConsoleWriter(console or new_console())
    for number, document in enumerate(corpus.documents):
        if number:
            out.blank()
        _print_document(out, document, fail_under)
    if corpus.documents_total > 1:
        _print_corpus(out, corpus, fail_under)


def _print_document(out: ConsoleWriter, document: Readability, fail_under: float | None) -> None:
    total = document.coverage.pages_total
    short = fail_under is not None and document.readable_share < fail_under
    tail = f", below {fail_under:g}" if short else ""
    out.say(
        (one_line(document.document.name), "bold"),
        ": ",
        (cautious_percent(document.readable_share), _style(document, fail_under)),
        f" ({document.pages_read_in_full:,} of {plural(total, 'page')} read in full{tail})",
        hang=2,
    )
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value, _ in document_facts(document):
        facts.add_row(name, value)
    out.table(facts)
    _print_kinds(out, document, may_hold_text=True)
    _print_kinds(out, document, may_hold_text=False)
    out.heading("Structure")
    for name, summary, findings in structure_findings(document):
        out.say((f"{name:<18}", "dim"), summary, indent=2, hang=18)
        for finding in findings[:SHOWN_FINDINGS]:
            out.say(f"· {one_line(finding)}", indent=20, hang=2)
        if (rest := len(findings) - SHOWN_FINDINGS) > 0:
            out.say((f"… {rest:,} more: --json or --out", "dim"), indent=20, hang=2)


def _style(document: Readability, fail_under: float | None) -> str:
    if fail_under is not None and document.readable_share < fail_under:
        return "bold red"
    return "bold green" if document.complete else "bold yellow"


def document_facts(document: Readability) -> list[Fact]:
    """The numbers of a document, each with its denominator; the style is "warn" where one needs a look."""
    c = document.coverage
    states = ", ".join(f"{state.label} {count:,}" for state, count in c.pages_by_state.items() if count)
    facts = [("pages by state", f"{states} (of {c.pages_total:,})", "")]
    if document.parts_not_read_outside_pages:
        parts = plural(document.parts_not_read_outside_pages, "part")
        facts.append(("beside the pages", f"{parts} of the file not read", "warn"))
    ink = "not measured, or no ink on any page"
    if c.ink_read_share is not None:
        ink = f"{cautious_percent(c.ink_read_share)} of all ink lies under text that was read"
    images = "none placed"
    if c.images_total:
        images = (
            f"{c.images_total:,} placed: {c.images_read:,} read by OCR, {c.images_without_text:,} without text, "
            f"{c.images_unread:,} unread"
        )
    engine = f"warnings on {len(c.pages_with_warnings):,} of {plural(c.pages_total, 'page')}"
    if c.pages_with_warnings:
        engine += f": {page_ranges(c.pages_with_warnings)}"
    return [
        *facts,
        ("ink", ink, ""),
        ("images", images, "warn" if c.images_unread else ""),
        ("words", _second_reader(document), "warn" if c.pages_readers_disagree else ""),
        ("engine", engine, "warn" if c.pages_with_warnings else ""),
    ]


def _second_reader(document: Readability) -> str:
    c = document.coverage
    if c.words_second_reader_only is None:
        return "not compared with a second reader"
    compared = c.pages_total - len(c.pages_not_compared)
    parts = [
        f"{c.words_second_reader_only:,} seen by the second reader only",
        f"{c.words_first_reader_only or 0:,} by the first only",
        f"compared on {compared:,} of {plural(c.pages_total, 'page')}",
    ]
    if c.pages_not_compared:
        parts.append(f"not compared: {page_ranges(c.pages_not_compared)}")
    if c.pages_readers_disagree:
        parts.append(f"first reader not to be relied on: {page_ranges(c.pages_readers_disagree)}")
    return "; ".join(parts)


def _print_kinds(out: ConsoleWriter, document: Readability, *, may_hold_text: bool) -> None:
    kinds = [item for item in document.kinds if item.may_hold_text is may_hold_text]
    if not kinds:
        if may_hold_text:
            out.heading("Not read, and may hold text", "nothing")
        return
    spots = plural(sum(item.count for item in kinds), "blind spot")
    pages = len({page for item in kinds for page in item.pages if page})
    out.heading(
        "Not read, and may hold text" if may_hold_text else "Not read, and holds no text",
        f"{spots}, on {pages:,} of {plural(document.coverage.pages_total, 'page')}",
    )
    for item in kinds:
        _print_kind(out, item)


def _print_kind(out: ConsoleWriter, item: KindSummary) -> None:
    times = f" ({item.count:,} ×)" if item.count > 1 else ""
    out.say((item.kind.value, "bold"), f": {page_ranges(item.pages)}", (times, "dim"), indent=2, hang=4)
    if not item.may_hold_text:
        return
    out.say(item.meaning, indent=4)
    for detail, count in list(item.details.items())[:SHOWN_DETAILS]:
        often = f" ({count:,} ×)" if count > 1 else ""
        out.say((f"· {one_line(detail)}{often}", "dim"), indent=4, hang=2)
    if (rest := len(item.details) - SHOWN_DETAILS) > 0:
        out.say((f"… {plural(rest, 'more detail')}: --json or --out", "dim"), indent=4, hang=2)
    if item.remedy:
        out.say("→ ", item.remedy, indent=4, hang=2)


def structure_findings(document: Readability) -> list[tuple[str, str, tuple[str, ...]]]:
    """What the structure of the document shows: name, summary with denominator, every finding in words."""
    c = document.coverage
    labelled = sum(bool(page.label) for page in document.pages)
    on_their_page = c.toc_entries - len(c.contents_not_found)
    of_pages = f"of {plural(c.pages_total, 'page')}"
    of_mentions = f"of {plural(c.cross_refs_total, 'mention')}"
    return [
        (
            "contents",
            f"{on_their_page:,} of {plural(c.toc_entries, 'entry')} found on their page",
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
            tuple(sorted(c.external_refs, key=lambda name: not name.startswith("document "))),
        ),
    ]


def _print_corpus(out: ConsoleWriter, corpus: CorpusReadability, fail_under: float | None) -> None:
    total = corpus.documents_total
    out.heading("All documents", plural(total, "document"))
    documents = _table("document", "read in full", "share", "unread, and may hold text", right=(1, 2))
    for document in corpus.documents:
        kinds = ", ".join(item.kind.value for item in document.kinds if item.may_hold_text)
        documents.add_row(
            one_line(document.document.name),
            f"{document.pages_read_in_full:,} of {document.coverage.pages_total:,}",
            cautious_percent(document.readable_share),
            kinds or "nothing",
            style=_style(document, fail_under).removeprefix("bold ") if not document.complete else "",
        )
    for unreadable in corpus.unreadable:
        documents.add_row(one_line(unreadable.name), "-", "-", "could not be opened", style="red")
    out.table(documents)
    share = "" if corpus.readable_share is None else f" ({cautious_percent(corpus.readable_share)})"
    pages = f"{corpus.pages_read_in_full:,} of {corpus.pages_total:,}"
    out.say(f"pages read in full: {pages}{share}", indent=2, hang=2)
    complete = f"{corpus.documents_complete:,} of {total:,}"
    out.say(f"documents without anything unread that may hold text: {complete}", indent=2, hang=2)
    if corpus.unreadable:
        lost = f"documents that could not be opened: {len(corpus.unreadable):,} of {total:,}"
        out.say((lost, "red"), indent=2, hang=2)
    if corpus.kinds:
        out.blank()
        kinds_table = _table("kind", "documents", "pages", "blind spots", right=(1, 2, 3))
        for kind in corpus.kinds:
            kinds_table.add_row(
                kind.kind.value,
                f"{kind.documents:,} of {len(corpus.documents):,}",
                f"{kind.pages:,} of {corpus.pages_total:,}",
                f"{kind.count:,}",
            )
        out.table(kinds_table)


def _table(*columns: str, right: Sequence[int]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number in right else "left", overflow="fold")
    return table


@dataclass(frozen=True)
class NumberedSpot:
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
    groups: tuple[tuple[BlindSpotKind, str, tuple[NumberedSpot, ...]], ...]
    classes: str

    @property
    def marks(self) -> tuple[NumberedSpot, ...]:
        """All blind spots that have a place."""
        return tuple(mark for *_, marks in self.groups for mark in marks if mark.place is not None)


def thumbnail_widths(documents: Sequence[Readability]) -> list[dict[int, int]]:
    """How many pixels wide the picture of each page is to be: pages with something unread large, others small.

    Large as long as the pictures of all documents together stay around 12 MB.
    """
    open_pages = [{spot.page_num for spot in document.blind_spots} - {0} for document in documents]
    total = sum(len(document.pages) for document in documents)
    clean = next(width for most, width in _CLEAN_WIDTHS if total <= most)
    unread = sum(map(len, open_pages))
    wide = next((w for w in _OPEN_WIDTHS if unread * w * w * 1.4 * _BYTES_PER_PIXEL <= _OPEN_BYTES), clean)
    large = max(wide, clean)
    return [
        {page.page_num: large if page.page_num in marked else clean for page in document.pages}
        for document, marked in zip(documents, open_pages, strict=True)
    ]


def to_html(corpus: CorpusReadability, thumbnails: Sequence[Thumbnails]) -> str:
    """The page map of all documents as one HTML document; `thumbnails` as `corpus.documents`, empty for no pictures."""
    documents = [
        _document_map(document, drawn) for document, drawn in zip(corpus.documents, thumbnails, strict=True)
    ]
    pictures = [thumbnail.jpeg for drawn in thumbnails for thumbnail in drawn.values() if thumbnail.jpeg]
    names = ", ".join(document.document.name for document in corpus.documents) or "no document"
    # What can be filtered by: class of the tile, name, number of pages that have it.
    counts = Counter(
        name for document in documents for tile in document["tiles"] for name in set(tile.classes.split())
    )
    filters = [
        ("open", "not read in full"),
        ("full", "read in full"),
        ("warned", "with warnings of the engine"),
        *((f"k-{kind.value}", kind.value) for kind in BlindSpotKind),
        *((f"s-{state.value}", f"state: {state.label}") for state in PageState),
    ]
    template = environment(ENGLISH).get_template("page_map.html.j2")
    return template.render(
        corpus=corpus,
        documents=documents,
        title=names if len(corpus.documents) < 3 else plural(len(corpus.documents), "document"),
        filters=[(name, text, counts[name]) for name, text in filters if counts[name]],
        pictures=len(pictures),
        megabytes=f"{sum(map(len, pictures)) * 4 / 3 / 1e6:.1f}",
    )


def _document_map(document: Readability, drawn: Thumbnails) -> dict[str, Any]:
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
    # The page in words, for those who do not see the map.
    full = "read in full" if page.read_in_full else "not read in full"
    unread = f", {plural(len(spots), 'blind spot')}" if spots else ""
    shape = _USUAL_SHAPE
    if page.width_pt > 0 and page.height_pt > 0:
        shape = min(max(page.width_pt / page.height_pt, _NARROWEST), _WIDEST)
    return Tile(
        page=page,
        sentence=f"Page {page.page_num}: {full}, {page.state.label}{unread}",
        shape=shape,
        picture=base64.b64encode(jpeg).decode("ascii") if jpeg else "",
        problem=thumbnail.problem if thumbnail else "",
        groups=_groups(spots, page, ocr),
        classes=f"s-{page.state.value} {'full' if page.read_in_full else 'open'}{warned} {kinds}".strip(),
    )


def _groups(
    spots: Sequence[BlindSpot], page: PageReadability | None, ocr: bool
) -> tuple[tuple[BlindSpotKind, str, tuple[NumberedSpot, ...]], ...]:
    """Blind spots by kind, each kind with what would settle it (nothing where no text can be in it)."""
    by_kind: dict[BlindSpotKind, list[NumberedSpot]] = defaultdict(list)
    for number, spot in enumerate(spots, 1):
        by_kind[spot.kind].append(NumberedSpot(number, spot, _place(spot, page)))
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
    if spot.bbox is None:
        return (0.0, 0.0, 100.0, 100.0) if spot.area_share == 1 else None
    if page.width_pt <= 0 or page.height_pt <= 0:
        return None
    sizes = (page.width_pt, page.height_pt) * 2
    left, top, right, bottom = (
        round(min(max(side / size, 0.0), 1.0) * 100, 2) for side, size in zip(spot.bbox, sizes, strict=True)
    )
    return left, top, round(right - left, 2), round(bottom - top, 2)


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
    if html is None and folder is None:
        return []
    page_map = to_html(corpus, thumbnails)
    texts = {} if html is None else {html: page_map}
    if folder is not None:
        spots = (
            (document.document.name, *row)
            for document in corpus.documents
            for row in blind_spot_rows(document.blind_spots, ocr=document.options.ocr != "off")
        )
        texts |= {
            folder / "coverage.json": dump(corpus),
            folder / "page_map.html": page_map,
            folder / "pages.csv": BYTE_ORDER_MARK + table_csv(("document", *PAGE_COLUMNS), _pages(corpus)),
            folder / "blind_spots.csv": BYTE_ORDER_MARK + table_csv(("document", *BLIND_SPOT_COLUMNS), spots),
        }
    for path, text in texts.items():
        atomic.write_text(path, text)
    return list(texts)


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
