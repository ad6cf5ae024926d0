"""Other forms in which the same word is written: plural and singular, -ise/-ize, British and American spelling,
A.I. and AI, Japanese katakana with and without the long vowel at their end.

The possessive needs no rule: an apostrophe is a boundary. Compounds (data center, data-center, datacenter)
are a matter of separators and stand in docaudit.search.patterns. Rules work on the letters as written, so that a
case-sensitive variant keeps its capitals.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

MAX_FORMS = 16
"""Upper bound of spellings of one variant; each may be joined by its plurals."""

_OUR = (
    "arm behavi cand clam col demean endeav fav ferv flav glam harb hon hum lab neighb od par parl ranc rig "
    "rum "
    "sav splend succ tum val vap vig"
)
_RE = (
    "calib cent fib goit kilomet lit lust meag met millimet nit och reconnoit sab sceptr sepulch somb "
    "spect theat"
)
_DOUBLED = (
    "cancel channel counsel dial disburs equal fuel fulfil initial journal label level marshal model panel "
    "pencil "
    "pedal program quarrel rival shovel signal spiral total trammel travel tunnel unravel yodel"
)
_PAIRS = (
    ("aluminium", "aluminum"), ("analogue", "analog"), ("catalogue", "catalog"), ("dialogue", "dialog"),
    ("programme", "program"), ("grey", "gray"), ("judgement", "judgment"),
    ("acknowledgement", "acknowledgment"), ("ageing", "aging"), ("artefact", "artifact"), ("sulph", "sulf"),
    ("sceptic", "skeptic"), ("mould", "mold"), ("paedi", "pedi"), ("haem", "hem"), ("anaem", "anem"),
    ("anaesth", "anesth"), ("encyclopaed", "encycloped"), ("manoeuvr", "maneuver"),
    ("orthopaed", "orthoped"), ("enrolment", "enrollment"), ("fulfilment", "fulfillment"),
    ("instalment", "installment"), ("skilful", "skillful"), ("wilful", "willful"), ("defence", "defense"),
    ("offence", "offense"), ("licence", "license"), ("pretence", "pretense"), ("plough", "plow"),
    ("tyre", "tire"), ("gramme", "gram"), ("orientat", "orient"), ("foetus", "fetus"), ("foetal", "fetal"),
    ("oestr", "estr"), ("oesoph", "esoph"), ("leukaem", "leukem"),
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+")
_DOTTED = re.compile(r"(?<![\w.])(?:[^\W\d_]\.){2,}|(?<![\w.])(?:[^\W\d_]\.)+[^\W\d_](?![\w.])")
"""Letters with a dot after each: A.I., U.S., e.g. (also where the last dot is missing)."""
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_LONG_AFTER = frozenset("ァアカガサザタダナハバパマャヤラワェィリ")
"""Last kana of words that are written with or without a long vowel: サーバ(ー), メモリ(ー), ソフトウェア(ー)."""

_SWAPS: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e|ed|es|er|ers|ing|ation|ations|ational|able)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{2})iz(?=(?:e|ed|es|er|ers|ing|ation|ations|ational|able)$)"), "is"),
    (re.compile(r"(?<=[a-z])ys(?=(?:e|ed|es|er|ers|ing)$)"), "yz"),
    (re.compile(r"(?<=[a-z])yz(?=(?:e|ed|es|er|ers|ing)$)"), "ys"),
    (re.compile(rf"(?<!\w)(\w*(?:{_OUR.replace(' ', '|')}))our"), r"\1or"),
    (re.compile(rf"(?<!\w)(\w*(?:{_OUR.replace(' ', '|')}))or(?!\w*t)"), r"\1our"),
    (re.compile(rf"(?<!\w)(\w*(?:{_RE.replace(' ', '|')}))re(?=(?:s|d)?$)"), r"\1er"),
    (re.compile(rf"(?<!\w)((?:{_RE.replace(' ', '|')}))er(?=(?:s|ed)?$)"), r"\1re"),
    (re.compile(rf"((?:{_DOUBLED.replace(' ', '|')}))l(?=(?:ed|ing|er|ers|or|ors)$)"), r"\1"),
    (re.compile(rf"((?:{_DOUBLED.replace(' ', '|')}))(?=(?:ed|ing|er|ers|or|ors)$)"), r"\1l"),
]


@lru_cache(maxsize=50_000)
def spellings(word: str) -> tuple[str, ...]:
    """The word and its other spelling in British or American English, if a rule knows one."""
    out = {word: None}
    if len(word) < 4:
        return (word,)
    lower = word[0].lower() + word[1:]
    for pattern, replacement in _SWAPS:
        changed = pattern.sub(replacement, lower)
        out[word[0] + changed[1:]] = None
    for british, american in _PAIRS:
        for one, other in ((british, american), (american, british)):
            if lower.startswith(one) or (len(one) > 5 and one in lower):
                changed = lower.replace(one, other, 1)
                out[(changed[0].upper() if word[0].isupper() else changed[0]) + changed[1:]] = None
    return tuple(out)


_OWN_WORDS = frozenset(
    """
    news goods customs arms means damages premises proceeds savings earnings securities contents odds glasses spirits
    works ashes grounds manners minutes pants shorts stairs thanks clothes lens texas wales always perhaps besides
    towards sometimes overseas afterwards christmas bias alias atlas canvas gas species series headquarters
    diabetes measles united states does this thus plus yes its has was
    """.split()  # noqa: SIM905
)
"""Words that end like plurals and are words of their own: news is not the plural of new."""


@lru_cache(maxsize=50_000)
def singulars(word: str) -> tuple[str, ...]:
    """What a word may be the English plural of; empty if it looks like none.

    >>> singulars("estimates"), singulars("policies"), singulars("GPUs"), singulars("news"), singulars("analyses")
    (('estimate',), ('policy', 'policie'), ('GPU',), (), ('analys', 'analyse', 'analysis'))
    """
    if not _WORD.fullmatch(word) or len(word) < 4 or not word.endswith(("s", "S")):
        return ()
    if word[:-1].isupper():
        return (word[:-1],) if word.endswith("s") else ()
    lower = word.lower()
    if lower in _OWN_WORDS or lower.endswith(("ss", "us", "is", "ics", "ous")):
        return ()
    if lower.endswith("ies"):
        return (word[:-3] + "y", word[:-1])
    if lower.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        also = (word[:-2] + "is",) if lower.endswith("ses") else ()
        return (word[:-2], word[:-1], *also)
    return (word[:-1],)


@lru_cache(maxsize=50_000)
def plurals(word: str) -> tuple[str, ...]:
    """English plural forms of a word; none for words of one or two letters that are not acronyms."""
    lower = word.lower()
    acronym = word.isupper() and len(word) >= 2
    if not _WORD.fullmatch(word) or (len(word) < 3 and not acronym):
        return ()
    if acronym:
        return (word + "s",)
    if lower.endswith("sis"):
        return (word[:-2] + "es",)
    if (singulars(word) or lower in _OWN_WORDS) and not lower.endswith(("as", "os", "lens")):
        return ()  # it is a plural already; gas, cosmos and lens are none
    if re.search(r"(?:s|x|z|ch|sh)$", lower):
        return (word + "es",)
    if re.search(r"[^aeiou]y$", lower):
        return (word[:-1] + "ies",)
    return (word + "s", word + "es") if lower.endswith("o") else (word + "s",)


def forms(text: str, *, number: bool = True) -> tuple[str, ...]:
    """All forms of a variant, the written one first: spellings of each word, then plural and singular of the last
    word; then the same without the dots of an abbreviation, and katakana with another end.
    """
    out = dict.fromkeys(_english_forms(text, number))
    undotted = _DOTTED.sub(lambda match: match[0].replace(".", ""), text)
    if undotted != text and len(text) <= 200:
        out |= dict.fromkeys(_english_forms(undotted, number))
    if _KATAKANA.search(text):
        out |= dict.fromkeys(_katakana_forms(text))
    return tuple(out)


def _katakana_forms(text: str) -> list[str]:
    """コンピューター also as コンピュータ, and サーバ設定 as サーバー設定; at its end the page may go on."""
    runs = list(_KATAKANA.finditer(text))[:4]
    out = [text]
    for run in reversed(runs):
        word, end = run[0], run.end()
        if word.endswith("ー") and len(word) > 3:
            out += [form[: end - 1] + form[end:] for form in out]
        elif word[-1] in _LONG_AFTER and end < len(text):
            out += [form[:end] + "ー" + form[end:] for form in out]
    return out[1:]


def _english_forms(text: str, number: bool) -> tuple[str, ...]:
    pieces = _WORD.split(text)
    words = _WORD.findall(text)
    if not words or len(text) > 200:
        return (text,)
    spelled = (
        list(product(*(spellings(word) for word in words)))[:MAX_FORMS] if len(words) <= 8 else [tuple(words)]
    )
    out: dict[str, None] = {}
    for chosen in spelled:
        out[_joined(pieces, chosen)] = None
    for dotted in ("{}.", "{}"):  # with its last dot first, so that a match shows it
        out[_joined(pieces, tuple(dotted.format(".".join(w)) if _is_initials(w) else w for w in words))] = (
            None
        )
    if (
        number and not pieces[-1]
    ):  # the text ends in a word, so its last word can be in the plural or singular
        for chosen in spelled:
            for last in (*plurals(chosen[-1]), *singulars(chosen[-1])):
                out[_joined(pieces, (*chosen[:-1], last))] = None
    return tuple(out)


def _is_initials(word: str) -> bool:
    return 2 <= len(word) <= 4 and word.isupper()


def _joined(pieces: list[str], words: tuple[str, ...]) -> str:
    return "".join(piece + word for piece, word in zip(pieces, (*words, ""), strict=True))
