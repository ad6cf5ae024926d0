"""What a page shows against what its text layer says: OCR of pages that have text (`--ocr full`).

For wrong Unicode tables, wrong hidden layers over scans and text that is painted over. OCR itself misreads, so lines
disagree only if OCR is sure of what it reads there, and reads something else altogether.
"""

from __future__ import annotations

from rapidfuzz import fuzz

from docaudit.codes import BlindSpotKind, Direction, TextLikely, Visibility
from docaudit.extract.boxes import centre_in, page_share, union
from docaudit.extract.ocr import RegionReading, lines_of_words
from docaudit.extract.ocr_engines import OcrWord
from docaudit.extract.protocol import Box, LineFact, SpotFact
from docaudit.extract.text_layer import letters_of

_SURE = 80.0
_LETTERS = 4
_LIKE, _WORD_LIKE = 50.0, 60.0
"""Per cent of letters that two readings of the same line, or of a word in it, share by chance or misreading at most.
This and the numbers below are chosen, not measured."""
_LONG_WORD = 5
_CERTAIN, _PLAIN_WORDS = 90.0, 2
"""Where the text layer says what OCR in English cannot read (another script, punctuation, nothing), OCR takes that for
short words or capitals, not for several plain words of which it is this sure."""
_COMPARED = frozenset({Visibility.VISIBLE, Visibility.INVISIBLE})


def compare_with_ocr(
    reading: RegionReading, lines: list[LineFact], ocr_lines: list[LineFact], page_box: Box
) -> tuple[list[LineFact], list[SpotFact]]:
    """Lines that OCR read and the text layer does not say, and a blind spot for each line where the two disagree.

    Args:
        reading: What OCR made of the whole page.
        lines: Lines of the text layer.
        ocr_lines: Lines that OCR has read on this page before.
        page_box: The page as displayed, points.
    """
    if reading.state == "failed":
        return [], [SpotFact(BlindSpotKind.OCR_FAILED, TextLikely.UNKNOWN, reading.detail, page_box, 1.0)]
    sure = [word for word in reading.words if word.confidence >= _SURE and len(letters_of(word.text)) > 1]
    placed = [(line, line.box) for line in lines if line.box]
    spots, new = [], []
    for line, line_box in placed:
        words = _other_words(line, [word for word in sure if centre_in(word.box, line_box)], lines)
        if words:
            box = union([line_box, *(word.box for word in words)])
            seen = " ".join(word.text for word in words)
            detail = f"the text layer says {line.text.strip()!r}, the picture {seen!r}"
            share = page_share(box, page_box)
            spots.append(SpotFact(BlindSpotKind.TEXT_DISAGREES, TextLikely.YES, detail, box, share))
            new += words
    boxes = [box for _, box in placed] + [line.box for line in ocr_lines if line.box]
    new += [word for word in sure if not any(centre_in(word.box, box) for box in boxes)]
    return lines_of_words(list(dict.fromkeys(new))), spots


def _other_words(line: LineFact, words: list[OcrWord], lines: list[LineFact]) -> list[OcrWord]:
    """The words that OCR reads in place of those of a line; none if the two readings may be the same.

    `lines` are those of the whole page: where boxes lie over each other a word may be another line's.
    """
    if line.visibility not in _COMPARED or line.direction != Direction.HORIZONTAL:
        return []
    letters = letters_of(line.text)
    if len(letters) < _LETTERS or sum(map(str.isascii, letters)) < 0.9 * len(letters):
        # Nothing that OCR in English can be expected to read: only several plain words are believed against it.
        plain = []
        for word in words:
            alphabetic = "".join(filter(str.isalpha, word.text))
            small = alphabetic.isascii() and alphabetic[1:].islower()
            certain = word.confidence >= _CERTAIN and len(alphabetic) >= _LETTERS
            if certain and small and not _stands_in(word, lines):
                plain.append(word)
        return plain if len(plain) >= _PLAIN_WORDS else []
    seen = letters_of("".join(word.text for word in sorted(words, key=lambda word: word.box[0])))
    if len(seen) < _LETTERS:
        return []
    if fuzz.ratio(letters, seen) < _LIKE and fuzz.partial_ratio(letters, seen) < _LIKE:
        return words
    return [
        word
        for word in words
        if len(letters_of(word.text)) >= _LONG_WORD
        and fuzz.partial_ratio(letters_of(word.text), letters) < _WORD_LIKE
    ]


def _stands_in(word: OcrWord, lines: list[LineFact]) -> bool:
    """A line says this word, or one much like it, where OCR reads it."""
    text = letters_of("".join(line.text for line in lines if line.box and centre_in(word.box, line.box)))
    seen = letters_of(word.text)
    alike = fuzz.partial_ratio if len(text) >= len(seen) else fuzz.ratio
    return alike(seen, text) >= _WORD_LIKE
