"""Pages in many layouts for bench/needles.py: each layout draws paragraphs, and says on which page each begins.

A paragraph is a list of words (single characters in Japanese and Chinese). Everything is drawn with PyMuPDF, in its
own fonts and in DejaVu Sans, which matplotlib carries.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pymupdf

WIDTH, HEIGHT, LEFT, TOP, STEP, SIZE = 595.0, 842.0, 60.0, 70.0, 14.0, 10.5
Paragraph = Sequence[str]
Layout = Callable[["Pen", Sequence[Paragraph]], None]
"""Draws paragraphs on the last page of the pen's document; may add a page."""


def _dejavu() -> str:
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise SystemExit("bench: needs matplotlib for its font; pip install '.[samples]'")
    return str(Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf")


@dataclass
class Pen:
    """Draws words of one language; Arabic is drawn as it looks, from right to left."""

    doc: pymupdf.Document
    language: str

    def __post_init__(self) -> None:
        self.wide = self.language in ("ja", "zh")
        self.rtl = self.language == "ar"
        name = {"ja": "japan", "zh": "china-s"}.get(self.language)
        self.font = pymupdf.Font(name) if name else pymupdf.Font(fontfile=_dejavu())
        self.style = {"fontname": name} if name else {"fontname": "dejavu", "fontfile": _dejavu()}

    def new_page(self) -> pymupdf.Page:
        return self.doc.new_page(width=WIDTH, height=HEIGHT)

    @property
    def page(self) -> pymupdf.Page:
        return self.doc[-1]

    def join(self, words: Paragraph) -> str:
        return ("" if self.wide else " ").join(words)

    def width(self, text: str, size: float = SIZE) -> float:
        return float(self.font.text_length(text, fontsize=size))

    def lines(self, words: Paragraph, width: float, size: float = SIZE) -> list[list[str]]:
        lines: list[list[str]] = [[]]
        for word in words:
            if lines[-1] and self.width(self.join([*lines[-1], word]), size) > width:
                lines.append([])
            lines[-1].append(word)
        return lines

    def put(self, x: float, y: float, text: str, size: float = SIZE, **how: object) -> float:
        """Text at a place; the x where it ends."""
        shown = text[::-1] if self.rtl else text
        self.page.insert_text((x, y), shown, fontsize=size, **self.style, **how)
        return x + self.width(text, size)

    def block(self, words: Paragraph, x: float, y: float, width: float, size: float = SIZE) -> float:
        """A wrapped paragraph; the y below it."""
        for line in self.lines(words, width, size):
            text = self.join(line)
            self.put(x + width - self.width(text, size) if self.rtl else x, y, text, size)
            y += STEP * size / SIZE
        return y


def plain(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    y = TOP
    for words in paragraphs:
        y = pen.block(words, LEFT, y, 470) + 8


def columns(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    half = len(paragraphs) // 2
    order = ((LEFT, paragraphs[:half]), (315.0, paragraphs[half:]))
    for x, chosen in reversed(order) if pen.rtl else order:
        y = TOP
        for words in chosen:
            y = pen.block(words, x, y, 215)


def columns_row_by_row(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    half = len(paragraphs) // 2
    sides = [
        [line for words in part for line in pen.lines(words, 215)]
        for part in (paragraphs[:half], paragraphs[half:])
    ]
    for number in range(max(map(len, sides))):
        for x, side in zip((LEFT, 315.0), sides, strict=True):
            if number < len(side):
                text = pen.join(side[number])
                pen.put(x + 215 - pen.width(text) if pen.rtl else x, TOP + STEP * number, text)


def table(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    y = TOP
    for row in range(0, len(paragraphs), 3):
        cells = [pen.lines(words, 140) for words in paragraphs[row : row + 3]]
        height = max(map(len, cells))
        for number in range(height):
            for column, cell in enumerate(cells):
                if number < len(cell):
                    pen.put(LEFT + 165 * column, y + STEP * number, pen.join(cell[number]))
        y += STEP * height + 6
        pen.page.draw_line((LEFT, y - 12), (LEFT + 480, y - 12))


def footnotes(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    y = TOP
    for words in paragraphs[:4]:
        y = pen.block(words, LEFT, y, 470) + 8
    y = max(y, 560.0)
    pen.page.draw_line((LEFT, y - 12), (LEFT + 120, y - 12))
    for number, words in enumerate(paragraphs[4:], 1):
        pen.page.insert_text((LEFT - 8, y - 3), str(number), fontsize=5)
        y = pen.block(words, LEFT, y, 470, 8) + 2


def headers(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    pen.block(paragraphs[0], LEFT, 30, 470, 8)
    pen.block(paragraphs[1], LEFT, 800, 470, 8)
    plain(pen, paragraphs[2:])


def _turned(pen: Pen, paragraphs: Sequence[Paragraph], rotate: int) -> None:
    away = 0.0
    for words in paragraphs:
        for line in pen.lines(words, 600):
            away += STEP
            at = {90: (50 + away, 720.0), 270: (545 - away, 70.0), 180: (540.0, 780 - away)}[rotate]
            shown = pen.join(line)
            pen.put(*at, shown if rotate != 180 else pen.join(line)[:70], rotate=rotate)
        away += 6


def rotated_left(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    _turned(pen, paragraphs, 90)


def rotated_right(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    _turned(pen, paragraphs, 270)


def upside_down(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    away = 0.0
    for words in paragraphs:
        for line in pen.lines(words, 470):
            away += STEP
            pen.put(535, 780 - away, pen.join(line), rotate=180)
        away += 6


def vertical(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Columns of characters from right to left; Latin and Arabic letters cannot stand so and are rotated."""
    if not pen.wide:
        _turned(pen, paragraphs, 270)
        return
    x, y = 540.0, TOP
    for words in paragraphs:
        for char in pen.join(words):
            if y > 760:
                x, y = x - 1.6 * SIZE, TOP
            pen.put(x, y, char)
            y += SIZE
        x, y = x - 2.2 * SIZE, TOP


def justified(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    y = TOP
    for words in paragraphs:
        for line in pen.lines(words, 300):
            spare = 300 - sum(map(pen.width, line))
            gap = min(spare / max(len(line) - 1, 1), 14.0)
            x = LEFT
            for word in reversed(line) if pen.rtl else line:
                x = pen.put(x, y, word) + gap
            y += STEP
        y += 8


def hyphenated(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Narrow lines, a word cut with a hyphen wherever it does not fit; scripts without hyphens just wrap."""
    if pen.wide or pen.rtl:
        columns(pen, paragraphs)
        return
    y = TOP
    for place, words in enumerate(paragraphs):
        x = LEFT + 245 * (place % 2)
        top, rest = y, list(words)
        while rest:
            line = ""
            while rest and pen.width(f"{line}{rest[0]} ") <= 150:
                line += rest.pop(0) + " "
            if rest and len(rest[0]) >= 6 and pen.width(line + rest[0][:3] + "-") <= 160:
                cut = next(
                    n
                    for n in range(len(rest[0]) - 2, 2, -1)
                    if pen.width(line + rest[0][:n] + "-") <= 162 or n == 3
                )
                line, rest[0] = f"{line}{rest[0][:cut]}-", rest[0][cut:]
            elif not line:
                line = rest.pop(0)
            pen.put(x, top, line.rstrip())
            top += STEP
        y = max(y, top + 8) if place % 2 else y


def letter_spaced(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Each letter of the middle words by itself, far apart; the rest of the paragraph as usual."""
    y = TOP
    for number, words in enumerate(paragraphs):
        pitch = (9.0, 12.0, 14.0, 16.0)[number % 4]
        middle = list(words)[len(words) // 2 - 4 : len(words) // 2 + 5]
        text = pen.join(middle)
        if pen.rtl or pitch * len(text) > 500:
            y = pen.block(words, LEFT, y, 470) + 8
            continue
        x = LEFT
        for char in text:
            if char != " ":
                pen.put(x, y, char)
            x += pitch
        y += STEP + 14


def drop_cap(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    y = TOP
    for words in paragraphs:
        text = pen.join(words)
        if pen.rtl or pen.wide:
            y = pen.block(words, LEFT, y, 470) + 8
            continue
        end = pen.put(LEFT, y + STEP, text[0], 32)
        y = pen.block(text[1:].split(" "), end + 1, y, 400) + 18


def marked(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Ruby above ideographs; the mark of a note after every fifth word elsewhere."""
    y = TOP
    for words in paragraphs:
        for line in pen.lines(words, 380):
            x = LEFT
            for number, word in enumerate(reversed(line) if pen.rtl else line):
                end = pen.put(x, y, word)
                if pen.wide and number % 3 == 0:
                    pen.page.insert_text((x, y - SIZE), "かな", fontsize=4.5, fontname="japan")
                if not pen.wide and not pen.rtl and number % 5 == 0:
                    pen.page.insert_text((end + 0.3, y - 3.5), str(number + 1), fontsize=6)
                    end += 4
                x = end + (0 if pen.wide else 3.2)
            y += STEP + 6
        y += 4


def page_break(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """The first paragraph goes over to a second page, notes and a running head in between."""
    first, second = paragraphs[0][: len(paragraphs[0]) // 2], paragraphs[0][len(paragraphs[0]) // 2 :]
    plain(pen, paragraphs[1:])
    pen.block(first, LEFT, 690, 470)
    pen.page.insert_text((LEFT, 770), "1 Ibid., page 7.", fontsize=7.5)
    pen.new_page()
    pen.page.insert_text((LEFT, 40), "Running head of the chapter", fontsize=8)
    pen.block(second, LEFT, TOP, 470)


def backwards(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """The words of each line drawn from the last to the first."""
    y = TOP
    for words in paragraphs:
        for line in pen.lines(words, 380):
            x, placed = LEFT, []
            for word in line:
                placed.append((x, word))
                x += pen.width(word) + (0 if pen.wide else 3.2)
            for at, word in placed if pen.rtl else reversed(placed):
                pen.put(LEFT + x - at - pen.width(word) if pen.rtl else at, y, word)
            y += STEP
        y += 8


def doubled(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Bold by drawing everything twice."""
    plain(pen, paragraphs)
    y = TOP
    for words in paragraphs:
        y = pen.block(words, LEFT + 0.3, y, 470) + 8


def invisible_signs(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Non-breaking spaces between words, and a zero-width space or soft hyphen inside every third."""
    y = TOP
    for words in paragraphs:
        changed = []
        for number, word in enumerate(words):
            cut = len(word) // 2
            inside = ("\u200b" if number % 2 else "\u00ad") if number % 3 == 0 and cut and not pen.rtl else ""
            changed.append(word[:cut] + inside + word[cut:])
        for line in pen.lines(changed, 440):
            text = pen.join(line).replace(" ", "\u00a0")
            pen.put(LEFT, y, text)
            y += STEP
        y += 8


def around_a_figure(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Each paragraph is cut in the middle of a line by a figure with its caption."""
    y = TOP
    for words in paragraphs[:4]:
        half = len(words) // 2
        y = pen.block(words[:half], LEFT, y, 470)
        pen.page.draw_rect(pymupdf.Rect(LEFT, y, LEFT + 200, y + 30), fill=(0.8, 0.8, 0.9))
        pen.page.insert_text((LEFT, y + 42), "Figure 1: Counts by month.", fontsize=8)
        y = pen.block(words[half:], LEFT, y + 62, 470) + 10
    for words in paragraphs[4:]:
        y = pen.block(words, LEFT, y, 470) + 6


def signs(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """Quotes or brackets around every fourth word."""
    pairs = (("「", "」"),) if pen.wide else (('"', '"'), ("(", ")"), ("“", "”"))
    y = TOP
    for words in paragraphs:
        chance = random.Random(words[0])
        changed = list(words)
        if not pen.rtl:
            for place in range(1, len(changed), 4):
                opening, closing = chance.choice(pairs)
                changed[place] = opening + changed[place] + closing
        y = pen.block(changed, LEFT, y, 440) + 8


def picture(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """The page as an image: no text to find, so it must be listed as not read."""
    with pymupdf.open() as source:
        other = Pen(source, pen.language)
        other.new_page()
        plain(other, paragraphs)
        png = source[0].get_pixmap(dpi=110).tobytes("png")
    pen.page.insert_image(pen.page.rect, stream=png)


def outlines(pen: Pen, paragraphs: Sequence[Paragraph]) -> None:
    """All letters as shapes."""
    with pymupdf.open() as source:
        other = Pen(source, pen.language)
        other.new_page()
        plain(other, paragraphs)
        drawn = source[0].get_svg_image(text_as_path=True)
    with (
        pymupdf.open(stream=drawn.encode(), filetype="svg") as svg,
        pymupdf.open("pdf", svg.convert_to_pdf()) as shapes,
    ):
        pen.page.show_pdf_page(pen.page.rect, shapes, 0)


WITH_TEXT: tuple[Layout, ...] = (
    plain, columns, columns_row_by_row, table, footnotes, headers, rotated_left, rotated_right, upside_down, vertical,
    justified, hyphenated, letter_spaced, drop_cap, marked, page_break, backwards, doubled, invisible_signs,
    around_a_figure, signs,
)  # fmt: skip
WITHOUT_TEXT: tuple[Layout, ...] = (picture, outlines)
