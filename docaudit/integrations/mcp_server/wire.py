"""What comes over the wire, looked at before the SDK does.

It would drop the first of two values under one name, and leave a message that it cannot read without an answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from docaudit.integrations import strict_json

_MOST_SAID = 500
_ID = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(?:(-?\d{1,18})|"([ -!#-\[\]-~]{1,200})")\s*,'
)
"""The id at the beginning of a message that cannot be read; further on it could be that of something else."""

Lines = AsyncIterator[bytes]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
"""An ASGI application; the SDK brings its server, whose names are not ours to import."""
Refuse = Callable[[JSONRPCError], Awaitable[None]]


def fault_of(message: bytes) -> JSONRPCError | None:
    """The answer to a message that is not as it must be, None if it is."""
    value, wrong = strict_json.read(message)
    if wrong:
        return _error(PARSE_ERROR, f"the message cannot be taken: {wrong}", _id_of(value, message))
    try:
        jsonrpc_message_adapter.validate_json(message, by_name=False)
        known = value.get("id")
        taken = known is None or (isinstance(known, (int, str)) and not isinstance(known, bool))
    except ValidationError:
        taken = False
    if not taken:
        return _error(INVALID_REQUEST, "the message is none of JSON-RPC 2.0", _id_of(value, message))
    return None


async def checked_lines(lines: Lines, refuse: Refuse) -> AsyncIterator[str]:
    """The lines that are messages; every other one is answered."""
    async for line in lines:
        if not line.strip():
            continue
        fault = fault_of(line)
        if fault is None:
            yield line.decode("utf-8")
        else:
            await refuse(fault)


class CheckedBodies:
    """An ASGI application before that of the SDK: it passes on the bodies that are messages, and answers the others."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        taken: list[Message] = []
        size, more = 0, True
        while more and size <= DEFAULT_MAX_REQUEST_BODY_SIZE:
            taken.append(await receive())
            size += len(taken[-1].get("body", b""))
            more = taken[-1].get("more_body", False)
        whole = not more and taken[-1]["type"] == "http.request"
        fault = fault_of(b"".join(part.get("body", b"") for part in taken)) if whole else None
        if fault is not None and fault.error.code == PARSE_ERROR:  # the others the SDK answers
            kind = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 400, "headers": kind})
            said = fault.model_dump_json(by_alias=True, exclude_unset=True)
            await send({"type": "http.response.body", "body": said.encode("utf-8")})
            return

        async def again() -> Message:
            return taken.pop(0) if taken else await receive()

        await self._app(scope, again, send)


@asynccontextmanager
async def checked_stdio() -> AsyncIterator[Any]:
    """`stdio_server` of the SDK, with its lines checked; what a handler or child reads from standard input is empty."""
    private = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Not closed: the thread that reads may wait on it after the end.
    wire = anyio.wrap_file(os.fdopen(private, "rb", closefd=False))
    written: list[Any] = []

    async def refuse(fault: JSONRPCError) -> None:
        await written[0].send(SessionMessage(fault))

    lines = checked_lines(aiter(wire), refuse)
    async with stdio_server(stdin=cast(anyio.AsyncFile[str], lines)) as (read, write):
        written.append(write)  # before the first line: nothing has been awaited since its reader was started
        yield read, write


def _id_of(value: Any, message: bytes) -> str | int | None:
    if isinstance(value, dict):
        known = value.get("id")
        return known if isinstance(known, (int, str)) and not isinstance(known, bool) else None
    found = _ID.match(message)
    if found is None:
        return None
    return int(found[1]) if found[1] else found[2].decode("ascii")


def _error(code: int, message: str, known: str | int | None) -> JSONRPCError:
    said = f"{message[:_MOST_SAID]}. This is an error, not a finding: it says nothing about any document."
    said = said.encode("utf-8", "backslashreplace").decode("utf-8")
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=said))
