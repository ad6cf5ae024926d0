"""Small corpora and stores for tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from docaudit.concepts.model import ConceptTable
from docaudit.corpus import CorpusRun, run
from tests import pdfs

ROOT = Path(__file__).parents[1]
TABLES = {
    "machines": ConceptTable.from_variants({"cranes": ["crane"], "AI": ["AI", "machine learning"]}),
    "water": ConceptTable.from_variants({"dredging": ["dredging"], "ferry": ["ferry"]}),
}


def folder_of(root: Path, **files: bytes) -> Path:
    """A folder of files; a name of keyword form stands for one that ends in .pdf."""
    root.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (root / f"{name}.pdf").write_bytes(data)
    return root


def small(number: int) -> bytes:
    """One page that says which it is."""
    return pdfs.document(pdfs.text(f"Document number {number}.", *pdfs.PROSE[number % 5 :]))


def run_here(source: Path | list[Path], store: Path, **more: Any) -> CorpusRun:
    """A run in this process."""
    options = {"ocr": "off", "page_seconds": 300.0, **more}
    tables = options.pop("tables", TABLES)
    with ThreadPoolExecutor(1) as executor:
        return run(
            [source] if isinstance(source, Path) else source, tables, store, executor=executor, **options
        )


def table(store: Path, name: str) -> pd.DataFrame:
    """A table of a store."""
    path = store / "tables" / name
    return pd.read_parquet(path if path.is_dir() else path.with_suffix(".parquet"))


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()
    }


def differences(store: Path, other: Path) -> list[str]:
    """Files of the tables of two stores that are not the same, byte by byte, with the rows that differ."""
    mine, theirs = content(store / "tables"), content(other / "tables")
    told = [f"only in one: {name}" for name in sorted(mine.keys() ^ theirs.keys())]
    for name in sorted(mine.keys() & theirs.keys()):
        if mine[name] != theirs[name]:
            frames = (pd.read_parquet(root / "tables" / name).astype(str) for root in (store, other))
            rows = [{tuple(row) for row in frame.itertuples(index=False)} for frame in frames]
            told += [f"{name}: {row}" for row in sorted(rows[0] ^ rows[1])] or [f"{name}: same rows"]
    return told


def start(*arguments: object, **popen: Any) -> subprocess.Popen[str]:
    """The command line in a process group of its own."""
    command = [sys.executable, "-m", "docaudit", "corpus", "run", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command,
        env=environment,
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **popen,
    )


def in_session(session: int) -> list[int]:
    """Processes of a session that still live."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def wait_for_end(session: int, seconds: float = 15) -> list[int]:
    """Processes of a session that have not ended after so long."""
    over = time.monotonic() + seconds
    while (left := in_session(session)) and time.monotonic() < over:
        time.sleep(0.05)
    return left


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL to the one process that was started, as the system sends it."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
