"""Which phrase an acronym may stand for, by its letters alone.

>>> may_expand("AI", "artificial intelligence"), may_expand("PV", "photovoltaic"), may_expand("AI", "data center")
(True, True, False)
>>> initials("European Union Agency for Cybersecurity"), initials("data center")
('EUAC', 'DC')
"""

from __future__ import annotations

from docaudit.wordforms import CJK, fold, words

_SMALL = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
_LONG_CJK = 3


def may_expand(acronym: str, phrase: str) -> bool:
    """Whether the letters of the acronym come in this order in the phrase, beginning with its first.

    A Japanese or Chinese name of some length may stand for any acronym: its letters tell nothing.
    """
    if CJK.search(phrase):
        return len(phrase) >= _LONG_CJK
    letters = [char for char in fold(acronym) if char.isalpha()]
    text = [char for char in fold(phrase) if char.isalpha()]
    if len(text) < 2 * len(letters) or not letters or text[:1] != letters[:1]:
        return False
    rest = iter(text)
    return all(letter in rest for letter in letters)


def initials(phrase: str) -> str:
    """The first letters of the words of a phrase in capitals, without those of small words."""
    listed = [word.text for word in words(phrase)]
    return "".join(word[0].upper() for word in listed if fold(word) not in _SMALL)
