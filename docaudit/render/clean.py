"""Text of a document made safe to show: documents are untrusted, and so is every string that came out of one.

A control character could move the cursor of a terminal or rename its window; a bidirectional override could make
a line read as something that it does not say. Both are shown as U+FFFD, so that a reader sees that something stood
there. JSON keeps the text as it is.
"""

from __future__ import annotations

import re

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
