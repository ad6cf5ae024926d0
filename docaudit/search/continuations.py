"""PageLines in, further orders of some of its rows out: where text goes on although the lines do not show it.

Three cases: a line over the gap between two columns (an engine took two neighbours for one line); text that goes on
after a page break, or after something that stands in between; and words whose letters are lines of their own.
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

AlteredOrder = tuple[list[int], list[str], dict[int, Reading]]
"""Rows in order, the separator before each, and readings that stand in place of lines, by index in the order."""

MAX_CUTS = 3
"""Cuts of a line that are tried. Chosen, not measured."""
CUT_SHARE = 0.12
"""A cut lies within this share of the line's characters from where the geometry puts it. Chosen, not measured."""
CONTEXT = 6
"""Lines of a column above and below the part: a phrase spans seldom more than two."""


def cut_orders(
    lines: PageLines, chosen: list[int], box: Boxes, down: list[int], up: list[int]
) -> Iterator[AlteredOrder]:
    """Left and right part of each line over a gutter among their neighbours, for each likely cut.

    The rows above or below such a line have two lines where it has one. It is cut at the blanks nearest to where the
    second of these begins, and each part continues in its own column.

    Args:
        lines: The document.
        chosen: Rows of one page and direction, in the order of box.
        box: Their boxes, turned.
        down: For each the line below, -1 for none.
        up: For each the line above, -1 for none.
    """
    rows = visual_rows(box)
    sides: list[list[float]] = box.tolist()  # single numbers of an array are slow to read
    for above, middle, below in zip([[], *rows[:-1]], rows, [*rows[1:], []], strict=True):
        if len(middle) >= max(len(above), len(below)):
            continue  # no line of this row can stand where a neighbour has two
        for index in middle:
            edge = _gutter(sides, index, above) or _gutter(sides, index, below)
            if edge is None:
                continue
            left_edge, _, right_edge, _ = sides[index]
            text, source = searchable_map(lines.text[chosen[index]])
            expected = (edge - left_edge) / max(right_edge - left_edge, 0.1) * len(text)
            blanks = [place for place, char in enumerate(text) if char == " "]
            near = [place for place in blanks if abs(place - expected) <= max(6, CUT_SHARE * len(text))]
            for place in sorted(near, key=lambda place: abs(place - expected))[:MAX_CUTS]:
                for first, last, left, right in (
                    (0, place, left_edge, edge),
                    (place + 1, len(text), edge, right_edge),
                ):
                    before = _column(sides, index, left, right, up, -1)[::-1]
                    after = _column(sides, index, left, right, down, 1)
                    order = [chosen[place] for place in (*before, index, *after)]
                    part = Reading(text[first:last].strip(), tuple(source[first:last]), MatchKind.EXACT)
                    if len(part.text) == len(part.source) and len(order) > 1:
                        yield order, [WALL, *[LINE] * (len(order) - 1)], {len(before): part}


def _gutter(sides: list[list[float]], index: int, row: list[int]) -> float | None:
    """Left edge of the second of two lines in a neighbouring row that share the width of this line."""
    x0, y0, x1, y1 = sides[index]
    height = max(y1 - y0, 0.1)
    for left, right in pairwise(row):
        gap = max(sides[left][1] - y1, y0 - sides[left][3])
        starts_with = abs(sides[left][0] - x0) < 0.5 * height
        edge = sides[right][0]
        if gap < MAX_GAP * height and starts_with and x0 + 0.2 * (x1 - x0) < edge < x1 - 0.1 * (x1 - x0):
            return edge
    return None


def _column(
    sides: list[list[float]], index: int, left: float, right: float, following: list[int], step: int
) -> list[int]:
    """The nearest line below (step 1) or above (-1) within a part's width, and those that follow it."""
    _, y0, _, y1 = sides[index]
    height = max(y1 - y0, 0.1)
    best, nearest = -1, MAX_GAP * height
    for place, (x0, top, x1, bottom) in enumerate(sides):
        gap = top - y1 if step > 0 else y0 - bottom
        if place != index and -0.5 * height < gap < nearest and min(x1, right) - max(x0, left) > 2.0:
            best, nearest = place, gap
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
    """Pairs of a line of one page and a line of the next that may continue it.

    A header or footer that stands on one page only looks like any other line, so a type cannot tell where the text
    goes on; and between the two parts there may be notes, a head of several lines, a table or a figure with its
    caption. So the last and first lines are paired whatever they are, and besides open ends of blocks near the end of
    the page with beginnings of blocks of the same size of print on the next.
    """
    tails = [row for row in before if has_letters(lines.search[row])][-TAILS:]
    heads = [row for row in after if has_letters(lines.search[row])][:HEADS]
    pairs = list(product(tails, heads))
    goes_on = [*_block_starts(lines, before)[1:], True]
    ends = [row for row, last in zip(before, goes_on, strict=True) if last and _is_open(lines, row)]
    starts = [row for row, first in zip(after, _block_starts(lines, after), strict=True) if first]
    starts = [row for row in starts if has_letters(lines.search[row])]
    taken: list[int] = []
    for tail in reversed(ends):
        if len(taken) >= 3 * TAILS:
            break
        if sum(_same_size(lines, tail, row) for row in taken) < TAILS:
            taken.append(tail)
            same_size = (row for row in starts if _same_size(lines, tail, row))
            pairs += [(tail, head) for head in islice(same_size, SIZED_HEADS)]
    return (pair for pair in pairs if lines.page[pair[1]] == lines.page[pair[0]] + 1)


