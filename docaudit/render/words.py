"""The words of a report: one title and one sentence for each value of the closed vocabularies."""

from __future__ import annotations

from docaudit.justification import (
    AbsenceReason,
    Finding,
    Obligation,
    ObligationState,
    Strength,
)
from docaudit.location import MatchKind, PageState, TextLikely, TextSource, Visibility
from docaudit.retrieved import ChunkPlace, RetrievalVerdict

FINDING_TITLES = {
    Finding.MENTIONED: "Mentioned",
    Finding.ABSENT: "Absent within the stated coverage",
    Finding.NOT_ESTABLISHED: "Not established",
}

OUTCOMES = {
    "mentioned": "mentioned",
    "absent_within_coverage": "absent",
    "not_established": "not established",
    "error": "error",
    "not_run": "not run",
}
"""What became of one of many documents, in a cell; a legend says what `absent` means."""

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

RETRIEVAL_VERDICTS = {
    RetrievalVerdict.NOTHING_TO_MISS: (
        "No required concept has a hit in what was read, so there was nothing for the retriever to miss "
        "(it gave {chunks})."
    ),
    RetrievalVerdict.ALL_RETRIEVED: "The retriever missed nothing that was found: {hits} in what it gave ({chunks}).",
    RetrievalVerdict.PAGES_RETRIEVED: (
        "Nothing that was found is surely missed: {in_text} of {hits} in what the retriever gave ({chunks}), "
        "the others on its pages."
    ),
    RetrievalVerdict.PARTLY_MISSED: (
        "The retriever missed {n} of {hits} of required concepts: not in what it gave ({chunks})."
    ),
    RetrievalVerdict.MISSED: (
        "The retriever missed all that was found: {hits} of required concepts, none in what it gave ({chunks})."
    ),
}

CHUNK_PLACES = {
    ChunkPlace.WHOLE: "whole",
    ChunkPlace.IN_PARTS: "in parts",
    ChunkPlace.NOT_IN_DOCUMENT: "not in the document as far as it was read",
    ChunkPlace.WITHOUT_TEXT: "without text",
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

TEXT_SOURCES = {
    TextSource.TEXT_LAYER: "text layer",
    TextSource.SECOND_READER: "second reader",
    TextSource.OCR: "OCR",
    TextSource.ANNOTATION: "annotation",
    TextSource.FORM_FIELD: "form field",
    TextSource.XFA: "XFA form",
    TextSource.BOOKMARK: "bookmark",
    TextSource.METADATA: "metadata",
    TextSource.ALT_TEXT: "alternative text",
    TextSource.ACTUAL_TEXT: "replacement text",
    TextSource.LINK: "link",
    TextSource.SIGNATURE: "signature",
    TextSource.ATTACHMENT: "attachment",
    TextSource.EARLIER_REVISION: "earlier revision",
}

MATCH_MODES = {
    "word": "as whole words",
    "prefix": "at the beginning of words",
    "substring": "anywhere in words",
    "regex": "as a regular expression",
}

CASES = {True: "in this case only", False: "in any case"}
"""By Variant.case_sensitive."""

INFLECTIONS = {
    "auto": "also in the plural and possessive, and with or without hyphen or space",
    "off": "in this form only",
}

LIKELY_NAMES = {TextLikely.YES: "likely", TextLikely.UNKNOWN: "unknown", TextLikely.NO: "unlikely"}


def plural(count: int, word: str) -> str:
    """A number with its noun.

    >>> plural(1, "page"), plural(1200, "page")
    ('1 page', '1,200 pages')
    >>> plural(2, "near miss"), plural(2, "entry")
    ('2 near misses', '2 entries')
    """
    if count == 1:
        return f"{count:,} {word}"
    if word.endswith("y"):
        return f"{count:,} {word[:-1]}ies"
    return f"{count:,} {word}{'es' if word.endswith('s') else 's'}"


def percent(share: float) -> str:
    """A share as a percentage that says 100 % only if it is all, and 0 % only if it is nothing.

    >>> percent(1.0), percent(0.99996), percent(0.00001), percent(0.5)
    ('100 %', '99.9 %', '0.1 %', '50.0 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return f"{min(max(share * 100, 0.1), 99.9):.1f} %"
