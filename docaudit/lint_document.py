"""Lint with a document at hand: how often each variant stands in it, and what another case setting would change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pandas as pd

from docaudit.arguments import need_parsed
from docaudit.audit import find_hits
from docaudit.concepts import ConceptTable, Variant
from docaudit.linting.acronyms import initials
from docaudit.linting.codes import LintCode, LintFinding
from docaudit.linting.rules import Writer, lint
from docaudit.linting.words import INFO, WARNING, Said
from docaudit.location import POSSIBLE_KINDS
from docaudit.parsed import ParsedDocument
from docaudit.wordforms import CJK, squeeze, words

_COMMON_SHARE = 0.5
_FEWEST_PAGES = 4
"""On documents of a few pages, a share of the pages says nothing."""


def lint_with_document(table: ConceptTable, parsed: ParsedDocument) -> list[LintFinding]:
    """What `lint` finds, and what only a document can tell, in the order of the table.

    Proposed variants are counted as accepted ones are: their frequency helps to decide on them. Raises
    MissingEvidenceError if it is no parsed document.
    """
    write, pages_total = Writer(table), len(need_parsed(parsed).page_df)
    kept = tuple(variant for variant in table.variants if variant.status != "rejected")
    counted = _counted(kept, parsed)
    turned = tuple(_turned(variant) for variant in kept if _has_case(variant))
    other = _counted(turned, parsed) if turned else {}
    findings = [*lint(table), *(write.finding(*about) for about in _initials_in(table, parsed))]
    for variant in kept:
        hits, pages = counted.get(variant.id, (0, 0))
        if pages_total >= _FEWEST_PAGES and pages > _COMMON_SHARE * pages_total:
            message = f"'{variant.text}' stands {hits:,} times on {pages:,} of {pages_total:,} pages."
            findings.append(write.finding(variant, Said(LintCode.TOO_COMMON, WARNING, message)))
        turned_hits, _ = (
            other.get(variant.id, (hits, 0)) if variant.id in {v.id for v in turned} else (hits, 0)
        )
        if turned_hits != hits:
            findings.append(write.finding(variant, _case_decides(variant, hits, turned_hits)))
    return sorted(findings, key=lambda finding: finding.row)


def _initials_in(table: ConceptTable, parsed: ParsedDocument) -> Iterator[tuple[Variant, Said]]:
    """Phrases whose initials stand in the document, in capitals, and in no variant of their concept."""
    known = {(variant.concept, squeeze(variant.text)) for variant in table.variants}
    missing = [
        (variant, initials(variant.text))
        for variant in table.variants
        if variant.status != "rejected" and variant.match != "regex" and not CJK.search(variant.text)
    ]
    missing = [
        (v, short) for v, short in missing if len(short) > 1 and (v.concept, squeeze(short)) not in known
    ]
    wanted = {short for _, short in missing}
    counts = Counter(
        word.text for text in parsed.line_df["text"] for word in words(str(text)) if word.text in wanted
    )
    for variant, short in missing:
        if counts[short]:
            message = f"'{short}' stands in the document {counts[short]:,} times; it may be '{variant.text}'."
            yield variant, Said(LintCode.EXPANSION_ALONE, WARNING, message, f"add '{short}', or reject it")


def _case_decides(variant: Variant, hits: int, turned: int) -> Said:
    now, then = ("sensitive", "insensitive") if variant.case_sensitive else ("insensitive", "sensitive")
    message = f"'{variant.text}' has {hits:,} hits with case {now}, and {turned:,} with case {then}."
    return Said(LintCode.CASE_DECIDES, INFO, message)


def _has_case(variant: Variant) -> bool:
    return variant.match != "regex" and variant.text.upper() != variant.text.lower()


def _turned(variant: Variant) -> Variant:
    return variant.model_copy(update={"case": "insensitive" if variant.case_sensitive else "sensitive"})


def _counted(variants: tuple[Variant, ...], parsed: ParsedDocument) -> dict[str, tuple[int, int]]:
    """Hits and pages with hits of each variant, by its id; possible misreadings are no hits."""
    accepted = tuple(variant.model_copy(update={"status": "accepted"}) for variant in variants)
    if not accepted:
        return {}
    hit_df, _ = find_hits(parsed, ConceptTable(variants=accepted), parsed.options)
    hit_df = hit_df[~hit_df["match_kind"].isin(POSSIBLE_KINDS)]
    pages: pd.Series[int] = (
        hit_df[hit_df["page_num"] > 0].groupby(["concept", "variant"])["page_num"].nunique()
    )
    sizes = hit_df.groupby(["concept", "variant"]).size()
    return {
        v.id: (int(sizes.get((v.concept, v.text), 0)), int(pages.get((v.concept, v.text), 0)))
        for v in accepted
    }
