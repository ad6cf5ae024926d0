"""PageLines in, alternative readings of its lines out: what a person reads where the text layer holds something else.

Letter-spaced words, lines without blanks, doubled glyphs, numbers of notes, text stored in visual order, accents that
stand as characters of their own, kana (ruby) between ideographs. A reading never replaces the line: it is one more
thing that may be true of the page, and a match that needs it says so by its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import regex

from docaudit.codes import MatchKind
from docaudit.search.lines import MAYBE, SPACE, CharClass, PageLines, classes_of, codes_of, searchable_map


class Reading(NamedTuple):
    """An alternative reading of a line.

    Attributes:
        text: Its searchable text.
        source: For each character the index of the one in the line from which it comes.
        kind: The plainest kind of match that is possible on it.
    """

    text: str
    source: tuple[int, ...]
    kind: MatchKind


LONG_RUN, LETTERS_PER_BLANK, LONG_LINE = 8, 15, 25
"""A line has lost its blanks if it has a run of more than LONG_RUN letters, at least LONG_LINE characters,
and hardly any blanks or hyphens: one in LETTERS_PER_BLANK characters or fewer. Words of English lines have 5, of
German lines 6 letters."""

_SPACED = regex.compile(r"(?<![\p{L}\p{N}])\p{L}\p{M}*(?: {1,2}\p{L}\p{M}*){2,}(?![\p{L}\p{N}\p{M}])")
_ADDRESS = regex.compile(r"://|www\.|@|[/\\]\w+[/\\]")
_NOTE = regex.compile(
    r"(?<=\p{L}{3}|[\p{L}\d][.,;:)])(?:\d{1,2}(?:,\d{1,2})*|[*\u2020\u2021\u00a7]{1,3}|\[\d{1,3}\])"
    r"(?=$|[ .,;:)])"
)
_NOTE_INSIDE = regex.compile(r"(?<=\p{L}{2})(?:\d{1,3}(?:,\d{1,3})*|[*\u2020\u2021]{1,3})(?=\p{L}{3})")
"""A mark that is glued to the words on both sides: a blank stands in its place."""
_NOTE_LETTER = regex.compile(r"^\s*[a-df-hj-z](?=\p{Lu}\p{Ll})")
_SUPERSCRIPT = regex.compile(r"[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+")
_RTL = regex.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]")
_LTR_RUN = regex.compile(r"[A-Za-z0-9][A-Za-z0-9.,:/%\-]*")
_ACCENTS = {
    "\u00a8": "\u0308", "\u00b4": "\u0301", "\u0060": "\u0300", "\u02c6": "\u0302", "\u02dc": "\u0303",
    "\u02c7": "\u030c", "\u02da": "\u030a", "\u02d9": "\u0307", "\u02dd": "\u030b", "\u00b8": "\u0327",
}  # fmt: skip
_ACCENT = regex.compile(r"[\u00a8\u00b4\u02c6\u02dc\u02c7\u02da\u02d9\u02dd\u00b8]")
_RUBY = regex.compile(r"(?<=\p{Han})\p{Hiragana}{1,4}(?=\p{Han}|$)")
_RUBIED = regex.compile(r"(?:\p{Han}\p{Hiragana}{1,4}){2,}")


def readings_of(lines: PageLines, rows: list[int]) -> Iterator[dict[int, Reading]]:
    """Readings by row, one table for each way of reading; only tables that are not empty."""
    suspects = _suspects([lines.search[row] for row in rows])
    wide = [rows[index] for index, row in enumerate(rows) if not lines.text[row].isascii()]
    lettered = {row for row in rows if lines.text[row][1:2].isupper() and lines.text[row][:1].islower()}
    ways: tuple[tuple[Iterable[int], Callable[[PageLines, int], Reading | None]], ...] = (
        ((rows[index] for index in suspects["spaced"]), without_letter_spacing),
        ((rows[index] for index in suspects["long"]), with_seams),
        ((rows[index] for index in suspects["doubled"]), undoubled),
        (sorted({rows[index] for index in suspects["noted"]} | lettered | set(wide)), without_notes),
        (wide, mirrored),
        (wide, partial(with_accents, step=1)),  # f\u00a8ur: the accent belongs to the letter after it
        (wide, partial(with_accents, step=-1)),  # fu\u00a8r: to the letter before it
        (wide, without_ruby),
    )
    for chosen, alter in ways:
        table = {row: made for row in chosen if (made := alter(lines, row)) is not None}
        if table:
            yield table


def _suspects(texts: list[str]) -> dict[str, list[int]]:
    """Which texts may need a reading, found by whole-array tests: a document is long, such lines are few."""
    joined = codes_of("\n\n".join(texts) + "\n\n\n\n\n\n")
    classes = classes_of(joined)
    letter = classes == CharClass.LETTER
    starts = np.cumsum([0, *(len(text) + 2 for text in texts)])[:-1]
    alone = letter.copy()
    alone[1:] &= ~letter[:-1]
    alone[:-1] &= ~letter[1:]
    same = letter[:-1] & (joined[1:] == joined[:-1])
    begins = np.flatnonzero(letter[1:] & ~letter[:-1]) + 1
    ends = np.flatnonzero(letter[:-1] & ~letter[1:]) + 1
    if letter[0]:
        begins = np.concatenate([[0], begins])
    digit = classes == CharClass.DIGIT
    glued = digit[1:] & (letter[:-1] | (classes[:-1] == CharClass.OTHER))
    marked = np.isin(joined[1:], [ord(sign) for sign in "*\u2020\u2021[\u00a7"]) & letter[:-1]
    places = {
        "spaced": np.flatnonzero(alone[:-4] & alone[2:-2] & alone[4:]),
        "doubled": np.flatnonzero(same[:-4] & same[2:-2] & same[4:]),
        "long": begins[ends - begins > LONG_RUN],
        "noted": np.flatnonzero(glued | marked),
    }
    if not texts:
        return {name: [] for name in places}
    return {
        name: np.unique(starts.searchsorted(at, side="right") - 1).tolist() for name, at in places.items()
    }


def _made(pairs: list[tuple[str, int]], kind: MatchKind) -> Reading | None:
    """A reading from searchable characters with their indexes in the line."""
    if not pairs:
        return None
    return Reading("".join(char for char, _ in pairs), tuple(index for _, index in pairs), kind)


def _refolded(pairs: list[tuple[str, int]]) -> Reading | None:
    """A reading from rearranged characters of the line: fold them, keep their indexes."""
    text, places = searchable_map("".join(char for char, _ in pairs))
    return Reading(text, tuple(pairs[place][1] for place in places), MatchKind.FOLDED) if text else None


def without_letter_spacing(lines: PageLines, row: int) -> Reading | None:
    """A U D I T  T R A I L: letters put together; only two or more blanks part words, or none does."""
    text, source = searchable_map(lines.text[row])
    spans = [match.span() for match in _SPACED.finditer(text)]
    if not spans:
        return None
    out: list[tuple[str, int]] = []
    done = 0
    for start, end in spans:
        out += zip(text[done:start], source[done:start], strict=True)
        words_known = "  " in text[start:end]
        for place in range(start, end):
            if text[place] != " ":
                out.append((text[place], source[place]))
            elif " " in (text[place - 1], text[place + 1]):
                if text[place - 1] != " ":
                    out.append((" ", source[place]))
            elif not words_known:
                out.append((MAYBE, source[place]))
        done = end
    out += zip(text[done:], source[done:], strict=True)
    return _made(out, MatchKind.LETTER_SPACED)


def with_seams(lines: PageLines, row: int) -> Reading | None:
    """Requestsfromadatasubject: a possible boundary after every letter, a certain one before a capital."""
    original, text = lines.text[row], lines.search[row]
    parts = text.count(" ") + text.count("-") + 1
    if len(text) < max(LETTERS_PER_BLANK * parts, LONG_LINE) or _ADDRESS.search(text):
        return None  # a long compound in a line that has its blanks, or a name in a network
    text, source = searchable_map(original)
    out: list[tuple[str, int]] = []
    for index, char in enumerate(text):
        if index and char.isalpha() and text[index - 1].isalpha():
            begins = original[source[index]].isupper() and original[source[index - 1]].islower()
            out.append((SPACE if begins else MAYBE, source[index]))
        out.append((char, source[index]))
    return _made(out, MatchKind.SQUEEZED)


def undoubled(lines: PageLines, row: int) -> Reading | None:
    """Eemmeerrggeennccyy ssttoopp: a bold face made by drawing every glyph twice."""
    text, source = searchable_map(lines.text[row])
    out: list[tuple[str, int]] = []
    changed = False
    for match in regex.finditer(r"\S+|\s+", text):
        start, end = match.span()
        word = match[0]
        if len(word) % 2 == 0 and word[::2] == word[1::2]:
            changed = changed or len(word) >= 6
            out += [(text[place], source[place]) for place in range(start, end, 2)]
        else:
            out += [(text[place], source[place]) for place in range(start, end)]
    return _made(out, MatchKind.FOLDED) if changed else None


def without_notes(lines: PageLines, row: int) -> Reading | None:
    """The line without numbers and signs of notes that are glued to its words."""
    text = _NOTE_INSIDE.sub(lambda match: " " * len(match[0]), lines.text[row])
    drop: set[int] = set()
    for pattern in (_NOTE, _NOTE_LETTER, _SUPERSCRIPT):
        for match in pattern.finditer(text):
            drop.update(range(*match.span()))
    if not drop and text == lines.text[row]:
        return None
    return _refolded([(char, index) for index, char in enumerate(text) if index not in drop])


def mirrored(lines: PageLines, row: int) -> Reading | None:
    """Hebrew or Arabic that is stored as it looks from left to right; numbers and Latin words keep their order."""
    text = lines.text[row]
    if not _RTL.search(text):
        return None
    pairs = [(char, index) for index, char in enumerate(text)][::-1]
    turned = "".join(char for char, _ in pairs)
    for match in _LTR_RUN.finditer(turned):
        start, end = match.span()
        pairs[start:end] = pairs[start:end][::-1]
    return _refolded(pairs)


def with_accents(lines: PageLines, row: int, step: int) -> Reading | None:
    """Accents that are characters of their own, put on the letter after (step 1) or before (-1) them."""
    text = lines.text[row]
    if not _ACCENT.search(text):
        return None
    pairs = [(char, index) for index, char in enumerate(text)]
    changed = False
    for place, (char, index) in enumerate(list(pairs)):
        if _ACCENT.match(char) and 0 <= place + step < len(text) and text[place + step].isalpha():
            mark = (_ACCENTS[char], index)
            if step == 1:
                pairs[place], pairs[place + 1] = pairs[place + 1], mark
            else:
                pairs[place] = mark
            changed = True
    return _refolded(pairs) if changed else None


def without_ruby(lines: PageLines, row: int) -> Reading | None:
    """Ideographs without the small kana between them, where the line is too narrow for all its characters."""
    text = lines.text[row]
    if not _RUBIED.search(text):
        return None
    wide, high = float(lines.x1[row] - lines.x0[row]), float(lines.y1[row] - lines.y0[row])
    extent = max(wide, high)
    # Most characters of the line may be the small ones; its height, over 1.3, is that of the large ones.
    size = max(float(lines.font_size[row]), min(wide, high) / 1.3)
    if not extent < 0.85 * size * len(text):  # also where size or box is unknown (NaN)
        return None
    drop = {place for match in _RUBY.finditer(text) for place in range(*match.span())}
    return _refolded([(char, index) for index, char in enumerate(text) if index not in drop])
