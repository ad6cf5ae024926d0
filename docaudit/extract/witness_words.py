"""Words of a page that make good controls: a search that does not find them there has failed.

Plain splitting, which knows nothing of how the search folds, joins and matches: whole words of letters between blanks
and punctuation, and pieces of runs of Chinese, Japanese and Korean signs. Left out is what two honest readers may part
in other places: a part of a word that a line end divides, a letter-spaced word, a ligature, a piece of a key or an
address.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator

_LINE = re.compile(r"[^\r\n]+")
_TOKEN = re.compile(r"[^ \t\u00a0\u2000-\u200a\u3000]+")
_AROUND = "([{\"'“”‘’«»„,.;:!?)]}"
_LETTERS = re.compile(r"[^\W\d_]{4,20}")
_SIGNS = re.compile(r"[\u3005\u4e00-\u9fff\u30a1-\u30fa\u30fc\uac00-\ud7a3]{3,6}")
_WITHOUT_BLANKS = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Scripts that put no blank between words, and Korean, whose words carry endings: no whole words by blanks."""
_HYPHENS = ("-", "\u00ad", "\u2010", "\u2011", "\u2013", "\ufffe", "=")
_MOST = 40
"""Lines of a page of which a word is kept; of more, as many evenly spread."""


def witness_words(text: str) -> list[tuple[int, int]]:
    """Where a word stands in each line of a page's text that has a good one: start and end, in order."""
    found, divided = [], False
    for line in _LINE.finditer(text):
        words = list(_words(line[0], begins_divided=divided))
        divided = line[0].rstrip().endswith(_HYPHENS)
        if words:
            # Any would do; the same must come out every time and everywhere, and not always the first of a line.
            start, end = min(
                words, key=lambda span: zlib.crc32(line[0][slice(*span)].encode("utf-8", "replace"))
            )
            found.append((line.start() + start, line.start() + end))
    step = max(1, -(-len(found) // _MOST))
    return found[::step]


def is_piece(word: str) -> bool:
    """Whether a word is a piece of a text that has no blanks between words: it may stand anywhere in it."""
    return _WITHOUT_BLANKS.search(word) is not None


def _words(line: str, *, begins_divided: bool) -> Iterator[tuple[int, int]]:
    tokens = list(_TOKEN.finditer(line))
    for number, token in enumerate(tokens):
        if _WITHOUT_BLANKS.search(token[0]):
            yield from (
                (token.start() + run.start(), token.start() + run.end()) for run in _SIGNS.finditer(token[0])
            )
            continue
        if (begins_divided and number == 0) or (number and len(tokens[number - 1][0]) == 1):
            continue
        bare = token[0].strip(_AROUND)
        start = token.start() + token[0].find(bare)
        if _LETTERS.fullmatch(bare) and unicodedata.normalize("NFKC", bare) == bare:
            yield start, start + len(bare)
