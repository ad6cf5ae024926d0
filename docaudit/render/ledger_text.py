"""An evaluation, or the difference of two, on a terminal: the decision first, then why, then the ratios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from docaudit.abstention.ledger.results import CheckState, Decision, Evaluation, LedgerDiff, Ratio
from docaudit.render import ledger_words as words
from docaudit.render.language import one_line, plural
from docaudit.render.terminal import ConsoleWriter

_SHOWN = 10


def print_evaluation(result: Evaluation, paper: ConsoleWriter) -> None:
    """The whole evaluation; --json and --html have every run and every claim."""
    warnings = words.warnings(result)
    good = "bold yellow" if warnings else "bold green"
    paper.say(
        (result.decision.value, good if result.decision is Decision.RELEASED else "bold red"),
        f"  {one_line(result.name)}, {plural(len(result.runs), 'run')}{f'; {warnings}' if warnings else ''}",
        hang=2,
    )
    for reason in result.reasons:
        paper.say(f"✗ {one_line(reason)}", indent=2, hang=2)
    paper.heading("Ratios", "each over its own denominator, with its exact 95 % interval")
    _ratios(result.ratios, paper, {metric.value: share for metric, share in result.thresholds.items()})
    paper.heading("Second readings and parts", f"top-k {result.top_k}{_rank(result)}")
    _ratios(result.details, paper, {})
    _runs(result, paper)
    _operations(result, paper)
    _abstentions(result, paper)
    _agreement(result, paper)
    if result.lint:
        paper.heading("What is wrong with the evaluation itself")
        for finding in result.lint:
            paper.say(f"! {finding.code}: {one_line(finding.message)} ({finding.remedy})", indent=2, hang=2)
    _checklist(result, paper)


def print_diff(found: LedgerDiff, paper: ConsoleWriter) -> None:
    """What moved, and by which rows."""
    paper.say((f"{found.decision_before.value} → {found.decision_after.value}", "bold"))
    if not found.same_contract:
        paper.say("The two ran under different contracts.", indent=2)
    for sign, vetoes in (("gone", found.vetoes_gone), ("new", found.vetoes_new)):
        for veto in vetoes:
            paper.say(
                f"veto {sign}: {veto.run_id} {veto.kind.value}: {one_line(veto.evidence)}", indent=2, hang=2
            )
    for finding in found.lint:
        paper.say(f"! {finding.code}: {finding.message} ({finding.remedy})", indent=2, hang=2)
    if found.same:
        paper.say("Nothing moved.", indent=2)
    for one in found.moved:
        before, after = (f"{top}/{bottom}" for top, bottom in (one.before, one.after))
        paper.heading(words.TITLES[one.name], f"{before} → {after}")
        for what, names in (
            ("lost", one.lost),
            ("gained", one.gained),
            ("only after", one.appeared),
            ("only before", one.gone),
        ):
            if names:
                paper.say(f"{what}: {_listed(names)}", indent=2, hang=2)


def _ratios(ratios: Iterable[Ratio], paper: ConsoleWriter, wanted: Mapping[str, float]) -> None:
    """One line of numbers for each ratio, and under it what it misses."""
    shown = list(ratios)
    head = ("", "counted", "share", "interval", *(("wanted",) if wanted else ()))
    rows = [
        (
            words.TITLES[one.name],
            words.count(one),
            words.share(one),
            words.interval(one),
            *((words.percent(wanted[one.name]) if one.name in wanted else "not set",) if wanted else ()),
        )
        for one in shown
    ]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    aligned = (widths[0], *(-width for width in widths[1:]))
    paper.row((*head, ""), aligned, "dim")
    for one, row in zip(shown, rows, strict=True):
        paper.row((*row, ""), aligned)
        missed = [f"missed: {_listed(one.missed, 6)}"] if one.missed else []
        if one.left_out:
            missed.append(f"{len(one.left_out)} left out: does not apply")
        if missed:
            paper.say(("; ".join(missed), "dim"), indent=4, hang=2)


def _runs(result: Evaluation, paper: ConsoleWriter) -> None:
    failed = [run for run in result.runs if not run.passed]
    if not failed:
        return
    paper.heading(f"{plural(len(failed), 'run')} failed", "the layer to repair first, and why")
    for run in failed:
        symptoms = one_line("; ".join(words.seen(run, symptom) for symptom in run.symptoms))
        layer = run.repair_first.value.replace("_", " ") if run.repair_first else "see its vetoes"
        paper.say(f"{one_line(run.run_id)}  {layer}: {symptoms}", indent=2, hang=6)


def _operations(result: Evaluation, paper: ConsoleWriter) -> None:
    done = result.operations
    paper.heading(
        "Time, cost, review",
        f"{done.timed_out} of {done.runs} runs timed out, {done.fell_back} fell back, "
        f"{plural(done.corrections, 'material correction')}",
    )
    for one in done.spreads:
        numbers = f"p50 {words.amount(one.p50)}, p95 {words.amount(one.p95)}"
        gaps = f", not measured in {one.not_measured}" if one.not_measured else ""
        paper.say(f"{words.SPREADS[one.name]}: {numbers}; {words.limit(one)}{gaps}", indent=2, hang=2)


def _abstentions(result: Evaluation, paper: ConsoleWriter) -> None:
    total = sum(len(names) for names in result.abstention_evidence.values())
    if not total:
        return
    paper.heading("Evidence of abstentions", plural(total, "run") + " held something back")
    for kind, names in result.abstention_evidence.items():
        if names:
            shown = _listed([words.unproven(result, name) for name in names])
            paper.say(f"{len(names)} of {total} {words.EVIDENCE[kind]}: {shown}", indent=2, hang=2)


def _agreement(result: Evaluation, paper: ConsoleWriter) -> None:
    one = result.agreement
    if not one.both and not one.by_model_alone:
        return
    kappa = "not defined" if one.kappa is None else f"{one.kappa:.3f}"
    paper.heading("Model judge and people", f"{one.agreed} of {one.both} claims alike, Cohen's kappa {kappa}")
    for row in one.disagreements[:_SHOWN]:
        paper.say(
            f"{one_line(row.run_id)} {one_line(row.claim_id)} ({row.severity.value}): "
            f"person {row.human.value}, model {row.model.value}",
            indent=2,
        )
    if one.by_model_alone:
        paper.say(f"{plural(one.by_model_alone, 'claim')} judged by a model alone", indent=2)


def _checklist(result: Evaluation, paper: ConsoleWriter) -> None:
    done = (CheckState.MET, CheckState.ATTESTED)
    left = [item for item in result.checklist if item.state not in done]
    shown = len(result.checklist) - len(left)
    paper.heading("Checklist", f"{shown} of {len(result.checklist)} points met or confirmed by name")
    for item in left:
        paper.say(
            f"{words.CHECK_MARKS[item.state]} {item.stage}: {item.text} {one_line(item.evidence)}",
            indent=2,
            hang=2,
        )


def _rank(result: Evaluation) -> str:
    if result.median_rank is None:
        return ""
    return f", median rank of required passages that are candidates {result.median_rank:g}"


def _listed(names: Sequence[str], shown: int = _SHOWN) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return one_line(", ".join(names[:shown])) + more
