"""Other spellings, forms and compounds of accepted variants that occur in the documents and the sweep does not find.

Plurals, British and American spelling, hyphens and the like are found by the sweep itself (docaudit.search.inflect);
left are other forms of a word (electrified for electricity), the same words in another order, misspellings, longer
words with the variant in them, accents, and Japanese in the other kana or another way of writing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from docaudit.concepts import Variant
from docaudit.question_words import STOP_WORDS
from docaudit.suggest.candidates import CandidateKind
from docaudit.suggest.japanese import normaliser, other_kana
from docaudit.suggest.roots import roots
from docaudit.suggest.terms import Term
from docaudit.vocabulary import edits_allowed
from docaudit.wordforms import CJK, fold, squeeze, without_accents

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
        most = edits_allowed(joined) - (len(joined) < 12)  # two edits only where ten letters stay the same
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
