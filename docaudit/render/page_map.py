"""The page map: one HTML file with a thumbnail of every page and what was not read marked on it.

No script and nothing loaded from elsewhere: pages open as <details>, filters are radio buttons that style sheets read.
"""

from __future__ import annotations

import base64
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docaudit.evidence import BlindSpot
from docaudit.location import BBox, PageState, TextLikely
from docaudit.readability import CorpusReadability, PageReadability, Readability, Thumbnail
from docaudit.reasons import BlindSpotKind
from docaudit.render import words
from docaudit.render.coverage_text import document_facts, page_sentence, structure_findings
from docaudit.render.environment import environment
from docaudit.render.tongue import ENGLISH

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
    documents = [_document(one, drawn) for one, drawn in zip(corpus.documents, thumbnails, strict=True)]
    pictures = [thumbnail.jpeg for drawn in thumbnails for thumbnail in drawn.values() if thumbnail.jpeg]
    names = ", ".join(one.document.name for one in corpus.documents) or "no document"
    template = environment(ENGLISH).get_template("page_map.html.j2")
    return template.render(
        corpus=corpus,
        documents=documents,
        title=names if len(corpus.documents) < 3 else words.plural(len(corpus.documents), "document"),
        filters=_filters(documents),
        likely_names=words.LIKELY_NAMES,
        pictures=len(pictures),
        megabytes=f"{sum(map(len, pictures)) * 4 / 3 / 1e6:.1f}",
    )


def _document(document: Readability, drawn: Thumbnails) -> dict[str, Any]:
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
    wanted += [(f"s-{state.value}", f"state: {words.PAGE_STATES[state]}") for state in PageState]
    return [(name, text, counted[name]) for name, text in wanted if counted[name]]
