"""Words reduced to one stem each: what phrases are compared by when their forms do not matter.

>>> roots("consumption of electricity"), roots("Data centres")
(('consum', 'of', 'electricity'), ('data', 'center'))
"""

from __future__ import annotations

from functools import lru_cache

from docaudit.wordforms import stems, words


def roots(text: str) -> tuple[str, ...]:
    """The stem of each word of a text, in order."""
    return tuple(_root(span.text) for span in words(text))


@lru_cache(maxsize=200_000)
def _root(word: str) -> str:
    return min(stems(word), key=lambda stem: (len(stem), stem))


def is_part(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether words stand in others, side by side."""
    size = len(part)
    return any(whole[n : n + size] == part for n in range(len(whole) - size + 1))
