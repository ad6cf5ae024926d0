"""Logs of an evaluator with what is known of the material: how many of its "insufficient" were false refusals?

Logs whose material nobody looked at stay unverified; they are no true refusals and no false ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import model_validator

from docaudit.abstention.evaluators.graded import Graded, faults_between
from docaudit.abstention.evaluators.grounds import NoGround
from docaudit.abstention.evaluators.protocol import Evaluator, assess_all
from docaudit.abstention.labels import Evidence
from docaudit.abstention.ratio import Ratio
from docaudit.abstention.reading import unique_keys, validated
from docaudit.errors import EvaluatorError
from docaudit.evidence import Model


class LogRow(Model):
    """One question that the evaluator judged.

    Attributes:
        graded: The question with the grades of its candidates.
        evidence: Whether the material really holds the answer.
        pattern: What a strict rule stumbles over here, if it is one of the known patterns.
    """

    graded: Graded
    evidence: Evidence
    pattern: NoGround | None = None

    @model_validator(mode="after")
    def _consistent(self) -> LogRow:
        if self.pattern is not None and self.evidence is not Evidence.PRESENT:
            raise ValueError("a pattern of false refusals needs evidence that is present")
        return self


class Refusals(Model):
    """What one evaluator does to the logs.

    Attributes:
        evaluator: Its name.
        strictness: Its parameters.
        insufficient: Judged insufficient, of all logs.
        truly_absent: Of these, logs whose material does not hold the answer.
        false_refusals: Of these, logs whose material does.
        unverified: Of these, logs of which that is not known.
        false_passes: Judged sufficient, of the logs whose material does not hold the answer.
        by_pattern: False refusals of each pattern, of its logs.
        false_refusal_ids: Which.
    """

    evaluator: str
    strictness: Mapping[str, float | int | str]
    insufficient: Ratio
    truly_absent: Ratio
    false_refusals: Ratio
    unverified: Ratio
    false_passes: Ratio
    by_pattern: Mapping[NoGround, Ratio]
    false_refusal_ids: tuple[str, ...]


def count_refusals(
    rows: Sequence[LogRow], evaluator: Evaluator, *, refused: str = "insufficient"
) -> Refusals:
    """Judge every log and compare with what is known of its material.

    Args:
        rows: The logs.
        evaluator: One whose verdict can be `refused`.
        refused: The verdict that is counted.

    Raises:
        EvaluatorError: There are no logs, the evaluator has no such verdict, or it cannot judge some of them.
    """
    if not rows:
        raise EvaluatorError("there are no logs")
    if refused not in evaluator.actions:
        raise EvaluatorError(f"{evaluator.name} never says '{refused}'")
    judged = assess_all(evaluator, [row.graded for row in rows])
    stopped = [row for row, one in zip(rows, judged, strict=True) if one.verdict == refused]
    names = {row.graded.id for row in stopped}
    false = [row for row in stopped if row.evidence is Evidence.PRESENT]
    absent = [row for row in rows if row.evidence is Evidence.ABSENT]

    def of_stopped(evidence: Evidence) -> Ratio:
        return Ratio(numerator=sum(row.evidence is evidence for row in stopped), denominator=len(stopped))

    return Refusals(
        evaluator=evaluator.name,
        strictness=evaluator.strictness,
        insufficient=Ratio(numerator=len(stopped), denominator=len(rows)),
        truly_absent=of_stopped(Evidence.ABSENT),
        false_refusals=of_stopped(Evidence.PRESENT),
        unverified=of_stopped(Evidence.UNVERIFIED),
        false_passes=Ratio(
            numerator=sum(row.graded.id not in names for row in absent), denominator=len(absent)
        ),
        by_pattern={
            pattern: Ratio(
                numerator=sum(row.pattern is pattern for row in false),
                denominator=sum(row.pattern is pattern for row in rows),
            )
            for pattern in NoGround
        },
        false_refusal_ids=tuple(row.graded.id for row in false),
    )


def read_logs(path: Path) -> tuple[LogRow, ...]:
    """Logs from a file with one JSON object a line; raises EvaluatorError with every fault, each with its row."""
    try:
        text = path.read_text("utf-8-sig").rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluatorError(f"cannot be read: {error}", file=str(path)) from error
    problems: list[str] = []
    made: list[tuple[int, LogRow]] = []
    lines = text.split("\n") if text else []  # not at U+2028, which texts of JSON may hold
    for number, line in enumerate(lines, 1):
        try:
            raw = json.loads(line, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError) as error:
            problems.append(f"row {number}: not JSON: {error}")
            continue
        row = validated(LogRow, raw, f"row {number}", problems)
        if row is not None:
            made.append((number, row))
    problems += faults_between([(number, row.graded) for number, row in made])
    if problems or not made:
        raise EvaluatorError(
            "the logs are refused", file=str(path), problems=tuple(problems or ["it is empty"])
        )
    return tuple(row for _, row in made)
