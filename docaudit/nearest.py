"""What comes closest: mentions of the concepts that are found, nearest pairs of those that never meet, near misses.

None of this is a hit; each row says why. Near misses help the expert to see what the table may lack. They are looked
for among the words of the document within bounds, so that their absence proves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from docaudit.concept_table.cells import JOINER
from docaudit.concepts import ConceptTable, Variant
from docaudit.frames import COOCCURRENCE_DF, HIT_DF, LINE_DF, NEAREST_DF
from docaudit.location import DOCUMENT_PAGE, MatchKind
from docaudit.near_misses import NearMiss, near_misses
from docaudit.reasons import NearMissReason
from docaudit.snippets import window
from docaudit.stream import FAR, Occurrence, build_stream, closest_pair, counted, gap, occurrences
from docaudit.wordforms import fold

_PER_VARIANT = 3
_MISREAD = "OCR may have misread it: look at the page."


def closest(
    hit_df: pd.DataFrame,
    line_df: pd.DataFrame,
    table: ConceptTable,
    meetings: pd.DataFrame,
    *,
    limit: int = 5,
) -> pd.DataFrame:
    """NEAREST_DF: up to `limit` mentions of each concept that is found, every pair that never meets, near misses.

    Args:
        hit_df: Hits of the sweep; possible misreadings of OCR (ocr_fuzzy) are near misses.
        line_df: The lines that were swept.
        table: The concept table.
        meetings: COOCCURRENCE_DF of the same sweep.
        limit: Mentions for each concept; near misses are at most 3 for a variant and 3 * limit in all. 0 gives an
            empty table.

    Raises:
        TableContractError: A table breaks its contract, or a hit stands on a line that line_df does not have.
    """
    for contract, frame in ((HIT_DF, hit_df), (LINE_DF, line_df), (COOCCURRENCE_DF, meetings)):
        contract.check(frame)
    if limit == 0:
        return NEAREST_DF.empty()
    hits = counted(hit_df)
    rows = [
        *_mentions(hits, table, set(meetings["concepts"]), limit),
        *_pairs(hits, line_df, table, set(meetings["concepts"])),
        *_near_misses(hit_df, line_df, table, limit),
    ]
    return NEAREST_DF.build(rows)


def _mentions(hits: pd.DataFrame, table: ConceptTable, met: set[str], limit: int) -> Iterator[dict[str, Any]]:
    """First hits of each concept, one for each page before a second one of any."""
    found = set(hits["concept"])
    missing = [name for name in table.active_concepts if name not in found]
    tail = f" alone: no hit for {', '.join(missing)}." if missing else " alone."
    meeting = {name for names in met for name in names.split(JOINER)}
    turn = hits.groupby(["concept", "page_num"]).cumcount()
    ordered = hits.assign(turn=turn).sort_values(["turn", "page_num", "line_num"], kind="stable")
    for concept in table.active_concepts:
        chosen = ordered[ordered["concept"] == concept].head(limit)
        for hit in _records(chosen.sort_values(["page_num", "line_num", "char_start"], kind="stable")):
            denied = " It stands under a negation." if hit["negated"] else ""
            why = "; whether it answers the question has to be read." if concept in meeting else tail
            yield _from_hit("mention", hit, f"Mentions '{concept}'{why}{denied}")


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): cell for name, cell in row.items()} for row in table.to_dict("records")]


def _from_hit(kind: str, hit: dict[str, Any], why_not: str) -> dict[str, Any]:
    same = {name: hit[name] for name in ("concept", "variant", "page_num", "line_num", "snippet")}
    return {"kind": kind, "text": hit["match_text"], "why_not": why_not, **same}


def _pairs(
    hits: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, met: set[str]
) -> Iterator[dict[str, Any]]:
    """The nearest place of every two found concepts that never meet."""
    found = [name for name in table.active_concepts if name in set(hits["concept"])]
    apart = [pair for pair in combinations(found, 2) if JOINER.join(pair) not in met]
    if not apart:
        return
    by_concept: dict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in occurrences(hits, build_stream(line_df)):
        by_concept[occurrence.concept].append(occurrence)
    for one, other in apart:
        first, second = closest_pair(by_concept[one], by_concept[other])
        hit, partner = hits.iloc[first.row], hits.iloc[second.row]
        pair = _from_hit("pair", {str(name): cell for name, cell in hit.items()}, "")
        words = gap(first, second)
        on_pages = DOCUMENT_PAGE not in (first.first[0], second.first[0]) and words < FAR // 2
        where = (
            f"{words} words away, on page {second.first[0]}"
            if on_pages
            else "outside the pages, or this one does"
        )
        pair["why_not"] = f"The nearest '{partner['match_text']}' stands {where}: they do not meet."
        # Text that belongs to no page has no distance to any other.
        yield {
            **pair,
            "concept": JOINER.join((one, other)),
            "distance": float(words) if on_pages else float("nan"),
        }


def _near_misses(
    hit_df: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, limit: int
) -> list[dict[str, Any]]:
    """Near misses of variants without a hit, each variant in turn, the most telling first."""
    hits = counted(hit_df)
    hit = set(zip(hits["concept"], hits["variant"], strict=True))
    silent = [variant for variant in table.active if (variant.concept, variant.text) not in hit]
    taken: dict[str, set[str]] = defaultdict(set)
    for concept, text in zip(hits["concept"], hits["match_text"], strict=True):
        taken[concept].add(fold(text))
    misread = hit_df[hit_df["match_kind"] == MatchKind.OCR_FUZZY.value]
    found = near_misses(line_df, silent, limit=_PER_VARIANT)
    queues = []
    for variant in silent:
        rows = [*_misread(misread, variant), *(_from_miss(miss, line_df) for miss in found.get(variant, ()))]
        # What another variant of the concept has found is a hit, not a near miss.
        queues.append([row for row in rows if fold(row["text"]) not in taken[variant.concept]][:_PER_VARIANT])
    return list(_in_turn(queues))[: limit * _PER_VARIANT]


def _in_turn(queues: Iterable[Sequence[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    listed = list(queues)
    for turn in range(max(map(len, listed), default=0)):
        yield from (queue[turn] for queue in listed if turn < len(queue))


def _misread(misread: pd.DataFrame, variant: Variant) -> Iterator[dict[str, Any]]:
    if misread.empty:
        return
    mine = misread[(misread["concept"] == variant.concept) & (misread["variant"] == variant.text)]
    for hit in _records(mine.head(_PER_VARIANT)):
        yield _from_hit("near_miss", hit, f"{NearMissReason.SPELLING_DIFFERS.sentence} {_MISREAD}")


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
        "snippet": window(text, miss.start, miss.end),
        "distance": miss.edits,
        "why_not": miss.reason.sentence,
    }
