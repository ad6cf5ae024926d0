"""Results of a retriever with their labels, frozen in one file: thresholds change over them, nothing else does.

What can only be seen between rows: names given twice, labels that contradict, scores that rank the wrong way.

Reading of JSON files that people made: whatever is wrong is named with its row, all of it at once.

What is wrong with a value that people gave, in docaudit's words and as its own error.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

from pydantic import BaseModel, Field, ValidationError

from docaudit.abstention.gate import (
    Direction,
    Evidence,
    Label,
    OperatingRecord,
    Retrieval,
    plain,
    without_end,
)
from docaudit.errors import GateError, ListedError
from docaudit.justification import Model


class QuestionSet(Model):
    """Where the questions come from: counts over them say nothing of other questions.

    Attributes:
        name: What the set is called.
        period: From when to when the questions, or the documents behind them, are.
        origin: `designed` by its authors, `sampled` from use, or all of `production` in the period.
        note: What else a reader must know.
    """

    name: str = Field(min_length=1)
    period: str = Field(min_length=1)
    origin: Literal["designed", "sampled", "production"]
    note: str = ""


class Row(Model):
    """One question with what was found for it and what is known of it.

    Attributes:
        number: 1-based place in the file.
        retrieval: What the retriever gave.
        label: What people said.
    """

    number: int = Field(ge=1)
    retrieval: Retrieval
    label: Label

    @property
    def id(self) -> str:
        """Name of the question."""
        return self.retrieval.id


class Frozen(Model):
    """Frozen results; whoever holds one knows that its rows do not contradict each other.

    Attributes:
        operating: How the scores came about.
        questions: Where the questions come from.
        rows: One for each question.
        sha256: Hash of the file that they were read from.
        part: Which part of a split the rows are, or `all`.
        held_out_uses: How often the held-out part of the split has been looked at, this time included.
    """

    operating: OperatingRecord
    questions: QuestionSet
    rows: tuple[Row, ...]
    sha256: str
    part: Literal["all", "tuning", "held_out"] = "all"
    held_out_uses: int = Field(default=0, ge=0)

    def only(self, ids: Iterable[str]) -> Frozen:
        """The same with these questions only; raises GateError for names that are not there."""
        wanted = set(ids)
        unknown = sorted(wanted - set(self.by_id))
        if unknown:
            raise GateError("there are no such questions", problems=tuple(unknown))
        return self.model_copy(update={"rows": tuple(row for row in self.rows if row.id in wanted)})

    @property
    def by_id(self) -> dict[str, Row]:
        """Rows by the name of their question."""
        return {row.id: row for row in self.rows}

    def labelled(self, evidence: Evidence) -> tuple[Row, ...]:
        """Rows with this label."""
        return tuple(row for row in self.rows if row.label.evidence is evidence)


def faults_between(operating: OperatingRecord, rows: Sequence[Row]) -> list[str]:
    """Every fault between rows, each with the numbers of its rows."""
    return [*_named_twice(rows), *_labels_that_contradict(rows), *_wrong_order(operating, rows)]


def listed(rows: Sequence[Row]) -> str:
    """``rows 3, 7``."""
    numbers = ", ".join(str(row.number) for row in rows)
    return f"row {numbers}" if len(rows) == 1 else f"rows {numbers}"


def _named_twice(rows: Sequence[Row]) -> list[str]:
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[plain(row.id)].append(row)
    return [f"{listed(same)}: the id '{name}' is used twice" for name, same in by_name.items() if same[1:]]


def _labels_that_contradict(rows: Sequence[Row]) -> list[str]:
    """The same words with different labels; "unverified" contradicts nothing."""
    by_words: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_words[without_end(row.retrieval.query)].append(row)
    return [
        f"{listed(same)}: the same question is labelled 'present' and 'absent'"
        for same in by_words.values()
        if {"present", "absent"} <= {row.label.evidence.value for row in same}
    ]


def _wrong_order(operating: OperatingRecord, rows: Sequence[Row]) -> list[str]:
    """Candidates come best first, so their scores show which end of the scale is good."""
    against = [row for row in rows if any(operating.better(low, high) for high, low in _steps(row))]
    with_it = [row for row in rows if any(operating.better(high, low) for high, low in _steps(row))]
    if not against:
        return []
    other = Direction.LOWER if operating.direction is Direction.HIGHER else Direction.HIGHER
    if not with_it:
        said = f"candidates come best first, and by their scores it is {other}, not {operating.direction}"
        return [f"{listed(against)}: wrong direction: {said}"]
    said = f"these candidates are not best first by {operating.direction}, as those of {listed(with_it)} are"
    return [f"{listed(against)}: mixed directions: {said}"]


def _steps(row: Row) -> list[tuple[float, float]]:
    scores = [candidate.score for candidate in row.retrieval.candidates if candidate.score is not None]
    return list(pairwise(scores))


def faults(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Each fault as ``place: what``; a field that does not exist with those that do."""
    return [
        _fault(tuple(one["loc"]), one["type"], one["msg"], model)
        for one in error.errors(include_url=False, include_input=False)
    ]


