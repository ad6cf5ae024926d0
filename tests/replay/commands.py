"""What the command line says: the help of every command, and the output of each on small inputs."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import click

import docaudit
from docaudit.cli import main
from tests import pdfs
from tests.replay import said
from tests.replay.documents import DENIED, MET, outlined

_WIDTH = "100"
_TABLE = "concept,variant\nAI,AI\nAI,machine learning\nelectricity,electricity\nelectricity,power demand\n"
_OTHER = "concept,variant\nAI,AI\nAI,deep learning\nelectricity,electricity\nwater,the\n"
_CHUNKS = [
    {"id": "c1", "text": "AI needs electricity.", "page": 1, "score": 0.5},
    {"id": "c2", "text": "no", "page": 2},
]
_OPERATING = {
    "stage": "reranking",
    "score_kind": "cosine similarity",
    "direction": "higher_is_better",
    "model_version": "m1",
    "index_version": "i1",
}
_BASIS = {
    "scope": "rules, 12 files",
    "version": "2026-10",
    "permission": "all",
    "method": "read by two people",
}
_CONFIG = {
    "method": "BM25 positive-IDF",
    "k1": 1.2,
    "b": 0.75,
    "top_k": 3,
    "thresholds": [0, 0.5],
    "comparison": ">=",
    "experiment_date_jst": "2001-10-01",
    "corpus_scope": "two files, all readable",
}
_COLLECTION = [
    {"id": "B", "title": "cat", "text": "cat fish bird"},
    {"id": "A", "title": "cat", "text": "dog"},
]
_NOUNS = (
    "deadline desk form fee weekend projector tablet warranty repair refund seal export label customs".split()
)

# Name, then the words of the command line; each runs in the folder that those before it left.
COMMANDS = """
version             --version
nothing
unknown             frobnicate
audit               audit met.pdf --concepts table.csv --json --ocr off
audit-text          audit met.pdf --concepts table.csv --ocr off --question 'How much electricity does AI need?'
audit-text-ja       audit met.pdf --concepts table.csv --ocr off --language ja
audit-scan          audit scan.pdf --concepts table.csv --ocr off
audit-retrieved     audit met.pdf --concepts table.csv --json --ocr off --retrieved chunks.json --out saved
audit-old           audit old.pdf --concepts table.csv --ocr off --out old
audit-redacted      audit met.pdf --concepts table.csv --json --ocr off --redact
audit-waived        audit scan.pdf --concepts table.csv --ocr off --waive ink_read --because 'it is a logo'
audit-missing       audit nowhere.pdf --concepts table.csv
audit-no-pdf        audit table.csv --concepts table.csv
audit-no-table      audit met.pdf --concepts nowhere.csv
audit-bad-option    audit met.pdf --concepts table.csv --page-seconds -1
audit-bad-waiver    audit met.pdf --concepts table.csv --waive nothing --because so
coverage            coverage met.pdf scan.pdf --json --ocr off
coverage-text       coverage met.pdf scan.pdf --ocr off --out coverage --html map.html
coverage-gate       coverage scan.pdf --ocr off --fail-under 0.9 --fail-on any
explain             explain --json
explain-text        explain
explain-one         explain ink_read image_only_page
explain-unknown     explain nonsense
sweep               sweep met.pdf scan.pdf --concepts table.csv --json --ocr off
sweep-jsonl         sweep met.pdf --concepts table.csv --jsonl --ocr off
sweep-csv           sweep met.pdf --concepts table.csv --csv --ocr off
sweep-lines         sweep met.pdf scan.pdf --concepts table.csv --lines --ocr off
sweep-text          sweep met.pdf --concepts table.csv --ocr off
parse               parse met.pdf --out parsed --json --ocr off
audit-parsed        audit parsed --concepts table.csv --json
report              report saved/justification.json --json
report-text         report saved/justification.json
report-ja           report saved/justification.json --language ja --html report.html
report-other        report saved/justification.json --doc scan.pdf --html report.html
verify              verify saved/justification.json met.pdf --json --retrieved chunks.json
verify-text         verify saved/justification.json met.pdf --retrieved chunks.json
verify-other        verify saved/justification.json scan.pdf --json
compare             compare old/justification.json saved/justification.json met.pdf --json
compare-text        compare old/justification.json met.pdf
init                init first.csv --question 'How much electricity does AI consume?' --json
accept              accept first.csv AI 'neural network' --reviewer me --json
reject              reject first.csv AI 'neural network' --reviewer me --note 'not meant' --json
lint                lint table.csv --json
lint-document       lint other.csv --doc met.pdf --json --ocr off
lint-text           lint other.csv --doc met.pdf --ocr off
diff                diff table.csv other.csv --json
diff-text           diff table.csv other.csv
suggest             suggest met.pdf outline.pdf --concepts table.csv --json --ocr off
suggest-text        suggest met.pdf --concepts table.csv --ocr off
strength            strength met.pdf outline.pdf --concepts table.csv --json --ocr off
strength-text       strength met.pdf --concepts table.csv --ocr off
sample              sample old.pdf --concepts table.csv --out drawn --size 2 --seed 7 --json --ocr off
sample-read         sample --read drawn/sheet.csv --json
sample-regions      sample scan.pdf --concepts table.csv --out regions --unit region --size 1 --json --ocr off
corpus-run          corpus run pdfs --concepts table.csv --concepts other.csv --out store --jobs 1 --ocr off --json
corpus-again        corpus run pdfs --concepts table.csv --concepts other.csv --out store --jobs 1 --ocr off
corpus-show         corpus show store --json
corpus-text         corpus show store
corpus-csv          corpus show store --csv -
corpus-html         corpus show store --html pages
corpus-columns      corpus query store --columns
corpus-query-documents corpus query store --jsonl 'SELECT * FROM documents ORDER BY ALL'
corpus-query-audits corpus query store --jsonl 'SELECT * FROM audits ORDER BY ALL'
corpus-query-pages  corpus query store --jsonl 'SELECT * FROM pages ORDER BY ALL'
corpus-query-blind_spots corpus query store --jsonl 'SELECT * FROM blind_spots ORDER BY ALL'
corpus-query-findings corpus query store --jsonl 'SELECT * FROM findings ORDER BY ALL'
corpus-query-cells  corpus query store --jsonl 'SELECT * FROM cells ORDER BY ALL'
corpus-query-hits   corpus query store --jsonl 'SELECT * FROM hits ORDER BY ALL'
gate-run            gate run --config config.json --documents collection.json --queries queries.json \
 --out bm25.json --json
