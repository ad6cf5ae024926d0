"""The checks behind the obligations: one short function for each, from evidence to met, unmet or not run.

Which function belongs to which obligation, and what the answers together allow to be said, stands in docaudit.rules.
A check that has nothing to check is not_run, never met; one that was left out though absence needs it is unmet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from docaudit.codes import (
    DOCUMENT_PAGE,
    BlindSpotKind,
    LedgerState,
    MatchKind,
    Obligation,
    PageState,
    TextLikely,
)
from docaudit.concepts.model import ConceptTable
from docaudit.justification import ControlGroup, ObligationCheck, ParseCoverage
from docaudit.text.numbers import plural

REGION_KINDS = frozenset(
    {
        BlindSpotKind.IMAGE_ONLY_PAGE,
        BlindSpotKind.IMAGE_NOT_READ,
        BlindSpotKind.OCR_UNCERTAIN,
        BlindSpotKind.OCR_FAILED,
        BlindSpotKind.OCR_NO_WORDS,
        BlindSpotKind.TEXT_DISAGREES,
        BlindSpotKind.VECTOR_NOT_READ,
        BlindSpotKind.UNKNOWN_GLYPHS,
    }
)
"""Blind spots that are ink on a page."""
PAGE_KINDS = frozenset(
    {
        BlindSpotKind.PAGE_FAILED,
        BlindSpotKind.PAGE_CRASHED,
        BlindSpotKind.PAGE_TIMED_OUT,
        BlindSpotKind.PAGE_OUT_OF_MEMORY,
        BlindSpotKind.PAGE_DAMAGED,
        BlindSpotKind.PAGE_UNREACHABLE,
    }
)
"""Blind spots that are whole pages."""
PART_KINDS = frozenset(
    {
        BlindSpotKind.ATTACHMENT_NOT_READ,
        BlindSpotKind.ANNOTATION_NOT_READ,
        BlindSpotKind.FORM_NOT_READ,
        BlindSpotKind.LAYER_OFF,
        BlindSpotKind.EARLIER_REVISION,
        BlindSpotKind.SIGNATURE_NOT_READ,
        BlindSpotKind.TAGGED_TEXT_NOT_READ,
        BlindSpotKind.OUTLINE_NOT_READ,
        BlindSpotKind.METADATA_NOT_READ,
    }
)
"""Blind spots that are parts of the file beside its pages."""

_READABLE = {PageState.TEXT, PageState.MIXED, PageState.BLANK, PageState.IMAGE_ONLY}
_MOST_NAMED = 10
"""Controls that were not found are named one by one, up to so many; the others are counted."""


def _that_may_hold_text(blind_spot_df: pd.DataFrame, kinds: frozenset[BlindSpotKind]) -> pd.DataFrame:
    of_kind = blind_spot_df["kind"].isin({kind.value for kind in kinds})
    return blind_spot_df[of_kind & (blind_spot_df["text_likely"] != TextLikely.NO.value)]


def _page_numbers(table: pd.DataFrame) -> set[int]:
    return {int(page) for page in table["page_num"]}


def _remedies(spots: pd.DataFrame, *, ocr: bool = False) -> str:
    return "; ".join(dict.fromkeys(BlindSpotKind(kind).remedy_after(ocr=ocr) for kind in spots["kind"]))


def _counted_by_kind(spots: pd.DataFrame) -> str:
    return ", ".join(f"{number} x {kind}" for kind, number in spots["kind"].value_counts(sort=False).items())


def pages_readable(page_df: pd.DataFrame, blind_spot_df: pd.DataFrame, pages_total: int) -> ObligationCheck:
    """Every page of the page tree has its row, could be opened, rendered and read without damage."""
    spots = _that_may_hold_text(blind_spot_df, PAGE_KINDS)
    failed = _page_numbers(page_df[~page_df["state"].isin(_READABLE)])
    missing = set(range(1, pages_total + 1)) - _page_numbers(page_df)
    bad = sorted(failed | missing | _page_numbers(spots))
    if not bad:
        return ObligationCheck.of(
            Obligation.PAGES_READABLE, True, f"all {pages_total} pages were opened and read"
        )
    why = _counted_by_kind(spots) or ("without a row in the page table" if missing else "not rendered")
    unread = len(bad) - (DOCUMENT_PAGE in bad)
    what = f"{unread} of {pages_total} pages" if unread else "the file as a whole"
    drawn = set(page_df["state"]) != {PageState.NOT_RENDERED.value}
    remedy = _remedies(spots) or ("read these pages, or repair the file" if drawn else "run with --ink")
    return ObligationCheck.of(
        Obligation.PAGES_READABLE, False, f"{what} could not be read in full ({why})", bad, remedy
    )


def ink_read(
    page_df: pd.DataFrame, blind_spot_df: pd.DataFrame, possible_df: pd.DataFrame, *, ocr: bool = False
) -> ObligationCheck:
    """No ink that may be text is left unread, and no possible hit stands for a required concept.

    Args:
        page_df: PAGE_DF.
        blind_spot_df: BLIND_SPOT_DF.
        possible_df: Rows of HIT_DF that are possible hits of a required concept: misread by OCR, or with other accents.
        ocr: OCR was run, so that nobody is told to run it.
    """
    spots = _that_may_hold_text(blind_spot_df, REGION_KINDS)
    evidence, remedies = [], []
    if len(spots):
        were = "was" if len(spots) == 1 else "were"
        evidence.append(f"{plural(len(spots), 'region')} {were} not read ({_counted_by_kind(spots)})")
        remedies.append(_remedies(spots, ocr=ocr))
    for kind, of, what in (
        (MatchKind.OCR_FUZZY, "of OCR", "may be misread words for"),
        (MatchKind.ACCENTS_DIFFER, "of the text", "differ only in accents from words for"),
    ):
        rows = possible_df[possible_df["match_kind"] == kind.value]
        if len(rows):
            named = ", ".join(f"'{name}'" for name in dict.fromkeys(rows["concept"]))
            readings = "1 reading" if len(rows) == 1 else f"{len(rows)} readings"
            evidence.append(f"{readings} {of} {what} {named}")
    if len(possible_df):
        remedies.append("look at the possible hits there")
    if evidence:
        pages = sorted(_page_numbers(spots) | _page_numbers(possible_df))
        return ObligationCheck.of(
            Obligation.INK_READ, False, ", and ".join(evidence), pages, "; ".join(remedies)
        )
    if page_df["ink_total"].isna().all():
        # Without a picture nobody knows what the pages show beside their text: that is no evidence of nothing.
        return ObligationCheck.of(
            Obligation.INK_READ, False, "the ink of the pages was not measured", (), "run with --ink"
        )
    return ObligationCheck.of(Obligation.INK_READ, True, "no ink that may be text is left unread")


def parts_opened(blind_spot_df: pd.DataFrame) -> ObligationCheck:
    """No attachment, layer, form or earlier revision is left unopened."""
    spots = _that_may_hold_text(blind_spot_df, PART_KINDS)
    if not len(spots):
        return ObligationCheck.of(
            Obligation.PARTS_OPENED, True, "no attachment, layer, form or revision is left unopened"
        )
    evidence = f"not opened: {'; '.join(dict.fromkeys(spots['detail']))}"
    pages = sorted(_page_numbers(spots))
    return ObligationCheck.of(Obligation.PARTS_OPENED, False, evidence, pages, _remedies(spots))


def references_resolved(coverage: ParseCoverage) -> ObligationCheck:
    """Every object that the text refers to is there, and no page label is missing."""
    unresolved, gaps = coverage.unresolved_cross_refs, coverage.page_label_gaps
    if not unresolved and not gaps:
        evidence = f"none of {coverage.cross_refs_total} references is unresolved"
        return ObligationCheck.of(Obligation.REFERENCES_RESOLVED, True, evidence)
    parts = [f"{len(unresolved)} unresolved: {'; '.join(unresolved)}"] if unresolved else []
    parts += [f"page labels: {'; '.join(gaps)}"] if gaps else []
    remedy = "look for the object: it may be in a part that was not read, or missing from the file"
    return ObligationCheck.of(Obligation.REFERENCES_RESOLVED, False, "; ".join(parts), (), remedy)


def readers_agree(coverage: ParseCoverage) -> ObligationCheck:
    """A second, independent reader confirms what the first read.

    Words that only the second saw were added and are searched, so they alone leave nothing unread. But where the first
    missed a good part of a page, what both missed may be more.
    """
    words = coverage.words_second_reader_only
    if words is None:
        return ObligationCheck.not_run(Obligation.READERS_AGREE, "no second reader was run")
    added = f"; {words} words that only it saw were searched as well" if words else ""
    if pages := coverage.pages_readers_disagree:
        evidence = f"the first reader missed a good part of {len(pages)} page(s){added}"
        return ObligationCheck.of(Obligation.READERS_AGREE, False, evidence, pages, "read these pages")
    if apart := coverage.pages_not_compared:
        evidence = f"{len(apart)} of {coverage.pages_total} pages were not compared{added}"
        return ObligationCheck.not_run(Obligation.READERS_AGREE, evidence)
    return ObligationCheck.of(Obligation.READERS_AGREE, True, f"a second reader confirms all pages{added}")


def variants_searched(table: ConceptTable, ledger_df: pd.DataFrame, pages_total: int) -> ObligationCheck:
    """Every accepted variant was searched on every page that has text."""
    rows: dict[Any, Any] = {(row.concept, row.variant): row for row in ledger_df.itertuples()}
    not_searched = []
    for variant in table.active:
        row = rows.get((variant.concept, variant.text))
        if row is None:
            not_searched.append(f"'{variant.text}' has no row in the ledger")
        elif row.state != LedgerState.SEARCHED.value:
            not_searched.append(f"'{variant.text}' ({row.state}{': ' + row.detail if row.detail else ''})")
        elif (pages := row.pages_searched + row.pages_not_searchable) < pages_total:
            not_searched.append(f"'{variant.text}' accounts for {pages} of {pages_total} pages")
    total = len(table.active)
    if not not_searched:
        return ObligationCheck.of(
            Obligation.VARIANTS_SEARCHED, True, f"all {total} variants were searched on all pages with text"
        )
    evidence = f"{len(not_searched)} of {total} variants: {'; '.join(not_searched)}"
    remedy = "correct the pattern, or raise --regex-seconds"
    return ObligationCheck.of(Obligation.VARIANTS_SEARCHED, False, evidence, (), remedy)


def variants_reviewed(table: ConceptTable) -> ObligationCheck:
    """No candidate variant waits for the expert."""
    if table.proposed:
        named = ", ".join(f"'{variant.text}'" for variant in table.proposed)
        evidence = f"{len(table.proposed)} proposed: {named}"
        return ObligationCheck.of(Obligation.VARIANTS_REVIEWED, False, evidence, (), "accept or reject them")
    nameless = sum(not variant.reviewer for variant in table.variants)
    evidence = f"all {len(table.variants)} variants have been decided on"
    evidence += f" ({nameless} of them without the name of a reviewer)" if nameless else ""
    return ObligationCheck.of(Obligation.VARIANTS_REVIEWED, True, evidence)


def question_covered(
    question: str | None, content: Sequence[str], uncovered: Sequence[str], set_aside: Sequence[str] = ()
) -> ObligationCheck:
    """The question names a subject, and every content word of it belongs to a concept of the table.

    Words that a person rejected as a concept (their row has a reviewer) were decided on: they are named, not missing.
    """
    if question is None:
        return ObligationCheck.not_run(Obligation.QUESTION_COVERED, "no question was asked")
    if not content:
        evidence = "the question has no word that names a subject"
        return ObligationCheck.of(
            Obligation.QUESTION_COVERED, False, evidence, (), "name the subject in the question"
        )
    if uncovered:
        evidence = "in no concept of the table: " + ", ".join(f"'{word}'" for word in uncovered)
        remedy = "add them to a concept, or ask without them"
        return ObligationCheck.of(Obligation.QUESTION_COVERED, False, evidence, (), remedy)
    evidence = "every content word of the question is in a concept"
    if set_aside:
        evidence += ", but for what a person rejected: " + ", ".join(f"'{word}'" for word in set_aside)
    return ObligationCheck.of(Obligation.QUESTION_COVERED, True, evidence)


def control_found(controls: Sequence[ControlGroup]) -> ObligationCheck:
    """Words known to be in the document, and phrases planted into a copy of it, are found by the same sweep."""
    canaries = [group for group in controls if group.kind == "canary"]
    unplanted = bool(canaries) and not any(group.tried for group in canaries)
    evidence = [_controls_found(controls)] if any(group.tried for group in controls) else []
    for group in controls:
        if group.untried:
            canary = f"no phrase could be planted in {group.layout}: "
            evidence.append((canary if group.kind == "canary" else "") + group.untried)
    if not unplanted and not any(group.tried for group in controls):
        why = "; ".join(evidence) or "the document has no word to take as a control"
        return ObligationCheck.not_run(Obligation.CONTROL_FOUND, why)
    pages = sorted({control.page_num for group in controls for control in group.missed})
    remedies = ["look at these pages, and report this as a bug of docaudit"] if pages else []
    remedies += ["audit without --canary, or look at the layouts named"] if unplanted else []
    return ObligationCheck.of(
        Obligation.CONTROL_FOUND, not remedies, "; ".join(evidence), pages, "; ".join(remedies)
    )


def _controls_found(controls: Sequence[ControlGroup]) -> str:
    """How many controls of which kinds and layouts were looked for, and which were not found."""
    witnesses = {"second_reader": "a second reader", "ocr": "OCR", "text_layer": "the only reader"}
    parts = []
    for kind in ("positive", "canary"):
        groups = [group for group in controls if group.kind == kind and group.tried]
        if groups:
            tried = sum(group.tried for group in groups)
            layouts = ", ".join(dict.fromkeys(group.layout for group in groups))
            if kind == "canary":
                parts.append(f"{plural(tried, 'phrase')} planted into a copy ({layouts})")
            else:
                seen_by = " or ".join(dict.fromkeys(witnesses[group.witness] for group in groups))
                parts.append(f"{plural(tried, 'word')} that {seen_by} saw ({layouts})")
    what = "; ".join(parts)
    tried, found = sum(group.tried for group in controls), sum(group.found for group in controls)
    if found == tried:
        return f"{what}: all were found"
    missed = [control for group in controls for control in group.missed]
    named = ", ".join(f"'{control.word}' (page {control.page_num})" for control in missed[:_MOST_NAMED])
    more = f" and {len(missed) - _MOST_NAMED:,} more" if len(missed) > _MOST_NAMED else ""
    share = int(1000 * found / tried) / 10  # rounded down: 100 % is only said of all
    return f"{what}: {found:,} of {tried:,} were found ({share:.1f} %), not {named}{more}"
