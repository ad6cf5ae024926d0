from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docaudit.audit import justify, sweep
from docaudit.codes import Finding, Obligation, ObligationState
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.document import ParsedDocument
from docaudit.errors import (
    ConceptTableError,
    MissingEvidenceError,
    OptionError,
    QuestionError,
    TableContractError,
)
from docaudit.justification import AbsenceJustification
from docaudit.justify import justify_absence
from docaudit.options import AuditOptions
from docaudit.tables import (
    BLIND_SPOT_DF,
    COOCCURRENCE_DF,
    CROSS_REF_DF,
    HIT_DF,
    IMAGE_DF,
    OBJECT_REGISTRY,
    TOC_DF,
    WITNESS_DF,
)
from tests.evidence import (
    NAN,
    bundle,
    control_group,
    coverage,
    evidence,
    hit,
    justified,
    ledger,
    lines,
    pages,
    spots,
)

CONCEPTS = {"AI": ["AI", "LLM"], "data center": ["data center"], "power": ["electricity"]}
FOUND = [(1, 1, "electricity prices"), (2, 1, "electricity again"), (2, 2, "electricity and electricity")]
APART = [(1, 1, "AI models"), (2, 1, "electricity")]
AI_POWER = {"AI": ["AI"], "power": ["electricity"]}


def state_of(finding: AbsenceJustification, obligation: Obligation) -> ObligationState:
    return next(check.state for check in finding.obligations if check.obligation is obligation)


def test_the_case_of_the_method() -> None:
    found = justified(FOUND, CONCEPTS)
    assert found.answer is None
    assert found.finding is Finding.ABSENT
    assert (found.reason, found.strength) == ("concept_not_found", "strong")
    assert found.concept_hits == {"AI": 0, "data center": 0, "power": 4}
    assert found.concept_pages == {"AI": (), "data center": (), "power": (1, 2)}
    assert found.required == ("AI", "data center", "power")
    assert {mention.kind for mention in found.closest_mentions} == {"mention"}
    assert len(found.hits) == 4
    assert found.hits[0].bbox is None
    assert found.suggested_requery is None
    assert found.finding.exit_code == 0


@pytest.mark.parametrize(
    ("texts", "concepts", "required", "finding", "reason", "strength"),
    [
        (["x"], {"AI": ["AI"]}, (), "absent_within_coverage", "concept_not_found", "strong"),
        (["AI"], {"AI": ["AI"]}, (), "mentioned", None, "weak"),
        (APART, AI_POWER, (), "absent_within_coverage", "concept_found_but_off_topic", "moderate"),
        (APART, AI_POWER, ("AI",), "mentioned", None, "weak"),
        (["AI electricity"], AI_POWER, (), "mentioned", None, "weak"),
        (["AI electricity"], CONCEPTS, (), "absent_within_coverage", "concept_not_found", "strong"),
        (["AI electricity"], CONCEPTS, ("power", "AI"), "mentioned", None, "weak"),
    ],
)
def test_finding_reason_and_strength(
    texts: list[Any], concepts: Any, required: tuple[str, ...], finding: str, reason: str, strength: str
) -> None:
    found = justified(texts, concepts, options=AuditOptions(required=required))
    assert (found.finding.value, found.reason, found.strength.value) == (finding, reason, strength)


def test_pairs_that_meet_without_the_whole_set_are_not_mentioned() -> None:
    concepts = {"A": ["alpha"], "B": ["beta"], "C": ["gamma"]}
    texts = [(1, 1, "alpha beta"), (2, 1, "beta gamma"), (3, 1, "gamma alpha")]
    found = justified(texts, concepts)
    assert (found.finding, found.reason) == (Finding.ABSENT, "concept_found_but_off_topic")
    assert len(found.cooccurrences) == 3
    assert found.cooccurrences[0].concepts == ("A", "B")