class Given(Model):
    """Base of what people make in programs: a fault in it is an error of docaudit that lists all of them.

    Attributes:
        refused: The error.
    """

    refused: ClassVar[type[ListedError]] = GateError

    if not TYPE_CHECKING:  # the fields are the arguments, also to type checkers

        def __init__(self, **fields: Any) -> None:
            try:
                super().__init__(**fields)
            except ValidationError as error:
                made = type(self)
                raise made.refused(
                    f"no {made.__name__} can be made", problems=tuple(faults(error, made))
                ) from None


def _fault(place: tuple[int | str, ...], kind: str, said: str, model: type[BaseModel]) -> str:
    if kind == "extra_forbidden":
        there = _model_at(model, place[:-1])
        names = ", ".join(there.model_fields) if there else ""
        said = f"there is no field '{place[-1]}'" + (f"; there are {names}" if names else "")
        place = place[:-1]
    where = ".".join(map(str, place))
    said = said.removeprefix("Value error, ")
    return f"{where}: {said}" if where else said


def _model_at(model: type[BaseModel], steps: Sequence[int | str]) -> type[BaseModel] | None:
    """The model of a part of a value; None if it is none."""
    here: Any = model
    for step in steps:
        if isinstance(step, str) and _is_model(here):
            field = here.model_fields.get(step)
            here = None if field is None else field.annotation
        # One model at most stands in a list or an optional field; a key of an object is no model.
        here = next((one for one in _parts(here) if _is_model(one)), here)
    return here if _is_model(here) else None


def _parts(annotation: Any) -> list[Any]:
    found = [annotation]
    for part in get_args(annotation):
        found += _parts(part)
    return found


def _is_model(given: Any) -> bool:
    return isinstance(given, type) and issubclass(given, BaseModel)


ModelT = TypeVar("ModelT", bound=BaseModel)
_PARTS = ("operating", "questions", "rows", "absent_basis")
_ROW_ONLY = ("score_kind", "direction", "stage")
"""What a row may repeat of the operating record, so that rows of two retrievers cannot meet unseen."""


