"""Results of a retriever with their labels, frozen in one file: thresholds change over them, nothing else does.

Whatever is wrong with the file is named with its row, all of it at once.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError, model_validator

from docaudit.abstention.gate import (
    AbsentBasis,
    Direction,
    EvidenceLabel,
    Grade,
    GradedAnswer,
    OperatingRecord,
    Retrieval,
    plain,
    without_end,
)
from docaudit.errors import GateError, ListedError
from docaudit.justification import Model

ModelT = TypeVar("ModelT", bound=BaseModel)


def faults(error: ValidationError) -> list[str]:
    """Each fault that pydantic found as ``place: what``."""
    return [
        ": ".join(
            filter(None, (".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, ")))
        )
        for fault in error.errors(include_url=False, include_input=False)
    ]


def validated(model: type[ModelT], raw: Any, where: str, problems: list[str]) -> ModelT | None:
    """The model made of a part of a file, or None with everything that is wrong added to the problems."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        problems += [f"{where}: {fault}" for fault in faults(error)]
        return None


def repeated(names: Iterable[str]) -> list[str]:
    """Names that occur more than once, in order.

    >>> repeated(["b", "a", "b"])
    ['b']
    """
    return [name for name, many in Counter(names).items() if many > 1]


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
                raise self.refused(
                    f"no {type(self).__name__} can be made", problems=tuple(faults(error))
                ) from None


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


class LabelledQuestion(Retrieval):
    """One question: what the retriever gave for it, and what people said of it.

    Attributes:
        number: 1-based place in the file.
        evidence: Whether the evidence is in the collection.
        basis: What "absent" rests on.
        required_doc_ids: Documents that an answer needs; None if they were not written down.
        group: Questions about one rule, and paraphrases of each other, have one group.
        category: Kind of question, for results apart ("negation", "same name, other product").
        votes: What each person said, if several did.
        answer: The answer that stands behind the gate; None if none was made.
    """

    number: int
    evidence: EvidenceLabel
    basis: AbsentBasis | None = None
    required_doc_ids: tuple[str, ...] | None = None
    group: str | None = Field(default=None, min_length=1)
    category: str | None = Field(default=None, min_length=1)
    votes: Mapping[str, EvidenceLabel] = Field(default_factory=dict)
    answer: GradedAnswer | None = None

    @model_validator(mode="after")
    def _label_consistent(self) -> LabelledQuestion:
        absent = self.evidence is EvidenceLabel.ABSENT
        if absent and self.basis is None:
            raise ValueError("'absent' needs a basis: scope, version, permission and method")
        if absent and self.required_doc_ids:
            raise ValueError("'absent', but required documents are named")
        if self.evidence is EvidenceLabel.PRESENT and self.required_doc_ids == ():
            raise ValueError("'present', but the list of required documents is empty")
        votes = set(self.votes.values())
        if len(votes) == 1 and votes != {self.evidence}:
            raise ValueError(f"everyone voted '{votes.pop()}', but the label is '{self.evidence}'")
        if absent and self.answer and self.answer.grade is Grade.CORRECT:
            raise ValueError("'absent', but the answer was graded correct against evidence")
        return self

    @property
    def disputed(self) -> bool:
        """Whether people disagreed."""
        return len(set(self.votes.values())) > 1


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
    rows: tuple[LabelledQuestion, ...]
    sha256: str
    part: Literal["all", "tuning", "held_out"] = "all"
    held_out_uses: int = Field(default=0, ge=0)

    def only(self, ids: Iterable[str]) -> Frozen:
        """The same with these questions only; raises GateError for names that are not there."""
        chosen = set(ids)
        if unknown := sorted(chosen - self.by_id.keys()):
            raise GateError("there are no such questions", problems=tuple(unknown))
        return self.model_copy(update={"rows": tuple(row for row in self.rows if row.id in chosen)})

    @property
    def by_id(self) -> dict[str, LabelledQuestion]:
        """Rows by the name of their question."""
        return {row.id: row for row in self.rows}

    def labelled(self, evidence: EvidenceLabel) -> tuple[LabelledQuestion, ...]:
        """Rows with this label."""
        return tuple(row for row in self.rows if row.evidence is evidence)


def read_json(path: Path) -> tuple[Any, str]:
    """The content of a JSON file and the SHA-256 of its bytes; raises GateError, also for a key given twice."""
    try:
        data = path.read_bytes()
        return json_value(data), hashlib.sha256(data).hexdigest()
    except OSError as error:
        raise GateError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except ValueError as error:
        raise GateError(str(error), file=str(path)) from error


