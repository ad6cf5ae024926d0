"""A sweep of thresholds on a terminal: every count with its denominator, and what the numbers cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from docaudit.abstention.gate import Ratio, Reason, written
from docaudit.abstention.threshold_sweep import AnswerLedger, GateCounts, Point, RiskCoverage, Sweep
from docaudit.render.language import one_line, plural
from docaudit.render.terminal import ConsoleWriter, new_console
from docaudit.text.numbers import percent

if TYPE_CHECKING:
    from docaudit.abstention.calibration import Guarantee

SHOWN = 20
"""Thresholds shown at most; every nth of more."""
_REASONS = {
    Reason.NO_CANDIDATES: "without candidates",
    Reason.MISSING_SCORE: "with a missing score",
    Reason.RETRIEVAL_FAILED: "because the search failed",
}


def print_sweep(sweep: Sweep, promise: Guarantee | None = None, console: Console | None = None) -> None:
    """Print a sweep; thresholds and names that are not shown are counted."""
    paper = ConsoleWriter(console or new_console())
    _head(paper, sweep)
    points = _shown(sweep.points)
    _gate(paper, [point.gate for point in points])
    _held(paper, points[0].gate)
    _categories(paper, points)
    _answers(paper, points)
    if len(points) < len(sweep.points):
        paper.say((f"{len(points)} of {len(sweep.points)} thresholds are shown: --json, --thresholds", "dim"))
    _bounds(paper, sweep.points)
    paper.blank()
    paper.say(_area(sweep.risk_coverage), hang=2)
    if promise is not None:
        paper.heading("Guarantee")
        paper.say(promise.statement, indent=2)
    paper.heading("What these numbers cannot say")
    for limit in sweep.limits:
        paper.say(f"· {limit}", indent=2, hang=2)


def _area(curve: RiskCoverage) -> str:
    """The area with the two values that it lies between, and what it covers."""
    name = "Area under the risk-coverage curve"
    if curve.aurc is None:
        return f"{name}: not measurable: scores, and questions with and without evidence are needed"
    said = (
        f"{name}: {curve.aurc:.3f} (lower is better: {curve.best:.3f} if scores told the two apart, "
        f"{curve.no_skill:.3f} if they said nothing), for coverage from 0 to 1"
    )
    late = f"; {plural(curve.unscored, 'question')} without a score come{'s' * (curve.unscored == 1)} last"
    return said + (late if curve.unscored else "")


def _head(paper: ConsoleWriter, sweep: Sweep) -> None:
    record, questions = sweep.operating, sweep.questions
    way = f"{record.aggregation.value}{'' if record.top_n is None else f' (n = {record.top_n})'}"
    paper.say(
        (one_line(record.score_kind), "bold"),
        f" of the stage {one_line(record.stage)}, {record.direction.value.replace('_', ' ')}, {way}; ",
        f"passes if {sweep.points[0].gate.rule.rpartition(' ')[0]} threshold",
        hang=2,
    )
    versions = {"model": record.model_version, "index": record.index_version, "config": record.config_version}
    paper.say(
        (", ".join(f"{name} {one_line(said or 'not recorded')}" for name, said in versions.items()), "dim"),
        indent=2,
        hang=2,
    )
    for name, how in record.conditions.items():
        paper.say((f"beside the score: {one_line(name)}: {one_line(how)}", "dim"), indent=2, hang=2)
    paper.say(
        f"{sweep.points[0].gate.passed.denominator} questions: {one_line(questions.name)}, "
        f"{one_line(questions.period)}, {questions.origin}",
        indent=2,
        hang=2,
    )


def _shown(points: Sequence[Point]) -> Sequence[Point]:
    return points[:: -(-len(points) // SHOWN)]


def _gate(paper: ConsoleWriter, counts: Sequence[GateCounts]) -> None:
    first = counts[0]
    heads = [
        ("threshold", ""),
        ("pass", f"of {first.passed.denominator}"),
        ("hold", f"of {first.held.denominator}"),
        ("false pass", f"of {first.false_pass.denominator} without evidence"),
        ("over-hold", f"of {first.over_hold.denominator} with evidence"),
    ]
    rows = [
        [
            written(one.threshold),
            *(_cell(ratio) for ratio in (one.passed, one.held, one.false_pass, one.over_hold)),
        ]
        for one in counts
    ]
    paper.heading("The gate", "passing is not yet an answer")
    print_table(paper, heads, rows)
    _besides(paper, counts)


def _besides(paper: ConsoleWriter, counts: Sequence[GateCounts]) -> None:
    """What is counted apart, in a table of its own: beside the others it would not fit into 80 columns."""
    heads, rows = [("threshold", "")], [[written(one.threshold)] for one in counts]
    unverified = counts[0].unverified_passed.denominator
    if unverified:
        paper.say(
            f"{plural(unverified, 'question')} of {counts[0].passed.denominator} "
            f"{'is' if unverified == 1 else 'are'} unverified: in pass and hold, and in neither error",
            indent=2,
            hang=2,
        )
        heads.append(("unverified pass", f"of {unverified}"))
        for row, one in zip(rows, counts, strict=True):
            row.append(str(one.unverified_passed.numerator))
    if any(one.required_found.denominator for one in counts):
        heads.append(("required documents found", "of passed questions with evidence that name them"))
        for row, one in zip(rows, counts, strict=True):
            row.append(f"{one.required_found.numerator} of {one.required_found.denominator}")
    if len(heads) > 1:
        paper.blank()
        print_table(paper, heads, rows)


def _held(paper: ConsoleWriter, counts: GateCounts) -> None:
    """Holds that no threshold changes: they have nothing to do with the size of a score."""
    kinds = [
        f"{counts.reasons[reason]} {name}" for reason, name in _REASONS.items() if counts.reasons[reason]
    ]
    if kinds:
        paper.say(
            f"Held at every threshold: {', '.join(kinds)}; the others held do not reach it.", indent=2, hang=2
        )


def _categories(paper: ConsoleWriter, points: Sequence[Point]) -> None:
    """Both errors for each kind of question: an average hides the kind that fails."""
    names = list(points[0].categories)
    if not names:
        return
    paper.heading("By kind of question", "false pass and over-hold")
    rows = []
    for point in points:
        for name in names:
            one = point.categories[name]
            errors = [
                f"{ratio.numerator} of {ratio.denominator}" for ratio in (one.false_pass, one.over_hold)
            ]
            rows.append([written(point.gate.threshold), one_line(name), *errors])
    print_table(paper, [(name, "") for name in ("threshold", "kind", "false pass", "over-hold")], rows)


_COUNTED = {
    "answer_coverage": "answered",
    "held_after_generation": "held after generation",
    "not_recorded": "not recorded",
    "correct": "correct",
    "partial": "partly",
    "wrong_of_answered": "wrong",
    "no_reference": "nothing to judge by",
    "undecidable": "not decidable",
}
_SHARES = {
    "wrong_of_judged": "wrong of judged",
    "wrong_of_answered": "wrong of answered",
    "wrong_of_all": "wrong of all",
    "items_satisfied": "items in partial answers",
}


def _answers(paper: ConsoleWriter, points: Sequence[Point]) -> None:
    """What reached the users; columns that are empty throughout are left out."""
    ledgers = [point.answers for point in points if point.answers is not None]
    if not ledgers:
        return
    paper.heading("The answers", "of the questions that passed; a hold is not a correct answer")
    counted = {
        field: name
        for field, name in _COUNTED.items()
        if field in ("answer_coverage", "correct", "wrong_of_answered")
        or any(_ratio(one, field).numerator for one in ledgers)
    }
    shares = {
        field: name
        for field, name in _SHARES.items()
        if field != "items_satisfied" or any(one.items_satisfied.denominator for one in ledgers)
    }
    print_table(
        paper,
        [(name, "") for name in ("threshold", *counted.values())],
        [
            [written(one.threshold), *(str(_ratio(one, field).numerator) for field in counted)]
            for one in ledgers
        ],
    )
    paper.blank()
    print_table(
        paper,
        [(name, "") for name in ("threshold", *shares.values())],
        [[written(one.threshold), *(_of(_ratio(one, field)) for field in shares)] for one in ledgers],
    )


def _ratio(ledger: AnswerLedger, field: str) -> Ratio:
    found: Ratio = getattr(ledger, field)
    return found


def _bounds(paper: ConsoleWriter, points: Sequence[Point]) -> None:
    """Zero errors in the sample, with what they allow elsewhere."""
    said = []
    for field, name in (("false_pass", "false pass"), ("over_hold", "over-hold")):
        said += _zeros(name, [getattr(point.gate, field) for point in points])
    for field in ("wrong_of_judged", "wrong_of_answered"):
        said += _zeros(
            field.replace("_", " "), [getattr(point.answers, field) for point in points if point.answers]
        )
    if said:
        paper.heading("Zero counted is not zero")
        for line in said:
            paper.say(line, indent=2, hang=2)


def _zeros(name: str, ratios: Sequence[Ratio]) -> list[str]:
    """Of zeros over several denominators, those over the smallest and the largest."""
    zeros = sorted({one.denominator for one in ratios if one.numerator == 0})
    ends = dict.fromkeys((zeros[0], zeros[-1])) if zeros else {}
    return [f"{name}: {Ratio(numerator=0, denominator=many)}" for many in ends]


def _cell(ratio: Ratio) -> str:
    return "0 of 0" if ratio.share is None else f"{ratio.numerator} ({percent(ratio.share)})"


def _of(ratio: Ratio) -> str:
    """``28.0 % of 75``."""
    return f"{'-' if ratio.share is None else percent(ratio.share)} of {ratio.denominator}"


def print_table(
    paper: ConsoleWriter, heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]
) -> None:
    """Headings wrap between their words; numbers never wrap."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
    for number, (name, of) in enumerate(heads):
        widest = max(len(text) for text in (*f"{name} {of}".split(), *(row[number] for row in rows)))
        table.add_column(
            f"{name}\n{of}" if of else name,
            justify="right" if number else "left",
            header_style="dim",
            min_width=widest,
        )
    for row in rows:
        table.add_row(*row)
    paper.table(table)
