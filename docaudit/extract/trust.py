"""What the parent makes sure of before it believes a child: the child has read untrusted bytes and may be out of hand.

Types are checked when a message is decoded; here it is whether the values can be true.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from docaudit.extract.facts import Box, DocumentFact, LineFact, PageFact, SpotFact
from docaudit.location import Direction, PageState, TextLikely, TextSource, Visibility
from docaudit.reasons import BlindSpotKind

MOST_PAGES = 200_000
"""Pages of a document that are read at most."""
MOST_MISSING = 100
"""Pages that a tree claims and does not lead to get a row each, up to this many: a count may be a lie."""

_LARGEST = 1 << 40
_STATES = frozenset(PageState)
_SOURCES = frozenset(TextSource)
_VISIBILITIES = frozenset(Visibility)
_DIRECTIONS = frozenset(Direction)
_KINDS = frozenset(BlindSpotKind)
_LIKELY = frozenset(TextLikely)
_OCR_STATES = frozenset({"read", "no_text", "uncertain", "failed", "not_run"})


def document_problem(document: DocumentFact) -> str:
    """Why what a child says of the document cannot be true; empty if it can."""
    total = document.pages_total
    if not 1 <= total <= MOST_PAGES + MOST_MISSING:
        return f"a document of {total} pages"
    numbers = [num for num, _ in document.lines] + [num for num, _ in document.spots]
    numbers += [entry.page_num for entry in document.outline]
    numbers += [attachment.page_num for attachment in document.attachments]
    if any(not 0 <= num <= total for num in numbers):
        return f"a part of it on a page that is none of 1 to {total}"
    if any(not 0 <= entry.level < _LARGEST for entry in document.outline):
        return "a bookmark on no level"
    return _lines(line for _, line in document.lines) or _spots(spot for _, spot in document.spots)


def page_problem(page: PageFact, page_num: int) -> str:
    """Why what a child says of this page cannot be true; empty if it can."""
    if page.page_num != page_num:
        return f"asked for page {page_num}, got page {page.page_num}"
    if page.state not in _STATES:
        return f"no state of a page: {page.state[:40]!r}"
    if not _finite((page.width, page.height)) or not -360 <= page.rotation <= 360:
        return "a page without a size"
    counts = (page.ink_total, page.ink_read, page.ink_unread, page.words_first_only, page.words_second_only)
    if any(value is not None and not 0 <= value < _LARGEST for value in counts):
        return "an amount of ink or words that cannot be"
    for image in page.images:
        sizes = (image.area_share, image.width_px, image.height_px, image.ocr_confidence or 0.0)
        in_pixels = max(image.width_px, image.height_px) < _LARGEST
        if not in_pixels or image.ocr_state not in _OCR_STATES or not _finite((*image.box, *sizes)):
            return "an image that cannot be"
    if not all(_placed(witness.box) for witness in page.witnesses):
        return "a word at a place that cannot be"
    return _lines(page.lines) or _spots(page.spots)


def _lines(lines: Iterable[LineFact]) -> str:
    for line in lines:
        if (
            line.source not in _SOURCES
            or line.visibility not in _VISIBILITIES
            or line.direction not in _DIRECTIONS
        ):
            return f"a line from nowhere: {line.source[:40]!r}, {line.visibility[:40]!r}"
        if not (_placed(line.box) and 0 <= line.block < _LARGEST and _finite((line.size, line.confidence))):
            return "a line at a place that cannot be"
    return ""


def _spots(spots: Iterable[SpotFact]) -> str:
    for spot in spots:
        if spot.kind not in _KINDS or spot.text_likely not in _LIKELY:
            return f"no kind of blind spot: {spot.kind[:40]!r}"
        if not _placed(spot.box) or not _finite((spot.area_share or 0.0,)):
            return "a blind spot at a place that cannot be"
    return ""


def _placed(box: Box | None) -> bool:
    return box is None or _finite(box)


def _finite(values: Iterable[float]) -> bool:
    return math.isfinite(sum(values))
