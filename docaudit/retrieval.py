"""Hits and retrieved chunks in, a RetrievalCheck out: what of the hits of required concepts did a retriever miss?

A hit is retrieved by text if the place where it stands is part of a chunk. Only where a chunk cannot be laid over the
document letter for letter (no text, another reading, a summary) does its page count, and then as the weaker claim.

Other programs break lines, join hyphens and order columns in other ways, and cut chunks in mid-sentence. So letters are
compared without blanks and signs, folded as the sweep folds them, in runs: a run is a stretch of the chunk that stands
in the document letter for letter. A short run proves nothing (every document has "of the market for"), so it takes
MIN_RUN letters, or the whole chunk.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import regex
from pydantic import ValidationError

from docaudit.codes import ChunkPlace
from docaudit.document import hits, meetings
from docaudit.errors import RetrievalError
from docaudit.justification import (
    ChunkFact,
    Hit,
    Meeting,
    MissedHit,
    RetrievalCheck,
    RetrievedChunk,
    hits_to_read,
    meeting_pages,
    verdict_of,
)
from docaudit.tables import rows_of
from docaudit.text.folding import fold

MIN_RUN = 24
"""Letters of a run that counts, about five English words; of Chinese, Japanese and Korean signs half as many."""
MOST_PLACES = 1000
"""A passage that stands in more places than these (a running footer) is looked for in the first so many."""
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def letters(text: str) -> str:
    r"""Letters and digits of a text, folded.

    >>> letters("Elec\u00adtri-\ncity: 7\u00a0TWh")
    'electricity7twh'
    """
    return "".join(filter(str.isalnum, fold(text)))


def least_run(chunk: str) -> int:
    """Letters that a run of this chunk must have, unless it is the whole chunk."""
    dense = 2 * len(_DENSE.findall(chunk)) > len(chunk)
    return MIN_RUN // 2 if dense else MIN_RUN


@dataclass(frozen=True)
class ChunkRun:
    """A stretch of a chunk that stands in the document.

    Attributes:
        start: Its first letter in the chunk.
        at: Its first letter in the document.
        length: Its letters.
    """

    start: int
    at: int
    length: int

    @property
    def end(self) -> int:
        """The letter of the document after its last."""
        return self.at + self.length


class DocumentLetters:
    """The letters of all lines of a document in one row, and the line of each.

    Attributes:
        text: All letters, pages and lines in order.
        places: page_num and line_num of each line.
    """

    def __init__(self, line_df: pd.DataFrame) -> None:
        ordered = line_df.sort_values(["page_num", "line_num"], kind="stable")
        self.places: list[tuple[int, int]] = []
        self._verbatim: list[str] = []
        self._starts: list[int] = []
        parts: list[str] = []
        at = 0
        for page, line, text in rows_of(ordered, "page_num", "line_num", "text"):
            self.places.append((int(page), int(line)))
            self._verbatim.append(str(text))
            self._starts.append(at)
            parts.append(letters(str(text)))
            at += len(parts[-1])
        self.text = "".join(parts)
        self._index = {place: number for number, place in enumerate(self.places)}

    def offset(self, place: tuple[int, int], char: int) -> int:
        """Letters of the document before a character of a line."""
        number = self._index[place]
        return self._starts[number] + len(letters(self._verbatim[number][:char]))

    def line_end(self, place: tuple[int, int]) -> int:
        """Letters of the document up to the end of a line."""
        return self.offset(place, len(self._verbatim[self._index[place]]))

    def lines_of(self, run: ChunkRun) -> range:
        """Numbers of the lines in which a run stands."""
        first = bisect_right(self._starts, run.at) - 1
        return range(first, bisect_right(self._starts, run.end - 1, lo=first))

    def pages_of(self, run: ChunkRun) -> set[int]:
        """Pages on which a run stands."""
        return {self.places[number][0] for number in self.lines_of(run)}

    def verbatim(self, run: ChunkRun) -> str:
        """The lines in which a run stands, as they are on the page; those without a letter are left out."""
        lines = (self._verbatim[number] for number in self.lines_of(run))
        return "\n".join(line for line in lines if line.strip())

    def runs(self, chunk: str) -> list[ChunkRun]:
        """Every run of a chunk (its letters) in the document, in the order of the chunk; each place once."""
        # Only here: an audit without chunks need not load it.
        from rapidfuzz.distance import Postfix, Prefix

        if not chunk:
            return []
        least = least_run(chunk)
        if len(chunk) < least:
            return [ChunkRun(0, at, len(chunk)) for at in self._occurrences(chunk)]
        # A run of at least 2 s - 1 letters holds one of the blocks of s letters into which the chunk is cut.
        size = least // 2
        runs: list[ChunkRun] = []
        done: dict[int, int] = {}
        """End of the last run in the chunk, by where the chunk would begin in the document."""
        for start in range(0, len(chunk) - size + 1, size):
            for at in self._occurrences(chunk[start : start + size]):
                if start < done.get(at - start, 0):
                    continue
                ahead = self.text[max(at - start, 0) : at]
                before = Postfix.similarity(chunk[:start], ahead)
                length = before + Prefix.similarity(chunk[start:], self.text[at : at + len(chunk) - start])
                done[at - start] = start - before + length
                if length >= least:
                    runs.append(ChunkRun(start - before, at - before, length))
        return sorted(runs, key=lambda run: (run.start, run.at))

    def _occurrences(self, part: str) -> Iterator[int]:
        at = self.text.find(part)
        for _ in range(MOST_PLACES):
            if at < 0:
                return
            yield at
            at = self.text.find(part, at + 1)


def covered(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans joined where they touch or overlap.

    >>> covered([(4, 6), (0, 2), (5, 9), (2, 3)])
    [(0, 3), (4, 9)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


_WORD = re.compile(r"\w+")
LEAST_SHARE = 0.25
"""A chunk of whose letters fewer are found is no text of the document: other documents share a phrase or two, too."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Passage:
    """A passage of a chunk as it stands in the document: whole lines, verbatim."""

    page_num: int
    line_num: int
    text: str
    chunk: int


