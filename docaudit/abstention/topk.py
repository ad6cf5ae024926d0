"""How many hits to take, and from which score on: what recall gains and precision loses, before any answer is read.

Works on the frozen results of a gate; required documents are what is relevant. Shares come from ir_measures (extra
`evaluate`). A question without relevant documents has no recall, and one for which nothing is left has no precision:
both are counted apart and never as 0. The stage that first lost what is needed is to blame: a right answer does not
excuse a search that lost its document.
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
    Direction,
    EvidenceLabel,
    Grade,
    OperatingRecord,
    Ratio,
    ThresholdComparison,
    written,
)
from docaudit.abstention.results import Frozen, LabelledQuestion, QuestionSet, repeated
from docaudit.errors import GateError, ModelError
from docaudit.justification import Model


def select_hits(
    hits: Sequence[Candidate],
    max_k: int,
    score_threshold: float | None,
    *,
    direction: Direction = Direction.HIGHER,
    comparison: ThresholdComparison = ThresholdComparison.AT_LEAST,
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
            where there is a threshold; all faults at once.
    """
    problems = [] if max_k >= 1 else [f"max_k is {max_k}: at least 1 is needed"]
    if score_threshold is not None and not math.isfinite(score_threshold):
        problems.append(f"score_threshold is {score_threshold}: a number is needed")
    problems += [f"{name} is listed twice" for name in repeated(hit.doc_id for hit in hits)]
    scores = [hit.score for hit in hits if hit.score is not None]
    if any(direction.better(later, score) for score, later in pairwise(scores)):
        problems.append(f"hits are not best first by {direction.value}")
    taken = tuple(hits[: max(max_k, 0)])
    if score_threshold is not None:
        problems += [f"{hit.doc_id} has no score" for hit in taken if hit.score is None]
    if problems:
        raise GateError("no hits can be selected", problems=tuple(problems))
    if score_threshold is None:
        return taken
    equal_stays = comparison is ThresholdComparison.AT_LEAST
    return tuple(
        hit
        for hit in taken
        if hit.score is not None
        and (direction.better(hit.score, score_threshold) or (equal_stays and hit.score == score_threshold))
    )


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
    """SetR and SetP of each question, by ir_measures; order within what was selected does not matter.

    Args:
        relevant: What each question needs; never nothing.
        selected: What was taken for each of the same questions.

    Raises:
        GateError: A question needs nothing, so that its recall is not defined.
        ModelError: ir_measures is not installed.
    """
    if empty := [name for name, needed in relevant.items() if not needed]:
        raise GateError("recall of nothing is not defined", problems=tuple(empty))
    if not relevant:
        return {}
    library = _ir_measures()
    qrels = [library.Qrel(name, doc_id, 1) for name, needed in relevant.items() for doc_id in needed]
    run = [
        library.ScoredDoc(name, doc_id, float(-rank))
        for name in relevant
        for rank, doc_id in enumerate(selected[name], 1)
    ]
    values = {
        (metric.query_id, str(metric.measure)): float(metric.value)
        for metric in library.iter_calc([library.SetR, library.SetP], qrels, run)
    }
    return {
        name: SetScores(values[name, "SetR"], values[name, "SetP"] if selected[name] else None)
        for name in relevant
    }


def average_precision(relevant: Sequence[bool]) -> float:
    """Average precision of a ranked list of which nothing else was judged; 0 if nothing on it is relevant."""
    library = _ir_measures()
    qrels = [library.Qrel("q", str(rank), int(good)) for rank, good in enumerate(relevant, 1)]
    run = [library.ScoredDoc("q", str(rank), float(-rank)) for rank, _ in enumerate(relevant, 1)]
    return float(library.calc_aggregate([library.AP], qrels, run)[library.AP])


def _ir_measures() -> Any:
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


class GridCell(Model):
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


class TopkGrid(Model):
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
    cells: tuple[GridCell, ...]


def topk_grid(
    frozen: Frozen,
    *,
    unit: Unit,
    ks: Sequence[int] = (1, 3, 10),
    thresholds: Sequence[float | None] = (None,),
) -> TopkGrid:
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
        f"threshold {threshold} is no number"
        for threshold in thresholds
        if threshold is not None and not math.isfinite(threshold)
    ]
    if not ks or not thresholds:
        problems.append("a k and a threshold are needed")
    if len(set(ks)) < len(ks) or len(set(thresholds)) < len(thresholds):
        problems.append("a k or threshold is given twice")
    if not any(row.required_doc_ids for row in frozen.labelled(EvidenceLabel.PRESENT)):
        problems.append("no question with evidence names what it requires (required_doc_ids)")
    if problems:
        raise GateError("there is no grid", problems=tuple(problems))
    cells = tuple(_cell(frozen, k, threshold) for k in ks for threshold in thresholds)
    return TopkGrid(unit=unit, set=frozen.questions, sha256=frozen.sha256, cells=cells)


