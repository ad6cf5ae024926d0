"""The checklists before an evaluation, before release and after it: recomputed where rows show it, else by name."""

from __future__ import annotations

from collections.abc import Sequence

from docaudit.abstention.ledger.ledger import Ledger
from docaudit.abstention.ledger.report import Agreement, ChecklistItem, CheckState
from docaudit.abstention.ledger.results import Ratio, Veto

BEFORE, RELEASE, AFTER = "before the evaluation", "before release", "after release"
BY_PEOPLE = {
    "no_real_customer_data": (
        BEFORE,
        "No unmanaged customer data, credentials or real content of other tenants in the fixtures.",
    ),
    "logs_and_rollback": (
        RELEASE,
        "Logs, restore, stop, correction, retention and acceptance by name are in place.",
    ),
    "monitoring": (
        AFTER,
        "New questions, changed sources, index delay, permissions, broken citations and corrections are watched.",
    ),
    "failures_added_with_care": (
        AFTER,
        "Failures in production are added only minimised, authorised and reviewed for privacy.",
    ),
    "last_approved_restorable": (AFTER, "The last approved configuration can be reproduced and restored."),
}
"""Points that no row can show: a person confirms them in `attested` of the contract."""


def checklist(
    ledger: Ledger, ratios: Sequence[Ratio], vetoes: Sequence[Veto], agreement: Agreement
) -> tuple[ChecklistItem, ...]:
    """Every point, with what was recomputed for it or who confirmed it."""
    contract = ledger.contract
    cases = list(ledger.cases.values())
    planned = sum(len(case.claims) for case in cases)
    failed = next(one for one in ratios if one.name == "complete_pass")
    items = [
        _item("owners_named", BEFORE, "Product, corpus, domain, security and incidents have owners by name.",
              True, ", ".join(f"{owner.value}: {name}" for owner, name in contract.owners.items())),
        _item("versions_frozen", BEFORE, "Corpus, identities, pipeline, policy and evaluators have fixed versions.",
              True, f"{len(contract.versions)} parts, observed in each of {len(ledger.runs)} runs"),
        _item("labels_set", BEFORE, "Answerability, evidence, claims, severity and vetoes were set.",
              True, f"{len(cases)} cases with {planned} claims, frozen {contract.frozen_at.isoformat()}"),
        _item("recomputed", RELEASE, "Every numerator and denominator was recomputed from runs and claims.",
              True, "; ".join(f"{one.name} {one.numerator} of {one.denominator}" for one in ratios)),
        _item("vetoes_resolved", RELEASE, "No veto is open: access, tenant, injection, severe invention.",
              not vetoes, _of_runs(vetoes)),
        _item("failures_looked_at", RELEASE, "Failed parts, groups, languages, roles and disagreements are listed.",
              True, f"{len(failed.missed)} runs failed; {len(agreement.disagreements)} disagreements of judges"),
        _item("retest_rules", AFTER, "Changes that call for a new run are named.",
              bool(contract.retest_when), ", ".join(contract.retest_when) or "retest_when is empty"),
    ]  # fmt: skip
    for code, (stage, text) in BY_PEOPLE.items():
        who = contract.attested.get(code)
        state = CheckState.ATTESTED if who else CheckState.OPEN
        evidence = (
            f"confirmed by {who}" if who else f"nobody has confirmed it (attested.{code} in contract.json)"
        )
        items.append(ChecklistItem(code=code, stage=stage, text=text, state=state, evidence=evidence))
    stages = (BEFORE, RELEASE, AFTER)
    return tuple(sorted(items, key=lambda item: stages.index(item.stage)))


def _item(code: str, stage: str, text: str, met: bool, evidence: str) -> ChecklistItem:
    state = CheckState.MET if met else CheckState.UNMET
    return ChecklistItem(code=code, stage=stage, text=text, state=state, evidence=evidence)


def _of_runs(vetoes: Sequence[Veto]) -> str:
    runs = list(dict.fromkeys(veto.run_id for veto in vetoes))
    if not runs:
        return "no run is vetoed"
    return f"{'1 run is' if len(runs) == 1 else f'{len(runs)} runs are'} vetoed: {', '.join(runs)}"
