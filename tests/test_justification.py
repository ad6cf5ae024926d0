from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from docaudit.codes import Finding, Obligation, ObligationState
from docaudit.errors import MissingEvidenceError
from docaudit.justification import AbsenceJustification, AnswerWithEvidence, GroundedAnswer
from docaudit.options import AuditOptions
from tests.evidence import justified
from tests.factories import absent, checks, mentioned, mentions, not_established

UNMET = checks(ink_read=(ObligationState.UNMET, {}))


def test_frozen_and_without_further_fields() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        absent().finding = Finding.MENTIONED  # type: ignore[misc]
    with pytest.raises(ValidationError, match="extra"):
        absent(score=0.9)


@pytest.mark.parametrize("answer", ["", "yes", 0, False, [], {}])
def test_answer_is_null_by_type(answer: Any) -> None:
    with pytest.raises(ValidationError):
        absent(answer=answer)
    assert absent().answer is None
    assert AbsenceJustification.model_json_schema()["properties"]["answer"]["type"] == "null"


@pytest.mark.parametrize(
    ("fields", "layer"),
    [
        ({"document": None}, "parsing"),
        ({"coverage": None}, "parsing"),
        ({"concept_table": None}, "keywords"),
        ({"ledger": ()}, "sweep"),
        ({"absence_explanation": " "}, "explanation"),
    ],
)
def test_four_layers_or_no_verdict(fields: dict[str, Any], layer: str) -> None:
    with pytest.raises(MissingEvidenceError) as caught:
        absent(**fields)
    assert caught.value.layer == layer
    assert layer in str(caught.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"obligations": UNMET, "unmet": tuple(c for c in UNMET if c.state is ObligationState.UNMET)},
        {"obligations": UNMET},
        {"unmet": UNMET[:1]},
        {"reason": None},
        {"finding": Finding.MENTIONED},
        {"suggested_requery": "Ask about AI alone."},
        {"reason": "not sure"},
        {"strength": "very strong"},
        {"schema_version": "1"},
    ],
)
def test_contradictions_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        absent(**fields)


def test_absent_cannot_be_made_with_an_unmet_obligation_of_any_kind() -> None:
    for obligation in Obligation:
        made = checks(**{obligation.value: (ObligationState.UNMET, {})})
        unmet = tuple(check for check in made if check.obligation is obligation)
        with pytest.raises(ValidationError, match="cannot be said"):
            absent(obligations=made, unmet=unmet)


@pytest.mark.parametrize("made", [absent(), not_established(), mentioned(), justified(["x"], {"AI": ["AI"]})])
def test_json_gives_back_an_equal_justification(made: AbsenceJustification) -> None:
    again = AbsenceJustification.model_validate_json(made.model_dump_json())
    assert again == made
    assert again.model_dump_json() == made.model_dump_json()


def test_the_password_is_in_no_output() -> None:
    made = absent(options=AuditOptions(password="s3cret"))
    assert "s3cret" not in made.model_dump_json() + repr(made)


def test_one_of_two_told_apart_by_kind() -> None:
    adapter: TypeAdapter[AbsenceJustification | AnswerWithEvidence] = TypeAdapter(GroundedAnswer)
    answer = AnswerWithEvidence(question="How much?", answer="7 TWh", evidence=mentions()[:1])
    for made in (absent(), answer):
        assert adapter.validate_json(made.model_dump_json()) == made
    with pytest.raises(ValidationError):
        adapter.validate_python({**json.loads(answer.model_dump_json()), "kind": "guess"})
    with pytest.raises(ValidationError):
        AnswerWithEvidence(question="How much?", answer="7 TWh", evidence=())
