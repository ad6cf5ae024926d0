"""The measures of ranked and selected lists, by ir_measures; the only module that knows it (extra `evaluate`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from docaudit.errors import GateError, ModelError


class SetScores(NamedTuple):
    """Of one question.

    Attributes:
        recall: Share of the relevant that was selected.
        precision: Share of the selected that is relevant; None if nothing was selected.
    """

    recall: float
    precision: float | None


def set_recall_precision(
    relevant: Mapping[str, Collection[str]], selected: Mapping[str, Sequence[str]]
) -> dict[str, SetScores]:
    """SetR and SetP of each question; order within what was selected does not matter.

    Args:
        relevant: What each question needs; never nothing.
        selected: What was taken for each of the same questions.

    Raises:
        GateError: A question needs nothing, so that its recall is not defined.
        ModelError: ir_measures is not installed.
    """
    empty = [name for name, needed in relevant.items() if not needed]
    if empty:
        raise GateError("recall of nothing is not defined", problems=tuple(empty))
    if not relevant:
        return {}
    library = _library()
    found: dict[tuple[str, str], float] = {}
    qrels = [library.Qrel(name, one, 1) for name, needed in relevant.items() for one in needed]
    run = [
        library.ScoredDoc(name, one, float(-rank))
        for name in relevant
        for rank, one in enumerate(selected[name], 1)
    ]
    for metric in library.iter_calc([library.SetR, library.SetP], qrels, run):
        found[metric.query_id, str(metric.measure)] = float(metric.value)
    return {
        name: SetScores(found[name, "SetR"], found[name, "SetP"] if selected[name] else None)
        for name in relevant
    }


def average_precision(relevant: Sequence[bool]) -> float:
    """Average precision of a ranked list of which nothing else was judged; 0 if nothing on it is relevant."""
    library = _library()
    qrels = [library.Qrel("q", str(rank), int(good)) for rank, good in enumerate(relevant, 1)]
    run = [library.ScoredDoc("q", str(rank), float(-rank)) for rank, _ in enumerate(relevant, 1)]
    return float(library.calc_aggregate([library.AP], qrels, run)[library.AP])


def _library() -> Any:
    try:
        import ir_measures
    except ImportError as error:
        raise ModelError(
            "ir_measures is not installed", remedy='pip install ".[evaluate]" in the folder of docaudit'
        ) from error
    return ir_measures
