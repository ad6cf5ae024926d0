"""What of one page was not read, as far as text and drawings themselves show it; and the page's one state."""

from __future__ import annotations

import re

from docaudit.extract.claims import is_unknown
from docaudit.extract.facts import Box, LineFact, SpotFact
from docaudit.location import PageState, TextLikely, TextSource, Visibility
from docaudit.reasons import BlindSpotKind

_UNREADABLE = re.compile("\ufffd{2,}|(?<=\\w)\ufffd|\ufffd(?=\\w)")
"""Unknown glyphs in a row, or beside a letter. One alone between spaces is a bullet or a symbol, not a word."""

_SURE = 75.0
_DAMAGE = re.compile(
    r"zlib error|read error|cannot (?:draw|decode|find|load)|syntax error|unexpected|invalid|corrupt|ignoring|"
    r"format error|unknown keyword|premature|truncated|missing|not a ",
    re.IGNORECASE,
)


def has_unknown_glyphs(text: str) -> bool:
    """Whether a line has glyphs, not mere bullets, whose Unicode value is not known."""
    return not (text.isascii() and text.isprintable()) and _UNREADABLE.search(_marked(text)) is not None


def unknown_glyphs(text: str) -> int:
    """How many characters of a text, not mere bullets, have no known Unicode value."""
    return sum(len(part) for part in _UNREADABLE.findall(_marked(text)))


def _marked(text: str) -> str:
    """The text with U+FFFD in place of each unknown character."""
    unknown = {ord(char): "\ufffd" for char in set(text) if is_unknown(char)}
    return text.translate(unknown) if unknown else text


def damage_spot(warnings: str, blank: bool) -> list[SpotFact]:
    """A blind spot for the page if the engine complained of damage, or of anything on a page where it found nothing."""
    complaints = [row for row in warnings.splitlines() if blank or _DAMAGE.search(row)]
    if not complaints:
        return []
    return [
        SpotFact(
            kind=BlindSpotKind.PAGE_DAMAGED.value,
            text_likely=TextLikely.UNKNOWN.value,
            detail="; ".join(dict.fromkeys(complaints)),
        )
    ]


def without_reread(spots: list[SpotFact], ocr_lines: list[LineFact]) -> list[SpotFact]:
    """The spots without those of unknown glyphs that OCR has read with confidence."""
    return [
        spot
        for spot in spots
        if spot.kind != BlindSpotKind.UNKNOWN_GLYPHS.value
        or spot.box is None
        or not any(line.box and _covers(line, spot.box) for line in ocr_lines)
    ]


def _covers(line: LineFact, box: Box) -> bool:
    """An OCR line read with confidence runs through most of the box."""
    assert line.box is not None
    middle = (line.box[1] + line.box[3]) / 2
    shared = min(line.box[2], box[2]) - max(line.box[0], box[0])
    return line.confidence >= _SURE and box[1] <= middle <= box[3] and shared >= 0.8 * (box[2] - box[0])


def page_state(lines: list[LineFact], ink_total: int, spots: list[SpotFact]) -> PageState:
    """The one state of the page.

    text: text, and nothing that may hold more; mixed: text, and regions that OCR read or that remain unread;
    image_only: ink without any visible text layer (also if OCR read it); blank: no ink and no text at all.
    """
    layer = [line for line in lines if line.source == TextSource.TEXT_LAYER.value]
    shown = any(line.visibility != Visibility.INVISIBLE.value for line in layer)
    more = any(line.source == TextSource.OCR.value for line in lines) or any(
        spot.text_likely != TextLikely.NO.value and spot.box is not None for spot in spots
    )
    if shown:
        return PageState.MIXED if more else PageState.TEXT
    if more or (ink_total and not layer):
        return PageState.IMAGE_ONLY
    return PageState.TEXT if layer else PageState.BLANK