def _cell(frozen: Frozen, k: int, threshold: float | None) -> GridCell:
    left_out: dict[LeftOut, tuple[str, ...]] = dict.fromkeys(LeftOut, ())
    relevant: dict[str, tuple[str, ...]] = {}
    selected: dict[str, tuple[str, ...]] = {}
    for row in frozen.rows:
        reason = None
        if row.status == "failed":
            reason = LeftOut.RETRIEVAL_FAILED
        elif threshold is not None and _without_score(row, k):
            reason = LeftOut.MISSING_SCORE
        else:
            selected[row.id] = _selected(row, k, threshold, frozen.operating)
            if row.evidence is EvidenceLabel.ABSENT:
                reason = LeftOut.EVIDENCE_ABSENT
            elif row.evidence is EvidenceLabel.UNVERIFIED:
                reason = LeftOut.UNVERIFIED
            elif not row.required_doc_ids:
                reason = LeftOut.RELEVANT_NOT_NAMED
        if reason is None:
            relevant[row.id] = tuple(dict.fromkeys(row.required_doc_ids or ()))
        else:
            left_out[reason] += (row.id,)
    scores = set_recall_precision(relevant, selected)
    questions = tuple(
        QuestionScore(
            id=name,
            selected=selected[name],
            found=tuple(doc_id for doc_id in selected[name] if doc_id in needed),
            missed=tuple(doc_id for doc_id in needed if doc_id not in selected[name]),
            recall=scores[name].recall,
            precision=scores[name].precision,
        )
        for name, needed in relevant.items()
    )
    absent = [selected[row.id] for row in frozen.labelled(EvidenceLabel.ABSENT) if row.id in selected]
    return GridCell(
        k=k,
        threshold=threshold,
        recall=_mean([question.recall for question in questions], len(frozen.rows)),
        precision=_mean([question.precision for question in questions], len(frozen.rows)),
        complete=Ratio(
            numerator=sum(not question.missed for question in questions), denominator=len(questions)
        ),
        noise=Ratio(numerator=sum(map(bool, absent)), denominator=len(absent)),
        questions=questions,
        left_out=left_out,
    )


def _without_score(row: LabelledQuestion, k: int) -> bool:
    """Whether a hit that counts has no score to compare with a threshold."""
    return any(hit.score is None for hit in row.candidates[:k])


def _selected(
    row: LabelledQuestion, k: int, threshold: float | None, operating: OperatingRecord
) -> tuple[str, ...]:
    hits = select_hits(
        row.candidates, k, threshold, direction=operating.direction, comparison=operating.comparison
    )
    return tuple(hit.doc_id for hit in hits)


def _mean(values: Sequence[float | None], total: int) -> Mean:
    measured = [value for value in values if value is not None]
    return Mean(value=fmean(measured) if measured else None, over=len(measured), questions=total)


class Stage(StrEnum):
    """From the question to the answer, in this order."""

    QUESTION_SET = "question_set"
    RETRIEVAL = "retrieval"
    SELECTION = "selection"
    CONTEXT = "context"
    ANSWER = "answer"


class StageState(StrEnum):
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
    state: StageState
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
    if unknown := sorted(set(sent) - set(frozen.by_id)):
        raise GateError("the context has questions that are not there", problems=tuple(unknown))
    logs = []
    for row in frozen.rows:
        first = _question_set(row)
        rows = (
            first,
            *_searched(row, first, k, threshold, frozen.operating, sent.get(row.id)),
            _answer(row),
        )
        failed = [stage.stage for stage in rows if stage.state is StageState.FAILED]
        logs.append(StageLog(question_id=row.id, unit=unit, rows=rows, blamed=failed[0] if failed else None))
    return tuple(logs)


def blame(logs: Sequence[StageLog]) -> dict[Stage | None, int]:
    """How many questions each stage is to blame for; under None, those without a known failure."""
    counted = Counter(log.blamed for log in logs)
    return {stage: counted[stage] for stage in (*Stage, None)}


def _question_set(row: LabelledQuestion) -> StageRow:
    needed = tuple(dict.fromkeys(row.required_doc_ids or ()))
    state, evidence = StageState.NOT_KNOWN, "nobody wrote down what is relevant"
    if row.evidence is EvidenceLabel.UNVERIFIED:
        evidence = "nobody verified the evidence"
    elif row.evidence is EvidenceLabel.ABSENT:
        state, evidence = StageState.OK, "labelled: the evidence is absent"
    elif needed:
        state, evidence = StageState.OK, f"{len(needed)} relevant named"
    return StageRow(stage=Stage.QUESTION_SET, state=state, evidence=evidence, ids=needed)


