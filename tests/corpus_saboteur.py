"""A worker of the local pool that fails on documents whose name says how."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from docaudit.corpus import executors as worker
from docaudit.corpus.work import Outcome, Task, work


def sabotaged(task: Task, tell: Any) -> Outcome:
    name = Path(task.paths[0]).stem
    if name.startswith("deadly") or (name.startswith("once") and _first(task)):
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("exits"):
        print("the last words of it", file=sys.stderr, flush=True)
        os._exit(7)
    if name.startswith("hangs"):
        time.sleep(1000)
    if name.startswith("full"):
        from docaudit.errors import OutputError

        raise OutputError("no room", file="store", remedy="make room")
    return work(task, tell)


def _first(task: Task) -> bool:
    flag = Path(task.store).parent / f"seen-{task.sha256[:8]}"
    try:
        flag.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


if __name__ == "__main__":
    worker.work = sabotaged
    worker.main()
