"""A command in a session of its own, watched from outside: time, processor time and memory of all its processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_SECONDS = 0.25


@dataclass
class Watched:
    """What was seen of a command.

    Attributes:
        code: Its exit code.
        wall: Seconds from start to end.
        cpu: Seconds of processor time of all processes; what a process did in its last quarter of a second may lack.
        peak_mb: Most memory of all processes together (proportional set size), MiB.
        process_mb: Most memory of one process, MiB.
        memory: Memory of all processes together over time: seconds since the start, MiB, most of one process.
    """

    code: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    peak_mb: float = 0.0
    process_mb: float = 0.0
    memory: list[tuple[float, float, float]] = field(default_factory=list)


def docaudit(*arguments: object, until: Callable[[], bool] | None = None) -> Watched:
    """Run the command line; until says when it is to be killed, at the next look."""
    start = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, "-m", "docaudit", *map(str, arguments)], env=environment, start_new_session=True
    )
    seen = Watched()
    while process.poll() is None:
        _look(process.pid, seen, time.monotonic() - start)
        if until is not None and until():
            process.kill()
        time.sleep(_SECONDS if until is None else 0.01)
    seen.code, seen.wall = process.wait(), time.monotonic() - start
    return seen


def _look(session: int, seen: Watched, at: float) -> None:
    cpu, sizes = 0.0, [0.0]
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) != session:
                continue
            # Its own, and that of children that have ended and were waited for.
            cpu += sum(map(int, fields[11:15])) / _TICK
            rollup = (entry / "smaps_rollup").read_text()
        except OSError:
            continue  # ended while it was looked at
        sizes += [int(line.split()[1]) / 1024 for line in rollup.splitlines() if line.startswith("Pss:")]
    seen.cpu = max(seen.cpu, cpu)
    seen.peak_mb, seen.process_mb = max(seen.peak_mb, sum(sizes)), max(seen.process_mb, max(sizes))
    seen.memory.append((at, sum(sizes), max(sizes)))
