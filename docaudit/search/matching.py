"""Every pattern over every flow: one Aho-Corasick pass for candidates, then boundaries and gaps of each
candidate.

`fast_matches` and `plain_matches` give the same matches; the second runs each variant's whole regular
expression and is what the first is tested against.

Matches -> findings: where each lies in the lines, how it was reached, each place once, which lie inside
others.

All flows of a document in one text: what patterns run over, and the way back from it to lines and
characters.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, repeat
from typing import Literal, NamedTuple
from weakref import ref

import ahocorasick_rs
import numpy as np
import numpy.typing as npt
import regex

from docaudit.codes import POSSIBLE_KINDS, LineType, MatchKind
from docaudit.search.flows import FlowKind, Pieces
from docaudit.search.lines import (
    HYPHEN,
    MAYBE,
    SIGNS,
    WALL,
    CharClass,
    PageLines,
    char_class,
    classes_of,
    codes_of,
    searchable_map,
)
from docaudit.search.patterns import RUN_ON, Form, Gap, Pattern, fits
from docaudit.text.folding import FOLD

_STREAMS = frozenset({FlowKind.STREAM, FlowKind.PART})

Ints = npt.NDArray[np.int64]

COMPOUND_PART = 4
"""Two fragments of at least so many letters each are the parts of a compound (data center, datacenter) even where
both are known words; shorter ones too easily make another word (car pet, leg end)."""
_FUNCTION_WORDS = frozenset(
    """a an the in of to be for on at by as is it no so or and we he me my us up do go if am are was
    not but his her all any can may our out per she too its has had who de la le les un une der die
    das den des et en el y da do i""".split()  # noqa: SIM905
)
"""Words that stand before any other: a blank beside one of them is never taken for a stray one."""
_COMMON_WORDS = frozenset(
    """some every over under with from that this they them what when where which into onto upon than then have
    been were will would could should must more most much many such only very also just both each same other
    like make made does done your their there here about after before even ever down back well still long
    time times between through against within without while whether whose these those next last first
    sich nach über unter beim vom zum zur mit auch dass eine einer eines einem einen oder""".split()  # noqa: SIM905
)
"""Longer words that are no parts of compounds by themselves ("some time" is not "sometime")."""


class Corpus:
    """All flows of a document in one text, with what is needed to search it and to find the way back."""

    def __init__(self, lines: PageLines, pieces: Pieces, whole: Corpus | None = None) -> None:
        """Join the pieces.

        Args:
            lines: The document.
            pieces: What is searched.
            whole: The corpus of the whole document, which knows its words, where the pieces are but a part of it.
        """
        self.lines = lines
        # Weakly: the part hangs on the whole, as bare, and lives no longer.
        self._whole = None if whole is None else ref(whole)
        self.bare: Corpus | Literal[False] | None = False
        """The lines with accents without them, None if there are none; False until somebody asks for it."""
        self._stream_text = ""
        self.rows = pieces.rows
        """For each piece its line."""
        self.kinds = list(chain.from_iterable(repeat(*run) for run in pieces.kinds))
        self.altered = pieces.altered
        """Readings in place of lines, by number of the piece."""
        texts = list(map(lines.search.__getitem__, self.rows))
        for number, reading in pieces.altered.items():
            texts[number] = reading[0]
        self.texts = texts
        before = pieces.before
        self.text = "".join(chain.from_iterable(zip(before, texts, strict=True))) + WALL
        gaps = np.fromiter(map(len, before), dtype=np.int64, count=len(before))
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + gaps
        self.starts: Ints = np.cumsum(lengths) - lengths + gaps
        codes = codes_of(self.text)
        self.classes = classes_of(codes)
        kept = (self.classes != CharClass.SEPARATOR) & (self.classes < CharClass.MAYBE)
        self.positions: Ints = np.flatnonzero(kept)
        self.squeezed = codes[kept].tobytes().decode("utf-32-le")
        self._maps: dict[int, Sequence[int]] = {}
        counts = np.array([count for _, count in pieces.kinds], dtype=np.int64)
        self.is_echo = np.repeat([kind not in _STREAMS for kind, _ in pieces.kinds], counts).astype(bool)
        self.is_echo[list(pieces.altered)] = False
        """Whether a match inside this piece alone is found in a stream as well."""

    def piece_at(self, offset: int) -> int:
        """Number of the piece in which a character of the text lies."""
        return int(self.starts.searchsorted(offset, side="right")) - 1

    def echoed(self, start: Ints, end: Ints) -> npt.NDArray[np.bool_]:
        """Whether spans lie inside one piece that a stream holds as well."""
        first = self.starts.searchsorted(start, side="right") - 1
        last = self.starts.searchsorted(end - 1, side="right") - 1
        return np.asarray((first == last) & self.is_echo[first])

    def source_map(self, number: int) -> Sequence[int]:
        """For each character of a piece the index of the character in its line."""
        reading = self.altered.get(number)
        if reading is not None:
            return reading[1]
        row = self.rows[number]
        known = self._maps.get(row)
        if known is None:
            text = self.lines.text[row]
            plain = len(text) == len(self.texts[number]) and (text.isascii() or FOLD.is_even(text))
            known = range(len(text)) if plain else searchable_map(text)[1]
            self._maps[row] = known
        return known

    def floor(self, number: int) -> MatchKind:
        """The plainest kind that a match touching this piece can have."""
        reading = self.altered.get(number)
        return MatchKind.EXACT if reading is None else reading[2]

    def parts(self, start: int, end: int) -> list[tuple[int, int, int]]:
        """The lines that a span covers: for each its piece and the first and last + 1 character in the
        line.
        """
        out = []
        for number in range(self.piece_at(start), self.piece_at(end - 1) + 1):
            first = max(start - int(self.starts[number]), 0)
            last = min(end - int(self.starts[number]), len(self.texts[number]))
            covered = self.source_map(number)[first:last]
            if covered:
                out.append((number, min(covered), max(covered) + 1))
        return out

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word stands in the document, by its streams."""
        if self._whole is not None:
            whole = self._whole()
            assert whole is not None
            known = whole.words
            self._stream_text = whole._stream_text
            return known
        text = " ".join(text for text, kind in zip(self.texts, self.kinds, strict=True) if kind in _STREAMS)
        self._stream_text = text
        return Counter(regex.findall(r"[\p{L}\p{M}]+", text))

    @lru_cache(maxsize=10_000)  # noqa: B019 - lives as long as the corpus, one sweep
    def is_stray(self, left: str, right: str) -> bool:
        """Whether a blank or break between two fragments may lie inside a word.

        It may if one of them stands nowhere else in the document as a word, or if both are long enough to be parts of
        a compound; next to a function word it never may.
        """
        if left in _FUNCTION_WORDS or right in _FUNCTION_WORDS:
            return False
        if min(len(left), len(right)) >= COMPOUND_PART and _COMMON_WORDS.isdisjoint((left, right)):
            return True
        together = max(self._count_pair(left, right), 1)
        single = len(left) == 1 or len(right) == 1
        return single or self.words[left] <= together or self.words[right] <= together

    def _count_pair(self, left: str, right: str) -> int:
        if not self.words:
            return 0
        return sum(self._stream_text.count(f"{left}{gap}{right}") for gap in (" ", "\n"))


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


