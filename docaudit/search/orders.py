"""Lines that run over the gap between two columns, because an engine took two neighbours for one line.

Such a line shows itself by the rows above or below it, which have two lines where it has one. It is cut at
the blanks nearest to the place where the second of these begins, and each part continues in its own
column.

Where text may go on after a page break, or after something that stands in between: pairs of lines.

A header or footer that stands on one page only looks like any other line, so a type cannot tell where the text goes
on; and between the two parts there may be notes, a head of several lines, a table or a figure with its caption. So
the last and first lines of two pages are paired whatever they are, and besides lines of the same size of print.

Words whose letters are lines of their own: stacked or slanted letters, large initials, glyphs drawn
backwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, islice, pairwise, product

import numpy as np
import regex

from docaudit.codes import Direction, MatchKind
from docaudit.search.layout import MAX_GAP, TOUCHING, Boxes, is_rtl, visual_rows
from docaudit.search.lines import LINE, MAYBE, SPACE, WALL, PageLines, searchable_map
from docaudit.search.readings import Reading

MAX_CUTS = 3
CUT_SHARE = 0.12
"""A cut lies within this share of the line's characters from where the geometry puts it."""
CONTEXT = 6
"""Lines of a column above and below the part."""

Sides = list[list[float]]
"""Boxes as plain lists: single numbers of an array are slow to read."""

CutOrder = tuple[list[int], list[str], dict[int, Reading]]


def cut_orders(
    lines: PageLines, chosen: list[int], box: Boxes, down: list[int], up: list[int]
) -> Iterator[CutOrder]:
    """For each line over a gutter and each likely cut, the left and the right part among their neighbours.

    Args:
        lines: The document.
        chosen: Rows of one page and direction, in the order of box.
        box: Their boxes, turned.
        down: For each the line below, -1 for none.
        up: For each the line above, -1 for none.
    """
    rows = visual_rows(box)
    sides: Sides = box.tolist()
    for above, middle, below in zip([[], *rows[:-1]], rows, [*rows[1:], []], strict=True):
        if len(middle) >= max(len(above), len(below)):
            continue  # no line of this row can stand where a neighbour has two
        for index in middle:
            edge = _gutter(sides, index, above) or _gutter(sides, index, below)
            if edge is None:
                continue
            text, source = searchable_map(lines.text[chosen[index]])
            for place in _cuts(text, sides[index], edge):
                parts = (
                    (0, place, float(box[index, 0]), edge),
                    (place + 1, len(text), edge, float(box[index, 2])),
                )
                for first, last, left, right in parts:
                    before = _column(sides, index, left, right, up, -1)[::-1]
                    after = _column(sides, index, left, right, down, 1)
                    order = [chosen[other] for other in (*before, index, *after)]
                    reading = (text[first:last].strip(), tuple(source[first:last]), MatchKind.EXACT)
                    if len(reading[0]) == len(reading[1]) and len(order) > 1:
                        yield order, [WALL, *[LINE] * (len(order) - 1)], {len(before): reading}


def _gutter(sides: Sides, index: int, row: list[int]) -> float | None:
    """Left edge of the second of two lines in a neighbouring row that share the width of this line; None
    if none do.
    """
    x0, y0, x1, y1 = sides[index]
    height = max(y1 - y0, 0.1)
    for left, right in pairwise(row):
        gap = max(sides[left][1] - y1, y0 - sides[left][3])
        starts_with = abs(sides[left][0] - x0) < 0.5 * height
        edge = sides[right][0]
        if gap < MAX_GAP * height and starts_with and x0 + 0.2 * (x1 - x0) < edge < x1 - 0.1 * (x1 - x0):
            return edge
    return None


def _cuts(text: str, side: list[float], edge: float) -> list[int]:
    """Places of the blanks that may be the gutter, nearest first."""
    share = (edge - side[0]) / max(side[2] - side[0], 0.1)
    expected = share * len(text)
    near = [
        place
        for place, char in enumerate(text)
        if char == " " and abs(place - expected) <= max(6, CUT_SHARE * len(text))
    ]
    return sorted(near, key=lambda place: abs(place - expected))[:MAX_CUTS]


