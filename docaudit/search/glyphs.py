"""Words whose letters are lines of their own: stacked or slanted letters, large initials, glyphs drawn
backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

from docaudit.location import Direction, MatchKind
from docaudit.search.layout import TOUCHING
from docaudit.search.normalize import searchable_map
from docaudit.search.pagelines import PageLines
from docaudit.search.readings import Reading
from docaudit.search.scripts import LINE, MAYBE, SPACE, WALL

LINES_AFTER_INITIAL = 4
SHORT = 6
"""Pieces of at most so many characters may be glyphs that were drawn on their own."""

GlyphOrder = tuple[list[int], list[str], dict[int, Reading]]
"""Rows, the separator before each, and readings by index."""


def glyph_orders(lines: PageLines, rows: list[int]) -> Iterator[GlyphOrder]:
    """Orders of lines that hold single glyphs, or a few, of one source."""
    short = {row for row in rows if len(lines.search[row]) <= SHORT}
    if not short:
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
    for row in rows:
        if not (len(lines.search[row]) == 1 and lines.search[row].isalpha() and lines.has_box[row]):
            continue
        size = float(lines.font_size[row])
        beside = [
            other
            for other in rows
            if other != row
            and size >= 1.4 * float(lines.font_size[other])
            and -2.0 <= float(lines.x0[other] - lines.x1[row]) <= size
            and float(lines.y0[other]) < float(lines.y1[row])
            and float(lines.y1[other]) > float(lines.y0[row])
        ]
        if beside:
            first = min(beside, key=lambda other: float(lines.y0[other]))
            place = rows.index(first)
            after = [other for other in rows[place : place + LINES_AFTER_INITIAL] if other != row]
            yield [row, *after], [WALL, "", *[LINE] * (len(after) - 1)], {}


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
    horizontal = lines.direction[row] == Direction.HORIZONTAL
    return len(lines.search[row]) <= SHORT and horizontal and bool(lines.has_box[row])


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