@dataclass(frozen=True)
class _Located:
    """A chunk laid over the document; `spans` are empty where its place is a guess."""

    letters: str
    pages: frozenset[int]
    spans: list[Span]
    fact: ChunkFact

    def may_hold(self, hit: Hit) -> bool:
        """Whether the page of a hit was retrieved in this chunk, which cannot be compared letter for letter."""
        if hit.page_num not in self.pages or (self.fact.place is ChunkPlace.WHOLE and self.spans):
            return False
        return self.fact.place is ChunkPlace.WITHOUT_TEXT or letters(hit.match_text) in self.letters


def check_retrieval(
    line_df: pd.DataFrame,
    hit_df: pd.DataFrame,
    cooccurrence_df: pd.DataFrame,
    required: Sequence[str],
    chunks: Sequence[RetrievedChunk],
) -> RetrievalCheck:
    """What of the hits of required concepts is in the chunks.

    Args:
        line_df: Lines of the document that was swept.
        hit_df: Hits of the sweep.
        cooccurrence_df: Meetings of concepts.
        required: Concepts that must meet.
        chunks: What the retriever gave for the question; none at all is an answer, too.
    """
    document = DocumentLetters(line_df)
    located = [_locate(chunk, document) for chunk in chunks]
    all_hits = hits(hit_df)
    pages = meeting_pages(meetings(cooccurrence_df), required)
    to_read = {id(hit) for hit in hits_to_read(all_hits, pages, required)}
    texts = covered([span for chunk in located for span in chunk.spans])
    by_text: list[Hit] = []
    by_page: list[Hit] = []
    missed: list[Hit] = []
    for hit, (start, end) in zip(all_hits, rows_of(hit_df, "char_start", "char_end"), strict=True):
        if id(hit) not in to_read:
            continue
        if _stands_in(texts, hit, start, end, document):
            by_text.append(hit)
        elif any(chunk.may_hold(hit) for chunk in located):
            by_page.append(hit)
        else:
            missed.append(hit)
    # A page is retrieved with a retrieved hit of every concept that has one on it.
    retrieved = {(hit.page_num, hit.concept) for hit in (*by_text, *by_page)}
    lacking = {hit.page_num for hit in missed if (hit.page_num, hit.concept) not in retrieved}
    return RetrievalCheck(
        verdict=verdict_of(len(by_text), len(by_page), len(missed)),
        hits=len(to_read),
        hits_in_text=len(by_text),
        hits_on_page=len(by_page),
        missed=tuple(_missed(hit) for hit in missed),
        meeting_pages=pages,
        meeting_pages_retrieved=tuple(page for page in pages if page not in lacking),
        chunks=tuple(chunk.fact for chunk in located),
    )


