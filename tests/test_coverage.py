"""ParseCoverage: the six keys of the method, states that add up, gaps that numbering shows."""

from __future__ import annotations

import pikepdf
import pymupdf
import pytest

from docaudit.coverage import label_findings, measure_coverage, number_gaps
from docaudit.tables import CROSS_REF_DF, IMAGE_DF, LINE_DF, OBJECT_REGISTRY, PAGE_DF, TOC_DF
from tests import pdfs
from tests.conftest import parse_once

SIX = [
    "pages_total",
    "pages_with_text",
    "images_total",
    "toc_entries",
    "cross_refs_total",
    "objects_registered",
]


def test_blank_scan_and_text() -> None:
    parsed = parse_once(pdfs.document(pdfs.blank, pdfs.scan("nobody reads this"), pdfs.text("plain words")))
    keys = parsed.parse_coverage
    assert list(keys) == SIX
    assert keys == dict(zip(SIX, (3, 1, 1, 0, 0, 0), strict=True))
    assert parsed.page_df["state"].tolist() == ["blank", "image_only", "text"]
    coverage = parsed.coverage
    assert {state.value: count for state, count in coverage.pages_by_state.items() if count} == {
        "blank": 1,
        "image_only": 1,
        "text": 1,
    }
    assert (coverage.images_read, coverage.images_without_text, coverage.images_unread) == (0, 0, 1)
    assert coverage.ink_read_share is not None
    assert 0 < coverage.ink_read_share < 1
    assert (coverage.words_second_reader_only, coverage.words_first_reader_only) == (0, 0)
    without = parse_once(pdfs.document(pdfs.text("plain words")), second_reader=False).coverage
    assert without.words_second_reader_only is None  # not run is not zero


def test_pages_that_ocr_alone_read_are_counted_apart() -> None:
    pages = pdfs.blank, pdfs.scan("somebody reads this", dpi=200), pdfs.text("plain words")
    read = parse_once(pdfs.document(*pages), ocr="auto").coverage
    assert (read.pages_with_text, read.pages_by_ocr_alone, read.pages_read) == (1, 1, 2)
    unread = parse_once(pdfs.document(*pages)).coverage
    assert (unread.pages_with_text, unread.pages_by_ocr_alone, unread.pages_read) == (1, 0, 1)


def test_states_and_images_add_up() -> None:
    def three(page: pymupdf.Page) -> None:
        for number in range(3):
            page.insert_image(
                pymupdf.Rect(72, 80 + 150 * number, 372, 180 + 150 * number),
                stream=pdfs.picture(f"word {number}"),
            )

    coverage = parse_once(pdfs.document(three, pdfs.text("Figure 1: A quay"), pdfs.blank)).coverage
    assert sum(coverage.pages_by_state.values()) == coverage.pages_total
    assert (
        coverage.images_read + coverage.images_without_text + coverage.images_unread
        == coverage.images_total
        == 3
    )
    assert coverage.objects_registered == 1


@pytest.mark.parametrize(
    ("labels", "gaps"),
    [
        ([], ()),
        (["1", "2", "3"], ()),
        (["i", "ii", "1", "2"], ()),
        (["1", "2", "5"], ("page 3: label 5 follows 2",)),
        (["A-1", "A-2", "A-4"], ("page 3: label A-4 follows A-2",)),
        (["A-1", "B-7"], ()),
        (["i", "ii", "v", "1"], ("page 3: label v follows ii",)),
        (["1", "2", "2", "3"], ("page 3: label 2 is also that of page 2",)),
        (
            ["1", "i", "ii", "1", "2"],
            (),
        ),  # a cover, a preface and a body: each numbering begins at its first number
        (["1", "2", "3", "1", "2"], ()),  # two volumes
        (
            ["1", "2", "3", "2", "3"],
            ("page 4: label 2 is also that of page 2", "page 5: label 3 is also that of page 3"),
        ),
        (["Cover", "1", "2"], ()),
        (["", "", ""], ()),
    ],
)
def test_label_findings(labels: list[str], gaps: tuple[str, ...]) -> None:
    assert label_findings(labels) == gaps


