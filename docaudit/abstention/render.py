"""What gates and ledgers come to, on a terminal and as one HTML file: every count with its denominator.

The HTML has no script, loads nothing from elsewhere, and escapes every string.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table

from docaudit.abstention.gate import Ratio, Reason, written
from docaudit.abstention.ledger.results import (
    AbstentionEvidence,
    CheckState,
    Evaluation,
    LedgerDiff,
    MetricRatio,
    ReleaseDecision,
    RunResult,
    Spread,
    Symptom,
)
from docaudit.abstention.ledger.rows import Layer, Metric
from docaudit.abstention.threshold_sweep import GateCounts, RiskCoverage, ThresholdPoint, ThresholdSweep
from docaudit.abstention.topk import GridCell, LeftOut, Stage, StageLog, StageState, TopkGrid, blame
from docaudit.render.html import environment
from docaudit.render.language import ENGLISH, one_line
from docaudit.render.terminal import ConsoleWriter, new_console
from docaudit.text.numbers import percent, plural

if TYPE_CHECKING:
    from docaudit.abstention.calibration import Guarantee

_NAMES_SHOWN = 10
_THRESHOLDS_SHOWN = 20


def _listed(names: Sequence[str], shown: int = _NAMES_SHOWN) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return one_line(", ".join(names[:shown])) + more


def _of(ratio: Ratio | MetricRatio) -> str:
    return f"{ratio.numerator} of {ratio.denominator}"


def _print_table(
    writer: ConsoleWriter, heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]
) -> None:
    """A table whose headings wrap between their words, and whose numbers never wrap."""
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
    writer.table(table)


# A sweep of thresholds.

_HELD_AT_EVERY_THRESHOLD = {
    Reason.NO_CANDIDATES: "without candidates",
    Reason.MISSING_SCORE: "with a missing score",
    Reason.RETRIEVAL_FAILED: "because the search failed",
}
_ANSWER_COUNTS = {
    "answer_coverage": "answered",
    "held_after_generation": "held after generation",
    "not_recorded": "not recorded",
    "correct": "correct",
    "partial": "partly",
    "wrong_of_answered": "wrong",
    "no_reference": "nothing to judge by",
    "undecidable": "not decidable",
}
_ANSWER_SHARES = {
    "wrong_of_judged": "wrong of judged",
    "wrong_of_answered": "wrong of answered",
    "wrong_of_all": "wrong of all",
    "items_satisfied": "items in partial answers",
}


def print_sweep(sweep: ThresholdSweep, promise: Guarantee | None = None) -> None:
    """Print a sweep of thresholds; those that are not shown are counted."""
    writer = ConsoleWriter(new_console())
    _print_operating(writer, sweep)
    points = sweep.points[:: -(-len(sweep.points) // _THRESHOLDS_SHOWN)]
    _print_gate(writer, [point.gate for point in points])
    _print_categories(writer, points)
    _print_answers(writer, points)
    if len(points) < len(sweep.points):
        writer.say(
            (f"{len(points)} of {len(sweep.points)} thresholds are shown: --json, --thresholds", "dim")
        )
    if zeros := _zeros(sweep.points):
        writer.heading("Zero counted is not zero")
        for line in zeros:
            writer.say(line, indent=2, hang=2)
    writer.blank()
    writer.say(_area(sweep.risk_coverage), hang=2)
    if promise is not None:
        writer.heading("Guarantee")
        writer.say(promise.statement, indent=2)
    writer.heading("What these numbers cannot say")
    for limit in sweep.limits:
        writer.say(f"· {limit}", indent=2, hang=2)


def _area(curve: RiskCoverage) -> str:
    """The area with the two values that it lies between, and what it covers."""
    name = "Area under the risk-coverage curve"
    if curve.aurc is None:
        return f"{name}: not measurable: scores, and questions with and without evidence are needed"
    text = (
        f"{name}: {curve.aurc:.3f} (lower is better: {curve.best:.3f} if scores told the two apart, "
        f"{curve.no_skill:.3f} if they said nothing), for coverage from 0 to 1"
    )
    if not curve.unscored:
        return text
    come = "comes" if curve.unscored == 1 else "come"
    return f"{text}; {plural(curve.unscored, 'question')} without a score {come} last"


def _print_operating(writer: ConsoleWriter, sweep: ThresholdSweep) -> None:
    record, questions = sweep.operating, sweep.questions
    aggregation = f"{record.aggregation.value}{'' if record.top_n is None else f' (n = {record.top_n})'}"
    writer.say(
        (one_line(record.score_kind), "bold"),
        f" of the stage {one_line(record.stage)}, {record.direction.value.replace('_', ' ')}, {aggregation}; ",
        f"passes if {sweep.points[0].gate.rule.rpartition(' ')[0]} threshold",
        hang=2,
    )
    versions = {"model": record.model_version, "index": record.index_version, "config": record.config_version}
    recorded = [f"{name} {one_line(version or 'not recorded')}" for name, version in versions.items()]
    writer.say((", ".join(recorded), "dim"), indent=2, hang=2)
    for name, how in record.conditions.items():
        writer.say((f"beside the score: {one_line(name)}: {one_line(how)}", "dim"), indent=2, hang=2)
    writer.say(
        f"{sweep.points[0].gate.passed.denominator} questions: {one_line(questions.name)}, "
        f"{one_line(questions.period)}, {questions.origin}",
        indent=2,
        hang=2,
    )


def _print_gate(writer: ConsoleWriter, counts: Sequence[GateCounts]) -> None:
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
            written(gate.threshold),
            *(
                "0 of 0" if ratio.share is None else f"{ratio.numerator} ({percent(ratio.share)})"
                for ratio in (gate.passed, gate.held, gate.false_pass, gate.over_hold)
            ),
        ]
        for gate in counts
    ]
    writer.heading("The gate", "passing is not yet an answer")
    _print_table(writer, heads, rows)
    # What is counted apart has a table of its own: beside the others it would not fit into 80 columns.
    heads, rows = [("threshold", "")], [[written(gate.threshold)] for gate in counts]
    if unverified := first.unverified_passed.denominator:
        writer.say(
            f"{plural(unverified, 'question')} of {first.passed.denominator} "
            f"{'is' if unverified == 1 else 'are'} unverified: in pass and hold, and in neither error",
            indent=2,
            hang=2,
        )
        heads.append(("unverified pass", f"of {unverified}"))
        for row, gate in zip(rows, counts, strict=True):
            row.append(str(gate.unverified_passed.numerator))
    if any(gate.required_found.denominator for gate in counts):
        heads.append(("required documents found", "of passed questions with evidence that name them"))
        for row, gate in zip(rows, counts, strict=True):
            row.append(_of(gate.required_found))
    if len(heads) > 1:
        writer.blank()
        _print_table(writer, heads, rows)
    kinds = [
        f"{first.reasons[reason]} {name}"
        for reason, name in _HELD_AT_EVERY_THRESHOLD.items()
        if first.reasons[reason]
    ]
    if kinds:
        held = f"Held at every threshold: {', '.join(kinds)}; the others held do not reach it."
        writer.say(held, indent=2, hang=2)


def _print_categories(writer: ConsoleWriter, points: Sequence[ThresholdPoint]) -> None:
    """Both errors for each kind of question: an average hides the kind that fails."""
    if not points[0].categories:
        return
    writer.heading("By kind of question", "false pass and over-hold")
    rows = [
        [written(point.gate.threshold), one_line(name), _of(counts.false_pass), _of(counts.over_hold)]
        for point in points
        for name, counts in point.categories.items()
    ]
    _print_table(writer, [(name, "") for name in ("threshold", "kind", "false pass", "over-hold")], rows)


def _print_answers(writer: ConsoleWriter, points: Sequence[ThresholdPoint]) -> None:
    """What reached the users; columns that are empty throughout are left out."""
    ledgers = [point.answers for point in points if point.answers is not None]
    if not ledgers:
        return
    writer.heading("The answers", "of the questions that passed; a hold is not a correct answer")
    always = ("answer_coverage", "correct", "wrong_of_answered")
    counted = [
        name
        for name in _ANSWER_COUNTS
        if name in always or any(getattr(ledger, name).numerator for ledger in ledgers)
    ]
    shares = [
        name
        for name in _ANSWER_SHARES
        if name != "items_satisfied" or any(ledger.items_satisfied.denominator for ledger in ledgers)
    ]
    heads = [("threshold", ""), *((_ANSWER_COUNTS[name], "") for name in counted)]
    _print_table(
        writer,
        heads,
        [
            [written(ledger.threshold), *(str(getattr(ledger, name).numerator) for name in counted)]
            for ledger in ledgers
        ],
    )
    writer.blank()
    rows = []
    for ledger in ledgers:
        ratios: list[Ratio] = [getattr(ledger, name) for name in shares]
        cells = [
            f"{'-' if ratio.share is None else percent(ratio.share)} of {ratio.denominator}"
            for ratio in ratios
        ]
        rows.append([written(ledger.threshold), *cells])
    _print_table(writer, [("threshold", ""), *((_ANSWER_SHARES[name], "") for name in shares)], rows)


def _zeros(points: Sequence[ThresholdPoint]) -> list[str]:
    """Zero errors in the sample with what they allow elsewhere: over the smallest and the largest denominator."""
    ratios: dict[str, list[Ratio]] = {
        "false pass": [point.gate.false_pass for point in points],
        "over-hold": [point.gate.over_hold for point in points],
        "wrong of judged": [point.answers.wrong_of_judged for point in points if point.answers],
        "wrong of answered": [point.answers.wrong_of_answered for point in points if point.answers],
    }
    lines = []
    for name, counted in ratios.items():
        zeros = sorted({ratio.denominator for ratio in counted if ratio.numerator == 0})
        ends = dict.fromkeys((zeros[0], zeros[-1])) if zeros else {}
        lines += [f"{name}: {Ratio(numerator=0, denominator=many)}" for many in ends]
    return lines


# The grid of k × threshold.

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


def print_grid(grid: TopkGrid, logs: Sequence[StageLog] = ()) -> None:
    """Print a grid, and the stages that are to blame for the first k and threshold, if logs are given."""
    writer, cells = ConsoleWriter(new_console()), grid.cells
    writer.say(
        f"{cells[0].recall.questions} questions: {one_line(grid.set.name)}, {one_line(grid.set.period)}, "
        f"{grid.set.origin}; ids are those of {grid.unit.value}s",
        hang=2,
    )
    heads = [("k", ""), ("threshold", ""), ("recall", "mean"), ("precision", "mean"), ("all found", "")]
    rows = [
        [
            str(cell.k),
            "-" if cell.threshold is None else written(cell.threshold),
            *(
                f"{'-' if mean.value is None else f'{mean.value:.2f}'} of {mean.over}"
                for mean in (cell.recall, cell.precision)
            ),
            _of(cell.complete),
        ]
        for cell in cells
    ]
    if cells[0].noise.denominator:
        heads.append(("noise", "without evidence"))
        for row, cell in zip(rows, cells, strict=True):
            row.append(_of(cell.noise))
    writer.heading("k and threshold", "means over questions; each question counts the same")
    _print_table(writer, heads, rows)
    for reason in cells[0].left_out:
        many = sorted({len(cell.left_out[reason]) for cell in cells})
        if many[-1]:
            counts = " to ".join(map(str, dict.fromkeys((many[0], many[-1]))))
            writer.say(f"In neither mean, {_LEFT_OUT[reason]}: {counts}", indent=2)
    for cell in cells:
        empty = [question.id for question in cell.questions if question.precision is None]
        if empty:
            cut = "" if cell.threshold is None else f", threshold {written(cell.threshold)}"
            where = f"k = {cell.k}{cut}"
            nothing = f"{where}: nothing is taken of {_listed(empty)}: recall 0, and no precision"
            writer.say(nothing, indent=2, hang=2)
    if logs:
        _print_blame(writer, logs, cells[0])


def _print_blame(writer: ConsoleWriter, logs: Sequence[StageLog], cell: GridCell) -> None:
    cut = "by rank alone" if cell.threshold is None else f"threshold {written(cell.threshold)}"
    writer.heading("Which stage is to blame", f"k = {cell.k}, {cut}; the first that failed")
    for stage, many in blame(logs).items():
        if stage is None:
            writer.say(f"no known failure: {many} of {len(logs)}", indent=2)
            continue
        states = [row.state for log in logs for row in log.rows if row.stage is stage]
        unknown = states.count(StageState.NOT_KNOWN)
        gap = f"; not known of {unknown}" if unknown else ""
        which = _listed([log.question_id for log in logs if log.blamed is stage])
        names = f": {which}" if which else ""
        writer.say(f"{_STAGES[stage]}: {many} of {len(logs)}{gap}{names}", indent=2, hang=2)


# An evaluation of a ledger.

TITLES = {
    "corpus_eligibility": "Corpus eligibility",
    "gold_retrieval": "Required evidence retrieved",
    "context_completeness": "Context complete, all runs",
    "citation_resolvability": "Citations resolve",
    "claim_support": "Material claims supported",
    "abstention_quality": "Abstention and clarification",
    "security_isolation": "Security isolation",
    "complete_pass": "Complete pass",
    "context_completeness_answerable": "Context complete, answerable runs",
    "answerable_answered": "Answerable runs that were answered",
    "required_passages_in_top_k": "Required passages among the first k",
    "required_documents_in_top_k": "Required documents among the first k",
    "useful_candidates_in_top_k": "Candidates that are required or allowed",
    "no_forbidden_evidence_touched": "Runs that touched no forbidden evidence",
    "critical_claims_supported": "Critical claims supported",
    "major_claims_supported": "Major claims supported",
    "minor_claims_supported": "Minor claims supported",
}
_SPREADS = {"seconds": "Seconds", "cost": "Cost", "review_minutes": "Minutes of review"}
_MARKS = {CheckState.MET: "✓", CheckState.UNMET: "✗", CheckState.ATTESTED: "✓", CheckState.OPEN: "–"}
_MET = (CheckState.MET, CheckState.ATTESTED)


def _evidence_words(kind: AbstentionEvidence) -> str:
    return kind.meaning if kind is AbstentionEvidence.NOT_GIVEN else f"{kind.value}: {kind.meaning}"


def _symptom_words(run: RunResult, symptom: Symptom) -> str:
    """What was seen in a run; of the behaviour the reasons themselves, as it has several."""
    if symptom is not Symptom.BEHAVIOUR:
        return symptom.meaning
    return "; ".join(
        failure.reason
        for failure in run.failures
        if failure.metric is Metric.ABSTENTION
        or (failure.metric is Metric.COMPLETE and not failure.reason.startswith("veto "))
    )


def _warnings(result: Evaluation) -> str:
    """What speaks against relying on a release: codes, and points that nobody confirmed."""
    codes = list(dict.fromkeys(finding.code for finding in result.lint))
    if unmet := sum(item.state not in _MET for item in result.checklist):
        codes.append(f"{plural(unmet, 'point')} of the checklist open")
    return f"warnings: {', '.join(codes)}" if codes else ""


def _unproven_words(result: Evaluation, name: str) -> str:
    """The run's name, with the reasons why its absence is not shown."""
    because = next(run.unproven for run in result.runs if run.run_id == name)
    return f"{name} ({'; '.join(because)})" if because else name


