"""What holds for every request before it is looked at: under which name, and from whose page, it may come.

Without this, any web page that a user has open could reach a server on his own machine: by a name of its own that
leads there (DNS rebinding), or by sending a form across.
"""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlsplit

from fastapi.responses import Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docaudit.integrations.http.problems import Problem
from docaudit.integrations.http.settings import ServeSettings, is_address, is_loopback

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
