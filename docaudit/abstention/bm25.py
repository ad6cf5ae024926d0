"""The reference retriever: BM25 over whole words of ASCII and pairs of Japanese characters.

It is here so that a published experiment can be run again to the last digit, not to be a good retriever: it has no
notion of meaning, negation, time or identifiers ("P-20" is the words "p" and "20").
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from docaudit.errors import GateError
from docaudit.evidence import Model

_RUN = re.compile("[a-z0-9]+|[\u3040-\u30ff\u3400-\u9fff]+")


class Document(Model):
    """A document of the collection; its title is searched with its text."""

    id: str
    title: str
    text: str

    @property
    def searched(self) -> str:
        """What the tokens are made of."""
        return f"{self.title} {self.text}"


def tokens(text: str) -> list[str]:
    """The tokens of a text: ASCII words whole, Japanese runs as overlapping pairs of characters.

    >>> tokens("P-20 の返品")
    ['p', '20', 'の返', '返品']
    """
    found: list[str] = []
    for run in _RUN.findall(_normal(text)):
        if run.isascii() or len(run) == 1:
            found.append(run)
        else:
            found.extend(run[at : at + 2] for at in range(len(run) - 1))
    return found


def unseen(text: str) -> str:
    """Letters and digits that are in no token, each once: é, Cyrillic, Hangul. They are not searched.

    >>> unseen("Ménage à Київ 返品")
    'éàкиїв'
    """
    outside = _RUN.sub("", _normal(text))
    return "".join(dict.fromkeys(char for char in outside if char.isalnum()))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


class BM25:
    """An index over documents.

    A token of the query counts once however often it stands there, and IDF is ln(1 + (N - df + 0.5) / (df + 0.5)),
    which is never negative. Equal scores are ordered by the name of the document.

    Args:
        documents: What is searched.
        k1: How soon more occurrences of a token stop adding.
        b: How far long documents are discounted, 0 to 1.

    Raises:
        GateError: There is not one token in the documents.
    """

    def __init__(self, documents: Sequence[Document], *, k1: float, b: float) -> None:
        self._k1, self._b = k1, b
        self._names = [document.id for document in documents]
        self._counts = [Counter(tokens(document.searched)) for document in documents]
        self._lengths = [counts.total() for counts in self._counts]
        if not sum(self._lengths):
            raise GateError("no document has a word that this retriever knows (ASCII or Japanese)")
        self._average = sum(self._lengths) / len(self._lengths)
        self._df = Counter(token for counts in self._counts for token in counts)

    def search(self, query: str) -> list[tuple[str, float]]:
        """Every document with a positive score, best first, with its score."""
        # Sorted, because the order of a sum of floats decides its last digit.
        wanted = sorted(set(tokens(query)))
        scored = [(name, self._score(wanted, place)) for place, name in enumerate(self._names)]
        return sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))

    def _score(self, wanted: Sequence[str], place: int) -> float:
        counts, score = self._counts[place], 0.0
        weight = self._k1 * (1 - self._b + self._b * self._lengths[place] / self._average)
        for token in wanted:
            if frequency := counts[token]:
                score += self._idf(token) * frequency * (self._k1 + 1) / (frequency + weight)
        return score

    def _idf(self, token: str) -> float:
        df = self._df[token]
        return math.log(1 + (len(self._names) - df + 0.5) / (df + 0.5))
