"""What is drawn: the frame and its strata by hand-made justifications, the draw by its seed, sizes and refusals."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from docaudit.codes import BlindSpotKind, MatchKind, PageState, TextLikely
from docaudit.errors import OptionError, SampleError
from docaudit.justification import AbsenceJustification, PageFact
from docaudit.options import AuditOptions
from docaudit.sampling import Draw, digest_of, draw_sample
from tests.factories import absent, hit, spot


def pages(states: dict[int, PageState] | None = None, total: int = 10) -> tuple[PageFact, ...]:
    given = states or {}
    return tuple(
        PageFact(
            page_num=page, page_label="", width_pt=595, height_pt=842, state=given.get(page, PageState.TEXT)
        )
        for page in range(1, total + 1)
    )


def audited(**fields: Any) -> AbsenceJustification:
    given = {"pages": pages(), "hits": (), "blind_spots": (), "required": ("electricity",)}
    return absent(**{**given, **fields})


def frame(justification: AbsenceJustification, **size: Any) -> dict[str, tuple[str, ...]]:
    return {stratum.name: stratum.units for stratum in draw_sample(justification, **size).strata}


def test_strata_by_how_a_page_was_read() -> None:
    justification = audited(
        pages=pages({2: PageState.MIXED, 3: PageState.IMAGE_ONLY, 4: PageState.FAILED, 9: PageState.BLANK}),
        blind_spots=(
            spot(5),
            spot(6, text_likely=TextLikely.NO),
            spot(0, BlindSpotKind.ATTACHMENT_NOT_READ, bbox=None),
        ),
    )
    assert frame(justification) == {
        "plain": ("1", "6", "7", "8", "9", "10"),
        "ocr": ("2", "3"),
        "flagged": ("4", "5"),
    }


def test_an_image_that_nobody_read_is_flagged() -> None:
    justification = audited(pages=pages({3: PageState.IMAGE_ONLY}), options=AuditOptions(ocr="off"))
    assert frame(justification)["flagged"] == ("3",)


def test_pages_with_a_hit_are_left_out_and_only_they() -> None:
    justification = audited(
        hits=(
            hit(2),
            hit(4, page_end=5),
            hit(7, match_kind=MatchKind.OCR_FUZZY),  # only may be one
            hit(8, part="annex.pdf", part_page=1),  # stands in an attachment, not on the page
            hit(9, concept="AI", variant="AI"),  # not required
            hit(0),
        )
    )
    draw = draw_sample(justification)
    assert draw.strata[0].units == ("1", "3", "6", "7", "8", "9", "10")
    assert draw.pages_left_out == 3


def test_a_page_stays_while_one_required_concept_has_no_hit_on_it() -> None:
    justification = audited(
        required=("AI", "electricity"), hits=(hit(2), hit(3), hit(3, concept="AI", variant="AI"))
    )
    draw = draw_sample(justification)
    drawn = {one.page_num: one for one in draw.drawn}
    assert 3 not in drawn
    assert (drawn[2].look_for, drawn[2].found_already) == (("AI",), ("electricity",))
    assert (drawn[1].look_for, drawn[1].found_already) == (("AI", "electricity"), ())
    assert [one.concept for one in draw.sought] == ["AI", "electricity"]
    assert "artificial intelligence" in draw.sought[0].variants


def test_regions_that_may_hold_text_are_drawn_by_kind() -> None:
    justification = audited(
        blind_spots=(
            spot(3),
            spot(3, BlindSpotKind.OCR_UNCERTAIN),
            spot(3),
            spot(4, text_likely=TextLikely.NO),
            spot(0, BlindSpotKind.ATTACHMENT_NOT_READ, bbox=None),
        ),
        hits=(hit(3),),
    )
    draw = draw_sample(justification, unit="region")
    assert {s.name: s.units for s in draw.strata} == {
        "image_not_read": ("3.1", "3.3"),
        "ocr_uncertain": ("3.2",),
    }
    assert {one.bbox for one in draw.drawn} == {(72.0, 100.0, 300.0, 220.0)}
    # What was found elsewhere on the page says nothing of a region that was not read.
    assert all(one.look_for == ("electricity",) for one in draw.drawn)


def test_the_same_seed_draws_the_same_pages_forever() -> None:
    draw = draw_sample(audited(pages=pages(total=1000)), size=8, seed=7)
    assert [one.page_num for one in draw.drawn] == [7, 38, 115, 615, 681, 866, 878, 924]
    assert draw == draw_sample(audited(pages=pages(total=1000)), size=8, seed=7)
    assert draw.digest == digest_of(draw)


def test_another_seed_draws_others_and_a_larger_sample_keeps_the_smaller_one() -> None:
    many = audited(pages=pages(total=1000))
    small = {one.page_num for one in draw_sample(many, size=8, seed=7).drawn}
    assert small < {one.page_num for one in draw_sample(many, size=20, seed=7).drawn}
    assert small != {one.page_num for one in draw_sample(many, size=8, seed=8).drawn}


def test_every_page_is_drawn_as_often_as_any_other() -> None:
    justification = audited()
    counts = Counter(
        one.page_num for seed in range(2000) for one in draw_sample(justification, size=3, seed=seed).drawn
    )
    # 600 expected, with a standard deviation of 20.5; ten pages.
    assert all(500 < counts[page] < 700 for page in range(1, 11))


def test_ids_of_two_draws_differ() -> None:
    first, second = (draw_sample(audited(), size=2, seed=seed) for seed in (1, 2))
    assert not {one.sample_id for one in first.drawn} & {one.sample_id for one in second.drawn}


def test_sizes() -> None:
    many = audited(
        pages=pages(dict.fromkeys(range(1, 101), PageState.MIXED), 812),
        blind_spots=tuple(spot(n) for n in range(801, 813)),
    )

    def drawn(**size: Any) -> dict[str, int]:
        return {stratum.name: stratum.drawn for stratum in draw_sample(many, **size).strata}

    assert drawn() == {"plain": 51, "ocr": 8, "flagged": 1}
    assert sum(drawn(at_most=0.01).values()) > 240
    assert drawn(size=812) == {"plain": 700, "ocr": 100, "flagged": 12}
    assert drawn(per_stratum=20) == {"plain": 20, "ocr": 20, "flagged": 12}
    assert draw_sample(many, per_stratum=20).allocation == "per_stratum"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"size": 0}, "size is 0"),
        ({"size": -3}, "size is -3"),
        ({"size": 11}, "larger than what there is to draw from, 10 page"),
        ({"per_stratum": -1}, "per-stratum is -1"),
        ({"at_most": 0}, "at-most is 0"),
        ({"at_most": 5}, "at-most is 5"),
        ({"confidence": 95}, "confidence is 95"),
        ({"confidence": float("nan")}, "confidence is nan"),
        ({"seed": -1}, "seed is -1"),
        ({"size": 5, "at_most": 0.1}, "exclude each other"),
    ],
)
def test_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        draw_sample(audited(), **given)


def test_a_sample_smaller_than_the_strata_is_refused() -> None:
    with pytest.raises(OptionError, match="too small for 2 strata"):
        draw_sample(audited(blind_spots=(spot(3),)), size=1)


def test_nothing_to_draw() -> None:
    with pytest.raises(SampleError, match="every page has a hit"):
        draw_sample(audited(hits=tuple(hit(page) for page in range(1, 11))))
    with pytest.raises(SampleError, match="no page has a region"):
        draw_sample(audited(), unit="region")
    with pytest.raises(SampleError, match="lists no pages"):
        draw_sample(audited(pages=()))


def test_the_record_keeps_its_form() -> None:
    draw = draw_sample(audited(blind_spots=(spot(3),)))
    assert Draw.model_validate_json(draw.model_dump_json()) == draw
