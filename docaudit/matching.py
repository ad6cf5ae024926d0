"""Every pattern over every flow: one Aho-Corasick pass for candidates, then boundaries and gaps of each candidate.

`fast_matches` and `plain_matches` give the same matches; the second runs each variant's whole regular expression and
is what the first is tested against.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import ahocorasick_rs
import numpy as np
import numpy.typing as npt
import regex

from docaudit.flows import Flow, FlowKind, Piece
from docaudit.gaps import Gap, fits, squeezed
from docaudit.location import MatchKind
from docaudit.normalize import searchable_map
from docaudit.pagelines import PageLines
from docaudit.patterns import RUN_ON, Form, Pattern
from docaudit.scripts import MAYBE, SEPARATORS, WALL, CharClass, classes_of, codes_of

Ints = npt.NDArray[np.int64]

_FUNCTION_WORDS = frozenset(
    "a an the in of to be for on at by as is it no so or and we he me my us up do go if am are was not but his her "
    "all any can may our out per she too its has had who de la le les un une der die das den des et en el y da do".split()
)
"""Words that stand before any other: a blank beside one of them is never taken for a stray one."""


class Corpus:
    """All flows of a document in one text, with what is needed to search it and to find the way back."""

    def __init__(self, lines: PageLines, flows: Sequence[Flow]) -> None:
        self.lines = lines
        self.pieces: list[Piece] = [piece for flow in flows for piece in flow.pieces]
        self.kinds: list[FlowKind] = [flow.kind for flow in flows for _ in flow.pieces]
        self.text = "".join([part for piece in self.pieces for part in (piece.before, piece.text)]) + WALL
        lengths = np.array([len(piece.text) + len(piece.before) for piece in self.pieces], dtype=np.int64)
        before = np.array([len(piece.before) for piece in self.pieces], dtype=np.int64)
        self.starts: Ints = np.cumsum(lengths) - lengths + before
        codes = codes_of(self.text)
        self.classes = classes_of(codes)
        kept = (self.classes != CharClass.SEPARATOR) & (self.classes != CharClass.MAYBE)
        self.positions: Ints = np.flatnonzero(kept)
        self.squeezed = codes[kept].tobytes().decode("utf-32-le")
        self._maps: dict[int, Sequence[int]] = {}
        streams = (FlowKind.STREAM, FlowKind.PART)
        self.is_echo = np.array(
            [
                kind not in streams and piece.source is None and piece.floor == MatchKind.EXACT
                for piece, kind in zip(self.pieces, self.kinds, strict=True)
            ],
            dtype=bool,
        )
        """Whether a match inside this piece alone is found in a stream as well."""

    def piece_at(self, offset: int) -> int:
        """Number of the piece in which a character of the text lies."""
        return int(self.starts.searchsorted(offset, side="right")) - 1

    def echoes(self, match: Match) -> bool:
        """Whether a match lies inside one piece that a stream holds as well."""
        number = self.piece_at(match.start)
        return bool(self.is_echo[number]) and self.piece_at(match.end - 1) == number

    def source_map(self, number: int) -> Sequence[int]:
        """For each character of a piece the index of the character in its line."""
        piece = self.pieces[number]
        if piece.source is not None:
            return piece.source
        row = piece.row
        known = self._maps.get(row)
        if known is None:
            text = self.lines.text[row]
            plain = text.isascii() and len(text) == len(piece.text)
            known = range(len(text)) if plain else searchable_map(text)[1]
            self._maps[row] = known
        return known

    def parts(self, start: int, end: int) -> list[tuple[int, int, int]]:
        """The lines that a span covers: for each its piece and the first and last + 1 character in the line."""
        out = []
        for number in range(self.piece_at(start), self.piece_at(end - 1) + 1):
            first = max(start - int(self.starts[number]), 0)
            last = min(end - int(self.starts[number]), len(self.pieces[number].text))
            covered = self.source_map(number)[first:last]
            if covered:
                out.append((number, min(covered), max(covered) + 1))
        return out

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word stands in the document, by its streams."""
        streams = (FlowKind.STREAM, FlowKind.PART)
        text = " ".join(
            piece.text for piece, kind in zip(self.pieces, self.kinds, strict=True) if kind in streams
        )
        self._stream_text = text
        return Counter(regex.findall(r"[\p{L}\p{M}]+", text))

    @lru_cache(maxsize=10_000)  # noqa: B019 - lives as long as the corpus, one sweep
    def is_stray(self, left: str, right: str) -> bool:
        """Whether a blank or break between two fragments may lie inside a word.

        It may if one of them stands nowhere else in the document as a word; next to a function word it never may.
        """
        if left in _FUNCTION_WORDS or right in _FUNCTION_WORDS:
            return False
        together = max(self._count_pair(left, right), 1)
        single = len(left) == 1 or len(right) == 1
        return single or self.words[left] <= together or self.words[right] <= together

    def _count_pair(self, left: str, right: str) -> int:
        if not self.words:
            return 0
        return sum(self._stream_text.count(f"{left}{gap}{right}") for gap in (" ", "\n"))


