"""docaudit as tools for an assistant, over the Model Context Protocol (extra `mcp`).

Each tool reads one document below the allowed folders, in a thread, and keeps nothing of it. The SDK checks messages
and arguments; limits of the server are kept here.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from types import FrameType
from typing import Annotated, Any, Literal, TypeVar

import anyio
import anyio.to_thread
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

import docaudit
from docaudit.audit import open_parsed
from docaudit.concepts.model import ConceptTable
from docaudit.coverage import measure_readability
from docaudit.document import ParsedDocument
from docaudit.errors import ConceptTableError, DocauditError, OptionError, PasswordRequiredError, Stop
from docaudit.integrations.folders import AllowedFolders
from docaudit.integrations.mcp_replies import (
    AuditReply,
    CoverageReply,
    FileEntry,
    FilesReply,
    SweepReply,
    VerifyReply,
)
from docaudit.justification import Model, RetrievedChunk
from docaudit.options import AuditOptions, Scope, described
from docaudit.saved import as_data, dump, load_justification
from docaudit.suggest.candidates import Suggestions

LOOPBACK = "127.0.0.1"
_MAX_ROWS = 20_000
"""Rows of a table that is written into the call; a larger one is a file. These limits are chosen, not measured."""
_MAX_ERROR = 4000
"""Characters of an error that a client is sent: a table may have a fault in each row."""
_MAX_BODY = 4 << 20
"""Bytes of one HTTP request; the SDK refuses larger ones."""
_PROGRESS_SECONDS = 0.25
"""How often progress is reported: a client need not hear of each page."""
_ENDING_SECONDS = 5
"""How long HTTP calls have to end when the server is told to end."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_FINDING = "This is an error, not a finding: it says nothing about what the document mentions."
_INSTRUCTIONS = """\
docaudit shows that something is not in a PDF, or says exactly why that cannot be shown. Before you tell a user that a
document does not mention something, call audit and read its finding:
absent_within_coverage: you may say so, within the pages and the words that were searched.
not_established: you may NOT say so. Say what was not read or searched (unmet), and what would settle it.
mentioned: it is there; read the hits.
Never say that something "does not exist" because a search had no hit. A tool error is no finding.
Usual way: list_files; suggest, to see which words a table lacks (a person decides); audit; sweep to read all hits.
The folders that can be read: {folders}."""
_KINDS: dict[str, Literal["pdf", "saved_parse", "table", "json"]] = {
    ".pdf": "pdf",
    ".json": "json",
    **dict.fromkeys((".csv", ".tsv", ".yaml", ".yml", ".xlsx"), "table"),
}


@dataclass(frozen=True)
class Limits:
    """What the server was started with, and no client can exceed.

    Attributes:
        page_seconds: Most that a client may ask for as page_seconds.
        document_seconds: Most that a client may ask for as document_seconds; the search has no more, either.
        jobs: Calls that are worked on at the same time; others wait.
        password: Password of encrypted documents; no client says or sees it.
    """

    page_seconds: float = AuditOptions.model_fields["page_seconds"].default
    document_seconds: float = AuditOptions.model_fields["document_seconds"].default
    jobs: int = 2
    password: str | None = None


def _as_in_audit(name: str) -> Any:
    """The field of AuditOptions with this name: its default and what it means."""
    return Field(default=AuditOptions.model_fields[name].default, description=described(name))