def read_json(path: Path) -> tuple[Any, str]:
    """The content of a JSON file and the SHA-256 of its bytes; raises GateError.

    NaN and Infinity are kept for the checks to name with their rows; a key given twice is refused.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GateError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    try:
        content = json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique_keys)
    except UnicodeDecodeError as error:
        raise GateError("is not UTF-8", file=str(path), remedy="save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise GateError(f"is not JSON: {error}", file=str(path)) from error
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        broken = ascii(error.object[error.start])
        raise GateError(f"has half a character: {broken}", file=str(path), remedy="write it again") from error
    return content, hashlib.sha256(data).hexdigest()


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON (an object_pairs_hook); raises ValueError for a key that is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        many = Counter(name for name, _ in pairs)
        twice = sorted(name for name in found if many[name] > 1)
        raise ValueError(f"an object has {', '.join(twice)} twice")
    return found


def read_frozen(content: Any, sha256: str, file: str | None = None) -> Frozen:
    """Make frozen results of the content of a file; raises GateError with everything that is wrong.

    Args:
        content: An object with `operating`, `questions`, `rows` and, as wanted, an `absent_basis` that holds for every
            row labelled absent that has none of its own. A row has the fields of Retrieval and Label.
        sha256: Hash of the file.
        file: Its name, for errors.
    """
    if not isinstance(content, dict):
        raise GateError("an object with operating, questions and rows is needed", file=file)
    problems = [f"there is no part '{name}'" for name in content if name not in _PARTS]
    operating = _part(OperatingRecord, content, "operating", problems)
    questions = _part(QuestionSet, content, "questions", problems)
    given = content.get("rows")
    if not isinstance(given, list) or not given:
        problems.append("rows: a list with at least one row is needed")
        given = []
    made = [_row(number, raw, content.get("absent_basis"), problems) for number, raw in enumerate(given, 1)]
    rows = tuple(row for row in made if row is not None)
    if operating is not None:
        problems += _other_scores(operating, given)
        problems += faults_between(operating, rows)
    if problems or operating is None or questions is None:
        raise GateError("the retrieval results are refused", file=file, problems=tuple(problems))
    return Frozen(operating=operating, questions=questions, rows=rows, sha256=sha256)


def validated(model: type[ModelT], raw: Any, where: str, problems: list[str]) -> ModelT | None:
    """The model made of a part of a file, or None with everything that is wrong added to the problems."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        problems += [f"{where}: {fault}" for fault in faults(error, model)]
        return None


def _part(model: type[ModelT], content: Mapping[str, Any], name: str, problems: list[str]) -> ModelT | None:
    if name not in content:
        problems.append(f"the part '{name}' is missing")
        return None
    return validated(model, content[name], name, problems)


def _row(number: int, raw: Any, basis: Any, problems: list[str]) -> Row | None:
    if not isinstance(raw, dict):
        problems.append(f"row {number}: an object is needed")
        return None
    named = raw.get("id")
    where = f"row {number} ({named})" if isinstance(named, str) and named else f"row {number}"
    known = dict.fromkeys((*Retrieval.model_fields, *Label.model_fields, *_ROW_ONLY))
    problems += [
        f"{where}: there is no field '{name}'; there are {', '.join(known)}"
        for name in raw
        if name not in known
    ]
    if "candidates" not in raw and raw.get("status") != "failed":
        problems.append(f"{where}: candidates: a list is needed, [] where the search found nothing")
    said = {name: raw[name] for name in Label.model_fields if name in raw}
    if said.get("evidence") == "absent" and said.get("basis") is None and basis is not None:
        said["basis"] = basis
    found = {name: raw[name] for name in Retrieval.model_fields if name in raw}
    retrieval = validated(Retrieval, found, where, problems)
    label = validated(Label, said, where, problems)
    if retrieval is None or label is None:
        return None
    return Row(number=number, retrieval=retrieval, label=label)


def _other_scores(operating: OperatingRecord, rows: Sequence[Any]) -> list[str]:
    """Rows that say that their scores are of another kind than the record."""
    declared = {name: str(getattr(operating, name)) for name in _ROW_ONLY}
    return [
        f"row {number} ({raw.get('id')}): {name} '{raw[name]}' beside '{declared[name]}': scores of two kinds never mix"
        for number, raw in enumerate(rows, 1)
        if isinstance(raw, dict)
        for name in _ROW_ONLY
        if name in raw and raw[name] != declared[name]
    ]