def _column(
    sides: Sides, index: int, left: float, right: float, following: list[int], step: int
) -> list[int]:
    """The nearest line below (step 1) or above (-1) within a part's width, and those that follow it."""
    _, y0, _, y1 = sides[index]
    height = max(y1 - y0, 0.1)
    best, nearest = -1, MAX_GAP * height
    for other, (x0, top, x1, bottom) in enumerate(sides):
        gap = top - y1 if step > 0 else y0 - bottom
        if other != index and -0.5 * height < gap < nearest and min(x1, right) - max(x0, left) > 2.0:
            best, nearest = other, gap
    chain: list[int] = []
    while best >= 0 and best not in chain and best != index and len(chain) < CONTEXT:
        chain.append(best)
        best = following[best]
    return chain


TAILS, HEADS = 2, 3
"""Last lines of a page that may go on, and first lines of the next that may continue them: whatever they are."""
SIZE_DIFFERENCE = 0.6
"""Lines whose sizes differ by no more points are set in the same size."""
SIZED_HEADS, AFTER_INSERTION = 3, 2
"""Beginnings of blocks of the same size that are tried, on the next page and behind an insertion."""

_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_ENDS = ".!?:;\u3002\uff01\uff1f"


def page_breaks(lines: PageLines, before: list[int], after: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of a line of one page and a line of the next that may continue it."""
    tails = [row for row in before if has_letters(lines.search[row])][-TAILS:]
    heads = [row for row in after if has_letters(lines.search[row])][:HEADS]
    for tail, head in (*product(tails, heads), *_sized_breaks(lines, before, after)):
        if lines.page[head] == lines.page[tail] + 1:
            yield tail, head


def _sized_breaks(lines: PageLines, before: list[int], after: list[int]) -> Iterator[tuple[int, int]]:
    """Open ends of blocks near the end of a page, and beginnings of blocks of the same size on the next."""
    goes_on = [*_block_starts(lines, before)[1:], True]
    ends = [row for row, last in zip(before, goes_on, strict=True) if last and _is_open(lines, row)]
    heads = [row for row, first in zip(after, _block_starts(lines, after), strict=True) if first]
    heads = [row for row in heads if has_letters(lines.search[row])]
    taken: list[int] = []
    for tail in reversed(ends):
        if len(taken) >= 3 * TAILS:
            return
        if sum(_same_size(lines, tail, known) for known in taken) < TAILS:
            taken.append(tail)
            for head in islice((one for one in heads if _same_size(lines, tail, one)), SIZED_HEADS):
                yield tail, head


def insertions(lines: PageLines, rows: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of a line that ends a block inside a sentence and a later one of its size, something of another size
    standing between.
    """
    starts = _block_starts(lines, rows)
    for place, (row, following) in enumerate(pairwise(rows), 1):
        if starts[place] and not _same_size(lines, row, following) and _is_open(lines, row):
            later = zip(rows[place + 1 :], starts[place + 1 :], strict=True)
            heads = (head for head, first in later if first and _same_size(lines, row, head))
            yield from ((row, head) for head in islice(heads, AFTER_INSERTION))


def _block_starts(lines: PageLines, rows: list[int]) -> list[bool]:
    """For each row whether it begins a block, or text of another size."""
    first = [True] * len(rows)
    for place, (before, row) in enumerate(pairwise(rows), 1):
        first[place] = lines.block[before] != lines.block[row] or not _same_size(lines, before, row)
    return first


def _same_size(lines: PageLines, one: int, other: int) -> bool:
    return (
        not abs(lines.sizes[one] - lines.sizes[other]) > SIZE_DIFFERENCE
    )  # sizes that are unknown may be the same


def _is_open(lines: PageLines, row: int) -> bool:
    return lines.search[row][-1:] not in _SENTENCE_ENDS and has_letters(lines.search[row])


def has_letters(text: str) -> bool:
    """Whether a text has a letter of any script."""
    return _LETTER.search(text) is not None


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
