"""Reading of JSON files that people made: whatever is wrong is named with its row, all of it at once."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from docaudit.abstention.faults import faults
from docaudit.abstention.frozen import Frozen, QuestionSet, Row
from docaudit.abstention.frozen_checks import faults_between
from docaudit.abstention.labels import Label
from docaudit.abstention.records import OperatingRecord, Retrieval
from docaudit.errors import GateError

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
