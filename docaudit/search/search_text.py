"""line_df in, `SearchText` out: all reading orders of a document in one text, and the way back to lines and characters.

It is made once for many sweeps: `prepare` makes it, `search_text_of` gives it for the lines that are swept.
"""

from __future__ import annotations

import re
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import regex

from docaudit.codes import PAGE_SOURCES, MatchKind
from docaudit.search.lines import WALL, CharClass, PageLines, classes_of, codes_of, searchable_map
from docaudit.search.reading_orders import (
    OrderKind,
    ReadingOrder,
    Segments,
    around,
    reading_orders,
    stream_order,
)
from docaudit.search.readings import Reading
from docaudit.text.folding import FOLD

ACCENT = re.compile("[\u0300-\u036f]")
"""Accents of Latin, Greek and Cyrillic letters; the voicing marks of kana are no accents."""
_STREAMS = frozenset({OrderKind.STREAM, OrderKind.PART})

Ints = npt.NDArray[np.int64]
Part = tuple[int, int, int]
"""A stretch of a line: its row (or segment), first character, last character + 1."""

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


class SearchText:
    """All reading orders of a document in one text, with what is needed to search it and to find the way back."""

    def __init__(
        self,
        lines: PageLines,
        segments: Segments,
        whole: SearchText | None = None,
        unaccented: Segments | None = None,
    ) -> None:
        """Join the segments.

        Args:
            lines: The document.
            segments: What is searched.
            whole: The text of the whole document, which knows its words, where the segments are but a part of it.
            unaccented: Segments of the lines with accents, without them, if they were made before.
        """
        self.lines = lines
        # Weakly: the part belongs to the whole, as unaccented, and lives no longer.
        self._whole = None if whole is None else weakref.ref(whole)
        self._unaccented = unaccented
        self._stream_text = ""
        self.rows = segments.rows
        """For each segment its line."""
        self.kinds = list(chain.from_iterable(repeat(*run) for run in segments.kinds))
        self.altered = segments.altered
        """Alternative readings in place of lines, by number of the segment."""
        texts = list(map(lines.search.__getitem__, self.rows))
        for number, reading in segments.altered.items():
            texts[number] = reading.text
        self.texts = texts
        before = segments.before
        self.joined = "".join(chain.from_iterable(zip(before, texts, strict=True))) + WALL
        gaps = np.fromiter(map(len, before), dtype=np.int64, count=len(before))
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + gaps
        self.starts: Ints = np.cumsum(lengths) - lengths + gaps
        codes = codes_of(self.joined)
        self.classes = classes_of(codes)
        kept = (self.classes != CharClass.SEPARATOR) & (self.classes < CharClass.MAYBE)
        self.positions: Ints = np.flatnonzero(kept)
        self.without_separators = codes[kept].tobytes().decode("utf-32-le")
        self._maps: dict[int, Sequence[int]] = {}
        counts = np.array([count for _, count in segments.kinds], dtype=np.int64)
        self.is_echo = np.repeat([kind not in _STREAMS for kind, _ in segments.kinds], counts).astype(bool)
        self.is_echo[list(segments.altered)] = False
        """Whether a match inside this segment alone stands in a stream as well."""

    def echoed(self, start: Ints, end: Ints) -> npt.NDArray[np.bool_]:
        """Whether spans lie inside one segment that a stream holds as well."""
        first = self.starts.searchsorted(start, side="right") - 1
        last = self.starts.searchsorted(end - 1, side="right") - 1
        return np.asarray((first == last) & self.is_echo[first])

    def source_map(self, number: int) -> Sequence[int]:
        """For each character of a segment the index of the character in its line."""
        reading = self.altered.get(number)
        if reading is not None:
            return reading.source
        row = self.rows[number]
        source = self._maps.get(row)
        if source is None:
            text = self.lines.text[row]
            plain = len(text) == len(self.texts[number]) and (text.isascii() or FOLD.is_even(text))
            source = range(len(text)) if plain else searchable_map(text)[1]
            self._maps[row] = source
        return source

    def plainest_kind(self, number: int) -> MatchKind:
        """The plainest kind that a match touching this segment can have."""
        reading = self.altered.get(number)
        return MatchKind.EXACT if reading is None else reading.kind

    def parts(self, start: int, end: int) -> list[Part]:
        """The lines that a span covers: for each its segment and the first and last + 1 character in the line."""
        out = []
        first_segment, last_segment = self.starts.searchsorted([start, end - 1], side="right").tolist()
        for number in range(first_segment - 1, last_segment):
            offset = int(self.starts[number])
            covered = self.source_map(number)[
                max(start - offset, 0) : min(end - offset, len(self.texts[number]))
            ]
            if covered:
                out.append((number, min(covered), max(covered) + 1))
        return out

    def verbatim(self, start: int, end: int) -> str:
        """A span as its lines have it, without what stands between them."""
        parts = self.parts(start, end)
        return "".join(self.lines.text[self.rows[number]][first:last] for number, first, last in parts)

    @cached_property
    def unaccented(self) -> SearchText | None:
        """The neighbourhoods of lines with accents, without them; None if no line has one. The same for every table."""
        segments = self._unaccented
        if segments is None:
            segments = Segments.of(unaccented_orders(self.lines))
        return SearchText(self.lines, segments, self) if segments.rows else None

    @cached_property
    def words(self) -> Counter[str]:
        """How often each word stands in the document, by its streams."""
        if self._whole is not None:
            whole = self._whole()
            assert whole is not None
            counts = whole.words
            self._stream_text = whole._stream_text
            return counts
        text = " ".join(text for text, kind in zip(self.texts, self.kinds, strict=True) if kind in _STREAMS)
        self._stream_text = text
        return Counter(regex.findall(r"[\p{L}\p{M}]+", text))

    @lru_cache(maxsize=10_000)  # noqa: B019 - lives as long as the search text, one sweep
    def is_stray(self, left: str, right: str) -> bool:
        """Whether a blank or break between two fragments may lie inside a word.

        It may if one of them stands nowhere else in the document as a word, or if both are long enough to be parts of
        a compound; next to a function word it never may.
        """
        if left in _FUNCTION_WORDS or right in _FUNCTION_WORDS:
            return False
        if min(len(left), len(right)) >= COMPOUND_PART and _COMMON_WORDS.isdisjoint((left, right)):
            return True
        words = self.words  # and with them the text of the streams
        pairs = sum(self._stream_text.count(f"{left}{gap}{right}") for gap in (" ", "\n")) if words else 0
        together = max(pairs, 1)
        single = len(left) == 1 or len(right) == 1
        return single or words[left] <= together or words[right] <= together


