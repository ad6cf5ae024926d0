"""The tools: each reads one document below the roots, in a thread, and keeps nothing of it."""

from __future__ import annotations

import logging
import stat
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, TypeVar

import anyio
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent
from pydantic import Field

import docaudit
from docaudit.audit import open_parsed
from docaudit.coverage import measure_readability
from docaudit.errors import DocauditError, PasswordRequiredError
from docaudit.evidence import Model
from docaudit.integrations.mcp_server.asked import (
    AuditAsked,
    Concepts,
    Limits,
    ReadingAsked,
    need_replayable,
    options_for,
    table_of,
)
from docaudit.integrations.mcp_server.refusals import refusal, whole
from docaudit.integrations.mcp_server.replies import (
    AuditReply,
    CoverageReply,
    FileEntry,
    FilesReply,
    SweepReply,
    VerifyReply,
    as_json,
)
from docaudit.integrations.mcp_server.running import in_thread, within
from docaudit.parsed import ParsedDocument
from docaudit.retrieved import RetrievedChunk
from docaudit.roots import Roots
from docaudit.saved import load_justification
from docaudit.stopping import Stop
from docaudit.suggest.candidates import Suggestions

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
