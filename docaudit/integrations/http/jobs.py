"""Who is let in, who waits and who is worked for: a bounded number, each with a folder that is gone when he leaves.

One process for each audit: started, listened to, ended when its time is up or nobody waits for it any more.

The process that does the work of one request, and ends with it: python -m docaudit.integrations.http.jobs.

The job comes as JSON on standard input. Standard output has a line for each step; results, or the problem, are files.
The process dies with the server, and what reads the document dies with the process: nothing is left to look for.

A justification in a few words, taken from the same places as the report takes them.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

import docaudit
from docaudit.audit import audit, find_hits, open_parsed, parse
from docaudit.codes import ObligationState
from docaudit.concepts.model import ConceptTable
from docaudit.coverage import CorpusReadability, measure_readability
from docaudit.document import ParsedDocument
from docaudit.errors import DocauditError
from docaudit.integrations.http import base as places
from docaudit.integrations.http.base import (
    PROBLEM,
    REPORT,
    RESULT,
    SUMMARY,
    ConceptSummary,
    Job,
    Problem,
    RefusedError,
    ServeSettings,
    Step,
    Summary,
    SweepAnswer,
    UnmetSummary,
    problem_of,
    refused,
)
from docaudit.integrations.served import Roots
from docaudit.justification import AbsenceJustification
from docaudit.options import AuditOptions
from docaudit.render import coverage as coverage_files
from docaudit.render import view
from docaudit.render import view as headlines
from docaudit.render.language import Translator, one_line
from docaudit.report import html_report
from docaudit.saved import dump

_WORK = "docaudit.integrations.http.jobs"


@dataclass(frozen=True)
class Outcome:
    """What came of a job: the bytes of the result, and of an audit with report also that and its summary."""

    result: bytes
    report: bytes | None
    summary: Summary | None


async def outcome(job: Job, seconds: float, told: Callable[[Step], None]) -> Outcome:
    """Do a job in a process of its own.

    Cancelling this ends the process and all processes that it started, at once; so does the time limit.

    Args:
        job: What is to be done.
        seconds: Time limit.
        told: Called with each step.

    Raises:
        RefusedError: The document or the table is refused, time is up, or the process died.
    """
    process = await _started(job)
    try:
        async with asyncio.timeout(seconds):
            await _listen(process, job, told)
    except TimeoutError as error:
        raise refused(
            HTTPStatus.GATEWAY_TIMEOUT,
            f"{job.task}_timed_out",
            f"the work was not done after {seconds:g} s and was ended; nothing is known of the document",
            "ask about fewer pages or with ocr off, or start the server with a larger --audit-seconds",
        ) from error
    finally:
        await asyncio.shield(_end(process))
    return _collected(process.returncode, job.place / "out")


async def _started(job: Job) -> Process:
    here = str(Path(docaudit.__file__).resolve().parents[1])
    path = os.pathsep.join(part for part in (here, os.environ.get("PYTHONPATH", "")) if part)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # a file of the current folder is no library
        "-m",
        _WORK,
        stdin=PIPE,
        stdout=PIPE,
        # Whatever is kept for a while lies in the folder of the request, and goes with it.
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(job.place / "tmp")},
        start_new_session=True,  # so that it can be ended with all that it started
    )


async def _listen(process: Process, job: Job, told: Callable[[Step], None]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):  # it died already: its exit code says so
        process.stdin.write(job.model_dump_json().encode())
        await process.stdin.drain()
        process.stdin.close()
    async for line in process.stdout:
        told(Step.model_validate_json(line))
    await process.wait()


async def _end(process: Process) -> None:
    """End the process with all that it started, if it has not ended by itself: then it left nothing behind."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _collected(code: int | None, folder: Path) -> Outcome:
    if (folder / PROBLEM).exists():
        raise RefusedError(Problem.model_validate_json((folder / PROBLEM).read_bytes()))
    if code or not (folder / RESULT).exists():
        raise refused(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "worker_failed",
            "the process that did the work ended without a result; nothing is known of the document",
            "the log of the server says more",
        )
    report = (folder / REPORT).read_bytes() if (folder / REPORT).exists() else None
    summary = (folder / SUMMARY).read_bytes() if (folder / SUMMARY).exists() else None
    return Outcome(
        (folder / RESULT).read_bytes(), report, Summary.model_validate_json(summary) if summary else None
    )


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


