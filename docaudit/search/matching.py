"""`SearchText` and patterns in, `LocatedMatch`s out: where each pattern stands in the lines, and how it was reached.

One Aho-Corasick pass gives candidates, then boundaries and gaps of each candidate are checked. `fast_matches` and
`plain_matches` give the same matches; the second runs each variant's whole regular expression and is what the first is
tested against. `locate` leads from matches back to lines; `plainest` and `mark_nested` compare findings.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import ahocorasick_rs
import numpy as np
import regex

from docaudit.codes import POSSIBLE_KINDS, LineType, MatchKind
from docaudit.search.lines import HYPHEN, MAYBE, SIGNS, CharClass, char_class
from docaudit.search.patterns import RUN_ON, Gap, Pattern, VariantForm, fits
from docaudit.search.reading_orders import OrderKind
from docaudit.search.search_text import Ints, Part, SearchText


class Match(NamedTuple):
    """One match: pattern number, form number, first and last + 1 character in the text of the text."""

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


def _rules(pattern: Pattern, form: VariantForm) -> tuple[int, int]:
    """Rows of _LEFT and _RIGHT that decide on the neighbours of this form."""
    if pattern.bounded_left and not form.lead:
        left = 2 if pattern.first == CharClass.DIGIT else 4 if form.is_long else 1
    else:
        left = 3 if pattern.left(form) else 0
    if form.trail:
        return left, 4
    if pattern.variant.match == "word" and form.key[-1] in RUN_ON:
        return left, 3
    if pattern.bounded_right(form):
        return left, 2 if char_class(form.key[-1]) == CharClass.DIGIT else 5 if form.is_long else 1
    return left, 0


def fast_matches(text: SearchText, patterns: Sequence[Pattern]) -> list[Match]:
    """All matches of literal variants, in order of pattern and place."""
    entries: dict[str, list[tuple[int, int]]] = {}
    for number, pattern in enumerate(patterns):
        for index, form in enumerate(pattern.forms):
            entries.setdefault(form.key, []).append((number, index))
    if not entries or not text.rows:
        return []
    keys = list(entries)
    candidates = ahocorasick_rs.AhoCorasick(keys).find_matches_as_indexes(
        text.without_separators, overlapping=True
    )
    if not candidates:
        return []
    best: dict[tuple[int, int], Match] = {}
    for match in _confirmed(text, patterns, list(entries.values()), np.array(candidates, dtype=np.int64)):
        place = match.pattern, match.start
        if place not in best or match.form < best[place].form:
            best[place] = match
    return [best[place] for place in sorted(best) if is_allowed(text, patterns, best[place])]


def _confirmed(
    text: SearchText, patterns: Sequence[Pattern], owners: list[list[tuple[int, int]]], table: Ints
) -> Iterator[Match]:
    """Candidates whose boundaries and gaps fit, without those that a stream holds as well."""
    first_owner = np.cumsum([0, *map(len, owners)])[:-1]
    counts = np.array([len(owner) for owner in owners])
    flat = [entry for owner in owners for entry in owner]
    rules = np.array([_rules(patterns[n], patterns[n].forms[i]) for n, i in flat], dtype=np.int64)
    bare = np.array([patterns[n].forms[i].literal == patterns[n].forms[i].key for n, i in flat], dtype=bool)

    repeat = counts[table[:, 0]]
    rows = np.repeat(np.arange(len(table)), repeat)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    entry = first_owner[table[rows, 0]] + within
    begin, finish = table[rows, 1], table[rows, 2]
    start, end = text.positions[begin], text.positions[finish - 1] + 1
    left = _LEFT[rules[entry, 0], text.classes[start - 1]]
    right = _RIGHT[rules[entry, 1], text.classes[end]]
    alive = np.flatnonzero((left != _NO) & (right != _NO))
    alive = alive[~text.echoed(start[alive], end[alive])]
    certain = (left == _OK) & (right == _OK) & bare[entry] & (end - start == finish - begin)
    columns = (column[alive].tolist() for column in (entry, start, end, begin, left, right, certain))
    for which, first, last, at, on_left, on_right, sure in zip(*columns, strict=True):
        number, index = flat[which]
        if sure:
            yield Match(number, index, first, last)
            continue
        pattern = patterns[number]
        form = pattern.forms[index]
        if on_left == _ASK and not _look(pattern.left(form)).match(text.joined, first):
            continue
        if on_right == _ASK and not _look(pattern.right(form)).match(text.joined, last):
            continue
        if text.joined[first:last] != form.literal and not all(
            fits(gap, between) for gap, between, _ in _gaps(text, form, at)
        ):
            continue
        if not (form.lead or form.trail):
            yield Match(number, index, first, last)
            continue
        first, last = first - len(form.lead), last + len(form.trail)
        framed = text.joined[first : first + len(form.lead)] + text.joined[last - len(form.trail) : last]
        if framed == form.lead + form.trail:
            yield Match(number, index, first, last)


def _gaps(text: SearchText, form: VariantForm, begin: int) -> Iterator[tuple[str, str, int]]:
    """Gaps where the page has something between two characters, or the variant needs it: kind, what stands there,
    where. Seams that fit are left out: a line without blanks has one between any two letters.
    """
    positions = text.positions[begin : begin + len(form.key)]
    apart = np.diff(positions)
    seams = (apart == 2) & (text.classes[positions[:-1] + 1] == CharClass.MAYBE) & form.takes_seam
    for index in np.flatnonzero(((apart > 1) & ~seams) | (form.needs_something & (apart == 1))).tolist():
        left, right = int(positions[index]), int(positions[index + 1])
        yield form.gaps[index], text.joined[left + 1 : right], left + 1


def plain_matches(text: SearchText, patterns: Sequence[Pattern]) -> list[Match]:
    """The same as `fast_matches`, by running the regular expression of each form over the text."""
    best: dict[tuple[int, int], Match] = {}
    for number, pattern in enumerate(patterns):
        for index, form in enumerate(pattern.forms):
            expression = f"(?V1){pattern.left(form)}{form.pattern}{pattern.right(form)}"
            for span in (match.span() for match in regex.finditer(expression, text.joined, overlapped=True)):
                first, last = span[0] + len(form.lead), span[1] - len(form.trail)
                if not text.echoed(np.array([first]), np.array([last]))[0]:
                    best.setdefault((number, span[0]), Match(number, index, *span))
    return [best[place] for place in sorted(best) if is_allowed(text, patterns, best[place])]


def gaps_of(text: SearchText, form: VariantForm, match: Match) -> list[tuple[str, str, int]]:
    """Gaps of a match where the page or the variant has a separator or sign: kind, what stands there, its place."""
    start, end = match.start + len(form.lead), match.end - len(form.trail)
    if text.joined[start:end] == form.key:
        return []
    begin = int(text.positions.searchsorted(start))
    return list(_gaps(text, form, begin))


def is_allowed(text: SearchText, patterns: Sequence[Pattern], match: Match) -> bool:
    """Whether a match keeps the rules that no regular expression can state: capitals as on the page, stray blanks
    inside words, and words that lost the blank beside a long phrase.
    """
    pattern = patterns[match.pattern]
    form = pattern.forms[match.form]
    if pattern.sensitive and letters_of(text.verbatim(match.start, match.end)) != letters_of(form.cased):
        return False
    if form.is_long:  # letters right before or after it must be a word that the document knows
        glued = []
        if pattern.bounded_right(form) and text.classes[match.end] == CharClass.LETTER:
            glued.append(_word_ahead(text.joined, match.end))
        if pattern.bounded_left and not form.lead and text.classes[match.start - 1] == CharClass.LETTER:
            glued.append(_word_behind(text.joined, match.start))
        if not all(len(word) >= 2 and text.words[word] > 0 for word in glued if word):
            return False
    if match.end - match.start == len(form.key) or text.joined[match.start : match.end] == form.literal:
        return True
    return all(
        text.is_stray(_word_behind(text.joined, place), _word_ahead(text.joined, place + len(between)))
        for gap, between, place in gaps_of(text, form, match)
        if gap in (Gap.WORD, Gap.WORD_STRICT) and len(between) == 1 and between not in MAYBE + HYPHEN
    )


def _word_ahead(text: str, place: int) -> str:
    """Letters from a place on."""
    match = _WORD_AHEAD.match(text, place)
    return match[0] if match else ""


def _word_behind(text: str, place: int) -> str:
    """Letters before a place, of a word of up to 60."""
    match = _WORD_BEHIND.search(text[max(place - 60, 0) : place])
    return match[0] if match else ""


@lru_cache(maxsize=10_000)
def letters_of(text: str) -> str:
    """Letters of a text in its own capitals, of compatibility forms the plain ones; accents are compared before."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if char.isalpha())


