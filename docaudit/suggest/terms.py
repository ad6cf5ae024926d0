"""The words and phrases of documents, counted: what may be a variant that the table lacks.

A term is a run of one to four words, or up to eight in capitals (the name of a law, of a body), without a sign between
them, that does not begin or end in a word of grammar. In Japanese the words come from a segmenter
(docaudit.suggest.japanese); they are runs of one script where it is not installed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from docaudit.question_words import STOP_WORDS
from docaudit.suggest.japanese import Segmenter
from docaudit.suggest.passages import Passage
from docaudit.suggest.roots import roots
from docaudit.wordforms import CJK, fold

LONGEST = 4
"""Words in the longest term that is no name."""
_LONGEST_NAME = 8
_PAIR = 2
_LONGEST_CJK = 3
_MAX_CHARS = 80
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:[-‐‑'’&./][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*")
_BLANK = regex.compile(r"[ \u00a0\t]{1,3}")
_NUMBER = regex.compile(r"(?<!\S)[0-9][0-9.,]*(?!\S)")
_LETTER = regex.compile(r"\p{L}")
# Words of grammar that may stand inside a phrase: "protection of personal data", "state-of-the-art", "oil and gas".
_INSIDE = frozenset(
    """of for and in to the on with by as de du von und des der""".split()  # noqa: SIM905
)
_GRAMMAR = STOP_WORDS | _INSIDE


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of the documents.

    Attributes:
        key: Folded text; terms of the same key are one.
        text: As it is written most often.
        count: Occurrences, in all documents.
        words: Number of its words.
        pages: Pages by name of document, in order; page 0 is the document as a whole.
        context: The verbatim line of its first occurrence.
        passages: Numbers of the passages that it stands in.
        whole: Key of the name of which it is a piece wherever it stands ("Privacy Act" of "Consumer Privacy Act");
            empty for all else.
        roots: The stem of each of its words.
    """

    key: str
    text: str
    count: int
    words: int
    pages: Mapping[str, tuple[int, ...]]
    context: str
    passages: tuple[int, ...] = ()
    whole: str = ""
    roots: tuple[str, ...] = ()

    @property
    def is_long_name(self) -> bool:
        """Whether it is a name of three words or more, as of a law or a body."""
        return self.words > _PAIR and _is_name(self.text)


@dataclass
class _Seen:
    first: tuple[Passage, int]
    words: int
    surfaces: Counter[str] = field(default_factory=Counter)
    pages: dict[str, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    passages: dict[int, None] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return self.surfaces.total()


def collect(passages: Iterable[Passage], segment: Segmenter) -> list[Term]:
    """All terms, the most frequent first; the order does not depend on anything but the text."""
    seen: dict[str, _Seen] = {}
    for number, passage in enumerate(passages):
        for start, end, words in _spans(passage.text, segment):
            surface = " ".join(passage.text[start:end].split())
            key = fold(surface)
            known = seen.get(key)
            if known is None:
                known = seen[key] = _Seen((passage, start), words)
            known.surfaces[surface] += 1
            known.pages[passage.document][passage.page] = None
            known.passages[number] = None
    wholes = _wholes(seen)
    terms = [_term(key, one, wholes.get(key, "")) for key, one in seen.items()]
    return sorted(terms, key=lambda term: (-term.count, not _is_name(term.text), term.words, term.key))


def to_compare(terms: Sequence[Term], most: int) -> list[Term]:
    """The terms that are most likely variants, at most so many.

    Names, words and pairs of words come first, then longer phrases that are repeated: where a document has more terms
    than can be compared, most of them are longer phrases that stand in it once, and hold a word or pair that says it.
    """
    return sorted(terms, key=_doubts)[:most]


def _doubts(term: Term) -> int:
    """What speaks against comparing a term: it is a long phrase, a long piece of a name, has a number, stands once."""
    long = term.words > _PAIR and (bool(term.whole) or not _is_name(term.text))
    doubtful = long or (term.words > 1 and _NUMBER.search(term.key) is not None)
    return 0 if not doubtful else 1 if term.count > 1 else 2


def _wholes(seen: Mapping[str, _Seen]) -> dict[str, str]:
    """For each piece of a name that stands nowhere else, the longest name that it is a piece of."""
    wholes: dict[str, str] = {}
    names = [key for key, one in seen.items() if one.words > 1 and _is_name(_surface(one))]
    for name in sorted(names, key=lambda key: (-seen[key].words, key)):
        cut = name.split()
        for first in range(len(cut)):
            for end in range(first + 1, len(cut) + 1):
                piece = " ".join(cut[first:end])
                if piece != name and piece in seen and seen[piece].count == seen[name].count:
                    wholes.setdefault(piece, name)
    return wholes


def _surface(seen: _Seen) -> str:
    return min(seen.surfaces, key=lambda surface: (-seen.surfaces[surface], surface.isupper(), surface))


def _term(key: str, seen: _Seen, whole: str) -> Term:
    text = _surface(seen)
    pages = {document: tuple(found) for document, found in seen.pages.items()}
    passage, start = seen.first
    context = passage.line_at(start)
    return Term(key, text, seen.count, seen.words, pages, context, tuple(seen.passages), whole, roots(key))


def _spans(text: str, segment: Segmenter) -> Iterator[tuple[int, int, int]]:
    """First and last + 1 character, and number of words, of each term in a text."""
    for run in _runs(text, segment):
        for first, (start, _) in enumerate(run):
            head = fold(text[start : run[first][1]])
            if _is_grammar(text[start : run[first][1]]):
                continue
            longest = _LONGEST_CJK if CJK.match(head) else _LONGEST_NAME
            for count in range(1, min(longest, len(run) - first) + 1):
                begin, end = run[first + count - 1]
                if count > LONGEST and not _is_name(text[start:end]):
                    break
                if _is_grammar(text[begin:end]):
                    if fold(text[begin:end]) not in _INSIDE:
                        break
                elif end - start <= _MAX_CHARS and _says_something(text[start:end]):
                    yield start, end, count


def _is_grammar(word: str) -> bool:
    """Whether a term cannot begin or end in a word; IT and US in capitals are names."""
    return not (word.isupper() and len(word) > 1) and fold(word) in _GRAMMAR


def _is_name(text: str) -> bool:
    """Whether all words but those of grammar have capitals, as in the name of a law or a body; one word is no name."""
    cut = [word for word in text.split() if word not in _INSIDE]
    return len(cut) > 1 and all(word[0].isupper() for word in cut)


def _says_something(text: str) -> bool:
    letters = len(_LETTER.findall(text))
    return letters >= 2 and letters * 2 >= len(text.replace(" ", ""))


def _runs(text: str, segment: Segmenter) -> Iterator[list[tuple[int, int]]]:
    """Words that follow each other with nothing but a blank between them."""
    run: list[tuple[int, int]] = []
    for start, end in _words(text, segment):
        if run and not (run[-1][1] == start or _BLANK.fullmatch(text, run[-1][1], start)):
            yield run
            run = []
        run.append((start, end))
    if run:
        yield run


def _words(text: str, segment: Segmenter) -> Iterator[tuple[int, int]]:
    """Words in order; what is Japanese or Chinese is cut by the segmenter, which leaves out words of grammar."""
    for match in _WORD.finditer(text):
        if CJK.search(match[0]):
            for start, end in segment(match[0]):
                yield match.start() + start, match.start() + end
        else:
            yield match.span()
