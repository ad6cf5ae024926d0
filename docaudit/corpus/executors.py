"""Hands documents to an executor and takes back what became of them: any concurrent.futures.Executor will do.

An executor may lose a process on the way. The document that it was on gets a second chance when all others are done,
alone; one that ends its process twice gets a row that says so. What is no fault of a document ends the run.

An executor of processes on this machine, each on one document at a time.

Unlike the pool of the standard library it knows which document a process died on, goes on with a new process, ends one
that gives no sign of life, needs nothing of the caller's main module, and leaves nothing behind when it is killed.

What a process of the local pool runs: tasks come in over a line, signs of life and outcomes go out.

A Dask cluster as the executor of a run: the only module that knows the library (extra dask).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NoReturn

from docaudit.corpus.store import FailureCode, Store, open_store
from docaudit.corpus.work import Outcome, Sign, Task, WorkerDiedError, fail, work
from docaudit.errors import ClusterError, DocauditError, StoreError

_CHECK_SECONDS = 5.0
_LOST = frozenset({"KilledWorker"})
"""Errors by which an executor says that a task ended its process, by name: their libraries are not loaded for it."""


def carry_out(
    tasks: Sequence[Task],
    executor: Executor,
    *,
    at_once: int,
    progress: Callable[[int, int], None] | None = None,
    check: Callable[[], None] | None = None,
) -> Iterator[Outcome]:
    """Do the tasks; outcomes come as they are ready.

    Args:
        tasks: What is to be done, in the order in which it is begun.
        executor: Where.
        at_once: How many tasks are handed over at a time.
        progress: Called with tasks done and tasks in all.
        check: Called every few seconds while nothing comes back; raises if nothing will.

    Raises:
        ClusterError: The executor is gone.
        DocauditError: What `work` raises.
    """
    died: list[tuple[Task, str]] = []
    done = 0
    _tell(progress, done, len(tasks))
    for task, outcome in _rounds(tasks, executor, at_once, check):
        if isinstance(outcome, str):
            died.append((task, outcome))
            continue
        done += 1
        _tell(progress, done, len(tasks))
        yield outcome
    for task, _ in died:
        for _, outcome in _rounds([task], executor, 1, check):
            done += 1
            if isinstance(outcome, str):
                remedy = "lower --jobs, or look at the file: it may be made to break programs"
                code = FailureCode.TIMED_OUT if outcome.startswith("no sign") else FailureCode.WORKER_DIED
                yield fail(Store(Path(task.store)), task, code, outcome, remedy)
            else:
                yield outcome
            _tell(progress, done, len(tasks))


def _tell(progress: Callable[[int, int], None] | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _rounds(
    tasks: Iterable[Task], executor: Executor, at_once: int, check: Callable[[], None] | None
) -> Iterator[tuple[Task, Outcome | str]]:
    """Each task with its outcome, or with how the process ended that was on it."""
    waiting = iter(tasks)
    running: dict[Future[Outcome], Task] = {}
    try:
        while True:
            for task in islice(waiting, at_once - len(running)):
                running[_submitted(executor, task)] = task
            if not running:
                return
            ready, _ = wait(running, _CHECK_SECONDS, FIRST_COMPLETED)
            if not ready and check is not None:
                check()
            for future in ready:
                yield running.pop(future), _outcome(future)
    finally:
        for future in running:
            future.cancel()


def _submitted(executor: Executor, task: Task) -> Future[Outcome]:
    try:
        return executor.submit(work, task)
    except DocauditError:
        raise
    except Exception as error:
        raise _gone(error) from error


def _outcome(future: Future[Outcome]) -> Outcome | str:
    try:
        outcome = future.result()
    except WorkerDiedError as error:
        return str(error)
    except DocauditError:
        raise
    except (Exception, CancelledError) as error:
        if type(error).__name__ in _LOST:
            return "the process that worked on it ended several times"
        raise _gone(error) from error
    if not isinstance(outcome, Outcome):
        raise ClusterError(
            f"the executor gives {type(outcome).__name__}, and not what the work on a document gives",
            remedy="give an executor that calls what is submitted to it",
        )
    return outcome


def _gone(error: BaseException) -> ClusterError:
    said = " ".join(str(error).split())
    return ClusterError(
        f"the executor is gone ({type(error).__name__}{f': {said[:200]}' if said else ''})",
        remedy="what is done is kept: start it anew, and run again to go on",
    )


_SLACK_SECONDS = 600.0
"""On top of the limits that the steps keep themselves: only what hangs takes longer."""
_PRINTED = 2000
WORKER = "docaudit.corpus.executors"
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


def main() -> None:
    """Work until the other end of the line is closed; then end at once, whatever is being done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides what ends
    line = Connection(int(sys.argv[1]))
    tasks: SimpleQueue[Task] = SimpleQueue()
    threading.Thread(target=_listen, args=(line, tasks), daemon=True).start()
    while True:
        task = tasks.get()
        try:
            _say(line, work(task, partial(_say, line)))
        except DocauditError as error:
            _say(line, error)


