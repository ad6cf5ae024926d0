"""Published numbers of top-k selection and of evaluators: E17, E18, E19, E38, E44, E47."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from method_row import Row, counted, shown

from docaudit.abstention.evaluators.rules import Rule, Sufficiency, context_precision, process_flag
from docaudit.abstention.evaluators.studies import count_refusals, read_logs
from docaudit.abstention.gate import Candidate
from docaudit.abstention.results import read_frozen
from docaudit.abstention.topk import Unit, select_hits, topk_grid
from docaudit.errors import EvaluatorError, ModelError

REFUSALS = Path(__file__).resolve().parent.parent / "samples" / "refusals.jsonl"
PASSWORD = "login security password profile email plan cancel invoice export api".split()
INVOICE = "invoice plan payment export email profile api cancel login security".split()


def rows() -> Iterator[Row]:
    """All of them; without ir_measures those that need it are not run, and say so."""
    for item, made in (
        ("E17", recall_and_precision),
        ("E18", selection),
        ("E19", two_documents),
        ("E38", flags),
        ("E44", precision_by_rank),
        ("E47", refusals),
    ):
        try:
            yield from list(made())
        except ModelError as error:
            yield Row(item, "all numbers", "see the source", None, error.cause)


def _grid(questions: dict[str, tuple[list[str], list[str]]], ks: Sequence[int]) -> list[tuple[str, str]]:
    """Mean recall and precision at each k of questions, each with what it needs and what was found for it."""
    content = {
        "operating": {"stage": "retrieval", "score_kind": "rank", "direction": "higher_is_better"},
        "questions": {"name": "published", "period": "2026-10", "origin": "designed"},
        "rows": [
            {
                "id": f"Q{number}",
                "query": query,
                "candidates": [{"doc_id": name, "score": None} for name in found],
                "evidence": "present",
                "required_doc_ids": needed,
            }
            for number, (query, (needed, found)) in enumerate(questions.items(), 1)
        ],
    }
    cells = topk_grid(read_frozen(content, "0" * 64), unit=Unit.DOCUMENT, ks=ks).cells
    return [(f"{cell.recall.value:.2f}", f"{cell.precision.value:.2f}") for cell in cells]


def recall_and_precision() -> Iterator[Row]:
    """Two questions, ten ranks each."""
    questions = {
        "How do I change my password?": (["password"], PASSWORD),
        "How do I download an invoice?": (["invoice"], INVOICE),
    }
    published = {1: ("0.50", "0.50"), 3: ("1.00", "0.33"), 10: ("1.00", "0.10")}
    for (k, expected), got in zip(published.items(), _grid(questions, list(published)), strict=True):
        for name, one, other in zip(("mean set recall", "mean set precision"), expected, got, strict=True):
            yield Row("E17", f"k = {k}: {name}", one, other, "the two published questions with their ranks")


def selection() -> Iterator[Row]:
    """Five hits at three thresholds."""
    scores = {"password": 0.91, "security": 0.78, "login": 0.73, "profile": 0.41, "invoice": 0.18}
    hits = [Candidate(doc_id=name, score=score) for name, score in scores.items()]
    published = {
        0.0: "password security login profile invoice",
        0.5: "password security login",
        0.8: "password",
    }
    for threshold, expected in published.items():
        got = " ".join(hit.doc_id for hit in select_hits(hits, 10, threshold))
        yield Row("E18", f"hits kept at threshold {threshold}", expected, got, "the five published hits")


def two_documents() -> Iterator[Row]:
    """One of two required documents is no success."""
    question = {"Refund on leaving, and how?": (["refund policy", "cancel steps"], ["cancel steps", "plan"])}
    ((recall, _),) = _grid(question, [2])
    yield Row("E19", "set recall with one of two found", "0.50", recall, "one question built to the text")


def flags() -> Iterator[Row]:
    """The published function gives no example; these follow from its code by hand."""
    upper, lower, source = 0.6, -0.9, "by hand from the published process_flag"
    groups = [[0.6, -1.0, -1.0], [-0.9, -1.0, 0.59], [-0.91, -1.0, -1.0]]
    scores = [score for group in groups for score in group]
    got = " ".join(str(int(one)) for one in process_flag(scores, 3, upper, lower))
    yield Row("E38", "three groups of 3, equal scores reach", "2 1 0", got, source)
    short = [*scores, 0.9]
    got = " ".join(str(int(one)) for one in process_flag(short, 3, upper, lower, trailing="drop"))
    yield Row("E38", "a tenth score, as published: dropped", "2 1 0", got, source)
    try:
        process_flag(short, 3, upper, lower)
        got = "accepted"
    except EvaluatorError:
        got = "refused"
    yield Row("E38", "a tenth score, by default", "refused", got, "our rule, not the published one")


def precision_by_rank() -> Iterator[Row]:
    """The published formula, by hand."""
    source = "by hand from the published formula"
    for relevant, expected in (
        ((False, True, True), "0.583333"),  # (1/2 + 2/3) / 2
        ((True, True, False), "1.000000"),
        ((False, False, False), "0.000000"),
        ((True, False, True, True), "0.833333"),  # (1 + 2/3) / 2: the fourth is below k
    ):
        shown = "".join("1" if one else "0" for one in relevant)
        got = f"{context_precision(relevant, 3).value:.6f}"
        yield Row("E44", f"context precision at 3 of {shown}", expected, got, source)


def refusals() -> Iterator[Row]:
    """139 logs: a strict rule refuses 36, of which 8 rightly; one useful candidate is enough for the others."""
    source = "samples/refusals.jsonl, built to the published counts"
    logs = read_logs(REFUSALS)
    strict, lenient = (count_refusals(logs, Sufficiency(rule=rule)) for rule in (Rule.AND, Rule.OR))
    yield Row("E47", "insufficient by AND", "36 of 139", shown(strict.insufficient), source)
    yield Row("E47", "of these, truly absent", "8 of 36", shown(strict.truly_absent), source)
    # The source gives the two counts; the quotient is ours.
    yield Row("E47", "of these, false refusals", "28 of 36 = 77.78 %", counted(strict.false_refusals), source)
    source = "the same rows; not published, follows from them"
    yield Row("E47", "insufficient by OR", "8 of 139", shown(lenient.insufficient), source)
