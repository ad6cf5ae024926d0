"""Concepts by concepts: how often each pair meets, and how near they come."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from docaudit.concept_table.cells import JOINER
from docaudit.justification import AbsenceJustification


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
