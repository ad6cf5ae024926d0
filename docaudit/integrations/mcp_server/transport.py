"""The two ways to a client: standard input and output, and HTTP. Each message is looked at before the SDK parses it."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, cast

import anyio
import anyio.to_thread
import uvicorn
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docaudit.errors import OutputError
from docaudit.integrations.mcp_server.messages import refused
from docaudit.integrations.own_folder import OwnFolder

_ENDING_SECONDS = 5
"""How long calls have to end what they started when the server is told to end."""
_MOST_BYTES = 4 << 20
"""A body that is larger is refused by the SDK, whatever is in it."""


def over_pipes(server: MCPServer) -> None:
    """Serve over standard input and output until the client goes; a signal ends the work first, then the process."""
    with _own_temporary():
        told = anyio.run(_until_told, server)
    if told is not None:
        _die(told)


def over_http(server: MCPServer, host: str, port: int) -> None:
    """Serve over HTTP until the process is told to end."""
    app = server.streamable_http_app(host=host, max_request_body_size=_MOST_BYTES)
    app.add_middleware(Checked)
    with _own_temporary():
        config = uvicorn.Config(
            app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=_ENDING_SECONDS
        )
        _Server(config).run()


class _Server(uvicorn.Server):
    """Ends with exit code 0 when it is told to; uvicorn would end by the signal, before anything is removed."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit  # told twice: at once
        self.should_exit = True


@contextmanager
def _own_temporary() -> Iterator[None]:
    """Have all temporary files in one folder, so that the next server can remove what a killed one left."""
    try:
        own = OwnFolder("docaudit-mcp-")
    except OSError as error:
        raise OutputError(
            f"the temporary folder cannot be made: {error.strerror or error}",
            remedy="make room, or set TMPDIR",
        ) from error
    before, tempfile.tempdir = tempfile.tempdir, str(own.folder)
    os.environ["TMPDIR"] = tempfile.tempdir  # for child processes
    try:
        yield
    finally:
        tempfile.tempdir = before
        own.close()


async def _until_told(server: MCPServer) -> signal.Signals | None:
    told: list[signal.Signals] = []
    loop = asyncio.get_running_loop()

    def end(how: signal.Signals) -> None:
        if told:  # twice: at once
            _die(how)
        told.append(how)
        loop.call_later(_ENDING_SECONDS, _die, how)
        scope.cancel()

    with anyio.CancelScope() as scope:
        for how in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(how, end, how)
        await _serve(server)
    return told[0] if told else None


def _die(how: signal.Signals) -> None:
    """End by this signal: Python would wait for the thread that reads standard input, and so for another line."""
    signal.signal(how, signal.SIG_DFL)
    os.kill(os.getpid(), how)


async def _serve(server: MCPServer) -> None:
    wire = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a child process must not read what the client writes
    os.close(nothing)

    def line() -> tuple[bytes, JSONRPCError | None]:
        read = wire.readline()
        return read, refused(read) if read.strip() else None

    async def lines() -> AsyncIterator[str]:
        while True:
            # Abandoned if the server is told to end: it waits for a line that may never come.
            read, refusal = await anyio.to_thread.run_sync(line, abandon_on_cancel=True)
            if not read:
                return
            if refusal is not None:
                await writing.send(SessionMessage(refusal))
            elif read.strip():
                yield read.decode()

    async with stdio_server(stdin=cast("Any", lines())) as (reading, writing):
        inner = server._lowlevel_server
        await inner.run(reading, writing, inner.create_initialization_options())


class Checked:
    """Answers bodies that must not reach the SDK's parser; an ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body, heard, more = b"", [], True
        while more and len(body) <= _MOST_BYTES:
            heard.append(await receive())
            body += heard[-1].get("body", b"")
            more = heard[-1].get("more_body", False)
        refusal = None if more else await anyio.to_thread.run_sync(refused, body)

        async def again() -> Message:
            return heard.pop(0) if heard else await receive()

        if refusal is None:
            await self._app(scope, again, send)
            return
        said = refusal.model_dump_json(by_alias=True, exclude_unset=True)
        await Response(said, 400, media_type="application/json")(scope, receive, send)
