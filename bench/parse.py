"""Pages per second and memory of docaudit.parse against a bare loop of its engine and other readers, in one run.

    python bench/parse.py [FOLDER] [--each 200] [--rounds 3] [--json FILE]

Every way reads the same pages in a process of its own, several rounds in turn; the best round counts. Ratios are to
the bare loop `get_text("dict")` of the same run: machines are shared and noisy. Without FOLDER the project's samples
are read.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pymupdf

HERE = Path(__file__).resolve().parent
DOCAUDIT = """
import docaudit
for path in files:
    pages += len(docaudit.parse(path, {options}).page_df)
"""
WAYS = {
    "bare get_text('dict')": """
import pymupdf
for path in files:
    with pymupdf.open(path) as doc:
        for page in doc:
            page.get_text("dict")
            pages += 1
""",
    "pypdfium2": """
import pypdfium2
for path in files:
    doc = pypdfium2.PdfDocument(path)
    for page in doc:
        page.get_textpage().get_text_range()
        pages += 1
""",
    "pdfplumber": """
import pdfplumber
for path in files:
    with pdfplumber.open(path) as doc:
        for page in doc.pages:
            page.extract_text()
            pages += 1
            page.close()
""",
    "pdftotext": """
import subprocess, pymupdf
for path in files:
    subprocess.run(["pdftotext", "-layout", path, "/dev/null"], check=True, stderr=subprocess.DEVNULL)
    pages += len(pymupdf.open(path))
""",
    "docaudit, no ink, no second reader": DOCAUDIT.format(
        options="ocr='off', ink=False, second_reader=False, workers=1"
    ),
    "docaudit, no ink": DOCAUDIT.format(options="ocr='off', ink=False, workers=1"),
    "docaudit, no second reader": DOCAUDIT.format(options="ocr='off', second_reader=False, workers=1"),
    "docaudit, every check": DOCAUDIT.format(options="ocr='off', workers=1"),
    "docaudit, every check, 2 workers": DOCAUDIT.format(options="ocr='off', workers=2"),
    "docaudit, every check, OCR": DOCAUDIT.format(options="ocr='auto', workers=1"),
}
FRAME = """
import sys, time, json
files = sys.argv[1:]
pages = 0
start = time.perf_counter()
{body}
seconds = time.perf_counter() - start
print(json.dumps([pages, seconds]))
"""


def shortened(folder: Path, each: int, target: Path) -> list[str]:
    """The documents, cut to their first pages; those that the engine refuses are left out, and named."""
    files = []
    for file in sorted(folder.glob("*.pdf")):
        try:
            with pymupdf.open(file) as doc:
                if len(doc) > each:
                    doc.select(range(each))
                doc.save(target / file.name, garbage=2)
            files.append(str(target / file.name))
        except (RuntimeError, ValueError) as error:
            print(f"left out {file.name}: {error}", file=sys.stderr)
    return files


def measure(body: str, files: list[str]) -> dict[str, float] | None:
    """One round: pages, seconds, seconds of processor time (with the start of Python) and peak memory (MiB, of the
    largest process).
    """
    command = [sys.executable, "-c", FRAME.format(body=body), *files]
    with tempfile.TemporaryFile("w+") as errors:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert running.stdout is not None
        with running.stdout as answer:
            pages, seconds = json.loads(answer.read() or "[0, 0]")
        _, status, used = os.wait4(running.pid, 0)  # its children and theirs are counted: it waits for them
        running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            errors.seek(0)
            print(errors.read().strip().splitlines()[-1:], file=sys.stderr)
            return None
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    return {"pages": pages, "seconds": seconds, "cpu": cpu, "memory": memory}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=HERE.parent / "samples")
    parser.add_argument("--each", type=int, default=200, help="pages of each document, at most")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ocr", action="store_true", help="with OCR as well")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    ways = {name: body for name, body in WAYS.items() if given.ocr or not name.endswith("OCR")}
    if shutil.which("pdftotext") is None:
        print("pdftotext is not installed", file=sys.stderr)
        del ways["pdftotext"]
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = shortened(given.folder, given.each, Path(folder))
        for _ in range(given.rounds):
            for name, body in ways.items():
                result = measure(body, files)
                if result is not None and result["cpu"] < best.get(name, {"cpu": float("inf")})["cpu"]:
                    best[name] = result
    bare = best["bare get_text('dict')"]
    print(f"{bare['pages']:.0f} pages of {len(files)} documents, {time.strftime('%Y-%m-%d')}")
    print(f"{'':36}{'pages/s':>9}{'time':>8}{'cpu':>8}{'MiB':>7}   (ratios to the bare loop)")
    for name, row in best.items():
        ratios = row["seconds"] / bare["seconds"], row["cpu"] / bare["cpu"]
        print(
            f"{name:36}{row['pages'] / row['seconds']:9.0f}{ratios[0]:7.2f}x{ratios[1]:7.2f}x{row['memory']:7.0f}"
        )
    if given.json:
        given.json.write_text(json.dumps(best, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
