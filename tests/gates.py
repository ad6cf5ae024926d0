"""Frozen retrieval results for tests, made from counts that are known beforehand."""

from __future__ import annotations

import copy
from typing import Any

from docaudit.abstention.results import Frozen, read_frozen

OPERATING = {
    "stage": "reranking",
    "score_kind": "cosine similarity",
    "direction": "higher_is_better",
    "model_version": "m1",
    "index_version": "i1",
}
BASIS = {
    "scope": "lending rules, 12 files",
    "version": "2026-10",
    "permission": "all staff",
    "method": "read by two people",
}
QUESTIONS = {"name": "lending", "period": "2026-09", "origin": "sampled"}


def row(name: str, score: float | None = None, evidence: str = "present", **fields: Any) -> dict[str, Any]:
    """A row with one candidate, or none if there is no score."""
    candidates = [] if score is None else [{"doc_id": "D1", "score": score}]
    return {"id": name, "query": f"question {name}", "candidates": candidates, "evidence": evidence, **fields}


def content(rows: list[dict[str, Any]], **parts: Any) -> dict[str, Any]:
    """The content of a file of frozen results."""
    made = {"operating": OPERATING, "questions": QUESTIONS, "absent_basis": BASIS, "rows": rows, **parts}
    return copy.deepcopy(made)


def frozen(rows: list[dict[str, Any]], **parts: Any) -> Frozen:
    """Frozen results of rows."""
    return read_frozen(content(rows, **parts), "0" * 64)


def hundred() -> list[dict[str, Any]]:
    """100 questions with the counts that a published example gives for the thresholds 0.40 and 0.70.

    With evidence: 45 above 0.70, 15 more above 0.40, 10 below. Without: 5, 15 and 10. Answers at 0.70: 42 correct, 6
    wrong, 2 not verified; the 30 more at 0.40: 12 correct, 15 wrong, 3 not verified.
    """
    grades = {
        "high": ["correct"] * 42 + ["wrong"] * 2 + ["no_reference"] + ["wrong"] * 4 + ["undecidable"],
        "middle": ["correct"] * 12 + ["wrong"] * 2 + ["no_reference"] + ["wrong"] * 13 + ["undecidable"] * 2,
    }
    blocks = [
        ("high", 0.85, "present", 45),
        ("high", 0.85, "absent", 5),
        ("middle", 0.62, "present", 15),
        ("middle", 0.62, "absent", 15),
        ("low", 0.2, "present", 10),
        ("low", 0.2, "absent", 10),
    ]
    rows = []
    for level, score, evidence, many in blocks:
        for _ in range(many):
            name = f"Q{len(rows) + 1:03}"
            grade = grades[level].pop(0) if level in grades else None
            answer = None if grade is None else {"returned": True, "grade": grade}
            rows.append(row(name, score, evidence, answer=answer))
    return rows
