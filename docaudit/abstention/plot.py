"""The trade-off of a gate as a picture: risk against coverage, and the two errors against the threshold.

Needs matplotlib (extra `evaluate`).
"""

from __future__ import annotations

import io
from pathlib import Path
from textwrap import shorten
from typing import Any

from docaudit.abstention.gate import Direction, written
from docaudit.abstention.threshold_sweep import ThresholdSweep
from docaudit.errors import ModelError, OutputError
from docaudit.files import write_bytes

_MOST_MARKS, _MOST_DOTS = (
    8,
    40,
)  # more names overlap, more dots run into a line (seen on the pictures, not measured)
_RISK, _FALSE_PASS, _OVER_HOLD = "#1f4e79", "#b3261e", "#8a6d00"


def require_place(path: Path) -> None:
    """Raise OutputError if no picture can be written there: better before anything is counted than after."""
    if path.suffix.lower() not in (".png", ".svg"):
        raise OutputError("a picture is PNG or SVG", file=str(path), remedy="end the name with .png or .svg")
    if not path.parent.is_dir():
        raise OutputError("there is no such folder", file=str(path), remedy="make it, or name another")


def write_plot(sweep: ThresholdSweep, path: Path) -> None:
    """Write the picture; the suffix says PNG or SVG. Raises ModelError without matplotlib, OutputError otherwise."""
    require_place(path)
    image_format = path.suffix.lower().lstrip(".")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ModelError(
            "matplotlib is not installed, so nothing can be drawn",
            remedy='install it: pip install ".[evaluate]"',
        ) from error
    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "docaudit", "font.size": 9}):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_risk_coverage(left, sweep)
        _draw_errors(right, sweep)
        questions = sweep.points[0].gate.passed.denominator
        part = "all questions" if sweep.part == "all" else f"the part {sweep.part.replace('_', ' ')}"
        named = "" if sweep.named else "; no threshold was named, so none is marked"
        title = (
            f"{_drawable(sweep.questions.name)}: {_drawable(sweep.operating.score_kind)}, {part}\n"
            f"{questions} questions, results sha256 {sweep.sha256[:12]}{named}"
        )
        figure.suptitle(title, fontsize=10, parse_math=False)
        # Without a date, the same results give the same bytes.
        metadata = {"Date": None} if image_format == "svg" else {"Software": None}
        figure.savefig(buffer, format=image_format, dpi=150, metadata=metadata)
    write_bytes(path, buffer.getvalue())


def _draw_risk_coverage(axes: Any, sweep: ThresholdSweep) -> None:
    curve = sweep.risk_coverage
    coverage = [curve.coverage(point) for point in curve.points]
    risk = [point.risk for point in curve.points]
    area = "not measurable" if curve.aurc is None else f"{curve.aurc:.3f}"
    marker = "o" if len(coverage) <= _MOST_DOTS else ""
    axes.plot(coverage, risk, marker=marker, markersize=3, linewidth=1, color=_RISK)
    thresholds: dict[int, list[str]] = {}
    for point in sweep.points if sweep.named else ():
        passed = point.gate.passed.numerator - point.gate.unverified_passed.numerator
        thresholds.setdefault(passed, []).append(written(point.gate.threshold))
    for x, y, place in zip(coverage, risk, curve.points, strict=True):
        if place.passed in thresholds and len(thresholds) <= _MOST_MARKS:
            names = ", ".join(thresholds[place.passed])
            axes.plot([x], [y], marker="o", markersize=7, fillstyle="none", color=_RISK)
            axes.annotate(names, (x, y), ha="center", xytext=(0, 8), textcoords="offset points", color=_RISK)
    axes.set(xlim=(0, 1.02), ylim=(-0.02, 1.02), title=f"Risk and coverage, area {area}")
    axes.set_xlabel("coverage: passed, of all questions with known evidence")
    axes.set_ylabel("risk: without evidence, of those that passed")
    if curve.greatest_coverage < 1:
        axes.axvline(curve.greatest_coverage, color="#888888", linewidth=0.8, linestyle=":")
        right_of_it = curve.greatest_coverage < 0.7  # there the words have room beside the line
        axes.annotate(
            "the rest has no score" if right_of_it else "right of it: no score",
            (curve.greatest_coverage, 0.98),
            ha="left" if right_of_it else "right",
            va="top",
            xytext=(4, 0) if right_of_it else (-4, 0),
            textcoords="offset points",
            color="#555555",
        )
    axes.grid(alpha=0.25)


def _draw_errors(axes: Any, sweep: ThresholdSweep) -> None:
    """Both errors at every threshold, as steps: they change only where a question has its value."""
    counts = [point.gate for point in sweep.points]
    values, states = steps(sweep)
    absent, present = counts[0].false_pass.denominator, counts[0].over_hold.denominator
    # Equal values pass, so the state of a value holds up to it, on the lenient side.
    drawstyle = "steps-pre" if sweep.operating.direction is Direction.HIGHER else "steps-post"
    for name, label, colour, marker, of, wrong in (
        (
            "false_pass",
            f"false pass, of {absent} without evidence",
            _FALSE_PASS,
            "o",
            absent,
            [without for _, without in states],
        ),
        (
            "over_hold",
            f"over-hold, of {present} with evidence",
            _OVER_HOLD,
            "s",
            present,
            [present - passed for passed, _ in states],
        ),
    ):
        if not of:
            continue  # of no questions there is no share to draw
        shares = [many / of for many in wrong]
        axes.plot(values, shares, drawstyle=drawstyle, linewidth=1, color=colour, label=label)
        if sweep.named and len(counts) <= _MOST_DOTS:
            chosen = [getattr(gate, name).share for gate in counts]
            axes.plot([gate.threshold for gate in counts], chosen, marker, markersize=4, color=colour)
    axes.set(ylim=(-0.02, 1.02), xlabel=f"threshold ({counts[0].rule.split()[1]})", ylabel="share")
    axes.set_title("The two errors")
    if len(axes.lines):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False)
    axes.grid(alpha=0.25)


def steps(sweep: ThresholdSweep) -> tuple[list[float], list[tuple[int, int]]]:
    """Thresholds, ascending, with what passes there: questions with evidence, and without."""
    curve = [
        (point.threshold, (point.passed - point.without_evidence, point.without_evidence))
        for point in sweep.risk_coverage.points
    ]
    if not curve:
        return [], []
    ends = [value for value, _ in curve]
    if sweep.named:
        ends += [point.gate.threshold for point in sweep.points]
    margin = (max(ends) - min(ends)) * 0.04 or 1.0
    lower, upper = min(ends) - margin, max(ends) + margin
    strict, lenient = (upper, lower) if sweep.operating.direction is Direction.HIGHER else (lower, upper)
    states = sorted([(strict, (0, 0)), *curve, (lenient, curve[-1][1])])
    return [value for value, _ in states], [state for _, state in states]


def _drawable(text: str) -> str:
    """The text on one line, not too long; what the font lacks is said instead of drawn as boxes."""
    from matplotlib import font_manager

    short = shorten(text, 60, placeholder=" …") or f"{text[:58]} …"
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    if all(font.get_char_index(ord(letter)) for letter in short):
        return short
    return "(a name in letters that the font lacks)"
