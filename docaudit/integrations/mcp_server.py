"""A client's messages, before the SDK reads them: its parser keeps the last of two equal names, and tells nobody.

What cannot be taken is answered, so that no client waits for an answer that never comes.

The server itself: tools with what a model must know before it calls one, over stdio or HTTP.

The tools: each reads one document below the roots, in a thread, and keeps nothing of it.

The two ways to a client: standard input and output, and HTTP. Each message is looked at before the SDK parses it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from types import FrameType
from typing import Annotated, Any, Literal, TypeVar, cast

import anyio
import anyio.to_thread
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    TextContent,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from pydantic import Field, ValidationError
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import docaudit
from docaudit.audit import open_parsed
from docaudit.coverage import measure_readability
from docaudit.document import ParsedDocument
from docaudit.errors import DocauditError, OptionError, OutputError, PasswordRequiredError, Stop
from docaudit.integrations.mcp import (
    AuditAsked,
    AuditReply,
    Concepts,
    CoverageReply,
    FileEntry,
    FilesReply,
    Limits,
    ReadingAsked,
    SweepReply,
    VerifyReply,
    as_json,
    faults,
    in_thread,
    need_replayable,
    options_for,
    refusal,
    table_of,
    whole,
    within,
)
from docaudit.integrations.served import OwnFolder, Roots, strictly
from docaudit.justification import Model, RetrievedChunk
from docaudit.saved import load_justification
from docaudit.suggest.candidates import Suggestions

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


_LOG = logging.getLogger(__name__)
_KINDS: dict[str, Literal["pdf", "saved_parse", "table", "json"]] = {
    ".pdf": "pdf",
    ".json": "json",
    **dict.fromkeys((".csv", ".tsv", ".yaml", ".yml", ".xlsx"), "table"),
}

Document = Annotated[
    str, Field(description="Path of a PDF, or of the folder of a saved parse, as list_files names it.")
]
Question = Annotated[
    str | None, Field(description="The question that the document is asked, in the user's words.")
]
Retrieved = Annotated[
    list[RetrievedChunk] | None,
    Field(
        description="What a retriever gave for the question ([]: nothing), to see in `retrieval` what it missed: "
        "no part of the finding."
    ),
]
Reading = Annotated[ReadingAsked | None, Field(description="How to read the document.")]
MaxHits = Annotated[int, Field(ge=0, le=1000, description="How many hits are listed.")]
Detail = Annotated[
    Literal["brief", "full"],
    Field(description="full adds everything, which may be hundreds of kilobytes; brief is enough to answer."),
]
Reply = TypeVar("Reply", bound=Model | Suggestions)


class Tools:
    """What a client can call; `limits` and `roots` hold for all of them."""

    def __init__(self, roots: Roots, limits: Limits) -> None:
        self._roots, self._limits = roots, limits

    async def list_files(
        self,
        ctx: Context,
        contains: Annotated[str, Field(description="Part of the path, in any case; empty for all.")] = "",
        limit: Annotated[int, Field(ge=1, le=5000)] = 200,
    ) -> Annotated[CallToolResult, FilesReply]:
        """List the documents, saved parses and concept tables that the other tools can read, by the paths they take."""

        def work(stop: Stop) -> FilesReply:
            found = list(islice(self._files(contains.casefold(), stop), limit + 1))
            return FilesReply(folders=self._roots.names, files=tuple(found[:limit]), more=len(found) > limit)

        return await self._answer(ctx, work)

    async def audit(
        self,
        ctx: Context,
        document: Document,
        concepts: Concepts,
        question: Question = None,
        options: Annotated[AuditAsked | None, Field(description="How to read and to judge.")] = None,
        detail: Detail = "brief",
        max_hits: MaxHits = 10,
        retrieved: Retrieved = None,
    ) -> Annotated[CallToolResult, AuditReply]:
        """Is what the concept table describes absent from a document? The only tool that can establish absence.

        Read `finding` first, and word your answer as `how_to_say` says:
        - mentioned: the concepts are there. Read hits and pages; absence cannot be claimed.
        - absent_within_coverage: everything was read and searched; "the document does not mention X" is shown for the
          words of the table and the pages of this document. Say so with these limits, never "X does not exist".
        - not_established: not found in what could be read, but something in `unmet` was not read or not searched. Do
          not say that the document does not mention it. Name what is unmet, its pages, and its remedy.
        An error is no finding at all. With detail "full" the text is the whole justification, as docaudit saves it.
        """

        def work(stop: Stop) -> AuditReply:
            table = table_of(concepts, self._roots)
            with self._roots.opened(document) as path:
                chosen = options_for(path, options, self._limits)
                found = docaudit.audit(
                    path, table, question=question, retrieved=retrieved, options=chosen, progress=stop
                )
            return AuditReply.of(found, max_hits=max_hits, full=detail == "full")

        return await self._answer(ctx, work, AuditReply.as_text, AuditReply.as_data)

    async def coverage(
        self, ctx: Context, document: Document, options: Reading = None, detail: Detail = "brief"
    ) -> Annotated[CallToolResult, CoverageReply]:
        """Which pages and parts of a document can a program read, and why not the others, with what would settle it?

        What is listed with may_hold_text was not searched by anybody: text may stand there.
        """

        def work(stop: Stop) -> CoverageReply:
            with self._roots.opened(document) as path:
                parsed = self._parsed(path, options, stop)
            return CoverageReply.of(measure_readability(parsed), full=detail == "full")

        return await self._answer(ctx, work)

    async def sweep(
        self,
        ctx: Context,
        document: Document,
        concepts: Concepts,
        options: Reading = None,
        detail: Detail = "brief",
        max_hits: MaxHits = 50,
        offset: Annotated[int, Field(ge=0, description="How many hits to skip, to read on.")] = 0,
    ) -> Annotated[CallToolResult, SweepReply]:
        """Find every occurrence of every word of the concept table in a document, with page and snippet.

        No hit is no finding: use audit before you say that a document does not mention something, most of all where
        searched_in_full is false.
        """

        def work(stop: Stop) -> SweepReply:
            table = table_of(concepts, self._roots)
            with self._roots.opened(document) as path:
                parsed = self._parsed(path, options, stop)
                sweep_seconds = options_for(path, options, self._limits).sweep_seconds
            stop.check()
            result = docaudit.sweep(parsed, table, sweep_seconds=sweep_seconds)
            return SweepReply.of(parsed, result, offset=offset, max_hits=max_hits, full=detail == "full")

        return await self._answer(ctx, work)

    async def suggest(
        self,
        ctx: Context,
        document: Document,
        concepts: Concepts,
        options: Reading = None,
        top: Annotated[int, Field(ge=1, le=100, description="Candidates for each concept.")] = 10,
    ) -> Annotated[CallToolResult, Suggestions]:
        """Words and phrases of a document that the concept table may lack: other names, spellings, acronyms.

        Use it before an audit. Nothing is accepted here: a person decides which candidates belong into the table.
        """

        def work(stop: Stop) -> Suggestions:
            table = table_of(concepts, self._roots)
            with self._roots.opened(document) as path:
                parsed = self._parsed(path, options, stop)
            stop.check()
            return docaudit.suggest(parsed, table, top=top, cache=False)

        return await self._answer(ctx, work)

    async def verify(
        self,
        ctx: Context,
        justification: Annotated[
            str, Field(description="Path of the justification.json that an audit saved.")
        ],
        document: Document,
    ) -> Annotated[CallToolResult, VerifyReply]:
        """Check a saved justification against its document: was it changed, and does the audit give the same again?

        verified is true only if nothing differs and the audit was repeated; each check says what was compared.
        """

        def work(stop: Stop) -> VerifyReply:
            with self._roots.opened(justification) as file:
                saved = load_justification(file)
            need_replayable(saved.options, self._limits)
            with within(self._limits.document_seconds, stop), self._roots.opened(document) as path:
                password = self._limits.password
                return VerifyReply.of(docaudit.verify(saved, path, password=password, progress=stop))

        return await self._answer(ctx, work)

    @cached_property
    def _slots(self) -> anyio.CapacityLimiter:
        return anyio.CapacityLimiter(self._limits.jobs)

    def _files(self, contains: str, stop: Stop) -> Iterator[FileEntry]:
        for path, state in self._roots.walk():
            stop.check()
            folder = stat.S_ISDIR(state.st_mode)
            kind = "saved_parse" if folder else _KINDS.get(PurePosixPath(path).suffix.lower())
            if kind is not None and contains in path.casefold():
                yield FileEntry(path=path, kind=kind, size_bytes=None if folder else state.st_size)

    def _parsed(self, path: Path, asked: ReadingAsked | None, stop: Stop) -> ParsedDocument:
        chosen = options_for(path, asked, self._limits)
        saved = open_parsed(path)
        if saved is None:
            return docaudit.parse(path, options=chosen, progress=stop)
        chosen.read_with(saved.options)
        return saved

    async def _answer(
        self,
        ctx: Context,
        work: Callable[[Stop], Reply],
        text: Callable[[Reply], str] | None = None,
        data: Callable[[Reply], Any] | None = None,
    ) -> CallToolResult:
        """The reply of the work as text and as data; any error as a message that nobody can take for a finding."""
        try:
            reply = await in_thread(work, self._slots, ctx.report_progress)
        except DocauditError as error:
            return _error(_told(error))
        except Exception as error:  # noqa: BLE001 - the last door: a client is told, and the server goes on
            _LOG.exception("a fault of docaudit")
            return _error(
                f"unexpected {type(error).__name__}, a fault of docaudit; the server's log says more"
            )
        content = reply.model_dump(mode="json") if data is None else data(reply)
        said = as_json(content) if text is None else text(reply)
        return CallToolResult(
            content=[TextContent(type="text", text=whole(said))], structured_content=whole(content)
        )


def _told(error: DocauditError) -> str:
    said = f"{type(error).__name__}: {error}"
    if isinstance(
        error, PasswordRequiredError
    ):  # no tool takes one, and nobody is to type it into a conversation
        wanted = "a person sets DOCAUDIT_PASSWORD where docaudit mcp is started"
        said = said.replace(error.remedy, wanted)
    return said


def _error(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=refusal(message))], is_error=True)


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


LOOPBACK = "127.0.0.1"
_INSTRUCTIONS = """\
docaudit shows that something is not in a PDF, or says exactly why that cannot be shown. Before you tell a user that a
document does not mention something, call audit and read its finding:
absent_within_coverage: you may say so, within the pages and the words that were searched.
not_established: you may NOT say so. Say what was not read or searched (unmet), and what would settle it.
mentioned: it is there; read the hits.
Never say that something "does not exist" because a search had no hit. A tool error is no finding.
Usual way: list_files; suggest, to see which words a table lacks (a person decides); audit; sweep to read all hits.
The folders that can be read: {folders}."""


def build_server(roots: Roots, limits: Limits | None = None) -> MCPServer:
    """A server with all tools, for any transport."""
    tools = Tools(roots, limits or Limits())
    return MCPServer(
        "docaudit",
        title="docaudit: is it really not in this document?",
        version=docaudit.__version__,
        instructions=_INSTRUCTIONS.format(folders=", ".join(roots.names)),
        tools=[
            _tool(function)
            for function in (
                tools.list_files,
                tools.audit,
                tools.coverage,
                tools.sweep,
                tools.suggest,
                tools.verify,
            )
        ],
        log_level="WARNING",
    )


def serve(roots: Roots, limits: Limits, *, port: int | None = None) -> None:
    """Serve until the client goes: over standard input and output, or over HTTP to this machine alone.

    Raises OptionError if the port is taken.
    """
    server = build_server(roots, limits)
    if port is None:
        over_pipes(server)
        return
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:  # the library would end with the exit code of a finding
            raise OptionError(
                f"port {port} cannot be taken: {error.strerror or error}", remedy="name another one"
            ) from error
    over_http(server, LOOPBACK, port)


class _Tool(Tool):
    """Refuses arguments in our words: those of the library repeat what was sent, a password too."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(refusal(faults(error.__cause__))) from None
            raise


def _tool(function: object) -> Tool:
    assert callable(function)
    tool = _Tool.from_function(
        function,
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
    # An argument that is not known would be dropped in silence, and with it what the client wanted.
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters = arguments.model_json_schema(by_alias=True)
    return tool
