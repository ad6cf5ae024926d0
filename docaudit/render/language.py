"""What a report says in which language, how it writes numbers and pages, and how it shows text of a document.

English sentences stand in templates and code and are the keys of the catalogue (locale/ja/LC_MESSAGES/docaudit.po, read
by gettext). A sentence that the catalogue lacks stays English; a test looks up every one that occurs.

Documents are untrusted, and so is every string that came out of one: a control character could move the cursor of a
terminal, a bidirectional override could make a line read as something that it does not say. Both are shown as U+FFFD,
so that a reader sees that something stood there. JSON keeps the text as it is.
"""

from __future__ import annotations

import gettext
import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from docaudit.codes import TextLikely
from docaudit.text import numbers
from docaudit.text.numbers import plural as plural

Language = Literal["en", "ja"]
LOCALE = Path(__file__).parent / "locale"
WHOLE_DOCUMENT = "document"
"""What stands for page_num 0: the document as a whole."""


@cache
def catalogue(language: Language) -> gettext.NullTranslations:
    """The translations of this language; of English there are none, and the sentences stay as they are."""
    return gettext.translation("docaudit", LOCALE, [language], fallback=language == "en")


@dataclass(frozen=True)
class Translator:
    """Sentences in one language; named places in braces are filled with values.

    >>> Translator("en")("{n} words apart", n=3), Translator("ja")("{n} words apart", n=3)
    ('3 words apart', '3語の距離')
    """

    language: Language = "en"

    def __call__(self, sentence: str, /, **values: Any) -> str:
        """The sentence in this language."""
        text = catalogue(self.language).gettext(sentence)
        return text.format(**values) if values else text

    def pgettext(self, context: str, sentence: str, /, **values: Any) -> str:
        """A sentence that means something else in another context."""
        text = catalogue(self.language).pgettext(context, sentence)
        return text.format(**values) if values else text

    def ngettext(self, singular: str, plural: str, n: int, /, **values: Any) -> str:
        """A number with its noun: {n} is the number.

        >>> t = Translator("ja")
        >>> t.ngettext("{n} page", "{n} pages", 1200)
        '1,200ページ'
        """
        return catalogue(self.language).ngettext(singular, plural, n).format(n=f"{n:,}", **values)

    def data(self, text: str) -> str:
        """A sentence that is data: translated where all its parts between semicolons can be, else as it is."""
        known = catalogue(self.language).gettext
        parts = [text] if known(text) != text else text.split("; ")
        # The key "" is the head of the catalogue.
        new = [known(part) if part else "" for part in parts]
        return "。".join(new) if all(map(operator.ne, parts, new)) else text

    def ranges(self, pages: Iterable[int]) -> str:
        """Page numbers without the word."""
        return page_ranges(pages).replace(WHOLE_DOCUMENT, self(WHOLE_DOCUMENT))

    def pages(self, pages: Iterable[int]) -> str:
        """Page numbers with the word.

        >>> Translator("en").pages([3, 4, 5]), Translator("ja").pages([0, 3])
        ('pages 3–5', '文書全体、3ページ')
        """
        listed = set(pages)
        if self.language == "en":
            return page_words(listed)
        document = [self(WHOLE_DOCUMENT)] if 0 in listed else []
        ranges = page_ranges(listed - {0})
        return "、".join([*document, *([f"{ranges}ページ"] if ranges else [])])

    def page(self, page_num: int) -> str:
        """One page; 0 is the document as a whole."""
        return self("page {n}", n=page_num) if page_num else self(WHOLE_DOCUMENT)

    def likely(self, likely: Mapping[TextLikely, int]) -> str:
        """Whether a group of blind spots may hold text.

        >>> Translator("en").likely({TextLikely.YES: 2})
        'likely'
        >>> Translator("en").likely({TextLikely.NO: 3, TextLikely.UNKNOWN: 1})
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
        return self("not measured") if value is None else numbers.percent(value)


ENGLISH = Translator("en")


def page_ranges(pages: Iterable[int]) -> str:
    """Pages sorted, without repetition, neighbours joined; empty for no page.

    >>> page_ranges([18, 12, 14, 15, 16, 17, 12])
    '12, 14–18'
    >>> page_ranges([0, 3, 4])
    'document, 3, 4'
    """
    listed = set(pages)
    document = [WHOLE_DOCUMENT] if 0 in listed else []
    return ", ".join(filter(None, [*document, numbers.page_ranges(listed - {0})]))


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
