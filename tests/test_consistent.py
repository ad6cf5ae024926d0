"""A finding that somebody edited, with a new digest, does not follow from the rest of its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from docaudit.codes import AbsenceReason, Finding, ObligationState, Strength
from docaudit.justification import AbsenceJustification, ExplanationRecord
from docaudit.saved import with_digest
from docaudit.verify import MAY_BE_NOT_RUN, inconsistencies
from tests.factories import absent, drawn, japanese, meeting, mentioned, not_established


def edited(justification: AbsenceJustification, **changes: Any) -> AbsenceJustification:
    return with_digest(justification.model_copy(update=changes))


def states(justification: AbsenceJustification, state: ObligationState) -> dict[str, Any]:
    checks = tuple(check.model_copy(update={"state": state}) for check in justification.obligations)
    return {"obligations": checks}


@pytest.mark.parametrize("make", [absent, not_established, mentioned, meeting, japanese])
def test_what_an_audit_draws_is_consistent(make: Callable[[], AbsenceJustification]) -> None:
    assert inconsistencies(drawn(make())) == ()


@pytest.mark.parametrize(
    ("make", "changes", "said"),
    [
        (not_established, lambda j: {"finding": Finding.ABSENT}, "its evidence comes to not_established"),
        (
            mentioned,
            lambda j: {"finding": Finding.ABSENT, "reason": AbsenceReason.OFF_TOPIC},
            "comes to mentioned",
        ),
        (absent, lambda j: {"obligations": ()}, "has the obligation pages_readable 0 times"),
        (
            absent,
            lambda j: {"obligations": j.obligations[:1] * 2 + j.obligations[1:]},
            "pages_readable 2 times",
        ),
        (absent, lambda j: states(j, ObligationState.NOT_RUN), "the obligation ink_read was not run"),
        (absent, lambda j: states(j, ObligationState.WAIVED), "waived, and the options waive it not"),
        (absent, lambda j: {"concept_hits": {**j.concept_hits, "AI": 9}}, "says 9 of AI, and there are 0"),
        (mentioned, lambda j: {"hits": ()}, "and there are 0"),
        (
            absent,
            lambda j: {"concept_pages": {**j.concept_pages, "electricity": (1,)}},
            "not those of the hits",
        ),
        (absent, lambda j: {"required": j.required[:1]}, "the required concepts are not those"),
        (absent, lambda j: {"concept_table_fingerprint": "0" * 64}, "does not fit its fingerprint"),
        (absent, lambda j: {"strength": Strength.WEAK}, "says weak, and its evidence is strong"),
        (absent, lambda j: {"reason": AbsenceReason.OFF_TOPIC}, "gives the reason"),
        (absent, lambda j: {"absence_explanation": "It mentions AI 7 times."}, "not that of its evidence"),
        (absent, lambda j: {"model_remark": "Nobody was asked."}, "its remark does not hold"),
        (
            absent,
            lambda j: {
                "model_remark": "AI occurs 9,999 times.",
                "explained_by": ExplanationRecord(method="model", model="m"),
            },
            "its remark does not hold",
        ),
    ],
)
def test_an_edit_shows(
    make: Callable[[], AbsenceJustification],
    changes: Callable[[AbsenceJustification], dict[str, Any]],
    said: str,
) -> None:
    before = drawn(make())
    found = "; ".join(inconsistencies(edited(before, **changes(before))))
    assert said in found
    assert "digest" not in found


def test_only_what_may_have_nothing_to_check_may_be_not_run() -> None:
    for check in absent().obligations:
        others = tuple(one for one in absent().obligations if one is not check)
        idle = check.model_copy(update={"state": ObligationState.NOT_RUN})
        made = drawn(absent(question=None))
        order = {one.obligation: place for place, one in enumerate(made.obligations)}
        checks = sorted(
            [idle, *(one for one in others if one.obligation is not check.obligation)],
            key=lambda one: order[one.obligation],
        )
        found = inconsistencies(drawn(made.model_copy(update={"obligations": tuple(checks)})))
        assert bool(found) is (check.obligation not in MAY_BE_NOT_RUN), check.obligation
