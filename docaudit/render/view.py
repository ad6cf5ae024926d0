"""What the readable reports show, worked out once: concepts, groups of blind spots, the strip of pages.

The terminal, HTML and later forms show the same groups and counts because they all take them from here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from docaudit.evidence import BlindSpot, Hit, Mention
from docaudit.justification import AbsenceJustification, Finding
from docaudit.location import BBox, MatchKind, TextLikely, TextSource
from docaudit.reasons import BlindSpotKind
from docaudit.render.tongue import ENGLISH, Tongue
from docaudit.retrieved import hits_to_read, meeting_pages

UNREAD_PAGE_KINDS = frozenset(
    {
        BlindSpotKind.IMAGE_ONLY_PAGE,
        BlindSpotKind.PAGE_FAILED,
        BlindSpotKind.PAGE_CRASHED,
        BlindSpotKind.PAGE_TIMED_OUT,
        BlindSpotKind.PAGE_OUT_OF_MEMORY,
        BlindSpotKind.PAGE_UNREACHABLE,
    }
)


class CellState(StrEnum):
    """How much of a page was read, as far as its blind spots tell."""

    READ = "read"
    UNLIKELY = "unlikely"
    PARTLY = "partly"
    UNREAD = "unread"


CELL_WORDS = {
    CellState.READ: "read",
    CellState.UNLIKELY: "read but for parts that hold no text",
    CellState.PARTLY: "a part was not read",
    CellState.UNREAD: "not read",
}


@dataclass(frozen=True)
class ConceptRow:
    """One concept: how often it was found, and where."""

    name: str
    required: bool
    hits: int
    pages: tuple[int, ...]
    uncertain: int


@dataclass(frozen=True)
class SpotGroup:
    """All blind spots of one kind that may hold text, or all of one kind that hold none.

    Kept apart, because only the pages of the first are of interest to a reader. `details` counts what exactly was not
    read, most frequent first.
    """

    kind: BlindSpotKind
    may_hold_text: bool
    spots: tuple[BlindSpot, ...]
    remedy: str
    count: int
    pages: tuple[int, ...]
    likely: Mapping[TextLikely, int]
    details: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class PageCell:
    """One page of the strip."""

    page_num: int
    state: CellState
    hits: int
    blind_spots: int


def concept_rows(justification: AbsenceJustification) -> list[ConceptRow]:
    """One row for each concept that was searched, in the order of the concept table."""
    names = (
        justification.concept_hits
    )  # a concept without an accepted variant was not searched: a 0 would be a lie
    required = set(justification.required) or set(names)
    uncertain = Counter(h.concept for h in justification.hits if h.match_kind.is_possible)
    return [
        ConceptRow(
            name=name,
            required=name in required,
            hits=justification.concept_hits.get(name, 0),
            pages=tuple(justification.concept_pages.get(name, ())),
            uncertain=uncertain[name],
        )
        for name in names
    ]


def spot_groups(justification: AbsenceJustification) -> list[SpotGroup]:
    """Blind spots by kind: whole pages first, then what may hide text, and what holds no text last."""
    by_kind: dict[tuple[BlindSpotKind, bool], list[BlindSpot]] = defaultdict(list)
    for spot in justification.blind_spots:
        by_kind[spot.kind, spot.text_likely is not TextLikely.NO].append(spot)
    groups = [
        SpotGroup(
            kind=kind,
            may_hold_text=may_hold_text,
            spots=tuple(spots),
            remedy=kind.remedy_after(ocr=justification.options.ocr != "off"),
            count=len(spots),
            pages=tuple(sorted({spot.page_num for spot in spots})),
            likely=dict(Counter(spot.text_likely for spot in spots)),
            details=tuple(Counter(spot.detail for spot in spots if spot.detail).most_common()),
        )
        for (kind, may_hold_text), spots in by_kind.items()
    ]
    return sorted(groups, key=_gravity)


def _gravity(group: SpotGroup) -> tuple[bool, bool, bool, int, str]:
    return (
        not group.may_hold_text,
        group.kind not in UNREAD_PAGE_KINDS,
        TextLikely.YES not in group.likely,
        -group.count,
        group.kind.value,
    )


def page_cells(justification: AbsenceJustification) -> list[PageCell]:
    """One cell for each page of the page tree."""
    hits = Counter(hit.page_num for hit in justification.hits if not hit.match_kind.is_possible)
    spots = defaultdict(list)
    for spot in justification.blind_spots:
        spots[spot.page_num].append(spot)
    total = justification.document.pages_total if justification.document else 0
    cells = []
    for page in range(1, total + 1):
        here = spots.get(page, [])
        if any(spot.kind in UNREAD_PAGE_KINDS for spot in here):
            state = CellState.UNREAD
        elif any(spot.text_likely is not TextLikely.NO for spot in here):
            state = CellState.PARTLY
        else:
            state = CellState.UNLIKELY if here else CellState.READ
        cells.append(PageCell(page, state, hits[page], len(here)))
    return cells


def has_region(spot: BlindSpot) -> bool:
    """Whether a blind spot is a place on a page that can be shown and that may hold text."""
    return (
        bool(spot.page_num)
        and spot.text_likely is not TextLikely.NO
        and (spot.bbox is not None or spot.area_share == 1)
    )


def pictured(spots: Iterable[BlindSpot], pictures: Mapping[tuple[int, BBox | None], str]) -> list[BlindSpot]:
    """The blind spots of which there is a picture, each place once."""
    places = {(spot.page_num, spot.bbox): spot for spot in spots}
    return [spot for place, spot in places.items() if place in pictures]


def says_otherwise(hit: Hit) -> bool:
    """Whether the page writes a hit so differently that a reader needs to be told the variant."""
    return _letters(hit.variant) != _letters(hit.match_text)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def heading(hit: Hit, t: Tongue = ENGLISH) -> str:
    """Where a hit stands, beside its page: the part of the file (attachment, earlier revision) or the section."""
    if hit.part:
        if not hit.part_page:
            return t("in {part}", part=hit.part)
        return t("in {part}, page {n}", part=hit.part, n=hit.part_page)
    return f"§ {hit.section}" if hit.section else ""


def page(page_num: int) -> str:
    """A page as concordance lines name it; 0 is the document as a whole."""
    return f"p. {page_num}" if page_num else "doc."


def place(hit: Hit) -> str:
    """Page of a hit; with it, how it was reached and where it was read, unless it is plain text of the page."""
    notes = [] if hit.match_kind in (MatchKind.EXACT, MatchKind.FOLDED) else [hit.match_kind.value]
    notes += [] if hit.source is TextSource.TEXT_LAYER else [hit.source.value]
    return ", ".join([page(hit.page_num), *notes])


def headings(justification: AbsenceJustification, t: Tongue = ENGLISH) -> dict[tuple[int, int], str]:
    """Heading of each line that has a hit, by page and line: mentions do not carry theirs."""
    return {(hit.page_num, hit.line_num): said for hit in justification.hits if (said := heading(hit, t))}


def mention_heading(mention: Mention, known: dict[tuple[int, int], str]) -> str:
    """Heading of a mention; empty if it is not known."""
    return known.get((mention.page_num, mention.line_num), "")


def passages_to_read(justification: AbsenceJustification) -> list[Hit]:
    """The hits that make the finding `mentioned`: those of required concepts on pages where they meet.

    With one required concept there is no meeting; then all its hits are to be read.
    """
    if justification.finding is not Finding.MENTIONED:
        return []
    required = justification.required or tuple(justification.concept_hits)
    return hits_to_read(justification.hits, meeting_pages(justification.cooccurrences, required), required)
