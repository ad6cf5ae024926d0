"""Work in a thread: its progress is told while it runs, and it ends when its call is cancelled."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread

from docaudit.errors import OptionError, StoppedError
from docaudit.stopping import Stop

_TELL_SECONDS = 0.25
"""How often progress is told: a client need not hear of each page."""

Result = TypeVar("Result")
Tell = Callable[[float, float | None, str | None], Awaitable[None]]


async def in_thread(work: Callable[[Stop], Result], slots: anyio.CapacityLimiter, tell: Tell) -> Result:
    """What the work returns, or its error. It runs in a thread, as soon as a slot is free.

    If the call is cancelled, the work and its child processes are ended, and the slot is free when they are.
    """
    pages = _Pages()
    stop = Stop(pages.done)
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(work(stop))
        except Exception as error:  # noqa: BLE001 - raised again below, outside the group, which would wrap it
            outcome.set_exception(error)

    async with anyio.create_task_group() as group:
        group.start_soon(_watch, pages, stop, tell)
        if not slots.available_tokens:
            await tell(0, None, "waiting for other calls")
        # Not abandoned: a cancelled call waits here, stopped by _watch, until nothing of it runs any more.
        await anyio.to_thread.run_sync(run, limiter=slots)
        group.cancel_scope.cancel()
    await anyio.lowlevel.checkpoint()  # a call that was cancelled ends here, with no result
    await pages.tell(tell)
    return outcome.result()


@contextmanager
def within(seconds: float, stop: Stop) -> Iterator[None]:
    """End work that takes longer; raises OptionError then."""
    ended = threading.Event()

    def end() -> None:
        ended.set()
        stop.stop()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except StoppedError as error:
        if not ended.is_set():
            raise
        raise OptionError(
            f"it was not done after the {seconds:g} s that this server allows; nothing is known",
            remedy="do it on the command line, or start the server with a larger --document-seconds",
        ) from error
    finally:
        timer.cancel()


class _Pages:
    """The pages done last; threads write it, and nobody waits for anybody."""

    def __init__(self) -> None:
        self._now: tuple[int, int] | None = None
        self._told: tuple[int, int] | None = None

    def done(self, done: int, total: int) -> None:
        self._now = (done, total)

    async def tell(self, tell: Tell) -> None:
        """Tell it if it is news."""
        now = self._now
        if now is not None and now != self._told:
            self._told = now
            await tell(now[0], now[1], f"{now[0]:,} of {now[1]:,} pages read")


async def _watch(pages: _Pages, stop: Stop, tell: Tell) -> None:
    try:
        while True:
            await anyio.sleep(_TELL_SECONDS)
            await pages.tell(tell)
    finally:
        stop.stop()
