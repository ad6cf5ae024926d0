"""One retrieval experiment from three files to results.json, which has the same bytes on every machine.

The form of results.json is that of the published experiment that it repeats; its word for an over-hold is excess_hold.

The three files of a retrieval experiment, with everything that is wrong in them named at once.

The reference retriever: BM25 over whole words of ASCII and pairs of Japanese characters.

It is here so that a published experiment can be run again to the last digit, not to be a good retriever: it has no
notion of meaning, negation, time or identifiers ("P-20" is the words "p" and "20").
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from docaudit.abstention.gate import AbsentBasis, decide_all
from docaudit.abstention.results import Frozen, QuestionSet, read_frozen, read_json, validated
from docaudit.abstention.threshold_sweep import (
    BM25_LIMITS,
    GateCounts,
    Sweep,
    required_documents_covered,
    sweep_thresholds,
)
from docaudit.errors import GateError
from docaudit.justification import Model

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
    found: list[str] = []
    for run in _RUN.findall(_normal(text)):
        if run.isascii() or len(run) == 1:
            found.append(run)
        else:
            found.extend(run[at : at + 2] for at in range(len(run) - 1))
    return found


def unseen(text: str) -> str:
    """Letters and digits that are in no token, each once: é, Cyrillic, Hangul. They are not searched.

    >>> unseen("Ménage à Київ 返品")
    'éàкиїв'
    """
    outside = _RUN.sub("", _normal(text))
    return "".join(dict.fromkeys(char for char in outside if char.isalnum()))


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
        self._names = [document.id for document in documents]
        self._counts = [Counter(tokens(document.searched)) for document in documents]
        self._lengths = [counts.total() for counts in self._counts]
        if not sum(self._lengths):
            raise GateError("no document has a word that this retriever knows (ASCII or Japanese)")
        self._average = sum(self._lengths) / len(self._lengths)
        self._df = Counter(token for counts in self._counts for token in counts)

    def search(self, query: str) -> list[tuple[str, float]]:
        """Every document with a positive score, best first, with its score."""
        # Sorted, because the order of a sum of floats decides its last digit.
        wanted = sorted(set(tokens(query)))
        scored = [(name, self._score(wanted, place)) for place, name in enumerate(self._names)]
        return sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))

    def _score(self, wanted: Sequence[str], place: int) -> float:
        counts, score = self._counts[place], 0.0
        weight = self._k1 * (1 - self._b + self._b * self._lengths[place] / self._average)
        for token in wanted:
            if frequency := counts[token]:
                score += self._idf(token) * frequency * (self._k1 + 1) / (frequency + weight)
        return score

    def _idf(self, token: str) -> float:
        df = self._df[token]
        return math.log(1 + (len(self._names) - df + 0.5) / (df + 0.5))


ModelT = TypeVar("ModelT", bound=BaseModel)
METHOD = "BM25 positive-IDF"
_ADDED = ("top_score", "candidates", "required_documents_covered_in_top_k")


class _Open(BaseModel):
    """A part whose further fields are for people: they are kept as they are and go into the results."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)


class Config(_Open):
    """What the run does; further fields are kept.

    Where the questions come from is said by `questions`, or else by `experiment_date_jst` and, as wanted,
    `selection_note`; what "absent" rests on by `absent_basis`, or else by `corpus_scope` and `experiment_date_jst`.

    Attributes:
        method: Only `BM25 positive-IDF`.
        k1, b: Its constants.
        top_k: How many candidates are kept.
        thresholds: Ascending.
        comparison: Whether a score equal to the threshold passes.
    """

    method: Literal["BM25 positive-IDF"]
    k1: float = Field(ge=0, allow_inf_nan=False)
    b: float = Field(ge=0, le=1)
    top_k: int = Field(ge=1)
    thresholds: list[float] = Field(min_length=1)
    comparison: Literal[">=", ">"]


class Question(_Open):
    """A question with its label; null for `answerable_in_collection` means that nobody has verified it."""

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    required_doc_ids: list[str]
    answerable_in_collection: bool | None
    label_reason: str = Field(min_length=1)


@dataclass(frozen=True)
class Inputs:
    """The three files: as they stand, for the results, and checked, to work with."""

    config: Config
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    raw_config: Mapping[str, Any]
    raw_queries: Sequence[Mapping[str, Any]]


