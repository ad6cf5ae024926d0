"""The grid of k × threshold on a terminal, and the stages that are to blame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docaudit.abstention.records import written
from docaudit.abstention.topk.grid import Cell, Grid, Mean, Unit, topk_grid
from docaudit.abstention.topk.stages import StageLog, blame, stage_logs
from docaudit.cli.gate_tables import print_table
from docaudit.cli.gates import read_results
from docaudit.cli.printing import print_json
from docaudit.render.clean import one_line
from docaudit.render.paper import Paper, new_console


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
    paper = Paper(new_console())
    _print_grid(paper, grid)
    if stages:
        _print_blame(paper, logs, grid.cells[0])
    return 0


def _print_grid(paper: Paper, grid: Grid) -> None:
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
            paper.say(f"In neither mean, {reason.value}: {many}", indent=2)


def _mean(mean: Mean) -> str:
    return f"{'-' if mean.value is None else f'{mean.value:.2f}'} of {mean.over}"


def _print_blame(paper: Paper, logs: Sequence[StageLog], cell: Cell) -> None:
    cut = "by rank alone" if cell.threshold is None else f"threshold {written(cell.threshold)}"
    paper.heading("Which stage is to blame", f"k = {cell.k}, {cut}; the first that failed")
    for stage, many in blame(logs).items():
        paper.say(f"{'no known failure' if stage is None else stage.value}: {many} of {len(logs)}", indent=2)