RANK = {kind: rank for rank, kind in enumerate(MatchKind)}
"""Kinds of match from the plainest to the least plain."""


class LocatedMatch(NamedTuple):
    """A match with its lines: (row, first character, last character + 1) in order of reading."""

    pattern: int
    kind: MatchKind
    parts: tuple[Part, ...]

    @property
    def place(self) -> tuple[int, int, int, int, int]:
        """What makes two findings one: variant, and where it begins and ends."""
        row, first, _ = self.parts[0]
        end_row, _, last = self.parts[-1]
        return (self.pattern, row, first, end_row, last)


def locate(text: SearchText, patterns: Sequence[Pattern], matches: Sequence[Match]) -> list[LocatedMatch]:
    """Where each match lies in the lines, and how it was reached."""
    if not matches:
        return []
    starts = np.fromiter((match.start for match in matches), dtype=np.int64, count=len(matches))
    ends = np.fromiter((match.end for match in matches), dtype=np.int64, count=len(matches))
    first = text.starts.searchsorted(starts, side="right") - 1
    last = text.starts.searchsorted(ends - 1, side="right") - 1
    offsets = text.starts[first].tolist()
    return [
        _in_line(text, patterns, match, number, offset)
        if number == end
        else _over_segments(text, patterns, match)
        for match, number, end, offset in zip(matches, first.tolist(), last.tolist(), offsets, strict=True)
    ]


