"""The language of a report: English as it stands in templates and code, Japanese from one catalogue.

English sentences are the keys of japanese.json, so that templates stay readable; a test looks up every one that occurs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from docaudit.location import TextLikely
from docaudit.render import words
from docaudit.render.pages import WHOLE_DOCUMENT, page_ranges, page_words

Language = Literal["en", "ja"]


@cache
def catalogue() -> Mapping[str, str]:
    """English -> Japanese."""
    text = files("docaudit.render").joinpath("japanese.json").read_text("utf-8")
    known: dict[str, str] = json.loads(text)
    return known


@dataclass(frozen=True)
class Tongue:
    """Says things in one language.

    >>> Tongue("en")("{n} words apart", n=3), Tongue("ja")("{n} words apart", n=3)
    ('3 words apart', '3語の距離')
    """

    language: Language = "en"

    def __call__(self, text: str, **values: Any) -> str:
        """The sentence in this language, with values in its places; KeyError if the catalogue lacks it."""
        said = text if self.language == "en" else catalogue()[text]
        return said.format(**values) if values else said

    def data(self, text: str) -> str:
        """A sentence that is data, in this language where all its parts between semicolons are known; else as it is."""
        if self.language == "en":
            return text
        known = catalogue()
        if text in known:
            return known[text]
        parts = text.split("; ")
        return "。".join(known[part] for part in parts) if all(part in known for part in parts) else text

    def count(self, number: int, noun: str) -> str:
        """A number with its noun.

        >>> Tongue("en").count(2, "near miss"), Tongue("ja").count(1200, "page")
        ('2 near misses', '1,200ページ')
        """
        if self.language == "en":
            return words.plural(number, noun)
        return self(f"{{n}} {noun}", n=f"{number:,}")

    def ranges(self, pages: Iterable[int]) -> str:
        """Page numbers without the word."""
        return page_ranges(pages).replace(WHOLE_DOCUMENT, self(WHOLE_DOCUMENT))

    def pages(self, pages: Iterable[int]) -> str:
        """Page numbers with the word.

        >>> Tongue("en").pages([3, 4, 5]), Tongue("ja").pages([0, 3])
        ('pages 3–5', '文書全体、3ページ')
        """
        listed = set(pages)
        if self.language == "en":
            return page_words(listed)
        beside = [self(WHOLE_DOCUMENT)] if 0 in listed else []
        ranges = page_ranges(listed - {0})
        return "、".join([*beside, *([f"{ranges}ページ"] if ranges else [])])

    def page(self, page_num: int) -> str:
        """One page; 0 is the document as a whole."""
        return self("page {n}", n=page_num) if page_num else self(WHOLE_DOCUMENT)

    def likely(self, likely: Mapping[TextLikely, int]) -> str:
        """Whether a group of blind spots may hold text.

        >>> Tongue("en").likely({TextLikely.YES: 2})
        'likely'
        >>> Tongue("en").likely({TextLikely.NO: 3, TextLikely.UNKNOWN: 1})
        'unknown (1), unlikely (3)'
        """
        present = [
            (self(name), likely[state]) for state, name in words.LIKELY_NAMES.items() if likely.get(state)
        ]
        if len(present) == 1:
            return present[0][0]
        return ", ".join(f"{name} ({count})" for name, count in present)

    def number(self, value: int | None) -> str:
        """A measured number, or that it was not measured."""
        return self("not measured") if value is None else f"{value:,}"

    def share(self, value: float | None) -> str:
        """A measured share in percent, or that it was not measured."""
        return self("not measured") if value is None else f"{value * 100:.1f} %"


ENGLISH = Tongue("en")
