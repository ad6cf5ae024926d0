"""What a model answers: the reasons come before the verdict, so that the verdict can follow from them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docaudit.justification import AbsenceReason

_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)


class Answer(BaseModel):
    """An answer of the right form; whether it may be taken is judged by docaudit.wording.checks.

    Attributes:
        considerations: What in the evidence led there; for the model to think, never kept.
        mention_ids: Closest mentions worth showing, best first, by their id.
        reason: Why there is no answer; null if the finding is mentioned.
        sentence: The explanation.
        suggested_requery: A clearer question, or null.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    considerations: tuple[str, ...] = Field(max_length=20)
    mention_ids: tuple[int, ...] = Field(max_length=1000)
    reason: AbsenceReason | None
    sentence: str = Field(min_length=1, max_length=20_000)
    suggested_requery: str | None = Field(max_length=2000)


def parse_answer(text: str) -> Answer | str:
    """The answer, or what is wrong with its form, without any of its words."""
    body = unfenced(text)
    try:
        json.loads(body)
        return Answer.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        known = [str(part) for part in first["loc"] if part in Answer.model_fields or isinstance(part, int)]
        return f"the answer does not fit the schema: {'.'.join(known) or 'its fields'} ({first['type']})"
    except (ValueError, RecursionError):
        return "the answer is not JSON"


def unfenced(text: str) -> str:
    """The text without the fence (```json) that some models put around JSON."""
    fenced = _FENCED.match(text)
    return fenced[1] if fenced else text


def answer_schema(reasons: Sequence[AbsenceReason | None], mentions: int) -> dict[str, Any]:
    """The JSON schema that the endpoint is asked to keep; in the part that all servers know."""
    ids = {"type": "integer", "enum": list(range(1, mentions + 1))} if mentions else {"type": "integer"}
    fields: dict[str, Any] = {
        "considerations": {"type": "array", "items": {"type": "string"}},
        "mention_ids": {"type": "array", "items": ids},
        "reason": {
            "type": ["string", "null"] if None in reasons else "string",
            "enum": [None if reason is None else reason.value for reason in reasons],
        },
        "sentence": {"type": "string"},
        "suggested_requery": {"type": ["string", "null"]},
    }
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
