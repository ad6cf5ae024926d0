"""docaudit over HTTP (extra `serve`): a document and a concept table go in, a justification or its report comes out.

Each request is received into a folder of its own, waits for a slot, and is worked on by a process of its own
(http_worker), which is ended with all that it started when its time is up or its client has left.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import json
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import unicodedata
from asyncio.subprocess import PIPE
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import docaudit
from docaudit.codes import Obligation
from docaudit.coverage import CorpusReadability
from docaudit.errors import OptionError
from docaudit.extract.processes import child_environment, end_with_children
from docaudit.integrations.folders import AllowedFolders
from docaudit.integrations.http_worker import (
    PROBLEM,
    REPORT,
    RESULT,
    Job,
    Problem,
    RefusedError,
    SweepAnswer,
    Task,
)
from docaudit.justification import AbsenceJustification, Model, RetrievedChunk
from docaudit.options import AuditOptions, described

MIB = 1 << 20
_BESIDE_FILES = MIB
"""Room for what is no file: names, question, options. This and what follows is chosen, not measured."""
_RETRY_SECONDS = 10
_LOOK_SECONDS = 0.5
"""How often it is looked whether a client that waits is still there."""
_GRACE_SECONDS = 3
"""How long work may go on when the server is told to end."""
_MAX_NAME_BYTES = 200
_LIBRARIES = ("docaudit", "pymupdf", "pypdfium2", "rapidocr", "tesserocr")
_TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".json", ".yaml", ".yml", ".xlsx"})
_ABOUT = """Audits documents for absence: shows that something is not in a PDF, or says exactly why it cannot.

