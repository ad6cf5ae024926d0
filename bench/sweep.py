"""Seconds for sweeps of 10 to 10,000 variants: docaudit against plain `regex`, a per-line pandas sweep and grep -f.

    python bench/sweep.py FOLDER [--documents N] [--variants 10 100 1000 10000] [--cache DIR] [--slow-limit 60]

The variants are phrases of one to three words from the documents themselves, half of them changed so that they stand
nowhere; each table begins with the smaller ones. What takes longer than the limit
with a smaller table is not tried with a larger one. Seconds are processor time of this process (and of grep). The
text of a document is prepared once, as for a second audit; what the first sweep takes on top stands in its own row.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time

import pandas as pd
import regex
from parsed import parsed_documents

from docaudit.concepts.model import ConceptTable
from docaudit.search import sweep_lines

Tables = Sequence[pd.DataFrame]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--variants", type=int, nargs="+", default=[10, 100, 1000, 10_000])
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"))
    parser.add_argument("--slow-limit", type=float, default=60.0)
    args = parser.parse_args()
    documents = list(parsed_documents(args.folder, args.cache, args.documents))
    tables = [parsed.line_df for _, parsed in documents]
    pages = sum(len(parsed.page_df) for _, parsed in documents)
    chars = sum(int(table["text"].str.len().sum()) for table in tables)
    print(f"{len(documents)} documents, {pages:,} pages, {chars:,} characters")
    phrases = _phrases(tables, max(args.variants))
    begin = process_time()
    _docaudit(tables, phrases[:10])
    print(f"{'docaudit, text not prepared':28} {process_time() - begin:9.2f}")
    found = sum(_hits(table, phrases[: max(args.variants)]) for table in tables)
    print(f"hits of all {max(args.variants):,} variants: {found:,}")
    print(f"{'variants':28} " + " ".join(f"{count:>9,}" for count in args.variants))
    for name, run in _COMPETITORS.items():
        seconds: list[str] = []
        spent = 0.0
        for count in args.variants:
            if spent > args.slow_limit:
                seconds.append("-")
                continue
            spent = run(tables, phrases[:count])
            seconds.append(f"{spent:.2f}")
        print(f"{name:28} " + " ".join(f"{text:>9}" for text in seconds))


def _hits(table: pd.DataFrame, phrases: Sequence[str]) -> int:
    return len(sweep_lines(table, ConceptTable.from_variants({"c": phrases}), pages_total=1)[0])


def _phrases(tables: Tables, count: int) -> list[str]:
    chance = random.Random(7)
    lines = [text for table in tables for text in table["text"].sample(min(len(table), 2000), random_state=1)]
    found: dict[str, None] = {}
    while len(found) < count:
        words = [word for word in chance.choice(lines).split() if word.isalpha()]
        size = chance.choice((1, 2, 2, 3))
        if len(words) >= size:
            start = chance.randrange(len(words) - size + 1)
            phrase = " ".join(words[start : start + size])
            if len(phrase) > 4:
                found.setdefault(phrase if chance.random() < 0.5 else phrase[:-1] + "xq")
    return list(found)


def _timed(work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    return process_time() - begin


def _docaudit(tables: Tables, phrases: Sequence[str]) -> float:
    concepts = ConceptTable.from_variants({"c": phrases})
    return _timed(lambda: [sweep_lines(table, concepts, pages_total=1) for table in tables])


def _plain_regex(tables: Tables, phrases: Sequence[str]) -> float:
    """One alternation over each document's lines joined by blanks: no line ends, hyphens or forms."""
    pattern = regex.compile(r"\b(?:" + "|".join(map(regex.escape, phrases)) + r")\b", regex.IGNORECASE)
    return _timed(
        lambda: [list(pattern.finditer(" ".join(table["text"]), overlapped=True)) for table in tables]
    )


def _per_line(tables: Tables, phrases: Sequence[str]) -> float:
    """What the method's article does: each variant, each line."""

    def work() -> None:
        for table in tables:
            for phrase in phrases:
                table["text"].str.contains(r"\b" + re.escape(phrase) + r"\b", case=False, regex=True)

    return _timed(work)


def _grep(tables: Tables, phrases: Sequence[str]) -> float:
    """Grep -f over the same lines as a text file: whole words, line by line."""
    with tempfile.TemporaryDirectory() as folder:
        text, wanted = Path(folder, "lines.txt"), Path(folder, "phrases.txt")
        text.write_text("\n".join("\n".join(table["text"]) for table in tables), encoding="utf-8")
        wanted.write_text("\n".join(phrases), encoding="utf-8")
        begin = perf_counter()
        subprocess.run(
            ["grep", "-c", "-i", "-w", "-F", "-f", wanted, text], stdout=subprocess.DEVNULL, check=False
        )
        return perf_counter() - begin


_COMPETITORS: dict[str, Callable[[Tables, Sequence[str]], float]] = {
    "docaudit": _docaudit,
    "regex, one alternation": _plain_regex,
    "pandas, line by line": _per_line,
    **({"grep -f (wall clock)": _grep} if shutil.which("grep") else {}),
}

if __name__ == "__main__":
    main()