def _share_words(ratio: MetricRatio) -> str:
    return "nothing measured" if ratio.share is None else percent(ratio.share, 2)


def _interval_words(ratio: MetricRatio) -> str:
    """What the share may be among all such cases (Clopper-Pearson, 95 %); empty of nothing."""
    interval = Ratio(numerator=ratio.numerator, denominator=ratio.denominator).interval
    return "" if interval is None else f"{interval[0] * 100:.1f} to {interval[1] * 100:.1f}"


def _amount_words(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.4g}"


def _limit_words(spread: Spread) -> str:
    if spread.limit is None:
        return "no limit declared"
    return f"{spread.within} of {spread.measured} within {spread.limit:.4g}"


def print_evaluation(result: Evaluation) -> None:
    """Print an evaluation, the decision first; --json and --html have every run and every claim."""
    writer = ConsoleWriter(new_console())
    warnings = _warnings(result)
    colour = "bold yellow" if warnings else "bold green"
    writer.say(
        (result.decision.value, colour if result.decision is ReleaseDecision.RELEASED else "bold red"),
        f"  {one_line(result.name)}, {plural(len(result.runs), 'run')}{f'; {warnings}' if warnings else ''}",
        hang=2,
    )
    for reason in result.reasons:
        writer.say(f"✗ {one_line(reason)}", indent=2, hang=2)
    writer.heading("Ratios", "each over its own denominator, with its exact 95 % interval")
    _print_ratios(writer, result.ratios, {metric.value: share for metric, share in result.thresholds.items()})
    rank = "" if result.median_rank is None else f"{result.median_rank:g}"
    rank = f", median rank of required passages that are candidates {rank}" if rank else ""
    writer.heading("Second readings and parts", f"top-k {result.top_k}{rank}")
    _print_ratios(writer, result.details, {})
    if failed := [run for run in result.runs if not run.passed]:
        writer.heading(f"{plural(len(failed), 'run')} failed", "the layer to repair first, and why")
        for run in failed:
            symptoms = one_line("; ".join(_symptom_words(run, symptom) for symptom in run.symptoms))
            layer = run.repair_first.value.replace("_", " ") if run.repair_first else "see its vetoes"
            writer.say(f"{one_line(run.run_id)}  {layer}: {symptoms}", indent=2, hang=6)
    _print_measured(writer, result)
    if result.lint:
        writer.heading("What is wrong with the evaluation itself")
        for finding in result.lint:
            writer.say(f"! {finding.code}: {one_line(finding.message)} ({finding.remedy})", indent=2, hang=2)
    left = [item for item in result.checklist if item.state not in _MET]
    met = len(result.checklist) - len(left)
    writer.heading("Checklist", f"{met} of {len(result.checklist)} points met or confirmed by name")
    for item in left:
        text = f"{_MARKS[item.state]} {item.stage}: {item.text} {one_line(item.evidence)}"
        writer.say(text, indent=2, hang=2)


