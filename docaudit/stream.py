"""The words of a document in one stream, and where hits stand in it: what meetings and nearest pairs measure along."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from docaudit.errors import TableContractError
from docaudit.location import DOCUMENT_PAGE, POSSIBLE_KINDS, TextSource
from docaudit.vocabulary import words_in_lines
from docaudit.wordforms import WORD

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
    """Lines of a document with the number of their first word.

    Attributes:
        order: Pages and lines in the order of reading.
        first_word: Number of the first word of each line.
        text: Text of each line.
        block: Block of each line.
        inside: Attachment and page of it, of each line that stands in one.
    """

    order: tuple[Place, ...]
    first_word: dict[Place, int]
    text: dict[Place, str]
    block: dict[Place, int]
    inside: dict[Place, tuple[str, int]]

    def word_from(self, place: Place, char: int) -> int:
        """Number of the word in which a character of a line stands, or of the next one."""
        return self.first_word[place] + sum(
            1 for word in WORD.finditer(self.text[place]) if word.end() <= char
        )

    def word_after(self, place: Place, char: int) -> int:
        """Number of the word after the one that ends at or goes beyond a character of a line."""
        return self.first_word[place] + sum(
            1 for word in WORD.finditer(self.text[place]) if word.start() < char
        )


def build_stream(line_df: pd.DataFrame) -> Stream:
    """The stream of all lines: pages in order, lines of a page in order.

    Document-wide lines are far from all else, and so is each attachment as a whole.
    """
    counted_df = line_df.assign(words=words_in_lines(line_df))
    ordered = counted_df.sort_values(["page_num", "line_num"], kind="stable")
    names = ("page_num", "line_num", "text", "block_num", "source", "part", "part_page", "words")
    columns = [ordered[name].tolist() for name in names]
    order: list[Place] = []
    first_word: dict[Place, int] = {}
    text: dict[Place, str] = {}
    block: dict[Place, int] = {}
    inside: dict[Place, tuple[str, int]] = {}
    at, apart, in_part, part_before = 0, 0, 0, ""
    for page, line, content, block_num, source, part, part_page, words in zip(*columns, strict=True):
        place = (int(page), int(line))
        if place in text:
            raise TableContractError(f"line_df: page {page} has line {line} twice", remedy="number its lines")
        order.append(place)
        text[place], block[place] = str(content), int(block_num)
        if part and source == TextSource.ATTACHMENT.value:
            inside[place] = (str(part), int(part_page))
            if part != part_before:
                apart, part_before = apart - FAR, str(part)
                in_part = apart
            first_word[place] = in_part
            in_part += words
            continue
        if place[0] == DOCUMENT_PAGE:
            apart -= FAR
            first_word[place] = apart
            continue
        first_word[place] = at
        if source in _RUNNING:
            at += words
    return Stream(tuple(order), first_word, text, block, inside)


def counted(hit_df: pd.DataFrame) -> pd.DataFrame:
    """The hits that count; what only may be a hit is listed elsewhere and prove neither a hit nor its lack."""
    return hit_df[~hit_df["match_kind"].isin(POSSIBLE_KINDS)]


def occurrences(hit_df: pd.DataFrame, stream: Stream) -> list[Occurrence]:
    """The counted hits in the order of the stream; raises TableContractError for a hit on a line that is not there."""
    found: list[Occurrence] = []
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
    columns = [hit_df[name].tolist() for name in names]
    for row, (concept, page, line, start, page_end, line_end, end, kind) in enumerate(
        zip(*columns, strict=True)
    ):
        if kind in POSSIBLE_KINDS:
            continue  # listed with the hits, but no evidence of a meeting
        first, last = (int(page), int(line)), (int(page_end), int(line_end))
        if first not in stream.text or last not in stream.text:
            raise TableContractError(
                f"hit_df: a hit of '{concept}' stands on page {page}, line {line}, which line_df does not have",
                remedy="pass the line_df that was swept",
            )
        begin = stream.word_from(first, int(start))
        stop = max(begin + 1, stream.word_after(last, int(end)))
        places = (first,) if first == last else (first, last)
        chars = (int(start),) if first == last else (int(start), max(int(end) - 1, 0))
        found.append(Occurrence(row, str(concept), begin, stop, first, places, chars))
    return sorted(found, key=lambda hit: (hit.start, hit.end, hit.row))


def gap(one: Occurrence, other: Occurrence) -> int:
    """Words between two hits; 0 if they touch or overlap."""
    return max(0, max(one.start, other.start) - min(one.end, other.end))


def closest_pair(one: list[Occurrence], other: list[Occurrence]) -> tuple[Occurrence, Occurrence]:
    """The two mentions with the fewest words between them, in one walk along the stream."""
    best: tuple[Occurrence, Occurrence] | None = None
    reach: dict[int, Occurrence] = {}
    for side, hit in sorted([(0, h) for h in one] + [(1, h) for h in other], key=lambda item: item[1].start):
        before = reach.get(1 - side)
        if before is not None and (best is None or gap(before, hit) < gap(*best)):
            best = (before, hit)
        if side not in reach or hit.end >= reach[side].end:
            reach[side] = hit
    assert best is not None, "both lists have a mention"
    return best
