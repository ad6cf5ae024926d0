"""What is odd in a concept table: the rules, and the codes of what they find.

Which phrase an acronym may stand for, by its letters alone.

>>> may_expand("AI", "artificial intelligence"), may_expand("PV", "photovoltaic"), may_expand("AI", "data center")
(True, True, False)
>>> initials("European Union Agency for Cybersecurity"), initials("data center")
('EUAC', 'DC')

What lint finds: stable codes, each with its meaning, and findings. docs/lint.md is written from here.

Signs that look like others: a word that holds one is written as a person reads it, and found nowhere.

>>> mixed_scripts("АI model"), mixed_scripts("naïve AI 電力")
('U+0410 CYRILLIC CAPITAL LETTER A', '')
>>> foreign_word("АІ"), foreign_word("ток")
('АІ', '')
>>> wrong_sign("デ一タ"), wrong_sign("電カ"), wrong_sign("N0x"), wrong_sign("データ電力 一時 2030")
('一 (Han) for ー', 'カ (katakana) for 力', '0 (digit) for O', '')

What is allowed in a concept table but probably not meant: for the expert to look at, never a reason to refuse it.

What lint finds in one variant by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from docaudit.concepts.check import is_acronym
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Concept, Variant
from docaudit.text.words import CJK, HAN, KATAKANA, fold, squeeze, words

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


class Severity(StrEnum):
    """How much a finding weighs: a warning probably hides hits or makes false ones; an info is good to know."""

    WARNING = "warning"
    INFO = "info"


class LintCode(StrEnum):
    """What a finding is about; a code is never reused for another meaning."""

    NEAR_DUPLICATE = "near_duplicate"
    IN_TWO_CONCEPTS = "in_two_concepts"
    SHADOWED = "shadowed"
    CONCEPTS_OVERLAP = "concepts_overlap"
    TOO_SHORT = "too_short"
    COMMON_WORD = "common_word"
    TOO_COMMON = "too_common"
    REGEX_HOSTILE = "regex_hostile"
    EDGE_SPACE = "edge_space"
    MIXED_SCRIPTS = "mixed_scripts"
    LOOKALIKE = "lookalike"
    LOST_CHARACTER = "lost_character"
    EXCEL_CHANGED = "excel_changed"
    ACRONYM_CASE = "acronym_case"
    CASE_MISSES = "case_misses"
    CASE_DECIDES = "case_decides"
    ACRONYM_ALONE = "acronym_alone"
    EXPANSION_ALONE = "expansion_alone"
    UNSIGNED = "unsigned"
    CONCEPT_WITHOUT_ACCEPTED = "concept_without_accepted"
    CONCEPT_NAMES_ALIKE = "concept_names_alike"

    @property
    def meaning(self) -> str:
        """What it means, as one sentence."""
        return _CODES[self][0]

    @property
    def remedy(self) -> str:
        """What the expert can do about it, as an order."""
        return _CODES[self][1]

    @property
    def needs_document(self) -> bool:
        """Whether only a document can tell."""
        return self in (LintCode.TOO_COMMON, LintCode.CASE_DECIDES)


class LintFinding(BaseModel):
    """One thing to look at.

    Attributes:
        code: What it is about.
        severity: warning or info.
        row: Place of the row in the table, counted from 1 without the head; of the concept's first row where the
            concept as a whole is meant.
        row_id: Id of that row.
        concept: Concept concerned.
        variant: Variant concerned; empty where the concept as a whole is meant.
        message: What it is, as a sentence.
        remedy: What to do about it, as a sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: LintCode
    severity: Severity
    row: int
    row_id: str
    concept: str
    variant: str
    message: str
    remedy: str


