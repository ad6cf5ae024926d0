"""How much a program can read: the share, its denominators, and one summary for each kind."""

from __future__ import annotations

import pymupdf
import pytest

from docaudit.codes import BlindSpotKind
from docaudit.coverage import CorpusReadability, UnreadableDocument, measure_readability
from docaudit.justification import ParseCoverage
from docaudit.render.coverage import print_coverage
from docaudit.render.terminal import new_console
from tests import pdfs
from tests.conftest import parse_once


def attached(doc: pymupdf.Document) -> None:
    doc.embfile_add("plan.dwg", b"AC1027" + bytes(range(256)) * 9, filename="plan.dwg")


MIXED = pdfs.document(
    pdfs.text(*pdfs.PROSE),
    pdfs.scan("nobody reads this"),
    pdfs.with_picture(pdfs.PROSE, ["a picture of words"]),
    pdfs.blank,
    finish=attached,
)
CLEAN = pdfs.document(pdfs.text(*pdfs.PROSE))


def shown(corpus: CorpusReadability, width: int = 80, encoding: str = "utf-8", **named: object) -> str:
    import io

    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
    print_coverage(corpus, new_console(file=out, width=width), **named)
    out.flush()
    return out.buffer.getvalue().decode(encoding)


def test_numbers() -> None:
    one = measure_readability(parse_once(MIXED))
    assert one.readable_share == 0.5
    assert one.pages_read_in_full == 2
    assert one.pages_not_read_in_full == (2, 3)
    assert one.parts_not_read_outside_pages == 1
    assert not one.complete
    assert [page.page_num for page in one.pages] == [1, 2, 3, 4]
    assert [page.read_in_full for page in one.pages] == [True, False, False, True]
    assert [page.ink_read_share for page in one.pages][3] is None  # no ink is not a share of 0
    assert {item.kind.value: (item.pages, item.may_hold_text) for item in one.kinds} == {
        "image_only_page": ((2,), True),
        "image_not_read": ((3,), True),
        "attachment_not_read": ((0,), True),
    }
    assert sum(item.count for item in one.kinds) == len(one.blind_spots)
    assert one.pages_with([BlindSpotKind.IMAGE_NOT_READ, BlindSpotKind.LAYER_OFF]) == {
        BlindSpotKind.IMAGE_NOT_READ: (3,)
    }


def test_what_holds_no_text_does_not_lower_the_share() -> None:
    def photo(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        pdfs.photograph(page)

    one = measure_readability(parse_once(pdfs.document(photo), ocr="auto"))
    assert one.readable_share == 1
    assert one.complete
    assert all(not item.may_hold_text and item.remedy == "" for item in one.kinds)


def test_a_scan_that_ocr_read_is_read_in_full() -> None:
    scans = pdfs.document(pdfs.scan(*pdfs.PROSE, dpi=200), pdfs.scan(*pdfs.PROSE[:1], dpi=200))
    read = measure_readability(parse_once(scans, ocr="auto"))
    assert [page.state.value for page in read.pages] == ["image_only"] * 2
    assert [page.read_in_full for page in read.pages] == [True, True]
    assert read.readable_share == 1
    assert read.complete
    unread = measure_readability(parse_once(scans))
    assert unread.pages_not_read_in_full == (1, 2)


def test_a_page_that_was_not_rendered_is_not_read_in_full() -> None:
    parsed = parse_once(pdfs.document(pdfs.scan(*pdfs.PROSE)), ink=False)
    assert measure_readability(parsed).pages_not_read_in_full == (1,)


def test_sums_of_several() -> None:
    documents = [measure_readability(parse_once(data)) for data in (MIXED, CLEAN, MIXED)]
    corpus = CorpusReadability.of(documents, [UnreadableDocument(name="gone.pdf", error="no such file")])
    assert (corpus.documents_total, corpus.documents_complete) == (4, 1)
    assert (corpus.pages_total, corpus.pages_read_in_full) == (9, 5)
    assert corpus.readable_share == pytest.approx(5 / 9)
    totals = {total.kind.value: (total.documents, total.pages, total.count) for total in corpus.kinds}
    assert totals == {
        "image_only_page": (2, 2, 2),
        "image_not_read": (2, 2, 2),
        "attachment_not_read": (2, 0, 2),  # beside the pages
    }
    assert CorpusReadability.model_validate_json(corpus.model_dump_json()) == corpus


@pytest.mark.parametrize("width", [40, 80, 120])
def test_terminal_is_never_wider_than_it_is(width: int) -> None:
    corpus = CorpusReadability.of([measure_readability(parse_once(data)) for data in (MIXED, CLEAN)])
    text = shown(corpus, width)
    assert max(map(len, text.splitlines())) <= width
    assert "image_not_read: 3" in text


def test_every_number_has_its_denominator() -> None:
    corpus = CorpusReadability.of([measure_readability(parse_once(data)) for data in (MIXED, CLEAN)])
    words = " ".join(shown(corpus, 120).split())
    for said in (
        "50.0 % (2 of 4 pages read in full)",
        "text 1, text and images 1, image only 1, blank 1 (of 4)",
        "2 placed: 0 read by OCR, 0 without text, 2 unread",
        "warnings on 0 of 4 pages",
        "3 blind spots, on 2 of 4 pages",
        "0 of 0 entries found on their page",
        "attachment_not_read: document",
        "pages read in full: 3 of 5 (60.0 %)",
        "image_only_page 1 of 2 1 of 5 1",
    ):
        assert said in words
    assert "not compared with a second reader" in words or "seen by the second reader only" in words


def test_an_old_encoding_shows_plain_signs() -> None:
    text = shown(CorpusReadability.of([measure_readability(parse_once(MIXED))]), encoding="ascii")
    assert "\\u" not in text
    assert "> run with --ocr auto" in text


def test_findings_that_are_not_shown_are_counted() -> None:
    one = measure_readability(parse_once(CLEAN))
    gaps = tuple(f"figure {number}" for number in range(2, 13))
    many = one.model_copy(update={"coverage": one.coverage.model_copy(update={"number_gaps": gaps})})
    text = " ".join(shown(CorpusReadability.of([many])).split())
    assert "11 gaps among 0 named objects" in text
    assert "… 6 more: --json or --out" in text


def test_warnings_come_back_from_a_saved_parse(tmp_path) -> None:
    parsed = parse_once(pdfs.damaged_stream(pdfs.document(*[pdfs.text(*pdfs.PROSE)] * 2), 2))
    (warning,) = [text for text in parsed.page_df["warnings"] if text]
    loaded = type(parsed).load(parsed.save(tmp_path / "saved"))
    assert loaded.page_df["warnings"].tolist() == ["", warning]
    assert loaded.coverage == parsed.coverage
    assert isinstance(loaded.coverage, ParseCoverage)
    assert loaded.coverage.pages_with_warnings == (2,)
    again = measure_readability(loaded)
    assert again == measure_readability(parsed)
    assert again.pages[1].warnings == warning
    assert "warnings on 1 of 2 pages: 2" in shown(CorpusReadability.of([again]))
