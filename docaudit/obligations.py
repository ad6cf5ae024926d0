"""What must be shown before absence may be said: the two tables of rules, and the checks behind them.

Checks of what was read: one short function for each obligation on pages, ink, parts, references and readers.

Which function belongs to which obligation, and what the answers together allow to be said, stands in
docaudit.rules. A check that has nothing to check is not_run, never met; one that was left out though
absence needs it is unmet.

Checks of what was searched: one short function for each obligation on variants, question and controls.

As in docaudit.obligations, a check that has nothing to check is not_run, never met.

What the hits alone say: how often each concept occurs, where, and whether the required ones meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from docaudit.concepts.check import JOINER
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import ConceptTableError, OptionError, TableContractError
from docaudit.justification import ControlGroup, ObligationCheck, ParseCoverage
from docaudit.options import AuditOptions
from docaudit.tables import is_counted

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


_NAMED = 10
_WITNESSES = {"second_reader": "a second reader", "ocr": "OCR", "text_layer": "the only reader"}


def variants_searched(table: ConceptTable, ledger_df: pd.DataFrame, pages_total: int) -> ObligationCheck:
    """Every accepted variant was searched on every page that has text."""
    rows = {(row.concept, row.variant): row for row in ledger_df.itertuples()}
    wrong = [
        why for v in table.active if (why := _not_searched(v, rows.get((v.concept, v.text)), pages_total))
    ]
    total = len(table.active)
    if not wrong:
        return ObligationCheck.of(
            Obligation.VARIANTS_SEARCHED, True, f"all {total} variants were searched on all pages with text"
        )
    remedy = "correct the pattern, or raise --regex-seconds"
    evidence = f"{len(wrong)} of {total} variants: {'; '.join(wrong)}"
    return ObligationCheck.of(Obligation.VARIANTS_SEARCHED, False, evidence, (), remedy)


def _not_searched(variant: Variant, row: Any, pages_total: int) -> str:
    """Why a variant does not count as searched; empty if it does."""
    if row is None:
        return f"'{variant.text}' has no row in the ledger"
    if row.state != LedgerState.SEARCHED.value:
        return f"'{variant.text}' ({row.state}{': ' + row.detail if row.detail else ''})"
    if row.pages_searched + row.pages_not_searchable < pages_total:
        pages = row.pages_searched + row.pages_not_searchable
        return f"'{variant.text}' accounts for {pages} of {pages_total} pages"
    return ""


def variants_reviewed(table: ConceptTable) -> ObligationCheck:
    """No candidate variant waits for the expert."""
    waiting = table.proposed
    if not waiting:
        return ObligationCheck.of(
            Obligation.VARIANTS_REVIEWED,
            True,
            f"all {len(table.variants)} variants have been decided on{_nameless(table)}",
        )
    named = ", ".join(f"'{variant.text}'" for variant in waiting)
    return ObligationCheck.of(
        Obligation.VARIANTS_REVIEWED, False, f"{len(waiting)} proposed: {named}", (), "accept or reject them"
    )


def _nameless(table: ConceptTable) -> str:
    count = sum(not variant.reviewer for variant in table.variants)
    return f" ({count} of them without the name of a reviewer)" if count else ""


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
    if not uncovered:
        return ObligationCheck.of(
            Obligation.QUESTION_COVERED,
            True,
            f"every content word of the question is in a concept{_but(set_aside)}",
        )
    named = ", ".join(f"'{word}'" for word in uncovered)
    remedy = "add them to a concept, or ask without them"
    return ObligationCheck.of(
        Obligation.QUESTION_COVERED, False, f"in no concept of the table: {named}", (), remedy
    )


def _but(set_aside: Sequence[str]) -> str:
    named = ", ".join(f"'{word}'" for word in set_aside)
    return f", but for what a person rejected: {named}" if named else ""


def control_found(controls: Sequence[ControlGroup]) -> ObligationCheck:
    """Words known to be in the document, and phrases planted into a copy of it, are found by the same sweep."""
    canaries = [group for group in controls if group.kind == "canary"]
    unplanted = bool(canaries) and not any(group.tried for group in canaries)
    evidence = "; ".join(filter(None, (_result(controls), *_untried(controls))))
    if not unplanted and not any(group.tried for group in controls):
        return ObligationCheck.not_run(
            Obligation.CONTROL_FOUND, evidence or "the document has no word to take as a control"
        )
    pages = sorted({one.page_num for group in controls for one in group.missed})
    remedies = ["look at these pages, and report this as a bug of docaudit"] if pages else []
    if unplanted:
        remedies.append("audit without --canary, or look at the layouts named")
    return ObligationCheck.of(Obligation.CONTROL_FOUND, not remedies, evidence, pages, "; ".join(remedies))


def _result(controls: Sequence[ControlGroup]) -> str:
    """What was tried and found; empty if nothing was tried."""
    tried, found = sum(group.tried for group in controls), sum(group.found for group in controls)
    what = "; ".join(filter(None, (_of_kind(controls, kind) for kind in ("positive", "canary"))))
    if found == tried:
        return f"{what}: all were found" if tried else ""
    missed = [one for group in controls for one in group.missed]
    named = ", ".join(f"'{one.word}' (page {one.page_num})" for one in missed[:_NAMED])
    more = f" and {len(missed) - _NAMED:,} more" if len(missed) > _NAMED else ""
    return f"{what}: {found:,} of {tried:,} were found ({_share(found, tried)}), not {named}{more}"


def _untried(controls: Sequence[ControlGroup]) -> Iterator[str]:
    """Where nothing could be tried, and why."""
    for group in controls:
        if group.untried and group.kind == "canary":
            yield f"no phrase could be planted in {group.layout}: {group.untried}"
        elif group.untried:
            yield group.untried


def _of_kind(controls: Sequence[ControlGroup], kind: str) -> str:
    groups = [group for group in controls if group.kind == kind and group.tried]
    if not groups:
        return ""
    tried = sum(group.tried for group in groups)
    layouts = ", ".join(dict.fromkeys(group.layout for group in groups))
    if kind == "canary":
        return f"{_count(tried, 'phrase')} planted into a copy ({layouts})"
    witnesses = " or ".join(dict.fromkeys(_WITNESSES[group.witness] for group in groups))
    return f"{_count(tried, 'word')} that {witnesses} saw ({layouts})"


def _count(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"


def _share(found: int, tried: int) -> str:
    """The share found, rounded down: 100 % is only said of all."""
    return f"{int(1000 * found / tried) / 10:.1f} %"


def required_concepts(table: ConceptTable, options: AuditOptions) -> tuple[str, ...]:
    """The concepts that must meet, in the order of the table; raises OptionError or ConceptTableError for none."""
    known = table.active_concepts
    if not known:
        raise ConceptTableError("no variant of the table is accepted", remedy="accept at least one")
    unknown = [name for name in options.required if name not in known]
    if unknown:
        raise OptionError(
            f"required: no concept '{unknown[0]}' in the table", remedy=f"concepts are {', '.join(known)}"
        )
    chosen = options.required or table.required_concepts
    if not chosen:
        raise ConceptTableError(
            "every concept that is searched has the role context, so none could be absent",
            remedy="set the role of one to required, or name it with --required",
        )
    return tuple(name for name in known if name in chosen)


def hits_by_concept(
    hit_df: pd.DataFrame, table: ConceptTable
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Hits and pages of every concept that was searched; a zero for one that was not would be no evidence."""
    names = table.active_concepts
    strange = set(hit_df["concept"]) - set(names)
    if strange:
        raise TableContractError(
            f"hit_df: '{min(strange)}' is no concept of the table", remedy="sweep with the same concept table"
        )
    counted = hit_df[is_counted(hit_df)]
    sizes = counted.groupby("concept").size()
    pages = counted.groupby("concept")["page_num"].unique()
    return (
        {name: int(sizes.get(name, 0)) for name in names},
        {name: tuple(sorted(int(page) for page in pages.get(name, ()))) for name in names},
    )


