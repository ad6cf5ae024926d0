"""The trade-off of a gate as a picture: risk against coverage, and the two errors against the threshold.

Needs matplotlib (extra `evaluate`).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docaudit.abstention.records import written
from docaudit.abstention.threshold_sweep import Sweep
from docaudit.atomic import write_bytes
from docaudit.errors import ModelError, OutputError

_MOST_MARKS, _MOST_DOTS, _ROOM = 8, 40, 0.7
_RISK, _FALSE_PASS, _OVER_HOLD = "#1f4e79", "#b3261e", "#8a6d00"


def need_place(path: Path) -> None:
    """Raise OutputError if no picture can be written there: better before anything is counted than after."""
    if path.suffix.lower() not in (".png", ".svg"):
        raise OutputError("a picture is PNG or SVG", file=str(path), remedy="end the name with .png or .svg")
    if not path.parent.is_dir():
        raise OutputError("there is no such folder", file=str(path), remedy="make it, or name another")


def write_plot(sweep: Sweep, path: Path) -> None:
    """Write the picture; the suffix says PNG or SVG. Raises ModelError without matplotlib, OutputError otherwise."""
    need_place(path)
    form = path.suffix.lower().lstrip(".")
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
        _risk_coverage(left, sweep)
        _errors(right, sweep)
        # No names from the results: the font may lack their letters.
        questions = sweep.points[0].gate.passed.denominator
        figure.suptitle(f"{questions} questions, results sha256 {sweep.sha256[:12]}", fontsize=10)
        # Without a date, the same results give the same bytes.
        kept = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(buffer, format=form, dpi=150, metadata=kept)
    write_bytes(path, buffer.getvalue())


def _risk_coverage(axes: Any, sweep: Sweep) -> None:
    curve = sweep.risk_coverage
    coverage = [curve.coverage(one) for one in curve.points]
    risk = [one.risk for one in curve.points]
    area = "not measurable" if curve.aurc is None else f"{curve.aurc:.3f}"
    axes.plot(coverage, risk, marker=_marker("o", coverage), markersize=3, linewidth=1, color=_RISK)
    _mark_thresholds(axes, sweep)
    axes.set(xlim=(0, 1.02), ylim=(-0.02, 1.02), title=f"Risk and coverage, area {area}")
    axes.set_xlabel("coverage: passed, of all questions with known evidence")
    axes.set_ylabel("risk: without evidence, of those that passed")
    if curve.greatest_coverage < 1:
        axes.axvline(curve.greatest_coverage, color="#888888", linewidth=0.8, linestyle=":")
        axes.annotate(
            "the rest has no score" if curve.greatest_coverage < _ROOM else "right of it: no score",
            (curve.greatest_coverage, 0.98),
            # On the side of the rest, where the words have room there.
            ha="left" if curve.greatest_coverage < _ROOM else "right",
            va="top",
            xytext=(4, 0) if curve.greatest_coverage < _ROOM else (-4, 0),
            textcoords="offset points",
            color="#555555",
        )
    axes.grid(alpha=0.25)


def _marker(sign: str, points: Sequence[object]) -> str:
    """Dots for single points, as long as they can be told apart."""
    return sign if len(points) <= _MOST_DOTS else ""


def _mark_thresholds(axes: Any, sweep: Sweep) -> None:
    """Where the thresholds lie on the curve, if they are few enough to read."""
    places: dict[int, list[str]] = {}
    for point in sweep.points:
        passed = point.gate.passed.numerator - point.gate.unverified_passed.numerator
        places.setdefault(passed, []).append(written(point.gate.threshold))
    if len(places) > _MOST_MARKS:
        return
    for place in sweep.risk_coverage.points:
        names = places.get(place.passed)
        if names:
            where = ([sweep.risk_coverage.coverage(place)], [place.risk])
            axes.plot(*where, marker="o", markersize=7, fillstyle="none", color=_RISK)
            axes.annotate(
                ", ".join(names),
                (sweep.risk_coverage.coverage(place), place.risk),
                ha="center",
                xytext=(0, 8),
                textcoords="offset points",
                color=_RISK,
            )


def _errors(axes: Any, sweep: Sweep) -> None:
    counts = [point.gate for point in sweep.points]
    thresholds = [one.threshold for one in counts]
    absent, present = counts[0].false_pass.denominator, counts[0].over_hold.denominator
    drawn = (
        ("false_pass", f"false pass, of {absent} without evidence", _FALSE_PASS, "o"),
        ("over_hold", f"over-hold, of {present} with evidence", _OVER_HOLD, "s"),
    )
    for name, label, colour, marker in drawn:
        shares = [getattr(one, name).share for one in counts]
        if None in shares:
            continue  # of no questions there is no share to draw; the label says so
        dots = _marker(marker, shares)
        axes.plot(thresholds, shares, marker=dots, markersize=3, linewidth=1, color=colour, label=label)
    axes.set(ylim=(-0.02, 1.02), xlabel=f"threshold ({sweep.points[0].gate.rule.split()[1]})", ylabel="share")
    axes.set_title("The two errors")
    if len(axes.lines):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False)
    axes.grid(alpha=0.25)
