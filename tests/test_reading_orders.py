"""Every way in which a line may continue, and nothing that costs a plain document a second pass."""

from __future__ import annotations

import pytest

from docaudit.search.lines import PageLines
from docaudit.search.reading_orders import OrderKind, reading_orders
from tests.lines_helper import boxed, hits, kinds, page_of, table


def test_plain_page_has_its_stream_and_nothing_else() -> None:
    orders = reading_orders(PageLines.of(table(page_of("one line", "and another", "and a third"))))
    assert [order.kind for order in orders] == [OrderKind.STREAM]


def test_next_line() -> None:
    assert kinds(page_of("about facial", "recognition in"), "facial recognition") == ["across_lines"]
    assert kinds(page_of("the geo-", "fencing of"), "geofencing") == ["dehyphenated"]
    assert kinds(page_of("an AI-", "driven tool"), "AI-driven") == ["across_lines"]
    assert kinds(page_of("关于人工", "智能的"), "人工智能") == ["across_lines"]


def test_columns_drawn_row_by_row() -> None:
    rows = boxed(
        ("reached by automated", 72, 100, 120),
        ("closes at three on", 300, 100, 120),
        ("decision making is", 72, 114, 120),
        ("weekdays as always", 300, 114, 120),
    )
    assert kinds(rows, "automated decision") == ["across_cells"]
    assert kinds(rows, "three on weekdays") == ["across_cells"]


def test_next_column() -> None:
    left = [
        (text, 72.0, 100.0 + 14 * place, 120.0) for place, text in enumerate(["aa bb", "cc dd", "the audit"])
    ]
    right = [
        (text, 300.0, 100.0 + 14 * place, 120.0) for place, text in enumerate(["trail is", "ee ff", "gg hh"])
    ]
    mixed = [cell for pair in zip(left, right, strict=True) for cell in pair]
    assert len(hits(boxed(*mixed), "audit trail")) == 1


def test_page_break_over_header_footer_and_note() -> None:
    rows = page_of("we keep an audit")
    rows += page_of("page 1", start=2, line_type="footer", y0=800.0, y1=810.0)
    rows += page_of("Annual report", page=2, line_type="header", y0=20.0, y1=30.0)
    rows += page_of("trail of all", page=2, start=2)
    hit = hits(rows, "audit trail").iloc[0]
    assert (hit.match_kind, hit.page_num, hit.page_end) == ("across_pages", 1, 2)


def test_text_goes_on_after_a_figure() -> None:
    rows = page_of("the personal")
    rows += page_of("Figure 1: a chart", start=2, line_type="caption", y0=120.0, y1=130.0)
    rows += page_of("data of staff", start=3, y0=140.0, y1=150.0)
    assert len(hits(rows, "personal data")) == 1


def test_pieces_of_a_row_drawn_out_of_order() -> None:
    rows = boxed(("register", 130, 100, 50), ("risk", 72, 100, 50))
    assert len(hits(rows, "risk register")) == 1


def test_vertical_text_and_rotated_text() -> None:
    rows = boxed(("公開", 200, 72, 12), ("の情報", 220, 72, 12), direction="vertical")
    for row in rows:
        row["y1"] = 120.0
    assert len(hits(rows, "情報公開")) == 1
    turned = boxed(("area", 36, 100, 12), ("Restricted", 20, 100, 12), direction="rotated_left")
    for row in turned:
        row["y1"] = 180.0
    assert len(hits(turned, "restricted area")) == 1


def test_readings_of_a_line() -> None:
    assert kinds(page_of("A U D I T  T R A I L"), "audit trail") == ["letter_spaced"]
    assert kinds(page_of("A U D I T T R A I L"), "audit trail") == ["letter_spaced"]
    assert kinds(page_of("A U D I T  T R A I L"), "AI") == []
    assert kinds(page_of("Requestsfromadatasubjectareansweredinamonth."), "data subject") == ["squeezed"]
    assert len(hits(page_of("EEmmeerrggeennccyy ssttoopp"), "emergency stop")) == 1
    assert len(hits(page_of("the profiling3 of staff"), "profiling of staff")) == 1
    assert len(hits(page_of("f\u00a8ur Pr\u00a8ufung"), "Prüfung")) == 1
    assert len(hits(page_of("fu\u00a8r Pru\u00a8fung"), "Prüfung")) == 1
    assert len(hits(page_of("הזוח לש"), "חוזה")) == 1