def _print_ratios(
    writer: ConsoleWriter, ratios: Iterable[MetricRatio], thresholds: Mapping[str, float]
) -> None:
    """One line of numbers for each ratio, and under it what it misses."""
    head = ["", "counted", "share", "interval", *(["wanted"] if thresholds else [])]
    rows = {}
    for ratio in ratios:
        cells = [TITLES[ratio.name], _of(ratio), _share_words(ratio), _interval_words(ratio)]
        if thresholds:
            threshold = thresholds.get(ratio.name)
            cells.append("not set" if threshold is None else percent(threshold, 2))
        rows[ratio.name] = (ratio, cells)
    widths = [
        max(len(cells[column]) for cells in (head, *(cells for _, cells in rows.values())))
        for column in range(len(head))
    ]
    aligned = (widths[0], *(-width for width in widths[1:]))
    writer.row((*head, ""), aligned, "dim")
    for ratio, cells in rows.values():
        writer.row((*cells, ""), aligned)
        missed = [f"missed: {_listed(ratio.missed, 6)}"] if ratio.missed else []
        if ratio.left_out:
            missed.append(f"{len(ratio.left_out)} left out: does not apply")
        if missed:
            writer.say(("; ".join(missed), "dim"), indent=4, hang=2)


def _print_measured(writer: ConsoleWriter, result: Evaluation) -> None:
    """Amounts, evidence of abstentions, and agreement of judges."""
    amounts = result.operations
    writer.heading(
        "Time, cost, review",
        f"{amounts.timed_out} of {amounts.runs} runs timed out, {amounts.fell_back} fell back, "
        f"{plural(amounts.corrections, 'material correction')}",
    )
    for spread in amounts.spreads:
        numbers = f"p50 {_amount_words(spread.p50)}, p95 {_amount_words(spread.p95)}"
        gaps = f", not measured in {spread.not_measured}" if spread.not_measured else ""
        text = f"{_SPREADS[spread.name]}: {numbers}; {_limit_words(spread)}{gaps}"
        writer.say(text, indent=2, hang=2)
    if total := sum(map(len, result.abstention_evidence.values())):
        writer.heading("Evidence of abstentions", plural(total, "run") + " held something back")
        for kind, names in result.abstention_evidence.items():
            if names:
                listed = _listed([_unproven_words(result, name) for name in names])
                writer.say(f"{len(names)} of {total} {_evidence_words(kind)}: {listed}", indent=2, hang=2)
    judges = result.agreement
    if judges.both or judges.by_model_alone:
        kappa = "not defined" if judges.kappa is None else f"{judges.kappa:.3f}"
        alike = f"{judges.agreed} of {judges.both} claims alike, Cohen's kappa {kappa}"
        writer.heading("Model judge and people", alike)
        for row in judges.disagreements[:_NAMES_SHOWN]:
            name = f"{one_line(row.run_id)} {one_line(row.claim_id)} ({row.severity.value})"
            writer.say(f"{name}: person {row.human.value}, model {row.model.value}", indent=2)
        if judges.by_model_alone:
            writer.say(f"{plural(judges.by_model_alone, 'claim')} judged by a model alone", indent=2)


