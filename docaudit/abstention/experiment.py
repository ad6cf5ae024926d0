"""One retrieval experiment from three files to results.json, which has the same bytes on every machine.

The form of results.json is that of the published experiment that it repeats; its word for an over-hold is excess_hold.
The retriever is BM25 over whole words of ASCII and pairs of Japanese characters: it is here to be repeated to the last
digit, not to be good. It knows no meaning, negation, time or identifiers ("P-20" is the words "p" and "20").
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from docaudit.abstention.gate import AbsentBasis, decide_all
from docaudit.abstention.results import Frozen, QuestionSet, read_frozen, read_json, repeated, validated
from docaudit.abstention.threshold_sweep import (
    GateCounts,
    ThresholdSweep,
    required_documents_covered,
    sweep_thresholds,
)
from docaudit.errors import GateError
from docaudit.justification import Model

BM25_LIMITS = (
    "The retriever compares letters: it knows no meaning, negation, time or identifiers.",
    "No access rights and no metadata filters are applied.",
    "No answers were generated or graded; a document among the candidates is not yet a right answer.",
)
METRICS_NOTE = (
    "This measures retrieval and a gate only; no answers were generated or graded. "
    "Evidence coverage uses prewritten synthetic labels, not an automated semantic checker."
)
ModelT = TypeVar("ModelT", bound=BaseModel)
_RUN = re.compile("[a-z0-9]+|[\u3040-\u30ff\u3400-\u9fff]+")


class Document(Model):
    """A document of the collection; its title is searched with its text."""

    id: str
    title: str
    text: str

    @property
    def searched(self) -> str:
        """What the tokens are made of."""
        return f"{self.title} {self.text}"


def tokens(text: str) -> list[str]:
    """The tokens of a text: ASCII words whole, Japanese runs as overlapping pairs of characters.

    >>> tokens("P-20 の返品")
    ['p', '20', 'の返', '返品']
    """
    words: list[str] = []
    for run in _RUN.findall(_normal(text)):
        if run.isascii() or len(run) == 1:
            words.append(run)
        else:
            words.extend(run[at : at + 2] for at in range(len(run) - 1))
    return words


def unseen(text: str) -> str:
    """Letters and digits that are in no token, each once: é, Cyrillic, Hangul. They are not searched.

    >>> unseen("Ménage à Київ 返品")
    'éàкиїв'
    """
    return "".join(dict.fromkeys(char for char in _RUN.sub("", _normal(text)) if char.isalnum()))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


class BM25:
    """An index over documents.

    A token of the query counts once however often it stands there, and IDF is ln(1 + (N - df + 0.5) / (df + 0.5)),
    which is never negative. Equal scores are ordered by the name of the document.

    Args:
        documents: What is searched.
        k1: How soon more occurrences of a token stop adding.
        b: How far long documents are discounted, 0 to 1.

    Raises:
        GateError: There is not one token in the documents.
    """

    def __init__(self, documents: Sequence[Document], *, k1: float, b: float) -> None:
        self._k1, self._b = k1, b
        self._counts = {document.id: Counter(tokens(document.searched)) for document in documents}
        total = sum(counts.total() for counts in self._counts.values())
        if not total:
            raise GateError("no document has a word that this retriever knows (ASCII or Japanese)")
        self._average = total / len(self._counts)
        self._df = Counter(token for counts in self._counts.values() for token in counts)

    def search(self, query: str) -> list[tuple[str, float]]:
        """Every document with a positive score, best first, with its score."""
        # Sorted, because the order of a sum of floats decides its last digit.
        query_tokens = sorted(set(tokens(query)))
        scores = []
        for name, counts in self._counts.items():
            weight = self._k1 * (1 - self._b + self._b * counts.total() / self._average)
            score = 0.0
            for token in query_tokens:
                if frequency := counts[token]:
                    score += self._idf(token) * frequency * (self._k1 + 1) / (frequency + weight)
            if score > 0:
                scores.append((name, score))
        return sorted(scores, key=lambda pair: (-pair[1], pair[0]))

    def _idf(self, token: str) -> float:
        df = self._df[token]
        return math.log(1 + (len(self._counts) - df + 0.5) / (df + 0.5))


class Config(BaseModel):
    """What the run does; further fields are for people: they are kept and go into the results.

    Attributes:
        method: Only `BM25 positive-IDF`.
        k1, b: Its constants.
        top_k: How many candidates are kept.
        thresholds: Ascending.
        comparison: Whether a score equal to the threshold passes.
        questions: Where the questions come from; or else `experiment_date_jst` and, as wanted, `selection_note`.
        absent_basis: What "absent" rests on; or else `corpus_scope` and `experiment_date_jst`.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    method: Literal["BM25 positive-IDF"]
    k1: float = Field(ge=0, allow_inf_nan=False)
    b: float = Field(ge=0, le=1)
    top_k: int = Field(ge=1)
    thresholds: list[float] = Field(min_length=1)
    comparison: Literal[">=", ">"]
    questions: QuestionSet | None = None
    absent_basis: AbsentBasis | None = None
    experiment_date_jst: str = ""
    corpus_scope: str = ""
    selection_note: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Config:
        # NaN is no better than any other value, so it fails here, too.
        if not all(low < high for low, high in pairwise([-math.inf, *self.thresholds, math.inf])):
            raise ValueError("thresholds must be numbers that ascend")
        if self.questions is None and not self.experiment_date_jst.strip():
            raise ValueError(
                "experiment_date_jst: a text is needed (or write questions: name, period, origin)"
            )
        return self


