"""When to hold back: a BM25 gate over pages, the absence audit, and both together, on phrases with known answers.

    python bench/abstention.py SET [--documents FOLDER] [--rows rows.jsonl] [--held-out 0.5] [--seed 1]

SET has facts.jsonl (phrases that stand on a page), absent.jsonl (phrases that stand nowhere in a document) and pdfs/.
The question is always: does this document say this phrase? Thresholds are chosen on a part of the documents and
counted on the others. FOLDER may hold the PDFs or saved parses. Measured rows are kept, so a second run only counts.

- BM25: the best page's score reaches the threshold. "Per word": the score over the number of words of the phrase.
- audit: `mentioned` passes; `absent_within_coverage` and `not_established` are held, and are counted apart.
- both, "audit, else BM25": the audit decides where it says `mentioned` or `absent_within_coverage`, BM25 elsewhere.
- both, "BM25, unless proven absent": passes only if BM25 passes and the audit does not say `absent_within_coverage`.

The phrases are exact strings, which a sweep looks for and BM25 takes apart: this measures whether a phrase stands in a
document, not whether a question in other words has an answer there.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from abstention_rows import Measured, measure

from docaudit.abstention.gate import Ratio, written
from docaudit.abstention.results import Frozen, read_frozen
from docaudit.abstention.splits import split, take_part
from docaudit.abstention.threshold_sweep import risk_coverage, sweep_thresholds
from docaudit.codes import Finding
from docaudit.text.numbers import percent

RANK = {Finding.ABSENT: 0, Finding.NOT_ESTABLISHED: 1, Finding.MENTIONED: 2}
MOST_FALSE_PASSES = 0.05
Value = Callable[[Measured], float | None]
Order = Callable[[Measured], tuple[float, ...]]


@dataclass(frozen=True)
class System:
    """A way to decide.

    Attributes:
        name: For the table.
        passes: Whether a question passes.
        order: Surest first, for the curve of risk against coverage.
    """

    name: str
    passes: Callable[[Measured], bool]
    order: Order


def score(row: Measured) -> float | None:
    return row.score


def per_word(row: Measured) -> float | None:
    return None if row.score is None else row.score / row.words


def frozen(rows: Sequence[Measured], value: Value, score_kind: str) -> Frozen:
    """The rows as results of a retriever; questions about one document are a group."""
    content = {
        "operating": {"stage": "retrieval", "score_kind": score_kind, "direction": "higher_is_better"},
        "questions": {"name": "visible facts", "period": "not dated", "origin": "designed"},
        "absent_basis": {
            "scope": "the document that the question names",
            "version": "the file of the set",
            "permission": "all of the file",
            "method": "as labelled in absent.jsonl",
        },
        "rows": [
            {
                "id": row.id,
                # The same phrase stands in one document and not in another: those are two questions.
                "query": f"{row.phrase} ({row.document})",
                "candidates": [] if (got := value(row)) is None else [{"doc_id": "best page", "score": got}],
                "evidence": row.evidence,
                "group": row.document,
            }
            for row in rows
        ],
    }
    return read_frozen(content, "0" * 64)


def chosen(tuning: Frozen, most_false_passes: float | None) -> float:
    """The threshold with the smallest sum of false pass and over-hold rates, or the least over-hold within a limit."""
    points = [point.gate for point in sweep_thresholds(tuning).points]
    if most_false_passes is None:
        best = min(points, key=lambda one: (one.false_pass.share or 0) + (one.over_hold.share or 0))
    else:
        within = [one for one in points if (one.false_pass.share or 0) <= most_false_passes]
        best = min(within or points[-1:], key=lambda one: one.over_hold.share or 0)
    return best.threshold


def systems(rows: Sequence[Measured], tuning_ids: set[str]) -> list[System]:
    """All ways to decide, with thresholds from the tuning part."""
    tuning = [row for row in rows if row.id in tuning_ids]
    made = [System("audit alone", lambda row: row.finding == Finding.MENTIONED, lambda row: (_rank(row),))]
    for name, value in (("BM25", score), ("BM25 per word", per_word)):
        results = frozen(tuning, value, name)
        for aim, limit in (
            ("balanced", None),
            (f"false pass <= {percent(MOST_FALSE_PASSES)}", MOST_FALSE_PASSES),
        ):
            made += _with_gate(f"{name}, {aim}", value, chosen(results, limit))
    return made


def _with_gate(name: str, value: Value, threshold: float) -> list[System]:
    def gate(row: Measured) -> bool:
        got = value(row)
        return got is not None and got >= threshold

    def order(row: Measured) -> tuple[float, ...]:
        # Without a candidate a question comes last: a place in the order, not a score of 0.
        got = value(row)
        return (0, 0) if got is None else (1, got)

    title = f"{name} ({written(round(threshold, 4))})"
    return [
        System(title, gate, order),
        System(
            f"audit, else {title}",
            lambda row: _rank(row) == 2 or (_rank(row) == 1 and gate(row)),
            lambda row: (_rank(row), *order(row)),
        ),
        System(
            f"{title}, unless proven absent",
            lambda row: gate(row) and _rank(row) > 0,
            lambda row: (min(_rank(row), 1), *order(row)),
        ),
    ]


def _rank(row: Measured) -> int:
    return RANK[Finding(row.finding)]


def aurc(rows: Sequence[Measured], order: Order) -> float:
    """Area under risk against coverage from 0 to 1; only the order counts."""
    places = {key: place for place, key in enumerate(sorted({order(row) for row in rows}))}
    area = risk_coverage(frozen(rows, lambda row: float(places[order(row)]), "place in the order")).aurc
    assert area is not None
    return area


def said(ratio: Ratio) -> str:
    if ratio.share is None or ratio.interval is None:
        return "0 of 0"
    low, high = (100 * one for one in ratio.interval)
    return f"{ratio.numerator} of {ratio.denominator} = {percent(ratio.share)} [{low:.1f}, {high:.1f}]"


def part(rows: Sequence[Measured], condition: Callable[[Measured], bool]) -> Ratio:
    return Ratio(numerator=sum(map(condition, rows)), denominator=len(rows))


def is_absent(row: Measured) -> bool:
    return row.evidence == "absent"


def compare(title: str, rows: Sequence[Measured], ways: Sequence[System]) -> None:
    absent = [row for row in rows if is_absent(row)]
    present = [row for row in rows if not is_absent(row)]
    names = {row.document for row in rows}
    print(f"\n## {title}: {len(present)} present, {len(absent)} absent, {len(names)} documents")
    print(f"AURC of a perfect order {aurc(rows, lambda row: (float(not is_absent(row)),)):.4f}, ", end="")
    print(f"of no order {aurc(rows, lambda row: (0.0,)):.4f}\n")
    print(
        "| way (threshold) | false pass | over-hold | held and truly absent | AURC |\n|---|---|---|---|---|"
    )
    for way in ways:
        held = [row for row in rows if not way.passes(row)]
        cells = (
            said(part(absent, way.passes)),
            said(part(present, lambda row, way=way: not way.passes(row))),
            said(part(held, is_absent)),
            f"{aurc(rows, way.order):.4f}",
        )
        print(f"| {way.name} | {' | '.join(cells)} |")
    proven = [row for row in rows if row.finding == Finding.ABSENT]
    print(f"\nprecision of `absent_within_coverage`: {said(part(proven, is_absent))}")
    print(f"absent phrases that are proven absent: {said(part(absent, lambda row: row in proven))}")


def findings(rows: Sequence[Measured]) -> None:
    """The audit on all documents: nothing in it was tuned."""
    print("\n## Findings of the audit, all documents\n")
    print(f"| label | kind | {' | '.join(RANK)} |\n|---|---|---|---|---|")
    counts = Counter((row.evidence, row.kind, row.finding) for row in rows)
    for evidence, kind in sorted({key[:2] for key in counts}):
        print(f"| {evidence} | {kind} | {' | '.join(str(counts[evidence, kind, one]) for one in RANK)} |")
    proven = [row for row in rows if row.finding == Finding.ABSENT]
    print(f"\nprecision of `absent_within_coverage`: {said(part(proven, is_absent))}")
    for row in proven:
        if not is_absent(row):
            print(f"  wrongly absent: {row.phrase!r} in {row.document} ({row.id})")
    for row in rows:
        if is_absent(row) and row.finding == Finding.MENTIONED:
            print(f"  labelled absent, mentioned: {row.phrase!r} in {row.document} ({row.id})")
    print(
        f"questions that BM25 cannot search (letters it does not know): {sum(not row.searched for row in rows)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", type=Path)
    parser.add_argument("--documents", type=Path, help="folder of PDFs or saved parses; default: SET/pdfs")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"))
    parser.add_argument("--rows", type=Path, default=Path("abstention-rows.jsonl"), help="what was measured")
    parser.add_argument("--held-out", type=float, default=0.5, help="share of the documents")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rows = measure(args.set, args.documents or args.set / "pdfs", args.cache, args.rows)
    results = frozen(rows, score, "BM25")
    parts = split(results, held_out=args.held_out, seed=args.seed).used("comparison")
    held_out = set(take_part(results, parts, "held_out").by_id)
    ways = systems(rows, set(take_part(results, parts, "tuning").by_id))
    kept = [row for row in rows if row.id in held_out]
    compare("Held-out documents", kept, ways)
    both_labels = {row.document for row in kept if is_absent(row)}
    if len(both_labels) < len({row.document for row in kept}):
        some = [row for row in kept if row.document in both_labels]
        compare("Held-out documents with both labels", some, ways)
    findings(rows)


if __name__ == "__main__":
    main()
