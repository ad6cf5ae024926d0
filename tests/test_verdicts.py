"""The truth table of the verdict: every combination of states that can occur, against rules written down here anew."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

import docaudit
from docaudit.codes import Obligation, ObligationState
from docaudit.justification import ObligationCheck
from docaudit.rules import RULES, VERDICTS, verdict
from tests import pdfs
from tests.conftest import parse_once

MET, UNMET = ObligationState.MET, ObligationState.UNMET
WAIVED, NOT_RUN = ObligationState.WAIVED, ObligationState.NOT_RUN
MAY_BE_LEFT = {"question_covered", "control_found", "readers_agree"}
"""The only checks that absence does not need: all others are always run, or unmet where they were not."""
CHECKS = {
    (obligation, state): ObligationCheck(obligation=obligation, state=state, evidence="e")
    for obligation in Obligation
    for state in ObligationState
}


def states_of(obligation: Obligation) -> list[ObligationState]:
    return [MET, UNMET, WAIVED, *([NOT_RUN] if obligation.value in MAY_BE_LEFT else [])]


def expected(unmet: set[str], mentioned: bool, missing: bool, waived: bool) -> tuple[str, str | None, str]:
    """Finding, reason, strength, as the issue words them; shares nothing with the table of the code."""
    if mentioned:
        return "mentioned", None, "weak"
    finding = "not_established" if unmet else "absent_within_coverage"
    if "question_covered" in unmet:
        reason = "ambiguous_question"
    else:
        reason = "concept_not_found" if missing else "concept_found_but_off_topic"
    return finding, reason, "strong" if missing and not unmet and not waived else "moderate"


def test_every_combination_that_can_occur() -> None:
    """3 states of six obligations, 4 of three, and what the hits say; required concepts that meet cannot be missing."""
    order = list(Obligation)
    seen: Counter[str] = Counter()
    for states in product(*map(states_of, order)):
        checks = [CHECKS[key] for key in zip(order, states, strict=True)]
        unmet = {name.value for name, state in zip(order, states, strict=True) if state is UNMET}
        for mentioned, missing in ((True, False), (False, True), (False, False)):
            found = verdict(checks, mentioned=mentioned, missing=missing)
            assert found == expected(unmet, mentioned, missing, WAIVED in states), (
                states,
                mentioned,
                missing,
            )
            seen[found.finding.value] += 1
    every = 3**6 * 4**3
    nothing_unmet = 2**6 * 3**3
    assert seen == {
        "mentioned": every,
        "absent_within_coverage": 2 * nothing_unmet,
        "not_established": 2 * (every - nothing_unmet),
    }


def test_each_obligation_has_one_rule_and_they_stand_in_its_order() -> None:
    assert [rule.obligation for rule in RULES] == list(Obligation)
    assert all(rule.obligation.meaning and rule.obligation.remedy and rule.not_run for rule in RULES)
    allowed = {rule.obligation.value for rule in RULES if rule.not_run.startswith("absence may be said")}
    assert allowed == MAY_BE_LEFT


def test_exactly_one_verdict_fits_each_case() -> None:
    """No row hides behind another, and none is missing."""
    for here in product((True, False), repeat=5):
        mentioned, unmet, unclear, missing, _ = here
        if (unclear and not unmet) or (mentioned and missing):
            continue
        fits = [
            case
            for case, _ in VERDICTS
            if all(wanted in (None, is_so) for wanted, is_so in zip(case, here, strict=True))
        ]
        assert len(fits) == 1, here


@pytest.mark.parametrize(
    ("options", "not_run"),
    [
        ({}, {"question_covered"}),
        ({"second_reader": False}, {"question_covered", "readers_agree"}),
        ({"ink": False}, {"question_covered"}),
    ],
)
def test_what_is_not_run_in_a_real_audit(options: dict[str, bool], not_run: set[str]) -> None:
    """Absence needs none of the checks that are not run; without ink it is refused, whatever the blind spots say."""
    parsed = parse_once(pdfs.document(pdfs.text(*pdfs.PROSE)), **options)
    finding = docaudit.audit(parsed, docaudit.ConceptTable.from_variants({"x": ["zirconium"]}))
    states = {check.obligation.value: check.state for check in finding.obligations}
    assert {name for name, state in states.items() if state is NOT_RUN} == not_run
    assert (finding.finding == "absent_within_coverage") is ("ink" not in options)
    assert (states["ink_read"] is UNMET) is ("ink" in options)


def document_of(*lines: str, picture: bool = False) -> bytes:
    return pdfs.document(pdfs.with_picture(lines, ["a picture of words"]) if picture else pdfs.text(*lines))


TABLE = {"crane": ["crane", "cranes"], "ferry": ["ferry", "ferries"]}
BOTH = pdfs.document(pdfs.text(pdfs.PROSE[1]), pdfs.text(pdfs.PROSE[3]))
REAL = {
    "meet": (document_of(pdfs.PROSE[1], pdfs.PROSE[3]), None, ("mentioned", None, "weak")),
    "no hit": (
        document_of(pdfs.PROSE[0]),
        None,
        ("absent_within_coverage", "concept_not_found", "strong"),
    ),
    "apart": (BOTH, None, ("absent_within_coverage", "concept_found_but_off_topic", "moderate")),
    "no hit, a picture unread": (
        document_of(pdfs.PROSE[0], picture=True),
        None,
        ("not_established", "concept_not_found", "moderate"),
    ),
    "apart, a picture unread": (
        pdfs.document(pdfs.text(pdfs.PROSE[1]), pdfs.with_picture([pdfs.PROSE[3]], ["words"])),
        None,
        ("not_established", "concept_found_but_off_topic", "moderate"),
    ),
    "no hit, a picture waived": (
        document_of(pdfs.PROSE[0], picture=True),
        None,
        ("absent_within_coverage", "concept_not_found", "moderate"),
    ),
    "question of more": (
        document_of(pdfs.PROSE[0]),
        "How much diesel does a crane of the ferry burn?",
        ("not_established", "ambiguous_question", "moderate"),
    ),
}


@pytest.mark.parametrize("name", REAL)
def test_each_row_of_the_table_is_reached_by_a_real_document(name: str) -> None:
    data, question, known = REAL[name]
    table = docaudit.ConceptTable.from_variants(TABLE)
    waive = {"ink_read": "a person looked at the picture"} if name.endswith("waived") else {}
    found = docaudit.audit(parse_once(data), table, question=question, waive=waive)
    assert (found.finding.value, found.reason, found.strength.value) == known


def test_the_real_documents_reach_every_row() -> None:
    assert {known for _, _, known in REAL.values()} == {tuple(said) for _, said in VERDICTS}
