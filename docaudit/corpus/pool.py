"""An executor of processes on this machine, each on one document at a time.

Unlike the pool of the standard library it knows which document a process died on, goes on with a new process, ends one
that gives no sign of life, needs nothing of the caller's main module, and leaves nothing behind when it is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any

from docaudit.corpus.work import Outcome, Sign, Task, WorkerDiedError
from docaudit.errors import ClusterError

_SLACK_SECONDS = 600.0
"""On top of the limits that the steps keep themselves: only what hangs takes longer."""
_PRINTED = 2000
WORKER = "docaudit.corpus.worker"
"""The module that runs in each process."""


class LocalPool(ThreadPoolExecutor):
    """Processes that do the work; a thread for each waits for it."""

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs, thread_name_prefix="docaudit-corpus")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._closed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a task done; only `work` can be submitted."""
        (task,) = args
        return super().submit(self._do, task)

    def _do(self, task: Task) -> Outcome:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = self._started()
        try:
            return worker.do(task)
        except WorkerDiedError:
            self._own.worker = None
            with self._lock:
                self._workers.discard(worker)
            worker.close()
            raise

    def _started(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise ClusterError("the pool is closed")
            worker = _Worker()
            self._workers.add(worker)
            return worker

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End all processes, whatever they are doing."""
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.end()
        super().shutdown(wait, cancel_futures=cancel_futures)
        for worker in self._workers:
            worker.close()


class _Worker:
    """One process, and the line to it."""

    def __init__(self) -> None:
        self._line, theirs = Pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", WORKER, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=[theirs.fileno()],
                env=_environment(),
            )
        except OSError as error:
            self._line.close()
            raise ClusterError(
                f"a process for the work cannot be started: {error.strerror or error}",
                remedy="free memory or file handles, or lower --jobs",
            ) from error
        finally:
            theirs.close()

    def do(self, task: Task) -> Outcome:
        """The outcome of a task; raises WorkerDiedError, and what `work` raises."""
        try:
            self._line.send(task)
            seconds = _SLACK_SECONDS
            while True:
                if not self._line.poll(seconds):
                    self.end()
                    raise WorkerDiedError(f"no sign of life for {seconds:,.0f} s")
                reply = self._line.recv()
                if not isinstance(reply, Sign):
                    break
                seconds = reply.seconds + _SLACK_SECONDS
        except (EOFError, OSError) as error:
            raise WorkerDiedError(self._last_words()) from error
        if isinstance(reply, BaseException):
            raise reply
        assert isinstance(reply, Outcome)
        return reply

    def end(self) -> None:
        """End the process; whoever waits for it learns that it is gone."""
        self._process.kill()

    def close(self) -> None:
        """Free what belongs to it, when it has ended."""
        self._process.wait()
        self._line.close()
        self._errors.close()

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _PRINTED))
        printed = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        ended = f"signal {-code}" if code < 0 else f"exit code {code}"
        why = f": {printed[-1]}" if printed else ", as when memory runs out" if code == -9 else ""
        return f"the process that worked on it ended ({ended}{why})"


def _environment() -> dict[str, str]:
    """A worker imports the same docaudit, and takes one core: its libraries start no threads that fight for them."""
    here = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (here, os.environ.get("PYTHONPATH", "")) if part)
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {**os.environ, **threads, "PYTHONPATH": path}
