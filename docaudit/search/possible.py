"""`SearchText`, patterns and findings in, further findings out that only may be hits: a person must look.

Other accents: "resume" where the page has "résumé", or the reverse. Often the same word (a text layer that lost its
accents), often another one (Bar and Bär). Only the order of the lines is searched, not every way they may continue.

Misreadings of OCR: a few wrong letters. If at most k letters of a variant are wrong, one of k + 1 parts of it stands on
the page unchanged. These parts are searched in one pass; what surrounds each is then compared letter by letter. Short
variants (AI, ESG) allow no wrong letter but one that looks like another in most typefaces: "Al" may be "AI".
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import ahocorasick_rs

from docaudit.codes import MatchKind, TextSource
from docaudit.search.lines import CharClass, PageLines
from docaudit.search.matching import LocatedMatch, fast_matches, locate
from docaudit.search.patterns import Pattern, compile_variant
from docaudit.search.reading_orders import OrderKind, ReadingOrder, Segments, stream_order
from docaudit.search.search_text import ACCENT, SearchText
from docaudit.text.english import edits_allowed
from docaudit.text.folding import fold


def other_accents(
    text: SearchText, patterns: Sequence[Pattern], findings: Sequence[LocatedMatch]
) -> list[LocatedMatch]:
    """Places that differ from a variant in nothing but accents, where no hit of the same variant stands."""
    lines = text.lines
    plain = [_without_accents(pattern) for pattern in patterns]
    changed = [number for number, pattern in enumerate(patterns) if plain[number] is not pattern]
    searched: list[LocatedMatch] = []
    if changed:
        new = [plain[number] for number in changed]
        located = locate(text, new, fast_matches(text, new))
        searched += [finding._replace(pattern=changed[finding.pattern]) for finding in located]
    if text.unaccented is not None:
        searched += locate(text.unaccented, plain, fast_matches(text.unaccented, plain))
    if not searched:
        return []
    taken = _taken(findings)
    possible: dict[tuple[int, ...], LocatedMatch] = {}
    for finding in searched:
        shown = fold("".join(lines.text[row][first:last] for row, first, last in finding.parts))
        written = {_accents(form.literal) for form in patterns[finding.pattern].forms}
        if _accents(shown) not in written and not _is_taken(taken, finding):
            possible[finding.place] = finding._replace(kind=MatchKind.ACCENTS_DIFFER)
    return list(possible.values())


Taken = dict[tuple[int, int], list[tuple[int, int]]]
"""By pattern and row the stretches of the line where findings stand."""


def _taken(findings: Sequence[LocatedMatch]) -> Taken:
    taken: Taken = defaultdict(list)
    for finding in findings:
        for row, first, last in finding.parts:
            taken[finding.pattern, row].append((first, last))
    return taken


def _is_taken(taken: Taken, finding: LocatedMatch) -> bool:
    return any(
        first < end and start < last
        for row, first, last in finding.parts
        for start, end in taken.get((finding.pattern, row), ())
    )


def _accents(folded: str) -> tuple[tuple[int, str], ...]:
    """The accents of a folded text, each with the number of letters before it."""
    letters, accents = 0, []
    for char in folded:
        if ACCENT.match(char):
            accents.append((letters, char))
        letters += char.isalnum()
    return tuple(accents)


def _without_accents(pattern: Pattern) -> Pattern:
    """The same pattern if it has no accents."""
    if pattern.variant.text.isascii() or not any(ACCENT.search(form.literal) for form in pattern.forms):
        return pattern
    parts = unicodedata.normalize("NFD", pattern.variant.text)
    text = unicodedata.normalize("NFC", ACCENT.sub("", parts))
    return compile_variant(pattern.variant.model_copy(update={"text": text}))


MAX_LETTERS = 80
"""Longer variants are not compared: their wrong letters would be too many to tell anything."""
_LOOKS = str.maketrans("l1|0582", "iiiosbz")
"""Of letters that look alike after folding, one."""
_WORD = (CharClass.LETTER, CharClass.DIGIT, CharClass.MARK)

Candidate = tuple[int, int, int, int]
"""Pattern, wrong letters, start and end in the search text."""


def misreadings(
    lines: PageLines, patterns: Sequence[Pattern], findings: Sequence[LocatedMatch]
) -> list[LocatedMatch]:
    """Places in OCR lines that may be misreadings of a variant, where no hit of the same variant stands."""
    rows = lines.in_order(TextSource.OCR)
    if not rows:
        return []
    text = SearchText(lines, Segments.of([ReadingOrder(OrderKind.STREAM, *stream_order(lines, rows))]))
    taken = _taken(findings)
    possible = []
    for number, _, start, end in sorted([*_edited(text, patterns), *_look_alikes(text, patterns)]):
        parts = tuple((text.rows[segment], first, last) for segment, first, last in text.parts(start, end))
        finding = LocatedMatch(number, MatchKind.OCR_FUZZY, parts)
        if not _is_taken(taken, finding):
            possible.append(finding)
            for row, first, last in parts:
                taken[number, row].append((first, last))
    return possible


def _edited(text: SearchText, patterns: Sequence[Pattern]) -> Iterator[Candidate]:
    """Places that differ from a variant by one edit or two."""
    parts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, pattern in enumerate(patterns):
        key = pattern.forms[0].key if pattern.forms else ""
        limit = edits_allowed(len(key))
        if limit and len(key) <= MAX_LETTERS:
            cuts = [len(key) * place // (limit + 1) for place in range(limit + 2)]
            for first, last in pairwise(cuts):
                parts[key[first:last]].append((number, first))
    if not parts:
        return
    owners = list(parts.values())
    searcher = ahocorasick_rs.AhoCorasick(list(parts))
    for place, at, _ in searcher.find_matches_as_indexes(text.without_separators, overlapping=True):
        for number, offset in owners[place]:
            nearest = _nearest(text, patterns[number], at - offset)
            if nearest is not None:
                yield number, *nearest


def _nearest(text: SearchText, pattern: Pattern, expected: int) -> tuple[int, int, int] | None:
    """The nearest reading that begins around an expected place: edits, start, end."""
    # Only here: loading it takes as long as a small sweep, and most documents have no line of OCR.
    from rapidfuzz.distance.Levenshtein import distance

    key = pattern.forms[0].key
    limit = edits_allowed(len(key))
    nearest: tuple[int, int, int] | None = None
    for begin in range(max(expected - limit, 1), expected + limit + 1):
        for finish in range(begin + len(key) - limit, begin + len(key) + limit + 1):
            if finish >= len(text.positions):  # the walls at both ends of the text are not text
                break
            start, end = int(text.positions[begin]), int(text.positions[finish - 1]) + 1
            goes_on = text.classes[end] in _WORD and pattern.variant.match == "word"
            if goes_on or text.classes[start - 1] in _WORD:
                continue
            edits = distance(key, text.without_separators[begin:finish], score_cutoff=limit)
            if 0 < edits <= limit and (nearest is None or edits < nearest[0]):
                nearest = (edits, start, end)
    return nearest


def _look_alikes(text: SearchText, patterns: Sequence[Pattern]) -> Iterator[Candidate]:
    """Places where a short variant may stand with other letters that look the same."""
    looks: dict[str, list[int]] = defaultdict(list)
    for number, pattern in enumerate(patterns):
        if pattern.forms and len(pattern.forms[0].key) > 1 and not edits_allowed(len(pattern.forms[0].key)):
            looks[pattern.forms[0].key.translate(_LOOKS)].append(number)
    if not looks:
        return
    owners = list(looks.values())
    searcher = ahocorasick_rs.AhoCorasick(list(looks))
    look = text.without_separators.translate(_LOOKS)
    for place, begin, finish in searcher.find_matches_as_indexes(look, overlapping=True):
        start, end = int(text.positions[begin]), int(text.positions[finish - 1]) + 1
        if text.classes[end] in _WORD or text.classes[start - 1] in _WORD:
            continue
        read = list(filter(str.isalnum, text.verbatim(start, end)))
        for number in owners[place]:
            written = list(filter(str.isalnum, patterns[number].variant.text))
            pairs = list(zip(written, read, strict=False))
            same = [pair for pair in pairs if pair[0].casefold() == pair[1].casefold()]
            capitals = any(char.isupper() for char in written)
            # Some letter is the same, capitals included where the variant has any, and some letter is another.
            if 0 < len(same) < len(pairs) and (not capitals or all(ours == theirs for ours, theirs in same)):
                yield number, 1, start, end
