"""With --ocr full the pixels of every page are held against its text layer."""

from __future__ import annotations

import pymupdf
import pytest

import docaudit
from docaudit.codes import BlindSpotKind
from docaudit.extract.ocr import RegionReading
from docaudit.extract.ocr_against_text import compare_with_ocr
from docaudit.extract.ocr_engines import OcrWord
from docaudit.extract.protocol import Box, LineFact
from tests import pdfs
from tests.conftest import parse_once

RECT: Box = (0, 0, 595, 842)
BOX: Box = (72, 100, 372, 115)


def line(text: str, box: Box = BOX, **fields: object) -> LineFact:
    return LineFact(text=text, box=box, block=1, source="text_layer", **fields)  # type: ignore[arg-type]


def seen(*texts: str, y: float = 101.0, confidence: float = 95.0) -> RegionReading:
    words = [
        OcrWord(text, (75 + 60 * at, y, 130 + 60 * at, y + 12), confidence, 1)
        for at, text in enumerate(texts)
    ]
    return RegionReading("read", tuple(words))


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("The audit trail is kept", ("The", "audit", "trail", "is", "kept")),
        ("The audit trail is kept", ("Tbe", "aud1t", "trail", "i5", "kept")),  # misread, as OCR does
        ("The audit trail is kept", ("audit", "trail")),  # the rest is too faint
        ("監査証跡は保存されます", ("EERE", "HATS", "SHELT")),  # not what English OCR can read
        ("x", ("audit",)),
        ("монтаж", ("MOHTA",)),  # another script, taken for capitals
        ("восток и запад", ("BocToK", "n", "3anaA")),
        ("x", ("audit", "TRAIL")),
    ],
)
def test_what_may_be_the_same(said: str, read: tuple[str, ...]) -> None:
    assert compare_with_ocr(seen(*read), [line(said)], [], RECT) == ([], [])


def test_another_text_altogether() -> None:
    _, (spot,) = compare_with_ocr(seen("audit", "trail", "kept"), [line("hbkpa ayhps rlwa")], [], RECT)
    assert spot.kind == BlindSpotKind.TEXT_DISAGREES
    assert spot.detail == "the text layer says 'hbkpa ayhps rlwa', the picture 'audit trail kept'"
    assert spot.box is not None
    assert spot.box[0] <= BOX[0]
    assert spot.box[2] >= BOX[2]


@pytest.mark.parametrize(
    "said", ["T A B", "บันทึกการตรวจสอบจะถูก", "աուդիտի հետքը", "\xad\xad\xad \xad\xad\xad", "••• ••••"]
)
def test_plain_words_in_place_of_what_ocr_does_not_read(said: str) -> None:
    lines, spots = compare_with_ocr(seen("The", "audit", "trail"), [line(said)], [], RECT)
    assert [spot.kind for spot in spots] == [BlindSpotKind.TEXT_DISAGREES]
    assert [one.text for one in lines] == ["audit trail"]


def test_plain_words_that_another_line_says_in_the_same_place() -> None:
    layer = [line("•••"), line("The audit trail")]
    assert compare_with_ocr(seen("The", "audit", "trail"), layer, [], RECT) == ([], [])


def test_one_word_painted_over() -> None:
    lines, spots = compare_with_ocr(
        seen("The", "asbestos", "was", "removed"), [line("The phlogin was removed")], [], RECT
    )
    assert len(spots) == 1
    assert [one.text for one in lines] == ["asbestos"]


def test_a_reading_without_confidence_disagrees_with_nothing() -> None:
    _, spots = compare_with_ocr(
        seen("audit", "trail", "kept", confidence=60.0), [line("hbkpa ayhps rlwa")], [], RECT
    )
    assert spots == []


@pytest.mark.parametrize("state", ["covered", "same_colour", "cropped"])
def test_text_that_nobody_sees_is_not_compared(state: str) -> None:
    assert (
        compare_with_ocr(seen("audit", "trail"), [line("hbkpa ayhps", visibility=state)], [], RECT)[1] == []
    )


def test_words_where_there_is_no_text_become_lines_once() -> None:
    whole = seen("audit", "trail", y=400.0)
    lines, _ = compare_with_ocr(whole, [line("a line")], [], RECT)
    assert [one.text for one in lines] == ["audit trail"]
    known = [line("audit trail", box=(70, 395, 300, 415))]
    assert compare_with_ocr(whole, [line("a line")], known, RECT) == ([], [])


def test_a_failed_reading_leaves_the_page_uncompared() -> None:
    _, (spot,) = compare_with_ocr(RegionReading("failed", detail="no engine"), [line("x")], [], RECT)
    assert (spot.kind, spot.detail) == (BlindSpotKind.OCR_FAILED, "no engine")


def layered_scan(hidden: str) -> bytes:
    """A scan of a sentence with an invisible text layer over it that says something."""

    def draw(page: pymupdf.Page) -> None:
        pdfs.scan("The asbestos register is complete", size=16)(page)
        page.insert_text((pdfs.LEFT, pdfs.TOP), hidden, fontsize=16, render_mode=3)

    return pdfs.document(draw)


def test_a_hidden_layer_that_says_something_else() -> None:
    parsed = parse_once(layered_scan("Quarterly figures improved again"), ocr="full")
    kinds = parsed.blind_spot_df["kind"].tolist()
    assert kinds.count("text_disagrees") == 1
    assert (
        "The asbestos register is complete"
        in parsed.line_df.loc[parsed.line_df["source"] == "ocr", "text"].tolist()
    )
    table = docaudit.ConceptTable.from_variants({"x": ["purple walrus"]})
    assert docaudit.audit(parsed, table).finding == "not_established"


def test_a_hidden_layer_that_says_what_the_scan_shows() -> None:
    parsed = parse_once(layered_scan("The asbestos register is complete"), ocr="full")
    assert "text_disagrees" not in parsed.blind_spot_df["kind"].tolist()


def test_an_ordinary_page_is_confirmed() -> None:
    parsed = parse_once(pdfs.document(pdfs.text(*pdfs.PROSE)), ocr="full")
    assert len(parsed.blind_spot_df) == 0
    assert "ocr" not in set(parsed.line_df["source"])


def test_where_ocr_ran_nobody_is_told_to_run_it() -> None:
    def zigzags(page: pymupdf.Page) -> None:
        for x in range(80, 300, 12):
            page.draw_zigzag((x, 200), (x + 9, 200), breadth=3)
            page.draw_circle((x + 4, 220), 3)

    parsed = parse_once(pdfs.document(zigzags), ocr="auto")
    kinds = {BlindSpotKind(kind) for kind in parsed.blind_spot_df["kind"]}
    assert kinds
    assert all("--ocr auto" not in kind.remedy for kind in kinds)
