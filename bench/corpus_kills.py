"""Kills a run over a corpus at random moments, goes on with it, and compares the tables with those of a whole run.

    python bench/corpus_kills.py [FOLDER] --kills 20

Each kill is a SIGKILL to the process that was started, at a moment drawn over the time that a whole run takes. Without
a folder, the documents are copies of a sample that differ in a few bytes, and some that cannot be read.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from corpus import ROOT, TABLES, concepts, content
from watched import docaudit

# On a machine that is busy, time limits by the clock would tell one run from the other.
OPTIONS = ("--ocr", "off", "--page-seconds", 600)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="docaudit-bench-") as work:
        folder = given.folder or made(Path(work) / "docs")
        arguments = ("corpus", "run", folder, *concepts(TABLES[:3]), *OPTIONS, "--out")
        whole = docaudit(*arguments, Path(work) / "whole")
        assert whole.code == 0
        expected = content(Path(work) / "whole" / "tables")
        print(f"whole run: {whole.wall:.1f} s", flush=True)
        killed = same = 0
        for number in range(given.kills):
            store = Path(work) / f"store-{number}"
            moment = draw.uniform(0, whole.wall)
            over = time.monotonic() + moment
            seen = docaudit(*arguments, store, until=lambda over=over: time.monotonic() > over)
            killed += seen.code == -9
            read, left = len(list(store.glob("documents/[!.]*"))), len(list(store.rglob(".*")))
            resumed = docaudit(*arguments, store)
            equal = (
                resumed.code == 0 and content(store / "tables") == expected and not list(store.rglob(".*"))
            )
            same += equal
            print(
                f"kill {number + 1}: after {moment:.1f} s, {read} documents read, {left} parts half written; "
                f"resumed in {resumed.wall:.1f} s: {'the same tables' if equal else 'TABLES DIFFER'}",
                flush=True,
            )
        print(
            f"{killed} of {given.kills} runs were killed; {same} of {given.kills} ended with the same tables"
        )


def made(folder: Path) -> Path:
    """Copies of a sample, and files that cannot be read."""
    folder.mkdir()
    data = (ROOT / "samples" / "jp-policy.pdf").read_bytes()
    for number in range(12):
        (folder / f"copy-{number}.pdf").write_bytes(data + f"\n% copy {number}\n".encode())
    (folder / "cut.pdf").write_bytes(data[:500])
    (folder / "empty.pdf").write_bytes(b"")
    return folder


if __name__ == "__main__":
    main()
