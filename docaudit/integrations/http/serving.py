"""The server itself: a socket, uvicorn, and patience that ends."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from docaudit.errors import OptionError, OutputError
from docaudit.integrations.http.app import create_app
from docaudit.integrations.http.desk import Desk
from docaudit.integrations.http.settings import ServeSettings

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