def print_diff(diff: LedgerDiff) -> None:
    """Print what moved between two ledgers, and by which rows."""
    writer = ConsoleWriter(new_console())
    writer.say((f"{diff.decision_before.value} → {diff.decision_after.value}", "bold"))
    if not diff.same_contract:
        writer.say("The two ran under different contracts.", indent=2)
    for change, vetoes in (("gone", diff.vetoes_gone), ("new", diff.vetoes_new)):
        for veto in vetoes:
            text = f"veto {change}: {veto.run_id} {veto.kind.value}: {one_line(veto.evidence)}"
            writer.say(text, indent=2, hang=2)
    for finding in diff.lint:
        writer.say(f"! {finding.code}: {finding.message} ({finding.remedy})", indent=2, hang=2)
    if diff.same:
        writer.say("Nothing moved.", indent=2)
    for moved in diff.moved:
        before, after = (f"{numerator}/{total}" for numerator, total in (moved.before, moved.after))
        writer.heading(TITLES[moved.name], f"{before} → {after}")
        for what, names in (
            ("lost", moved.lost),
            ("gained", moved.gained),
            ("only after", moved.appeared),
            ("only before", moved.gone),
        ):
            if names:
                writer.say(f"{what}: {_listed(names)}", indent=2, hang=2)


