"""Work in a process of the local pool that fails on documents whose name says how."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from docaudit.corpus.work import Task, TaskResult, work
from docaudit.errors import OutputError


def sabotaged(task: Task) -> TaskResult:
    name = Path(task.paths[0]).stem
    flag = Path(task.store).parent / f"seen-{task.sha256[:8]}"
    if name.startswith("deadly") or (name.startswith("once") and not flag.exists()):
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("exits"):
        os._exit(7)
    if name.startswith("full"):
        raise OutputError("no room", file="store", remedy="make room")
    return work(task)
