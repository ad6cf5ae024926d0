"""Variants whose letters stand on the page with other accents: "resume" where the page has "résumé", or the reverse.

Often the same word (a text layer that lost its accents), often another one (Bar and Bär): so these places are listed
and counted apart, and a person must look. Only the order of the lines is searched, not every way they may continue.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

from docaudit.location import PAGE_SOURCES, MatchKind
from docaudit.search.findings import Found, locate
from docaudit.search.flows import Flow, around, stream_order
from docaudit.search.matching import fast_matches
from docaudit.search.normalize import fold, searchable_map
from docaudit.search.pagelines import PageLines
from docaudit.search.patterns import Pattern, compile_variant
from docaudit.search.pieces import Pieces
from docaudit.search.readings import Reading
from docaudit.search.searchable import Corpus

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
