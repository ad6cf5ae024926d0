"""How many of the variants that an expert forgot `docaudit suggest` finds, and how long it takes.

    python bench/suggest.py FOLDER [--documents NAME ...] [--draws 50] [--top 20] [--cache DIR] [--speed]

Half of the variants of each concept are removed at random (seeded), and candidates are asked for with the other half.
Counted are the removed variants that occur in the document and that the kept half does not find; one is recalled if
it is among the first `top` candidates of its concept, or among the terms shown under one of them. FOLDER holds PDFs,
or saved parses.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from parsed import documents_in
from suggest_concepts import concepts

from docaudit.concepts import ConceptTable, Variant
from docaudit.parsed import ParsedDocument
from docaudit.suggest import suggest_from
from docaudit.suggest.candidates import Candidate
from docaudit.suggest.known import Known, finds
from docaudit.suggest.prepared import Prepared
from docaudit.sweep import sweep_lines

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
    for parsed in documents:
        here = _present(parsed)
        prepared = {method: Prepared(parsed, method=method) for method in METHODS}
        chance = random.Random(7)
        for _ in range(args.draws):
            kept, removed = _halves(here, chance)
            if not kept:
                continue
            table = ConceptTable.from_variants(kept)
            known = Known(table)
            lists = {method: suggest_from(one, table, top=args.top) for method, one in prepared.items()}
            for concept, variants in removed.items():
                for text in variants:
                    if text in known:
                        continue
                    wanted[concept] += 1
                    hits = {m: _recalled(text, s.of_concept(concept)) for m, s in lists.items()}
                    for method, kind in hits.items():
                        if kind:
                            found[f"{method} {concept}"] += 1
                            by_kind[method][kind] += 1
                    if any(hits.values()):
                        found[f"together {concept}"] += 1
                    else:
                        missed[concept, text] += 1
        print(parsed.identity.name, flush=True)
    _report(wanted, found, by_kind, missed)


def _present(parsed: ParsedDocument) -> dict[str, list[str]]:
    """The variants of each concept that the document has, for concepts with four of them or more."""
    table = ConceptTable.from_variants(concepts())
    _, ledger = sweep_lines(parsed.line_df, table, pages_total=len(parsed.page_df))
    has = {(c, v) for c, v, n in zip(ledger["concept"], ledger["variant"], ledger["hits"], strict=True) if n}
    present = {name: [v for v in variants if (name, v) in has] for name, variants in concepts().items()}
    return {name: variants for name, variants in present.items() if len(variants) >= 4}


def _halves(
    present: dict[str, list[str]], chance: random.Random
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    kept, removed = {}, {}
    for name, variants in present.items():
        shuffled = chance.sample(variants, len(variants))
        kept[name], removed[name] = shuffled[len(variants) // 2 :], shuffled[: len(variants) // 2]
    return kept, removed


def _recalled(text: str, candidates: Sequence[Candidate]) -> str:
    """The kind of the candidate that shows a removed variant; empty if none does."""
    variant = Variant(concept="c", text=text)
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
    table = ConceptTable.from_variants(concepts())
    for name in ("first run", "second run"):
        begin, spent = time.perf_counter(), time.process_time()
        suggestions = suggest_from(Prepared(parsed, method="embedding"), table)
        seconds, cpu = time.perf_counter() - begin, time.process_time() - spent
        print(f"{name}: {suggestions.terms_compared:,} terms, {seconds:.1f} s, {cpu:.1f} s of processor time")


if __name__ == "__main__":
    main()
