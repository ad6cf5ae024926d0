"""The grid of k × threshold on a terminal, and the stages that are to blame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docaudit.abstention.gate import written
from docaudit.abstention.topk import (
    Cell,
    Grid,
    LeftOut,
    Mean,
    Stage,
    StageLog,
    State,
    Unit,
    blame,
    stage_logs,
    topk_grid,
)
from docaudit.cli.flags import print_json
from docaudit.cli.gate_tables import print_table
from docaudit.cli.gates import read_results
from docaudit.render.language import one_line
from docaudit.render.terminal import ConsoleWriter, new_console

_SHOWN = 10
_LEFT_OUT = {
    LeftOut.EVIDENCE_ABSENT: "the evidence is absent",
    LeftOut.UNVERIFIED: "the evidence is unverified",
    LeftOut.RELEVANT_NOT_NAMED: "what is relevant is not named",
    LeftOut.RETRIEVAL_FAILED: "the search failed",
    LeftOut.MISSING_SCORE: "a score is missing",
}
_STAGES = {
    Stage.QUESTION_SET: "question set",
    Stage.RETRIEVAL: "search",
    Stage.SELECTION: "selection",
    Stage.CONTEXT: "context",
    Stage.ANSWER: "answer",
}


def topk(
    frozen: Path,
    unit: str,
    ks: Sequence[int],
    thresholds: Sequence[float] | None,
    *,
    stages: bool,
    as_json: bool,
) -> int:
    """Show the grid."""
    results, what = read_results(frozen), Unit(unit)
    cuts = (None,) if thresholds is None else tuple(thresholds)
    grid = topk_grid(results, unit=what, ks=ks, thresholds=cuts)
    logs = stage_logs(results, unit=what, k=ks[0], threshold=cuts[0]) if stages else ()
    if as_json:
        print_json(
            {**grid.model_dump(mode="json"), "stages": [log.model_dump(mode="json") for log in logs]}
            if stages
            else grid.model_dump(mode="json")
        )
        return 0
    paper = ConsoleWriter(new_console())
    _print_grid(paper, grid)
    if stages:
        _print_blame(paper, logs, grid.cells[0])
    return 0


def _print_grid(paper: ConsoleWriter, grid: Grid) -> None:
    cells = grid.cells
    paper.say(
        f"{cells[0].recall.questions} questions: {one_line(grid.set.name)}, {one_line(grid.set.period)}, "
        f"{grid.set.origin}; ids are those of {grid.unit.value}s",
        hang=2,
    )
    heads = [("k", ""), ("threshold", ""), ("recall", "mean"), ("precision", "mean"), ("all found", "")]
    rows = [
        [
            str(one.k),
            "-" if one.threshold is None else written(one.threshold),
            _mean(one.recall),
            _mean(one.precision),
            f"{one.complete.numerator} of {one.complete.denominator}",
        ]
        for one in cells
    ]
    if cells[0].noise.denominator:
        heads.append(("noise", "without evidence"))
        for row, one in zip(rows, cells, strict=True):
            row.append(f"{one.noise.numerator} of {one.noise.denominator}")
    paper.heading("k and threshold", "means over questions; each question counts the same")
    print_table(paper, heads, rows)
    for reason in cells[0].left_out:
        low, *_, high = 2 * sorted(len(one.left_out[reason]) for one in cells)
        many = f"{high}" if low == high else f"{low} to {high}"
        if high:
            paper.say(f"In neither mean, {_LEFT_OUT[reason]}: {many}", indent=2)
    for one in cells:
        empty = [question.id for question in one.questions if question.precision is None]
        if empty:
            paper.say(
                f"{_where(one)}: nothing is taken of {_listed(empty)}: recall 0, and no precision",
                indent=2,
                hang=2,
            )


def _where(cell: Cell) -> str:
    cut = "" if cell.threshold is None else f", threshold {written(cell.threshold)}"
    return f"k = {cell.k}{cut}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return one_line(", ".join(names[:_SHOWN])) + more


def _mean(mean: Mean) -> str:
    return f"{'-' if mean.value is None else f'{mean.value:.2f}'} of {mean.over}"


def _print_blame(paper: ConsoleWriter, logs: Sequence[StageLog], cell: Cell) -> None:
    cut = "by rank alone" if cell.threshold is None else f"threshold {written(cell.threshold)}"
    paper.heading("Which stage is to blame", f"k = {cell.k}, {cut}; the first that failed")
    for stage, many in blame(logs).items():
        if stage is None:
            paper.say(f"no known failure: {many} of {len(logs)}", indent=2)
            continue
        states = [row.state for log in logs for row in log.rows if row.stage is stage]
        unknown = states.count(State.NOT_KNOWN)
        gap = f"; not known of {unknown}" if unknown else ""
        which = _listed([log.question_id for log in logs if log.blamed is stage])
        paper.say(
            f"{_STAGES[stage]}: {many} of {len(logs)}{gap}{f': {which}' if which else ''}", indent=2, hang=2
        )