_CODES = {
    LintCode.NEAR_DUPLICATE: (
        "Two variants of a concept differ only in case, hyphen or space, which the search takes for the same.",
        "delete one of the two",
    ),
    LintCode.IN_TWO_CONCEPTS: (
        "The same word, but for case, hyphen or space, stands in two concepts: every place counts for both.",
        "leave it in the one that it means",
    ),
    LintCode.SHADOWED: (
        "A variant stands inside a longer one of its concept: a place of the longer counts for both.",
        "keep both; unique_hits counts such a place once",
    ),
    LintCode.CONCEPTS_OVERLAP: (
        "A variant stands inside a longer one of another concept: at such a place the two meet by themselves.",
        "check that the longer one is meant to mention both, or write it in full",
    ),
    LintCode.TOO_SHORT: (
        "The variant is so short, for the way it is matched, that most hits will mean something else.",
        "write it in full, match whole words, or set case to sensitive",
    ),
    LintCode.COMMON_WORD: (
        "The variant is also a common English word.",
        "set case to sensitive, or read its hits one by one",
    ),
    LintCode.TOO_COMMON: (
        "The variant stands on most pages of the document: it hardly tells one page from another.",
        "check that it belongs to the concept, or write a longer phrase",
    ),
    LintCode.REGEX_HOSTILE: (
        "A word looks like a regular expression but is searched as it is, or an expression may run out of time.",
        "set match to regex, or write one plain variant in each row; write nested repetitions flat",
    ),
    LintCode.EDGE_SPACE: (
        "A regular expression begins or ends with a space, which the text must then have too.",
        r"delete the space, or write \s if it is meant",
    ),
    LintCode.MIXED_SCRIPTS: (
        "A word mixes letters of two scripts, one of which looks like the other: it is found nowhere.",
        "write the word again with one keyboard",
    ),
    LintCode.LOOKALIKE: (
        "A word is written with signs that look like the usual ones but are others: it is probably found nowhere.",
        "write the word again with the keyboard of its language",
    ),
    LintCode.LOST_CHARACTER: (
        "The variant holds U+FFFD, which stands for a character that was lost when the file was saved.",
        "write the real character",
    ),
    LintCode.EXCEL_CHANGED: (
        "The variant looks like what Excel makes of a word or number: a date, an exponent, an error, TRUE.",
        "format the column as text and write the variant again",
    ),
    LintCode.ACRONYM_CASE: (
        "A short acronym is matched in capitals only; the same letters in small are near misses, not hits.",
        "keep it, or set case to insensitive if the small letters mean it too",
    ),
    LintCode.CASE_MISSES: (
        "Case counts for an ordinary word: it is missed at the start of a sentence or in a heading.",
        "set case to auto",
    ),
    LintCode.CASE_DECIDES: (
        "In this document, the other setting of case would change the number of hits.",
        "look at the places, then set case to sensitive or insensitive",
    ),
    LintCode.ACRONYM_ALONE: (
        "No variant of the concept spells the acronym out.",
        "add what it stands for",
    ),
    LintCode.EXPANSION_ALONE: (
        "A concept spells phrases out and has no acronym of them, or (with --doc) the document has their initials.",
        "add the acronym if the field uses it",
    ),
    LintCode.UNSIGNED: (
        "A program brought the variant in, and nobody is named who accepted it.",
        "name the reviewer in the column of that name",
    ),
    LintCode.CONCEPT_WITHOUT_ACCEPTED: (
        "No variant of the concept is accepted, so it is not searched.",
        "accept one, or delete the concept",
    ),
    LintCode.CONCEPT_NAMES_ALIKE: (
        "Two concepts have names that differ only in case, hyphen or space, and count as two.",
        "write one name if one is meant",
    ),
}


_LIKE_LATIN = frozenset("АВЕЅІЈКМНОРСТУХҮԌԜаеѕіјорсухүһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυϲ")
"""Cyrillic and Greek letters that look like Latin ones."""
_KANA_FOR_HAN = {
    "カ": "力",
    "ロ": "口",
    "ニ": "二",
    "エ": "工",
    "タ": "夕",
    "ハ": "八",
    "ト": "卜",
    "オ": "才",
    "ー": "一",
}
_HAN_FOR_KANA = {han: kana for kana, han in _KANA_FOR_HAN.items()}
_HAN_IN_KANA = re.compile(f"(?<=[{KATAKANA}])[{''.join(_HAN_FOR_KANA)}](?=[{KATAKANA}])")
# Not ハ, ニ and ト: old laws write particles in katakana.
_KANA_IN_HAN = re.compile(f"(?<=[{HAN}])[カロエタオ](?![{KATAKANA}])|(?<=[{HAN}])ー(?=[{HAN}])")
_DIGIT_IN_WORD = re.compile(r"(?<=[A-Za-z])0(?=[A-Za-z])|(?<=[a-z])1(?=[a-z])")
_FOR_DIGIT = {"0": "O", "1": "l"}