@pytest.mark.parametrize("scope", ["line", "paragraph", "page", "window"])
def test_the_scope_decides(scope: Any) -> None:
    options = AuditOptions(scope=scope, window_words=5)
    found = justified([(1, 1, "AI one"), (1, 2, "two electricity")], AI_POWER, options=options)
    assert (found.finding is Finding.MENTIONED) is (scope in ("page", "window"))


def test_an_unmet_obligation_caps_strength_and_finding() -> None:
    found = justified(["x"], {"AI": ["AI"]}, blind_spot_df=spots((3, "image_not_read", "unknown")))
    assert (found.finding, found.strength) == (Finding.NOT_ESTABLISHED, "moderate")
    assert [check.obligation for check in found.unmet] == [Obligation.INK_READ]
    assert found.finding.exit_code == 3


def test_mentioned_stays_mentioned_with_unmet_obligations() -> None:
    found = justified(["AI"], {"AI": ["AI"]}, blind_spot_df=spots((3, "page_failed", "yes")))
    assert found.finding is Finding.MENTIONED
    assert found.unmet


def test_not_run_is_listed_but_does_not_block() -> None:
    found = justified(["x"], {"AI": ["AI"]}, controls=(), coverage=coverage(3, words_second_reader_only=None))
    assert found.finding is Finding.ABSENT
    not_run = {Obligation.QUESTION_COVERED, Obligation.CONTROL_FOUND, Obligation.READERS_AGREE}
    assert {c.obligation for c in found.obligations if c.state is ObligationState.NOT_RUN} == not_run
    assert len(found.obligations) == len(Obligation)


def test_an_ambiguous_question() -> None:
    found = justified(["x"], {"AI": ["AI"]}, question="How much water does AI use?")
    assert (found.finding, found.reason) == (Finding.NOT_ESTABLISHED, "ambiguous_question")
    assert found.suggested_requery is not None
    assert "water" in found.suggested_requery
    assert "AI" in found.suggested_requery
    japanese = justified(["x"], {"AI": ["AI"]}, question="AIと水資源", options=AuditOptions(language="ja"))
    assert japanese.suggested_requery is not None
    assert "水資源" in japanese.suggested_requery


def test_a_question_without_a_subject_is_ambiguous() -> None:
    found = justified(["x"], {"AI": ["AI"]}, question="What does it say?")
    assert found.reason == "ambiguous_question"
    assert found.suggested_requery == "Does the document mention AI?"


def test_a_waived_question_is_read_as_the_table_reads_it() -> None:
    options = AuditOptions(waive={"question_covered": "water is another audit"})
    found = justified(["x"], {"AI": ["AI"]}, question="How much water does AI use?", options=options)
    assert (found.finding, found.reason) == (Finding.ABSENT, "concept_not_found")
    assert found.suggested_requery is None
    assert "with waived question_covered" in found.absence_explanation
    assert state_of(found, Obligation.QUESTION_COVERED) is ObligationState.WAIVED


@pytest.mark.parametrize("question", ["", " ", "??"])
def test_empty_questions(question: str) -> None:
    with pytest.raises(QuestionError):
        justified(["x"], {"AI": ["AI"]}, question=question)


def test_possible_misreadings_are_listed_but_neither_counted_nor_ignored() -> None:
    rows = [hit("AI", 2, 1, 0, "A1", variant="AI", match_kind="ocr_fuzzy")]
    texts = [(1, 1, "x"), (2, 1, "A1")]
    found = justified(texts, {"AI": ["AI"]}, hit_df=HIT_DF.build(rows))
    assert found.concept_hits == {"AI": 0}
    assert len(found.hits) == 1
    assert found.closest_mentions == ()
    assert (found.finding, found.unmet[0].pages) == (Finding.NOT_ESTABLISHED, (2,))
    other = justified(
        texts,
        {"AI": ["AI"], "power": ["electricity"]},
        hit_df=HIT_DF.build(rows),
        options=AuditOptions(required=("power",)),
    )
    assert other.finding is Finding.ABSENT