A finding is `absent_within_coverage`, `mentioned` or `not_established`. A problem (4xx, 5xx) is never a finding: it
means that the audit did not take place."""
_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_REPORT_POLICY = f"{_NOTHING}; style-src 'unsafe-inline'; img-src data:; sandbox"
"""The report has its style and pictures in it, and no script."""
# A report that is shown in the page gets the rules of the page.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _NOTHING,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_REFUSALS = {
    400: "The form cannot be read.",
    403: "The request comes from a page of another server.",
    404: "There is no such document or table.",
    408: "The request came too slowly.",
    413: "The document or the table is larger, or has more pages, than the server takes.",
    415: "The request is neither a form nor JSON.",
    422: "The document cannot be opened (no PDF, encrypted, damaged), or table, question or options are wrong.",
    500: "A fault of the server; nothing is known of the document.",
    503: "As many requests as the server takes are waiting; Retry-After says when to come again.",
    504: "The work took longer than the server allows; nothing is known of the document.",
}


class ServeSettings(Model):
    """Frozen settings of one server; a field has the name of the flag of `docaudit serve`.

    Attributes:
        host: Address to listen on. Only this machine reaches the default; there is no login.
        port: Port to listen on; 0 takes a free one.
        root: Folders whose files clients may name instead of uploading them; none if empty.
        tables: Folder of concept tables that clients may choose by file name; None for none.
        keep: Folder in which each document that was uploaded is kept with its result; None keeps nothing.
        allow_host: Names beside those of the address itself under which clients may reach the server.
        max_upload_mb: MiB of the largest document.
        max_table_mb: MiB of the largest concept table.
        max_pages: Pages of the longest document.
        upload_seconds: Time limit for receiving one request.
        audit_seconds: Time limit for the work on one request, from when it begins.
        jobs: Requests that are worked on at the same time, each in a process of its own.
        queue: Requests that may wait beside those; further ones are turned away and told when to come again.
    """

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    root: tuple[Path, ...] = ()
    tables: Path | None = None
    keep: Path | None = None
    allow_host: tuple[str, ...] = ()
    max_upload_mb: int = Field(default=100, ge=1)
    max_table_mb: int = Field(default=5, ge=1)
    max_pages: int = Field(default=2000, ge=1)
    upload_seconds: float = Field(default=120.0, gt=0)
    audit_seconds: float = Field(default=600.0, gt=0)
    jobs: int = Field(default=2, ge=1, le=64)
    queue: int = Field(default=8, ge=0, le=1000)

    @property
    def only_this_machine(self) -> bool:
        """Whether nobody else can reach the server."""
        with suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host.lower() == "localhost"


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


def _option(name: str) -> Any:
    field = AuditOptions.model_fields[name]
    kind: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    if name == "waive":
        kind = dict[Obligation, Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]]
    default = field.get_default(call_default_factory=True)
    return kind, Field(default=default, description=described(name))


ClientOptions = create_model(
    "ClientOptions",
    __config__=ConfigDict(frozen=True, extra="forbid"),
    __doc__="Options of an audit that a client may set; what is not named keeps its default.",
    **{name: _option(name) for name in OPTIONS},
)


class AuditRequest(Model):
    """A request as JSON. As a form it has the same fields, and document and concepts can be uploads.

    Attributes:
        path: Document below a folder that is open to clients; the other way is to upload one.
        concepts: Concept table as a mapping of concepts to variants; the other way is to upload one.
        table: Concept table of the server, by its file name, instead.
        question: The question that the document is asked.
        options: Options of the audit.
        retrieved: Chunks that a retriever gave, for an audit to say what it missed.
    """

    path: str | None = Field(default=None, min_length=1)
    concepts: Mapping[str, tuple[str, ...]] | None = None
    table: str | None = None
    question: str | None = None
    options: ClientOptions = Field(default_factory=ClientOptions)
    retrieved: tuple[RetrievedChunk, ...] | None = None


class Ready(Model):
    """Whether the server takes work now (`full`: new requests are turned away), and what it has to do.

    Attributes:
        versions: docaudit and the libraries that read documents.
        running: Requests that are worked on.
        waiting: Requests that are being received, or wait for their turn.
        jobs: How many are worked on at the same time.
        queue: How many may wait beside them.
    """

    status: Literal["ready", "full"]
    versions: Mapping[str, str]
    running: int
    waiting: int
    jobs: int
    queue: int


class Offer(Model):
    """What a client may name and set here: limits, options, and the names of tables and folders.

    Attributes:
        keeps: Whether uploaded documents and their results are kept.
    """

    version: str
    keeps: bool
    tables: tuple[str, ...]
    roots: tuple[str, ...]
    options: tuple[str, ...]
    max_upload_mb: int
    max_table_mb: int
    max_pages: int
    audit_seconds: float


Form = Literal["json", "html", "page"]
"""The form of an answer; `page` is justification and report as texts in one JSON, for the page to try it."""


class Service:
    """The work of one server: who is let in, what is received, and the processes that do it."""

    def __init__(self, settings: ServeSettings) -> None:
        self.settings = settings
        self._slots = asyncio.Semaphore(settings.jobs)
        self.inside = self.running = 0

    @property
    def is_full(self) -> bool:
        """Whether the next request is turned away."""
        return self.inside >= self.settings.jobs + self.settings.queue

    async def answer(self, request: Request, task: Task, form: Form) -> Response:
        """The answer to a request for work; raises RefusedError, and ClientDisconnect if the client has left."""
        if self.is_full:
            # Read first: a client that is still sending would see a broken connection in place of this answer.
            with suppress(TimeoutError):
                async with asyncio.timeout(_RETRY_SECONDS):
                    async for _ in request.stream():
                        pass
            raise RefusedError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "busy",
                "as many requests as the server takes are waiting",
                f"come again in {_RETRY_SECONDS} s",
                headers={"Retry-After": str(_RETRY_SECONDS), "Connection": "close"},
            )
        self.inside += 1
        folder = Path(tempfile.mkdtemp(prefix="docaudit-serve-"))
        try:
            for part in ("document", "table", "out", "tmp"):
                (folder / part).mkdir()
            job = await self._received(request, task, folder, report=form != "json")
            async with self._slots:
                self.running += 1
                try:
                    await self._finished(request, job)
                finally:
                    self.running -= 1
            if self.settings.keep is not None and job.document is not None:
                await asyncio.to_thread(_keep, folder, self.settings.keep)
            result = (folder / "out" / RESULT).read_bytes()
            if form == "json":
                return Response(result, media_type="application/json")
            report = (folder / "out" / REPORT).read_bytes()
            if form == "html":
                policy = {"Content-Security-Policy": _REPORT_POLICY}
                return Response(report, media_type="text/html", headers=policy)
            return JSONResponse({"justification": result.decode(), "report": report.decode()})
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self.inside -= 1

    async def _received(self, request: Request, task: Task, folder: Path, *, report: bool) -> Job:
        """The job that a request asks for, with its uploads in the folder."""
        settings = self.settings
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        fields: Any
        uploads: dict[str, Path] = {}
        try:
            async with asyncio.timeout(settings.upload_seconds):
                if kind == "application/json":
                    fields = _parsed(await request.body(), "the request")
                elif kind == "multipart/form-data":
                    fields, uploads = await self._form(request, folder)
                else:
                    raise RefusedError(
                        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                        "unsupported_media_type",
                        f"a request is multipart/form-data or application/json, not {kind or 'without a type'}",
                        "send the fields as a form, or as JSON where nothing is uploaded",
                    )
        except TimeoutError as error:
            raise RefusedError(
                HTTPStatus.REQUEST_TIMEOUT,
                "upload_timed_out",
                f"the request was not complete after {settings.upload_seconds:g} s",
                "send it faster, or start the server with a larger --upload-seconds",
                headers={"Connection": "close"},
            ) from error
        try:
            asked = AuditRequest.model_validate(fields)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            raise _wrong_request(
                *(f"{'.'.join(map(str, fault['loc'])) or 'the request'}: {fault['msg']}" for fault in faults)
            ) from error
        return self._job(task, folder, asked, uploads, report=report)

    def _job(
        self, task: Task, folder: Path, asked: AuditRequest, uploads: dict[str, Path], *, report: bool
    ) -> Job:
        settings = self.settings
        problems = []
        if (asked.path is None) == ("document" not in uploads):
            problems.append("document: upload one, or name one with path; one of the two")
        tables = [
            source for source in (uploads.get("concepts"), asked.concepts, asked.table) if source is not None
        ]
        if task == "coverage" and tables:
            problems.append("concepts: coverage takes no concept table")
        if task != "coverage" and len(tables) != 1:
            problems.append(
                "concepts: upload a table, write one as a mapping, or name one with table; one of the three"
            )
        if asked.retrieved is not None and task != "audit":
            problems.append("retrieved: only an audit takes chunks")
        if problems:
            raise _wrong_request(*problems)
        if asked.path is not None and not settings.root:
            raise RefusedError(
                HTTPStatus.NOT_FOUND, "no_roots", "no folder is open to clients here", "upload the document"
            )
        table = uploads.get("concepts")
        if asked.concepts is not None:
            table = folder / "table" / "concepts.json"
            written = json.dumps(dict(asked.concepts))
            if len(written) > settings.max_table_mb * MIB:
                raise _too_large("concepts", settings.max_table_mb)
            table.write_text(written, "utf-8")
        elif asked.table is not None:
            if settings.tables is None or asked.table not in table_names(settings.tables):
                raise RefusedError(
                    HTTPStatus.NOT_FOUND,
                    "no_such_table",
                    "the server has no concept table of this name",
                    "/v1/offer lists its tables",
                )
            table = settings.tables.absolute() / asked.table
        options: BaseModel = asked.options
        return Job(
            task=task,
            folder=folder,
            document=uploads.get("document"),
            roots=tuple(root.absolute() for root in settings.root),
            path=asked.path,
            table=table,
            question=asked.question,
            retrieved=asked.retrieved,
            # Not model_dump(exclude_unset): it would leave the password out.
            options={name: getattr(options, name) for name in sorted(options.model_fields_set)},
            report=report,
            max_pages=settings.max_pages,
            max_mb=settings.max_upload_mb,
        )

    async def _form(self, request: Request, folder: Path) -> tuple[dict[str, Any], dict[str, Path]]:
        """The fields of a form, and its uploads as files of their own name in the folder."""
        limits = {"document": self.settings.max_upload_mb, "concepts": self.settings.max_table_mb}
        fields: dict[str, Any] = {}
        uploads: dict[str, Path] = {}
        parser = _WholeForm(
            request.headers,
            request.stream(),
            max_files=2,
            max_fields=8,
            max_part_size=limits["concepts"] * MIB,
        )
        try:
            form = await parser.parse()
        except MultiPartException as error:
            raise _bad_form(error.message) from error
        try:
            if not parser.is_complete:
                raise _bad_form("it is not complete: its closing line is missing")
            for name, value in form.multi_items():
                if name in fields or name in uploads:
                    raise _wrong_request(f"{name}: stands there twice")
                if isinstance(value, str):
                    if value.strip():  # an empty field is one that was left out
                        as_json = name in ("concepts", "options", "retrieved")
                        fields[name] = _parsed(value, f"the field {name}") if as_json else value
                elif not value.filename and not value.size:
                    continue  # a browser sends an empty file where none was chosen
                elif name not in limits:
                    raise _wrong_request(
                        f"{name}: no file is taken under this name; uploads are document and concepts"
                    )
                else:
                    default = "document.pdf" if name == "document" else "concepts.csv"
                    part = "document" if name == "document" else "table"
                    file = folder / part / safe_name(value.filename, default)
                    uploads[name] = await _stored(value, file, limits[name])
        finally:
            await form.close()
        return fields, uploads

    async def _finished(self, request: Request, job: Job) -> None:
        """Do a job in a process of its own, which ends with this call, however that ends."""
        seconds = self.settings.audit_seconds
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "docaudit.integrations.http_worker"),
            stdin=PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            # What its libraries keep for a while lies in the folder of the request, and goes with it.
            env=child_environment(TMPDIR=str(job.folder / "tmp")),
            start_new_session=True,  # Ctrl-C is for the server, which then ends it
        )
        try:
            assert process.stdin is not None
            process.stdin.write(job.model_dump_json().encode() + b"\n")
            ended = asyncio.ensure_future(process.wait())
            async with asyncio.timeout(seconds):
                while not ended.done():
                    await asyncio.wait({ended}, timeout=_LOOK_SECONDS)
                    if not ended.done() and await request.is_disconnected():
                        raise ClientDisconnect
        except TimeoutError as error:
            raise RefusedError(
                HTTPStatus.GATEWAY_TIMEOUT,
                f"{job.task}_timed_out",
                f"the work was not done after {seconds:g} s and was ended; nothing is known of the document",
                "ask about fewer pages or with ocr off, or start the server with a larger --audit-seconds",
            ) from error
        finally:
            if process.returncode is None:
                end_with_children(process.pid)
            await process.wait()
        problem, out = job.folder / "out" / PROBLEM, job.folder / "out" / RESULT
        if problem.exists():
            refused = RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, "", "")
            refused.problem = Problem.model_validate_json(problem.read_bytes())
            raise refused
        if process.returncode or not out.exists():
            raise RefusedError(
                HTTPStatus.INTERNAL_SERVER_ERROR,
                "worker_failed",
                "the process that did the work ended without a result; nothing is known of the document",
                "the log of the server says more",
            )


class _WholeForm(MultiPartParser):
    """A form whose fields are what was sent: Starlette reads what is no UTF-8 as Latin-1, and takes half a form.

    "Absent" would be said of other words than those that were meant.
    """

    is_complete = False

    def on_part_end(self) -> None:
        part = self._current_part
        if part.file is None:
            try:
                part.data.decode()
            except UnicodeDecodeError as error:
                raise RefusedError(
                    HTTPStatus.UNPROCESSABLE_ENTITY,
                    "not_utf8",
                    f"the field {part.field_name} is not UTF-8",
                    "write all texts in UTF-8",
                ) from error
        super().on_part_end()

    def on_end(self) -> None:
        self.is_complete = True


def _bad_form(fault: str) -> RefusedError:
    return RefusedError(
        HTTPStatus.BAD_REQUEST, "bad_form", f"the form cannot be read: {fault}", "send it again"
    )


def _parsed(text: str | bytes, source: str) -> Any:
    """What the JSON of a client says; raises RefusedError, also for a name twice in one object."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise ValueError("a name stands twice in one object, and one of its values would be lost")
        return content

    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise RefusedError(
            HTTPStatus.UNPROCESSABLE_ENTITY, "not_json", f"{source} is not JSON: {error}", "write it as JSON"
        ) from error