@pytest.mark.parametrize(
    ("ids", "gaps"),
    [
        (["1", "2", "3"], ()),
        (["1", "3"], ("figure 2",)),
        (["2", "3"], ("figure 1",)),
        (["1.A", "1.B", "3.A"], ("figure 2",)),
        (["2.1", "2.3", "3.1"], ("figure 2.2",)),
        (["A1", "A3"], ("figure A2",)),
        ([], ()),
    ],
)
def test_number_gaps(ids: list[str], gaps: tuple[str, ...]) -> None:
    registry = OBJECT_REGISTRY.build({"object_type": "figure", "object_id": one} for one in ids)
    assert number_gaps(registry) == gaps


def test_gaps_of_labels_in_a_file() -> None:
    def label(doc: pymupdf.Document) -> None:
        doc.set_page_labels(
            [
                {"startpage": 0, "style": "D", "firstpagenum": 1},
                {"startpage": 2, "style": "D", "firstpagenum": 7},
            ]
        )

    parsed = parse_once(pdfs.document(*[pdfs.text("a page")] * 3, finish=label))
    assert parsed.page_df["page_label"].tolist() == ["1", "2", "7"]
    assert parsed.coverage.page_label_gaps == ("page 3: label 7 follows 2",)


def numbered(*numbers: int | None) -> bytes:
    """Pages with a number printed at the bottom."""

    def draw(number: int | None) -> pdfs.Draw:
        def page(page: pymupdf.Page) -> None:
            pdfs.write(page, [*pdfs.PROSE, "In 2019 there were 41 ferries."])
            if number is not None:
                pdfs.write(page, [f"Harbour Office 2019 | {number}"], y=810, size=9)

        return page

    return pdfs.document(*map(draw, numbers))


@pytest.mark.parametrize(
    ("numbers", "gaps"),
    [
        (range(1, 13), ()),
        ([1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13], ("page 7: printed page number 9 follows 6",)),
        ([1, 2, 3, 4, 5, None, 7, 8, 9, 10, 11], ()),  # a page without its number
        (
            [1, 2, 3, 4, 5, None, 9, 10, 11, 12, 13],
            ("page 7: printed page number 9 follows 5, 1 page between them",),
        ),
        ([1, 2, 3, 4, 5, 1, 2, 3, 4, 5], ()),  # two reports in one file
        ([None, None, 455, 456, 457, 458, 459], ()),  # an article of a journal
        ([3, 17, 4, 99, 12, 41], ()),  # numbers that count nothing
    ],
)
def test_gaps_of_printed_page_numbers(numbers: list[int | None], gaps: tuple[str, ...]) -> None:
    coverage = parse_once(numbered(*numbers)).coverage
    assert coverage.page_label_gaps == gaps
    assert coverage.page_label_mismatches == ()


def test_labels_against_printed_numbers() -> None:
    def label(pdf: pikepdf.Pdf) -> None:
        style = pikepdf.Dictionary(S=pikepdf.Name.D, St=3)
        pdf.Root.PageLabels = pikepdf.Dictionary(Nums=pikepdf.Array([0, style]))

    parsed = parse_once(pdfs.changed(numbered(1, 2, 3, 4), label))
    assert parsed.page_df["page_label"].tolist() == ["3", "4", "5", "6"]
    assert parsed.coverage.page_label_mismatches == ("pages 1–4: labels 3–6, printed 1–4",)


def test_no_tables_no_numbers() -> None:
    page_df = PAGE_DF.build([{"page_num": 1, "state": "blank"}])
    empty = (LINE_DF, IMAGE_DF, TOC_DF, CROSS_REF_DF, OBJECT_REGISTRY)
    coverage = measure_coverage(page_df, *(contract.empty() for contract in empty))
    assert coverage.six_keys() == dict(zip(SIX, (1, 0, 0, 0, 0, 0), strict=True))
    assert coverage.ink_read_share is None
