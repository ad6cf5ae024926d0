"""toc_df: bookmarks and printed contents, each entry checked against the page that it points to."""

from __future__ import annotations

import pandas as pd
import pymupdf
import pytest

from docaudit.tables import TOC_DF
from tests import pdfs
from tests.conftest import parse_once

CHAPTERS = [("1 The quays", 3), ("1.1 Cranes", 3), ("2 The basin", 4), ("3 The ferries", 5)]


def contents(page: pymupdf.Page) -> None:
    pdfs.write(page, ["Contents"], size=18)
    lines = [f"{title} {'.' * (60 - len(title))} {number}" for title, number in CHAPTERS]
    lines.append(f"4 The lighthouse {'.' * 44} 6")
    pdfs.write(page, lines, y=140, step=22)


def chapter(*titles: str) -> pdfs.Draw:
    def draw(page: pymupdf.Page) -> None:
        for number, title in enumerate(titles):
            pdfs.write(page, [title], y=100 + 200 * number, size=16)
            pdfs.write(page, pdfs.PROSE, y=140 + 200 * number)

    return draw


def bookmarks(doc: pymupdf.Document) -> None:
    levels = {"1.1 Cranes": 2}
    doc.set_toc(
        [*[[levels.get(title, 1), title, page] for title, page in CHAPTERS], [1, "Nowhere to be seen", 2]]
    )


DATA = pdfs.document(
    pdfs.text("The title page"),
    contents,
    chapter("1 The quays", "1.1 Cranes"),
    chapter("2 The basin"),
    chapter("3 The ferries"),
    chapter("Another title than the contents say"),
    finish=bookmarks,
)


@pytest.fixture(scope="module")
def toc() -> pd.DataFrame:
    return TOC_DF.check(parse_once(DATA).toc_df)


def test_outline(toc: pd.DataFrame) -> None:
    outline = toc[toc["source"] == "outline"]
    assert list(zip(outline["title"], outline["page_num"], strict=True))[:4] == CHAPTERS
    assert outline["level"].tolist() == [1, 2, 1, 1, 1]
    assert outline["parent_num"].tolist() == [0, 1, 0, 0, 0]
    assert outline["found_on_page"].tolist() == [True, True, True, True, False]


def test_printed(toc: pd.DataFrame) -> None:
    printed = toc[toc["source"] == "printed"]
    assert printed["title"].tolist() == [*[title for title, _ in CHAPTERS], "4 The lighthouse"]
    assert printed["page_num"].tolist() == [3, 3, 4, 5, 6]
    assert printed["level"].tolist() == [1, 2, 1, 1, 1]
    assert printed["found_on_page"].tolist() == [True, True, True, True, False]


def test_numbers_run_through(toc: pd.DataFrame) -> None:
    assert toc["toc_num"].tolist() == list(range(1, 11))


def test_entries_that_are_not_on_their_page_are_listed() -> None:
    coverage = parse_once(DATA).coverage
    assert coverage.toc_entries == 10
    assert coverage.contents_not_found == ("Nowhere to be seen (page 2)", "4 The lighthouse (page 6)")


def test_printed_page_numbers_are_mapped_by_page_labels() -> None:
    def labelled(doc: pymupdf.Document) -> None:
        doc.set_page_labels(
            [
                {"startpage": 0, "style": "r", "firstpagenum": 1},
                {"startpage": 2, "style": "D", "firstpagenum": 1},
            ]
        )

    def shifted(page: pymupdf.Page) -> None:
        pdfs.write(page, ["Contents"], size=18)
        titles = ["The quays", "The basin", "The ferries"]
        pdfs.write(page, [f"{t} {'.' * 50} {n}" for n, t in enumerate(titles, 1)], y=140, step=22)

    parsed = parse_once(
        pdfs.document(
            pdfs.text("Title"),
            shifted,
            *(chapter(f"The {x}") for x in ("quays", "basin", "ferries")),
            finish=labelled,
        )
    )
    assert parsed.page_df["page_label"].tolist() == ["i", "ii", "1", "2", "3"]
    assert parsed.toc_df["page_num"].tolist() == [3, 4, 5]
    assert parsed.toc_df["found_on_page"].all()


def test_a_table_of_numbers_is_no_contents() -> None:
    rows = [f"Island {n} ........ {v}" for n, v in enumerate((900, 12, 455, 3, 78))]
    assert parse_once(pdfs.document(pdfs.text(*pdfs.PROSE, *rows))).toc_df.empty


def test_contents_end_where_other_tables_begin() -> None:
    """Every page has a link "Table of Contents" at its top; the table of officers below one of them is no contents."""

    def officers(page: pymupdf.Page) -> None:
        pdfs.write(page, ["Table of Contents"], size=9, y=40)
        rows = [f"Officer {name} ............ {age}" for name, age in (("Ida", 57), ("Bo", 61), ("Cy", 64))]
        pdfs.write(page, [*pdfs.PROSE, *rows], y=140, step=22)

    data = pdfs.document(contents, officers, *(chapter(title) for title, _ in CHAPTERS))
    toc = parse_once(data).toc_df
    assert toc["title"].tolist() == [*[title for title, _ in CHAPTERS], "4 The lighthouse"]


def test_a_page_without_a_number_in_the_middle_shifts_what_follows() -> None:
    """Page numbers printed on the pages say which page is meant, where one offset would fit only a part."""

    def index(page: pymupdf.Page) -> None:
        pdfs.write(page, ["I N D E X"], size=18)
        pdfs.write(
            page,
            [f"Item {n}. {title} {'.' * 40} {n + 1}" for n, title in enumerate(TITLES, 1)],
            y=140,
            step=22,
        )

    def body(title: str, number: int | None) -> pdfs.Draw:
        def draw(page: pymupdf.Page) -> None:
            pdfs.write(page, [title], size=16)
            pdfs.write(page, pdfs.PROSE, y=200)
            if number:
                pdfs.write(page, [f"- {number} -"], y=800)

        return draw

    pages = [body(title, number) for number, title in enumerate(TITLES, 2)]
    toc = parse_once(pdfs.document(index, *pages[:4], body("no number", None), *pages[4:])).toc_df
    assert toc["page_num"].tolist() == [2, 3, 4, 5, 7, 8, 9, 10]
    assert toc["found_on_page"].all()  # "Item 1." is left out in the headings


TITLES = ("Quays", "Basins", "Ferries", "Lighthouses", "Pilots", "Customs", "Dredging", "Tides")