def read_inputs(config: Path, documents: Path, queries: Path) -> Inputs:
    """Read the three files; raises GateError with everything that is wrong in any of them."""
    problems: list[str] = []
    raw_config, raw_documents, raw_queries = (read_json(path)[0] for path in (config, documents, queries))
    made_config = validated(Config, raw_config, config.name, problems)
    made_documents = _rows(Document, raw_documents, documents.name, problems)
    made_queries = _rows(Question, raw_queries, queries.name, problems)
    problems += _not_finite(raw_config, config.name)
    if isinstance(raw_queries, list):
        for number, row in enumerate(raw_queries, 1):
            problems += _not_finite(row, f"{queries.name}: row {number}")
    if made_config is not None:
        problems += _thresholds(made_config, config.name)
        problems += _basis(made_config, made_queries, config.name)
    problems += _named_twice([one.id for one in made_documents], documents.name)
    problems += _named_twice([one.id for one in made_queries], queries.name)
    known = {one.id for one in made_documents}
    problems += [
        f"{queries.name}: {fault}"
        for at, one in enumerate(made_queries, 1)
        for fault in _label(at, one, known)
    ]
    if problems or made_config is None:
        raise GateError("the experiment cannot be run", problems=tuple(problems))
    return Inputs(made_config, tuple(made_documents), tuple(made_queries), raw_config, raw_queries)


def _rows(model: type[ModelT], raw: Any, file: str, problems: list[str]) -> list[ModelT]:
    if not isinstance(raw, list) or not raw:
        problems.append(f"{file}: a list with at least one row is needed")
        return []
    made = [validated(model, row, f"{file}: row {number}", problems) for number, row in enumerate(raw, 1)]
    return [one for one in made if one is not None]


def _not_finite(raw: Any, where: str) -> list[str]:
    """What goes into the results as it stands must be JSON there, too."""
    try:
        json.dumps(raw, allow_nan=False)
    except ValueError:
        return [f"{where}: NaN and Infinity are no numbers"]
    return []


def _thresholds(config: Config, file: str) -> list[str]:
    # NaN is no better than any other value, so it fails here, too.
    if all(low < high for low, high in pairwise(config.thresholds)) and all(
        abs(one) < float("inf") for one in config.thresholds
    ):
        return []
    return [f"{file}: thresholds must be numbers that ascend"]


def _basis(config: Config, questions: Sequence[Question], file: str) -> list[str]:
    """What the results need beside the numbers; the fields of a further part as that part names them."""
    given = config.model_extra or {}
    faults: list[str] = []
    wanted: dict[str, str] = {}
    if given.get("questions"):
        validated(QuestionSet, given["questions"], f"{file}: questions", faults)
    else:
        wanted["experiment_date_jst"] = "or write questions: name, period, origin"
    if given.get("absent_basis"):
        validated(AbsentBasis, given["absent_basis"], f"{file}: absent_basis", faults)
    elif any(one.answerable_in_collection is False for one in questions):
        either = (
            "some questions are not answerable; or write absent_basis: scope, version, permission, method"
        )
        wanted = {"experiment_date_jst": either, "corpus_scope": either, **wanted}
    return faults + [
        f"{file}: {name}: a text is needed ({either})"
        for name, either in wanted.items()
        if not (isinstance(given.get(name), str) and given[name].strip())
    ]


def _named_twice(names: Sequence[str], file: str) -> list[str]:
    rows: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(names, 1):
        rows[name].append(number)
    return [
        f"{file}: rows {', '.join(map(str, same))}: the id '{name}' is used twice"
        for name, same in rows.items()
        if same[1:]
    ]


def _label(number: int, question: Question, documents: set[str]) -> list[str]:
    where = f"row {number} ({question.id})"
    faults = [
        f"{where}: there is no document '{one}'" for one in question.required_doc_ids if one not in documents
    ]
    faults += [
        f"{where}: the field '{name}' is written by the run"
        for name in _ADDED
        if name in (question.model_extra or {})
    ]
    if question.answerable_in_collection is False and question.required_doc_ids:
        faults.append(f"{where}: not answerable, but required documents are named")
    if question.answerable_in_collection and not question.required_doc_ids:
        faults.append(f"{where}: answerable, but no required document is named")
    return faults


METRICS_NOTE = (
    "This measures retrieval and a gate only; no answers were generated or graded. "
    "Evidence coverage uses prewritten synthetic labels, not an automated semantic checker."
)
_KEPT = ("id", "query", "required_doc_ids", "candidates", "status", "error")
_NEEDED = (
    "id",
    "query",
    "required_doc_ids",
    "answerable_in_collection",
    "label_reason",
    "top_score",
    "candidates",
)


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
    sweep: Sweep
    notes: tuple[str, ...]


