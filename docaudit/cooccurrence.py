"""Hits and lines in, cooccurrence_df out: where concepts meet in a line, sentence, paragraph, section, page or window.

A phrase that begins on one page and ends on the next belongs to both. Text that belongs to no page (metadata,
bookmarks) meets only within its own line, as its lines have no neighbours that a reader would see. The pages of an
attachment are pages of their own, wherever the attachment is pinned. Meetings and nearest pairs are measured along the
words of the document in one stream.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from docaudit.codes import DOCUMENT_PAGE, POSSIBLE_KINDS, TextSource
from docaudit.concepts.check import JOINER
from docaudit.concepts.model import ConceptTable
from docaudit.errors import TableContractError
from docaudit.options import Scope
from docaudit.tables import COOCCURRENCE_DF, HIT_DF, LINE_DF, Line, lines_of, rows_of
from docaudit.text.vocabulary import words_in_lines
from docaudit.text.words import WORD, sentence_at, sentence_starts

_RUNNING = frozenset({TextSource.TEXT_LAYER, TextSource.OCR})
"""Sources whose words count in the stream; other text (a comment, a second reading) lies beside it."""
FAR = 10**9
"""Words between lines that belong to no page: farther than any window."""

Place = tuple[int, int]
"""page_num, line_num."""


@dataclass(frozen=True)
class Occurrence:
    """A counted hit in the stream.

    Attributes:
        row: Position of the hit in hit_df.
        concept: Its concept.
        start: Number of its first word in the stream.
        end: Number of the word after its last.
        first: Page and line where it begins.
        places: The lines on which it begins and ends; what lies between them on the page need not be part of it.
        chars: The character with which it begins on the first of them, and with which it ends on the last.
    """

    row: int
    concept: str
    start: int
    end: int
    first: Place
    places: tuple[Place, ...]
    chars: tuple[int, ...]


@dataclass(frozen=True)
class Stream:
    """Lines of a document in the order of reading, with the number of their first word.

    Attributes:
        lines: Each line by page_num and line_num.
        first_word: Number of the first word of each line.
    """

    lines: dict[Place, Line]
    first_word: dict[Place, int]

    def word_from(self, place: Place, char: int) -> int:
        """Number of the word in which a character of a line stands, or of the next one."""
        before = sum(word.end() <= char for word in WORD.finditer(self.lines[place].text))
        return self.first_word[place] + before

    def word_after(self, place: Place, char: int) -> int:
        """Number of the word after the one that ends at or goes beyond a character of a line."""
        before = sum(word.start() < char for word in WORD.finditer(self.lines[place].text))
        return self.first_word[place] + before


def build_stream(line_df: pd.DataFrame) -> Stream:
    """The stream of all lines: pages in order, lines of a page in order.

    Document-wide lines are far from all else, and so is each attachment as a whole.
    """
    counted_lines = zip(lines_of(line_df), words_in_lines(line_df), strict=True)
    lines: dict[Place, Line] = {}
    first_word: dict[Place, int] = {}
    at, apart, in_part, part_before = 0, 0, 0, ""
    for line, word_count in sorted(counted_lines, key=lambda counted: counted[0][:2]):
        place = (line.page_num, line.line_num)
        if place in lines:
            page, number = place
            raise TableContractError(
                f"line_df: page {page} has line {number} twice", remedy="number its lines"
            )
        lines[place] = line
        if _is_attached(line):
            if line.part != part_before:
                apart, part_before = apart - FAR, line.part
                in_part = apart
            first_word[place] = in_part
            in_part += word_count
        elif line.page_num == DOCUMENT_PAGE:
            apart -= FAR
            first_word[place] = apart
        else:
            first_word[place] = at
            at += word_count if line.source in _RUNNING else 0
    return Stream(lines, first_word)


def _is_attached(line: Line) -> bool:
    return bool(line.part) and line.source == TextSource.ATTACHMENT.value


def occurrences(hit_df: pd.DataFrame, stream: Stream) -> list[Occurrence]:
    """The counted hits in the order of the stream; raises TableContractError for a hit on a line that is not there."""
    listed: list[Occurrence] = []
    names = (
        "concept",
        "page_num",
        "line_num",
        "char_start",
        "page_end",
        "line_end",
        "char_end",
        "match_kind",
    )
    for row, (concept, page, line, start, page_end, line_end, end, kind) in enumerate(
        rows_of(hit_df, *names)
    ):
        if kind in POSSIBLE_KINDS:
            continue  # listed with the hits, but no evidence of a meeting
        first, last = (page, line), (page_end, line_end)
        if first not in stream.lines or last not in stream.lines:
            raise TableContractError(
                f"hit_df: a hit of '{concept}' stands on page {page}, line {line}, which line_df does not have",
                remedy="pass the line_df that was swept",
            )
        begin = stream.word_from(first, start)
        stop = max(begin + 1, stream.word_after(last, end))
        places = (first,) if first == last else (first, last)
        chars = (start,) if first == last else (start, max(end - 1, 0))
        listed.append(Occurrence(row, str(concept), begin, stop, first, places, chars))
    return sorted(listed, key=lambda hit: (hit.start, hit.end, hit.row))


def gap(first: Occurrence, second: Occurrence) -> int:
    """Words between two hits; 0 if they touch or overlap."""
    return max(0, max(first.start, second.start) - min(first.end, second.end))


def closest_pair(left: list[Occurrence], right: list[Occurrence]) -> tuple[Occurrence, Occurrence]:
    """The two mentions with the fewest words between them, in one walk along the stream."""
    best: tuple[Occurrence, Occurrence] | None = None
    reach: dict[int, Occurrence] = {}
    for side, hit in sorted([(0, h) for h in left] + [(1, h) for h in right], key=lambda item: item[1].start):
        before = reach.get(1 - side)
        if before is not None and (best is None or gap(before, hit) < gap(*best)):
            best = (before, hit)
        if side not in reach or hit.end >= reach[side].end:
            reach[side] = hit
    assert best is not None, "both lists have a mention"
    return best


Mentions = dict[str, list[Occurrence]]


def find_meetings(
    hit_df: pd.DataFrame,
    line_df: pd.DataFrame,
    table: ConceptTable | Sequence[str],
    *,
    scope: Scope = "page",
    window_words: int = 50,
    required: Sequence[str] = (),
    toc_df: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Every meeting of every pair of concepts, and of the whole required set, as COOCCURRENCE_DF.

    Args:
        hit_df: Hits of the sweep; possible ones (accents_differ, ocr_fuzzy) are left out.
        line_df: The lines that were swept.
        table: The concept table, or names of concepts in order.
        scope: Where concepts must meet.
        window_words: Size of the window when scope is window: first and last word of the mentions included.
        toc_df: Contents, for the scope section. A page on which a section begins belongs to the one before as well, and
            a document without contents is one section: concepts are never kept apart by what is not known.
        required: The set that must meet; empty means all concepts of the table that are searched.

    Columns: concepts (joined by ' + ' in the order of the table), scope, page_num, line_num (where the first mention
    begins), distance (words between the nearest mentions; for a set the widest of its pairs). Raises
    TableContractError if a hit stands on a line that line_df does not have.
    """
    HIT_DF.check(hit_df)
    LINE_DF.check(line_df)
    order = table.active_concepts if isinstance(table, ConceptTable) else tuple(table)
    whole = tuple(name for name in order if name in required) if required else order
    if hit_df.empty:
        return COOCCURRENCE_DF.empty()
    stream = build_stream(line_df)
    hits = occurrences(hit_df, stream)
    rank = {name: n for n, name in enumerate(order)}
    rows: list[dict[str, Any]] = []
    if scope == "window":
        present = _by_concept(hits, order)
        for group in _groups(present, whole):
            rows += [_row(group, scope, met) for met in _windows(present, group, window_words)]
    else:
        units_of = _unit_rule(stream, scope, toc_df)
        units: dict[Unit, list[Occurrence]] = defaultdict(list)
        for hit in hits:  # one that begins in one unit and ends in another belongs to both
            ends = zip(hit.places, hit.chars, strict=True)
            for unit in {unit for place, char in ends for unit in units_of(place, char)}:
                units[unit].append(hit)
        for members in units.values():
            present = _by_concept(members, order)
            rows += [_row(group, scope, _nearest(present, group)) for group in _groups(present, whole)]
    rows.sort(
        key=lambda row: (row["page_num"], row["line_num"], [rank[c] for c in row["group"]], row["distance"])
    )
    return COOCCURRENCE_DF.build(rows)


