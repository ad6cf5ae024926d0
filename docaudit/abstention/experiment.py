"""One retrieval experiment from three files to results.json, which has the same bytes on every machine.

The form of results.json is that of the published experiment that it repeats; its word for an over-hold is excess_hold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docaudit.abstention.bm25 import BM25, unseen
from docaudit.abstention.counts import GateCounts, required_documents_covered
from docaudit.abstention.experiment_files import Inputs
from docaudit.abstention.frozen import Frozen
from docaudit.abstention.gate import decide_all
from docaudit.abstention.limits import BM25_LIMITS
from docaudit.abstention.reading import read_frozen
from docaudit.abstention.threshold_sweep import Sweep, sweep_thresholds
from docaudit.errors import GateError

METRICS_NOTE = (
    "This measures retrieval and a gate only; no answers were generated or graded. "
    "Evidence coverage uses prewritten synthetic labels, not an automated semantic checker."
)
_KEPT = ("id", "query", "required_doc_ids", "candidates", "status", "error")
_NEEDED = (
    "id",
    "query",
    "required_doc_ids",
    "answerable_in_collection",
    "label_reason",
    "top_score",
    "candidates",
)


@dataclass(frozen=True)
class Experiment:
    """What a run gave.

    Attributes:
        text: The content of results.json.
        sha256: Its hash, as UTF-8.
        sweep: The same counts for people, with limits.
        notes: Letters that the retriever did not search.
    """

    text: str
    sha256: str
    sweep: Sweep
    notes: tuple[str, ...]


def run_experiment(inputs: Inputs) -> Experiment:
    """Search once for each question, then decide at each threshold; raises GateError."""
    results: dict[str, Any] = {
        "config": inputs.raw_config,
        "documents_count": len(inputs.documents),
        "queries": _retrieved(inputs),
    }
    frozen = frozen_results(results, "")
    for row, made in zip(results["queries"], frozen.rows, strict=True):
        row["required_documents_covered_in_top_k"] = required_documents_covered(made)
    sweep = sweep_thresholds(frozen, inputs.config.thresholds, unverified="apart", extra_limits=BM25_LIMITS)
    thresholds = inputs.raw_config["thresholds"]  # as they are written there: 0 or 0.0
    results["summaries"] = [
        _summary(frozen, written, counts)
        for written, counts in zip(thresholds, (point.gate for point in sweep.points), strict=True)
    ]
    results["metrics_note"] = METRICS_NOTE
    text = json.dumps(results, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Experiment(text, sha256, sweep.model_copy(update={"sha256": sha256}), _notes(inputs))


def is_results(content: Any) -> bool:
    """Whether this is the content of a results.json, not of a file of frozen results."""
    return isinstance(content, dict) and {"config", "queries"} <= content.keys()


def frozen_results(results: Mapping[str, Any], sha256: str, file: str | None = None) -> Frozen:
    """The content of a results.json as frozen results; raises GateError.

    What "absent" rests on is the config's `absent_basis`, or else its corpus_scope and day, and each label_reason.
    """
    config = results["config"]
    if not isinstance(config, dict) or not isinstance(results["queries"], list):
        raise GateError("config must be an object and queries a list", file=file)
    day = config.get("experiment_date_jst")
    parameters = json.dumps(config, sort_keys=True, ensure_ascii=False).encode()
    content = {
        "operating": {
            "stage": "retrieval",
            "score_kind": config.get("method"),
            "direction": "higher_is_better",
            "comparison": config.get("comparison"),
            "config_version": f"sha256 {hashlib.sha256(parameters).hexdigest()[:16]}",
        },
        "questions": config.get("questions")
        or {
            "name": "questions of the run",
            "period": day,
            "origin": "designed",
            "note": config.get("selection_note", ""),
        },
        "rows": [_row(raw, config) for raw in results["queries"]],
    }
    problems = [fault for number, raw in enumerate(results["queries"], 1) for fault in _faults(number, raw)]
    if problems:
        raise GateError("the retrieval results are refused", file=file, problems=tuple(problems))
    return read_frozen(content, sha256, file)


def _faults(number: int, raw: Any) -> list[str]:
    """Fields that a run always writes, and a top score that is not that of the first candidate."""
    if not isinstance(raw, dict):
        return []  # refused with its row by what reads it
    where = f"row {number} ({raw.get('id')})"
    missing = [f"{where}: the field '{name}' is missing" for name in _NEEDED if name not in raw]
    candidates = raw.get("candidates")
    if missing or not isinstance(candidates, list):
        return missing
    first = candidates[0].get("score") if candidates and isinstance(candidates[0], dict) else None
    if raw["top_score"] != first:
        return [f"{where}: top_score is {raw['top_score']}, and the first candidate has {first}"]
    return []


def _row(raw: Any, config: Mapping[str, Any]) -> Any:
    if not isinstance(raw, dict):
        return raw
    scope = config.get("corpus_scope")
    basis = config.get("absent_basis") or {
        "scope": scope,
        "version": config.get("experiment_date_jst"),
        "permission": scope,
        "method": raw.get("label_reason"),
    }
    evidence = _evidence(raw.get("answerable_in_collection"))
    kept = {name: raw[name] for name in _KEPT if name in raw}
    grouping = {name: raw[name] for name in ("group", "category") if name in raw}
    return {**kept, **grouping, "evidence": evidence, "basis": basis if evidence == "absent" else None}


def _evidence(answerable: Any) -> Any:
    if answerable is None:
        return "unverified"
    return {"True": "present", "False": "absent"}.get(repr(answerable), answerable)


def _retrieved(inputs: Inputs) -> list[dict[str, Any]]:
    index = BM25(inputs.documents, k1=inputs.config.k1, b=inputs.config.b)
    rows = []
    for question, raw in zip(inputs.questions, inputs.raw_queries, strict=True):
        found = index.search(question.query)[: inputs.config.top_k]
        candidates = [{"doc_id": name, "score": score} for name, score in found]
        # No candidate is a reason of its own, so the top score is then null and never 0.
        rows.append({**raw, "top_score": found[0][1] if found else None, "candidates": candidates})
    return rows


def _summary(frozen: Frozen, written: float, counts: GateCounts) -> dict[str, Any]:
    decisions = decide_all(frozen.operating, [row.retrieval for row in frozen.rows], written)
    without = counts.passed_without_required_ids
    summary = {
        "threshold": written,
        "query_count": len(frozen.rows),
        "passed": counts.passed.numerator,
        "held": counts.held.numerator,
        "answerable_count": counts.over_hold.denominator,
        "unanswerable_count": counts.false_pass.denominator,
        "false_pass_count": counts.false_pass.numerator,
        "false_pass_ids": counts.false_pass_ids,
        "excess_hold_count": counts.over_hold.numerator,
        "excess_hold_ids": counts.over_hold_ids,
        "passed_without_required_evidence_count": len(without),
        "passed_without_required_evidence_ids": without,
        "passed_with_required_evidence_count": counts.passed.numerator - len(without),
        "decisions": [
            {"query_id": one.query_id, "passed": one.passed, "reason": one.reason.value} for one in decisions
        ],
    }
    if counts.unverified_passed.denominator:  # a count of its own, never a part of "unanswerable"
        summary["unverified_count"] = counts.unverified_passed.denominator
    return summary


def _notes(inputs: Inputs) -> tuple[str, ...]:
    texts = [(f"document {one.id}", one.searched) for one in inputs.documents]
    texts += [(f"question {one.id}", one.query) for one in inputs.questions]
    return tuple(
        f"{where}: letters that this retriever does not search: {letters}"
        for where, text in texts
        if (letters := unseen(text))
    )