def are_mentioned(
    required: tuple[str, ...],
    counts: dict[str, int],
    hit_df: pd.DataFrame,
    cooccurrence_df: pd.DataFrame,
    options: AuditOptions,
) -> bool:
    """Whether the required concepts meet; raises OptionError if meetings were looked for in another scope."""
    if len(required) == 1:
        return counts[required[0]] > 0
    other = set(cooccurrence_df["scope"]) - {options.scope}
    if other:
        raise OptionError(
            f"scope is {options.scope}, but the sweep looked for meetings in the same {min(other)}",
            remedy="sweep again with the same scope",
        )
    met = JOINER.join(required) in set(cooccurrence_df["concepts"])
    if not met and _meet_by_hits(required, hit_df, options.scope):
        raise TableContractError(
            f"cooccurrence_df has no meeting of {JOINER.join(required)}, but their hits share a {options.scope}",
            remedy="sweep again with the same scope and the same required concepts",
        )
    return met


def _meet_by_hits(required: tuple[str, ...], hit_df: pd.DataFrame, scope: str) -> bool:
    """Whether hits alone show a meeting, for the scopes in which they can; a table of other options would hide it."""
    if scope not in ("page", "line"):
        return False
    on_pages = (hit_df["page_num"] > 0) & (hit_df["part"] == "")
    counted = hit_df[is_counted(hit_df) & hit_df["concept"].isin(required) & on_pages]
    unit = ["page_num"] if scope == "page" else ["page_num", "line_num"]
    return bool((counted.groupby(unit)["concept"].nunique() == len(required)).any())
