"""Precision and recall of acronyms and their long forms, against pairs that a person read out of documents.

    python bench/acronyms.py FOLDER [--cache DIR]

bench/acronyms.csv holds document, page, acronym and long form (the words that the letters stand for) of each pair that
the documents define in brackets. A pair is right if acronym and long form are the same but for case, blanks, hyphens
and a plural; every other pair that the code gives for these documents is wrong.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

from parsed import documents_in

from docaudit.suggest.acronyms import acronyms_in
from docaudit.suggest.passages import passages
from docaudit.suggest.roots import roots
from docaudit.wordforms import squeeze

Key = tuple[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"))
    args = parser.parse_args()
    labelled: dict[str, dict[Key, str]] = defaultdict(dict)
    for row in csv.DictReader((Path(__file__).parent / "acronyms.csv").read_text("utf-8").splitlines()):
        shown = f"{row['document']} page {row['page']}: {row['acronym']} = {row['expansion']}"
        labelled[row["document"]][_key(row["acronym"], row["expansion"])] = shown
    right, missed, wrong = 0, list[str](), list[str]()
    for name, parsed in documents_in(args.folder, args.cache, list(labelled)):
        given: dict[Key, str] = {}
        for passage in passages([(name, parsed.line_df)]):
            for pair in acronyms_in(passage.text):
                shown = f"{name} page {passage.page}: {pair.short} = {pair.long}"
                given.setdefault(_key(pair.short, pair.long), shown)
        wanted = labelled[name]
        right += len(wanted.keys() & given.keys())
        missed += [shown for key, shown in wanted.items() if key not in given]
        wrong += [shown for key, shown in given.items() if key not in wanted]
    print("missed:", *missed, "wrong:", *wrong, sep="\n  ")
    labels = right + len(missed)
    print(f"{labels} pairs; recall {right / labels:.3f}, precision {right / max(right + len(wrong), 1):.3f}")


def _key(short: str, long: str) -> Key:
    return squeeze(short.rstrip("s")), "".join(roots(long))


if __name__ == "__main__":
    main()
