"""Hits of required concepts against the chunks that a retriever gave: what did it miss?

A hit is retrieved by text if the place where it stands is part of a chunk. Only where a chunk cannot be laid over the
document letter for letter (no text, another reading, a summary) does its page count, and then as the weaker claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from docaudit.alignment import MIN_RUN, DocumentLetters, Run, covered, least_run, letters
from docaudit.evidence import Hit, Meeting
from docaudit.folding import fold
from docaudit.records import hits, meetings
from docaudit.retrieved import (
    ChunkFact,
    ChunkPlace,
    MissedHit,
    RetrievalCheck,
    RetrievedChunk,
    hits_to_read,
    meeting_pages,
    verdict_of,
)

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
    found = hits(hit_df)
    pages = meeting_pages(meetings(cooccurrence_df), required)
    wanted = {id(hit) for hit in hits_to_read(found, pages, required)}
    texts = covered([span for one in located for span in one.spans])
    by_text: list[Hit] = []
    by_page: list[Hit] = []
    missed: list[Hit] = []
    columns = (hit_df[name].tolist() for name in ("char_start", "char_end"))
    for hit, start, end in zip(found, *columns, strict=True):
        if id(hit) not in wanted:
            continue
        if _stands_in(texts, _spans(hit, int(start), int(end), document)):
            by_text.append(hit)
        elif any(_may_hold(one, hit) for one in located):
            by_page.append(hit)
        else:
            missed.append(hit)
    return RetrievalCheck(
        verdict=verdict_of(len(by_text), len(by_page), len(missed)),
        hits=len(wanted),
        hits_in_text=len(by_text),
        hits_on_page=len(by_page),
        missed=tuple(_missed(hit) for hit in missed),
        meeting_pages=pages,
        meeting_pages_retrieved=_retrieved(pages, [*by_text, *by_page], missed),
        chunks=tuple(one.fact for one in located),
    )


def passages(line_df: pd.DataFrame, chunks: Sequence[RetrievedChunk]) -> list[Passage]:
    """What of each chunk stands in the document, with its place; chunks that do not stand in it give nothing.

    A passage that stands in several places is given once, on a page that the tool names, or else where it comes first.
    """
    document = DocumentLetters(line_df)
    found: dict[Span, Passage] = {}
    for number, chunk in enumerate(chunks):
        text = letters(chunk.text)
        runs = document.runs(text)
        if _place(text, runs) not in (ChunkPlace.WHOLE, ChunkPlace.IN_PARTS):
            continue
        for run in _once(runs, document, chunk.pages):
            page, line = document.places[document.lines_of(run)[0]]
            stands = document.verbatim(run)
            if _is_evidence(chunk.text, text, stands):
                found.setdefault((run.at, run.end), Passage(page, line, stands, number))
    return list(found.values())


def contradictions(
    check: RetrievalCheck, found: Sequence[Hit], meet: Iterable[Meeting], required: Sequence[str]
) -> list[str]:
    """What a saved check says of hits and meetings that the audit does not; the chunks are not needed for it."""
    pages = meeting_pages(meet, required)
    wanted = hits_to_read(found, pages, required)
    known = Counter(_missed(hit) for hit in wanted)
    strange = list((Counter(check.missed) - known).elements())
    said = [f"{one.concept} on page {one.page_num}, line {one.line_num} is no such hit" for one in strange]
    if check.hits != len(wanted):
        said.append(f"it compares {check.hits} hits, and {len(wanted)} are to be compared")
    if check.meeting_pages != pages:
        said.append("concepts meet on other pages")
    return said


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
    spans = [(run.at, run.end) for run in _certain(text, runs, document, chunk.pages)]
    return _Located(text, pages | set(chunk.pages), spans, fact)


def _is_evidence(chunk: str, text: str, stands: str) -> bool:
    """Whether a chunk of a few letters is more than a chance: "e" stands in every document, and "Iran" in "I ran"."""
    least = least_run(text)
    if len(text) >= least:
        return True
    if least < MIN_RUN:  # signs that are not divided into words
        return 2 * len(text) >= least
    said, there = (" ".join(_WORD.findall(fold(words))) for words in (chunk, stands))
    return 2 * len(text) >= least and f" {said} " in f" {there} "


def _certain(
    text: str, runs: Sequence[Run], document: DocumentLetters, pages: Sequence[int]
) -> Sequence[Run]:
    """The runs without those of a chunk of a word or two that stands in several places, and may be of any."""
    if len(text) >= least_run(text) or len(runs) < 2:
        return runs
    return [run for run in runs if document.pages_of(run) & set(pages)]


def _in_chunk(runs: Iterable[Run]) -> list[Span]:
    return covered([(run.start, run.start + run.length) for run in runs])


def _place(text: str, runs: Sequence[Run]) -> ChunkPlace:
    if not text:
        return ChunkPlace.WITHOUT_TEXT
    if any(run.length == len(text) for run in runs):
        return ChunkPlace.WHOLE
    share = sum(end - start for start, end in _in_chunk(runs)) / len(text)
    return ChunkPlace.IN_PARTS if share >= LEAST_SHARE else ChunkPlace.NOT_IN_DOCUMENT


def _once(runs: Sequence[Run], document: DocumentLetters, pages: Sequence[int]) -> list[Run]:
    """One run for each stretch of the chunk: the longest, on one of these pages if it can be."""
    ordered = sorted(runs, key=lambda run: (-run.length, not document.pages_of(run) & set(pages), run.at))
    kept: list[Run] = []
    for run in ordered:
        span = (run.start, run.start + run.length)
        if not _within(span, _in_chunk(kept)):
            kept.append(run)
    return sorted(kept, key=lambda run: run.start)


def _spans(hit: Hit, start: int, end: int, document: DocumentLetters) -> list[Span]:
    """Where a hit stands in the letters of the document: its part on the first line, and that on its last."""
    first, last = (hit.page_num, hit.line_num), (hit.page_end, hit.line_end)
    if first == last:
        return [(document.offset(first, start), document.offset(first, end))]
    return [
        (document.offset(first, start), document.line_end(first)),
        (document.offset(last, 0), document.offset(last, end)),
    ]


def _stands_in(texts: Sequence[Span], parts: Sequence[Span]) -> bool:
    """Whether all parts of a hit that have letters stand there; one without any ("%") stands between two of them."""
    with_letters = [(start, end) for start, end in parts if start < end]
    if with_letters:
        return all(_within(part, texts) for part in with_letters)
    return all(any(start < at < end for start, end in texts) for at, _ in parts)


def _within(span: Span, spans: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _may_hold(chunk: _Located, hit: Hit) -> bool:
    """Whether the page of a hit was retrieved in a chunk that cannot be compared letter for letter."""
    if hit.page_num not in chunk.pages or (chunk.fact.place is ChunkPlace.WHOLE and chunk.spans):
        return False
    return chunk.fact.place is ChunkPlace.WITHOUT_TEXT or letters(hit.match_text) in chunk.letters


def _retrieved(pages: Sequence[int], there: Iterable[Hit], missed: Iterable[Hit]) -> tuple[int, ...]:
    """Pages with a retrieved hit of every concept that has one on it."""
    got = {(hit.page_num, hit.concept) for hit in there}
    lacking = {hit.page_num for hit in missed if (hit.page_num, hit.concept) not in got}
    return tuple(page for page in pages if page not in lacking)


def _missed(hit: Hit) -> MissedHit:
    return MissedHit(concept=hit.concept, variant=hit.variant, page_num=hit.page_num, line_num=hit.line_num)
