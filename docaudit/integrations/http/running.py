"""One process for each audit: started, listened to, ended when its time is up or nobody waits for it any more."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import docaudit
from docaudit.integrations.http.job import PROBLEM, REPORT, RESULT, SUMMARY, Job, Step, Summary
from docaudit.integrations.http.problems import Problem, RefusedError, refused

_WORK = "docaudit.integrations.http.work"


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
