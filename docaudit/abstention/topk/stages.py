"""What became of a question at each stage, and which stage is to blame: the first that lost what is needed.

A wrong answer after a search that lost its document is a failure of the search; a right one does not excuse it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from docaudit.abstention.frozen import Frozen, Row
from docaudit.abstention.labels import Evidence, Grade
from docaudit.abstention.ratio import Ratio
from docaudit.abstention.records import Candidate, OperatingRecord, written
from docaudit.abstention.topk.grid import Unit
from docaudit.abstention.topk.selection import select_hits, without_score
from docaudit.errors import GateError
from docaudit.evidence import Model


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
