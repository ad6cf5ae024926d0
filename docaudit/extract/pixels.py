"""What a page shows against what its text layer says: OCR of pages that have text.

For wrong Unicode tables, wrong hidden layers over scans and text that is painted over. OCR itself misreads, so lines
disagree only if OCR is sure of what it reads there, and reads something else altogether.
"""

from __future__ import annotations

from dataclasses import dataclass

import pymupdf
from rapidfuzz import fuzz

from docaudit.extract.boxes import centre_in, union
from docaudit.extract.facts import Box, LineFact, SpotFact
from docaudit.extract.letters import letters_of
from docaudit.extract.ocr import RegionReading
from docaudit.extract.ocr_engines import OcrWord
from docaudit.extract.ocr_words import lines_of
from docaudit.location import Direction, TextLikely, Visibility
from docaudit.reasons import BlindSpotKind

_SURE = 80.0
_LETTERS = 4
_LIKE, _WORD_LIKE = 50.0, 60.0
"""Per cent of letters that two readings of the same line, or of a word in it, share by chance or misreading at most."""
_LONG_WORD = 5
_CERTAIN, _PLAIN_WORDS = 90.0, 2
"""Where the text layer says what OCR in English cannot read (another script, signs, nothing), OCR takes that for short
words or capitals, not for several plain words of which it is this sure."""
_COMPARED = frozenset({Visibility.VISIBLE.value, Visibility.INVISIBLE.value})


@dataclass(frozen=True)
class PixelReading:
    """Lines that OCR read and the text layer does not say, and regions where the two disagree."""

    lines: list[LineFact]
    spots: list[SpotFact]


def compare_pixels(
    whole: RegionReading, lines: list[LineFact], known: list[LineFact], rect: pymupdf.Rect
) -> PixelReading:
    """Compare a reading of the whole page by OCR with its text.

    Args:
        whole: The reading.
        lines: Lines of the text layer.
        known: Lines that OCR has read on this page before.
        rect: The page as displayed, points.
    """
    area = max(rect.width * rect.height, 1.0)
    if whole.state == "failed":
        edges: Box = (rect.x0, rect.y0, rect.x1, rect.y1)
        failed = SpotFact(BlindSpotKind.OCR_FAILED.value, TextLikely.UNKNOWN.value, whole.detail, edges, 1.0)
        return PixelReading([], [failed])
    sure = [word for word in whole.words if word.confidence >= _SURE and len(letters_of(word.text)) > 1]
    placed = [line for line in lines if line.box]
    under = {
        id(line): [word for word in sure if centre_in(word.box, line.box)] for line in placed if line.box
    }
    spots, new = [], []
    for line in placed:
        other = _other_words(line, under[id(line)], placed)
        if other:
            spots.append(_spot(line, other, area))
            new += other
    boxes = [line.box for line in (*placed, *known) if line.box]
    new += [word for word in sure if not any(centre_in(word.box, box) for box in boxes)]
    return PixelReading(lines_of(list(dict.fromkeys(new))), spots)


def _other_words(line: LineFact, words: list[OcrWord], lines: list[LineFact]) -> list[OcrWord]:
    """The words that OCR reads in place of those of a line; none if the two readings may be the same.

    `lines` are those of the whole page: where boxes lie over each other a word may be another line's.
    """
    if line.visibility not in _COMPARED or line.direction != Direction.HORIZONTAL.value:
        return []
    said = letters_of(line.text)
    if not _readable(said):
        return _plain_words(words, lines)
    seen = letters_of("".join(word.text for word in sorted(words, key=lambda word: word.box[0])))
    if len(seen) < _LETTERS:
        return []
    if fuzz.ratio(said, seen) < _LIKE and fuzz.partial_ratio(said, seen) < _LIKE:
        return words
    return [
        word
        for word in words
        if len(letters_of(word.text)) >= _LONG_WORD
        and fuzz.partial_ratio(letters_of(word.text), said) < _WORD_LIKE
    ]


def _plain_words(words: list[OcrWord], lines: list[LineFact]) -> list[OcrWord]:
    """Words in small Latin letters that no line says where they stand; none if they are too few to be believed."""
    plain = [
        word
        for word in words
        if word.confidence >= _CERTAIN and _is_plain(word.text) and not _said(word, lines)
    ]
    return plain if len(plain) >= _PLAIN_WORDS else []


def _is_plain(text: str) -> bool:
    letters = "".join(filter(str.isalpha, text))
    return len(letters) >= _LETTERS and letters.isascii() and letters[1:].islower()


def _said(word: OcrWord, lines: list[LineFact]) -> bool:
    here = letters_of("".join(line.text for line in lines if line.box and centre_in(word.box, line.box)))
    seen = letters_of(word.text)
    alike = fuzz.partial_ratio if len(here) >= len(seen) else fuzz.ratio
    return alike(seen, here) >= _WORD_LIKE


def _readable(letters: str) -> bool:
    """Letters that OCR in English can be expected to read."""
    return len(letters) >= _LETTERS and sum(map(str.isascii, letters)) >= 0.9 * len(letters)


def _spot(line: LineFact, words: list[OcrWord], area: float) -> SpotFact:
    assert line.box is not None
    box = union([line.box, *(word.box for word in words)])
    seen = " ".join(word.text for word in words)
    return SpotFact(
        kind=BlindSpotKind.TEXT_DISAGREES.value,
        text_likely=TextLikely.YES.value,
        detail=f"the text layer says {line.text.strip()!r}, the picture {seen!r}",
        box=box,
        area_share=min(1.0, (box[2] - box[0]) * (box[3] - box[1]) / area),
    )
