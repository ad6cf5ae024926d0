"""What a second engine sees and the first does not is added to the lines; how far they agree stands in the coverage."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf
import pypdfium2
import pytest

import docaudit
from docaudit.document import ParsedDocument
from docaudit.extract import isolation
from docaudit.extract.protocol import LineFact
from docaudit.extract.second_reader import SecondReading, read_second
from tests import pdfs
from tests.conftest import parse_once

LINES = ("The audit trail is kept.", "Seven harbours were dredged.", "Cranes were replaced.")
TABLE = docaudit.ConceptTable.from_variants({"crane": ["cranes were replaced"]})


def compared(
    data: bytes, known: Sequence[tuple[str, tuple[float, float, float, float] | None]]
) -> SecondReading:
    """The second reading of the first page, beside lines that a first reader has."""
    with pymupdf.open(stream=data) as doc:
        rect = doc[0].rect
    peer = pypdfium2.PdfDocument(data)
    try:
        facts = [LineFact(text=text, box=box, block=1, source="text_layer") for text, box in known]
        found = read_second(peer[0], rect, facts)
        assert found is not None
        return found
    finally:
        peer.close()


def where(data: bytes, text: str) -> tuple[float, float, float, float]:
    with pymupdf.open(stream=data) as doc:
        (found,) = doc[0].search_for(text)
        return (found.x0, found.y0, found.x1, found.y1)


PAGE = pdfs.document(pdfs.text(*LINES))


def test_nothing_new() -> None:
    found = compared(PAGE, [(line, where(PAGE, line)) for line in LINES])
    assert (found.lines, found.words, found.first_only) == ([], [], 0)
    assert [one.word for one in found.witnesses] == ["audit", "harbours", "replaced"]  # both readers saw them


@pytest.mark.parametrize(
    "known",
    [
        ("THE  AUDIT-TRAIL is kept", "Sevenharbours were dredged", "Cranes were re", "placed."),
        ("Cranes were replaced.", "Seven harbours were dred\u00ad", "ged.", "The \u200baudit trail is kept."),
        ("Séven harbours were dredged. Cranes were replaced. The audit trail is kept.",),
    ],
)
def test_case_blanks_hyphens_accents_and_order_are_no_difference(known: tuple[str, ...]) -> None:
    found = compared(PAGE, [(line, None) for line in known])
    assert (found.lines, found.first_only) == ([], 0)


def test_a_line_that_the_first_reader_lacks_comes_with_its_place() -> None:
    found = compared(PAGE, [(line, where(PAGE, line)) for line in LINES[1:]])
    assert [line.text for line in found.lines] == list(
        LINES[:2]
    )  # the next one, as a phrase may run on into it
    assert found.words == [5, 0]
    box, place = found.lines[0].box, where(PAGE, LINES[0])
    assert box is not None
    assert place[0] - 1 <= box[0] < box[2] <= place[2] + 1
    assert place[1] - 1 <= box[1] < box[3] <= place[3] + 1


def test_a_word_that_stands_twice_and_was_read_once() -> None:
    twice = pdfs.document(pdfs.text("harbour", "quay", "harbour"))
    found = compared(twice, [("harbour", (72, 80, 110, 95)), ("quay", (72, 96, 100, 110))])
    assert found.second_only == 1
    assert [line.text for line, words in zip(found.lines, found.words, strict=True) if words] == ["harbour"]


def test_words_that_only_the_first_has_are_counted() -> None:
    found = compared(PAGE, [(line, None) for line in (*LINES, "purple walrus")])
    assert (found.first_only, found.lines) == (2, [])


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_places_are_those_of_the_displayed_page(turn: int) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((100, 200), "harbourmaster")
        page.set_cropbox(pymupdf.Rect(20, 40, 500, 800))
        page.set_rotation(turn)

    data = pdfs.document(draw)
    with pymupdf.open(stream=data) as doc:
        (place,) = (word[:4] for word in doc[0].get_text("words"))
        shown = pymupdf.Rect(place) * doc[0].rotation_matrix
    (line,) = compared(data, []).lines
    assert line.box is not None
    x0, y0, x1, y1 = line.box
    assert shown.contains(pymupdf.Rect(x0 + 1, y0 + 1, x1 - 1, y1 - 1))


def test_what_a_page_cuts_off_is_found_and_said_to_be_cropped() -> None:
    data = pdfs.document(lambda page: page.insert_text((560, 200), "harbourmaster"))
    table = docaudit.ConceptTable.from_variants({"harbour": ["harbourmaster"]})
    finding = docaudit.audit(data, table, ocr="off")
    assert [(hit.source, hit.visibility) for hit in finding.hits] == [("second_reader", "cropped")]
    coverage = parse_once(data).coverage
    assert (coverage.words_second_reader_only, coverage.pages_readers_disagree) == (0, ())


def test_both_readers_on_an_ordinary_document() -> None:
    parsed = parse_once(pdfs.document(pdfs.text(*pdfs.PROSE), pdfs.blank))
    assert parsed.page_df["words_first_only"].tolist() == [0, 0]
    assert parsed.page_df["words_second_only"].tolist() == [0, 0]
    assert "pypdfium2" in parsed.identity.versions
    check = next(
        one for one in docaudit.audit(parsed, TABLE).obligations if one.obligation == "readers_agree"
    )
    assert check.state == "met"


def test_switched_off_it_is_not_run() -> None:
    parsed = parse_once(PAGE, second_reader=False)
    assert parsed.page_df["words_second_only"].isna().all()
    check = next(
        one for one in docaudit.audit(parsed, TABLE).obligations if one.obligation == "readers_agree"
    )
    assert check.state == "not_run"


def sabotaged(monkeypatch: pytest.MonkeyPatch, what: str) -> ParsedDocument:
    monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
    monkeypatch.setenv("DOCAUDIT_SABOTAGE", what)
    data = pdfs.document(pdfs.text(*pdfs.PROSE), pdfs.text(*LINES), pdfs.text(*pdfs.PROSE))
    return docaudit.parse(data, ocr="off", workers=1)


def test_a_page_that_the_second_engine_cannot_read_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = sabotaged(monkeypatch, "mute:2")
    assert parsed.page_df["words_second_only"].isna().tolist() == [False, True, False]
    assert parsed.coverage.pages_not_compared == (2,)
    check = next(
        one for one in docaudit.audit(parsed, TABLE).obligations if one.obligation == "readers_agree"
    )
    assert check.state == "not_run"
    assert "1 of 3 pages" in check.evidence


def test_a_first_reader_that_sees_nothing_on_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = sabotaged(monkeypatch, "blind:2")
    added = parsed.line_df[parsed.line_df["source"] == "second_reader"]
    assert added["page_num"].unique().tolist() == [2]
    assert added["text"].tolist() == list(LINES)
    assert parsed.coverage.pages_readers_disagree == (2,)
    assert docaudit.audit(parsed, TABLE).concept_hits == {"crane": 1}
    absent = docaudit.audit(parsed, docaudit.ConceptTable.from_variants({"walrus": ["purple walrus"]}))
    assert absent.finding == "not_established"
    assert {check.obligation.value: check.pages for check in absent.unmet}["readers_agree"] == (2,)
