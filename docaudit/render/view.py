"""What the readable reports show, worked out once: concepts, groups of blind spots, the strip of pages.

The terminal, HTML and later forms show the same groups and counts because they all take them from here.

Names with values, as the readable reports list them: coverage, options, and how to check a justification.

What a report says first: the finding as a title, what it means, and how strong it is.

What reports say of a retriever: the verdict as a sentence, what weakens it, and the places that it missed.

Concepts by concepts: how often each pair meets, and how near they come.

The page map of a report: each page as a small drawing, with its hits and with what was not read.

One path for each concept and page, in whole points: the drawings of 300 pages with thousands of hits stay small.

One colour for each concept, the same on the page map and in the annotated PDF.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from docaudit.codes import (
    BBox,
    BlindSpotKind,
    Finding,
    MatchKind,
    ObligationState,
    Strength,
    TextLikely,
    TextSource,
)
from docaudit.concepts.check import JOINER
from docaudit.justification import (
    AbsenceJustification,
    BlindSpot,
    Hit,
    Mention,
    MissedHit,
    PageFact,
    ParseCoverage,
    RetrievalCheck,
    hits_to_read,
    meeting_pages,
)
from docaudit.render.language import ENGLISH, Tongue, one_line

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


Facts = list[tuple[str, str]]


def coverage_facts(coverage: ParseCoverage | None, t: Tongue) -> Facts:
    """What was read, in numbers."""
    c = coverage
    if c is None:
        return []
    states = ", ".join(f"{n:,} {t(state.label)}" for state, n in c.pages_by_state.items() if n)
    images = t(
        "{n} placed: {read} read by OCR, {blank} without text, {unread} unread",
        n=f"{c.images_total:,}",
        read=f"{c.images_read:,}",
        blank=f"{c.images_without_text:,}",
        unread=f"{c.images_unread:,}",
    )
    return [
        (t("Pages"), _pages(c, t)),
        (t("Pages by state"), states),
        (t("Ink under text that was read"), t.share(c.ink_read_share)),
        (t("Images"), images),
        (t("Contents entries"), f"{c.toc_entries:,}"),
        (t("Cross-references"), f"{c.cross_refs_total:,}"),
        (t("Named objects (figures, tables, annexes)"), f"{c.objects_registered:,}"),
        (t("Words that only the second reader saw"), t.number(c.words_second_reader_only)),
        (t("Words that the second reader did not see"), t.number(c.words_first_reader_only)),
    ]


def _pages(c: ParseCoverage, t: Tongue) -> str:
    total, with_text, alone = f"{c.pages_total:,}", f"{c.pages_with_text:,}", c.pages_by_ocr_alone
    if alone is None:
        return t("{total}, of which {n} with a text layer", total=total, n=with_text)
    return t(
        "{total}, of which {n} with a text layer and {m} read by OCR alone",
        total=total,
        n=with_text,
        m=f"{alone:,}",
    )


def coverage_lists(coverage: ParseCoverage | None, t: Tongue) -> Facts:
    """What does not fit together in the document."""
    c = coverage
    if c is None:
        return []

    def listed(values: tuple[str, ...]) -> str:
        return "; ".join(values) or t("none")

    return [
        (t("Unresolved cross-references"), listed(c.unresolved_cross_refs)),
        (t("References to other documents"), listed(c.external_refs)),
        (t("Gaps in page labels"), listed(c.page_label_gaps)),
        (t("Pages whose printed number is not their label"), listed(c.page_label_mismatches)),
        (t("Gaps in numbers of figures, tables and the like"), listed(c.number_gaps)),
        (t("Contents entries not on their page"), listed(c.contents_not_found)),
        (t("Pages with warnings of the engine"), t.ranges(c.pages_with_warnings) or t("none")),
        (t("Pages that readers read differently"), t.ranges(c.pages_readers_disagree) or t("none")),
    ]


def option_facts(justification: AbsenceJustification, t: Tongue) -> Facts:
    """Every option of the audit with its value."""
    options = justification.options.model_dump(mode="json")
    return [(name, _option(value, t)) for name, value in options.items()]


def _option(value: object, t: Tongue) -> str:
    if value is None or value in ([], {}):
        return t("none")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text}" for key, text in value.items())
    return str(value)


def steps_to_check(justification: AbsenceJustification, t: Tongue) -> list[tuple[str, str]]:
    """What a sceptical reader does, each with the command for it (empty: none)."""
    name = shlex.quote(one_line(justification.document.name if justification.document else ""))
    steps = [
        (
            t("The document is the one that was audited: its SHA-256 is the one given below."),
            f"sha256sum {name}",
        ),
        (
            t(
                "Everything can be repeated: the audit is run again with its options and compared field by field."
            ),
            f"docaudit verify justification.json {name}",
        ),
    ]
    if not justification.redacted:
        steps.append(
            (
                t(
                    "Each hit stands where it is said to: the annotated copy of the document has a bookmark for each."
                ),
                f"docaudit report justification.json --doc {name} --out report",
            )
        )
    steps.append(
        (
            t("The words that were looked for are the ones that the question needs: read the keyword table."),
            "",
        )
    )
    return steps


def worded_by(justification: AbsenceJustification, t: Tongue) -> str:
    """Who worded the explanation, and what a language model that was asked had to do with the rest."""
    record = justification.explained_by
    if record.method == "model":
        return t(
            "worded by the template of docaudit; the language model {model} chose reason and mentions",
            model=record.model,
        )
    if record.model:
        return t(
            "worded by the template of docaudit: {n} of the language model {model} did not hold",
            n=t.count(len(record.refused), "answer"),
            model=record.model,
        )
    return t("worded by the template of docaudit")


def remark_label(justification: AbsenceJustification, t: Tongue) -> str:
    """Whose sentence the remark is, and what of it was checked; it stands before every remark that is shown."""
    return t(
        "Remark of the language model {model} (only its numbers and quotations were checked)",
        model=justification.explained_by.model,
    )


STATE_ORDER = (
    ObligationState.UNMET,
    ObligationState.WAIVED,
    ObligationState.NOT_RUN,
    ObligationState.MET,
)


def headline(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """The finding as a title; waived obligations are part of it, never a footnote."""
    title = t(justification.finding.label)
    waived = [
        check.obligation.value for check in justification.obligations if check.state is ObligationState.WAIVED
    ]
    if waived and justification.finding is Finding.ABSENT:
        return t("{title}, with waived {codes}", title=title, codes=", ".join(waived))
    return title


def verdict(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """What the finding means for the reader, in one sentence."""
    if justification.finding is Finding.MENTIONED:
        return t("The document mentions this: absence cannot be claimed. Read the passages below.")
    if justification.finding is Finding.NOT_ESTABLISHED:
        count = len(justification.unmet)
        if count == 1:
            return t(
                "Not found in what could be read, but an obligation is unmet: this does not show that it is absent."
            )
        return t(
            "Not found in what could be read, but {n} obligations are unmet: this does not show that it is absent.",
            n=count,
        )
    states = [check.state for check in justification.obligations]
    kept = states.count(ObligationState.MET)
    if kept == len(states):
        return t("Not found, and all {n} obligations are met.", n=kept)
    return t("Not found, and no obligation is unmet ({counts}).", counts=obligation_counts(justification, t))


def obligation_counts(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """How many obligations are in each state; for the finding `absent` those that are met come first."""
    states = [check.state for check in justification.obligations]
    order = (
        STATE_ORDER if justification.finding is not Finding.ABSENT else STATE_ORDER[-1:] + STATE_ORDER[:-1]
    )
    return ", ".join(
        t("{n} {state}", n=states.count(state), state=t(state.label)) for state in order if state in states
    )


def strength(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """Why the strength is what it is; unmet obligations can hold it below what the hits alone would give."""
    required = justification.required or tuple(justification.concept_hits)
    none_found = any(not justification.concept_hits.get(concept) for concept in required)
    capped = (none_found and justification.strength is not Strength.STRONG) or (
        justification.strength is Strength.WEAK and justification.finding is not Finding.MENTIONED
    )
    if not capped:
        return t(justification.strength.label)
    why = (Strength.STRONG if none_found else Strength.MODERATE).label
    if justification.unmet:
        return t("{why}, but obligations are unmet", why=t(why))
    return t("{why}, but obligations are waived", why=t(why))


def retrieval_verdict(check: RetrievalCheck, t: Tongue = ENGLISH) -> str:
    """Whether the retriever missed what the sweep found, in one sentence."""
    return t(
        check.verdict.label,
        n=f"{len(check.missed):,}",
        in_text=f"{check.hits_in_text:,}",
        hits=t.count(check.hits, "hit"),
        chunks=t.count(len(check.chunks), "chunk"),
    )


def retrieval_notes(check: RetrievalCheck, t: Tongue = ENGLISH) -> list[str]:
    """What else is to be known of it, a sentence each."""
    notes = []
    if check.meeting_pages:
        got = t.pages(check.meeting_pages_retrieved) or t("no page")
        where = t.pages(check.meeting_pages)
        notes.append(
            t("The required concepts meet on {where}; retrieved of these: {got}.", where=where, got=got)
        )
    if check.hits_on_page:
        hits = t.count(check.hits_on_page, "hit")
        notes.append(t("{hits}: the page was retrieved, but its text cannot be compared.", hits=hits))
    if check.chunks_not_in_document:
        strange = t.count(check.chunks_not_in_document, "chunk")
        notes.append(
            t(
                "{chunks} without text of this document as far as it was read: of another one, or read in another way.",
                chunks=strange,
            )
        )
    return notes


def missed_by_concept(check: RetrievalCheck) -> list[tuple[str, Sequence[MissedHit]]]:
    """The hits that were missed, under the name of their concept."""
    found: dict[str, list[MissedHit]] = {}
    for hit in check.missed:
        found.setdefault(hit.concept, []).append(hit)
    return list(found.items())


@dataclass(frozen=True)
class Pair:
    """Two concepts: their meetings, the fewest words between them (None: unknown), and the pages where they meet."""

    meetings: int
    nearest: int | None
    pages: tuple[int, ...]


@dataclass(frozen=True)
class MeetingGroup:
    """All meetings of one set of concepts: places are (page, words between)."""

    concepts: tuple[str, ...]
    scope: str
    places: tuple[tuple[int, int], ...]


def meeting_groups(justification: AbsenceJustification) -> list[MeetingGroup]:
    """Meetings by the set of concepts that meet, in the order in which they first do."""
    places: dict[tuple[tuple[str, ...], str], list[tuple[int, int]]] = defaultdict(list)
    for meeting in justification.cooccurrences:
        places[meeting.concepts, meeting.scope].append((meeting.page_num, meeting.distance))
    return [MeetingGroup(names, scope, tuple(found)) for (names, scope), found in places.items()]


def pair_matrix(justification: AbsenceJustification, names: list[str]) -> list[list[Pair | None]]:
    """For each pair of concepts their meetings; None on the diagonal.

    Where a pair never meets, the distance is that of its nearest mentions, if they are known.
    """
    met: dict[frozenset[str], list[tuple[int, int]]] = defaultdict(list)
    for meeting in justification.cooccurrences:
        if len(meeting.concepts) == 2:
            met[frozenset(meeting.concepts)].append((meeting.page_num, meeting.distance))
    apart: dict[frozenset[str], int] = {}
    for mention in justification.closest_mentions:
        if mention.kind == "pair" and mention.distance is not None:
            apart[frozenset(mention.concept.split(JOINER))] = round(mention.distance)

    def pair(one: str, other: str) -> Pair:
        places = met.get(frozenset((one, other)), [])
        nearest = min((distance for _, distance in places), default=apart.get(frozenset((one, other))))
        return Pair(len(places), nearest, tuple(sorted({page for page, _ in places})))

    return [[None if one == other else pair(one, other) for other in names] for one in names]


_NO_SIZE = (595.0, 842.0)
_LONGEST = 4.0
"""A page that is longer than so many times its width is drawn as if it were not."""


@dataclass(frozen=True)
class PageShape:
    """One page of the map.

    Attributes:
        page_num: 1-based physical page.
        label: Its page label, empty if it has none or if it is its number.
        state: How much of it was read.
        width: Width of the drawing in points.
        height: Height of the drawing in points.
        unread: Path around regions that were not read and may hold text; empty if there are none.
        unlikely: Path around regions that were not read and hold no text.
        concepts: Number of the concept -> path around its hits.
        hits: How many hits the page has.
        blind_spots: How many blind spots.
    """

    page_num: int
    label: str
    state: CellState
    width: int
    height: int
    unread: str
    unlikely: str
    concepts: Mapping[int, str]
    hits: int
    blind_spots: int


def page_shapes(justification: AbsenceJustification, numbers: Mapping[str, int]) -> list[PageShape]:
    """The drawing of every page; `numbers` gives each concept the number of its colour."""
    spots: dict[int, list[BlindSpot]] = defaultdict(list)
    for spot in justification.blind_spots:
        spots[spot.page_num].append(spot)
    boxes: dict[int, dict[int, list[BBox]]] = defaultdict(lambda: defaultdict(list))
    for hit in justification.hits:
        if hit.bbox is not None and not hit.part and not hit.match_kind.is_possible:
            boxes[hit.page_num][numbers[hit.concept]].append(hit.bbox)
    facts = {fact.page_num: fact for fact in justification.pages}
    shapes = []
    for cell in page_cells(justification):
        fact = facts.get(cell.page_num)
        width, height = _size(fact)
        here = spots[cell.page_num] if fact is not None else []
        unread = [spot for spot in here if spot.text_likely is not TextLikely.NO]
        others = [spot for spot in here if spot.text_likely is TextLikely.NO]
        label = fact.page_label if fact is not None else ""
        shapes.append(
            PageShape(
                page_num=cell.page_num,
                label="" if label == str(cell.page_num) else label,
                state=cell.state,
                width=round(width),
                height=round(height),
                unread=_path(_regions(unread, width, height), width, height),
                unlikely=_path(_regions(others, width, height), width, height),
                concepts={
                    number: _path(found, width, height)
                    for number, found in sorted(boxes[cell.page_num].items())
                },
                hits=cell.hits,
                blind_spots=cell.blind_spots,
            )
        )
    return shapes


def _size(fact: PageFact | None) -> tuple[float, float]:
    if fact is None or not fact.width_pt or not fact.height_pt:
        return _NO_SIZE
    width, height = fact.width_pt, fact.height_pt
    return max(width, height / _LONGEST), max(height, width / _LONGEST)


def _regions(spots: Iterable[BlindSpot], width: float, height: float) -> list[BBox]:
    whole = (0.0, 0.0, width, height)
    return [spot.bbox or whole for spot in spots if spot.bbox is not None or spot.area_share == 1]


def _path(boxes: Sequence[BBox], width: float, height: float) -> str:
    """The boxes as one path; the same box is drawn once."""
    seen: dict[str, None] = {}
    for x0, y0, x1, y1 in boxes:
        left, right = (round(min(max(side, 0), width)) for side in (x0, x1))
        top, bottom = (round(min(max(side, 0), height)) for side in (y0, y1))
        seen[f"M{left} {top}h{max(right - left, 1)}v{max(bottom - top, 1)}H{left}z"] = None
    return "".join(seen)


PALETTE = (
    "#1f5fa8",  # blue
    "#1b7f4d",  # green
    "#7b3fa0",  # purple
    "#b45f06",  # orange
    "#00798c",  # teal
    "#b5347a",  # pink
    "#6b7000",  # olive
    "#7a4a2b",  # brown
)
UNREAD = "#a3211d"
_WHITE_SHARE = 0.45


def colour(number: int) -> str:
    """The colour of the n-th concept as #rrggbb; after the last the first comes again."""
    return PALETTE[number % len(PALETTE)]


def rgb(code: str) -> tuple[float, float, float]:
    """A colour as shares of red, green and blue.

    >>> rgb("#ff0000")
    (1.0, 0.0, 0.0)
    """
    red, green, blue = (round(int(code[place : place + 2], 16) / 255, 3) for place in (1, 3, 5))
    return red, green, blue


def highlighter(code: str) -> tuple[float, float, float]:
    """The same hue so light that text under it can be read."""
    red, green, blue = (round(part + (1 - part) * _WHITE_SHARE, 3) for part in rgb(code))
    return red, green, blue
