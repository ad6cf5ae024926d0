"""The net: all that is said, its hashes, and what changed since they were written; `--write` writes them anew."""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path

from tests.replay import commands, said
from tests.replay.documents import cases

HASHES = Path(__file__).with_name("hashes.json")
Job = tuple[str, tuple[str, ...]]
_WORK: Mapping[str, Callable[..., Iterator[tuple[str, str]]]] = {
    "case": said.case,
    "sample": said.sample,
    "surface": said.surface,
    "helps": commands.helps,
    "outputs": commands.outputs,
}


def jobs() -> list[Job]:
    """What is to be done, the longest first; the other samples with OCR are held byte by byte by test_samples.py."""
    return [
        ("sample", ("commodity-report.pdf", "off")),
        ("outputs", ()),
        ("sample", ("scanned-annex-report.pdf", "off")),
        ("sample", ("jp-policy.pdf", "off")),
        ("sample", ("jp-policy.pdf", "auto")),
        ("helps", ()),
        ("surface", ()),
        *(("case", (name,)) for name in cases()),
    ]


def done(job: Job) -> dict[str, str]:
    """What is said in one job, by key."""
    kind, arguments = job
    return dict(_WORK[kind](*arguments))


def replay() -> dict[str, str]:
    """All that is said, by key; two processes work on it."""
    os.environ["COLUMNS"] = "100"
    spawning = multiprocessing.get_context("spawn")  # a fresh start: nothing of the caller is inherited
    with ProcessPoolExecutor(2, mp_context=spawning) as pool:
        everything = chain.from_iterable(part.items() for part in pool.map(done, jobs()))
        return dict(sorted(everything))


def hashed(texts: Mapping[str, str]) -> dict[str, str]:
    """The SHA-256 of each text."""
    return {
        key: hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for key, text in texts.items()
    }


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Every key that is new, gone or has another hash."""
    told = {
        "removed": before.keys() - now.keys(),
        "added": now.keys() - before.keys(),
        "changed": {key for key in before.keys() & now.keys() if before[key] != now[key]},
    }
    return [f"{word}: {key}" for word, keys in told.items() for key in sorted(keys)]


def keep(texts: Mapping[str, str], folder: Path) -> None:
    """Every text as a file, so that two states of the code can be compared by `diff -r`."""
    for key, text in texts.items():
        file = folder / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", "surrogatepass")


def main(given: Iterable[str] | None = None) -> int:
    """Compare or write; the exit code is 1 if anything changed."""
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the hashes anew")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="also write what was hashed, one file a key"
    )
    chosen = parser.parse_args(None if given is None else list(given))
    texts = replay()
    if chosen.keep:
        keep(texts, chosen.keep)
    now = hashed(texts)
    if chosen.write:
        HASHES.write_text(json.dumps(now, indent=0) + "\n", "utf-8")
        print(f"{len(now)} hashes written")
        return 0
    told = differences(json.loads(HASHES.read_text("utf-8")), now)
    print("\n".join(told or [f"{len(now)} hashes, all as they were"]))
    if told:
        print(f"{len(told)} differences; with {said.versions()}", file=sys.stderr)
    return 1 if told else 0