def json_value(data: bytes) -> Any:
    """The value of a JSON text; raises ValueError for what is no JSON in UTF-8, and for a key given twice.

    NaN and Infinity are kept: models refuse them where they stand.
    """
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique_keys)
        json.dumps(value, ensure_ascii=False).encode()  # an escaped lone surrogate could not be written again
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except UnicodeError as error:
        raise ValueError("not UTF-8") from error
    except RecursionError as error:
        raise ValueError("not JSON: nested too deeply") from error
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if twice := repeated(name for name, _ in pairs):
        raise ValueError(f"not JSON: an object has {', '.join(twice)} twice")
    return dict(pairs)


def read_frozen(content: Any, sha256: str, file: str | None = None) -> Frozen:
    """Make frozen results of the content of a file; raises GateError with everything that is wrong.

    Args:
        content: An object with `operating`, `questions`, `rows` and, as wanted, an `absent_basis` that holds for every
            row labelled absent that has none of its own. A row has the fields of LabelledQuestion.
        sha256: Hash of the file.
        file: Its name, for errors.
    """
    problems: list[str] = []
    content = content if isinstance(content, dict) else {}
    parts = ("operating", "questions", "rows", "absent_basis")
    problems += [f"there is no part '{name}'" for name in content if name not in parts]
    problems += [f"the part '{name}' is missing" for name in parts[:2] if name not in content]
    operating = questions = None
    if "operating" in content:
        operating = validated(OperatingRecord, content["operating"], "operating", problems)
    if "questions" in content:
        questions = validated(QuestionSet, content["questions"], "questions", problems)
    raw_rows = content.get("rows")
    if not isinstance(raw_rows, list) or not raw_rows:
        problems.append("rows: a list with at least one row is needed")
        raw_rows = []
    rows = []
    for number, raw in enumerate(raw_rows, 1):
        row = _read_row(number, raw, content.get("absent_basis"), problems)
        if row is not None:
            rows.append(row)
    if operating is not None:
        problems += _faults_between(operating, rows)
    if problems or operating is None or questions is None:
        raise GateError("the retrieval results are refused", file=file, problems=tuple(problems))
    return Frozen(operating=operating, questions=questions, rows=tuple(rows), sha256=sha256)


def _read_row(number: int, raw: Any, basis: Any, problems: list[str]) -> LabelledQuestion | None:
    if not isinstance(raw, dict):
        problems.append(f"row {number}: an object is needed")
        return None
    where = f"row {number} ({raw['id']})" if raw.get("id") else f"row {number}"
    if "candidates" not in raw and raw.get("status") != "failed":
        problems.append(f"{where}: candidates: a list is needed, [] where the search found nothing")
    if raw.get("evidence") == "absent" and raw.get("basis") is None:
        raw = {**raw, "basis": basis}
    return validated(LabelledQuestion, {**raw, "number": number}, where, problems)


def listed(rows: Sequence[LabelledQuestion]) -> str:
    """``rows 3, 7``."""
    numbers = ", ".join(str(row.number) for row in rows)
    return f"row {numbers}" if len(rows) == 1 else f"rows {numbers}"


def _faults_between(operating: OperatingRecord, rows: Sequence[LabelledQuestion]) -> list[str]:
    """What can only be seen between rows: ids given twice, labels that contradict, scores that rank the wrong way."""
    by_name: dict[str, list[LabelledQuestion]] = defaultdict(list)
    by_words: dict[str, list[LabelledQuestion]] = defaultdict(list)
    best_first, worst_first = [], []
    for row in rows:
        by_name[plain(row.id)].append(row)
        by_words[without_end(row.query)].append(row)
        steps = list(pairwise(hit.score for hit in row.candidates if hit.score is not None))
        if any(operating.direction.better(score, later) for score, later in steps):
            best_first.append(row)
        if any(operating.direction.better(later, score) for score, later in steps):
            worst_first.append(row)
    problems = [
        f"{listed(same)}: the id '{name}' is used twice" for name, same in by_name.items() if same[1:]
    ]
    problems += [  # "unverified" contradicts nothing
        f"{listed(same)}: the same question is labelled 'present' and 'absent'"
        for same in by_words.values()
        if {EvidenceLabel.PRESENT, EvidenceLabel.ABSENT} <= {row.evidence for row in same}
    ]
    if worst_first and best_first:
        ordered = f"not best first by {operating.direction}, as those of {listed(best_first)} are"
        problems.append(f"{listed(worst_first)}: mixed directions: these candidates are {ordered}")
    elif worst_first:
        opposite = Direction.LOWER if operating.direction is Direction.HIGHER else Direction.HIGHER
        shown = f"by their scores it is {opposite}, not {operating.direction}"
        problems.append(f"{listed(worst_first)}: wrong direction: candidates come best first, and {shown}")
    return problems
