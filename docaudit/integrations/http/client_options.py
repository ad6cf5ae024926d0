"""The options of an audit that are a client's to set."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, create_model

from docaudit.justification import Obligation
from docaudit.options import AuditOptions, described

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
