"""How many hits to take, and from which score on: what recall gains and precision loses, before any answer is read.

Works on the frozen results of a gate; required documents are what is relevant. Shares come from ir_measures (extra
`evaluate`); selection and stage log need nothing.

k × threshold on one set of questions: set recall and precision of each question, and their means over questions.

A question without relevant documents has no recall, and a question for which nothing is left has no precision: both
are counted apart and never as 0. A search that failed is not a search that found nothing.

Which hits are taken: the first max_k, and of these the ones that reach the threshold.

What became of a question at each stage, and which stage is to blame: the first that lost what is needed.

A wrong answer after a search that lost its document is a failure of the search; a right one does not excuse it.

The measures of ranked and selected lists, by ir_measures; the only module that knows it (extra `evaluate`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

from docaudit.abstention.gate import (
    Candidate,
    Comparison,
    Direction,
    Evidence,
    Grade,
    OperatingRecord,
    Ratio,
    written,
)
from docaudit.abstention.results import Frozen, QuestionSet, Row
from docaudit.errors import GateError, ModelError
from docaudit.justification import Model


def select_hits(
    hits: Sequence[Candidate],
    max_k: int,
    score_threshold: float | None,
    *,
    direction: Direction = Direction.HIGHER,
    comparison: Comparison = Comparison.AT_LEAST,
) -> tuple[Candidate, ...]:
    """The hits that go on to the model, in their order.

    Args:
        hits: Best first.
        max_k: Take this many at most; the cut comes before the threshold.
        score_threshold: A hit whose score is equal to it stays, unless the comparison is "more than". None takes hits
            by rank alone, also without scores.
        direction: Which end of the scale is good.
        comparison: Whether a score equal to the threshold is enough.

    Raises:
        GateError: max_k or threshold is no such number, a hit is listed twice, is not best first, or has no score
            where there is a threshold; all faults at once, each with the ranks (from 1) of its hits.
    """
    problems = [*_wrong_numbers(max_k, score_threshold), *_wrong_hits(hits, direction)]
    taken = tuple(hits[: max(max_k, 0)])
    if score_threshold is not None:
        problems += [f"rank {at}: {hit.doc_id} has no score" for at, hit in without_score(taken)]
    if problems:
        raise GateError("no hits can be selected", problems=tuple(problems))
    if score_threshold is None:
        return taken
    return tuple(
        hit
        for hit in taken
        if hit.score is not None
        and (
            direction.better(hit.score, score_threshold)
            or (comparison is Comparison.AT_LEAST and hit.score == score_threshold)
        )
    )


def without_score(hits: Sequence[Candidate]) -> list[tuple[int, Candidate]]:
    """Hits that no threshold can be applied to, with their rank from 1."""
    return [(at, hit) for at, hit in enumerate(hits, 1) if hit.score is None]


def _wrong_numbers(max_k: int, threshold: float | None) -> list[str]:
    found = [] if max_k >= 1 else [f"max_k is {max_k}: at least 1 is needed"]
    if threshold is not None and not math.isfinite(threshold):
        found.append(f"score_threshold is {threshold}: a number is needed")
    return found


def _wrong_hits(hits: Sequence[Candidate], direction: Direction) -> list[str]:
    places: dict[str, list[int]] = {}
    for at, hit in enumerate(hits, 1):
        places.setdefault(hit.doc_id, []).append(at)
    found = [
        f"ranks {', '.join(map(str, ranks))}: {name} is listed twice"
        for name, ranks in places.items()
        if ranks[1:]
    ]
    scored = [(at, hit.score) for at, hit in enumerate(hits, 1) if hit.score is not None]
    return found + [
        f"ranks {first}, {second}: not best first by {direction.value}"
        for (first, high), (second, low) in pairwise(scored)
        if direction.better(low, high)
    ]


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


class Unit(StrEnum):
    """What an id stands for, in labels and in hits alike; decided before anything is counted."""

    CHUNK = "chunk"
    DOCUMENT = "document"


class LeftOut(StrEnum):
    """Why a question is in neither mean."""

    EVIDENCE_ABSENT = "evidence_absent"
    UNVERIFIED = "unverified"
    RELEVANT_NOT_NAMED = "relevant_not_named"
    RETRIEVAL_FAILED = "retrieval_failed"
    MISSING_SCORE = "missing_score"


class Mean(Model):
    """A mean over questions.

    Attributes:
        value: Each question counts the same; None over no question.
        over: Questions that have the value.
        questions: Questions of the set.
    """

    value: float | None
    over: int
    questions: int

    def __str__(self) -> str:
        """``0.50 (2 of 2 questions)``."""
        shown = "not measurable" if self.value is None else f"{self.value:.2f}"
        return f"{shown} ({self.over} of {self.questions} questions)"


class QuestionScore(Model):
    """One question at one k and threshold.

    Attributes:
        id: Which.
        selected: What goes on to the model, best first.
        found: Relevant ones among these.
        missed: Relevant ones that are not.
        recall: Share of the relevant that was selected.
        precision: Share of the selected that is relevant; None if nothing was selected.
    """

    id: str
    selected: tuple[str, ...]
    found: tuple[str, ...]
    missed: tuple[str, ...]
    recall: float
    precision: float | None


class Cell(Model):
    """One k and one threshold.

    Attributes:
        k: How many hits are taken at most.
        threshold: From which score on; None takes hits by rank alone.
        recall, precision: Means over questions.
        complete: Questions with every relevant one selected, of those that have a recall.
        noise: Questions without evidence for which something is selected all the same, of those that were searched.
        questions: Those that have a recall.
        left_out: The others, by reason.
    """

    k: int
    threshold: float | None
    recall: Mean
    precision: Mean
    complete: Ratio
    noise: Ratio
    questions: tuple[QuestionScore, ...]
    left_out: Mapping[LeftOut, tuple[str, ...]]


class Grid(Model):
    """All cells over one set of questions.

    Attributes:
        unit: What was counted.
        set: Where the questions come from.
        sha256: Hash of the frozen results.
        cells: Thresholds within k, in the order given.
    """

    unit: Unit
    set: QuestionSet
    sha256: str
    cells: tuple[Cell, ...]


def topk_grid(
    frozen: Frozen,
    *,
    unit: Unit,
    ks: Sequence[int] = (1, 3, 10),
    thresholds: Sequence[float | None] = (None,),
) -> Grid:
    """Count every k with every threshold.

    Args:
        frozen: Results whose labels name what each question requires.
        unit: Whether ids are those of chunks or of documents.
        ks: How many hits are taken at most.
        thresholds: From which score on; None for by rank alone.

    Raises:
        GateError: A k or threshold is given twice or is no such number, or no question names what is relevant.
        ModelError: ir_measures is not installed.
    """
    problems = [f"k is {k}: at least 1 is needed" for k in ks if k < 1]
    problems += [
        f"threshold {one} is no number" for one in thresholds if one is not None and not math.isfinite(one)
    ]
    problems += [f"no {name} is given" for name, given in (("k", ks), ("threshold", thresholds)) if not given]
    if len(set(ks)) < len(ks) or len(set(thresholds)) < len(thresholds):
        problems.append("a k or threshold is given twice")
    if not any(row.label.required_doc_ids for row in frozen.labelled(Evidence.PRESENT)):
        problems.append("no question with evidence names what it requires (required_doc_ids)")
    if problems:
        raise GateError("there is no grid", problems=tuple(problems))
    cells = tuple(_cell(frozen, k, threshold) for k in ks for threshold in thresholds)
    return Grid(unit=unit, set=frozen.questions, sha256=frozen.sha256, cells=cells)


def _cell(frozen: Frozen, k: int, threshold: float | None) -> Cell:
    left_out: dict[LeftOut, tuple[str, ...]] = dict.fromkeys(LeftOut, ())
    counted: dict[str, Row] = {}
    taken: dict[str, tuple[str, ...]] = {}
    for row in frozen.rows:
        unusable = _unusable(row, k, threshold)
        if unusable is None:
            hits = select_hits(
                row.retrieval.candidates,
                k,
                threshold,
                direction=frozen.operating.direction,
                comparison=frozen.operating.comparison,
            )
            taken[row.id] = tuple(hit.doc_id for hit in hits)
        reason = unusable or _without_recall(row)
        if reason is None:
            counted[row.id] = row
        else:
            left_out[reason] += (row.id,)
    relevant = {name: row.label.required_doc_ids or () for name, row in counted.items()}
    scores = set_recall_precision(relevant, {name: taken[name] for name in counted})
    questions = tuple(_question(name, relevant[name], taken[name], scores[name]) for name in counted)
    absent = [taken[row.id] for row in frozen.labelled(Evidence.ABSENT) if row.id in taken]
    total = len(frozen.rows)
    return Cell(
        k=k,
        threshold=threshold,
        recall=_mean([one.recall for one in questions], total),
        precision=_mean([one.precision for one in questions], total),
        complete=Ratio(numerator=sum(not one.missed for one in questions), denominator=len(questions)),
        noise=Ratio(numerator=sum(bool(one) for one in absent), denominator=len(absent)),
        questions=questions,
        left_out=left_out,
    )


def _unusable(row: Row, k: int, threshold: float | None) -> LeftOut | None:
    """Why nothing is known of what would be selected."""
    if row.retrieval.status == "failed":
        return LeftOut.RETRIEVAL_FAILED
    if threshold is not None and without_score(row.retrieval.candidates[:k]):
        return LeftOut.MISSING_SCORE
    return None


def _without_recall(row: Row) -> LeftOut | None:
    if row.label.evidence is Evidence.ABSENT:
        return LeftOut.EVIDENCE_ABSENT
    if row.label.evidence is Evidence.UNVERIFIED:
        return LeftOut.UNVERIFIED
    return None if row.label.required_doc_ids else LeftOut.RELEVANT_NOT_NAMED


def _question(name: str, relevant: Sequence[str], taken: tuple[str, ...], scores: SetScores) -> QuestionScore:
    return QuestionScore(
        id=name,
        selected=taken,
        found=tuple(one for one in taken if one in relevant),
        missed=tuple(one for one in dict.fromkeys(relevant) if one not in taken),
        recall=scores.recall,
        precision=scores.precision,
    )


def _mean(values: Sequence[float | None], total: int) -> Mean:
    known = [value for value in values if value is not None]
    return Mean(value=fmean(known) if known else None, over=len(known), questions=total)


class Stage(StrEnum):
    """From the question to the answer, in this order."""

    QUESTION_SET = "question_set"
    RETRIEVAL = "retrieval"
    SELECTION = "selection"
    CONTEXT = "context"
    ANSWER = "answer"


class State(StrEnum):
    """What is known of a stage; not recorded is not passed."""

    OK = "ok"
    FAILED = "failed"
    NOT_KNOWN = "not_known"
    NOT_APPLICABLE = "not_applicable"


class StageRow(Model):
    """One stage of one question.

    Attributes:
        stage: Which.
        state: What is known of it.
        evidence: What was seen, as a sentence without its full stop.
        ids: What the stage handed on: relevant ids, hits, what was selected, what was sent.
        lost: Relevant ids that this stage lost.
        recall: Relevant ids that are still there, of all relevant; None where nothing is relevant or known.
        precision: Of what the stage handed on, relevant ids.
    """

    stage: Stage
    state: State
    evidence: str
    ids: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    recall: Ratio | None = None
    precision: Ratio | None = None


class StageLog(Model):
    """One question through all stages.

    Attributes:
        question_id: Which.
        unit: What an id stands for.
        rows: One for each stage, in order.
        blamed: The first stage that failed; None if none is known to have.
    """

    question_id: str
    unit: Unit
    rows: tuple[StageRow, ...]
    blamed: Stage | None


def stage_logs(
    frozen: Frozen,
    *,
    unit: Unit,
    k: int,
    threshold: float | None = None,
    context: Mapping[str, Sequence[str]] | None = None,
) -> tuple[StageLog, ...]:
    """A log of each question; answers are those of the labels.

    Args:
        frozen: Results with labels.
        unit: What an id stands for.
        k: How many hits are taken at most.
        threshold: From which score on; None takes hits by rank alone.
        context: Ids really sent to the model, by question; a question without an entry was not recorded.

    Raises:
        GateError: The context names questions that are not there, or k or threshold is no such number.
    """
    sent = context or {}
    unknown = sorted(set(sent) - set(frozen.by_id))
    if unknown:
        raise GateError("the context has questions that are not there", problems=tuple(unknown))
    operating = frozen.operating
    return tuple(
        _log(row, unit, _stages(row, k, threshold, operating, sent.get(row.id))) for row in frozen.rows
    )


def blame(logs: Sequence[StageLog]) -> dict[Stage | None, int]:
    """How many questions each stage is to blame for; under None, those without a known failure."""
    counted = Counter(log.blamed for log in logs)
    return {stage: counted[stage] for stage in (*Stage, None)}


def _log(row: Row, unit: Unit, rows: tuple[StageRow, ...]) -> StageLog:
    failed = [one.stage for one in rows if one.state is State.FAILED]
    return StageLog(question_id=row.id, unit=unit, rows=rows, blamed=failed[0] if failed else None)


def _stages(
    row: Row, k: int, threshold: float | None, operating: OperatingRecord, sent: Sequence[str] | None
) -> tuple[StageRow, ...]:
    first = _question_set(row)
    if row.retrieval.status == "failed":
        failed = StageRow(stage=Stage.RETRIEVAL, state=State.FAILED, evidence="the search did not take place")
        return (first, failed, *_blank(State.NOT_KNOWN, "nothing came from the search")[1:], _answer(row))
    if first.state is not State.OK:
        return (first, *_blank(State.NOT_KNOWN, "what is relevant is not known"), _answer(row))
    if row.label.evidence is Evidence.ABSENT:
        return (first, *_blank(State.NOT_APPLICABLE, "nothing is relevant"), _answer(row))
    needed, candidates = first.ids, row.retrieval.candidates
    retrieval = _kept(
        Stage.RETRIEVAL, needed, needed, [hit.doc_id for hit in candidates], "among the candidates"
    )
    if threshold is not None and without_score(candidates[:k]):
        uncut = StageRow(
            stage=Stage.SELECTION,
            state=State.FAILED,
            evidence="a hit has no score to compare with the threshold",
        )
        return (first, retrieval, uncut, *_blank(State.NOT_KNOWN, "nothing was selected")[2:], _answer(row))
    selection = _selection(needed, candidates, k, threshold, operating)
    return (first, retrieval, selection, _context(needed, selection.ids, sent), _answer(row))


def _blank(state: State, why: str) -> tuple[StageRow, ...]:
    """Search, selection and context of a question of which nothing can be said there."""
    return tuple(
        StageRow(stage=stage, state=state, evidence=why)
        for stage in (Stage.RETRIEVAL, Stage.SELECTION, Stage.CONTEXT)
    )


def _question_set(row: Row) -> StageRow:
    label = row.label
    needed = tuple(dict.fromkeys(label.required_doc_ids or ()))
    if label.evidence is Evidence.UNVERIFIED:
        state, said = State.NOT_KNOWN, "nobody verified the evidence"
    elif label.evidence is Evidence.ABSENT:
        state, said = State.OK, "labelled: the evidence is absent"
    elif needed:
        state, said = State.OK, f"{len(needed)} relevant named"
    else:
        state, said = State.NOT_KNOWN, "nobody wrote down what is relevant"
    return StageRow(stage=Stage.QUESTION_SET, state=state, evidence=said, ids=needed)


def _selection(
    needed: Sequence[str],
    candidates: Sequence[Candidate],
    k: int,
    threshold: float | None,
    operating: OperatingRecord,
) -> StageRow:
    taken = [
        hit.doc_id
        for hit in select_hits(
            candidates, k, threshold, direction=operating.direction, comparison=operating.comparison
        )
    ]
    came = [hit.doc_id for hit in candidates if hit.doc_id in needed]
    kept = _kept(Stage.SELECTION, needed, came, taken, "selected of those that came")
    late = {hit.doc_id for hit in candidates[k:]}
    beyond = [one for one in kept.lost if one in late]
    below = [one for one in kept.lost if one not in late]
    causes = [f"{', '.join(beyond)} beyond k = {k}"] if beyond else []
    if below and threshold is not None:
        causes.append(f"{', '.join(below)} below the threshold {written(threshold)}")
    why = f": {'; '.join(causes)}" if causes else ""
    return kept.model_copy(update={"evidence": f"{kept.evidence}{why}"})


def _context(needed: Sequence[str], selected: Sequence[str], sent: Sequence[str] | None) -> StageRow:
    if sent is None:
        return StageRow(stage=Stage.CONTEXT, state=State.NOT_KNOWN, evidence="what was sent was not recorded")
    had = [one for one in needed if one in selected]
    return _kept(Stage.CONTEXT, needed, had, sent, "sent of those selected")


def _kept(
    stage: Stage, needed: Sequence[str], came: Sequence[str], ids: Sequence[str], where: str
) -> StageRow:
    """A stage that is handed the relevant ids `came`, and hands on `ids`."""
    lost = tuple(one for one in came if one not in ids)
    there = len(set(needed) & set(ids))
    return StageRow(
        stage=stage,
        state=State.FAILED if lost else State.OK,
        evidence=f"{len(came) - len(lost)} of {len(came)} relevant {where}",
        ids=tuple(ids),
        lost=lost,
        recall=Ratio(numerator=there, denominator=len(set(needed))),
        precision=Ratio(numerator=there, denominator=len(set(ids))),
    )


def _answer(row: Row) -> StageRow:
    answer, absent = row.label.answer, row.label.evidence is Evidence.ABSENT
    if answer is None:
        state, said = State.NOT_KNOWN, "not recorded"
    elif not answer.returned:
        state, said = {
            Evidence.ABSENT: (State.OK, "held back, and the evidence is absent"),
            Evidence.PRESENT: (State.FAILED, "held back, though the evidence is in the collection"),
            Evidence.UNVERIFIED: (State.NOT_KNOWN, "held back, and nobody verified the evidence"),
        }[row.label.evidence]
    elif answer.grade in (Grade.NO_REFERENCE, Grade.UNDECIDABLE):
        state, said = State.NOT_KNOWN, f"returned, and not judged: {answer.grade.value}"
    else:
        right = answer.grade is Grade.CORRECT and not absent
        state, said = State.OK if right else State.FAILED, f"returned, {answer.grade}"
    return StageRow(stage=Stage.ANSWER, state=state, evidence=said)