def mixed_scripts(text: str) -> str:
    """The first letter that looks like a Latin one in a word that has Latin ones too; empty if there is none."""
    for word in words(text):
        scripts = {script for char in word.text if (script := _script(char))}
        if "LATIN" in scripts and len(scripts) > 1:
            for char in word.text:
                if char in _LIKE_LATIN:
                    return f"U+{ord(char):04X} {unicodedata.name(char)}"
    return ""


def foreign_word(text: str) -> str:
    """The first word all of whose letters are Cyrillic or Greek and look Latin; empty if there is none."""
    for word in words(text):
        letters = [char for char in word.text if char.isalpha()]
        if letters and all(char in _LIKE_LATIN for char in letters):
            return word.text
    return ""


def wrong_sign(text: str) -> str:
    """A kanji among katakana, katakana after kanji, or a digit among letters that looks like what belongs there."""
    plain = unicodedata.normalize("NFKC", text)
    if found := _HAN_IN_KANA.search(plain):
        return f"{found.group()} (Han) for {_HAN_FOR_KANA[found.group()]}"
    if found := _KANA_IN_HAN.search(plain):
        return f"{found.group()} (katakana) for {_KANA_FOR_HAN[found.group()]}"
    if found := _DIGIT_IN_WORD.search(plain):
        return f"{found.group()} (digit) for {_FOR_DIGIT[found.group()]}"
    return ""


def _script(char: str) -> str:
    script = unicodedata.name(char, "").partition(" ")[0]
    return script if script in ("LATIN", "CYRILLIC", "GREEK") else ""


class Said(NamedTuple):
    """A finding before it has its row; the remedy is that of the code unless another is said."""

    code: LintCode
    severity: Severity
    message: str
    remedy: str = ""


WARNING, INFO = Severity.WARNING, Severity.INFO
_BY_PROGRAM = frozenset(
    {"spelling_rule", "inflection", "compound", "acronym", "embedding", "character_ngrams"}
)
_ORDINARY = 4  # letters from which a word of small letters is an ordinary one, not a unit or a symbol
_SHORT_INSIDE = 3  # letters up to which a text stands inside too many words
_REGEX_SIGNS = re.compile(
    r"\\[bBdDwWsSpP]|\.[*+]|\[[^\]]*\]|\(\?|[)\]][*+?]$|\w\*$|\{\d+(,\d*)?\}|^\^|\$$|[\w)]\|[\w(]|\.\?|\w\?\w"
)
_NESTED_QUANTIFIER = re.compile(r"\((?:[^()\\]|\\.)*[*+](?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,\d*\})")
_MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])"
_EXCEL = re.compile(
    rf"\d(?:[.,]\d+)?E[+-]\d+|\d{{1,2}}[-. ]{_MONTH}|{_MONTH}[-. ]\d{{1,2}}|\d{{1,2}}月\d{{1,2}}日"
    r"|#(?:NAME\?|REF!|N/A|VALUE!|DIV/0!|NUM!|NULL!)|#+|TRUE|FALSE",
    re.IGNORECASE,
)
COMMON_WORDS = frozenset(
    """it us who is am as at be can do for go he in may me no or all an are by has if off on one out so to up was we
    aid act age art bus cap car care cat dot fast gas ice man map sad set""".split()  # noqa: SIM905
)


def look_at(variant: Variant) -> Iterator[Said]:
    """Everything worth a look in one variant."""
    for check in (_lost, _too_short, _regex, _edge_space, _scripts, _excel, _acronym, _case, _unsigned):
        yield from check(variant)