def test_closest_mentions_and_near_misses_are_kept_apart() -> None:
    none = justified(["elektricity"], {"power": ["electricity"]})
    assert none.closest_mentions == ()
    assert [miss.text for miss in none.near_misses] == ["elektricity"]
    some = justified([*APART, (2, 2, "elektricity")], {**AI_POWER, "more": ["electricities"]})
    assert {mention.kind for mention in some.closest_mentions} == {"mention", "pair"}


def test_blind_spots_are_never_capped_and_boxes_are_null() -> None:
    many = spots(*((1 + n % 3, "image_not_read", "no") for n in range(500)))
    found = justified(["x"], {"AI": ["AI"]}, blind_spot_df=many)
    assert len(found.blind_spots) == 500
    assert found.blind_spots[0].bbox is None
    assert found.blind_spots[0].area_share is None
    boxed = BLIND_SPOT_DF.build(
        [{"page_num": 1, "kind": "layer_off", "text_likely": "yes", "x0": 1, "y0": 2, "x1": 3, "y1": 4}]
    )
    assert justified(["x"], {"AI": ["AI"]}, blind_spot_df=boxed).blind_spots[0].bbox == (1, 2, 3, 4)


@pytest.mark.parametrize("required", [("robots",), ("AI", "robots"), ("waiting",), ("ai",)])
def test_a_required_concept_that_is_not_searched_is_an_error(required: tuple[str, ...]) -> None:
    table = ConceptTable(
        variants=(
            Variant(concept="AI", text="AI"),
            Variant(concept="waiting", text="wait", status="proposed"),
        )
    )
    given_ = evidence(lines("x"), table)
    with pytest.raises(OptionError, match=required[-1]):
        justify_absence(bundle(**{**given_, "options": AuditOptions(required=required)}))


def test_a_concept_that_was_not_searched_gets_no_zero() -> None:
    waiting = Variant(concept="waiting", text="wait", status="proposed")
    table = ConceptTable(variants=(Variant(concept="AI", text="AI"), waiting))
    found = justify_absence(bundle(**evidence(lines("x"), table)))
    assert found.concept_hits == {"AI": 0}
    assert [check.obligation for check in found.unmet] == [Obligation.VARIANTS_REVIEWED]


@pytest.mark.parametrize(
    ("missing", "layer"),
    [
        ("identity", "parsing"),
        ("coverage", "parsing"),
        ("page_df", "parsing"),
        ("blind_spot_df", "parsing"),
        ("table", "keywords"),
        ("hit_df", "sweep"),
        ("ledger_df", "sweep"),
        ("cooccurrence_df", "sweep"),
        ("nearest_df", "sweep"),
    ],
)
def test_each_layer_missing_in_turn(missing: str, layer: str) -> None:
    with pytest.raises(MissingEvidenceError) as caught:
        justified(["x"], {"AI": ["AI"]}, **{missing: None})
    assert caught.value.layer == layer


def test_a_ledger_without_a_variant_is_a_missing_sweep() -> None:
    with pytest.raises(MissingEvidenceError) as caught:
        justified(["x"], CONCEPTS, ledger_df=ledger(ConceptTable.from_variants({"AI": ["AI"]}), 3))
    assert caught.value.layer == "sweep"


def test_a_table_without_accepted_variants() -> None:
    table = ConceptTable(variants=(Variant(concept="AI", text="AI", status="proposed"),))
    with pytest.raises(ConceptTableError):
        justify_absence(bundle(**evidence(lines("x"), table)))


def test_meetings_of_another_sweep_are_refused_and_never_read_as_none() -> None:
    texts = [(1, 1, "AI one"), (1, 2, "two electricity")]
    with pytest.raises(TableContractError, match="share a page"):
        justified(texts, AI_POWER, cooccurrence_df=COOCCURRENCE_DF.empty())
    meetings = [{"concepts": "AI + power", "scope": "page", "page_num": 1, "line_num": 1, "distance": 2}]
    given_ = evidence(lines(*texts), ConceptTable.from_variants(AI_POWER), AuditOptions(scope="line"))
    with pytest.raises(OptionError, match="scope is line"):
        justify_absence(bundle(**{**given_, "cooccurrence_df": COOCCURRENCE_DF.build(meetings)}))


