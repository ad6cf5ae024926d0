"""Whether two texts are the same question: one rule for holds and ledgers, and no more lenient than a reader is."""

from __future__ import annotations

import re
import unicodedata

_END = "?？.。!！ "


def plain(text: str) -> str:
    """The text in one Unicode form, without outer blanks, each run of blanks one; nothing else is dropped.

    >>> plain("  How  much? "), plain("-5 °C") == plain("5 °C"), plain("US") == plain("us")
    ('How much?', False, False)
    """
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def same_question(one: str | None, other: str | None) -> bool:
    """Whether both ask the same; a question that is not there is none, so it is the same as nothing."""
    return bool(one and other) and plain(one or "") == plain(other or "") != ""


def without_end(text: str) -> str:
    """The plain text without the signs that end it, for labels that contradict each other."""
    return plain(text).rstrip(_END)