def _lost(variant: Variant) -> Iterator[Said]:
    if "\ufffd" in variant.text:
        yield Said(
            LintCode.LOST_CHARACTER, WARNING, f"'{variant.text}' holds U+FFFD, a character that was lost."
        )


def _too_short(variant: Variant) -> Iterator[Said]:
    text = squeeze(variant.text)
    if variant.match == "regex" or (CJK.search(text) and len(text) > 1):
        return
    if len(text) <= 1:
        message = f"'{variant.text}' is a single character; expect hits that mean something else."
        yield Said(LintCode.TOO_SHORT, WARNING, message)
    elif (
        variant.match in ("prefix", "substring") and len(text) <= _SHORT_INSIDE and not variant.case_sensitive
    ):
        where = "begins" if variant.match == "prefix" else "stands inside"
        yield Said(LintCode.TOO_SHORT, WARNING, f"'{variant.text}' {where} many other words.")
    elif len(text) == 2 and text.isalpha() and not variant.case_sensitive:
        yield Said(LintCode.TOO_SHORT, WARNING, f"'{variant.text}' has two letters, and case does not count.")


def _regex(variant: Variant) -> Iterator[Said]:
    if variant.match == "regex":
        if _NESTED_QUANTIFIER.search(variant.text):
            message = f"'{variant.text}' repeats a repetition; it may run into the time limit."
            yield Said(LintCode.REGEX_HOSTILE, WARNING, message, "write it flat")
    elif _REGEX_SIGNS.search(variant.text):
        message = (
            f"'{variant.text}' looks like a regular expression, but match is {variant.match}: it is searched"
            " character by character."
        )
        remedy = "set match to regex, or write one variant in each row"
        yield Said(LintCode.REGEX_HOSTILE, WARNING, message, remedy)


def _edge_space(variant: Variant) -> Iterator[Said]:
    if variant.match == "regex" and variant.text != variant.text.strip():
        message = f"'{variant.text}' begins or ends with a space, which the text must have too."
        yield Said(LintCode.EDGE_SPACE, WARNING, message)


def _scripts(variant: Variant) -> Iterator[Said]:
    if variant.match == "regex":
        return
    if letter := mixed_scripts(variant.text):
        message = f"'{variant.text}' holds {letter} in a word of Latin letters."
        yield Said(LintCode.MIXED_SCRIPTS, WARNING, message)
    if sign := wrong_sign(variant.text):
        yield Said(LintCode.LOOKALIKE, WARNING, f"'{variant.text}' may have {sign}.")


def _excel(variant: Variant) -> Iterator[Said]:
    if variant.match != "regex" and _EXCEL.fullmatch(variant.text):
        message = f"'{variant.text}' looks like what Excel makes of another text."
        yield Said(LintCode.EXCEL_CHANGED, WARNING, message)


def _acronym(variant: Variant) -> Iterator[Said]:
    if variant.match == "regex" or variant.text.upper() != variant.text:
        return
    word = fold(variant.text)
    if variant.case_sensitive and word != variant.text:
        message = (
            f"'{variant.text}' is matched in capitals only; '{word}' is listed as a near miss, not as a hit."
        )
        yield Said(LintCode.ACRONYM_CASE, INFO, message)
    if word in COMMON_WORDS and variant.case_sensitive:
        message = (
            f"'{variant.text}' is also a common word: in text set in capitals, its hits may mean the word."
        )
        yield Said(LintCode.COMMON_WORD, INFO, message, "read its hits in headings one by one")
    elif word in COMMON_WORDS:
        message = f"'{variant.text}' without regard to case is also the word '{word}'."
        yield Said(LintCode.COMMON_WORD, WARNING, message, "set case to sensitive")


def _case(variant: Variant) -> Iterator[Said]:
    if variant.match == "regex" or variant.case != "sensitive":
        return
    listed = [word.text for word in words(variant.text) if word.text[0].isalpha()]
    ordinary = [w for w in listed if len(w) >= _ORDINARY and w[1:].islower()]
    if ordinary and len(ordinary) == len(listed):
        other = variant.text.capitalize() if variant.text.islower() else variant.text.lower()
        message = f"'{variant.text}' is matched in this case only; '{other}' is missed."
        yield Said(LintCode.CASE_MISSES, WARNING, message)


