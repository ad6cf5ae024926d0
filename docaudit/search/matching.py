"""Every pattern over every flow: one Aho-Corasick pass for candidates, then boundaries and gaps of each
candidate.

`fast_matches` and `plain_matches` give the same matches; the second runs each variant's whole regular
expression and is what the first is tested against.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import ahocorasick_rs
import numpy as np
import regex

from docaudit.search.gaps import Gap, fits
from docaudit.search.patterns import RUN_ON, Form, Pattern
from docaudit.search.scripts import HYPHEN, MAYBE, CharClass, char_class
from docaudit.search.searchable import Corpus, Ints


class Match(NamedTuple):
    """One match: pattern number, form number, first and last + 1 character in the text of the corpus."""

    pattern: int
    form: int
    start: int
    end: int


_WORD_AHEAD, _WORD_BEHIND = regex.compile(r"[\p{L}\p{M}]*"), regex.compile(r"[\p{L}\p{M}]*$")

_OK, _NO, _ASK = 1, 0, 2


def _actions(refused: str, asked: str) -> list[int]:
    """For each class of a neighbour: refuse, accept, or ask the look-around."""
    table = [_OK] * (CharClass.SIGN + 1)
    for name in asked.split():
        table[CharClass[name]] = _ASK
    for name in refused.split():
        table[CharClass[name]] = _NO
    return table


_LEFT = np.array(
    [
        _actions("", ""),
        _actions("LETTER MARK", "DIGIT MAYBE"),
        _actions("LETTER MARK DIGIT", "OTHER MAYBE"),
        _actions("", "OTHER"),
        _actions("MARK", "LETTER DIGIT MAYBE"),
    ],
    dtype=np.uint8,
)
_RIGHT = np.array(
    [
        _actions("MARK FREE_MARK", ""),
        _actions("LETTER MARK FREE_MARK", "DIGIT MAYBE"),
        _actions("LETTER MARK FREE_MARK DIGIT", "OTHER MAYBE"),
        _actions("", "OTHER"),
        _actions("", ""),
        _actions("MARK FREE_MARK", "LETTER DIGIT MAYBE"),
    ],
    dtype=np.uint8,
)


@lru_cache(maxsize=1000)
def _look(expression: str) -> regex.Pattern[str]:
    return regex.compile("(?V1)" + expression)


def _left_rule(pattern: Pattern, form: Form) -> int:
    if pattern.bounded_left and not form.lead:
        return 2 if pattern.first == CharClass.DIGIT else 4 if form.is_long else 1
    return 3 if pattern.left(form) else 0


def _right_rule(pattern: Pattern, form: Form) -> int:
    if form.trail:
        return 4
    if pattern.variant.match == "word" and form.key[-1] in RUN_ON:
        return 3
    if pattern.bounded_right(form):
        return 2 if char_class(form.key[-1]) == CharClass.DIGIT else 5 if form.is_long else 1
    return 0


def fast_matches(corpus: Corpus, patterns: Sequence[Pattern]) -> list[Match]:
    """All matches of literal variants, in order of pattern and place."""
    entries: dict[str, list[tuple[int, int]]] = {}
    for number, pattern in enumerate(patterns):
        for index, form in enumerate(pattern.forms):
            entries.setdefault(form.key, []).append((number, index))
    if not entries or not corpus.rows:
        return []
    keys = list(entries)
    found = ahocorasick_rs.AhoCorasick(keys).find_matches_as_indexes(corpus.squeezed, overlapping=True)
    if not found:
        return []
    best: dict[tuple[int, int], Match] = {}
    for match in _confirmed(corpus, patterns, list(entries.values()), np.array(found, dtype=np.int64)):
        place = match.pattern, match.start
        known = best.get(place)
        if known is None or match.form < known.form:
            best[place] = match
    return [best[place] for place in sorted(best) if is_allowed(corpus, patterns, best[place])]


def _confirmed(
    corpus: Corpus, patterns: Sequence[Pattern], owners: list[list[tuple[int, int]]], table: Ints
) -> Iterator[Match]:
    """Candidates whose boundaries and gaps fit, without those that a stream holds as well."""
    first_owner = np.cumsum([0, *map(len, owners)])[:-1]
    counts = np.array([len(owner) for owner in owners])
    flat = [entry for owner in owners for entry in owner]
    left_rules = np.array([_left_rule(patterns[n], patterns[n].forms[i]) for n, i in flat], dtype=np.int64)
    right_rules = np.array([_right_rule(patterns[n], patterns[n].forms[i]) for n, i in flat], dtype=np.int64)
    bare = np.array([patterns[n].forms[i].literal == patterns[n].forms[i].key for n, i in flat], dtype=bool)

    repeat = counts[table[:, 0]]
    rows = np.repeat(np.arange(len(table)), repeat)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    entry = first_owner[table[rows, 0]] + within
    begin, finish = table[rows, 1], table[rows, 2]
    start, end = corpus.positions[begin], corpus.positions[finish - 1] + 1
    left = _LEFT[left_rules[entry], corpus.classes[start - 1]]
    right = _RIGHT[right_rules[entry], corpus.classes[end]]
    alive = np.flatnonzero((left != _NO) & (right != _NO))
    alive = alive[~corpus.echoed(start[alive], end[alive])]
    certain = (left == _OK) & (right == _OK) & bare[entry] & (end - start == finish - begin)
    columns = (column[alive].tolist() for column in (entry, start, end, begin, left, right, certain))
    for which, first, last, at, on_left, on_right, sure in zip(*columns, strict=True):
        number, index = flat[which]
        if sure:
            yield Match(number, index, first, last)
            continue
        pattern = patterns[number]
        form = pattern.forms[index]
        if on_left == _ASK and not _look(pattern.left(form)).match(corpus.text, first):
            continue
        if on_right == _ASK and not _look(pattern.right(form)).match(corpus.text, last):
            continue
        if not _gaps_fit(corpus, form, first, last, at):
            continue
        if not (form.lead or form.trail):
            yield Match(number, index, first, last)
            continue
        first, last = first - len(form.lead), last + len(form.trail)
        framed = corpus.text[first : first + len(form.lead)] + corpus.text[last - len(form.trail) : last]
        if framed == form.lead + form.trail:
            yield Match(number, index, first, last)


def _gaps_fit(corpus: Corpus, form: Form, start: int, end: int, begin: int) -> bool:
    if corpus.text[start:end] == form.literal:
        return True
    return all(fits(gap, between) for gap, between, _ in _gaps(corpus, form, begin))


def _gaps(corpus: Corpus, form: Form, begin: int) -> Iterator[tuple[str, str, int]]:
    """Gaps where the page has something between two characters, or the variant needs it: kind, what stands there,
    where. Seams that fit are left out: a line without blanks has one between any two letters.
    """
    positions = corpus.positions[begin : begin + len(form.key)]
    apart = np.diff(positions)
    seams = (apart == 2) & (corpus.classes[positions[:-1] + 1] == CharClass.MAYBE) & form.takes_seam
    for index in np.flatnonzero(((apart > 1) & ~seams) | (form.needs_something & (apart == 1))).tolist():
        left, right = int(positions[index]), int(positions[index + 1])
        yield form.gaps[index], corpus.text[left + 1 : right], left + 1


def plain_matches(corpus: Corpus, patterns: Sequence[Pattern]) -> list[Match]:
    """The same as `fast_matches`, by running the regular expression of each form over the text."""
    best: dict[tuple[int, int], Match] = {}
    for number, pattern in enumerate(patterns):
        for index, form in enumerate(pattern.forms):
            expression = f"(?V1){pattern.left(form)}{form.pattern}{pattern.right(form)}"
            for found in regex.finditer(expression, corpus.text, overlapped=True):
                first, last = found.start() + len(form.lead), found.end() - len(form.trail)
                if not corpus.echoed(np.array([first]), np.array([last]))[0]:
                    best.setdefault((number, found.start()), Match(number, index, *found.span()))
    return [best[place] for place in sorted(best) if is_allowed(corpus, patterns, best[place])]


def gaps_of(corpus: Corpus, form: Form, match: Match) -> list[tuple[str, str, int]]:
    """Gaps of a match where the page or the variant has a separator or sign: kind, what stands there, where it
    begins.
    """
    start, end = match.start + len(form.lead), match.end - len(form.trail)
    if corpus.text[start:end] == form.key:
        return []
    begin = int(corpus.positions.searchsorted(start))
    return list(_gaps(corpus, form, begin))


def is_allowed(corpus: Corpus, patterns: Sequence[Pattern], match: Match) -> bool:
    """The two rules that no regular expression can state: capitals as on the page, and stray blanks inside
    words.
    """
    pattern = patterns[match.pattern]
    form = pattern.forms[match.form]
    if pattern.sensitive and not _same_capitals(corpus, form, match):
        return False
    if form.is_long and not _glue_allowed(corpus, pattern, form, match):
        return False
    if match.end - match.start == len(form.key) or corpus.text[match.start : match.end] == form.literal:
        return True
    return all(
        _fragments_allowed(corpus, place, place + len(between))
        for gap, between, place in gaps_of(corpus, form, match)
        if gap in (Gap.WORD, Gap.WORD_STRICT) and len(between) == 1 and between not in MAYBE + HYPHEN
    )


def _glue_allowed(corpus: Corpus, pattern: Pattern, form: Form, match: Match) -> bool:
    """Whether letters right before or after a long phrase are a known word that merely lost its blank."""
    after = before = ""
    if pattern.bounded_right(form) and corpus.classes[match.end] == CharClass.LETTER:
        after = _word_ahead(corpus.text, match.end)
    if pattern.bounded_left and not form.lead and corpus.classes[match.start - 1] == CharClass.LETTER:
        before = _word_behind(corpus.text, match.start)
    return all(len(rest) >= 2 and corpus.words[rest] > 0 for rest in (after, before) if rest)


def _fragments_allowed(corpus: Corpus, start: int, end: int) -> bool:
    return corpus.is_stray(_word_behind(corpus.text, start), _word_ahead(corpus.text, end))


def _word_ahead(text: str, place: int) -> str:
    """Letters from a place on."""
    found = _WORD_AHEAD.match(text, place)
    return found[0] if found else ""


def _word_behind(text: str, place: int) -> str:
    """Letters before a place, of a word of up to 60."""
    found = _WORD_BEHIND.search(text[max(place - 60, 0) : place])
    return found[0] if found else ""


def _same_capitals(corpus: Corpus, form: Form, match: Match) -> bool:
    shown = "".join(
        corpus.lines.text[corpus.rows[number]][first:last]
        for number, first, last in corpus.parts(match.start, match.end)
    )
    return letters_of(shown) == letters_of(form.cased)


@lru_cache(maxsize=10_000)
def letters_of(text: str) -> str:
    """Letters of a text in its own capitals, of compatibility forms the plain ones; accents are compared before."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if char.isalpha())
