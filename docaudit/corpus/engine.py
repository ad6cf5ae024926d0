"""Hands documents to an executor and takes back what became of them: any concurrent.futures.Executor will do.

An executor may lose a process on the way. The document that it was on gets a second chance when all others are done,
alone; one that ends its process twice gets a row that says so. What is no fault of a document ends the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from itertools import islice
from pathlib import Path

from docaudit.corpus.failures import FailureCode
from docaudit.corpus.store import Store
from docaudit.corpus.work import Outcome, Task, WorkerDiedError, fail, work
from docaudit.errors import ClusterError, DocauditError

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