def _unsigned(variant: Variant) -> Iterator[Said]:
    if variant.status == "accepted" and variant.source in _BY_PROGRAM and not variant.reviewer:
        message = f"'{variant.text}' comes from a program ({variant.source}), and no reviewer is named."
        yield Said(LintCode.UNSIGNED, WARNING, message)


# Longer variants hold too many shorter texts to look all of them up; a phrase is shorter than this.
_LONGEST_SHADOW = 80
_FEWEST_INITIALS = 3  # the initials of two words (DC, PD) are seldom an acronym

About = tuple[Variant, Said]


class Writer:
    """Makes findings of what is said of rows, with their places in the table."""

    def __init__(self, table: ConceptTable) -> None:
        self._place = {variant.id: place for place, variant in enumerate(table.variants, start=1)}

    def finding(self, variant: Variant, said: Said, *, whole_concept: bool = False) -> LintFinding:
        """One finding; `whole_concept` if the variant only says where the concept begins."""
        remedy = said.remedy or said.code.remedy
        return LintFinding(
            code=said.code,
            severity=said.severity,
            row=self._place[variant.id],
            row_id=variant.id,
            concept=variant.concept,
            variant="" if whole_concept else variant.text,
            message=said.message,
            remedy=remedy[0].upper() + remedy[1:] + ".",
        )


def lint(table: ConceptTable) -> list[LintFinding]:
    """Everything in a table that is worth a look, in the order of the table; empty if there is nothing."""
    write = Writer(table)
    kept = [variant for variant in table.variants if variant.status != "rejected"]
    findings = [
        write.finding(variant, said, whole_concept=True)
        for variant, said in (*_names_alike(table), *_without_accepted(table.by_concept))
    ]
    about: list[About] = [*_in_two_concepts(kept), *_overlaps(kept), *_foreign_words(kept)]
    for concept in table.by_concept:
        mine = [variant for variant in concept.variants if variant.status != "rejected"]
        about += [*_near_duplicates(mine), *_acronyms(mine)]
    about += [(variant, said) for variant in kept for said in look_at(variant)]
    findings += [write.finding(variant, said) for variant, said in about]
    return sorted(findings, key=lambda finding: finding.row)


def _without_accepted(concepts: Iterable[Concept]) -> Iterator[About]:
    for concept in concepts:
        if not any(variant.status == "accepted" for variant in concept.variants):
            message = f"No variant of '{concept.name}' is accepted, so it is not searched."
            yield concept.variants[0], Said(LintCode.CONCEPT_WITHOUT_ACCEPTED, WARNING, message)


def _names_alike(table: ConceptTable) -> Iterator[About]:
    seen: dict[str, str] = {}
    for concept in table.by_concept:
        first = seen.setdefault(squeeze(concept.name), concept.name)
        if first != concept.name:
            message = f"'{concept.name}' and '{first}' count as two concepts."
            yield concept.variants[0], Said(LintCode.CONCEPT_NAMES_ALIKE, WARNING, message)


def _near_duplicates(variants: list[Variant]) -> Iterator[About]:
    seen: dict[str, Variant] = {}
    for variant in _plain(variants):
        first = seen.setdefault(squeeze(variant.text), variant)
        if first is not variant:
            message = (
                f"'{variant.text}' differs from '{first.text}' only in case, hyphen or space; one is enough."
            )
            yield variant, Said(LintCode.NEAR_DUPLICATE, INFO, message)


def _in_two_concepts(variants: list[Variant]) -> Iterator[About]:
    seen: dict[str, Variant] = {}
    for variant in _plain(variants):
        first = seen.setdefault(squeeze(variant.text), variant)
        if first.concept != variant.concept:
            message = f"'{variant.text}' stands in concept '{first.concept}' too, as '{first.text}'."
            yield variant, Said(LintCode.IN_TWO_CONCEPTS, WARNING, message)


