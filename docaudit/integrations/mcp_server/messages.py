"""A client's messages, before the SDK reads them: its parser keeps the last of two equal names, and tells nobody.

What cannot be taken is answered, so that no client waits for an answer that never comes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from docaudit.integrations.mcp_server.refusals import refusal
from docaudit.integrations.strict_json import strictly

_ID = re.compile(rb'"id"\s*:\s*(-?\d{1,18}\b|"[^"\\]{0,200}")')


def refused(message: bytes) -> JSONRPCError | None:
    """Why a message of JSON-RPC is not taken, as the answer to it; None if it is taken.

    >>> refused(b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}') is None
    True
    >>> refused(b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": 1, "a": 2}}').id
    7
    """
    try:
        strictly(message)
    except ValueError as error:
        return _answer(PARSE_ERROR, message, f"the message is not taken: {error}")
    try:
        jsonrpc_message_adapter.validate_json(message.decode(), by_name=False)
    except ValueError:  # pydantic's, too; its text would repeat the message
        return _answer(INVALID_REQUEST, message, "the message is not taken: it is no message of JSON-RPC 2.0")
    return None


def _answer(code: int, message: bytes, cause: str) -> JSONRPCError:
    error = ErrorData(code=code, message=refusal(cause))
    return JSONRPCError(jsonrpc="2.0", id=_id_of(message), error=error)


def _id_of(message: bytes) -> int | str | None:
    """The id of a request that is not taken, as far as it can be read."""
    try:
        content: Any = json.loads(message)
    except (ValueError, RecursionError):
        found = set(_ID.findall(message))
        content = {"method": "", "id": json.loads(found.pop())} if len(found) == 1 else None
    if not isinstance(content, dict) or "method" not in content:
        return None  # an answer of the client, which is not answered, or nothing that is known
    of_it = content.get("id")
    readable = isinstance(of_it, (int, str)) and not isinstance(of_it, bool)
    if not readable or (isinstance(of_it, str) and not of_it.isascii()):
        return None
    return of_it