def summary_of(justification: AbsenceJustification) -> Summary:
    """What the small page shows of a justification."""
    t = Translator(justification.options.language)
    rows = view.concept_rows(justification)
    hits = sum(row.hits for row in rows)
    return Summary(
        finding=justification.finding.value,
        headline=headlines.headline(justification, t),
        verdict=headlines.verdict(justification, t),
        explanation=one_line(justification.absence_explanation),
        strength=f"{justification.strength.value}: {headlines.strength(justification, t)}",
        hits=hits,
        hits_in_words=t.ngettext("{n} hit", "{n} hits", hits),
        concepts=tuple(
            ConceptSummary(
                name=one_line(row.name),
                required=row.required,
                hits=row.hits,
                on=t.pages(row.pages) if row.pages else "",
            )
            for row in rows
        ),
        unmet=tuple(
            UnmetSummary(
                obligation=check.obligation.value,
                title=t(check.obligation.label),
                evidence=one_line(check.evidence),
                where=t.pages(check.pages) if check.pages else "",
                remedy=one_line(check.remedy),
            )
            for check in justification.obligations
            if check.state is ObligationState.UNMET
        ),
        obligations=headlines.obligation_counts(justification, t),
    )


_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


class Worker:
    """The work on one job; each step is written to `steps` as a line of JSON."""

    def __init__(self, job: Job, steps: IO[str]) -> None:
        self._job = job
        self._steps = steps
        self._options = AuditOptions.from_keywords(None, job.options)

    def run(self) -> dict[str, str]:
        """Do it: the files of the folder `out` by name. Raises DocauditError, RefusedError."""
        with self._document() as document:
            if self._job.task == "audit":
                return self._audit(document)
            parsed = self._parsed(document)
            if self._job.task == "coverage":
                return {RESULT: coverage_files.dump(CorpusReadability.of([measure_readability(parsed)], []))}
            hit_df, ledger_df = find_hits(parsed, self._table(), self._options)
            answer = SweepAnswer.of(document.name, parsed, hit_df, ledger_df)
            return {RESULT: answer.as_json()}

    def _audit(self, document: Path) -> dict[str, str]:
        table = self._table()
        saved = self._saved(document)
        finding = audit(
            document if saved is None else saved,
            table,
            question=self._job.question,
            retrieved=self._job.retrieved,
            options=self._options,
            progress=self._step,
        )
        files = {RESULT: dump(finding)}
        if self._job.report:
            pdf = document if document.is_file() else None
            files[REPORT] = html_report(finding, pdf, password=self._options.password)
            files[SUMMARY] = summary_of(finding).model_dump_json()
        return files

    @contextmanager
    def _document(self) -> Iterator[Path]:
        if self._job.document is not None:
            yield self._job.document
            return
        assert self._job.path is not None
        with Roots(self._job.roots, max_mb=self._job.max_mb).opened(self._job.path) as path:
            yield path

    def _table(self) -> ConceptTable:
        if self._job.concepts is not None:
            return ConceptTable.from_variants(self._job.concepts)
        assert self._job.table is not None
        return ConceptTable.load(self._job.table)

    def _saved(self, document: Path) -> ParsedDocument | None:
        parsed = open_parsed(document)
        if parsed is not None:
            self._options.read_with(parsed.options)
            self._need_pages(parsed.identity.pages_total)
        return parsed

    def _parsed(self, document: Path) -> ParsedDocument:
        saved = self._saved(document)
        if saved is not None:
            return saved
        return parse(document, options=self._options, progress=self._step)

    def _step(self, done: int, pages: int) -> None:
        self._need_pages(pages)
        print(Step(done=done, pages=pages).model_dump_json(), file=self._steps, flush=True)

    def _need_pages(self, pages: int) -> None:
        if pages > self._job.max_pages:
            raise refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "too_many_pages",
                f"the document has {pages:,} pages, more than the {self._job.max_pages:,} that are taken here",
                "split it, or start the server with a larger --max-pages",
            )


def main() -> None:
    """Do the job on standard input."""
    job = Job.model_validate_json(sys.stdin.buffer.read())
    _end_with(job.server)
    # Whatever a library prints goes to the log of the server, and is not taken for a step.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as steps:
        os.dup2(2, 1)
        for name, text in _done(job, steps).items():
            (job.place / "out" / name).write_text(text, "utf-8", "backslashreplace")


def _done(job: Job, steps: IO[str]) -> dict[str, str]:
    try:
        return Worker(job, steps).run()
    except RefusedError as error:
        problem = error.problem
    except DocauditError as error:
        problem = problem_of(error, _hidden(job))
    return {PROBLEM: _text(problem)}


def _hidden(job: Job) -> list[Path]:
    parts = [job.place / part for part in ("document", "table", "tmp", "out")]
    beside = [job.table.parent] if job.table is not None else []
    return [*parts, *beside, job.place, job.place.parent, *job.roots]


def _text(problem: Problem) -> str:
    data: dict[str, Any] = problem.model_dump(mode="json")
    return json.dumps(data, ensure_ascii=True)  # half a character of a file name survives as an escape


def _end_with(server: int) -> None:
    """Have the system end this process when the server ends, however that ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != server:
        sys.exit("the server has ended before")


if __name__ == "__main__":
    main()