def _searched(
    row: LabelledQuestion,
    first: StageRow,
    k: int,
    threshold: float | None,
    operating: OperatingRecord,
    sent: Sequence[str] | None,
) -> tuple[StageRow, ...]:
    """Search, selection and context."""

    def unknown(state: StageState, evidence: str, *stages: Stage) -> tuple[StageRow, ...]:
        return tuple(StageRow(stage=stage, state=state, evidence=evidence) for stage in stages)

    three = (Stage.RETRIEVAL, Stage.SELECTION, Stage.CONTEXT)
    if row.status == "failed":
        failed = unknown(StageState.FAILED, "the search did not take place", Stage.RETRIEVAL)
        return failed + unknown(StageState.NOT_KNOWN, "nothing came from the search", *three[1:])
    if first.state is not StageState.OK:
        return unknown(StageState.NOT_KNOWN, "what is relevant is not known", *three)
    if row.evidence is EvidenceLabel.ABSENT:
        return unknown(StageState.NOT_APPLICABLE, "nothing is relevant", *three)
    needed, candidates = first.ids, [hit.doc_id for hit in row.candidates]
    retrieval = _handed_on(Stage.RETRIEVAL, needed, needed, candidates, "among the candidates")
    if threshold is not None and _without_score(row, k):
        uncut = unknown(
            StageState.FAILED, "a hit has no score to compare with the threshold", Stage.SELECTION
        )
        return (retrieval, *uncut, *unknown(StageState.NOT_KNOWN, "nothing was selected", Stage.CONTEXT))
    selected = _selected(row, k, threshold, operating)
    came = [doc_id for doc_id in candidates if doc_id in needed]
    selection = _handed_on(Stage.SELECTION, needed, came, selected, "selected of those that came")
    beyond = [doc_id for doc_id in selection.lost if doc_id in candidates[k:]]
    below = [doc_id for doc_id in selection.lost if doc_id not in beyond]
    causes = [f"{', '.join(beyond)} beyond k = {k}"] if beyond else []
    if below and threshold is not None:
        causes.append(f"{', '.join(below)} below the threshold {written(threshold)}")
    if causes:
        evidence = f"{selection.evidence}: {'; '.join(causes)}"
        selection = selection.model_copy(update={"evidence": evidence})
    if sent is None:
        not_recorded = unknown(StageState.NOT_KNOWN, "what was sent was not recorded", Stage.CONTEXT)
        return (retrieval, selection, *not_recorded)
    came = [doc_id for doc_id in needed if doc_id in selected]
    return (
        retrieval,
        selection,
        _handed_on(Stage.CONTEXT, needed, came, sent, "sent of those selected"),
    )


def _handed_on(
    stage: Stage, needed: Sequence[str], came: Sequence[str], ids: Sequence[str], where: str
) -> StageRow:
    """A stage that is handed the relevant ids `came`, and hands on `ids`."""
    lost = tuple(doc_id for doc_id in came if doc_id not in ids)
    still_there = len(set(needed) & set(ids))
    return StageRow(
        stage=stage,
        state=StageState.FAILED if lost else StageState.OK,
        evidence=f"{len(came) - len(lost)} of {len(came)} relevant {where}",
        ids=tuple(ids),
        lost=lost,
        recall=Ratio(numerator=still_there, denominator=len(set(needed))),
        precision=Ratio(numerator=still_there, denominator=len(set(ids))),
    )


def _answer(row: LabelledQuestion) -> StageRow:
    answer, absent = row.answer, row.evidence is EvidenceLabel.ABSENT
    if answer is None:
        state, evidence = StageState.NOT_KNOWN, "not recorded"
    elif not answer.returned:
        state, evidence = {
            EvidenceLabel.ABSENT: (StageState.OK, "held back, and the evidence is absent"),
            EvidenceLabel.PRESENT: (
                StageState.FAILED,
                "held back, though the evidence is in the collection",
            ),
            EvidenceLabel.UNVERIFIED: (
                StageState.NOT_KNOWN,
                "held back, and nobody verified the evidence",
            ),
        }[row.evidence]
    elif answer.grade in (Grade.NO_REFERENCE, Grade.UNDECIDABLE):
        state, evidence = StageState.NOT_KNOWN, f"returned, and not judged: {answer.grade.value}"
    else:
        right = answer.grade is Grade.CORRECT and not absent
        state, evidence = StageState.OK if right else StageState.FAILED, f"returned, {answer.grade}"
    return StageRow(stage=Stage.ANSWER, state=state, evidence=evidence)
