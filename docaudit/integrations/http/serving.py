"""The server itself: a socket, uvicorn, and patience that ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from docaudit.errors import OptionError
from docaudit.integrations.http.app import create_app
from docaudit.integrations.http.settings import ServeSettings

_HEADER_SECONDS = 15.0
_GRACE_SECONDS = 5
"""How long answers may take to go out when the server ends; what is still worked on then is ended."""


class _Impatient(H11Protocol):
    """Closes connections whose headers do not come: they would hold a handle each, for ever."""

    seconds = _HEADER_SECONDS
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_headers(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._patience is None:
            self._patience = self.loop.call_later(self.seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


def serve(settings: ServeSettings, listening: Callable[[str], None]) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM).

    Args:
        settings: Settings of the server.
        listening: Called with the address once connections are taken.

    Raises:
        OptionError: The address cannot be listened on; a folder that is named is none.
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
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        port = taken.getsockname()[1]
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        listening(f"http://{host}:{port}/")
        uvicorn.Server(config).run(sockets=[taken])


def _listening(settings: ServeSettings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        return socket.create_server((settings.host, settings.port), family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OptionError(
            f"cannot listen on {settings.host}, port {settings.port}: {reason}",
            remedy="name another with --host or --port; 0 takes a free port",
        ) from error