def _wrong_request(*problems: str) -> RefusedError:
    return RefusedError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "wrong_request",
        "the request is not as it must be",
        f"fields are {', '.join(AuditRequest.model_fields)} and the uploads document and concepts; "
        f"options are {', '.join(OPTIONS)}",
        problems=problems,
    )


def _too_large(name: str, limit_mb: int) -> RefusedError:
    return RefusedError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "upload_too_large",
        f"{name} is larger than {limit_mb:,} MiB",
        "split it, or start the server with a larger --max-upload-mb or --max-table-mb",
        headers={"Connection": "close"},
    )


async def _stored(upload: UploadFile, file: Path, limit_mb: int) -> Path:
    if (upload.size or 0) > limit_mb * MIB:
        raise _too_large(file.name, limit_mb)

    def copy() -> None:
        with file.open("xb") as stream:
            shutil.copyfileobj(upload.file, stream, MIB)

    await asyncio.to_thread(copy)
    return file


def _keep(folder: Path, kept: Path) -> None:
    """Keep the uploads of a request and its results."""
    now = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%SZ")
    try:
        kept.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{now}-", dir=kept))
        for part in ("document", "table", "out"):
            if any((folder / part).iterdir()):
                shutil.copytree(folder / part, partial / part)
        # What has its final name is complete.
        partial.rename(kept / partial.name.removeprefix("."))
    except OSError as error:
        raise RefusedError(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "not_kept",
            f"the server is to keep documents, and this one could not be kept: {error.strerror}",
            "the operator makes room for --keep",
        ) from error