def test_ruby_between_ideographs() -> None:
    rows = page_of("権けん利り条じょう約やく")
    rows[0].update(x1=72.0 + 4 * 11.0)
    assert len(hits(rows, "権利条約")) == 1
    assert len(hits(page_of("権利の条約"), "権利条約")) == 0


def test_stacked_letters_and_large_initial() -> None:
    assert len(hits(page_of(*"POISON"), "poison")) == 1
    rows = page_of("P") + page_of("rivacy notice", start=2)
    rows[0].update(x0=72.0, x1=90.0, y0=70.0, y1=98.0, font_size=30.0)
    rows[1].update(x0=91.0, y0=72.0, y1=84.0)
    assert len(hits(rows, "Privacy notice")) == 1


def test_glyphs_drawn_backwards() -> None:
    cells = [(char, 172.0 - 6 * place, 100.0, 6.0) for place, char in enumerate("eef neddih") if char != " "]
    assert len(hits(boxed(*cells), "hidden fee")) == 1


def test_beside_the_page_each_line_stands_alone_or_with_its_block() -> None:
    rows = page_of("audit", "trail", source="bookmark", block_num=0)
    assert kinds(rows, "audit trail") == []
    rows = page_of("audit", "trail", source="annotation", block_num=3)
    assert kinds(rows, "audit trail") == ["across_lines"]


def test_line_that_runs_over_the_gap_between_columns() -> None:
    rows = boxed(
        ("A person may object", 72, 100, 130),
        ("The canteen opens at", 232, 100, 150),
        ("outcome of automated closes at three", 72, 114, 320),
        ("decision making, and", 72, 128, 140),
        ("on weekdays, with", 232, 128, 130),
    )
    assert len(hits(rows, "automated decision")) == 1
    assert len(hits(rows, "three on weekdays")) == 1


def test_line_without_blanks() -> None:
    rows = page_of("tetraloop(Woeseetal.1990),sarcin/ricinloop(Szewczaketal.")
    assert len(hits(rows, "Woese et al.")) == 1
    assert len(hits(page_of("LongnoncodingRNA(ncRNA),whichconsistsof>200ntand"), "RNA")) == 2
    assert len(hits(page_of("aPharmaceutical Institute"), "Pharmaceutical Institute")) == 1


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("Minimale Hardware-Anforderungen", "forderungen"),
        ("Experten-Installation, Rettungsmodus", "modus"),
        ("Wireless-LAN-Netzwerkkarten", "LAN-Netz"),
    ],
)
def test_a_compound_is_no_line_that_lost_its_blanks(text: str, variant: str) -> None:
    assert kinds(page_of(text), variant) == []


def test_words_drawn_backwards_are_read_as_they_stand() -> None:
    rows = boxed(("register", 126, 100, 50), ("risk", 100, 100, 22), ("the", 76, 100, 20))
    assert len(hits(rows, "the risk register")) == 1
    assert kinds(rows, "register risk") == []
    assert kinds(rows, "risk the") == []


def test_right_to_left_words_are_read_from_the_right() -> None:
    drawn_from_the_left = boxed(("חדש", 72, 100, 20), ("חוזה", 96, 100, 24), ("על", 124, 100, 14))
    drawn_from_the_right = boxed(("על", 124, 100, 14), ("חוזה", 96, 100, 24), ("חדש", 72, 100, 20))
    for rows in (drawn_from_the_left, drawn_from_the_right):
        assert len(hits(rows, "על חוזה חדש")) == 1
        assert kinds(rows, "חדש חוזה") == []


def test_order_of_drawing_counts_where_boxes_tell_nothing() -> None:
    rows = boxed(("register", 126, 100, 50), ("risk", 100, 100, 22), direction="slanted")
    assert len(hits(rows, "register risk")) == 1
    above = boxed(("a fee for", 300, 100, 60), ("late filing", 72, 112, 80))  # the next row, not the same
    assert len(hits(above, "fee for late filing")) == 1
