"""A real `docaudit serve` in a process of its own, on a free port of this machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

HERE = Path(__file__).parent.parent
TABLE = '{"power": ["electricity"], "AI": ["AI", "machine learning"]}'
PLAIN = {"ocr": "off"}


@dataclass
class Server:
    """The process, its address, the folder that is its TMPDIR, and what it printed so far."""

    process: subprocess.Popen[str]
    address: str
    temporary: Path
    log: Path

    def client(self, **settings: object) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=120, trust_env=False, **settings)  # type: ignore[arg-type]

    def places(self) -> list[Path]:
        """Folders of requests that are there now."""
        return list(self.temporary.glob("docaudit-serve-*"))

    def workers(self) -> list[int]:
        """Processes that work for a request now, with all that they started: known by their TMPDIR."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit() or int(folder.name) == self.process.pid:
                continue
            try:
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if f"TMPDIR={self.temporary}/docaudit-serve-".encode() in environment:
                found.append(int(folder.name))
        return found


@contextmanager
def serving(temporary: Path, *flags: str) -> Iterator[Server]:
    """A server with these flags; ended at the end of the block, if it has not ended before."""
    temporary.mkdir(exist_ok=True)
    log = temporary.with_name(f"{temporary.name}.log")
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(HERE)}
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "docaudit", "serve", "--port", "0", *flags],
            stderr=stderr,
            env=environment,
            text=True,
        )
    try:
        until(lambda: "serving on" in log.read_text() or process.poll() is not None, 60)
        address = re.search(r"serving on (\S+)/ ", log.read_text())
        assert address, log.read_text()
        yield Server(process, address[1], temporary, log)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)


def until(true: Callable[[], object], seconds: float = 30) -> None:
    """Wait until it is true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