def table_names(folder: Path | None) -> tuple[str, ...]:
    """The tables in the folder now, in order; raises OptionError if it cannot be listed."""
    if folder is None:
        return ()
    try:
        tables = (file for file in folder.iterdir() if file.suffix.lower() in _TABLE_SUFFIXES)
        return tuple(sorted(file.name for file in tables if file.is_file()))
    except OSError as error:
        raise OptionError(
            f"the folder of tables cannot be listed: {error.strerror or error}",
            file=str(folder),
            remedy="name a folder of concept tables with --tables",
        ) from error


def safe_name(name: str | None, default: str) -> str:
    r"""The last part of a file name that a client gave, fit to be a file here.

    >>> safe_name("C:\\reports\\2025.pdf", "document.pdf"), safe_name("../../etc/passwd", "document.pdf")
    ('2025.pdf', 'passwd')
    >>> safe_name("報告 2025.pdf", "document.pdf"), safe_name("..", "document.pdf"), safe_name("a\x00\nb.pdf", "")
    ('報告 2025.pdf', 'document.pdf', 'ab.pdf')
    """
    last = re.split(r"[/\\]", name or "")[-1]
    # Controls, marks of direction, lone surrogates, private and unassigned characters.
    kept = "".join(character for character in last if unicodedata.category(character)[0] != "C").strip()
    if not kept.strip("."):
        return default
    suffix = Path(kept).suffix.encode()[:20]
    stem = Path(kept).stem.encode()[: _MAX_NAME_BYTES - len(suffix)]
    return stem.decode("utf-8", "ignore") + suffix.decode("utf-8", "ignore")


