from __future__ import annotations

from typing import Any

import pytest

from docaudit import obligations, rules
from docaudit.codes import BlindSpotKind, Obligation, ObligationState
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import OptionError
from docaudit.justification import ObligationCheck
from docaudit.options import AuditOptions
from docaudit.tables import HIT_DF, LEDGER_DF
from tests.evidence import NAN, control_group, coverage, hit, ledger, pages, spots

MET, UNMET, NOT_RUN = ObligationState.MET, ObligationState.UNMET, ObligationState.NOT_RUN
TABLE = ConceptTable.from_variants({"AI": ["AI", "LLM"]})
NO_MISREAD = HIT_DF.empty()


def test_every_kind_of_blind_spot_is_in_exactly_one_group() -> None:
    groups = (obligations.REGION_KINDS, obligations.PAGE_KINDS, obligations.PART_KINDS)
    assert frozenset().union(*groups) == frozenset(BlindSpotKind)
    assert sum(map(len, groups)) == len(BlindSpotKind)


@pytest.mark.parametrize("kind", list(BlindSpotKind))
@pytest.mark.parametrize("likely", ["yes", "unknown"])
def test_every_kind_that_may_hold_text_leaves_an_obligation_unmet(kind: BlindSpotKind, likely: str) -> None:
    spot = spots((2, kind.value, likely))
    checks = (
        obligations.pages_readable(pages(3), spot, 3),
        obligations.ink_read(pages(3), spot, NO_MISREAD),
        obligations.parts_opened(spot),
    )
    unmet = [check for check in checks if check.state is UNMET]
    assert len(unmet) == 1
    assert unmet[0].pages == (2,)
    assert kind.remedy in unmet[0].remedy


def test_a_region_that_holds_no_text_is_no_obstacle() -> None:
    assert obligations.ink_read(pages(1), spots((1, "image_not_read", "no")), NO_MISREAD).state is MET


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("text", MET),
        ("mixed", MET),
        ("blank", MET),
        ("image_only", MET),  # whether it was read is a matter of ink_read
        ("failed", UNMET),
        ("not_rendered", UNMET),
        ("of another version", UNMET),
    ],
)
def test_page_states(state: str, expected: ObligationState) -> None:
    check = obligations.pages_readable(pages(3, page_2=state), spots(), 3)
    assert check.state is expected
    assert check.pages == (() if expected is MET else (2,))


def test_a_page_without_a_row_is_not_readable() -> None:
    check = obligations.pages_readable(pages(2), spots(), 4)
    assert (check.state, check.pages) == (UNMET, (3, 4))


def test_ink_that_was_not_measured_is_unmet() -> None:
    """Else a person who waives pages_readable would be told of an absence behind ink that nobody looked at."""
    check = obligations.ink_read(pages(2).assign(ink_total=NAN), spots(), NO_MISREAD)
    assert (check.state, check.remedy) == (UNMET, "run with --ink")


def test_possible_misreadings_leave_ink_unread() -> None:
    misread = HIT_DF.build([hit("AI", 2, 1, 0, "A1", match_kind="ocr_fuzzy")])
    check = obligations.ink_read(pages(3), spots(), misread)
    assert (check.state, check.pages) == (UNMET, (2,))
    assert "'AI'" in check.evidence
    assert check.remedy
    accents = HIT_DF.build([hit("CV", 3, 1, 0, "résumé", match_kind="accents_differ")])
    check = obligations.ink_read(pages(3), spots(), accents)
    assert (check.state, check.pages) == (UNMET, (3,))
    assert "differ only in accents from words for 'CV'" in check.evidence


def test_references_and_page_labels() -> None:
    assert obligations.references_resolved(coverage(3, external_refs=("Annex B",))).state is MET
    check = obligations.references_resolved(coverage(3, unresolved_cross_refs=("figure 3.D (page 2)",)))
    assert check.state is UNMET
    assert "figure 3.D" in check.evidence
    assert obligations.references_resolved(coverage(3, page_label_gaps=("page 5: gap",))).state is UNMET


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"state": "timed_out", "detail": "page 2"}, "timed_out: page 2"),
        ({"state": "failed"}, "failed"),
        ({"pages_searched": 2}, "2 of 3 pages"),
    ],
)
def test_variants_that_were_not_searched(fields: dict[str, Any], part: str) -> None:
    check = obligations.variants_searched(TABLE, ledger(TABLE, 3, **fields), 3)
    assert check.state is UNMET
    assert part in check.evidence