@dataclass(frozen=True, slots=True)
class Match:
    """One match: pattern number, form number, first and last + 1 character in the text of the corpus."""

    pattern: int
    form: int
    start: int
    end: int


_OK, _NO, _ASK = 1, 0, 2


def _actions(refused: str, asked: str) -> list[int]:
    """For each class of a neighbour: refuse, accept, or ask the look-around."""
    table = [_OK] * 8
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
    ],
    dtype=np.uint8,
)


@lru_cache(maxsize=1000)
def _look(expression: str) -> regex.Pattern[str]:
    return regex.compile("(?V1)" + expression)


def _left_rule(pattern: Pattern, form: Form) -> int:
    if pattern.bounded_left and not form.lead:
        return 2 if pattern.first == CharClass.DIGIT else 1
    return 3 if pattern.left(form) else 0


def _right_rule(pattern: Pattern, form: Form) -> int:
    if form.trail:
        return 4
    if pattern.variant.match == "word" and form.key[-1] in RUN_ON:
        return 3
    if pattern.bounded_right(form):
        return 2 if form.key[-1].isdigit() else 1
    return 0


def fast_matches(corpus: Corpus, patterns: Sequence[Pattern]) -> list[Match]:
    """All matches of literal variants, in order of pattern and place."""
    entries: dict[str, list[tuple[int, int]]] = {}
    for number, pattern in enumerate(patterns):
        for index, form in enumerate(pattern.forms):
            entries.setdefault(form.key, []).append((number, index))
    if not entries or not corpus.pieces:
        return []
    keys = list(entries)
    found = ahocorasick_rs.AhoCorasick(keys).find_matches_as_indexes(corpus.squeezed, overlapping=True)
    if not found:
        return []
    table = np.array(found, dtype=np.int64)
    best: dict[tuple[int, int], tuple[int, int]] = {}
    for number, index, start, end in _confirmed(corpus, patterns, list(entries.values()), table):
        known = best.get((number, start))
        if known is None or index < known[0]:
            best[(number, start)] = (index, end)
    made = (Match(number, index, start, end) for (number, start), (index, end) in best.items())
    return sorted(
        (match for match in made if is_allowed(corpus, patterns, match)),
        key=lambda match: (match.pattern, match.start),
    )


