"""Who is let in, who waits and who is worked for: a bounded number, each with a folder that is gone when he leaves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from docaudit.integrations.http import places
from docaudit.integrations.http.job import Job, Step
from docaudit.integrations.http.problems import refused
from docaudit.integrations.http.running import Outcome, outcome
from docaudit.integrations.http.settings import ServeSettings

log = logging.getLogger("docaudit.serve")
_AGAIN_SECONDS = 10


class Run:
    """The work on one request. It goes on by itself: whoever does not wait for it any more must cancel it."""

    def __init__(self) -> None:
        self.steps: asyncio.Queue[Step | None] = asyncio.Queue()
        """What was told; None when it is over."""
        self.task: asyncio.Task[Outcome]


class Desk:
    """The only place that knows how much is going on."""

    def __init__(self, settings: ServeSettings) -> None:
        self._settings = settings
        self._places = places.Places()
        self._turns = asyncio.Semaphore(settings.jobs)
        self._runs: set[asyncio.Task[Outcome]] = set()
        self._inside = 0
        self.running = 0
        self.closing = False

    @property
    def waiting(self) -> int:
        """Requests that are inside and not worked on."""
        return self._inside - self.running

    @property
    def full(self) -> bool:
        """Whether the next request is turned away."""
        return self._inside >= self._settings.jobs + self._settings.queue

    def enter(self) -> Path:
        """Let a request in before anything of it is read: its folder. Raises RefusedError if there is no room."""
        if self.full or self.closing:
            raise refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "closing" if self.closing else "busy",
                "the server is about to end"
                if self.closing
                else "as many requests as the server takes are waiting",
                f"come again in {_AGAIN_SECONDS} s",
                headers={"Retry-After": str(_AGAIN_SECONDS), "Connection": "close"},
            )
        place = self._places.new()
        self._inside += 1
        return place

    async def leave(self, place: Path) -> None:
        """Remove the folder of a request and make room for another."""
        try:
            if not await places.removed(place):
                log.error("the folder of a request cannot be removed: %s", place)
        finally:
            self._inside -= 1

    def start(self, job: Job) -> Run:
        """Work on a request when its turn comes. Its folder is left when the run is over."""
        run = Run()
        run.task = asyncio.create_task(self._work(job, run))
        self._runs.add(run.task)
        run.task.add_done_callback(self._over)
        return run

    def _over(self, task: asyncio.Task[Outcome]) -> None:
        self._runs.discard(task)
        if not task.cancelled():
            task.exception()  # taken, also where the client has left

    async def _work(self, job: Job, run: Run) -> Outcome:
        try:
            async with self._turns:
                with self._counted():
                    done = await outcome(job, self._settings.audit_seconds, run.steps.put_nowait)
                if self._settings.keep is not None and job.document is not None:
                    await asyncio.to_thread(self._keep, job.place, self._settings.keep)
                return done
        except asyncio.CancelledError as error:
            if not self.closing:
                raise  # the client has left, nobody is told
            raise refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "closing",
                "the server ended before the work was done; nothing is known of the document",
                "ask again when it is back",
            ) from error
        finally:
            await asyncio.shield(self.leave(job.place))
            run.steps.put_nowait(None)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1

    def _keep(self, place: Path, folder: Path) -> None:
        try:
            places.keep(place, folder)
        except OSError as error:
            log.error("a request cannot be kept in %s: %s", folder, error)
            raise refused(
                HTTPStatus.INTERNAL_SERVER_ERROR,
                "not_kept",
                "the server is to keep documents, and this one could not be kept",
                "the log of the server says more",
            ) from error

    def wind_down(self, seconds: float) -> None:
        """Let nobody in any more, and end after so many seconds what is still worked on then."""
        self.closing = True
        asyncio.get_running_loop().call_later(seconds, self._end_all)

    def _end_all(self) -> None:
        for task in tuple(self._runs):
            task.cancel()

    async def close(self) -> None:
        """End all work, and remove all that is left."""
        self.closing = True
        self._end_all()
        await asyncio.gather(*self._runs, return_exceptions=True)
        self._places.close()
