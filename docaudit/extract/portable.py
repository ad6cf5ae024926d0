"""Child processes on any system: a new Python for each, whose memory and time a thread of the parent watches.

It takes a second to start where a fork takes hundredths, and stops a child some milliseconds after it went beyond its
memory rather than at that very byte. Results are the same; tests compare both ways.
"""

from __future__ import annotations

import faulthandler
import math
import os
import subprocess
import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext, suppress

import psutil

from docaudit.extract.protocol import ChildMemoryError, PipeTimeoutError

_WATCH_SECONDS = 0.02
"""Time between two looks at a child. Measured on two loaded cores: a look takes 11 microseconds; a process that does
nothing but fill memory took 24 MiB between two of them.
"""
_PROGRAM_MB = 400
"""Resident memory that is the program's. Measured on Linux: 119 MiB when prepared, 427 MiB after the networks of
rapidocr read one page, their working memory included.
"""


class WatchedProcess:
    """A child, and the thread that watches it; a docaudit.extract.processes.Process."""

    def __init__(self, process: subprocess.Popen[bytes], memory_mb: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.target = process.stdin.fileno()
        self._process = process
        self._source = process.stdout.fileno()
        self._lock = threading.Lock()
        self._deadline = math.inf
        self._beyond: type[Exception] | None = None
        self._closed = threading.Event()
        limit = (_PROGRAM_MB + memory_mb) << 20
        threading.Thread(target=self._watch, args=(limit,), name="docaudit-watch", daemon=True).start()

    def _watch(self, limit: int) -> None:
        """End the child when it takes more bytes than the limit, or is read from for too long."""
        with suppress(psutil.NoSuchProcess):  # it has ended by itself
            child = psutil.Process(self._process.pid)
            while not self._closed.wait(_WATCH_SECONDS):
                too_large = child.memory_info().rss > limit
                with self._lock:
                    if too_large:
                        self._beyond = ChildMemoryError
                    elif time.monotonic() > self._deadline:
                        self._beyond = PipeTimeoutError
                if self._beyond is not None:
                    self._process.kill()
                    return

    def read(self, count: int, seconds: float) -> bytes:
        """Bytes that the child wrote."""
        with self._lock:
            self._deadline = time.monotonic() + seconds
        data = os.read(self._source, count)  # returns when the child is ended
        with self._lock:
            self._deadline = math.inf
            if self._beyond is not None:
                raise self._beyond
        return data

    def wait(self, seconds: float) -> int | None:
        """Its exit code, if it has ended."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def kill(self) -> None:
        """End it."""
        self._process.kill()

    def close(self) -> None:
        """End it and close the pipes."""
        self._closed.set()
        self._process.kill()
        with self._process:  # closes the pipes and waits
            pass


def start(
    module: str, worker: str, environment: dict[str, str], errors: int, memory_mb: int
) -> WatchedProcess:
    """A new Python process."""
    code = f"import {worker}; {worker}.prepare(); import {module}; {module}.main()"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", code],  # -P: a file of the current folder is no library
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        bufsize=0,
        env=environment,
    )
    return WatchedProcess(process, memory_mb)


def limit_memory(megabytes: int) -> None:
    """Nothing to be done in the child: its parent watches it."""


def program_memory() -> AbstractContextManager[None]:
    """A block whose memory belongs to the program: allowed for by the parent."""
    return nullcontext()


def limit_time(seconds: float) -> None:
    """End this process after so many seconds, whatever it is doing; 0 takes the limit away."""
    if seconds:
        faulthandler.dump_traceback_later(min(seconds, 1e6), exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()
