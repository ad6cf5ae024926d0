"""Which fonts of a page cannot be believed: the glyphs they draw are not the characters that the file says.

A ToUnicode table (or an encoding) may say anything. What a glyph shows is compared with what it claims to be
(docaudit.extract.glyphs): the letters of an honest font resemble what they claim, whatever its style; a font
whose table is wrong shows letters too, but others. Icons resemble no letter, and are no words. Of characters without an
alphabet of their own here (other scripts, symbols, blanks) only one thing is asked: whether they are Latin letters.

What of one page was not read, as far as text and drawings themselves show it; and the page's one state.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from enum import StrEnum

import pymupdf

from docaudit.codes import BlindSpotKind, PageState, TextLikely, TextSource, Visibility
from docaudit.extract.glyphs import (
    Likeness,
    Shape,
    draws_nothing,
    is_unknown,
    likenesses,
    script_group,
    specimens,
)
from docaudit.extract.images import union
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import Box, LineFact, SpotFact
from docaudit.extract.text_layer import Run, TextLayer

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


_LETTER, _OTHER = 0.6, 0.25
"""A glyph shows another letter if it resembles some letter this much, and that one by this much more than its own."""
_BARS = "Il1|!i"
"""Mere strokes: which letter they resemble most says more about serifs than about the letter."""
_CONTRADICTIONS = 3
"""Glyphs of a font that show another letter. Of 1,200 fonts of real documents none that draws letters had more than
two, bars left out; a font with the letters of one sentence shifted has fifteen."""
_PERHAPS, _CLEARLY = 0.5, 0.7
"""A glyph that claims to be of another script, a symbol or a blank shows a Latin letter if it resembles it this much:
the letters of a sans serif face do by 0.71 (l, t) to 0.98. By the first on a quick look it is looked at closely."""
_CLOSE, _APART = 0.1, 0.2
"""Mean distance between claim and best resemblance: below the first a quick look is enough; honest fonts stay below
0.1 also on a closer look, and icons or a script that the claimed letters do not belong to above the second."""
_DISTINCT, _RUNNING_TEXT = 10, 40
"""A font whose glyphs resemble no letter is doubted only where it sets running text: so many different glyphs, and so
many letters in words on the page. Icons are not read as words."""
_PAIR = re.compile(r"\S{2,}")
_WORD = re.compile(r"[^\W_]{3,}")


class Doubt(StrEnum):
    """Why a font is not believed; the value is the sentence."""

    OTHER_LETTERS = "its glyphs show other letters than the file says"
    NO_LETTERS = "its glyphs do not look like the letters that the file says"
    BLANKS = "it draws a letter where the file says that there is a blank"


class FontCheck:
    """Judges each font of a document once."""

    def __init__(self, doc: pymupdf.Document) -> None:
        self._doc = doc
        self._doubts: dict[int, Doubt | None] = {}

    def doubted(self, page: pymupdf.Page) -> dict[str, Doubt]:
        """Fonts of the page that are not to be believed, by the name that the engine gives them in spans."""
        found = {}
        for number, extension, kind, name, *_ in self._doc.get_page_fonts(page.number, full=True):
            type3 = kind == "Type3"
            if not number or (extension == "n/a" and not type3):
                continue  # not embedded: a viewer draws letters of its own, by what the codes say
            if number not in self._doubts:
                self._doubts[number] = _doubt(self._doc, number, simple=kind != "Type0")
            doubt = self._doubts[number]
            if doubt is not None:
                found[f"Type3 ({number} 0 R)" if type3 else name] = doubt
        return found


def _doubt(doc: pymupdf.Document, number: int, simple: bool) -> Doubt | None:
    try:
        drawn = list(specimens(doc, number, simple))
    except ENGINE_ERRORS:
        return None  # it cannot be drawn alone; where a page draws it, its ink is accounted for there
    groups: dict[str, list[tuple[str, Shape]]] = defaultdict(list)
    for specimen in drawn:
        groups[script_group(specimen.claim) or ""].append((specimen.claim, specimen.shape))
    others = {"": groups.pop("", [])}
    if _latin(_likenesses(others, thorough=False), _PERHAPS):
        doubt = _other_script(_likenesses(others, thorough=True))
        if doubt is not None:
            return doubt
    quick = _likenesses(groups, thorough=False)
    if not _contradictions(quick) and _distance(quick) <= _CLOSE:
        return None
    found = _likenesses(groups, thorough=True)
    if _contradictions(found) >= _CONTRADICTIONS:
        return Doubt.OTHER_LETTERS
    if len(found) >= _DISTINCT and _distance(found) >= _APART:
        return Doubt.NO_LETTERS
    return None


def _other_script(found: list[Likeness]) -> Doubt | None:
    """Whether glyphs that claim to be no letters of an alphabet known here are Latin letters.

    One letter in place of a blank is enough. Other scripts have a few letters that look like Latin ones: so they must
    be several, and as many as all others.
    """
    latin = _latin(found, _CLEARLY)
    if any(all(map(draws_nothing, one.claim)) for one in latin):
        return Doubt.BLANKS
    different = len({one.letter.lower() for one in latin})
    others = len(
        [one for one in found if not one.claim.isascii() or one in latin]
    )  # without plain signs and blanks
    return Doubt.OTHER_LETTERS if different >= _CONTRADICTIONS and 2 * len(latin) >= others else None


def _latin(found: list[Likeness], least: float) -> list[Likeness]:
    return [
        one
        for one in found
        if one.best >= least and one.best - one.claimed >= _OTHER and one.letter not in _BARS
    ]


def _likenesses(groups: dict[str, list[tuple[str, Shape]]], thorough: bool) -> list[Likeness]:
    return [
        one
        for group, glyphs in groups.items()
        if glyphs
        for one in likenesses(glyphs, group, thorough=thorough)
    ]


def _contradictions(found: list[Likeness]) -> int:
    return sum(
        one.best >= _LETTER and one.best - one.claimed >= _OTHER and one.claim not in _BARS for one in found
    )


def _distance(found: list[Likeness]) -> float:
    return sum(one.best - one.claimed for one in found) / max(len(found), 1)


def font_spots(text: TextLayer, doubted: dict[str, Doubt], page_rect: pymupdf.Rect) -> list[SpotFact]:
    """A blind spot for each visible line with glyphs that are unknown or not to be believed.

    The boxes of runs that are not to be believed are taken out of the text layer's: they explain no ink, so that OCR
    may read it.
    """
    area = max(page_rect.width * page_rect.height, 1.0)
    doubted = _running(text, doubted)
    spots = []
    for line, boxes, runs in zip(text.lines, text.spans, text.runs, strict=True):
        if has_unknown_glyphs(line.text):
            spots.append(_spot(_unknown(line, runs), line.box, area))
        if not doubted or line.visibility != Visibility.VISIBLE.value:
            continue
        false = [at for at, run in enumerate(runs) if _false(run, doubted)]
        if false:
            named = {run.font: doubted[run.font] for run in (runs[at] for at in false)}
            detail = "; ".join(f"font {font}: {doubt.value}" for font, doubt in named.items())
            spots.append(_spot(detail, union([boxes[at] for at in false]), area))
            boxes[:] = [box for at, box in enumerate(boxes) if at not in false]
    return spots


def _false(run: Run, doubted: dict[str, Doubt]) -> bool:
    """A piece of text that may say something else: more than a bullet, or a letter that is said to be a blank."""
    doubt = doubted.get(run.font)
    if doubt is Doubt.BLANKS:
        return any(map(draws_nothing, run.text))
    return doubt is not None and _PAIR.search(run.text) is not None


def _running(text: TextLayer, doubted: dict[str, Doubt]) -> dict[str, Doubt]:
    """Without the fonts that resemble no letters and set no running text on this page."""
    words: Counter[str] = Counter()
    for run in (run for runs in text.runs for run in runs if run.font in doubted):
        words[run.font] += sum(map(len, _WORD.findall(run.text)))
    return {
        font: doubt
        for font, doubt in doubted.items()
        if doubt is not Doubt.NO_LETTERS or words[font] >= _RUNNING_TEXT
    }


def _unknown(line: LineFact, runs: list[Run]) -> str:
    fonts = dict.fromkeys(run.font for run in runs if unknown_glyphs(run.text))
    named = f" in font {', '.join(fonts)}" if fonts else ""
    return f"{unknown_glyphs(line.text)} of {len(line.text)} characters of a line have no known Unicode value{named}"


def _spot(detail: str, box: Box | None, area: float) -> SpotFact:
    share = None if box is None else max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1]) / area
    return SpotFact(BlindSpotKind.UNKNOWN_GLYPHS.value, TextLikely.YES.value, detail, box, share)
