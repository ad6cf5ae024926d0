"""The application: which address does what, and in which form the answer goes out.

What /openapi.json says of requests: their bodies are read piece by piece, so that FastAPI cannot derive them.

One request on its way through: let in, received, worked on while the client waits, answered.

What holds for every request before it is looked at: under which name, and from whose page, it may come.

Without this, any web page that a user has open could reach a server on his own machine: by a name of its own that
leads there (DNS rebinding), or by sending a form across.

The server itself: a socket, uvicorn, and patience that ends.

The body of a request onto disk: counted while it comes, whatever its headers claim, and under a time limit.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

import h11
import uvicorn
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

import docaudit
from docaudit.coverage import CorpusReadability
from docaudit.errors import OptionError, OutputError
from docaudit.integrations.http.base import (
    MIB,
    OPTIONS,
    Asked,
    ClientOptions,
    Job,
    Live,
    Offer,
    Problem,
    Ready,
    RefusedError,
    ServeSettings,
    SweepAnswer,
    Task,
    WholeForm,
    asked_from_form,
    asked_from_json,
    is_address,
    is_loopback,
    named_table,
    refused,
    safe_name,
    table_names,
)
from docaudit.integrations.http.jobs import Desk, Outcome, Run
from docaudit.integrations.served import Roots
from docaudit.justification import AbsenceJustification

_REF = "#/components/schemas/{model}"
_EXAMPLE = {
    "path": "commodity-report.pdf",
    "concepts": {"AI": ["AI", "artificial intelligence"], "electricity": ["electricity"]},
    "question": "How much electricity does AI consume?",
    "options": {"ocr": "off"},
}
_PROBLEM = {
    "status": 422,
    "code": "not_a_pdf",
    "message": "not a PDF but an HTML page",
    "remedy": "name a PDF file",
    "problems": [],
    "file": "report.pdf",
    "page": None,
}
_REFUSALS = {
    400: "The form cannot be read.",
    403: "The request comes from a page of another server.",
    404: "There is no such document or table.",
    408: "The request came too slowly.",
    413: "The document or the table is larger, or has more pages, than the server takes.",
    415: "The request is neither a form nor JSON.",
    421: "The server is not known under this name.",
    422: "The document cannot be opened (no PDF, encrypted, damaged), or table, question or options are wrong.",
    500: "A fault of the server; nothing is known of the document.",
    503: "As many requests as the server takes are waiting; Retry-After says when to come again.",
    504: "The work took longer than the server allows; nothing is known of the document.",
}


def work(task: Task, model: type[BaseModel]) -> dict[str, Any]:
    """Arguments for a route that does this work and answers with this model."""
    content: dict[str, Any] = {}
    if task == "audit":
        content = {
            "text/html": {"schema": {"type": "string", "description": "The report, in one file."}},
            "application/x-ndjson": {"schema": {"type": "string", "description": "One event in each line."}},
        }
    refusals = {
        status: {
            "description": said,
            "content": {
                "application/problem+json": {
                    "schema": {"$ref": _REF.format(model="Problem")},
                    **({"example": _PROBLEM} if status == 422 else {}),
                }
            },
        }
        for status, said in _REFUSALS.items()
    }
    return {
        "responses": {200: {"model": model, "description": "The result.", "content": content}, **refusals},
        "response_model": None,
        "openapi_extra": {"requestBody": _body(task)},
    }


def _body(task: Task) -> dict[str, Any]:
    left_out = {"concepts", "table"} if task == "coverage" else set()
    left_out |= {"question", "retrieved"} if task != "audit" else set()
    example = {name: value for name, value in _EXAMPLE.items() if name not in left_out}
    return {
        "required": True,
        "content": {
            "multipart/form-data": {"schema": _form(left_out)},
            "application/json": {"schema": {"$ref": _REF.format(model="Asked")}, "example": example},
        },
    }


def _form(left_out: set[str]) -> dict[str, Any]:
    text = {"type": "string"}
    fields: dict[str, Any] = {
        "document": {"type": "string", "format": "binary", "description": "The PDF."},
        "path": {**text, "description": "Instead: a document below a folder that is open to clients."},
        "concepts": {
            "oneOf": [{"type": "string", "format": "binary"}, text],
            "description": "Concept table: a CSV, TSV, JSON, YAML or XLSX file, or as a text the JSON of a mapping of "
            "concepts to lists of variants.",
        },
        "table": {**text, "description": "Instead: a concept table of the server, by its file name."},
        "question": {**text, "description": "The question that the document is asked."},
        "retrieved": {
            **text,
            "description": "The JSON of chunks of a retriever, as in the request that is JSON.",
        },
        "options": {**text, "description": "The JSON of options, as in the request that is JSON."},
    }
    encoding = {name: field for name, field in fields.items() if name not in left_out}
    return {"type": "object", "properties": encoding, "additionalProperties": False}


def complete(app: FastAPI) -> None:
    """Add the models of requests and problems to the description of the application."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                license_info=app.license_info,
            )
            known = schema.setdefault("components", {}).setdefault("schemas", {})
            for model in (Asked, ClientOptions, Problem):
                own = model.model_json_schema(ref_template=_REF)
                known |= {**own.pop("$defs", {}), model.__name__: own}
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
REPORT = f"{NOTHING}; style-src 'unsafe-inline'; img-src data:; sandbox"
"""The report has its style and pictures in it, and no script."""
# A report that is opened from the page gets the rules of the page, and has its style in it.
PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": NOTHING,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Turns away requests under a strange name or from a strange page, and makes every answer safe to show."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        self._names = {name.lower() for name in (settings.host, *settings.allow_host)}
        self._only_this_machine = settings.only_this_machine

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        problem = self._problem(Headers(scope=scope), scope["method"])
        if problem is None:
            await self._app(scope, receive, safely)
        else:
            await problem_response(problem)(scope, receive, safely)

    def _problem(self, headers: Headers, method: str) -> Problem | None:
        host = headers.get("host", "")
        if not self._knows(host):
            return Problem(
                status=HTTPStatus.MISDIRECTED_REQUEST,
                code="unknown_host",
                message="the server is not known under this name",
                remedy="use its address, or start it with --allow-host NAME",
            )
        origin = headers.get("origin")
        across = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if (origin is not None and _host_of(origin) != host) or (across and method not in ("GET", "HEAD")):
            return Problem(
                status=HTTPStatus.FORBIDDEN,
                code="other_origin",
                message="pages of other servers may not use this one",
                remedy="use the page of this server, or a program",
            )
        return None

    def _knows(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        # An address cannot be made to lead elsewhere, a name can.
        return name in self._names or is_loopback(name) or (not self._only_this_machine and is_address(name))


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    """The problem as an answer."""
    return Response(
        problem.model_dump_json(indent=1),
        problem.status,
        headers=headers,
        media_type="application/problem+json",
    )


_FORM = "multipart/form-data"
_BESIDE = MIB
"""Room for what is no file: names, question, options, and the lines between the parts."""
_MOST_FIELDS = 8


class Received(NamedTuple):
    """A request whose files lie on disk: what is asked, the uploaded document, the uploaded concept table."""

    asked: Asked
    document: Path | None
    table: Path | None


async def received(request: Request, place: Path, settings: ServeSettings) -> Received:
    """Read a request into the folder `place`.

    Raises RefusedError (too large, too slow, of another type, not as it must be), or ClientDisconnect of Starlette.
    """
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind not in (_FORM, "application/json"):
        raise refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            f"a request is {_FORM} or application/json, not {kind or 'without a type'}",
            "send the fields as a form, or as JSON where nothing is uploaded",
        )
    try:
        async with asyncio.timeout(settings.upload_seconds):
            if kind == _FORM:
                return await _form_received(request, place, settings)
            limit = settings.max_table_mb * MIB + _BESIDE
            body = b"".join([piece async for piece in _counted(request, limit)])
            # In a thread: others are answered while many megabytes are looked at.
            return Received(await run_in_threadpool(asked_from_json, body), None, None)
    except TimeoutError as error:
        raise refused(
            HTTPStatus.REQUEST_TIMEOUT,
            "upload_timed_out",
            f"the request was not complete after {settings.upload_seconds:g} s",
            "send it faster, or start the server with a larger --upload-seconds",
            headers={"Connection": "close"},
        ) from error


