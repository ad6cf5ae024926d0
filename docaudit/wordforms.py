"""Words and their forms: folding, cutting text into words, simple stems. What tables and stages share about words.

These helpers answer "is this about the same word?" for validation, questions and near misses. Whether a variant is
*found* is decided by the sweep alone, with rules of its own.

>>> fold("Ｄａｔａ\u00adCenter")
'datacenter'
>>> [span.text for span in words("生成AIの電力 (10 MW)")]
['生成', 'AI', 'の', '電力', '10', 'MW']
>>> share_stem("consumption", "consuming"), share_stem("organisation", "organize"), share_stem("news", "new")
(True, True, False)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from docaudit import folding

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HIRAGANA = "\u3041-\u309f"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"

_LETTER = rf"(?:[^\W_{HAN}{KATAKANA}{HIRAGANA}]|[\u0300-\u036f])"
WORD = re.compile(rf"[{HAN}]+|[{KATAKANA}]+|[{HIRAGANA}]+|{_LETTER}+(?:['’]{_LETTER}+)*")
"""A word: a run of letters and digits; in Japanese and Chinese a run of one script, as nothing else separates them."""

CJK = re.compile(rf"[{HAN}{KATAKANA}{HIRAGANA}{HANGUL}]")
"""A character of a script in which a variant may begin and end anywhere."""


class Span(NamedTuple):
    """A word with its place in the text it was cut from."""

    text: str
    start: int
    end: int


def words(text: str) -> Iterator[Span]:
    """The words of a text in order, each with its first character and the one after its last."""
    for match in WORD.finditer(text):
        yield Span(match.group(), match.start(), match.end())


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """Text as it is compared: folded as for the sweep, accents composed, runs of blanks reduced to one."""
    return " ".join(unicodedata.normalize("NFC", folding.fold(text)).split())


def squeeze(text: str) -> str:
    """Folded text without spaces, hyphens and underscores: data-center, data center and datacenter are equal."""
    return re.sub(r"[\s_\-\u2014]+", "", fold(text))


def without_accents(text: str) -> str:
    """Folded text without combining marks of Latin, Greek and Cyrillic letters; Japanese voicing marks stay."""
    parts = unicodedata.normalize("NFD", fold(text))
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", parts))


_AMERICAN = tuple(
    (re.compile(british), american)
    for british, american in (
        (r"is(e[sd]?|ing|ations?|ers?)$", r"iz\1"),
        (r"ys(e[sd]?|ing|ers?)$", r"yz\1"),
        (r"(?<=[a-z]{3})our(s|ed|ing|al|ite|ites)?$", r"or\1"),
        (r"(?<=[a-z]{2})tre(s|d)?$", r"ter\1"),
        (r"ogue(s)?$", r"og\1"),
        (r"ence(s)?$", r"ense\1"),
        (r"^programme(s)?$", r"program\1"),
        (r"^aluminium$", "aluminum"),
        (r"^sulph", "sulf"),
        (r"^tyre(s)?$", r"tire\1"),
        (r"^grey", "gray"),
    )
)
_NOT_PLURAL = frozenset(
    {
        "plus",
        "always",
        "bus",
        "series",
        "basis",
        "gas",
        "species",
        "news",
        "crisis",
        "means",
        "thesis",
        "analysis",
        "perhaps",
    }
)
_SHORTEST_STEM = 3
# "ration" is not the noun of "r-ate": what is left after -ation must still look like a verb.
_SHORTEST_VERB = 4


@lru_cache(maxsize=200_000)
def stems(word: str) -> frozenset[str]:
    """What a word may be a form of: itself, its singular, the verb of -ing, -ed and -tion; always American spelling.

    Deliberately small: only plural, -ing, -ed and -tion, so that "policy" and "police" stay different words.
    """
    base = fold(word).removesuffix("'s").rstrip("'")
    if not base.isascii() or not base.isalpha():
        return frozenset({base})
    for british, american in _AMERICAN:
        base = british.sub(american, base)
    forms = {base}
    for single in _singulars(base):
        forms |= {single, *_verbs(single)}
    forms |= set(_verbs(base))
    return frozenset(form.removesuffix("e") if len(form) > _SHORTEST_STEM else form for form in forms)


def share_stem(one: str, other: str) -> bool:
    """Whether two words may be forms of the same word."""
    return not stems(one).isdisjoint(stems(other))


def _singulars(word: str) -> Iterator[str]:
    if word in _NOT_PLURAL or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return
    if len(word) <= _SHORTEST_STEM:
        return
    if word.endswith("ies"):
        yield word[:-3] + "y"
        return
    if word.endswith("yzes"):
        yield word[:-4] + "ysis"
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        yield word[:-2]
    yield word[:-1]


def _verbs(word: str) -> Iterator[str]:
    for suffix in ("ing", "ed"):
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= _SHORTEST_STEM:
            yield stem
            if stem[-1] == stem[-2]:
                yield stem[:-1]
            if suffix == "ed" and stem.endswith("i"):
                yield stem[:-1] + "y"
    for suffix, verbs in (("umption", ("um",)), ("uction", ("uc",)), ("ation", ("at", "")), ("tion", ("t",))):
        if word.endswith(suffix):
            for verb in verbs:
                if len(word) - len(suffix) + len(verb) >= _SHORTEST_VERB:
                    yield word.removesuffix(suffix) + verb
            return
