"""Text that is close to a variant without a hit, each with why it is not one. Part of docaudit.nearest.

Near misses tell the expert what the table may lack (another spelling, another form). They never count as hits. The
work is bounded by the different words of the document: lines are walked once, for phrases, whatever the table's size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd

from docaudit.concepts import Variant
from docaudit.reasons import NearMissReason
from docaudit.vocabulary import Vocabulary, build_vocabulary
from docaudit.wordforms import Span, fold, share_stem, squeeze, stems, without_accents, words

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
