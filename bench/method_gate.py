"""Published numbers of gates and of the ledger of runs: E6, E7, E9, E14, E33."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from method_row import Row, both, counted, percent, rest

from docaudit.abstention.experiment import read_inputs, run_experiment
from docaudit.abstention.gate import Direction, OperatingRecord, Ratio, Retrieval, decide
from docaudit.abstention.ledger.evaluate import evaluate_ledger
from docaudit.abstention.ledger.read import load_ledger
from docaudit.abstention.threshold_sweep import AnswerLedger, answer_ledger, count
from tests.gates import frozen, hundred

REFERENCE = "DOCAUDIT_REFERENCE_GATE"
LEDGER = Path(__file__).resolve().parent.parent / "samples" / "ledger"


def gate() -> Iterator[Row]:
    """Passed and held at two thresholds, each count with its own denominator."""
    rows = frozen(hundred())
    source = "100 rows built to the published counts, tests/gates.py"
    published = {
        0.40: ("60 / 10 of 70", "20 / 10 of 30", "80 / 20 of 100", "80.0 %", "14.3 %"),
        0.70: ("45 / 25 of 70", "5 / 25 of 30", "50 / 50 of 100", "50.0 %", "35.7 %"),
    }
    for threshold, expected in published.items():
        got = count(rows, threshold)
        computed = (
            both(rest(got.over_hold)),
            both(got.false_pass),
            both(got.passed),
            percent(got.passed, 1),
            percent(got.over_hold, 1),
        )
        names = (
            "passed / held, with evidence",
            "passed (false pass) / held, without evidence",
            "passed / held, all",
            "pass rate, of all",
            "over-hold, of those with evidence",
        )
        for name, one, other in zip(names, expected, computed, strict=True):
            yield Row("E6", f"threshold {threshold:.2f}: {name}", one, other, source)


def answers() -> Iterator[Row]:
    """Errors among answers, over the three denominators that are easily mixed up."""
    rows = frozen(hundred())
    published = {
        0.40: ("54", "21", "5", "80", "21 of 75 = 28.00 %", "21 of 80 = 26.25 %", "21 of 100 = 21.00 %"),
        0.70: ("42", "6", "2", "50", "6 of 48 = 12.50 %", "6 of 50 = 12.00 %", "6 of 100 = 6.00 %"),
    }
    names = (
        "correct",
        "wrong",
        "not verified",
        "answered",
        "wrong of judged",
        "wrong of answered",
        "wrong of all",
    )
    for threshold, expected in published.items():
        got = answer_ledger(rows, threshold)
        assert got is not None
        for name, one, other in zip(names, expected, _answered(got), strict=True):
            yield Row("E7", f"threshold {threshold:.2f}: {name}", one, other, "the same 100 rows")


def _answered(got: AnswerLedger) -> tuple[str, ...]:
    counts = (
        got.correct.numerator,
        got.wrong_of_all.numerator,
        got.no_reference.numerator + got.undecidable.numerator,
        got.answer_coverage.numerator,
    )
    shares = (got.wrong_of_judged, got.wrong_of_answered, got.wrong_of_all)
    return (*map(str, counts), *map(counted, shares))


def single_examples() -> Iterator[Row]:
    """Two questions, of which a score tells one apart and not the other."""
    operating = OperatingRecord(stage="reranking", score_kind="relevance", direction=Direction.HIGHER)
    published = {
        ("lending question", 0.62, 0.40): "pass",
        ("lending question", 0.62, 0.70): "below_threshold",
        ("other product", 0.85, 0.40): "pass",
        ("other product", 0.85, 0.70): "pass",
    }
    for (name, score, threshold), expected in published.items():
        found = Retrieval.model_validate(
            {"id": "Q", "query": name, "candidates": [{"doc_id": "D", "score": score}]}
        )
        got = decide(operating, found, threshold).reason.value
        yield Row(
            "E9", f"{name}, score {score:.2f}, threshold {threshold:.2f}", expected, got, "one row each"
        )


def experiment() -> Iterator[Row]:
    """The published BM25 experiment; its files are not ours."""
    sha256 = "967e0a756586325a811e12ee192f8499aba2e085167085c79d398897f4e9e9cb"
    scores = (
        "9.811527 13.365760 15.887716 10.235241 25.221300 26.025947 20.055652 32.032532 8.000504 6.522068 8.854764 "
        "9.114474 7.898000 25.069183 22.339609 31.099818 none none"
    ).split()
    published = {
        "passed at thresholds 0, 2, 4, 8 (of 18)": "16 16 16 14",
        "false pass (of 8)": "6 6 6 5",
        "over-hold (of 10)": "0 0 0 1",
        "passed with all required documents": "10 10 10 9",
        "SHA-256 of results.json": sha256,
    }
    folder = os.environ.get(REFERENCE)
    if not folder:
        yield Row(
            "E14",
            "BM25 experiment: 18 top scores, 4 thresholds, SHA-256",
            "see the source",
            None,
            f"set {REFERENCE} to the folder of config.json, documents.json and queries.json (not ours to include)",
        )
        return
    done = run_experiment(
        read_inputs(*(Path(folder) / f"{name}.json" for name in ("config", "documents", "queries")))
    )
    for row, expected in zip(_top_scores(done.text), scores, strict=True):
        yield Row("E14", f"top score of {row[0]}", expected, row[1], f"${REFERENCE}")
    points = [point.gate for point in done.sweep.points]
    computed = (
        " ".join(str(one.passed.numerator) for one in points),
        " ".join(str(one.false_pass.numerator) for one in points),
        " ".join(str(one.over_hold.numerator) for one in points),
        " ".join(str(one.passed_with_required.numerator) for one in points),
        done.sha256,
    )
    for (name, expected), got in zip(published.items(), computed, strict=True):
        yield Row("E14", name, expected, got, f"${REFERENCE}")


def _top_scores(results: str) -> list[tuple[str, str]]:
    queries = json.loads(results)["queries"]
    return [(one["id"], "none" if one["top_score"] is None else f"{one['top_score']:.6f}") for one in queries]


def ledger() -> Iterator[Row]:
    """The ratios of the evaluation RE098, and its decision."""
    published = {
        "corpus_eligibility": "57 of 60 = 95.00 %",
        "gold_retrieval": "51 of 60 = 85.00 %",
        "context_completeness": "48 of 60 = 80.00 %",
        "citation_resolvability": "53 of 60 = 88.33 %",
        "claim_support": "110 of 120 = 91.67 %",
        "abstention_quality": "10 of 12 = 83.33 %",
        "security_isolation": "10 of 12 = 83.33 %",
        "complete_pass": "47 of 60 = 78.33 %",
    }
    source = "samples/ledger, built to the published counts"
    got = evaluate_ledger(load_ledger(LEDGER))
    computed = {
        one.name: counted(Ratio(numerator=one.numerator, denominator=one.denominator)) for one in got.ratios
    }
    for name, expected in published.items():
        yield Row("E33", name, expected, computed[name], source)
    vetoed = " ".join(sorted({veto.run_id for veto in got.vetoes}))
    yield Row("E33", "vetoed runs", "Q034 Q054", vetoed, source)
    yield Row("E33", "decision", "NOT_RELEASED", got.decision.value, source)
