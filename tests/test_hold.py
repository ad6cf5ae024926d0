"""From a decision of the gate to docaudit's justification, and on to the ledger of runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docaudit.abstention.gate import GateDecision, Reason, same_question
from docaudit.abstention.hold import Hold
from docaudit.abstention.ledger.evaluate import evaluate_ledger
from docaudit.abstention.ledger.read import load_ledger
from docaudit.abstention.ledger.results import AbstentionEvidence
from docaudit.abstention.ledger.rows import Metric
from docaudit.codes import Obligation, ObligationState, Strength
from docaudit.errors import GateError, LedgerError
from docaudit.justification import AbsenceJustification, DocumentIdentity
from tests.factories import absent, drawn, mentioned, not_established
from tests.ledgers import Rows

QUESTION = "How much electricity does AI consume?"
HASHES = ("5f" * 32, "60" * 32)
ONE, BOTH = {"D08": HASHES[0]}, {"D08": HASHES[0], "D09": HASHES[1]}
Make = Callable[..., AbsenceJustification]
Evidence = AbstentionEvidence


def finding(make: Make = absent, sha256: str = HASHES[0], **fields: Any) -> AbsenceJustification:
    """A justification of one document."""
    about = DocumentIdentity(
        name="a.pdf", sha256=sha256, size_bytes=9, pages_total=64, versions={"docaudit": "1"}
    )
    return drawn(make(question=QUESTION, document=about, **fields))


def held(*found: AbsenceJustification, name: str = "Q1", **fields: Any) -> Hold:
    """A hold on one document unless said otherwise."""
    given = {
        "decision": GateDecision(query_id=name, reason=Reason.BELOW_THRESHOLD, value=0.2),
        "question": QUESTION,
        "documents": ONE,
        "justifications": found,
    }
    return Hold(**{**given, **fields})


@pytest.mark.parametrize(
    ("makes", "evidence"),
    [
        ([absent], Evidence.JUSTIFIED),
        ([not_established], Evidence.UNPROVEN),
        ([mentioned], Evidence.WRONG),
        ([], Evidence.NOT_GIVEN),
    ],
)
def test_what_a_finding_makes_of_a_hold(makes: list[Make], evidence: Evidence) -> None:
    assert held(*map(finding, makes)).evidence is evidence


def waived(**fields: Any) -> AbsenceJustification:
    """Absence of which a person waived a part."""
    found = absent(**fields)
    first = found.obligations[0].model_copy(
        update={"state": ObligationState.WAIVED, "waived_because": "the annex was read on paper"}
    )
    return found.model_copy(
        update={"obligations": (first, *found.obligations[1:]), "strength": Strength.MODERATE}
    )


def test_what_was_waived_is_not_proven() -> None:
    one = finding(waived)
    hold = held(one)
    assert hold.evidence is Evidence.UNPROVEN
    assert hold.waived == {"D08": (Obligation.PAGES_READABLE,)}
    both = held(finding(), finding(waived, HASHES[1]), documents=BOTH)
    assert (both.evidence, list(both.waived)) == (Evidence.UNPROVEN, ["D09"])
    assert held(one, finding(mentioned, HASHES[1]), documents=BOTH).evidence is Evidence.WRONG
    assert held(finding()).waived == {}


@pytest.mark.parametrize("reason", [one for one in Reason if one is not Reason.PASS])
def test_no_reason_of_the_gate_shows_absence(reason: Reason) -> None:
    assert held(decision=GateDecision(query_id="Q1", reason=reason)).evidence is Evidence.NOT_GIVEN


@pytest.mark.parametrize(
    ("second", "evidence"),
    [
        (None, Evidence.UNPROVEN),  # nobody audited the other document
        (absent, Evidence.JUSTIFIED),
        (not_established, Evidence.UNPROVEN),
        (mentioned, Evidence.WRONG),
    ],
)
def test_absence_must_be_found_in_every_document(second: Make | None, evidence: Evidence) -> None:
    found = [finding(), *([finding(second, HASHES[1])] if second else [])]
    hold = held(*found, documents=BOTH)
    assert hold.evidence is evidence
    assert hold.unaudited == (() if second else ("D09",))


def test_all_that_is_wrong_at_once() -> None:
    changed = finding(sha256="99" * 32).model_copy(update={"absence_explanation": "There is nothing."})
    other = drawn(absent(question="What is the fee?"))
    with pytest.raises(GateError) as caught:
        held(changed, other, finding(), decision=GateDecision(query_id="Q1", reason=Reason.PASS, value=0.9))
    assert caught.value.problems == (
        "the question passed the gate",
        "justification 1: is about another document (999999999999)",
        "justification 1: does not fit its digest",
        "justification 1: its explanation is not that of its evidence",
        "justification 2: is about another question",
        "document 5f5f5f5f5f5f has 2 justifications",
    )
    with pytest.raises(GateError, match="is about another question"):
        held(drawn(absent(question=None)))
    with pytest.raises(GateError, match="listed under two names"):
        held(documents={"A": HASHES[0], "B": HASHES[0]})


def test_the_question_may_differ_in_blanks_alone() -> None:
    assert held(finding(), question=f"  {QUESTION.replace(' ', '  ')} ").evidence is Evidence.JUSTIFIED
    for other in (QUESTION.lower(), QUESTION.replace("AI", "A I"), QUESTION.replace("AI", "-AI")):
        with pytest.raises(GateError, match="is about another question"):
            held(finding(), question=other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("-5 °C", "5 °C"), ("10-20 MW", "1020 MW"), ("US", "us"), ("", ""), (None, "-"), ("x²", "x2")],
)
def test_questions_that_are_not_the_same(one: str | None, other: str) -> None:
    assert not same_question(one, other)


def test_justifications_of_two_keyword_tables_make_no_hold() -> None:
    one = finding()
    assert one.concept_table is not None
    fewer = one.concept_table.model_copy(update={"variants": one.concept_table.variants[:-1]})
    other = finding(sha256=HASHES[1], concept_table=fewer, concept_table_fingerprint=fewer.fingerprint)
    with pytest.raises(GateError, match="different concept tables"):
        held(one, other, documents=BOTH)


@pytest.mark.parametrize(
    ("make", "quality"), [(absent, True), (not_established, True), (mentioned, False), (waived, True)]
)
def test_the_ledger_takes_what_a_hold_keeps(tmp_path: Path, make: Make, quality: bool) -> None:
    rows, hold = Rows(), held(finding(make))
    rows.case("Q009").update({"scope": ["D08"], "question": QUESTION})
    next(one for one in rows.documents if one["document_id"] == "D08")["sha256"] = HASHES[0]
    folder = rows.write(tmp_path / "ledger")
    rows.run("Q009")["absence"] = [one.model_dump(mode="json") for one in hold.keep(str(folder))]
    rows.write(folder)
    evaluation = evaluate_ledger(load_ledger(folder))
    assert evaluation.abstention_evidence[hold.evidence] == ("Q009",)
    result = next(run for run in evaluation.runs if run.run_id == "Q009")
    assert (
        "held back, but docaudit finds it mentioned" in [one.reason for one in result.failures]
    ) is not quality
    assert result.checks[Metric.ABSTENTION] is not None
    assert result.unproven == {
        waived: ("D08: waived pages_readable",),
        not_established: ("D08: not_established",),
        mentioned: ("D08: mentioned",),
    }.get(make, ())

    (saved,) = (folder / "justifications").iterdir()
    saved.write_text(saved.read_text("utf-8").replace("How much", "How"), "utf-8")
    with pytest.raises(LedgerError):
        load_ledger(folder)