def _by_concept(hits: Iterable[Occurrence], order: Sequence[str]) -> Mentions:
    mentions: Mentions = {name: [] for name in order}
    for hit in hits:
        if hit.concept in mentions:
            mentions[hit.concept].append(hit)
    return {name: hits_of_it for name, hits_of_it in mentions.items() if hits_of_it}


def _groups(present: Mentions, whole: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every pair that is present, and the whole set if it has more than two and all are present."""
    yield from combinations(present, 2)
    if len(whole) > 2 and all(name in present for name in whole):
        yield whole


Unit = tuple[object, ...]
UnitRule = Callable[[Place, int], Iterable[Unit]]
"""The units in which a character of a line stands: mostly one."""


def _unit_rule(stream: Stream, scope: Scope, toc_df: pd.DataFrame | None) -> UnitRule:
    """How to tell the units of a scope; text that belongs to no page meets only within its own line."""
    rule = _page_rule(stream, scope, toc_df)

    def units(place: Place, char: int) -> Iterable[Unit]:
        line = stream.lines[place]
        if not _is_attached(line):
            return [("line", *place)] if line.page_num == DOCUMENT_PAGE else rule(place, char)
        if scope in ("line", "sentence"):
            return rule(place, char)
        if scope == "section":
            return [("attachment", line.part)]  # whatever its own contents say
        page = (line.part, line.part_page)
        return [page if scope == "page" else (*page, line.block_num or place)]

    return units


def _page_rule(stream: Stream, scope: Scope, toc_df: pd.DataFrame | None) -> UnitRule:
    if scope == "line":
        return lambda place, _: [("line", *place)]
    if scope == "page":
        return lambda place, _: [("page", place[0])]
    if scope == "sentence":
        starts = sentence_starts((place, line.text, line.block_num) for place, line in stream.lines.items())
        return lambda place, char: [("sentence", sentence_at(starts, place, char))]
    if scope == "section":
        # Pages on which entries begin, in order; what stands before the first is a section too.
        begins = [] if toc_df is None else sorted(int(page) for page in toc_df["page_num"] if page > 0)
        return lambda place, _: [
            ("section", number)
            for number in range(bisect_left(begins, place[0]), bisect_right(begins, place[0]) + 1)
        ]
    # A paragraph; a line without a block is one of its own.
    return lambda place, _: [
        ("block", place[0], block) if (block := stream.lines[place].block_num) else ("line", *place)
    ]


def _nearest(present: Mentions, group: tuple[str, ...]) -> tuple[Occurrence, int]:
    """The first mention that takes part, and the widest of the nearest distances of all pairs."""
    pairs = [closest_pair(present[a], present[b]) for a, b in combinations(group, 2)]
    widest = max(pairs, key=lambda pair: gap(*pair))
    return min((hit for pair in pairs for hit in pair), key=lambda hit: hit.first), gap(*widest)


def _windows(present: Mentions, group: tuple[str, ...], size: int) -> Iterator[tuple[Occurrence, int]]:
    """Every smallest stretch of the stream with a mention of each, if it is no longer than the window."""
    hits = sorted((hit for name in group for hit in present[name]), key=lambda hit: hit.end)
    last: dict[str, Occurrence] = {}
    shown: tuple[Occurrence, ...] | None = None
    for hit in hits:
        held = last.get(hit.concept)
        if held is None or hit.start >= held.start:
            last[hit.concept] = hit
        if len(last) < len(group):
            continue  # not yet a mention of each
        together = tuple(last[name] for name in group)
        first = min(together, key=lambda part: part.start)
        # The mention just reached must close the stretch; otherwise the same stretch was shown already.
        if together != shown and hit in together and hit.end - first.start <= size:
            shown = together
            chosen = {name: [part] for name, part in zip(group, together, strict=True)}
            yield _nearest(chosen, group)


def _row(group: tuple[str, ...], scope: Scope, met: tuple[Occurrence, int]) -> dict[str, Any]:
    first, distance = met
    page, line = first.first
    return {
        "concepts": JOINER.join(group),
        "group": group,
        "scope": scope,
        "page_num": page,
        "line_num": line,
        "distance": distance,
    }