def _in_line(
    text: SearchText, patterns: Sequence[Pattern], match: Match, number: int, offset: int
) -> LocatedMatch:
    """A match inside one segment; the common case, kept quick."""
    row = text.rows[number]
    source = text.source_map(number)
    begin, end = match.start - offset, match.end - offset
    if isinstance(source, range):
        first, last = begin, end
    else:
        covered = source[begin:end]
        first, last = min(covered), max(covered) + 1
    pattern = patterns[match.pattern]
    shown = text.lines.text[row][first:last]
    floor = text.plainest_kind(number)
    if pattern.forms[match.form].is_long and CharClass.LETTER in text.classes[[match.start - 1, match.end]]:
        kind = MatchKind.SQUEEZED  # glued to a word that lost its blank
    elif shown == pattern.variant.text:
        kind = floor
    elif text.texts[number][begin:end] == pattern.forms[match.form].literal:
        kind = MatchKind.FOLDED if floor is MatchKind.EXACT else floor
    else:
        kind = _kind(text, pattern, match, [(number, first, last)])
    return LocatedMatch(match.pattern, kind, ((row, first, last),))


def _over_segments(text: SearchText, patterns: Sequence[Pattern], match: Match) -> LocatedMatch:
    parts = text.parts(match.start, match.end)
    rows: list[Part] = []
    for number, first, last in parts:
        row = text.rows[number]
        if rows and rows[-1][0] == row:  # two segments of one line
            rows[-1] = (row, min(rows[-1][1], first), max(rows[-1][2], last))
        else:
            rows.append((row, first, last))
    return LocatedMatch(match.pattern, _kind(text, patterns[match.pattern], match, parts), tuple(rows))


def _kind(text: SearchText, pattern: Pattern, match: Match, parts: list[Part]) -> MatchKind:
    rows = [text.rows[number] for number, _, _ in parts]
    pages = {text.lines.sheet[row] for row in rows}
    if len(pages) > 1:
        return MatchKind.ACROSS_PAGES  # whatever else happened on the way, a reader must look at two pages
    kinds = [text.plainest_kind(number) for number, _, _ in parts]
    if len(parts) == 1:
        shown = text.lines.text[rows[0]][parts[0][1] : parts[0][2]]
        if shown == pattern.variant.text:
            return kinds[0]
        kinds.append(MatchKind.FOLDED)
    elif len(set(rows)) > 1:
        lines = text.lines
        apart = len({lines.block[row] for row in rows}) > 1 or any(
            lines.line_type[row] == LineType.TABLE for row in rows
        )
        beside = text.kinds[parts[0][0]] in (OrderKind.COLUMN, OrderKind.ROW)
        kinds.append(MatchKind.ACROSS_CELLS if apart and beside else MatchKind.ACROSS_LINES)
    for gap, between, _ in gaps_of(text, pattern.forms[match.form], match):
        inside = gap in (Gap.WORD, Gap.WORD_STRICT)
        if inside and "-" in between:
            kinds.append(MatchKind.DEHYPHENATED)
        elif any(sign in between for sign in SIGNS) and not gap.endswith(Gap.PUNCTUATION):
            kinds.append(MatchKind.ACROSS_SIGNS)
        elif (inside and between != "\x1c") or (gap == Gap.COMPOUND and not between):
            kinds.append(MatchKind.SQUEEZED)
    return max(kinds, key=RANK.__getitem__)


def plainest(findings: Sequence[LocatedMatch]) -> list[LocatedMatch]:
    """Each place once, with the plainest way in which it was reached."""
    best: dict[tuple[int, int, int, int, int], LocatedMatch] = {}
    for finding in findings:
        first = best.setdefault(finding.place, finding)
        if RANK[finding.kind] < RANK[first.kind]:
            best[finding.place] = finding
    return list(best.values())


def mark_nested(
    findings: Sequence[LocatedMatch], concepts: Sequence[str], order: Sequence[int]
) -> list[bool]:
    """For each finding whether it lies inside a longer one of the same concept.

    Args:
        findings: The findings.
        concepts: Concept of each pattern.
        order: Place of each row in the order of reading.
    """
    groups: dict[str, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for number, finding in enumerate(findings):
        if finding.kind in POSSIBLE_KINDS:  # what only may be a hit takes nothing away from a hit
            continue
        (row, first, _), (end_row, _, last) = finding.parts[0], finding.parts[-1]
        groups[concepts[finding.pattern]].append((order[row], first, order[end_row], last, number))
    nested = [False] * len(findings)
    for spans in groups.values():
        spans.sort(key=lambda span: (span[0], span[1], -span[2], -span[3]))
        widest = (-1, -1)
        opened = (-1, -1)
        for row, first, end_row, last, number in spans:
            if (end_row, last) <= widest and (opened != (row, first) or (end_row, last) != widest):
                nested[number] = True
            elif (end_row, last) > widest:
                widest, opened = (end_row, last), (row, first)
    return nested
