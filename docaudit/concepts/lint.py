"""What is allowed in a concept table but probably not meant: for the expert to look at, never a reason to refuse it.

Every finding has a stable code with its meaning; docs/lint.md is written from here. Which phrase an acronym may stand
for is told by its letters alone:

>>> may_expand("AI", "artificial intelligence"), may_expand("PV", "photovoltaic"), may_expand("AI", "data center")
(True, True, False)
>>> initials("European Union Agency for Cybersecurity"), initials("data center")
('EUAC', 'DC')

A word that holds a character that looks like another is written as a person reads it, and found nowhere:

>>> mixed_scripts("АI model"), mixed_scripts("naïve AI 電力")
('U+0410 CYRILLIC CAPITAL LETTER A', '')
>>> foreign_word("АІ"), foreign_word("ток")
('АІ', '')
>>> lookalike("デ一タ"), lookalike("電カ"), lookalike("N0x"), lookalike("データ電力 一時 2030")
('一 (Han) for ー', 'カ (katakana) for 力', '0 (digit) for O', '')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict

from docaudit.concepts.check import is_acronym
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
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
    """What a finding is about; a code is never reused for another meaning.

    Attributes:
        meaning: What it means, as one sentence.
        remedy: What the expert can do about it, as an order.
    """

    meaning: str
    remedy: str

    def __new__(cls, value: str, meaning: str, remedy: str) -> Self:  # noqa: D102
        code = str.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        code.remedy = remedy
        return code

    NEAR_DUPLICATE = (
        "near_duplicate",
        "Two variants of a concept differ only in case, hyphen or space, which the search takes for the same.",
        "delete one of the two",
    )
    IN_TWO_CONCEPTS = (
        "in_two_concepts",
        "The same word, but for case, hyphen or space, stands in two concepts: every place counts for both.",
        "leave it in the one that it means",
    )
    SHADOWED = (
        "shadowed",
        "A variant stands inside a longer one of its concept: a place of the longer counts for both.",
        "keep both; unique_hits counts such a place once",
    )
    CONCEPTS_OVERLAP = (
        "concepts_overlap",
        "A variant stands inside a longer one of another concept: at such a place the two meet by themselves.",
        "check that the longer one is meant to mention both, or write it in full",
    )
    TOO_SHORT = (
        "too_short",
        "The variant is so short, for the way it is matched, that most hits will mean something else.",
        "write it in full, match whole words, or set case to sensitive",
    )
    COMMON_WORD = (
        "common_word",
        "The variant is also a common English word.",
        "set case to sensitive, or read its hits one by one",
    )
    TOO_COMMON = (
        "too_common",
        "The variant stands on most pages of the document: it hardly tells one page from another.",
        "check that it belongs to the concept, or write a longer phrase",
    )
    REGEX_HOSTILE = (
        "regex_hostile",
        "A word looks like a regular expression but is searched as it is, or an expression may run out of time.",
        "set match to regex, or write one plain variant in each row; write nested repetitions flat",
    )
    EDGE_SPACE = (
        "edge_space",
        "A regular expression begins or ends with a space, which the text must then have too.",
        r"delete the space, or write \s if it is meant",
    )
    MIXED_SCRIPTS = (
        "mixed_scripts",
        "A word mixes letters of two scripts, one of which looks like the other: it is found nowhere.",
        "write the word again with one keyboard",
    )
    LOOKALIKE = (
        "lookalike",
        "A word is written with signs that look like the usual ones but are others: it is probably found nowhere.",
        "write the word again with the keyboard of its language",
    )
    LOST_CHARACTER = (
        "lost_character",
        "The variant holds U+FFFD, which stands for a character that was lost when the file was saved.",
        "write the real character",
    )
    EXCEL_CHANGED = (
        "excel_changed",
        "The variant looks like what Excel makes of a word or number: a date, an exponent, an error, TRUE.",
        "format the column as text and write the variant again",
    )
    ACRONYM_CASE = (
        "acronym_case",
        "A short acronym is matched in capitals only; the same letters in small are near misses, not hits.",
        "keep it, or set case to insensitive if the small letters mean it too",
    )
    CASE_MISSES = (
        "case_misses",
        "Case counts for an ordinary word: it is missed at the start of a sentence or in a heading.",
        "set case to auto",
    )
    CASE_DECIDES = (
        "case_decides",
        "In this document, the other setting of case would change the number of hits.",
        "look at the places, then set case to sensitive or insensitive",
    )
    ACRONYM_ALONE = (
        "acronym_alone",
        "No variant of the concept spells the acronym out.",
        "add what it stands for",
    )
    EXPANSION_ALONE = (
        "expansion_alone",
        "A concept spells phrases out and has no acronym of them, or (with --doc) the document has their initials.",
        "add the acronym if the field uses it",
    )
    UNSIGNED = (
        "unsigned",
        "A program brought the variant in, and nobody is named who accepted it.",
        "name the reviewer in the column of that name",
    )
    CONCEPT_WITHOUT_ACCEPTED = (
        "concept_without_accepted",
        "No variant of the concept is accepted, so it is not searched.",
        "accept one, or delete the concept",
    )
    CONCEPT_NAMES_ALIKE = (
        "concept_names_alike",
        "Two concepts have names that differ only in case, hyphen or space, and count as two.",
        "write one name if one is meant",
    )

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
        scripts = {unicodedata.name(char, "").partition(" ")[0] for char in word.text}
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK"}:
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


def lookalike(text: str) -> str:
    """A kanji among katakana, katakana after kanji, or a digit among letters that looks like what belongs there."""
    plain = unicodedata.normalize("NFKC", text)
    for pattern, script, meant in (
        (_HAN_IN_KANA, "Han", _HAN_FOR_KANA),
        (_KANA_IN_HAN, "katakana", _KANA_FOR_HAN),
        (_DIGIT_IN_WORD, "digit", _FOR_DIGIT),
    ):
        if match := pattern.search(plain):
            return f"{match.group()} ({script}) for {meant[match.group()]}"
    return ""


WARNING, INFO = Severity.WARNING, Severity.INFO
_BY_PROGRAM = frozenset(
    {"spelling_rule", "inflection", "compound", "acronym", "embedding", "character_ngrams"}
)
_ORDINARY = 4  # letters from which a word of small letters is an ordinary one, not a unit or a symbol
_SHORT_INSIDE = 3  # letters up to which a text stands inside too many words
_REGEX_SYNTAX = re.compile(
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


# Longer variants hold too many shorter texts to look all of them up; a phrase is shorter than this.
_LONGEST_SHADOW = 80
_FEWEST_INITIALS = 3  # the initials of two words (DC, PD) are seldom an acronym


class Remark(NamedTuple):
    """A finding before its row is known; the remedy is that of the code unless another is given."""

    variant: Variant
    code: LintCode
    severity: Severity
    message: str
    remedy: str = ""


def as_findings(table: ConceptTable, remarks: Iterable[Remark]) -> list[LintFinding]:
    """Findings of remarks on rows of a table, in the order of the table."""
    places = {variant.id: place for place, variant in enumerate(table.variants, start=1)}
    findings: list[LintFinding] = []
    for variant, code, severity, message, remedy in remarks:
        remedy = remedy or code.remedy
        findings.append(
            LintFinding(
                code=code,
                severity=severity,
                row=places[variant.id],
                row_id=variant.id,
                concept=variant.concept,
                # Of a concept as a whole, the variant only says where it begins.
                variant="" if code in _OF_CONCEPT else variant.text,
                message=message,
                remedy=remedy[0].upper() + remedy[1:] + ".",
            )
        )
    return sorted(findings, key=lambda finding: finding.row)


_OF_CONCEPT = (LintCode.CONCEPT_WITHOUT_ACCEPTED, LintCode.CONCEPT_NAMES_ALIKE)


def lint(table: ConceptTable) -> list[LintFinding]:
    """Everything in a table that is worth a look, in the order of the table; empty if there is nothing."""
    kept = [variant for variant in table.variants if variant.status != "rejected"]
    # Without regular expressions: two that differ in a hyphen match different texts.
    plain = [variant for variant in kept if variant.match != "regex"]
    remarks = [*_on_concepts(table), *_in_two_concepts(plain), *_overlaps(plain), *_foreign_words(plain)]
    for concept in table.concepts:
        variants = [variant for variant in plain if variant.concept == concept]
        remarks += [*_near_duplicates(variants), *_acronyms(variants)]
    remarks += [remark for variant in kept for remark in _on_variant(variant)]
    return as_findings(table, remarks)


def _on_variant(variant: Variant) -> Iterator[Remark]:
    """Everything worth a look in one variant by itself."""
    text = variant.text
    if "\ufffd" in text:
        message = f"'{text}' holds U+FFFD, a character that was lost."
        yield Remark(variant, LintCode.LOST_CHARACTER, WARNING, message)
    if variant.match == "regex":
        if _NESTED_QUANTIFIER.search(text):
            message = f"'{text}' repeats a repetition; it may run into the time limit."
            yield Remark(variant, LintCode.REGEX_HOSTILE, WARNING, message, "write it flat")
        if text != text.strip():
            message = f"'{text}' begins or ends with a space, which the text must have too."
            yield Remark(variant, LintCode.EDGE_SPACE, WARNING, message)
    else:
        yield from _on_text(variant)
        yield from _on_case(variant)
    if variant.status == "accepted" and variant.source in _BY_PROGRAM and not variant.reviewer:
        message = f"'{text}' comes from a program ({variant.source}), and no reviewer is named."
        yield Remark(variant, LintCode.UNSIGNED, WARNING, message)


def _on_text(variant: Variant) -> Iterator[Remark]:
    """Texts that are too short, or probably not what was meant to be written."""
    text, squeezed = variant.text, squeeze(variant.text)
    inside = variant.match in ("prefix", "substring") and len(squeezed) <= _SHORT_INSIDE
    problem = ""
    if len(squeezed) <= 1:
        problem = "is a single character; expect hits that mean something else"
    elif not variant.case_sensitive and not CJK.search(squeezed):
        if inside:
            problem = f"{'begins' if variant.match == 'prefix' else 'stands inside'} many other words"
        elif len(squeezed) == 2 and squeezed.isalpha():
            problem = "has two letters, and case does not count"
    if problem:
        yield Remark(variant, LintCode.TOO_SHORT, WARNING, f"'{text}' {problem}.")
    if _REGEX_SYNTAX.search(text):
        message = (
            f"'{text}' looks like a regular expression, but match is {variant.match}: it is searched"
            " character by character."
        )
        remedy = "set match to regex, or write one variant in each row"
        yield Remark(variant, LintCode.REGEX_HOSTILE, WARNING, message, remedy)
    if letter := mixed_scripts(text):
        message = f"'{text}' holds {letter} in a word of Latin letters."
        yield Remark(variant, LintCode.MIXED_SCRIPTS, WARNING, message)
    if character := lookalike(text):
        yield Remark(variant, LintCode.LOOKALIKE, WARNING, f"'{text}' may have {character}.")
    if _EXCEL.fullmatch(text):
        message = f"'{text}' looks like what Excel makes of another text."
        yield Remark(variant, LintCode.EXCEL_CHANGED, WARNING, message)


def _on_case(variant: Variant) -> Iterator[Remark]:
    """Where the case of letters decides on hits."""
    text = variant.text
    if text.upper() == text:
        word = fold(text)
        if variant.case_sensitive and word != text:
            message = (
                f"'{text}' is matched in capitals only; '{word}' is listed as a near miss, not as a hit."
            )
            yield Remark(variant, LintCode.ACRONYM_CASE, INFO, message)
        if word in COMMON_WORDS and variant.case_sensitive:
            message = f"'{text}' is also a common word: in text set in capitals, its hits may mean the word."
            yield Remark(variant, LintCode.COMMON_WORD, INFO, message, "read its hits in headings one by one")
        elif word in COMMON_WORDS:
            message = f"'{text}' without regard to case is also the word '{word}'."
            yield Remark(variant, LintCode.COMMON_WORD, WARNING, message, "set case to sensitive")
    if variant.case == "sensitive":
        listed = [word.text for word in words(text) if word.text[0].isalpha()]
        if listed and all(len(word) >= _ORDINARY and word[1:].islower() for word in listed):
            missed = text.capitalize() if text.islower() else text.lower()
            message = f"'{text}' is matched in this case only; '{missed}' is missed."
            yield Remark(variant, LintCode.CASE_MISSES, WARNING, message)


def _on_concepts(table: ConceptTable) -> Iterator[Remark]:
    """Concepts as a whole: names that are alike, and none of whose variants is accepted."""
    first_names: dict[str, str] = {}
    for concept in table.by_concept:
        first = first_names.setdefault(squeeze(concept.name), concept.name)
        if first != concept.name:
            message = f"'{concept.name}' and '{first}' count as two concepts."
            yield Remark(concept.variants[0], LintCode.CONCEPT_NAMES_ALIKE, WARNING, message)
    for concept in table.by_concept:
        if not any(variant.status == "accepted" for variant in concept.variants):
            message = f"No variant of '{concept.name}' is accepted, so it is not searched."
            yield Remark(concept.variants[0], LintCode.CONCEPT_WITHOUT_ACCEPTED, WARNING, message)


def _near_duplicates(variants: Iterable[Variant]) -> Iterator[Remark]:
    """Variants of a concept that differ in case, hyphen or space alone."""
    first_variants: dict[str, Variant] = {}
    for variant in variants:
        first = first_variants.setdefault(squeeze(variant.text), variant)
        if first is not variant:
            message = (
                f"'{variant.text}' differs from '{first.text}' only in case, hyphen or space; one is enough."
            )
            yield Remark(variant, LintCode.NEAR_DUPLICATE, INFO, message)


def _in_two_concepts(variants: Iterable[Variant]) -> Iterator[Remark]:
    first_variants: dict[str, Variant] = {}
    for variant in variants:
        first = first_variants.setdefault(squeeze(variant.text), variant)
        if first.concept != variant.concept:
            message = f"'{variant.text}' stands in concept '{first.concept}' too, as '{first.text}'."
            yield Remark(variant, LintCode.IN_TWO_CONCEPTS, WARNING, message)


def _overlaps(variants: Sequence[Variant]) -> Iterator[Remark]:
    """Variants inside longer ones: of their own concept (shadowed), or of another (the two concepts overlap)."""
    by_text: dict[str, list[Variant]] = {}
    for variant in variants:
        by_text.setdefault(fold(variant.text), []).append(variant)
    for longer in variants:
        inner = {text for text in _inner_texts(fold(longer.text)) if text in by_text}
        for shorter in (variant for text in sorted(inner) for variant in by_text[text]):
            holds = f"'{longer.text}' contains '{shorter.text}'"
            if shorter.concept == longer.concept:
                message = f"{holds}: a place counts for both."
                yield Remark(shorter, LintCode.SHADOWED, INFO, message)
            else:
                message = (
                    f"{holds} of concept '{shorter.concept}': the two concepts meet at each of its places."
                )
                yield Remark(longer, LintCode.CONCEPTS_OVERLAP, INFO, message)


def _inner_texts(text: str) -> Iterator[str]:
    """Every shorter text inside that begins and ends where a variant may begin and end."""
    if len(text) > _LONGEST_SHADOW:
        return
    cuts = [0, len(text)]
    for at in range(1, len(text)):
        before, after = text[at - 1], text[at]
        if not (before.isalnum() and after.isalnum()) or CJK.match(before) or CJK.match(after):
            cuts.append(at)
    for start, end in combinations(sorted(cuts), 2):
        if end - start < len(text):
            yield text[start:end]


def _foreign_words(variants: Sequence[Variant]) -> Iterator[Remark]:
    """Words of look-alike letters alone, in a table that has Latin words and none in that other script."""
    foreign = [(variant, word) for variant in variants if (word := foreign_word(variant.text))]
    letters = "".join(variant.text for variant in variants if not foreign_word(variant.text))
    if any("\u0370" <= char <= "\u052f" for char in letters):
        return  # Greek or Cyrillic words
    if any(char.isascii() and char.isalpha() for char in letters):
        for variant, word in foreign:
            message = f"'{word}' in '{variant.text}' has no Latin letter, though it looks so."
            yield Remark(variant, LintCode.LOOKALIKE, WARNING, message)


def _acronyms(variants: Sequence[Variant]) -> Iterator[Remark]:
    """Acronyms that no variant of their concept spells out; long phrases in a concept that has no acronym at all.

    Which phrase has an acronym that people use, only a document tells: docaudit.lint_document asks it.
    """
    # By their first letter, so that few pairs are compared; those in Japanese or Chinese may begin with any.
    phrases: dict[str, list[str]] = {}
    for variant in variants:
        if not is_acronym(variant.text):
            first = "" if CJK.search(variant.text) else fold(variant.text)[:1]
            phrases.setdefault(first, []).append(variant.text)
    short = [v for v in variants if is_acronym(v.text) and sum(char.isalpha() for char in v.text) > 1]
    for variant in short:
        possible = [*phrases.get(fold(variant.text)[:1], ()), *phrases.get("", ())]
        if not any(may_expand(variant.text, phrase) for phrase in possible):
            message = f"'{variant.text}' is an acronym, and no variant spells it out."
            yield Remark(variant, LintCode.ACRONYM_ALONE, INFO, message)
    long = [v for v in variants if not CJK.search(v.text) and len(initials(v.text)) >= _FEWEST_INITIALS]
    if long and not short:
        message = f"The concept has no acronym; '{initials(long[0].text)}' may stand for '{long[0].text}'."
        yield Remark(long[0], LintCode.EXPANSION_ALONE, INFO, message)
