"""All flows of a document in one text: what patterns run over, and the way back from it to lines and
characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import chain, repeat
from typing import Literal
from weakref import ref

import numpy as np
import numpy.typing as npt
import regex

from docaudit.folding import FOLD
from docaudit.location import MatchKind
from docaudit.search.flows import FlowKind
from docaudit.search.normalize import searchable_map
from docaudit.search.pagelines import PageLines
from docaudit.search.pieces import Pieces
from docaudit.search.scripts import WALL, CharClass, classes_of, codes_of

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
