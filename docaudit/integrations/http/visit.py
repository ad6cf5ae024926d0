"""One request on its way through: let in, received, worked on while the client waits, answered."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Literal

from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from starlette.requests import ClientDisconnect

from docaudit.integrations.http.asked import Task
from docaudit.integrations.http.desk import Desk, Run
from docaudit.integrations.http.guard import REPORT
from docaudit.integrations.http.job import Job
from docaudit.integrations.http.problems import RefusedError, refused
from docaudit.integrations.http.received import Received, received
from docaudit.integrations.http.running import Outcome
from docaudit.integrations.http.settings import ServeSettings
from docaudit.integrations.http.tables import named_table

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
