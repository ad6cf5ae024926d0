"""What comes closest: mentions of the concepts that are found, nearest pairs of those that never meet, near misses.

None of this is a hit; each row says why. Near misses help the expert to see what the table may lack. They are looked
for with bounded effort, so that their absence proves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import pandas as pd
from rapidfuzz.distance import Levenshtein

from docaudit.concept_rows import JOINER
from docaudit.concepts import ConceptTable, Variant
from docaudit.frames import NEAREST_DF
from docaudit.reasons import NearMissReason
from docaudit.stream import build_stream, closest_pair, counted, gap, occurrences
from docaudit.wordforms import fold, share_stem, without_accents, words

_MOST_VARIANTS = 200
_MOST_WORDS = 6
_PER_VARIANT = 3
_SNIPPET = 160


class _Word(NamedTuple):
    """The first place of a word in the document: row of line_df, characters, as written."""

    row: int
    start: int
    end: int
    text: str


Vocabulary = dict[str, list[_Word]]
"""Folded word -> its first place for each way in which it is written."""


def closest(
    hit_df: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, meetings: pd.DataFrame, *, limit: int
) -> pd.DataFrame:
    """NEAREST_DF: up to `limit` mentions of each concept that is found, every pair that never meets, near misses.

    Args:
        hit_df: Hits of the sweep.
        line_df: The lines that were swept.
        table: The concept table.
        meetings: COOCCURRENCE_DF of the same sweep.
        limit: Mentions for each concept, and near misses in all; 0 gives an empty table.
    """
    if limit == 0:
        return NEAREST_DF.empty()
    hits = counted(hit_df)
    rows = [
        *_mentions(hits, table, limit),
        *_pairs(hits, line_df, table, meetings),
        *_near_misses(hit_df, line_df, table, limit),
    ]
    return NEAREST_DF.build(rows)


def _mentions(hits: pd.DataFrame, table: ConceptTable, limit: int) -> Iterator[dict[str, Any]]:
    """First hits of each concept, one for each page before a second one of any."""
    found = set(hits["concept"])
    missing = [name for name in table.active_concepts if name not in found]
    why = f"Mentions '{{}}' alone: no hit for {', '.join(missing)}." if missing else "Mentions '{}' alone."
    turn = hits.groupby(["concept", "page_num"]).cumcount()
    ordered = hits.assign(turn=turn).sort_values(["turn", "page_num", "line_num"], kind="stable")
    for concept in table.active_concepts:
        chosen = ordered[ordered["concept"] == concept].head(limit)
        for hit in chosen.sort_values(["page_num", "line_num"], kind="stable").itertuples():
            yield {
                "kind": "mention",
                "concept": concept,
                "variant": hit.variant,
                "text": hit.match_text,
                "page_num": hit.page_num,
                "line_num": hit.line_num,
                "snippet": hit.snippet,
                "distance": float("nan"),
                "why_not": why.format(concept),
            }


def _pairs(
    hits: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, meetings: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    found = [name for name in table.active_concepts if name in set(hits["concept"])]
    met = set(meetings["concepts"])
    apart = [pair for pair in combinations(found, 2) if JOINER.join(pair) not in met]
    if not apart:
        return
    by_concept = defaultdict(list)
    for occurrence in occurrences(hits, build_stream(line_df)):
        by_concept[occurrence.concept].append(occurrence)
    for one, other in apart:
        first, second = closest_pair(by_concept[one], by_concept[other])
        hit, partner = hits.iloc[first.row], hits.iloc[second.row]
        yield {
            "kind": "pair",
            "concept": JOINER.join((one, other)),
            "variant": hit["variant"],
            "text": hit["match_text"],
            "page_num": hit["page_num"],
            "line_num": hit["line_num"],
            "snippet": hit["snippet"],
            "distance": float(gap(first, second)),
            "why_not": f"The nearest '{partner['match_text']}' stands {gap(first, second)} words away, on page "
            f"{partner['page_num']}: they do not meet.",
        }


def _near_misses(
    hit_df: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, limit: int
) -> Iterator[dict[str, Any]]:
    hit = set(zip(hit_df["concept"], hit_df["variant"], strict=True))
    missing = [v for v in table.active if v.match != "regex" and (v.concept, v.text) not in hit][
        :_MOST_VARIANTS
    ]
    if not missing:
        return
    texts = line_df["text"].tolist()
    vocabulary = _vocabulary(texts)
    by_length: dict[int, list[str]] = defaultdict(list)
    for word in vocabulary:
        by_length[len(word)].append(word)
    pages, lines = line_df["page_num"].tolist(), line_df["line_num"].tolist()
    shown = 0
    for variant in missing:
        for reason, place, distance in list(_misses_of(variant, vocabulary, by_length, texts))[:_PER_VARIANT]:
            if shown == limit * _PER_VARIANT:
                return
            shown += 1
            yield {
                "kind": "near_miss",
                "concept": variant.concept,
                "variant": variant.text,
                "text": place.text,
                "page_num": pages[place.row],
                "line_num": lines[place.row],
                "snippet": _snippet(texts[place.row], place),
                "distance": float(distance),
                "why_not": reason.sentence,
            }


def _vocabulary(texts: list[str]) -> Vocabulary:
    seen: set[str] = set()
    found: Vocabulary = defaultdict(list)
    for row, text in enumerate(texts):
        for word in words(text):
            if word.text not in seen:
                seen.add(word.text)
                found[fold(word.text)].append(_Word(row, word.start, word.end, word.text))
    return found


def _misses_of(
    variant: Variant, vocabulary: Vocabulary, by_length: dict[int, list[str]], texts: list[str]
) -> Iterator[tuple[NearMissReason, _Word, int]]:
    parts = [fold(word.text) for word in words(variant.text)]
    if len(parts) == 1:
        yield from _single(variant, parts[0], vocabulary, by_length)
    elif 1 < len(parts) <= _MOST_WORDS:
        yield from _phrase(parts, vocabulary, texts)


def _single(
    variant: Variant, word: str, vocabulary: Vocabulary, by_length: dict[int, list[str]]
) -> Iterator[tuple[NearMissReason, _Word, int]]:
    for place in vocabulary.get(word, []):
        if place.text != variant.text:
            yield NearMissReason.OTHER_CASE, place, 0
    edits = 0 if len(word) < 4 else 1 if len(word) < 8 else 2
    plain = without_accents(word)
    for length in range(len(word) - edits, len(word) + edits + 1):
        for other in by_length.get(length, []):
            if other == word:
                continue
            if without_accents(other) == plain:
                yield NearMissReason.ACCENTS_DIFFER, vocabulary[other][0], 0
            elif edits and (distance := Levenshtein.distance(word, other, score_cutoff=edits)) <= edits:
                stem = share_stem(word, other)
                yield (
                    NearMissReason.SAME_STEM if stem else NearMissReason.SPELLING_DIFFERS,
                    vocabulary[other][0],
                    distance,
                )
    if len(word) >= 4:
        inside = [other for other in vocabulary if len(other) > len(word) + edits and word in other]
        for other in inside[:_PER_VARIANT]:
            yield NearMissReason.PART_OF_WORD, vocabulary[other][0], len(other) - len(word)


def _phrase(
    parts: list[str], vocabulary: Vocabulary, texts: list[str]
) -> Iterator[tuple[NearMissReason, _Word, int]]:
    """Phrases in which every word shares its stem, or nearly its spelling, with the word of the variant."""
    anchor = max((part for part in parts if part in vocabulary), key=len, default="")
    at = parts.index(anchor) if anchor else 0
    for row in dict.fromkeys(place.row for place in vocabulary.get(anchor, [])):
        line = list(words(texts[row]))
        for position, word in enumerate(line):
            window = line[position - at : position - at + len(parts)] if position >= at else []
            if fold(word.text) != anchor or len(window) != len(parts):
                continue
            pairs = [(part, fold(other.text)) for part, other in zip(parts, window, strict=True)]
            edits = sum(Levenshtein.distance(one, other) for one, other in pairs)
            alike = all(
                share_stem(one, other) or Levenshtein.distance(one, other) <= 1 for one, other in pairs
            )
            if edits and alike:
                start, end = window[0].start, window[-1].end
                yield NearMissReason.SAME_STEM, _Word(row, start, end, texts[row][start:end]), edits


def _snippet(text: str, place: _Word) -> str:
    start = max(0, place.start - _SNIPPET // 2)
    return text[start : max(place.end, start + _SNIPPET)]