def passages(line_df: pd.DataFrame, chunks: Sequence[RetrievedChunk]) -> list[Passage]:
    """What of each chunk stands in the document, with its place; chunks that do not stand in it give nothing.

    A passage that stands in several places is given once, on a page that the tool names, or else where it comes first.
    """
    document = DocumentLetters(line_df)
    listed: dict[Span, Passage] = {}
    for number, chunk in enumerate(chunks):
        text = letters(chunk.text)
        runs = document.runs(text)
        if _place(text, runs) not in (ChunkPlace.WHOLE, ChunkPlace.IN_PARTS):
            continue
        for run in _once(runs, document, chunk.pages):
            page, line = document.places[document.lines_of(run)[0]]
            stands = document.verbatim(run)
            if _is_evidence(chunk.text, text, stands):
                listed.setdefault((run.at, run.end), Passage(page, line, stands, number))
    return list(listed.values())


def contradictions(
    check: RetrievalCheck, found: Sequence[Hit], meet: Iterable[Meeting], required: Sequence[str]
) -> list[str]:
    """What a saved check says of hits and meetings that the audit does not; the chunks are not needed for it."""
    pages = meeting_pages(meet, required)
    to_read = hits_to_read(found, pages, required)
    strange = (Counter(check.missed) - Counter(_missed(hit) for hit in to_read)).elements()
    problems = [
        f"{hit.concept} on page {hit.page_num}, line {hit.line_num} is no such hit" for hit in strange
    ]
    if check.hits != len(to_read):
        problems.append(f"it compares {check.hits} hits, and {len(to_read)} are to be compared")
    if check.meeting_pages != pages:
        problems.append("concepts meet on other pages")
    return problems


def _locate(chunk: RetrievedChunk, document: DocumentLetters) -> _Located:
    text = letters(chunk.text)
    runs = document.runs(text)
    place = _place(text, runs)
    pages = frozenset(page for run in runs for page in document.pages_of(run))
    fact = ChunkFact(
        id=chunk.id,
        pages=chunk.pages,
        score=chunk.score,
        place=place,
        found_on=tuple(sorted(pages)),
        letters=len(text),
        letters_found=sum(end - start for start, end in _in_chunk(runs)),
    )
    certain = runs
    if len(text) < least_run(text) and len(runs) > 1:
        # A chunk of a word or two that stands in several places may be of any of them.
        certain = [run for run in runs if document.pages_of(run) & set(chunk.pages)]
    return _Located(text, pages | set(chunk.pages), [(run.at, run.end) for run in certain], fact)


def _is_evidence(chunk: str, text: str, stands: str) -> bool:
    """Whether a chunk of a few letters is more than a chance: "e" stands in every document, and "Iran" in "I ran"."""
    least = least_run(text)
    if len(text) >= least:
        return True
    if least < MIN_RUN:  # signs that are not divided into words
        return 2 * len(text) >= least
    chunk_words, page_words = (" ".join(_WORD.findall(fold(words))) for words in (chunk, stands))
    return 2 * len(text) >= least and f" {chunk_words} " in f" {page_words} "