def _overlaps(variants: list[Variant]) -> Iterator[About]:
    """Variants inside longer ones: of their own concept (shadowed), or of another (the two concepts overlap)."""
    known: dict[str, list[Variant]] = {}
    for variant in _plain(variants):
        known.setdefault(fold(variant.text), []).append(variant)
    for longer in _plain(variants):
        inner = {text for text in _inner_texts(fold(longer.text)) if text in known}
        for shorter in (variant for text in sorted(inner) for variant in known[text]):
            holds = f"'{longer.text}' contains '{shorter.text}'"
            if shorter.concept == longer.concept:
                message = f"{holds}: a place counts for both."
                yield shorter, Said(LintCode.SHADOWED, INFO, message)
            else:
                message = (
                    f"{holds} of concept '{shorter.concept}': the two concepts meet at each of its places."
                )
                yield longer, Said(LintCode.CONCEPTS_OVERLAP, INFO, message)


def _inner_texts(text: str) -> Iterator[str]:
    """Every shorter text inside that begins and ends where a variant may begin and end."""
    if len(text) > _LONGEST_SHADOW:
        return
    cuts = [at for at in range(len(text) + 1) if _may_cut(text, at)]
    for number, start in enumerate(cuts):
        for end in cuts[number + 1 :]:
            if end - start < len(text):
                yield text[start:end]


def _may_cut(text: str, at: int) -> bool:
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    return not (before.isalnum() and after.isalnum()) or bool(CJK.match(before) or CJK.match(after))


def _foreign_words(variants: list[Variant]) -> Iterator[About]:
    """Words of look-alike letters alone, in a table that has Latin words and none in that other script."""
    found = [(variant, word) for variant in _plain(variants) if (word := foreign_word(variant.text))]
    others = [variant for variant in _plain(variants) if not foreign_word(variant.text)]
    if any(_is_foreign(variant.text) for variant in others):
        return
    for variant, word in found:
        if any(char.isascii() and char.isalpha() for other in others for char in other.text):
            message = f"'{word}' in '{variant.text}' has no Latin letter, though it looks so."
            yield variant, Said(LintCode.LOOKALIKE, WARNING, message)


def _is_foreign(text: str) -> bool:
    return any("\u0370" <= char <= "\u052f" for char in text)


def _acronyms(variants: list[Variant]) -> Iterator[About]:
    """Acronyms that no variant of their concept spells out; long phrases in a concept that has no acronym at all.

    Which phrase has an acronym that people use, only a document tells: docaudit.lint_document asks it.
    """
    plain = list(_plain(variants))
    spelt = _by_first_letter(variant for variant in plain if not is_acronym(variant.text))
    short = [v for v in plain if is_acronym(v.text) and sum(char.isalpha() for char in v.text) > 1]
    for variant in short:
        phrases = [*spelt.get(fold(variant.text)[:1], ()), *spelt.get("", ())]
        if not any(may_expand(variant.text, phrase) for phrase in phrases):
            message = f"'{variant.text}' is an acronym, and no variant spells it out."
            yield variant, Said(LintCode.ACRONYM_ALONE, INFO, message)
    long = [v for v in plain if not CJK.search(v.text) and len(initials(v.text)) >= _FEWEST_INITIALS]
    if long and not short:
        message = f"The concept has no acronym; '{initials(long[0].text)}' may stand for '{long[0].text}'."
        yield long[0], Said(LintCode.EXPANSION_ALONE, INFO, message)


def _by_first_letter(variants: Iterable[Variant]) -> dict[str, list[str]]:
    """Texts by their first letter, those in Japanese or Chinese under none, so that few pairs are compared."""
    grouped: dict[str, list[str]] = {}
    for variant in variants:
        first = "" if CJK.search(variant.text) else fold(variant.text)[:1]
        grouped.setdefault(first, []).append(variant.text)
    return grouped


def _plain(variants: Iterable[Variant]) -> Iterator[Variant]:
    """Without regular expressions: two that differ in a hyphen match different texts."""
    return (variant for variant in variants if variant.match != "regex")