_GROUPED_BY = {
    "language": "Language",
    "answerability": "Answerability",
    "group": "Group",
    "identity": "Identity",
}


def to_html(result: Evaluation) -> str:
    """The whole evaluation as one HTML document."""
    failed = [run for run in result.runs if not run.passed]
    return (
        environment(ENGLISH)
        .get_template("ledger.html.j2")
        .render(
            e=result,
            released=result.decision is ReleaseDecision.RELEASED,
            warnings=_warnings(result),
            titles=TITLES,
            spreads=_SPREADS,
            marks=_MARKS,
            meanings={metric.value: metric.meaning for metric in Metric},
            thresholds={metric.value: share for metric, share in result.thresholds.items()},
            layers=[(layer, [run.run_id for run in failed if run.repair_first is layer]) for layer in Layer],
            failed=failed,
            groups=[
                (title, [group for group in result.groups if group.by == by])
                for by, title in _GROUPED_BY.items()
            ],
            states={
                CheckState.MET: "met",
                CheckState.ATTESTED: "met",
                CheckState.UNMET: "unmet",
                CheckState.OPEN: "not_run",
            },
            percent=percent,
            share_words=_share_words,
            interval_words=_interval_words,
            symptom_words=_symptom_words,
            amount_words=_amount_words,
            limit_words=_limit_words,
            evidence_words=_evidence_words,
            unproven_words=_unproven_words,
        )
    )
