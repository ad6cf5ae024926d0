"""Documents made ready for the search for candidates: their terms, the acronyms they define, vectors of the terms.

Made once, asked for many tables: what a table is like does not matter here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from docaudit.concepts import Variant
from docaudit.errors import OptionError
from docaudit.parsed import ParsedDocument
from docaudit.suggest.collected import collected
from docaudit.suggest.composed import composable, vectors_of
from docaudit.suggest.embedding import DEFAULT_MODEL, Embedder, is_installed
from docaudit.suggest.holding import Holding
from docaudit.suggest.japanese import has_segmenter
from docaudit.suggest.ngrams import Letters
from docaudit.suggest.spelling import Spellings, squeezed_key
from docaudit.suggest.terms import to_compare
from docaudit.wordforms import CJK, squeeze

Method = Literal["auto", "embedding", "ngrams"]
Progress = Callable[[int, int], None]
Floats = npt.NDArray[np.float32]

_DAMP = 3
"""Passages added to each term's own: a word that stands once beside a variant is no evidence yet."""


class Prepared:
    """Documents with their terms.

    Attributes:
        terms: All different words and phrases, the most frequent first.
        definitions: Every acronym that the documents define, in order.
        compared: Those of the terms that are compared with the table by meaning or letters: at most max_terms, and with
            a model as many longer phrases again, whose vectors are made of those of their parts.
        embedder: The model; None where letters alone are compared.
        notes: What the reader must know about the way.
    """

    def __init__(
        self,
        documents: ParsedDocument | Sequence[ParsedDocument],
        *,
        method: Method = "auto",
        model: str | None = None,
        max_terms: int = 20_000,
        cache: bool = True,
        progress: Progress | None = None,
    ) -> None:
        """Collect the terms; the arguments are those of `docaudit.suggest`."""
        if max_terms < 1:
            raise OptionError("max_terms is at least 1", remedy="name a positive number")
        if method == "ngrams" and model is not None:
            raise OptionError("the method ngrams uses no model", remedy="leave out one of the two")
        parsed = [documents] if isinstance(documents, ParsedDocument) else list(documents)
        asked = method == "embedding" or model is not None
        self.embedder = Embedder(model) if asked or (method == "auto" and is_installed()) else None
        self._cache, self._progress = cache, progress
        self._document = "+".join(one.identity.sha256 for one in parsed)
        found = collected(parsed, cache=cache)
        self._passages, self.terms, self.definitions = found.passages, found.terms, found.definitions
        likely = to_compare(self.terms, max_terms if self.embedder is None else 2 * max_terms)
        self._embedded, longer = likely[:max_terms], likely[max_terms:]
        self.place = {term.key: n for n, term in enumerate(self._embedded)}
        self._composed = list(composable(longer, self.place))
        self.compared = self._embedded + [one.term for one in self._composed]
        self.place |= {term.key: n for n, term in enumerate(self.compared)}
        self.notes = tuple(self._notes(method))

    @cached_property
    def spellings(self) -> Spellings:
        """The terms by what is the same in their spellings."""
        return Spellings(self.terms)

    @cached_property
    def holding(self) -> Holding:
        """The terms, asked for the variants that they hold."""
        return Holding(self.terms)

    @cached_property
    def by_squeezed(self) -> dict[str, list[int]]:
        """Numbers of the terms by their letters without separators."""
        grouped: dict[str, list[int]] = defaultdict(list)
        for n, term in enumerate(self.terms):
            grouped[squeezed_key(term.key)].append(n)
        return grouped

    @cached_property
    def other_sides(self) -> dict[str, tuple[str, ...]]:
        """For each side of a definition, without separators, what stands on the other."""
        sides: dict[str, dict[str, None]] = defaultdict(dict)
        for one in self.definitions:
            sides[squeeze(one.short)][one.long] = None
            sides[squeeze(one.long)][one.short] = None
        return {side: tuple(others) for side, others in sides.items()}

    @cached_property
    def vectors(self) -> npt.NDArray[np.float16] | None:
        """Vectors of the compared terms; None without a model."""
        if self.embedder is None or not self.compared:
            return None
        texts = [term.text for term in self._embedded]
        made = self.embedder.vectors(texts, self._document, self._progress, keep=self._cache)
        return np.concatenate((made, vectors_of(self._composed, made)))

    @cached_property
    def _letters(self) -> Letters:
        return Letters([term.key for term in self.compared])

    def similarities(self, texts: Sequence[str], *, centred: bool = False) -> Floats:
        """Similarity (at most 1) of each text to each compared term.

        Args:
            texts: The texts.
            centred: Whether to leave out what all terms of the documents have in common; only with a model.
        """
        if not texts or not self.compared:
            return np.zeros((len(texts), len(self.compared)), dtype=np.float32)
        if self.embedder is None or self.vectors is None:
            return self._letters.similarities(texts)
        asked = self.embedder.vectors(texts, self._document, None, keep=self._cache)
        found: Floats
        if centred:
            found = _unit(asked.astype(np.float32) - self._mean) @ _unit(self._terms_matrix - self._mean).T
        else:
            found = asked.astype(np.float32) @ self._terms_matrix.T
        if self.embedder.name == DEFAULT_MODEL:
            # It knows English alone; other letters are all the same to it.
            japanese = np.array([CJK.search(text) is not None for text in texts])
            found[japanese[:, None] != self._japanese[None, :]] = 0
        return found

    @cached_property
    def _japanese(self) -> npt.NDArray[np.bool_]:
        return np.array([CJK.search(term.key) is not None for term in self.compared], dtype=bool)

    @cached_property
    def _terms_matrix(self) -> Floats:
        assert self.vectors is not None, "only asked for with a model"
        return self.vectors.astype(np.float32)

    @cached_property
    def _mean(self) -> Floats:
        return np.asarray(self._terms_matrix[: len(self._embedded)].mean(axis=0))

    def company(self, variants: Sequence[Variant]) -> Floats:
        """Share of the passages of each compared term that one of the variants stands in too, small counts damped."""
        with_variant = np.zeros(self._passages, dtype=bool)
        for variant in variants:
            for n in self.holding.of(variant):
                with_variant[list(self.terms[n].passages)] = True
        return np.asarray(self._shared(with_variant) / (self._sizes + _DAMP), dtype=np.float32)

    def company_of_terms(self, numbers: Sequence[int]) -> Floats:
        """The same for compared terms in place of variants; a term is no company of its own."""
        with_term = np.zeros(self._passages, dtype=bool)
        own = np.zeros(len(self.compared), dtype=np.int64)
        for n in numbers:
            with_term[list(self.compared[n].passages)] = True
            own[n] = self._sizes[n]
        return np.asarray((self._shared(with_term) - own) / (self._sizes + _DAMP), dtype=np.float32)

    def _shared(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """In how many of the chosen passages each compared term stands."""
        if not len(self._flat):
            return np.zeros(0, dtype=np.int64)
        return np.asarray(np.add.reduceat(chosen[self._flat], self._starts, dtype=np.int64))

    @cached_property
    def frequency(self) -> Floats:
        """How usual each compared term is: 0 to 1, the logarithm of its passages to the base of all of them."""
        return np.asarray(np.log1p(self._sizes) / np.log1p(max(self._passages, 1)), dtype=np.float32)

    @cached_property
    def _flat(self) -> npt.NDArray[np.int64]:
        return np.array([n for term in self.compared for n in term.passages], dtype=np.int64)

    @cached_property
    def _sizes(self) -> npt.NDArray[np.int64]:
        return np.array([len(term.passages) for term in self.compared], dtype=np.int64)

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return np.concatenate(([0], np.cumsum(self._sizes)[:-1]))

    def _notes(self, method: Method) -> Iterator[str]:
        if self.embedder is None and method == "auto":
            yield (
                "sentence-transformers is not installed: neighbours are by letters alone, not by meaning "
                '(pip install ".[embed]" in the folder of docaudit)'
            )
        if not has_segmenter() and any(CJK.search(term.key) for term in self.terms):
            yield (
                "no segmenter for Japanese is installed: its words are cut where the script changes "
                '(pip install ".[japanese]" in the folder of docaudit)'
            )
        if len(self.compared) < len(self.terms):
            count, total = f"{len(self.compared):,}", f"{len(self.terms):,}"
            yield (
                f"{count} of {total} words and phrases were compared (--max-terms): "
                "words, pairs of words and names first, the most frequent of them first"
            )
        if self._composed:
            yield (
                f"{len(self._composed):,} longer phrases were compared by the vectors of their beginning and end, "
                "not by their own (--max-terms)"
            )


def _unit(rows: Floats) -> Floats:
    """Rows at length 1."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6))
