"""Two evaluations side by side: which ratios moved, and which runs or claims moved them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from docaudit.abstention.ledger.lint import lint_change
from docaudit.abstention.ledger.reading import checked
from docaudit.abstention.ledger.report import Evaluation, LedgerDiff, Moved
from docaudit.abstention.ledger.results import Ratio
from docaudit.differences import Difference, differences
from docaudit.errors import LedgerError


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
        content = checked(file.read_bytes())
        return Evaluation.model_validate_json(content, strict=True)
    except OSError as error:
        raise LedgerError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except ValueError as error:
        faults = [str(error)]
        if isinstance(error, ValidationError):
            faults = [f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()[:5]]
        raise LedgerError(
            "is not what docaudit evaluate --json printed",
            file=str(path),
            problems=tuple(faults),
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
