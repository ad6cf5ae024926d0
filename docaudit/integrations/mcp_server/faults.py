"""Errors as a client is told them: in words that it can follow, and so that nobody takes one for a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from docaudit.errors import DocauditError, PasswordRequiredError
from docaudit.integrations.mcp_server.asked import AuditAsked
from docaudit.integrations.remedies import for_client

_NO_FINDING = "This is an error, not a finding: it says nothing about what the document mentions."
_MOST_ERROR = 4000
"""Characters of an error that are told: a table may have a fault in each row."""
_MOST_FAULTS = 20
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_OPTIONS = tuple(AuditAsked.model_fields)


def told(error: DocauditError) -> str:
    """An error of docaudit; its remedy names what a client, or who started the server, can do."""
    if isinstance(error, PasswordRequiredError):
        remedy = "no tool takes a password: a person sets DOCAUDIT_PASSWORD where docaudit mcp is started"
    else:
        remedy = for_client(error.remedy, _OPTIONS)
    said = str(error)
    if error.remedy:
        said = said.replace(f"({error.remedy})", f"({remedy})")
    return f"{type(error).__name__}: {said}"


def wrong_arguments(error: ValidationError, arguments: Sequence[str]) -> CallToolResult:
    """Arguments that a tool does not take: each named, and none repeated, since it may be a password."""
    faults: dict[str, None] = {}
    for one in error.errors(include_url=False, include_input=False, include_context=False):
        place = ".".join(map(str, one["loc"]))
        faults[f"- {place}: {'is not known' if one['type'] == 'extra_forbidden' else one['msg']}"] = None
    listed = list(faults)[:_MOST_FAULTS]
    if len(faults) > len(listed):
        listed.append(f"- … {len(faults) - len(listed):,} more")
    said = f"the arguments are not as they must be; arguments are {', '.join(arguments)}"
    if "options" in arguments:
        said += f"; options are {', '.join(_OPTIONS)} (those from scope on only for audit)"
    return as_error("\n".join([said, *listed]))


def as_error(message: str) -> CallToolResult:
    """The message as the error of a tool."""
    more = len(message) - _MOST_ERROR
    shown = message if more <= 0 else f"{message[:_MOST_ERROR]}… ({more:,} more characters)"
    said = whole(f"{shown}\n{_NO_FINDING}")
    return CallToolResult(content=[TextContent(type="text", text=said)], is_error=True)


def whole(value: Any) -> Any:
    """Without half characters (of broken fonts, or a client's own), which no message can carry."""
    if isinstance(value, str):
        return _HALF_CHARACTER.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole(part) for part in value]
    if isinstance(value, dict):
        return {whole(key): whole(part) for key, part in value.items()}
    return value