def _in_chunk(runs: Iterable[ChunkRun]) -> list[Span]:
    return covered([(run.start, run.start + run.length) for run in runs])


def _place(text: str, runs: Sequence[ChunkRun]) -> ChunkPlace:
    if not text:
        return ChunkPlace.WITHOUT_TEXT
    if any(run.length == len(text) for run in runs):
        return ChunkPlace.WHOLE
    share = sum(end - start for start, end in _in_chunk(runs)) / len(text)
    return ChunkPlace.IN_PARTS if share >= LEAST_SHARE else ChunkPlace.NOT_IN_DOCUMENT


def _once(runs: Sequence[ChunkRun], document: DocumentLetters, pages: Sequence[int]) -> list[ChunkRun]:
    """One run for each stretch of the chunk: the longest, on one of these pages if it can be."""
    ordered = sorted(runs, key=lambda run: (-run.length, not document.pages_of(run) & set(pages), run.at))
    kept: list[ChunkRun] = []
    for run in ordered:
        span = (run.start, run.start + run.length)
        if not _within(span, _in_chunk(kept)):
            kept.append(run)
    return sorted(kept, key=lambda run: run.start)


def _stands_in(texts: Sequence[Span], hit: Hit, start: int, end: int, document: DocumentLetters) -> bool:
    """Whether these texts hold all parts of a hit: that on its first line, and that on its last."""
    first, last = (hit.page_num, hit.line_num), (hit.page_end, hit.line_end)
    parts = [(document.offset(first, start), document.offset(first, end))]
    if first != last:
        parts = [
            (document.offset(first, start), document.line_end(first)),
            (document.offset(last, 0), document.offset(last, end)),
        ]
    with_letters = [(at, until) for at, until in parts if at < until]
    if with_letters:
        return all(_within(part, texts) for part in with_letters)
    # one without any ("%") stands between two letters of them
    return all(any(begin < at < stop for begin, stop in texts) for at, _ in parts)


def _within(span: Span, spans: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _missed(hit: Hit) -> MissedHit:
    return MissedHit(concept=hit.concept, variant=hit.variant, page_num=hit.page_num, line_num=hit.line_num)


_REMEDY = 'write a JSON list, or lines, of objects like {"text": "...", "page": 3, "id": "c1", "score": 0.7}'


def load_chunks(path: str | Path) -> tuple[RetrievedChunk, ...]:
    """The chunks in a file; raises RetrievalError with everything that is wrong.

    Each has a `text`, and as wanted `page` or `pages` (1-based physical pages), `id` and `score`. An empty list is a
    retriever that found nothing; an empty file is an error.
    """
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise RetrievalError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise RetrievalError("is not UTF-8", file=str(path), remedy="save it as UTF-8") from error
    problems: list[str] = []
    chunks = []
    for where, row in _objects(text, problems):
        try:
            chunks.append(RetrievedChunk.model_validate(row))
        except ValidationError as error:
            for fault in error.errors():
                field = ".".join(str(part) for part in fault["loc"])
                problems.append(f"{where}: {field + ': ' if field else ''}{fault['msg']}")
    if problems:
        raise RetrievalError(
            "these are no retrieved chunks", file=str(path), problems=tuple(problems), remedy=_REMEDY
        )
    return tuple(chunks)


def _objects(text: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    """Objects of a JSON list, or of JSON Lines, each with its place; what cannot be read goes to the problems."""

    def read(part: str, where: str) -> Iterator[Any]:
        try:
            yield json.loads(part)
        except (ValueError, RecursionError) as error:
            problems.append(f"{where}: not JSON: {error}")

    if not text.strip():
        problems.append("there is nothing in it; a retriever that found nothing is []")
    elif text.lstrip().startswith("["):
        for listed in read(text, "the list"):
            yield from ((f"chunk {number}", row) for number, row in enumerate(listed, 1))
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield from ((f"line {number}", row) for row in read(line, f"line {number}"))