class Guard:
    """An ASGI middleware: refuses pages of other servers, counts what is received, makes each answer safe to show."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app, self._max_bytes = app, max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request, received = Request(scope), 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise _too_large("the request", self._max_bytes // MIB)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                added = ((name.lower().encode(), value.encode()) for name, value in _HEADERS.items())
                message["headers"] = [*message["headers"], *((n, v) for n, v in added if n not in names)]
            await send(message)

        # Any web page that a user has open could else send a form to a server on the user's own machine.
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
        is_foreign = origin is not None and _netloc(origin) != request.headers.get("host")
        if is_foreign or (site not in ("none", "same-origin") and request.method not in ("GET", "HEAD")):
            refused = RefusedError(
                HTTPStatus.FORBIDDEN,
                "other_origin",
                "pages of other servers may not use this one",
                "use the page of this server, or a program",
            )
            await _problem_response(refused.problem)(scope, receive, with_headers)
            return
        await self._app(scope, counted, with_headers)


def _netloc(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _problem_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        problem.model_dump_json(indent=1), problem.status, headers, media_type="application/problem+json"
    )


def create_app(settings: ServeSettings) -> FastAPI:
    """The server as an ASGI application; raises OptionError for a root or a folder of tables that is none."""
    roots = AllowedFolders(settings.root).names if settings.root else ()
    table_names(settings.tables)
    service = Service(settings)
    app = FastAPI(
        title="docaudit",
        version=docaudit.__version__,
        description=_ABOUT,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        license_info={"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
    )
    largest = (settings.max_upload_mb + settings.max_table_mb) * MIB + _BESIDE_FILES
    app.add_middleware(Guard, max_bytes=largest)
    # A name that leads to this machine (DNS rebinding) is refused; on other addresses the operator names them.
    is_anyone = not settings.only_this_machine and not settings.allow_host
    hosts = [settings.host, f"[{settings.host}]", "localhost", "127.0.0.1", "[::1]", *settings.allow_host]
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=["*"] if is_anyone else hosts, www_redirect=False)
    _add_routes(app, service, roots)
    _add_problems(app)
    _describe_requests(app)
    return app


def _add_routes(app: FastAPI, service: Service, roots: tuple[str, ...]) -> None:
    settings = service.settings
    versions = {name: version(name) for name in _LIBRARIES}

    @app.post("/v1/audit", summary="Audit a document", **_work(AbsenceJustification, "text/html"))
    async def audit(
        request: Request,
        form: Annotated[
            Form | None, Query(alias="format", description="Form of the answer, whatever Accept says.")
        ] = None,
    ) -> Response:
        """Is what the concept table describes absent from the document?

        The answer is the justification, byte for byte as `docaudit audit --json` prints it for a file of this name, or
        the HTML report (Accept: text/html).
        """
        accept = request.headers.get("accept", "").lower()
        is_html = "text/html" in accept and "application/json" not in accept
        return await service.answer(request, "audit", form or ("html" if is_html else "json"))

    @app.post("/v1/coverage", summary="What of a document can be read", **_work(CorpusReadability))
    async def coverage(request: Request) -> Response:
        """What a program can and cannot read of the document, as `docaudit coverage --json` prints it."""
        return await service.answer(request, "coverage", "json")

    @app.post("/v1/sweep", summary="Find every occurrence", **_work(SweepAnswer))
    async def sweep(request: Request) -> Response:
        """Every occurrence of every variant, as `docaudit sweep --json` lists it for each document; no finding."""
        return await service.answer(request, "sweep", "json")

    @app.get("/health/live", summary="Does the server answer?")
    async def live() -> dict[Literal["status"], Literal["ok"]]:
        return {"status": "ok"}

    @app.get(
        "/health/ready",
        summary="Does it take work now?",
        responses={503: {"model": Ready, "description": "It takes none now."}},
    )
    async def ready(response: Response) -> Ready:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE if service.is_full else HTTPStatus.OK
        return Ready(
            status="full" if service.is_full else "ready",
            versions=versions,
            running=service.running,
            waiting=service.inside - service.running,
            jobs=settings.jobs,
            queue=settings.queue,
        )

    @app.get("/v1/offer", summary="What may be named and set here")
    async def offer() -> Offer:
        return Offer(
            version=docaudit.__version__,
            keeps=settings.keep is not None,
            tables=table_names(settings.tables),
            roots=roots,
            options=OPTIONS,
            **settings.model_dump(include={"max_upload_mb", "max_table_mb", "max_pages", "audit_seconds"}),
        )

    page = files("docaudit.integrations").joinpath("page")
    policy = {"Content-Security-Policy": _PAGE_POLICY}

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def index() -> Response:
        return Response(page.joinpath("index.html").read_bytes(), media_type="text/html", headers=policy)

    @app.get("/page.js", include_in_schema=False)
    async def script() -> Response:
        return Response(page.joinpath("page.js").read_bytes(), media_type="text/javascript", headers=policy)


def _add_problems(app: FastAPI) -> None:
    """Every refusal and every fault as application/problem+json."""

    @app.exception_handler(RefusedError)
    async def refused(_request: Request, error: RefusedError) -> Response:
        return _problem_response(error.problem, error.headers)

    @app.exception_handler(ClientDisconnect)
    async def left(_request: Request, _error: ClientDisconnect) -> Response:
        return Response(status_code=499)  # nobody hears it

    @app.exception_handler(HTTPException)
    async def of_http(_request: Request, error: HTTPException) -> Response:
        phrase = HTTPStatus(error.status_code).phrase.lower()
        problem = Problem(status=error.status_code, code=phrase.replace(" ", "_"), message=phrase)
        return _problem_response(problem, error.headers)

    @app.exception_handler(RequestValidationError)
    async def wrong(_request: Request, error: RequestValidationError) -> Response:
        faults = (f"{fault['loc'][-1]}: {fault['msg']}" for fault in error.errors())
        return _problem_response(_wrong_request(*faults).problem)

    @app.exception_handler(Exception)
    async def unexpected(_request: Request, _error: Exception) -> Response:
        return _problem_response(
            Problem(
                status=HTTPStatus.INTERNAL_SERVER_ERROR,
                code="unexpected",
                message="a fault of docaudit; nothing is known of the document",
                remedy="the log of the server says more",
            )
        )


def _work(model: type[BaseModel], *more_types: str) -> dict[str, Any]:
    """Arguments for a route that does work and answers with this model."""
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    request = {"schema": {"$ref": "#/components/schemas/AuditRequest"}}
    content = {kind: {"schema": {"type": "string"}} for kind in more_types}
    return {
        "response_model": None,
        "responses": {
            200: {"model": model, "description": "The result.", "content": content},
            **{status: {"description": text, "content": problem} for status, text in _REFUSALS.items()},
        },
        "openapi_extra": {
            "requestBody": {
                "required": True,
                "content": {"multipart/form-data": request, "application/json": request},
            }
        },
    }


def _describe_requests(app: FastAPI) -> None:
    """Add the models of requests and problems to /openapi.json: FastAPI cannot derive them from a raw request."""

    def schema() -> dict[str, Any]:
        if app.openapi_schema is None:
            described_app = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                license_info=app.license_info,
            )
            models = described_app.setdefault("components", {}).setdefault("schemas", {})
            for model in (AuditRequest, Problem):
                own = model.model_json_schema(ref_template="#/components/schemas/{model}")
                models |= {**own.pop("$defs", {}), model.__name__: own}
            app.openapi_schema = described_app
        return app.openapi_schema

    app.openapi = schema  # type: ignore[method-assign]


def serve(settings: ServeSettings, listening: Callable[[str], None]) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM).

    Args:
        settings: Settings of the server.
        listening: Called with the address once connections are taken.

    Raises:
        OptionError: The address cannot be listened on; a folder that is named is none.
    """
    app = create_app(settings)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        taken = socket.create_server((settings.host, settings.port), family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None) or 0
        # Names that cannot be looked up have numbers of their own, below zero.
        reason = os.strerror(number) if number > 0 else getattr(error, "strerror", None) or error
        raise OptionError(
            f"cannot listen on {settings.host}, port {settings.port}: {reason}",
            remedy="name another with --host or --port; 0 takes a free port",
        ) from error
    config = uvicorn.Config(
        app,
        ws="none",
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    # uvicorn raises the signal again when all has ended: both are an ordinary end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    with taken, suppress(KeyboardInterrupt):
        listening(f"http://{host}:{taken.getsockname()[1]}/")
        uvicorn.Server(config).run(sockets=[taken])
