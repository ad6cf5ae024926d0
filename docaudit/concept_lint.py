"""What is allowed in a concept table but probably not meant: for the expert to look at, never a reason to refuse it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from docaudit.concepts import ConceptTable, Variant
from docaudit.wordforms import CJK, fold, squeeze


class Severity(StrEnum):
    """How much a finding weighs: a warning probably hides hits or makes false ones; an info is good to know."""

    WARNING = "warning"
    INFO = "info"


class LintCode(StrEnum):
    """What a finding is about."""

    SHADOWED = "shadowed"
    NEAR_DUPLICATE = "near_duplicate"
    TOO_SHORT = "too_short"
    REGEX_HOSTILE = "regex_hostile"
    ACRONYM_CASE = "acronym_case"
    COMMON_WORD = "common_word"
    LOST_CHARACTER = "lost_character"
    CONCEPT_WITHOUT_ACCEPTED = "concept_without_accepted"
    CONCEPT_NAMES_ALIKE = "concept_names_alike"


class LintFinding(BaseModel):
    """One thing to look at.

    Attributes:
        code: What it is about.
        severity: warning or info.
        concept: Concept concerned.
        variant: Variant concerned; empty where the concept as a whole is meant.
        message: What it is and what to do about it, as a sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: LintCode
    severity: Severity
    concept: str
    variant: str
    message: str


# Longer variants hold too many shorter texts to look all of them up; a phrase is shorter than this.
_LONGEST_SHADOW = 80
_REGEX_SIGNS = re.compile(
    r"\\[bBdDwWsSpP]|\.[*+]|\[[^\]]*\]|\(\?|[)\]][*+?]$|\w\*$|\{\d+(,\d*)?\}|^\^|\$$|[\w)]\|[\w(]|\.\?|\w\?\w"
)
_NESTED_QUANTIFIER = re.compile(r"\((?:[^()\\]|\\.)*[*+](?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,\d*\})")
_COMMON_WORDS = frozenset(
    {
        "it",
        "us",
        "who",
        "is",
        "am",
        "as",
        "at",
        "be",
        "can",
        "do",
        "for",
        "go",
        "he",
        "in",
        "may",
        "me",
        "no",
        "or",
    }
    | {
        "all",
        "an",
        "are",
        "by",
        "has",
        "if",
        "off",
        "on",
        "one",
        "out",
        "so",
        "to",
        "up",
        "was",
        "we",
        "aid",
        "act",
    }
    | {
        "age",
        "art",
        "bus",
        "cap",
        "car",
        "care",
        "cat",
        "dot",
        "fast",
        "gas",
        "ice",
        "man",
        "map",
        "sad",
        "set",
    }
)


def lint(table: ConceptTable) -> list[LintFinding]:
    """Everything in a table that is worth a look, in the order of the table; empty if there is nothing."""
    findings = [*_lookalike_names(table)]
    for concept in table.by_concept:
        kept = [variant for variant in concept.variants if variant.status != "rejected"]
        findings += _without_accepted(concept.name, concept.variants)
        findings += _near_duplicates(kept)
        findings += _shadowed(kept)
        for variant in kept:
            findings += [
                *_lost_character(variant),
                *_too_short(variant),
                *_regex_hostile(variant),
                *_acronym(variant),
            ]
    return findings


def _about(variant: Variant, code: LintCode, severity: Severity, message: str) -> LintFinding:
    return LintFinding(
        code=code, severity=severity, concept=variant.concept, variant=variant.text, message=message
    )


def _without_accepted(name: str, variants: tuple[Variant, ...]) -> Iterator[LintFinding]:
    if not any(variant.status == "accepted" for variant in variants):
        yield LintFinding(
            code=LintCode.CONCEPT_WITHOUT_ACCEPTED,
            severity=Severity.WARNING,
            concept=name,
            variant="",
            message=f"No variant of '{name}' is accepted, so it is not searched; accept one or delete the concept.",
        )


def _lookalike_names(table: ConceptTable) -> Iterator[LintFinding]:
    seen: dict[str, str] = {}
    for name in table.concepts:
        first = seen.setdefault(squeeze(name), name)
        if first != name:
            yield LintFinding(
                code=LintCode.CONCEPT_NAMES_ALIKE,
                severity=Severity.WARNING,
                concept=name,
                variant="",
                message=f"'{name}' and '{first}' count as two concepts; write one name if one is meant.",
            )


def _near_duplicates(variants: list[Variant]) -> Iterator[LintFinding]:
    seen: dict[str, Variant] = {}
    for variant in variants:
        if variant.match == "regex":
            continue  # two expressions that differ in a hyphen match different texts
        first = seen.setdefault(squeeze(variant.text), variant)
        if first is not variant:
            message = (
                f"'{variant.text}' differs from '{first.text}' only in case, hyphen or space; one is enough."
            )
            yield _about(variant, LintCode.NEAR_DUPLICATE, Severity.INFO, message)


def _shadowed(variants: list[Variant]) -> Iterator[LintFinding]:
    known = {fold(variant.text): variant for variant in variants if variant.match != "regex"}
    for variant in variants:
        if variant.match == "regex":
            continue
        inner = (known[text] for text in _inner_texts(fold(variant.text)) if text in known)
        for shorter in {v.text: v for v in inner if v is not variant}.values():
            message = (
                f"'{variant.text}' contains '{shorter.text}': a place counts for both, in unique_hits once."
            )
            yield _about(shorter, LintCode.SHADOWED, Severity.INFO, message)


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


def _lost_character(variant: Variant) -> Iterator[LintFinding]:
    if "\ufffd" in variant.text:
        message = (
            f"'{variant.text}' holds U+FFFD, which stands for a character that was lost; write the real one."
        )
        yield _about(variant, LintCode.LOST_CHARACTER, Severity.WARNING, message)


def _too_short(variant: Variant) -> Iterator[LintFinding]:
    if variant.match != "regex" and len(squeeze(variant.text)) <= 1:
        message = f"'{variant.text}' is a single character; expect hits that mean something else."
        yield _about(variant, LintCode.TOO_SHORT, Severity.WARNING, message)


def _regex_hostile(variant: Variant) -> Iterator[LintFinding]:
    if variant.match == "regex":
        if _NESTED_QUANTIFIER.search(variant.text):
            message = f"'{variant.text}' repeats a repetition; it may run into the time limit. Write it flat."
            yield _about(variant, LintCode.REGEX_HOSTILE, Severity.WARNING, message)
    elif _REGEX_SIGNS.search(variant.text):
        message = (
            f"'{variant.text}' looks like a regular expression, but match is {variant.match}: it is searched"
            " character by character. Set match to regex, or write one variant in each row."
        )
        yield _about(variant, LintCode.REGEX_HOSTILE, Severity.WARNING, message)


def _acronym(variant: Variant) -> Iterator[LintFinding]:
    if variant.match == "regex" or variant.text.upper() != variant.text:
        return
    common = fold(variant.text) in _COMMON_WORDS
    if variant.case_sensitive:
        other = fold(variant.text)
        message = (
            f"'{variant.text}' is matched in capitals only; '{other}' is listed as a near miss, not as a hit."
        )
        yield _about(variant, LintCode.ACRONYM_CASE, Severity.INFO, message)
        if common:
            message = f"'{variant.text}' is also a common word: in text set in capitals, its hits may mean the word."
            yield _about(variant, LintCode.COMMON_WORD, Severity.INFO, message)
    elif common:
        word = fold(variant.text)
        message = f"'{variant.text}' without regard to case is also the word '{word}'; set case to sensitive."
        yield _about(variant, LintCode.COMMON_WORD, Severity.WARNING, message)
