"""The language of a report: English as it stands in templates and code, Japanese from one catalogue.

English sentences are the keys of japanese.json, so that templates stay readable; a test looks up every one that occurs.

The words of a report: one title and one sentence for each value of the closed vocabularies.

Page numbers as people write them: 12, 14–18.

Text of a document made safe to show: documents are untrusted, and so is every string that came out of one.

A control character could move the cursor of a terminal or rename its window; a bidirectional override could make
a line read as something that it does not say. Both are shown as U+FFFD, so that a reader sees that something stood
there. JSON keeps the text as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from docaudit.codes import ObligationState, TextLikely
from docaudit.text import numbers as text_numbers
from docaudit.text.numbers import plural as plural

OUTCOMES = {
    "mentioned": "mentioned",
    "absent_within_coverage": "absent",
    "not_established": "not established",
    "error": "error",
    "not_run": "not run",
}
"""What became of one of many documents, in a cell; a legend says what `absent` means."""

OBLIGATION_MARKS = {
    ObligationState.MET: "✓",
    ObligationState.UNMET: "✗",
    ObligationState.WAIVED: "~",
    ObligationState.NOT_RUN: "–",
}

MATCH_MODES = {
    "word": "as whole words",
    "prefix": "at the beginning of words",
    "substring": "anywhere in words",
    "regex": "as a regular expression",
}

CASES = {True: "in this case only", False: "in any case"}
"""By Variant.case_sensitive."""

INFLECTIONS = {
    "auto": "also in the plural and possessive, and with or without hyphen or space",
    "off": "in this form only",
}


WHOLE_DOCUMENT = "document"
"""What stands for page_num 0: the document as a whole."""


def page_ranges(pages: Iterable[int]) -> str:
    """Pages sorted, without repetition, neighbours joined; empty for no page.

    >>> page_ranges([18, 12, 14, 15, 16, 17, 12])
    '12, 14–18'
    >>> page_ranges([0, 3, 4])
    'document, 3, 4'
    """
    numbers = set(pages)
    beside = [WHOLE_DOCUMENT] if 0 in numbers else []
    return ", ".join(filter(None, [*beside, text_numbers.page_ranges(numbers - {0})]))


def page_words(pages: Iterable[int]) -> str:
    """Page ranges with the word in front, for the middle of a line.

    >>> page_words([3]), page_words([3, 7]), page_words([0]), page_words([])
    ('page 3', 'pages 3, 7', 'document', '')
    """
    listed = set(pages)
    ranges = page_ranges(listed)
    if not ranges or listed == {0}:
        return ranges
    if 0 in listed:
        return f"{WHOLE_DOCUMENT} and {page_words(listed - {0})}"
    return f"page {ranges}" if len(listed) == 1 else f"pages {ranges}"


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
            return plural(number, noun)
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
        order = (TextLikely.YES, TextLikely.UNKNOWN, TextLikely.NO)
        present = [(self(state.label), likely[state]) for state in order if likely.get(state)]
        if len(present) == 1:
            return present[0][0]
        return ", ".join(f"{name} ({count})" for name, count in present)

    def number(self, value: int | None) -> str:
        """A measured number, or that it was not measured."""
        return self("not measured") if value is None else f"{value:,}"

    def share(self, value: float | None) -> str:
        """A measured share in percent, or that it was not measured."""
        return self("not measured") if value is None else text_numbers.percent(value)


ENGLISH = Tongue("en")


_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SOFT_HYPHEN_AT_END = re.compile("\u00ad(?=[ \t]*\n)")
_SPACES = re.compile(r"[ \t\n]+")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def safe(text: str) -> str:
    r"""The text with line ends as newlines and every control or override character as U+FFFD.

    >>> safe("a\x1b[31mb\r\nc")
    'a�[31mb\nc'
    """
    return _UNSAFE.sub("\ufffd", _LINE_ENDS.sub("\n", text))


def shown(text: str) -> str:
    r"""The safe text with soft hyphens as a reader sees them: a hyphen at the end of a line, nothing elsewhere.

    >>> shown("elec\u00ad\ntri\u00adcity")
    'elec-\ntricity'
    """
    return _SOFT_HYPHEN_AT_END.sub("-", safe(text)).replace("\u00ad", "")


def one_line(text: str) -> str:
    r"""The shown text on one line: each run of spaces and newlines is one space.

    >>> one_line("elec\u00ad\n tri\u00adcity\t2024")
    'elec- tricity 2024'
    """
    return _SPACES.sub(" ", shown(text))


def csv_cell(text: str) -> str:
    """The safe text, so that a spreadsheet shows it and does not run it as a formula.

    A cell that begins like a formula gets an apostrophe in front; justification.json keeps it verbatim.

    >>> csv_cell("=HYPERLINK(1)"), csv_cell("electricity")
    ("'=HYPERLINK(1)", 'electricity')
    """
    cleaned = safe(text)
    return f"'{cleaned}" if cleaned.startswith(_FORMULA_STARTS) else cleaned
