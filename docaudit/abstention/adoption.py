"""What is kept when a threshold is adopted, as one bundle; a change of any part asks for a new evaluation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from docaudit.abstention.gate import OperatingRecord
from docaudit.abstention.results import Frozen, Given, QuestionSet, read_json, validated
from docaudit.abstention.threshold_sweep import GateCounts, Unverified, count, limits
from docaudit.errors import GateError
from docaudit.justification import Model
from docaudit.text.numbers import percent

MISSING = "no candidates, a missing score and a failed search are held, each for its own reason; none is a score of 0"


class FollowUp(Given):
    """What happens to a question that is held.

    Attributes:
        handled_by: Who takes it on.
        within: How soon.
        message_checked: Whether the words that users get were checked: docaudit.abstention.hold.
    """

    handled_by: str = Field(min_length=1)
    within: str = Field(min_length=1)
    message_checked: bool


class AdoptionBundle(Model):
    """A threshold with all that it means anything with.

    Attributes:
        threshold: What values are compared with.
        operating: Score, versions, aggregation, comparison, other conditions.
        questions: The questions of the evaluation, with their period.
        results_sha256: Hash of the frozen results.
        labels: How many questions have each label.
        ties: What becomes of a value equal to the threshold.
        missing: What becomes of questions without a value.
        accepted_false_pass, accepted_over_hold: Greatest shares that were agreed to before the evaluation.
        counts: What was measured, on the held-out part.
        held_out_uses: How often that part has been looked at.
        follow_up: What happens to held questions.
        limits: What the numbers cannot say.
    """

    threshold: float
    operating: OperatingRecord
    questions: QuestionSet
    results_sha256: str
    labels: dict[str, int]
    ties: str
    missing: str
    accepted_false_pass: float = Field(ge=0, le=1)
    accepted_over_hold: float = Field(ge=0, le=1)
    counts: GateCounts
    held_out_uses: int
    follow_up: FollowUp
    limits: tuple[str, ...]


class BundleChange(Model):
    """A field in which two bundles differ.

    Attributes:
        field: Its path.
        old, new: Its values.
        effect: Whether the old evaluation still stands (`record_only`) or must be made anew.
    """

    field: str
    old: Any
    new: Any
    effect: Literal["evaluate_again", "record_only"]


def adopt(
    frozen: Frozen,
    threshold: float,
    follow_up: FollowUp,
    *,
    accepted_false_pass: float,
    accepted_over_hold: float,
    unverified: Unverified = "refuse",
) -> AdoptionBundle:
    """Make the bundle of a threshold from the held-out part of a split.

    Raises:
        GateError: The rows are not a held-out part used for the first time, a share cannot be measured, or one is
            greater than was agreed to.
    """
    require_first_use(frozen.held_out_uses, frozen.part)
    counts = count(frozen, threshold, unverified=unverified)
    problems = [
        f"{name}: {ratio}, agreed to: {percent(most)}"
        for name, ratio, most in (
            ("false_pass", counts.false_pass, accepted_false_pass),
            ("over_hold", counts.over_hold, accepted_over_hold),
        )
        if ratio.share is None or ratio.share > most
    ]
    if problems:
        raise GateError("the threshold is not adopted", problems=tuple(problems))
    passes = frozen.operating.passes(threshold, threshold)
    return AdoptionBundle(
        threshold=threshold,
        operating=frozen.operating,
        questions=frozen.questions,
        results_sha256=frozen.sha256,
        labels=dict(sorted(Counter(row.evidence.value for row in frozen.rows).items())),
        ties=f"a value equal to the threshold is {'passed' if passes else 'held'}",
        missing=MISSING,
        accepted_false_pass=accepted_false_pass,
        accepted_over_hold=accepted_over_hold,
        counts=counts,
        held_out_uses=frozen.held_out_uses,
        follow_up=follow_up,
        limits=limits(frozen),
    )


def require_first_use(uses: int, part: str = "held_out") -> None:
    """Raise GateError unless this is a held-out part at its first use."""
    if part != "held_out" or uses != 1:
        raise GateError(
            f"a threshold is adopted on a held-out part at its first use; this is part '{part}', use {uses}",
            remedy="split results that nothing was chosen on",
        )


def load_bundle(path: str | Path) -> AdoptionBundle:
    """A bundle that was saved as JSON; raises GateError with everything that is wrong."""
    content, _ = read_json(Path(path))
    problems: list[str] = []
    bundle = validated(AdoptionBundle, content, "bundle", problems)
    if bundle is None:
        raise GateError("is not what gate adopt wrote", file=str(path), problems=tuple(problems))
    return bundle


def diff_bundles(old: AdoptionBundle, new: AdoptionBundle) -> tuple[BundleChange, ...]:
    """Every field in which two bundles differ; results that follow from others (counts, limits) are not listed."""
    before, after = (
        _flat(bundle.model_dump(mode="json", exclude={"counts", "limits"})) for bundle in (old, new)
    )
    return tuple(
        BundleChange(
            field=name,
            old=before.get(name),
            new=after.get(name),
            effect="record_only" if name.startswith(("follow_up.", "questions.note")) else "evaluate_again",
        )
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    )


def _flat(fields: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Values by the path of their field."""
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat
