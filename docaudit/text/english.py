"""Forms of a word or variant: every way in which the sweep looks for it, and the stems by which words are compared.

Plural and singular, -ise/-ize, British and American spelling, A.I. and AI, Japanese katakana with and without the
long vowel at their end. The possessive needs no rule: an apostrophe is a boundary. Compounds (data center,
data-center, datacenter) are a matter of separators and stand in docaudit.search.patterns.

`forms` is exact, as what it gives is counted as a hit, and works on the letters as written, so that a case-sensitive
variant keeps its capitals. `stems` is loose: it only says which words of a question or document to show to a person.

>>> forms("data centre")
('data centre', 'data center', 'data centres', 'data centers')
>>> share_stem("consumption", "consuming"), share_stem("organisation", "organize"), share_stem("news", "new")
(True, True, False)
>>> share_stem("policies", "policy"), share_stem("movies", "movie"), share_stem("policy", "police")
(True, True, False)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from docaudit.text.words import fold

MAX_FORMS = 16
"""Upper bound of spellings of one variant; each may be joined by its plurals."""

_OUR = (
    "arm behavi cand clam col demean endeav fav ferv flav glam harb hon hum lab neighb od par parl ranc rig rum "
    "sav splend succ tum val vap vig"
)
_RE = "calib cent fib goit kilomet lit lust meag met millimet nit och reconnoit sab sceptr sepulch somb spect theat"
_DOUBLED = (
    "cancel channel counsel dial disburs equal fuel fulfil initial journal label level marshal model panel pencil "
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
    return _without_plural_ending(word)


def _without_plural_ending(word: str) -> tuple[str, ...]:
    """What may stand before the plural ending of a word in -s."""
    lower = word.lower()
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
    # コンピューター also as コンピュータ, and サーバ設定 as サーバー設定; at its end the page may go on.
    kana = [text]
    for run in reversed(list(_KATAKANA.finditer(text))[:4]):
        word, end = run[0], run.end()
        if word.endswith("ー") and len(word) > 3:
            kana += [form[: end - 1] + form[end:] for form in kana]
        elif word[-1] in _LONG_AFTER and end < len(text):
            kana += [form[:end] + "ー" + form[end:] for form in kana]
    return tuple(out | dict.fromkeys(kana[1:]))


def _english_forms(text: str, number: bool) -> tuple[str, ...]:
    pieces = _WORD.split(text)
    words = _WORD.findall(text)
    if not words or len(text) > 200:
        return (text,)

    def joined(chosen: tuple[str, ...]) -> str:
        return "".join(piece + word for piece, word in zip(pieces, (*chosen, ""), strict=True))

    spelled = [tuple(words)]
    if len(words) <= 8:
        spelled = list(product(*(spellings(word) for word in words)))[:MAX_FORMS]
    out = dict.fromkeys(map(joined, spelled))
    for last_dot in (".", ""):  # with its last dot first, so that a match shows it
        dotted = (".".join(w) + last_dot if 2 <= len(w) <= 4 and w.isupper() else w for w in words)
        out[joined(tuple(dotted))] = None
    if number and not pieces[-1]:  # the text ends in a word: it may stand in the plural or singular
        for chosen in spelled:
            for last in (*plurals(chosen[-1]), *singulars(chosen[-1])):
                out[joined((*chosen[:-1], last))] = None
    return tuple(out)


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
"""One spelling for all, by endings: more than `spellings` knows ("our" is "or" in any word), as stems need no exact
word."""
_NO_PLURALS = frozenset(["always", "series", "gas", "species", "news", "means", "perhaps"])
_SHORTEST_STEM = 3
_SHORTEST_VERB = 4
"""What is left after -ation must still look like a verb: "ration" is not the noun of "r-ate"."""


@lru_cache(maxsize=200_000)
def stems(word: str) -> frozenset[str]:
    """Stems of what a word may be a form of: itself, its singular, the verb of -ing, -ed and -tion; American spelling.

    Deliberately few: "policy" and "police" stay different words. A last e is dropped and a last y is i, so that
    movies, movie and policies, policy meet.
    """
    base = fold(word).removesuffix("'s").rstrip("'")
    if not base.isascii() or not base.isalpha():
        return frozenset({base})
    for british, american in _AMERICAN:
        base = british.sub(american, base)
    singular: tuple[str, ...] = ()
    if len(base) > _SHORTEST_STEM and base.endswith("s") and not base.endswith(("ss", "us", "is")):
        singular = () if base in _NO_PLURALS else _without_plural_ending(base)
        if base.endswith("yzes"):
            singular = (*singular, base[:-4] + "ysis")  # analyses, which is an American analyzes by now
    forms_of = {base, *singular}
    for form in (base, *singular):
        forms_of.update(_verbs(form))
    short = {form for form in forms_of if len(form) <= _SHORTEST_STEM}
    ends_in_y = {form for form in forms_of - short if form.endswith("y")}
    rest = {form.removesuffix("e") for form in forms_of - short - ends_in_y}
    return frozenset(short | rest | {form[:-1] + "i" for form in ends_in_y})


def share_stem(first: str, second: str) -> bool:
    """Whether two words may be forms of the same word."""
    return not stems(first).isdisjoint(stems(second))


def _verbs(word: str) -> Iterator[str]:
    """Verbs of which a word may be the form in -ing or -ed, or the noun in -tion."""
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


def edits_allowed(letters: int, letters_per_edit: int = 5) -> int:
    """Wrong letters with which a word of so many letters may still be meant: one for every five letters, two at most.

    Chosen, not measured. Near misses, which a person only looks at, allow one for every four letters.

    >>> [edits_allowed(letters) for letters in (4, 5, 10, 30)], edits_allowed(4, letters_per_edit=4)
    ([0, 1, 2, 2], 1)
    """
    return min(letters // letters_per_edit, 2)