RANK = {kind: rank for rank, kind in enumerate(MatchKind)}
"""Kinds of match from the plainest to the least plain."""


class Found(NamedTuple):
    """A match with its lines: (row, first character, last character + 1) in order of reading."""

    pattern: int
    kind: MatchKind
    parts: tuple[tuple[int, int, int], ...]

    @property
    def place(self) -> tuple[int, int, int, int, int]:
        """What makes two findings one: variant, and where it begins and ends."""
        row, first, _ = self.parts[0]
        end_row, _, last = self.parts[-1]
        return (self.pattern, row, first, end_row, last)


def locate(corpus: Corpus, patterns: Sequence[Pattern], matches: Sequence[Match]) -> list[Found]:
    """Where each match lies in the lines, and how it was reached."""
    if not matches:
        return []
    starts = np.fromiter((match.start for match in matches), dtype=np.int64, count=len(matches))
    ends = np.fromiter((match.end for match in matches), dtype=np.int64, count=len(matches))
    first = corpus.starts.searchsorted(starts, side="right") - 1
    last = corpus.starts.searchsorted(ends - 1, side="right") - 1
    offsets = corpus.starts[first].tolist()
    return [
        _in_line(corpus, patterns, match, number, offset)
        if number == end
        else _found(corpus, patterns, match)
        for match, number, end, offset in zip(matches, first.tolist(), last.tolist(), offsets, strict=True)
    ]


