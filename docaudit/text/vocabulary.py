"""The words of a document with the place where each stands first: near misses are looked up here, not line by line."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from docaudit.text.english import edits_allowed, stems
from docaudit.text.words import WORD, fold, without_accents

_LETTERS_PER_EDIT = 4
"""Fewer than for misreadings of OCR: five would lose near misses like Type and xype (seen in 9 of 58 sweeps)."""
_CHUNK = 64
"""Words whose distances are measured at a time: 64 against 100,000 words take 6 MB."""


@dataclass(frozen=True)
class Vocabulary:
    """Every different word of the lines.

    Attributes:
        lines_of: Word as written -> positions in `line_df` of the lines with it, in order.
        by_fold: Folded word -> words as written.
        by_plain: Word without accents -> folded words.
        by_stem: Simple stem -> folded words.
        counts: For each line how many words stand in it.
    """

    lines_of: dict[str, list[int]]
    by_fold: dict[str, list[str]]
    by_plain: dict[str, list[str]]
    by_stem: dict[str, list[str]]
    counts: list[int]

    @cached_property
    def folded(self) -> list[str]:
        """All folded words."""
        return list(self.by_fold)

    @cached_property
    def _joined(self) -> str:
        return "\n" + "\n".join(self.folded) + "\n"

    @cached_property
    def _by_length(self) -> dict[int, list[str]]:
        by_length: dict[int, list[str]] = defaultdict(list)
        for word in self.folded:
            by_length[len(word)].append(word)
        return by_length

    def containing(self, part: str, limit: int) -> list[str]:
        """Folded words that are longer than this part and contain it, at most so many."""
        words: dict[str, None] = {}
        at = self._joined.find(part)
        while at >= 0 and len(words) < limit:
            start, end = self._joined.rfind("\n", 0, at) + 1, self._joined.find("\n", at)
            if end - start > len(part):
                words[self._joined[start:end]] = None
            at = self._joined.find(part, end)
        return list(words)

    def within_edits(self, texts: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
        """Folded text -> folded words one or two edits away (insert, delete, replace, swap), nearest first."""
        # Only here: loading it takes as long as a small sweep, and most audits of a saved parse have hits.
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import cdist

        by_length: dict[int, list[str]] = defaultdict(list)
        for text in dict.fromkeys(texts):
            if edits_allowed(len(text), _LETTERS_PER_EDIT):
                by_length[len(text)].append(text)
        near: dict[str, list[tuple[str, int]]] = {}
        for length, group in by_length.items():
            most = edits_allowed(length, _LETTERS_PER_EDIT)
            near_lengths = range(length - most, length + most + 1)
            candidates = [word for n in near_lengths for word in self._by_length.get(n, ())]
            for start in range(0, len(group) if candidates else 0, _CHUNK):
                chunk = group[start : start + _CHUNK]
                table = cdist(chunk, candidates, scorer=OSA.distance, score_cutoff=most, dtype=np.uint8)
                for row, text in enumerate(chunk):
                    within = np.flatnonzero((table[row] <= most) & (table[row] > 0)).tolist()
                    pairs = ((candidates[n], int(table[row, n])) for n in within)
                    near[text] = sorted(pairs, key=lambda pair: pair[1])
        return near


_kept: dict[int, tuple[pd.Series, Vocabulary]] = {}
"""By id of line_df its texts and their vocabulary: many tables are swept over one document."""


def build_vocabulary(line_df: pd.DataFrame) -> Vocabulary:
    """The vocabulary of all lines; kept while the table lives, and made anew if its texts were changed since."""
    kept = _kept_of(line_df)
    if kept is not None:
        return kept
    lines_of: dict[str, list[int]] = defaultdict(list)
    counts: list[int] = []
    for position, text in enumerate(line_df["text"].tolist()):
        words = WORD.findall(str(text))
        counts.append(len(words))
        for word in dict.fromkeys(words):  # in their order, so that the same document always gives the same
            lines_of[word].append(position)
    by_fold = _grouped((fold(word), word) for word in lines_of)
    by_plain = _grouped((without_accents(word), word) for word in by_fold)
    by_stem = _grouped((stem, word) for word in by_fold for stem in stems(word))
    vocabulary = Vocabulary(dict(lines_of), by_fold, by_plain, by_stem, counts)
    keep_vocabulary(line_df, vocabulary)
    return vocabulary


def words_in_lines(line_df: pd.DataFrame) -> list[int]:
    """For each line how many words stand in it."""
    kept = _kept_of(line_df)
    if kept is not None:
        return kept.counts
    return [len(WORD.findall(str(text))) for text in line_df["text"].tolist()]


def _kept_of(line_df: pd.DataFrame) -> Vocabulary | None:
    kept = _kept.get(id(line_df))
    return kept[1] if kept is not None and kept[0].equals(line_df["text"]) else None


def keep_vocabulary(line_df: pd.DataFrame, vocabulary: Vocabulary) -> None:
    """Let this be the vocabulary of these lines while they live: what `build_vocabulary` returned for the same lines,
    by the same version of docaudit.
    """
    if id(line_df) not in _kept:
        weakref.finalize(line_df, _kept.pop, id(line_df), None)
    _kept[id(line_df)] = line_df["text"].copy(), vocabulary


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = defaultdict(list)
    for key, word in pairs:
        grouped[key].append(word)
    return dict(grouped)
