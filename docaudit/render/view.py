"""What the readable reports show, worked out once: the terminal, HTML, Markdown and the annotated PDF all take it here.

Finding and strength in words, concepts and where they meet, hits to read, blind spots by kind, what a retriever missed,
facts with values, and the page map: each page as a small drawing, one path for each concept, so that the drawings of
300 pages with thousands of hits stay small.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from docaudit.codes import (
    BBox,
    BlindSpotKind,
    Code,
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
    MissedHit,
    ObligationCheck,
    PageFact,
    RetrievalCheck,
    hits_to_read,
    meeting_pages,
)
from docaudit.render.language import ENGLISH, Translator, one_line

OBLIGATION_MARKS = {
    ObligationState.UNMET: "✗",
    ObligationState.WAIVED: "~",
    ObligationState.NOT_RUN: "–",
    ObligationState.MET: "✓",
}
"""A sign for each state, in the order in which reports list them."""
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
"""How far a colour is drawn to white under text (chosen, not measured)."""
_NO_SIZE = (595.0, 842.0)
"""Points of a page whose size is not recorded: A4."""
_LONGEST = 4.0
"""A page that is longer than so many times its width is drawn as if it were not (chosen, not measured)."""

Facts = list[tuple[str, str]]
"""Names with values."""
Found = TypeVar("Found", Hit, MissedHit)


def headline(justification: AbsenceJustification, t: Translator = ENGLISH) -> str:
    """The finding as a title; waived obligations are part of it, never a footnote."""
    title = t(justification.finding.label)
    waived = [
        check.obligation.value for check in justification.obligations if check.state is ObligationState.WAIVED
    ]
    if waived and justification.finding is Finding.ABSENT:
        return t("{title}, with waived {codes}", title=title, codes=", ".join(waived))
    return title


def verdict(justification: AbsenceJustification, t: Translator = ENGLISH) -> str:
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


def obligations(justification: AbsenceJustification) -> list[ObligationCheck]:
    """The checks as reports list them: what is unmet first, what is met last."""
    order = list(OBLIGATION_MARKS)
    return sorted(justification.obligations, key=lambda check: order.index(check.state))


def obligation_counts(justification: AbsenceJustification, t: Translator = ENGLISH) -> str:
    """How many obligations are in each state; for the finding `absent` those that are met come first."""
    states = [check.state for check in justification.obligations]
    order = list(OBLIGATION_MARKS)
    if justification.finding is Finding.ABSENT:
        order = [ObligationState.MET, *order[:-1]]
    return ", ".join(
        t("{n} {state}", n=states.count(state), state=t(state.label)) for state in order if state in states
    )


def strength(justification: AbsenceJustification, t: Translator = ENGLISH) -> str:
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


def retrieval_verdict(check: RetrievalCheck, t: Translator = ENGLISH) -> str:
    """Whether the retriever missed what the sweep found, in one sentence."""
    return t(
        check.verdict.label,
        n=f"{len(check.missed):,}",
        in_text=f"{check.hits_in_text:,}",
        hits=t.ngettext("{n} hit", "{n} hits", check.hits),
        chunks=t.ngettext("{n} chunk", "{n} chunks", len(check.chunks)),
    )


def retrieval_notes(check: RetrievalCheck, t: Translator = ENGLISH) -> list[str]:
    """What else is to be known of it, a sentence each."""
    notes = []
    if check.meeting_pages:
        got = t.pages(check.meeting_pages_retrieved) or t("no page")
        where = t.pages(check.meeting_pages)
        notes.append(
            t("The required concepts meet on {where}; retrieved of these: {got}.", where=where, got=got)
        )
    if check.hits_on_page:
        hits = t.ngettext("{n} hit", "{n} hits", check.hits_on_page)
        notes.append(t("{hits}: the page was retrieved, but its text cannot be compared.", hits=hits))
    if check.chunks_not_in_document:
        strange = t.ngettext("{n} chunk", "{n} chunks", check.chunks_not_in_document)
        notes.append(
            t(
                "{chunks} without text of this document as far as it was read: of another one, or read in another way.",
                chunks=strange,
            )
        )
    return notes


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


def concept_rows(justification: AbsenceJustification) -> list[ConceptRow]:
    """One row for each concept that was searched, in the order of the concept table."""
    # A concept without an accepted variant was not searched: a 0 would say that it was.
    names = justification.concept_hits
    required = set(justification.required) or set(names)
    uncertain = Counter(h.concept for h in justification.hits if h.match_kind.is_possible)
    return [
        ConceptRow(
            name=name,
            required=name in required,
            hits=names[name],
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
    return sorted(
        groups,
        key=lambda group: (
            not group.may_hold_text,
            group.kind not in UNREAD_PAGE_KINDS,
            TextLikely.YES not in group.likely,
            -group.count,
            group.kind.value,
        ),
    )


def by_concept(hits: Iterable[Found]) -> dict[str, list[Found]]:
    """Hits under the name of their concept, in the order in which concepts first have one."""
    groups: dict[str, list[Found]] = {}
    for hit in hits:
        groups.setdefault(hit.concept, []).append(hit)
    return groups


def has_region(spot: BlindSpot) -> bool:
    """Whether a blind spot is a place on a page that can be shown and that may hold text."""
    return (
        bool(spot.page_num)
        and spot.text_likely is not TextLikely.NO
        and (spot.bbox is not None or spot.area_share == 1)
    )


def says_otherwise(hit: Hit) -> bool:
    """Whether the page writes a hit so differently that a reader needs to be told the variant."""
    variant, match = (
        "".join(letter for letter in text.casefold() if letter.isalnum())
        for text in (hit.variant, hit.match_text)
    )
    return variant != match


def heading(hit: Hit, t: Translator = ENGLISH) -> str:
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


def headings(justification: AbsenceJustification, t: Translator = ENGLISH) -> dict[tuple[int, int], str]:
    """Heading of each line that has a hit, by page and line: mentions do not carry theirs."""
    return {(hit.page_num, hit.line_num): text for hit in justification.hits if (text := heading(hit, t))}


def passages_to_read(justification: AbsenceJustification) -> list[Hit]:
    """The hits that make the finding `mentioned`: those of required concepts on pages where they meet.

    With one required concept there is no meeting; then all its hits are to be read.
    """
    if justification.finding is not Finding.MENTIONED:
        return []
    required = justification.required or tuple(justification.concept_hits)
    return hits_to_read(justification.hits, meeting_pages(justification.cooccurrences, required), required)


def option_facts(justification: AbsenceJustification, t: Translator) -> Facts:
    """Every option of the audit with its value."""
    facts = []
    for name, value in justification.options.model_dump(mode="json").items():
        if value is None or value in ([], {}):
            text = t("none")
        elif isinstance(value, list):
            text = ", ".join(map(str, value))
        elif isinstance(value, dict):
            text = "; ".join(f"{key}: {part}" for key, part in value.items())
        else:
            text = str(value)
        facts.append((name, text))
    return facts


def steps_to_check(justification: AbsenceJustification, t: Translator) -> list[tuple[str, str]]:
    """What a sceptical reader does, each with the command for it (empty: none)."""
    name = shlex.quote(one_line(justification.document.name if justification.document else ""))
    steps = {
        t(
            "The document is the one that was audited: its SHA-256 is the one given below."
        ): f"sha256sum {name}",
        t(
            "Everything can be repeated: the audit is run again with its options and compared field by field."
        ): f"docaudit verify justification.json {name}",
        t(
            "Each hit stands where it is said to: the annotated copy of the document has a bookmark for each."
        ): f"docaudit report justification.json --doc {name} --out report",
        t("The words that were looked for are the ones that the question needs: read the keyword table."): "",
    }
    # A redacted justification gets no annotated copy.
    return [(step, line) for step, line in steps.items() if not (justification.redacted and "--doc" in line)]


def worded_by(justification: AbsenceJustification, t: Translator) -> str:
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
            n=t.ngettext("{n} answer", "{n} answers", len(record.refused)),
            model=record.model,
        )
    return t("worded by the template of docaudit")


def remark_label(justification: AbsenceJustification, t: Translator) -> str:
    """Whose sentence the remark is, and what of it was checked; it stands before every remark that is shown."""
    return t(
        "Remark of the language model {model} (only its numbers and quotations were checked)",
        model=justification.explained_by.model,
    )


@dataclass(frozen=True)
class Pair:
    """Two concepts: their meetings, and the fewest words between them (None: unknown)."""

    meetings: int
    nearest: int | None


def meeting_groups(
    justification: AbsenceJustification,
) -> list[tuple[tuple[str, ...], list[tuple[int, int]]]]:
    """Meetings by the set of concepts that meet, in the order in which they first do, each as (page, words between)."""
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for meeting in justification.cooccurrences:
        places[meeting.concepts].append((meeting.page_num, meeting.distance))
    return list(places.items())


def pair_matrix(justification: AbsenceJustification, names: list[str]) -> list[list[Pair | None]]:
    """For each pair of concepts their meetings; None on the diagonal.

    Where a pair never meets, the distance is that of its nearest mentions, if they are known.
    """
    met: dict[frozenset[str], list[int]] = defaultdict(list)
    for meeting in justification.cooccurrences:
        if len(meeting.concepts) == 2:
            met[frozenset(meeting.concepts)].append(meeting.distance)
    apart: dict[frozenset[str], int] = {}
    for mention in justification.closest_mentions:
        if mention.kind == "pair" and mention.distance is not None:
            apart[frozenset(mention.concept.split(JOINER))] = round(mention.distance)

    def pair(both: frozenset[str]) -> Pair:
        return Pair(len(met[both]), min(met[both], default=apart.get(both)))

    return [[None if left == right else pair(frozenset((left, right))) for right in names] for left in names]


class CellState(Code):
    """How much of a page was read, as far as its blind spots tell."""

    READ = "read", "read"
    UNLIKELY = "unlikely", "read but for parts that hold no text"
    PARTLY = "partly", "a part was not read"
    UNREAD = "unread", "not read"


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
    hits = Counter(hit.page_num for hit in justification.hits if not hit.match_kind.is_possible)
    facts = {fact.page_num: fact for fact in justification.pages}
    shapes = []
    for page_num in range(1, justification.document.pages_total + 1 if justification.document else 1):
        fact = facts.get(page_num)
        width, height = _size(fact)
        whole = (0.0, 0.0, width, height)
        unread: list[BBox] = []
        unlikely: list[BBox] = []
        for spot in spots[page_num]:
            if fact is not None and (spot.bbox is not None or spot.area_share == 1):
                regions = unlikely if spot.text_likely is TextLikely.NO else unread
                regions.append(spot.bbox or whole)
        label = fact.page_label if fact is not None else ""
        shapes.append(
            PageShape(
                page_num=page_num,
                label="" if label == str(page_num) else label,
                state=_state(spots[page_num]),
                width=round(width),
                height=round(height),
                unread=_path(unread, width, height),
                unlikely=_path(unlikely, width, height),
                concepts={
                    number: _path(places, width, height) for number, places in sorted(boxes[page_num].items())
                },
                hits=hits[page_num],
                blind_spots=len(spots[page_num]),
            )
        )
    return shapes


def _state(spots: Sequence[BlindSpot]) -> CellState:
    if any(spot.kind in UNREAD_PAGE_KINDS for spot in spots):
        return CellState.UNREAD
    if any(spot.text_likely is not TextLikely.NO for spot in spots):
        return CellState.PARTLY
    return CellState.UNLIKELY if spots else CellState.READ


def _size(fact: PageFact | None) -> tuple[float, float]:
    if fact is None or not fact.width_pt or not fact.height_pt:
        return _NO_SIZE
    width, height = fact.width_pt, fact.height_pt
    return max(width, height / _LONGEST), max(height, width / _LONGEST)


def _path(boxes: Sequence[BBox], width: float, height: float) -> str:
    """The boxes as one path; the same box is drawn once."""
    seen: dict[str, None] = {}
    for x0, y0, x1, y1 in boxes:
        left, right = (round(min(max(side, 0), width)) for side in (x0, x1))
        top, bottom = (round(min(max(side, 0), height)) for side in (y0, y1))
        seen[f"M{left} {top}h{max(right - left, 1)}v{max(bottom - top, 1)}H{left}z"] = None
    return "".join(seen)


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
