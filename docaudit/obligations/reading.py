"""Checks of what was read: one short function for each obligation on pages, ink, parts, references and readers.

Which function belongs to which obligation, and what the answers together allow to be said, stands in
docaudit.obligations.rules. A check that has nothing to check is not_run, never met; one that was left out though
absence needs it is unmet.
"""

from __future__ import annotations

import pandas as pd

from docaudit.evidence import ParseCoverage
from docaudit.justification import Obligation, ObligationCheck
from docaudit.location import DOCUMENT_PAGE, MatchKind, PageState, TextLikely
from docaudit.reasons import BlindSpotKind

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

_KINDS = {kind.value: kind for kind in BlindSpotKind}
_READABLE = {PageState.TEXT.value, PageState.MIXED.value, PageState.BLANK.value, PageState.IMAGE_ONLY.value}


def _spots(blind_spot_df: pd.DataFrame, kinds: frozenset[BlindSpotKind]) -> pd.DataFrame:
    """Blind spots of these kinds that may hold text."""
    wanted = blind_spot_df["kind"].isin({kind.value for kind in kinds})
    return blind_spot_df[wanted & (blind_spot_df["text_likely"] != TextLikely.NO.value)]


def _pages(spots: pd.DataFrame) -> list[int]:
    return sorted({int(page) for page in spots["page_num"]})


def _remedies(spots: pd.DataFrame, *, ocr: bool = False) -> str:
    return "; ".join(dict.fromkeys(_KINDS[kind].remedy_after(ocr=ocr) for kind in spots["kind"]))


def _were(count: int, noun: str) -> str:
    return f"1 {noun} was" if count == 1 else f"{count:,} {noun}s were"


def _counts(spots: pd.DataFrame) -> str:
    counted = spots["kind"].value_counts(sort=False)
    return ", ".join(f"{number} x {kind}" for kind, number in counted.items())


def pages_readable(page_df: pd.DataFrame, blind_spot_df: pd.DataFrame, pages_total: int) -> ObligationCheck:
    """Every page of the page tree has its row, could be opened, rendered and read without damage."""
    spots = _spots(blind_spot_df, PAGE_KINDS)
    states = zip(page_df["page_num"], page_df["state"], strict=True)
    failed = {int(page) for page, state in states if state not in _READABLE}
    missing = set(range(1, pages_total + 1)) - {int(page) for page in page_df["page_num"]}
    bad = sorted({*failed, *missing, *_pages(spots)})
    if not bad:
        return ObligationCheck.of(
            Obligation.PAGES_READABLE, True, f"all {pages_total} pages were opened and read"
        )
    why = _counts(spots) or ("without a row in the page table" if missing else "not rendered")
    lost = len(bad) - (DOCUMENT_PAGE in bad)
    what = f"{lost} of {pages_total} pages" if lost else "the file as a whole"
    evidence = f"{what} could not be read in full ({why})"
    drawn = set(page_df["state"]) != {PageState.NOT_RENDERED.value}
    remedy = _remedies(spots) or ("read these pages, or repair the file" if drawn else "run with --ink")
    return ObligationCheck.of(Obligation.PAGES_READABLE, False, evidence, bad, remedy)


