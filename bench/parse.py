#!/usr/bin/env python3
"""Pages per second and peak memory of docaudit.parse, against what bare libraries do with the same pages.

    python bench/parse.py [PDF_OR_FOLDER ...] [--pages 150] [--workers 1 2] [--json parse.json] [--only NAME ...]

Without files it generates its own: born-digital prose, tables, and scans. Everything runs in the same session, each
contender in a process of its own; the ratio is to a bare PyMuPDF loop of get_text("dict") with as many processes.
Times leave out the start of Python and the import of the library, and hold all else: also the start of docaudit's child
processes. Memory is the largest sum over the whole tree of processes (proportional set size). Contenders whose library
or program is not installed are left out, and named.

Needs the extra `bench` (pip install -e ".[bench]"); pdftotext comes with poppler-utils.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

BARE = "pymupdf dict"
Span = tuple[str, int, int]
"""A file and its pages from, to (0-based, without the last)."""


def pymupdf_dict(span: Span) -> int:
    import pymupdf

    path, first, last = span
    with pymupdf.open(path) as doc:
        for number in range(first, last):
            doc[number].get_text("dict")
    return last - first


def pypdfium2_text(span: Span) -> int:
    import pypdfium2

    path, first, last = span
    doc = pypdfium2.PdfDocument(path)
    for number in range(first, last):
        doc[number].get_textpage().get_text_range()
    doc.close()
    return last - first


def pdfplumber_text(span: Span) -> int:
    import pdfplumber

    path, first, last = span
    with pdfplumber.open(path, pages=range(first + 1, last + 1)) as doc:
        for page in doc.pages:
            page.extract_text()
    return last - first


def pdftotext(span: Span) -> int:
    path, first, last = span
    command = ["pdftotext", "-layout", "-f", str(first + 1), "-l", str(last), path, os.devnull]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return last - first


BY_PAGES: dict[str, tuple[Callable[[Span], int], str]] = {
    BARE: (pymupdf_dict, "pymupdf"),
    "pypdfium2": (pypdfium2_text, "pypdfium2"),
    "pdfplumber": (pdfplumber_text, "pdfplumber"),
    "pdftotext": (pdftotext, ""),
}
PARSES: dict[str, dict[str, Any]] = {
    "docaudit, all checks": {"ocr": "off"},
    "docaudit, no second reader": {"ocr": "off", "second_reader": False},
    "docaudit, no ink": {"ocr": "off", "ink": False},
    "docaudit, neither": {"ocr": "off", "ink": False, "second_reader": False},
    "docaudit, OCR auto": {"ocr": "auto"},
}


def available(name: str) -> bool:
    if name == "pdftotext":
        return shutil.which("pdftotext") is not None
    return name in PARSES or importlib.util.find_spec(BY_PAGES[name][1]) is not None


def run(name: str, files: list[tuple[str, int]], workers: int) -> dict[str, Any]:
    """Let one contender read all files, in this process; returns its pages and seconds."""
    if name in PARSES:
        import docaudit

        docaudit.parse  # noqa: B018 - imported now: libraries load before the clock starts
        start = time.perf_counter()
        pages = sum(len(docaudit.parse(path, workers=workers, **PARSES[name]).page_df) for path, _ in files)
        return {"pages": pages, "seconds": time.perf_counter() - start}
    function, library = BY_PAGES[name]
    if library:
        __import__(library)
    if workers == 1:
        start = time.perf_counter()
        pages = sum(function((path, 0, count)) for path, count in files)
        return {"pages": pages, "seconds": time.perf_counter() - start}
    with ProcessPoolExecutor(workers) as pool:
        list(pool.map(time.sleep, [0.2] * workers))  # all processes are there before the clock starts
        start = time.perf_counter()
        pages = sum(pool.map(function, shares(files, workers)))
        return {"pages": pages, "seconds": time.perf_counter() - start}


def shares(files: list[tuple[str, int]], workers: int) -> Iterator[Span]:
    """Each file cut into as many runs of pages as there are workers."""
    for path, count in files:
        cuts = [count * number // workers for number in range(workers + 1)]
        for first, last in itertools.pairwise(cuts):
            if last > first:
                yield path, first, last


def measured(name: str, files: list[tuple[str, int]], workers: int) -> dict[str, Any]:
    """Run one contender in a process of its own and watch its memory."""
    job = json.dumps([name, files, workers])
    process = subprocess.Popen([sys.executable, __file__, "--job", job], stdout=subprocess.PIPE, text=True)
    peak, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            peak[0] = max(peak[0], sum(map(memory_kb, family(process.pid))))

    thread = threading.Thread(target=watch)
    thread.start()
    printed, _ = process.communicate()
    over.set()
    thread.join()
    if process.returncode:
        return {"failed": process.returncode}
    return {**json.loads(printed.splitlines()[-1]), "memory_mb": peak[0] >> 10}


def family(pid: int) -> list[int]:
    """A process and all that it started, and they, and so on."""
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        for listed in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            try:
                todo += [int(child) for child in listed.read_text("ascii").split()]
            except OSError:
                continue  # it has just ended
    return found


def memory_kb(pid: int) -> int:
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:"))


def generated(folder: Path, pages: int) -> dict[str, list[Path]]:
    """Documents of this project's own: prose, tables and scans."""
    from tests import pdfs

    def prose(canvas: Any) -> None:
        for number in range(46):
            canvas.setFont("Times-Roman", 10)
            line = pdfs.PROSE[(number + canvas.getPageNumber()) % len(pdfs.PROSE)]
            canvas.drawString(72, 770 - 15 * number, f"{line} {canvas.getPageNumber()}.{number}")

    def table(canvas: Any) -> None:
        canvas.setFont("Helvetica", 8)
        for row in range(45):
            canvas.line(72, 766 - 15 * row, 522, 766 - 15 * row)
            for column in range(6):
                canvas.drawString(
                    75 + 75 * column, 770 - 15 * row, f"{row * 6 + column:,}.{canvas.getPageNumber()}"
                )

    files = {
        "prose": pdfs.reportlab(*[prose] * pages),
        "tables": pdfs.reportlab(*[table] * pages),
        "scans": pdfs.document(*[pdfs.scan(*pdfs.PROSE, str(n)) for n in range(max(2, pages // 25))]),
    }
    for name, data in files.items():
        (folder / f"{name}.pdf").write_bytes(data)
    return {name: [folder / f"{name}.pdf"] for name in files}


def page_count(path: Path) -> int:
    import pymupdf

    with pymupdf.open(path) as doc:
        return int(doc.page_count)


def report(group: str, files: list[Path], workers: int, only: list[str]) -> list[dict[str, Any]]:
    counted = [(str(path), page_count(path)) for path in files]
    print(
        f"\n{group}: {len(files)} file(s), {sum(count for _, count in counted):,} pages, {workers} worker(s)"
    )
    print(f"{'':28} {'pages/s':>9} {'time, bare loop = 1':>20} {'MiB':>7}")
    rows: list[dict[str, Any]] = []
    bare = 0.0
    for name in [*BY_PAGES, *PARSES]:
        if (only and name not in (*only, BARE)) or not available(name):
            continue
        if name.endswith("OCR auto") and group not in ("scans", "files"):
            continue
        row = {"group": group, "workers": workers, "contender": name, **measured(name, counted, workers)}
        rows.append(row)
        if "failed" in row:
            print(f"{name:28} failed ({row['failed']})")
            continue
        bare = row["seconds"] if name == BARE else bare
        row["ratio"] = row["seconds"] / bare
        print(
            f"{name:28} {row['pages'] / row['seconds']:9.1f} {row['ratio']:20.2f} {row['memory_mb']:7}",
            flush=True,
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--pages", type=int, default=150, help="pages of each generated document")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--only", nargs="*", default=[], help="contenders by name")
    parser.add_argument("--json", type=Path, help="also write the rows here")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.job:
        name, files, workers = json.loads(chosen.job)
        print(json.dumps(run(name, [(path, count) for path, count in files], workers)))
        return 0
    missing = [name for name in BY_PAGES if not available(name)]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        listed = [
            found
            for path in chosen.paths
            for found in (sorted(path.glob("*.pdf")) if path.is_dir() else [path])
        ]
        groups = {"files": listed} if listed else generated(Path(folder), chosen.pages)
        rows = [
            row
            for group, files in groups.items()
            for workers in chosen.workers
            for row in report(group, files, workers, chosen.only)
        ]
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return int(any("failed" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
