"""Hits, lines and a concept table in, nearest_df out: what comes closest to a meeting of all concepts.

Mentions of the concepts that are found, nearest pairs of those that never meet, and near misses: text that is close to
a variant without a hit. None of this is a hit; each row says why. Near misses help the expert to see what the table may
lack (another spelling, another form). They are looked for among the different words of the document, within bounds, so
that their absence proves nothing: lines are walked once, for phrases, whatever the table's size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, zip_longest
from typing import Any, NamedTuple

import pandas as pd

from docaudit.codes import DOCUMENT_PAGE, MatchKind, NearMissReason
from docaudit.concepts.check import JOINER
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.cooccurrence import FAR, Occurrence, build_stream, closest_pair, gap, occurrences
from docaudit.tables import COOCCURRENCE_DF, HIT_DF, LINE_DF, NEAREST_DF, is_counted
from docaudit.text.english import share_stem, stems
from docaudit.text.vocabulary import Vocabulary, build_vocabulary
from docaudit.text.words import Span, fold, squeeze, window, without_accents, words

_SHORTEST_PART = 4
""""in" stands inside half of all words; a part that says something has this length. Chosen, not measured."""
_JOINED = re.compile(r"[\s\-\u2010-\u2015]*")
_PARTED = re.compile(r"[^\w\n]{0,4}")
_ORDER = {reason: n for n, reason in enumerate(NearMissReason)}
_PER_VARIANT = 3
_MISREAD = "OCR may have misread it: look at the page."
_NO_EDITS = float("nan")


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
    hits, met = hit_df[is_counted(hit_df)], set(meetings["concepts"])
    rows = [
        *_mentions(hits, table, met, limit),
        *_pairs(hits, line_df, table, met),
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
        for hit in chosen.sort_values(["page_num", "line_num", "char_start"], kind="stable").to_dict(
            "records"
        ):
            denied = " It stands under a negation." if hit["negated"] else ""
            why = "; whether it answers the question has to be read." if concept in meeting else tail
            yield _from_hit("mention", hit, f"Mentions '{concept}'{why}{denied}")


def _from_hit(kind: str, hit: Any, why_not: str) -> dict[str, Any]:
    same = {name: hit[name] for name in ("concept", "variant", "page_num", "line_num", "snippet")}
    return {"kind": kind, "text": hit["match_text"], "why_not": why_not, **same}


def _pairs(
    hits: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, met: set[str]
) -> Iterator[dict[str, Any]]:
    """The nearest place of every two found concepts that never meet."""
    hit_concepts = set(hits["concept"])
    found = [name for name in table.active_concepts if name in hit_concepts]
    apart = [pair for pair in combinations(found, 2) if JOINER.join(pair) not in met]
    if not apart:
        return
    by_concept: dict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in occurrences(hits, build_stream(line_df)):
        by_concept[occurrence.concept].append(occurrence)
    for names in apart:
        first, second = closest_pair(*(by_concept[name] for name in names))
        partner, distance, where = (
            hits.iloc[second.row],
            gap(first, second),
            "outside the pages, or this one does",
        )
        # Text that belongs to no page has no distance to any other.
        on_pages = DOCUMENT_PAGE not in (first.first[0], second.first[0]) and distance < FAR // 2
        if on_pages:
            where = f"{distance} words away, on page {second.first[0]}"
        why_not = f"The nearest '{partner['match_text']}' stands {where}: they do not meet."
        yield {
            **_from_hit("pair", hits.iloc[first.row], why_not),
            "concept": JOINER.join(names),
            "distance": float(distance) if on_pages else float("nan"),
        }


def _near_misses(
    hit_df: pd.DataFrame, line_df: pd.DataFrame, table: ConceptTable, limit: int
) -> list[dict[str, Any]]:
    """Near misses of variants without a hit, each variant in turn, the most telling first."""
    hits = hit_df[is_counted(hit_df)]
    hit = set(zip(hits["concept"], hits["variant"], strict=True))
    silent = [variant for variant in table.active if (variant.concept, variant.text) not in hit]
    taken: dict[str, set[str]] = defaultdict(set)
    for concept, text in zip(hits["concept"], hits["match_text"], strict=True):
        taken[concept].add(fold(text))
    misread: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in hit_df[hit_df["match_kind"] == MatchKind.OCR_FUZZY.value].to_dict("records"):
        why_not = f"{NearMissReason.SPELLING_DIFFERS.meaning} {_MISREAD}"
        misread[row["concept"], row["variant"]].append(_from_hit("near_miss", row, why_not))
    near = near_misses(line_df, silent, limit=_PER_VARIANT)
    queues = []
    for variant in silent:
        rows = misread[variant.concept, variant.text][:_PER_VARIANT]
        for miss in near.get(variant, ()):
            line = line_df.iloc[miss.line]
            text = str(line["text"])
            rows.append(
                {
                    "kind": "near_miss",
                    "concept": variant.concept,
                    "variant": variant.text,
                    "text": text[miss.start : miss.end],
                    "page_num": int(line["page_num"]),
                    "line_num": int(line["line_num"]),
                    "snippet": window(text, miss.start, miss.end),
                    "distance": miss.edits,
                    "why_not": miss.reason.meaning,
                }
            )
        # What another variant of the concept has found is a hit, not a near miss.
        queues.append([row for row in rows if fold(row["text"]) not in taken[variant.concept]][:_PER_VARIANT])
    in_turn = (row for turn in zip_longest(*queues) for row in turn if row is not None)
    return list(in_turn)[: limit * _PER_VARIANT]


class NearMiss(NamedTuple):
    """One text near a variant.

    Attributes:
        variant: The variant without a hit.
        reason: Why the text is not a hit.
        line: Position of the line in line_df.
        start: First character of the text in that line.
        end: Character after its last.
        edits: Edits between the two; NaN where the difference is no matter of edits.
    """

    variant: Variant
    reason: NearMissReason
    line: int
    start: int
    end: int
    edits: float


class _NearWord(NamedTuple):
    """A folded word of the document that may stand for a word of a variant; no reason if it is that word."""

    word: str
    reason: NearMissReason | None
    edits: float


NearWords = dict[str, _NearWord]


def near_misses(
    line_df: pd.DataFrame, variants: Sequence[Variant], *, limit: int
) -> dict[Variant, list[NearMiss]]:
    """The nearest texts of each variant, at most `limit` each; regular expressions have none."""
    literal = [variant for variant in variants if variant.match != "regex"]
    if not literal or not limit:
        return {}
    vocabulary = build_vocabulary(line_df)
    texts = line_df["text"].tolist()
    parts = {variant: [fold(span.text) for span in words(variant.text)] for variant in literal}
    wanted = [word for cut in parts.values() for word in cut] + [squeeze(variant.text) for variant in literal]
    edited = vocabulary.within_edits(wanted)
    misses: dict[Variant, list[NearMiss]] = defaultdict(list)
    phrases: dict[Variant, list[NearWords]] = {}
    for variant in literal:
        if len(parts[variant]) > 1:
            phrases[variant] = [_near_words(word, vocabulary, edited) for word in parts[variant]]
        misses[variant] += _single_words(variant, vocabulary, edited, texts, limit)
    for miss in _phrases(phrases, vocabulary, texts):
        misses[miss.variant].append(miss)
    nearest = {}
    for variant, listed in misses.items():
        once: dict[str, NearMiss] = {}
        for miss in sorted(listed, key=lambda miss: (_ORDER[miss.reason], miss.edits, miss.line, miss.start)):
            once.setdefault(str(texts[miss.line])[miss.start : miss.end], miss)
        if once:
            nearest[variant] = list(once.values())[:limit]
    return nearest


def _near_words(word: str, vocabulary: Vocabulary, edited: dict[str, list[tuple[str, int]]]) -> NearWords:
    """Folded words of the document that are this word, or near it, each with the mildest reason."""
    near: NearWords = {}
    if word in vocabulary.by_fold:
        near[word] = _NearWord(word, None, 0)
    for candidate in vocabulary.by_plain.get(without_accents(word), ()):
        near.setdefault(candidate, _NearWord(candidate, NearMissReason.ACCENTS_DIFFER, _NO_EDITS))
    for candidate, edits in edited.get(word, ()):
        same_stem = share_stem(word, candidate)
        reason = NearMissReason.SAME_STEM if same_stem else NearMissReason.SPELLING_DIFFERS
        near.setdefault(candidate, _NearWord(candidate, reason, edits))
    for stem in sorted(stems(word)):
        for candidate in vocabulary.by_stem.get(stem, ()):
            near.setdefault(candidate, _NearWord(candidate, NearMissReason.SAME_STEM, _NO_EDITS))
    return near


def _single_words(
    variant: Variant,
    vocabulary: Vocabulary,
    edited: dict[str, list[tuple[str, int]]],
    texts: Sequence[str],
    limit: int,
) -> Iterator[NearMiss]:
    """Near misses that are one word of the document: for a phrase, the phrase written as one word."""

    def at_word(surface: str, reason: NearMissReason, edits: float) -> NearMiss:
        line = vocabulary.lines_of[surface][0]
        span = next(span for span in words(str(texts[line])) if span.text == surface)
        measured = edits if reason is NearMissReason.SPELLING_DIFFERS else _NO_EDITS
        return NearMiss(variant, reason, line, span.start, span.end, measured)

    folded = fold(variant.text)
    for near in _near_words(squeeze(variant.text), vocabulary, edited).values():
        for surface in vocabulary.by_fold[near.word]:
            if near.reason is not None:
                yield at_word(surface, near.reason, near.edits)
            elif near.word != folded:
                yield at_word(surface, NearMissReason.SPELLING_DIFFERS, near.edits)
            elif variant.case_sensitive and surface != variant.text:
                yield at_word(surface, NearMissReason.OTHER_CASE, near.edits)
    if variant.match == "word" and len(folded) >= _SHORTEST_PART:
        for word in vocabulary.containing(folded, limit):
            yield at_word(vocabulary.by_fold[word][0], NearMissReason.PART_OF_WORD, _NO_EDITS)


def _phrases(
    phrases: dict[Variant, list[NearWords]], vocabulary: Vocabulary, texts: Sequence[str]
) -> Iterator[NearMiss]:
    """Words side by side that are, or are near, the words of a phrase: one walk for all phrases, through the lines
    that have the first word of one.
    """
    starters: dict[str, list[Variant]] = defaultdict(list)
    for variant, near in phrases.items():
        if all(near):
            for word in near[0]:
                starters[word].append(variant)
    surfaces = (surface for word in starters for surface in vocabulary.by_fold.get(word, ()))
    for line in sorted({line for surface in surfaces for line in vocabulary.lines_of[surface]}):
        text = str(texts[line])
        spans = list(words(text))
        cut = [fold(span.text) for span in spans]
        for n, word in enumerate(cut):
            for variant in starters.get(word, ()):
                near = phrases[variant]
                used = [choice[w] for w, choice in zip(cut[n:], near, strict=False) if w in choice]
                phrase = spans[n : n + len(near)]
                if len(used) == len(phrase) == len(near) and _side_by_side(phrase, text, _PARTED):
                    reason = _phrase_reason(variant, used, phrase, text)
                    if reason is not None:
                        spelt = (
                            word.edits for word in used if word.reason is NearMissReason.SPELLING_DIFFERS
                        )
                        edits = sum(spelt) if reason is NearMissReason.SPELLING_DIFFERS else _NO_EDITS
                        yield NearMiss(variant, reason, line, phrase[0].start, phrase[-1].end, edits)


def _side_by_side(spans: Sequence[Span], text: str, between: re.Pattern[str]) -> bool:
    return all(between.fullmatch(text[left.end : right.start]) for left, right in pairwise(spans))


def _phrase_reason(
    variant: Variant, used: Sequence[_NearWord], spans: Sequence[Span], text: str
) -> NearMissReason | None:
    """Why these words are not the phrase; None if they are, or are too far from it."""
    reasons = [word.reason for word in used if word.reason is not None]
    if not _side_by_side(spans, text, _JOINED):
        return None if reasons else NearMissReason.PARTED_BY_SIGN
    if reasons:
        return max(reasons, key=_ORDER.__getitem__)
    same_case = text[spans[0].start : spans[-1].end] == variant.text
    return NearMissReason.OTHER_CASE if variant.case_sensitive and not same_case else None