gate-run-text       gate run --config config.json --documents collection.json --queries queries.json --out bm25.json
gate-split          gate split results.json --out split.json --seed 3 --json
gate-sweep          gate sweep results.json --json
gate-sweep-text     gate sweep results.json --thresholds 0.3,0.5,0.7
gate-tuning         gate sweep results.json --split split.json --part tuning --json
gate-guarantee      gate sweep results.json --split split.json --part tuning --thresholds 0.5,0.7 --guarantee 0.4 --json
gate-topk           gate topk bm25.json --unit document --json
gate-topk-text      gate topk bm25.json --unit document --stages
gate-adopt          gate adopt results.json --split split.json --threshold 0.55 --accept-false-pass 0.9 \
 --accept-over-hold 0.9 --handled-by desk --within 'one day' --message-checked --out bundle.json --json
gate-diff           gate diff bundle.json bundle.json --json
evaluate            evaluate ledger --json
evaluate-text       evaluate ledger --html ledger.html
evaluate-diff       evaluate ledger ledger --diff --json
"""
FILES = (
    "coverage/coverage.json",
    "coverage/page_map.html",
    "coverage/pages.csv",
    "coverage/blind_spots.csv",
    "map.html",
    "report.html",
    "first.csv",
    "drawn/review.html",
    "drawn/sheet.csv",
    "drawn/draw.json",
    "regions/sheet.csv",
    "pages/index.html",
    "bm25.json",
    "split.json",
    "bundle.json",
    "ledger.html",
)
"""What commands wrote and is kept as well."""


def helps() -> said.Said:
    """The help of every command, by the path to it."""
    yield from _help(_root(), ())


def _help(command: click.Command, path: tuple[str, ...]) -> said.Said:
    yield f"help/{'-'.join(('docaudit', *path))}", run(*path, "--help")
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _help(command.commands[name], (*path, name))


def _root() -> click.Group:
    """The command that `main` runs, wherever it lives."""
    made, seen = click.Command.make_context, []

    def noticed(self: click.Command, *args: Any, **keywords: Any) -> click.Context:
        seen.append(self)
        return made(self, *args, **keywords)

    with mock.patch.object(click.Command, "make_context", noticed):
        run("--help")
    assert isinstance(seen[0], click.Group)
    return seen[0]


def run(*words: str) -> str:
    """What a command prints, its errors, and its exit code."""
    out, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": _WIDTH, "NO_COLOR": "1"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        code = main(words)
    return f"{out.getvalue()}\n-- errors\n{errors.getvalue()}\n-- exit code {code}\n"


def _module(*words: str) -> str:
    """What `python -m docaudit` prints."""
    command = [sys.executable, "-m", "docaudit", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
    return said.neutral(f"{done.stdout}{done.stderr}{done.returncode}")


def _environment() -> dict[str, str]:
    """The environment, in which a child finds the docaudit that is imported here."""
    home = str(Path(docaudit.__file__).resolve().parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join((home, os.environ.get("PYTHONPATH", "")))}


def outputs() -> said.Said:
    """The output of each command, in a folder of small inputs."""
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        folder = Path(made)
        inputs(folder)
        yield "command/module", _module("--version")
        for line in COMMANDS.strip().splitlines():
            name, _, words = line.partition(" ")
            yield f"command/{name}", neutral(run(*shlex.split(words)), folder)
        for name in FILES:
            file = folder / name
            text = file.read_text("utf-8") if file.exists() else "not there"
            yield f"written/{name}", neutral(text, folder)


def neutral(text: str, folder: Path) -> str:
    """Output without versions, times and folder."""
    text = said.neutral(text, folder.resolve(), folder)
    now = dt.datetime.now()
    for day in (now, now - dt.timedelta(hours=1)):  # midnight may come while this runs
        text = text.replace(day.date().isoformat(), "<today>")
    text = re.sub(r"\bS[0-9a-f]{6}(?=-\d)", "S<draw>", text)
    return re.sub(r"\b\d+(?:\.\d+)? (?:s|ms|seconds?)\b", "<seconds>", text)


def inputs(folder: Path) -> None:
    """The files that commands read."""
    texts = {
        "met.pdf": pdfs.document(pdfs.text(*MET), pdfs.text(*pdfs.PROSE), pdfs.text(*DENIED)),
        "old.pdf": pdfs.document(*(pdfs.text(*pdfs.PROSE, f"page {n}") for n in range(4))),
        "scan.pdf": pdfs.document(pdfs.text(*pdfs.PROSE), pdfs.scan("AI in a picture")),
        "outline.pdf": outlined(),
        "table.csv": _TABLE.encode(),
        "other.csv": _OTHER.encode(),
    }
    values = {
        "chunks.json": _CHUNKS,
        "config.json": _CONFIG,
        "collection.json": _COLLECTION,
        "queries.json": list(_queries()),
        "results.json": {
            "operating": _OPERATING,
            "questions": {"name": "lending", "period": "2001-09", "origin": "sampled"},
            "absent_basis": _BASIS,
            "rows": list(_rows(60)),
        },
    }
    texts |= {name: json.dumps(value).encode() for name, value in values.items()}
    texts |= {f"ledger/{file.name}": file.read_bytes() for file in (said.SAMPLES / "ledger").iterdir()}
    texts |= {f"pdfs/{name}": texts[name] for name in ("met.pdf", "old.pdf", "scan.pdf")}
    texts["pdfs/broken.pdf"] = b"%PDF-1.7\nnothing more"
    for name, data in texts.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)


def _queries() -> Iterator[dict[str, Any]]:
    for name, text, required in (("Q1", "dog?", ["A"]), ("Q2", "Cat, cat!", []), ("Q3", "zebra", [])):
        yield {
            "id": name,
            "query": text,
            "required_doc_ids": required,
            "answerable_in_collection": bool(required),
            "label_reason": "read",
        }


def _rows(many: int) -> Iterator[dict[str, Any]]:
    """Questions in other words each; every second one has no evidence and, mostly, a lower score."""
    chance = random.Random(4)
    for at in range(many):
        present = at % 2 == 0
        score = round(chance.gauss(0.7 if present else 0.4, 0.12), 4)
        yield {
            "id": f"Q{at}",
            "query": f"{' '.join(chance.sample(_NOUNS, 8))} {at}",
            "candidates": [{"doc_id": f"D{at}", "score": score}],
            "evidence": "present" if present else "absent",
            "group": f"g{at % 12}",
            "answer": {"returned": True, "grade": "correct" if present else "wrong"},
        }
