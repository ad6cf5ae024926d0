"""An evaluation as one HTML file: no script, nothing loaded from elsewhere, and every string escaped."""

from __future__ import annotations

from typing import Any

from docaudit.abstention.ledger.results import CheckState, Decision, Evaluation, Group, RunResult, Symptom
from docaudit.abstention.ledger.rows import Layer, Metric, VetoKind
from docaudit.render import ledger_words
from docaudit.render.html import environment
from docaudit.render.language import ENGLISH

_STATES = {
    CheckState.MET: "met",
    CheckState.ATTESTED: "met",
    CheckState.UNMET: "unmet",
    CheckState.OPEN: "not_run",
}
_BY = {"language": "Language", "answerability": "Answerability", "group": "Group", "identity": "Identity"}


def to_html(result: Evaluation) -> str:
    """The whole evaluation as one HTML document."""
    return environment(ENGLISH).get_template("ledger.html.j2").render(context(result))


def context(result: Evaluation) -> dict[str, Any]:
    """What the template shows."""
    failed = [run for run in result.runs if not run.passed]
    return {
        "e": result,
        "released": result.decision is Decision.RELEASED,
        "w": ledger_words,
        "meanings": {metric.value: metric.meaning for metric in Metric},
        "thresholds": {metric.value: share for metric, share in result.thresholds.items()},
        "veto_meanings": {kind: kind.meaning for kind in VetoKind},
        "layers": _layers(failed),
        "symptoms": {symptom: symptom.repair for symptom in Symptom},
        "failed": failed,
        "groups": [(_BY[by], _of(result, by)) for by in _BY],
        "states": _STATES,
    }


def _of(result: Evaluation, by: str) -> list[Group]:
    return [group for group in result.groups if group.by == by]


def _layers(failed: list[RunResult]) -> list[tuple[Layer, list[str]]]:
    """The seven layers, each with the runs that are repaired there first."""
    return [(layer, [run.run_id for run in failed if run.repair_first is layer]) for layer in Layer]