def run_experiment(inputs: Inputs) -> Experiment:
    """Search once for each question, then decide at each threshold; raises GateError."""
    results: dict[str, Any] = {
        "config": inputs.raw_config,
        "documents_count": len(inputs.documents),
        "queries": _retrieved(inputs),
    }
    frozen = frozen_results(results, "")
    for row, made in zip(results["queries"], frozen.rows, strict=True):
        row["required_documents_covered_in_top_k"] = required_documents_covered(made)
    sweep = sweep_thresholds(frozen, inputs.config.thresholds, unverified="apart", extra_limits=BM25_LIMITS)
    thresholds = inputs.raw_config["thresholds"]  # as they are written there: 0 or 0.0
    results["summaries"] = [
        _summary(frozen, written, counts)
        for written, counts in zip(thresholds, (point.gate for point in sweep.points), strict=True)
    ]
    results["metrics_note"] = METRICS_NOTE
    text = json.dumps(results, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Experiment(text, sha256, sweep.model_copy(update={"sha256": sha256}), _notes(inputs))


def is_results(content: Any) -> bool:
    """Whether this is the content of a results.json, not of a file of frozen results."""
    return isinstance(content, dict) and {"config", "queries"} <= content.keys()


def frozen_results(results: Mapping[str, Any], sha256: str, file: str | None = None) -> Frozen:
    """The content of a results.json as frozen results; raises GateError.

    What "absent" rests on is the config's `absent_basis`, or else its corpus_scope and day, and each label_reason.
    """
    config = results["config"]
    if not isinstance(config, dict) or not isinstance(results["queries"], list):
        raise GateError("config must be an object and queries a list", file=file)
    day = config.get("experiment_date_jst")
    parameters = json.dumps(config, sort_keys=True, ensure_ascii=False).encode()
    content = {
        "operating": {
            "stage": "retrieval",
            "score_kind": config.get("method"),
            "direction": "higher_is_better",
            "comparison": config.get("comparison"),
            "config_version": f"sha256 {hashlib.sha256(parameters).hexdigest()[:16]}",
        },
        "questions": config.get("questions")
        or {
            "name": "questions of the run",
            "period": day,
            "origin": "designed",
            "note": config.get("selection_note", ""),
        },
        "rows": [_row(raw, config) for raw in results["queries"]],
    }
    problems = [fault for number, raw in enumerate(results["queries"], 1) for fault in _faults(number, raw)]
    if problems:
        raise GateError("the retrieval results are refused", file=file, problems=tuple(problems))
    return read_frozen(content, sha256, file)


def _faults(number: int, raw: Any) -> list[str]:
    """Fields that a run always writes, and a top score that is not that of the first candidate."""
    if not isinstance(raw, dict):
        return []  # refused with its row by what reads it
    where = f"row {number} ({raw.get('id')})"
    missing = [f"{where}: the field '{name}' is missing" for name in _NEEDED if name not in raw]
    candidates = raw.get("candidates")
    if missing or not isinstance(candidates, list):
        return missing
    first = candidates[0].get("score") if candidates and isinstance(candidates[0], dict) else None
    if raw["top_score"] != first:
        return [f"{where}: top_score is {raw['top_score']}, and the first candidate has {first}"]
    return []


def _row(raw: Any, config: Mapping[str, Any]) -> Any:
    if not isinstance(raw, dict):
        return raw
    scope = config.get("corpus_scope")
    basis = config.get("absent_basis") or {
        "scope": scope,
        "version": config.get("experiment_date_jst"),
        "permission": scope,
        "method": raw.get("label_reason"),
    }
    evidence = _evidence(raw.get("answerable_in_collection"))
    kept = {name: raw[name] for name in _KEPT if name in raw}
    grouping = {name: raw[name] for name in ("group", "category") if name in raw}
    return {**kept, **grouping, "evidence": evidence, "basis": basis if evidence == "absent" else None}


def _evidence(answerable: Any) -> Any:
    if answerable is None:
        return "unverified"
    return {"True": "present", "False": "absent"}.get(repr(answerable), answerable)


def _retrieved(inputs: Inputs) -> list[dict[str, Any]]:
    index = BM25(inputs.documents, k1=inputs.config.k1, b=inputs.config.b)
    rows = []
    for question, raw in zip(inputs.questions, inputs.raw_queries, strict=True):
        found = index.search(question.query)[: inputs.config.top_k]
        candidates = [{"doc_id": name, "score": score} for name, score in found]
        # No candidate is a reason of its own, so the top score is then null and never 0.
        rows.append({**raw, "top_score": found[0][1] if found else None, "candidates": candidates})
    return rows


def _summary(frozen: Frozen, written: float, counts: GateCounts) -> dict[str, Any]:
    decisions = decide_all(frozen.operating, [row.retrieval for row in frozen.rows], written)
    without = counts.passed_without_required_ids
    summary = {
        "threshold": written,
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
            {"query_id": one.query_id, "passed": one.passed, "reason": one.reason.value} for one in decisions
        ],
    }
    if counts.unverified_passed.denominator:  # a count of its own, never a part of "unanswerable"
        summary["unverified_count"] = counts.unverified_passed.denominator
    return summary


def _notes(inputs: Inputs) -> tuple[str, ...]:
    texts = [(f"document {one.id}", one.searched) for one in inputs.documents]
    texts += [(f"question {one.id}", one.query) for one in inputs.questions]
    return tuple(
        f"{where}: letters that this retriever does not search: {letters}"
        for where, text in texts
        if (letters := unseen(text))
    )
