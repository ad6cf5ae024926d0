"""Lint with a document at hand: how often each variant stands in it, and what another case setting would change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from docaudit.audit import find_hits, require_parsed
from docaudit.concepts.lint import INFO, WARNING, LintCode, LintFinding, Remark, as_findings, initials, lint
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.document import ParsedDocument
from docaudit.tables import is_counted
from docaudit.text.words import CJK, squeeze, words

_COMMON_SHARE = 0.5
"""A variant on more of the pages than this tells little of any of them (chosen, not measured)."""
_FEWEST_PAGES = 4
"""On documents of fewer pages, a share of the pages says nothing (chosen, not measured)."""


def lint_with_document(table: ConceptTable, parsed: ParsedDocument) -> list[LintFinding]:
    """What `lint` finds, and what only a document can tell, in the order of the table.

    Proposed variants are counted as accepted ones are: their frequency helps to decide on them. Raises
    MissingEvidenceError if it is no parsed document.
    """
    pages_total = len(require_parsed(parsed).page_df)
    kept = [variant for variant in table.variants if variant.status != "rejected"]
    counted = _hits_and_pages(kept, parsed)
    turned = _hits_and_pages(
        [
            v.model_copy(update={"case": "insensitive" if v.case_sensitive else "sensitive"})
            for v in kept
            if v.match != "regex" and v.text.upper() != v.text.lower()
        ],
        parsed,
    )
    remarks = list(_initials_in(table, parsed))
    for variant in kept:
        hits, pages = counted[variant.id]
        if pages_total >= _FEWEST_PAGES and pages > _COMMON_SHARE * pages_total:
            message = f"'{variant.text}' stands {hits:,} times on {pages:,} of {pages_total:,} pages."
            remarks.append(Remark(variant, LintCode.TOO_COMMON, WARNING, message))
        hits_turned, _ = turned.get(variant.id, (hits, 0))
        if hits_turned != hits:
            now, then = (
                ("sensitive", "insensitive") if variant.case_sensitive else ("insensitive", "sensitive")
            )
            message = (
                f"'{variant.text}' has {hits:,} hits with case {now}, and {hits_turned:,} with case {then}."
            )
            remarks.append(Remark(variant, LintCode.CASE_DECIDES, INFO, message))
    return sorted([*lint(table), *as_findings(table, remarks)], key=lambda finding: finding.row)


def _initials_in(table: ConceptTable, parsed: ParsedDocument) -> Iterator[Remark]:
    """Phrases whose initials stand in the document, in capitals, and in no variant of their concept."""
    listed = {(variant.concept, squeeze(variant.text)) for variant in table.variants}
    phrases = [
        (variant, initials(variant.text))
        for variant in table.variants
        if variant.status != "rejected" and variant.match != "regex" and not CJK.search(variant.text)
    ]
    missing = [
        (v, short) for v, short in phrases if len(short) > 1 and (v.concept, squeeze(short)) not in listed
    ]
    shorts = {short for _, short in missing}
    counts = Counter(
        word.text for text in parsed.line_df["text"] for word in words(str(text)) if word.text in shorts
    )
    for variant, short in missing:
        if counts[short]:
            message = f"'{short}' stands in the document {counts[short]:,} times; it may be '{variant.text}'."
            remedy = f"add '{short}', or reject it"
            yield Remark(variant, LintCode.EXPANSION_ALONE, WARNING, message, remedy)


def _hits_and_pages(variants: Sequence[Variant], parsed: ParsedDocument) -> dict[str, tuple[int, int]]:
    """Hits and pages with hits of each variant, by its id; possible hits are left out."""
    if not variants:
        return {}
    accepted = tuple(variant.model_copy(update={"status": "accepted"}) for variant in variants)
    hit_df, _ = find_hits(parsed, ConceptTable(variants=accepted), parsed.options)
    hit_df = hit_df[is_counted(hit_df)]
    keys = ["concept", "variant"]
    sizes = hit_df.groupby(keys).size()
    pages: pd.Series[int] = hit_df[hit_df["page_num"] > 0].groupby(keys)["page_num"].nunique()
    return {
        v.id: (int(sizes.get((v.concept, v.text), 0)), int(pages.get((v.concept, v.text), 0)))
        for v in accepted
    }
