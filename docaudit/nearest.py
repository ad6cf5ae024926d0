"""The closest that a document comes to the question: mentions, nearest pairs, near misses. None of them is a hit.

Mentions and pairs speak of concepts that are found; near misses of variants that are not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from docaudit.concept_rows import JOINER
from docaudit.concepts import ConceptTable, Variant
from docaudit.frames import COOCCURRENCE_DF, HIT_DF, LINE_DF, NEAREST_DF
from docaudit.location import DOCUMENT_PAGE, MatchKind
from docaudit.near_misses import NearMiss, near_misses
from docaudit.reasons import NearMissReason
from docaudit.stream import Occurrence, build_stream, closest_pair, counted, gap, occurrences
from docaudit.wordforms import fold

_PER_VARIANT = 3
_AROUND = 60


def closest(
    hit_df: pd.DataFrame,
    line_df: pd.DataFrame,
    table: ConceptTable,
    meetings: pd.DataFrame,
    *,
    limit: int = 5,
) -> pd.DataFrame:
    """Closest mentions, nearest pairs and near misses, as NEAREST_DF.

    Args:
        hit_df: Hits of the sweep; those read uncertainly (ocr_fuzzy) become near misses.
        line_df: The lines that were swept.
        table: The concept table.
        meetings: What find_meetings gave; concepts that meet anywhere are no pair that "never meets".
        limit: Most mentions and most pairs; near misses are at most 3 for a variant and 4 * limit in all.

    Columns: kind (mention, pair, near_miss), concept, variant, text, page_num, line_num, snippet (verbatim parts of
    lines), distance (words of a pair, edits of a near miss), why_not. Raises TableContractError.
    """
    HIT_DF.check(hit_df)
    LINE_DF.check(line_df)
    COOCCURRENCE_DF.check(meetings)
    if limit <= 0:
        return NEAREST_DF.empty()
    met = set(meetings["concepts"])
    sure = counted(hit_df).sort_values(["page_num", "line_num", "char_start"], kind="stable")
    rows = [*_mentions(sure, table, met, limit)]
    rows += _pairs(hit_df, line_df, table, met)[:limit]
    rows += _near_misses(hit_df, line_df, table, limit)
    return NEAREST_DF.build(rows)


def _mentions(sure: pd.DataFrame, table: ConceptTable, met: set[str], limit: int) -> Iterator[dict[str, Any]]:
    """First mentions of every found concept in turn, spread over pages before a page comes a second time."""
    queues = {}
    for concept in table.active_concepts:
        mine = sure[sure["concept"] == concept]
        turn = mine.groupby("page_num").cumcount()
        ordered = mine.assign(turn=turn).sort_values(["turn", "page_num"], kind="stable")
        queues[concept] = _records(ordered.head(limit))
    chosen = list(_in_turn(queues.values()))[:limit]
    found = [concept for concept, queue in queues.items() if queue]
    missing = [concept for concept, queue in queues.items() if not queue]
    for hit in sorted(chosen, key=lambda row: (row["page_num"], row["line_num"], row["char_start"])):
        yield _from_hit("mention", hit, _why_mention(hit, found, missing, met))


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): cell for name, cell in row.items()} for row in table.to_dict("records")]


def _why_mention(hit: dict[str, Any], found: list[str], missing: list[str], met: set[str]) -> str:
    concept = hit["concept"]
    denied = " It stands under a negation." if hit["negated"] else ""
    if missing:
        return f"Speaks of {concept}; no hit for {', '.join(missing)}.{denied}"
    partners = [name for name in found if name != concept]
    if any(concept in pair.split(JOINER) for pair in met) or not partners:
        return f"Speaks of {concept}; whether it answers the question has to be read.{denied}"
    return f"Speaks of {concept}; does not meet {', '.join(partners)} here.{denied}"


def _in_turn(queues: Iterable[Sequence[Any]]) -> Iterator[Any]:
    listed = list(queues)
    for turn in range(max(map(len, listed), default=0)):
        yield from (queue[turn] for queue in listed if turn < len(queue))


def _from_hit(kind: str, hit: dict[str, Any], why_not: str) -> dict[str, Any]:
    same = ("concept", "variant", "page_num", "line_num", "snippet")
    return {"kind": kind, "text": hit["match_text"], "why_not": why_not, **{name: hit[name] for name in same}}


def _pairs(
    hit_df: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, met: set[str]
) -> list[dict[str, Any]]:
    """The nearest place of every two found concepts that never meet, nearest first."""
    if counted(hit_df)["concept"].nunique() < 2:
        return []
    by_concept: dict[str, list[Occurrence]] = defaultdict(list)
    for hit in occurrences(hit_df, build_stream(line_df)):
        if hit.first[0] != DOCUMENT_PAGE:  # text of no page has no distance to any other
            by_concept[hit.concept].append(hit)
    rows = []
    for one, other in combinations([name for name in table.active_concepts if by_concept[name]], 2):
        if JOINER.join((one, other)) in met:
            continue
        first, second = closest_pair(by_concept[one], by_concept[other])
        rows.append(
            _pair(
                hit_df.iloc[first.row], hit_df.iloc[second.row], gap(first, second), f"{one}{JOINER}{other}"
            )
        )
    return sorted(rows, key=lambda row: (row["distance"], row["page_num"], row["line_num"]))


def _pair(first: pd.Series, second: pd.Series, distance: int, concepts: str) -> dict[str, Any]:
    one, other = (
        (int(first["page_num"]), int(first["line_num"])),
        (int(second["page_num"]), int(second["line_num"])),
    )
    where = f"on page {one[0]}" if one[0] == other[0] else f"on pages {one[0]} and {other[0]}"
    snippets = dict.fromkeys((str(first["snippet"]), str(second["snippet"])))
    return {
        "kind": "pair",
        "concept": concepts,
        "variant": f"{first['variant']}{JOINER}{second['variant']}",
        "text": f"{first['match_text']}\n{second['match_text']}",
        "page_num": one[0],
        "line_num": one[1],
        "snippet": "\n".join(snippets),
        "distance": float(distance),
        "why_not": f"Nearest place of the two, {where}; they do not meet.",
    }


def _near_misses(
    hit_df: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, limit: int
) -> list[dict[str, Any]]:
    """Near misses of variants without a hit, each variant in turn, the most telling first."""
    sure = counted(hit_df)
    hit = set(zip(sure["concept"], sure["variant"], strict=True))
    silent = [variant for variant in table.active if (variant.concept, variant.text) not in hit]
    taken: dict[str, set[str]] = defaultdict(set)
    for concept, text in zip(sure["concept"], sure["match_text"], strict=True):
        taken[concept].add(fold(text))
    found = near_misses(line_df, silent, limit=_PER_VARIANT)
    queues = []
    for variant in silent:
        rows = [*_misread(hit_df, variant), *(_from_miss(miss, line_df) for miss in found.get(variant, ()))]
        queues.append([row for row in rows if fold(row["text"]) not in taken[variant.concept]][:_PER_VARIANT])
    return list(_in_turn(queues))[: 4 * limit]


def _misread(hit_df: pd.DataFrame, variant: Variant) -> Iterator[dict[str, Any]]:
    """Possible misreadings of OCR: the page may show the variant itself."""
    mine = hit_df[
        (hit_df["match_kind"] == MatchKind.OCR_FUZZY.value)
        & (hit_df["concept"] == variant.concept)
        & (hit_df["variant"] == variant.text)
    ]
    why = f"{NearMissReason.SPELLING_DIFFERS.sentence} OCR may have misread it: look at the page."
    for hit in _records(mine.head(_PER_VARIANT)):
        yield _from_hit("near_miss", hit, why)


def _from_miss(miss: NearMiss, line_df: pd.DataFrame) -> dict[str, Any]:
    line = line_df.iloc[miss.line]
    text = str(line["text"])
    return {
        "kind": "near_miss",
        "concept": miss.variant.concept,
        "variant": miss.variant.text,
        "text": text[miss.start : miss.end],
        "page_num": int(line["page_num"]),
        "line_num": int(line["line_num"]),
        "snippet": text[max(0, miss.start - _AROUND) : miss.end + _AROUND],
        "distance": miss.edits,
        "why_not": miss.reason.sentence,
    }
