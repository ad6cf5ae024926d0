"""Justifications replayed, and changed: are they the same again, and is any change of a single field noticed?

    python bench/replay.py FOLDER [--documents NAME ...] [--changes 10000] [--most-pages 60]

FOLDER holds PDFs. Each is parsed twice, with one worker and with two. Justifications from the first parse (each table
of samples/concepts, each of four scopes) are saved, loaded, and verified against the second. Then random single fields
of them are changed: as someone would who edits the file, and as someone would who also makes the digest anew.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import docaudit
from docaudit.errors import DocauditError
from docaudit.extract.tasks import read_second_text
from docaudit.justification import AbsenceJustification
from docaudit.saved import as_data, digest_of, dump, load, with_digest
from docaudit.verify import NOT_REPLAYED, cross_check, differences

Leaf = tuple[Any, ...]
RERUN = ("options", "question", "concept_table")
"""Fields that a replay takes from the file: whether a change of them shows can only be told by replaying."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", nargs="+", help="parts of file names")
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--most-pages", type=int, default=60)
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    kept: list[tuple[str, AbsenceJustification, docaudit.ParsedDocument]] = []
    for path in sorted(args.folder.glob("*.pdf")):
        if args.documents and not any(part in path.name for part in args.documents):
            continue
        try:
            first, second = (docaudit.parse(path, ocr="off", workers=workers) for workers in (1, 2))
        except DocauditError as error:
            print(f"{path.name}: {error}")
            continue
        if len(first.page_df) <= args.most_pages:
            kept += _replay(path, first, second, counts)
        print(f"{path.name}: {dict(counts)}", flush=True)
    _change(kept, args.changes)


def _replay(
    path: Path, first: docaudit.ParsedDocument, second: docaudit.ParsedDocument, counts: Counter[str]
) -> list[tuple[str, AbsenceJustification, docaudit.ParsedDocument]]:
    made = []
    texts = read_second_text(path, first.options, first.page_df["page_num"].tolist())
    tables = Path(__file__).parent.parent / "samples" / "concepts"
    for file in sorted(tables.glob("*.csv")):
        table = docaudit.ConceptTable.load(file)
        for scope in ("page", "paragraph", "section", "window"):
            justification = docaudit.audit(first, table, question=f"What of {file.stem}?", scope=scope)
            text = dump(justification)
            loaded = load(text)
            result = docaudit.verify(loaded, second)
            counts["replayed"] += 1
            counts["verified"] += result.verified
            counts["same bytes"] += dump(load(text)) == text
            for check in result.checks:
                for one in check.differences[:3]:
                    print(f"  {path.name} {file.stem} {scope} {check.step}: {one}")
            made.append((text, loaded, second))
        seen = cross_check(justification, texts)
        counts["passages"] += seen.passages
        counts["unconfirmed"] += len(seen.unconfirmed)
        counts["seen without hit"] += len(seen.missed)
        for one in (*seen.unconfirmed[:5], *seen.missed[:5]):
            print(f"  {path.name} {file.stem} second engine: {one}")
    return made


def _change(kept: list[tuple[str, AbsenceJustification, docaudit.ParsedDocument]], changes: int) -> None:
    """Change one field at a time; print how many changes are noticed, and what was changed where none was."""
    chance, begin = random.Random(11), time.perf_counter()
    noticed: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for _ in range(changes):
        text, original, parsed = chance.choice(kept)
        data = json.loads(text)
        place = chance.choice(list(_leaves(data)))
        _set(data, place, chance)
        try:
            changed = load(json.dumps(data))
        except DocauditError:
            noticed["refused when loaded"] += 1
            continue
        if digest_of(changed) == changed.digest:
            passed[".".join(map(str, place))] += 1
            continue
        noticed["digest differs"] += 1
        noticed[f"forged: {_forged(with_digest(changed), original, parsed, place)}"] += 1
    print(
        f"{changes:,} changes in {time.perf_counter() - begin:.0f} s: {dict(noticed)}; not noticed: {dict(passed)}"
    )


def _forged(
    changed: AbsenceJustification,
    original: AbsenceJustification,
    parsed: docaudit.ParsedDocument,
    place: Leaf,
) -> str:
    """Whether a replay notices a change whose author made the digest anew."""
    if place[0] in RERUN:
        try:
            return "noticed" if not docaudit.verify(changed, parsed).verified else f"passes ({place[0]})"
        except DocauditError:
            return "noticed"
    if changed.concept_table is not None and changed.document is not None:
        other = changed.document.sha256 != parsed.identity.sha256
        if other or differences(as_data(changed), as_data(original), NOT_REPLAYED):
            only_versions = place[:2] == ("document", "versions")
            return "named as another version" if only_versions else "noticed"
    return f"passes ({'.'.join(str(part) for part in place[:2])})"


def _leaves(value: Any, path: Leaf = ()) -> Any:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*path, index))
    else:
        yield path


def _set(data: Any, place: Leaf, chance: random.Random) -> None:
    for part in place[:-1]:
        data = data[part]
    old = data[place[-1]]
    if isinstance(old, bool):
        new: Any = not old
    elif isinstance(old, (int, float)):
        new = old + chance.choice((1, -1, 10))
    elif isinstance(old, str):
        new = chance.choice(
            (old + "x", old[:-1] if old else "x", old.swapcase() if old.swapcase() != old else old + ".")
        )
    else:
        new = chance.choice((1, "x")) if old is None else ["x"]
    data[place[-1]] = new


if __name__ == "__main__":
    main()