def unaccented_orders(lines: PageLines) -> Iterator[ReadingOrder]:
    """The neighbourhoods of lines with accents, without them: of the stream only, not of every reading order."""
    for source in sorted(PAGE_SOURCES):
        rows = lines.in_order(source)
        readings = {}
        for row in rows:
            if ACCENT.search(lines.search[row]):
                folded, indexes = searchable_map(lines.text[row])
                kept = [place for place, char in enumerate(folded) if not ACCENT.match(char)]
                text = "".join(folded[place] for place in kept)
                bare = tuple(indexes[place] for place in kept)
                readings[row] = Reading(text, bare, MatchKind.ACCENTS_DIFFER)
        if readings:
            yield from around(lines, stream_order(lines, rows), readings)


class Prepared(NamedTuple):
    """What the search text of a document is made of.

    Attributes:
        search: The searchable text of each line.
        segments: The orders in which its lines may continue.
        unaccented: The same for lines with accents, without them.
    """

    search: list[str]
    segments: Segments
    unaccented: Segments


_kept: dict[int, tuple[pd.DataFrame, SearchText]] = {}
"""By id of line_df its search text, and a copy of line_df as it was when that was made."""


def prepare(line_df: pd.DataFrame, prepared: Prepared | None = None) -> Prepared:
    """Make the search text of these lines, for all sweeps of them; most of a first sweep is this.

    Args:
        line_df: The lines.
        prepared: What an earlier call returned for the same lines, by the same version of docaudit.
    """
    lines = PageLines.of(line_df, prepared and prepared.search)
    if prepared is None:
        orders, unaccented = Segments.of(reading_orders(lines)), Segments.of(unaccented_orders(lines))
        prepared = Prepared(lines.search, orders, unaccented)
    _keep(line_df, SearchText(lines, prepared.segments, unaccented=prepared.unaccented))
    return prepared


def search_text_of(line_df: pd.DataFrame) -> SearchText:
    """The search text of these lines; kept while the table lives, and made anew if the table was changed since."""
    kept = _kept.get(id(line_df))
    if kept is not None and kept[0].equals(line_df):
        return kept[1]
    lines = PageLines.of(line_df)
    search_text = SearchText(lines, Segments.of(reading_orders(lines)))
    _keep(line_df, search_text)
    return search_text


def _keep(line_df: pd.DataFrame, search_text: SearchText) -> None:
    if id(line_df) not in _kept:
        weakref.finalize(line_df, _kept.pop, id(line_df), None)
    _kept[id(line_df)] = line_df.copy(), search_text
