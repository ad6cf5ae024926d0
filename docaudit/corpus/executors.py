"""Where the work of a run is done: processes of this machine, a Dask cluster, or any concurrent.futures.Executor.

A document whose process dies, and every document that was in flight beside it, is tried once more when all others are
done, alone: then it is known which one it was, and that one gets a row that says so. What is no fault of a document
ends the run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from docaudit.corpus.store import FailureCode, open_store
from docaudit.corpus.work import Task, TaskResult, fail, work
from docaudit.errors import ClusterError, DocauditError, StoreError

_CONNECT_SECONDS = 10
"""For a scheduler or its first worker to answer; chosen, not measured."""
_TASKS_PER_THREAD = 3
"""Tasks in flight for each thread of a cluster, so that none waits for the network; chosen, not measured."""


def carry_out(
    tasks: Sequence[Task], executor: Executor, *, at_once: int, progress: Callable[[int, int], None]
) -> Iterator[TaskResult]:
    """Results of the tasks as they are ready.

    Args:
        tasks: What is to be done, in the order in which it is begun.
        executor: Where.
        at_once: How many tasks are handed over at a time.
        progress: Called with tasks done and tasks in all.

    Raises:
        ClusterError: The executor is gone.
        DocauditError: What `work` raises.
    """
    done = 0
    suspects: list[Task] = []
    progress(done, len(tasks))
    for task, result in _in_flight(tasks, executor, at_once):
        if result is None:
            suspects.append(task)
            continue
        done += 1
        progress(done, len(tasks))
        yield result
    for suspect in suspects:
        # It may only have been beside the document whose process died: alone it can die twice.
        tries = (result for _ in range(2) for _, result in _in_flight([suspect], executor, 1))
        result = next((result for result in tries if result is not None), None)
        done += 1
        yield result or fail(
            suspect,
            FailureCode.WORKER_DIED,
            "the process that worked on it ended, as when memory runs out",
            "lower --jobs, or look at the file: it may be made to break programs",
        )
        progress(done, len(tasks))


def _in_flight(
    tasks: Iterable[Task], executor: Executor, at_once: int
) -> Iterator[tuple[Task, TaskResult | None]]:
    """Each task with its result; with None where a process died while it was in flight."""
    waiting = iter(tasks)
    running: dict[Future[TaskResult], Task] = {}
    try:
        while True:
            for task in islice(waiting, at_once - len(running)):
                try:
                    running[executor.submit(work, task)] = task
                except (RuntimeError, OSError) as error:
                    raise _executor_gone(error) from error
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), _result(future)
    finally:
        for future in running:
            future.cancel()


def _result(future: Future[TaskResult]) -> TaskResult | None:
    try:
        result = future.result()
    except DocauditError:
        raise
    except (Exception, CancelledError) as error:
        # By name: Dask is not loaded for it.
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
            return None
        raise _executor_gone(error) from error
    if not isinstance(result, TaskResult):
        raise ClusterError(
            f"the executor gives {type(result).__name__}, and not what the work on a document gives",
            remedy="give an executor that calls what is submitted to it",
        )
    return result


def _executor_gone(error: BaseException) -> ClusterError:
    detail = " ".join(str(error).split())[:200]
    return ClusterError(
        f"the executor is gone ({type(error).__name__}{f': {detail}' if detail else ''})",
        remedy="what is done is kept: start it anew, and run again to go on",
    )


class LocalPool(Executor):
    """A ProcessPoolExecutor that is made anew when a process of it has died.

    Its processes end when this one does, however it ends: each watches a pipe of which only this process has the other
    end. The pool of the standard library would leave them behind after SIGKILL, and wait for them after Ctrl-C.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        reader, self._pipe = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            self._jobs, mp_context=context, initializer=_begin, initargs=(reader,)
        )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a call done in a process of the pool; raises ClusterError if no process can be started."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self.shutdown()
            self._start()
        try:
            self._pool.submit(os.getpid).result()
        except BrokenExecutor as error:
            raise ClusterError(
                "no process for the work can be started",
                remedy="free memory or lower --jobs; a script must call it below if __name__ == '__main__'",
            ) from error
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End all processes, whatever they are doing."""
        self._pipe.close()
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _begin(pipe: Connection) -> None:
    """Make a process of the pool end with the one that started it, which alone decides what Ctrl-C ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_parent() -> None:
        pipe.poll(None)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


@contextmanager
def dask_executor(address: str, store: Path, example: str | None) -> Iterator[tuple[Executor, int]]:
    """Executor of the Dask cluster at an address, and how many tasks it takes at a time.

    Args:
        address: Of the scheduler.
        store: The store, which every worker must reach under the same path.
        example: A document that every worker must be able to read, or None.

    Raises:
        ClusterError: There is no cluster, or a worker cannot work: no docaudit, or not the same files.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            "a Dask cluster needs the extra dask", remedy="pip install '.[dask]' in the folder of docaudit"
        ) from error
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        detail = " ".join(str(error).split())[:200]
        raise ClusterError(
            f"no Dask scheduler answers at {address}: {detail}",
            remedy="write the address that the scheduler prints, such as tcp://host:8786",
        ) from error
    try:
        try:
            client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
            obstacles = client.run(obstacle, str(store), example, on_error="return")
        except (OSError, TimeoutError) as error:
            raise ClusterError(
                f"no worker of the Dask cluster at {address} answers", remedy="start workers, and run again"
            ) from error
        for worker, problem in sorted(obstacles.items()):
            if problem:
                raise ClusterError(
                    f"the worker {worker} cannot work here: {problem}",
                    remedy="install the same docaudit there; documents and store must lie under the same paths "
                    "everywhere, as on a shared disk",
                )
        yield client.get_executor(pure=False), max(1, _TASKS_PER_THREAD * sum(client.nthreads().values()))
    finally:
        client.close(timeout=_CONNECT_SECONDS)


def obstacle(store: str, example: str | None) -> str:
    """What keeps this process from working on a store, as a clause; empty if nothing."""
    try:
        open_store(Path(store))
    except StoreError as error:
        return str(error)
    if not os.access(store, os.W_OK):
        return f"it cannot write into the store {store}"
    if example is not None and not os.access(example, os.R_OK):
        return f"it cannot read {example}"
    return ""
