"""What lint finds in one variant by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docaudit.concepts import Variant
from docaudit.linting.codes import LintCode, Severity
from docaudit.linting.lookalikes import mixed_scripts, wrong_sign
from docaudit.wordforms import CJK, fold, squeeze, words


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
