"""Text that a person reads as one phrase though the page sets it apart, in real PDFs: one document for each way of
drawing, one page for each case, parsed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd
import pymupdf
import pytest
from reportlab.pdfgen.canvas import Canvas

import docaudit
from docaudit.concepts.model import ConceptTable
from docaudit.search import sweep_lines
from tests.pdfs import PROSE, TALL, document, reportlab, write

Paint = Callable[[Canvas], None]

KINDS_OF_APART = {"letter_spaced", "squeezed", "across_lines", "across_cells"}


def prose(canvas: Canvas, top: float = 90) -> None:
    canvas.setFont("Helvetica", 11)
    for number, line in enumerate(PROSE[:3]):
        canvas.drawString(72, TALL - top - 16 * number, line)


def by_char_space(words: str, pitch: float) -> Paint:
    def paint(canvas: Canvas) -> None:
        prose(canvas)
        text = canvas.beginText(72, TALL - 200)
        text.setFont("Helvetica", 11)
        text.setCharSpace(pitch - 5.5)
        text.textOut(words)
        canvas.drawText(text)

    return paint


def by_glyph(words: str, pitch: float, before: str = "", after: str = "") -> Paint:
    """One text object for each letter, also inside a line of running text."""

    def paint(canvas: Canvas) -> None:
        prose(canvas)
        canvas.drawString(72, TALL - 200, before)
        x = 72 + canvas.stringWidth(before, "Helvetica", 11) + (8 if before else 0)
        for char in words:
            if char != " ":
                canvas.drawString(x, TALL - 200, char)
            x += pitch
        canvas.drawString(x + 6, TALL - 200, after)

    return paint


def with_mark(mark: str, gap: float, rise: float) -> Paint:
    """A superscript mark as a text object of its own between two words."""

    def paint(canvas: Canvas) -> None:
        prose(canvas)
        start = "We keep an audit"
        canvas.drawString(72, TALL - 200, start)
        x = 72 + canvas.stringWidth(start, "Helvetica", 11)
        canvas.setFont("Helvetica", 6.5)
        canvas.drawString(x + 0.2, TALL - 200 + rise, mark)
        x += canvas.stringWidth(mark, "Helvetica", 6.5)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(x + gap, TALL - 200, "trail of all changes.")

    return paint


SPACED: list[tuple[Paint, str]] = [
    (paint, words)
    for words in ("walrus", "audit trail", "grey walrus tusk")
    for pitch in (9, 12, 14, 16, 20)
    for paint in (
        by_char_space(words, pitch),
        by_glyph(words, pitch),
        by_glyph(words, pitch, "We saw a", "on the quay."),
    )
]
MARKED: list[tuple[Paint, str]] = [
    (with_mark(mark, gap, rise), "audit trail")
    for mark in ("1", "12", "*")
    for gap in (0.2, 3)
    for rise in (3, 5)
]


@pytest.fixture(scope="module")
def spaced() -> pd.DataFrame:
    return docaudit.parse(reportlab(*(paint for paint, _ in SPACED + MARKED)), ocr="off").line_df


@pytest.mark.parametrize("page", range(len(SPACED)))
def test_letters_set_apart(spaced: pd.DataFrame, page: int) -> None:
    phrase = SPACED[page][1]
    found = hits_on(spaced, page + 1, phrase)
    assert len(found) == 1
    assert set(found) <= KINDS_OF_APART
    assert hits_on(spaced, page + 1, "walrut", "grey tusk", "audit walrus") == []


@pytest.mark.parametrize("number", range(len(MARKED)))
def test_mark_of_a_note_between_two_words(spaced: pd.DataFrame, number: int) -> None:
    assert hits_on(spaced, len(SPACED) + number + 1, MARKED[number][1])


def hits_on(line_df: pd.DataFrame, page: int, *phrases: str) -> list[str]:
    """match_kind of each hit on one page."""
    lines = line_df[line_df["page_num"] == page]
    table = ConceptTable.from_variants({"phrase": list(phrases)})
    return sweep_lines(lines, table, pages_total=page)[0]["match_kind"].tolist()


def _end_of_page(canvas: Canvas) -> None:
    prose(canvas)
    canvas.drawString(72, TALL - 700, "All of this is part of the audit")
    canvas.setFont("Helvetica", 8)
    for number, note in enumerate(
        ("See the statement of last year.", "Ibid., page 7.", "Measured in spring.")
    ):
        canvas.drawString(72, TALL - 740 - 10 * number, f"{number + 1} {note}")


def _goes_on(canvas: Canvas, top: float) -> None:
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, TALL - top, "trail that the board keeps for all changes.")
    prose(canvas, top + 30)


def _plain(canvas: Canvas) -> None:
    _goes_on(canvas, 80)


def _after_header(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 9)
    canvas.drawString(72, TALL - 40, "Yearly statement of the harbour")
    canvas.drawString(400, TALL - 40, "Chapter 4")
    canvas.drawString(72, TALL - 52, "Section on safety at sea")
    _goes_on(canvas, 80)


def _after_table(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 9)
    for row in range(5):
        for x, cell in ((72, f"Quay {row}"), (200, f"ships moored {7 * row}"), (350, "open all day")):
            canvas.drawString(x, TALL - 60 - 14 * row, cell)
    _goes_on(canvas, 170)


def _after_caption(canvas: Canvas) -> None:
    canvas.rect(72, TALL - 200, 300, 140, fill=1)
    canvas.setFont("Helvetica", 9)
    for number, line in enumerate(
        ("Figure 3: Ships that entered the basin, by size,", "as counted at the gate,", "without ferries.")
    ):
        canvas.drawString(72, TALL - 215 - 11 * number, line)
    _goes_on(canvas, 280)


@pytest.mark.parametrize("second", [_plain, _after_header, _after_table, _after_caption])
def test_phrase_over_a_page_break_and_what_stands_around_it(second: Paint) -> None:
    lines = docaudit.parse(reportlab(_end_of_page, second), ocr="off").line_df
    table = ConceptTable.from_variants({"phrase": ["audit trail"]})
    hit = sweep_lines(lines, table, pages_total=2)[0].iloc[0]
    assert (hit.match_kind, hit.page_num, hit.page_end) == ("across_pages", 1, 2)


MENTIONS = [
    ('the "machine" learning team', "machine learning", "across_signs"),
    ('the machine "learning" team', "machine learning", "across_signs"),
    ("the 'machine learning' team", "machine learning", "exact"),
    ("by Acme\u00ae Cloud", "Acme Cloud", "across_signs"),
    ("by Acme Cloud", "Acme\u00ae Cloud", "folded"),
    ("(AI) systems", "AI systems", "across_signs"),
    ("[AI] systems", "AI systems", "across_signs"),
    ('an "AI"-driven tool', "AI-driven", "across_signs"),
    ("A.I. is", "AI", "folded"),
    ("the U.S. is", "US", "folded"),
    ("the U. S. is", "US", "folded"),
    ("the US is", "U.S.", "folded"),
    ("an AI is", "A.I.", "folded"),
    ("the A.I. systems", "AI systems", "folded"),
    ("and/or", "and/or", "exact"),
    ("an e-mail is", "email", "dehyphenated"),
    ("an email is", "e-mail", "folded"),
    ("a co-operation", "cooperation", "dehyphenated"),
    ("a wal\u00adrus is", "walrus", "dehyphenated"),
    ("the data\u00adbase of ships", "database", "dehyphenated"),
    ("the data center", "datacenter", "squeezed"),
    ("the EU is", "EU", "exact"),
    ("X is", "X", "exact"),
]
NO_MENTIONS = [
    ("a machine, learning", "machine learning"),
    ("a machine. Learning", "machine learning"),
    ("machine/learning", "machine learning"),
    ('"machine" "learning"', "machine learning"),
    ("plan A. I think", "AI"),
    ("about us. So", "US"),
    ("the rapist", "therapist"),
]
JAPANESE = [
    ("新しいデータ・センターの", "データセンター", "across_signs"),
    ("新しいデータセンターの", "データ・センター", "folded"),
    ("新しいデータセンターの", "データセンター", "exact"),
    ("コンピュータの", "コンピューター", "folded"),
    ("サーバー設定の", "サーバ設定", "folded"),
    ("「人工」知能", "人工知能", "across_signs"),
    ("水の", "水", "exact"),
]
JAPANESE_NO = [("ビールの", "ビル"), ("「人工」「知能」", "人工知能"), ("人工、知能", "人工知能")]


@pytest.fixture(scope="module")
def pages() -> pd.DataFrame:
    def page(text: str, font: str) -> Callable[[pymupdf.Page], None]:
        def draw(sheet: pymupdf.Page) -> None:
            write(sheet, PROSE[:3])
            write(sheet, [text], y=200, fontname=font)

        return draw

    latin = [page(text, "helv") for text, *_ in (*MENTIONS, *NO_MENTIONS)]
    wide = [page(text, "japan") for text, *_ in (*JAPANESE, *JAPANESE_NO)]
    return docaudit.parse(document(*latin, *wide), ocr="off").line_df


def _cases() -> Iterator[tuple[int, str, str]]:
    listed = [
        *MENTIONS,
        *((*case, "") for case in NO_MENTIONS),
        *JAPANESE,
        *((*case, "") for case in JAPANESE_NO),
    ]
    for number, (_, phrase, kind) in enumerate(listed, 1):
        yield number, phrase, kind


@pytest.mark.parametrize(("page", "phrase", "kind"), list(_cases()))
def test_signs_hyphens_and_dots_inside_a_phrase(
    pages: pd.DataFrame, page: int, phrase: str, kind: str
) -> None:
    assert hits_on(pages, page, phrase) == ([kind] if kind else [])


def test_readings_between_ideographs_in_one_line() -> None:
    def draw(page: pymupdf.Page) -> None:
        write(page, PROSE[:2])
        x = 72.0
        for base, reading in (("権", "けん"), ("利", "り"), ("条", "じょう"), ("約", "やく")):
            page.insert_text((x, 200), base, fontname="japan", fontsize=12)
            page.insert_text((x + 12, 200), reading, fontname="japan", fontsize=5)
            x += 12 + 5 * len(reading)

    lines = docaudit.parse(document(draw), ocr="off").line_df
    assert len(hits_on(lines, 1, "権利条約")) == 1
