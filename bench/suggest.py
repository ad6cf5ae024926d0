"""How many of the variants that an expert forgot `docaudit suggest` finds, and how long it takes.

    python bench/suggest.py FOLDER [--documents NAME ...] [--draws 50] [--top 20] [--cache DIR] [--speed]

Half of the variants of each table in samples/concepts are removed at random (seeded), and candidates are asked for
with the other half. Counted are the removed variants with a place in the document that the kept half does not find;
one is recalled if it is among the first `top` candidates of its concept, or among the terms shown under one of them.
FOLDER holds PDFs, or saved parses.

What was tried beside the default model, as recall of the two lists together (10 draws; the 10-K reports of CVS Health
2022, MGM Resorts 2018, American Express 2022 and Adobe 2022; 182, 118, 199 and 120 removed variants):

    all-MiniLM-L6-v2, at most 20,000 terms                       0.654  0.754  0.769  0.850
    longer phrases by the vectors of their parts as well         0.720  0.754  0.779  0.850
    GloVe word vectors (50 dimensions) added at 0.3              0.648  0.771
    word vectors of spaCy's en_core_web_md (300) added at 0.4    0.632  0.771
    letters with those at 0.5, in place of letters alone         0.659  0.746

What is built takes one beginning and one end where the experiment of the second line took all parts: 0.709 for CVS
Health. all-mpnet-base-v2 takes four times as long; of twenty words, most of them missed, it puts thirteen nearer
(insolvency from rank 1,840 to 160, by a sample of 250 terms) and three further away (net zero, PHI, kickback); its
recall was not measured.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from parsed import documents_in

from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.document import ParsedDocument
from docaudit.search import sweep_lines
from docaudit.suggest import suggest_from
from docaudit.suggest.candidates import Candidate, finds
from docaudit.suggest.neighbours import PreparedDocuments
from docaudit.suggest.strength import places_by_concept

METHODS = ("embedding", "ngrams")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", nargs="+", help="parts of file names")
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"))
    parser.add_argument(
        "--speed", action="store_true", help="only time 20,000 terms, without and with the cache"
    )
    args = parser.parse_args()
    documents = [parsed for _, parsed in documents_in(args.folder, args.cache, args.documents)]
    if args.speed:
        _speed(documents[0])
        return
    wanted, found, missed = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    tables = _tables()
    for parsed in documents:
        prepared = {method: PreparedDocuments(parsed, method=method) for method in METHODS}
        for name, table in tables.items():
            here = _places(parsed, table)
            chance = random.Random(7)
            for _ in range(args.draws if here else 0):
                removed = chance.sample(table.variants, len(table.variants) // 2)
                kept = ConceptTable(variants=tuple(v for v in table.variants if v not in removed))
                left = {v.text for v in kept.variants}
                lost = frozenset[str]().union(*(finders for finders in here if finders.isdisjoint(left)))
                gone = [v for v in removed if v.text in lost and v.match != "regex"]
                if not gone:
                    continue
                lists = {m: suggest_from(p, kept, top=args.top).candidates for m, p in prepared.items()}
                for variant in gone:
                    wanted[name] += 1
                    kinds = {method: _recalled(variant, listed) for method, listed in lists.items()}
                    found.update(f"{method} {name}" for method, kind in kinds.items() if kind)
                    found[f"together {name}"] += any(kinds.values())
                    missed[name, variant.text] += not any(kinds.values())
                    for method, kind in kinds.items():
                        by_kind[method][kind or "missed"] += 1
        print(parsed.identity.name, flush=True)
    _report(wanted, found, by_kind, missed)


def _tables() -> dict[str, ConceptTable]:
    """The tables that ship with docaudit, by file name."""
    folder = Path(__file__).parent.parent / "samples" / "concepts"
    loaded = {file.stem: ConceptTable.load(file) for file in sorted(folder.glob("*.csv"))}
    return {name: ConceptTable(variants=table.active) for name, table in loaded.items()}


def _places(parsed: ParsedDocument, table: ConceptTable) -> list[frozenset[str]]:
    """For each place of the concept in the document, the variants that find it."""
    hit_df, _ = sweep_lines(parsed.line_df, table, pages_total=len(parsed.page_df))
    return [finders for places in places_by_concept(hit_df).values() for finders in places]


def _recalled(variant: Variant, candidates: Sequence[Candidate]) -> str:
    """The kind of the candidate that shows a removed variant; empty if none does."""
    for candidate in candidates:
        if any(finds(variant, shown) for shown in (candidate.text, *candidate.members)):
            return candidate.kind.value
    return ""


def _report(
    wanted: Counter[str],
    found: Counter[str],
    by_kind: dict[str, Counter[str]],
    missed: Counter[tuple[str, str]],
) -> None:
    print(f"{'':28}{'removed':>9}" + "".join(f"{name:>11}" for name in (*METHODS, "together")))
    for concept in [*wanted, ""]:
        total = wanted[concept] if concept else wanted.total()
        rates = (
            sum(n for key, n in found.items() if key.startswith(m) and (not concept or key.endswith(concept)))
            for m in (*METHODS, "together")
        )
        print(
            f"{concept or 'all':28}{total:>9,}" + "".join(f"{rate / max(total, 1):>11.3f}" for rate in rates)
        )
    for method, kinds in by_kind.items():
        print(
            f"{method}, by kind: "
            + ", ".join(f"{kind} {n / wanted.total():.3f}" for kind, n in kinds.most_common())
        )
    print("most often missed: " + ", ".join(f"{text} ({n})" for (_, text), n in missed.most_common(25)))


def _speed(parsed: ParsedDocument) -> None:
    table = ConceptTable(variants=tuple(v for one in _tables().values() for v in one.variants))
    for name in ("first run", "second run"):
        begin, spent = time.perf_counter(), time.process_time()
        suggestions = suggest_from(PreparedDocuments(parsed, method="embedding"), table)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - spent
        print(f"{name}: {suggestions.terms_compared:,} terms, {seconds:.1f} s, {cpu:.1f} s of processor time")


if __name__ == "__main__":
    main()
