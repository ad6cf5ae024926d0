"""Which fonts of a page cannot be believed: the glyphs they draw are not the characters that the file says.

A ToUnicode table (or an encoding) may say anything. What a glyph shows is compared with what it claims to be
(glyphs.py): the letters of an honest font resemble what they claim, whatever its style; a font whose table is wrong
shows letters too, but others. Icons resemble no letter, and are no words. Of characters without an alphabet of their
own here (other scripts, symbols, spaces) only one thing is asked: whether they are Latin letters.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum

import pymupdf

from docaudit.codes import BlindSpotKind, TextLikely, Visibility
from docaudit.extract.boxes import page_share, union
from docaudit.extract.glyphs import Likeness, Specimen, likenesses, script_group, specimens
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import Box, LineFact, SpotFact
from docaudit.extract.text_layer import TextLine, TextSpan
from docaudit.extract.unicode_claims import draws_nothing, unknown_glyphs

_LETTER, _OTHER = 0.6, 0.25
"""A glyph shows another letter if it resembles some letter this much, and that one by this much more than its own."""
_BARS = "Il1|!i"
"""Mere strokes: which letter they resemble most says more about serifs than about the letter."""
_CONTRADICTIONS = 3
"""Glyphs of a font that show another letter. Of 1,200 fonts of real documents none that draws letters had more than
two, bars left out; a font with the letters of one sentence shifted has fifteen."""
_PERHAPS, _CLEARLY = 0.5, 0.7
"""A glyph that claims to be of another script, a symbol or a space shows a Latin letter if it resembles it this much:
the letters of a sans serif face do by 0.71 (l, t) to 0.98. By the first on a quick look it is looked at closely."""
_CLOSE, _APART = 0.1, 0.2
"""Mean distance between claim and best resemblance: below the first a quick look is enough; honest fonts stay below
0.1 also on a closer look, and icons or a script that the claimed letters do not belong to above the second."""
_DISTINCT, _RUNNING_TEXT = 10, 40
"""A font whose glyphs resemble no letter is doubted only where it sets running text: so many different glyphs, and so
many letters in words on the page. Icons are not read as words. Chosen, not measured."""
_PAIR = re.compile(r"\S{2,}")
_WORD = re.compile(r"[^\W_]{3,}")
_REREAD = 75.0
"""Confidence from which an OCR line stands for the unknown glyphs under it; chosen, not measured."""


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
        doubts = {}
        for number, extension, kind, name, *_ in self._doc.get_page_fonts(page.number, full=True):
            type3 = kind == "Type3"
            if not number or (extension == "n/a" and not type3):
                continue  # not embedded: a viewer draws letters of its own, by what the codes say
            if number not in self._doubts:
                self._doubts[number] = self._judge(number, simple=kind != "Type0")
            doubt = self._doubts[number]
            if doubt is not None:
                doubts[f"Type3 ({number} 0 R)" if type3 else name] = doubt
        return doubts

    def _judge(self, number: int, *, simple: bool) -> Doubt | None:
        try:
            glyphs = specimens(self._doc, number, simple)
        except ENGINE_ERRORS:
            return None  # it cannot be drawn alone; where a page draws it, its ink is accounted for there
        groups: dict[str, list[Specimen]] = defaultdict(list)
        for glyph in glyphs:
            groups[script_group(glyph.claim)].append(glyph)
        others = {"": groups.pop("", [])}
        if any(_shows_latin(glyph, _PERHAPS) for glyph in _likenesses(others, thorough=False)):
            doubt = _other_script(list(_likenesses(others, thorough=True)))
            if doubt is not None:
                return doubt
        quick = list(_likenesses(groups, thorough=False))
        if not _contradictions(quick) and _mean_distance(quick) <= _CLOSE:
            return None
        close = list(_likenesses(groups, thorough=True))
        if _contradictions(close) >= _CONTRADICTIONS:
            return Doubt.OTHER_LETTERS
        if len(close) >= _DISTINCT and _mean_distance(close) >= _APART:
            return Doubt.NO_LETTERS
        return None


def _likenesses(groups: Mapping[str, list[Specimen]], *, thorough: bool) -> Iterator[Likeness]:
    for group, glyphs in groups.items():
        if glyphs:
            yield from likenesses(glyphs, group, thorough=thorough)


def _shows_latin(glyph: Likeness, least: float) -> bool:
    return glyph.best >= least and glyph.distance >= _OTHER and glyph.letter not in _BARS


def _contradictions(glyphs: list[Likeness]) -> int:
    return sum(
        glyph.best >= _LETTER and glyph.distance >= _OTHER and glyph.claim not in _BARS for glyph in glyphs
    )


def _mean_distance(glyphs: list[Likeness]) -> float:
    return sum(glyph.distance for glyph in glyphs) / max(len(glyphs), 1)


def _other_script(glyphs: list[Likeness]) -> Doubt | None:
    """Whether glyphs that claim to be no letters of an alphabet known here are Latin letters.

    One letter in place of a space is enough. Other scripts have a few letters that look like Latin ones: so they must
    be several, and as many as all others, plain punctuation and spaces left out.
    """
    latin = [glyph for glyph in glyphs if _shows_latin(glyph, _CLEARLY)]
    if any(all(map(draws_nothing, glyph.claim)) for glyph in latin):
        return Doubt.BLANKS
    different = len({glyph.letter.lower() for glyph in latin})
    others = len([glyph for glyph in glyphs if not glyph.claim.isascii() or glyph in latin])
    return Doubt.OTHER_LETTERS if different >= _CONTRADICTIONS and 2 * len(latin) >= others else None


def font_spots(lines: list[TextLine], doubted: Mapping[str, Doubt], page_box: Box) -> list[SpotFact]:
    """A blind spot for each visible line with glyphs that are unknown or not to be believed.

    The spans that are not to be believed are taken out of the lines: they explain no ink, so that OCR may read it.
    """
    doubted = _of_running_text(lines, doubted)
    spots = []
    for line in lines:
        fact = line.fact
        unknown = unknown_glyphs(fact.text)
        if unknown:
            fonts = dict.fromkeys(span.font for span in line.spans if unknown_glyphs(span.text))
            named = f" in font {', '.join(fonts)}" if fonts else ""
            length = len(fact.text)
            detail = f"{unknown} of {length} characters of a line have no known Unicode value{named}"
            spots.append(_unknown_glyphs(detail, fact.box, page_box))
        if not doubted or fact.visibility != Visibility.VISIBLE:
            continue
        false = [span for span in line.spans if _is_false(span, doubted)]
        if false:
            reasons = {span.font: doubted[span.font] for span in false}
            detail = "; ".join(f"font {font}: {doubt}" for font, doubt in reasons.items())
            spots.append(_unknown_glyphs(detail, union([span.box for span in false]), page_box))
            line.spans = [span for span in line.spans if not _is_false(span, doubted)]
    return spots


def _unknown_glyphs(detail: str, box: Box | None, page_box: Box) -> SpotFact:
    share = None if box is None else page_share(box, page_box)
    return SpotFact(BlindSpotKind.UNKNOWN_GLYPHS, TextLikely.YES, detail, box, share)


def _is_false(span: TextSpan, doubted: Mapping[str, Doubt]) -> bool:
    """A piece of text that may say something else: more than a bullet, or a letter that is said to be a space."""
    doubt = doubted.get(span.font)
    if doubt is Doubt.BLANKS:
        return any(map(draws_nothing, span.text))
    return doubt is not None and _PAIR.search(span.text) is not None


def _of_running_text(lines: list[TextLine], doubted: Mapping[str, Doubt]) -> dict[str, Doubt]:
    """Without the fonts that resemble no letters and set no running text on this page."""
    letters: Counter[str] = Counter()
    for span in (span for line in lines for span in line.spans if span.font in doubted):
        letters[span.font] += sum(map(len, _WORD.findall(span.text)))
    return {
        font: doubt
        for font, doubt in doubted.items()
        if doubt is not Doubt.NO_LETTERS or letters[font] >= _RUNNING_TEXT
    }


def without_reread(spots: list[SpotFact], ocr_lines: list[LineFact]) -> list[SpotFact]:
    """The blind spots without those of unknown glyphs that OCR has read with confidence."""

    def is_read(box: Box) -> bool:
        """An OCR line that was read with confidence runs through most of the box."""
        for line in ocr_lines:
            if line.box and line.confidence >= _REREAD:
                middle = (line.box[1] + line.box[3]) / 2
                shared = min(line.box[2], box[2]) - max(line.box[0], box[0])
                if box[1] <= middle <= box[3] and shared >= 0.8 * (box[2] - box[0]):
                    return True
        return False

    return [
        spot
        for spot in spots
        if spot.kind != BlindSpotKind.UNKNOWN_GLYPHS or spot.box is None or not is_read(spot.box)
    ]