def _in_line(corpus: Corpus, patterns: Sequence[Pattern], match: Match, number: int, offset: int) -> Found:
    """A match inside one piece; the common case, kept short."""
    row = corpus.rows[number]
    source = corpus.source_map(number)
    begin, end = match.start - offset, match.end - offset
    if isinstance(source, range):
        first, last = begin, end
    else:
        covered = source[begin:end]
        first, last = min(covered), max(covered) + 1
    pattern = patterns[match.pattern]
    shown = corpus.lines.text[row][first:last]
    floor = corpus.floor(number)
    if pattern.forms[match.form].is_long and CharClass.LETTER in corpus.classes[[match.start - 1, match.end]]:
        kind = MatchKind.SQUEEZED  # glued to a word that lost its blank
    elif shown == pattern.variant.text:
        kind = floor
    elif corpus.texts[number][begin:end] == pattern.forms[match.form].literal:
        kind = MatchKind.FOLDED if floor is MatchKind.EXACT else floor
    else:
        kind = _kind(corpus, pattern, match, [(number, first, last)])
    return Found(match.pattern, kind, ((row, first, last),))


def _found(corpus: Corpus, patterns: Sequence[Pattern], match: Match) -> Found:
    parts = corpus.parts(match.start, match.end)
    rows: list[tuple[int, int, int]] = []
    for number, first, last in parts:
        row = corpus.rows[number]
        if rows and rows[-1][0] == row:  # two pieces of one line
            rows[-1] = (row, min(rows[-1][1], first), max(rows[-1][2], last))
        else:
            rows.append((row, first, last))
    return Found(match.pattern, _kind(corpus, patterns[match.pattern], match, parts), tuple(rows))


def _kind(corpus: Corpus, pattern: Pattern, match: Match, parts: list[tuple[int, int, int]]) -> MatchKind:
    rows = [corpus.rows[number] for number, _, _ in parts]
    pages = {corpus.lines.sheet[row] for row in rows}
    if len(pages) > 1:
        return MatchKind.ACROSS_PAGES  # whatever else happened on the way, a reader must look at two pages
    kinds = [corpus.floor(number) for number, _, _ in parts]
    if len(parts) == 1:
        shown = corpus.lines.text[rows[0]][parts[0][1] : parts[0][2]]
        if shown == pattern.variant.text:
            return kinds[0]
        kinds.append(MatchKind.FOLDED)
    elif len(set(rows)) > 1:
        kinds.append(_between_lines(corpus, parts))
    for gap, between, _ in gaps_of(corpus, pattern.forms[match.form], match):
        inside = gap in (Gap.WORD, Gap.WORD_STRICT)
        if inside and "-" in between:
            kinds.append(MatchKind.DEHYPHENATED)
        elif any(sign in between for sign in SIGNS) and not gap.endswith(Gap.PUNCTUATION):
            kinds.append(MatchKind.ACROSS_SIGNS)
        elif (inside and between != "\x1c") or (gap == Gap.COMPOUND and not between):
            kinds.append(MatchKind.SQUEEZED)
    return max(kinds, key=RANK.__getitem__)


def _between_lines(corpus: Corpus, parts: list[tuple[int, int, int]]) -> MatchKind:
    rows = [corpus.rows[number] for number, _, _ in parts]
    lines = corpus.lines
    apart = len({lines.block[row] for row in rows}) > 1 or any(
        lines.line_type[row] == LineType.TABLE for row in rows
    )
    beside = corpus.kinds[parts[0][0]] in (FlowKind.COLUMN, FlowKind.ROW)
    return MatchKind.ACROSS_CELLS if apart and beside else MatchKind.ACROSS_LINES


def plainest(found: Sequence[Found]) -> list[Found]:
    """Each place once, with the plainest way in which it was reached."""
    best: dict[tuple[int, int, int, int, int], Found] = {}
    for one in found:
        place = one.place
        known = best.setdefault(place, one)
        if known is not one and RANK[one.kind] < RANK[known.kind]:
            best[place] = one
    return list(best.values())


def mark_nested(found: Sequence[Found], concepts: Sequence[str], order: Sequence[int]) -> list[bool]:
    """For each finding whether it lies inside a longer one of the same concept.

    Args:
        found: The findings.
        concepts: Concept of each pattern.
        order: Place of each row in the order of reading.
    """
    groups: dict[str, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for number, one in enumerate(found):
        if one.kind in POSSIBLE_KINDS:  # what only may be a hit takes nothing away from a hit
            continue
        (row, first, _), (end_row, _, last) = one.parts[0], one.parts[-1]
        groups[concepts[one.pattern]].append((order[row], first, order[end_row], last, number))
    nested = [False] * len(found)
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
