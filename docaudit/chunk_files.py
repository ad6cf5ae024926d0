"""A file of retrieved chunks: a JSON list of objects, or JSON Lines with one object on each line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from docaudit.errors import RetrievalError
from docaudit.retrieved import RetrievedChunk

_REMEDY = 'write a JSON list, or lines, of objects like {"text": "...", "page": 3, "id": "c1", "score": 0.7}'


def load_chunks(path: str | Path) -> tuple[RetrievedChunk, ...]:
    """The chunks in a file; raises RetrievalError with everything that is wrong.

    Each has a `text`, and as wanted `page` or `pages` (1-based physical pages), `id` and `score`. An empty list is a
    retriever that found nothing; an empty file is an error.
    """
    file = Path(path)
    try:
        text = file.read_text("utf-8-sig")
    except OSError as error:
        raise RetrievalError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    except UnicodeDecodeError as error:
        raise RetrievalError("is not UTF-8", file=str(path), remedy="save it as UTF-8") from error
    problems: list[str] = []
    rows = _rows(text, problems)
    made = [_chunk(where, row, problems) for where, row in rows]
    if problems:
        raise RetrievalError(
            "these are no retrieved chunks", file=str(path), problems=tuple(problems), remedy=_REMEDY
        )
    return tuple(chunk for chunk in made if chunk is not None)


def _rows(text: str, problems: list[str]) -> list[tuple[str, Any]]:
    """Each object with its place; what cannot be read goes to the problems."""
    if not text.strip():
        problems.append("there is nothing in it; a retriever that found nothing is []")
        return []
    if text.lstrip().startswith("["):
        whole = _json(text, "the list", problems)
        return [(f"chunk {number}", row) for number, row in enumerate(whole or (), 1)]
    lines = [(f"line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return [(where, _json(line, where, problems)) for where, line in lines]


def _json(text: str, where: str, problems: list[str]) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        problems.append(f"{where}: not JSON: {error}")
        return None


def _chunk(where: str, row: Any, problems: list[str]) -> RetrievedChunk | None:
    if row is None and any(problem.startswith(f"{where}: ") for problem in problems):
        return None  # said already
    try:
        return RetrievedChunk.model_validate(row)
    except ValidationError as error:
        for one in error.errors():
            field = ".".join(str(part) for part in one["loc"])
            problems.append(f"{where}: {field + ': ' if field else ''}{one['msg']}")
        return None
