"""The words of a report: one title and one sentence for each value of the closed vocabularies."""

from __future__ import annotations

from docaudit.justification import (
    AbsenceJustification,
    AbsenceReason,
    Finding,
    Obligation,
    ObligationState,
    Strength,
)
from docaudit.location import MatchKind, PageState, Visibility

FINDING_TITLES = {
    Finding.MENTIONED: "Mentioned",
    Finding.ABSENT: "Absent within the stated coverage",
    Finding.NOT_ESTABLISHED: "Not established",
}

REASONS = {
    AbsenceReason.CONCEPT_NOT_FOUND: "a required concept has no hit",
    AbsenceReason.OFF_TOPIC: "every required concept has hits, but they never meet",
    AbsenceReason.AMBIGUOUS_QUESTION: "words of the question are in no concept of the table",
}

STRENGTHS = {
    Strength.STRONG: "no hit of a required concept",
    Strength.MODERATE: "there are hits, but they never meet",
    Strength.WEAK: "the concepts meet: someone must read the passages",
}

OBLIGATIONS = {
    Obligation.PAGES_READABLE: "Every page could be read",
    Obligation.INK_READ: "No unread ink that may be text",
    Obligation.PARTS_OPENED: "No attachment, layer, form or revision left unopened",
    Obligation.REFERENCES_RESOLVED: "Cross-references resolve, page labels have no gap",
    Obligation.VARIANTS_SEARCHED: "Every variant was searched on every page",
    Obligation.VARIANTS_REVIEWED: "No proposed variant is left unreviewed",
    Obligation.QUESTION_COVERED: "Every content word of the question is in a concept",
    Obligation.CONTROL_FOUND: "What is known to be there was found",
    Obligation.READERS_AGREE: "Independent readers agree",
}

OBLIGATION_MARKS = {
    ObligationState.MET: "✓",
    ObligationState.UNMET: "✗",
    ObligationState.WAIVED: "~",
    ObligationState.NOT_RUN: "–",
}

OBLIGATION_STATES = {
    ObligationState.MET: "met",
    ObligationState.UNMET: "unmet",
    ObligationState.WAIVED: "waived",
    ObligationState.NOT_RUN: "not run",
}

PAGE_STATES = {
    PageState.TEXT: "text",
    PageState.MIXED: "text and images",
    PageState.IMAGE_ONLY: "image only",
    PageState.BLANK: "blank",
    PageState.FAILED: "failed",
    PageState.NOT_RENDERED: "not rendered",
}

MATCH_KINDS = {
    MatchKind.EXACT: "exact",
    MatchKind.FOLDED: "other case, width or form",
    MatchKind.ACROSS_SIGNS: "with quotes, brackets or marks between",
    MatchKind.ACROSS_LINES: "across lines",
    MatchKind.DEHYPHENATED: "across a hyphen",
    MatchKind.ACROSS_CELLS: "across cells",
    MatchKind.ACROSS_PAGES: "across pages",
    MatchKind.SQUEEZED: "without its spaces",
    MatchKind.LETTER_SPACED: "letter-spaced",
    MatchKind.ACCENTS_DIFFER: "other accents, not counted",
    MatchKind.OCR_FUZZY: "possible misreading by OCR, not counted",
}

VISIBILITIES = {
    Visibility.VISIBLE: "visible",
    Visibility.INVISIBLE: "invisible text",
    Visibility.SAME_COLOUR: "in the colour of its background",
    Visibility.COVERED: "covered",
    Visibility.CROPPED: "outside the visible page",
    Visibility.LAYER_OFF: "on a layer that is off",
    Visibility.REPLACED: "replaced since, in an earlier revision of the file",
    Visibility.UNKNOWN: "visibility unknown",
}


def headline(justification: AbsenceJustification) -> str:
    """The finding as a title; waived obligations are part of it, never a footnote."""
    title = FINDING_TITLES[justification.finding]
    waived = [
        check.obligation.value for check in justification.obligations if check.state is ObligationState.WAIVED
    ]
    if waived and justification.finding is Finding.ABSENT:
        return f"{title}, with waived {', '.join(waived)}"
    return title


def verdict(justification: AbsenceJustification) -> str:
    """What the finding means for the reader, in one sentence."""
    if justification.finding is Finding.MENTIONED:
        return "The document mentions this: absence cannot be claimed. Read the passages below."
    if justification.finding is Finding.NOT_ESTABLISHED:
        count = len(justification.unmet)
        unmet = "an obligation is" if count == 1 else f"{count} obligations are"
        return f"Not found in what could be read, but {unmet} unmet: this does not show that it is absent."
    return f"Not found, and {_obligations_behind(justification)}."


def _obligations_behind(justification: AbsenceJustification) -> str:
    states = [check.state for check in justification.obligations]
    kept = states.count(ObligationState.MET)
    if kept == len(states):
        return f"all {kept} obligations are met"
    others = [
        f"{states.count(state)} {OBLIGATION_STATES[state]}"
        for state in (ObligationState.WAIVED, ObligationState.NOT_RUN)
        if state in states
    ]
    return f"no obligation is unmet ({kept} met, {', '.join(others)})"


def strength(justification: AbsenceJustification) -> str:
    """Why the strength is what it is; unmet obligations can hold it below what the hits alone would give."""
    required = justification.required or tuple(justification.concept_hits)
    none_found = any(not justification.concept_hits.get(concept) for concept in required)
    capped = (none_found and justification.strength is not Strength.STRONG) or (
        justification.strength is Strength.WEAK and justification.finding is not Finding.MENTIONED
    )
    if not capped:
        return STRENGTHS[justification.strength]
    return f"{STRENGTHS[Strength.STRONG] if none_found else STRENGTHS[Strength.MODERATE]}, but obligations are unmet"


def plural(count: int, word: str) -> str:
    """A number with its noun.

    >>> plural(1, "page"), plural(1200, "page")
    ('1 page', '1,200 pages')
    """
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def entries(count: int) -> str:
    """A number of entries.

    >>> entries(1), entries(2)
    ('1 entry', '2 entries')
    """
    return f"{count:,} entry" if count == 1 else f"{count:,} entries"


def percent(share: float) -> str:
    """A share as a percentage that says 100 % only if it is all, and 0 % only if it is nothing.

    >>> percent(1.0), percent(0.99996), percent(0.00001), percent(0.5)
    ('100 %', '99.9 %', '0.1 %', '50.0 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return f"{min(max(share * 100, 0.1), 99.9):.1f} %"
