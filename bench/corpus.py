"""What a run over a corpus costs: documents per minute, memory, size of the store, and a new table over stored parses.

    python bench/corpus.py FOLDER                  one run with the ten shipped tables, then one with an eleventh
    python bench/corpus.py --copies 5000           tiny PDFs that differ in a few bytes: is memory flat?
    python bench/corpus.py FOLDER --cluster        the same work on this machine and on a Dask cluster of two workers

The processor time says what the work costs where other programs share the cores; documents per minute are given for the
wall clock and, from the processor time, for two cores with nothing else to do.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pymupdf
from watched import Watched, docaudit

ROOT = Path(__file__).parents[1]
TABLES = sorted((ROOT / "samples" / "concepts").glob("*.csv"))
SECOND = ROOT / "samples" / "ai-power.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--copies", type=int)
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--ocr", default="off")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="docaudit-bench-") as work:
        if given.copies:
            copies(Path(work), given.copies, given.jobs)
        elif given.cluster:
            cluster(Path(work), given.folder, given.ocr)
        else:
            whole(Path(work), given.folder, given.ocr, given.jobs)


def whole(work: Path, folder: Path, ocr: str, jobs: int) -> None:
    documents = len(list(folder.glob("*.pdf")))
    store = work / "store"
    first = docaudit("corpus", "run", folder, *concepts(TABLES), "--out", store, "--ocr", ocr, "--jobs", jobs)
    second = docaudit("corpus", "run", *concepts([SECOND]), "--out", store, "--jobs", jobs)
    nothing = docaudit("corpus", "run", folder, *concepts([SECOND]), "--out", store, "--jobs", jobs)
    told(f"{documents} documents, {len(TABLES)} tables, --ocr {ocr}", first, documents)
    told("a new table over the stored parses", second, documents)
    told("nothing to do", nothing, documents)
    by_wall, by_cpu = first.wall / second.wall, first.cpu / second.cpu
    print(
        f"new table: {by_wall:.0f} times the documents per minute by the clock, {by_cpu:.0f} by processor time"
    )
    sizes = {one.name: size(one) for one in sorted(store.iterdir()) if one.is_dir()}
    source = sum(one.stat().st_size for one in folder.glob("*.pdf")) / 1e6
    print(f"store: {sum(sizes.values()):.0f} MB of {source:.0f} MB of PDFs; " + parts(sizes))


def copies(work: Path, count: int, jobs: int) -> None:
    docs, store = work / "docs", work / "store"
    docs.mkdir()
    page = pymupdf.open()
    page.new_page().insert_text(
        (72, 90), "The authority uses machine learning to plan the dredging of the harbour."
    )
    original = page.tobytes()
    for number in range(count):
        (docs / f"{number:05}.pdf").write_bytes(original + f"\n% copy {number}\n".encode())
    seen = docaudit(
        "corpus", "run", docs, *concepts(TABLES[:1]), "--out", store, "--ocr", "off", "--jobs", jobs
    )
    told(f"{count} copies", seen, count)
    for share in (0.05, 0.25, 0.5, 0.75, 0.95, 1):
        at = [one for one in seen.memory if one[0] <= share * seen.wall][-20:]
        print(
            f"  at {share:.0%}: {max(one[1] for one in at):.0f} MiB, most of one process {max(o[2] for o in at):.0f}"
        )
    print("store: " + parts({one.name: size(one) for one in sorted(store.iterdir()) if one.is_dir()}))


def cluster(work: Path, folder: Path, ocr: str) -> None:
    from distributed import LocalCluster

    documents = len(list(folder.glob("*.pdf")))
    arguments = ("corpus", "run", folder, *concepts(TABLES), "--ocr", ocr, "--out")
    here = docaudit(*arguments, work / "here", "--jobs", 2)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started:
        there = docaudit(*arguments, work / "there", "--scheduler", started.scheduler_address)
    told("here", here, documents)
    print(f"on a cluster: {there.wall:.1f} s, {there.wall / here.wall - 1:+.0%} by the clock")
    same = content(work / "here" / "tables") == content(work / "there" / "tables")
    print("tables are the same" if same else "TABLES DIFFER")


def concepts(tables: list[Path]) -> list[object]:
    return [part for table in tables for part in ("--concepts", table)]


def told(what: str, seen: Watched, documents: int) -> None:
    assert seen.code == 0, f"exit code {seen.code}"
    by_wall, by_cpu = 60 * documents / seen.wall, 120 * documents / max(seen.cpu, 0.01)
    print(
        f"{what}: {seen.wall:.1f} s, {seen.cpu:.1f} s of processors; {by_wall:.1f} documents/min by the clock, "
        f"{by_cpu:.1f} on two free cores; at most {seen.peak_mb:.0f} MiB, {seen.process_mb:.0f} in one process",
        flush=True,
    )


def size(folder: Path) -> float:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6


def parts(sizes: dict[str, float]) -> str:
    return ", ".join(f"{name} {mb:.1f} MB" for name, mb in sizes.items())


def content(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


if __name__ == "__main__":
    main()