def _confirmed(
    corpus: Corpus, patterns: Sequence[Pattern], owners: list[list[tuple[int, int]]], table: Ints
) -> Iterator[tuple[int, int, int, int]]:
    """Candidates whose boundaries and gaps fit: pattern, form, start, end."""
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
    inside = corpus.starts.searchsorted(start[alive], side="right") - 1
    ends_inside = corpus.starts.searchsorted(end[alive] - 1, side="right") - 1 == inside
    alive = alive[~(ends_inside & corpus.is_echo[inside])]
    certain = (left == _OK) & (right == _OK) & bare[entry] & (end - start == finish - begin)
    for place in alive.tolist():
        number, index = flat[entry[place]]
        first, last = int(start[place]), int(end[place])
        if certain[place]:
            yield number, index, first, last
            continue
        pattern = patterns[number]
        form = pattern.forms[index]
        if left[place] == _ASK and not _look(pattern.left(form)).match(corpus.text, first):
            continue
        if right[place] == _ASK and not _look(pattern.right(form)).match(corpus.text, last):
            continue
        if not _gaps_fit(corpus, form, first, last, int(begin[place])):
            continue
        first, last = first - len(form.lead), last + len(form.trail)
        framed = corpus.text[first : first + len(form.lead)] + corpus.text[last - len(form.trail) : last]
        if framed == form.lead + form.trail:
            yield number, index, first, last


def _gaps_fit(corpus: Corpus, form: Form, start: int, end: int, begin: int) -> bool:
    span = corpus.text[start:end]
    if span == form.literal:
        return True
    positions = corpus.positions[begin : begin + len(form.key)].tolist()
    return all(
        fits(gap, corpus.text[left + 1 : right])
        for gap, left, right in zip(form.gaps, positions, positions[1:], strict=False)
    )


def plain_matches(corpus: Corpus, patterns: Sequence[Pattern]) -> list[Match]:
    """The same as `fast_matches`, by running each whole regular expression over the text."""
    out = []
    for number, pattern in enumerate(patterns):
        if not pattern.forms:
            continue
        for found in regex.finditer(pattern.text, corpus.text, overlapped=True):
            key = squeezed(found[0])[0]
            index = next(place for place, form in enumerate(pattern.forms) if form.key == key)
            match = Match(number, index, found.start(), found.end())
            if not corpus.echoes(match) and is_allowed(corpus, patterns, match):
                out.append(match)
    return out


def gaps_of(corpus: Corpus, form: Form, match: Match) -> list[tuple[Gap, str, int]]:
    """Gaps of a match where the page or the variant has a separator: kind, what stands there, where it begins."""
    start, end = match.start + len(form.lead), match.end - len(form.trail)
    span = corpus.text[start:end]
    if span == form.key:
        return []
    places = [start + offset for offset, char in enumerate(span) if char not in SEPARATORS]
    return [
        (gap, corpus.text[left + 1 : right], left + 1)
        for gap, left, right in zip(form.gaps, places, places[1:], strict=False)
        if right - left > 1 or gap in (Gap.COMPOUND, Gap.HYPHEN_COMPOUND)
    ]


def is_allowed(corpus: Corpus, patterns: Sequence[Pattern], match: Match) -> bool:
    """The two rules that no regular expression can state: capitals as on the page, and stray blanks inside words."""
    pattern = patterns[match.pattern]
    form = pattern.forms[match.form]
    if pattern.sensitive and not _same_capitals(corpus, form, match):
        return False
    if match.end - match.start == len(form.key) or corpus.text[match.start : match.end] == form.literal:
        return True
    return all(
        _fragments_allowed(corpus, place, place + len(between))
        for gap, between, place in gaps_of(corpus, form, match)
        if gap == Gap.WORD and len(between) == 1 and between != MAYBE
    )


def _fragments_allowed(corpus: Corpus, start: int, end: int) -> bool:
    left = regex.search(r"[\p{L}\p{M}]*$", corpus.text[max(start - 60, 0) : start])
    right = regex.match(r"[\p{L}\p{M}]*", corpus.text[end : end + 60])
    return corpus.is_stray(left[0] if left else "", right[0] if right else "")


def _same_capitals(corpus: Corpus, form: Form, match: Match) -> bool:
    shown = "".join(
        corpus.lines.text[corpus.pieces[number].row][first:last]
        for number, first, last in corpus.parts(match.start, match.end)
    )
    return letters_of(shown) == letters_of(form.cased)


@lru_cache(maxsize=10_000)
def letters_of(text: str) -> str:
    """Letters of a text in its own capitals, compatibility forms and accents composed."""
    return "".join(char for char in unicodedata.normalize("NFKC", text) if char.isalpha())
