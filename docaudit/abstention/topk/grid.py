"""k × threshold on one set of questions: set recall and precision of each question, and their means over questions.

A question without relevant documents has no recall, and a question for which nothing is left has no precision: both
are counted apart and never as 0. A search that failed is not a search that found nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from statistics import fmean

from docaudit.abstention.frozen import Frozen, QuestionSet, Row
from docaudit.abstention.labels import Evidence
from docaudit.abstention.ranked_measures import SetScores, set_recall_precision
from docaudit.abstention.ratio import Ratio
from docaudit.abstention.topk.selection import select_hits, without_score
from docaudit.errors import GateError
from docaudit.evidence import Model


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