def ink_read(
    page_df: pd.DataFrame, blind_spot_df: pd.DataFrame, misread_df: pd.DataFrame, *, ocr: bool = False
) -> ObligationCheck:
    """No ink that may be text is left unread, and no possible hit stands for a required concept.

    Args:
        page_df: PAGE_DF.
        blind_spot_df: BLIND_SPOT_DF.
        misread_df: Rows of HIT_DF that are possible hits of a required concept: misread by OCR, or with other accents.
        ocr: OCR was run, so that nobody is told to run it.
    """
    spots = _spots(blind_spot_df, REGION_KINDS)
    pages = sorted({*_pages(spots), *_pages(misread_df)})
    if pages:
        parts = [f"{_were(len(spots), 'region')} not read ({_counts(spots)})"] if len(spots) else []
        if len(misread_df):
            parts += _possible_hits(misread_df)
        looked = ["look at the possible hits there"] if len(misread_df) else []
        remedy = "; ".join([*([_remedies(spots, ocr=ocr)] if len(spots) else []), *looked])
        return ObligationCheck.of(Obligation.INK_READ, False, ", and ".join(parts), pages, remedy)
    if page_df["ink_total"].isna().all():
        # Without a picture nobody knows what the pages show beside their text: that is no evidence of nothing.
        return ObligationCheck.of(
            Obligation.INK_READ, False, "the ink of the pages was not measured", (), "run with --ink"
        )
    return ObligationCheck.of(Obligation.INK_READ, True, "no ink that may be text is left unread")


def _possible_hits(misread_df: pd.DataFrame) -> list[str]:
    said = []
    for kind, of, what in (
        (MatchKind.OCR_FUZZY, "of OCR", "may be misread words for"),
        (MatchKind.ACCENTS_DIFFER, "of the text", "differ only in accents from words for"),
    ):
        rows = misread_df[misread_df["match_kind"] == kind.value]
        if len(rows):
            named = ", ".join(f"'{name}'" for name in dict.fromkeys(rows["concept"]))
            readings = "1 reading" if len(rows) == 1 else f"{len(rows)} readings"
            said.append(f"{readings} {of} {what} {named}")
    return said


def parts_opened(blind_spot_df: pd.DataFrame) -> ObligationCheck:
    """No attachment, layer, form or earlier revision is left unopened."""
    spots = _spots(blind_spot_df, PART_KINDS)
    if not len(spots):
        return ObligationCheck.of(
            Obligation.PARTS_OPENED, True, "no attachment, layer, form or revision is left unopened"
        )
    details = "; ".join(dict.fromkeys(spots["detail"]))
    return ObligationCheck.of(
        Obligation.PARTS_OPENED, False, f"not opened: {details}", _pages(spots), _remedies(spots)
    )


def references_resolved(coverage: ParseCoverage) -> ObligationCheck:
    """Every object that the text refers to is there, and no page label is missing."""
    open_refs, gaps = coverage.unresolved_cross_refs, coverage.page_label_gaps
    if not open_refs and not gaps:
        total = coverage.cross_refs_total
        return ObligationCheck.of(
            Obligation.REFERENCES_RESOLVED, True, f"none of {total} references is unresolved"
        )
    evidence = f"{len(open_refs)} unresolved: {'; '.join(open_refs)}" if open_refs else ""
    evidence += ("; " if evidence and gaps else "") + (f"page labels: {'; '.join(gaps)}" if gaps else "")
    remedy = "look for the object: it may be in a part that was not read, or missing from the file"
    return ObligationCheck.of(Obligation.REFERENCES_RESOLVED, False, evidence, (), remedy)


def readers_agree(coverage: ParseCoverage) -> ObligationCheck:
    """A second, independent reader confirms what the first read.

    Words that only the second saw were added and are searched, so they alone leave nothing unread. But where the first
    missed a good part of a page, what both missed may be more.
    """
    words = coverage.words_second_reader_only
    if words is None:
        return ObligationCheck.not_run(Obligation.READERS_AGREE, "no second reader was run")
    added = f"; {words} words that only it saw were searched as well" if words else ""
    pages = coverage.pages_readers_disagree
    if pages:
        evidence = f"the first reader missed a good part of {len(pages)} page(s){added}"
        return ObligationCheck.of(Obligation.READERS_AGREE, False, evidence, pages, "read these pages")
    apart = coverage.pages_not_compared
    if apart:
        total = coverage.pages_total
        return ObligationCheck.not_run(
            Obligation.READERS_AGREE, f"{len(apart)} of {total} pages were not compared{added}"
        )
    return ObligationCheck.of(Obligation.READERS_AGREE, True, f"a second reader confirms all pages{added}")