def insertions(lines: PageLines, rows: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of a line that ends a block inside a sentence and a later one of its size, with another size between."""
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


def _same_size(lines: PageLines, row: int, against: int) -> bool:
    # "not greater", as sizes that are unknown (NaN) may be the same
    return not abs(lines.sizes[row] - lines.sizes[against]) > SIZE_DIFFERENCE


def _is_open(lines: PageLines, row: int) -> bool:
    """The line has letters and no sign at its end that closes a sentence."""
    return lines.search[row][-1:] not in _SENTENCE_ENDS and has_letters(lines.search[row])


def has_letters(text: str) -> bool:
    """Whether a text has a letter of any script."""
    return _LETTER.search(text) is not None


LINES_AFTER_INITIAL = 4
"""Lines that stand beside a large initial, at most."""
PIECE_LETTERS, WIDEST_SPACING = 20, 3.0
"""A piece of a letter-spaced word holds at most so many letters; the next begins within so many line heights."""
SHORT = 6
"""Pieces of at most so many characters may be glyphs that were drawn on their own. Chosen, not measured."""
HALF_GLYPH = 0.5
"""Width of a letter in sizes of its font, about."""
_PIECE = regex.compile(r"\p{L}{1,2}(?: |$)")
_LETTERS_AT_END = regex.compile(r"(?<![\p{L}\p{N}])\p{L}(?: \p{L})*$")
_LETTERS_AT_START = regex.compile(r"^\p{L}(?: \p{L})*(?![\p{L}\p{N}])")


def glyph_orders(lines: PageLines, rows: list[int]) -> Iterator[AlteredOrder]:
    """Orders of lines that hold single glyphs, or a few: stacked or slanted letters, large initials, letter-spaced
    words, glyphs drawn backwards.

    Args:
        lines: The document.
        rows: Rows of one source, page after page.
    """
    if not any(len(lines.search[row]) <= SHORT for row in rows):
        return
    run: list[int] = []
    for row in [*rows, -1]:
        single = row >= 0 and len(lines.search[row]) == 1 and lines.search[row].isalpha()
        if single and (not run or lines.page[run[-1]] == lines.page[row]):
            run.append(row)
            continue
        if len(run) >= 3:
            readings = {
                place: _read(lines, letter, MatchKind.LETTER_SPACED) for place, letter in enumerate(run)
            }
            yield run, [WALL, *[MAYBE] * (len(run) - 1)], readings
        run = [row] if single else []
    for _, group in groupby(rows, key=lines.page.__getitem__):
        on_page = list(group)
        yield from _initials(lines, on_page)
        yield from _spaced_words(lines, on_page)
        yield from _backwards(lines, on_page)


def _read(lines: PageLines, row: int, kind: MatchKind) -> Reading:
    text, source = searchable_map(lines.text[row])
    return Reading(text, tuple(source), kind)


def _initials(lines: PageLines, rows: list[int]) -> Iterator[AlteredOrder]:
    """A large single letter and the first line beside it, without a gap."""
    single = [row for row in rows if len(lines.search[row]) == 1 and lines.search[row].isalpha()]
    single = [row for row in single if lines.has_box[row]]
    at = np.asarray(rows if single else [], dtype=np.int64)
    x0, y0, y1, sizes = (side[at] for side in (lines.x0, lines.y0, lines.y1, lines.font_size))
    for row in single:
        size = float(lines.font_size[row])
        gap = x0 - lines.x1[row]
        touches = (gap >= -2.0) & (gap <= size) & (y0 < lines.y1[row]) & (y1 > lines.y0[row])
        beside = np.flatnonzero((at != row) & (size >= 1.4 * sizes) & touches)
        if len(beside):
            place = int(beside[y0[beside].argmin()])
            after = [line for line in rows[place : place + LINES_AFTER_INITIAL] if line != row]
            yield [row, *after], [WALL, "", *[LINE] * (len(after) - 1)], {}


def _spaced_words(lines: PageLines, rows: list[int]) -> Iterator[AlteredOrder]:
    """Letters of words set so far apart that the engine gives a few at a time: "w a l", "r", "u s".

    A distance of more than the usual one parts two words; the lines beside the run go along, for phrases.
    """
    runs: list[list[int]] = []
    for before, row in zip([-1, *rows], rows, strict=False):
        text = lines.search[row]
        if (
            len(text) > 3 * PIECE_LETTERS
            or _PIECE.match(text) is None
            or not lines.has_box[row]
            or lines.direction[row] != Direction.HORIZONTAL
            or not all(len(token) <= 2 and token.isalpha() for token in text.split())
        ):
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
        at_end = [_LETTERS_AT_END.search(lines.search[row]) for row in left]
        letters_before = sum(len(letters[0].split()) for letters in at_end if letters)
        if len(tokens) + letters_before > 2 and sum(map(len, tokens)) <= 1.5 * len(tokens):
            yield _with_neighbours(lines, run, left, right)


def _stands_right_of(lines: PageLines, row: int, before: int) -> bool:
    """Whether a line begins where another ends, or a little farther, at the same height."""
    same_height = lines.y0[row] < lines.y1[before] and lines.y1[row] > lines.y0[before]
    gap = float(lines.x0[row] - lines.x1[before])
    return bool(same_height) and -1.0 <= gap <= WIDEST_SPACING * float(lines.y1[before] - lines.y0[before])


def _with_neighbours(lines: PageLines, run: list[int], left: list[int], right: list[int]) -> AlteredOrder:
    """The run between its neighbours; letters at the end of the left and the start of the right may be of it."""

    def letters(row: int) -> int:
        return sum(char.isalpha() for char in lines.search[row])

    # Distance from letter to letter: from where a piece begins to where the next one does.
    pitches = [float(lines.x0[after] - lines.x0[row]) / max(letters(row), 1) for row, after in pairwise(run)]
    if pitches:
        usual = sorted(pitches)[(len(pitches) - 1) // 2]
    else:
        glyph = HALF_GLYPH * float(lines.font_size[run[0]])
        width = float(lines.x1[run[0]] - lines.x0[run[0]] - glyph)
        usual = width / (letters(run[0]) - 1) if letters(run[0]) > 1 else 4 * glyph
    order = [*left, *run, *right]
    before = [WALL]
    for row, after in pairwise(order):
        if row in left:
            step = float(lines.x0[after] - lines.x1[row]) + HALF_GLYPH * float(lines.font_size[row])
        else:
            step = float(lines.x0[after] - lines.x0[row]) - usual * (letters(row) - 1)
        before.append(SPACE if step > 1.3 * usual else MAYBE)
    readings: dict[int, Reading] = {}
    for place, row in enumerate(order):
        reading = _read(lines, row, MatchKind.LETTER_SPACED)
        text = reading.text
        if row in left:
            text = _LETTERS_AT_END.sub(lambda match: match[0].replace(" ", MAYBE), text)
        elif row in right:
            text = _LETTERS_AT_START.sub(lambda match: match[0].replace(" ", MAYBE), text)
        elif "  " not in text:
            text = text.replace(" ", MAYBE)
        readings[place] = reading._replace(text=text)
    return order, before, readings


def _backwards(lines: PageLines, rows: list[int]) -> Iterator[AlteredOrder]:
    """A visual row whose short pieces were drawn from right to left: the glyphs in each run backwards as well."""
    run: list[int] = []
    for row in [*rows, -1]:
        # From right to left is the order of reading in Hebrew and Arabic: nothing is drawn backwards there.
        short = (
            row >= 0
            and len(lines.search[row]) <= SHORT
            and lines.direction[row] == Direction.HORIZONTAL
            and bool(lines.has_box[row])
            and not is_rtl(lines.search[row])
        )
        if short and run:
            same_height = lines.y0[row] < lines.y1[run[-1]] and lines.y1[row] > lines.y0[run[-1]]
            if same_height and lines.x1[row] <= lines.x0[run[-1]] + 1:
                run.append(row)
                continue
        elif short:
            run.append(row)
            continue
        if len(run) >= 4:
            order = run[::-1]
            before = [WALL]
            for left, right in pairwise(order):
                height = max(float(lines.y1[right] - lines.y0[right]), 0.1)
                gap = float(lines.x0[right] - lines.x1[left])
                before.append("" if gap < TOUCHING * height else SPACE)
            reversed_glyphs = {}
            for place, piece in enumerate(order):
                reading = _read(lines, piece, MatchKind.SQUEEZED)
                reversed_glyphs[place] = reading._replace(
                    text=reading.text[::-1], source=reading.source[::-1]
                )
            yield order, before, reversed_glyphs
        run = [row] if short else []
