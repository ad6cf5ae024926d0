"""What a client may ask: the fields of a request, and the options that are his to set."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model

from docaudit.evidence import Model
from docaudit.integrations.http.problems import refused
from docaudit.integrations.strict_json import strictly
from docaudit.justification import Obligation
from docaudit.options import AuditOptions, described
from docaudit.retrieved import RetrievedChunk

Task = Literal["audit", "coverage", "sweep"]

OPTIONS = (
    "ocr",
    "ocr_lang",
    "ocr_confidence",
    "ink",
    "second_reader",
    "password",
    "attachment_depth",
    "revisions",
    "scope",
    "window_words",
    "required",
    "closest",
    "language",
    "waive",
    "canary",
)
"""Options that a client may set. The others (time, memory, processes, programs, endpoints) are the operator's."""
_Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_KINDS: dict[str, Any] = {"waive": dict[Obligation, _Reason]}


def _option(name: str) -> Any:
    known = AuditOptions.model_fields[name]
    kind = Annotated[(known.annotation, *known.metadata)] if known.metadata else known.annotation
    default = known.get_default(call_default_factory=True)
    return _KINDS.get(name, kind), Field(default=default, description=described(name))


ClientOptions = create_model(
    "ClientOptions",
    __config__=ConfigDict(frozen=True, extra="forbid"),
    __doc__="Options of an audit that a client may set; what is not named keeps its default.",
    **{name: _option(name) for name in OPTIONS},
)


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

    path: str | None = Field(default=None, min_length=1, examples=["reports/2025.pdf"])
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
    try:
        return strictly(text)
    except ValueError as error:
        raise refused(
            HTTPStatus.UNPROCESSABLE_ENTITY, "not_json", f"{what} is not JSON: {error}", "write it as JSON"
        ) from error


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
