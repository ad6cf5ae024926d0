"""Words whose letters are lines of their own: stacked or slanted letters, large initials, glyphs drawn
backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

import numpy as np
import regex

from docaudit.location import Direction, MatchKind
from docaudit.search.layout import TOUCHING, is_rtl
from docaudit.search.normalize import searchable_map
from docaudit.search.pagelines import PageLines
from docaudit.search.readings import Reading
from docaudit.search.scripts import LINE, MAYBE, SPACE, WALL

LINES_AFTER_INITIAL = 4
PIECE_LETTERS, WIDEST_SPACING = 20, 3.0
"""A piece of a letter-spaced word holds at most so many letters; the next begins within so many line heights."""
SHORT = 6
"""Pieces of at most so many characters may be glyphs that were drawn on their own."""

HALF_GLYPH = 0.5
"""Width of a letter in sizes of its font, about."""
_PIECE = regex.compile(r"\p{L}{1,2}(?: |$)")
_LETTERS_AT_END = regex.compile(r"(?<![\p{L}\p{N}])\p{L}(?: \p{L})*$")
_LETTERS_AT_START = regex.compile(r"^\p{L}(?: \p{L})*(?![\p{L}\p{N}])")

GlyphOrder = tuple[list[int], list[str], dict[int, Reading]]
"""Rows, the separator before each, and readings by index."""


def glyph_orders(lines: PageLines, rows: list[int]) -> Iterator[GlyphOrder]:
    """Orders of lines that hold single glyphs, or a few, of one source."""
    if not any(len(lines.search[row]) <= SHORT for row in rows):
        return
    for run in _single_letter_runs(lines, rows):
        readings = {
            place: (text, tuple(source), MatchKind.LETTER_SPACED)
            for place, row in enumerate(run)
            for text, source in [searchable_map(lines.text[row])]
        }
        yield run, [WALL, *[MAYBE] * (len(run) - 1)], readings
    for _, group in groupby(rows, key=lines.page.__getitem__):
        on_page = list(group)
        yield from _initials(lines, on_page)
        yield from _spaced_pieces(lines, on_page)
        yield from _backwards(lines, on_page)


def _single_letter_runs(lines: PageLines, rows: list[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for row in [*rows, -1]:
        single = row >= 0 and len(lines.search[row]) == 1 and lines.search[row].isalpha()
        if single and (not run or lines.page[run[-1]] == lines.page[row]):
            run.append(row)
            continue
        if len(run) >= 3:
            yield run
        run = [row] if single else []


def _initials(lines: PageLines, rows: list[int]) -> Iterator[GlyphOrder]:
    """A large single letter and the first line beside it, without a gap."""
    single = [
        row
        for row in rows
        if len(lines.search[row]) == 1 and lines.search[row].isalpha() and lines.has_box[row]
    ]
    at = np.asarray(rows if single else [], dtype=np.int64)
    x0, y0, y1, sizes = (side[at] for side in (lines.x0, lines.y0, lines.y1, lines.font_size))
    for row in single:
        size = float(lines.font_size[row])
        gap = x0 - lines.x1[row]
        touches = (gap >= -2.0) & (gap <= size) & (y0 < lines.y1[row]) & (y1 > lines.y0[row])
        beside = np.flatnonzero((at != row) & (size >= 1.4 * sizes) & touches)
        if len(beside):
            place = int(beside[y0[beside].argmin()])
            after = [other for other in rows[place : place + LINES_AFTER_INITIAL] if other != row]
            yield [row, *after], [WALL, "", *[LINE] * (len(after) - 1)], {}


def _spaced_pieces(lines: PageLines, rows: list[int]) -> Iterator[GlyphOrder]:
    """Letters of words set so far apart that the engine gives a few at a time: "w a l", "r", "u s".

    A distance of more than the usual one parts two words; the pieces beside the run go along, for phrases.
    """
    runs: list[list[int]] = []
    for before, row in zip([-1, *rows], rows, strict=False):
        if not _is_spaced_piece(lines, row):
            continue
        if runs and runs[-1][-1] == before and _stands_right_of(lines, row, before):
            runs[-1].append(row)
        else:
            runs.append([row])
    for run in runs:
        first, last = rows.index(run[0]), rows.index(run[-1])
        left, right = rows[max(first - 1, 0) : first], rows[last + 1 : last + 2]
        left = left if left and _stands_right_of(lines, run[0], left[0]) else []
        right = right if right and _stands_right_of(lines, right[0], run[-1]) else []
        tokens = [token for row in run for token in lines.search[row].split()]
        before_run = sum(_letters_at_end(lines, row) for row in left)
        if len(tokens) + before_run > 2 and sum(map(len, tokens)) <= 1.5 * len(tokens):
            yield _with_neighbours(lines, run, left, right)


def _is_spaced_piece(lines: PageLines, row: int) -> bool:
    text = lines.search[row]
    return (
        len(text) <= 3 * PIECE_LETTERS
        and _PIECE.match(text) is not None
        and bool(lines.has_box[row])
        and lines.direction[row] == Direction.HORIZONTAL
        and all(len(token) <= 2 and token.isalpha() for token in text.split())
    )


def _stands_right_of(lines: PageLines, row: int, other: int) -> bool:
    """Whether a line begins where another ends, or a little farther, at the same height."""
    same_height = lines.y0[row] < lines.y1[other] and lines.y1[row] > lines.y0[other]
    gap = float(lines.x0[row] - lines.x1[other])
    return bool(same_height) and -1.0 <= gap <= WIDEST_SPACING * float(lines.y1[other] - lines.y0[other])


def _with_neighbours(lines: PageLines, run: list[int], left: list[int], right: list[int]) -> GlyphOrder:
    """The run between its neighbours; letters at the end of the left and the start of the right may be of it."""
    pitches = [_pitch(lines, row, after) for row, after in pairwise(run)]
    usual = sorted(pitches)[(len(pitches) - 1) // 2] if pitches else _own_pitch(lines, run[0])
    order = [*left, *run, *right]
    before = [WALL]
    for row, after in pairwise(order):
        letters = _letters(lines, row)
        glyph = HALF_GLYPH * float(lines.font_size[row])
        step = (
            float(lines.x0[after] - lines.x1[row]) + glyph
            if row in left
            else float(lines.x0[after] - lines.x0[row]) - usual * (letters - 1)
        )
        before.append(SPACE if step > 1.3 * usual else MAYBE)
    made: dict[int, Reading] = {}
    for place, row in enumerate(order):
        text, source = searchable_map(lines.text[row])
        if row in left:
            text = _LETTERS_AT_END.sub(lambda match: match[0].replace(" ", MAYBE), text)
        elif row in right:
            text = _LETTERS_AT_START.sub(lambda match: match[0].replace(" ", MAYBE), text)
        elif "  " not in text:
            text = text.replace(" ", MAYBE)
        made[place] = (text, tuple(source), MatchKind.LETTER_SPACED)
    return order, before, made


def _letters_at_end(lines: PageLines, row: int) -> int:
    found = _LETTERS_AT_END.search(lines.search[row])
    return len(found[0].split()) if found else 0


def _pitch(lines: PageLines, row: int, after: int) -> float:
    """Distance from letter to letter, from where a piece begins to where the next one does."""
    return float(lines.x0[after] - lines.x0[row]) / max(_letters(lines, row), 1)


def _own_pitch(lines: PageLines, row: int) -> float:
    letters = _letters(lines, row)
    glyph = HALF_GLYPH * float(lines.font_size[row])
    return float(lines.x1[row] - lines.x0[row] - glyph) / (letters - 1) if letters > 1 else 4 * glyph


def _letters(lines: PageLines, row: int) -> int:
    return sum(char.isalpha() for char in lines.search[row])


def _backwards(lines: PageLines, rows: list[int]) -> Iterator[GlyphOrder]:
    """A visual row whose short pieces were drawn from right to left: the glyphs in each run backwards as
    well.
    """
    run: list[int] = []
    for row in [*rows, -1]:
        piece = row >= 0 and _is_short_piece(lines, row)
        if piece and (not run or _is_left_of(lines, row, run[-1])):
            run.append(row)
            continue
        if len(run) >= 4:
            yield _mirrored(lines, run[::-1])
        run = [row] if piece else []


def _is_short_piece(lines: PageLines, row: int) -> bool:
    """From right to left is the order of reading in Hebrew and Arabic: nothing is drawn backwards there."""
    text = lines.search[row]
    horizontal = lines.direction[row] == Direction.HORIZONTAL and bool(lines.has_box[row])
    return len(text) <= SHORT and horizontal and not is_rtl(text)


def _is_left_of(lines: PageLines, row: int, other: int) -> bool:
    """Whether a line ends where another begins, at the same height."""
    same_height = lines.y0[row] < lines.y1[other] and lines.y1[row] > lines.y0[other]
    return bool(same_height and lines.x1[row] <= lines.x0[other] + 1)


def _mirrored(lines: PageLines, run: list[int]) -> GlyphOrder:
    before = [WALL]
    for left, row in pairwise(run):
        height = max(float(lines.y1[row] - lines.y0[row]), 0.1)
        before.append("" if float(lines.x0[row] - lines.x1[left]) < TOUCHING * height else SPACE)
    readings: dict[int, Reading] = {}
    for place, row in enumerate(run):
        text, source = searchable_map(lines.text[row])
        readings[place] = (text[::-1], tuple(source[::-1]), MatchKind.SQUEEZED)
    return run, before, readings
