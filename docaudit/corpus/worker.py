"""What a process of the local pool runs: tasks come in over a line, signs of life and outcomes go out."""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import partial
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import NoReturn

from docaudit.corpus.work import Task, work
from docaudit.errors import DocauditError


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


if __name__ == "__main__":
    main()
