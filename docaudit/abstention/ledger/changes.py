"""Two evaluations side by side: which ratios moved, and which runs or claims moved them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from docaudit.abstention.ledger.lint import lint_change
from docaudit.abstention.ledger.report import Decision, Evaluation, LintFinding
from docaudit.abstention.ledger.results import Ratio, Veto
from docaudit.differences import Difference, differences
from docaudit.errors import LedgerError
from docaudit.evidence import Model


class Moved(Model):
    """A ratio that is not the same in both.

    Attributes:
        name: Metric or detail.
        before: Numerator and denominator before.
        after: Numerator and denominator after.
        lost: What was counted before and is missed now.
        gained: What was missed before and is counted now.
        appeared: What only the second one has (in its denominator).
        gone: What only the first one has.
    """

    name: str
    before: tuple[int, int]
    after: tuple[int, int]
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    appeared: tuple[str, ...]
    gone: tuple[str, ...]


class LedgerDiff(Model):
    """What changed from one evaluation to another.

    Attributes:
        same_contract: Both ran under the same contract file.
        moved: Ratios that moved, metrics first.
        vetoes_gone: Vetoes that only the first has.
        vetoes_new: Vetoes that only the second has.
        lint: Speed that was bought with a control.
    """

    kind: Literal["ledger_diff"] = "ledger_diff"
    before: str
    after: str
    same_contract: bool
    decision_before: Decision
    decision_after: Decision
    moved: tuple[Moved, ...]
    vetoes_gone: tuple[Veto, ...]
    vetoes_new: tuple[Veto, ...]
    lint: tuple[LintFinding, ...]

    @property
    def same(self) -> bool:
        """Whether nothing moved."""
        unchanged = self.decision_before is self.decision_after
        return unchanged and not (self.moved or self.vetoes_gone or self.vetoes_new)


def diff_ledgers(before: Evaluation, after: Evaluation) -> LedgerDiff:
    """Every ratio that moved, with the rows that moved it."""
    old = {one.name: one for one in (*before.ratios, *before.details)}
    moved = [
        change
        for one in (*after.ratios, *after.details)
        if (change := _moved(old[one.name], one)) is not None
    ]
    return LedgerDiff(
        before=before.name,
        after=after.name,
        same_contract=before.contract_sha256 == after.contract_sha256,
        decision_before=before.decision,
        decision_after=after.decision,
        moved=tuple(moved),
        vetoes_gone=tuple(veto for veto in before.vetoes if veto not in after.vetoes),
        vetoes_new=tuple(veto for veto in after.vetoes if veto not in before.vetoes),
        lint=tuple(lint_change(before, after)),
    )


def verify_evaluation(told: Evaluation, recomputed: Evaluation) -> tuple[Difference, ...]:
    """Every field of a saved evaluation that is not what the rows give now; ratios, groups and runs by their names."""
    return differences(_by_name(told), _by_name(recomputed))


def load_evaluation(path: str | Path) -> Evaluation:
    """An evaluation that `docaudit evaluate --json` printed into a file; raises LedgerError."""
    file = Path(path)
    try:
        return Evaluation.model_validate_json(file.read_bytes())
    except OSError as error:
        raise LedgerError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except ValidationError as error:
        raise LedgerError(
            "is not what docaudit evaluate --json printed",
            file=str(path),
            problems=tuple(
                f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()[:5]
            ),
            remedy="print it again: docaudit evaluate LEDGER --json",
        ) from error


def _by_name(evaluation: Evaluation) -> dict[str, Any]:
    data = evaluation.model_dump(mode="json")
    for group in data["groups"]:
        group["ratios"] = _named(group["ratios"], "name")
    for part, fields in (
        ("ratios", ("name",)),
        ("details", ("name",)),
        ("groups", ("by", "value")),
        ("runs", ("run_id",)),
        ("claims", ("run_id", "claim_id")),
        ("checklist", ("code",)),
    ):
        data[part] = _named(data[part], *fields)
    return data


def _named(rows: list[dict[str, Any]], *fields: str) -> Any:
    """Rows by their names; a name that stands twice would hide a row, so then they stay a list."""
    named = {" ".join(row[field] for field in fields): row for row in rows}
    return named if len(named) == len(rows) else rows


def _moved(old: Ratio, new: Ratio) -> Moved | None:
    met_then, met_now = set(old.met), set(new.met)
    missed_then, missed_now = set(old.missed), set(new.missed)
    if met_then == met_now and missed_then == missed_now:
        return None
    return Moved(
        name=old.name,
        before=(old.numerator, old.denominator),
        after=(new.numerator, new.denominator),
        lost=tuple(name for name in new.missed if name in met_then),
        gained=tuple(name for name in new.met if name in missed_then),
        appeared=tuple(name for name in (*new.met, *new.missed) if name not in met_then | missed_then),
        gone=tuple(name for name in (*old.met, *old.missed) if name not in met_now | missed_now),
    )