class Question(BaseModel):
    """A question with its label; null for `answerable_in_collection` means that nobody has verified it."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    required_doc_ids: list[str]
    answerable_in_collection: bool | None
    label_reason: str = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Question:
        if self.answerable_in_collection is False and self.required_doc_ids:
            raise ValueError("not answerable, but required documents are named")
        if self.answerable_in_collection and not self.required_doc_ids:
            raise ValueError("answerable, but no required document is named")
        return self

    @property
    def evidence(self) -> str:
        """The label of the evidence, in the words of the gate."""
        if self.answerable_in_collection is None:
            return "unverified"
        return "present" if self.answerable_in_collection else "absent"


class ResultRow(Question):
    """A question of results.json: with what was found for it. A row that failed has a status and an error."""

    top_score: float | None
    candidates: list[dict[str, Any]]

    @model_validator(mode="after")
    def _top_is_first(self) -> ResultRow:
        first = self.candidates[0].get("score") if self.candidates else None
        if self.top_score != first:
            raise ValueError(f"top_score is {self.top_score}, and the first candidate has {first}")
        return self


@dataclass(frozen=True)
class ExperimentInputs:
    """The three files: as they stand, for the results, and checked, to work with."""

    config: Config
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    raw_config: Mapping[str, Any]
    raw_queries: Sequence[Mapping[str, Any]]


def read_inputs(config: Path, documents: Path, queries: Path) -> ExperimentInputs:
    """Read the three files; raises GateError with everything that is wrong in any of them."""
    problems: list[str] = []
    raw_config, raw_documents, raw_queries = (read_json(path)[0] for path in (config, documents, queries))
    checked_config = validated(Config, raw_config, config.name, problems)
    checked_documents = _rows(Document, raw_documents, documents.name, problems)
    questions = _rows(Question, raw_queries, queries.name, problems)
    for name, raw in ((config.name, raw_config), (queries.name, raw_queries)):
        try:
            json.dumps(
                raw, allow_nan=False
            )  # what goes into the results as it stands must be JSON there, too
        except ValueError:
            problems.append(f"{name}: NaN and Infinity are no numbers")
    if checked_config is not None and not checked_config.absent_basis:
        unanswerable = any(question.answerable_in_collection is False for question in questions)
        if unanswerable and not (checked_config.corpus_scope and checked_config.experiment_date_jst):
            problems.append(
                f"{config.name}: corpus_scope and experiment_date_jst: a text is needed (some questions are not "
                "answerable; or write absent_basis: scope, version, permission, method)"
            )
    names = {document.id for document in checked_documents}
    for question in questions:
        where = f"{queries.name}: {question.id}"
        problems += [
            f"{where}: there is no document '{name}'"
            for name in question.required_doc_ids
            if name not in names
        ]
        problems += [
            f"{where}: the field '{name}' is written by the run"
            for name in ("top_score", "candidates", "required_documents_covered_in_top_k")
            if name in (question.model_extra or {})
        ]
    if problems or checked_config is None:
        raise GateError("the experiment cannot be run", problems=tuple(problems))
    return ExperimentInputs(
        checked_config, tuple(checked_documents), tuple(questions), raw_config, raw_queries
    )


def _rows(model: type[ModelT], raw: Any, file: str, problems: list[str]) -> list[ModelT]:
    if not isinstance(raw, list) or not raw:
        problems.append(f"{file}: a list with at least one row is needed")
        return []
    rows = [validated(model, row, f"{file}: row {number}", problems) for number, row in enumerate(raw, 1)]
    ids = [row.get("id") if isinstance(row, dict) else None for row in raw]
    for name in repeated(str(name) for name in ids if name is not None):
        numbers = ", ".join(str(number) for number, other in enumerate(ids, 1) if str(other) == name)
        problems.append(f"{file}: rows {numbers}: the id '{name}' is used twice")
    return [row for row in rows if row is not None]


@dataclass(frozen=True)
class Experiment:
    """What a run gave.

    Attributes:
        text: The content of results.json.
        sha256: Its hash, as UTF-8.
        sweep: The same counts for people, with limits.
        notes: Letters that the retriever did not search.
    """

    text: str
    sha256: str
    sweep: ThresholdSweep
    notes: tuple[str, ...]


def run_experiment(inputs: ExperimentInputs) -> Experiment:
    """Search once for each question, then decide at each threshold; raises GateError."""
    index = BM25(inputs.documents, k1=inputs.config.k1, b=inputs.config.b)
    queries: list[dict[str, Any]] = []
    for question, raw in zip(inputs.questions, inputs.raw_queries, strict=True):
        ranked = index.search(question.query)[: inputs.config.top_k]
        candidates = [{"doc_id": name, "score": score} for name, score in ranked]
        # No candidate is a reason of its own, so the top score is then null and never 0.
        queries.append({**raw, "top_score": ranked[0][1] if ranked else None, "candidates": candidates})
    results: dict[str, Any] = {
        "config": inputs.raw_config,
        "documents_count": len(inputs.documents),
        "queries": queries,
    }
    frozen = frozen_results(results, "")
    for query, row in zip(queries, frozen.rows, strict=True):
        query["required_documents_covered_in_top_k"] = required_documents_covered(row)
    sweep = sweep_thresholds(frozen, inputs.config.thresholds, unverified="apart", extra_limits=BM25_LIMITS)
    thresholds = inputs.raw_config["thresholds"]  # as they are written there: 0 or 0.0
    results["summaries"] = [
        _summary(frozen, threshold, point.gate)
        for threshold, point in zip(thresholds, sweep.points, strict=True)
    ]
    results["metrics_note"] = METRICS_NOTE
    text = json.dumps(results, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    notes = tuple(
        f"{where}: letters that this retriever does not search: {letters}"
        for where, searched in (
            *((f"document {document.id}", document.searched) for document in inputs.documents),
            *((f"question {question.id}", question.query) for question in inputs.questions),
        )
        if (letters := unseen(searched))
    )
    return Experiment(text, sha256, sweep.model_copy(update={"sha256": sha256}), notes)


def _summary(frozen: Frozen, threshold: float, counts: GateCounts) -> dict[str, Any]:
    """What one threshold does, under the names of the published results."""
    without = counts.passed_without_required_ids
    summary = {
        "threshold": threshold,
        "query_count": len(frozen.rows),
        "passed": counts.passed.numerator,
        "held": counts.held.numerator,
        "answerable_count": counts.over_hold.denominator,
        "unanswerable_count": counts.false_pass.denominator,
        "false_pass_count": counts.false_pass.numerator,
        "false_pass_ids": counts.false_pass_ids,
        "excess_hold_count": counts.over_hold.numerator,
        "excess_hold_ids": counts.over_hold_ids,
        "passed_without_required_evidence_count": len(without),
        "passed_without_required_evidence_ids": without,
        "passed_with_required_evidence_count": counts.passed.numerator - len(without),
        "decisions": [
            {"query_id": decision.query_id, "passed": decision.passed, "reason": decision.reason.value}
            for decision in decide_all(frozen.operating, frozen.rows, threshold)
        ],
    }
    if counts.unverified_passed.denominator:  # a count of its own, never a part of "unanswerable"
        summary["unverified_count"] = counts.unverified_passed.denominator
    return summary


def is_results(content: Any) -> bool:
    """Whether this is the content of a results.json, not of a file of frozen results."""
    return isinstance(content, dict) and {"config", "queries"} <= content.keys()


def frozen_results(results: Mapping[str, Any], sha256: str, file: str | None = None) -> Frozen:
    """The content of a results.json as frozen results; raises GateError.

    What "absent" rests on is the config's `absent_basis`, or else its corpus_scope and day, and each label_reason.
    """
    problems: list[str] = []
    config = validated(Config, results["config"], "config", problems)
    rows = []
    for number, raw in enumerate(results["queries"], 1):
        name = raw.get("id") if isinstance(raw, dict) else ""
        row = validated(ResultRow, raw, f"row {number} ({name})", problems)
        if row is not None and config is not None:
            rows.append(dict(_frozen_row(row, config)))
    if problems or config is None:
        raise GateError("the retrieval results are refused", file=file, problems=tuple(problems))
    parameters = json.dumps(results["config"], sort_keys=True, ensure_ascii=False).encode()
    questions = config.questions or QuestionSet(
        name="questions of the run",
        period=config.experiment_date_jst,
        origin="designed",
        note=config.selection_note,
    )
    content = {
        "operating": {
            "stage": "retrieval",
            "score_kind": config.method,
            "direction": "higher_is_better",
            "comparison": config.comparison,
            "config_version": f"sha256 {hashlib.sha256(parameters).hexdigest()[:16]}",
        },
        "questions": questions.model_dump(),
        "rows": rows,
    }
    return read_frozen(content, sha256, file)


def _frozen_row(row: ResultRow, config: Config) -> Iterator[tuple[str, Any]]:
    yield from ((name, getattr(row, name)) for name in ("id", "query", "required_doc_ids", "candidates"))
    further = row.model_extra or {}
    yield from ((name, further[name]) for name in ("status", "error", "group", "category") if name in further)
    yield "evidence", row.evidence
    if row.evidence == "absent":
        yield (
            "basis",
            config.absent_basis
            or {
                "scope": config.corpus_scope,
                "version": config.experiment_date_jst,
                "permission": config.corpus_scope,
                "method": row.label_reason,
            },
        )
