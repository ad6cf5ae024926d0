"""The trade-off of a gate as a picture: risk against coverage, and the two errors against the threshold.

Needs matplotlib (extra `evaluate`).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

from docaudit.abstention.gate import Direction, written
from docaudit.abstention.threshold_sweep import Sweep
from docaudit.errors import ModelError, OutputError
from docaudit.files import write_bytes

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
        figure.suptitle(_title(sweep), fontsize=10, parse_math=False)
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
    if not sweep.named or len(places) > _MOST_MARKS:
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
    """Both errors at every threshold, as steps: they change only where a question has its value."""
    counts = [point.gate for point in sweep.points]
    values, states = steps(sweep)
    absent, present = counts[0].false_pass.denominator, counts[0].over_hold.denominator
    drawn = (
        ("false_pass", f"false pass, of {absent} without evidence", _FALSE_PASS, "o"),
        ("over_hold", f"over-hold, of {present} with evidence", _OVER_HOLD, "s"),
    )
    # Equal values pass, so the state of a value holds up to it, on the lenient side.
    where = "steps-pre" if sweep.operating.direction is Direction.HIGHER else "steps-post"
    for name, label, colour, marker in drawn:
        of = absent if name == "false_pass" else present
        if not of:
            continue  # of no questions there is no share to draw
        shares = [(wrong if name == "false_pass" else of - right) / of for right, wrong in states]
        axes.plot(values, shares, drawstyle=where, linewidth=1, color=colour, label=label)
        if sweep.named and len(counts) <= _MOST_DOTS:
            chosen = [getattr(one, name).share for one in counts]
            axes.plot([one.threshold for one in counts], chosen, marker, markersize=4, color=colour)
    axes.set(ylim=(-0.02, 1.02), xlabel=f"threshold ({counts[0].rule.split()[1]})", ylabel="share")
    axes.set_title("The two errors")
    if len(axes.lines):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False)
    axes.grid(alpha=0.25)


def steps(sweep: Sweep) -> tuple[list[float], list[tuple[int, int]]]:
    """Thresholds, ascending, with what passes there: questions with evidence, and without."""
    curve = [
        (one.threshold, (one.passed - one.without_evidence, one.without_evidence))
        for one in sweep.risk_coverage.points
    ]
    if not curve:
        return [], []
    ends = [*(value for value, _ in curve), *(one.gate.threshold for one in sweep.points if sweep.named)]
    room = (max(ends) - min(ends)) * 0.04 or 1.0
    lower, upper = min(ends) - room, max(ends) + room
    strict, lenient = (upper, lower) if sweep.operating.direction is Direction.HIGHER else (lower, upper)
    states = sorted([(strict, (0, 0)), *curve, (lenient, curve[-1][1])])
    return [value for value, _ in states], [state for _, state in states]


def _title(sweep: Sweep) -> str:
    questions = sweep.points[0].gate.passed.denominator
    part = "all questions" if sweep.part == "all" else f"the part {sweep.part.replace('_', ' ')}"
    first = f"{_drawable(sweep.questions.name)}: {_drawable(sweep.operating.score_kind)}, {part}"
    named = "" if sweep.named else "; no threshold was named, so none is marked"
    return f"{first}\n{questions} questions, results sha256 {sweep.sha256[:12]}{named}"


def _drawable(text: str) -> str:
    """The text on one line, not too long; what the font lacks is said instead of drawn as boxes."""
    from matplotlib import font_manager

    short = shorten(text, 60, placeholder=" …") or f"{text[:58]} …"
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    if all(font.get_char_index(ord(letter)) for letter in short):
        return short
    return "(a name in letters that the font lacks)"