def _say(line: Connection, said: object) -> None:
    """Send something; a line that is dead is no fault of the document, and nothing more is written for nobody."""
    try:
        line.send(said)
    except OSError:
        os._exit(1)


def _listen(line: Connection, tasks: SimpleQueue[Task]) -> NoReturn:
    while True:
        try:
            tasks.put(line.recv())
        except (EOFError, OSError):
            os._exit(1)  # nobody waits for the result any more


_CONNECT_SECONDS = 10
_ALONE_SECONDS = 60.0
"""So long without a worker, a cluster counts as gone: a worker that died is started anew in a few seconds."""
_PER_THREAD = 3


@dataclass(frozen=True)
class Cluster:
    """A cluster that can be used.

    Attributes:
        executor: Takes tasks.
        at_once: How many tasks are handed over at a time.
        check: Raises ClusterError if no worker has been there for long.
    """

    executor: Executor
    at_once: int
    check: Callable[[], None]


@contextmanager
def connected(address: str, store: Path, example: str | None) -> Iterator[Cluster]:
    """The cluster at an address; raises ClusterError if it cannot be used.

    Args:
        address: Of the scheduler.
        store: The store, which every worker must reach under the same path.
        example: A document that every worker must be able to read, or None.
    """
    client = _client(address)
    try:
        _check_workers(client, address, store, example)
        threads = sum(client.nthreads().values())
        yield Cluster(client.get_executor(pure=False), max(1, _PER_THREAD * threads), _watch(client, address))
    finally:
        client.close(timeout=_CONNECT_SECONDS)


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            "a Dask cluster needs the extra dask", remedy="pip install '.[dask]' in the folder of docaudit"
        ) from error
    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        said = " ".join(str(error).split())
        raise ClusterError(
            f"no Dask scheduler answers at {address}: {said[:200]}",
            remedy="write the address that the scheduler prints, such as tcp://host:8786",
        ) from error


def _check_workers(client: Any, address: str, store: Path, example: str | None) -> None:
    """Have every worker look at store and documents before the work begins."""
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        seen: dict[str, Any] = client.run(look, str(store), example, on_error="return")
    except (OSError, TimeoutError) as error:
        raise ClusterError(
            f"no worker of the Dask cluster at {address} answers", remedy="start workers, and run again"
        ) from error
    for worker, said in sorted(seen.items()):
        if isinstance(said, ImportError):
            raise ClusterError(
                f"the worker {worker} has no docaudit: {said}", remedy="install the same version there"
            )
        if isinstance(said, BaseException):
            raise ClusterError(f"the worker {worker} does not answer: {said}", remedy="look at its log")
        if said:
            raise ClusterError(
                f"the worker {worker} {said}",
                remedy="documents and store must lie under the same paths everywhere, as on a shared disk",
            )


def look(store: str, example: str | None) -> str:
    """Run on a worker: what is in the way of working there, as the end of a sentence; empty if nothing."""
    try:
        open_store(Path(store))
    except StoreError as error:
        return f"cannot use the store: {error}"
    if not os.access(store, os.W_OK):
        return f"cannot write into the store {store}"
    if example is not None and not os.access(example, os.R_OK):
        return f"cannot read {example}"
    return ""


def _watch(client: Any, address: str) -> Callable[[], None]:
    last = time.monotonic()

    def check() -> None:
        nonlocal last
        try:
            there = bool(client.nthreads())
        except (OSError, ValueError, RuntimeError, TimeoutError):
            there = False
        if there:
            last = time.monotonic()
        elif time.monotonic() - last > _ALONE_SECONDS:
            raise ClusterError(
                f"the Dask cluster at {address} has had no worker for {_ALONE_SECONDS:.0f} s",
                remedy="what is done is kept: start workers, and run again to go on",
            )

    return check


if __name__ == "__main__":
    main()