async def _counted(request: Request, limit: int) -> AsyncGenerator[bytes, None]:
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise _too_large("the request", limit)
        yield piece


async def _form_received(request: Request, place: Path, settings: ServeSettings) -> Received:
    document_limit, table_limit = settings.max_upload_mb * MIB, settings.max_table_mb * MIB
    stream = _counted(request, document_limit + table_limit + _BESIDE)
    parser = WholeForm(
        request.headers, stream, max_files=2, max_fields=_MOST_FIELDS, max_part_size=table_limit
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise refused(
            HTTPStatus.BAD_REQUEST, "bad_form", f"the form cannot be read: {error.message}", "send it again"
        ) from error
    try:
        parser.need_end()
        fields: dict[str, str] = {}
        files: dict[str, UploadFile] = {}
        for name, value in form.multi_items():
            if name in fields or name in files:
                raise _wrong(f"{name}: stands there twice")
            if isinstance(value, str):
                fields[name] = value
            elif value.filename or value.size:  # a browser sends an empty one where none was chosen
                files[name] = value
        if strange := sorted(set(files) - {"document", "concepts"}):
            raise _wrong(f"{strange[0]}: no file is taken under this name; uploads are document and concepts")
        document = await _kept(files.get("document"), place / "document", "document.pdf", document_limit)
        table = await _kept(files.get("concepts"), place / "table", "concepts.csv", table_limit)
    finally:
        await form.close()
    return Received(await run_in_threadpool(asked_from_form, fields), document, table)


async def _kept(upload: UploadFile | None, folder: Path, otherwise: str, limit: int) -> Path | None:
    """The upload as a file of its own name in the folder."""
    if upload is None:
        return None
    file = folder / safe_name(upload.filename, otherwise)
    if (upload.size or 0) > limit:
        raise _too_large(file.name, limit)

    def copy() -> None:
        with file.open("xb") as stream:
            shutil.copyfileobj(upload.file, stream, MIB)

    await run_in_threadpool(copy)
    return file


def _too_large(what: str, limit: int) -> RefusedError:
    return refused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "upload_too_large",
        f"{what} is larger than {limit // MIB:,} MiB",
        "split it, or start the server with a larger --max-upload-mb or --max-table-mb",
        headers={"Connection": "close"},
    )


