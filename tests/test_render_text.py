"""The terminal form: what must be in it, and that it is readable at 80 columns, without colour and in a pipe."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len

from docaudit.codes import BlindSpotKind, MatchKind, ObligationState, Strength, TextLikely
from docaudit.render.language import page_ranges
from docaudit.render.terminal import kwic_lines, new_console, print_report, split_snippet, to_text
from tests.factories import (
    absent,
    checks,
    hit,
    japanese,
    meeting,
    mentioned,
    near_miss,
    not_established,
    spot,
)

MAKERS = [absent, not_established, mentioned, meeting, japanese]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(make, width: int) -> None:
    for line in to_text(make(), width=width).splitlines():
        assert cell_len(line) <= width, line


@pytest.mark.parametrize(
    ("make", "first"),
    [
        (absent, "ABSENT WITHIN THE STATED COVERAGE"),
        (not_established, "NOT ESTABLISHED"),
        (mentioned, "MENTIONED"),
    ],
)
def test_the_finding_is_the_first_line(make, first: str) -> None:
    assert to_text(make()).splitlines()[0] == first


def test_no_colour_codes_without_colour_and_some_with() -> None:
    assert "\x1b" not in to_text(not_established())
    assert "\x1b[1;31mNOT ESTABLISHED" in to_text(not_established(), colour=True)


def test_waived_obligations_are_part_of_the_headline() -> None:
    waived = checks(
        references_resolved=(
            ObligationState.WAIVED,
            {"waived_because": "Figure 3.D is in the online edition."},
        )
    )
    text = to_text(absent(obligations=waived))
    assert text.startswith("ABSENT WITHIN THE STATED COVERAGE, WITH WAIVED REFERENCES_RESOLVED\n")
    assert "Waived because: Figure 3.D is in the online edition." in text


def test_a_check_that_was_not_run_does_not_read_as_met() -> None:
    text = to_text(absent())
    assert "all 9 obligations are met" not in text
    assert "8 met, 1 not run" in text
    assert "– Independent readers agree (not run)" in text


def test_unmet_obligations_come_with_pages_and_remedy() -> None:
    text = to_text(not_established())
    block = text[text.index("✗ Every page could be read") : text.index("✗ No attachment")]
    assert "pages 12, 58–64" in block
    assert "→ run with --ocr auto, or read these pages (obligation pages_readable)" in block


def test_blind_spots_are_grouped_and_every_page_is_named() -> None:
    text = to_text(not_established(), width=120)
    assert "16 blind spots (16 may hold text), document and pages 3, 7–9, 12, 14, 21, 30, 58–64" in text
    assert "7 × image_only_page  pages 58–64" in text
    assert "attachment_not_read  document" in text


def test_what_is_not_shown_is_counted_and_its_place_is_named() -> None:
    many = not_established(blind_spots=tuple(spot(page, detail=f"image {page}") for page in range(1, 60)))
    assert "… 56 more details not shown here: blind_spots in the JSON output" in to_text(many)
    misses = absent(near_misses=tuple(near_miss(page_num=page) for page in range(1, 12)))
    assert "… 3 more near misses not shown here: near_misses in the JSON output" in to_text(misses)
    hits = mentioned(hits=tuple(hit(page) for page in range(1, 31)))
    assert "… 10 more hits not shown here: hits in the JSON output" in to_text(hits)


def test_blind_spots_with_many_scattered_pages_are_all_named() -> None:
    pages = range(1, 64, 2)
    flat = " ".join(to_text(absent(blind_spots=tuple(spot(p) for p in pages))).split())
    assert page_ranges(pages) in flat


def test_hits_stand_in_one_column() -> None:
    lines = [line for line in to_text(absent()).splitlines() if re.match(r" +p\. \d+ ", line)]
    columns = {cell_len(line[: line.index("electricity")]) for line in lines if "electricity" in line}
    assert len(columns) == 1


def test_meeting_shows_the_passages_of_the_page_where_concepts_meet() -> None:
    text = to_text(meeting())
    assert "Passages to read  5 hits" in text
    assert "no use of AI is assumed" in text


def test_possible_misreadings_of_ocr_are_told_apart() -> None:
    fuzzy = absent(hits=(hit(match_kind=MatchKind.OCR_FUZZY, concept="AI"),))
    flat = " ".join(to_text(fuzzy).split())
    assert "1 possible hit, not counted" in flat


def test_terminal_control_sequences_of_a_document_are_not_passed_on() -> None:
    evil = "\x1b]0;owned\x07\x1b[2J electricity \u202emoc.live\x9b31m"
    text = to_text(
        absent(
            hits=(hit(snippet=evil, section=evil),),
            near_misses=(near_miss(snippet=evil, text="electricity", why_not=evil),),
            blind_spots=(spot(3, detail=evil),),
            question=evil,
            absence_explanation=evil,
            model_remark=evil,
        )
    )
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "electricity" in text


def test_brackets_and_colons_of_a_document_are_no_markup() -> None:
    text = to_text(mentioned(hits=(hit(snippet="[red]electricity[/red] :smile: [link=x]"),)))
    assert "[red]electricity[/red] :smile: [link=x]" in text


def test_plain_signs_for_an_old_encoding() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace")
    print_report(not_established(), new_console(file=out, width=80))
    out.flush()
    assert b"x Every page could be read (unmet)" in raw.getvalue()


def test_no_blind_spot_is_said() -> None:
    assert "Not read  nothing: no blind spot on any page" in to_text(absent(blind_spots=()))


def test_blind_spots_without_text_are_kept_apart() -> None:
    text = to_text(absent(blind_spots=(spot(3), spot(5, text_likely=TextLikely.NO), spot(6))))
    assert "2 × image_not_read  pages 3, 6" in text
    assert "  image_not_read  page 5\n" in text


def test_a_strength_that_obligations_cap_says_so() -> None:
    capped = not_established(strength=Strength.MODERATE)
    assert "moderate: no hit of a required concept, but obligations are unmet" in to_text(capped, width=120)


def test_remedies_are_not_given_for_what_holds_no_text() -> None:
    no_text = spot(3, BlindSpotKind.IMAGE_NOT_READ, text_likely=TextLikely.NO)
    assert "look at the image" not in to_text(absent(blind_spots=(no_text,)))


class TestKwic:
    def test_split_takes_the_occurrence_in_the_middle(self) -> None:
        cut = split_snippet("AI and more AI and less AI", "AI")
        assert (cut.left, cut.hit, cut.right) == ("AI and more ", "AI", " and less AI")

    def test_split_bridges_other_white_space(self) -> None:
        assert split_snippet("the data\n center in", "data\ncenter").hit == "data\n center"

    def test_no_occurrence_shows_the_whole_text(self) -> None:
        assert split_snippet("something else", "electricity").left == "something else"
        (line,) = kwic_lines([("p. 1", "something else", "electricity")], 60)
        assert str(line) == "p. 1  something else"

    def test_wide_characters_take_two_cells(self) -> None:
        items = [
            ("p. 1", "全角文字の長い文脈がここに続いている電力の量", "電力"),
            ("p. 12", "short 電力 text", "電力"),
        ]
        lines = kwic_lines(items, 50)
        starts = {cell_len(f"{line.label}  {line.left}") for line in lines}
        assert len(starts) == 1
        assert all(cell_len(str(line)) <= 50 for line in lines)
