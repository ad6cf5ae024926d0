"""What comes closest: mentions of the concepts that are found, nearest pairs of those that never meet, near misses.

None of this is a hit; each row says why. Near misses help the expert to see what the table may lack. They are looked
for among the words of the document within bounds, so that their absence proves nothing.

Text that is close to a variant without a hit, each with why it is not one. Part of docaudit.nearest.

Near misses tell the expert what the table may lack (another spelling, another form). They never count as hits. The
work is bounded by the different words of the document: lines are walked once, for phrases, whatever the table's size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import pandas as pd

from docaudit.codes import DOCUMENT_PAGE, MatchKind, NearMissReason
from docaudit.concepts.check import JOINER
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.cooccurrence import FAR, Occurrence, build_stream, closest_pair, counted, gap, occurrences
from docaudit.tables import COOCCURRENCE_DF, HIT_DF, LINE_DF, NEAREST_DF
from docaudit.text.english import share_stem, stems
from docaudit.text.vocabulary import Vocabulary, build_vocabulary
from docaudit.text.words import Span, fold, squeeze, window, without_accents, words

# "in" stands inside half of all words; a part that says something has this length.
_SHORTEST_PART = 4
_JOINED = re.compile(r"[\s\-\u2010-\u2015]*")
_PARTED = re.compile(r"[^\w\n]{0,4}")
_ORDER = {reason: n for n, reason in enumerate(NearMissReason)}


@dataclass(frozen=True)
class NearMiss:
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


@dataclass(frozen=True)
class _Form:
    """A folded word of the document that may stand for a word of a variant."""

    word: str
    reason: NearMissReason | None
    edits: float


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
    asked = [word for cut in parts.values() for word in cut] + [squeeze(variant.text) for variant in literal]
    near = vocabulary.within_edits(asked)
    found: dict[Variant, list[NearMiss]] = defaultdict(list)
    phrases: dict[Variant, list[dict[str, _Form]]] = {}
    for variant in literal:
        cut = parts[variant]
        if len(cut) > 1:
            phrases[variant] = [_forms(word, vocabulary, near) for word in cut]
        found[variant] += _single(variant, vocabulary, near, texts, limit)
    for miss in _phrases(phrases, vocabulary, texts):
        found[miss.variant].append(miss)
    return {variant: _nearest(misses, texts, limit) for variant, misses in found.items() if misses}


def _nearest(misses: list[NearMiss], texts: Sequence[str], limit: int) -> list[NearMiss]:
    """Each different text once, the most telling reasons first."""
    ranked = sorted(misses, key=lambda miss: (_ORDER[miss.reason], miss.edits, miss.line, miss.start))
    once: dict[str, NearMiss] = {}
    for miss in ranked:
        once.setdefault(str(texts[miss.line])[miss.start : miss.end], miss)
    return list(once.values())[:limit]


def _forms(word: str, vocabulary: Vocabulary, near: dict[str, list[tuple[str, int]]]) -> dict[str, _Form]:
    """Folded words of the document that are this word, or near it, each with the mildest reason."""
    forms: dict[str, _Form] = {}
    if word in vocabulary.by_fold:
        forms[word] = _Form(word, None, 0)
    for other in vocabulary.by_plain.get(without_accents(word), ()):
        forms.setdefault(other, _Form(other, NearMissReason.ACCENTS_DIFFER, float("nan")))
    for other, edits in near.get(word, ()):
        reason = NearMissReason.SAME_STEM if share_stem(word, other) else NearMissReason.SPELLING_DIFFERS
        forms.setdefault(other, _Form(other, reason, edits))
    for stem in sorted(stems(word)):
        for other in vocabulary.by_stem.get(stem, ()):
            forms.setdefault(other, _Form(other, NearMissReason.SAME_STEM, float("nan")))
    return forms


def _single(
    variant: Variant,
    vocabulary: Vocabulary,
    near: dict[str, list[tuple[str, int]]],
    texts: Sequence[str],
    limit: int,
) -> Iterator[NearMiss]:
    """Near misses that are one word of the document: for a phrase, the phrase written as one word."""
    folded = fold(variant.text)
    for form in _forms(squeeze(variant.text), vocabulary, near).values():
        for surface in vocabulary.by_fold[form.word]:
            reason = form.reason
            if reason is None and folded == form.word:
                reason = (
                    NearMissReason.OTHER_CASE if variant.case_sensitive and surface != variant.text else None
                )
            elif reason is None:
                reason = NearMissReason.SPELLING_DIFFERS
            if reason is not None:
                yield _at_word(variant, reason, surface, vocabulary, texts, form.edits)
    if variant.match == "word" and len(folded) >= _SHORTEST_PART:
        for word in vocabulary.containing(folded, limit):
            surface = vocabulary.by_fold[word][0]
            yield _at_word(variant, NearMissReason.PART_OF_WORD, surface, vocabulary, texts, float("nan"))


def _at_word(
    variant: Variant,
    reason: NearMissReason,
    surface: str,
    vocabulary: Vocabulary,
    texts: Sequence[str],
    edits: float,
) -> NearMiss:
    line = vocabulary.lines_of[surface][0]
    span = next(span for span in words(str(texts[line])) if span.text == surface)
    measured = edits if reason is NearMissReason.SPELLING_DIFFERS else float("nan")
    return NearMiss(variant, reason, line, span.start, span.end, measured)


def _phrases(
    phrases: dict[Variant, list[dict[str, _Form]]], vocabulary: Vocabulary, texts: Sequence[str]
) -> Iterator[NearMiss]:
    """Words side by side that are, or are near, the words of a phrase: one walk for all phrases, through the lines
    that have the first word of one.
    """
    starters: dict[str, list[Variant]] = defaultdict(list)
    for variant, forms in phrases.items():
        if all(forms):
            for word in forms[0]:
                starters[word].append(variant)
    surfaces = (surface for word in starters for surface in vocabulary.by_fold.get(word, ()))
    for line in sorted({line for surface in surfaces for line in vocabulary.lines_of[surface]}):
        text = str(texts[line])
        spans = list(words(text))
        cut = [fold(span.text) for span in spans]
        for n, word in enumerate(cut):
            for variant in starters.get(word, ()):
                forms = phrases[variant]
                here = spans[n : n + len(forms)]
                used = [form[w] for w, form in zip(cut[n:], forms, strict=False) if w in form]
                if len(used) == len(here) == len(forms) and _side_by_side(here, text, _PARTED):
                    parted = not _side_by_side(here, text, _JOINED)
                    yield from _phrase(variant, used, line, text, here[0].start, here[-1].end, parted)


def _side_by_side(spans: Sequence[Span], text: str, between: re.Pattern[str]) -> bool:
    return all(between.fullmatch(text[one.end : other.start]) for one, other in pairwise(spans))


def _phrase(
    variant: Variant, used: Sequence[_Form], line: int, text: str, start: int, end: int, parted: bool
) -> Iterator[NearMiss]:
    reasons = [form.reason for form in used if form.reason is not None]
    if parted and not reasons:
        worst = NearMissReason.PARTED_BY_SIGN
    elif parted:
        return  # other words, and a sign between them: too far
    elif reasons:
        worst = max(reasons, key=_ORDER.__getitem__)
    elif variant.case_sensitive and text[start:end] != variant.text:
        worst = NearMissReason.OTHER_CASE
    else:
        return
    spelt = [form.edits for form in used if form.reason is NearMissReason.SPELLING_DIFFERS]
    edits = sum(spelt) if worst is NearMissReason.SPELLING_DIFFERS else float("nan")
    yield NearMiss(variant, worst, line, start, end, edits)


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
        yield _from_hit("near_miss", hit, f"{NearMissReason.SPELLING_DIFFERS.meaning} {_MISREAD}")


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
        "why_not": miss.reason.meaning,
    }