def _wrong(problem: str) -> RefusedError:
    return refused(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "wrong_request",
        "the request is not as it must be",
        "name each field once",
        problems=(problem,),
    )


STREAM = "application/x-ndjson"
_LISTEN_SECONDS = 2.0
_NOBODY = 499


Form = Literal["json", "html", "stream"]
"""The form of an answer."""


def accepted(request: Request) -> Form:
    """The form that the client names in Accept: JSON unless it asks for another."""
    accept = request.headers.get("accept", "").lower()
    if STREAM in accept:
        return "stream"
    return "html" if "text/html" in accept and "application/json" not in accept else "json"


class Visit:
    """One request that asks for work."""

    def __init__(self, request: Request, desk: Desk, settings: ServeSettings) -> None:
        self._request = request
        self._desk = desk
        self._settings = settings

    async def answer(self, task: Task, form: Form) -> Response:
        """The answer to it; raises RefusedError."""
        try:
            place = self._desk.enter()
            job = await self._job(place, task, report=form != "json")
        except RefusedError:
            await self._listen()
            raise
        except ClientDisconnect:
            return Response(status_code=_NOBODY)
        run = self._desk.start(job)
        if form == "stream":
            return StreamingResponse(self._events(run), media_type=STREAM)
        outcome = await self._waited(run)
        if outcome is None:
            return Response(status_code=_NOBODY)
        if form == "html":
            return Response(
                outcome.report, media_type="text/html", headers={"Content-Security-Policy": REPORT}
            )
        return Response(outcome.result, media_type="application/json")

    async def _job(self, place: Path, task: Task, *, report: bool) -> Job:
        """The job, with its files in place; if there is none, the request has left the desk."""
        try:
            return self._checked(place, task, await received(self._request, place, self._settings), report)
        except BaseException:
            await asyncio.shield(self._desk.leave(place))
            raise

    def _checked(self, place: Path, task: Task, given: Received, report: bool) -> Job:
        asked, settings = given.asked, self._settings
        documents = [what for what in (given.document, asked.path) if what is not None]
        tables = [what for what in (given.table, asked.concepts, asked.table) if what is not None]
        problems = []
        if len(documents) != 1:
            problems.append("document: upload one, or name one with path; one of the two")
        if len(tables) != (task != "coverage"):
            problems.append(
                "concepts: coverage takes no concept table"
                if task == "coverage"
                else "concepts: upload a table, write one as a mapping, or name one with table; one of the three"
            )
        if asked.retrieved is not None and task != "audit":
            problems.append("retrieved: only an audit takes chunks")
        if problems:
            raise refused(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "wrong_request",
                "the request is not as it must be",
                "/openapi.json says how",
                problems=problems,
            )
        if asked.path is not None and not settings.root:
            raise refused(
                HTTPStatus.NOT_FOUND, "no_roots", "no folder is open to clients here", "upload the document"
            )
        return Job(
            server=os.getpid(),
            task=task,
            place=place,
            document=given.document,
            roots=tuple(root.absolute() for root in settings.root),
            path=asked.path,
            table=named_table(settings.tables, asked.table).absolute()
            if asked.table is not None
            else given.table,
            concepts=asked.concepts,
            question=asked.question,
            retrieved=asked.retrieved,
            options=asked.chosen,
            report=report,
            max_pages=settings.max_pages,
            max_mb=settings.max_upload_mb,
        )

    async def _waited(self, run: Run) -> Outcome | None:
        """The outcome, or None if the client left before; then the work has ended."""
        gone = asyncio.create_task(self._gone())
        try:
            await asyncio.wait({run.task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if run.task.done():
                return run.task.result()
            return None
        finally:
            gone.cancel()
            await _ended(run)

    async def _gone(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass

    async def _events(self, run: Run) -> AsyncIterator[str]:
        """Lines of JSON; the last is the result or the problem. Starlette ends this when the client leaves."""
        try:
            yield _line("accepted", waiting=self._desk.waiting)
            while (step := await run.steps.get()) is not None:
                yield _line("step", **step.model_dump())
            try:
                outcome = await run.task
            except RefusedError as error:
                yield _line("problem", **error.problem.model_dump())
            else:
                summary = outcome.summary.model_dump() if outcome.summary else None
                report = outcome.report.decode() if outcome.report else None
                yield _line("result", summary=summary, justification=outcome.result.decode(), report=report)
        finally:
            await _ended(run)

    async def _listen(self) -> None:
        """Take a little more of the body: a client that is still sending would not see the answer."""
        with suppress(TimeoutError, ClientDisconnect, RuntimeError):
            async with asyncio.timeout(_LISTEN_SECONDS):
                async for _ in self._request.stream():
                    pass


async def _ended(run: Run) -> None:
    """Make sure that the work is over, whether this is cancelled or not."""
    if not run.task.done():
        run.task.cancel()
        await asyncio.shield(asyncio.wait({run.task}))


def _line(event: str, **more: object) -> str:
    return json.dumps({"event": event, **more}, ensure_ascii=False) + "\n"


_LIBRARIES = ("docaudit", "pymupdf", "pypdfium2", "rapidocr", "tesserocr")
_PAGE_FILES = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "words.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_ABOUT = """Audits documents for absence: shows that something is not in a PDF, or says exactly why it cannot.

A finding is `absent_within_coverage`, `mentioned` or `not_established`. A problem (4xx, 5xx) is never a finding: it
means that the audit did not take place."""

FormQuery = Annotated[
    Form | None,
    Query(alias="format", description="Form of the answer, whatever Accept says."),
]


def create_app(settings: ServeSettings) -> FastAPI:
    """The server as an ASGI application; raises OptionError for a root or a folder of tables that is none."""
    roots = Roots(settings.root).names if settings.root else ()
    table_names(settings.tables)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.desk = Desk(settings)
        try:
            yield
        finally:
            await app.state.desk.close()

    app = FastAPI(
        title="docaudit",
        version=docaudit.__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,  # these pages load scripts from elsewhere
        redoc_url=None,
        license_info={"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
    )
    app.add_middleware(Guard, settings=settings)
    _handle_problems(app)
    _add_work(app, settings)
    _add_state(app, settings, roots)
    _add_page(app)
    complete(app)
    return app


def _add_work(app: FastAPI, settings: ServeSettings) -> None:
    def visit(request: Request) -> Visit:
        return Visit(request, request.app.state.desk, settings)

    @app.post("/v1/audit", summary="Audit a document", **work("audit", AbsenceJustification))
    async def audit(request: Request, form: FormQuery = None) -> Response:
        """Is what the concept table describes absent from the document?

        The answer is the justification, byte for byte as `docaudit audit --json` prints it for a file of this name; the
        HTML report (Accept: text/html); or a stream of lines of JSON (Accept: application/x-ndjson) with the events
        `step`, and at the end `result` or `problem`.
        """
        return await visit(request).answer("audit", form or accepted(request))

    @app.post(
        "/v1/coverage",
        summary="What of a document can be read",
        **work("coverage", CorpusReadability),
    )
    async def coverage(request: Request) -> Response:
        """What a program can and cannot read of the document, as `docaudit coverage --json` prints it."""
        return await visit(request).answer("coverage", "json")

    @app.post("/v1/sweep", summary="Find every occurrence", **work("sweep", SweepAnswer))
    async def sweep(request: Request) -> Response:
        """Every occurrence of every variant, as `docaudit sweep --json` lists it for each document; no finding."""
        return await visit(request).answer("sweep", "json")


def _add_state(app: FastAPI, settings: ServeSettings, roots: tuple[str, ...]) -> None:
    versions = {name: version(name) for name in _LIBRARIES}

    @app.get("/health/live", summary="Does the server answer?")
    async def live() -> Live:
        return Live()

    @app.get(
        "/health/ready",
        summary="Does it take work now?",
        responses={503: {"model": Ready, "description": "It takes none now."}},
    )
    async def ready(request: Request, response: Response) -> Ready:
        desk: Desk = request.app.state.desk
        status: Literal["ready", "full", "closing"] = "full" if desk.full else "ready"
        status = "closing" if desk.closing else status
        response.status_code = HTTPStatus.OK if status == "ready" else HTTPStatus.SERVICE_UNAVAILABLE
        return Ready(
            status=status,
            versions=versions,
            running=desk.running,
            waiting=desk.waiting,
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


def _add_page(app: FastAPI) -> None:
    """The page to try it, from files of the package."""
    folder = files("docaudit.integrations.http").joinpath("page")

    def add(address: str, name: str, kind: str) -> None:
        content = folder.joinpath(name).read_bytes()

        @app.api_route(address, methods=["GET", "HEAD"], include_in_schema=False)
        async def file() -> Response:
            return Response(content, media_type=kind, headers={"Content-Security-Policy": PAGE})

    add("/", "index.html", "text/html")
    for name, kind in _PAGE_FILES.items():
        add(f"/page/{name}", name, kind)


def _handle_problems(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    async def refusal(_request: Request, error: RefusedError) -> Response:
        return problem_response(error.problem, error.headers)

    @app.exception_handler(HTTPException)
    async def of_http(_request: Request, error: HTTPException) -> Response:
        phrase = HTTPStatus(error.status_code).phrase
        problem = Problem(
            status=error.status_code, code=phrase.lower().replace(" ", "_"), message=phrase.lower()
        )
        return problem_response(problem, dict(error.headers or {}))

    @app.exception_handler(RequestValidationError)
    async def wrong(_request: Request, error: RequestValidationError) -> Response:
        problems = tuple(f"{one['loc'][-1]}: {one['msg']}" for one in error.errors())
        return problem_response(
            Problem(
                status=HTTPStatus.UNPROCESSABLE_ENTITY,
                code="wrong_request",
                message="the request is not as it must be",
                remedy="/openapi.json says how",
                problems=problems,
            )
        )

    @app.exception_handler(Exception)
    async def fault(_request: Request, _error: Exception) -> Response:
        return problem_response(
            Problem(
                status=HTTPStatus.INTERNAL_SERVER_ERROR,
                code="unexpected",
                message="a fault of docaudit; nothing is known of the document",
                remedy="the log of the server says more",
            )
        )


_HEADER_SECONDS = 15.0
_GRACE_SECONDS = 3
"""How long work may go on when the server is told to end; after that its clients are told that there is no result."""
_LAST_SECONDS = 10
"""How long those answers may take to go out."""


class _Impatient(H11Protocol):
    """Closes connections whose headers do not come, or whose body goes on after the answer: for ever, each a handle."""

    seconds = _HEADER_SECONDS
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        client = self.conn.their_state
        # What is received before the answer has a limit of its own (upload_seconds).
        useless = client is h11.SEND_BODY and self.cycle.response_complete
        if client is not h11.IDLE and not useless:
            self._stop_waiting()
        elif self._patience is None:
            self._patience = self.loop.call_later(self.seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class _Server(uvicorn.Server):
    """Ends with exit code 0 when it is told to; uvicorn would end by the signal, as if it had been killed."""

    def __init__(self, config: uvicorn.Config, desk: Callable[[], Desk], started: Callable[[], None]) -> None:
        super().__init__(config)
        self._desk = desk
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._desk().wind_down(_GRACE_SECONDS)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit  # told twice: at once
        self.should_exit = True


def serve(settings: ServeSettings, listening: Callable[[str], None]) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM).

    Args:
        settings: Settings of the server.
        listening: Called with the address once connections are taken.

    Raises:
        OptionError: The address cannot be listened on; a folder that is named is none.
        OutputError: There is no place for temporary files.
    """
    app = create_app(settings)
    with _listening(settings) as taken:
        config = uvicorn.Config(
            app,
            http=type("Protocol", (_Impatient,), {"seconds": min(_HEADER_SECONDS, settings.upload_seconds)}),
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_SECONDS + _LAST_SECONDS,
        )
        port = taken.getsockname()[1]
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        server = _Server(config, lambda: app.state.desk, lambda: listening(f"http://{host}:{port}/"))
        server.run(sockets=[taken])
    if not server.started:
        raise OutputError(
            "the server could not start: its temporary folder cannot be made",
            remedy="make room, or set TMPDIR",
        )


def _listening(settings: ServeSettings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        return socket.create_server((settings.host, settings.port), family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None) or 0
        # Names that cannot be looked up have numbers of their own, below zero.
        reason = os.strerror(number) if number > 0 else getattr(error, "strerror", None) or error
        raise OptionError(
            f"cannot listen on {settings.host}, port {settings.port}: {reason}",
            remedy="name another with --host or --port; 0 takes a free port",
        ) from error