def test_the_library_looks_for_meetings_again_with_the_options_of_the_finding() -> None:
    table = ConceptTable.from_variants({"A": ["alpha"], "B": ["beta"], "C": ["gamma"], "D": ["delta"]})
    line_df = lines("alpha beta gamma")
    given_ = evidence(line_df, table)
    parsed = ParsedDocument(
        identity=given_["identity"],
        options=AuditOptions(),
        page_df=given_["page_df"],
        line_df=line_df,
        image_df=IMAGE_DF.empty(),
        toc_df=TOC_DF.empty(),
        cross_ref_df=CROSS_REF_DF.empty(),
        object_registry=OBJECT_REGISTRY.empty(),
        blind_spot_df=given_["blind_spot_df"],
        witness_df=WITNESS_DF.empty(),
        coverage=given_["coverage"],
    )
    swept = sweep(parsed, table)
    for scope in ("line", "paragraph", "page", "window"):
        found = justify(parsed, table, swept, required=("A", "B", "C"), scope=scope)
        assert found.finding is Finding.MENTIONED


def test_hits_of_another_table_are_refused() -> None:
    with pytest.raises(TableContractError, match="robots"):
        justified(["x"], {"AI": ["AI"]}, hit_df=HIT_DF.build([hit("robots", 1, 1, 0, "x")]))


def test_hits_outside_the_pages_are_counted_and_told() -> None:
    found = justified([(0, 1, "AI"), (2, 1, "AI")], {"AI": ["AI"]})
    assert found.concept_pages == {"AI": (0, 2)}
    assert "page 2 and outside the pages" in found.absence_explanation


BREAKS: dict[str, dict[str, Any]] = {
    "pages_readable": {"page_df": pages(3, page_2="failed")},
    "ink_read": {"blind_spot_df": spots((1, "vector_not_read", "unknown"))},
    "parts_opened": {"blind_spot_df": spots((0, "attachment_not_read", "yes"))},
    "references_resolved": {"coverage": coverage(3, unresolved_cross_refs=("figure 3.D (page 2)",))},
    "variants_searched": {
        "ledger_df": ledger(ConceptTable.from_variants(CONCEPTS), 3, state="timed_out", detail="page 1")
    },
    "question_covered": {"question": "How much water?"},
    "control_found": {"controls": (control_group(("report", 2)),)},
    "readers_agree": {"coverage": coverage(3, words_second_reader_only=70, pages_readers_disagree=(2,))},
}


@settings(max_examples=60, deadline=None)
@given(
    st.sets(st.sampled_from(sorted(BREAKS)), min_size=1),
    st.sets(st.sampled_from(sorted(BREAKS))),
    st.sampled_from(["en", "ja"]),
)
def test_no_combination_of_unmet_obligations_gives_absent(
    broken: set[str], waived: set[str], language: Any
) -> None:
    changed: dict[str, Any] = {}
    for name in sorted(broken):
        changed |= BREAKS[name]
    options = AuditOptions(waive=dict.fromkeys(waived, "looked at by hand"), language=language)
    found = justified(FOUND, CONCEPTS, options=options, **changed)
    assert (found.finding is Finding.ABSENT) is not bool(found.unmet)
    assert not {check.obligation.value for check in found.unmet} & waived
    if found.unmet:
        assert found.strength != "strong"
    # Two breaks may use the same table; what was applied last must show.
    last = sorted(broken)[-1]
    assert last in waived or last in {check.obligation.value for check in found.unmet}


def test_nan_never_reaches_the_json() -> None:
    found = justified(APART, AI_POWER)
    assert "NaN" not in found.model_dump_json()
    assert all(mention.distance is None for mention in found.closest_mentions if mention.kind == "mention")
    assert NAN != NAN