def test_variants_searched_and_missing_rows() -> None:
    assert obligations.variants_searched(TABLE, ledger(TABLE, 2, pages_not_searchable=1), 3).state is MET
    check = obligations.variants_searched(TABLE, LEDGER_DF.empty(), 3)
    assert "'AI' has no row" in check.evidence


def test_variants_reviewed() -> None:
    assert obligations.variants_reviewed(TABLE).state is MET
    waiting = Variant(concept="AI", text="bot", status="proposed")
    check = obligations.variants_reviewed(ConceptTable(variants=(*TABLE.variants, waiting)))
    assert check.state is UNMET
    assert "'bot'" in check.evidence


def test_question_covered() -> None:
    assert obligations.question_covered(None, (), ()).state is NOT_RUN
    assert obligations.question_covered("AI?", ("AI",), ()).state is MET
    assert obligations.question_covered("What?", (), ()).state is UNMET
    assert "'water'" in obligations.question_covered("AI water", ("AI", "water"), ("water",)).evidence


def test_control_found() -> None:
    assert obligations.control_found(()).state is NOT_RUN
    assert obligations.control_found((control_group(tried=0),)).state is NOT_RUN
    table, planted = {"layout": "table", "witness": "ocr"}, {"kind": "canary", "witness": "planted"}
    met = obligations.control_found((control_group(), control_group(tried=1, **table)))
    assert met.state is MET
    assert met.evidence == "10 words that a second reader or OCR saw (body, table): all were found"
    missed = control_group(("quay", 3), ("pier", 2), tried=1000, **table)
    check = obligations.control_found((control_group(), missed, control_group(tried=1, **planted)))
    assert (check.state, check.pages) == (UNMET, (2, 3))
    assert check.evidence == (
        "1,009 words that a second reader or OCR saw (body, table); 1 phrase planted into a copy (body): "
        "1,008 of 1,010 were found (99.8 %), not 'quay' (page 3), 'pier' (page 2)"
    )
    assert obligations.control_found((control_group(("x y", 1), tried=1, **planted),)).state is UNMET
    none = control_group(tried=0, untried="it is slanted", **planted)
    both = obligations.control_found((control_group(), none))
    assert (both.state, both.remedy) == (UNMET, "audit without --canary, or look at the layouts named")
    assert both.evidence.endswith("all were found; no phrase could be planted in body: it is slanted")
    one = obligations.control_found((none, control_group(tried=1, **{**planted, "layout": "table"})))
    assert one.state is MET
    assert one.evidence.endswith("all were found; no phrase could be planted in body: it is slanted")
    nameless = obligations.control_found((control_group(tried=0, untried="all words are parts"),))
    assert (nameless.state, nameless.evidence) == (NOT_RUN, "all words are parts")
    many = control_group(*((f"w{n}", n) for n in range(1, 31)), tried=30)
    assert obligations.control_found((many,)).evidence.endswith("'w10' (page 10) and 20 more")


@pytest.mark.parametrize(
    ("fields", "state", "pages"),
    [
        ({"words_second_reader_only": None}, NOT_RUN, ()),
        ({"words_second_reader_only": 0}, MET, ()),
        ({"words_second_reader_only": 2}, MET, ()),  # added to the lines, and so searched
        ({"words_second_reader_only": 0, "pages_not_compared": (1,)}, NOT_RUN, ()),
        ({"words_second_reader_only": 40, "pages_readers_disagree": (2, 3)}, UNMET, (2, 3)),
    ],
)
def test_readers_agree(fields: dict[str, Any], state: ObligationState, pages: tuple[int, ...]) -> None:
    check = obligations.readers_agree(coverage(3, **fields))
    assert check.state is state
    assert check.pages == pages


def checked(state: ObligationState) -> ObligationCheck:
    return ObligationCheck(obligation=Obligation.INK_READ, state=state, evidence="e")


@pytest.mark.parametrize(
    ("state", "after"),
    [(UNMET, ObligationState.WAIVED), (NOT_RUN, ObligationState.WAIVED), (MET, MET)],
)
def test_waivers_keep_their_reason(state: ObligationState, after: ObligationState) -> None:
    check = rules.waived(checked(state), {"ink_read": "logos only"})
    assert check.state is after
    assert check.waived_because == ("logos only" if after is ObligationState.WAIVED else None)


@pytest.mark.parametrize("waive", [{"ink": "x"}, {"ink_read": " "}])
def test_waivers_that_are_refused(waive: dict[str, str]) -> None:
    with pytest.raises(OptionError):
        AuditOptions(waive=waive)
