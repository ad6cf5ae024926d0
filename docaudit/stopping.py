"""A way to end work that another thread does, and the processes that it started, before it is done.

A Stop is handed to the work as its `progress`. It is called with pages done and pages in all, as any progress is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from docaudit.errors import StoppedError

Progress = Callable[[int, int], None]


class Stop:
    """Ends the work that has it as its progress.

    Args:
        tell: Called with pages done and pages in all, by the threads that read.
    """

    def __init__(self, tell: Progress | None = None) -> None:
        self._tell = tell
        self._state = _State()

    def __call__(self, done: int, total: int) -> None:
        """Hand on what was done; raises StoppedError once the work is to end."""
        self.check()
        if self._tell is not None:
            self._tell(done, total)

    def check(self) -> None:
        """Raise StoppedError once the work is to end."""
        if self._state.stopped:
            raise StoppedError("the work was stopped before it was done", remedy="start it again")

    def stop(self) -> None:
        """End the work; any thread may call this, also before it begins or after it ended."""
        with self._state.lock:
            self._state.stopped = True
            running = list(self._state.running)
        for abort in running:
            abort()

    def quiet(self) -> Stop:
        """The same for a part of the work whose pages are not pages of the document."""
        other = Stop()
        other._state = self._state
        return other


class _State:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.stopped = False
        self.running: list[Callable[[], None]] = []


def quiet(progress: Any) -> Stop | None:
    """What ends a part of the work that has this progress, or None if nothing can."""
    return progress.quiet() if isinstance(progress, Stop) else None


@contextmanager
def stoppable(progress: Any, abort: Callable[[], None]) -> Iterator[None]:
    """Have `abort` called, by another thread, when the work is to end during the block.

    Raises StoppedError at the beginning and at the end of the block once it is to end; what an aborted block came to is
    no result.
    """
    if not isinstance(progress, Stop):
        yield
        return
    state = progress._state
    with state.lock:
        progress.check()
        state.running.append(abort)
    try:
        yield
    finally:
        with state.lock:
            state.running.remove(abort)
    progress.check()
