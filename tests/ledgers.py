"""The sample ledger as rows that a test may change, with digests that fit again."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from docaudit.abstention.ledger.evaluate import evaluate_ledger
from docaudit.abstention.ledger.read import Ledger, ledger_of
from docaudit.abstention.ledger.results import Evaluation

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "samples" / "ledger"


def _builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_ledger", ROOT / "samples" / "make_ledger.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


builder = _builder()


class Rows:
    """The five files as dictionaries; `files()` freezes them again unless `frozen` is kept."""

    def __init__(self) -> None:
        built = builder.build()
        self.contract: dict[str, Any] = json.loads(built["contract.json"])
        self.documents, self.cases, self.runs, self.claims = (
            [json.loads(line) for line in built[f"{name}.jsonl"].splitlines()]
            for name in ("documents", "cases", "runs", "claims")
        )

    def run(self, name: str) -> dict[str, Any]:
        return next(row for row in self.runs if row["run_id"] == name)

    def case(self, name: str) -> dict[str, Any]:
        return next(row for row in self.cases if row["case_id"] == name)

    def claim(self, run: str, claim: str) -> dict[str, Any]:
        return next(row for row in self.claims if (row["run_id"], row["claim_id"]) == (run, claim))

    def files(self, *, freeze: bool = True) -> dict[str, bytes]:
        documents, cases = _lines(self.documents), _lines(self.cases)
        if freeze:
            self.contract["documents_sha256"], self.contract["cases_sha256"] = _sha(documents), _sha(cases)
        contract = json.dumps(self.contract).encode()
        if freeze:
            for row in self.runs:
                row["contract_sha256"] = _sha(contract)
        return {
            "contract.json": contract,
            "documents.jsonl": documents,
            "cases.jsonl": cases,
            "runs.jsonl": _lines(self.runs),
            "claims.jsonl": _lines(self.claims),
        }

    def ledger(self) -> Ledger:
        return ledger_of(self.files())

    def evaluation(self) -> Evaluation:
        return evaluate_ledger(self.ledger())

    def write(self, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        for name, content in self.files().items():
            (folder / name).write_bytes(content)
        return folder


def counts(evaluation: Evaluation) -> dict[str, tuple[int, int]]:
    return {one.name: (one.numerator, one.denominator) for one in (*evaluation.ratios, *evaluation.details)}


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
