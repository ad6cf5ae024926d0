"""Variants whose letters stand on the page with other accents: "resume" where the page has "résumé", or the reverse.

Often the same word (a text layer that lost its accents), often another one (Bar and Bär): so these places are listed
and counted apart, and a person must look. Only the order of the lines is searched, not every way they may continue.

Lines read by OCR, swept once more for misreadings: a few wrong letters, listed apart and never counted
as hits.

If at most k letters of a variant are wrong, one of k + 1 parts of it stands on the page unchanged. These
parts are searched in one pass; what surrounds each is then compared letter by letter. Short variants (AI, ESG) allow no
wrong letter but one that looks like another in most typefaces: "Al" may be "AI".
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import ahocorasick_rs

from docaudit.codes import PAGE_SOURCES, MatchKind, TextSource
from docaudit.search.flows import Flow, FlowKind, Pieces, around, stream_order
from docaudit.search.lines import CharClass, PageLines, searchable_map
from docaudit.search.matching import Corpus, Found, fast_matches, locate
from docaudit.search.patterns import Pattern, compile_variant
from docaudit.search.readings import Reading
from docaudit.text.folding import fold

ACCENT = re.compile("[\u0300-\u036f]")
"""Accents of Latin, Greek and Cyrillic letters; the voicing marks of kana are no accents."""


def accent_found(corpus: Corpus, patterns: Sequence[Pattern], found: Sequence[Found]) -> list[Found]:
    """Places that differ from a variant in nothing but accents, where no hit of the same variant stands."""
    lines = corpus.lines
    plain = [_without_accents(pattern) for pattern in patterns]
    changed = [new is not old for new, old in zip(plain, patterns, strict=True)]
    searched: list[Found] = []
    if any(changed):
        numbers = [number for number, is_changed in enumerate(changed) if is_changed]
        some = [plain[number] for number in numbers]
        matches = fast_matches(corpus, some)
        searched += [one._replace(pattern=numbers[one.pattern]) for one in locate(corpus, some, matches)]
    bare = _without(corpus)
    if bare is not None:
        searched += locate(bare, plain, fast_matches(bare, plain))
    if not searched:
        return []
    taken: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for one in found:
        for row, first, last in one.parts:
            taken[one.pattern, row].append((first, last))
    out: dict[tuple[int, ...], Found] = {}
    for one in searched:
        shown = fold("".join(lines.text[row][first:last] for row, first, last in one.parts))
        written = {_accents(form.literal) for form in patterns[one.pattern].forms}
        if _accents(shown) not in written and not any(
            first < end and start < last
            for row, first, last in one.parts
            for start, end in taken.get((one.pattern, row), ())
        ):
            out[one.place] = Found(one.pattern, MatchKind.ACCENTS_DIFFER, one.parts)
    return list(out.values())


def _without(corpus: Corpus) -> Corpus | None:
    """The neighbourhoods of lines with accents, without them; None if no line has one. The same for every table."""
    if corpus.bare is False:
        hang_on(corpus, Pieces.of(bare_flows(corpus.lines)))
    return corpus.bare or None


def hang_on(corpus: Corpus, pieces: Pieces) -> None:
    """Keep these pieces with the corpus, as what its lines are without accents."""
    corpus.bare = Corpus(corpus.lines, pieces, corpus) if pieces.rows else None


def bare_flows(lines: PageLines) -> list[Flow]:
    """The neighbourhoods of lines with accents, without them."""
    return list(_flows(lines))


def _accents(folded: str) -> tuple[tuple[int, str], ...]:
    """The accents of a folded text, each with the number of letters before it."""
    letters, out = 0, []
    for char in folded:
        if ACCENT.match(char):
            out.append((letters, char))
        letters += char.isalnum()
    return tuple(out)


def _without_accents(pattern: Pattern) -> Pattern:
    """The same pattern if it has no accents."""
    if pattern.variant.text.isascii() or pattern.variant.match == "regex":
        return pattern
    if not any(ACCENT.search(form.literal) for form in pattern.forms):
        return pattern
    parts = unicodedata.normalize("NFD", pattern.variant.text)
    text = unicodedata.normalize("NFC", ACCENT.sub("", parts))
    return compile_variant(pattern.variant.model_copy(update={"text": text}))


def _flows(lines: PageLines) -> Iterator[Flow]:
    for source in sorted(PAGE_SOURCES):
        rows = lines.in_order(source)
        table = {row: _bare(lines.text[row]) for row in rows if ACCENT.search(lines.search[row])}
        if table:
            yield from around(lines, stream_order(lines, rows), table)


def _bare(text: str) -> Reading:
    folded, source = searchable_map(text)
    kept = [place for place, char in enumerate(folded) if not ACCENT.match(char)]
    return (
        "".join(folded[place] for place in kept),
        tuple(source[place] for place in kept),
        MatchKind.ACCENTS_DIFFER,
    )


ONE_EDIT, TWO_EDITS = 5, 10
"""Letters from which one wrong letter is allowed, and from which two are."""
MAX_LETTERS = 80
"""Longer variants are not compared: their wrong letters would be too many to tell anything."""

_LOOKS = str.maketrans("l1|0582", "iiiosbz")
"""Of letters that look alike after folding, one."""
_WORD = (CharClass.LETTER, CharClass.DIGIT, CharClass.MARK)


def fuzzy_found(lines: PageLines, patterns: Sequence[Pattern], found: Sequence[Found]) -> list[Found]:
    """Possible misreadings of variants in OCR lines, where no hit of the same variant stands.

    Args:
        lines: The document.
        patterns: The compiled variants.
        found: What was found exactly.
    """
    rows = lines.in_order(TextSource.OCR)
    if not rows:
        return []
    corpus = Corpus(lines, Pieces.of([Flow(FlowKind.STREAM, *stream_order(lines, rows))]))
    taken: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for one in found:
        taken[one.pattern] += one.parts
    out = []
    for number, _, start, end in sorted([*_candidates(corpus, patterns), *_look_alikes(corpus, patterns)]):
        parts = tuple((corpus.rows[piece], first, last) for piece, first, last in corpus.parts(start, end))
        if any(_overlap(part, other) for part in parts for other in taken[number]):
            continue
        taken[number] += parts
        out.append(Found(number, MatchKind.OCR_FUZZY, parts))
    return out


def _overlap(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return one[0] == other[0] and one[1] < other[2] and other[1] < one[2]


def _candidates(corpus: Corpus, patterns: Sequence[Pattern]) -> Iterator[tuple[int, int, int, int]]:
    """Places that differ from a variant by one edit or two: pattern, edits, start, end."""
    parts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, pattern in enumerate(patterns):
        if pattern.forms and ONE_EDIT <= len(pattern.forms[0].key) <= MAX_LETTERS:
            key = pattern.forms[0].key
            cuts = _cuts(key)
            for first, last in pairwise(cuts):
                parts[key[first:last]].append((number, first))
    if not parts:
        return
    owners = list(parts.values())
    searcher = ahocorasick_rs.AhoCorasick(list(parts))
    for place, start, _ in searcher.find_matches_as_indexes(corpus.squeezed, overlapping=True):
        for number, offset in owners[place]:
            best = _best(corpus, patterns[number], start - offset)
            if best is not None:
                yield (number, *best)


def _look_alikes(corpus: Corpus, patterns: Sequence[Pattern]) -> Iterator[tuple[int, int, int, int]]:
    """Places where a short variant may stand with other letters that look the same: pattern, 1, start, end."""
    looks: dict[str, list[int]] = defaultdict(list)
    for number, pattern in enumerate(patterns):
        if pattern.forms and 1 < len(pattern.forms[0].key) < ONE_EDIT:
            looks[pattern.forms[0].key.translate(_LOOKS)].append(number)
    if not looks:
        return
    owners = list(looks.values())
    searcher = ahocorasick_rs.AhoCorasick(list(looks))
    squeezed = corpus.squeezed.translate(_LOOKS)
    for place, begin, finish in searcher.find_matches_as_indexes(squeezed, overlapping=True):
        start, end = int(corpus.positions[begin]), int(corpus.positions[finish - 1]) + 1
        if corpus.classes[end] in _WORD or corpus.classes[start - 1] in _WORD:
            continue
        for number in owners[place]:
            if _may_be(patterns[number], corpus, start, end):
                yield (number, 1, start, end)


def _may_be(pattern: Pattern, corpus: Corpus, start: int, end: int) -> bool:
    """Some letter is the same, capitals included where the variant has any, and some letter is another."""
    parts = corpus.parts(start, end)
    read = "".join(corpus.lines.text[corpus.rows[piece]][first:last] for piece, first, last in parts)
    wanted = [char for char in pattern.variant.text if char.isalnum()]
    pairs = list(zip(wanted, filter(str.isalnum, read), strict=False))
    same = [(one, other) for one, other in pairs if one.casefold() == other.casefold()]
    capitals = any(char.isupper() for char in wanted)
    return 0 < len(same) < len(pairs) and (not capitals or all(one == other for one, other in same))


def edits_allowed(key: str) -> int:
    """How many letters of a variant may be wrong."""
    return 0 if len(key) < ONE_EDIT else 1 if len(key) < TWO_EDITS else 2


def _cuts(key: str) -> list[int]:
    pieces = edits_allowed(key) + 1
    return [len(key) * place // pieces for place in range(pieces + 1)]


def _best(corpus: Corpus, pattern: Pattern, expected: int) -> tuple[int, int, int] | None:
    """The nearest reading that begins around an expected place of the squeezed text: edits, start, end."""
    key = pattern.forms[0].key
    limit = edits_allowed(key)
    best: tuple[int, int, int] | None = None
    for begin in range(max(expected - limit, 1), expected + limit + 1):
        for finish in range(begin + len(key) - limit, begin + len(key) + limit + 1):
            if finish >= len(corpus.positions):  # the walls at both ends of the flow are not text
                break
            start, end = int(corpus.positions[begin]), int(corpus.positions[finish - 1]) + 1
            goes_on = corpus.classes[end] in _WORD and pattern.variant.match == "word"
            if goes_on or corpus.classes[start - 1] in _WORD:
                continue
            edits = distance(key, corpus.squeezed[begin:finish], limit)
            if 0 < edits <= limit and (best is None or edits < best[0]):
                best = (edits, start, end)
    return best


def distance(one: str, other: str, limit: int) -> int:
    """Edit distance (insert, delete, replace) of two texts; limit + 1 if it is greater than limit."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for index, char in enumerate(one, 1):
        before, row = row, [index]
        for place, against in enumerate(other, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (char != against)))
        if min(row) > limit:
            return limit + 1
    return row[-1]
