"""The search for candidates: three ways in which a term can be near a concept, ranked and grouped.

What one decision settles is grouped: longer terms under the shorter one that finds them, and clusters of meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

import numpy as np
import numpy.typing as npt

from docaudit.concepts.model import ConceptTable
from docaudit.suggest.candidates import Candidate, CandidateKind, Known, finds, is_all_of, seeds
from docaudit.suggest.neighbours import Floats, PreparedDocuments
from docaudit.suggest.terms import Term, is_part, roots
from docaudit.text.words import fold, squeeze

_FAMILY = 0.35
"""Cosine distance, on average, up to which terms are one family."""
_CLOSE, _RARE = 0.03, 0.15
"""A longer term goes under a shorter one that is nearly as near to the concept, or that is far more frequent and not
much less near: "including malware" under malware, but not "climate risk" under risk."""
_SHOWN = 8
"""Terms that are shown under another: a person decides on what is seen."""
_OFTEN = 2
"""How many times as frequent."""


def absorb(ranked: Sequence[tuple[Term, float]]) -> list[tuple[Term, float, tuple[str, ...]]]:
    """Terms in their order, without those that stand under another: term, similarity, terms under it.

    Args:
        ranked: Terms with their similarity, the nearest first.
    """
    stemmed = [term.roots for term, _ in ranked]
    same: dict[tuple[str, ...], list[int]] = {}
    for n, stems in enumerate(stemmed):
        same.setdefault(stems, []).append(n)
    head = list(range(len(ranked)))
    for n in sorted(head, key=lambda n: (len(stemmed[n]), n)):
        # All that stands in its words side by side, but not all of them.
        size = len(stemmed[n])
        parts = {stemmed[n][first:end] for first, end in combinations(range(size + 1), 2)} - {stemmed[n]}
        shorter = [m for part in parts for m in same.get(part, ())]
        shorter += [m for m in same[stemmed[n]] if m < n]
        for other in sorted(shorter, key=lambda m: (len(stemmed[m]), m)):
            if ranked[n][0].is_long_name and not ranked[other][0].is_long_name:
                continue  # a law or a body is a candidate of its own
            rare = ranked[n][0].count * _OFTEN <= ranked[other][0].count
            if head[other] == other and ranked[other][1] >= ranked[n][1] - (_RARE if rare else _CLOSE):
                head[n] = other
                break
    under: dict[int, list[str]] = {}
    best: dict[int, float] = {}
    for n, (term, similarity) in enumerate(ranked):
        best.setdefault(head[n], similarity)
        if head[n] != n:
            under.setdefault(head[n], []).append(term.text)  # the nearest first
    # A head takes the place of the nearest of its terms.
    return [(ranked[n][0], ranked[n][1], tuple(under.get(n, ())[:_SHOWN])) for n in best]


def clusters(vectors: npt.NDArray[np.floating]) -> list[int]:
    """The family of each vector, numbered from 1 in the order in which the families first come."""
    unit = vectors.astype(np.float64)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-12)
    distance = 1 - unit @ unit.T
    groups = [[n] for n in range(len(vectors))]
    while len(groups) > 1:
        # Written out, as it is for some dozens of terms and importing scipy takes a third of a second.
        pairs = [
            (float(distance[np.ix_(one, other)].mean()), n, m)
            for n, one in enumerate(groups)
            for m, other in enumerate(groups[:n])
        ]
        nearest, n, m = min(pairs)
        if nearest > _FAMILY:
            break
        groups[m] += groups.pop(n)
    numbers = {n: number for number, group in enumerate(sorted(groups, key=min), start=1) for n in group}
    return [numbers[n] for n in range(len(vectors))]


_COMPANY = 0.6
"""How much it counts, beside the similarity to the nearest variant, that a term stands in passages with variants."""
_USUAL = 0.25
"""How much it counts against a term that it stands everywhere (data, company): it is hardly what a table lacks."""
_SEVERAL, _AMONG = 3, 0.45
"""How much it counts that a term is near so many variants, and not only to one: "vision" is near computer vision alone.
"""
_FIRST, _LIKE = 10, 0.3
"""How much it counts that a term stands in passages with the first so many candidates: a concept of which no accepted
variant stands in the document has its passages all the same."""
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

    @property
    def rank(self) -> tuple[bool, float]:
        """By this a term that is near two concepts goes to one of them."""
        return self.kind is CandidateKind.ACRONYM, self.similarity


class Search:
    """The search of documents for one table."""

    def __init__(self, prepared: PreparedDocuments, table: ConceptTable) -> None:
        """Compare the table with the documents."""
        self._documents = prepared
        self._known = Known(table)
        self._seed_rows = frozenset(seeds(table))
        self._seeds = [variant for variant in seeds(table) if variant.match != "regex"]
        self._whole = {roots(variant.text) for variant in self._seeds}
        texts = [variant.text for variant in self._seeds]
        self._scores, self._ranked = prepared.similarities(texts), prepared.similarities(texts, centred=True)
        self._settled = self._settled_terms(table)

    def _settled_terms(self, table: ConceptTable) -> dict[str, int]:
        """Keys and counts of the terms that the table finds, or has a row for: they are no candidates."""
        documents, found = self._documents, set[int]()
        for variant in table.variants:
            found.update(documents.by_squeezed.get(squeeze(variant.text), ()))
            held = documents.holding.of(variant).tolist()
            if variant in self._seed_rows:
                found.update(held)
            else:
                found.update(n for n in held if is_all_of(variant, documents.terms[n].key))
        return {documents.terms[n].key: documents.terms[n].count for n in found}

    def candidates(self, top: int) -> Iterator[Candidate]:
        """At most so many candidates for each concept; a term stands under the concept that it is nearest to."""
        concepts = tuple(dict.fromkeys(variant.concept for variant in self._seeds))
        lists = {concept: self._near(concept) for concept in concepts}
        best: dict[str, tuple[tuple[bool, float], str]] = {}
        for concept, nears in lists.items():
            for near in nears:
                key = near.term.key
                if key not in best or near.rank > best[key][0]:
                    best[key] = near.rank, concept
        for concept, nears in lists.items():
            chosen = [near for near in nears if best[near.term.key][1] == concept][:top]
            for near, family in zip(chosen, self._families(chosen), strict=True):
                yield Candidate(
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

    def _near(self, concept: str) -> list[_Near]:
        """Terms near a concept, each once, the likeliest first."""
        own = [n for n, variant in enumerate(self._seeds) if variant.concept == concept]
        once: dict[str, _Near] = {}
        for way in (self._acronyms, self._spelt, self._neighbours):
            for near in way(own):
                once.setdefault(squeeze(near.term.key), near)
        return list(once.values())

    def _acronyms(self, own: Sequence[int]) -> Iterator[_Near]:
        """The other side of every definition of which a variant is one side."""
        for variant in (self._seeds[n] for n in own):
            # A side is the variant, not a longer name with it: "AI Act (AIA)" says nothing of AI.
            longest = len(squeeze(variant.text)) + 2
            for defined in self._documents.definitions:
                for side, text in ((defined.short, defined.long), (defined.long, defined.short)):
                    if len(squeeze(side)) > longest or text in self._known or not finds(variant, side):
                        continue
                    same = self._documents.by_squeezed.get(squeeze(text))
                    term = self._documents.terms[same[-1]] if same else defined.term
                    # As the definition writes it.
                    written = Term(fold(text), text, term.count, term.words, term.pages, term.context)
                    yield _Near(written, CandidateKind.ACRONYM, variant.text, 1.0)

    def _spelt(self, own: Sequence[int]) -> list[_Near]:
        nears = [
            _Near(term, kind, variant.text, similarity)
            for variant in (self._seeds[n] for n in own)
            for term, kind, similarity in self._documents.spellings.near(variant)
            if similarity >= _SPELT_AT_LEAST and term.key not in self._settled
        ]
        return sorted(nears, key=lambda near: (-near.similarity, near.term.key))

    def _neighbours(self, own: Sequence[int]) -> Iterator[_Near]:
        compared = self._documents.compared
        scores = self._scores[list(own)]
        nearest = self._nearness(own)
        pool: list[tuple[Term, float]] = []
        for column in np.argsort(-nearest, kind="stable"):
            if len(pool) >= _POOL or nearest[column] == -np.inf:
                break
            if self._is_new(compared[column]) and self._has_place_of_its_own(compared[column]):
                pool.append((compared[column], float(nearest[column])))
        kind = CandidateKind.NGRAMS if self._documents.embedder is None else CandidateKind.EMBEDDING
        for term, _, members in absorb(self._whole_names(pool)):
            column = self._documents.place[term.key]
            row = int(scores[:, column].argmax())
            similarity = float(scores[row, column])
            yield _Near(
                term, kind, self._seeds[own[row]].text, similarity, self._with_other_sides(term, members)
            )

    def _nearness(self, own: Sequence[int]) -> Floats:
        """How near each compared term is to a concept: similarity, company with its variants, and how usual it is."""
        documents, scores = self._documents, self._ranked[list(own)]
        nearest = scores.max(axis=0)
        if documents.embedder is not None:
            several = np.sort(scores, axis=0)[-_SEVERAL:].mean(axis=0)
            nearest = (1 - _AMONG) * nearest + _AMONG * several
        company = documents.company([self._seeds[n] for n in own])
        nothing = (self._scores[list(own)].max(axis=0) <= 0) & (company <= 0)
        nearest += _COMPANY * company - _USUAL * documents.frequency
        order = (n for n in np.argsort(-nearest, kind="stable") if self._is_new(documents.compared[n]))
        nearest += _LIKE * documents.company_of_terms(list(islice(order, _FIRST)))
        nearest[nothing] = -np.inf
        return np.asarray(nearest)

    def _is_new(self, term: Term) -> bool:
        return term.key not in self._settled

    def _whole_names(self, pool: Sequence[tuple[Term, float]]) -> list[tuple[Term, float]]:
        """Names in place of their pieces, as near as the nearest of these."""
        best: dict[str, tuple[Term, float]] = {}
        for term, nearness in pool:
            place = self._documents.place.get(term.whole)
            shown = term if place is None else self._documents.compared[place]
            best.setdefault(shown.key, (shown, nearness))
        return list(best.values())

    def _with_other_sides(self, term: Term, members: Sequence[str]) -> tuple[str, ...]:
        """What the documents define as the same as a term, and then its members."""
        sides = self._documents.other_sides
        others = [other for text in (term.text, *members) for other in sides.get(squeeze(text), ())]
        new = [other for other in others if other not in self._known and squeeze(other) != squeeze(term.text)]
        return tuple(dict.fromkeys([*new, *members]))

    def _has_place_of_its_own(self, term: Term) -> bool:
        """Whether a term stands anywhere but in places that the table finds: else there is nothing to gain."""
        mine = term.roots
        inside = sum(
            count for whole, count in self._inside if len(whole) > len(mine) and is_part(mine, whole)
        )
        return term.count > inside

    @cached_property
    def _inside(self) -> list[tuple[tuple[str, ...], int]]:
        """The stems of each accepted variant, and how often it stands in the documents in these words."""
        counts: dict[tuple[str, ...], int] = {}
        for key, count in sorted(self._settled.items()):
            stems = roots(key)
            if stems in self._whole:
                counts[stems] = counts.get(stems, 0) + count
        return list(counts.items())

    def _families(self, chosen: Sequence[_Near]) -> list[int]:
        """Clusters by meaning where there are vectors; else, and for a term without one, a family of its own."""
        vectors = self._documents.vectors
        place = self._documents.place
        families = [0] * len(chosen)
        placed = [n for n, near in enumerate(chosen) if near.term.key in place]
        if vectors is not None and placed:
            rows = np.array([place[chosen[n].term.key] for n in placed])
            for n, family in zip(placed, clusters(vectors[rows]), strict=True):
                families[n] = family
        following = max(families, default=0)
        for n, family in enumerate(families):
            if not family:
                following += 1
                families[n] = following
        return families