class ReadingOptions(BaseModel):
    """How a document is to be read. A saved parse was read already: leave these out for it.

    Remedies name the same options as on the command line: --ocr full is {"ocr": "full"}.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ocr: Literal["auto", "off", "full"] = _as_in_audit("ocr")
    ocr_lang: str | None = _as_in_audit("ocr_lang")
    ocr_confidence: float = _as_in_audit("ocr_confidence")
    second_reader: bool = _as_in_audit("second_reader")
    attachment_depth: int = _as_in_audit("attachment_depth")
    revisions: bool = _as_in_audit("revisions")
    page_seconds: float = _as_in_audit("page_seconds")
    document_seconds: float = _as_in_audit("document_seconds")


class ToolAuditOptions(ReadingOptions):
    """How a document is to be read (for a saved parse, only what the finding looks at), and how it is judged.

    Remedies name the same options as on the command line: --ocr full is {"ocr": "full"}.
    """

    scope: Scope = _as_in_audit("scope")
    window_words: int = _as_in_audit("window_words")
    required: tuple[str, ...] = _as_in_audit("required")
    closest: int = _as_in_audit("closest")
    language: Literal["en", "ja"] = _as_in_audit("language")


Document = Annotated[
    str, Field(description="Path of a PDF, or of the folder of a saved parse, as list_files names it.")
]
WrittenTable = dict[str, list[str] | str] | list[dict[str, str]]
Concepts = Annotated[
    str | WrittenTable,
    Field(
        description="The concept table: which words stand for which concept. Either the path of a CSV, TSV, JSON, YAML "
        'or XLSX file; or an object of concept to variants, as {"AI": ["AI", "machine learning"], "power": '
        '["electricity"]}; or a list of rows with concept and variant and, as wanted, match (word, prefix, substring, '
        "regex), case (auto, sensitive, insensitive), inflect (auto, off), status, role (required, context). A zero is "
        "worth what its table is worth: name every word by which the document could say it."
    ),
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
Reading = Annotated[ReadingOptions | None, Field(description="How to read the document.")]
MaxHits = Annotated[int, Field(ge=0, le=1000, description="How many hits are listed.")]
Detail = Annotated[
    Literal["brief", "full"],
    Field(description="full adds everything, which may be hundreds of kilobytes; brief is enough to answer."),
]
Reply = TypeVar("Reply", bound=Model | Suggestions)


class Tools:
    """What a client can call; `folders` and `limits` hold for all of them."""

    def __init__(self, folders: AllowedFolders, limits: Limits) -> None:
        self._folders, self._limits = folders, limits
        self._slots = anyio.CapacityLimiter(limits.jobs)
        self._running: set[Stop] = set()

    async def list_files(
        self,
        ctx: Context,
        contains: Annotated[str, Field(description="Part of the path, in any case; empty for all.")] = "",
        limit: Annotated[int, Field(ge=1, le=5000)] = 200,
    ) -> Annotated[CallToolResult, FilesReply]:
        """List the documents, saved parses and concept tables that the other tools can read, by the paths they take."""

        def work(stop: Stop) -> FilesReply:
            def entries() -> Any:
                for path, real in self._folders.walk():
                    stop.check()
                    is_folder = real.is_dir()
                    kind = "saved_parse" if is_folder else _KINDS.get(PurePosixPath(path).suffix.lower())
                    if kind is not None and contains.casefold() in path.casefold():
                        size = None if is_folder else real.stat().st_size
                        yield FileEntry(path=path, kind=kind, size_bytes=size)

            files = tuple(islice(entries(), limit + 1))
            return FilesReply(folders=self._folders.names, files=files[:limit], more=len(files) > limit)

        return await self._call(ctx, work)

    async def audit(
        self,
        ctx: Context,
        document: Document,
        concepts: Concepts,
        question: Question = None,
        options: Annotated[ToolAuditOptions | None, Field(description="How to read and to judge.")] = None,
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
            table = self._table(concepts)
            with self._folders.opened(document) as path:
                justification = docaudit.audit(
                    path,
                    table,
                    question=question,
                    retrieved=retrieved,
                    options=self._options(path, options),
                    progress=stop,
                )
            return AuditReply.of(justification, max_hits=max_hits, full=detail == "full")

        return await self._call(ctx, work)

    async def coverage(
        self, ctx: Context, document: Document, options: Reading = None, detail: Detail = "brief"
    ) -> Annotated[CallToolResult, CoverageReply]:
        """Which pages and parts of a document can a program read, and why not the others, with what would settle it?

        What is listed with may_hold_text was not searched by anybody: text may stand there.
        """

        def work(stop: Stop) -> CoverageReply:
            parsed, _ = self._parsed(document, options, stop)
            return CoverageReply.of(measure_readability(parsed), full=detail == "full")

        return await self._call(ctx, work)

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
            table = self._table(concepts)
            parsed, chosen = self._parsed(document, options, stop)
            stop.check()
            result = docaudit.sweep(parsed, table, sweep_seconds=chosen.sweep_seconds)
            return SweepReply.of(parsed, result, offset=offset, max_hits=max_hits, full=detail == "full")

        return await self._call(ctx, work)

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
            table = self._table(concepts)
            parsed, _ = self._parsed(document, options, stop)
            stop.check()
            return docaudit.suggest(parsed, table, top=top, cache=False)

        return await self._call(ctx, work)

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
            with self._folders.opened(justification) as file:
                saved = load_justification(file)
            for name in ("page_seconds", "document_seconds", "sweep_seconds"):
                limit = max(self._limit_of(name), AuditOptions.model_fields[name].default)
                seconds = getattr(saved.options, name)
                if seconds > limit:
                    raise OptionError(
                        f"it was made with {name} {seconds:g}, more than the {limit:g} s that this server allows",
                        remedy="verify it on the command line",
                    )
            with self._folders.opened(document) as path:
                password = self._limits.password
                return VerifyReply.of(docaudit.verify(saved, path, password=password, progress=stop))

        # An audit is repeated with its own options, so the whole call has the limit.
        return await self._call(ctx, work, seconds=self._limits.document_seconds)

    def _table(self, concepts: str | WrittenTable) -> ConceptTable:
        """The table that a client names or writes; raises ConceptTableError, and NotBelowRootsError for its path."""
        if isinstance(concepts, str):
            with self._folders.opened(concepts) as path:
                return ConceptTable.load(path)
        rows = sum(map(len, concepts.values())) if isinstance(concepts, dict) else len(concepts)
        if rows > _MAX_ROWS:
            raise ConceptTableError(
                f"has {rows:,} rows, and a call takes {_MAX_ROWS:,}",
                remedy="save it as a file, and name the file",
            )
        return ConceptTable.from_tree(concepts)

    def _limit_of(self, name: str) -> float:
        return self._limits.page_seconds if name == "page_seconds" else self._limits.document_seconds

    def _options(self, path: Path, options: ReadingOptions | None) -> AuditOptions:
        """The options for the document at this path; raises OptionError for what exceeds the limits."""
        chosen = {} if options is None else options.model_dump(exclude_unset=True)
        is_saved = (path / "document.json").is_file()
        for name in ("page_seconds", "document_seconds", "sweep_seconds"):
            limit = self._limit_of(name)
            if name in chosen and chosen[name] > limit:
                raise OptionError(
                    f"option {name}: {chosen[name]:g} is more than the {limit:g} s that this server allows",
                    remedy="ask for less, or leave it out",
                )
            # A saved parse keeps the times with which it was read.
            if AuditOptions.model_fields[name].default > limit and not (is_saved and name != "sweep_seconds"):
                chosen.setdefault(name, limit)
        return AuditOptions.from_keywords(None, {**chosen, "password": self._limits.password})

    def _parsed(
        self, document: str, options: ReadingOptions | None, stop: Stop
    ) -> tuple[ParsedDocument, AuditOptions]:
        """The document as tables, and the options within the limits."""
        with self._folders.opened(document) as path:
            chosen = self._options(path, options)
            saved = open_parsed(path)
            if saved is None:
                return docaudit.parse(path, options=chosen, progress=stop), chosen
            chosen.read_with(saved.options)
            return saved, chosen

    async def _call(
        self, ctx: Context, work: Callable[[Stop], Reply], seconds: float | None = None
    ) -> CallToolResult:
        """The reply of the work as text and as data; an error of docaudit as a message that is no finding."""
        try:
            reply = await self._in_thread(ctx, work, seconds)
        except PasswordRequiredError as error:
            # No tool takes one, and nobody is to type it into a conversation.
            remedy = "a person sets DOCAUDIT_PASSWORD where docaudit mcp is started"
            return _error_result(error, str(error).replace(error.remedy, remedy))
        except DocauditError as error:
            return _error_result(error, str(error))
        data = reply.model_dump(mode="json")
        justification = reply.justification if isinstance(reply, AuditReply) else None
        if justification is not None:
            data["justification"] = as_data(justification)
        # On one line: lists of pages with a line for each page would be most of what a model reads.
        text = _sendable(json.dumps(data, ensure_ascii=False, allow_nan=False))
        shown = text if justification is None else dump(justification)
        return CallToolResult(
            content=[TextContent(type="text", text=shown)], structured_content=json.loads(text)
        )

    async def _in_thread(self, ctx: Context, work: Callable[[Stop], Reply], seconds: float | None) -> Reply:
        """What the work returns, as soon as a slot is free. If the call is cancelled, its processes are ended."""
        pages: list[tuple[int, int]] = []  # done and in all, written by the threads that read
        stop = Stop(lambda done, total: pages.append((done, total)))

        async def report() -> None:
            if pages:
                done, total = max(pages)
                pages.clear()
                await ctx.report_progress(done, total, f"{done:,} of {total:,} pages read")

        async def report_now_and_then() -> None:
            while True:
                await asyncio.sleep(_PROGRESS_SECONDS)
                await report()

        async with self._slots:
            self._running.add(stop)
            reporting = asyncio.create_task(report_now_and_then())
            try:
                with anyio.fail_after(seconds):
                    reply = await anyio.to_thread.run_sync(work, stop, abandon_on_cancel=True)
            except TimeoutError as error:
                raise OptionError(
                    f"it was not done after the {seconds:g} s that this server allows; nothing is known",
                    remedy="do it on the command line, or start the server with a larger --document-seconds",
                ) from error
            finally:
                stop.stop()
                self._running.discard(stop)
                reporting.cancel()
        await report()
        return reply

    def stop_all(self) -> None:
        """End the processes of all calls that are worked on."""
        for stop in tuple(self._running):
            stop.stop()


def _error_result(error: DocauditError, message: str) -> CallToolResult:
    cause = f"{type(error).__name__}: {message}"
    if len(cause) > _MAX_ERROR:
        cause = f"{cause[:_MAX_ERROR]}… ({len(cause) - _MAX_ERROR:,} more characters)"
    text = _sendable(f"{cause}\n{_NO_FINDING}")
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _sendable(text: str) -> str:
    """Text without lone surrogates (of broken fonts, or a client's own), which no message can carry."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def build_server(folders: AllowedFolders, limits: Limits | None = None) -> MCPServer:
    """A server with all tools, for any transport."""
    return _server_of(Tools(folders, limits or Limits()), folders)


def _server_of(tools: Tools, folders: AllowedFolders) -> MCPServer:
    described_tools = []
    for function in (
        tools.list_files,
        tools.audit,
        tools.coverage,
        tools.sweep,
        tools.suggest,
        tools.verify,
    ):
        tool = Tool.from_function(
            function,
            annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        )
        arguments = tool.fn_metadata.arg_model
        # An argument that is not known would be dropped in silence, and with it what the client meant to say; and
        # errors must not repeat a password.
        arguments.model_config |= ConfigDict(extra="forbid", hide_input_in_errors=True)
        arguments.model_rebuild(force=True)
        tool.parameters = arguments.model_json_schema(by_alias=True)
        described_tools.append(tool)
    return MCPServer(
        "docaudit",
        title="docaudit: is it really not in this document?",
        version=docaudit.__version__,
        instructions=_INSTRUCTIONS.format(folders=", ".join(folders.names)),
        tools=described_tools,
        log_level="WARNING",
    )


def serve(folders: AllowedFolders, limits: Limits, *, port: int | None = None) -> None:
    """Serve until the client goes: over standard input and output, or over HTTP to this machine alone.

    Raises OptionError if the port is taken.
    """
    tools = Tools(folders, limits)
    server = _server_of(tools, folders)
    if port is None:

        def end(number: int, _frame: FrameType | None) -> None:
            # Python would wait for the thread that reads standard input, and so for another line.
            tools.stop_all()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, end)
        server.run("stdio")
        return
    try:
        listening = socket.create_server((LOOPBACK, port))
    except OSError as error:  # the library would end with the exit code of a finding
        raise OptionError(
            f"port {port} cannot be taken: {error.strerror or error}", remedy="name another one"
        ) from error
    app = server.streamable_http_app(host=LOOPBACK, max_request_body_size=_MAX_BODY)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_ENDING_SECONDS)
    with listening, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
