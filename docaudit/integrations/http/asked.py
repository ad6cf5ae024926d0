"""What a client may ask: the fields of a request."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from docaudit.evidence import Model
from docaudit.integrations import strict_json
from docaudit.integrations.http.client_options import OPTIONS, ClientOptions
from docaudit.integrations.http.problems import refused
from docaudit.retrieved import RetrievedChunk

Task = Literal["audit", "coverage", "sweep"]


class Asked(Model):
    """A request without its files, as JSON.

    Attributes:
        path: Document below a folder that is open to clients; the other way is to upload one.
        concepts: Concept table as a mapping of concepts to variants; the other way is to upload one.
        table: Concept table of the server, by its file name, instead.
        question: The question that the document is asked.
        options: Options of the audit.
        retrieved: Chunks that a retriever gave, for an audit to say what it missed.
    """

    path: str | None = Field(default=None, examples=["reports/2025.pdf"])
    concepts: Mapping[str, tuple[str, ...]] | None = Field(
        default=None, examples=[{"AI": ["AI", "artificial intelligence"], "electricity": ["electricity"]}]
    )
    table: str | None = Field(default=None, examples=["ai-power.csv"])
    question: str | None = Field(default=None, examples=["How much electricity does AI consume?"])
    options: ClientOptions = Field(default_factory=ClientOptions, examples=[{"language": "ja", "ocr": "off"}])

    retrieved: tuple[RetrievedChunk, ...] | None = Field(
        default=None, examples=[[{"text": "Baseload electricity for delivery", "page": 19, "id": "c7"}]]
    )

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that were set by name."""
        options: BaseModel = self.options
        # Not model_dump(exclude_unset): it would leave the password out.
        return {name: getattr(options, name) for name in sorted(options.model_fields_set)}


def asked_from_json(text: str | bytes) -> Asked:
    """A request that came as JSON; raises RefusedError."""
    return _validated(_parsed(text, "the request"))


def asked_from_form(fields: Mapping[str, str]) -> Asked:
    """A request that came as the fields of a form; empty ones are those left out. Raises RefusedError."""
    given: dict[str, Any] = {name: value for name, value in fields.items() if value.strip()}
    for name in ("concepts", "options", "retrieved"):
        if name in given:
            given[name] = _parsed(given[name], f"the field {name}")
    return _validated(given)


def _parsed(text: str | bytes, what: str) -> Any:
    value, wrong = strict_json.read(text)
    if wrong:
        raise refused(
            HTTPStatus.UNPROCESSABLE_ENTITY, "not_json", f"{what} is not JSON: {wrong}", "write it as JSON"
        )
    return value


def _validated(given: Any) -> Asked:
    try:
        return Asked.model_validate(given)
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(part) for part in one['loc']) or 'the request'}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        raise refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "wrong_request",
            "the request is not as it must be",
            f"fields are {', '.join(Asked.model_fields)} and the uploads document and concepts; "
            f"options are {', '.join(OPTIONS)}",
            problems=problems,
        ) from error
