"""What the file of results in docs/gate.md comes to; that the page runs is tested by tests/test_docs_run.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docaudit.cli import main
from tests.pages import DOCS, blocks_of


def test_what_its_rows_come_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (results,) = (block for block in blocks_of(DOCS / "gate.md") if block.file == "results.json")
    (tmp_path / "results.json").write_text(results.code, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["gate", "sweep", "results.json", "--thresholds", "0.4,0.7", "--json"]) == 0
    lenient, strict = (point["gate"] for point in json.loads(capsys.readouterr().out)["points"])
    assert (lenient["false_pass_ids"], strict["false_pass_ids"]) == (["Q2"], [])
    assert lenient["over_hold_ids"] == strict["over_hold_ids"] == ["Q3", "Q5"]
    assert lenient["reasons"] == {
        "pass": 2,
        "below_threshold": 0,
        "no_candidates": 1,
        "missing_score": 1,
        "retrieval_failed": 1,
    }
