"""What is allowed in a concept table but probably not meant: for the expert to look at, never a reason to refuse it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docaudit.concept_table.cells import is_acronym
from docaudit.concepts import Concept, ConceptTable, Variant
from docaudit.linting.acronyms import initials, may_expand
from docaudit.linting.codes import LintCode, LintFinding, Severity
from docaudit.linting.lookalikes import foreign_word
from docaudit.linting.words import INFO, WARNING, Said, look_at
from docaudit.wordforms import CJK, fold, squeeze

__all__ = ["LintCode", "LintFinding", "Severity", "Writer", "lint"]

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

    Which phrase has an acronym that people use, only a document tells: lint_document asks it.
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
