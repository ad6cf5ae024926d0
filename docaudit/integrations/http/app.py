"""The application: which address does what, and in which form the answer goes out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from importlib.resources import files
from typing import Annotated, Literal

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

import docaudit
from docaudit.integrations.http import openapi
from docaudit.integrations.http.answers import Live, Offer, Ready, SweepAnswer
from docaudit.integrations.http.asked import OPTIONS
from docaudit.integrations.http.desk import Desk
from docaudit.integrations.http.guard import PAGE, Guard, problem_response
from docaudit.integrations.http.problems import Problem, RefusedError
from docaudit.integrations.http.settings import ServeSettings
from docaudit.integrations.http.tables import table_names
from docaudit.integrations.http.visit import Form, Visit, accepted
from docaudit.justification import AbsenceJustification
from docaudit.readability import CorpusReadability
from docaudit.roots import Roots

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
    openapi.complete(app)
    return app


def _add_work(app: FastAPI, settings: ServeSettings) -> None:
    def visit(request: Request) -> Visit:
        return Visit(request, request.app.state.desk, settings)

    @app.post("/v1/audit", summary="Audit a document", **openapi.work("audit", AbsenceJustification))
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
        **openapi.work("coverage", CorpusReadability),
    )
    async def coverage(request: Request) -> Response:
        """What a program can and cannot read of the document, as `docaudit coverage --json` prints it."""
        return await visit(request).answer("coverage", "json")

    @app.post("/v1/sweep", summary="Find every occurrence", **openapi.work("sweep", SweepAnswer))
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
