"""The three files of a retrieval experiment, with everything that is wrong in them named at once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from docaudit.abstention.bm25 import Document
from docaudit.abstention.frozen import QuestionSet
from docaudit.abstention.labels import AbsentBasis
from docaudit.abstention.reading import read_json, validated
from docaudit.errors import GateError

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
