"""One row changed, in every row and every field: exactly the ratios move that should, by exactly this row.

What should move is worked out here from the constants of the sample's builder, not from the code under test.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from docaudit.abstention.ledger.evaluate import diff_ledgers, evaluate_ledger
from docaudit.abstention.ledger.read import Ledger
from docaudit.abstention.ledger.results import Evaluation
from docaudit.abstention.ledger.rows import LedgerClaim, LedgerRun
from tests.ledgers import Rows, builder

pytestmark = pytest.mark.slow

ROWS = Rows()
LEDGER = ROWS.ledger()
BEFORE = evaluate_ledger(LEDGER)
ROWS.files()
# Each of the 20 tests once, and every further run that fails in a way of its own.
NAMES = [
    *(f"Q{number:03}" for number in range(1, 21)),
    "Q022",
    "Q026",
    "Q030",
    "Q034",
    "Q047",
    "Q054",
    "Q055",
]
PASSAGES = {"required_passages_in_top_k", "required_documents_in_top_k", "useful_candidates_in_top_k"}
FAILS = {
    "gold_retrieval": set(builder.NOT_RETRIEVED),
    "context_completeness": set(builder.NOT_IN_CONTEXT),
    "corpus_eligibility": set(builder.INELIGIBLE),
    "citation_resolvability": set(builder.BROKEN_CITATION),
    "claim_support": {run for run, _ in builder.SUPPORT},
    "abstention_quality": set(builder.BEHAVIOUR),
    "security_isolation": set(builder.VIOLATIONS),
}
FAILED = set.union(*FAILS.values())
Flip = tuple[dict[str, Any], set[str]]


def label(name: str) -> str:
    return ROWS.case(name)["answerability"]


def severity(name: str, claim: str) -> str:
    return next(one["severity"] for one in ROWS.case(name)["claims"] if one["claim_id"] == claim)


def complete(name: str) -> set[str]:
    """A run that passed fails now; one that failed already changes nothing there."""
    return set() if name in FAILED else {"complete_pass"}


def second(name: str) -> dict[str, Any]:
    gold = ROWS.case(name)["required"][1]
    return {"document": gold["document"], "passage": gold["passage"]}


def without(places: list[dict[str, Any]], place: dict[str, Any]) -> list[dict[str, Any]]:
    return [p for p in places if (p["document"], p["passage"]) != (place["document"], place["passage"])]


def drop_candidate(name: str, row: dict[str, Any]) -> Flip | None:
    if name in FAILS["gold_retrieval"]:
        return None
    kept = without(row["candidates"], second(name))
    return {"candidates": kept}, {"gold_retrieval", *PASSAGES, *complete(name)}


def restore_candidate(name: str, row: dict[str, Any]) -> Flip | None:
    if name not in FAILS["gold_retrieval"]:
        return None
    # In the place of the last one, so that as many candidates are counted as before.
    return {"candidates": [second(name), *row["candidates"][:-1]]}, {"gold_retrieval", *PASSAGES}


def candidate_beyond_k(name: str, row: dict[str, Any]) -> Flip | None:
    if name in FAILS["gold_retrieval"]:
        return None
    fill = [{"document": f"D{one}", "passage": "p1"} for one in (16, 17, 18)]
    rest = without(row["candidates"], second(name))
    moved = [*rest, *fill, second(name)]
    return {"candidates": moved}, {"gold_retrieval", *PASSAGES, *complete(name)}


def retired_candidate(name: str, row: dict[str, Any]) -> Flip | None:
    moved = set() if name in FAILS["corpus_eligibility"] else {"corpus_eligibility", *complete(name)}
    return {"candidates": [*row["candidates"], {"document": "D26", "passage": "p6"}]}, moved


def unknown_candidate(name: str, row: dict[str, Any]) -> Flip | None:
    moved = set() if name in FAILS["corpus_eligibility"] else {"corpus_eligibility", *complete(name)}
    return {"candidates": [*row["candidates"], {"document": "D77", "passage": "p1"}]}, moved


def drop_context(name: str, row: dict[str, Any]) -> Flip | None:
    if name in FAILS["context_completeness"]:
        return None
    moved = {"context_completeness", *complete(name)}
    if label(name) == "ANSWERABLE":
        moved.add("context_completeness_answerable")
    if (name, "c2") not in builder.SUPPORT:  # its evidence is what was dropped
        moved |= {"claim_support", "minor_claims_supported"}
    return {"context": without(row["context"], second(name))}, moved


def restore_context(name: str, row: dict[str, Any]) -> Flip | None:
    if name not in FAILS["context_completeness"]:
        return None
    moved = {"context_completeness"}
    moved |= {"context_completeness_answerable"} if label(name) == "ANSWERABLE" else set()
    return {"context": [*row["context"], second(name)]}, moved


def break_citation(name: str, row: dict[str, Any]) -> Flip | None:
    if not row["citations"]:
        return None
    cited = [{**row["citations"][0], "resolved": False}, *row["citations"][1:]]
    moved = set() if name in FAILS["citation_resolvability"] else {"citation_resolvability", *complete(name)}
    return {"citations": cited}, moved


def no_citation(name: str, row: dict[str, Any]) -> Flip | None:
    if not row["citations"] or name in FAILS["citation_resolvability"]:
        return None
    return {"citations": []}, {"citation_resolvability", *complete(name)}


def mend_citation(name: str, row: dict[str, Any]) -> Flip | None:
    if name not in FAILS["citation_resolvability"]:
        return None
    return {"citations": row["citations"][:1]}, {"citation_resolvability"}


def refuse(name: str, row: dict[str, Any]) -> Flip | None:
    if label(name) == "ANSWERABLE":
        return {"behaviour": "refuse"}, {"answerable_answered", *complete(name)}
    moved = set() if name in FAILS["abstention_quality"] else {"abstention_quality", *complete(name)}
    return {"behaviour": "refuse"}, moved


def no_next_step(name: str, row: dict[str, Any]) -> Flip | None:
    held = label(name) != "ANSWERABLE" and name not in FAILS["abstention_quality"]
    return {"next_step": " "}, {"abstention_quality", *complete(name)} if held else set()


def violation(name: str, row: dict[str, Any]) -> Flip | None:
    seen = {"kind": "unauthorised_source", "channel": "trace", "what": "an identifier in a trace"}
    tries = bool(ROWS.case(name)["boundaries"]) and name not in FAILS["security_isolation"]
    moved = {"security_isolation"} if tries else set()
    return {"violations": [*row["violations"], seen]}, moved | complete(name)


def mend_violation(name: str, row: dict[str, Any]) -> Flip | None:
    if name != "Q054":
        return None
    return {"violations": []}, {"security_isolation"}


def neutral(field: str, value: Any) -> Callable[[str, dict[str, Any]], Flip | None]:
    def flip(name: str, row: dict[str, Any]) -> Flip | None:
        return {field: value}, set()

    flip.__name__ = f"neutral_{field}"
    return flip


FLIPS: dict[str, tuple[Callable[[str, dict[str, Any]], Flip | None], ...]] = {
    "candidates": (
        drop_candidate,
        restore_candidate,
        candidate_beyond_k,
        retired_candidate,
        unknown_candidate,
    ),
    "context": (drop_context, restore_context),
    "citations": (break_citation, no_citation, mend_citation),
    "behaviour": (refuse,),
    "next_step": (no_next_step,),
    "violations": (violation, mend_violation),
    "output_at": (neutral("output_at", "2027-01-01T00:00:00Z"),),
    "seconds": (neutral("seconds", 99.0),),
    "cost": (neutral("cost", None),),
    "review_minutes": (neutral("review_minutes", 77.5),),
    "timed_out": (neutral("timed_out", True),),
    "fell_back": (neutral("fell_back", True),),
    "corrections": (neutral("corrections", 9),),
}
REFUSED = {"run_id", "case_id", "contract_sha256", "observed", "absence"}
"""Fields in which no other value is a run of this ledger: test_ledger_faults."""


def test_every_field_of_a_run_is_flipped_or_refused() -> None:
    assert set(FLIPS) | REFUSED == set(LedgerRun.model_fields)


@pytest.mark.parametrize(
    "flip", [flip for flips in FLIPS.values() for flip in flips], ids=lambda f: f.__name__
)
def test_one_run_changed(flip: Callable[[str, dict[str, Any]], Flip | None]) -> None:
    tried = 0
    for name in NAMES:
        place = int(name[1:]) - 1
        made = flip(name, ROWS.runs[place])
        if made is None:
            continue
        changed, expected = made
        run = LedgerRun.model_validate({**ROWS.runs[place], **changed})
        runs = (*LEDGER.runs[:place], run, *LEDGER.runs[place + 1 :])
        _exactly(name, dataclasses.replace(LEDGER, runs=runs), expected)
        tried += 1
    assert tried


def _claim_flips() -> Iterator[tuple[str, str, str, set[str]]]:
    for name, claim in [(name, claim) for name in NAMES for claim in ("c1", "c2")]:
        by_severity = f"{severity(name, claim)}_claims_supported"
        was = builder.SUPPORT.get((name, claim), "full")
        for now in ("full", "partial", "none", "contradicted"):
            if now == was:
                continue
            moved = {"claim_support", by_severity} if "full" in (was, now) else set()
            moved |= complete(name)
            bad = ("none", "contradicted")
            other = any(builder.SUPPORT.get((name, c)) in bad for c in ("c1", "c2") if c != claim)
            held = label(name) != "ANSWERABLE" and name not in FAILS["abstention_quality"]
            if held and not other and (was in bad) != (now in bad):
                moved.add("abstention_quality")
            yield name, claim, now, moved


@pytest.mark.parametrize("support", ["full", "partial", "none", "contradicted"])
def test_one_claim_changed(support: str) -> None:
    tried = 0
    for name, claim, now, expected in _claim_flips():
        if now != support:
            continue
        row = LedgerClaim.model_validate({**ROWS.claim(name, claim), "support": now})
        mine = tuple(row if one.claim_id == claim else one for one in LEDGER.claims[name])
        after = _exactly(name, dataclasses.replace(LEDGER, claims={**LEDGER.claims, name: mine}), expected)
        critical = severity(name, claim) == "critical" and now in ("none", "contradicted")
        assert (name in {veto.run_id for veto in after.vetoes}) is (critical or name in builder.VIOLATIONS)
        tried += 1
    assert tried


def _exactly(name: str, ledger: Ledger, expected: set[str]) -> Evaluation:
    after = evaluate_ledger(ledger)
    found = diff_ledgers(BEFORE, after)
    assert {one.name for one in found.moved} == expected, name
    for one in found.moved:
        rows = (*one.lost, *one.gained, *one.appeared, *one.gone)
        assert {row.split()[0] for row in rows} == {name}
    blocking = {veto.run_id for veto in after.vetoes}
    assert (after.decision == "NOT_RELEASED") is bool(blocking)
    return after
